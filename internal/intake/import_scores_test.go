package intake_test

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/readmodel"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// metricScores lists what the campaign holds, as "metric system segment score".
func metricScores(t *testing.T, st *store.Store, c campaign.Campaign) []string {
	t.Helper()
	var out []string
	for seg, err := range st.Records.AllSegments(t.Context(), c) {
		storetest.Check(t, err)
		for _, tr := range seg.Translations {
			for _, m := range tr.Metrics {
				out = append(out, fmt.Sprint(m.Name, " ", tr.System, " ", seg.SegmentID, " ", m.Score))
			}
		}
	}
	systems := storetest.Must(st.Records.MetricSystemScores(t.Context(), c.ID))(t)
	for _, s := range systems {
		out = append(out, fmt.Sprint(s.Metric, " ", s.System, " ", s.Score))
	}
	return out
}

func TestImportScores(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.Systems(2))
	a, b := "sys-001", "sys-002"
	first := append(storetest.ScoresInOrder("COMET", a, 0.5, 0.25), storetest.ScoresInOrder("COMET", b, 1, 2)...)
	first = append(first, campaign.MetricScore{Metric: "COMET", System: a, Score: 7})
	report := storetest.Must(db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(first), intake.ImportOptions{File: "f"}))(t)
	if want := (readmodel.ImportReport{Metrics: []string{"COMET"}, MetricScores: 5}); !reflect.DeepEqual(report, want) {
		t.Errorf("the report is %+v, want %+v", report, want)
	}
	want := []string{"COMET sys-001 s1 0.5", "COMET sys-002 s1 1", "COMET sys-001 s2 0.25", "COMET sys-002 s2 2", "COMET sys-001 7"}
	if got := metricScores(t, db.Store, s.Campaign); !reflect.DeepEqual(got, want) {
		t.Errorf("the campaign holds %v, want %v", got, want)
	}
	again := []campaign.MetricScore{{Metric: "COMET", System: b, DocID: "d1", SegmentID: "s2", Score: -3}, {Metric: "BLEU", System: a, SegmentID: "s1", Score: 4}}
	report, err := db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(again), intake.ImportOptions{File: "f"})
	if err != nil || report.Replaced != 1 || report.MetricScores != 2 {
		t.Errorf("the second time the report is %+v, %v", report, err)
	}
	want = []string{"BLEU sys-001 s1 4", "COMET sys-001 s1 0.5", "COMET sys-002 s1 1", "COMET sys-001 s2 0.25", "COMET sys-002 s2 -3", "COMET sys-001 7"}
	if got := metricScores(t, db.Store, s.Campaign); !reflect.DeepEqual(got, want) {
		t.Errorf("the campaign holds %v, want %v", got, want)
	}
}

// Of two scores of a translation in one import of two files, one by the segment's place and one by its ids, the later counts.
func TestImportScoresByPlaceAndByIDs(t *testing.T) {
	a := "sys-001"
	named := campaign.MetricScore{Metric: "M", System: a, SegmentID: "s2", Score: 9}
	byPlace := storetest.ScoresInOrder("M", a, 1, 2, 3)
	for _, tt := range []struct {
		scores []campaign.MetricScore
		want   []string
	}{
		{append(slices.Clone(byPlace), named), []string{"M sys-001 s1 1", "M sys-001 s2 9", "M sys-001 s3 3"}},
		{append([]campaign.MetricScore{named}, byPlace...), []string{"M sys-001 s1 1", "M sys-001 s2 2", "M sys-001 s3 3"}},
	} {
		db, s := storetest.New(t, storetest.Segments(3), storetest.Systems(2))
		lines := storetest.Changed(storetest.ScoreLines(tt.scores), func(line *campaign.MetricScore) {
			if line.Nth == 0 {
				line.File = "g"
			}
		})
		report := storetest.Must(db.Intake.ImportScores(t.Context(), s.Campaign.ID, lines, intake.ImportOptions{File: "f, g"}))(t)
		if got := metricScores(t, db.Store, s.Campaign); report.MetricScores != 4 || report.Replaced != 0 || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("the report is %+v, and the campaign holds %v, want %v", report, got, tt.want)
		}
	}
}

// One file may have scores by place and others by ids of one metric and system, and each place once.
func TestImportScoresOfBothKindsInOneFile(t *testing.T) {
	a := "sys-001"
	named := campaign.MetricScore{Metric: "M", System: a, SegmentID: "s1", Score: 9}
	byPlace := storetest.ScoresInOrder("M", a, 1, 2, 3)
	for name, tt := range map[string]struct {
		scores    []campaign.MetricScore
		want, bad string
	}{
		"ids first":    {append([]campaign.MetricScore{named}, byPlace...), "M sys-001 s1 1|M sys-001 s2 2|M sys-001 s3 3", ""},
		"ids last":     {append(slices.Clone(byPlace), named), "M sys-001 s1 9|M sys-001 s2 2|M sys-001 s3 3", ""},
		"ids between":  {slices.Insert(slices.Clone(byPlace), 1, named), "", "f:3: metric: M has a score of this in an earlier line of the import; keep one of them"},
		"places again": {slices.Concat(byPlace, byPlace), "", "f:4: metric: M has a score of this in an earlier line of the import; keep one of them"},
	} {
		db, s := storetest.New(t, storetest.Segments(3), storetest.Systems(2))
		_, err := db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(tt.scores), intake.ImportOptions{File: "f"})
		if tt.bad == "" {
			storetest.Check(t, err)
		} else if problems, ok := errors.AsType[*campaign.Problems](err); !ok || !strings.HasPrefix(problems.Error(), tt.bad) {
			t.Errorf("%s: %v, want %s", name, err, tt.bad)
		}
		if got := strings.Join(metricScores(t, db.Store, s.Campaign), "|"); got != tt.want {
			t.Errorf("%s: the campaign holds %s, want %s", name, got, tt.want)
		}
	}
}

// A file by place has a line for every segment, be there a translation or not.
func TestImportScoresOfTranslationsThatAreNotThere(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(0))
	first, second := storetest.Segment(1, 1, []string{"a", "b"}), storetest.Segment(2, 1, []string{"a"})
	second.Absent = []string{"b"}
	storetest.ImportSegments(t, s, first, second)
	report := storetest.Must(db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(append(storetest.ScoresInOrder("M", "a", 1, 2), storetest.ScoresInOrder("M", "b", 3, 4)...)), intake.ImportOptions{File: "f"}))(t)
	want := readmodel.ImportReport{Metrics: []string{"M"}, MetricScores: 3, Notes: []string{"1 score of a translation that the campaign does not have was left out"}}
	if !reflect.DeepEqual(report, want) {
		t.Errorf("the report is %+v, want %+v", report, want)
	}
	report = storetest.Must(db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(append(storetest.ScoresInOrder("M", "b", 3, 5), storetest.ScoresInOrder("N", "b", 3, 5)...)), intake.ImportOptions{File: "f"}))(t)
	if report.Replaced != 1 || report.MetricScores != 2 || !reflect.DeepEqual(report.Notes, []string{"2 scores of translations that the campaign does not have were left out"}) {
		t.Errorf("the second report is %+v", report)
	}
	if got, want := metricScores(t, db.Store, s.Campaign), []string{"M a s1 1", "M b s1 3", "N b s1 3", "M a s2 2"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the campaign holds %v, want %v", got, want)
	}
	// By its ids, a translation that is not there is a mistake.
	_, err := db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines([]campaign.MetricScore{{Metric: "M", System: "b", SegmentID: "s2", Score: 1}}), intake.ImportOptions{File: "f"})
	storetest.WantProblems(t, err, `1 system segment "s2" has no translation by the system "b"`)
}

// TestImportScoresRefused: each file against the problem it is refused with, after
// which nothing is stored.
func TestImportScoresRefused(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.Systems(2))
	a := "sys-001"
	tests := []struct {
		name   string
		scores []campaign.MetricScore
		want   string
	}{
		{"too few lines", storetest.ScoresInOrder("M", a, 1), `f:1: the number of scores of "sys-001" by M is 1, and that of the campaign's segments is 2`},
		{"too many lines", storetest.ScoresInOrder("M", a, 1, 2, 3, 4), `f:3: M has more scores of "sys-001" than the campaign has segments, 2`},
		{"a system again", append(append(storetest.ScoresInOrder("M", a, 1), storetest.ScoresInOrder("M", "sys-002", 1, 2)...), storetest.ScoresInOrder("M", a, 1, 2)[1]), `f:4: metric: M has a score of this in an earlier line of the import; keep one of them`},
		{"no such system", storetest.ScoresInOrder("M", "sys-9", 1, 2), `f:1: system: the campaign has no system "sys-9"`},
		{"no such segment", []campaign.MetricScore{{Metric: "M", System: a, SegmentID: "s9"}}, `f:1: segment_id: the campaign has no segment "s9"`},
		{"no such document", []campaign.MetricScore{{Metric: "M", System: a, DocID: "d9", SegmentID: "s1"}}, `f:1: segment_id: the campaign has no segment "s1" in document "d9"`},
		{"twice", []campaign.MetricScore{{Metric: "M", System: a, SegmentID: "s1"}, {Metric: "M", System: a, DocID: "d1", SegmentID: "s1"}}, `f:2: metric: M has a score of this in an earlier line of the import; keep one of them`},
		{"a system twice", []campaign.MetricScore{{Metric: "M", System: a}, {Metric: "M", System: a}}, `f:2: metric: M has a score of this in an earlier line of the import; keep one of them`},
	}
	for _, tt := range tests {
		_, err := db.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines(append(storetest.ScoresInOrder("other", a, 1, 2), tt.scores...)), intake.ImportOptions{File: "f"})
		problems, ok := errors.AsType[*campaign.Problems](err)
		want := shiftLines(tt.want, 2)
		if !ok || !strings.HasPrefix(problems.Error(), want) {
			t.Errorf("%s: %v, want %s", tt.name, err, want)
		}
		if got := metricScores(t, db.Store, s.Campaign); got != nil {
			t.Errorf("%s: the campaign holds %v", tt.name, got)
		}
	}
}

// shiftLines adds n to the line number of "f:LINE: …".
func shiftLines(problem string, n int) string {
	var line int
	fmt.Sscanf(problem, "f:%d", &line)
	return strings.Replace(problem, fmt.Sprint("f:", line), fmt.Sprint("f:", line+n), 1)
}

func TestImportReferences(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.Systems(2))
		lines := func(texts ...campaign.ReferenceText) iter.Seq2[campaign.ReferenceText, error] {
			return storetest.Numbered(texts, func(n int, r campaign.ReferenceText) campaign.ReferenceText {
				r.Place = campaign.Place{File: "f", Line: n}
				return r
			})
		}
		named := func(place int, id, name, text string) campaign.ReferenceText {
			return campaign.ReferenceText{Nth: place, SegmentID: id, Reference: campaign.Reference{Name: name, Text: text}}
		}
		report, err := db.Intake.ImportReferences(t.Context(), s.Campaign.ID, lines(named(1, "", "refZ", "eins"), named(2, "", "refZ", "")), intake.ImportOptions{File: "f"})
		if err != nil || report.References != 1 {
			t.Fatalf("%+v, %v", report, err)
		}
		storetest.Must(db.Intake.ImportReferences(t.Context(), s.Campaign.ID, lines(named(0, "s2", "refZ", "zwei"), named(0, "s1", "refZ", "eins")), intake.ImportOptions{File: "f"}))(t)
		var got []string
		for seg, err := range db.Records.AllSegments(t.Context(), s.Campaign) {
			storetest.Check(t, err)
			for _, r := range seg.References {
				if r.Name == "refZ" {
					got = append(got, r.Text)
				}
			}
		}
		if want := []string{"eins", "zwei"}; !reflect.DeepEqual(got, want) {
			t.Errorf("the references are %q, want %q", got, want)
		}
		for name, tt := range map[string]struct {
			texts []campaign.ReferenceText
			want  string
		}{
			"another text":  {[]campaign.ReferenceText{named(0, "s1", "refZ", "anders")}, `f:1: reference: the segment has another text as its reference "refZ"`},
			"too few lines": {[]campaign.ReferenceText{named(1, "", "refY", "eins")}, "f:1: the number of lines is 1, and that of the campaign's segments is 2"},
			"too many":      {[]campaign.ReferenceText{named(1, "", "refY", "a"), named(2, "", "refY", "b"), named(3, "", "refY", "c")}, "f:3: the number of lines is 3"},
			"no segment":    {[]campaign.ReferenceText{named(0, "s9", "refY", "a")}, `f:1: segment_id: the campaign has no segment "s9"`},
		} {
			_, err := db.Intake.ImportReferences(t.Context(), s.Campaign.ID, lines(tt.texts...), intake.ImportOptions{File: "f"})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %s", name, err, tt.want)
			}
		}
	})
}
