package annotating

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wire"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// An AnnotateView is everything an annotator sees of one segment. It has no
// place for the name of a system, for a stable id of a translation or for
// anybody else's rating, so none can reach the browser: cards are known by
// their place in the annotator's own order and by an id that holds in this
// assignment alone.
type AnnotateView struct {
	templates.Page
	Protocol *protocol.Protocol
	Guide    string // what the lead wrote in place of the protocol's guide, as HTML of internal/markdown; empty: nothing
	// Training is set on the page of a training segment, which is not work.
	Training *TrainingTurn
	// GuideClosedURL is told when the annotator closes the guide, which opens by itself; empty: it does not.
	GuideClosedURL string
	AssignmentID   string
	Round          int
	SecondLook     bool   // the segment came back to this annotator
	Looked         string // why a lead asked for this look, in their words; empty: nobody asked for it
	Adjudicates    bool   // the user adjudicates, beside the annotators' ratings
	// Preview is set if the page shows a protocol with sample texts. Nothing is stored then.
	Preview   *Preview
	Submitted bool   // finished work that can still be revised
	Changed   bool   // since it was submitted
	ReadOnly  string // why nothing can be changed, in words; empty: it can

	SegmentNumber int // place among the annotator's segments, from 1
	Done          int // segments the annotator has submitted
	Available     int // segments not submitted that the annotator has or can get, this one included; -1 unknown
	RatingsToday  int
	Quota         int // ratings a day; 0: no limit
	IdleSeconds   int // active time stops after this number of seconds without input
	UndoSeconds   int // for which a submission can be taken back; 0: never

	DocID      string
	Place      int // of the segment in its document, from 1
	DocLength  int // segments of the document; 1: no context is shown
	Source     templates.Lang
	Target     templates.Lang
	SourceText string
	Before     []string             // sources of the document's earlier segments
	After      []string             // and of the later ones
	Context    string               // what came with the segment about its surroundings
	Note       string               // from the lead
	Stage      string               // title of the campaign that the segment came from; may be empty
	Thread     []readmodel.Message  // what the annotator and the leads have said about the segment
	Skipped    string               // why the annotator skipped the segment; empty: they did not
	SourceWas  *string              // nil unless the source was replaced since the annotator worked on it
	Replaced   *Replaced            // nil unless the reference was replaced since the annotator rated it
	Reference  *string              // nil unless the campaign or the protocol shows it and the segment has one
	Terms      []protocol.ErrorSpan // the given terms of the segment, in the order of the text
	Cards      []Card
	// Announcements of the lead that are shown now.
	Announcements []readmodel.Announcement

	PreviousURL string // of the user's page of an earlier segment of the document; empty: none
	NextURL     string // the same for a later one

	BackURL     string // where "back" leads
	CardsURL    string // a card's id is appended: "/campaigns/S/assignments/ID/cards/"
	SubmitURL   string
	SkipURL     string
	TakeBackURL string
	DocumentURL string // "?card=ID" adds the translations by the system of that card
	ProblemURL  string
	ThreadURL   string

	Keys    map[string]string // that the annotator has changed, as in store.Keys
	KeysURL string

	IDPrefix string // begins the ids of errors marked on the page
}

// Replaced is a reference that another text has replaced, with what the annotator gave for it.
type Replaced struct {
	Text   string
	Rating protocol.Rating
}

// said is the annotator's answer to the question that the gate compares, in words.
func (r Replaced) said(p *protocol.Protocol) string {
	q, ok := p.NominalGate()
	answer := r.Rating.Answers[q.Name]
	switch {
	case !ok || q.Kind != protocol.Choice:
		return "You answered for an earlier text"
	case answer.Text == campaign.Rejects:
		return "You rejected this text"
	}
	return "You answered “" + q.Words(answer) + "” for this text"
}

// A Card is one translation as the annotator meets it.
type Card struct {
	Index   int      // in the annotator's order, from 0
	ID      string   // addresses the card when it is saved
	Name    string   // "A"
	Text    string   // may be empty: there is no translation
	SameAs  []string // names of the cards with the same text
	Scores  map[string]float64
	Answers map[string]protocol.Answer // candidates by their ids
	// Candidates are the texts that an answer may choose, in the annotator's order.
	Candidates []Candidate
	Spans      []protocol.ErrorSpan
	NoErrors   bool
	Comment    string
	Seconds    float64 // active time so far
	Revision   int
	// Suggestions are error spans to decide on. Their ids are their places, which
	// tell nothing of what made them; Rejected are those that no span came of.
	Suggestions []protocol.ErrorSpan
	Rejected    []string
	Peers       []readmodel.PeerRating // in an adjudication
	// Earlier and Later are what the card's system wrote for the segments before and after
	// in the document; nil: there is none, or the campaign shows segments.
	Earlier, Later *string
}

// itself reports whether the one card is the segment itself.
func (v AnnotateView) itself() bool { return v.Protocol.OfSegments() }

// cardTexts reports whether each card has a text of its own: a translation, or the reference in which terms are marked.
func (v AnnotateView) cardTexts() bool { return !v.itself() || v.Protocol.MarksReference() }

// ownScores are the scores that no question asks for.
func (v AnnotateView) ownScores() []protocol.Score {
	return slices.DeleteFunc(slices.Clone(v.Protocol.Scores), func(s protocol.Score) bool {
		_, asked := v.Protocol.Question(s.Name)
		return asked
	})
}

// cardsLabel names the list of cards for those who can't see it.
func (v AnnotateView) cardsLabel() string {
	if v.itself() {
		return "Questions"
	}
	return "Translations"
}

// commentLabel names the field of a card's comment.
func (v AnnotateView) commentLabel(c Card) string {
	if v.itself() {
		return "Comment on the segment"
	}
	return "Comment on translation " + c.Name
}

// MarksOf is what scripts get of the marks of a card. They know an error by its
// id, so one that came without is given one here.
func MarksOf(p *protocol.Protocol, spans []protocol.ErrorSpan, noErrors bool, rejected []string) wire.Marks {
	if p.Spans == nil {
		return wire.Marks{}
	}
	named := make([]protocol.ErrorSpan, len(spans))
	taken := make(map[string]bool, len(spans))
	for i, s := range spans {
		named[i] = s
		taken[s.ID] = true
	}
	next := 1
	for i := range named {
		for ; named[i].ID == ""; next++ {
			if id := "s" + strconv.Itoa(next); !taken[id] {
				named[i].ID = id
			}
		}
	}
	return wire.Marks{Spans: &named, NoErrors: &noErrors, Rejected: rejected}
}

// State is the data block of the page.
func (v AnnotateView) State() wire.State {
	s := wire.State{
		Assignment: v.AssignmentID, Round: v.Round, Submitted: v.Submitted, Changed: v.Changed, IdleSeconds: v.IdleSeconds,
		UndoSeconds: v.UndoSeconds, Timezone: v.Timezone(), DocLength: v.DocLength,
		URLs: wire.URLs{
			Cards:    v.CardsURL,
			Submit:   v.SubmitURL,
			Skip:     v.SkipURL,
			TakeBack: v.TakeBackURL,
			Document: v.DocumentURL,
			Problem:  v.ProblemURL,
			Thread:   v.ThreadURL,
			Keys:     v.KeysURL,
		}, Scores: []wire.Score{},
		Protocol: v.Protocol.ID, Keys: v.Keys, Adjudicates: v.takes(), Preview: v.Preview != nil,
	}
	if v.User != nil {
		s.User = v.User.Login
	}
	for _, score := range v.Protocol.Scores {
		s.Scores = append(s.Scores, stateScore(score))
	}
	if s.Itself = v.itself(); len(v.Protocol.Questions) > 0 {
		s.Source = &v.SourceText
	}
	if v.Protocol.BeginsFromReference() {
		s.Reference = v.Reference
	}
	for _, q := range v.Protocol.Questions {
		s.Questions = append(s.Questions, stateQuestion(q))
	}
	if v.Protocol.Spans != nil { // even if nothing can be marked: js/inwords.js says what a browser keeps
		s.Marking, s.Source = stateMarking(v.Protocol), &v.SourceText
		s.Marking.Suggestions, s.Marking.IDPrefix = v.suggests(), v.IDPrefix
		s.Terms = v.Terms
	}
	for _, c := range v.Cards {
		scores := c.Scores
		if scores == nil {
			scores = map[string]float64{}
		}
		card := wire.Card{
			Value: wire.Value{
				ID:       c.ID,
				Revision: c.Revision,
				Scores:   scores,
				Comment:  c.Comment,
				Seconds:  c.Seconds,
				Answers:  AnswersOf(c.Answers),
				Marks:    MarksOf(v.Protocol, c.Spans, c.NoErrors, c.Rejected),
			},
		}
		for _, candidate := range c.Candidates {
			card.Candidates = append(card.Candidates, wire.CandidateText(candidate))
		}
		for k, other := range v.Cards {
			if slices.Contains(c.SameAs, other.Name) {
				card.Same = append(card.Same, k)
			}
		}
		if v.marks() {
			card.Text, card.Suggestions = &c.Text, c.Suggestions
		}
		if v.takes() {
			card.Peers = v.statePeers(c)
		}
		s.Cards = append(s.Cards, card)
	}
	return s
}

func stateScore(score protocol.Score) wire.Score {
	s := wire.Score{Name: score.Name, Label: score.Label, Min: score.Min, Max: score.Max}
	if !isScale(score) {
		for _, l := range score.Levels {
			s.Levels = append(s.Levels, wire.Level{Value: l.Value, To: l.To, Name: l.Name})
		}
	}
	return s
}

// progress says how many of the annotator's segments are done: "11 of 80 segments done". The words are the
// same on every page of an annotator.
func (v AnnotateView) progress() string {
	if v.Available < 0 {
		return wording.Counted(v.Done, "segment") + " done"
	}
	return strconv.Itoa(v.Done) + " of " + wording.Counted(v.Done+v.Available, "segment") + " done"
}

// ownURL is the address of the annotator's own segments of the document, or of all where the segment is
// a document of its own.
func (v AnnotateView) ownURL() string {
	list := OwnView{Show: OwnAll}
	if v.DocLength > 1 {
		list.Document = v.DocID
	}
	if v.Campaign == nil {
		return ""
	}
	return v.Campaign.Path("finished?" + list.query().Encode())
}

// mayReport reports whether the annotator can report a problem with the segment.
func (v AnnotateView) mayReport() bool {
	return v.ReadOnly == "" && !v.Submitted && !v.Adjudicates && v.Preview == nil && v.Training == nil
}

// maySkip reports whether the annotator may leave the segment to another one.
func (v AnnotateView) maySkip() bool { return v.Round == 1 && !v.Adjudicates && v.Training == nil }

// reportOr ends the name of the button that opens the dialog of problems.
func (v AnnotateView) reportOr() string {
	if v.maySkip() {
		return " or skip"
	}
	return " a problem"
}

// today says how much of the day's quota is done: "40 of 100 ratings today".
func (v AnnotateView) today() string {
	if v.Quota > 0 {
		return strconv.Itoa(v.RatingsToday) + " of " + strconv.Itoa(v.Quota) + " ratings today"
	}
	return wording.Counted(v.RatingsToday, "rating") + " today"
}

// heading names the page for those who can't see it.
func (v AnnotateView) heading() string {
	if v.Preview != nil {
		return "Preview of " + v.Protocol.Name
	}
	if v.Adjudicates {
		return "Adjudication"
	}
	if v.Training != nil {
		return v.Training.heading()
	}
	if v.DocLength > 1 {
		return "Segment " + strconv.Itoa(v.Place) + " of " + strconv.Itoa(v.DocLength) + ", document " + v.DocID
	}
	return "Segment " + strconv.Itoa(v.SegmentNumber)
}

// windowName tells the windows of two segments apart.
func (v AnnotateView) windowName() templates.Page {
	p := v.Page
	p.Title = cmp.Or(p.Title, v.heading())
	return p
}

// goesOn reports whether what is given by a key may lead on to the next card: each card has one score, of a scale, and
// no errors are marked, or the terms are given.
func (v AnnotateView) goesOn() bool {
	if v.ReadOnly != "" || len(v.Cards) < 2 {
		return false
	}
	return v.Protocol.Given != "" || !v.marks() && len(v.Protocol.Questions) == 0 &&
		len(v.Protocol.Scores) == 1 && isScale(v.Protocol.Scores[0])
}

func (c Card) id() string { return "card-" + strconv.Itoa(c.Index) }

func (c Card) same() string {
	if len(c.SameAs) == 0 {
		return ""
	}
	return "same text as " + strings.Join(c.SameAs, ", ")
}

// sameCandidates names, by their places from 1, the other candidates with the text of candidate i; empty if there are none.
func (c Card) sameCandidates(i int) string {
	var places []string
	for k, other := range c.Candidates {
		if k != i && other.Text == c.Candidates[i].Text {
			places = append(places, strconv.Itoa(k+1))
		}
	}
	if len(places) == 0 {
		return ""
	}
	return "same text as number " + strings.Join(places, ", ")
}

// given is the value of a score as a control holds it; empty if not given.
func (c Card) given(score string) string {
	x, ok := c.Scores[score]
	if !ok {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// keyOf is a key as it is written on the page; empty where the page has no keys.
func (v AnnotateView) keyOf(key string) string {
	if v.ReadOnly != "" {
		return ""
	}
	return key
}

// An optionStep is one of several values of a choice in the menu Options.
type optionStep struct {
	Value string // as scripts and style sheets know it
	Label string
	Usual bool
}

// textSizes are the sizes of the texts, as percentages of the usual one.
var textSizes = []optionStep{
	{Value: "85", Label: "85 %"}, {Value: "100", Label: "100 %", Usual: true}, {Value: "115", Label: "115 %"},
	{Value: "130", Label: "130 %"}, {Value: "150", Label: "150 %"}, {Value: "180", Label: "180 %"},
}

// textWidths say how long the lines of a text become; the whole width is that of the column.
var textWidths = []optionStep{
	{Value: "narrow", Label: "Narrow"}, {Value: "medium", Label: "Medium", Usual: true}, {Value: "wide",
		Label: "Wide"}, {Value: "whole", Label: "Whole"},
}

// isScale reports whether a score is entered by one button for each value.
func isScale(s protocol.Score) bool { return s.Length() < 10 }

// steps lists the values of a scale with their names, where they have one.
func steps(s protocol.Score) []protocol.Level {
	levels := make([]protocol.Level, 0, s.Max-s.Min+1)
	for v := s.Min; v <= s.Max; v++ {
		level := protocol.Level{Value: v}
		for _, l := range s.Levels {
			if l.Value <= v && v <= max(l.To, l.Value) {
				level.Name, level.Text = l.Name, l.Text
			}
		}
		levels = append(levels, level)
	}
	return levels
}

// levelName is the name of a value, empty if it has none.
func levelName(s protocol.Score, value string) string {
	v, err := strconv.Atoi(value)
	if err != nil {
		return ""
	}
	for _, l := range s.Levels {
		if l.Value <= v && v <= max(l.To, l.Value) {
			return l.Name
		}
	}
	return ""
}

// valuesText is the values that a level describes: "3", or "0–29".
func valuesText(l protocol.Level) string {
	if l.To > l.Value {
		return strconv.Itoa(l.Value) + "–" + strconv.Itoa(l.To)
	}
	return strconv.Itoa(l.Value)
}

// banded reports whether the levels of a score need room for bands.
func banded(s protocol.Score) bool {
	return slices.ContainsFunc(s.Levels, func(l protocol.Level) bool { return len(valuesText(l)) > 2 })
}

// showsMarks reports whether the page draws what was marked. It does so where
// nothing can be changed.
func (v AnnotateView) showsMarks() bool { return v.ReadOnly != "" && v.Protocol.Spans != nil }

// marks reports whether errors are marked on the page.
func (v AnnotateView) marks() bool { return v.ReadOnly == "" && v.Protocol.Spans != nil }

// suggests reports whether there are suggestions to decide on.
func (v AnnotateView) suggests() bool {
	return v.marks() && slices.ContainsFunc(v.Cards, func(c Card) bool { return len(c.Suggestions) > 0 })
}

func (v AnnotateView) styles() []string {
	styles := []string{"css/base.css", "css/components.css", "css/annotate.css", "css/guide.css", "css/keys.css"}
	switch {
	case v.showsMarks():
		styles = append(styles, "css/spans.css", "css/marks.css")
	case v.marks() && v.Adjudicates:
		styles = append(styles, "css/spans.css", "css/marks.css", "css/marking.css")
	case v.marks():
		styles = append(styles, "css/spans.css", "css/marking.css")
	}
	if v.Adjudicates {
		styles = append(styles, "css/adjudicate.css")
	}
	if v.suggests() {
		styles = append(styles, "css/suggestions.css")
	}
	return styles
}

// marking is what was marked on a card. Nothing tells annotators apart here:
// there is only one.
func (v AnnotateView) marking(c Card) templates.Marking {
	return templates.NewMarking(v.Protocol, "", c.id()+"-mark-", c.Spans)
}

// MarkSame fills in SameAs of cards whose texts are equal byte for byte.
func MarkSame(cards []Card) {
	at := map[string][]string{}
	for i := range cards {
		if cards[i].Name == "" {
			cards[i].Name = campaign.CardName(cards[i].Index)
		}
		at[cards[i].Text] = append(at[cards[i].Text], cards[i].Name)
	}
	for i := range cards {
		cards[i].SameAs = nil
		for _, name := range at[cards[i].Text] {
			if name != cards[i].Name {
				cards[i].SameAs = append(cards[i].SameAs, name)
			}
		}
	}
}

// annotateScripts are the page's scripts. Whatever the page may need comes with it, since the files of an earlier
// version are gone after an upgrade.
func annotateScripts(v AnnotateView) []string {
	scripts := []string{"js/judging.js"}
	if v.ReadOnly != "" {
		scripts[0] = "js/reading.js"
	}
	if v.showsMarks() || v.Adjudicates && v.marks() {
		scripts = append(scripts, "js/marks.js")
	}
	return scripts
}

// A TrainingTurn is what the annotate page says of a training segment.
type TrainingTurn struct {
	Answers   bool // a lead enters the answer
	Practises bool // what is submitted counts nowhere
	Standing  campaign.Standing
}

func (t TrainingTurn) heading() string {
	switch {
	case t.Answers:
		return "Answer of a training segment"
	case t.Practises:
		return "Practice"
	}
	return "Training"
}

func (t TrainingTurn) progress() string {
	switch {
	case t.Answers:
		return "training answer"
	case t.Practises:
		return "practice"
	}
	return "training " + strconv.Itoa(min(t.Standing.Done+1, t.Standing.All)) + " of " + strconv.Itoa(t.Standing.All) + " · " + templates.AttemptOf(t.Standing)
}

func (t TrainingTurn) about() string {
	switch {
	case t.Answers:
		return "Rate the translations as you want annotators to rate them. Each of them is compared with what you submit here."
	case t.Practises:
		return "What you submit here counts nowhere. You see at once how it compares with the lead's answer."
	}
	return "After you submit, you see how your ratings compare with the lead's answer."
}

// A Preview is the page of a protocol with sample texts, before there is a campaign.
type Preview struct {
	Fields []templates.Pair // of the form of a new campaign, which leads back to it
	File   string           // the name of the protocol's file; empty if the protocol comes with the program
}
