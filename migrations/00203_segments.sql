-- +goose Up

-- Segments: the texts of a campaign, and what hides those that an import has not brought completely.
--
-- Queries read the views, whose names lack all_. They leave out the rows that nobody may see yet, or any more.
-- Changes go to the tables. A migration that adds a column to one of these tables must make its view anew.

-- The import that is writing into a campaign in many short transactions, so that nobody waits for it. A
-- campaign has one at a time. What it writes is hidden until its last transaction deletes this row. An import
-- that is undone is hidden in the same way, and then deleted in steps.
CREATE TABLE staged_imports (
    campaign_id    TEXT PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    id             TEXT NOT NULL,
    after_position BIGINT NOT NULL, -- segments above this position are hidden
    hides_systems  BOOLEAN NOT NULL DEFAULT FALSE, -- the systems are hidden, too, as the campaign had no segments before
    beat           BIGINT NOT NULL DEFAULT 0, -- rises while a program is at work on the import
    dropped        BOOLEAN NOT NULL DEFAULT FALSE -- the import has failed, and what it wrote is being deleted
);

-- The imports whose rows in tables with an import_id are hidden. The import becomes visible, in one moment,
-- when its row here is deleted.
CREATE TABLE hidden_imports (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE
);

-- The systems of a campaign. A human translation that is rated like a system's is a system, too.
CREATE TABLE all_systems (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    UNIQUE (campaign_id, name)
);
-- The first half of each condition is asked once a query, and mostly spares the second, which is asked for
-- each row.
CREATE VIEW systems AS SELECT * FROM all_systems y
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = y.campaign_id AND i.hides_systems);

-- Documents give their segments an order and a context.
CREATE TABLE documents (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    doc_id      TEXT NOT NULL, -- the id in files
    UNIQUE (campaign_id, doc_id)
);

-- The segments, with their states. Package campaign computes the states from ratings and acts.
CREATE TABLE all_segments (
    id          TEXT PRIMARY KEY,
    campaign_id TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL REFERENCES documents (id),
    segment_id  TEXT NOT NULL, -- the id in files, unique in the document
    position    INTEGER NOT NULL, -- place in the order of import, from 1, over the whole campaign
    domain      TEXT NOT NULL DEFAULT '', -- empty: not known
    data_source TEXT NOT NULL DEFAULT '', -- empty: not known
    source      TEXT NOT NULL, -- the text that was translated
    context     TEXT NOT NULL DEFAULT '', -- text around the source that helps the annotator; may be empty
    note        TEXT NOT NULL DEFAULT '', -- for annotators; may be empty
    term        TEXT NOT NULL DEFAULT '', -- a term of the source that the segment is about; some judges need it
    explication TEXT NOT NULL DEFAULT '', -- what the term means
    status      TEXT NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'agreed', 'below_threshold', 'ungated', 'reannotate', 'adjudicated', 'discarded', 'withdrawn')),
    round       INTEGER NOT NULL DEFAULT 1, -- the round under way, or the last decided one if none is
    complete    INTEGER NOT NULL DEFAULT 0, -- the last complete round; 0: none is
    holding     TEXT NOT NULL DEFAULT '', -- id of the act that decides the segment; empty: its ratings do
    taken       INTEGER NOT NULL DEFAULT 0, -- places of round 1 that are open or submitted
    held        BOOLEAN NOT NULL DEFAULT FALSE, -- a reported problem waits for a lead, and the segment is handed to nobody
    imported    INTEGER NOT NULL DEFAULT 0, -- how many annotators of round 1 came with an import
    rated       BIGINT NOT NULL DEFAULT 0, -- how often ratings of the segment were stored
    UNIQUE (document_id, segment_id)
);
CREATE UNIQUE INDEX segments_position ON all_segments (campaign_id, position);
CREATE INDEX segments_in_document ON all_segments (document_id, position);
CREATE INDEX segments_left_in_document ON all_segments (document_id, status, position);
CREATE INDEX segments_by_domain ON all_segments (campaign_id, domain, status, position); -- with the position, by which the view decides
CREATE INDEX segments_to_hand_out ON all_segments (campaign_id, status, held, taken, position);
CREATE VIEW segments AS SELECT * FROM all_segments s
    WHERE NOT EXISTS (SELECT 1 FROM staged_imports) OR NOT EXISTS (SELECT 1 FROM staged_imports i WHERE i.campaign_id = s.campaign_id AND s.position > i.after_position);

-- Reference translations of segments.
CREATE TABLE all_reference_texts (
    segment_id TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    name       TEXT NOT NULL, -- such as refA
    text       TEXT NOT NULL,
    import_id  TEXT NOT NULL DEFAULT '', -- the import that brought it; empty: it came with the segment
    PRIMARY KEY (segment_id, name)
);
CREATE INDEX reference_texts_import ON all_reference_texts (import_id);
CREATE VIEW reference_texts AS SELECT r.segment_id, r.name, r.text FROM all_reference_texts r
    WHERE r.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = r.import_id);

-- The translation of a segment by a system.
CREATE TABLE translations (
    id         TEXT PRIMARY KEY,
    segment_id TEXT NOT NULL REFERENCES all_segments (id) ON DELETE CASCADE,
    system_id  TEXT NOT NULL REFERENCES all_systems (id),
    text       TEXT NOT NULL, -- empty: the system gave no translation, which is rated as such
    UNIQUE (segment_id, system_id)
);
CREATE INDEX translations_system ON translations (system_id);

-- Error spans that were suggested for a translation before anybody judged it. A translation has one row for
-- each import of suggestions that it was in, of which the view shows one.
CREATE TABLE all_suggestions (
    translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE,
    import_id      TEXT NOT NULL, -- the import that brought them; empty: from before imports were listed
    replaced_by    TEXT NOT NULL DEFAULT '', -- a later import that replaces them as soon as it is visible; empty: none does
    origin         TEXT NOT NULL DEFAULT '', -- what made them; never shown to an annotator
    spans          TEXT NOT NULL, -- JSON array; offsets count code points of the stored text
    PRIMARY KEY (translation_id, import_id)
);
CREATE INDEX suggestions_import ON all_suggestions (import_id);
CREATE INDEX suggestions_replaced ON all_suggestions (replaced_by);
CREATE VIEW suggestions AS SELECT s.translation_id, s.origin, s.spans FROM all_suggestions s
    WHERE (s.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = s.import_id))
    AND (s.replaced_by = '' OR EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = s.replaced_by));
