package records

import (
	"encoding/json"
	"fmt"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
)

// Annotatable is the SQL condition that segment s of a campaign has what annotators judge: texts, and terms in the source if the
// protocol takes terms as given.
func Annotatable(c campaign.Campaign) string {
	if c.Rules.Given == "" {
		return hasTexts
	}
	return hasTexts + ` AND EXISTS (SELECT 1 FROM given_terms term WHERE term.segment_id = s.id AND term.terms LIKE '%"side":"source"%')`
}

// hasTexts is the SQL condition that segment s does not wait for translations or candidates. Whether any segment waits for
// them is asked once a query, and mostly spares the second half.
const hasTexts = "(NOT EXISTS (SELECT 1 FROM untranslated) OR s.id NOT IN (SELECT b.segment_id FROM untranslated b))"

// Unready returns the SQL queries that count the pending segments that nobody is given since they lack
// what [Annotatable] asks for, and those that lack the reference that the protocol needs. Each parameter of them is the id of the campaign.
func Unready(c campaign.Campaign) (notReady, unreferenced string) {
	const pending = "s.campaign_id = ? AND s.status = 'pending'"
	// Few segments wait for texts, and all that are pending may lack terms. Only segments that were taken over wait, so for a campaign without
	// any, those of other campaigns are not read.
	notReady = "SELECT CASE WHEN EXISTS (SELECT 1 FROM lineage l WHERE l.campaign_id = ?) THEN (SELECT count(*) FROM untranslated b CROSS JOIN segments s WHERE s.id = b.segment_id AND " + pending + ") ELSE 0 END"
	if c.Rules.Given != "" {
		notReady = "SELECT count(*) FROM segments s WHERE " + pending + " AND NOT (" + Annotatable(c) + ")"
	}
	unreferenced = "SELECT count(*) FROM segments s WHERE " + pending + " AND FALSE"
	if c.Rules.NeedsReference() {
		unreferenced = "SELECT count(*) FROM segments s WHERE " + pending + " AND NOT EXISTS (SELECT 1 FROM reference_texts r WHERE r.segment_id = s.id)"
	}
	return notReady, unreferenced
}

// TermsOf reads the given terms of segments, by row id of the segment, in the order of [protocol.InOrder].
func TermsOf(db *gorm.DB, segmentIDs []string) (map[string][]protocol.ErrorSpan, error) {
	out := map[string][]protocol.ErrorSpan{}
	var segment, text string
	for err := range database.EachRow(db.Raw("SELECT segment_id, terms FROM given_terms WHERE segment_id IN ?", segmentIDs), &segment, &text) {
		if err != nil {
			return out, err
		}
		var terms []protocol.ErrorSpan
		if err := json.Unmarshal([]byte(text), &terms); err != nil {
			return out, fmt.Errorf("decode terms: %w", err)
		}
		out[segment] = terms
	}
	return out, nil
}

// EncodeTerms encodes given terms for the table all_terms. Each gets an id of its own, because ratings have the terms as their
// spans, whose ids are unique in a document. Links follow. The terms are those of one segment, with ids that differ.
func EncodeTerms(terms []protocol.ErrorSpan) string {
	ids := make(map[string]string, len(terms))
	for _, t := range terms {
		ids[t.ID] = database.NewID()
	}
	out := make([]protocol.ErrorSpan, len(terms))
	for i, t := range terms {
		t.ID, t.Link = ids[t.ID], ids[t.Link]
		out[i] = t
	}
	return EncodeSpans(out)
}

// FirstReferencesOf reads the references of segments that annotators see ([campaign.FirstReference]), by row id of the segment.
func FirstReferencesOf(db *gorm.DB, segmentIDs []string) (map[string]string, error) {
	of, out := map[string][]campaign.Reference{}, map[string]string{}
	var segment string
	var ref campaign.Reference
	for err := range database.EachRow(db.Raw("SELECT segment_id, name, text FROM reference_texts WHERE segment_id IN ?", segmentIDs),
		&segment, &ref.Name, &ref.Text) {
		if err != nil {
			return out, err
		}
		of[segment] = append(of[segment], ref)
	}
	for id, refs := range of {
		first, _ := campaign.FirstReference(refs)
		out[id] = first.Text
	}
	return out, nil
}
