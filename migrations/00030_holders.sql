-- +goose Up

-- Who makes a sign-in link for an account may use it. They may then hold the session
-- that begins with the link, and the password that is set there. These tables name
-- them, so that a link, session or password ends as soon as its account may do more
-- than one of its holders may. The account itself and the command line are not named.
CREATE TABLE link_holders (
    token_hash TEXT NOT NULL REFERENCES sign_in_links (token_hash) ON DELETE CASCADE,
    holder_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (token_hash, holder_id)
);
CREATE INDEX link_holders_holder ON link_holders (holder_id);
CREATE TABLE session_holders (
    token_hash TEXT NOT NULL REFERENCES sessions (token_hash) ON DELETE CASCADE,
    holder_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (token_hash, holder_id)
);
CREATE INDEX session_holders_holder ON session_holders (holder_id);
CREATE TABLE password_holders (
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    holder_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, holder_id)
);
CREATE INDEX password_holders_holder ON password_holders (holder_id);

-- A link is spent by signing in with it, no longer by the first visit after that.
DELETE FROM sessions WHERE link_hash <> '';
ALTER TABLE sessions DROP COLUMN link_hash;
-- When a sign-in link began the session; 0 for a password.
ALTER TABLE sessions ADD COLUMN linked_at BIGINT NOT NULL DEFAULT 0;

-- What there is already may be held by everybody who made a link for the account:
-- by inviting a person who had none, or by renewing it.
INSERT INTO session_holders (token_hash, holder_id)
SELECT DISTINCT s.token_hash, l.user_id FROM sessions s JOIN users u ON u.id = s.user_id JOIN audit_log l ON l.user_id <> u.id
WHERE l.act = 'new sign-in link' AND l.subject = u.login
   OR l.act = 'invite' AND substr(l.subject, 1, length(u.login) + 4) = u.login || ' as ' AND l.at - u.created_at < 60000000;
INSERT INTO link_holders (token_hash, holder_id)
SELECT DISTINCT s.token_hash, l.user_id FROM sign_in_links s JOIN users u ON u.id = s.user_id JOIN audit_log l ON l.user_id <> u.id
WHERE l.act = 'new sign-in link' AND l.subject = u.login
   OR l.act = 'invite' AND substr(l.subject, 1, length(u.login) + 4) = u.login || ' as ' AND l.at - u.created_at < 60000000;
INSERT INTO password_holders (user_id, holder_id)
SELECT DISTINCT u.id, l.user_id FROM users u JOIN audit_log l ON l.user_id <> u.id
WHERE u.password_hash <> '' AND (l.act = 'new sign-in link' AND l.subject = u.login
   OR l.act = 'invite' AND substr(l.subject, 1, length(u.login) + 4) = u.login || ' as ' AND l.at - u.created_at < 60000000);

-- +goose Down
ALTER TABLE sessions DROP COLUMN linked_at;
ALTER TABLE sessions ADD COLUMN link_hash TEXT NOT NULL DEFAULT '';
DROP TABLE password_holders;
DROP TABLE session_holders;
DROP TABLE link_holders;
