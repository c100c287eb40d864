-- +goose Up

-- Plans: who is to annotate which documents of a campaign, in the terms of package plan.

-- A campaign without a row has no plan.
CREATE TABLE plans (
    campaign_id   TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    version       INTEGER NOT NULL, -- rises with each change
    pull          BOOLEAN NOT NULL, -- places that nobody is planned for go to whoever asks for work
    seen_position BIGINT NOT NULL -- pools have not taken the documents yet that have segments above this position
);

-- Sets of documents that only their members are handed.
CREATE TABLE plan_pools (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    domain      TEXT NOT NULL DEFAULT '', -- takes documents whose first segment has it; empty: any
    pattern     TEXT NOT NULL DEFAULT '', -- takes documents whose doc_id matches it, with * and ?; empty: any
    PRIMARY KEY (campaign_id, name)
);

CREATE TABLE plan_pool_members (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    pool        TEXT NOT NULL, -- its name
    user_id     TEXT NOT NULL REFERENCES users (id),
    PRIMARY KEY (campaign_id, pool, user_id)
);

-- Sets of documents that are handed out together.
CREATE TABLE plan_batches (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    priority    INTEGER NOT NULL DEFAULT 0, -- from -1000 to 1000; the highest comes first
    due_on      TEXT NOT NULL DEFAULT '', -- a day such as 2026-11-20 in the campaign's time zone; empty: none
    PRIMARY KEY (campaign_id, name)
);

-- Annotators who are not to have an equal share.
CREATE TABLE plan_people (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    share       DOUBLE PRECISION NOT NULL DEFAULT 1, -- part of the words, relative to the shares of others; 0: none
    words       BIGINT NOT NULL DEFAULT 0, -- words to give them, whatever the share; 0: by share
    away        TEXT NOT NULL DEFAULT '', -- days without work, such as "2026-11-20..2026-11-24"; empty: none
    PRIMARY KEY (campaign_id, user_id)
);

-- The documents that are in a pool or a batch.
CREATE TABLE plan_documents (
    document_id TEXT PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    pool        TEXT NOT NULL DEFAULT '', -- its name; empty: none
    batch       TEXT NOT NULL DEFAULT '' -- its name; empty: none
);
CREATE INDEX plan_documents_batch ON plan_documents (campaign_id, batch);

-- The annotators of a document.
CREATE TABLE plan_turns (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    planned_on  TEXT NOT NULL DEFAULT '', -- a day as in plan_batches; empty: the annotator began the document without a plan
    finished    BOOLEAN NOT NULL DEFAULT FALSE, -- for handing out: the annotator has had all that was pending of the document
    PRIMARY KEY (document_id, user_id)
);
CREATE INDEX plan_turns_of_user ON plan_turns (campaign_id, user_id, finished);
