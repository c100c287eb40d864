package intake_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
)

func importJudgements(t *testing.T, s *storetest.Sample, lines ...campaign.JudgementLine) readmodel.ImportReport {
	t.Helper()
	return storetest.Must(s.Store.Intake.ImportJudgements(t.Context(), s.Campaign.ID, storetest.JudgementLines(lines...), intake.ImportOptions{File: "f"}))(t)
}

// scored is a line of a judge with a score.
func scored(judge, segment, system string, score float64) campaign.JudgementLine {
	return campaign.JudgementLine{SegmentID: segment, System: system, Judgement: campaign.Judgement{Judge: judge, Status: campaign.JudgementOK, Score: &score}}
}

// allJudgements lists what a campaign holds, as it is exported.
func allJudgements(t *testing.T, s *storetest.Sample) (out []campaign.JudgementLine) {
	t.Helper()
	err := s.Store.Records.EachJudgement(t.Context(), s.Campaign, true, func(j campaign.JudgementLine) error {
		out = append(out, j)
		return nil
	})
	storetest.Check(t, err)
	return out
}

// What is imported is there as it was given, once, after any number of imports; another
// judge and people's ratings make no difference.
func TestImportJudgements(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("esa"), storetest.Segments(3), storetest.Systems(2))
		a, b := s.Systems[0], s.Systems[1]
		full := scored("gemba", "s1", a, -6)
		full.DocID, full.Method, full.Model, full.Scores = "d1", "gemba-mqm", "m:8b", map[string]float64{"x": .1}
		full.Spans = []protocol.ErrorSpan{on("", 0, 11)}
		full.Unplaced = []protocol.ErrorSpan{{Side: protocol.Target, Text: "nowhere", Severity: "critical"}}
		full.Trace = []campaign.TraceCall{{Step: "1", Role: "judge", Prompt: strings.Repeat("long ", 1000), Reply: "r", InputTokens: 3, OutputTokens: 4, Seconds: .5}}
		silent := campaign.JudgementLine{SegmentID: "s2", System: b, Judgement: campaign.Judgement{Judge: "gemba", Status: campaign.JudgementUnparsable}}
		marks := campaign.JudgementLine{SegmentID: "s1", System: a, Judgement: campaign.Judgement{Judge: "xcomet", Status: campaign.JudgementOK, Spans: []protocol.ErrorSpan{}}}
		lines := []campaign.JudgementLine{full, silent, marks}
		report := importJudgements(t, s, lines...)
		if want := (readmodel.ImportReport{Judgements: 3, Judges: []string{"gemba", "xcomet"}}); !reflect.DeepEqual(report, want) {
			t.Errorf("the report is %+v, want %+v", report, want)
		}
		want := []campaign.JudgementLine{full, marks, silent}
		want[0].Spans = []protocol.ErrorSpan{words(on("1", 0, 11), storetest.Text(1, 0))}
		want[1].DocID, want[2].DocID, want[2].Method, want[2].Model = "d1", "d1", "gemba-mqm", "m:8b"
		got := allJudgements(t, s)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("the campaign holds\n%+v, want\n%+v", got, want)
		}
		if report = importJudgements(t, s, got...); report.Replaced != 3 || report.Judgements != 3 {
			t.Errorf("the second import brought %+v", report)
		}
		if got := allJudgements(t, s); !reflect.DeepEqual(got, want) {
			t.Errorf("after the second import the campaign holds\n%+v", got)
		}
		// The replaced judgements stay stored, because undoing the second import restores them.
		storetest.WantCount(t, db, 3, "all_judgements WHERE replaced_by = ''")
		judges := storetest.Must(db.Records.Judges(t.Context(), s.Campaign.ID))(t)
		if len(judges) != 2 || judges[0].Name != "gemba" || judges[0].OK != 1 || judges[0].Unparsable != 1 || judges[1].OK != 1 {
			t.Errorf("the judges are %+v", judges)
		}
		// A judge with a score is a metric, and an answer that was not read is one without.
		declared := storetest.Must(db.Records.DeclaredMetrics(t.Context(), s.Campaign.ID))(t)
		if !reflect.DeepEqual(declared, []campaign.Metric{{Name: "gemba", Group: "judge", Judge: true}}) {
			t.Errorf("the metrics are %+v", declared)
		}
		all := s.All(t)
		if m := all[0].Translations[0].Metrics; len(m) != 1 || m[0] != (campaign.MetricValue{Name: "gemba", Score: -6}) {
			t.Errorf("s1 has the metrics %+v", m)
		}
		if m := all[1].Translations[1].Metrics; len(m) != 1 || !math.IsNaN(m[0].Score) {
			t.Errorf("s2 has the metrics %+v", m)
		}
		trace := storetest.Must(db.Records.Trace(t.Context(), s.Campaign.ID, s.RowID(t, "d1", "s1"), a, "gemba"))(t)
		if !reflect.DeepEqual(trace, full.Trace) {
			t.Errorf("the trace is %+v", trace)
		}
		if trace, err := db.Records.Trace(t.Context(), s.Campaign.ID, s.RowID(t, "d1", "s1"), a, "xcomet"); err != nil || trace != nil {
			t.Errorf("a judgement without a trace: %v, %v", trace, err)
		}
		if _, err := db.Records.Trace(t.Context(), s.Campaign.ID, s.RowID(t, "d1", "s1"), b, "gemba"); !errors.Is(err, campaign.ErrNotFound) {
			t.Errorf("no judgement: %v", err)
		}
	})
}

// A file with a problem brings nothing: no judgement, no judge, and what it would have
// replaced stays.
func TestImportJudgementsRefused(t *testing.T) {
	db, s := storetest.New(t, storetest.Protocol("esa"), storetest.Segments(3), storetest.Systems(2))
	a := s.Systems[0]
	before := scored("gemba", "s1", a, 5)
	before.Method, before.Model = "gemba-mqm", "m"
	importJudgements(t, s, before)
	storetest.Must(db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(storetest.ScoresInOrder("COMET", a, 1, 2, 3)), intake.ImportOptions{}))(t)
	other, far, wrong := scored("gemba", "s2", a, 1), scored("new", "s1", a, 1), scored("new", "s1", a, 1)
	other.Model = "m2"
	far.Spans = []protocol.ErrorSpan{on("", 0, 999)}
	wrong.Spans = []protocol.ErrorSpan{{Side: protocol.Target, Start: 0, End: 4, Text: "Bahn"}}
	good := scored("gemba", "s1", a, 7)
	for name, tt := range map[string]struct {
		line campaign.JudgementLine
		want string
	}{
		"unknown segment":  {scored("new", "nosuch", a, 1), `f:2: segment_id: the campaign has no segment "nosuch"`},
		"unknown system":   {scored("new", "s1", "Z", 1), `f:2: system: the campaign has no system "Z"`},
		"twice":            {good, "f:2: system: f:1 is a judgement of the same translation by gemba; keep one of them"},
		"another model":    {other, `f:2: model: is "m2", but the judge gemba has the model "m"`},
		"name of a metric": {scored("COMET", "s1", a, 1), `f:2: judge: the campaign has a metric "COMET"`},
		"outside":          {far, "f:2: spans[0].end: 999 lies outside the translation"},
		"other words":      {wrong, `f:2: spans[0].text: says "Bahn", but characters 0 to 4 of the translation are "Tran"`},
	} {
		_, err := db.Intake.ImportJudgements(t.Context(), s.Campaign.ID, storetest.JudgementLines(good, tt.line), intake.ImportOptions{File: "f"})
		problems, ok := errors.AsType[*campaign.Problems](err)
		if !ok || problems.Count() != 1 || !strings.HasPrefix(problems.List[0].Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
	storetest.Must(db.Intake.ImportJudgements(t.Context(), s.Campaign.ID, storetest.JudgementLines(good), intake.ImportOptions{File: "f", Check: true}))(t)
	got := allJudgements(t, s)
	if len(got) != 1 || *got[0].Score != 5 {
		t.Errorf("the campaign holds %+v", got)
	}
	for table, want := range map[string]int{"all_judges": 1, "all_judgements": 1, "judgement_traces": 0, "hidden_imports": 0, "staged_imports": 0} {
		if n := storetest.Count(t, db, table); n != want {
			t.Errorf("%s has %d rows, want %d", table, n, want)
		}
	}
	_, err := db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(storetest.ScoresInOrder("gemba", a, 1, 2, 3)), intake.ImportOptions{})
	if err == nil || !strings.Contains(err.Error(), `the campaign has a judge "gemba"`) {
		t.Errorf("a metric with the name of a judge: %v", err)
	}
}

// Left counts the same translations as the queue of the judge. Both leave out withdrawn segments,
// whether the judge judged them or not, and replaced judgements.
func TestJudgesLeft(t *testing.T) {
	db, s := storetest.New(t, storetest.Systems(2))
	a, b := s.Systems[0], s.Systems[1]
	unread := scored("one", "s2", a, 0)
	unread.Status, unread.Score = campaign.JudgementUnparsable, nil
	importJudgements(t, s, scored("one", "s1", a, 1), scored("one", "s1", b, 2), unread, scored("two", "s3", b, 3))
	importJudgements(t, s, scored("one", "s1", a, 4))
	check := func(oneOK, oneUnread, oneLeft, twoLeft int) {
		t.Helper()
		judges := storetest.Must(db.Records.Judges(t.Context(), s.Campaign.ID))(t)
		if len(judges) != 2 || judges[0].OK != oneOK || judges[0].Unparsable != oneUnread || judges[0].Left != oneLeft || judges[1].Left != twoLeft {
			t.Errorf("the judges are %+v", judges)
		}
		for _, j := range judges {
			if _, open, err := db.JudgeRuns.Unjudged(t.Context(), s.Campaign.ID, j.Name); err != nil || open != j.Left {
				t.Errorf("the queue of %s has %d translations, its judge has %d left, %v", j.Name, open, j.Left, err)
			}
		}
	}
	check(2, 1, 5, 7)
	storetest.WantErr(t, db.Rounds.Withdraw(t.Context(), s.Campaign.ID, []string{s.RowID(t, "d1", "s1"), s.RowID(t, "d2", "s4")}, "bad", s.Lead.ID), nil)
	check(2, 1, 3, 3)
	if n := storetest.Must(db.Records.CountJudges(t.Context(), s.Campaign.ID))(t); n != 2 {
		t.Errorf("there are %d judges", n)
	}
}
