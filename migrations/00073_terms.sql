-- +goose Up

-- A term of the source that a segment is about, and what it means. Some judges need them.
-- The view is made anew, as always when its table gets a column.
ALTER TABLE all_segments ADD COLUMN term TEXT NOT NULL DEFAULT '';
ALTER TABLE all_segments ADD COLUMN explication TEXT NOT NULL DEFAULT '';
DROP VIEW segments;
CREATE VIEW segments AS SELECT * FROM all_segments s
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = s.campaign_id AND s.position > i.after_position);

-- +goose Down
DROP VIEW segments;
ALTER TABLE all_segments DROP COLUMN explication;
ALTER TABLE all_segments DROP COLUMN term;
CREATE VIEW segments AS SELECT * FROM all_segments s
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = s.campaign_id AND s.position > i.after_position);
