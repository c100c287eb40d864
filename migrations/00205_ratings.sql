-- +goose Up

-- Ratings: who was given which segment, what they entered, and what they submitted.

-- An annotator's turn at a segment in a round, or an adjudicator's at a segment. campaign.AssignmentState and
-- campaign.TurnState describe the states.
CREATE TABLE assignments (
    id           TEXT PRIMARY KEY,
    campaign_id  TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    segment_id   TEXT NOT NULL REFERENCES all_segments (id),
    user_id      TEXT NOT NULL REFERENCES users (id),
    round        INTEGER NOT NULL CHECK (round >= 1), -- above 1000: an adjudication
    state        TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'submitted', 'released', 'problem', 'adjudicating', 'adjudicated')),
    -- What follows from the facts of the segment:
    work         TEXT NOT NULL DEFAULT 'asked' CHECK (work IN ('asked', 'late', 'kept', 'over')), -- what the annotator may still do
    counts       BOOLEAN NOT NULL DEFAULT FALSE, -- its ratings count in its round, and the round counts
    replaced     BOOLEAN NOT NULL DEFAULT FALSE, -- a lead gave its round to somebody else, or to nobody
    awaited      BOOLEAN NOT NULL DEFAULT FALSE, -- it is not submitted, and the later round under way waits for it
    -- What was done:
    added        BOOLEAN NOT NULL DEFAULT FALSE, -- a lead handed it out, beside those that the redundancy asks for
    imported     BOOLEAN NOT NULL DEFAULT FALSE, -- its ratings came with an import
    set_aside    TEXT NOT NULL DEFAULT '', -- the state that it gets back when the annotator's work is restored; empty: it is not set aside
    skipped      TEXT NOT NULL DEFAULT '', -- why the annotator skipped it, in their words; empty: they did not
    -- How the page shows the cards:
    context      TEXT NOT NULL DEFAULT 'segment' CHECK (context IN ('segment', 'document')), -- the order is one of the segment or of the document
    seed         BIGINT NOT NULL, -- of the order
    whole        BOOLEAN NOT NULL DEFAULT FALSE, -- it was handed out with all others of its document
    started_at   BIGINT NOT NULL,
    touched_at   BIGINT NOT NULL, -- last sign of life, from which idleness counts
    submitted_at BIGINT NOT NULL DEFAULT 0, -- 0: not submitted
    -- Of what was submitted:
    ratings      INTEGER NOT NULL DEFAULT 0, -- how many ratings
    comments     INTEGER NOT NULL DEFAULT 0, -- how many of them have a comment, on the translation or on an error
    seconds      DOUBLE PRECISION NOT NULL DEFAULT 0, -- active time on all cards
    rated        BIGINT NOT NULL DEFAULT 0, -- rated of the segment when they were stored last, so that their order needs no clock
    UNIQUE (segment_id, user_id, round)
);
-- It has all that is summed up for each annotator, so that the rows need not be read.
CREATE INDEX assignments_of_user ON assignments (campaign_id, state, user_id, submitted_at, round, ratings, seconds, touched_at);
CREATE INDEX assignments_begun ON assignments (user_id, campaign_id, started_at);
CREATE INDEX assignments_idle ON assignments (campaign_id, state, touched_at);
CREATE INDEX assignments_awaited ON assignments (campaign_id, segment_id, user_id, touched_at, state) WHERE awaited;
CREATE INDEX assignments_comments ON assignments (campaign_id, submitted_at, id) WHERE comments > 0;

-- Work in progress, a row for each card: what the page saves after every change.
CREATE TABLE drafts (
    assignment_id  TEXT NOT NULL REFERENCES assignments (id) ON DELETE CASCADE,
    translation_id TEXT NOT NULL REFERENCES translations (id),
    revision       INTEGER NOT NULL, -- counts the saves
    save_id        TEXT NOT NULL DEFAULT '', -- names the last save, so that a repeated request is recognised
    scores         TEXT NOT NULL, -- JSON object of the entered scores by name
    spans          TEXT NOT NULL DEFAULT '[]', -- JSON array of the marked errors; offsets count code points of the stored text
    suggestions    TEXT NOT NULL DEFAULT '[]', -- JSON array of {"id", "became"}, of the suggestions that are decided
    no_errors      BOOLEAN NOT NULL DEFAULT FALSE, -- the annotator said that there are none
    comment        TEXT NOT NULL DEFAULT '',
    seconds        DOUBLE PRECISION NOT NULL DEFAULT 0, -- active time on the card
    saved_at       BIGINT NOT NULL,
    PRIMARY KEY (assignment_id, translation_id)
);
CREATE INDEX drafts_translation ON drafts (translation_id);

-- Submitted ratings.
CREATE TABLE ratings (
    id             TEXT PRIMARY KEY,
    assignment_id  TEXT NOT NULL REFERENCES assignments (id),
    translation_id TEXT NOT NULL REFERENCES translations (id),
    scores         TEXT NOT NULL, -- as in drafts
    spans          TEXT NOT NULL DEFAULT '[]', -- as in drafts; no span means that the annotator found no error
    suggestions    TEXT NOT NULL DEFAULT '[]', -- as in drafts
    gate_score     DOUBLE PRECISION NOT NULL, -- the number that agreement and gold are computed from
    comment        TEXT NOT NULL DEFAULT '',
    seconds        DOUBLE PRECISION NOT NULL DEFAULT 0, -- active time on the card
    submitted_at   BIGINT NOT NULL DEFAULT 0, -- 0: an import did not say
    UNIQUE (assignment_id, translation_id)
);
CREATE INDEX ratings_translation ON ratings (translation_id);

-- How many segments two annotators were both given, so that pairs can be evened out. Each pair is kept both
-- ways.
CREATE TABLE meetings (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    other_id    TEXT NOT NULL REFERENCES users (id),
    segments    INTEGER NOT NULL,
    PRIMARY KEY (campaign_id, user_id, other_id)
);
