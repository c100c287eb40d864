-- +goose Up

-- An invitation of an account that existed before. The person has not accepted it yet. token_hash is the
-- hash of the token of its join link, and expires_at is when that link ends. An invitation without a link
-- has an empty token_hash. adjudicates says that an annotator is to be an adjudicator, too.
CREATE TABLE invitations (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    role        TEXT NOT NULL,
    adjudicates BOOLEAN NOT NULL DEFAULT FALSE,
    by_id       TEXT NOT NULL REFERENCES users (id),
    at          BIGINT NOT NULL,
    token_hash  TEXT NOT NULL DEFAULT '',
    expires_at  BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (campaign_id, user_id)
);
CREATE INDEX invitations_user ON invitations (user_id);
CREATE INDEX invitations_token ON invitations (token_hash);

-- Who can have the join link of an invitation, besides the invited person.
CREATE TABLE invitation_holders (
    campaign_id TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    holder_id   TEXT NOT NULL REFERENCES users (id),
    PRIMARY KEY (campaign_id, user_id, holder_id),
    FOREIGN KEY (campaign_id, user_id) REFERENCES invitations (campaign_id, user_id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE invitation_holders;
DROP TABLE invitations;
