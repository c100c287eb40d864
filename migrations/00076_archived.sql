-- +goose Up

-- Archived: the campaign is closed and read-only, and lists leave it out.
ALTER TABLE campaigns ADD COLUMN archived BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE campaigns DROP COLUMN archived;
