-- +goose Up

-- What annotators of a campaign must accept before they are given work, in Markdown. The latest
-- version holds; an empty text asks for nothing.
CREATE TABLE instructions (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    version     INTEGER NOT NULL,
    author_id   TEXT NOT NULL REFERENCES users (id),
    text        TEXT NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, version)
);

-- Who has accepted which version.
CREATE TABLE acceptances (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    version     INTEGER NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, user_id, version)
);

-- +goose Down
DROP TABLE acceptances;
DROP TABLE instructions;
