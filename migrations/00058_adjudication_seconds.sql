-- +goose Up
-- Active time on the card of an adjudicated translation, in seconds.
ALTER TABLE adjudicated ADD COLUMN seconds DOUBLE PRECISION NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE adjudicated DROP COLUMN seconds;
