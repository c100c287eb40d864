-- +goose Up

-- Chains: campaigns that take over what others have settled.

-- Which campaign a campaign follows. A campaign without a row follows nobody.
CREATE TABLE follows (
    campaign_id TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE, -- the follower
    from_id     TEXT NOT NULL, -- id of the campaign that it follows; that campaign may be deleted
    from_title  TEXT NOT NULL, -- its title when the follower began to follow it
    conditions  TEXT NOT NULL DEFAULT '[]', -- JSON array of conditions on answers, such as "keep=yes"; all of them hold
    carries     TEXT NOT NULL DEFAULT '' -- what segments bring (campaign.Carries), with spaces between
);
CREATE INDEX follows_from ON follows (from_id);

-- The forebears of segments that were taken over: the segment of the campaign that is followed, the segment that this one
-- came from, and so on. Forebears may be deleted.
CREATE TABLE lineage (
    segment_id    TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    depth         INTEGER NOT NULL, -- 1: the segment of the campaign that is followed
    from_segment  TEXT NOT NULL, -- id of the forebear
    from_campaign TEXT NOT NULL, -- id of its campaign
    stage         TEXT NOT NULL, -- title of its campaign at that time
    brought       TEXT NOT NULL DEFAULT '{}', -- JSON: what the forebear gave (campaign.Brought); {} above depth 1
    PRIMARY KEY (segment_id, depth)
);
CREATE INDEX lineage_from ON lineage (from_segment, depth);

-- The campaigns that a campaign is kept apart from: nobody gets a segment here whose forebear they had there.
CREATE TABLE aparts (
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    other_id    TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    PRIMARY KEY (campaign_id, other_id)
);
CREATE INDEX aparts_other ON aparts (other_id);

-- The rule of aparts: the segments that people had a forebear of.
CREATE VIEW kept_apart AS SELECT l.segment_id, a.user_id
    FROM all_segments g JOIN aparts p ON p.campaign_id = g.campaign_id JOIN lineage l ON l.segment_id = g.id AND l.from_campaign = p.other_id
    JOIN assignments a ON a.segment_id = l.from_segment;
