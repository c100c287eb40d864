package work

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/qualification"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// Work is an assignment with everything that its page shows. It never contains the name of a
// system, a login or a gate score. It contains ratings of others only in an adjudication.
type Work struct {
	Campaign    campaign.Campaign
	Assignment  campaign.Assignment
	DocID       string // the annotator's own number of the document if the campaign places checks
	InDocument  int    // place in the document, from 1
	DocumentLen int
	Source      string
	Context     string
	Note        string
	Stage       string               // title of the campaign that the segment came from; empty if it came from none
	Reference   *string              // nil unless the campaign or the protocol shows references and the segment has one
	Terms       []protocol.ErrorSpan // the given terms of the segment
	Before      []Neighbour          // the segments before it in the document, in order
	After       []Neighbour
	Previous    string // id of the user's assignment for the nearest segment before it that they can open; empty if there is none
	Next        string // the same for the segments after it
	Cards       []Card
	Over        string // why nothing can be saved, in words for the annotator; empty if it can
	LookReason  string // why a lead asked for another look, in the lead's words; empty if no lead asked for this round
	Skipped     string // why the annotator skipped the segment; empty if they did not, or a lead has put it back to their work
	Held        bool   // an annotator reported a problem with the segment that is not answered yet
	RatedBefore bool   // the annotator submitted the segment in an earlier round
	// Replaced is the text that the annotator rated in an earlier round. It is nil if the text is still the same, or if a second look
	// begins blank.
	Replaced    *ReplacedText
	SourceWas   *string   // the source that the annotator rated or saved drafts for; nil as Replaced is
	SetAside    bool      // a lead has set the annotator's work aside, so nothing can be saved
	Prepares    bool      // a lead enters or tries the answer of a training segment, in any state of the campaign
	Changed     bool      // it was submitted, and drafts were changed since
	SubmittedAt time.Time // zero until submitted
	// Thread has the messages of the annotator and the leads about the segment. It names no lead.
	Thread []readmodel.Message
}

// A ReplacedText is a reference that a new text has replaced since the annotator rated it.
type ReplacedText struct {
	Text   string
	Rating protocol.Rating // the annotator's own
}

// A Card is a translation to rate, on the page of one assignment.
type Card struct {
	// ID names the card in requests. It tells nothing about the system, and differs in each
	// assignment. It stays the same when an import adds translations to the segment.
	ID     string
	Text   string
	Rating protocol.Rating
	// Suggestions are the suggested error spans. Their ids, also those in Rating, are their
	// places from 1, because the real ids could tell where they come from.
	Suggestions []protocol.ErrorSpan
	// Candidates are the texts to choose from, if the card is a segment. Answers in Rating and Peers name them by
	// their ids.
	Candidates []Candidate
	Peers      []readmodel.PeerRating // the annotators' ratings, in an adjudication
	Seconds    float64
	Revision   int
	SavedAt    time.Time // zero if never saved
}

// A CardRow is a translation with the annotator's draft, submitted rating, and rating of the last
// earlier round that they submitted.
type CardRow struct {
	ID             string // of the translation
	SystemID       string
	CardID         string `gorm:"-"`
	Text           string
	Source         string // of the segment
	Revision       *int
	Draft          records.RatingColumns `gorm:"embedded"`
	Seconds        *float64
	SavedAt        *database.Instant
	RatedSeconds   *float64 // nil if not submitted
	RatedAt        database.Instant
	Rated          records.RatingColumns `gorm:"embedded;embeddedPrefix:rated_"`
	RatedBefore    bool                  // the annotator submitted an earlier round of the segment
	HasEarlier     bool
	Replaced       *string // the reference that the earlier round is about; nil if it is still the same
	SourceWas      *string // the source that the earlier round or the draft is about; nil if it is still the same
	HasSuggestions bool
	Outdated       bool                  // the draft was saved before the text was replaced
	Earlier        records.RatingColumns `gorm:"embedded;embeddedPrefix:earlier_"`
	Suggested      []protocol.ErrorSpan  `gorm:"-"`
	Candidates     map[string]string     `gorm:"-"` // texts by name; nil unless the card is a segment that has some
	Reference      *string               `gorm:"-"` // nil unless the protocol needs it and the segment has one
	Terms          []protocol.ErrorSpan  `gorm:"-"` // the given terms of the segment
	order          []Candidate           // the candidates in the annotator's order, as the page may have them
	// Linkable are the ids of errors in other segments that those of the card may be linked
	// to. It is read only if one of them is linked to elsewhere.
	Linkable map[string]bool `gorm:"-"`
}

// card returns the card with the rating that the annotator sees: the draft, or else the submitted
// rating, or else the annotator's rating of an earlier round if the setting reannotate is "own". A draft and an earlier rating of
// a text that was replaced since are left out. An imported rating has no draft.
//
// A link leads to an error of the same round. The rating of an earlier round therefore loses the
// links to segments that the annotator does not have in this round, or whose target the annotator
// has removed in this round. The other links stay valid.
func (r CardRow) card(c campaign.Campaign) Card {
	card := Card{ID: r.CardID, Text: r.Text, Rating: c.Rules.TakeGiven(r.rating(c), r.Terms)}
	if c.Rules.MarksReference() {
		card.Text = r.texts().Reference
	}
	switch {
	case r.Revision != nil:
		card.Seconds, card.Revision, card.SavedAt = *r.Seconds, *r.Revision, r.SavedAt.Time()
	case r.RatedSeconds != nil:
		card.Seconds = *r.RatedSeconds
	default:
		card.Rating, _ = card.Rating.KeepLinks(r.Linkable)
	}
	card.Rating = records.KnownOnly(r.Suggested, card.Rating)
	return card
}

// rating returns the rating that the card begins with, with all its links.
func (r CardRow) rating(c campaign.Campaign) protocol.Rating {
	switch {
	case r.Revision != nil && !r.Outdated:
		return r.Draft.Rating()
	case r.RatedSeconds != nil:
		return asDraft(c.Rules, r.Rated)
	case c.Settings.Reannotate == "own" && r.HasEarlier && r.Replaced == nil:
		return asDraft(c.Rules, r.Earlier)
	}
	return protocol.Rating{Scores: map[string]float64{}}
}

// texts are the texts against which a rating on the card is checked.
func (r CardRow) texts() protocol.Texts {
	t := protocol.Texts{Source: r.Source, Translation: r.Text, Linkable: r.Linkable, Candidates: r.Candidates, Given: r.Terms}
	if r.Reference != nil {
		t.Reference = *r.Reference
	}
	return t
}

// pageCard returns the card in the form that a page may have: suggestions are named by their
// places instead of their ids.
func (r CardRow) pageCard(c campaign.Campaign) Card {
	card := r.card(c)
	card.Rating, card.Suggestions = records.Blind(r.Suggested, card.Rating), records.BlindSuggestions(r.Suggested)
	card.Rating, card.Candidates = blindCandidates(c.Rules, card.Rating, r.order), r.order
	return card
}

// asDraft turns a submitted rating into a draft to start from. If a protocol has no entered scores
// and the rating no spans, NoErrors is set. Spans without an id, from an import, get one.
func asDraft(p *protocol.Protocol, submitted records.RatingColumns) protocol.Rating {
	r := submitted.Submitted()
	r.NoErrors = p.Spans != nil && len(p.Scores) == 0 && len(r.Spans) == 0
	if len(r.Spans) > 0 {
		r.Spans = records.WithIDs(r.Spans)
	}
	return r
}

// changed reports whether a submitted card has a draft that was saved since, and differs from what was submitted.
func (r CardRow) changed() bool {
	draft := r.Draft
	draft.NoErrors = false // submitted ratings do not have it: no spans means no errors
	return r.Revision != nil && r.RatedSeconds != nil && *r.SavedAt >= r.RatedAt && draft != r.Rated
}

// revision is the revision of the draft; 0 before the first save.
func (r CardRow) revision() int {
	if r.Revision == nil {
		return 0
	}
	return *r.Revision
}

// submitted reports whether the card was submitted and nothing of it was saved since.
func (r CardRow) submitted() bool {
	return r.RatedSeconds != nil && !r.changed() && (r.SavedAt == nil || *r.SavedAt <= r.RatedAt)
}

// cardRows reads the cards of an assignment in the annotator's order.
func cardRows(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow) ([]CardRow, error) {
	var rows []CardRow
	round := a.Round
	if a.State.Adjudicates() {
		round = 0 // an adjudication starts empty
	}
	// The earlier round need not be the one just below, because an annotator who was replaced there may be
	// added later.
	err := db.Raw(`SELECT t.id, t.system_id, t.text, g.source, d.revision, d.seconds, d.saved_at, r.seconds AS rated_seconds, coalesce(r.submitted_at, 0) AS rated_at,
			p.id IS NOT NULL AS rated_before, e.id IS NOT NULL AS has_earlier, (
				SELECT n.text_before FROM acts n WHERE n.segment_id = t.segment_id AND n.kind = 'new text' AND NOT n.undone AND n.rated >= p.rated ORDER BY n.seq LIMIT 1) AS replaced, (
				SELECT n.text_before FROM acts n WHERE n.segment_id = t.segment_id AND n.kind = 'new source' AND NOT n.undone AND (n.rated >= p.rated OR n.at > d.saved_at) ORDER BY n.seq LIMIT 1) AS source_was,
			r.id IS NULL AND EXISTS (SELECT 1 FROM acts n WHERE n.segment_id = t.segment_id AND n.kind = 'new text' AND NOT n.undone AND n.at > d.saved_at) AS outdated, EXISTS (SELECT 1 FROM suggestions u WHERE u.translation_id = t.id) AS has_suggestions,
			coalesce(d.scores, '') AS scores, coalesce(d.answers, '') AS answers, coalesce(d.spans, '') AS spans, coalesce(d.no_errors, FALSE) AS no_errors, coalesce(d.comment, '') AS comment, coalesce(d.suggestions, '') AS suggestions,
			coalesce(r.scores, '') AS rated_scores, coalesce(r.answers, '') AS rated_answers, coalesce(r.spans, '') AS rated_spans, coalesce(r.comment, '') AS rated_comment, coalesce(r.suggestions, '') AS rated_suggestions,
			coalesce(e.scores, '') AS earlier_scores, coalesce(e.answers, '') AS earlier_answers, coalesce(e.spans, '') AS earlier_spans, coalesce(e.comment, '') AS earlier_comment, coalesce(e.suggestions, '') AS earlier_suggestions
		FROM translations t JOIN segments g ON g.id = t.segment_id
		LEFT JOIN drafts d ON d.assignment_id = ? AND d.translation_id = t.id
		LEFT JOIN ratings r ON r.assignment_id = ? AND r.translation_id = t.id
		LEFT JOIN assignments p ON p.id = (SELECT x.id FROM assignments x WHERE x.segment_id = ? AND x.user_id = ? AND x.round < ? AND x.state = 'submitted' ORDER BY x.round DESC LIMIT 1)
		LEFT JOIN ratings e ON e.assignment_id = p.id AND e.translation_id = t.id
		WHERE t.segment_id = ?`, a.ID, a.ID, a.SegmentID, a.UserID, round, a.SegmentID).
		Scan(&rows).
		Error
	if err != nil {
		return nil, err
	}
	// Adjudicators see the annotators' marks, not suggestions.
	if !a.State.Adjudicates() && c.Rules.Spans != nil && slices.ContainsFunc(rows, func(r CardRow) bool { return r.HasSuggestions }) {
		of, err := records.SuggestionsOf(db, []string{a.SegmentID})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if s := of[rows[i].ID]; s != nil {
				rows[i].Suggested = s.Spans
			}
		}
	}
	cardID := cardIDs(a)
	for i := range rows {
		rows[i].CardID = cardID(rows[i].ID)
		rows[i].Outdated = rows[i].Outdated && a.State != campaign.HasAdjudicated
	}
	if c.Rules.OfSegments() {
		if err := loadCandidates(db, a, rows); err != nil {
			return nil, err
		}
	}
	if c.Rules.NeedsReference() {
		reference, err := firstReference(db, a.SegmentID)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			rows[i].Reference = reference
		}
	}
	if c.Rules.Given != "" {
		given, err := records.TermsOf(db, []string{a.SegmentID})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			rows[i].Terms = given[a.SegmentID]
		}
	}
	if err := loadLinkable(db, c, a, rows); err != nil {
		return nil, err
	}
	return InOrder(rows, a.CardOrder), nil
}

// InOrder puts the cards of an assignment into the annotator's order.
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

// bySystem puts cards into the order of systems that a whole document has. Each system has one
// card.
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

// LoadWork reads an assignment of a user with everything that its page shows. The error is
// ErrNotFound if the user has no such assignment.
func (s *Store) LoadWork(ctx context.Context, c campaign.Campaign, assignmentID, userID string) (Work, error) {
	db := s.db.Read(ctx)
	a, err := records.FindAssignment(db, c.ID, assignmentID, userID)
	if err != nil {
		return Work{}, err
	}
	w := Work{Campaign: c, SubmittedAt: a.SubmittedAt.Time(), Assignment: campaign.Assignment{
		ID: a.ID, CampaignID: a.CampaignID, SegmentID: a.SegmentID, UserID: a.UserID, Round: a.Round,
		State: a.State, Order: a.CardOrder, StartedAt: a.StartedAt.Time(), SubmittedAt: a.SubmittedAt.Time(),
	}}
	if a.State == campaign.Released && !a.Added {
		w.Skipped = a.Skipped
	}
	var seg struct {
		DocumentID string
		DocID      string
		Position   int
		Source     string
		Context    string
		Note       string
		Stage      string
		Held       bool
	}
	err = db.Raw(`SELECT g.document_id, d.doc_id, g.position, g.source, g.context, g.note, coalesce((SELECT l.stage FROM lineage l WHERE l.segment_id = g.id AND l.depth = 1), '') AS stage, g.held
		FROM segments g JOIN documents d ON d.id = g.document_id WHERE g.id = ?`, a.SegmentID).
		Take(&seg).
		Error
	if err != nil {
		return Work{}, err
	}
	w.Source, w.Context, w.Note, w.Stage, w.Held = seg.Source, seg.Context, seg.Note, seg.Stage, seg.Held
	if w.DocID, err = shownDocument(db, c, a, seg.DocumentID, seg.DocID); err != nil {
		return Work{}, err
	}
	if w.Thread, err = ownThread(db, a); err != nil {
		return Work{}, err
	}
	w.SetAside = a.SetAside != ""
	if w.Prepares, err = qualification.Prepares(db, c, a); err != nil {
		return Work{}, err
	}
	if err := w.loadState(db, a); err != nil {
		return Work{}, err
	}
	if c.Settings.ShowReference || c.Rules.NeedsReference() {
		if w.Reference, err = firstReference(db, a.SegmentID); err != nil {
			return Work{}, err
		}
	}
	cards, err := cardRows(db, c, a)
	if err != nil {
		return Work{}, err
	}
	if err := w.loadDocument(db, a, seg.DocumentID, seg.Position, cards); err != nil {
		return Work{}, err
	}
	var peers map[string][]readmodel.PeerRating
	if a.State.Adjudicates() {
		if peers, err = peersOf(db, a); err != nil {
			return Work{}, err
		}
	}
	for _, row := range cards {
		w.Changed, w.RatedBefore = w.Changed || row.changed(), row.RatedBefore
		if w.Over != "" && row.RatedSeconds != nil {
			row.Revision = nil // the submitted rating counts, not the draft
		}
		w.Terms = row.Terms
		if row.HasEarlier && row.Replaced != nil && c.Settings.Reannotate == "own" {
			w.Replaced = &ReplacedText{Text: *row.Replaced, Rating: row.Earlier.Submitted()}
		}
		if c.Settings.Reannotate == "own" || !row.HasEarlier {
			w.SourceWas = row.SourceWas
		}
		card := row.pageCard(c)
		for _, peer := range peers[row.ID] {
			peer.Rating = blindCandidates(c.Rules, peer.Rating, row.order)
			card.Peers = append(card.Peers, peer)
		}
		w.Cards = append(w.Cards, card)
	}
	return w, nil
}

// shownDocument is what the page of an assignment calls its document: the id, or for annotators of a
// campaign with checks their own number of it.
func shownDocument(db *gorm.DB, c campaign.Campaign, a records.AssignmentRow, documentID, docID string) (string, error) {
	if a.State.Adjudicates() {
		return docID, nil
	}
	numbers, err := records.OwnDocuments(db, c, a.UserID)
	if err != nil || numbers == nil {
		return docID, err
	}
	return strconv.Itoa(numbers[documentID]), nil
}

// loadState adds whether the assignment can still be worked on, and why a lead asked for it.
func (w *Work) loadState(db *gorm.DB, a records.AssignmentRow) error {
	over, err := overBecause(db, a)
	if err != nil {
		return err
	}
	if over != nil {
		w.Over = over.Error()
	}
	err = database.Scan(
		db.Raw("SELECT reason FROM acts WHERE segment_id = ? AND kind = '"+string(campaign.AnotherLook)+"' AND round = ? AND NOT undone", a.SegmentID, a.Round),
		&w.LookReason,
	)
	switch {
	case errors.Is(err, database.ErrNoRows):
		return nil
	case err == nil && w.LookReason == "": // older versions of the program stored no reasons
		w.LookReason = "please look at it again"
	}
	return err
}

// firstReference reads the reference of a segment that annotators see. It is nil if there is none.
func firstReference(db *gorm.DB, segmentID string) (*string, error) {
	of, err := records.FirstReferencesOf(db, []string{segmentID})
	if text, ok := of[segmentID]; ok {
		return &text, err
	}
	return nil, err
}
