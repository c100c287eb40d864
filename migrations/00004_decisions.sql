-- +goose Up

-- Every decision about a segment with what it was formed from: the gate's pairs
-- (JSON), threshold and tolerance as they stood. Rows are only added: the latest
-- of a round holds, the first tells how the round ended at first.
CREATE TABLE decisions (
    id         TEXT PRIMARY KEY,
    segment_id TEXT NOT NULL REFERENCES segments (id) ON DELETE CASCADE,
    round      INTEGER NOT NULL,
    passed     BOOLEAN NOT NULL,
    status     TEXT NOT NULL,
    gate       TEXT NOT NULL,
    threshold  DOUBLE PRECISION NOT NULL,
    tolerance  DOUBLE PRECISION NOT NULL,
    pairs      TEXT NOT NULL,
    decided_at BIGINT NOT NULL
);
CREATE INDEX decisions_segment ON decisions (segment_id, round);

-- What annotators could not judge, for the lead to answer.
CREATE TABLE problems (
    id            TEXT PRIMARY KEY,
    campaign_id   TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    segment_id    TEXT NOT NULL REFERENCES segments (id),
    assignment_id TEXT NOT NULL REFERENCES assignments (id),
    text          TEXT NOT NULL,
    reported_at   BIGINT NOT NULL,
    resolved_at   BIGINT NOT NULL DEFAULT 0,
    answer        TEXT NOT NULL DEFAULT ''
);
CREATE INDEX problems_open ON problems (campaign_id, resolved_at);
CREATE INDEX problems_segment ON problems (segment_id);
CREATE INDEX problems_assignment ON problems (assignment_id);

-- Who did what to a campaign, and why.
CREATE TABLE audit_log (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT REFERENCES users (id),
    act         TEXT NOT NULL,
    subject     TEXT NOT NULL DEFAULT '',
    reason      TEXT NOT NULL DEFAULT '',
    at          BIGINT NOT NULL
);
CREATE INDEX audit_log_campaign ON audit_log (campaign_id, at);

-- +goose Down
DROP TABLE audit_log;
DROP TABLE problems;
DROP TABLE decisions;
