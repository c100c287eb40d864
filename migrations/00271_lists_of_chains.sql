-- +goose Up

-- What lists of segments need in order to read no more than they show: the campaign of a segment beside its forebears, and the number
-- by which a metric puts segments in order.

ALTER TABLE lineage ADD COLUMN campaign_id TEXT NOT NULL DEFAULT ''; -- campaign of the segment
UPDATE lineage SET campaign_id = (SELECT g.campaign_id FROM all_segments g WHERE g.id = lineage.segment_id);
CREATE INDEX lineage_of_campaign ON lineage (campaign_id, from_campaign, depth, from_segment);

ALTER TABLE metric_segment_scores ADD COLUMN mean DOUBLE PRECISION NOT NULL DEFAULT 0; -- mean of its scores
-- A word of scores is all that comes before the next space. What is left after it begins with that space.
UPDATE metric_segment_scores SET mean = (
    WITH RECURSIVE words (word, rest) AS (
        SELECT '-', ' ' || scores
        UNION ALL
        SELECT substr(rest, 2, length(rest) - 1 - length(ltrim(substr(rest, 2), '0123456789.+-eE'))), ltrim(substr(rest, 2), '0123456789.+-eE')
        FROM words WHERE rest <> '')
    SELECT avg(CAST(word AS DOUBLE PRECISION)) FROM words WHERE word <> '-');
DROP INDEX metric_segment_scores_metric;
CREATE INDEX metric_segment_scores_metric ON metric_segment_scores (metric_id, mean);
