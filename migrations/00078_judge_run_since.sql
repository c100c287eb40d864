-- +goose Up

-- When the latest run of a judge began; began_at is when the first one did.
ALTER TABLE judge_runs ADD COLUMN since BIGINT NOT NULL DEFAULT 0;
UPDATE judge_runs SET since = began_at;

-- +goose Down
ALTER TABLE judge_runs DROP COLUMN since;
