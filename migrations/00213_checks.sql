-- +goose Up

-- Checks: copies of documents that show how carefully an annotator works. They are segments of a side campaign,
-- each made for one annotator.

-- A page of a check: a segment of the side campaign.
CREATE TABLE check_pages (
    segment_id  TEXT PRIMARY KEY REFERENCES all_segments (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id), -- the annotator that it was made for
    of_segment  TEXT NOT NULL, -- id of the segment that it is a copy of, which may be gone
    of_document TEXT NOT NULL, -- id of that segment's document, which may be gone
    doc_id      TEXT NOT NULL, -- that document's id in files
    lock_with   TEXT NOT NULL DEFAULT '' -- id of the assignment with which it can no longer be changed; empty: none
);
CREATE INDEX check_pages_user ON check_pages (user_id);

-- A translation on such a page that is judged as a check.
CREATE TABLE checks (
    translation_id TEXT PRIMARY KEY REFERENCES translations (id) ON DELETE CASCADE,
    of_translation TEXT NOT NULL, -- id of the translation that it is a copy of
    kind           TEXT NOT NULL CHECK (kind IN ('degraded', 'repeat', 'known')),
    removed        BOOLEAN NOT NULL DEFAULT FALSE -- a lead has removed it, and it is not counted
);
CREATE INDEX checks_of ON checks (of_translation);

-- The damaged text of a translation, which is the same for all annotators.
CREATE TABLE degraded_texts (
    campaign_id    TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, -- the side campaign
    of_translation TEXT NOT NULL, -- id of the translation
    text           TEXT NOT NULL,
    removed        BOOLEAN NOT NULL DEFAULT FALSE, -- it is used no more
    made_at        BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, of_translation)
);

-- The gate score that a lead gives to a translation of the campaign, for checks of the kind known.
CREATE TABLE known_answers (
    translation_id TEXT PRIMARY KEY REFERENCES translations (id) ON DELETE CASCADE,
    campaign_id    TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, -- not the side campaign
    score          DOUBLE PRECISION NOT NULL,
    given_at       BIGINT NOT NULL
);
CREATE INDEX known_answers_campaign ON known_answers (campaign_id);
