-- +goose Up

-- Who annotates what, see campaign.Plan. A campaign without a row here has no plan. Version rises
-- with each change. Pull says that places that nobody is planned for go to whoever asks for work.
-- Documents with segments above seen_position came later, and pools have not taken them yet.
CREATE TABLE plans (
    campaign_id   TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    version       INTEGER NOT NULL,
    pull          BOOLEAN NOT NULL,
    seen_position BIGINT NOT NULL
);

CREATE TABLE plan_pools (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    domain      TEXT NOT NULL DEFAULT '',
    pattern     TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (campaign_id, name)
);

CREATE TABLE plan_pool_members (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    pool        TEXT NOT NULL,
    user_id     TEXT NOT NULL REFERENCES users (id),
    PRIMARY KEY (campaign_id, pool, user_id)
);

-- Due_on is a day such as 2026-11-20 in the campaign's time zone; empty if there is none.
CREATE TABLE plan_batches (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    priority    INTEGER NOT NULL DEFAULT 0,
    due_on      TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (campaign_id, name)
);

-- Annotators who should not have an equal share. Away lists days as campaign.ParseAway reads them.
CREATE TABLE plan_people (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    share       DOUBLE PRECISION NOT NULL DEFAULT 1,
    words       BIGINT NOT NULL DEFAULT 0,
    away        TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (campaign_id, user_id)
);

-- The documents that are in a pool or a batch; the name is empty if they are not in one.
CREATE TABLE plan_documents (
    document_id TEXT PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    pool        TEXT NOT NULL DEFAULT '',
    batch       TEXT NOT NULL DEFAULT ''
);
CREATE INDEX plan_documents_batch ON plan_documents (campaign_id, batch);

-- The annotators of a document. Planned_on is empty for an annotator who began it without a plan.
-- Finished is a note for handing out: the annotator has had every segment of the document that was
-- pending then.
CREATE TABLE plan_turns (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    planned_on  TEXT NOT NULL DEFAULT '',
    finished    BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (document_id, user_id)
);
CREATE INDEX plan_turns_of_user ON plan_turns (campaign_id, user_id, finished);

-- +goose Down
DROP TABLE plan_turns;
DROP TABLE plan_documents;
DROP TABLE plan_people;
DROP TABLE plan_batches;
DROP TABLE plan_pool_members;
DROP TABLE plan_pools;
DROP TABLE plans;
