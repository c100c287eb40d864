-- +goose Up

-- A side campaign holds segments of a campaign that are not work: its training set or its
-- checks. part_of is the id of the campaign, and side is 'training' or 'checks'. Both are
-- empty for other campaigns. What a side campaign has besides its segments is that of the
-- campaign (campaign.Campaign.SideOf).
ALTER TABLE campaigns ADD COLUMN part_of TEXT NOT NULL DEFAULT '';
ALTER TABLE campaigns ADD COLUMN side TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX side_campaigns ON campaigns (part_of, side) WHERE part_of <> '';

-- +goose Down
DROP INDEX side_campaigns;
ALTER TABLE campaigns DROP COLUMN side;
ALTER TABLE campaigns DROP COLUMN part_of;
