-- +goose Up

-- Staged ratings of round 0 are adjudications. An import that is being completed makes acts
-- of them, which say from which file they come, and whose audit entries say who imported it.
ALTER TABLE completing_imports ADD COLUMN file TEXT NOT NULL DEFAULT '';
ALTER TABLE completing_imports ADD COLUMN by_id TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE completing_imports DROP COLUMN by_id;
ALTER TABLE completing_imports DROP COLUMN file;
