-- +goose Up

-- Ratings that an import under way brings. They are no ratings yet: the import makes
-- them ratings at its end, a number of segments at a time. The ids refer to segments,
-- translations and users that may still be made by the same import.
CREATE TABLE staged_ratings (
    campaign_id    TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    segment_id     TEXT NOT NULL,
    user_id        TEXT NOT NULL,
    round          INTEGER NOT NULL,
    translation_id TEXT NOT NULL,
    scores         TEXT NOT NULL,
    spans          TEXT NOT NULL,
    gate_score     DOUBLE PRECISION NOT NULL,
    comment        TEXT NOT NULL,
    suggestions    TEXT NOT NULL,
    seconds        DOUBLE PRECISION NOT NULL,
    submitted_at   BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, segment_id, user_id, round, translation_id)
);

-- An import whose staged ratings are becoming ratings. It can no longer fail: whoever
-- comes after a program that was killed goes on with it. Until it is over nobody reads
-- the sums and states of the campaign, nor changes them but by annotating. Annotators
-- are the ids of those whose ratings are imported, with spaces between. Ratings is
-- how many there were at the beginning, placed how many are done.
CREATE TABLE completing_imports (
    campaign_id TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    id          TEXT NOT NULL,
    annotators  TEXT NOT NULL,
    ratings     INTEGER NOT NULL,
    placed      INTEGER NOT NULL DEFAULT 0
);

-- +goose Down
DROP TABLE completing_imports;
DROP TABLE staged_ratings;
