package setup

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A JudgesView lists the judges of a campaign and has the form that runs one.
type JudgesView struct {
	templates.Page
	Version int64 // changes with the list
	Judges  []JudgeRow
	Runs    bool          // judges can be run
	Marks   bool          // annotators mark errors in the campaign, so errors can be suggested
	Failed  string        // error of the latest act; empty if it succeeded
	Suggest *JudgeSuggest // nil unless the reader asked what suggestions would change

	ModelServer string // address of the model's server; empty if none is configured
	HasKey      bool   // a key is configured
	Methods     []JudgeMethod
	Form        JudgeForm
	Wrong       map[string]string // error of each wrong field of the form; "" is about the whole form
	Forecast    *JudgeForecast    // nil if the reader asked for none
	Object      string            // what judges of the campaign judge: translation or source
}

// A JudgeSuggest says what suggestions of the errors of a judge would change.
type JudgeSuggest struct {
	Judge string
	readmodel.SuggestionForecast
}

// says returns the sentences that a lead reads before suggestions are made.
func (f JudgeSuggest) says() string {
	if f.Translations == 0 {
		if f.Begun == 0 {
			return "This judge has marked no errors."
		}
		return "Annotators have begun all segments with errors of this judge, so no suggestions can be made."
	}
	s := "Annotators see its errors as suggestions for " + wording.Counted(f.Translations,
		"translation") + " in " + wording.Counted(f.Segments, "segment") + "."
	if f.Replaced > 0 {
		s += " They replace the present suggestions for " + wording.Counted(f.Replaced, "translation") + "."
	} else {
		s += " None of these has suggestions now."
	}
	if f.Begun > 0 {
		s += " " + wording.Counted(f.Begun, "translation") + wording.Choose(f.Begun, " is",
			" are") + " left out, because annotators have begun the segments."
	}
	return s + " You can undo this under Import, until annotators begin the segments."
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
	Fresh                                                                        bool // make every call, also those whose reply is stored
}

// A JudgeForecast is the forecast of a run with the limits that it is compared with.
type JudgeForecast struct {
	readmodel.JudgeForecast
	Asks      string // the method and the source of its prompts
	MaxTokens int    // 0: no limit
	Used      int    // tokens of earlier runs
	Resumes   bool   // the judge was run before
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
func (f JudgeForm) fields() []templates.Pair {
	pairs := []templates.Pair{
		{
			Term: "method",
			Text: f.Method,
		}, {Term: "variant", Text: f.Variant}, {Term: "model", Text: f.Model}, {Term: "as", Text: f.As}, {Term: "max_tokens", Text: f.MaxTokens},
		{Term: "concurrency", Text: f.Concurrency}, {Term: "retries", Text: f.Retries}, {Term: "threshold",
			Text: f.Threshold}, {Term: "seed", Text: f.Seed},
	}
	if f.Fresh {
		pairs = append(pairs, templates.Pair{Term: "fresh", Text: f.fresh()})
	}
	return pairs
}

// fresh returns the sent value of the field for stored replies.
func (f JudgeForm) fresh() string {
	if f.Fresh {
		return "yes"
	}
	return ""
}

// forecastPath returns the address of the forecast for a form.
func (v JudgesView) forecastPath(f JudgeForm) string {
	q := url.Values{}
	for _, x := range f.fields() {
		q.Set(x.Term, x.Text)
	}
	return templates.WithQuery(v.Campaign.Path("judges"), q.Encode()) + "#forecast"
}

// suggestPath returns the address that says what suggestions of the errors of a judge would change.
func (v JudgesView) suggestPath(judge string) string {
	return templates.WithQuery(v.Campaign.Path("judges"), url.Values{"suggest": {judge}}.Encode()) + "#suggest"
}

// runs reports whether the reader may run judges, and a model's server is there to ask.
func (v JudgesView) runs() bool { return v.Runs && v.ModelServer != "" }

// firstJudge says where a first judge can come from.
func (v JudgesView) firstJudge() string {
	if v.runs() {
		return "Run one below, or import judgements that were made elsewhere."
	}
	return "Import judgements that were made elsewhere."
}

// again returns the label of the button that runs a judge again. It is empty if the page can't run the
// judge or the judge has judged everything.
func (v JudgesView) again(j JudgeRow) string {
	switch {
	case !v.runs() || j.Running || j.Open == 0 || j.State == JudgeImported || j.Elsewhere != "":
		return ""
	case strings.HasPrefix(j.State, "done"):
		return "Judge the rest"
	}
	return "Resume"
}

// suggests reports whether the reader may turn the errors that a judge marked into suggestions.
func (v JudgesView) suggests(j JudgeRow) bool {
	return v.Marks && v.leads() && !j.Running && !j.ScoresOnly && j.judged() > 0
}

// hasActs reports whether the row of a judge has buttons.
func (v JudgesView) hasActs(j JudgeRow) bool {
	return j.Running || v.again(j) != "" || v.suggests(j)
}

// stateKind returns the kind of [templates.Badge] for the judge's state.
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

// short names the method, the variant and the model of a judge.
func (j JudgeRow) short() string {
	method := strings.TrimSpace(j.Method + " " + j.Again.Variant)
	if method == "" || j.Model == "" {
		return method + j.Model
	}
	return method + " with " + j.Model
}

// about returns the line about each judge.
func (v JudgesView) about() (out []templates.Pair) {
	for _, j := range v.Judges {
		out = append(out, templates.Pair{Term: j.Name, Text: j.About})
	}
	return out
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
func (v JudgesView) methodOptions() []templates.Option {
	options := []templates.Option{{Label: "Choose a method"}}
	for _, m := range v.Methods {
		options = append(options, templates.Option{Value: m.Name, Label: m.label()})
	}
	return options
}

// variantOptions returns the options of the field for the variant. Each names the methods that have the
// variant.
func (v JudgesView) variantOptions() []templates.Option {
	options := []templates.Option{{Label: "Default"}}
	for _, m := range v.Methods {
		for _, name := range m.Variants {
			i := slices.IndexFunc(options, func(o templates.Option) bool { return o.Value == name })
			if i < 0 {
				options = append(options, templates.Option{Value: name, Label: name + ": " + m.Name})
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
	return "Only " + wording.List(names) + " " + wording.Choose(len(names), "has", "have") + " a threshold. Errors with a lower confidence are discussed. If it is empty, the run finds it with a tenth of the segments, which the judge then leaves out."
}

// more reports whether the page shows the fields that seldom change.
func (v JudgesView) more() bool {
	if v.Form.Variant != "" || v.Form.Fresh {
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
func (f JudgeForecast) facts() []templates.Pair {
	calls := "about " + wording.Count(f.Usual)
	if f.Least != f.Most {
		calls += ", at least " + wording.Count(f.Least) + " and at most " + wording.Count(f.Most)
	} else {
		calls = wording.Count(f.Usual)
	}
	input, output := "estimated from the length of the first prompts", "if each reply has "+wording.Counted(readmodel.AssumedOutput, "token")
	if f.Measured {
		input, output = "estimated from the judge's calls so far", "estimated from the judge's replies so far"
	}
	pairs := []templates.Pair{
		{Term: "Method", Text: f.Asks},
		{Term: "To judge", Text: f.toJudge()},
		{Term: "Calls", Text: calls + ", without retries"},
		{Term: "Input tokens", Text: "about " + wording.Count(int(f.InputTokens)) + ", " + input},
		{Term: "Output tokens", Text: "about " + wording.Count(int(f.OutputTokens)) + ", " + output},
	}
	if f.Kept > 0 {
		pairs = append(pairs, templates.Pair{Term: "Not asked again", Text: wording.Counted(f.Kept, "call") + " whose replies are stored"})
	}
	if f.Used > 0 {
		pairs = append(pairs, templates.Pair{Term: "Used so far", Text: wording.Counted(f.Used, "token")})
	}
	if f.MaxTokens > 0 {
		pairs = append(pairs, templates.Pair{Term: "Limit", Text: wording.Counted(f.MaxTokens, "token") + " in all runs of this judge"})
	}
	return pairs
}

// toJudge counts what the run is to judge.
func (f JudgeForecast) toJudge() string {
	if f.Translations == f.Segments {
		return wording.Counted(f.Translations, f.Object)
	}
	return wording.Counted(f.Translations, f.Object) + " of " + wording.Counted(f.Segments, "segment")
}

// lead says what judges are, at the top of the page.
func (v JudgesView) lead() string {
	if v.Object == "source" {
		return "Judges are models and other tools that read each source and say how difficult it is to translate. Their scores sort and limit the list of segments, and the setting filter can hand out only segments with a high score. Annotators see nothing of judges."
	}
	return "Judges are models and other tools that rate translations in the form in which people do. Their scores are metrics in the report. Annotators see nothing of judges, unless a lead turns the errors of a judge into suggestions."
}

// skipped says what the method can't judge.
func (f JudgeForecast) skipped() string {
	return wording.Counted(f.Skipped, f.Object) + " of segments without " + f.Lacks + "."
}

// short reports whether the token limit is lower than the estimate for the run.
func (f JudgeForecast) short() bool {
	return f.MaxTokens > 0 && f.Used+int(f.InputTokens+f.OutputTokens) > f.MaxTokens
}

// unreadPath returns the address of the list of a judge's judgements that could not be read.
func (v JudgesView) unreadPath(judge string) string {
	return templates.WithQuery(v.Campaign.Path("judges/unread"), templates.QueryOf("judge", judge).Encode())
}

// An UnreadJudgementsView lists the judgements of a judge that are unparsable or have words that stand
// in neither text.
type UnreadJudgementsView struct {
	templates.Page
	templates.Paging
	Judge string
	Rows  []readmodel.UnreadJudgement
}
