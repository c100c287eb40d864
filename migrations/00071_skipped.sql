-- +goose Up

-- Why the annotator skipped a released assignment, in their words; empty where they did
-- not. It is not handed out to them again.
ALTER TABLE assignments ADD COLUMN skipped TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE assignments DROP COLUMN skipped;
