-- +goose Up

-- It finds the segments that are full because as many annotators as came with an import have a place.
CREATE INDEX segments_imported ON all_segments (campaign_id, status, held, taken, imported, position) WHERE imported > 0;
