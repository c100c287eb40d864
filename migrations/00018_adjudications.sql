-- +goose Up

-- An adjudication is an assignment in a state of its own, so that nothing that asks
-- for open or submitted assignments finds it. Its round is above 1000.
DROP INDEX assignments_of_user;
DROP INDEX assignments_idle;
ALTER TABLE assignments RENAME COLUMN state TO old_state;
ALTER TABLE assignments ADD COLUMN state TEXT NOT NULL DEFAULT 'open'
    CHECK (state IN ('open', 'submitted', 'released', 'problem', 'adjudicating', 'adjudicated'));
UPDATE assignments SET state = old_state;
ALTER TABLE assignments DROP COLUMN old_state;
CREATE INDEX assignments_of_user ON assignments (campaign_id, state, user_id, submitted_at, round, ratings, seconds, touched_at);
CREATE INDEX assignments_idle ON assignments (campaign_id, state, touched_at);

-- +goose Down
DELETE FROM drafts WHERE assignment_id IN (SELECT id FROM assignments WHERE state IN ('adjudicating', 'adjudicated'));
DELETE FROM assignments WHERE state IN ('adjudicating', 'adjudicated');
