package intake

import (
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// A storedSegment is a segment that is already in the campaign, from this file or from an earlier
// one.
type storedSegment struct {
	id           string
	position     int
	waits        bool // the segment was taken over, so its translations may come later
	source       string
	translations map[string]foundTranslation // by system; only when merging, and if waits
	candidates   map[string]bool             // by name; only if waits
	earlier      []string                    // sources of the segments before it in the chain; only if waits
}

type storedKey struct{ document, segment string }

// A storedRow is a row of the query of stored.
type storedRow struct {
	ID, DocumentID, SegmentID, Source string
	Position                          int
	Waits                             bool
}

// stored finds the segments of a batch that are already in the campaign.
func (im *segmentImport) stored(batch []campaign.SegmentLine, documents map[string]string) (map[storedKey]storedSegment, error) {
	ids := make([]any, 0, 2*len(batch))
	for _, line := range batch {
		ids = append(ids, documents[line.Segment.DocID], line.Segment.SegmentID)
	}
	var rows []storedRow
	err := im.db.Raw(`SELECT s.id, s.document_id, s.segment_id, s.position, s.source,
			EXISTS (SELECT 1 FROM lineage l WHERE l.segment_id = s.id) AS waits
		FROM (VALUES `+strings.TrimSuffix(strings.Repeat("(?,?),", len(batch)), ",")+`) AS v
		JOIN all_segments s ON s.document_id = v.column1 AND s.segment_id = v.column2`, ids...).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	found := make([]string, len(rows))
	for i, r := range rows {
		found[i] = r.ID
	}
	translations, candidates := map[string]map[string]foundTranslation{}, map[string]map[string]bool{}
	var earlier map[string][]string
	waits := slices.ContainsFunc(rows, func(r storedRow) bool { return r.Waits })
	if im.merging || waits {
		if translations, err = translationsOf(im.db, found); err != nil {
			return nil, err
		}
	}
	if waits {
		if candidates, err = candidatesOf(im.db, found); err != nil {
			return nil, err
		}
		if earlier, err = earlierSources(im.db, found); err != nil {
			return nil, err
		}
	}
	out := make(map[storedKey]storedSegment, len(rows))
	for _, r := range rows {
		out[storedKey{r.DocumentID, r.SegmentID}] = storedSegment{r.ID, r.Position, r.Waits, r.Source, translations[r.ID],
			candidates[r.ID], earlier[r.ID]}
	}
	return out, nil
}

// translationsOf reads the translations of segments, by segment and system.
func translationsOf(db *gorm.DB, segments []string) (map[string]map[string]foundTranslation, error) {
	var rows []struct{ ID, SegmentID, Name, Text string }
	err := db.Raw("SELECT t.id, t.segment_id, y.name, t.text FROM translations t JOIN all_systems y ON y.id = t.system_id WHERE t.segment_id IN ?", segments).
		Scan(&rows).
		Error
	out := make(map[string]map[string]foundTranslation, len(segments))
	for _, r := range rows {
		if out[r.SegmentID] == nil {
			out[r.SegmentID] = map[string]foundTranslation{}
		}
		out[r.SegmentID][r.Name] = foundTranslation{ID: r.ID, Text: r.Text}
	}
	return out, err
}

// lacks reports whether a line has translations or candidates and the segment has none of them.
func (seg storedSegment) lacks(of campaign.Segment) bool {
	if of.RatedItself() {
		return len(of.Candidates) > 0 && !slices.ContainsFunc(of.Candidates, func(c campaign.CandidateText) bool { return seg.candidates[c.Name] })
	}
	return len(of.Translations) > 0 && !slices.ContainsFunc(of.Translations, func(t campaign.Translation) bool {
		_, has := seg.translations[t.System]
		return has
	})
}

// knows reports whether a text is the source of the segment, or of one before it in the chain. White space at the ends is not
// compared.
func (seg storedSegment) knows(source string) bool {
	return sameWords(source, seg.source) || slices.ContainsFunc(seg.earlier, func(s string) bool { return sameWords(source, s) })
}

// earlierSources reads the sources of the segments before some segments in their chains.
func earlierSources(db *gorm.DB, segments []string) (map[string][]string, error) {
	var rows []struct{ SegmentID, Source string }
	err := db.Raw("SELECT l.segment_id, f.source FROM lineage l JOIN all_segments f ON f.id = l.from_segment WHERE l.segment_id IN ?", segments).Scan(&rows).Error
	out := map[string][]string{}
	for _, r := range rows {
		out[r.SegmentID] = append(out[r.SegmentID], r.Source)
	}
	return out, err
}

// candidatesOf reads the names of the candidates of segments, by segment.
func candidatesOf(db *gorm.DB, segments []string) (map[string]map[string]bool, error) {
	var rows []struct{ SegmentID, Name string }
	err := db.Raw("SELECT segment_id, name FROM candidates WHERE segment_id IN ?", segments).Scan(&rows).Error
	out := map[string]map[string]bool{}
	for _, r := range rows {
		if out[r.SegmentID] == nil {
			out[r.SegmentID] = map[string]bool{}
		}
		out[r.SegmentID][r.Name] = true
	}
	return out, err
}
