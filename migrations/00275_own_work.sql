-- +goose Up

-- It has all that is counted and listed of the submissions of each annotator, so that the rows need not be read.
DROP INDEX assignments_of_user;
CREATE INDEX assignments_of_user ON assignments (campaign_id, state, user_id, submitted_at, id, segment_id, round, work, ratings, seconds);
