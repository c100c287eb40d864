-- +goose Up

-- An act of the kind "new text" replaces the reference of a segment by the one that its forebear gives now. Undoing the act brings back
-- what the segment had.
ALTER TABLE acts ADD COLUMN text_before    TEXT NOT NULL DEFAULT ''; -- the reference before the act; empty if the act is of another kind
ALTER TABLE acts ADD COLUMN brought_before TEXT NOT NULL DEFAULT ''; -- brought of the lineage before the act
