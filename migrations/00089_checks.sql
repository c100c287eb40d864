-- +goose Up

-- A page of a check: a segment of a side campaign of checks, made for one annotator. It is a copy of
-- of_segment in of_document, which may be gone by now. doc_id is the id of the document that the
-- annotator sees, and place is where the segment stands among the positions of the campaign in the
-- annotator's own list. The page is locked together with the assignment lock_with.
CREATE TABLE check_pages (
    segment_id  TEXT PRIMARY KEY REFERENCES all_segments (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL REFERENCES users (id),
    of_segment  TEXT NOT NULL,
    of_document TEXT NOT NULL,
    doc_id      TEXT NOT NULL,
    place       DOUBLE PRECISION NOT NULL,
    lock_with   TEXT NOT NULL DEFAULT ''
);
CREATE INDEX check_pages_user ON check_pages (user_id);

-- A translation that is judged as a check, with the translation that it is a copy of. A check that a
-- lead has removed is not counted.
CREATE TABLE checks (
    translation_id TEXT PRIMARY KEY REFERENCES translations (id) ON DELETE CASCADE,
    of_translation TEXT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('degraded', 'repeat', 'known')),
    removed        BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX checks_of ON checks (of_translation);

-- The damaged text of a translation, as all annotators get it. A removed one is used no more.
-- campaign_id is the side campaign.
CREATE TABLE degraded_texts (
    campaign_id    TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    of_translation TEXT NOT NULL,
    text           TEXT NOT NULL,
    removed        BOOLEAN NOT NULL DEFAULT FALSE,
    made_at        BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, of_translation)
);

-- The gate score that a lead gives to a translation of the campaign, for checks.
CREATE TABLE known_answers (
    translation_id TEXT PRIMARY KEY REFERENCES translations (id) ON DELETE CASCADE,
    campaign_id    TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    score          DOUBLE PRECISION NOT NULL,
    given_at       BIGINT NOT NULL
);
CREATE INDEX known_answers_campaign ON known_answers (campaign_id);

-- +goose Down
DROP TABLE known_answers;
DROP TABLE degraded_texts;
DROP TABLE checks;
DROP TABLE check_pages;
