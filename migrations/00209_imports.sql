-- +goose Up

-- Imports: what was imported into a campaign, and what undoing each import needs to know. The tables
-- staged_imports and hidden_imports, which hide rows, stand beside the views of the segments.

CREATE TABLE imports (
    id             TEXT PRIMARY KEY, -- also in the columns import_id of the rows that the import brought
    campaign_id    TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    seq            INTEGER NOT NULL, -- place among the imports of the campaign, from 1
    kind           TEXT NOT NULL, -- such as segments
    files          TEXT NOT NULL, -- their names, with commas between
    by_id          TEXT REFERENCES users (id),
    at             BIGINT NOT NULL,
    brought        TEXT NOT NULL, -- in words, such as "12 segments, 24 translations"
    after_position INTEGER NOT NULL DEFAULT 0, -- the segments that it brought have positions above this one
    last_position  INTEGER NOT NULL DEFAULT 0, -- up to this one; 0: it brought none
    restores       TEXT NOT NULL DEFAULT '{}', -- JSON: what it changed of the campaign, as it was before (imports.Restores)
    undone_at      BIGINT NOT NULL DEFAULT 0, -- 0: the import stands
    undone_by      TEXT REFERENCES users (id) -- null: nobody, or the command line
);
CREATE INDEX imports_campaign ON imports (campaign_id, seq);

-- The segments that got ratings or adjudications by an import.
CREATE TABLE import_segments (
    segment_id TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    import_id  TEXT NOT NULL,
    was_rated  BIGINT NOT NULL, -- rated of the segment before the import
    rated      BIGINT NOT NULL, -- and after it
    decisions  TEXT NOT NULL, -- ids of the decisions that the segment had before, with spaces between, and * after current ones
    PRIMARY KEY (segment_id, import_id)
);
CREATE INDEX import_segments_import ON import_segments (import_id, segment_id);

-- The assignments that got ratings by an import, as they were before.
CREATE TABLE import_assignments (
    assignment_id TEXT NOT NULL REFERENCES assignments (id) ON DELETE CASCADE,
    import_id     TEXT NOT NULL,
    state         TEXT NOT NULL, -- empty: the import made the assignment
    imported      BOOLEAN NOT NULL DEFAULT FALSE,
    started_at    BIGINT NOT NULL DEFAULT 0,
    touched_at    BIGINT NOT NULL DEFAULT 0,
    submitted_at  BIGINT NOT NULL DEFAULT 0,
    rated         BIGINT NOT NULL DEFAULT 0,
    kept          TEXT NOT NULL DEFAULT '', -- ids of the translations that had a rating before, with spaces between
    PRIMARY KEY (assignment_id, import_id)
);

-- The translations that an import added to segments of earlier imports.
CREATE TABLE import_translations (
    translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
    import_id      TEXT NOT NULL,
    PRIMARY KEY (translation_id, import_id)
);
CREATE INDEX import_translations_import ON import_translations (import_id);

-- The people who became members, or adjudicators, by an import, as they were before.
CREATE TABLE import_members (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    import_id   TEXT NOT NULL,
    user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role        TEXT NOT NULL DEFAULT '', -- empty: they were no member
    adjudicates BOOLEAN NOT NULL DEFAULT FALSE,
    account     BOOLEAN NOT NULL DEFAULT FALSE, -- the import made the account
    PRIMARY KEY (import_id, user_id)
);

-- Ratings that an import under way has read. At its end the import makes them ratings, some segments at a time.
-- The ids refer to segments, translations and users that the same import may still be making.
CREATE TABLE staged_ratings (
    campaign_id    TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    segment_id     TEXT NOT NULL,
    user_id        TEXT NOT NULL,
    round          INTEGER NOT NULL, -- 0: an adjudication, which becomes an act
    translation_id TEXT NOT NULL,
    scores         TEXT NOT NULL, -- these are as in ratings
    spans          TEXT NOT NULL,
    gate_score     DOUBLE PRECISION NOT NULL,
    comment        TEXT NOT NULL,
    suggestions    TEXT NOT NULL,
    seconds        DOUBLE PRECISION NOT NULL,
    submitted_at   BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, segment_id, user_id, round, translation_id)
);

-- The import whose staged ratings are becoming ratings, or whose ratings are being taken back. It can no longer
-- fail: a program that finds it after another was killed goes on with it. Until it is over nobody reads the sums
-- and states of the campaign, nor changes them but by annotating.
CREATE TABLE completing_imports (
    campaign_id TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    id          TEXT NOT NULL,
    undoing     BOOLEAN NOT NULL DEFAULT FALSE, -- its ratings are being taken back
    annotators  TEXT NOT NULL, -- ids of those whose ratings they are, with spaces between
    ratings     INTEGER NOT NULL, -- how many ratings there are, or segments if it is being undone
    placed      INTEGER NOT NULL DEFAULT 0, -- how many of them are done
    file        TEXT NOT NULL DEFAULT '', -- the file that the acts of adjudications name
    by_id       TEXT NOT NULL DEFAULT '' -- who imports; empty: the command line
);

-- The import that a server runs for a page of a campaign. The row is deleted when the import is over. A row
-- without a running import tells that the server was stopped meanwhile.
CREATE TABLE web_imports (
    campaign_id TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    files       TEXT NOT NULL, -- their names, with commas between
    began_at    BIGINT NOT NULL,
    imports     INTEGER NOT NULL -- how many imports the campaign had before
);
