-- +goose Up

-- What was done to accounts and by admins, beside the audit logs of the campaigns: who
-- signed in, who may do what, and which links, sessions and passwords ended. The ids
-- sort by time.
CREATE TABLE site_log (
    id         TEXT PRIMARY KEY,
    at         BIGINT NOT NULL,
    user_id    TEXT REFERENCES users (id), -- null: the command line
    act        TEXT NOT NULL,
    subject    TEXT NOT NULL DEFAULT '',
    detail     TEXT NOT NULL DEFAULT '',
    address    TEXT NOT NULL DEFAULT '',
    request_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX site_log_user ON site_log (user_id);

-- +goose Down
DROP TABLE site_log;
