package templates

import (
	"fmt"
	"strconv"
	"strings"

	"annotate/internal/readmodel"
)

// A MyWorkView lists the campaigns of the signed-in user.
type MyWorkView struct {
	Page
	Campaigns []WorkItem // in the order shown; those with second looks first
}

// A WorkItem is one campaign of the user. For an annotator it says what there
// is to do; others are led to the campaign's own pages.
type WorkItem struct {
	Campaign           Campaign
	Done               int     // segments submitted
	Available          int     // segments not submitted yet that are begun, asked for by a lead or free for this annotator; -1 unknown
	ToAdjudicate       int     // segments that the user can adjudicate
	Adjudicated        int     // segments that the user has adjudicated
	AdjudicatedSeconds float64 // active time that it took
	SecondLooks        int     // sent back, not submitted again yet
	Joining            int     // asked for by a lead in a later round, not submitted yet
	RatingsToday       int
	Quota              int    // 0: no limit
	Begun              bool   // a segment is open: the button says Continue
	Blocked            string // why nothing can be started now, in words; empty: it can
}

// A FinishedView lists what an annotator has submitted in a campaign, latest first.
type FinishedView struct {
	Page
	Paging
	Items []readmodel.FinishedSegment
	Lang  Lang // of the sources
	Open  bool // the campaign is
}

// revisable reports whether a submitted segment can be changed.
func (v FinishedView) revisable(s readmodel.FinishedSegment) bool { return v.Open && !s.Decided }

// between sets the cards apart: a space where each has one number alone.
func between(scores []string) string {
	for _, s := range scores {
		if strings.ContainsAny(s, " /") {
			return " · "
		}
	}
	return " "
}

// first is the first line of a text, cut after n characters.
func first(text string, n int) string {
	text, _, more := strings.Cut(text, "\n")
	runes := []rune(text)
	if len(runes) > n {
		return string(runes[:n]) + "…"
	}
	if more {
		return text + "…"
	}
	return text
}

// duration writes seconds as people say them: "48 s", "3 min 20 s", "1 h 5 min".
func duration(seconds float64) string {
	s := int(seconds + 0.5)
	switch {
	case s < 60:
		return strconv.Itoa(s) + " s"
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}
