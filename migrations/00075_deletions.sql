-- +goose Up

-- Deleted: nobody sees the campaign any more, and its rows are deleted in steps. Its slug
-- is free for another campaign.
ALTER TABLE campaigns ADD COLUMN deleted BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE campaigns DROP COLUMN deleted;
