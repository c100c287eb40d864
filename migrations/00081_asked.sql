-- +goose Up

-- The list of campaigns says for each how many segments wait for an adjudicator, without
-- reading the other acts.
CREATE INDEX acts_asked ON acts (campaign_id, segment_id) WHERE kind = 'ask for adjudication';

-- +goose Down
DROP INDEX acts_asked;
