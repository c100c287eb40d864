-- +goose Up

-- What a lead tells the annotators of a campaign. Ends_at is the time from which it is not shown;
-- 0 means that it is shown until a lead ends it.
CREATE TABLE announcements (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    author_id   TEXT NOT NULL REFERENCES users (id),
    text        TEXT NOT NULL,
    at          BIGINT NOT NULL,
    ends_at     BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX announcements_campaign ON announcements (campaign_id, at);

-- Who has confirmed that they have read an announcement.
CREATE TABLE announcement_reads (
    announcement_id TEXT NOT NULL REFERENCES announcements (id) ON DELETE CASCADE,
    user_id         TEXT NOT NULL REFERENCES users (id),
    at              BIGINT NOT NULL,
    PRIMARY KEY (announcement_id, user_id)
);

-- +goose Down
DROP TABLE announcement_reads;
DROP TABLE announcements;
