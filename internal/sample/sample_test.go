package sample

import (
	"cmp"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// now is some moment after the work of the data.
var now = time.Date(2027, 3, 14, 10, 30, 0, 0, time.UTC)

// TestSample loads the sample once for all tests that look at it.
func TestSample(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		testSample(t, database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "sample.db")})
	})
	t.Run("postgres", func(t *testing.T) {
		testSample(t, database.Config{Driver: database.Postgres, DSN: storetest.EmptyPostgres(t)})
	})
}

func testSample(t *testing.T, cfg database.Config) {
	clock := NewClock(now)
	cfg.Now = clock.Now
	st, err := store.OpenUnmigrated(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.DB.MigrateUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := Load(t.Context(), st, clock); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, *store.Store)
	}{
		{"statuses", testStatuses}, {"first-round failures", testFirstRoundFailures}, {"ratings", testRatings},
		{"adjudicated", testAdjudicated}, {"drift", testDrift}, {"marked", testMarked}, {"documents", testDocuments}, {"settled", testSettled},
		{"judges", testJudges}, {"judges differ", testJudgesDiffer},
		{"open", testOpen}, // hands out segments
		{"work", testWork}, // hands out a segment
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, st) })
	}
}

// segments reads a campaign by the ids of its segments.
func segments(t *testing.T, st *store.Store, slug string) (campaign.Campaign, []campaign.Segment) {
	t.Helper()
	c, err := st.Records.Campaign(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	var out []campaign.Segment
	for s, err := range st.Records.AllSegments(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return c, out
}

// The parts the segments play are those of README.md.
func testStatuses(t *testing.T, st *store.Store) {
	want := map[string]map[campaign.Status][]string{
		ChineseEnglish: {
			campaign.Agreed:      {"s01", "s02", "s03", "s04", "s05", "s06", "s07", "s09", "s10", "s12", "s13"},
			campaign.Adjudicated: {"s08"},
			campaign.Discarded:   {"s11"},
			campaign.Reannotate:  {"s14"},
			campaign.Pending:     {"s15", "s16", "s17", "s18"},
		},
		EnglishArabic: {
			campaign.Agreed:  {"s01", "s02", "s03", "s04", "s05", "s06", "s07", "s08", "s09", "s10", "s11"},
			campaign.Pending: {"s12", "s13", "s14"},
		},
	}
	for slug, statuses := range want {
		got := map[campaign.Status][]string{}
		_, segs := segments(t, st, slug)
		for _, s := range segs {
			got[s.Status] = append(got[s.Status], s.SegmentID)
		}
		for _, status := range campaign.Statuses {
			if !slices.Equal(got[status], statuses[status]) {
				t.Errorf("%s %s: got %v, want %v", slug, status, got[status], statuses[status])
			}
		}
	}
}

// 4 of 14 segments and 2 of 11 fail at first look: they were discussed again,
// or adjudicated or discarded after.
func testFirstRoundFailures(t *testing.T, st *store.Store) {
	for slug, want := range map[string][2]int{ChineseEnglish: {4, 14}, EnglishArabic: {2, 11}} {
		failed, judged := 0, 0
		_, segs := segments(t, st, slug)
		for _, s := range segs {
			if s.Status == campaign.Pending {
				continue
			}
			judged++
			again := slices.ContainsFunc(s.Translations[0].Ratings, func(r campaign.Rating) bool { return r.Round > 1 })
			if again || s.Status == campaign.Reannotate {
				failed++
			}
		}
		if got := [2]int{failed, judged}; got != want {
			t.Errorf("%s: %d of %d, want %d of %d", slug, got[0], got[1], want[0], want[1])
		}
		if rate := float64(failed) / float64(judged); rate < 0.15 || rate > 0.30 {
			t.Errorf("%s: failure rate %.3f is not from 0.15 to 0.30", slug, rate)
		}
	}
}

func testRatings(t *testing.T, st *store.Store) {
	for slug, want := range map[string]int{ChineseEnglish: 175, EnglishArabic: 130} {
		c, segs := segments(t, st, slug)
		p, err := st.Desk.Progress(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if p.Ratings != want {
			t.Errorf("%s: %d ratings, want %d", slug, p.Ratings, want)
		}
		last := time.Time{}
		for _, s := range segs {
			for _, tr := range s.Translations {
				for _, r := range tr.Ratings {
					if r.SubmittedAt.After(last) {
						last = r.SubmittedAt
					}
					if s.SegmentID == "s15" && slug == ChineseEnglish && r.Annotator != "lin" {
						t.Errorf("s15 was rated by %s", r.Annotator)
					}
				}
			}
		}
		if y, m, d := last.Date(); y != 2027 || m != time.March || d != 13 {
			t.Errorf("%s: the last rating is of %s, want yesterday", slug, last)
		}
	}
}

// The adjudicated segment has the lead's scores, not the means.
func testAdjudicated(t *testing.T, st *store.Store) {
	_, segs := segments(t, st, ChineseEnglish)
	s := segs[slices.IndexFunc(segs, func(s campaign.Segment) bool { return s.SegmentID == "s08" })]
	want := map[string]float64{"Aster": 3, "Birch": 1, "Cedar": 0, "Dune": 4, "Ember": 1}
	for _, tr := range s.Translations {
		if tr.Gold == nil || !tr.Gold.Adjudicated || tr.Gold.Score != want[tr.System] {
			t.Errorf("%s: got %+v, want %v", tr.System, tr.Gold, want[tr.System])
		}
	}
}

// samir drifts in Chinese to English and nobody else does: the mean of rating
// less that of the others of the same translation and round, over an
// annotator's last 20 ratings, against half the standard deviation of all.
func testDrift(t *testing.T, st *store.Store) {
	_, segs := segments(t, st, ChineseEnglish)
	type rating struct {
		at   time.Time
		diff float64
	}
	diffs := map[string][]rating{}
	var all []float64
	for _, s := range segs {
		for _, tr := range s.Translations {
			for _, r := range tr.Ratings {
				all = append(all, r.Scores["sqm"])
				for _, o := range tr.Ratings {
					if o.Annotator != r.Annotator && o.Round == r.Round {
						diffs[r.Annotator] = append(diffs[r.Annotator], rating{r.SubmittedAt, r.Scores["sqm"] - o.Scores["sqm"]})
					}
				}
			}
		}
	}
	mean, _ := campaign.Mean(all)
	sum := 0.0
	for _, x := range all {
		sum += (x - mean) * (x - mean)
	}
	deviation := math.Sqrt(sum / float64(len(all)))
	if math.Abs(deviation-1.37) > 0.005 { // README.md, "Measured"
		t.Errorf("standard deviation %.3f, want 1.37", deviation)
	}
	for login, list := range diffs {
		slices.SortFunc(list, func(a, b rating) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
		list = list[max(0, len(list)-20):]
		total := 0.0
		for _, r := range list {
			total += r.diff
		}
		drift := total / float64(len(list))
		if login == "samir" {
			if math.Abs(drift-0.85) > 1e-9 { // README.md
				t.Errorf("samir is %+.2f above the others, want +0.85", drift)
			}
		} else if math.Abs(drift) > deviation/2 {
			t.Errorf("%s is %+.2f from the others", login, drift)
		}
	}
}

// Annotator has a segment half done in front of them, and more to come in both
// campaigns; jonas and samir have a second look to take.
func testWork(t *testing.T, st *store.Store) {
	ctx := t.Context()
	lin, err := st.Accounts.UserByLogin(ctx, Annotator)
	if err != nil {
		t.Fatal(err)
	}
	c, err := st.Records.Campaign(ctx, ChineseEnglish)
	if err != nil {
		t.Fatal(err)
	}
	id, err := st.Work.Next(ctx, c.ID, lin.ID)
	if err != nil {
		t.Fatal(err)
	}
	w, err := st.Work.LoadWork(ctx, c, id, lin.ID)
	if err != nil {
		t.Fatal(err)
	}
	rated := 0
	for _, card := range w.Cards {
		if len(card.Rating.Scores) > 0 {
			rated++
		}
	}
	if rated != 2 || len(w.Cards) != 5 || now.Sub(w.Assignment.StartedAt) > time.Hour {
		t.Errorf("%d of %d cards are rated, begun at %s", rated, len(w.Cards), w.Assignment.StartedAt)
	}
	p, err := st.Desk.MyProgress(ctx, c, lin.ID)
	if err != nil || p.Done != 8 || p.Begun != 1 || p.Available != 2 {
		t.Errorf("progress %+v, %v", p, err)
	}
	for _, login := range []string{"jonas", "samir"} {
		u, err := st.Accounts.UserByLogin(ctx, login)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := st.Desk.MyProgress(ctx, c, u.ID); err != nil || p.Second != 1 {
			t.Errorf("%s: %d second looks, %v", login, p.Second, err)
		}
	}
	arabic, err := st.Records.Campaign(ctx, EnglishArabic)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Work.Next(ctx, arabic.ID, lin.ID); err != nil {
		t.Errorf("nothing for %s in the other campaign: %v", Annotator, err)
	}
	lead, err := st.Accounts.UserByLogin(ctx, Lead)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Work.Next(ctx, c.ID, lead.ID); !errors.Is(err, campaign.ErrForbidden) {
		t.Errorf("the lead was given a segment: %v", err)
	}
}
