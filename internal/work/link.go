package work

import (
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// linksReach reports whether the errors of an assignment may be linked to errors in other
// segments. If the page shows single segments, new links stay within one rating. Links that
// were imported are kept.
func linksReach(c campaign.Campaign, a records.AssignmentRow) bool {
	return c.Rules.Spans != nil && c.Rules.Spans.Links && (a.Context == "document" || a.Imported)
}

// A markedText is a translation by a system in a segment of a document.
type markedText struct{ systemID, segmentID string }

// ownMarks reads the errors that the annotator of an assignment has marked in its round, in all
// segments of its document, on the translations by some systems. They are the errors that the
// page of each segment shows: those of the draft, or else of the submitted rating, or else of the
// earlier rating that a second look starts from. In an adjudication they are those of the
// adjudicator's latest adjudication of each segment.
func ownMarks(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow, systemIDs []string) (map[markedText][]protocol.ErrorSpan, error) {
	turns, args := "x.round = ?", []any{a.SegmentID, a.UserID, systemIDs, a.Round}
	if a.State.Adjudicates() {
		turns = "x.round = (SELECT max(l.round) FROM assignments l WHERE l.segment_id = g.id AND l.user_id = x.user_id AND l.state IN ('adjudicating', 'adjudicated'))"
		args = args[:3]
	}
	var rows []struct {
		SystemID, SegmentID                    string
		Over                                   bool // nothing can be saved any more
		Drafted, Rated, Adjudicated, Beginning *string
	}
	err := db.Raw(`SELECT t.system_id, t.segment_id, x.work = 'over' AS over, d.spans AS drafted, r.spans AS rated, y.spans AS adjudicated, e.spans AS beginning
		FROM segments o JOIN segments g ON g.document_id = o.document_id
		JOIN assignments x ON x.segment_id = g.id JOIN translations t ON t.segment_id = g.id
		LEFT JOIN drafts d ON d.assignment_id = x.id AND d.translation_id = t.id
		LEFT JOIN ratings r ON r.assignment_id = x.id AND r.translation_id = t.id
		LEFT JOIN acts k ON x.state = 'adjudicated' AND k.id = g.holding AND k.by_id = x.user_id
		LEFT JOIN adjudicated y ON y.act_id = k.id AND y.translation_id = t.id
		LEFT JOIN ratings e ON e.translation_id = t.id AND e.assignment_id = (SELECT p.id FROM assignments p
			WHERE p.segment_id = g.id AND p.user_id = x.user_id AND p.round < x.round AND p.state = 'submitted' ORDER BY p.round DESC LIMIT 1)
		WHERE o.id = ? AND x.user_id = ? AND t.system_id IN ? AND `+turns, args...).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	own := c.Settings.Reannotate == "own" && !a.State.Adjudicates()
	marks := make(map[markedText][]protocol.ErrorSpan, len(rows))
	for _, r := range rows {
		at := markedText{r.SystemID, r.SegmentID}
		switch {
		case r.Drafted != nil && (r.Rated == nil || !r.Over):
			marks[at] = records.DecodeSpans(*r.Drafted)
		case r.Rated != nil:
			marks[at] = records.DecodeSpans(*r.Rated)
		case r.Adjudicated != nil:
			marks[at] = records.DecodeSpans(*r.Adjudicated)
		case own && r.Beginning != nil:
			marks[at] = records.WithIDs(records.DecodeSpans(*r.Beginning))
		}
	}
	return marks, nil
}

// marksOn returns the errors that [ownMarks] reads for one system, by id of the segment. An error
// has no id if no other error can be linked to it.
func marksOn(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow, systemID string) (map[string][]protocol.ErrorSpan, error) {
	if c.Rules.Spans == nil {
		return nil, nil
	}
	marks, err := ownMarks(db, c, a, []string{systemID})
	if err != nil {
		return nil, err
	}
	named := map[string]int{}
	for _, spans := range marks {
		for _, s := range spans {
			named[s.ID]++
		}
	}
	bySegment := make(map[string][]protocol.ErrorSpan, len(marks))
	for at, spans := range marks {
		for i, s := range spans {
			if named[s.ID] > 1 {
				spans[i].ID = ""
			}
		}
		bySegment[at.segmentID] = spans
	}
	return bySegment, nil
}

// linkable returns the ids of the errors in other segments to which the errors of an assignment
// may be linked, by system.
func linkable(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow, systemIDs []string) (map[string]map[string]bool, error) {
	marks, err := ownMarks(db, c, a, systemIDs)
	if err != nil {
		return nil, err
	}
	ids := make(map[string]map[string]bool, len(systemIDs))
	for _, id := range systemIDs {
		ids[id] = map[string]bool{}
	}
	for at, spans := range marks {
		if at.segmentID == a.SegmentID {
			continue
		}
		for _, s := range spans {
			if s.ID != "" {
				ids[at.systemID][s.ID] = true
			}
		}
	}
	return ids, nil
}

// loadLinkable adds [protocol.Texts.Linkable] to cards. It reads nothing for cards without a link
// to another segment.
func loadLinkable(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow, rows []CardRow) error {
	if !linksReach(c, a) {
		return nil
	}
	var systems []string
	for _, r := range rows {
		if len(r.rating(c).LinksElsewhere()) > 0 {
			systems = append(systems, r.SystemID)
		}
	}
	if len(systems) == 0 {
		return nil
	}
	ids, err := linkable(db, c, a, systems)
	for i := range rows {
		rows[i].Linkable = ids[rows[i].SystemID]
	}
	return err
}

// linkableFrom returns the ids of the errors in other segments to which a rating may be linked when
// it is saved on a card. It reads nothing for a rating without a link to another segment. A link
// that the card already has may stay even if its target was removed, so that the card can still be
// saved; [Store.Submit] refuses it.
func linkableFrom(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow, translationID string, r protocol.Rating) (map[string]bool, error) {
	wanted := r.LinksElsewhere()
	if len(wanted) == 0 || !linksReach(c, a) {
		return nil, nil
	}
	var card struct{ SystemID, Spans string }
	err := db.Raw(`SELECT t.system_id, coalesce(d.spans, r.spans, '') AS spans FROM translations t
		LEFT JOIN drafts d ON d.assignment_id = ? AND d.translation_id = t.id
		LEFT JOIN ratings r ON r.assignment_id = ? AND r.translation_id = t.id WHERE t.id = ?`, a.ID, a.ID, translationID).Take(&card).Error
	if err != nil {
		return nil, err
	}
	ids, err := linkable(db, c, a, []string{card.SystemID})
	if err != nil {
		return nil, err
	}
	may := ids[card.SystemID]
	for _, s := range records.DecodeSpans(card.Spans) {
		if slices.Contains(wanted, s.Link) {
			may[s.Link] = true
		}
	}
	return may, nil
}
