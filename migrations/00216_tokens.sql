-- +goose Up

-- Personal access tokens, by which programs use /api/v1 in the name of a person. Revoking a token deletes its row; site_log
-- keeps that it was made and revoked.
CREATE TABLE tokens (
    id           TEXT PRIMARY KEY,
    token_hash   TEXT NOT NULL UNIQUE, -- SHA-256 of the token, which only its owner has
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name         TEXT NOT NULL, -- as its owner calls it
    writes       BOOLEAN NOT NULL, -- it may change things; false: it only reads
    everywhere   BOOLEAN NOT NULL, -- it is good for all campaigns of its owner; false: for those in token_campaigns
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX tokens_user ON tokens (user_id);

-- The campaigns that a token is good for.
CREATE TABLE token_campaigns (
    token_id    TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    PRIMARY KEY (token_id, campaign_id)
);
CREATE INDEX token_campaigns_campaign ON token_campaigns (campaign_id);

-- Who else may have a token: the holders of the session in which it was made, as in session_holders.
CREATE TABLE token_holders (
    token_id  TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    holder_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (token_id, holder_id)
);
CREATE INDEX token_holders_holder ON token_holders (holder_id);
