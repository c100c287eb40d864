-- +goose Up

-- Seq is the place of an act among those of its campaign, from 1, in the order in which
-- they were done, whatever a clock said. Acts of one batch on several segments follow
-- each other.
ALTER TABLE acts ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
UPDATE acts SET seq = x.n FROM (SELECT id, row_number() OVER (PARTITION BY campaign_id ORDER BY at, id) AS n FROM acts) x WHERE x.id = acts.id;
DROP INDEX acts_segment;
DROP INDEX acts_campaign;
CREATE INDEX acts_segment ON acts (segment_id, seq);
CREATE INDEX acts_campaign ON acts (campaign_id, seq);
CREATE INDEX acts_batch ON acts (batch);

-- Batch is that of the act which answered the problem, by which undoing the act opens
-- the problem again; empty where no act did.
ALTER TABLE problems ADD COLUMN batch TEXT NOT NULL DEFAULT '';

-- The assignments that acts of a batch changed, as they were before. State is empty
-- where the act made the assignment. It is what the assignment's set_aside was where the
-- annotator's work was set aside.
CREATE TABLE act_assignments (
    batch         TEXT NOT NULL,
    assignment_id TEXT NOT NULL REFERENCES assignments (id) ON DELETE CASCADE,
    state         TEXT NOT NULL,
    added         BOOLEAN NOT NULL,
    PRIMARY KEY (batch, assignment_id)
);
CREATE INDEX act_assignments_assignment ON act_assignments (assignment_id);

-- Acts on many segments are done, and undone, in steps of some segments. A batch stands
-- here from its first step to its last. Beat rises with every step. Where it stands
-- still, the program that did the act was killed, and the batch is taken back.
CREATE TABLE batches_under_way (
    batch       TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    beat        BIGINT NOT NULL DEFAULT 0
);

-- +goose Down
DROP TABLE batches_under_way;
DROP TABLE act_assignments;
ALTER TABLE problems DROP COLUMN batch;
DROP INDEX acts_batch;
DROP INDEX acts_campaign;
DROP INDEX acts_segment;
CREATE INDEX acts_segment ON acts (segment_id, at, id);
CREATE INDEX acts_campaign ON acts (campaign_id, at, id);
ALTER TABLE acts DROP COLUMN seq;
