-- +goose Up

-- What a lead did to a segment, each with a reason. Rows are only added; undone is
-- the one thing that changes. Acts of one batch were done together and are undone
-- together. Round and the columns of users are those of campaign.Act.
CREATE TABLE acts (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    segment_id  TEXT NOT NULL REFERENCES segments (id) ON DELETE CASCADE,
    batch       TEXT NOT NULL,
    kind        TEXT NOT NULL,
    round       INTEGER NOT NULL DEFAULT 0,
    from_id     TEXT REFERENCES users (id),
    to_id       TEXT REFERENCES users (id),
    restores    TEXT NOT NULL DEFAULT '',
    by_id       TEXT REFERENCES users (id),
    reason      TEXT NOT NULL,
    at          BIGINT NOT NULL,
    undone      BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX acts_segment ON acts (segment_id, at, id);
CREATE INDEX acts_campaign ON acts (campaign_id, at, id);

-- The annotators that an act names.
CREATE TABLE act_annotators (
    act_id  TEXT NOT NULL REFERENCES acts (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id),
    PRIMARY KEY (act_id, user_id)
);

-- The gold of an adjudicated translation, as a rating; gate_score is its gate score.
-- Scores is empty where a lead entered the gate score alone.
CREATE TABLE adjudicated (
    act_id         TEXT NOT NULL REFERENCES acts (id) ON DELETE CASCADE,
    translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
    scores         TEXT NOT NULL DEFAULT '{}',
    spans          TEXT NOT NULL DEFAULT '[]',
    comment        TEXT NOT NULL DEFAULT '',
    gate_score     DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (act_id, translation_id)
);
CREATE INDEX adjudicated_translation ON adjudicated (translation_id);

-- What leads decided so far becomes acts. The audit log has their reasons.
INSERT INTO acts (id, campaign_id, segment_id, batch, kind, round, reason, at)
    SELECT 'look-' || g.id, g.campaign_id, g.id, 'look-' || g.id, 'another look', g.reopened, '',
        coalesce((SELECT max(x.decided_at) FROM decisions x WHERE x.segment_id = g.id AND x.round < g.reopened), 0)
    FROM segments g WHERE g.reopened > 0;
INSERT INTO act_annotators (act_id, user_id)
    SELECT 'look-' || g.id, a.user_id FROM segments g JOIN assignments a ON a.segment_id = g.id AND a.round = g.reopened WHERE g.reopened > 0;
INSERT INTO acts (id, campaign_id, segment_id, batch, kind, round, reason, at)
    SELECT 'ruled-' || g.id, g.campaign_id, g.id, 'ruled-' || g.id,
        CASE WHEN g.ruling = 'discarded' THEN 'discard' WHEN g.ruling = 'withdrawn' THEN 'withdraw'
            WHEN EXISTS (SELECT 1 FROM translations t WHERE t.segment_id = g.id AND t.adjudicated IS NOT NULL) THEN 'adjudicate' ELSE 'accept mean' END,
        CASE WHEN g.ruling = 'adjudicated' THEN g.round ELSE 0 END, '',
        1 + coalesce((SELECT max(x.decided_at) FROM decisions x WHERE x.segment_id = g.id), 0)
    FROM segments g WHERE g.ruling <> '';
INSERT INTO act_annotators (act_id, user_id)
    SELECT c.id, a.user_id FROM acts c JOIN assignments a ON a.segment_id = c.segment_id AND a.round = c.round
    WHERE c.kind = 'accept mean' AND (a.state = 'submitted' OR a.set_aside = 'submitted');
INSERT INTO adjudicated (act_id, translation_id, gate_score)
    SELECT c.id, t.id, t.adjudicated FROM acts c JOIN translations t ON t.segment_id = c.segment_id
    WHERE c.kind = 'adjudicate' AND t.adjudicated IS NOT NULL;
ALTER TABLE translations DROP COLUMN adjudicated;
ALTER TABLE segments DROP COLUMN ruling;
ALTER TABLE segments DROP COLUMN reopened;

-- Holding is the act that decides the segment, empty where its ratings do; complete
-- the last complete round; imported how many annotators of round 1 came with an
-- import; rated counts the changes of its ratings. Status may be below_threshold.
ALTER TABLE segments ADD COLUMN holding TEXT NOT NULL DEFAULT '';
ALTER TABLE segments ADD COLUMN complete INTEGER NOT NULL DEFAULT 0;
ALTER TABLE segments ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
ALTER TABLE segments ADD COLUMN rated BIGINT NOT NULL DEFAULT 0;
DROP INDEX segments_left_in_document;
DROP INDEX segments_by_domain;
DROP INDEX segments_to_hand_out;
ALTER TABLE segments RENAME COLUMN status TO old_status;
ALTER TABLE segments ADD COLUMN status TEXT NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'agreed', 'below_threshold', 'ungated', 'reannotate', 'adjudicated', 'discarded', 'withdrawn'));
UPDATE segments SET status = old_status;
ALTER TABLE segments DROP COLUMN old_status;
CREATE INDEX segments_left_in_document ON segments (document_id, status, position);
CREATE INDEX segments_by_domain ON segments (campaign_id, domain, status);
CREATE INDEX segments_to_hand_out ON segments (campaign_id, status, held, taken, position);

-- Imported: the ratings came with an import, and were not given here. Work, counts
-- and replaced are what follows from the facts (campaign.TurnState).
ALTER TABLE assignments ADD COLUMN imported BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE assignments ADD COLUMN work TEXT NOT NULL DEFAULT 'asked' CHECK (work IN ('asked', 'late', 'kept', 'over'));
ALTER TABLE assignments ADD COLUMN counts BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE assignments DROP COLUMN late;
UPDATE assignments SET imported = TRUE WHERE (state = 'submitted' OR set_aside = 'submitted')
    AND NOT EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = assignments.id);
UPDATE segments SET imported = (SELECT count(*) FROM assignments a WHERE a.segment_id = segments.id AND a.round = 1 AND a.imported);
-- Whoever was replaced, and had not submitted all the same.
INSERT INTO acts (id, campaign_id, segment_id, batch, kind, round, from_id, reason, at)
    SELECT 'replaced-' || a.id, a.campaign_id, a.segment_id, 'replaced-' || a.id, 'replace', a.round, a.user_id, '', a.touched_at
    FROM assignments a WHERE a.replaced AND a.state = 'released' AND a.set_aside = '';
UPDATE acts SET to_id = (SELECT min(b.user_id) FROM assignments b WHERE b.segment_id = acts.segment_id AND b.round = acts.round AND b.added)
    WHERE kind = 'replace';
UPDATE assignments SET replaced = FALSE;
-- Whoever a lead gave a segment to beside the others.
INSERT INTO acts (id, campaign_id, segment_id, batch, kind, round, reason, at)
    SELECT 'added-' || a.id, a.campaign_id, a.segment_id, 'added-' || a.id, 'further annotator', a.round, '', a.started_at
    FROM assignments a WHERE a.added;
INSERT INTO act_annotators (act_id, user_id) SELECT 'added-' || a.id, a.user_id FROM assignments a WHERE a.added;
-- Reasons and authors stand in the audit log, by the name of the segment.
UPDATE acts SET
    reason = coalesce((SELECT max(l.reason) FROM audit_log l JOIN segments g ON g.id = acts.segment_id AND l.subject = g.segment_id
        WHERE l.campaign_id = acts.campaign_id AND l.act = CASE acts.kind WHEN 'another look' THEN 'reopen segment' WHEN 'accept mean' THEN 'adjudicate segment' ELSE acts.kind || ' segment' END), ''),
    by_id = (SELECT max(l.user_id) FROM audit_log l JOIN segments g ON g.id = acts.segment_id AND l.subject = g.segment_id
        WHERE l.campaign_id = acts.campaign_id AND l.act = CASE acts.kind WHEN 'another look' THEN 'reopen segment' WHEN 'accept mean' THEN 'adjudicate segment' ELSE acts.kind || ' segment' END)
    WHERE kind IN ('another look', 'accept mean', 'adjudicate', 'discard', 'withdraw')
        AND (SELECT count(*) FROM segments g JOIN segments o ON o.campaign_id = g.campaign_id AND o.segment_id = g.segment_id WHERE g.id = acts.segment_id) = 1
        AND (SELECT count(*) FROM audit_log l JOIN segments g ON g.id = acts.segment_id AND l.subject = g.segment_id
            WHERE l.campaign_id = acts.campaign_id AND l.act = CASE acts.kind WHEN 'another look' THEN 'reopen segment' WHEN 'accept mean' THEN 'adjudicate segment' ELSE acts.kind || ' segment' END) = 1;

-- Current: the decision holds now. Rated is the segment's when it was formed, by
-- which it is known to be of the ratings as they are.
ALTER TABLE decisions ADD COLUMN current BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE decisions ADD COLUMN rated BIGINT NOT NULL DEFAULT -1;
UPDATE decisions SET current = TRUE WHERE NOT EXISTS (SELECT 1 FROM decisions x WHERE x.segment_id = decisions.segment_id AND x.round = decisions.round
    AND (x.decided_at > decisions.decided_at OR x.decided_at = decisions.decided_at AND x.id > decisions.id));

-- Imported: an import made the account, and nobody has been given a way to sign in.
ALTER TABLE users ADD COLUMN imported BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE users SET imported = TRUE WHERE password_hash = ''
    AND EXISTS (SELECT 1 FROM assignments a WHERE a.user_id = users.id AND a.imported)
    AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.user_id = users.id AND NOT a.imported AND (a.state = 'submitted' OR a.set_aside = 'submitted'))
    AND NOT EXISTS (SELECT 1 FROM sign_in_links l WHERE l.user_id = users.id)
    AND NOT EXISTS (SELECT 1 FROM sessions x WHERE x.user_id = users.id)
    AND NOT EXISTS (SELECT 1 FROM drafts d JOIN assignments a ON a.id = d.assignment_id WHERE a.user_id = users.id);

-- Values before and after an act, in words.
ALTER TABLE audit_log ADD COLUMN before TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_log ADD COLUMN after TEXT NOT NULL DEFAULT '';

-- An adjudicator decides segments in the end, blind; an annotator may be one too.
ALTER TABLE memberships RENAME COLUMN role TO old_role;
ALTER TABLE memberships ADD COLUMN role TEXT NOT NULL DEFAULT 'annotator' CHECK (role IN ('lead', 'annotator', 'researcher', 'adjudicator'));
UPDATE memberships SET role = old_role;
ALTER TABLE memberships DROP COLUMN old_role;
ALTER TABLE memberships ADD COLUMN adjudicates BOOLEAN NOT NULL DEFAULT FALSE;

-- The states of segments follow from all of this by one rule. Formed: they do. The
-- program forms the others when it opens the database, and says in the audit log
-- what changed.
ALTER TABLE campaigns ADD COLUMN formed BOOLEAN NOT NULL DEFAULT TRUE;
UPDATE campaigns SET formed = FALSE;
DELETE FROM campaign_tallies;

-- +goose Down
ALTER TABLE campaigns DROP COLUMN formed;
UPDATE memberships SET role = 'annotator' WHERE role = 'adjudicator';
ALTER TABLE memberships DROP COLUMN adjudicates;
ALTER TABLE audit_log DROP COLUMN after;
ALTER TABLE audit_log DROP COLUMN before;
ALTER TABLE users DROP COLUMN imported;
ALTER TABLE decisions DROP COLUMN rated;
ALTER TABLE decisions DROP COLUMN current;
ALTER TABLE assignments ADD COLUMN late BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE assignments DROP COLUMN counts;
ALTER TABLE assignments DROP COLUMN work;
ALTER TABLE assignments DROP COLUMN imported;
ALTER TABLE segments ADD COLUMN reopened INTEGER NOT NULL DEFAULT 0;
ALTER TABLE segments ADD COLUMN ruling TEXT NOT NULL DEFAULT '';
UPDATE segments SET status = 'ungated' WHERE status = 'below_threshold';
UPDATE segments SET ruling = status WHERE holding <> '' AND status IN ('adjudicated', 'discarded', 'withdrawn');
ALTER TABLE translations ADD COLUMN adjudicated DOUBLE PRECISION;
UPDATE translations SET adjudicated = (SELECT x.gate_score FROM adjudicated x JOIN segments g ON g.holding = x.act_id
    WHERE x.translation_id = translations.id);
ALTER TABLE segments DROP COLUMN rated;
ALTER TABLE segments DROP COLUMN imported;
ALTER TABLE segments DROP COLUMN complete;
ALTER TABLE segments DROP COLUMN holding;
DROP TABLE adjudicated;
DROP TABLE act_annotators;
DROP TABLE acts;
DELETE FROM campaign_tallies;
