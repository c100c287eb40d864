package intake

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// A segmentKey is how a line of a file names a segment. Its document may be left empty.
type segmentKey struct{ doc, segment string }

// A translationName is how a line of a file names a translation.
type translationName struct {
	segmentKey
	system string
}

func nameOf(docID, segmentID, system string) translationName {
	return translationName{segmentKey{docID, segmentID}, system}
}

// A finder looks up the translations that lines name, many at once.
type finder struct {
	db      *gorm.DB
	c       campaign.Campaign
	systems map[string]string // id by name
	texts   bool              // look up texts, which spans lie in
}

// foundTranslations are the translations of some names.
type foundTranslations struct {
	systems  map[string]string // id by name
	segments map[segmentKey]foundText
}

type foundText struct {
	id           string
	source       string                      // empty unless texts are looked up
	translations map[string]foundTranslation // by system
	problem      *campaign.Problem           // why there is no such segment, without a place
}

type foundTranslation struct {
	id   string
	text string // empty unless texts are looked up
}

// target is the translation of a name that a line at a place has; what is wrong with the
// line where there is none.
func (f foundTranslations) target(name translationName, at records.Place) (target, *campaign.Problem) {
	text := f.segments[name.segmentKey]
	if text.problem != nil {
		return target{}, placed(*text.problem, at)
	}
	t, ok := text.translations[name.system]
	switch {
	case ok:
		return target{text.id, t.id, protocol.Texts{Source: text.source, Translation: t.text}}, nil
	case f.systems[name.system] != "":
		return target{}, placed(campaign.Problem{Field: "system", Kind: "no translation",
			Msg: fmt.Sprintf("segment %q has no translation by the system %q; correct the line, or leave it out", name.segment, name.system)}, at)
	}
	return target{}, placed(*noSystem(name.system, f.systems), at)
}

// placed is a problem at a place.
func placed(p campaign.Problem, at records.Place) *campaign.Problem {
	p.File, p.Line = at.File, at.Line
	return &p
}

// noSystem says that there is no system of a name, and which ones there are.
func noSystem(name string, systems map[string]string) *campaign.Problem {
	const most = 10
	quoted := make([]string, 0, most)
	for _, system := range slices.Sorted(maps.Keys(systems)) {
		if len(quoted) == most {
			break
		}
		quoted = append(quoted, strconv.Quote(system))
	}
	are := strings.Join(quoted, ", ")
	if n := len(systems) - most; n > 0 {
		are += fmt.Sprintf(" and %d more", n)
	}
	return &campaign.Problem{Field: "system", Kind: "no system", Msg: fmt.Sprintf("the campaign has no system %q; its systems are %s; correct the name, or leave the line out", name, are)}
}

// noSegment says that the campaign has no segment of a name.
func noSegment(key segmentKey) *campaign.Problem {
	msg := fmt.Sprintf("the campaign has no segment %q", key.segment)
	if key.doc != "" {
		msg += fmt.Sprintf(" in document %q", key.doc)
	}
	return &campaign.Problem{Field: "segment_id", Kind: campaign.UnknownSegment, Msg: msg + "; correct the line, leave it out, or import the segment first"}
}

// severalSegments says that an id without a document is that of several segments.
func severalSegments(id string) *campaign.Problem {
	return &campaign.Problem{Field: "segment_id", Kind: "several segments", Msg: fmt.Sprintf("several documents have a segment %q; name the document with doc_id", id)}
}

// find looks up the translations of names.
func (f finder) find(names []translationName) (foundTranslations, error) {
	found, err := f.findSegments(names)
	if err != nil {
		return foundTranslations{}, err
	}
	var ids []string
	byID := map[string][]segmentKey{} // a segment may be named with and without its document
	for key, text := range found {
		if text.problem == nil {
			ids, byID[text.id] = append(ids, text.id), append(byID[text.id], key)
		}
	}
	systems, called := []string{}, map[string]string{}
	for _, name := range names {
		if id := f.systems[name.system]; id != "" && called[id] == "" {
			systems, called[id] = append(systems, id), name.system
		}
	}
	var sources []struct{ ID, Source string }
	if f.texts {
		if err := f.db.Raw("SELECT id, source FROM segments WHERE id IN ?", ids).Scan(&sources).Error; err != nil {
			return foundTranslations{}, err
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
	// With || SQLite can't look through all translations of the systems, as it does where
	// its statistics are older than the campaign.
	err = f.db.Raw("SELECT id, segment_id, system_id, "+f.text("text")+" AS text FROM translations WHERE segment_id IN ? AND system_id || '' IN ?", ids, systems).Scan(&translations).Error
	for _, r := range translations {
		for _, key := range byID[r.SegmentID] {
			found[key].translations[called[r.SystemID]] = foundTranslation{r.ID, r.Text}
		}
	}
	return foundTranslations{f.systems, found}, err
}

// findSegments looks up the ids of the segments of names, or what is wrong with them.
func (f finder) findSegments(names []translationName) (map[segmentKey]foundText, error) {
	found := make(map[segmentKey]foundText, len(names))
	var named []any
	var alone []string // without a document
	for _, name := range names {
		key := name.segmentKey
		if _, ok := found[key]; ok {
			continue
		}
		if key.doc == "" {
			alone = append(alone, key.segment)
		} else {
			named = append(named, key.doc, key.segment)
		}
		found[key] = foundText{problem: noSegment(key)}
	}
	if len(named) > 0 {
		var rows []struct{ ID, DocID, SegmentID string }
		err := f.db.Raw(`SELECT s.id, d.doc_id, s.segment_id FROM (VALUES `+strings.TrimSuffix(strings.Repeat("(?,?),", len(named)/2), ",")+`) AS v
			JOIN documents d ON d.campaign_id = ? AND d.doc_id = v.column1
			JOIN segments s ON s.document_id = d.id AND s.segment_id = v.column2`, append(named, f.c.ID)...).Scan(&rows).Error
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
		err := f.db.Raw("SELECT min(id) AS id, segment_id, count(*) AS documents FROM segments WHERE campaign_id = ? AND segment_id IN ? GROUP BY segment_id", f.c.ID, alone).Scan(&rows).Error
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			text := foundText{id: r.ID, translations: map[string]foundTranslation{}}
			if r.Documents > 1 {
				text.problem = severalSegments(r.SegmentID)
			}
			found[segmentKey{segment: r.SegmentID}] = text
		}
	}
	return found, nil
}

// text is a column of what spans lie in; nothing where texts are not looked up.
func (f finder) text(column string) string {
	if !f.texts {
		return "''"
	}
	return column
}
