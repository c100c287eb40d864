-- +goose Up
-- What people are called in everything that leaves a campaign under pseudonyms. A
-- pseudonym is given once, in the order in which people joined, and never changes.
CREATE TABLE pseudonyms (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    pseudonym   TEXT NOT NULL,
    PRIMARY KEY (campaign_id, user_id),
    UNIQUE (campaign_id, pseudonym)
);

-- +goose Down
DROP TABLE pseudonyms;
