-- +goose Up

-- Rated of a segment counts how often its ratings were stored. Rated of an assignment is
-- that count when its ratings were stored last, rated of an act that when the act was done,
-- so that their order does not depend on a clock. Of what was stored before, segments with
-- acts get the order that the clock had.
ALTER TABLE assignments ADD COLUMN rated BIGINT NOT NULL DEFAULT 0;
ALTER TABLE acts ADD COLUMN rated BIGINT NOT NULL DEFAULT 0;
CREATE TABLE rated_order (assignment_id TEXT PRIMARY KEY, segment_id TEXT NOT NULL, at BIGINT NOT NULL, n BIGINT NOT NULL);
INSERT INTO rated_order (assignment_id, segment_id, at, n)
    SELECT x.id, x.segment_id, x.at, row_number() OVER (PARTITION BY x.segment_id ORDER BY x.at, x.id)
    FROM (SELECT a.id, a.segment_id, max(r.submitted_at) AS at FROM assignments a JOIN ratings r ON r.assignment_id = a.id
        WHERE a.segment_id IN (SELECT segment_id FROM acts) GROUP BY a.id, a.segment_id) x;
CREATE INDEX rated_order_segment ON rated_order (segment_id);
UPDATE assignments SET rated = x.n FROM rated_order x WHERE x.assignment_id = assignments.id;
UPDATE acts SET rated = (SELECT count(*) FROM rated_order x WHERE x.segment_id = acts.segment_id AND x.at <= acts.at);
-- The count of a segment goes on after those of its assignments. Decisions that were formed
-- from the ratings as they are stay so.
UPDATE decisions SET rated = rated + (SELECT count(*) FROM rated_order x WHERE x.segment_id = decisions.segment_id)
    WHERE rated >= 0 AND segment_id IN (SELECT segment_id FROM rated_order);
UPDATE all_segments SET rated = rated + (SELECT count(*) FROM rated_order x WHERE x.segment_id = all_segments.id)
    WHERE id IN (SELECT segment_id FROM rated_order);
DROP TABLE rated_order;

-- +goose Down
ALTER TABLE acts DROP COLUMN rated;
ALTER TABLE assignments DROP COLUMN rated;
