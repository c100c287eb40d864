-- +goose Up

-- Late: submitted once the round had been decided without it. It counts in gold and
-- matrices; the gate hears it where the others are too few, and whenever the round
-- is decided anew for another reason than that somebody's work is set aside.
ALTER TABLE assignments ADD COLUMN late BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE assignments DROP COLUMN late;
