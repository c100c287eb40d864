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
type segmentKey struct{ DocID, SegmentID string }

// A translationName is how a line of a file names a translation.
type translationName struct {
	segmentKey
	system string
}

// nameOf is the name of a translation. docID may be empty.
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

// newFinder makes a finder in a campaign. systems has the id of each system by name, as [systemIDs]
// gives them. With texts the finder reads the texts of segments and translations, too.
func newFinder(db *gorm.DB, c campaign.Campaign, systems map[string]string, texts bool) finder {
	return finder{db, c, systems, texts}
}

// foundTranslations are the translations of some names.
type foundTranslations struct {
	systems  map[string]string // id by name
	Segments map[segmentKey]foundSegment
}

// A foundSegment is a segment that a line names, or the reason why there is none.
type foundSegment struct {
	ID           string                      // row id
	source       string                      // empty unless texts are looked up
	reference    string                      // the reference that annotators see; empty unless the protocol needs it and texts are looked up
	given        []protocol.ErrorSpan        // the given terms, if texts are looked up
	candidates   map[string]string           // by name; nil unless a question is answered by one
	translations map[string]foundTranslation // by system
	Problem      *campaign.Problem           // why there is no such segment, without a place
}

// A foundTranslation is a translation that the campaign has.
type foundTranslation struct {
	ID   string // row id
	Text string // empty unless texts are looked up
}

// Target is the translation that a line at a place names. If there is none, Target returns what is
// wrong with the line.
func (f foundTranslations) Target(name translationName, at campaign.Place) (foundTarget, *campaign.Problem) {
	text := f.Segments[name.segmentKey]
	if text.Problem != nil {
		return foundTarget{}, placed(*text.Problem, at)
	}
	t, ok := text.translations[name.system]
	switch {
	case ok:
		return foundTarget{
			text.ID,
			t.ID,
			protocol.Texts{Source: text.source, Translation: t.Text, Reference: text.reference, Given: text.given, Candidates: text.candidates},
		}, nil
	case f.systems[name.system] != "":
		return foundTarget{}, placed(*noTranslation(name.SegmentID, name.system), at)
	}
	return foundTarget{}, placed(*noSystem(name.system, f.systems), at)
}

// placed is a problem with the file and line of a place.
func placed(p campaign.Problem, at campaign.Place) *campaign.Problem {
	p.File, p.Line = at.File, at.Line
	return &p
}

// noTranslation says that a system gave no translation of a segment.
func noTranslation(segmentID, system string) *campaign.Problem {
	return &campaign.Problem{Field: "system", Kind: campaign.NoTranslation,
		Msg: fmt.Sprintf("segment %q has no translation by the system %q; correct the line, or leave it out", segmentID, system)}
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
	return &campaign.Problem{
		Field: "system",
		Kind:  campaign.UnknownSystem,
		Msg:   fmt.Sprintf("the campaign has no system %q; its systems are %s; correct the name, or leave the line out", name, are),
	}
}

// noSegment says that the campaign has no segment of a name.
func noSegment(key segmentKey) *campaign.Problem {
	msg := fmt.Sprintf("the campaign has no segment %q", key.SegmentID)
	if key.DocID != "" {
		msg += fmt.Sprintf(" in document %q", key.DocID)
	}
	return &campaign.Problem{Field: "segment_id",
		Kind: campaign.UnknownSegment, Msg: msg + "; correct the line, leave it out, or import the segment first"}
}

// severalSegments says that an id without a document is that of several segments.
func severalSegments(id string) *campaign.Problem {
	return &campaign.Problem{
		Field: "segment_id",
		Kind:  "several segments",
		Msg:   fmt.Sprintf("several documents have a segment %q; name the document with doc_id", id),
	}
}

// Find looks up the translations of names.
func (f finder) Find(names []translationName) (foundTranslations, error) {
	found, err := f.findSegments(names)
	if err != nil {
		return foundTranslations{}, err
	}
	var ids []string
	byID := map[string][]segmentKey{} // a segment may be named with and without its document
	for key, text := range found {
		if text.Problem == nil {
			ids, byID[text.ID] = append(ids, text.ID), append(byID[text.ID], key)
		}
	}
	systems, called := []string{}, map[string]string{}
	for _, name := range names {
		id := f.systems[name.system]
		if _, known := called[id]; id != "" && !known {
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
	if f.texts {
		if err := f.addTerms(ids, byID, found); err != nil {
			return foundTranslations{}, err
		}
	}
	if f.c.Rules.AsksCandidate() {
		candidates, err := records.CandidatesOf(f.db, ids)
		if err != nil {
			return foundTranslations{}, err
		}
		for id, keys := range byID {
			for _, key := range keys {
				text := found[key]
				text.candidates = campaign.Segment{Candidates: candidates[id]}.CandidateTexts()
				found[key] = text
			}
		}
	}
	var translations []struct{ ID, SegmentID, SystemID, Text string }
	// With || SQLite can't look through all translations of the systems, as it does where
	// its statistics are older than the campaign.
	err = f.db.Raw("SELECT id, segment_id, system_id, "+f.text("text")+" AS text FROM translations WHERE segment_id IN ? AND system_id || '' IN ?", ids, systems).
		Scan(&translations).
		Error
	for _, r := range translations {
		for _, key := range byID[r.SegmentID] {
			found[key].translations[called[r.SystemID]] = foundTranslation{r.ID, r.Text}
		}
	}
	return foundTranslations{f.systems, found}, err
}

// addTerms adds the references and the given terms of segments, if the protocol is about terms.
func (f finder) addTerms(ids []string, byID map[string][]segmentKey, found map[segmentKey]foundSegment) error {
	if !f.c.Rules.Spans.OfTerms() {
		return nil
	}
	references, err := records.FirstReferencesOf(f.db, ids)
	if err != nil {
		return err
	}
	given, err := records.TermsOf(f.db, ids)
	for id, keys := range byID {
		for _, key := range keys {
			seg := found[key]
			seg.reference, seg.given = references[id], given[id]
			found[key] = seg
		}
	}
	return err
}

// findSegments looks up the ids of the segments of names, or what is wrong with them.
func (f finder) findSegments(names []translationName) (map[segmentKey]foundSegment, error) {
	found := make(map[segmentKey]foundSegment, len(names))
	var named []any
	var alone []string // without a document
	for _, name := range names {
		key := name.segmentKey
		if _, ok := found[key]; ok {
			continue
		}
		if key.DocID == "" {
			alone = append(alone, key.SegmentID)
		} else {
			named = append(named, key.DocID, key.SegmentID)
		}
		found[key] = foundSegment{Problem: noSegment(key)}
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
			found[segmentKey{r.DocID, r.SegmentID}] = foundSegment{ID: r.ID, translations: map[string]foundTranslation{}}
		}
	}
	if len(alone) > 0 {
		var rows []struct {
			ID, SegmentID string
			Documents     int
		}
		err := f.db.Raw("SELECT min(id) AS id, segment_id, count(*) AS documents FROM segments WHERE campaign_id = ? AND segment_id IN ? GROUP BY segment_id", f.c.ID, alone).
			Scan(&rows).
			Error
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			text := foundSegment{ID: r.ID, translations: map[string]foundTranslation{}}
			if r.Documents > 1 {
				text.Problem = severalSegments(r.SegmentID)
			}
			found[segmentKey{SegmentID: r.SegmentID}] = text
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

// A foundTarget is the translation that a rating is of. Its texts may be left out if the rating has no
// spans.
type foundTarget struct {
	Segment, Translation string // row ids
	Texts                protocol.Texts
}

// systemIDs reads the ids of a campaign's systems by name.
func systemIDs(db *gorm.DB, campaignID string) (map[string]string, error) {
	var rows []struct{ ID, Name string }
	if err := db.Raw("SELECT id, name FROM systems WHERE campaign_id = ?", campaignID).Scan(&rows).Error; err != nil {
		return nil, err
	}
	ids := make(map[string]string, len(rows))
	for _, r := range rows {
		ids[r.Name] = r.ID
	}
	return ids, nil
}
