-- +goose Up

-- Guide is what the lead wrote for the annotators, in Markdown; empty where the
-- protocol's own guide is shown.
ALTER TABLE campaigns ADD COLUMN guide TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE campaigns DROP COLUMN guide;
