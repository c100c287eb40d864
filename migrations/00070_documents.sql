-- +goose Up

-- Context of an assignment says how its page shows the cards: "segment" in an order of
-- their own, "document" in the order of the systems that the annotator has in the whole
-- document, of which the seed is the key. Whole says that the assignment was handed out
-- with all others of its document.
ALTER TABLE assignments ADD COLUMN context TEXT NOT NULL DEFAULT 'segment' CHECK (context IN ('segment', 'document'));
ALTER TABLE assignments ADD COLUMN whole BOOLEAN NOT NULL DEFAULT FALSE;

-- A campaign that is under way goes on as it was begun. What is new holds where a lead
-- chooses it.
UPDATE campaigns SET settings = substr(settings, 1, length(settings) - 1) || ',"context":"segment","assign":"segment"}' WHERE settings LIKE '{"%';

-- +goose Down
ALTER TABLE assignments DROP COLUMN whole;
ALTER TABLE assignments DROP COLUMN context;
