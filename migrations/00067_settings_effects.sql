-- +goose Up

-- What a change of settings does to the segments of a large campaign, which follow it in
-- steps. Version is that of the settings which the change made. Position is that of the
-- last segment that follows, followed how many do, segments how many there were at the
-- beginning. Early counts ratings that got another score before the change came to their
-- segment, since the segment was submitted meanwhile. Effect is what became of them so far, as JSON. A row that is not done is gone
-- on with by whoever comes after a program that was killed.
CREATE TABLE settings_effects (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    version     INTEGER NOT NULL,
    by_id       TEXT REFERENCES users (id),
    rescores    BOOLEAN NOT NULL,
    position    INTEGER NOT NULL DEFAULT 0,
    followed    INTEGER NOT NULL DEFAULT 0,
    segments    INTEGER NOT NULL,
    early       INTEGER NOT NULL DEFAULT 0,
    effect      TEXT NOT NULL,
    done        BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (campaign_id, version)
);

-- +goose Down
DROP TABLE settings_effects;
