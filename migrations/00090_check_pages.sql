-- +goose Up

-- doc_id is the id of the document of which the page is a copy. Annotators see numbers instead of ids, so
-- that a page needs no place among the positions of the campaign.
ALTER TABLE check_pages DROP COLUMN place;
UPDATE check_pages SET doc_id = coalesce((SELECT d.doc_id FROM documents d WHERE d.id = check_pages.of_document), doc_id);

-- +goose Down
ALTER TABLE check_pages ADD COLUMN place DOUBLE PRECISION NOT NULL DEFAULT 0;
