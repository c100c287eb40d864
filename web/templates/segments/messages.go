package segments

import (
	"net/url"
	"slices"
	"strconv"

	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A MessagesView lists the messages of annotators and leads about segments, and the comments of
// annotators. Each entry has a form that posts segment, annotator, answer, seen, problem and do
// (reply, settle, return or withdraw).
type MessagesView struct {
	templates.Page
	templates.Paging // Total is the number of entries of the kind
	Threads          []readmodel.Thread
	Kind             string // one of the ids of [MessageTabs]
	Counts           map[string]int
	Login            string   // of the annotator whose entries are shown; empty for all
	SegmentID        string   // row id of the segment whose entries are shown; empty for all
	Annotators       []string // logins
	Source           templates.Lang
	Refused          string // segment and login of the entry whose answer was refused; empty if none was
	Answer           string // the refused answer
	Error            string // why it was refused
}

// A MessageTab is a kind of messages.
type MessageTab struct {
	ID, Label string
	Empty     string // the text if there are no messages of the kind
}

// MessageTabs are the kinds of messages in the order of the page.
var MessageTabs = []MessageTab{
	{"", "All", "Annotators can ask you about a segment, report a problem with it, or comment on a translation. All of this appears here."},
	{"open", "To answer", "No annotator waits for an answer."},
	{"problems", "Problems", "When annotators can't judge a segment, they can report a problem with it. Reported problems appear here."},
	{"questions", "Questions", "Annotators can ask you about a segment while they work on it. Their questions and your messages appear here."},
	{"comments", "Comments", "The comments of annotators on translations and on marked errors appear here once they submit them."},
}

func (v MessagesView) tab() MessageTab {
	return MessageTabs[max(slices.IndexFunc(MessageTabs, func(t MessageTab) bool { return t.ID == v.Kind }), 0)]
}

// count returns the number of entries of a tab.
func (v MessagesView) count(t MessageTab) int {
	if t.ID == "" {
		return v.Counts["all"]
	}
	return v.Counts[t.ID]
}

func (v MessagesView) lead() string {
	if n := v.Counts["open"]; n > 0 {
		return wording.Counted(n, "conversation") + " " + wording.Choose(n, "waits",
			"wait") + " for an answer. No annotator sees the messages of another one."
	}
	return "The questions, problems and comments of annotators, with your answers. No annotator sees the messages of another one."
}

func (v MessagesView) query() url.Values {
	return templates.QueryOf("show", v.Kind, "annotator", v.Login, "segment", v.SegmentID)
}

func (v MessagesView) tabPath(t MessageTab) string {
	v.Kind = t.ID
	return templates.PageAddress(v.Campaign.Path("messages"), v.query(), 1)
}

// cleared returns the address of the kind without a filter.
func (v MessagesView) cleared() string {
	return templates.PageAddress(v.Campaign.Path("messages"), templates.QueryOf("show", v.Kind), 1)
}

// path returns the address of the page itself, to which the forms post.
func (v MessagesView) path() string {
	return templates.PageAddress(v.Campaign.Path("messages"), v.query(), v.Number)
}

// A threadEntry is a thread with its form, on the page of messages or of its segment.
type threadEntry struct {
	templates.Page
	Thread  readmodel.Thread
	Place   int // index among the entries of the page
	Source  templates.Lang
	Action  string // address to which the form posts
	Segment bool   // the entry is on the page of its segment
	Answer  string // the answer if it was refused
	Error   string // why it was refused
}

func (v MessagesView) entry(place int, t readmodel.Thread) threadEntry {
	e := threadEntry{Page: v.Page, Thread: t, Place: place, Source: v.Source, Action: v.path()}
	if v.Refused == t.SegmentRowID+" "+t.Login {
		e.Answer, e.Error = v.Answer, v.Error
	}
	return e
}

// id returns the HTML id of the entry.
func (e threadEntry) id() string {
	if e.Thread.ID == "" {
		return "comments-" + strconv.Itoa(e.Place)
	}
	return "thread-" + e.Thread.ID
}

// seen returns the time of the last message of the entry in the form that the form posts.
func (e threadEntry) seen() string {
	if len(e.Thread.Messages) == 0 {
		return "0"
	}
	return strconv.FormatInt(e.Thread.Messages[len(e.Thread.Messages)-1].At.UnixMicro(), 10)
}

// state returns the kind and the text of the entry's badge.
func (e threadEntry) state() (kind, text string) {
	switch t := e.Thread; {
	case t.OpenProblem != "":
		return "bad", "problem to answer"
	case t.Waits:
		return "warn", "to answer"
	case t.ID == "":
		return "plain", wording.Counted(len(t.Comments), "comment")
	case t.Last().IsZero():
		return "plain", "no answer needed"
	}
	return "good", "answered"
}

// pressing reports whether the page shows the form unfolded, because the annotator waits for an answer
// or an answer was refused.
func (e threadEntry) pressing() bool {
	return e.Thread.Waits || e.Thread.OpenProblem != "" || e.Error != ""
}

// by returns the author of a message, in words for leads.
func (e threadEntry) by(m readmodel.Message) string {
	switch {
	case m.Kind == readmodel.Reported:
		return m.Login + " reported a problem"
	case m.Kind == readmodel.Resolved:
		return "Answer of a lead"
	}
	return m.Login
}

func (v SegmentView) entry(t readmodel.Thread) threadEntry {
	return threadEntry{Page: v.Page, Thread: t, Source: v.Source, Action: v.Campaign.Path("messages"), Segment: true}
}

// writable lists the annotators who have or had the segment and have no thread about it.
func (v SegmentView) writable() (logins []string) {
	for _, t := range v.Turns {
		said := slices.ContainsFunc(v.Threads, func(other readmodel.Thread) bool { return other.Login == t.Login })
		if !said && !t.State.Adjudicates() && !slices.Contains(logins, t.Login) {
			logins = append(logins, t.Login)
		}
	}
	return logins
}
