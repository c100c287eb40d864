-- +goose Up

-- The imports whose rows nobody may see yet. A row of a table that has the id of such
-- an import is hidden by the table's view. The import becomes visible, in one moment,
-- when its row here is deleted.
CREATE TABLE hidden_imports (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE
);

-- Import_id is the import that brought a reference; empty if it came with its segment.
ALTER TABLE reference_texts RENAME TO all_reference_texts;
ALTER TABLE all_reference_texts ADD COLUMN import_id TEXT NOT NULL DEFAULT '';
CREATE INDEX reference_texts_import ON all_reference_texts (import_id);
CREATE VIEW reference_texts AS SELECT r.segment_id, r.name, r.text FROM all_reference_texts r
    WHERE r.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = r.import_id);

-- A translation has one row for each import of suggestions that it was in. Replaced_by
-- is the later import that replaces the row. The row holds until that one is visible,
-- and is deleted after that.
CREATE TABLE all_suggestions (
    translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
    import_id      TEXT NOT NULL,
    replaced_by    TEXT NOT NULL DEFAULT '',
    origin         TEXT NOT NULL DEFAULT '',
    spans          TEXT NOT NULL,
    PRIMARY KEY (translation_id, import_id)
);
INSERT INTO all_suggestions (translation_id, import_id, origin, spans) SELECT translation_id, '', origin, spans FROM suggestions;
DROP TABLE suggestions;
CREATE INDEX suggestions_import ON all_suggestions (import_id);
CREATE INDEX suggestions_replaced ON all_suggestions (replaced_by);
CREATE VIEW suggestions AS SELECT s.translation_id, s.origin, s.spans FROM all_suggestions s
    WHERE (s.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = s.import_id))
    AND (s.replaced_by = '' OR EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = s.replaced_by));

-- +goose Down
CREATE TABLE old_suggestions (
    translation_id TEXT PRIMARY KEY REFERENCES translations (id) ON DELETE CASCADE,
    origin         TEXT NOT NULL DEFAULT '',
    spans          TEXT NOT NULL
);
INSERT INTO old_suggestions SELECT translation_id, origin, spans FROM suggestions;
DROP VIEW suggestions;
DROP TABLE all_suggestions;
ALTER TABLE old_suggestions RENAME TO suggestions;
DROP VIEW reference_texts;
DELETE FROM all_reference_texts WHERE import_id IN (SELECT id FROM hidden_imports);
DROP INDEX reference_texts_import;
ALTER TABLE all_reference_texts DROP COLUMN import_id;
ALTER TABLE all_reference_texts RENAME TO reference_texts;
DROP TABLE hidden_imports;
