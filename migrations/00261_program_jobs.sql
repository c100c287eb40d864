-- +goose Up

-- Jobs that programs have started by /api/v1, so that each server can answer how far one is. A row is deleted an hour after its end.
CREATE TABLE program_jobs (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- who started it
    people      INTEGER NOT NULL, -- the kinds of people, in the campaign, that this user was of
    kind        TEXT NOT NULL,
    words       TEXT NOT NULL DEFAULT '', -- what it is doing
    share       DOUBLE PRECISION NOT NULL DEFAULT 0, -- of the work that is done, from 0 to 1
    began_at    BIGINT NOT NULL,
    ended_at    BIGINT NOT NULL DEFAULT 0, -- 0: it is under way, or the server that does it has died
    expires_at  BIGINT NOT NULL, -- of the lease that this server extends
    outcome     TEXT NOT NULL DEFAULT '' -- JSON: what came of it
);
CREATE INDEX program_jobs_campaign ON program_jobs (campaign_id);
CREATE INDEX program_jobs_user ON program_jobs (user_id);

-- JSON that a job has made, in parts, so that no write takes long.
CREATE TABLE program_results (
    job_id TEXT NOT NULL REFERENCES program_jobs (id) ON DELETE CASCADE,
    part   INTEGER NOT NULL, -- from 0
    body   TEXT NOT NULL,
    PRIMARY KEY (job_id, part)
);
