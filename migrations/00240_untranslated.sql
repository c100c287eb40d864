-- +goose Up

-- Segments that were taken over and wait for their texts: the translations that are rated, or the candidates to choose from. They
-- are handed to nobody.
CREATE TABLE untranslated (
    segment_id TEXT PRIMARY KEY REFERENCES all_segments (id) ON DELETE CASCADE
);

-- The candidates that an import added to segments of earlier imports.
CREATE TABLE import_candidates (
    segment_id TEXT NOT NULL,
    name       TEXT NOT NULL,
    import_id  TEXT NOT NULL,
    PRIMARY KEY (segment_id, name),
    FOREIGN KEY (segment_id, name) REFERENCES candidates (segment_id, name) ON DELETE CASCADE
);
CREATE INDEX import_candidates_import ON import_candidates (import_id);
