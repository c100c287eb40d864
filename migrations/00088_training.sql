-- +goose Up

-- Whether annotators of a campaign must qualify on its training set before they are given work.
-- everyone: also those who rated before required_at.
CREATE TABLE trainings (
    campaign_id TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    required    BOOLEAN NOT NULL DEFAULT FALSE,
    everyone    BOOLEAN NOT NULL DEFAULT FALSE,
    required_at BIGINT NOT NULL DEFAULT 0
);

-- What a lead says about a segment of a training set, which is a side campaign. A segment without
-- a row has the values of the defaults. answer is the JSON of the lead's ratings by the id of the
-- translation; it is empty while there is none. A negative tolerance stands for that of the protocol.
-- A removed segment is given to nobody.
CREATE TABLE training_segments (
    segment_id  TEXT PRIMARY KEY REFERENCES all_segments (id) ON DELETE CASCADE,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    practice    BOOLEAN NOT NULL DEFAULT FALSE,
    removed     BOOLEAN NOT NULL DEFAULT FALSE,
    tolerance   DOUBLE PRECISION NOT NULL DEFAULT -1,
    explanation TEXT NOT NULL DEFAULT '',
    answer      TEXT NOT NULL DEFAULT '',
    answered_by TEXT NOT NULL DEFAULT '',
    answered_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX training_segments_campaign ON training_segments (campaign_id);

-- What an assignment of a training set is for at present: 'answer', 'attempt' or 'practice'.
CREATE TABLE training_turns (
    assignment_id TEXT PRIMARY KEY REFERENCES assignments (id) ON DELETE CASCADE,
    kind          TEXT NOT NULL,
    attempt       INTEGER NOT NULL DEFAULT 0
);

-- The attempts of annotators of a campaign, numbered from 1. share is that of a finished attempt.
CREATE TABLE training_attempts (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    attempt     INTEGER NOT NULL,
    started_at  BIGINT NOT NULL,
    finished_at BIGINT NOT NULL DEFAULT 0,
    share       DOUBLE PRECISION NOT NULL DEFAULT 0,
    passed      BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (campaign_id, user_id, attempt)
);

-- How a submitted segment of a training set compares with the answer of that time. attempt is 0 for
-- practice. value and translations are the mean and the number of the compared translations, and
-- feedback is the JSON of the comparison.
CREATE TABLE training_results (
    id           TEXT PRIMARY KEY,
    campaign_id  TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    segment_id   TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    user_id      TEXT NOT NULL REFERENCES users (id),
    attempt      INTEGER NOT NULL,
    value        DOUBLE PRECISION NOT NULL,
    translations INTEGER NOT NULL,
    feedback     TEXT NOT NULL,
    at           BIGINT NOT NULL,
    UNIQUE (campaign_id, user_id, attempt, segment_id)
);
CREATE INDEX training_results_segment ON training_results (segment_id);

-- What a lead has decided about the training of an annotator: decision is 'qualified', 'must' or
-- empty. Attempts up to since are void, and further are those that leads have added.
CREATE TABLE trainees (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    decision    TEXT NOT NULL DEFAULT '',
    since       INTEGER NOT NULL DEFAULT 0,
    further     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (campaign_id, user_id)
);

-- +goose Down
DROP TABLE trainees;
DROP TABLE training_results;
DROP TABLE training_attempts;
DROP TABLE training_turns;
DROP TABLE training_segments;
DROP TABLE trainings;
