-- +goose Up

-- Accounts: who can sign in, and with what.
--
-- What holds in all files: an id is a text of 32 characters that the program makes (database.NewID); ids sort
-- by the time at which they were made. A moment is a whole number of microseconds since 1970 UTC, and 0 if it
-- has not come. Active times (seconds) are in seconds. A column by_id is null if the command line did it.
-- JSON is stored as text.

-- What the program keeps for itself, such as the key that signs cookies (session_key).
CREATE TABLE application_values (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- One account per person.
CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    login         TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL, -- as the person writes it; may be empty
    role          TEXT NOT NULL CHECK (role IN ('admin', 'member')), -- on the whole site; memberships has the roles in campaigns
    password_hash TEXT NOT NULL DEFAULT '', -- argon2id with its parameters; empty: the person signs in by links only
    disabled      BOOLEAN NOT NULL DEFAULT FALSE, -- the person cannot sign in
    imported      BOOLEAN NOT NULL DEFAULT FALSE, -- an import made the account, and nobody was given a way to sign in
    created_at    BIGINT NOT NULL
);

-- The keys that a person has changed on the annotate page.
CREATE TABLE user_keys (
    user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    protocol TEXT NOT NULL, -- *: they hold under every protocol; older rows have the id of the only one
    bindings TEXT NOT NULL, -- JSON object from the act to the key: {"severity:major":"Shift+q"}
    PRIMARY KEY (user_id, protocol)
);

-- Links that sign one person in once.
CREATE TABLE sign_in_links (
    token_hash TEXT PRIMARY KEY, -- SHA-256 of the token, which is only in the link
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL DEFAULT 0 -- 0: not used
);
CREATE INDEX sign_in_links_user ON sign_in_links (user_id);

-- Who is signed in where. Ending a session deletes its row.
CREATE TABLE sessions (
    token_hash   TEXT PRIMARY KEY, -- SHA-256 of the token, which is only in the cookie
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    agent        TEXT NOT NULL DEFAULT '', -- the browser, as it names itself
    created_at   BIGINT NOT NULL,
    linked_at    BIGINT NOT NULL DEFAULT 0, -- when a sign-in link began the session; 0: a password began it
    last_seen_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);

-- Who makes a sign-in link for somebody else may use it. They may then hold the session that begins with the
-- link, and the password that is set in it. These tables name them, so that a link, session or password ends
-- as soon as its account may do more than one of its holders may. The account itself and the command line
-- are not named.
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

-- What was done to accounts and by admins: who signed in, who may do what, and which links, sessions and
-- passwords ended. What was done in a campaign is in audit_log. The ids sort by time.
CREATE TABLE site_log (
    id         TEXT PRIMARY KEY,
    at         BIGINT NOT NULL,
    user_id    TEXT REFERENCES users (id), -- who did it; null: the command line
    act        TEXT NOT NULL,
    subject    TEXT NOT NULL DEFAULT '', -- what it was done to, such as a login
    detail     TEXT NOT NULL DEFAULT '',
    address    TEXT NOT NULL DEFAULT '', -- network address of the request; empty: there was none
    request_id TEXT NOT NULL DEFAULT ''  -- as in the program's log; empty: there was no request
);
CREATE INDEX site_log_user ON site_log (user_id);
