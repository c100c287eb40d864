package templates

import (
	"net/url"
	"slices"
	"strconv"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/wire"
	"annotate/internal/wording"
)

// A MessagesView lists what annotators and leads have said about segments. Each entry has a form
// that posts segment, annotator, answer, seen, problem and do (reply, settle, return or withdraw).
type MessagesView struct {
	Page
	Clock
	Paging     // Total: the entries of the kind
	Threads    []readmodel.Thread
	Kind       string // one of the ids of [MessageTabs]
	Counts     map[string]int
	Login      string   // of the annotator whose entries are shown; empty: all
	SegmentID  string   // row id of the segment whose entries are shown; empty: all
	Annotators []string // logins
	Source     Lang
	Refused    string // segment and login of the entry whose answer was refused; empty: none
	Answer     string // as typed there
	Error      string // what is wrong with it
}

// A MessageTab is a kind of messages.
type MessageTab struct {
	ID, Label string
	Empty     string // what it means that there are none
}

// MessageTabs are the kinds of messages in their order.
var MessageTabs = []MessageTab{
	{"", "All", "Annotators can ask you about a segment, report a problem with it, or comment on a translation. All of it appears here."},
	{"open", "To answer", "Nobody waits for an answer of yours."},
	{"problems", "Problems", "When annotators can't judge a segment, they set it aside for you with a few words. It appears here."},
	{"questions", "Questions", "Annotators can ask you about a segment while they work on it. What they ask and what you write appears here."},
	{"comments", "Comments", "What annotators write on a translation, or on an error that they mark, appears here once they submit it."},
}

func (v MessagesView) tab() MessageTab {
	return MessageTabs[max(slices.IndexFunc(MessageTabs, func(t MessageTab) bool { return t.ID == v.Kind }), 0)]
}

// count is the number of entries of a tab.
func (v MessagesView) count(t MessageTab) int {
	if t.ID == "" {
		return v.Counts["all"]
	}
	return v.Counts[t.ID]
}

func (v MessagesView) lead() string {
	if n := v.Counts["open"]; n > 0 {
		return wording.Counted(n, "conversation") + " " + wording.Choose(n, "waits", "wait") + " for an answer. No annotator sees what another one writes."
	}
	return "What annotators ask, report and comment on, with your answers. No annotator sees what another one writes."
}

func (v MessagesView) query() url.Values {
	return queryOf("show", v.Kind, "annotator", v.Login, "segment", v.SegmentID)
}

func (v MessagesView) tabPath(t MessageTab) string {
	v.Kind = t.ID
	return pageAddress(v.Campaign.Path("messages"), v.query(), 1)
}

// cleared is the address of the kind without a filter.
func (v MessagesView) cleared() string {
	return pageAddress(v.Campaign.Path("messages"), queryOf("show", v.Kind), 1)
}

// path is the address of this very page, which the forms post to.
func (v MessagesView) path() string {
	return pageAddress(v.Campaign.Path("messages"), v.query(), v.Number)
}

// A threadEntry is a thread with its form, on the page of messages or of its segment.
type threadEntry struct {
	Page
	Clock
	Thread  readmodel.Thread
	Place   int // among the entries of the page
	Source  Lang
	Action  string // that the form posts to
	Segment bool   // it stands on the page of its segment
	Answer  string // what was typed into a form that was refused
	Error   string // why
}

func (v MessagesView) entry(place int, t readmodel.Thread) threadEntry {
	e := threadEntry{Page: v.Page, Clock: v.Clock, Thread: t, Place: place, Source: v.Source, Action: v.path()}
	if v.Refused == t.SegmentRowID+" "+t.Login {
		e.Answer, e.Error = v.Answer, v.Error
	}
	return e
}

// id names the entry within its page.
func (e threadEntry) id() string {
	if e.Thread.ID == "" {
		return "comments-" + strconv.Itoa(e.Place)
	}
	return "thread-" + e.Thread.ID
}

// seen is the time of the last message of the entry, as the form sends it.
func (e threadEntry) seen() string {
	if len(e.Thread.Messages) == 0 {
		return "0"
	}
	return strconv.FormatInt(e.Thread.Messages[len(e.Thread.Messages)-1].At.UnixMicro(), 10)
}

// state is the badge of the entry; empty where nothing is to be said.
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

// pressing reports whether the form is shown open: an answer is awaited, or was refused.
func (e threadEntry) pressing() bool {
	return e.Thread.Waits || e.Thread.OpenProblem != "" || e.Error != ""
}

// maxMessage is the largest length of a message, in characters.
const maxMessage = campaign.MaxMessage

// by names the author of a message for a lead.
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
	return threadEntry{Page: v.Page, Clock: v.Clock, Thread: t, Source: v.Source, Action: v.Campaign.Path("messages"), Segment: true}
}

// writable lists the annotators who have or had the segment and with whom there is no thread yet.
func (v SegmentView) writable() (logins []string) {
	for _, t := range v.Turns {
		said := slices.ContainsFunc(v.Threads, func(other readmodel.Thread) bool { return other.Login == t.Login })
		if !said && !t.State.Adjudicates() && !slices.Contains(logins, t.Login) {
			logins = append(logins, t.Login)
		}
	}
	return logins
}

// OwnMessage is a message as its annotator sees it, which names no lead.
func OwnMessage(clock Clock, m readmodel.Message) wire.Message {
	out := wire.Message{By: "You", Text: m.Text, At: m.At.UTC(), When: clock.text(m.At), New: m.New}
	if m.ByLead {
		out.By = "Lead"
	}
	switch m.Kind {
	case readmodel.Reported:
		out.What = "problem reported"
	case readmodel.Resolved:
		out.What = "answer to the problem"
	}
	return out
}

// asks reports whether the annotator can write to the leads. In an archived campaign nobody writes.
func (v AnnotateView) asks() bool {
	return !v.Adjudicates && v.Campaign != nil && !v.Campaign.Archived
}

// unseen is the number of messages that the annotator has not seen.
func (v AnnotateView) unseen() (n int) {
	for _, m := range v.Thread {
		if m.New {
			n++
		}
	}
	return n
}
