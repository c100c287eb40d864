-- +goose Up

-- Judges: models with a method and settings, or other tools, that rate translations as
-- people do. Their ratings are judgements. Import_id is the import that makes a judge,
-- which is hidden as long as the import is; empty for a judge that was run here.
CREATE TABLE all_judges (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    import_id   TEXT NOT NULL DEFAULT '',
    name        TEXT NOT NULL,
    method      TEXT NOT NULL DEFAULT '',
    model       TEXT NOT NULL DEFAULT '',
    made_at     BIGINT NOT NULL,
    UNIQUE (campaign_id, name)
);
CREATE INDEX judges_import ON all_judges (import_id);
CREATE VIEW judges AS SELECT j.id, j.campaign_id, j.name, j.method, j.model, j.made_at FROM all_judges j
    WHERE j.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = j.import_id);

-- A judge has one judgement of a translation that anybody sees. Import_id and replaced_by
-- hide rows as those of all_suggestions do. Score is null if the judge gave none. Spans are
-- a JSON array of the errors that stand in a text, and null if the judge marks none;
-- unplaced are those whose words stand nowhere. Why says why an answer could not be read.
CREATE TABLE all_judgements (
    translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
    judge_id       TEXT NOT NULL REFERENCES all_judges (id) ON DELETE CASCADE,
    import_id      TEXT NOT NULL DEFAULT '',
    replaced_by    TEXT NOT NULL DEFAULT '',
    status         TEXT NOT NULL CHECK (status IN ('ok', 'unparsable')),
    score          DOUBLE PRECISION,
    scores         TEXT NOT NULL DEFAULT '{}',
    spans          TEXT,
    unplaced       TEXT NOT NULL DEFAULT '[]',
    why            TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (translation_id, judge_id, import_id)
);
CREATE INDEX judgements_judge ON all_judgements (judge_id, status, import_id, replaced_by);
CREATE INDEX judgements_import ON all_judgements (import_id);
CREATE INDEX judgements_replaced ON all_judgements (replaced_by);
CREATE VIEW judgements AS SELECT x.translation_id, x.judge_id, x.import_id, x.status, x.score, x.scores, x.spans, x.unplaced, x.why FROM all_judgements x
    WHERE (x.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = x.import_id))
    AND (x.replaced_by = '' OR EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = x.replaced_by));

-- The calls that led to a judgement, as JSON, compressed and in base64. They are apart,
-- since lists and reports never read them.
CREATE TABLE judgement_traces (
    translation_id TEXT NOT NULL,
    judge_id       TEXT NOT NULL,
    import_id      TEXT NOT NULL DEFAULT '',
    trace          TEXT NOT NULL,
    PRIMARY KEY (translation_id, judge_id, import_id),
    FOREIGN KEY (translation_id, judge_id, import_id) REFERENCES all_judgements (translation_id, judge_id, import_id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE judgement_traces;
DROP VIEW judgements;
DROP TABLE all_judgements;
DROP VIEW judges;
DROP TABLE all_judges;
