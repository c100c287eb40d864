package sample

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/store"
)

// now is some moment after the work of the data.
var now = time.Date(2027, 3, 14, 10, 30, 0, 0, time.UTC)

// TestSample loads the sample once for all tests that look at it.
func TestSample(t *testing.T) {
	clock := NewClock(now)
	st, err := store.OpenUnmigrated(database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "sample.db"), Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, load := range []func() error{
		func() error { return st.DB.MigrateUp(t.Context()) },
		func() error { return Load(t.Context(), st, clock) },
		func() error { return LoadFlags(t.Context(), st, clock) },
	} {
		if err := load(); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, *store.Store)
	}{
		{"statuses", testStatuses}, {"ratings", testRatings}, {"adjudicated", testAdjudicated}, {"marked", testMarked}, {"settled", testSettled},
		{"judges", testJudges}, {"flags", testFlags},
		{"open", testOpen}, // hands out segments
		{"work", testWork}, // hands out a segment
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, st) })
	}
}

// The flags campaign has one annotator of each flag, who is called by it, and no flag of anybody else.
func testFlags(t *testing.T, st *store.Store) {
	c, err := st.Records.Campaign(t.Context(), Flags)
	if err != nil {
		t.Fatal(err)
	}
	p, err := st.Desk.Progress(t.Context(), c)
	if err != nil || len(p.Annotators) != len(flagged) {
		t.Fatalf("%d annotators, want %d: %v", len(p.Annotators), len(flagged), err)
	}
	want := map[string]campaign.FlagKind{
		"low-agreement": campaign.FlagLowAgreement, "constant": campaign.FlagConstant, "fast": campaign.FlagFast,
		"bias": campaign.FlagBias, "drift": campaign.FlagDrift, "idle": campaign.FlagIdle,
	}
	for _, a := range p.Annotators {
		if kind := want[a.User.Login]; kind == "" && len(a.Flags) > 0 || kind != "" && (len(a.Flags) != 1 || a.Flags[0].Kind != kind) {
			t.Errorf("%s has the flags %v: %+v", a.User.Login, a.Flags, a.Conduct)
		}
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
