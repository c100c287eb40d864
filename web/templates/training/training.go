package training

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// share writes a share as a whole percentage, rounded down so that a share below a limit never looks as
// if it reached it.
func share(x float64) string { return strconv.Itoa(int(math.Floor(100*x+1e-9))) + " %" }

// standingText says in a few words where an annotator stands, with the kind of the badge.
func standingText(s campaign.Standing) (kind, text string) {
	switch s.State {
	case campaign.TrainingExempt:
		return "plain", "rated before"
	case campaign.TrainingNeeded:
		return "info", templates.AttemptOf(s) + ", " + strconv.Itoa(s.Done) + " of " + wording.Counted(s.All, "segment")
	case campaign.TrainingPassed:
		if s.ByLead {
			return "good", "qualified by a lead"
		}
		return "good", "qualified"
	case campaign.TrainingDecides:
		return "warn", "waits for your decision"
	}
	return "plain", "no training asked for"
}

// A TrainingView is the page on which leads prepare and follow the training.
type TrainingView struct {
	templates.Page
	Protocol *protocol.Protocol
	Source   templates.Lang
	Rules    campaign.TrainingRules
	Segments []readmodel.TrainingSegment
	People   []readmodel.TraineeRow
	Errors   map[string]string
	Problems *campaign.Problems // of a file that was refused
}

func (v TrainingView) leads() bool { return v.Campaign.Role == "lead" }

func (v TrainingView) lead() string {
	return "Annotators rate these segments on the annotate page, and see after each how their rating compares with your answer. Nothing of it counts as work."
}

// ask is the value of the form that switches the training on.
func (v TrainingView) ask() string {
	switch {
	case v.Rules.Required && v.Rules.Everyone:
		return "all"
	case v.Rules.Required:
		return "new"
	}
	return "nobody"
}

func (v TrainingView) askChoice() templates.Choice {
	reach := " They must reach " + share(v.Rules.Share) + " in one of " + wording.Counted(v.Rules.Attempts, "attempt") + "."
	return templates.Choice{Name: "ask", Label: "Who must train", Value: v.ask(), Error: v.Errors["ask"], Options: []templates.Option{
		{Value: "nobody", Label: "Nobody", Help: "Annotators can practise on the segments at any time."},
		{Value: "new", Label: "Annotators who have not rated here yet", Help: "They get no work before they qualify." + reach},
		{
			Value: "all",
			Label: "All annotators",
			Help:  "Those who have rated before get no further segment until they qualify. What they have begun they can finish.",
		},
	}}
}

// use says what a training segment is for, with the kind of the badge.
func use(t readmodel.TrainingSegment) (kind, text string) {
	switch {
	case t.Removed:
		return "plain", "removed"
	case t.Answer == nil:
		return "warn", "needs an answer"
	case t.Practice:
		return "info", "practice"
	}
	return "good", "training"
}

// A TrainingChoiceView lists segments of the campaign that can be copied into the training set.
type TrainingChoiceView struct {
	templates.Page
	templates.Paging
	Text     string
	Segments []readmodel.Segment
	Source   templates.Lang
	There    map[string]bool // segments of the set, by document and id
	Errors   map[string]string
}

func (v TrainingChoiceView) there(s readmodel.Segment) bool {
	return v.There[s.DocID+"\n"+s.SegmentID]
}

func (v TrainingChoiceView) query() url.Values {
	q := url.Values{}
	if v.Text != "" {
		q.Set("text", v.Text)
	}
	return q
}

// A TrainingForm is what a lead says about a training segment.
type TrainingForm struct {
	Explanation string
	Tolerance   string
	Practice    bool
}

// A TrainingSegmentView is the page of one training segment for leads.
type TrainingSegmentView struct {
	templates.Page
	Protocol       *protocol.Protocol
	Segment        readmodel.TrainingSegment
	Texts          []readmodel.TrainingText
	Source, Target templates.Lang
	Results        []readmodel.TrainingResult
	Explanation    string // as annotators read it, as safe HTML; empty if there is none
	Form           TrainingForm
	Errors         map[string]string
}

func (v TrainingSegmentView) leads() bool { return v.Campaign.Role == "lead" }

func (v TrainingSegmentView) useChoice() templates.Choice {
	value := "training"
	if v.Form.Practice {
		value = "practice"
	}
	return templates.Choice{Name: "use", Label: "What it is for", Value: value, Options: []templates.Option{
		{Value: "training", Label: "Training", Help: "Part of every attempt."},
		{Value: "practice", Label: "Practice", Help: "Annotators open it from My work at any time. It counts nowhere."},
	}}
}

// toleranceHelp explains the tolerance of the protocol's scores.
func (v TrainingSegmentView) toleranceHelp() string {
	var names []string
	for _, s := range v.Protocol.Scores {
		names = append(names, s.Label+" ("+strconv.Itoa(s.Min)+" to "+strconv.Itoa(s.Max)+")")
	}
	return "How many points a score may differ from yours and still be right: " + strings.Join(names, ", ") + "."
}

// answerOf is the lead's answer for a translation; the zero value if there is none.
func (v TrainingSegmentView) answerOf(t readmodel.TrainingText) (protocol.Rating, bool) {
	if v.Segment.Answer == nil {
		return protocol.Rating{}, false
	}
	r, ok := v.Segment.Answer.Ratings[t.TranslationID]
	return r, ok
}

// A TraineeView is the page of one annotator's training for leads.
type TraineeView struct {
	templates.Page
	Person  readmodel.TraineeRow
	Results []readmodel.TrainingResult
	Share   float64
	Reason  string
	Errors  map[string]string
}

func (v TraineeView) leads() bool { return v.Campaign.Role == "lead" }

// acts are what a lead can decide about the annotator.
func (v TraineeView) acts() []templates.Option {
	var out []templates.Option
	switch v.Person.Standing.State {
	case campaign.NoTraining:
		return nil
	case campaign.TrainingDecides:
		out = append(out, templates.Option{Value: "attempt", Label: "Give another attempt"})
	}
	if !v.Person.Standing.ByLead {
		out = append(out, templates.Option{Value: "qualify", Label: "Qualify", Help: "They get work at once, whatever their attempts came to."})
	}
	return append(
		out,
		templates.Option{
			Value: "train",
			Label: "Send to the training",
			Help:  "They get no further segment until they qualify anew. Earlier attempts do not count any more.",
		},
	)
}

// resultsOf are the results of one attempt.
func resultsOf(all []readmodel.TrainingResult, attempt int) (out []readmodel.TrainingResult) {
	for _, r := range all {
		if r.Attempt == attempt {
			out = append(out, r)
		}
	}
	return out
}

// attemptText says what an attempt came to, with the kind of the badge.
func attemptText(a campaign.TrainingAttempt) (kind, text string) {
	switch {
	case !a.Finished:
		return "info", "under way"
	case a.Passed:
		return "good", share(a.Share) + ", reached"
	}
	return "warn", share(a.Share) + ", not reached"
}

// A TrainView is an annotator's own training.
type TrainView struct {
	templates.Page
	Standing   campaign.Standing
	Trainee    campaign.Trainee
	Results    []readmodel.TrainingResult
	Share      float64
	MustAccept bool
	Practises  bool
	Open       bool // the campaign is
}

func (v TrainView) lead() string {
	switch v.Standing.State {
	case campaign.TrainingNeeded:
		return "Before you get work you rate " + wording.Counted(v.Standing.All, "training segment") + ". After each you see how your rating compares with the lead's answer. You need " + share(v.Share) + " in one of " + wording.Counted(max(v.Standing.Of, v.Standing.Attempt), "attempt") + "."
	case campaign.TrainingPassed:
		return "You are qualified and get work."
	case campaign.TrainingDecides:
		return "Your attempts are over, and none reached " + share(v.Share) + ". Your lead decides how you go on. You need do nothing."
	case campaign.TrainingExempt:
		return "You rated in this campaign before it had a training, and go on with your work."
	}
	return "This campaign asks for no training at the moment."
}

// start is the text of the button that goes on with the training.
func (v TrainView) start() string {
	switch {
	case v.Standing.Done > 0:
		return "Continue"
	case v.Standing.Attempt > 1:
		return "Begin " + templates.AttemptOf(v.Standing)
	}
	return "Begin"
}

// A ResultView compares a submission of a training segment with the lead's answer.
type ResultView struct {
	templates.Page
	Protocol       *protocol.Protocol
	Result         readmodel.TrainingResult
	Source, Target templates.Lang
	Share          float64
	Explanation    string   // as safe HTML; empty if there is none
	Before, After  []string // the sources around it in its document
	Mine           bool     // the user submitted it
	Open           bool     // the campaign is
	Standing       campaign.Standing
	Trainee        campaign.Trainee
	SegmentURL     string // of the training segment, for leads
	PersonURL      string // of the annotator's training, for leads
}

func (v ResultView) leads() bool { return v.SegmentURL != "" }

func (v ResultView) whose() string {
	if v.Mine {
		return "You"
	}
	return v.Result.Login
}

func (v ResultView) lead() string {
	s := share(v.Result.Value) + " right."
	if v.Result.Attempt == 0 {
		return s + " This was practice, and counts nowhere."
	}
	return s + " Attempt " + strconv.Itoa(v.Result.Attempt) + ", " + strings.Join(slices.Compact([]string{v.Result.DocID, v.Result.Segment}), " ") + "."
}

// sum says in words and numbers where the share of the segment comes from, and that of the attempt so far.
func (v ResultView) sum() string {
	var of []string
	for i, f := range v.Result.Feedback {
		of = append(of, campaign.CardName(i)+" "+share(f.Value))
	}
	s := "The share of this segment is the mean of its " + wording.Counted(len(of), "translation") + ": " + strings.Join(of, ", ") + "."
	for _, a := range v.Trainee.Attempts {
		if a.Number == v.Result.Attempt {
			s += " The share of attempt " + strconv.Itoa(a.Number) + " is " + share(a.Share) + ", the mean over all translations of " + wording.Counted(a.Done, "submitted segment") + ". An attempt needs " + share(v.Share) + " at its end."
		}
	}
	return s
}

// questionLabel is the label of a question before its answers.
func (v ResultView) questionLabel(name string) string {
	q, _ := v.Protocol.Question(name)
	if strings.HasSuffix(q.Label, "?") {
		return q.Label
	}
	return q.Label + ":"
}

// answerBadge is the kind and the text of the badge of an answer that is judged.
func answerBadge(a campaign.AnswerFeedback) (kind, text string) {
	switch {
	case a.Part == 1:
		return "good", "right"
	case a.Part > 0:
		return "warn", share(a.Part) + " right"
	}
	return "bad", "another answer"
}

// orNone is an answer in words, or that there is none.
func orNone(words string) string {
	if words == "" {
		return "none"
	}
	return words
}

// A part is one part of the share of a translation.
type part struct{ name, value, why string }

// partsOf says which parts of a translation count, and what each comes to.
func (v ResultView) partsOf(f campaign.Feedback) (parts []part) {
	for _, s := range f.Scores {
		p := part{v.scoreLabel(s.Name), share(0),
			points(math.Abs(s.Given-s.Answer)) + " points from the lead's, and " + points(s.Tolerance) + " are allowed"}
		if s.Right {
			p.value, p.why = share(1), "at most "+points(s.Tolerance)+" from the lead's"
		}
		parts = append(parts, p)
	}
	for _, a := range f.Answers {
		if a.Judged {
			p := part{strings.TrimSuffix(v.questionLabel(a.Name), ":"), share(a.Part), "the lead answered otherwise"}
			switch {
			case a.Part == 1:
				p.why = "as the lead answered"
			case a.Part > 0:
				p.why = "some of what the lead chose"
			}
			parts = append(parts, p)
		}
	}
	if v.Protocol.Spans == nil {
		return parts
	}
	t := f.Tally()
	p := part{"Marks", share(t.Part()), "neither side has any"}
	if len(f.Marks) > 0 {
		p.why = strconv.Itoa(t.Found) + " found"
		if t.Severity > 0 {
			p.why += ", " + strconv.Itoa(t.Severity) + " with another severity, which counts half"
		}
		p.why += ", of " + strconv.Itoa(t.Given()) + " given and " + strconv.Itoa(t.Answer()) + " of the lead: 2 × " + points(t.Matched()) + " / (" + strconv.Itoa(t.Given()) + " + " + strconv.Itoa(t.Answer()) + ")"
	}
	return append(parts, p)
}

// finished is the attempt that the result has finished; nil if the attempt goes on.
func (v ResultView) finished() *campaign.TrainingAttempt {
	for i := range v.Trainee.Attempts {
		if a := &v.Trainee.Attempts[i]; a.Number == v.Result.Attempt && a.Finished && i == len(v.Trainee.Attempts)-1 {
			return a
		}
	}
	return nil
}

// outcome says what the finished attempt has come to.
func (v ResultView) outcome(a campaign.TrainingAttempt) (kind, text string) {
	s := "The attempt is over: " + share(a.Share) + " right"
	switch v.Standing.State {
	case campaign.TrainingPassed:
		return "success", s + ". You are qualified and get work now."
	case campaign.TrainingNeeded:
		return "info", s + ", and " + share(v.Share) + " are needed. You have another attempt: " + templates.AttemptOf(v.Standing) + "."
	case campaign.TrainingDecides:
		return "info", s + ", and " + share(v.Share) + " were needed. Your lead decides how you go on."
	}
	return "info", s + "."
}

// verdictBadge names a verdict on a mark.
func (v ResultView) verdictBadge(k campaign.MarkVerdict) (kind, text string) {
	switch k {
	case campaign.MarkFound:
		return "good", "found"
	case campaign.MarkSeverity:
		return "warn", "found, with another severity"
	case campaign.MarkMissed:
		return "bad", "missed"
	}
	return "bad", "superfluous"
}

// marks numbers the marks of a translation: those given 1, 2 and so on, those of the lead L1, L2 and so on. Verdicts are
// by the id of the mark's entry in the list.
func (v ResultView) marks(i int) (given, answer templates.Marking, verdicts map[string]campaign.MarkVerdict) {
	f := v.Result.Feedback[i]
	at := "card-" + strconv.Itoa(i)
	var mine, theirs []protocol.ErrorSpan
	for _, m := range f.Marks {
		if m.Given != nil {
			mine = append(mine, *m.Given)
		}
		if m.Answer != nil {
			theirs = append(theirs, *m.Answer)
		}
	}
	given, answer = templates.NewMarking(v.Protocol, "", at+"-given-", mine), templates.NewMarking(v.Protocol, "L", at+"-answer-", theirs)
	verdicts = map[string]campaign.MarkVerdict{}
	for _, m := range f.Marks {
		for _, k := range given.Marks {
			if m.Given != nil && samePlace(k.ErrorSpan, *m.Given) {
				verdicts[k.ID] = m.Verdict
			}
		}
		for _, k := range answer.Marks {
			if m.Answer != nil && samePlace(k.ErrorSpan, *m.Answer) {
				verdicts[k.ID] = m.Verdict
			}
		}
	}
	return given, answer, verdicts
}

// samePlace reports whether two marks of one rating are the same one.
func samePlace(a, b protocol.ErrorSpan) bool {
	return a.ID == b.ID && a.Side == b.Side && a.Start == b.Start && a.End == b.End && a.Severity == b.Severity && a.Category == b.Category
}

func (v ResultView) scoreLabel(name string) string {
	if s, ok := v.Protocol.Score(name); ok {
		return s.Label
	}
	return name
}

func points(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
