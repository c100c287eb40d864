package api

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/metaeval"
	"annotate/internal/readmodel"
	"annotate/internal/stat"
	"annotate/internal/store"
)

// AgreementFacts are what annotate agreement prints.
type AgreementFacts struct {
	Report campaign.AgreementReport
	People []Conduct
	Done   campaign.Interventions
	Checks []readmodel.AnnotatorChecks // by login
	Judges []campaign.JudgeAbout
}

// A Conduct holds the figures and flags of an annotator.
type Conduct struct {
	Login string
	campaign.Conduct
	Flags []campaign.Flag
}

// ReadAgreement reads a campaign and computes the agreement of its annotators, in segments in gold alone or in all. People are
// named as the campaign's setting pseudonyms says. read, which may be nil, is called with the number of segments read so far.
func ReadAgreement(ctx context.Context, st *store.Store, c campaign.Campaign, gold bool, read func(n int)) (f AgreementFacts, err error) {
	people, err := st.Accounts.PseudonymsOf(ctx, c)
	if err != nil {
		return f, err
	}
	f.Report, err = campaign.AgreementWithIntervals(ctx, c, func(yield func(campaign.Rated, error) bool) {
		n := 0
		for seg, err := range people.Rated(st.Desk.RatedSegments(ctx, c)) {
			if n++; read != nil {
				read(n)
			}
			if !yield(seg, err) {
				return
			}
		}
	}, gold, stat.Bootstrap{Resamples: stat.Resamples, Seed: metaeval.DefaultSeed, Level: metaeval.Level})
	if err != nil {
		return f, err
	}
	p, err := st.Desk.Progress(ctx, c)
	if err != nil {
		return f, err
	}
	done, err := st.Desk.Interventions(ctx, c.ID)
	if err != nil {
		return f, err
	}
	judged, err := st.Desk.JudgedChecks(ctx, c)
	if err != nil {
		return f, err
	}
	f.People, f.Done, f.Checks = conductsOf(campaign.Hidden(people, p)), people.Interventions(done), campaign.Hidden(people, judged)
	f.Judges, err = st.Records.JudgesAbout(ctx, c.ID)
	return f, err
}

// conductsOf lists the annotators who have submitted, by login.
func conductsOf(p desk.Progress) []Conduct {
	var out []Conduct
	for _, a := range p.Annotators {
		if a.Ratings > 0 {
			out = append(out, Conduct{a.User.Login, a.Conduct, a.Flags})
		}
	}
	return out
}

// An Agreement says how far the annotators of a campaign agree.
type Agreement struct {
	Campaign        string             `json:"campaign"`
	Protocol        string             `json:"protocol"`
	Threshold       float64            `json:"threshold"`
	Annotators      []string           `json:"annotators"`
	Segments        []SegmentAgreement `json:"segments"`
	SystemLevel     []Cell             `json:"system_level"`
	SegmentLevel    []Cell             `json:"segment_level"`
	Alpha           Number             `json:"alpha"`
	AlphaInterval   Limits             `json:"alpha_interval"`
	AlphaKind       string             `json:"alpha_kind"`
	TauB            []PairTauB         `json:"tau_b"`
	Kappa           []PairKappa        `json:"kappa"`
	Spans           []PairSpans        `json:"spans"`
	Others          []Others           `json:"others"`
	Checks          []AnnotatorCheck   `json:"checks,omitempty"`
	Judges          []string           `json:"judges"`
	JudgePairs      []JudgePair        `json:"judge_pairs"`
	JudgesAbout     map[string]string  `json:"judges_about,omitempty"` // by name of the judge
	SetAside        []SetAside         `json:"set_aside"`
	SettingsChanges []SettingChange    `json:"settings_changes"`
	Summary         AgreementSummary   `json:"summary"`
	PairIntervals   []PairIntervals    `json:"pair_intervals"`
}

// Limits are the bounds of a 95 % interval; both are null if there is none.
type Limits [2]Number

// PairIntervals holds the intervals of a pair of annotators that shares a segment. Those of spans have null bounds in
// protocols without error spans, and that of kappa if the gate score is neither ordinal nor nominal.
type PairIntervals struct {
	A           string     `json:"a"`
	B           string     `json:"b"`
	SystemLevel Limits     `json:"r_system"`
	Segment     Limits     `json:"r_segment"`
	TauB        Limits     `json:"tau_b"`
	Kappa       Limits     `json:"kappa"`
	Spans       SpanLimits `json:"spans"`
	BySeverity  SpanLimits `json:"spans_by_severity"`
}

// SpanLimits has the intervals of the values of [PairSpans] with the same keys.
type SpanLimits struct {
	F1          Limits `json:"f1"`
	OverlapAOfB Limits `json:"overlap_a_of_b"`
	OverlapBOfA Limits `json:"overlap_b_of_a"`
	Presence    Limits `json:"presence"`
	MatchesF1   Limits `json:"matches_f1"`
}

func limitsOf(i stat.Interval) Limits {
	if i.Resamples == 0 {
		return Limits{Number(math.NaN()), Number(math.NaN())}
	}
	return Limits{Number(i.Low), Number(i.High)}
}

func spanLimitsOf(i agreement.SpanIntervals) SpanLimits {
	return SpanLimits{limitsOf(i.CharF1), limitsOf(i.OverlapOfB), limitsOf(i.OverlapOfA), limitsOf(i.Presence), limitsOf(i.F1)}
}

// PairTauB, PairKappa and PairSpans hold results of a pair of annotators that shares a
// segment.
type PairTauB struct {
	A    string `json:"a"`
	B    string `json:"b"`
	TauB Number `json:"tau_b"`
}

type PairKappa struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Kappa Number `json:"kappa"`
}

// PairSpans compares the spans of a pair. OverlapAOfB is the share of B's spans that
// overlap a span of A.
type PairSpans struct {
	A           string        `json:"a"`
	B           string        `json:"b"`
	F1          Number        `json:"f1"`
	OverlapAOfB Number        `json:"overlap_a_of_b"`
	OverlapBOfA Number        `json:"overlap_b_of_a"`
	SpansA      int           `json:"spans_a"`
	SpansB      int           `json:"spans_b"`
	Presence    Number        `json:"presence"`
	MatchesF1   Number        `json:"matches_f1"`
	BySeverity  SeveritySpans `json:"by_severity"`
}

// SeveritySpans has the same measures, for spans of equal severity only.
type SeveritySpans struct {
	F1          Number `json:"f1"`
	OverlapAOfB Number `json:"overlap_a_of_b"`
	OverlapBOfA Number `json:"overlap_b_of_a"`
	MatchesF1   Number `json:"matches_f1"`
}

func (out *Agreement) addPairs(c campaign.Campaign, r campaign.AgreementReport) {
	out.AlphaInterval, out.PairIntervals = limitsOf(r.AlphaInterval), []PairIntervals{}
	out.AlphaKind, out.TauB, out.Kappa, out.Spans = r.Metric.String(), []PairTauB{}, []PairKappa{}, []PairSpans{}
	for _, p := range r.Pairs {
		in := p.Intervals
		out.PairIntervals = append(out.PairIntervals, PairIntervals{
			p.A, p.B, limitsOf(in.SystemLevel), limitsOf(in.SegmentLevel), limitsOf(in.TauB), limitsOf(in.Kappa),
			spanLimitsOf(in.Spans), spanLimitsOf(in.SpansBySeverity),
		})
		out.TauB = append(out.TauB, PairTauB{p.A, p.B, Number(p.TauB)})
		if r.Metric != agreement.Interval {
			out.Kappa = append(out.Kappa, PairKappa{p.A, p.B, Number(p.Kappa)})
		}
		if c.Rules.Spans == nil || c.Rules.Given != "" {
			continue
		}
		out.Spans = append(out.Spans, spansOf(p.A, p.B, p.Spans, p.SpansBySeverity))
	}
}

// spansOf returns the comparison of the spans of a with those of b.
func spansOf(a, b string, s, bySeverity agreement.Spans) PairSpans {
	_, _, f1 := s.Matches()
	_, _, severe := bySeverity.Matches()
	return PairSpans{
		A: a, B: b, F1: Number(s.CharF1()), OverlapAOfB: Number(s.OverlapOfB()), OverlapBOfA: Number(s.OverlapOfA()),
		SpansA: s.SpansA, SpansB: s.SpansB, Presence: Number(s.Presence()), MatchesF1: Number(f1),
		BySeverity: SeveritySpans{Number(bySeverity.CharF1()), Number(bySeverity.OverlapOfB()), Number(bySeverity.OverlapOfA()), Number(severe)},
	}
}

// AgreementSummary has the number of segments, the number with each status, and the share of
// first rounds that failed.
type AgreementSummary map[string]Number

func summaryOf(r campaign.AgreementReport) AgreementSummary {
	out := AgreementSummary{"segments": Number(len(r.Segments)), "first_round_fail_rate": Number(r.FirstFailRate)}
	for _, status := range campaign.Statuses {
		out[string(status)] = Number(r.Statuses[status])
	}
	return out
}

// MarshalJSON writes the keys in the order of [campaign.Statuses].
func (s AgreementSummary) MarshalJSON() ([]byte, error) {
	keys := []string{"segments"}
	for _, status := range campaign.Statuses {
		keys = append(keys, string(status))
	}
	out := []byte("{")
	for i, key := range append(keys, "first_round_fail_rate") {
		value, err := s[key].MarshalJSON()
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(fmt.Appendf(out, "%q:", key), value...)
	}
	return append(out, '}'), nil
}

type SegmentAgreement struct {
	DocID     string          `json:"doc_id"`
	SegmentID string          `json:"segment_id"`
	Round     int             `json:"round"`
	Status    campaign.Status `json:"status"`
	Pairs     []SegmentPair   `json:"pairs"`
}

type SegmentPair struct {
	A      string           `json:"a"`
	B      string           `json:"b"`
	R      *float64         `json:"r"`
	Reason agreement.Reason `json:"reason"`
	Passed bool             `json:"passed"`
}

// Others compares an annotator with the others.
type Others struct {
	Annotator    string              `json:"annotator"`
	R            Number              `json:"r"`     // Pearson's r with the mean of the others
	Bias         Number              `json:"bias"`  // mean difference from the others
	Drift        Number              `json:"drift"` // change of that difference
	RInterval    Limits              `json:"r_interval"`
	BiasInterval Limits              `json:"bias_interval"`
	Flags        []campaign.FlagKind `json:"flags"`
}

// SetAside is one time that an annotator's work was set aside. RestoredAt is null while
// it is.
type SetAside struct {
	Annotator  string     `json:"annotator"`
	Ratings    int        `json:"ratings"`
	At         time.Time  `json:"at"`
	Reason     string     `json:"reason"`
	RestoredAt *time.Time `json:"restored_at"`
}

// SettingChange is a setting that was changed.
type SettingChange struct {
	Key  string    `json:"key"`
	From string    `json:"from"`
	To   string    `json:"to"`
	At   time.Time `json:"at"`
}

type Cell struct {
	A      string `json:"a"`
	B      string `json:"b"`
	R      Number `json:"r"`
	Shared int    `json:"shared"`
}

// JSON returns the agreement of a campaign as it is written.
func (f AgreementFacts) JSON(c campaign.Campaign) Agreement {
	r := f.Report
	out := Agreement{
		Campaign: c.Slug, Protocol: c.Protocol, Threshold: c.Settings.Threshold, Annotators: append([]string{}, r.Annotators...),
		Segments: make([]SegmentAgreement, len(r.Segments)), SystemLevel: cellsOf(r.SystemLevel), SegmentLevel: cellsOf(r.SegmentLevel),
		Alpha: Number(r.Alpha.Alpha), Others: []Others{}, Checks: ChecksOf(f.Checks), SetAside: []SetAside{}, SettingsChanges: []SettingChange{},
	}
	out.addPairs(c, r)
	out.addJudges(r.Judges, f.Judges)
	for _, o := range r.Each {
		known := ConductOf(f.People, o.Annotator)
		line := Others{Annotator: o.Annotator, R: Number(o.LeaveOneOut), Bias: Number(o.Difference),
			Drift: Number(known.Drift()), Flags: []campaign.FlagKind{},
			RInterval: limitsOf(o.Intervals.LeaveOneOut), BiasInterval: limitsOf(o.Intervals.Difference)}
		for _, f := range known.Flags {
			line.Flags = append(line.Flags, f.Kind)
		}
		out.Others = append(out.Others, line)
	}
	for i, s := range r.Segments {
		pairs := make([]SegmentPair, len(s.Pairs))
		for k, p := range s.Pairs {
			pairs[k] = SegmentPair{p.A, p.B, p.R, p.Reason, p.Passed}
		}
		out.Segments[i] = SegmentAgreement{s.DocID, s.SegmentID, s.Round, s.Status, pairs}
	}
	for _, x := range f.Done.SetAside {
		aside := SetAside{Annotator: x.Annotator, Ratings: x.Ratings, At: x.At, Reason: x.Reason}
		if !x.RestoredAt.IsZero() {
			aside.RestoredAt = &x.RestoredAt
		}
		out.SetAside = append(out.SetAside, aside)
	}
	for _, x := range f.Done.Settings {
		out.SettingsChanges = append(out.SettingsChanges, SettingChange{x.Key, x.From, x.To, x.At})
	}
	out.Summary = summaryOf(r)
	return out
}

// ConductOf returns the conduct of an annotator, or an empty one if there is none.
func ConductOf(people []Conduct, login string) Conduct {
	for _, c := range people {
		if c.Login == login {
			return c
		}
	}
	return Conduct{Login: login, Conduct: campaign.NewConduct()}
}

func cellsOf(cells []agreement.Cell) []Cell {
	out := make([]Cell, len(cells))
	for i, c := range cells {
		out[i] = Cell{c.A, c.B, Number(c.R), c.Shared}
	}
	return out
}

// AnnotatorCheck is what the checks of one kind, or of all kinds, say of an annotator.
type AnnotatorCheck struct {
	Annotator       string `json:"annotator"`
	Kind            string `json:"kind"` // "all", or one of [campaign.CheckKinds]
	Taken           int    `json:"taken"`
	Passed          int    `json:"passed"`
	Expected        Number `json:"expected"`  // number passed on average without reading
	P               Number `json:"p"`         // chance to pass at least as many documents without reading
	Documents       int    `json:"documents"` // that the checks are evidence of
	DocumentsPassed int    `json:"documents_passed"`
	Careful         Number `json:"careful"` // chance that somebody who reads with care passes at most as many
	Enough          bool   `json:"enough"`  // enough were taken for a flag
	Flag            bool   `json:"flag"`    // the annotator has the flag because of this line
}

// ChecksOf lists the checks of annotators who have taken any.
func ChecksOf(judged []readmodel.AnnotatorChecks) []AnnotatorCheck {
	var out []AnnotatorCheck
	for _, a := range judged {
		if a.Results[0].Taken == 0 {
			continue
		}
		deciding := campaign.DecidingChecks(a.Results)
		for _, r := range a.Results {
			out = append(out, AnnotatorCheck{
				Annotator: a.Login, Kind: cmp.Or(string(r.Kind), "all"), Taken: r.Taken, Passed: r.Passed,
				Expected: Number(r.Expected()), P: Number(r.P),
				Documents: r.Documents, DocumentsPassed: r.DocumentsPassed, Careful: Number(r.Careful),
				Enough: r.Enough, Flag: r.Flag && r.Kind == deciding.Kind,
			})
		}
	}
	return out
}

// A JudgePair says how far a judge agrees with an annotator or with another judge.
type JudgePair struct {
	Judge      string `json:"judge"`
	Other      string `json:"other"`
	OtherJudge bool   `json:"other_judge"`
	ScoreAgreement
	Scores          []NamedScore `json:"scores"`
	Spans           *PairSpans   `json:"spans"`              // A is the judge; null if one of them marks no errors
	SpanIntervals   SpanLimits   `json:"span_intervals"`     // of spans
	SpansBySeverity SpanLimits   `json:"severity_intervals"` // of spans.by_severity
}

type ScoreAgreement struct {
	Segments     int    `json:"segments"`
	Translations int    `json:"translations"`
	SystemLevel  Number `json:"r_system"`
	SegmentLevel Number `json:"r_segment"`
	TauB         Number `json:"tau_b"`

	SystemInterval  Limits `json:"r_system_interval"`
	SegmentInterval Limits `json:"r_segment_interval"`
	TauBInterval    Limits `json:"tau_b_interval"`
}

// A NamedScore says how far a pair agrees in one of several entered scores.
type NamedScore struct {
	Score string `json:"score"`
	ScoreAgreement
}

func (out *Agreement) addJudges(j campaign.JudgeAgreement, about []campaign.JudgeAbout) {
	out.Judges, out.JudgesAbout, out.JudgePairs = append([]string{}, j.Judges...), map[string]string{}, []JudgePair{}
	for _, a := range about {
		if slices.Contains(j.Judges, a.Judge) {
			out.JudgesAbout[a.Judge] = a.About
		}
	}
	for _, p := range j.Pairs {
		line := JudgePair{Judge: p.Judge, Other: p.Other, OtherJudge: p.OtherJudge, ScoreAgreement: scoreOf(p.Score), Scores: []NamedScore{},
			SpanIntervals: spanLimitsOf(p.SpanIntervals), SpansBySeverity: spanLimitsOf(p.SeverityIntervals)}
		for _, s := range p.Scores {
			line.Scores = append(line.Scores, NamedScore{s.Name, scoreOf(s)})
		}
		if p.Spans.Translations > 0 {
			spans := spansOf(p.Judge, p.Other, p.Spans, p.SpansBySeverity)
			line.Spans = &spans
		}
		out.JudgePairs = append(out.JudgePairs, line)
	}
}

func scoreOf(s campaign.ScoreAgreement) ScoreAgreement {
	in := s.Intervals
	return ScoreAgreement{
		s.Segments, s.Translations, Number(s.SystemLevel), Number(s.SegmentLevel), Number(s.TauB),
		limitsOf(in.SystemLevel), limitsOf(in.SegmentLevel), limitsOf(in.TauB),
	}
}
