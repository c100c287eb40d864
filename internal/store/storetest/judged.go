package storetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/intake"
	"annotate/internal/judging"
	"annotate/internal/protocol"
	"annotate/internal/store"
)

// The sizes of the judged campaign. Two of JudgedAnnotators have rated each segment. The judgements of all
// judges are 100,000.
const (
	JudgedSegments   = 2_500
	JudgedSystems    = 8
	JudgedJudges     = 5
	JudgedAnnotators = 4
)

// Judged makes an ESA campaign of 20,000 translations with 40,000 ratings and 100,000 judgements in a
// SQLite file. Ratings and judgements have two error spans each, and a judgement has a trace of two calls.
// One of a hundred answers could not be parsed. The first two judges have runs. If ANNOTATE_BENCH_DIR is
// set, the file is made there once and copied by later calls.
func Judged(b testing.TB) (*DB, *Sample) {
	b.Helper()
	db := open(b, database.Config{Driver: database.SQLite, DSN: keptFile(b, "judged.db", func(b testing.TB, path string) {
		st, err := store.Open(b.Context(), database.Config{Driver: database.SQLite, DSN: path, Now: (&Clock{now: Start}).Now})
		check(b, err)
		fillJudged(b, st)
		check(b, st.Close())
	})})
	return db, judged(b, db)
}

// JudgedPostgres makes the same campaign in a PostgreSQL database.
func JudgedPostgres(b testing.TB) (*DB, *Sample) {
	b.Helper()
	db := Postgres(b)
	fillJudged(b, db.Store)
	Exec(b, db, "VACUUM ANALYZE") // the server does this by itself after a while
	return db, judged(b, db)
}

func judged(b testing.TB, db *DB) *Sample {
	b.Helper()
	db.Rows = true // a recount takes long
	db.Clock.Set(Start.Add(time.Minute))
	return stored(b, db, "judged", JudgedSegments)
}

// JudgeName returns the name of a judge of the judged campaign by its index.
func JudgeName(place int) string { return fmt.Sprint("judge", place+1) }

func fillJudged(b testing.TB, st *store.Store) {
	b.Helper()
	s := Campaign(b, st, Slug("judged"), Protocol("esa"), Segments(0), Annotators(JudgedAnnotators), Set("redundancy=2"))
	_, err := st.Intake.ImportSegments(b.Context(), s.Campaign.ID, ManyLines(JudgedSegments, JudgedSystems), intake.ImportOptions{File: "bench"})
	check(b, err)
	_, err = st.Intake.ImportRatings(b.Context(), s.Campaign.ID, func(yield func(campaign.NumberedRating, error) bool) {
		line := 0
		for n := range 2 * JudgedSegments {
			i := n / 2
			for k := range JudgedSystems {
				line++
				r := campaign.RatingLine{DocID: fmt.Sprint("d", i/10), SegmentID: fmt.Sprint("s", i), System: fmt.Sprint("system", k), Rating: campaign.Rating{
					Annotator: s.Annotators[(i+n%2)%JudgedAnnotators].Login, Round: 1, Seconds: 12.5, SubmittedAt: Start,
					Rating: protocol.Rating{Scores: map[string]float64{"score": float64((7*i + 13*k + n%2) % 101)}, Spans: judgedSpans(i + k)},
				}}
				if !yield(campaign.NumberedRating{File: "bench", Line: line, Rating: r}, nil) {
					return
				}
			}
		}
	}, intake.ImportOptions{File: "bench"})
	check(b, err)
	for place := range 2 {
		run, err := st.Judging.BeginJudge(b.Context(), s.Campaign, judging.JudgeSpec{Name: JudgeName(place), Method: "gemba-esa", Model: "m"}, "")
		check(b, err)
		check(b, run.End(b.Context(), judging.JudgeDone, ""))
	}
	_, err = st.Intake.ImportJudgements(b.Context(), s.Campaign.ID, ManyJudgements("", JudgedSegments, JudgedSystems, JudgedJudges), intake.ImportOptions{File: "bench"})
	check(b, err)
}

// judgedSpans marks words in a text of [LongText].
func judgedSpans(n int) []protocol.ErrorSpan {
	at := 20 + n%50
	return []protocol.ErrorSpan{
		{ID: "1", Side: protocol.Target, Start: at, End: at + 8, Severity: "minor"},
		{ID: "2", Side: protocol.Target, Start: 90 + n%7, End: 110, Severity: "major"},
	}
}

// ManyJudgements yields the judgements of every translation of [ManyLines] by several judges. The ids of
// the segments begin with a prefix.
func ManyJudgements(prefix string, segments, systems, judges int) func(yield func(campaign.NumberedJudgement, error) bool) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the a translation error of is words source major minor under write each that reader fluency accuracy grammar omission severity text German English check every line compare between triple backticks category name")
	prose := func(n int) string {
		var t strings.Builder
		for range n {
			t.WriteString(words[r.IntN(len(words))] + " ")
		}
		return t.String()
	}
	request := prose(500) // about 3,500 bytes, the same in every call
	return func(yield func(campaign.NumberedJudgement, error) bool) {
		line := 0
		for i := range segments {
			for k := range systems {
				for place := range judges {
					line++
					score := float64((7*i + 13*k + 5*place) % 101)
					j := campaign.JudgementLine{
						DocID: fmt.Sprint("d", i/10), SegmentID: fmt.Sprint(prefix, "s", i), System: fmt.Sprint("system", k), Method: "gemba-esa", Model: "m",
						Judgement: campaign.Judgement{Judge: JudgeName(place), Status: campaign.JudgementOK, Score: &score, Spans: judgedSpans(i + k + 3*place)},
						Trace: []campaign.TraceCall{
							{Step: "errors", Role: "annotator", Prompt: LongText(i) + LongText(i*systems+k) + request, Reply: prose(40), InputTokens: 900, OutputTokens: 80, Seconds: 1.5},
							{Step: "score", Role: "judge", Prompt: LongText(i) + LongText(i*systems+k) + prose(80), Reply: fmt.Sprint(score), InputTokens: 300, OutputTokens: 2, Seconds: 0.5},
						},
					}
					if (i+k+place)%100 == 0 {
						j.Status, j.Score, j.Spans = campaign.JudgementUnparsable, nil, nil
					}
					if !yield(campaign.NumberedJudgement{File: "bench", Line: line, Judgement: j}, nil) {
						return
					}
				}
			}
		}
	}
}
