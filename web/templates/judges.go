package templates

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
)

// A JudgesView lists the judges of a campaign and has the form that runs one.
type JudgesView struct {
	Page
	Clock
	Version int64 // changes with the list
	Judges  []JudgeRow
	Runs    bool   // judges can be run
	Marks   bool   // annotators mark errors in the campaign, so errors can be suggested
	Failed  string // error of the latest act; empty if it succeeded

	ModelServer string // address of the model's server; empty if none is configured
	HasKey      bool   // a key is configured
	Methods     []JudgeMethod
	Form        JudgeForm
	Wrong       map[string]string // error of each wrong field of the form; "" is about the whole form
	Forecast    *JudgeForecast    // nil if the reader asked for none
}

// The states of a judge beside running, done and stopped.
const (
	JudgeImported    = "imported"
	JudgeInterrupted = "interrupted"
	JudgeStopping    = "stopping"
)

// A JudgeRow is a judge with its progress. The fields from Reason on are set for judges that were run
// in this campaign, and not for imported ones.
type JudgeRow struct {
	campaign.Judge
	State            string
	Reason           string // why the run stopped
	Trouble          string // a sentence about what holds up the run now; empty if nothing does
	Running          bool
	Open             int // number of translations that the judge has not judged
	Failed           int // number of translations whose calls failed in the latest run
	Calls, Tokens    int
	MaxTokens        int       // 0: no limit
	Since, ChangedAt time.Time // begin and latest change of the latest run
	Again            JudgeForm // the form that runs the judge again
	Elsewhere        string    // a sentence about why the page can't run the judge again; empty if it can
	ScoresOnly       bool      // the method marks no errors
}

// A JudgeMethod is a method with its number of calls for one translation.
type JudgeMethod struct {
	Name, Title        string
	Least, Usual, Most int
	Spans, Threshold   bool
	Variants           []string
}

// A JudgeForm has the typed values of the form that runs a judge.
type JudgeForm struct {
	Method, Variant, Model, As, Concurrency, Retries, MaxTokens, Threshold, Seed string
}

// A JudgeForecast estimates the calls and tokens of a run.
type JudgeForecast struct {
	Judge                     string
	Segments, Translations    int // that the judge has not judged
	Skipped                   int // number of translations in the first segments that the method can't judge
	Least, Usual, Most        int // calls
	InputTokens, OutputTokens int
	Measured                  bool // the tokens are estimated from the judge's calls so far
	AssumedOutput             int  // tokens that the estimate assumes for each reply if it is not measured
	MaxTokens                 int  // 0: no limit
	Used                      int  // tokens of earlier runs
	Resumes                   bool // the judge was run before
}

// leads reports whether the reader may make suggestions.
func (v JudgesView) leads() bool { return v.Campaign != nil && v.Campaign.Role == "lead" }

// words returns the text that a screen reader says when the list changes.
func (v JudgesView) words() string {
	running := 0
	for _, j := range v.Judges {
		if j.Running {
			running++
		}
	}
	return wording.Counted(len(v.Judges), "judge") + ", " + wording.Count(running) + " running"
}

// fields returns the names of the form's fields with their values.
func (f JudgeForm) fields() []Pair {
	return []Pair{
		{"method", f.Method}, {"variant", f.Variant}, {"model", f.Model}, {"as", f.As}, {"max_tokens", f.MaxTokens},
		{"concurrency", f.Concurrency}, {"retries", f.Retries}, {"threshold", f.Threshold}, {"seed", f.Seed},
	}
}

// forecastPath returns the address of the forecast for a form.
func (v JudgesView) forecastPath(f JudgeForm) string {
	q := url.Values{}
	for _, x := range f.fields() {
		q.Set(x.Term, x.Text)
	}
	return withQuery(v.Campaign.Path("judges"), q.Encode()) + "#forecast"
}

// again returns the label of the button that runs a judge again. It is empty if the page can't run the
// judge or the judge has judged everything.
func (j JudgeRow) again() string {
	switch {
	case j.Running || j.Open == 0 || j.State == JudgeImported || j.Elsewhere != "":
		return ""
	case j.State == "done":
		return "Judge the rest"
	}
	return "Resume"
}

// suggests reports whether the reader may turn the errors that a judge marked into suggestions.
func (v JudgesView) suggests(j JudgeRow) bool {
	return v.Marks && v.leads() && !j.Running && !j.ScoresOnly && j.judged() > 0
}

// hasActs reports whether the row of a judge has buttons.
func (v JudgesView) hasActs(j JudgeRow) bool { return j.Running || j.again() != "" || v.suggests(j) }

// stateKind returns the kind of [Badge] for the judge's state.
func (j JudgeRow) stateKind() string {
	switch j.State {
	case "running":
		return "info"
	case "done":
		return "good"
	case JudgeImported:
		return "plain"
	}
	return "warn"
}

// judged returns the number of translations that the judge has judged.
func (j JudgeRow) judged() int { return j.OK + j.Unparsable }

// about names the method, the variant and the model of a judge.
func (j JudgeRow) about() string {
	method := strings.TrimSpace(j.Method + " " + j.Again.Variant)
	if method == "" || j.Model == "" {
		return method + j.Model
	}
	return method + " with " + j.Model
}

// label returns the method's name with its usual number of calls and whether it marks errors.
func (m JudgeMethod) label() string {
	label := m.Name + ": "
	if m.Least != m.Most {
		label += "about "
	}
	label += wording.Counted(m.Usual, "call")
	if m.Spans {
		label += ", marks errors"
	}
	return label
}

// methodOptions returns the options of the field for the method.
func (v JudgesView) methodOptions() []Option {
	options := []Option{{Label: "Choose a method"}}
	for _, m := range v.Methods {
		options = append(options, Option{Value: m.Name, Label: m.label()})
	}
	return options
}

// variantOptions returns the options of the field for the variant. Each names the methods that have the
// variant.
func (v JudgesView) variantOptions() []Option {
	options := []Option{{Label: "Default"}}
	for _, m := range v.Methods {
		for _, name := range m.Variants {
			i := slices.IndexFunc(options, func(o Option) bool { return o.Value == name })
			if i < 0 {
				options = append(options, Option{Value: name, Label: name + ": " + m.Name})
			} else {
				options[i].Label += ", " + m.Name
			}
		}
	}
	return options
}

// thresholdHelp explains the threshold and names the methods that have one.
func (v JudgesView) thresholdHelp() string {
	var names []string
	for _, m := range v.Methods {
		if m.Threshold {
			names = append(names, m.Name)
		}
	}
	return "Only " + wording.List(names) + " " + wording.Choose(len(names), "has", "have") + " a threshold. Errors with a lower confidence are discussed. If it is empty, the run finds it from a tenth of the translations."
}

// more reports whether the page shows the fields that seldom change.
func (v JudgesView) more() bool {
	if v.Form.Variant != "" {
		return true
	}
	for _, field := range []string{"variant", "concurrency", "retries", "threshold", "seed"} {
		if v.Wrong[field] != "" {
			return true
		}
	}
	return false
}

// wrongWords returns the error at the top of the form. It is empty if nothing is wrong.
func (v JudgesView) wrongWords() string {
	switch {
	case len(v.Wrong) == 0:
		return ""
	case v.Wrong[""] != "":
		return wording.Capital(v.Wrong[""]) + "."
	}
	return "The form has " + wording.Counted(len(v.Wrong), "field") + " to correct. Nothing was sent to the model."
}

// facts returns the numbers of a forecast with their names.
func (f JudgeForecast) facts() []Pair {
	calls := "about " + wording.Count(f.Usual)
	if f.Least != f.Most {
		calls += ", at least " + wording.Count(f.Least) + " and at most " + wording.Count(f.Most)
	} else {
		calls = wording.Count(f.Usual)
	}
	input, output := "estimated from the length of the first prompts", "if each reply has "+wording.Counted(f.AssumedOutput, "token")
	if f.Measured {
		input, output = "estimated from the judge's calls so far", "estimated from the judge's replies so far"
	}
	pairs := []Pair{
		{"To judge", wording.Counted(f.Translations, "translation") + " of " + wording.Counted(f.Segments, "segment")},
		{"Calls", calls + ", without retries"},
		{"Input tokens", "about " + wording.Count(f.InputTokens) + ", " + input},
		{"Output tokens", "about " + wording.Count(f.OutputTokens) + ", " + output},
	}
	if f.Used > 0 {
		pairs = append(pairs, Pair{"Used so far", wording.Counted(f.Used, "token")})
	}
	if f.MaxTokens > 0 {
		pairs = append(pairs, Pair{"Limit", wording.Counted(f.MaxTokens, "token") + " in all runs of this judge"})
	}
	return pairs
}

// short reports whether the token limit is lower than the estimate for the run.
func (f JudgeForecast) short() bool {
	return f.MaxTokens > 0 && f.Used+f.InputTokens+f.OutputTokens > f.MaxTokens
}

// unreadPath returns the address of the list of a judge's judgements that could not be read.
func (v JudgesView) unreadPath(judge string) string {
	return withQuery(v.Campaign.Path("judges/unread"), queryOf("judge", judge).Encode())
}

// An UnreadJudgementsView lists the judgements of a judge that are unparsable or have words that stand
// in neither text.
type UnreadJudgementsView struct {
	Page
	Paging
	Judge string
	Rows  []readmodel.UnreadJudgement
}

// A TraceView shows the calls that led to a judgement.
type TraceView struct {
	Page
	SegmentID     string // row id
	Judge, System string
	Calls         []campaign.TraceCall
}

// tracePath returns the address of the trace of a judgement.
func (v SegmentView) tracePath(system, judge string) string {
	return v.Campaign.tracePath(v.ID, system, judge)
}

func (c Campaign) tracePath(segmentID, system, judge string) string {
	return withQuery(c.segmentPath(segmentID)+"/trace", url.Values{"system": {system}, "judge": {judge}}.Encode())
}

// judged reports whether a judge has judged a translation of the segment.
func (v SegmentView) judged() bool {
	for _, t := range v.Segment.Translations {
		if len(t.Judgements) > 0 {
			return true
		}
	}
	return false
}

// short reports whether the prompt of a call is short enough to be shown unfolded.
func (v TraceView) short(call campaign.TraceCall) bool { return len(call.Prompt) < 600 }

// judgeScore returns the score of a judgement in words, or a dash if it has none.
func judgeScore(j campaign.Judgement) string {
	if j.Score == nil {
		return "–"
	}
	return wording.Decimal(*j.Score, 2)
}

// errorKind joins the severity, the category and the subcategory of an error with commas. It leaves out
// those that are empty.
func errorKind(severity, category, subcategory string) string {
	kind := severity
	for _, more := range []string{category, subcategory} {
		switch {
		case more == "":
		case kind == "":
			kind = more
		default:
			kind += ", " + more
		}
	}
	return kind
}
