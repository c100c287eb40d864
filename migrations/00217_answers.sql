-- +goose Up

-- Answers stand beside scores: what an annotator answered to the questions of the protocol that are no numbers.

ALTER TABLE drafts ADD COLUMN answers TEXT NOT NULL DEFAULT '{}'; -- JSON object by name of the question: a text, or a list of texts where several answers may be given
ALTER TABLE ratings ADD COLUMN answers TEXT NOT NULL DEFAULT '{}'; -- as in drafts
ALTER TABLE adjudicated ADD COLUMN answers TEXT NOT NULL DEFAULT '{}'; -- as in drafts
ALTER TABLE staged_ratings ADD COLUMN answers TEXT NOT NULL DEFAULT '{}'; -- as in ratings

-- The candidates of a segment, under a protocol whose unit is the segment. Such a campaign has one system, whose name
-- is empty, and each segment one translation by it, without text, on which drafts and ratings of the segment hang.
CREATE TABLE candidates (
    segment_id TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    name       TEXT NOT NULL, -- the name of its system in files
    text       TEXT NOT NULL, -- may be empty
    PRIMARY KEY (segment_id, name)
);
