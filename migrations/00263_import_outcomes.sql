-- +goose Up

-- What came of the latest import for a page, so that each server can show it: JSON; empty while the import is under way, and if
-- the server was stopped meanwhile.
ALTER TABLE web_imports ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
