-- +goose Up

-- Settings is a JSON object of the campaign's settings by key.
CREATE TABLE campaigns (
    id          TEXT PRIMARY KEY,
    slug        TEXT NOT NULL UNIQUE,
    title       TEXT NOT NULL,
    protocol    TEXT NOT NULL,
    source_lang TEXT NOT NULL DEFAULT '',
    target_lang TEXT NOT NULL DEFAULT '',
    state       TEXT NOT NULL CHECK (state IN ('open', 'paused', 'closed')),
    settings    TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);

-- One role per person and campaign: nobody both rates and sees the ratings of
-- others. A removed member keeps the row, and with it the ratings' author.
CREATE TABLE memberships (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    role        TEXT NOT NULL CHECK (role IN ('lead', 'annotator', 'researcher')),
    removed     BOOLEAN NOT NULL DEFAULT FALSE,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, user_id)
);
CREATE INDEX memberships_user ON memberships (user_id);

CREATE TABLE systems (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    UNIQUE (campaign_id, name)
);

-- Documents give their segments an order and a context.
CREATE TABLE documents (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    doc_id      TEXT NOT NULL,
    UNIQUE (campaign_id, doc_id)
);

-- Position is the order of import, over the whole campaign. Taken counts the
-- places of the first round that are open or submitted; held says that a
-- reported problem waits for the lead. Round is the one under way, or the last
-- decided once nothing is under way.
CREATE TABLE segments (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL REFERENCES documents (id),
    segment_id  TEXT NOT NULL,
    position    INTEGER NOT NULL,
    domain      TEXT NOT NULL DEFAULT '',
    data_source TEXT NOT NULL DEFAULT '',
    source      TEXT NOT NULL,
    context     TEXT NOT NULL DEFAULT '',
    note        TEXT NOT NULL DEFAULT '',
    status      TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'ungated', 'agreed', 'reannotate', 'adjudicated', 'discarded', 'withdrawn')),
    round       INTEGER NOT NULL DEFAULT 1,
    taken       INTEGER NOT NULL DEFAULT 0,
    held        BOOLEAN NOT NULL DEFAULT FALSE,
    UNIQUE (document_id, segment_id)
);
CREATE UNIQUE INDEX segments_position ON segments (campaign_id, position);
CREATE INDEX segments_in_document ON segments (document_id, position);
CREATE INDEX segments_left_in_document ON segments (document_id, status, position);
CREATE INDEX segments_by_domain ON segments (campaign_id, domain, status);
CREATE INDEX segments_to_hand_out ON segments (campaign_id, status, held, taken, position);

CREATE TABLE reference_texts (
    segment_id TEXT NOT NULL REFERENCES segments (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    text       TEXT NOT NULL,
    PRIMARY KEY (segment_id, name)
);

-- Adjudicated is the gate score a lead entered; null otherwise.
CREATE TABLE translations (
    id          TEXT PRIMARY KEY,
    segment_id  TEXT NOT NULL REFERENCES segments (id) ON DELETE CASCADE,
    system_id   TEXT NOT NULL REFERENCES systems (id),
    text        TEXT NOT NULL,
    adjudicated DOUBLE PRECISION,
    UNIQUE (segment_id, system_id)
);
CREATE INDEX translations_system ON translations (system_id);

-- Averages that came with an import. They are never mixed with ratings.
CREATE TABLE human_scores (
    translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
    name           TEXT NOT NULL,
    score          DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (translation_id, name)
);

-- +goose Down
DROP TABLE human_scores;
DROP TABLE translations;
DROP TABLE reference_texts;
DROP TABLE segments;
DROP TABLE documents;
DROP TABLE systems;
DROP TABLE memberships;
DROP TABLE campaigns;
