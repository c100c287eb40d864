package records

import (
	"maps"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// A linkScope is what a link stays within. The round of an adjudication is 0.
type linkScope struct {
	docID, system, annotator string
	round                    int
}

// A linkedRating is a rating with links to other segments than its own.
type linkedRating struct {
	segmentID string // the row id
	rating    *campaign.Rating
	links     []string
}

// addPartners adds the partners of ratings to segments of a campaign. It reads nothing if no
// error is linked to another segment.
func addPartners(db *gorm.DB, rows []SegmentRow, segments []campaign.Segment) error {
	linked := map[linkScope][]linkedRating{}
	var ids []string // of segments
	for i, s := range segments {
		note := func(system string, r *campaign.Rating) {
			if links := r.LinksElsewhere(); len(links) > 0 {
				at := linkScope{s.DocID, system, r.Annotator, r.Round}
				linked[at] = append(linked[at], linkedRating{rows[i].ID, r, links})
				ids = append(ids, rows[i].ID)
			}
		}
		for _, t := range s.Translations {
			for k := range t.Ratings {
				note(t.System, &t.Ratings[k])
			}
			if t.Adjudication != nil {
				note(t.System, t.Adjudication)
			}
		}
	}
	if len(linked) == 0 {
		return nil
	}
	logins, systems, rounds := map[string]bool{}, map[string]bool{}, map[int]bool{}
	for at := range linked {
		logins[at.annotator], systems[at.system], rounds[at.round] = true, true, true
	}
	// The condition holds for the translations of a segment that an adjudicator has decided.
	const holding = "EXISTS (SELECT 1 FROM adjudicated x JOIN acts c ON c.id = x.act_id WHERE c.id = g.holding AND c.round = 0 AND x.translation_id = t.id)"
	var at linkScope
	var id, spans string
	var s campaign.Segment
	var adjudicated bool
	for err := range database.EachRow(db.Raw(`SELECT d.doc_id, y.name, u.login, a.round, g.id, g.status, g.round, g.complete, `+holding+`, r.spans
		FROM segments g JOIN documents d ON d.id = g.document_id JOIN translations t ON t.segment_id = g.id JOIN systems y ON y.id = t.system_id
		JOIN assignments a ON a.segment_id = g.id JOIN users u ON u.id = a.user_id JOIN ratings r ON r.assignment_id = a.id AND r.translation_id = t.id
		WHERE g.document_id IN (SELECT document_id FROM segments WHERE id IN ?) AND y.name IN ? AND u.login IN ? AND a.round IN ?
			AND a.state = 'submitted' AND NOT a.replaced AND r.spans <> '[]'
		UNION ALL SELECT d.doc_id, y.name, u.login, 0, g.id, g.status, g.round, g.complete, TRUE, x.spans
		FROM segments g JOIN documents d ON d.id = g.document_id JOIN translations t ON t.segment_id = g.id JOIN systems y ON y.id = t.system_id
		JOIN acts c ON c.id = g.holding AND c.round = 0 JOIN adjudicated x ON x.act_id = c.id AND x.translation_id = t.id JOIN users u ON u.id = c.by_id
		WHERE g.document_id IN (SELECT document_id FROM segments WHERE id IN ?) AND y.name IN ? AND u.login IN ? AND x.spans <> '[]'`,
		ids, slices.Collect(maps.Keys(systems)), slices.Collect(maps.Keys(logins)), slices.Collect(maps.Keys(rounds)),
		ids, slices.Collect(maps.Keys(systems)), slices.Collect(maps.Keys(logins))),
		&at.docID, &at.system, &at.annotator, &at.round, &id, &s.Status, &s.Round, &s.Complete, &adjudicated, &spans) {
		if err != nil {
			return err
		}
		from := linked[at]
		if len(from) == 0 {
			continue
		}
		settled := at.round == 0 || !adjudicated && at.round == campaign.CompleteRound(s)
		for _, span := range DecodeSpans(spans) {
			for _, l := range from {
				if l.segmentID != id && slices.Contains(l.links, span.ID) {
					l.add(span.ID, settled)
				}
			}
		}
	}
	return nil
}

// add adds a partner. If an id is that of several errors, any of them is one.
func (l linkedRating) add(id string, settled bool) {
	if l.rating.Partners == nil {
		l.rating.Partners = map[string]campaign.Partner{}
	}
	l.rating.Partners[id] = campaign.Partner{Settled: settled || l.rating.Partners[id].Settled}
}
