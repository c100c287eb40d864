package work

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// suggestRows adds to cards what is suggested for them.
func suggestRows(db *gorm.DB, c campaign.Campaign, segmentID string, rows []CardRow) error {
	if c.Rules.Spans == nil {
		return nil
	}
	of, err := records.SuggestionsOf(db, []string{segmentID})
	for i := range rows {
		if s := of[rows[i].ID]; s != nil {
			rows[i].Suggested = s.Spans
		}
	}
	return err
}

// Work is an assignment with everything its page shows. It never holds the name
// of a system, a login or a gate value, nor another annotator's rating unless it is an
// adjudication.
type Work struct {
	Campaign    campaign.Campaign
	Assignment  campaign.Assignment
	DocID       string
	InDocument  int // place in the document, from 1
	DocumentLen int
	Source      string
	Context     string
	Note        string
	Reference   *string     // only where the campaign shows it
	Before      []Neighbour // the segments before it, in their order
	After       []Neighbour
	Previous    string // id of the user's assignment for the nearest segment before it that they can open; empty: none
	Next        string // the same for the segments after it
	Cards       []Card
	Over        string    // why nothing can be saved any more, in words for the annotator; empty: it can
	Looked      string    // why a lead asked for this look, in their words; empty: nobody asked for it
	Held        bool      // set aside with a problem
	Again       bool      // the annotator submitted the segment in an earlier round
	SetAside    bool      // a lead has set the annotator's work aside: nothing can be saved
	Changed     bool      // submitted, but with changes that were not submitted again
	SubmittedAt time.Time // zero until then
	Question    string    // the problem the annotator reported last; empty: none
	Answer      string    // the lead's; empty while it is awaited
}

// A Card is one translation to judge, at its place in the annotator's own order.
type Card struct {
	// ID addresses the card. It says nothing of the system, holds in this assignment
	// alone, and stays when the segment is given further translations.
	ID     string
	Text   string
	Rating protocol.Rating
	// Suggestions are the error spans to decide on. Their ids, and those in Rating,
	// are their places from 1, which tell nothing of where they come from.
	Suggestions []protocol.ErrorSpan
	Peers       []PeerRating // the annotators' ratings, in an adjudication
	Seconds     float64
	Revision    int
	SavedAt     time.Time // zero: never
}

// CardRow is a translation with its draft, what was submitted, and the rating of
// the round that the annotator submitted before.
type CardRow struct {
	ID           string // of the translation
	SystemID     string
	CardID       string `gorm:"-"`
	Text         string
	Revision     *int
	Draft        records.RatingColumns `gorm:"embedded"`
	Seconds      *float64
	SavedAt      *database.Instant
	RatedSeconds *float64 // nil: not submitted
	RatedAt      database.Instant
	Rated        records.RatingColumns `gorm:"embedded;embeddedPrefix:rated_"`
	HasEarlier   bool
	Earlier      records.RatingColumns `gorm:"embedded;embeddedPrefix:earlier_"`
	Suggested    []protocol.ErrorSpan  `gorm:"-"`
}

// card is what the annotator sees: the draft if there is one, else what was
// submitted (an import has no drafts), else in a second look the own earlier
// rating, if the campaign wants it.
func (r CardRow) card(c campaign.Campaign) Card {
	card := Card{ID: r.CardID, Text: r.Text, Rating: protocol.Rating{Scores: map[string]float64{}}}
	switch {
	case r.Revision != nil:
		card.Rating = r.Draft.Rating()
		card.Seconds, card.Revision, card.SavedAt = *r.Seconds, *r.Revision, r.SavedAt.Time()
	case r.RatedSeconds != nil:
		card.Rating = again(c.Rules, r.Rated)
		card.Seconds = *r.RatedSeconds
	case c.Settings.Reannotate == "own" && r.HasEarlier:
		card.Rating = again(c.Rules, r.Earlier)
	}
	card.Rating = records.KnownOnly(r.Suggested, card.Rating)
	return card
}

// shown is the card as a page may have it: with the suggestions to decide on, which
// it knows by their places alone.
func (r CardRow) shown(c campaign.Campaign) Card {
	card := r.card(c)
	card.Rating, card.Suggestions = records.Blind(r.Suggested, card.Rating), records.BlindSuggestions(r.Suggested)
	return card
}

// again is a submitted rating as one begins from it: it says so where there are no
// errors and that is all one can say, and every span has an id, which those of an
// import may lack.
func again(p *protocol.Protocol, submitted records.RatingColumns) protocol.Rating {
	r := submitted.Submitted()
	r.NoErrors = p.Spans != nil && len(p.Scores) == 0 && len(r.Spans) == 0
	if len(r.Spans) > 0 {
		r.Spans = records.WithIDs(r.Spans)
	}
	return r
}

func (r CardRow) changed() bool {
	draft := r.Draft
	draft.NoErrors = false // says no more than that there are no spans
	return r.Revision != nil && r.RatedSeconds != nil && draft != r.Rated
}

// revision is that of the card as its page has it; 0 before the first save.
func (r CardRow) revision() int {
	if r.Revision == nil {
		return 0
	}
	return *r.Revision
}

// submitted reports whether a card stands as it was submitted: nothing was saved of
// it since.
func (r CardRow) submitted() bool {
	return r.RatedSeconds != nil && !r.changed() && (r.SavedAt == nil || *r.SavedAt <= r.RatedAt)
}

// cardRows reads the cards of an assignment in the annotator's order.
func cardRows(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow) ([]CardRow, error) {
	var rows []CardRow
	earlier, err := earlierRound(db, a)
	if err != nil {
		return nil, err
	}
	err = db.Raw(`SELECT t.id, t.system_id, t.text, d.revision, d.seconds, d.saved_at, r.seconds AS rated_seconds, coalesce(r.submitted_at, 0) AS rated_at, e.id IS NOT NULL AS has_earlier,
			coalesce(d.scores, '') AS scores, coalesce(d.spans, '') AS spans, coalesce(d.no_errors, FALSE) AS no_errors, coalesce(d.comment, '') AS comment, coalesce(d.suggestions, '') AS suggestions,
			coalesce(r.scores, '') AS rated_scores, coalesce(r.spans, '') AS rated_spans, coalesce(r.comment, '') AS rated_comment, coalesce(r.suggestions, '') AS rated_suggestions,
			coalesce(e.scores, '') AS earlier_scores, coalesce(e.spans, '') AS earlier_spans, coalesce(e.comment, '') AS earlier_comment, coalesce(e.suggestions, '') AS earlier_suggestions
		FROM translations t
		LEFT JOIN drafts d ON d.assignment_id = ? AND d.translation_id = t.id
		LEFT JOIN ratings r ON r.assignment_id = ? AND r.translation_id = t.id
		LEFT JOIN assignments p ON p.segment_id = t.segment_id AND p.user_id = ? AND p.round = ? AND p.state = 'submitted'
		LEFT JOIN ratings e ON e.assignment_id = p.id AND e.translation_id = t.id
		WHERE t.segment_id = ?`, a.ID, a.ID, a.UserID, earlier, a.SegmentID).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	if !a.State.Adjudicates() { // who adjudicates decides on what people marked
		if err := suggestRows(db, c, a.SegmentID, rows); err != nil {
			return nil, err
		}
	}
	for i := range rows {
		rows[i].CardID = cardID(a, rows[i].ID)
	}
	return InOrder(rows, a.CardOrder), nil
}

// earlierRound is the last round before that of an assignment which the same
// annotator submitted; 0 if there is none. It need not be the one just before: who was
// replaced there may be added later. An adjudication begins blank.
func earlierRound(db *gorm.DB, a records.AssignmentRow) (round int, err error) {
	if a.State.Adjudicates() {
		return 0, nil
	}
	err = database.Scan(db.Raw("SELECT coalesce(max(round), 0) FROM assignments WHERE segment_id = ? AND user_id = ? AND round < ? AND state = 'submitted'",
		a.SegmentID, a.UserID, a.Round), &round)
	return round, err
}

// InOrder lays out the cards of an assignment in the annotator's order.
func InOrder(rows []CardRow, order campaign.CardOrder) []CardRow {
	if order.Context == "document" {
		return bySystem(rows, order)
	}
	slices.SortFunc(rows, func(a, b CardRow) int { return strings.Compare(a.ID, b.ID) })
	ordered := make([]CardRow, len(rows))
	for place, i := range campaign.Shuffle(order.Seed, len(rows)) {
		ordered[place] = rows[i]
	}
	return ordered
}

// bySystem lays out cards in the order of their systems, of which each has one.
func bySystem(rows []CardRow, order campaign.CardOrder) []CardRow {
	systems, of := make([]string, len(rows)), make(map[string]CardRow, len(rows))
	for i, r := range rows {
		systems[i], of[r.SystemID] = r.SystemID, r
	}
	order.Systems(systems)
	ordered := make([]CardRow, len(rows))
	for i, id := range systems {
		ordered[i] = of[id]
	}
	return ordered
}

// LoadWork reads an assignment of the user's with all its page shows.
func (s *Store) LoadWork(ctx context.Context, c campaign.Campaign, assignmentID, userID string) (Work, error) {
	db := s.Read(ctx)
	a, err := records.FindAssignment(db, c.ID, assignmentID, userID)
	if err != nil {
		return Work{}, database.Translate(err)
	}
	w := Work{Campaign: c, SubmittedAt: a.SubmittedAt.Time(), Assignment: campaign.Assignment{
		ID: a.ID, CampaignID: a.CampaignID, SegmentID: a.SegmentID, UserID: a.UserID, Round: a.Round,
		State: a.State, Order: a.CardOrder, StartedAt: a.StartedAt.Time(), SubmittedAt: a.SubmittedAt.Time(),
	}}
	var seg struct {
		DocumentID string
		DocID      string
		Position   int
		Source     string
		Context    string
		Note       string
		Held       bool
	}
	err = db.Raw(`SELECT s.document_id, d.doc_id, s.position, s.source, s.context, s.note, s.held
		FROM segments s JOIN documents d ON d.id = s.document_id WHERE s.id = ?`, a.SegmentID).Take(&seg).Error
	if err != nil {
		return Work{}, database.Translate(err)
	}
	w.DocID, w.Source, w.Context, w.Note, w.Held = seg.DocID, seg.Source, seg.Context, seg.Note, seg.Held
	err = database.Scan(db.Raw("SELECT text, answer FROM problems WHERE assignment_id = ? ORDER BY reported_at DESC, id DESC LIMIT 1", a.ID), &w.Question, &w.Answer)
	if err != nil && !errors.Is(err, database.ErrNoRows) {
		return Work{}, database.Translate(err)
	}
	w.SetAside = a.SetAside != ""
	earlier, err := earlierRound(db, a)
	if err != nil {
		return Work{}, database.Translate(err)
	}
	w.Again = earlier > 0
	if err := w.loadState(db, a); err != nil {
		return Work{}, database.Translate(err)
	}
	if c.Settings.ShowReference {
		if err := w.loadReference(db, a.SegmentID); err != nil {
			return Work{}, database.Translate(err)
		}
	}
	cards, err := cardRows(db, c, a)
	if err != nil {
		return Work{}, database.Translate(err)
	}
	if err := w.loadDocument(db, a, seg.DocumentID, seg.Position, cards); err != nil {
		return Work{}, database.Translate(err)
	}
	var peers map[string][]PeerRating
	if a.State.Adjudicates() {
		if peers, err = peersOf(db, a); err != nil {
			return Work{}, database.Translate(err)
		}
	}
	for _, row := range cards {
		w.Changed = w.Changed || row.changed()
		if w.Over != "" && row.RatedSeconds != nil {
			row.Revision = nil // what was submitted stands
		}
		card := row.shown(c)
		card.Peers = peers[row.ID]
		w.Cards = append(w.Cards, card)
	}
	return w, nil
}

// loadState adds what may be done with the assignment, and why.
func (w *Work) loadState(db *gorm.DB, a records.AssignmentRow) error {
	over, err := overBecause(db, a)
	if err != nil {
		return err
	}
	if over != nil {
		w.Over = strings.TrimSuffix(over.Error(), ": "+campaign.ErrDecided.Error())
	}
	err = database.Scan(db.Raw("SELECT reason FROM acts WHERE segment_id = ? AND kind = ? AND round = ? AND NOT undone", a.SegmentID, string(campaign.AnotherLook), a.Round), &w.Looked)
	switch {
	case errors.Is(err, database.ErrNoRows):
		return nil
	case err == nil && w.Looked == "": // an act from before acts had their reasons
		w.Looked = "please look at it again"
	}
	return err
}

// loadReference takes the reference named ref, else the first by name.
func (w *Work) loadReference(db *gorm.DB, segmentID string) error {
	var refs []campaign.Reference
	if err := db.Raw("SELECT name, text FROM reference_texts WHERE segment_id = ?", segmentID).Scan(&refs).Error; err != nil || len(refs) == 0 {
		return err
	}
	slices.SortFunc(refs, func(a, b campaign.Reference) int { return strings.Compare(a.Name, b.Name) })
	ref := refs[0]
	if i := slices.IndexFunc(refs, func(r campaign.Reference) bool { return r.Name == campaign.MainReference }); i >= 0 {
		ref = refs[i]
	}
	w.Reference = &ref.Text
	return nil
}
