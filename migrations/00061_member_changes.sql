-- +goose Up

-- Whether somebody is an active annotator has changed, and so the states of the segments
-- that they were ever given. Where these are many, they are followed in steps after the
-- change, and a row stands here until all are. Change rises with every change.
CREATE TABLE member_changes (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    change      BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (campaign_id, user_id)
);

-- +goose Down
DROP TABLE member_changes;
