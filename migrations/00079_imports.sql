-- +goose Up

-- What was imported into a campaign, and what undoing each import needs to know. The id is
-- also in the columns import_id of the rows that the import brought. Seq is the place among
-- the imports of the campaign. By_id is null for the command line. The segments that the
-- import brought are those after after_position, up to last_position. Restores is a JSON
-- object of what the campaign was before. Undone_at is 0 for an import that stands.
CREATE TABLE imports (
    id             TEXT PRIMARY KEY,
    campaign_id    TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    seq            INTEGER NOT NULL,
    kind           TEXT NOT NULL,
    files          TEXT NOT NULL,
    by_id          TEXT REFERENCES users (id),
    at             BIGINT NOT NULL,
    brought        TEXT NOT NULL,
    after_position INTEGER NOT NULL DEFAULT 0,
    last_position  INTEGER NOT NULL DEFAULT 0,
    restores       TEXT NOT NULL DEFAULT '{}',
    undone_at      BIGINT NOT NULL DEFAULT 0,
    undone_by      TEXT REFERENCES users (id)
);
CREATE INDEX imports_campaign ON imports (campaign_id, seq);

-- The segments that got ratings or adjudications by an import. Was_rated and rated are what
-- the segment had as rated before and after the import. Decisions are the ids of the
-- decisions that the segment had before, with spaces between, and "*" after those that
-- were current.
CREATE TABLE import_segments (
    segment_id TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    import_id  TEXT NOT NULL,
    was_rated  BIGINT NOT NULL,
    rated      BIGINT NOT NULL,
    decisions  TEXT NOT NULL,
    PRIMARY KEY (segment_id, import_id)
);
CREATE INDEX import_segments_import ON import_segments (import_id, segment_id);

-- The assignments that got ratings by an import, as they were before. State is empty if the
-- import made the assignment. Kept are the ids of the translations that had a rating before,
-- with spaces between.
CREATE TABLE import_assignments (
    assignment_id TEXT NOT NULL REFERENCES assignments (id) ON DELETE CASCADE,
    import_id     TEXT NOT NULL,
    state         TEXT NOT NULL,
    imported      BOOLEAN NOT NULL DEFAULT FALSE,
    started_at    BIGINT NOT NULL DEFAULT 0,
    touched_at    BIGINT NOT NULL DEFAULT 0,
    submitted_at  BIGINT NOT NULL DEFAULT 0,
    rated         BIGINT NOT NULL DEFAULT 0,
    kept          TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (assignment_id, import_id)
);

-- The translations that an import added to segments of earlier imports.
CREATE TABLE import_translations (
    translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
    import_id      TEXT NOT NULL,
    PRIMARY KEY (translation_id, import_id)
);
CREATE INDEX import_translations_import ON import_translations (import_id);

-- The people who became members, or adjudicators, by an import, as they were before. Role is
-- empty for those who were no members. Account says that the import made the account.
CREATE TABLE import_members (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    import_id   TEXT NOT NULL,
    user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role        TEXT NOT NULL DEFAULT '',
    adjudicates BOOLEAN NOT NULL DEFAULT FALSE,
    account     BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (import_id, user_id)
);

-- Import_id is the import that brought the scores of a metric, empty for those of before.
-- Replaced_by is the later import that put others in their place; the metric is staged then,
-- and replaced_name is the name that it gets back when that import is undone.
ALTER TABLE metrics ADD COLUMN import_id TEXT NOT NULL DEFAULT '';
ALTER TABLE metrics ADD COLUMN replaced_by TEXT NOT NULL DEFAULT '';
ALTER TABLE metrics ADD COLUMN replaced_name TEXT NOT NULL DEFAULT '';

-- An import that is undone is hidden again, all of it in one moment, and then deleted in
-- steps. Segments after after_position and up to until_position are hidden.
ALTER TABLE staged_imports ADD COLUMN until_position BIGINT NOT NULL DEFAULT 9223372036854775807;
ALTER TABLE staged_imports ADD COLUMN hides_systems BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE staged_imports SET hides_systems = TRUE WHERE after_position = 0;
DROP VIEW segments;
CREATE VIEW segments AS SELECT * FROM all_segments s
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = s.campaign_id AND s.position > i.after_position AND s.position <= i.until_position);
DROP VIEW segment_tallies;
CREATE VIEW segment_tallies AS SELECT * FROM all_segment_tallies k
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = k.campaign_id AND k.position > i.after_position AND k.position <= i.until_position);
DROP VIEW systems;
CREATE VIEW systems AS SELECT * FROM all_systems y
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = y.campaign_id AND i.hides_systems);

-- Undoing: the ratings of the import are being taken back. Ratings and placed count segments
-- then.
ALTER TABLE completing_imports ADD COLUMN undoing BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE completing_imports DROP COLUMN undoing;
DROP VIEW systems;
CREATE VIEW systems AS SELECT * FROM all_systems y
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = y.campaign_id AND i.after_position = 0);
DROP VIEW segment_tallies;
CREATE VIEW segment_tallies AS SELECT * FROM all_segment_tallies k
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = k.campaign_id AND k.position > i.after_position);
DROP VIEW segments;
CREATE VIEW segments AS SELECT * FROM all_segments s
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = s.campaign_id AND s.position > i.after_position);
ALTER TABLE staged_imports DROP COLUMN hides_systems;
ALTER TABLE staged_imports DROP COLUMN until_position;
DELETE FROM metrics WHERE staged;
ALTER TABLE metrics DROP COLUMN replaced_name;
ALTER TABLE metrics DROP COLUMN replaced_by;
ALTER TABLE metrics DROP COLUMN import_id;
DELETE FROM all_suggestions WHERE replaced_by <> '' AND NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = replaced_by);
DELETE FROM all_judgements WHERE replaced_by <> '' AND NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = replaced_by);
DROP TABLE import_members;
DROP TABLE import_translations;
DROP TABLE import_assignments;
DROP TABLE import_segments;
DROP TABLE imports;
