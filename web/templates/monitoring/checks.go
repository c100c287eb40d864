package monitoring

import (
	"net/url"
	"strconv"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A ChecksView is what the checks of a campaign show, and the checks themselves. Its forms post do
// (replace, remove, restore, know or forget) with the fields of each to …/checks.
type ChecksView struct {
	templates.Page
	templates.Paging // Total: the checks that the filter chooses
	Rate             float64
	Level            float64 // of the test
	Annotators       []readmodel.AnnotatorChecks
	HandedOut        readmodel.HandedOut // while there are no checks, as is RepeatAfter
	RepeatAfter      int                 // the setting
	Checks           []readmodel.Check   // on this page
	Known            []readmodel.KnownAnswer
	Login, Kind      string         // the filter; empty for all
	Lang             templates.Lang // of the texts that are rated: translations, or sources where segments are rated themselves
	Protocol         *protocol.Protocol
	Messages         int               // of annotators about checks that wait for an answer
	Typed            map[string]string // what was refused, by name of the field
	Errors           map[string]string
}

// given says what annotators gave: a score or an answer.
func (v ChecksView) given() string {
	if _, nominal := v.Protocol.NominalGate(); nominal {
		return "answer"
	}
	return "score"
}

// knownHeads are the heads of the table of known answers.
func (v ChecksView) knownHeads() []templates.Head {
	if v.Protocol.OfSegments() {
		return []templates.Head{templates.ColumnHead("Segment"), templates.ColumnHead("Source"),
			templates.ColumnHead("Answer"), templates.HiddenHead("Acts")}
	}
	return []templates.Head{templates.ColumnHead("Segment"), templates.ColumnHead("System"), templates.ColumnHead("Translation"),
		templates.NumHead("Score"), templates.HiddenHead("Acts")}
}

// points is a gate score; of answers that are not numbers the answer, or the place of a candidate among those of the segment.
func (v ChecksView) points(x float64) string {
	q, nominal := v.Protocol.NominalGate()
	switch {
	case !nominal:
		return wording.Decimal(x, 1)
	case q.Kind == protocol.Candidate && x == 0:
		return q.None
	case q.Kind == protocol.Candidate:
		return "candidate " + wording.Plain(x)
	}
	a, _ := q.AnswerOf(x, nil)
	return q.Words(a)
}

// answerOptions are the options of a question, to choose from.
func answerOptions(q protocol.Question) []templates.Option {
	out := make([]templates.Option, len(q.Options))
	for i, o := range q.Options {
		out[i] = templates.Option{Value: o.Value, Label: o.Label}
	}
	return out
}

// candidateHelp says how a candidate is named.
func candidateHelp(q protocol.Question) string {
	if q.None != "" {
		return "The name of the candidate, as the page of the segment has it; empty for “" + q.None + "”."
	}
	return "The name of the candidate, as the page of the segment has it."
}

func (v ChecksView) lead() string {
	if v.Rate == 0 {
		return "No checks are made. Choose the share of checks on the settings page; 5 % is usual."
	}
	return wording.Decimal(100*v.Rate,
		0) + " % of the documents of each annotator are checks. They look like work, and count nowhere but here."
}

// ahead says when the first checks can be expected.
func (v ChecksView) ahead() string {
	if v.Rate == 0 {
		return "When annotators have taken checks, what the checks say of them appears here."
	}
	within := campaign.FirstCheckWithin(v.Rate)
	out := "An annotator’s first check is a whole document. It comes after 1 to " + wording.Counted(within,
		"document") + ", at a place that is drawn."
	if within == 1 {
		out = "An annotator’s first check is a whole document. It comes after the first document."
	}
	switch h := v.HandedOut; {
	case h.Annotators == 0:
		out += " The campaign has no active annotators yet."
	case h.Fewest == h.Most:
		out += " So far, each annotator was handed " + wording.Counted(h.Most, "document") + "."
	default:
		out += " So far, annotators were handed " + wording.CountedRange(h.Fewest, h.Most, "document") + "."
	}
	return out + " A repeat also needs a document that the annotator finished at least " + wording.Counted(v.RepeatAfter, "segment") + " before."
}

func (v ChecksView) query() url.Values {
	q := url.Values{}
	if v.Login != "" {
		q.Set("annotator", v.Login)
	}
	if v.Kind != "" {
		q.Set("kind", v.Kind)
	}
	return q
}

func (v ChecksView) loginOptions() []templates.Option {
	out := []templates.Option{{Value: "", Label: "all annotators"}}
	for _, a := range v.Annotators {
		out = append(out, templates.Option{Value: a.Login, Label: a.Login})
	}
	return out
}

func kindOptions() []templates.Option {
	out := []templates.Option{{Value: "", Label: "all kinds"}}
	for _, k := range campaign.CheckKinds {
		out = append(out, templates.Option{Value: string(k), Label: string(k)})
	}
	return out
}

// kindResult is the result of a kind; without checks if none were taken.
func kindResult(a readmodel.AnnotatorChecks, kind campaign.CheckKind) campaign.CheckResult {
	for _, r := range a.Results {
		if r.Kind == kind {
			return r
		}
	}
	return campaign.CheckResult{Kind: kind}
}

// passed writes "8 of 10", or a dash.
func passed(r campaign.CheckResult) string {
	if r.Taken == 0 {
		return "–"
	}
	return wording.Count(r.Passed) + " of " + wording.Count(r.Taken)
}

// documents writes how many documents are passed: "5 of 6 documents".
func documents(r campaign.CheckResult) string {
	return wording.Count(r.DocumentsPassed) + " of " + wording.Counted(r.Documents, "document")
}

// pValue writes a probability.
func pValue(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return wording.Decimal(p, 3)
}

// verdict is the kind and the text of the badge of an annotator.
func verdict(results []campaign.CheckResult) (kind, text string) {
	switch {
	case campaign.ChecksFlag(results):
		return "warn", "fails checks"
	case !campaign.EnoughChecks(results):
		return "plain", "too few to tell"
	case !campaign.DecidingChecks(results).Reads:
		return "plain", "undecided"
	}
	return "ok", "reads"
}

// self writes the agreement of an annotator with themselves.
func self(s readmodel.SelfAgreement) string {
	if s.N == 0 {
		return "–"
	}
	if s.Answers {
		return "the same answer in " + wording.Decimal(100*(1-s.Difference), 0) + " % (" + wording.Count(s.N) + ")"
	}
	return "r " + wording.Decimal(s.R, 2) + ", apart by " + wording.Decimal(s.Difference, 2) + " (" + wording.Count(s.N) + ")"
}

// checkState is the kind and the text of the badge of a check.
func checkState(k readmodel.Check) (kind, text string) {
	switch {
	case k.Removed:
		return "plain", "removed"
	case !k.Submitted:
		return "plain", "not submitted"
	case k.Basis == "":
		return "plain", "nobody has rated the original yet"
	case k.Uncounted != "":
		return "plain", "not counted: " + k.Uncounted
	case k.Passed:
		return "ok", "passed"
	}
	return "warn", "failed"
}

// againstWords writes what a check is compared with.
func (v ChecksView) againstWords(k readmodel.Check) string {
	switch k.Basis {
	case "own":
		return v.points(k.Against) + ", own"
	case "others":
		return v.points(k.Against) + ", the others’ mean"
	case "lead":
		return v.points(k.Against) + ", the lead’s"
	}
	return "–"
}

func (v ChecksView) checkDefinitions() []templates.Pair {
	level := strconv.FormatFloat(v.Level, 'g', -1, 64)
	return []templates.Pair{
		{
			Term: "degraded",
			Text: "A translation of which about half of the words are dropped, swapped or cut. Its score must be lower than the annotator’s own score of the original, or else the others’ mean: by the margin of the settings, or by a third of the room below the original if that is less. Where errors are summed up, it must have errors of at least the margin.",
		},
		{
			Term: "repeat",
			Text: "A document that the annotator rated a while ago. Each score must be within the tolerance of the earlier one, and each answer that is not a number must be the same.",
		},
		{
			Term: "known",
			Text: "A translation whose score you have given below. It must be rated the same, within the tolerance; an answer that is no number must be equal.",
		},
		{
			Term: "not counted",
			Text: "The check cannot tell whether somebody reads. A degraded text needs room for the margin below its original. Where errors are summed up, the original may have errors of at most half of the margin. Of a repeat or a known text, some score must pass and some must fail.",
		},
		{
			Term: "documents",
			Text: "What depends on the same text counts once. A document is passed if at least half of its checks are. A text that was checked before counts with the document of that check.",
		},
		{Term: "Chance", Text: "The mean chance to pass without reading, if each score is drawn at random from the scores that the annotator gave in work."},
		{Term: "p", Text: "The chance to pass at least as many documents without reading, by an exact one-sided test."},
		{Term: "reads", Text: "The annotator passes more documents than somebody who does not read would: p is at most " + level + "."},
		{Term: "undecided", Text: "The checks tell neither. A higher share of checks tells more."},
		{
			Term: "fails checks",
			Text: "The annotator passes no more documents than somebody who does not read, and fewer than somebody who reads with care: p is above " + level + ", though passing all would have given less, and a careful annotator passes so few with a chance of at most half of " + level + ". A careful annotator is taken to pass three in five documents with degraded texts, and two in five of the others. This is asked of the degraded texts and of all checks. It takes three documents at least.",
		},
	}
}

// typedOr is what was typed into a field that was refused, or else a value.
func (v ChecksView) typedOr(field, value string) string {
	if typed, ok := v.Typed[field]; ok {
		return typed
	}
	return value
}
