-- +goose Up

-- Awaited: the assignment is not submitted, and the later round under way waits for it
-- (campaign.TurnState). The program computes it with the states of the segments when it
-- opens the database. Forecasts no longer count further annotators, for whom nobody
-- waits, and a segment that was given another look counts as given back from the moment
-- at which a lead asked for it; so everything is counted again.
ALTER TABLE assignments ADD COLUMN awaited BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE campaigns SET formed = FALSE;
DELETE FROM campaign_tallies;

-- +goose Down
ALTER TABLE assignments DROP COLUMN awaited;
DELETE FROM campaign_tallies;
