-- +goose Up

-- What settled segments answer, so that lists find those that a following campaign can take over, and sort them by a number that
-- annotators gave, without reading ratings. Counted with the sums of the campaign.

-- The different settled answers of the segments of a campaign, without texts. Many segments have the same.
CREATE TABLE settled_answers (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    id          TEXT NOT NULL, -- hash of answers
    answers     TEXT NOT NULL, -- JSON (campaign.Settled)
    PRIMARY KEY (campaign_id, id)
);

DROP VIEW segment_tallies;
ALTER TABLE all_segment_tallies ADD COLUMN settled TEXT NOT NULL DEFAULT ''; -- id of its settled_answers; empty: it is not in gold, or its protocol has neither the segment as its unit nor terms
CREATE VIEW segment_tallies AS SELECT * FROM all_segment_tallies k
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = k.campaign_id AND k.position > i.after_position);
CREATE INDEX segment_tallies_settled ON all_segment_tallies (campaign_id, position, settled, segment_id) WHERE settled <> '';

-- The program counts these campaigns again when it opens the database: those whose unit is the segment, and those of a protocol of
-- their own that has terms.
DELETE FROM campaign_tallies WHERE campaign_id IN (SELECT campaign_id FROM all_systems WHERE name = '')
    OR campaign_id IN (SELECT id FROM campaigns WHERE definition LIKE '%"terms"%');
