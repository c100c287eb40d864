-- +goose Up
-- A row each time that somebody's work is set aside: by whom and why, how many ratings
-- left, and what was known of the annotator at that moment, as a JSON object. By_id is
-- null for the command line; restored_at is 0 while the work is set aside.
CREATE TABLE set_asides (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    at          BIGINT NOT NULL,
    by_id       TEXT REFERENCES users (id),
    reason      TEXT NOT NULL,
    ratings     INTEGER NOT NULL,
    figures     TEXT NOT NULL,
    restored_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (campaign_id, user_id, at)
);

-- Of work that is set aside already the audit log has the reason.
INSERT INTO set_asides (campaign_id, user_id, at, by_id, reason, ratings, figures)
SELECT m.campaign_id, m.user_id, m.set_aside_at,
    (SELECT l.user_id FROM audit_log l WHERE l.campaign_id = m.campaign_id AND l.act = 'set annotator aside' AND l.subject = u.login ORDER BY l.at DESC, l.id DESC LIMIT 1),
    coalesce((SELECT l.reason FROM audit_log l WHERE l.campaign_id = m.campaign_id AND l.act = 'set annotator aside' AND l.subject = u.login ORDER BY l.at DESC, l.id DESC LIMIT 1), ''),
    coalesce((SELECT sum(a.ratings) FROM assignments a WHERE a.campaign_id = m.campaign_id AND a.user_id = m.user_id AND a.set_aside = 'submitted'), 0),
    '{}'
FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.set_aside;

-- A row for each setting that was changed. What changed before this table is taken from
-- the audit log, which has both values in one text: was is empty there, and became
-- is "0.7 -> 0.9".
CREATE TABLE settings_changes (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    setting     TEXT NOT NULL,
    was         TEXT NOT NULL,
    became      TEXT NOT NULL,
    by_id       TEXT REFERENCES users (id),
    at          BIGINT NOT NULL
);
CREATE INDEX settings_changes_campaign ON settings_changes (campaign_id, at);
INSERT INTO settings_changes (id, campaign_id, setting, was, became, by_id, at)
SELECT id, campaign_id, substr(act, 5), '', subject, user_id, at FROM audit_log
WHERE act LIKE 'set %' AND act NOT IN ('set annotator aside', 'set title', 'set state', 'set source language', 'set target language');

-- How many imports a campaign has had. Scores and references of metrics count in no
-- sum, so that this tells that a report is out of date.
ALTER TABLE campaigns ADD COLUMN imports INTEGER NOT NULL DEFAULT 0;
UPDATE campaigns SET imports = (SELECT count(*) FROM audit_log l WHERE l.campaign_id = campaigns.id AND l.act LIKE 'import%');

-- +goose Down
ALTER TABLE campaigns DROP COLUMN imports;
DROP TABLE settings_changes;
DROP TABLE set_asides;
