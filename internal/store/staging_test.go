package store_test

import (
	"bufio"
	"context"
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
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// shown is what the pages and files of a campaign show, as one text.
func shown(t *testing.T, s *storetest.Sample) string {
	t.Helper()
	ctx, st, c := t.Context(), s.Store, s.Campaign
	p := must(st.Progress(ctx, c))(t)
	list, total, err := st.Segments(ctx, c.ID, store.SegmentFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	q := must(st.Queue(ctx, c, store.QueueFilter{Limit: 1000}))(t)
	return fmt.Sprintf("%+v", []any{p.Segments, p.Systems, p.Ratings, list, total, q.All, must(st.Systems(ctx, c.ID))(t), must(st.Metrics(ctx, c.ID))(t), s.All(t)})
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
		}), store.ImportOptions{File: "f.jsonl", ByID: s.Lead.ID})
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
		}), store.ImportOptions{})
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
				if err := db.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, store.CampaignChange{SourceLang: &source, TargetLang: &target}); err != nil {
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
			_, err := db.ImportSegments(t.Context(), s.Campaign.ID, withLanguages(lines), store.ImportOptions{})
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
			if _, err := db.ImportSegments(t.Context(), s.Campaign.ID, newLines(from, 150, s.Systems), store.ImportOptions{}); err != nil {
				t.Error(err)
			}
		}
		_, err := db.ImportSegments(t.Context(), s.Campaign.ID, during(newLines(100, 250, s.Systems), 200, func() {
			group.Go(func() { imports(1000) })
			group.Go(func() { imports(2000) })
		}), store.ImportOptions{})
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
		report, err := db.ImportSegments(t.Context(), s.Campaign.ID, newLines(100, 250, s.Systems), store.ImportOptions{Check: true})
		if err != nil || report.Segments != 250 || report.Translations != 750 {
			t.Errorf("%+v, %v", report, err)
		}
		scores, err := db.ImportScores(t.Context(), s.Campaign.ID, scoreLines(block("m", s.Systems[0], 1, 2, 3, 4)), store.ImportOptions{Check: true})
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
		imports := func(lines iter.Seq2[campaign.NumberedScore, error]) (store.ImportReport, error) {
			return db.ImportScores(t.Context(), s.Campaign.ID, lines, store.ImportOptions{})
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

// stageFile names, for the child process of TestImportKilled, the database to work on.
const stageFile = "ANNOTATE_TEST_STAGE_FILE"

// An import whose program is killed leaves nothing that anybody sees. Its rows are
// deleted by the next import, or by housekeeping.
func TestImportKilled(t *testing.T) {
	if path := os.Getenv(stageFile); path != "" {
		stageForEver(t, path)
		return
	}
	for name, next := range map[string]func(t *testing.T, s *storetest.Sample){
		"import": func(t *testing.T, s *storetest.Sample) {
			must(s.Store.ImportSegments(t.Context(), s.Campaign.ID, newLines(1000, 150, s.Systems), store.ImportOptions{}))(t)
		},
		"housekeeping": func(t *testing.T, s *storetest.Sample) {
			if err := s.Store.Housekeep(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.Open(t)
			s := storetest.Campaign(t, db.Store)
			before := shown(t, s)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			killWhileStaging(t, db.Config.DSN)

			cfg := db.Config
			cfg.DeadAfter = 50 * time.Millisecond
			s.Store = must(store.Open(t.Context(), cfg))(t)
			defer s.Store.Close()
			again := &storetest.DB{Store: s.Store}
			if n := count(t, again, "all_segments"); n <= 4 {
				t.Fatalf("the import had staged nothing when it was killed: %d segments", n)
			}
			if now := shown(t, s); now != before {
				t.Errorf("afterwards\n%s is shown, before\n%s", now, before)
			}
			next(t, s)
			all, staged := len(s.All(t)), count(t, again, "staged_imports")
			if segments, tallies := count(t, again, "all_segments"), count(t, again, "all_segment_tallies"); segments != all || tallies != all || staged != 0 {
				t.Errorf("%d segments, %d counted and %d imports are stored, %d segments shown", segments, tallies, staged, all)
			}
			if documents := count(t, again, "documents"); documents != count(t, again, "(SELECT DISTINCT document_id FROM segments)") {
				t.Errorf("%d documents are stored", documents)
			}
			err := s.Store.Doctor(t.Context(), false, func(f store.Finding) {
				if len(f.Problems) > 0 {
					t.Errorf("%s: %q", f.Check, f.Problems)
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// killWhileStaging runs a child that imports without end, and kills it.
func killWhileStaging(t *testing.T, path string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestImportKilled$")
	child.Env = append(os.Environ(), stageFile+"="+path)
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

// stageForEver imports segments, says when some are staged, and then waits for more
// until it is killed.
func stageForEver(t *testing.T, path string) {
	st := must(store.Open(t.Context(), store.Config{Driver: store.SQLite, DSN: path}))(t)
	c := must(st.Campaign(t.Context(), "sample"))(t)
	systems := must(st.Systems(t.Context(), c.ID))(t)
	_, err := st.ImportSegments(t.Context(), c.ID, during(newLines(100, 1000, systems), 501, func() {
		fmt.Println("staged")
		<-context.Background().Done()
	}), store.ImportOptions{})
	t.Error(err)
}

// An import that stood still for too long, as on a machine that slept, does not go
// on once others have taken it for dead.
func TestImportGivenUp(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		_, err := db.ImportSegments(t.Context(), s.Campaign.ID, during(newLines(100, 500, s.Systems), 250, func() {
			change(t, db, "UPDATE staged_imports SET dropped = TRUE")
		}), store.ImportOptions{})
		wantErr(t, err, campaign.ErrConflict)
		if n := count(t, db, "all_segments"); n != 4 {
			t.Errorf("%d segments are stored", n)
		}
	})
}
