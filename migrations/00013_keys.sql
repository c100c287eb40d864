-- +goose Up

-- The keys that a person has changed on the annotate page, by protocol, since each
-- has acts of its own: a JSON object from the act to the key, as the page writes
-- both: {"severity:major":"Shift+q"}. A protocol of which nothing is changed has no
-- row.
CREATE TABLE user_keys (
    user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    protocol TEXT NOT NULL,
    bindings TEXT NOT NULL,
    PRIMARY KEY (user_id, protocol)
);

-- +goose Down
DROP TABLE user_keys;
