-- +goose Up

-- The moment of the last decision about a segment is now that of the last one that
-- said something else than the one before it, so that another threshold does not
-- make every segment a changed one. A campaign without a row here is counted from
-- scratch when the database is opened.
DELETE FROM campaign_tallies;

-- +goose Down
