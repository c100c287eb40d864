-- +goose Up

-- Segments in gold whose annotators' answers to some question have no gold, such as a tie. They wait for an adjudicator.
-- Follows from the ratings that count, with the state of the segment.
CREATE TABLE undecided (
    segment_id  TEXT PRIMARY KEY REFERENCES all_segments (id) ON DELETE CASCADE,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    questions   TEXT NOT NULL, -- names of the questions in the order of the protocol, with a blank between them
    since       BIGINT NOT NULL
);
CREATE INDEX undecided_campaign ON undecided (campaign_id);
