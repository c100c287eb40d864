-- +goose Up

-- Undoing an act of adjudication opens the adjudication again that it came of, by its row
-- of act_assignments. Adjudications that were submitted or imported before get that row.
INSERT INTO act_assignments (batch, assignment_id, state, added)
    SELECT c.batch, a.id, 'adjudicating', FALSE
    FROM (SELECT batch, segment_id, by_id, reason LIKE 'adjudication imported from %' AS imported,
            row_number() OVER (PARTITION BY segment_id, by_id, reason LIKE 'adjudication imported from %' ORDER BY seq) AS n
        FROM acts WHERE kind = 'adjudicate' AND round = 0) c
    JOIN (SELECT id, segment_id, user_id, imported, row_number() OVER (PARTITION BY segment_id, user_id, imported ORDER BY round) AS n
        FROM assignments WHERE state = 'adjudicated') a
        ON a.segment_id = c.segment_id AND a.user_id = c.by_id AND a.n = c.n AND a.imported = c.imported
    WHERE NOT EXISTS (SELECT 1 FROM act_assignments x WHERE x.batch = c.batch AND x.assignment_id = a.id);

-- Those whose act was undone are in work again.
UPDATE assignments SET state = 'adjudicating', submitted_at = 0, seconds = 0
    WHERE state = 'adjudicated' AND EXISTS (SELECT 1 FROM act_assignments x JOIN acts c ON c.batch = x.batch AND c.segment_id = assignments.segment_id
        WHERE x.assignment_id = assignments.id AND x.state = 'adjudicating' AND c.undone);

-- +goose Down
DELETE FROM act_assignments WHERE state = 'adjudicating';
