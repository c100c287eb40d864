-- +goose Up
-- The sums now hold what flags of annotators are read from: frequent scores, active
-- times, r with the others. A campaign without a row here is counted from scratch when
-- the database is opened. Reports of an earlier version number are computed again.
DELETE FROM campaign_tallies;
DELETE FROM reports;

-- +goose Down
