-- +goose Up

-- The second factor of people who have one: one-time passwords by RFC 6238.
CREATE TABLE second_factors (
    user_id      TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    secret       TEXT NOT NULL, -- sealed as package secrets has it
    confirmed_at BIGINT NOT NULL DEFAULT 0, -- 0: its person has not given a code yet, and it is not asked for
    last_step    BIGINT NOT NULL DEFAULT 0 -- of time, in 30 s since 1970, whose code was used last; neither it nor an earlier one is used again
);

-- Codes for who has lost the second factor. A code that is used is deleted.
CREATE TABLE recovery_codes (
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL, -- SHA-256 of the code, which has 80 random bits
    PRIMARY KEY (user_id, code_hash)
);

-- A session that awaits a code signs nobody in yet.
ALTER TABLE sessions ADD COLUMN awaits_code BOOLEAN NOT NULL DEFAULT FALSE;
