-- +goose Up

-- An import writes its segments, or its metric scores, in many short transactions,
-- so that nobody waits for it. What it has written is hidden until its last
-- transaction deletes its row here. A campaign has one such import at a time.
-- Segments with a position above after_position are hidden; where it is 0 the
-- campaign has no segments yet, and its systems are hidden too. Beat rises while the
-- import is alive. Dropped: the import has failed, and what it wrote is being deleted.
CREATE TABLE staged_imports (
    campaign_id    TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    id             TEXT NOT NULL,
    after_position BIGINT NOT NULL,
    beat           BIGINT NOT NULL DEFAULT 0,
    dropped        BOOLEAN NOT NULL DEFAULT FALSE
);

-- Every query reads the views segments, segment_tallies and systems, which leave out
-- what is hidden. Every change goes to the tables all_segments and so on.
-- A migration that adds a column to one of these tables makes its view anew. The
-- first half of each condition is asked once a query, and mostly spares the second,
-- which is asked for each row.
ALTER TABLE segments RENAME TO all_segments;
CREATE VIEW segments AS SELECT * FROM all_segments s
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = s.campaign_id AND s.position > i.after_position);

ALTER TABLE segment_tallies RENAME TO all_segment_tallies;
CREATE VIEW segment_tallies AS SELECT * FROM all_segment_tallies k
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = k.campaign_id AND k.position > i.after_position);

ALTER TABLE systems RENAME TO all_systems;
CREATE VIEW systems AS SELECT * FROM all_systems y
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = y.campaign_id AND i.after_position = 0);

-- The domain's index did not tell the position, by which the view decides.
DROP INDEX segments_by_domain;
CREATE INDEX segments_by_domain ON all_segments (campaign_id, domain, status, position);

-- Staged: the scores are being imported, or a later import has replaced them and
-- they are being deleted. The name is the id meanwhile.
ALTER TABLE metrics ADD COLUMN staged BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
DELETE FROM metrics WHERE staged;
ALTER TABLE metrics DROP COLUMN staged;
DROP INDEX segments_by_domain;
DROP VIEW systems;
ALTER TABLE all_systems RENAME TO systems;
DROP VIEW segment_tallies;
ALTER TABLE all_segment_tallies RENAME TO segment_tallies;
DROP VIEW segments;
ALTER TABLE all_segments RENAME TO segments;
CREATE INDEX segments_by_domain ON segments (campaign_id, domain, status);
DROP TABLE staged_imports;
