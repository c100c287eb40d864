-- +goose Up

-- How a judge that was run here works, and how far it is. Its queue is every translation
-- that has no judgement of it, in the order of import. Settings are JSON. Runner is the
-- program that works on it; beat rises while it does. Stop asks it to stop. The numbers are
-- those of all replies that were received: a reply and its tokens are stored together.
CREATE TABLE judge_runs (
    judge_id       TEXT PRIMARY KEY REFERENCES all_judges (id) ON DELETE CASCADE,
    method_version INTEGER NOT NULL,
    prompt_hash    TEXT NOT NULL,
    settings       TEXT NOT NULL,
    state          TEXT NOT NULL CHECK (state IN ('running', 'stopped', 'done')),
    reason         TEXT NOT NULL DEFAULT '',
    runner         TEXT NOT NULL DEFAULT '',
    beat           BIGINT NOT NULL DEFAULT 0,
    stop           BOOLEAN NOT NULL DEFAULT FALSE,
    calls          BIGINT NOT NULL DEFAULT 0,
    input_tokens   BIGINT NOT NULL DEFAULT 0,
    output_tokens  BIGINT NOT NULL DEFAULT 0,
    failed         BIGINT NOT NULL DEFAULT 0,
    began_at       BIGINT NOT NULL,
    changed_at     BIGINT NOT NULL
);

-- Replies of models, by a hash of what was asked: model, messages, temperature and attempt.
-- A reply that is here is never asked for again.
CREATE TABLE judge_replies (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    id          TEXT NOT NULL,
    reply       TEXT NOT NULL,
    PRIMARY KEY (campaign_id, id)
);

-- +goose Down
DROP TABLE judge_replies;
DROP TABLE judge_runs;
