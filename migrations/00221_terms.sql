-- +goose Up

-- Terms that are given: the protocol of a campaign takes them from a file or from another campaign, and asks about each of
-- them in each translation.

-- The terms of a segment. A segment has one row for each import that it was in, of which the view shows one.
CREATE TABLE all_terms (
    segment_id  TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    import_id   TEXT NOT NULL, -- the import, or the take-over from another campaign, that brought them
    replaced_by TEXT NOT NULL DEFAULT '', -- a later import that replaces them as soon as it is visible; empty: none does
    terms       TEXT NOT NULL, -- JSON array of spans in the source and in the reference; offsets count code points
    PRIMARY KEY (segment_id, import_id)
);
CREATE INDEX terms_import ON all_terms (import_id);
CREATE INDEX terms_replaced ON all_terms (replaced_by);
CREATE VIEW given_terms AS SELECT t.segment_id, t.terms FROM all_terms t
    WHERE (t.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = t.import_id))
    AND (t.replaced_by = '' OR EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = t.replaced_by));
