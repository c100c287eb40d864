-- +goose Up

-- Who people are at a provider of OpenID Connect. A person may have several subjects, and a subject has one account.
CREATE TABLE subjects (
    issuer   TEXT NOT NULL, -- address of the provider
    subject  TEXT NOT NULL, -- its name for the person, which never changes
    user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    bound_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX subjects_user ON subjects (user_id);
