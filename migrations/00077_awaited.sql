-- +goose Up

-- The overview of a lead counts what is awaited, without reading the assignments themselves.
CREATE INDEX assignments_awaited ON assignments (campaign_id, segment_id, user_id, touched_at, state) WHERE awaited;

-- +goose Down
DROP INDEX assignments_awaited;
