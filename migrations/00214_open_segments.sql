-- +goose Up

-- The index by which the next segment is found also counts the segments that have a free place, which every annotate page
-- shows: it has all columns that decide about that.
DROP INDEX IF EXISTS segments_to_hand_out;
CREATE INDEX segments_open ON all_segments (campaign_id, status, held, taken, position, imported);
