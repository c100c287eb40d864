-- +goose Up

-- What a campaign's pages show, summed up: whole numbers that every write keeps up
-- with what it changes (internal/tally says which kinds there are and what they
-- sum). They can be counted again from everything else at any time.
CREATE TABLE tallies (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    other_id    TEXT NOT NULL,
    name        TEXT NOT NULL,
    n           BIGINT NOT NULL,
    x           BIGINT NOT NULL,
    xx          BIGINT NOT NULL,
    y           BIGINT NOT NULL,
    yy          BIGINT NOT NULL,
    xy          BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, kind, user_id, other_id, name)
);

-- A campaign without a row has not been counted yet, as after this migration.
-- Version rises with every change; timezone is the one that days were counted in.
CREATE TABLE campaign_tallies (
    campaign_id TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    version     BIGINT NOT NULL,
    timezone    TEXT NOT NULL
);

-- Counted is what was counted of the segment, so that a change adds the difference
-- (JSON). The other columns put segments in order: lowest is the lowest r of a pair
-- of annotators, 2 where there is none; changed_at the last submission or decision.
CREATE TABLE segment_tallies (
    segment_id  TEXT PRIMARY KEY REFERENCES segments (id) ON DELETE CASCADE,
    campaign_id TEXT NOT NULL,
    position    INTEGER NOT NULL,
    domain      TEXT NOT NULL,
    status      TEXT NOT NULL,
    round       INTEGER NOT NULL,
    lowest      DOUBLE PRECISION NOT NULL,
    changed_at  BIGINT NOT NULL,
    counted     TEXT NOT NULL
);
CREATE INDEX segment_tallies_status ON segment_tallies (campaign_id, status, position);
CREATE INDEX segment_tallies_domain ON segment_tallies (campaign_id, domain, position, status);
CREATE INDEX segment_tallies_round ON segment_tallies (campaign_id, round, position);
CREATE INDEX segment_tallies_lowest ON segment_tallies (campaign_id, lowest, position, status, domain);
CREATE INDEX segment_tallies_changed ON segment_tallies (campaign_id, changed_at, position, status, domain);

-- How two annotators (user_id < other_id) agree about a segment, in the latest
-- round that both submitted. Sort_r is r, 2 where it is undefined; difference the
-- mean absolute one.
CREATE TABLE segment_pairs (
    segment_id  TEXT NOT NULL REFERENCES segments (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL,
    other_id    TEXT NOT NULL,
    campaign_id TEXT NOT NULL,
    round       INTEGER NOT NULL,
    shared      INTEGER NOT NULL,
    gold        BOOLEAN NOT NULL,
    r           DOUBLE PRECISION,
    sort_r      DOUBLE PRECISION NOT NULL,
    difference  DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (segment_id, user_id, other_id)
);
CREATE INDEX segment_pairs_cell ON segment_pairs (campaign_id, user_id, other_id, sort_r, segment_id);
CREATE INDEX segment_pairs_gold ON segment_pairs (campaign_id, user_id, other_id, gold, sort_r, segment_id);

-- +goose Down
DROP TABLE segment_pairs;
DROP TABLE segment_tallies;
DROP TABLE campaign_tallies;
DROP TABLE tallies;
