-- +goose Up

-- The scores that a metric gave the translations of a segment stand in one row. They had a row each, in metric_scores, and a campaign
-- can have millions of them.
ALTER TABLE metrics ADD COLUMN systems TEXT NOT NULL DEFAULT ''; -- ids of the systems of whose translations metric_segment_scores has scores, with spaces between

CREATE TABLE metric_segment_scores (
    metric_id  TEXT NOT NULL REFERENCES metrics (id) ON DELETE CASCADE,
    segment_id TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    scores     TEXT NOT NULL, -- the score of the translation by each of metrics.systems, in that order, with spaces between; - for none
    PRIMARY KEY (segment_id, metric_id)
);

UPDATE metrics SET systems = coalesce((SELECT string_agg(y.id, ' ' ORDER BY y.id) FROM all_systems y WHERE y.campaign_id = metrics.campaign_id), '');
-- The text of a number has all digits that it takes to read the same number again. CROSS JOIN has SQLite take the segments one after the other.
INSERT INTO metric_segment_scores (metric_id, segment_id, scores)
    SELECT m.id, s.id, (SELECT string_agg(coalesce(CAST(x.score AS TEXT), '-'), ' ' ORDER BY y.id) FROM all_systems y
        LEFT JOIN translations t ON t.segment_id = s.id AND t.system_id = y.id
        LEFT JOIN metric_scores x ON x.translation_id = t.id AND x.metric_id = m.id WHERE y.campaign_id = s.campaign_id)
    FROM all_segments s CROSS JOIN metrics m
    WHERE m.campaign_id = s.campaign_id AND EXISTS (SELECT 1 FROM translations t CROSS JOIN metric_scores x
        WHERE t.segment_id = s.id AND x.translation_id = t.id AND x.metric_id = m.id);
DROP TABLE metric_scores;
CREATE INDEX metric_segment_scores_metric ON metric_segment_scores (metric_id);
