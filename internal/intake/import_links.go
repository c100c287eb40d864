package intake

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"
	"annotate/internal/wording"
)

// A linkingRating is a staged rating with a link that none of its own spans answers.
type linkingRating struct {
	segment string // row id
	at      ratingPlace
}

// A linkScope is what a link stays within in a document.
type linkScope struct {
	system, user string // row ids
	round        int
}

// checkLinks refuses links to spans that neither the file nor the campaign has, by the same
// annotator on the same system, document and round. It reads one document after the other,
// and keeps in memory the ids of one annotator's spans on one system.
func (im *ratingImport) checkLinks() error {
	segments := map[string]bool{}
	for _, l := range im.linking {
		segments[l.segment] = true
	}
	documents := map[string]string{} // ids of files by row id
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(segments)), rounds.FollowBatch) {
		var rows []struct{ ID, DocID string }
		err := im.db.Raw("SELECT DISTINCT d.id, d.doc_id FROM all_segments g JOIN documents d ON d.id = g.document_id WHERE g.id IN ?", ids).Scan(&rows).Error
		if err != nil {
			return err
		}
		for _, r := range rows {
			documents[r.ID] = r.DocID
		}
	}
	for id, name := range documents {
		if err := im.checkLinksOf(id, name); err != nil {
			return err
		}
	}
	return nil
}

// checkLinksOf checks the links in one document.
func (im *ratingImport) checkLinksOf(documentID, docID string) error {
	var scope linkScope
	ids := map[string]bool{}
	var links []stagedLink
	end := func() {
		for _, l := range links {
			if !ids[l.link] {
				im.refuse(
					im.linking[l.of].at,
					fmt.Sprintf("spans[%d].link", l.index),
					fmt.Sprintf(
						"there is no error with the id %s by the same annotator on this system in document %s in the same round, neither in the file nor in the campaign; correct the id, or leave the link out",
						wording.Quote(l.link), wording.Quote(docID),
					),
				)
			}
		}
		clear(ids)
		links = links[:0]
	}
	var at linkScope
	var translation, spans string
	var staged bool
	for err := range database.EachRow(im.db.Raw(strings.Join([]string{
		`SELECT t.system_id, r.user_id, r.round, r.translation_id, r.spans, TRUE AS staged
			FROM all_segments g CROSS JOIN staged_ratings r CROSS JOIN translations t
			WHERE g.document_id = ? AND r.campaign_id = ? AND r.segment_id = g.id AND t.id = r.translation_id AND r.spans <> '[]'`,
		`SELECT t.system_id, a.user_id, a.round, r.translation_id, r.spans, FALSE
			FROM all_segments g JOIN assignments a ON a.segment_id = g.id JOIN ratings r ON r.assignment_id = a.id JOIN translations t ON t.id = r.translation_id
			WHERE g.document_id = ? AND a.state = 'submitted' AND NOT a.replaced AND r.spans <> '[]'`,
		`SELECT t.system_id, coalesce(c.by_id, ''), CAST(? AS INTEGER), x.translation_id, x.spans, FALSE
			FROM all_segments g JOIN acts c ON c.id = g.holding AND c.round = 0 JOIN adjudicated x ON x.act_id = c.id JOIN translations t ON t.id = x.translation_id
			WHERE g.document_id = ? AND c.kind = ? AND x.spans <> '[]'`,
	}, " UNION ALL ")+" ORDER BY 1, 2, 3", documentID, im.c.ID, documentID, adjudicationRound, documentID, string(campaign.Adjudicate)),
		&at.system, &at.user, &at.round, &translation, &spans, &staged) {
		if err != nil {
			return err
		}
		if at != scope {
			end()
			scope = at
		}
		key := ratingKey{at.user, at.round, translation}
		_, linking := im.linking[key]
		for i, s := range records.DecodeSpans(spans) {
			ids[s.ID] = true
			if staged && linking && s.Link != "" {
				links = append(links, stagedLink{key, i, s.Link})
			}
		}
	}
	end()
	return nil
}

// A stagedLink is a link of a staged rating.
type stagedLink struct {
	of    ratingKey
	index int // of the span
	link  string
}
