-- +goose Up

-- About is the line that a file of judgements has about its judge: method, prompts, model, server, days and
-- parameters. It is empty for a judge that was run here, whose line is made from its run.
ALTER TABLE all_judges ADD COLUMN about TEXT NOT NULL DEFAULT '';
DROP VIEW judges;
CREATE VIEW judges AS SELECT j.id, j.campaign_id, j.name, j.method, j.model, j.made_at, j.about FROM all_judges j
    WHERE j.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = j.import_id);

-- The segments that a judge found its threshold with. It does not judge them.
CREATE TABLE judge_calibrations (
    judge_id   TEXT NOT NULL REFERENCES all_judges (id) ON DELETE CASCADE,
    segment_id TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    PRIMARY KEY (judge_id, segment_id)
);
CREATE INDEX judge_calibrations_segment ON judge_calibrations (segment_id);

-- +goose Down
DROP TABLE judge_calibrations;
DROP VIEW judges;
ALTER TABLE all_judges DROP COLUMN about;
CREATE VIEW judges AS SELECT j.id, j.campaign_id, j.name, j.method, j.model, j.made_at FROM all_judges j
    WHERE j.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = j.import_id);
