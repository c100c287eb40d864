package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// shown is what the pages and files of a campaign show, as one text.
func shown(t *testing.T, s *storetest.Sample) string {
	t.Helper()
	ctx, st, c := t.Context(), s.Store, s.Campaign
	p := must(st.Progress(ctx, c))(t)
	list, total, err := st.Segments(ctx, c.ID, desk.SegmentFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	q := must(st.Queue(ctx, c, desk.QueueFilter{Limit: 1000}))(t)
	return fmt.Sprintf("%+v\n%s", []any{p.Segments, p.Systems, p.Ratings, list, total, q.All, must(st.Systems(ctx, c.ID))(t), must(st.Metrics(ctx, c.ID))(t)}, allOf(t, s))
}

// allOf is everything that an export is made of, as text.
func allOf(t *testing.T, s *storetest.Sample) string {
	t.Helper()
	return string(must(json.Marshal(s.All(t)))(t))
}

// during yields the lines of an input and calls do before the one with a number.
func during[T any](lines iter.Seq2[T, error], at int, do func()) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		n := 0
		for line, err := range lines {
			if n++; n == at {
				do()
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

// newLines are lines of new segments, more than one step of an import writes.
func newLines(from, n int, systems []string) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		for i := range n {
			seg := storetest.Segment(from+i, 2, systems)
			seg.Domain = "new"
			if !yield(campaign.SegmentLine{File: "f.jsonl", Line: i + 1, Segment: seg}, nil) {
				return
			}
		}
	}
}

// Annotators save and submit while an import is under way, and see nothing of it
// before its end.
func TestImportSegmentsKeepsNobodyWaiting(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		a := s.Next(t, 0)
		before, looked := shown(t, s), false
		state := must(db.ReportState(t.Context(), s.Campaign.ID))(t)
		report, err := db.ImportSegments(t.Context(), s.Campaign.ID, during(newLines(100, 350, s.Systems), 320, func() {
			looked = true
			if now := shown(t, s); now != before {
				t.Errorf("in the middle of the import\n%s is shown, before it\n%s", now, before)
			}
			if now := must(db.ReportState(t.Context(), s.Campaign.ID))(t); now != state {
				t.Errorf("in the middle of the import the state is %s, before it %s", now, state)
			}
			s.Save(t, 0, a, 0, 3)
			s.Rate(t, 0, a, 3, 2, 1)
			if next := s.Next(t, 1); len(s.Work(t, 1, next).Cards) == 0 {
				t.Error("nobody gets work")
			}
			s.Change(t, "timezone=Asia/Tokyo") // which counts the campaign from scratch
		}), intake.ImportOptions{File: "f.jsonl", ByID: s.Lead.ID})
		if err != nil || !looked || report.Segments != 350 {
			t.Fatalf("%+v, %v", report, err)
		}
		p := must(db.Progress(t.Context(), s.Campaign))(t)
		if p.Segments.Total() != 354 || p.Ratings != 3 {
			t.Errorf("afterwards %d segments, %d ratings", p.Segments.Total(), p.Ratings)
		}
	})
}

// The first import of a campaign brings its systems, which nobody sees before the
// segments.
func TestFirstImportIsHidden(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(0))
		before := shown(t, s)
		_, err := db.ImportSegments(t.Context(), s.Campaign.ID, during(newLines(1, 250, []string{"a", "b"}), 240, func() {
			if now := shown(t, s); now != before {
				t.Errorf("in the middle of the import\n%s is shown, before it\n%s", now, before)
			}
		}), intake.ImportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := must(db.Systems(t.Context(), s.Campaign.ID))(t); len(got) != 2 || len(s.All(t)) != 250 {
			t.Errorf("afterwards systems %q, %d segments", got, len(s.All(t)))
		}
	})
}

// What an import is about may change while it is under way.
func TestImportIntoAChangedCampaign(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		for name, happens := range map[string]func(*storetest.Sample){
			"closed": func(s *storetest.Sample) { s.SetState(t, campaign.Closed) },
			"languages": func(s *storetest.Sample) {
				source, target := "fr", "de"
				if err := db.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{SourceLang: &source, TargetLang: &target}); err != nil {
					t.Fatal(err)
				}
			},
		} {
			s := storetest.Campaign(t, db.Store, storetest.Slug(name), storetest.Segments(0))
			if name == "languages" {
				db.Rows = true
				change(t, db, "UPDATE campaigns SET source_lang = '', target_lang = '' WHERE id = ?", s.Campaign.ID)
			}
			var before map[string]int
			lines := during(newLines(1, 250, []string{"a"}), 240, func() { happens(s); before = rowCounts(t, db) })
			_, err := db.ImportSegments(t.Context(), s.Campaign.ID, withLanguages(lines), intake.ImportOptions{})
			wantErr(t, err, campaign.ErrConflict)
			after := rowCounts(t, db)
			for _, table := range []string{"all_segments", "all_systems", "documents", "translations", "all_segment_tallies", "staged_imports"} {
				if after[table] != 0 {
					t.Errorf("%s: %d rows of %s are left of %d", name, after[table], table, before[table])
				}
			}
		}
	})
}

// withLanguages names the languages of all lines.
func withLanguages(lines iter.Seq2[campaign.SegmentLine, error]) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		for line, err := range lines {
			line.Segment.SourceLang, line.Segment.TargetLang = "zh", "en"
			if !yield(line, err) {
				return
			}
		}
	}
}

// Imports into one campaign come one after the other, and each is complete.
func TestImportsOneAfterTheOther(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		var group sync.WaitGroup
		imports := func(from int) {
			if _, err := db.ImportSegments(t.Context(), s.Campaign.ID, newLines(from, 150, s.Systems), intake.ImportOptions{}); err != nil {
				t.Error(err)
			}
		}
		_, err := db.ImportSegments(t.Context(), s.Campaign.ID, during(newLines(100, 250, s.Systems), 200, func() {
			group.Go(func() { imports(1000) })
			group.Go(func() { imports(2000) })
		}), intake.ImportOptions{})
		if err != nil {
			t.Error(err)
		}
		group.Wait()
		if n := len(s.All(t)); n != 4+250+2*150 {
			t.Errorf("there are %d segments", n)
		}
	})
}

// A check stages everything, tells what it would bring, and leaves nothing.
func TestCheckLeavesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		before := rowCounts(t, db)
		report, err := db.ImportSegments(t.Context(), s.Campaign.ID, newLines(100, 250, s.Systems), intake.ImportOptions{Check: true})
		if err != nil || report.Segments != 250 || report.Translations != 750 {
			t.Errorf("%+v, %v", report, err)
		}
		scores, err := db.ImportScores(t.Context(), s.Campaign.ID, scoreLines(block("m", s.Systems[0], 1, 2, 3, 4)), intake.ImportOptions{Check: true})
		if err != nil || scores.MetricScores != 4 {
			t.Errorf("%+v, %v", scores, err)
		}
		if after := rowCounts(t, db); !maps.Equal(before, after) {
			t.Errorf("checks left rows: %v, before %v", after, before)
		}
	})
}

// New scores of a metric take the place of its earlier ones at once, or not at all.
func TestImportScoresIsHidden(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(3), storetest.Systems(2))
		imports := func(lines iter.Seq2[campaign.NumberedScore, error]) (records.ImportReport, error) {
			return db.ImportScores(t.Context(), s.Campaign.ID, lines, intake.ImportOptions{})
		}
		a, b := s.Systems[0], s.Systems[1]
		old := append(block("m", a, 1, 2, 3), block("m", b, 4, 5, 6)...)
		old = append(old, campaign.MetricScore{Metric: "m", System: a, Score: .5}, campaign.MetricScore{Metric: "m", System: b, Score: .6})
		must(imports(scoreLines(old)))(t)
		before := metricScores(t, db.Store, s.Campaign)

		again := append(block("m", a, 7, 8, 9), block("n", a, 1, 1, 1)...)
		again = append(again, campaign.MetricScore{Metric: "m", System: a, Score: .7})
		broken := errors.New("the cable was cut")
		_, err := imports(func(yield func(campaign.NumberedScore, error) bool) {
			for line := range scoreLines(again) {
				if !yield(line, nil) {
					return
				}
			}
			yield(campaign.NumberedScore{}, broken)
		})
		wantErr(t, err, broken)
		if now := metricScores(t, db.Store, s.Campaign); fmt.Sprint(now) != fmt.Sprint(before) {
			t.Errorf("after an import that failed %q, before it %q", now, before)
		}

		report, err := imports(during(scoreLines(again), len(again), func() {
			if now := metricScores(t, db.Store, s.Campaign); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Errorf("in the middle of the import %q, before it %q", now, before)
			}
		}))
		if err != nil || report.MetricScores != 7 || report.Replaced != 4 || strings.Join(report.Metrics, " ") != "m n" {
			t.Errorf("%+v, %v", report, err)
		}
		for from, want := range map[string]int{"metrics": 2, "metric_scores": 9, "metric_system_scores": 2, "staged_imports": 0} {
			if n := count(t, db, from); n != want {
				t.Errorf("%d rows of %s, want %d", n, from, want)
			}
		}
		if now := metricScores(t, db.Store, s.Campaign); !strings.Contains(fmt.Sprint(now), "m "+b+" s1 4") || !strings.Contains(fmt.Sprint(now), "m "+a+" s1 7") {
			t.Errorf("afterwards %q", now)
		}
	})
}

// A kindOfImport is an import of some kind into the campaign of stagedSample. It calls
// do when it has staged most of its rows.
type kindOfImport func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error

// kindsOfImport are the imports that write in steps. Each is larger than a step.
var kindsOfImport = map[string]kindOfImport{
	"segments": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		_, err := st.ImportSegments(ctx, s.Campaign.ID, during(newLines(10_000, 1000, s.Systems), 501, do), opt)
		return err
	},
	"references": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		_, err := st.ImportReferences(ctx, s.Campaign.ID, during(newReferences(stagedSegments), stagedSegments, do), opt)
		return err
	},
	"suggestions": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		_, err := st.ImportSuggestions(ctx, s.Campaign.ID, during(newSuggestions(stagedSegments, s.Systems[0]), stagedSegments, do), opt)
		return err
	},
	"ratings": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		_, err := st.ImportRatings(ctx, s.Campaign.ID, during(newRatings(s, 2*stagedSegments, "x", "score"), 2*stagedSegments, do), opt)
		return err
	},
	"segments with ratings": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		opt.Merge = true
		lines := func(yield func(campaign.SegmentLine, error) bool) {
			for line := range newLines(20_000, stagedSegments, s.Systems) {
				for i := range line.Segment.Translations {
					line.Segment.Translations[i].Ratings = []campaign.Rating{ratingOf("y", "score", i)}
				}
				if !yield(line, nil) {
					return
				}
			}
		}
		_, err := st.ImportSegments(ctx, s.Campaign.ID, during(lines, stagedSegments, do), opt)
		return err
	},
	"scores": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		_, err := st.ImportScores(ctx, s.Campaign.ID, during(newScores(stagedSegments, s.Systems[:2]), 2*stagedSegments, do), opt)
		return err
	},
}

const stagedSegments = 750

// stagedSample is a campaign that has suggestions and scores, which the imports replace.
func stagedSample(t *testing.T, st *store.Store) *storetest.Sample {
	s := storetest.Campaign(t, st, storetest.Protocol("esa"), storetest.Segments(stagedSegments), storetest.Systems(2), storetest.PerDocument(stagedSegments))
	importSuggestions(t, s, suggest("s1", s.Systems[0], on("1", 0, 3)), suggest("s700", s.Systems[0], on("1", 0, 3)))
	must(st.ImportScores(t.Context(), s.Campaign.ID, scoreLines([]campaign.MetricScore{{Metric: "m", System: s.Systems[0], SegmentID: "s1", Score: 1}}), intake.ImportOptions{}))(t)
	return s
}

// newRatings are ratings of the segments of a campaign by an annotator.
func newRatings(s *storetest.Sample, n int, annotator, score string) iter.Seq2[campaign.NumberedRating, error] {
	return func(yield func(campaign.NumberedRating, error) bool) {
		for i := range n {
			segment, system := i/2%stagedSegments, s.Systems[i%2]
			r := campaign.RatingLine{DocID: "d1", SegmentID: fmt.Sprint("s", segment+1), System: system, Rating: ratingOf(annotator, score, i)}
			if !yield(campaign.NumberedRating{File: "r.jsonl", Line: i + 1, Rating: r}, nil) {
				return
			}
		}
	}
}

func ratingOf(annotator, score string, n int) campaign.Rating {
	return campaign.Rating{Annotator: annotator, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{score: float64(n % 5)}}}
}

func newReferences(n int) iter.Seq2[campaign.NumberedReference, error] {
	return func(yield func(campaign.NumberedReference, error) bool) {
		for i := range n {
			text := campaign.ReferenceText{Place: i + 1, Reference: campaign.Reference{Name: "late", Text: fmt.Sprint("late reference ", i)}}
			if !yield(campaign.NumberedReference{File: "late.txt", Line: i + 1, Text: text}, nil) {
				return
			}
		}
	}
}

func newSuggestions(n int, system string) iter.Seq2[campaign.NumberedSuggestion, error] {
	var lines []campaign.SuggestionLine
	for i := range n {
		lines = append(lines, suggest(fmt.Sprint("s", i+1), system, on("new", 0, 5)))
	}
	return suggestionLines(lines)
}

func newScores(n int, systems []string) iter.Seq2[campaign.NumberedScore, error] {
	var lines []campaign.MetricScore
	for _, system := range systems {
		lines = append(lines, block("m", system, make([]float64, n)...)...)
	}
	return scoreLines(lines)
}

// held is everything that a campaign shows and exports.
func held(t *testing.T, s *storetest.Sample) string {
	t.Helper()
	return shown(t, s) + fmt.Sprint(metricScores(t, s.Store, s.Campaign))
}

// Nobody sees anything of an import of any kind before its end, and one that fails
// at its last line leaves everything as it was.
func TestImportsAreHiddenUntilTheirEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := stagedSample(t, db.Store)
		broken := errors.New("the cable was cut")
		// Segments come after what goes by their places, ratings after what must be there before.
		for _, name := range []string{"references", "scores", "suggestions", "ratings", "segments", "segments with ratings"} {
			imports := kindsOfImport[name]
			before, rows := held(t, s), rowCounts(t, db)
			ctx, cut := context.WithCancelCause(t.Context())
			look := func() {
				if now := held(t, s); now != before {
					t.Errorf("%s: in the middle of the import\n%s is shown, before it\n%s", name, now, before)
				}
			}
			err := imports(ctx, db.Store, s, func() { look(); cut(broken) }, intake.ImportOptions{})
			wantErr(t, err, context.Canceled)
			if now := held(t, s); now != before {
				t.Errorf("%s: after an import that failed\n%s is shown, before it\n%s", name, now, before)
			}
			check(t, imports(t.Context(), db.Store, s, look, intake.ImportOptions{Check: true}))
			if now := rowCounts(t, db); !maps.Equal(now, rows) {
				t.Errorf("%s: rows after an import that failed and a check: %v, before %v", name, now, rows)
			}
			check(t, imports(t.Context(), db.Store, s, look, intake.ImportOptions{}))
			if now := held(t, s); now == before {
				t.Errorf("%s: the import has brought nothing", name)
			}
			if n := count(t, db, "staged_imports") + count(t, db, "hidden_imports") + count(t, db, "all_suggestions WHERE replaced_by > ''") + count(t, db, "metrics WHERE staged"); n != 0 {
				t.Errorf("%s: %d rows are left over", name, n)
			}
		}
	})
}

// stageFile names, for the child process of TestImportKilled, the database to work on,
// and stageKind the kind of import.
const stageFile, stageKind = "ANNOTATE_TEST_STAGE_FILE", "ANNOTATE_TEST_STAGE_KIND"

// An import whose program is killed leaves nothing that anybody sees. Its rows are
// deleted by the next import, or by housekeeping.
func TestImportKilled(t *testing.T) {
	if path := os.Getenv(stageFile); path != "" {
		stageForEver(t, path, os.Getenv(stageKind))
		return
	}
	for kind := range kindsOfImport {
		for name, next := range map[string]func(t *testing.T, s *storetest.Sample){
			"import": func(t *testing.T, s *storetest.Sample) {
				must(s.Store.ImportSegments(t.Context(), s.Campaign.ID, newLines(1000, 150, s.Systems), intake.ImportOptions{}))(t)
			},
			"housekeeping": func(t *testing.T, s *storetest.Sample) {
				if err := s.Store.Housekeep(t.Context()); err != nil {
					t.Error(err)
				}
			},
		} {
			t.Run(kind+"/"+name, func(t *testing.T) { importKilled(t, kind, next) })
		}
	}
}

func importKilled(t *testing.T, kind string, next func(t *testing.T, s *storetest.Sample)) {
	db := storetest.Open(t)
	s := stagedSample(t, db.Store)
	before, rows := held(t, s), rowCounts(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	killWhileStaging(t, db.Config.DSN, kind)

	cfg := db.Config
	cfg.DeadAfter = 50 * time.Millisecond
	s.Store = must(store.Open(t.Context(), cfg))(t)
	defer s.Store.Close()
	again := &storetest.DB{Store: s.Store}
	stagedRows := func() int {
		return count(t, again, "all_segments") + count(t, again, "all_reference_texts") + count(t, again, "all_suggestions") + count(t, again, "metric_scores") + count(t, again, "staged_ratings")
	}
	if n := stagedRows() - rows["all_segments"] - rows["all_reference_texts"] - rows["all_suggestions"] - rows["metric_scores"]; n < 500 {
		t.Fatalf("the import had staged %d rows when it was killed", n)
	}
	if now := held(t, s); now != before {
		t.Errorf("afterwards\n%s is shown, before\n%s", now, before)
	}
	next(t, s)
	all := len(s.All(t))
	if segments, tallies := count(t, again, "all_segments"), count(t, again, "all_segment_tallies"); segments != all || tallies != all {
		t.Errorf("%d segments and %d counted are stored, %d segments shown", segments, tallies, all)
	}
	if documents := count(t, again, "documents"); documents != count(t, again, "(SELECT DISTINCT document_id FROM segments)") {
		t.Errorf("%d documents are stored", documents)
	}
	after := rowCounts(t, again)
	for _, table := range []string{"staged_imports", "hidden_imports", "all_suggestions", "metrics", "metric_scores", "staged_ratings", "ratings", "assignments", "users"} {
		if after[table] != rows[table] {
			t.Errorf("%d rows of %s are stored, %d before", after[table], table, rows[table])
		}
	}
	if n := count(t, again, "all_suggestions WHERE replaced_by > ''"); n != 0 {
		t.Errorf("%d suggestions are to be replaced", n)
	}
	err := s.Store.Doctor(t.Context(), false, func(f store.Finding) {
		if len(f.Problems) > 0 {
			t.Errorf("%s: %q", f.Check, f.Problems)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// killWhileStaging runs a child that imports without end, and kills it.
func killWhileStaging(t *testing.T, path, kind string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestImportKilled$")
	child.Env = append(os.Environ(), stageFile+"="+path, stageKind+"="+kind)
	child.Stderr = os.Stderr
	out := must(child.StdoutPipe())(t)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "staged" {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := child.Wait(); err == nil {
		t.Error("the child ended by itself")
	}
}

// stageForEver imports, says when rows are staged, and then waits for more until it is
// killed.
func stageForEver(t *testing.T, path, kind string) {
	st := must(store.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: path}))(t)
	c := must(st.Campaign(t.Context(), "sample"))(t)
	s := &storetest.Sample{Store: st, Campaign: c, Systems: must(st.Systems(t.Context(), c.ID))(t)}
	err := kindsOfImport[kind](t.Context(), st, s, func() {
		fmt.Println("staged")
		<-context.Background().Done()
	}, intake.ImportOptions{})
	t.Error(err)
}

// A segment that somebody begins while suggestions for it are imported is refused, so
// that nobody's suggestions change while they work.
func TestImportSuggestionsWhileASegmentIsBegun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := stagedSample(t, db.Store)
		before := allOf(t, s)
		_, err := db.ImportSuggestions(t.Context(), s.Campaign.ID, during(newSuggestions(stagedSegments, s.Systems[0]), stagedSegments, func() { s.Next(t, 0) }), intake.ImportOptions{})
		wantProblems(t, err, `1 segment_id somebody has begun or rated segment "s1"`)
		if now := allOf(t, s); now != before {
			t.Errorf("afterwards %s", now)
		}
	})
}

// An import that stood still for too long, as on a machine that slept, does not go
// on once others have taken it for dead.
func TestImportGivenUp(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		_, err := db.ImportSegments(t.Context(), s.Campaign.ID, during(newLines(100, 500, s.Systems), 250, func() {
			change(t, db, "UPDATE staged_imports SET dropped = TRUE")
		}), intake.ImportOptions{})
		wantErr(t, err, campaign.ErrConflict)
		if n := count(t, db, "all_segments"); n != 4 {
			t.Errorf("%d segments are stored", n)
		}
	})
}

// A large import of ratings becomes visible in steps. Until it is over nobody is shown
// the campaign and no lead changes it, while annotators go on. An import whose program
// is killed then is completed by whoever comes next.
func TestLargeImportIsCompleted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		whole := storetest.Campaign(t, db.Store, storetest.Slug("whole"), storetest.Segments(stagedSegments), storetest.Systems(2), storetest.PerDocument(stagedSegments))
		s := storetest.Campaign(t, db.Store, storetest.Segments(stagedSegments), storetest.Systems(2), storetest.PerDocument(stagedSegments))
		file := func(s *storetest.Sample) iter.Seq2[campaign.NumberedRating, error] {
			return newRatings(s, 2*stagedSegments, "x", "sqm")
		}
		store.SetPlaceAtOnce(db.Store, 2*stagedSegments)
		want := must(db.ImportRatings(t.Context(), whole.Campaign.ID, file(whole), intake.ImportOptions{}))(t)
		store.SetPlaceAtOnce(db.Store, 10)

		// The first annotator has a segment in work that the file rates.
		a := s.Next(t, 0)
		ctx, stop := context.WithCancel(t.Context())
		steps := 0
		store.OnPlaced(db.Store, func() {
			if steps++; steps != 2 {
				return
			}
			busy, ok := errors.AsType[*records.CompletingError](db.Completing(t.Context(), s.Campaign.ID))
			if !ok || busy.Share <= 0 || busy.Share >= 1 {
				t.Errorf("while it is completed: %v", busy)
			}
			wantErr(t, db.AddMember(t.Context(), s.Campaign.ID, "lead", campaign.Researcher, s.Lead.ID), campaign.ErrBusy)
			s.Save(t, 0, a, 0, 3)
			if next := s.Next(t, 1); next == "" {
				t.Error("an annotator gets no work")
			}
			stop() // as where the program is stopped
		})
		report := must(db.ImportRatings(ctx, s.Campaign.ID, file(s), intake.ImportOptions{}))(t)
		if len(report.Notes) != 1 || report.Ratings != want.Ratings || report.Decided != nil {
			t.Errorf("the report of an import that is stopped: %+v", report)
		}
		store.OnPlaced(db.Store, nil)
		wantErr(t, db.Completing(t.Context(), s.Campaign.ID), campaign.ErrBusy)

		// The next import into the campaign completes it.
		cfg := db.Config
		cfg.DeadAfter = 50 * time.Millisecond
		again := must(store.Open(t.Context(), cfg))(t)
		defer again.Close()
		check(t, again.Settle(t.Context(), s.Campaign.ID))
		check(t, db.Completing(t.Context(), s.Campaign.ID))
		check(t, db.Settle(t.Context(), s.Campaign.ID))
		if n := count(t, db, "staged_ratings") + count(t, db, "staged_imports") + count(t, db, "hidden_imports") + count(t, db, "completing_imports"); n != 0 {
			t.Errorf("%d rows are left over", n)
		}
		if differences := must(db.CheckTallies(t.Context(), s.Campaign.ID))(t); len(differences) > 0 {
			t.Errorf("%q", differences)
		}
		p, q := must(db.Progress(t.Context(), s.Campaign))(t), must(db.Progress(t.Context(), whole.Campaign))(t)
		if p.Ratings != 2*stagedSegments || fmt.Sprint(p.Segments) != fmt.Sprint(q.Segments) {
			t.Errorf("%d ratings, %v; in one step %d, %v", p.Ratings, p.Segments, q.Ratings, q.Segments)
		}

		// One that is not stopped decides in its report what one step decides.
		s = storetest.Campaign(t, db.Store, storetest.Slug("third"), storetest.Segments(stagedSegments), storetest.Systems(2), storetest.PerDocument(stagedSegments))
		report = must(db.ImportRatings(t.Context(), s.Campaign.ID, file(s), intake.ImportOptions{}))(t)
		if fmt.Sprint(report.Decided) != fmt.Sprint(want.Decided) || len(report.Notes) > 0 {
			t.Errorf("decided %v, want %v; %q", report.Decided, want.Decided, report.Notes)
		}
	})
}

// Somebody who begins work while their ratings of it are imported keeps it, and the
// import fails.
func TestImportRatingsWhileASegmentIsBegun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(stagedSegments), storetest.Systems(2), storetest.PerDocument(stagedSegments), storetest.Annotators(1))
		before := rowCounts(t, db)
		_, err := db.ImportRatings(t.Context(), s.Campaign.ID, during(newRatings(s, 2*stagedSegments, "ann1", "sqm"), 2*stagedSegments, func() {
			db.Clock.Advance(time.Second)
			s.Next(t, 0)
		}), intake.ImportOptions{})
		wantErr(t, err, campaign.ErrConflict)
		after := rowCounts(t, db)
		before["assignments"]++
		if !maps.Equal(before, after) {
			t.Errorf("rows %v, before %v", after, before)
		}
	})
}
