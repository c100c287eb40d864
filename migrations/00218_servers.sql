-- +goose Up

-- What several servers on one database must know of each other.

-- A job that one of the servers does, such as the computing of a report. The row is deleted at its end. If the server
-- dies, the lease ends, and another server may take the job.
CREATE TABLE job_leases (
    job        TEXT PRIMARY KEY, -- kind and key of the job
    holder     TEXT NOT NULL, -- random name of the server's process
    words      TEXT NOT NULL DEFAULT '', -- what the job is doing
    share      DOUBLE PRECISION NOT NULL DEFAULT 0, -- of the work that is done, from 0 to 1
    expires_at BIGINT NOT NULL
);

-- Failures to sign in, for limits on guessing. A failure is forgiven after some time; rows without failures are deleted.
CREATE TABLE sign_in_failures (
    subject  TEXT PRIMARY KEY, -- keyed hash of an address, a login, or both
    failures DOUBLE PRECISION NOT NULL, -- that were not forgiven at the time at
    at       BIGINT NOT NULL
);
