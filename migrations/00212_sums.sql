-- +goose Up

-- Sums: what pages show of a campaign without reading all its ratings. Every write brings them in line with what
-- it changes. They can be counted again from everything else at any time (annotate doctor --repair).

-- The sums of a campaign. internal/desk/tally_sums.go says which kinds there are, what their keys are, and what they sum.
CREATE TABLE tallies (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    user_id     TEXT NOT NULL, -- empty: the kind has none
    other_id    TEXT NOT NULL, -- empty: the kind has none
    name        TEXT NOT NULL, -- empty: the kind has none
    n           BIGINT NOT NULL, -- a number of things
    x           BIGINT NOT NULL, -- sum of a first variable
    xx          BIGINT NOT NULL, -- sum of its squares
    y           BIGINT NOT NULL, -- sum of a second variable
    yy          BIGINT NOT NULL, -- sum of its squares
    xy          BIGINT NOT NULL, -- sum of the products of both
    PRIMARY KEY (campaign_id, kind, user_id, other_id, name)
);

CREATE TABLE campaign_tallies (
    campaign_id TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    version     BIGINT NOT NULL, -- rises with every change of the sums
    timezone    TEXT NOT NULL -- the one that days were counted in
);

-- What was counted of a segment, so that a change adds the difference. The other columns put segments in order.
CREATE TABLE all_segment_tallies (
    segment_id  TEXT PRIMARY KEY REFERENCES all_segments (id) ON DELETE CASCADE,
    campaign_id TEXT NOT NULL,
    position    INTEGER NOT NULL, -- these four are as in all_segments
    domain      TEXT NOT NULL,
    status      TEXT NOT NULL,
    round       INTEGER NOT NULL,
    lowest      DOUBLE PRECISION NOT NULL, -- lowest r of a pair of annotators; 2: no pair has one
    changed_at  BIGINT NOT NULL, -- last submission, or last decision that said something else than the one before
    counted     TEXT NOT NULL -- JSON
);
CREATE INDEX segment_tallies_status ON all_segment_tallies (campaign_id, status, position);
CREATE INDEX segment_tallies_domain ON all_segment_tallies (campaign_id, domain, position, status);
CREATE INDEX segment_tallies_round ON all_segment_tallies (campaign_id, round, position);
CREATE INDEX segment_tallies_lowest ON all_segment_tallies (campaign_id, lowest, position, status, domain);
CREATE INDEX segment_tallies_changed ON all_segment_tallies (campaign_id, changed_at, position, status, domain);
CREATE VIEW segment_tallies AS SELECT * FROM all_segment_tallies k
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = k.campaign_id AND k.position > i.after_position);

-- How two annotators agree about a segment, in the latest round that both submitted.
CREATE TABLE segment_pairs (
    segment_id  TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL, -- the smaller id of the two
    other_id    TEXT NOT NULL,
    campaign_id TEXT NOT NULL,
    round       INTEGER NOT NULL,
    shared      INTEGER NOT NULL, -- translations that both rated
    gold        BOOLEAN NOT NULL, -- the segment is in gold
    r           DOUBLE PRECISION, -- Pearson correlation of their gate scores; null: undefined
    sort_r      DOUBLE PRECISION NOT NULL, -- r; 2 where it is undefined
    difference  DOUBLE PRECISION NOT NULL, -- mean absolute difference of their gate scores
    PRIMARY KEY (segment_id, user_id, other_id)
);
CREATE INDEX segment_pairs_cell ON segment_pairs (campaign_id, user_id, other_id, sort_r, segment_id);
CREATE INDEX segment_pairs_gold ON segment_pairs (campaign_id, user_id, other_id, gold, sort_r, segment_id);

-- Reports that were computed, one for each set of choices. They are kept until somebody asks for them anew.
CREATE TABLE reports (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    choices     TEXT NOT NULL,
    state       TEXT NOT NULL, -- names the data that it was computed from
    program     TEXT NOT NULL, -- version of the program that computed it
    computed_at BIGINT NOT NULL,
    body        TEXT NOT NULL, -- encoded, in base64; a program that cannot read it computes the report again
    PRIMARY KEY (campaign_id, choices)
);
