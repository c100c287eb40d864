-- +goose Up

-- It has the times of the decisions of a segment, by which the queue is put in order, so that their rows need not be read.
DROP INDEX decisions_segment;
CREATE INDEX decisions_segment ON decisions (segment_id, round, decided_at);
