-- +goose Up

-- Metrics: imported scores of translations that are not ratings of the campaign.

-- Averages of human ratings that came with an import. They are never mixed with ratings.
CREATE TABLE human_scores (
    translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
    name           TEXT NOT NULL, -- such as mqm
    score          DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (translation_id, name)
);

-- Automatic metrics whose scores were imported.
CREATE TABLE metrics (
    id              TEXT PRIMARY KEY,
    campaign_id     TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    name            TEXT NOT NULL, -- the id while staged
    metric_group    TEXT NOT NULL DEFAULT '', -- such as judge, neural or surface; empty: none
    lower_is_better BOOLEAN NOT NULL DEFAULT FALSE, -- as for TER
    import_id       TEXT NOT NULL DEFAULT '', -- the import that brought the scores; empty: from before imports were listed
    staged          BOOLEAN NOT NULL DEFAULT FALSE, -- nobody sees it: its scores are being imported, or were replaced or undone
    replaced_by     TEXT NOT NULL DEFAULT '', -- the later import that put other scores in their place; empty: none did
    replaced_name   TEXT NOT NULL DEFAULT '', -- the name that it gets back if that import is undone
    UNIQUE (campaign_id, name)
);

-- Scores of translations. The table metric_segment_scores has taken its place (00215).
CREATE TABLE metric_scores (
    metric_id      TEXT NOT NULL REFERENCES metrics (id) ON DELETE CASCADE,
    translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
    score          DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (translation_id, metric_id)
);
CREATE INDEX metric_scores_metric ON metric_scores (metric_id);

-- Scores of whole systems, where they are not the means of those of their translations.
CREATE TABLE metric_system_scores (
    metric_id TEXT NOT NULL REFERENCES metrics (id) ON DELETE CASCADE,
    system_id TEXT NOT NULL REFERENCES all_systems (id) ON DELETE CASCADE,
    score     DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (metric_id, system_id)
);
CREATE INDEX metric_system_scores_system ON metric_system_scores (system_id);
