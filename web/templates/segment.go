package templates

import (
	"slices"
	"strconv"
	"strings"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// A SegmentView is one segment with everything known about it. Its form posts
// reason to …/segments/{id}/withdraw.
type SegmentView struct {
	Page
	Clock
	ID        string // row id, in addresses
	Segment   campaign.Segment
	Held      bool
	Decisions []campaign.Decision // by round
	Turns     []Turn              // by round, then login
	Problems  []ProblemRow        // reported on this segment, the latest first; nil if the user may not see them
	Protocol  *protocol.Protocol
	Settings  campaign.Settings
	Source    Lang
	Target    Lang
	Before    string // address of the segment before this one in the order of import; may be empty
	After     string
	Reason    string // as typed
	Errors    map[string]string
}

// A Turn is one annotator's turn at a segment.
type Turn struct {
	Login string
	Round int
	State campaign.AssignmentState
}

// A column of the table of ratings is one annotator in one round.
type column struct {
	Annotator string
	Round     int
}

// columns lists who rated in which round, by round, then login.
func (v SegmentView) columns() []column {
	var out []column
	for _, t := range v.Segment.Translations {
		for _, r := range t.Ratings {
			if c := (column{r.Annotator, r.Round}); !slices.Contains(out, c) {
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
	for i, r := range t.Ratings {
		if r.Annotator == c.Annotator && r.Round == c.Round {
			return &t.Ratings[i]
		}
	}
	return nil
}

// humanScores names the imported averages that any translation has.
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
			return short(s.Score)
		}
	}
	return "–"
}

// An entered score is one number of a rating with its name.
type entered struct{ Label, Value string }

// scoresOf lists the scores of a rating in the protocol's order; what the
// protocol does not know comes last, by name.
func scoresOf(p *protocol.Protocol, r campaign.Rating) []entered {
	var out []entered
	known := map[string]bool{}
	if p != nil {
		for _, s := range p.Scores {
			if x, ok := r.Scores[s.Name]; ok {
				out = append(out, entered{s.Label, short(x)})
				known[s.Name] = true
			}
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
		out = append(out, entered{name, short(r.Scores[name])})
	}
	return out
}

// outcome says what followed from a decision.
func outcome(d campaign.Decision) string {
	switch d.Status {
	case campaign.Agreed:
		return "agreed"
	case campaign.Reannotate:
		return "sent back for a second look"
	case campaign.Discarded:
		return "discarded"
	case campaign.Ungated:
		if len(d.Pairs) == 0 {
			return "not judged, for no two annotators rated the same translation"
		}
		if !d.Passed {
			return "did not agree, but the gate only reports"
		}
		return "not judged, for the gate is off"
	}
	return StatusWord(d.Status)
}

// pairText says how two annotators agreed.
func (v SegmentView) pairText(p campaign.Pair) string {
	over := " over " + counted(p.Shared, "translation")
	switch p.Reason {
	case agreement.Agreed:
		return rText(p, v.Settings.Threshold) + over + ", which reaches the threshold"
	case agreement.BelowThreshold:
		return rText(p, v.Settings.Threshold) + over + ", below the threshold"
	case agreement.NoVarianceClose:
		return "r undefined" + over + ", since one of them gave all the same score; the scores lie within the tolerance"
	case agreement.NoVarianceFar:
		return "r undefined" + over + ", since one of them gave all the same score; the scores lie too far apart"
	case agreement.TooFewClose:
		return "r undefined for so few, " + counted(p.Shared, "translation") + "; the scores lie within the tolerance"
	case agreement.TooFewFar:
		return "r undefined for so few, " + counted(p.Shared, "translation") + "; the scores lie too far apart"
	}
	return string(p.Reason)
}

// rText is r to two digits, and to more where two would read like the other
// side of the threshold.
func rText(p campaign.Pair, threshold float64) string {
	if p.R == nil {
		return "r undefined"
	}
	digits := 2
	for ; digits < 6; digits++ {
		rounded, err := strconv.ParseFloat(strconv.FormatFloat(*p.R, 'f', digits, 64), 64)
		if err == nil && (rounded >= threshold) == p.Passed {
			break
		}
		if (*p.R >= threshold) != p.Passed { // the threshold was another one then
			return "r = " + decimal(*p.R, 2)
		}
	}
	return "r = " + decimal(*p.R, digits)
}

// turnState says how far a turn has come.
func turnState(s campaign.AssignmentState) string {
	switch s {
	case campaign.InWork:
		return "in work"
	case campaign.Submitted:
		return "submitted"
	case campaign.Released:
		return "released: left idle, place free, drafts kept"
	case campaign.Reported:
		return "reported a problem"
	}
	return string(s)
}

func turnKind(s campaign.AssignmentState) string {
	switch s {
	case campaign.InWork:
		return "info"
	case campaign.Submitted:
		return "good"
	case campaign.Reported:
		return "bad"
	}
	return "plain"
}

// undecided reports whether a segment can still be withdrawn.
func (v SegmentView) undecided() bool {
	return v.Segment.Status == campaign.Pending || v.Segment.Status == campaign.Reannotate
}

func (v SegmentView) facts() []Pair {
	var pairs []Pair
	add := func(term, text string) {
		if text != "" {
			pairs = append(pairs, Pair{term, text})
		}
	}
	add("Document", v.Segment.DocID)
	add("Domain", v.Segment.Domain)
	add("Data source", v.Segment.DataSource)
	add("Round", strconv.Itoa(max(v.Segment.Round, 1)))
	return pairs
}
