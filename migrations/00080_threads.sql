-- +goose Up

-- A conversation about a segment between one annotator and the leads. Problems that the annotator
-- reported on the segment belong to it too, with their answers, and stay in their own table.
-- Waits says that the annotator asked something and no lead has answered or settled it. Read_at is
-- the time of the last words of a lead that the annotator has seen. Changed_at is the time of the
-- last message or report.
CREATE TABLE threads (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    segment_id  TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    waits       BOOLEAN NOT NULL DEFAULT FALSE,
    read_at     BIGINT NOT NULL DEFAULT 0,
    changed_at  BIGINT NOT NULL,
    UNIQUE (segment_id, user_id)
);
CREATE INDEX threads_campaign ON threads (campaign_id, changed_at, id);
CREATE INDEX threads_waiting ON threads (campaign_id, segment_id, user_id) WHERE waits;
CREATE INDEX threads_user ON threads (user_id, campaign_id);

-- What was said in a thread. Token names a message that a page sends, so that a repeated request
-- is recognised.
CREATE TABLE messages (
    id        TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    author_id TEXT NOT NULL REFERENCES users (id),
    by_lead   BOOLEAN NOT NULL,
    text      TEXT NOT NULL,
    token     TEXT NOT NULL,
    at        BIGINT NOT NULL,
    UNIQUE (thread_id, token)
);
CREATE INDEX messages_thread ON messages (thread_id, at);

-- Annotators have seen the answers that were given before there were threads.
INSERT INTO threads (id, campaign_id, segment_id, user_id, read_at, changed_at)
    SELECT min(p.id), p.campaign_id, p.segment_id, a.user_id, max(p.resolved_at), max(CASE WHEN p.resolved_at > p.reported_at THEN p.resolved_at ELSE p.reported_at END)
    FROM problems p JOIN assignments a ON a.id = p.assignment_id GROUP BY p.campaign_id, p.segment_id, a.user_id;

-- Comments is the number of submitted ratings with a comment, on the translation or on an error.
ALTER TABLE assignments ADD COLUMN comments INTEGER NOT NULL DEFAULT 0;
UPDATE assignments SET comments = (SELECT count(*) FROM ratings r WHERE r.assignment_id = assignments.id AND (r.comment <> '' OR r.spans LIKE '%"comment":"%'))
    WHERE id IN (SELECT r.assignment_id FROM ratings r WHERE r.comment <> '' OR r.spans LIKE '%"comment":"%');
CREATE INDEX assignments_comments ON assignments (campaign_id, submitted_at, id) WHERE comments > 0;

-- +goose Down
DROP INDEX assignments_comments;
ALTER TABLE assignments DROP COLUMN comments;
DROP TABLE messages;
DROP TABLE threads;
