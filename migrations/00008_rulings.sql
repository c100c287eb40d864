-- +goose Up

-- What a lead decided about a segment, which stays whatever the ratings say:
-- adjudicated, discarded or withdrawn; empty where the ratings speak. Reopened is
-- the round up to which a lead asked for looks beyond the setting.
ALTER TABLE segments ADD COLUMN ruling TEXT NOT NULL DEFAULT '';
ALTER TABLE segments ADD COLUMN reopened INTEGER NOT NULL DEFAULT 0;
UPDATE segments SET ruling = status WHERE status IN ('adjudicated', 'withdrawn');

-- Set_aside is the state that an assignment of an annotator whose work a lead has
-- set aside had, and gets back when it is restored; its state is released
-- meanwhile. Replaced: a later round does not wait for this one any more. Added:
-- handed out by a lead beside those that the redundancy asks for.
ALTER TABLE assignments ADD COLUMN set_aside TEXT NOT NULL DEFAULT '';
ALTER TABLE assignments ADD COLUMN replaced BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE assignments ADD COLUMN added BOOLEAN NOT NULL DEFAULT FALSE;

-- Set_aside_at is when a lead set the annotator's work aside, 0 if it is not.
ALTER TABLE memberships ADD COLUMN set_aside BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE memberships ADD COLUMN set_aside_at BIGINT NOT NULL DEFAULT 0;

-- From how many annotators' ratings a decision was formed.
ALTER TABLE decisions ADD COLUMN annotators INTEGER NOT NULL DEFAULT 0;
UPDATE decisions SET annotators = (SELECT count(*) FROM assignments a
    WHERE a.segment_id = decisions.segment_id AND a.round = decisions.round AND a.state = 'submitted');

-- +goose Down
ALTER TABLE decisions DROP COLUMN annotators;
ALTER TABLE memberships DROP COLUMN set_aside_at;
ALTER TABLE memberships DROP COLUMN set_aside;
ALTER TABLE assignments DROP COLUMN added;
ALTER TABLE assignments DROP COLUMN replaced;
ALTER TABLE assignments DROP COLUMN set_aside;
ALTER TABLE segments DROP COLUMN reopened;
ALTER TABLE segments DROP COLUMN ruling;
