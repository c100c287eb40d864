-- +goose Up

-- Messages between annotators and leads.

-- What an annotator could not judge. The segment waits for a lead.
CREATE TABLE problems (
    id            TEXT PRIMARY KEY,
    campaign_id   TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    segment_id    TEXT NOT NULL REFERENCES all_segments (id),
    assignment_id TEXT NOT NULL REFERENCES assignments (id),
    text          TEXT NOT NULL,
    reported_at   BIGINT NOT NULL,
    resolved_at   BIGINT NOT NULL DEFAULT 0, -- 0: it waits for a lead
    answer        TEXT NOT NULL DEFAULT '',
    batch         TEXT NOT NULL DEFAULT '' -- of the acts that answered it, so that undoing opens it again; empty: none did
);
CREATE INDEX problems_open ON problems (campaign_id, resolved_at);
CREATE INDEX problems_segment ON problems (segment_id);
CREATE INDEX problems_assignment ON problems (assignment_id);

-- A conversation about a segment between one annotator and the leads. The problems that the annotator reported
-- on the segment belong to it, too.
CREATE TABLE threads (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    segment_id  TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id), -- the annotator
    waits       BOOLEAN NOT NULL DEFAULT FALSE, -- the annotator asked something, and no lead has answered or settled it
    read_at     BIGINT NOT NULL DEFAULT 0, -- time of the last words of a lead that the annotator has seen
    changed_at  BIGINT NOT NULL, -- time of the last message or problem
    UNIQUE (segment_id, user_id)
);
CREATE INDEX threads_campaign ON threads (campaign_id, changed_at, id);
CREATE INDEX threads_waiting ON threads (campaign_id, segment_id, user_id) WHERE waits;
CREATE INDEX threads_user ON threads (user_id, campaign_id);

CREATE TABLE messages (
    id        TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    author_id TEXT NOT NULL REFERENCES users (id),
    by_lead   BOOLEAN NOT NULL, -- the author wrote it as a lead
    text      TEXT NOT NULL,
    token     TEXT NOT NULL, -- names the message that a page sends, so that a repeated request is recognised
    at        BIGINT NOT NULL,
    UNIQUE (thread_id, token)
);
CREATE INDEX messages_thread ON messages (thread_id, at);

-- What a lead tells all annotators of a campaign.
CREATE TABLE announcements (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    author_id   TEXT NOT NULL REFERENCES users (id),
    text        TEXT NOT NULL,
    at          BIGINT NOT NULL,
    ends_at     BIGINT NOT NULL DEFAULT 0 -- it is not shown from then on; 0: it is shown until a lead ends it
);
CREATE INDEX announcements_campaign ON announcements (campaign_id, at);

-- Who has confirmed that they have read an announcement.
CREATE TABLE announcement_reads (
    announcement_id TEXT NOT NULL REFERENCES announcements (id) ON DELETE CASCADE,
    user_id         TEXT NOT NULL REFERENCES users (id),
    at              BIGINT NOT NULL,
    PRIMARY KEY (announcement_id, user_id)
);
