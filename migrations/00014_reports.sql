-- +goose Up

-- Reports are computed now and then and kept until somebody asks for them anew. A
-- campaign has one for each set of choices; state names what it was computed from,
-- and program the version that did. Body is the report as package results encodes
-- it, in base64; one that a later program can't read is computed again.
CREATE TABLE reports (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    choices     TEXT NOT NULL,
    state       TEXT NOT NULL,
    program     TEXT NOT NULL,
    computed_at BIGINT NOT NULL,
    body        TEXT NOT NULL,
    PRIMARY KEY (campaign_id, choices)
);

-- +goose Down
DROP TABLE reports;
