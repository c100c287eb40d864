-- +goose Up

-- Decisions: what the gate said about rounds, and what leads did to segments and to the work of annotators.

-- Every decision about a round of a segment, with what it was formed from. Rows are only added. The current one
-- of a round holds; the first tells how the round ended at first.
CREATE TABLE decisions (
    id         TEXT PRIMARY KEY,
    segment_id TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    round      INTEGER NOT NULL,
    current    BOOLEAN NOT NULL DEFAULT FALSE, -- it holds now
    passed     BOOLEAN NOT NULL,
    status     TEXT NOT NULL, -- of the segment after it
    gate       TEXT NOT NULL, -- these three are the settings of that time
    threshold  DOUBLE PRECISION NOT NULL,
    tolerance  DOUBLE PRECISION NOT NULL,
    annotators INTEGER NOT NULL DEFAULT 0, -- number of annotators whose ratings it was formed from
    pairs      TEXT NOT NULL, -- JSON: the pairs of annotators with r and the reason
    rated      BIGINT NOT NULL DEFAULT -1, -- rated of the segment then, which tells whether its ratings are still the same; -1: not known
    decided_at BIGINT NOT NULL
);
CREATE INDEX decisions_segment ON decisions (segment_id, round);

-- What leads did to segments, in the terms of campaign.Act. Rows are only added, and only undone changes.
CREATE TABLE acts (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    segment_id  TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    seq         BIGINT NOT NULL DEFAULT 0, -- place among the acts of the campaign, from 1, in the order in which they were done
    batch       TEXT NOT NULL, -- acts of one batch were done together, follow each other, and are undone together
    kind        TEXT NOT NULL, -- a campaign.ActKind
    round       INTEGER NOT NULL DEFAULT 0, -- the round that it is about; 0: none
    from_id     TEXT REFERENCES users (id), -- who is replaced; null: nobody
    to_id       TEXT REFERENCES users (id), -- who takes over; null: nobody
    restores    TEXT NOT NULL DEFAULT '', -- id of the act that it takes back; empty: none
    rated       BIGINT NOT NULL DEFAULT 0, -- rated of the segment when it was done
    by_id       TEXT REFERENCES users (id),
    reason      TEXT NOT NULL,
    at          BIGINT NOT NULL,
    undone      BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX acts_segment ON acts (segment_id, seq);
CREATE INDEX acts_campaign ON acts (campaign_id, seq);
CREATE INDEX acts_batch ON acts (batch);
CREATE INDEX acts_asked ON acts (campaign_id, segment_id) WHERE kind = 'ask for adjudication';

-- The annotators that an act names.
CREATE TABLE act_annotators (
    act_id  TEXT NOT NULL REFERENCES acts (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id),
    PRIMARY KEY (act_id, user_id)
);

-- The assignments that acts of a batch changed, as they were before, so that undoing restores them.
CREATE TABLE act_assignments (
    batch         TEXT NOT NULL,
    assignment_id TEXT NOT NULL REFERENCES assignments (id) ON DELETE CASCADE,
    state         TEXT NOT NULL, -- that of set_aside if the annotator's work was set aside; empty: the act made the assignment
    added         BOOLEAN NOT NULL,
    PRIMARY KEY (batch, assignment_id)
);
CREATE INDEX act_assignments_assignment ON act_assignments (assignment_id);

-- The gold of an adjudicated translation, as a rating.
CREATE TABLE adjudicated (
    act_id         TEXT NOT NULL REFERENCES acts (id) ON DELETE CASCADE,
    translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
    scores         TEXT NOT NULL DEFAULT '{}', -- as in drafts; empty object: a lead entered the gate score alone
    spans          TEXT NOT NULL DEFAULT '[]', -- as in drafts
    comment        TEXT NOT NULL DEFAULT '',
    gate_score     DOUBLE PRECISION NOT NULL,
    seconds        DOUBLE PRECISION NOT NULL DEFAULT 0, -- active time on the card
    PRIMARY KEY (act_id, translation_id)
);
CREATE INDEX adjudicated_translation ON adjudicated (translation_id);

-- Each time that a lead set the work of an annotator aside.
CREATE TABLE set_asides (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id), -- the annotator
    at          BIGINT NOT NULL,
    by_id       TEXT REFERENCES users (id),
    reason      TEXT NOT NULL,
    ratings     INTEGER NOT NULL, -- how many submitted ratings stopped counting
    figures     TEXT NOT NULL, -- JSON: what was known of the annotator at that moment; {} if it was not kept
    restored_at BIGINT NOT NULL DEFAULT 0, -- 0: still set aside
    PRIMARY KEY (campaign_id, user_id, at)
);
