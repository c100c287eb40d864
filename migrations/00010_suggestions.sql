-- +goose Up

-- Error spans that were suggested for a translation before anybody judged it, as a
-- JSON array with offsets in code points; origin says what made them, and is never
-- shown to an annotator. A translation has those of one import, all or none.
CREATE TABLE suggestions (
    translation_id TEXT PRIMARY KEY REFERENCES translations (id) ON DELETE CASCADE,
    origin         TEXT NOT NULL DEFAULT '',
    spans          TEXT NOT NULL
);

-- What became of the suggestions that are decided, as a JSON array of
-- {"id", "became"}. A span says itself which one it came of.
ALTER TABLE drafts ADD COLUMN suggestions TEXT NOT NULL DEFAULT '[]';
ALTER TABLE ratings ADD COLUMN suggestions TEXT NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE ratings DROP COLUMN suggestions;
ALTER TABLE drafts DROP COLUMN suggestions;
DROP TABLE suggestions;
