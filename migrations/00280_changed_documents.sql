-- +goose Up

-- When a document changes, its number of changes becomes greater than that of every other document of the campaign. So those that have changed
-- since some moment are found without reading the others.
CREATE INDEX documents_changes ON documents (campaign_id, changes);

-- Rises with the version when all that is kept in memory of the campaign is to be read again: segments were deleted, or everything was counted
-- again.
ALTER TABLE campaign_tallies ADD COLUMN resets BIGINT NOT NULL DEFAULT 0;
