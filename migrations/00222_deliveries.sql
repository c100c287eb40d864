-- +goose Up

-- What is sent to others: to the addresses of webhooks, and as mail.

-- An address that is told of events. Removing a webhook deletes its row; the audit log keeps that it was made and removed.
CREATE TABLE webhooks (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT REFERENCES campaigns (id) ON DELETE CASCADE, -- null: it is told of all campaigns
    url         TEXT NOT NULL,
    events      TEXT NOT NULL, -- their names, with a space before and behind each
    secret      TEXT NOT NULL, -- that signs what is sent; sealed as package secrets has it
    created_at  BIGINT NOT NULL
);
CREATE INDEX webhooks_campaign ON webhooks (campaign_id);

-- What is to be sent, and what became of it. A row is written in the transaction of the change that it tells of, and deleted
-- 30 days later.
CREATE TABLE deliveries (
    id          TEXT PRIMARY KEY,
    webhook_id  TEXT REFERENCES webhooks (id) ON DELETE CASCADE, -- null: a mail
    campaign_id TEXT REFERENCES campaigns (id) ON DELETE CASCADE, -- that it is about; null: none
    recipient   TEXT NOT NULL DEFAULT '', -- address of a mail
    event       TEXT NOT NULL, -- name of the event, or what a mail is about
    body        TEXT NOT NULL, -- JSON of the event; of a mail its sealed text, which is emptied once nobody needs it any more
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed')),
    attempts    INTEGER NOT NULL DEFAULT 0,
    created_at  BIGINT NOT NULL,
    next_at     BIGINT NOT NULL, -- not sent before; a server that begins an attempt moves it ahead, so that no other sends it too
    ended_at    BIGINT NOT NULL DEFAULT 0, -- of the latest attempt; 0: none
    status      INTEGER NOT NULL DEFAULT 0, -- that the receiver answered the latest attempt with; 0: none
    problem     TEXT NOT NULL DEFAULT '' -- of the latest attempt, in words
);
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'waiting';
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, id);
CREATE INDEX deliveries_campaign ON deliveries (campaign_id);
