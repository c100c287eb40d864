-- +goose Up

-- Judges: models with a method and settings, or other tools, that rate translations as people do. What they
-- say are judgements.

CREATE TABLE all_judges (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    import_id   TEXT NOT NULL DEFAULT '', -- the import that made the judge; empty: it was run here
    name        TEXT NOT NULL,
    method      TEXT NOT NULL DEFAULT '', -- empty: not known
    model       TEXT NOT NULL DEFAULT '', -- empty: not known
    about       TEXT NOT NULL DEFAULT '', -- what a file of judgements says about the judge, in words; empty: nothing, or it was run here
    made_at     BIGINT NOT NULL,
    UNIQUE (campaign_id, name)
);
CREATE INDEX judges_import ON all_judges (import_id);
CREATE VIEW judges AS SELECT j.id, j.campaign_id, j.name, j.method, j.model, j.made_at, j.about FROM all_judges j
    WHERE j.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = j.import_id);

-- The judgement of a translation by a judge. The view shows at most one of each.
CREATE TABLE all_judgements (
    translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
    judge_id       TEXT NOT NULL REFERENCES all_judges (id) ON DELETE CASCADE,
    import_id      TEXT NOT NULL DEFAULT '', -- the import that brought it; empty: the judge was run here
    replaced_by    TEXT NOT NULL DEFAULT '', -- a later import that replaces it as soon as it is visible; empty: none does
    status         TEXT NOT NULL CHECK (status IN ('ok', 'unparsable')),
    score          DOUBLE PRECISION, -- null: the judge gave none
    scores         TEXT NOT NULL DEFAULT '{}', -- JSON object of further scores by name
    spans          TEXT, -- JSON array of the errors that stand in a text; null: the judge marks none
    unplaced       TEXT NOT NULL DEFAULT '[]', -- JSON array of the errors whose words stand in no text
    why            TEXT NOT NULL DEFAULT '', -- why the answer could not be read, or the reason that the judge gives for its score
    PRIMARY KEY (translation_id, judge_id, import_id)
);
CREATE INDEX judgements_judge ON all_judgements (judge_id, status, import_id, replaced_by);
CREATE INDEX judgements_import ON all_judgements (import_id);
CREATE INDEX judgements_replaced ON all_judgements (replaced_by);
CREATE VIEW judgements AS SELECT x.translation_id, x.judge_id, x.import_id, x.status, x.score, x.scores, x.spans, x.unplaced, x.why FROM all_judgements x
    WHERE (x.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = x.import_id))
    AND (x.replaced_by = '' OR EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = x.replaced_by));

-- The calls that led to a judgement. They are apart, since lists never read them.
CREATE TABLE judgement_traces (
    translation_id TEXT NOT NULL,
    judge_id       TEXT NOT NULL,
    import_id      TEXT NOT NULL DEFAULT '',
    trace          TEXT NOT NULL, -- JSON, compressed and in base64
    PRIMARY KEY (translation_id, judge_id, import_id),
    FOREIGN KEY (translation_id, judge_id, import_id) REFERENCES all_judgements (translation_id, judge_id, import_id) ON DELETE CASCADE
);

-- How a judge that was run here works, and how far it is. It has to judge every translation that has no
-- judgement of it, in the order of import.
CREATE TABLE judge_runs (
    judge_id       TEXT PRIMARY KEY REFERENCES all_judges (id) ON DELETE CASCADE,
    method_version INTEGER NOT NULL,
    prompt_hash    TEXT NOT NULL, -- of the method's prompts, which must be the same when the run goes on
    settings       TEXT NOT NULL, -- JSON (records.JudgeSettings)
    state          TEXT NOT NULL CHECK (state IN ('running', 'stopped', 'done')),
    reason         TEXT NOT NULL DEFAULT '', -- why it stopped
    runner         TEXT NOT NULL DEFAULT '', -- names the program that works on it; empty: none does
    beat           BIGINT NOT NULL DEFAULT 0, -- rises while the runner is alive
    stop           BOOLEAN NOT NULL DEFAULT FALSE, -- somebody asks it to stop
    calls          BIGINT NOT NULL DEFAULT 0, -- replies that were received, in all runs
    input_tokens   BIGINT NOT NULL DEFAULT 0, -- of these replies
    output_tokens  BIGINT NOT NULL DEFAULT 0,
    failed         BIGINT NOT NULL DEFAULT 0, -- translations whose calls failed in the latest run
    began_at       BIGINT NOT NULL, -- when the first run began
    since          BIGINT NOT NULL DEFAULT 0, -- when the latest run began
    changed_at     BIGINT NOT NULL
);

-- Replies of models. A reply that is here is never asked for again.
CREATE TABLE judge_replies (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    id          TEXT NOT NULL, -- hash of what was asked: model, messages, temperature and attempt
    reply       TEXT NOT NULL,
    PRIMARY KEY (campaign_id, id)
);

-- The segments that a judge found its threshold with. It does not judge them.
CREATE TABLE judge_calibrations (
    judge_id   TEXT NOT NULL REFERENCES all_judges (id) ON DELETE CASCADE,
    segment_id TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    PRIMARY KEY (judge_id, segment_id)
);
CREATE INDEX judge_calibrations_segment ON judge_calibrations (segment_id);
