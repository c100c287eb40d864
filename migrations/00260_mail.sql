-- +goose Up

-- Mail: where people get it, and which reminders were sent. What is to be sent is in deliveries.

ALTER TABLE users ADD COLUMN mail TEXT NOT NULL DEFAULT ''; -- address; empty: the person gets no mail
ALTER TABLE users ADD COLUMN mail_off BOOLEAN NOT NULL DEFAULT FALSE; -- the person wants no mail about work

-- Who else may read what is sent to a person's address, as in password_holders: those who gave the address.
CREATE TABLE mail_holders (
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    holder_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, holder_id)
);
CREATE INDEX mail_holders_holder ON mail_holders (holder_id);

-- The due dates that an annotator was looked at for, so that each leads to one mail before it and one after it.
CREATE TABLE reminders (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    due_on      TEXT NOT NULL, -- a day as in plan_batches
    overdue     BOOLEAN NOT NULL, -- after the day; false: before it
    PRIMARY KEY (campaign_id, user_id, due_on, overdue)
);

CREATE INDEX deliveries_mails ON deliveries (id) WHERE webhook_id IS NULL;
