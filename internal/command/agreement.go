package command

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/readmodel"
	"annotate/internal/spreadsheet"
	"annotate/internal/store"
)

// agreementFormats lists the formats of annotate agreement.
var agreementFormats = []string{"text", "json", "csv"}

// AgreementCommand makes the command agreement.
func (a *App) AgreementCommand() *cobra.Command {
	var format string
	var gold bool
	cmd := &cobra.Command{
		Use:   "agreement CAMPAIGN",
		Short: "Print the agreement of a campaign's annotators",
		Long: `Print how far the annotators of a campaign agree, at one state of the database.

Two annotators are compared in the latest round of each segment that both submitted
and that counts, whatever the status of the segment. --gold compares them only in segments in gold.
At system level r is Pearson's correlation of the sums of their scores by system. At
segment level r is the mean of Pearson's correlations within single segments. r is
undefined below three systems, and where one annotator gave the same score
throughout.

Annotators are named by login, or by pseudonym if the campaign's setting
pseudonyms is on.

Krippendorff's alpha compares all annotators at once, in the latest round of each
segment that at least two submitted. The comparison of each annotator with the mean
of the others uses the same rounds. If the gate score of the protocol is ordinal, as
that of sqm is, alpha is ordinal, and Cohen's kappa is computed with quadratic
weights over the whole scale. Otherwise alpha is interval, and there is no kappa.

Tables of their own compare the score of each judge with the gate score of each
annotator, in the annotator's latest round of each segment, and with the scores of
the other judges. No figure about annotators depends on judges.

  text  all results as tables
  json  the last decided round of every segment with its pairs, both matrices,
        alpha, each annotator with their flags, checks that annotators took, if any,
        judges with their pairs, work that is set aside, changes of settings and a
        summary; undefined values are null
  csv   a row for each pair of annotators in the last decided round of each
        segment: doc_id, segment_id, round, status, a, b, shared (translations that
        both rated), r, reason, passed. A segment without a decision or without a
        pair has one row, in which the columns of the pair are empty`,
		Example: `  annotate agreement gold-zh-en
  annotate agreement gold-zh-en --format json | jq .summary`,
		Args: Takes("CAMPAIGN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := CheckFormat(format, agreementFormats); err != nil {
				return err
			}
			return a.InCampaign(func(r Run) error {
				people, err := r.Accounts.PseudonymsOf(r.Ctx, r.Campaign)
				if err != nil {
					return err
				}
				report, err := a.agreement(r.Cmd, r.Store, r.Campaign, gold, people)
				if err != nil {
					return err
				}
				if format == "csv" {
					return writeAgreementCSV(a.Stdout, report)
				}
				p, err := r.Desk.Progress(r.Ctx, r.Campaign)
				if err != nil {
					return err
				}
				done, err := r.Desk.Interventions(r.Ctx, r.Campaign.ID)
				if err != nil {
					return err
				}
				judged, err := r.Desk.JudgedChecks(r.Ctx, r.Campaign)
				if err != nil {
					return err
				}
				judges, err := r.Records.JudgesAbout(r.Ctx, r.Campaign.ID)
				if err != nil {
					return err
				}
				known := agreementFacts{conductsOf(campaign.Hidden(people, p)), people.Interventions(done), campaign.Hidden(people, judged), judges}
				if format == "json" {
					return writeAgreementJSON(a.Stdout, r.Campaign, report, known)
				}
				return a.writeAgreementText(r.Campaign, report, known, gold)
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of the figures: "+strings.Join(agreementFormats, ", "))
	cmd.Flags().BoolVar(&gold, "gold", false, "compare annotators only in segments in gold")
	return cmd
}

// agreement reads a campaign and computes the agreement of its annotators, whom it names as people does.
func (a *App) agreement(cmd *cobra.Command, st *store.Store, c campaign.Campaign, gold bool, people *campaign.Pseudonyms) (campaign.AgreementReport, error) {
	p := a.NewProgress()
	defer p.Clear()
	return campaign.Agreement(c, func(yield func(campaign.Rated, error) bool) {
		n := 0
		for seg, err := range people.Rated(st.Desk.RatedSegments(cmd.Context(), c)) {
			n++
			p.Say("read %d segments of %s", n, c.Slug)
			if !yield(seg, err) {
				return
			}
		}
	}, gold)
}

// A conduct holds the figures and flags of an annotator.
type conduct struct {
	login string
	campaign.Conduct
	flags []campaign.Flag
}

// agreementFacts are printed together with the agreement.
type agreementFacts struct {
	people []conduct
	done   campaign.Interventions
	checks []readmodel.AnnotatorChecks // by login
	judges []campaign.JudgeAbout
}

// conductsOf lists the annotators who have submitted, by login.
func conductsOf(p desk.Progress) []conduct {
	var out []conduct
	for _, a := range p.Annotators {
		if a.Ratings > 0 {
			out = append(out, conduct{a.User.Login, a.Conduct, a.Flags})
		}
	}
	return out
}

type agreementJSON struct {
	Campaign        string                 `json:"campaign"`
	Protocol        string                 `json:"protocol"`
	Threshold       float64                `json:"threshold"`
	Annotators      []string               `json:"annotators"`
	Segments        []segmentAgreementJSON `json:"segments"`
	SystemLevel     []cellJSON             `json:"system_level"`
	SegmentLevel    []cellJSON             `json:"segment_level"`
	Alpha           Number                 `json:"alpha"`
	AlphaKind       string                 `json:"alpha_kind"`
	TauB            []tauJSON              `json:"tau_b"`
	Kappa           []kappaJSON            `json:"kappa"`
	Spans           []spansJSON            `json:"spans"`
	Others          []othersJSON           `json:"others"`
	Checks          []checkJSON            `json:"checks,omitempty"`
	Judges          []string               `json:"judges"`
	JudgePairs      []judgePairJSON        `json:"judge_pairs"`
	JudgesAbout     map[string]string      `json:"judges_about,omitempty"` // by name of the judge
	SetAside        []asideJSON            `json:"set_aside"`
	SettingsChanges []changeJSON           `json:"settings_changes"`
	Summary         summaryJSON            `json:"summary"`
}

// tauJSON, kappaJSON and spansJSON hold results of a pair of annotators that shares a
// segment.
type tauJSON struct {
	A    string `json:"a"`
	B    string `json:"b"`
	TauB Number `json:"tau_b"`
}

type kappaJSON struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Kappa Number `json:"kappa"`
}

// spansJSON compares the spans of a pair. OverlapAOfB is the share of B's spans that
// overlap a span of A.
type spansJSON struct {
	A           string       `json:"a"`
	B           string       `json:"b"`
	F1          Number       `json:"f1"`
	OverlapAOfB Number       `json:"overlap_a_of_b"`
	OverlapBOfA Number       `json:"overlap_b_of_a"`
	SpansA      int          `json:"spans_a"`
	SpansB      int          `json:"spans_b"`
	Presence    Number       `json:"presence"`
	MatchesF1   Number       `json:"matches_f1"`
	BySeverity  severityJSON `json:"by_severity"`
}

// severityJSON has the same measures, for spans of equal severity only.
type severityJSON struct {
	F1          Number `json:"f1"`
	OverlapAOfB Number `json:"overlap_a_of_b"`
	OverlapBOfA Number `json:"overlap_b_of_a"`
	MatchesF1   Number `json:"matches_f1"`
}

func (out *agreementJSON) addPairs(c campaign.Campaign, r campaign.AgreementReport) {
	out.AlphaKind, out.TauB, out.Kappa, out.Spans = r.Metric.String(), []tauJSON{}, []kappaJSON{}, []spansJSON{}
	_, ordinal := c.Rules.OrdinalGate()
	for _, p := range r.Pairs {
		out.TauB = append(out.TauB, tauJSON{p.A, p.B, Number(p.TauB)})
		if ordinal {
			out.Kappa = append(out.Kappa, kappaJSON{p.A, p.B, Number(p.Kappa)})
		}
		if c.Rules.Spans == nil {
			continue
		}
		out.Spans = append(out.Spans, spansOf(p.A, p.B, p.Spans, p.SpansBySeverity))
	}
}

// spansOf returns the comparison of the spans of a with those of b.
func spansOf(a, b string, s, bySeverity agreement.Spans) spansJSON {
	_, _, f1 := s.Matches()
	_, _, severe := bySeverity.Matches()
	return spansJSON{
		A: a, B: b, F1: Number(s.CharF1()), OverlapAOfB: Number(s.OverlapOfB()), OverlapBOfA: Number(s.OverlapOfA()),
		SpansA: s.SpansA, SpansB: s.SpansB, Presence: Number(s.Presence()), MatchesF1: Number(f1),
		BySeverity: severityJSON{Number(bySeverity.CharF1()), Number(bySeverity.OverlapOfB()), Number(bySeverity.OverlapOfA()), Number(severe)},
	}
}

// summaryJSON has the number of segments, the number with each status, and the share of
// first rounds that failed.
type summaryJSON map[string]Number

func summaryOf(r campaign.AgreementReport) summaryJSON {
	out := summaryJSON{"segments": Number(len(r.Segments)), "first_round_fail_rate": Number(r.FirstFailRate)}
	for _, status := range campaign.Statuses {
		out[string(status)] = Number(r.Statuses[status])
	}
	return out
}

// MarshalJSON writes the keys in the order of [campaign.Statuses].
func (s summaryJSON) MarshalJSON() ([]byte, error) {
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

type segmentAgreementJSON struct {
	DocID     string          `json:"doc_id"`
	SegmentID string          `json:"segment_id"`
	Round     int             `json:"round"`
	Status    campaign.Status `json:"status"`
	Pairs     []pairJSON      `json:"pairs"`
}

type pairJSON struct {
	A      string           `json:"a"`
	B      string           `json:"b"`
	R      *float64         `json:"r"`
	Reason agreement.Reason `json:"reason"`
	Passed bool             `json:"passed"`
}

// othersJSON compares an annotator with the others.
type othersJSON struct {
	Annotator string              `json:"annotator"`
	R         Number              `json:"r"`     // Pearson's r with the mean of the others
	Bias      Number              `json:"bias"`  // mean difference from the others
	Drift     Number              `json:"drift"` // change of that difference
	Flags     []campaign.FlagKind `json:"flags"`
}

// asideJSON is one time that an annotator's work was set aside. RestoredAt is null while
// it is.
type asideJSON struct {
	Annotator  string     `json:"annotator"`
	Ratings    int        `json:"ratings"`
	At         time.Time  `json:"at"`
	Reason     string     `json:"reason"`
	RestoredAt *time.Time `json:"restored_at"`
}

// changeJSON is a setting that was changed.
type changeJSON struct {
	Key  string    `json:"key"`
	From string    `json:"from"`
	To   string    `json:"to"`
	At   time.Time `json:"at"`
}

type cellJSON struct {
	A      string `json:"a"`
	B      string `json:"b"`
	R      Number `json:"r"`
	Shared int    `json:"shared"`
}

func writeAgreementJSON(w io.Writer, c campaign.Campaign, r campaign.AgreementReport, facts agreementFacts) error {
	out := agreementJSON{
		Campaign: c.Slug, Protocol: c.Protocol, Threshold: c.Settings.Threshold, Annotators: append([]string{}, r.Annotators...),
		Segments: make([]segmentAgreementJSON, len(r.Segments)), SystemLevel: cellsJSON(r.SystemLevel), SegmentLevel: cellsJSON(r.SegmentLevel),
		Alpha: Number(r.Alpha.Alpha), Others: []othersJSON{}, Checks: checksOf(facts.checks), SetAside: []asideJSON{}, SettingsChanges: []changeJSON{},
	}
	out.addPairs(c, r)
	out.addJudges(r.Judges, facts.judges)
	for _, o := range r.Each {
		known := conductOf(facts.people, o.Annotator)
		line := othersJSON{Annotator: o.Annotator, R: Number(o.LeaveOneOut), Bias: Number(o.Difference), Drift: Number(known.Drift()), Flags: []campaign.FlagKind{}}
		for _, f := range known.flags {
			line.Flags = append(line.Flags, f.Kind)
		}
		out.Others = append(out.Others, line)
	}
	for i, s := range r.Segments {
		pairs := make([]pairJSON, len(s.Pairs))
		for k, p := range s.Pairs {
			pairs[k] = pairJSON{p.A, p.B, p.R, p.Reason, p.Passed}
		}
		out.Segments[i] = segmentAgreementJSON{s.DocID, s.SegmentID, s.Round, s.Status, pairs}
	}
	for _, x := range facts.done.SetAside {
		aside := asideJSON{Annotator: x.Annotator, Ratings: x.Ratings, At: x.At, Reason: x.Reason}
		if !x.RestoredAt.IsZero() {
			aside.RestoredAt = &x.RestoredAt
		}
		out.SetAside = append(out.SetAside, aside)
	}
	for _, x := range facts.done.Settings {
		out.SettingsChanges = append(out.SettingsChanges, changeJSON{x.Key, x.From, x.To, x.At})
	}
	out.Summary = summaryOf(r)
	return WriteJSON(w, out)
}

// conductOf returns the conduct of an annotator, or an empty one if there is none.
func conductOf(people []conduct, login string) conduct {
	for _, c := range people {
		if c.login == login {
			return c
		}
	}
	return conduct{login: login, Conduct: campaign.NewConduct()}
}

func cellsJSON(cells []agreement.Cell) []cellJSON {
	out := make([]cellJSON, len(cells))
	for i, c := range cells {
		out[i] = cellJSON{c.A, c.B, Number(c.R), c.Shared}
	}
	return out
}

func writeAgreementCSV(w io.Writer, r campaign.AgreementReport) error {
	out := csv.NewWriter(w)
	out.Write([]string{"doc_id", "segment_id", "round", "status", "a", "b", "shared", "r", "reason", "passed"})
	for _, s := range r.Segments {
		segment := []string{spreadsheet.Escape(s.DocID), spreadsheet.Escape(s.SegmentID), strconv.Itoa(s.Round), string(s.Status)}
		if len(s.Pairs) == 0 {
			out.Write(append(segment, "", "", "", "", "", ""))
		}
		for _, p := range s.Pairs {
			corr := ""
			if p.R != nil {
				corr = strconv.FormatFloat(*p.R, 'g', -1, 64)
			}
			out.Write(append(segment[:4:4], p.A, p.B, strconv.Itoa(p.Shared), corr, string(p.Reason), strconv.FormatBool(p.Passed)))
		}
	}
	out.Flush()
	return out.Error()
}
