-- +goose Up

-- An annotator's turn at a segment in a round. Seed orders the cards; touched_at
-- is the last sign of life, from which idleness counts. Ratings and seconds sum
-- up what was submitted.
CREATE TABLE assignments (
    id           TEXT PRIMARY KEY,
    campaign_id  TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    segment_id   TEXT NOT NULL REFERENCES segments (id),
    user_id      TEXT NOT NULL REFERENCES users (id),
    round        INTEGER NOT NULL CHECK (round >= 1),
    state        TEXT NOT NULL CHECK (state IN ('open', 'submitted', 'released', 'problem')),
    seed         BIGINT NOT NULL,
    started_at   BIGINT NOT NULL,
    touched_at   BIGINT NOT NULL,
    submitted_at BIGINT NOT NULL DEFAULT 0,
    ratings      INTEGER NOT NULL DEFAULT 0,
    seconds      DOUBLE PRECISION NOT NULL DEFAULT 0,
    UNIQUE (segment_id, user_id, round)
);
-- With all that is summed up per annotator, so that the rows need not be read.
CREATE INDEX assignments_of_user ON assignments (user_id, campaign_id, state, submitted_at, round, ratings, seconds, touched_at);
CREATE INDEX assignments_begun ON assignments (user_id, campaign_id, round, started_at);
CREATE INDEX assignments_idle ON assignments (campaign_id, state, touched_at);

-- Work in progress, one row per card: what the page saves after every change.
-- Revision counts the saves; save_id is the last one's, so that a repeated
-- request is recognised.
CREATE TABLE drafts (
    assignment_id  TEXT NOT NULL REFERENCES assignments (id) ON DELETE CASCADE,
    translation_id TEXT NOT NULL REFERENCES translations (id),
    revision       INTEGER NOT NULL,
    save_id        TEXT NOT NULL DEFAULT '',
    scores         TEXT NOT NULL,
    comment        TEXT NOT NULL DEFAULT '',
    seconds        DOUBLE PRECISION NOT NULL DEFAULT 0,
    saved_at       BIGINT NOT NULL,
    PRIMARY KEY (assignment_id, translation_id)
);
CREATE INDEX drafts_translation ON drafts (translation_id);

-- Submitted judgements. Scores is a JSON object of the entered scores;
-- gate_score the one number that agreement and gold are computed from.
CREATE TABLE ratings (
    id             TEXT PRIMARY KEY,
    assignment_id  TEXT NOT NULL REFERENCES assignments (id),
    translation_id TEXT NOT NULL REFERENCES translations (id),
    scores         TEXT NOT NULL,
    gate_score     DOUBLE PRECISION NOT NULL,
    comment        TEXT NOT NULL DEFAULT '',
    seconds        DOUBLE PRECISION NOT NULL DEFAULT 0,
    submitted_at   BIGINT NOT NULL DEFAULT 0,
    UNIQUE (assignment_id, translation_id)
);
CREATE INDEX ratings_translation ON ratings (translation_id);

-- How many segments two annotators have both been given, so that pairs can be
-- evened out. Each pair is kept both ways.
CREATE TABLE meetings (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    other_id    TEXT NOT NULL REFERENCES users (id),
    segments    INTEGER NOT NULL,
    PRIMARY KEY (campaign_id, user_id, other_id)
);

-- +goose Down
DROP TABLE meetings;
DROP TABLE ratings;
DROP TABLE drafts;
DROP TABLE assignments;
