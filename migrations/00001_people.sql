-- +goose Up

-- Values the application makes for itself, such as the key that signs cookies.
CREATE TABLE application_values (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- One account per person. An account without a password and without a link
-- can't sign in (annotators known from an import only).
CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    login         TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('admin', 'member')),
    password_hash TEXT NOT NULL DEFAULT '',
    disabled      BOOLEAN NOT NULL DEFAULT FALSE,
    created_at    BIGINT NOT NULL
);

-- Links that sign one person in once. Only the hash of the token is kept.
CREATE TABLE sign_in_links (
    token_hash TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX sign_in_links_user ON sign_in_links (user_id);

-- A cookie holds a random token, this row the rest; ending a session deletes
-- the row. Link_hash names the sign-in link that began it until its cookie has
-- come back for the first time.
CREATE TABLE sessions (
    token_hash   TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    link_hash    TEXT NOT NULL DEFAULT '',
    agent        TEXT NOT NULL DEFAULT '',
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);

-- +goose Down
DROP TABLE sessions;
DROP TABLE sign_in_links;
DROP TABLE users;
DROP TABLE application_values;
