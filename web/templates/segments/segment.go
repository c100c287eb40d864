package segments

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/web/templates"
)

// A SegmentView is one segment with everything known about it. Its forms are those
// of the acts.
type SegmentView struct {
	templates.Page
	ID          string // row id, in addresses
	Segment     campaign.Segment
	Held        bool
	Decisions   []campaign.Decision   // by round
	Turns       []readmodel.Turn      // by round, then login
	Lineage     readmodel.Lineage     // empty if the user does not lead the campaign
	Rejected    []readmodel.Rejection // of this segment by later campaigns; empty if the user does not lead the campaign
	Threads     []readmodel.Thread    // about this segment, in order of logins; nil if the user may not see them
	Protocol    *protocol.Protocol
	Settings    campaign.Settings
	Source      templates.Lang
	Target      templates.Lang
	Judges      []campaign.JudgeAbout // of the campaign
	Acts        []readmodel.LeadAct   // of leads, in the order in which they were done
	DecidingAct *readmodel.LeadAct    // the one that decides; nil: the ratings do
	Undo        *readmodel.Undo       // of the latest act; nil: no act stands
	Overtaken   bool                  // ratings came after that act, and no lead has looked at them
	Place       Place                 // in the list it was opened from
	Before      string                // address of the segment before this one in that list; may be empty
	After       string
	Shown       MarksShown
	// Candidates could be given the segment in its current round.
	Candidates []Candidate
	Active     []Candidate       // annotators who can be asked for another look
	Chosen     []string          // logins chosen for another look, in a form that is shown again
	Act        string            // whose form is shown again; empty: none
	Typed      map[string]string // into it, by field
	Errors     map[string]string // of it; "" is about the act as a whole
}

// MarksShown chooses which error spans are drawn, and how.
type MarksShown struct {
	Apart bool // over a copy of the text for each rating, not all over one
	Round int  // 0: the latest; [EveryRound]: all
}

// EveryRound shows the ratings of every round.
const EveryRound = -1

// The values of the query of a segment's address that choose a [MarksShown].
const (
	apartQuery        = "apart"
	adjudicationQuery = "adjudication"
	everyRoundQuery   = "all"
)

// ParseMarksShown reads the values of marks and round in a segment's address.
func ParseMarksShown(marks, round string) MarksShown {
	s := MarksShown{Apart: marks == apartQuery}
	if round == everyRoundQuery {
		s.Round = EveryRound
	} else if round == adjudicationQuery {
		s.Round = adjudication
	} else if n, err := strconv.Atoi(round); err == nil && n > 0 {
		s.Round = n
	}
	return s
}

// at is an address with the choice added to its query.
func (s MarksShown) at(path string) templ.SafeURL {
	q := url.Values{}
	path, query, _ := strings.Cut(path, "?")
	if given, err := url.ParseQuery(query); err == nil {
		q = given
	}
	if s.Apart {
		q.Set("marks", apartQuery)
	}
	switch {
	case s.Round == EveryRound:
		q.Set("round", everyRoundQuery)
	case s.Round == adjudication:
		q.Set("round", adjudicationQuery)
	case s.Round > 0:
		q.Set("round", strconv.Itoa(s.Round))
	}
	return templ.SafeURL(templates.PageAddress(path, q, 1))
}

// A column of the table of ratings is one annotator in one round, or the adjudicator.
type column struct {
	Annotator string
	Round     int // or adjudication
}

// adjudication stands for the round of a column that has an adjudicator's ratings.
const adjudication = math.MaxInt32

func (c column) adjudicates() bool { return c.Round == adjudication }

// roundName is "round 2", or "adjudication".
func roundName(round int) string {
	if round == adjudication {
		return "adjudication"
	}
	return "round " + strconv.Itoa(round)
}

// roundTitle is roundName as a heading.
func roundTitle(round int) string {
	if round == adjudication {
		return "Adjudication"
	}
	return "Round " + strconv.Itoa(round)
}

// columns lists who rated in which round, by round, then login. The adjudicator whose
// rating is gold comes last.
func (v SegmentView) columns() []column {
	var out []column
	for _, t := range v.Segment.Translations {
		for _, r := range t.Ratings {
			if c := (column{r.Annotator, r.Round}); !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
		if a := t.Adjudication; a != nil {
			if c := (column{a.Annotator, adjudication}); !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	slices.SortFunc(out, func(a, b column) int {
		if a.Round != b.Round {
			return a.Round - b.Round
		}
		return strings.Compare(a.Annotator, b.Annotator)
	})
	return out
}

// rounds counts the columns of each round, in order.
func rounds(columns []column) []struct{ Round, Columns int } {
	var out []struct{ Round, Columns int }
	for _, c := range columns {
		if n := len(out); n > 0 && out[n-1].Round == c.Round {
			out[n-1].Columns++
		} else {
			out = append(out, struct{ Round, Columns int }{c.Round, 1})
		}
	}
	return out
}

// startsRound reports whether a column is the first of its round.
func startsRound(columns []column, i int) bool {
	return i == 0 || columns[i-1].Round != columns[i].Round
}

// ratingOf finds what was given to a translation in a column; nil if nothing was.
func ratingOf(t campaign.Translation, c column) *campaign.Rating {
	if c.adjudicates() {
		return t.Adjudication
	}
	for i, r := range t.Ratings {
		if r.Annotator == c.Annotator && r.Round == c.Round {
			return &t.Ratings[i]
		}
	}
	return nil
}

func (v SegmentView) humanScores() []string {
	var names []string
	for _, t := range v.Segment.Translations {
		for _, s := range t.HumanScores {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func humanScore(t campaign.Translation, name string) string {
	for _, s := range t.HumanScores {
		if s.Name == name {
			return templates.Short(s.Score)
		}
	}
	return "–"
}

// scoresOf lists the scores of a rating in the protocol's order, those that derive
// from it last; what the protocol does not know comes between, by name.
func scoresOf(p *protocol.Protocol, r protocol.Rating) []templates.Entered {
	var out, derived []templates.Entered
	known := map[string]bool{}
	for _, x := range p.Values(r) {
		if _, ok := p.Score(x.Name); ok {
			out = append(out, templates.Entered{Label: x.Label, Value: templates.Short(x.Score), Derived: false})
			known[x.Name] = true
		} else {
			derived = append(derived, templates.Entered{Label: x.Label, Value: templates.Short(x.Score), Derived: true})
		}
	}
	var rest []string
	for name := range r.Scores {
		if !known[name] {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	for _, name := range rest {
		out = append(out, templates.Entered{Label: name, Value: templates.Short(r.Scores[name]), Derived: false})
	}
	return append(out, derived...)
}

// cellScores are the scores of a rating that its cell of the table has room for:
// what was entered, and what the gate compares.
func cellScores(p *protocol.Protocol, r protocol.Rating) []templates.Entered {
	all := scoresOf(p, r)
	gate := ""
	for _, d := range p.Derived {
		if d.Name == p.Gate {
			gate = d.Label
		}
	}
	return slices.DeleteFunc(all, func(x templates.Entered) bool { return x.Derived && x.Label != gate })
}

// asks lists the questions of the protocol that are not numbers.
func (v SegmentView) asks() []protocol.Question {
	if v.Protocol == nil {
		return nil
	}
	return v.Protocol.Asks()
}

// textLang is the language of a text that is an answer: that of the text it begins from, empty if it begins from none.
func (v SegmentView) textLang(q protocol.Question) string {
	switch q.Begin {
	case "":
		return ""
	case protocol.BeginSource:
		return v.Source.Lang
	}
	return v.Target.Lang
}

// goldAnswers are the gold answers of a translation, by name of the question.
func (v SegmentView) goldAnswers(t campaign.Translation) map[string]protocol.Answer {
	out := map[string]protocol.Answer{}
	for _, q := range v.asks() {
		if a, ok := campaign.GoldAnswer(v.Protocol, q, v.Segment, t); ok {
			out[q.Name] = a
		}
	}
	return out
}

// differing are the names of the questions whose answers have no gold, so that the segment waits for an adjudicator.
func (v SegmentView) differing() (names []string) {
	if v.Protocol == nil {
		return nil
	}
	for _, t := range v.Segment.Translations {
		for _, name := range campaign.Undecided(v.Protocol, v.Segment, t) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// costs reports whether the gate compares what errors cost: ratings show it as it
// is, gold as a score, which is negative so that higher is better.
func (v SegmentView) costs() bool {
	return v.Protocol != nil && slices.ContainsFunc(v.Protocol.Derived, func(d protocol.Derived) bool { return d.Name == v.Protocol.Gate && d.LowerIsBetter })
}

func (v SegmentView) marked() bool { return v.Protocol != nil && v.Protocol.Spans != nil }

// latest is the last round that has ratings of annotators; 0 if none has.
func latest(columns []column) int {
	n := 0
	for _, c := range columns {
		if !c.adjudicates() {
			n = max(n, c.Round)
		}
	}
	return n
}

// shownColumns are the columns whose marks are drawn.
func (v SegmentView) shownColumns(columns []column) []column {
	round, also := v.Shown.Round, 0
	if round == 0 {
		round, also = latest(columns), adjudication
	}
	if round == EveryRound {
		return columns
	}
	return slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.Round != round && c.Round != also })
}

// roundShown reports whether a choice of a round is the present one.
func (v SegmentView) roundShown(round int, columns []column) bool {
	return v.Shown.Round == round || v.Shown.Round == 0 && round == latest(columns)
}

// letters names annotators A, B, … by login, and adds a prime for each round
// after the first where several rounds are shown. The adjudicator has a star.
func (v SegmentView) letters(columns []column) map[column]string {
	var logins []string
	for _, c := range columns {
		if !c.adjudicates() {
			logins = append(logins, c.Annotator)
		}
	}
	slices.Sort(logins)
	logins = slices.Compact(logins)
	out := map[column]string{}
	for _, c := range columns {
		if c.adjudicates() {
			out[c] = "★"
			continue
		}
		out[c] = campaign.CardName(slices.Index(logins, c.Annotator))
		if v.Shown.Round == EveryRound {
			out[c] += strings.Repeat("′", max(c.Round-1, 0))
		}
	}
	return out
}

// A judgement is one rating of a translation as the page shows it.
type judgement struct {
	column
	templates.Marking
	Rating  campaign.Rating
	Several bool // rounds are shown, or an adjudication, so that this one's is named
}

// judgements are the ratings of a translation, the place of which makes its ids.
func (v SegmentView) judgements(place int, t campaign.Translation, columns []column) []judgement {
	shown := v.shownColumns(columns)
	letters := v.letters(columns)
	var out []judgement
	for i, c := range shown {
		r := ratingOf(t, c)
		if r == nil {
			continue
		}
		id := "m" + strconv.Itoa(place+1) + "-" + strconv.Itoa(i+1) + "-"
		out = append(out, judgement{c, templates.NewMarking(v.Protocol, letters[c], id, r.Spans), *r, v.Shown.Round == EveryRound || c.adjudicates()})
	}
	return out
}

// texts are the translation, or the reference if annotators mark that, and the source. label names the first of them, and text is what it
// says.
func (v SegmentView) texts(t campaign.Translation, js ...judgement) (label, text string, own, source templates.MarkedText) {
	ms := make([]templates.Marking, len(js))
	for i, j := range js {
		ms[i] = j.Marking
	}
	label, text, side := "Translation", t.Text, protocol.Target
	if v.Protocol.MarksReference() {
		reference, _ := campaign.FirstReference(v.Segment.References)
		label, text, side = "Reference", reference.Text, protocol.Reference
	}
	return label, text, templates.Over(text, v.Target, side, ms...), templates.Over(v.Segment.Source, v.Source, protocol.Source, ms...)
}

// far reports whether so much text stands before a translation that it need not
// be laid out before the reader comes near.
func (v SegmentView) far(place int) bool {
	const screens = 8_000 // bytes: several screens of text
	before := 0
	for _, t := range v.Segment.Translations[:place] {
		before += len(t.Text) + 500 // and what was given
	}
	return before > screens
}

func translationID(place int) string { return "t" + strconv.Itoa(place+1) }

// here is this segment's address, in the list it was opened from, with other marks.
func (v SegmentView) here(s MarksShown) templ.SafeURL {
	return s.at(v.Place.Path(v.Campaign.SegmentPath(v.ID)))
}

// meaning explains the status, and says whose doing it is where that matters.
func (v SegmentView) meaning() string {
	switch {
	case v.Segment.Status == campaign.Discarded && v.DecidingAct != nil && v.DecidingAct.Kind == campaign.Discard:
		return "discarded by a lead, not in gold"
	case v.Segment.Status == campaign.Discarded:
		return "failed the last round, not in gold"
	case v.Segment.Status == campaign.Adjudicated && v.DecidingAct != nil:
		return v.heldWords() + ", in gold"
	case v.Segment.Status == campaign.Reannotate && v.DecidingAct != nil:
		return "a lead asked for another look: round " + strconv.Itoa(v.Segment.Round) + " is under way"
	case v.Segment.Status == campaign.Reannotate:
		return "did not agree, sent back: round " + strconv.Itoa(v.Segment.Round) + " is under way"
	}
	if names := v.differing(); len(names) > 0 {
		return templates.StatusMeaning(v.Segment.Status) + ". " + campaign.UndecidedText(v.Protocol, names)
	}
	return templates.StatusMeaning(v.Segment.Status)
}

func (v SegmentView) undecided() bool {
	return v.Segment.Status == campaign.Pending || v.Segment.Status == campaign.Reannotate
}

func (v SegmentView) facts() []templates.Pair {
	var pairs []templates.Pair
	add := func(term, text string) {
		if text != "" {
			pairs = append(pairs, templates.Pair{Term: term, Text: text})
		}
	}
	add("Document", v.Segment.DocID)
	add("Domain", v.Segment.Domain)
	add("Data source", v.Segment.DataSource)
	add("Round", strconv.Itoa(max(v.Segment.Round, 1)))
	return pairs
}

// textColumns is how many columns of the table of ratings say what is rated: the
// system, and the translation unless it follows with its marks.
func (v SegmentView) textColumns(columns []column) int {
	if v.marked() && len(columns) > 0 {
		return 1
	}
	return 2
}

func (v SegmentView) scripts() []string {
	var scripts []string
	if v.marked() {
		scripts = append(scripts, "js/marks.js")
	}
	if len(v.asks()) > 0 {
		scripts = append(scripts, "js/differing.js")
	}
	return scripts
}

// editLang is the language of an edited text: that of the source or of the translations, by what it began from.
func (v SegmentView) editLang(e campaign.Edit) templates.Lang {
	if e.Question.Begin == protocol.BeginSource {
		return v.Source
	}
	return v.Target
}
