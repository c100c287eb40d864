package intake_test

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
	"slices"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// shown is what the pages and files of a campaign show, as one text.
func shown(t *testing.T, s *storetest.Sample) string {
	t.Helper()
	ctx, st, c := t.Context(), s.Store, s.Campaign
	p := storetest.Must(st.Desk.Progress(ctx, c))(t)
	list, total, err := st.Desk.Segments(ctx, c.ID, desk.SegmentFilter{Limit: 1000})
	storetest.Check(t, err)
	q := storetest.Must(st.Desk.Queue(ctx, c, desk.QueueFilter{Limit: 1000}))(t)
	return fmt.Sprintf("%+v\n%s", []any{p.Segments, p.Systems, p.Ratings, list, total, q.Counts[""], storetest.Must(st.Records.Systems(ctx, c.ID))(t), storetest.Must(st.Records.Metrics(ctx, c.ID))(t)}, allOf(t, s))
}

// allOf is everything that an export is made of, as text.
func allOf(t *testing.T, s *storetest.Sample) string {
	t.Helper()
	return string(storetest.Must(json.Marshal(s.All(t)))(t))
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
	return storetest.Numbered(make([]bool, n), func(i int, _ bool) campaign.SegmentLine {
		seg := storetest.Segment(from+i-1, 2, systems)
		seg.Domain = "new"
		return campaign.SegmentLine{File: "f.jsonl", Line: i, Segment: seg}
	})
}

// withLanguages names the languages of all lines.
func withLanguages(lines iter.Seq2[campaign.SegmentLine, error]) iter.Seq2[campaign.SegmentLine, error] {
	return storetest.Changed(lines, func(line *campaign.SegmentLine) { line.Segment.SourceLang, line.Segment.TargetLang = "zh", "en" })
}

// A kindOfImport is an import of some kind into the campaign of stagedSample. It calls
// do when it has staged most of its rows.
type kindOfImport func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error

// kindsOfImport are the imports that write in steps. Each is larger than a step.
var kindsOfImport = map[string]kindOfImport{
	"segments": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		_, err := st.Intake.ImportSegments(ctx, s.Campaign.ID, during(newLines(10_000, stagedSegments, s.Systems), stagedSegments-1, do), opt)
		return err
	},
	"references": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		_, err := st.Intake.ImportReferences(ctx, s.Campaign.ID, during(newReferences(stagedSegments), stagedSegments, do), opt)
		return err
	},
	"suggestions": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		_, err := st.Intake.ImportSuggestions(ctx, s.Campaign.ID, during(newSuggestions(stagedSegments, s.Systems[0]), stagedSegments, do), opt)
		return err
	},
	"ratings": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		_, err := st.Intake.ImportRatings(ctx, s.Campaign.ID, during(newRatings(s, 2*stagedSegments, "x", "score"), 2*stagedSegments, do), opt)
		return err
	},
	"adjudications": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		_, err := st.Intake.ImportRatings(ctx, s.Campaign.ID, during(judged(newRatings(s, 2*stagedSegments, "judge", "score")), 2*stagedSegments, do), opt)
		return err
	},
	"segments with ratings": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		opt.Merge = true
		lines := storetest.Changed(newLines(20_000, stagedSegments, s.Systems), func(line *campaign.SegmentLine) {
			for i := range line.Segment.Translations {
				line.Segment.Translations[i].Ratings = []campaign.Rating{ratingOf("y", "score", i)}
			}
		})
		_, err := st.Intake.ImportSegments(ctx, s.Campaign.ID, during(lines, stagedSegments, do), opt)
		return err
	},
	"judgements": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		var lines []campaign.JudgementLine
		for i := range stagedSegments {
			lines = append(lines, scored("old", fmt.Sprint("s", i+1), s.Systems[0], 2), scored("new", fmt.Sprint("s", i+1), s.Systems[1], 2))
		}
		_, err := st.Intake.ImportJudgements(ctx, s.Campaign.ID, during(storetest.JudgementLines(lines...), len(lines), do), opt)
		return err
	},
	"scores": func(ctx context.Context, st *store.Store, s *storetest.Sample, do func(), opt intake.ImportOptions) error {
		storetest.OnPlaced(st, do)
		defer storetest.OnPlaced(st, nil)
		_, err := st.Intake.ImportScores(ctx, s.Campaign.ID, newScores(stagedSegments, s.Systems[:2]), opt)
		return err
	},
}

// stagedSegments is more than the largest step of references, which is 5*stagedStep, and more
// than three steps of ratings.
const stagedStep, stagedSegments = 5, 31

// stagedSample is a campaign that has suggestions, judgements and scores, which the imports replace.
func stagedSample(t *testing.T, st *store.Store) *storetest.Sample {
	storetest.SetImportStep(st, stagedStep)
	s := storetest.Campaign(t, st, storetest.Protocol("esa"), storetest.Segments(stagedSegments), storetest.Systems(2), storetest.PerDocument(stagedSegments))
	importSuggestions(t, s, suggest("s1", s.Systems[0], on("1", 0, 3)), suggest("s25", s.Systems[0], on("1", 0, 3)))
	importJudgements(t, s, scored("old", "s1", s.Systems[0], 1))
	storetest.Must(st.Intake.ImportScores(t.Context(), s.Campaign.ID, storetest.ScoreLines([]campaign.MetricScore{{Metric: "m", System: s.Systems[0], SegmentID: "s1", Score: 1}}), intake.ImportOptions{}))(t)
	return s
}

// newRatings are ratings of the segments of a campaign by an annotator.
func newRatings(s *storetest.Sample, n int, annotator, score string) iter.Seq2[campaign.RatingLine, error] {
	var lines []campaign.RatingLine
	for i := range n {
		lines = append(lines, campaign.RatingLine{DocID: "d1", SegmentID: fmt.Sprint("s", i/2%stagedSegments+1), System: s.Systems[i%2], Rating: ratingOf(annotator, score, i)})
	}
	return storetest.NumberedRatings(lines...)
}

// judged makes adjudications of ratings.
func judged(lines iter.Seq2[campaign.RatingLine, error]) iter.Seq2[campaign.RatingLine, error] {
	return storetest.Changed(lines, func(line *campaign.RatingLine) { line.Adjudicated, line.Round = true, 0 })
}

func ratingOf(annotator, score string, n int) campaign.Rating {
	return campaign.Rating{Annotator: annotator, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{score: float64(n % 5)}}}
}

func newReferences(n int) iter.Seq2[campaign.ReferenceText, error] {
	return storetest.Numbered(make([]bool, n), func(i int, _ bool) campaign.ReferenceText {
		text := campaign.ReferenceText{Place: campaign.Place{File: "late.txt", Line: i}, Nth: i, Reference: campaign.Reference{Name: "late", Text: fmt.Sprint("late reference ", i)}}
		return text
	})
}

func newSuggestions(n int, system string) iter.Seq2[campaign.SuggestionLine, error] {
	var lines []campaign.SuggestionLine
	for i := range n {
		lines = append(lines, suggest(fmt.Sprint("s", i+1), system, on("new", 0, 5)))
	}
	return storetest.SuggestionLines(lines...)
}

// newScores are scores by place, and two that name their segments.
func newScores(n int, systems []string) iter.Seq2[campaign.MetricScore, error] {
	var lines []campaign.MetricScore
	for _, system := range systems {
		lines = append(lines, storetest.ScoresInOrder("m", system, make([]float64, n)...)...)
	}
	for _, id := range []string{"s1", "s2"} {
		lines = append(lines, campaign.MetricScore{Metric: "named", System: systems[0], SegmentID: id, Score: 1})
	}
	return storetest.ScoreLines(lines)
}

// held is everything that a campaign shows and exports.
func held(t *testing.T, s *storetest.Sample) string {
	t.Helper()
	text := shown(t, s) + fmt.Sprint(metricScores(t, s.Store, s.Campaign))
	for _, j := range allJudgements(t, s) {
		text += fmt.Sprint(j.Judge, j.SegmentID, j.System, *j.Score)
	}
	return text + fmt.Sprint(storetest.Must(s.Store.Records.Judges(t.Context(), s.Campaign.ID))(t))
}

// Nobody sees anything of an import of any kind before its end, and one that fails
// at its last line leaves everything as it was.
func TestImportsAreHiddenUntilTheirEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := stagedSample(t, db.Store)
		broken := errors.New("the cable was cut")
		// Segments come after what goes by their places, ratings after what must be there before.
		for _, name := range []string{"references", "scores", "judgements", "suggestions", "ratings", "adjudications", "segments", "segments with ratings"} {
			imports := kindsOfImport[name]
			before, rows := held(t, s), storetest.RowCounts(t, db)
			ctx, cut := context.WithCancelCause(t.Context())
			look := func() {
				if now := held(t, s); now != before {
					t.Errorf("%s: in the middle of the import\n%s is shown, before it\n%s", name, now, before)
				}
			}
			err := imports(ctx, db.Store, s, func() { look(); cut(broken) }, intake.ImportOptions{})
			storetest.WantErr(t, err, context.Canceled)
			if now := held(t, s); now != before {
				t.Errorf("%s: after an import that failed\n%s is shown, before it\n%s", name, now, before)
			}
			storetest.Check(t, imports(t.Context(), db.Store, s, look, intake.ImportOptions{Check: true}))
			if now := storetest.RowCounts(t, db); !maps.Equal(now, rows) {
				t.Errorf("%s: rows after an import that failed and a check: %v, before %v", name, now, rows)
			}
			storetest.Check(t, imports(t.Context(), db.Store, s, look, intake.ImportOptions{}))
			if now := held(t, s); now == before {
				t.Errorf("%s: the import has brought nothing", name)
			}
			if n := storetest.Count(t, db, "staged_imports") + storetest.Count(t, db, "hidden_imports") + storetest.Count(t, db, "all_suggestions WHERE replaced_by > '' AND replaced_by NOT IN (SELECT id FROM imports)") + storetest.Count(t, db, "metrics WHERE staged AND replaced_by NOT IN (SELECT id FROM imports)"); n != 0 {
				t.Errorf("%s: %d rows are left over", name, n)
			}
		}
	})
}

// stageFile names, for the child process of TestImportKilled, the database to work on,
// and stageKind the kind of import.
const stageFile, stageKind = "ANNOTATE_TEST_STAGE_FILE", "ANNOTATE_TEST_STAGE_KIND"

// An import whose program is killed leaves nothing that anybody sees. Its rows are
// deleted by the next import, or by housekeeping, which kinds of imports take by turns.
func TestImportKilled(t *testing.T) {
	if path := os.Getenv(stageFile); path != "" {
		stageForEver(t, path, os.Getenv(stageKind))
		return
	}
	for i, kind := range slices.Sorted(maps.Keys(kindsOfImport)) {
		t.Run(kind, func(t *testing.T) {
			importKilled(t, kind, func(t *testing.T, s *storetest.Sample) {
				if i%2 == 0 {
					storetest.Check(t, s.Store.Housekeep(t.Context()))
					return
				}
				storetest.Must(s.Store.Intake.ImportSegments(t.Context(), s.Campaign.ID, newLines(1000, 15, s.Systems), intake.ImportOptions{}))(t)
			})
		})
	}
}

func importKilled(t *testing.T, kind string, next func(t *testing.T, s *storetest.Sample)) {
	db := storetest.Open(t)
	s := stagedSample(t, db.Store)
	before, rows := held(t, s), storetest.RowCounts(t, db)
	storetest.Check(t, db.Close())
	killChild(t, "TestImportKilled", stageFile+"="+db.Config.DSN, stageKind+"="+kind)

	s.Store = storetest.Reopen(t, db)
	again := &storetest.DB{Store: s.Store}
	stagedRows := func() int {
		return storetest.Count(t, again, "all_segments") + storetest.Count(t, again, "all_reference_texts") + storetest.Count(t, again, "all_suggestions") + storetest.Count(t, again, "metric_segment_scores") + storetest.Count(t, again, "all_judgements") + storetest.Count(t, again, "staged_ratings")
	}
	if n := stagedRows() - rows["all_segments"] - rows["all_reference_texts"] - rows["all_suggestions"] - rows["metric_segment_scores"] - rows["all_judgements"]; n < 5*stagedStep {
		t.Fatalf("the import had staged %d rows when it was killed", n)
	}
	if now := held(t, s); now != before {
		t.Errorf("afterwards\n%s is shown, before\n%s", now, before)
	}
	next(t, s)
	all := len(s.All(t))
	if segments, tallies := storetest.Count(t, again, "all_segments"), storetest.Count(t, again, "all_segment_tallies"); segments != all || tallies != all {
		t.Errorf("%d segments and %d counted are stored, %d segments shown", segments, tallies, all)
	}
	if documents := storetest.Count(t, again, "documents"); documents != storetest.Count(t, again, "(SELECT DISTINCT document_id FROM segments)") {
		t.Errorf("%d documents are stored", documents)
	}
	after := storetest.RowCounts(t, again)
	for _, table := range []string{"staged_imports", "hidden_imports", "all_suggestions", "metrics", "metric_segment_scores", "all_judges", "all_judgements", "staged_ratings", "ratings", "assignments", "users"} {
		if after[table] != rows[table] {
			t.Errorf("%d rows of %s are stored, %d before", after[table], table, rows[table])
		}
	}
	if n := storetest.Count(t, again, "all_suggestions WHERE replaced_by > ''"); n != 0 {
		t.Errorf("%d suggestions are to be replaced", n)
	}
	err := s.Store.Doctor(t.Context(), false, func(f store.Finding) {
		if len(f.Problems) > 0 {
			t.Errorf("%s: %q", f.Check, f.Problems)
		}
	})
	storetest.Check(t, err)
}

// killChild runs a test in a child process, which imports without end, and kills it when
// it says that something is staged.
func killChild(t *testing.T, test string, env ...string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	child.Env = append(os.Environ(), env...)
	child.Stderr = os.Stderr
	out := storetest.Must(child.StdoutPipe())(t)
	storetest.Check(t, child.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "staged" {
			storetest.Check(t, child.Process.Kill())
		}
	}
	if err := child.Wait(); err == nil {
		t.Error("the child ended by itself")
	}
}

// stageForEver imports, says when rows are staged, and then waits for more until it is
// killed.
func stageForEver(t *testing.T, path, kind string) {
	st := storetest.Must(store.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: path}))(t)
	c := storetest.Must(st.Records.Campaign(t.Context(), "sample"))(t)
	s := &storetest.Sample{Store: st, Campaign: c, Systems: storetest.Must(st.Records.Systems(t.Context(), c.ID))(t)}
	storetest.SetImportStep(st, stagedStep)
	err := kindsOfImport[kind](t.Context(), st, s, func() {
		fmt.Println("staged")
		<-context.Background().Done()
	}, intake.ImportOptions{})
	t.Error(err)
}

// An import that stood still for too long, as on a machine that slept, does not go
// on once others have taken it for dead.
func TestImportGivenUp(t *testing.T) {
	db, s := storetest.New(t)
	storetest.SetImportStep(db.Store, stagedStep)
	_, err := db.Intake.ImportSegments(t.Context(), s.Campaign.ID, during(newLines(100, 25, s.Systems), 13, func() {
		storetest.Exec(t, db, "UPDATE staged_imports SET dropped = TRUE")
	}), intake.ImportOptions{})
	storetest.WantErr(t, err, campaign.ErrConflict)
	storetest.WantCount(t, db, 4, "all_segments")
}
