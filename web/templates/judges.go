package templates

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// A JudgesView lists the judges of a campaign, and asks which one to run.
type JudgesView struct {
	Page
	Clock
	Version int64 // of what the list shows
	Judges  []JudgeRow
	Runs    bool   // judges can be run
	Marks   bool   // errors are marked in the campaign, so that they can be suggested
	Failed  string // what was wrong with the latest act; empty: nothing

	ModelServer string // address of the model's server; empty: none is configured
	HasKey      bool   // a key is configured
	Methods     []JudgeMethod
	Form        JudgeForm
	Wrong       map[string]string // what is wrong with the form, by field
	Forecast    *JudgeForecast    // nil: none was asked for
}

// The states of a judge that is not running, done or stopped.
const (
	JudgeImported    = "imported"
	JudgeInterrupted = "interrupted"
	JudgeStopping    = "stopping"
)

// A JudgeRow is a judge and how far it is. The fields from Reason on are of those that were
// run here.
type JudgeRow struct {
	campaign.Judge
	State            string
	Reason           string // why it stopped
	Trouble          string // what holds it up now, in a sentence; empty: nothing
	Running          bool
	Open             int // translations that it has not judged
	Failed           int // translations whose calls failed in the latest run
	Calls, Tokens    int
	MaxTokens        int       // 0: no limit
	Since, ChangedAt time.Time // of the latest run
	Again            JudgeForm // runs it again
	Elsewhere        string    // why it can't be run again from the page, in a sentence; empty: it can
	ScoresOnly       bool      // its method marks no errors
}

// A JudgeMethod is a method with its calls for one translation.
type JudgeMethod struct {
	Name, Title        string
	Least, Usual, Most int
	Spans, Threshold   bool
	Variants           []string
}

// A JudgeForm is the form that runs a judge, as it was typed.
type JudgeForm struct {
	Method, Variant, Model, As, Concurrency, Retries, MaxTokens, Threshold, Seed string
}

// A JudgeForecast says what a run would take.
type JudgeForecast struct {
	Judge                     string
	Segments, Translations    int // that it has not judged
	Skipped                   int // of the first translations, those that the method can't judge
	Least, Usual, Most        int // calls
	InputTokens, OutputTokens int
	Measured                  bool // the tokens are estimated from the judge's calls so far
	MaxTokens                 int  // 0: no limit
	Used                      int  // tokens, in earlier runs
	Resumes                   bool // the judge was run before
}

// leads reports whether the reader may make suggestions.
func (v JudgesView) leads() bool { return v.Campaign != nil && v.Campaign.Role == "lead" }

// words are said when the list changes.
func (v JudgesView) words() string {
	running := 0
	for _, j := range v.Judges {
		if j.Running {
			running++
		}
	}
	return wording.Counted(len(v.Judges), "judge") + ", " + wording.Count(running) + " running"
}

// fields are the names of the form's fields with their values.
func (f JudgeForm) fields() []Pair {
	return []Pair{
		{"method", f.Method}, {"variant", f.Variant}, {"model", f.Model}, {"as", f.As}, {"max_tokens", f.MaxTokens},
		{"concurrency", f.Concurrency}, {"retries", f.Retries}, {"threshold", f.Threshold}, {"seed", f.Seed},
	}
}

// forecastPath is the address of the forecast that a form asks for.
func (v JudgesView) forecastPath(f JudgeForm) string {
	q := url.Values{}
	for _, x := range f.fields() {
		q.Set(x.Term, x.Text)
	}
	return withQuery(v.Campaign.Path("judges"), q.Encode()) + "#forecast"
}

// again is what running a judge again is called; empty if there is nothing to do.
func (j JudgeRow) again() string {
	switch {
	case j.Running || j.Open == 0 || j.State == JudgeImported || j.Elsewhere != "":
		return ""
	case j.State == "done":
		return "Judge the rest"
	}
	return "Resume"
}

// suggests reports whether the reader may make suggestions of what a judge marked.
func (v JudgesView) suggests(j JudgeRow) bool {
	return v.Marks && v.leads() && !j.Running && !j.ScoresOnly && j.judged() > 0
}

// hasActs reports whether the reader can do something with a judge.
func (v JudgesView) hasActs(j JudgeRow) bool { return j.Running || j.again() != "" || v.suggests(j) }

// stateKind is the kind of [Badge] that the judge's state gets.
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

// judged is how many translations the judge has judged.
func (j JudgeRow) judged() int { return j.OK + j.Unparsable }

// about is the method and the model of a judge.
func (j JudgeRow) about() string {
	method := strings.TrimSpace(j.Method + " " + j.Again.Variant)
	if method == "" || j.Model == "" {
		return method + j.Model
	}
	return method + " with " + j.Model
}

// label names the method with its usual calls, and says whether it marks errors.
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

// methodOptions are the methods to choose from.
func (v JudgesView) methodOptions() []Option {
	options := []Option{{Label: "Choose a method"}}
	for _, m := range v.Methods {
		options = append(options, Option{Value: m.Name, Label: m.label()})
	}
	return options
}

// variantOptions are the variants to choose from, with the methods that have them.
func (v JudgesView) variantOptions() []Option {
	options := []Option{{Label: "The usual way"}}
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

// thresholdHelp says which methods have a threshold.
func (v JudgesView) thresholdHelp() string {
	var names []string
	for _, m := range v.Methods {
		if m.Threshold {
			names = append(names, m.Name)
		}
	}
	return "Only of " + wording.List(names) + ": errors below this confidence are discussed. Empty: the run finds it from a tenth of the translations."
}

// more reports whether the fields that seldom change are to be seen.
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

// wrongWords is what is wrong with the form as a whole; empty: nothing.
func (v JudgesView) wrongWords() string {
	switch {
	case len(v.Wrong) == 0:
		return ""
	case v.Wrong[""] != "":
		return wording.Capital(v.Wrong[""]) + "."
	}
	return "Nothing was asked yet: " + wording.Counted(len(v.Wrong), "field") + " of the form can't be right."
}

// facts are the numbers of a forecast.
func (f JudgeForecast) facts() []Pair {
	calls := "about " + wording.Count(f.Usual)
	if f.Least != f.Most {
		calls += ", at least " + wording.Count(f.Least) + " and at most " + wording.Count(f.Most)
	} else {
		calls = wording.Count(f.Usual)
	}
	how := "estimated from the length of the first prompts"
	if f.Measured {
		how = "estimated from the judge's calls so far"
	}
	pairs := []Pair{
		{"Translations to judge", wording.Count(f.Translations) + " of " + wording.Counted(f.Segments, "segment")},
		{"Calls", calls + ", without those that are repeated"},
		{"Input tokens", "about " + wording.Count(f.InputTokens)},
		{"Output tokens", "about " + wording.Count(f.OutputTokens) + ", " + how},
	}
	if f.Used > 0 {
		pairs = append(pairs, Pair{"Used so far", wording.Counted(f.Used, "token")})
	}
	if f.MaxTokens > 0 {
		pairs = append(pairs, Pair{"Limit", wording.Counted(f.MaxTokens, "token") + " in all runs of this judge"})
	}
	return pairs
}

// short reports whether the limit would stop the run before its end, as far as is known.
func (f JudgeForecast) short() bool {
	return f.MaxTokens > 0 && f.Used+f.InputTokens+f.OutputTokens > f.MaxTokens
}

// A TraceView shows the calls that led to a judgement.
type TraceView struct {
	Page
	SegmentID     string // row id
	Judge, System string
	Calls         []campaign.TraceCall
}

// tracePath is the address of the trace of a judgement.
func (v SegmentView) tracePath(system, judge string) string {
	return withQuery(v.Campaign.segmentPath(v.ID)+"/trace", url.Values{"system": {system}, "judge": {judge}}.Encode())
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

// short reports whether what was asked is short enough to be shown at once.
func (v TraceView) short(call campaign.TraceCall) bool { return len(call.Prompt) < 600 }

// judgeScore is the score of a judgement, or a dash.
func judgeScore(j campaign.Judgement) string {
	if j.Score == nil {
		return "–"
	}
	return wording.Decimal(*j.Score, 2)
}

// errorKind is what a judge says of an error beside its words.
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
