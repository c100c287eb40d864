-- +goose Up

-- Training: what annotators must accept and pass before they are given work.

-- What annotators of a campaign must accept. The latest version holds.
CREATE TABLE instructions (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    version     INTEGER NOT NULL,
    author_id   TEXT NOT NULL REFERENCES users (id),
    text        TEXT NOT NULL, -- Markdown; empty: there is nothing to accept
    at          BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, version)
);

-- Who has accepted which version of the instructions.
CREATE TABLE acceptances (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    version     INTEGER NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, user_id, version)
);

-- Whether annotators of a campaign must qualify on its training set. A campaign without a row asks for nothing.
CREATE TABLE trainings (
    campaign_id TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    required    BOOLEAN NOT NULL DEFAULT FALSE,
    everyone    BOOLEAN NOT NULL DEFAULT FALSE, -- also those who rated before required_at
    required_at BIGINT NOT NULL DEFAULT 0 -- when it was last switched on; 0: never
);

-- What a lead says about a segment of a training set, which is a side campaign. A segment without a row has the
-- defaults.
CREATE TABLE training_segments (
    segment_id  TEXT PRIMARY KEY REFERENCES all_segments (id) ON DELETE CASCADE,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, -- the side campaign
    practice    BOOLEAN NOT NULL DEFAULT FALSE, -- it is for practice, and no part of attempts
    removed     BOOLEAN NOT NULL DEFAULT FALSE, -- it is given to nobody
    tolerance   DOUBLE PRECISION NOT NULL DEFAULT -1, -- how far a right score may be from the answer; negative: as the protocol says
    explanation TEXT NOT NULL DEFAULT '', -- of the answer, for annotators
    answer      TEXT NOT NULL DEFAULT '', -- JSON: the lead's ratings by id of the translation; empty: there is no answer yet
    answered_by TEXT NOT NULL DEFAULT '', -- id of a user; empty: nobody
    answered_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX training_segments_campaign ON training_segments (campaign_id);

-- What an assignment of a training set is for at present.
CREATE TABLE training_turns (
    assignment_id TEXT PRIMARY KEY REFERENCES assignments (id) ON DELETE CASCADE,
    kind          TEXT NOT NULL, -- answer (a lead enters it), attempt or practice
    attempt       INTEGER NOT NULL DEFAULT 0 -- its number; 0: it is for none
);

-- The attempts of annotators to qualify.
CREATE TABLE training_attempts (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, -- not the side campaign
    user_id     TEXT NOT NULL REFERENCES users (id),
    attempt     INTEGER NOT NULL, -- from 1
    started_at  BIGINT NOT NULL,
    finished_at BIGINT NOT NULL DEFAULT 0, -- 0: it is under way
    share       DOUBLE PRECISION NOT NULL DEFAULT 0, -- that was right, from 0 to 1, once it is finished
    passed      BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (campaign_id, user_id, attempt)
);

-- How a submitted segment of a training set compares with the answer of that time.
CREATE TABLE training_results (
    id           TEXT PRIMARY KEY,
    campaign_id  TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, -- not the side campaign
    segment_id   TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    user_id      TEXT NOT NULL REFERENCES users (id),
    attempt      INTEGER NOT NULL, -- 0: practice
    value        DOUBLE PRECISION NOT NULL, -- mean over the compared translations, from 0 to 1
    translations INTEGER NOT NULL, -- how many were compared
    feedback     TEXT NOT NULL, -- JSON of the comparison
    at           BIGINT NOT NULL,
    UNIQUE (campaign_id, user_id, attempt, segment_id)
);
CREATE INDEX training_results_segment ON training_results (segment_id);

-- What leads have decided about the training of an annotator.
CREATE TABLE trainees (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, -- not the side campaign
    user_id     TEXT NOT NULL REFERENCES users (id),
    decision    TEXT NOT NULL DEFAULT '', -- qualified, must (train, whatever was before), or empty
    since       INTEGER NOT NULL DEFAULT 0, -- attempts up to this number are void
    further     INTEGER NOT NULL DEFAULT 0, -- attempts that leads have added to those of the setting
    PRIMARY KEY (campaign_id, user_id)
);
