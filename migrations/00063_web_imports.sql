-- +goose Up

-- The import that a server runs for a page of a campaign. The row is deleted when the
-- import is over, so that one that is there without a running import tells that the
-- server was stopped meanwhile. Imports is how many imports the campaign had before.
CREATE TABLE web_imports (
    campaign_id TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    files       TEXT NOT NULL,
    began_at    BIGINT NOT NULL,
    imports     INTEGER NOT NULL
);

-- +goose Down
DROP TABLE web_imports;
