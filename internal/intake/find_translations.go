package intake

import (
	"fmt"
	"strings"

	"annotate/internal/campaign"
)

type segmentKey struct{ doc, segment string }

type foundText struct {
	id           string
	source       string                      // empty under a protocol without error spans
	translations map[string]foundTranslation // by system
	problem      string
}

type foundTranslation struct {
	id   string
	text string // empty under a protocol without error spans
}

// missing says why there is no translation by a system: the campaign does not know
// it, or the segment was imported without it.
func (im *ratingImport) missing(system string) string {
	if im.systems[system] != "" {
		return fmt.Sprintf("the segment has no translation by the system %q", system)
	}
	return fmt.Sprintf("the campaign has no system %q", system)
}

// find looks up the segments of lines, with the translations that they name.
func (im *ratingImport) find(lines []campaign.NumberedRating) (map[segmentKey]foundText, error) {
	found, err := im.findSegments(lines)
	if err != nil {
		return nil, err
	}
	var ids []string
	byID := map[string][]segmentKey{} // a segment may be named with and without its document
	for key, text := range found {
		if text.problem == "" {
			ids, byID[text.id] = append(ids, text.id), append(byID[text.id], key)
		}
	}
	systems, names := []string{}, map[string]string{}
	for _, line := range lines {
		if id := im.systems[line.Rating.System]; id != "" && names[id] == "" {
			systems, names[id] = append(systems, id), line.Rating.System
		}
	}
	var sources []struct{ ID, Source string }
	if im.c.Rules.Spans != nil {
		if err := im.db.Raw("SELECT id, source FROM segments WHERE id IN ?", ids).Scan(&sources).Error; err != nil {
			return nil, err
		}
	}
	for _, r := range sources {
		for _, key := range byID[r.ID] {
			text := found[key]
			text.source = r.Source
			found[key] = text
		}
	}
	var translations []struct{ ID, SegmentID, SystemID, Text string }
	err = im.db.Raw("SELECT id, segment_id, system_id, "+im.text("text")+" AS text FROM translations WHERE segment_id IN ? AND system_id IN ?", ids, systems).Scan(&translations).Error
	for _, r := range translations {
		for _, key := range byID[r.SegmentID] {
			found[key].translations[names[r.SystemID]] = foundTranslation{r.ID, r.Text}
		}
	}
	return found, err
}

// findSegments looks up the ids of the segments of lines, or what is wrong with
// their names.
func (im *ratingImport) findSegments(lines []campaign.NumberedRating) (map[segmentKey]foundText, error) {
	found := make(map[segmentKey]foundText, len(lines))
	var named []any
	var alone []string // without a document
	for _, line := range lines {
		key := segmentKey{line.Rating.DocID, line.Rating.SegmentID}
		if _, ok := found[key]; ok {
			continue
		}
		text := foundText{problem: fmt.Sprintf("the campaign has no segment %q", key.segment)}
		if key.doc == "" {
			alone = append(alone, key.segment)
		} else {
			text.problem += fmt.Sprintf(" in document %q", key.doc)
			named = append(named, key.doc, key.segment)
		}
		found[key] = text
	}
	if len(named) > 0 {
		var rows []struct{ ID, DocID, SegmentID string }
		err := im.db.Raw(`SELECT s.id, d.doc_id, s.segment_id FROM (VALUES `+strings.TrimSuffix(strings.Repeat("(?,?),", len(named)/2), ",")+`) AS v
			JOIN documents d ON d.campaign_id = ? AND d.doc_id = v.column1
			JOIN segments s ON s.document_id = d.id AND s.segment_id = v.column2`, append(named, im.c.ID)...).Scan(&rows).Error
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			found[segmentKey{r.DocID, r.SegmentID}] = foundText{id: r.ID, translations: map[string]foundTranslation{}}
		}
	}
	if len(alone) > 0 {
		var rows []struct {
			ID, SegmentID string
			Documents     int
		}
		err := im.db.Raw("SELECT min(id) AS id, segment_id, count(*) AS documents FROM segments WHERE campaign_id = ? AND segment_id IN ? GROUP BY segment_id", im.c.ID, alone).Scan(&rows).Error
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			text := foundText{id: r.ID, translations: map[string]foundTranslation{}}
			if r.Documents > 1 {
				text.problem = fmt.Sprintf("several documents have a segment %q; name the document with doc_id", r.SegmentID)
			}
			found[segmentKey{segment: r.SegmentID}] = text
		}
	}
	return found, nil
}

// text is a column of what spans lie in; nothing where there are none.
func (im *ratingImport) text(column string) string {
	if im.c.Rules.Spans == nil {
		return "''"
	}
	return column
}
