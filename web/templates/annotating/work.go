package annotating

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A MyWorkView lists the campaigns of the signed-in user.
type MyWorkView struct {
	templates.Page
	Campaigns   []WorkItem // in the order shown; those with second looks first
	Invitations []InvitationItem
}

// An InvitationItem is an invitation that the user has not answered. It posts nothing to Accept or Decline.
type InvitationItem struct {
	Campaign string // title
	By       string // name of the lead who invites
	Role     string
	// OutOfReach are the names of people because of whom the user needs the join link.
	OutOfReach      []string
	Accept, Decline string
}

// needsLink says why the user needs the join link.
func (i InvitationItem) needsLink() string {
	return "Open the join link that " + i.By + " gives you. You can't join from here, because " + wording.List(i.OutOfReach) + " made a sign-in link of yours and could have used it."
}

// A WorkItem is one campaign of the user. For an annotator it says what there
// is to do; others are led to the campaign's own pages.
type WorkItem struct {
	Campaign           templates.Campaign
	Done               int     // segments submitted
	Available          int     // segments not submitted yet that are begun, asked for by a lead or free for this annotator; -1 unknown
	ToAdjudicate       int     // segments that the user can adjudicate
	Adjudicated        int     // segments that the user has adjudicated
	AdjudicatedSeconds float64 // active time that it took
	SecondLooks        int     // sent back, not submitted again yet
	Joining            int     // asked for by a lead in a later round, not submitted yet
	RatingsToday       int
	Quota              int                      // 0: no limit
	Begun              bool                     // a segment is open: the button says Continue
	Announcements      []readmodel.Announcement // those that have not ended
	Unread             []readmodel.UnreadThread // those with a message of a lead that the annotator has not read
	Empty              bool                     // the campaign has no segments
	MustAccept         bool                     // the annotator has to accept the instructions
	Training           campaign.Standing        // where the annotator stands in the training
	Practises          bool                     // there is a segment to practise on
	Due                []DuePart                // documents that are planned for the annotator, by due date
	Blocked            string                   // why nothing can be started now, in words; empty: it can
}

// A DuePart is how many documents of an annotator are due on a day.
type DuePart struct {
	Due       string // such as 2026-11-20
	Documents int    // 0 if the number is not shown
	Overdue   bool
}

// maxDue is the largest number of due dates that My work lists.
const maxDue = 3

// maxUnread is the largest number of unread messages that are linked to on My work.
const maxUnread = 5

// An OwnView lists segments that an annotator was given in a campaign: those that they have submitted,
// the latest first, or all of them by document.
type OwnView struct {
	templates.Page
	templates.Paging
	Show     string                     // what is listed; empty: what is submitted, latest first, otherwise one of ownOptions
	Document string                     // the part of a document's id that was asked for
	Counts   map[readmodel.OwnState]int // segments by state, with Document; nil if Show is empty
	Items    []readmodel.OwnSegment
	Lang     templates.Lang // of the sources
	Open     bool           // the campaign is
	Answers  bool           // the protocol asks about segments
}

// given names what was given for a segment.
func (v OwnView) given() string {
	if v.Answers {
		return "Answers"
	}
	return "Scores"
}

// OwnAll is the value of [OwnView.Show] for segments of every state.
const OwnAll = "all"

// ownStates lists the states of own segments in the order in which they can be chosen, with what is said
// of a segment and the kind of its badge.
var ownStates = []struct {
	State       readmodel.OwnState
	Badge, Kind string
}{
	{readmodel.OwnBack, "second look", "warn"},
	{readmodel.OwnBegun, "begun", "warn"},
	{readmodel.OwnToDo, "to do", "info"},
	{readmodel.OwnDone, "submitted", "good"},
	{readmodel.OwnSkipped, "skipped", "plain"},
	{readmodel.OwnReported, "problem reported", "bad"},
	{readmodel.OwnLeft, "released", "plain"},
	{readmodel.OwnOver, "not asked for now", "plain"},
}

// OwnState is the state of segments that a list shows; empty if it shows every state.
func OwnState(show string) readmodel.OwnState {
	for _, s := range ownStates {
		if string(s.State) == show {
			return s.State
		}
	}
	return ""
}

// ownOptions lists what can be shown, with the number of segments where they are counted.
func (v OwnView) ownOptions() []templates.Option {
	label := func(text string, n int) string {
		if v.Counts == nil {
			return text
		}
		return text + " (" + wording.Count(n) + ")"
	}
	all := 0
	for _, n := range v.Counts {
		all += n
	}
	options := []templates.Option{{Value: "", Label: "submitted, latest first"}, {Value: OwnAll, Label: label("all, by document", all)}}
	for _, s := range ownStates {
		if s.State == readmodel.OwnLeft || s.State == readmodel.OwnOver {
			continue // they stand among all
		}
		options = append(options, templates.Option{Value: string(s.State), Label: label(s.Badge, v.Counts[s.State])})
	}
	return options
}

func (v OwnView) filtered() bool { return v.Show != "" || v.Document != "" }

func (v OwnView) query() url.Values {
	q := url.Values{}
	if v.Show != "" {
		q.Set("show", v.Show)
	}
	if v.Document != "" {
		q.Set("text", v.Document)
	}
	return q
}

// lead says below the title what is listed.
func (v OwnView) lead() string {
	n := wording.Counted(v.Paging.Total, "segment")
	switch {
	case v.Show == "":
		return n + " submitted, latest first. A segment can be revised until its round is decided."
	case v.Paging.Total == 0:
		return n
	}
	return n + ", by document. Each of them can be opened."
}

// submitted reports whether a segment is submitted, so that it has scores.
func (v OwnView) submitted(s readmodel.OwnSegment) bool { return s.State == readmodel.OwnDone }

// revisable reports whether a submitted segment can be changed.
func (v OwnView) revisable(s readmodel.OwnSegment) bool { return v.Open && !s.Decided }

// badge says how far the annotator is with a segment.
func (v OwnView) badge(s readmodel.OwnSegment) (kind, text string) {
	for _, state := range ownStates {
		if state.State == s.State && !v.submitted(s) {
			return state.Kind, state.Badge
		}
	}
	switch {
	case v.revisable(s) && s.Changed:
		return "warn", "changed, not submitted again"
	case v.revisable(s):
		return "info", "submitted"
	}
	return "plain", "decided"
}

// sortedBy says by aria-sort whether the column of the time is sorted.
func (v OwnView) sortedBy() string {
	if v.Show == "" {
		return "descending"
	}
	return "none"
}

// between sets the cards apart: a space where each has one number alone.
func between(scores []string) string {
	for _, s := range scores {
		if strings.ContainsAny(s, " /") {
			return " · "
		}
	}
	return " "
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

// expectedText says what is expected of an annotator before work; empty if nothing is.
func (c WorkItem) expectedText() string {
	switch {
	case c.MustAccept:
		return "Read and accept the instructions first."
	case c.Training.State == campaign.TrainingNeeded:
		return "Train first: " + strconv.Itoa(c.Training.Done) + " of " + wording.Counted(c.Training.All,
			"training segment") + " done, " + templates.AttemptOf(c.Training) + "."
	case c.Training.State == campaign.TrainingDecides:
		return "Your attempts at the training are over. Your lead decides how you go on."
	}
	return ""
}

// practises reports whether My work offers a practice segment.
func (c WorkItem) practises() bool {
	return c.Practises && c.Campaign.State == string(campaign.Open)
}
