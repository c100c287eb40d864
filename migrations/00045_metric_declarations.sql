-- +goose Up

-- What the import of a metric's scores declares of the metric: whether a lower score
-- is better, as for TER, and the group it belongs to, such as judge, neural or
-- surface. An empty group is none.
ALTER TABLE metrics ADD COLUMN lower_is_better BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE metrics ADD COLUMN metric_group TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE metrics DROP COLUMN metric_group;
ALTER TABLE metrics DROP COLUMN lower_is_better;
