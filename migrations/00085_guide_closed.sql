-- +goose Up

-- Whether the annotator has closed the guide that opens at their first visit of an annotate page.
-- Annotators who have begun a segment before are not shown the guide.
ALTER TABLE memberships ADD COLUMN guide_closed BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE memberships SET guide_closed = TRUE
WHERE EXISTS (SELECT 1 FROM assignments a WHERE a.campaign_id = memberships.campaign_id AND a.user_id = memberships.user_id);

-- +goose Down
ALTER TABLE memberships DROP COLUMN guide_closed;
