-- +goose Up

-- Each change of a campaign raises the version of its settings by 1.
ALTER TABLE campaigns ADD COLUMN settings_version INTEGER NOT NULL DEFAULT 1;

-- What each change of a campaign has changed. Version is the one that the change made.
-- Item is title, source_lang, target_lang, state, or the key of a setting. By_id is null
-- for the command line.
CREATE TABLE campaign_changes (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    version     INTEGER NOT NULL,
    item        TEXT NOT NULL,
    was         TEXT NOT NULL,
    became      TEXT NOT NULL,
    by_id       TEXT REFERENCES users (id),
    at          BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, version, item)
);

-- +goose Down
DROP TABLE campaign_changes;
ALTER TABLE campaigns DROP COLUMN settings_version;
