package work_test

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// asked lets annotators ask for and rate a segment in turn, and gives what they
// got, "-" for no work.
func asked(t *testing.T, s *storetest.Sample, annotators ...int) []string {
	t.Helper()
	var got []string
	for _, i := range annotators {
		a, err := s.Store.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[i].ID)
		if errors.Is(err, campaign.ErrNoWork) {
			got = append(got, "-")
			continue
		}
		storetest.Check(t, err)
		got = append(got, storetest.SegmentOf(t, s, i, a))
		s.Rate(t, i, a, 0, 2, 4)
	}
	return got
}

func TestNextOrder(t *testing.T) {
	tests := []struct {
		name       string
		redundancy int
		perDoc     int // of six segments
		annotators []int
		want       []string
	}{
		{"alone, document by document", 1, 2, []int{0, 0, 0, 0, 0, 0, 0}, []string{"s1", "s2", "s3", "s4", "s5", "s6", "-"}},
		{"each in a document of their own", 2, 3, []int{0, 1, 0, 1, 0, 1}, []string{"s1", "s4", "s2", "s5", "s3", "s6"}},
		{"least covered first", 2, 1, []int{0, 1, 2, 0, 1, 2, 0}, []string{"s1", "s2", "s3", "s4", "s5", "s6", "s2"}},
		{"a begun document is read on", 2, 2, []int{0, 0, 1, 0, 1, 1}, []string{"s1", "s2", "s3", "s5", "s4", "s1"}},
		{"no more than are asked for", 2, 6, []int{0, 1, 2, 0, 1, 2}, []string{"s1", "s1", "s2", "s2", "s3", "s3"}},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := storetest.Campaign(t, storetest.Open(t).Store, storetest.Slug(fmt.Sprint("c", i)), storetest.Segments(6), storetest.PerDocument(tt.perDoc),
				storetest.Annotators(3), storetest.Set(fmt.Sprint("redundancy=", tt.redundancy)))
			if got := asked(t, s, tt.annotators...); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestNextRefuses(t *testing.T) {
	db, s := storetest.New(t)
	next := func(userID string) error { _, err := db.Work.Next(t.Context(), s.Campaign.ID, userID); return err }
	stranger := storetest.AddUser(t, db, "stranger")
	boss := storetest.Must(db.Accounts.AddUser(t.Context(), "boss", "", "admin"))(t)
	for _, id := range []string{s.Lead.ID, s.Researcher.ID, stranger.ID, boss.ID, "nobody"} {
		storetest.WantErr(t, next(id), campaign.ErrForbidden)
	}
	_, err := db.Work.Next(t.Context(), "nothing", s.Annotators[0].ID)
	storetest.WantErr(t, err, campaign.ErrNotFound)
	for _, state := range []campaign.State{campaign.Paused, campaign.Closed} {
		s.SetState(t, state)
		storetest.WantErr(t, next(s.Annotators[0].ID), campaign.ErrNotOpen)
	}
	s.SetState(t, campaign.Open)
	storetest.Check(t, next(s.Annotators[0].ID))
	empty := storetest.Campaign(t, db.Store, storetest.Slug("empty"), storetest.Segments(0))
	_, err = db.Work.Next(t.Context(), empty.Campaign.ID, s.Annotators[0].ID)
	storetest.WantErr(t, err, campaign.ErrNoWork)
}

// Four annotators, two to a segment: each of the six pairs shares about as many
// segments as any other.
func TestPairsAreEven(t *testing.T) {
	db := storetest.Open(t)
	const segments = 24
	s := storetest.Campaign(t, db.Store, storetest.Segments(segments), storetest.PerDocument(1), storetest.Systems(1), storetest.Annotators(4))
	for range segments / 2 {
		asked(t, s, 0, 1, 2, 3) // by turns: without a preference the first two would always meet
	}
	pairs := map[string]int{}
	for _, seg := range s.All(t) {
		ratings := seg.Translations[0].Ratings
		if len(ratings) != 2 {
			t.Fatalf("%s has %d ratings", seg.SegmentID, len(ratings))
		}
		pairs[ratings[0].Annotator+" "+ratings[1].Annotator]++
	}
	if len(pairs) != 6 || slices.ContainsFunc(slices.Collect(maps.Values(pairs)), func(n int) bool { return n != 4 }) {
		t.Errorf("pairs %v, want six that meet 4 times", pairs)
	}
	if met := storetest.Query[int](t, db, "SELECT sum(segments) FROM meetings WHERE campaign_id = ?", s.Campaign.ID); met[0] != 2*segments {
		t.Errorf("meetings sum up to %d, want %d", met[0], 2*segments)
	}
}

// rateAll asks and rates until nothing is left. Whoever is told that another change is
// under way asks again, as a person does.
func rateAll(t *testing.T, s *storetest.Sample, i int, scores ...float64) error {
	for {
		a, err := s.Store.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[i].ID)
		if errors.Is(err, campaign.ErrNoWork) {
			return nil
		}
		if errors.Is(err, campaign.ErrBusy) {
			continue
		}
		if err != nil {
			return fmt.Errorf("next: %w", err)
		}
		if err := s.TryRate(t.Context(), i, a, scores...); err != nil && !errors.Is(err, campaign.ErrBusy) {
			return fmt.Errorf("rate: %w", err)
		}
	}
}

// Many at once: nobody is given a segment twice, none is given to more than are
// asked for, all of them are decided.
func TestNextAtTheSameTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		const annotators, redundancy = 9, 3
		segments := 24
		if testenv.Race {
			segments = 9 // what it watches happens at each
		}
		s := storetest.Campaign(t, db.Store, storetest.Segments(segments), storetest.PerDocument(3),
			storetest.Annotators(annotators), storetest.Set(fmt.Sprint("redundancy=", redundancy)))
		var wg sync.WaitGroup
		for i := range annotators {
			for range 2 { // in two windows each
				wg.Go(func() {
					// The other window may have submitted the same segment.
					if err := rateAll(t, s, i, 0, 2, 4); err != nil && !errors.Is(err, campaign.ErrConflict) && !errors.Is(err, campaign.ErrDecided) {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		for i := range annotators { // what a window left that ended with a conflict
			storetest.Check(t, rateAll(t, s, i, 0, 2, 4))
		}
		for _, seg := range s.All(t) {
			by := map[string]bool{}
			for _, r := range seg.Translations[0].Ratings {
				by[r.Annotator] = true
			}
			if len(by) != redundancy || len(seg.Translations[0].Ratings) != redundancy || seg.Status != campaign.Agreed {
				t.Errorf("%s is %s with ratings by %v", seg.SegmentID, seg.Status, by)
			}
		}
		storetest.WantCount(t, db, segments*redundancy, "assignments")
		storetest.WantCount(t, db, segments, "segments WHERE taken = ?", redundancy)
		storetest.WantCount(t, db, segments, "decisions")
	})
}

func TestQuota(t *testing.T) {
	db := storetest.Open(t)
	// It is 4:00 in New York when the test begins; the day ends at 5:00 UTC.
	s := storetest.Campaign(t, db.Store, storetest.Segments(8), storetest.Set("quota=6", "timezone=America/New_York"))
	next := func() error { _, err := db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[0].ID); return err }
	first := s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 0, 0, 2, 4) // 6 ratings
	storetest.WantErr(t, next(), campaign.ErrQuota)
	if _, err := db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[1].ID); err != nil {
		t.Errorf("the quota of one stops the other: %v", err)
	}
	db.Clock.Set(time.Date(2026, 11, 21, 4, 59, 59, 0, time.UTC))
	storetest.WantErr(t, next(), campaign.ErrQuota)
	s.Save(t, 0, first, 0, 1)
	s.Submit(t, 0, first) // a revision counts for the day of the first submission
	db.Clock.Advance(time.Second)
	s.RateNext(t, 0, 0, 2, 4) // 3 ratings of the new day

	// What is begun is finished, even if the quota is reached meanwhile.
	begun := s.Next(t, 0)
	s.Change(t, "quota=3")
	if a := s.Next(t, 0); a != begun {
		t.Error("the quota took away a begun segment")
	}
	s.Rate(t, 0, begun, 0, 2, 4)
	storetest.WantErr(t, next(), campaign.ErrQuota)
	s.Change(t, "quota=0")
	storetest.Check(t, next())
}

// A second look is no new segment.
func TestQuotaLeavesSecondLooks(t *testing.T) {
	_, s := storetest.New(t, storetest.PerDocument(4), storetest.Set("quota=3"))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	for i := range 2 {
		if w := s.Work(t, i, s.Next(t, i)); w.Assignment.Round != 2 {
			t.Errorf("annotator %d is given round %d, want the second look", i, w.Assignment.Round)
		}
	}
	s.RateNext(t, 0, 0, 2, 4)
	storetest.WantNext(t, s, 0, campaign.ErrQuota)
}

// A second look comes before what is begun, and that before anything new.
func TestSecondLookComesFirst(t *testing.T) {
	_, s := storetest.New(t, storetest.PerDocument(4))
	s.RateNext(t, 0, 0, 2, 4)
	begun := s.Next(t, 0)
	s.RateNext(t, 1, 4, 2, 0) // s1 comes back
	again := s.Next(t, 0)
	if w := s.Work(t, 0, again); again == begun || w.Assignment.Round != 2 {
		t.Errorf("given %+v, want the second look", w.Assignment)
	}
	s.Rate(t, 0, again, 0, 2, 4)
	if a := s.Next(t, 0); a != begun {
		t.Error("what was begun is not given again")
	}
}

// Where PostgreSQL gives up the first attempt to hand out a segment, the answer is that
// of the second attempt alone. The first one finds the quota of the day reached, and the
// second one runs on the next day.
func TestNextAnswersForItsLastAttempt(t *testing.T) {
	db := storetest.Postgres(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(3), storetest.Set("quota=3", "release_hours=24"))
	left := s.Next(t, 1)
	db.Clock.Advance(23 * time.Hour)
	s.RateNext(t, 0, 0, 2, 4)

	control := storetest.Must(sql.Open("pgx", db.Config.DSN))(t)
	t.Cleanup(func() { control.Close() })
	for _, statement := range []string{
		"CREATE SEQUENCE attempts",
		`CREATE FUNCTION give_up_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('attempts') = 1 THEN RAISE EXCEPTION USING ERRCODE = '40001'; END IF; RETURN NULL; END $$`,
		"CREATE CONSTRAINT TRIGGER give_up AFTER UPDATE ON assignments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION give_up_once()",
	} {
		storetest.Must(control.ExecContext(t.Context(), statement))(t)
	}
	// A sequence keeps its value where a transaction is given up.
	gaveUp := func() (yes bool) {
		if err := control.QueryRow("SELECT is_called FROM attempts").Scan(&yes); err != nil {
			t.Error(err)
		}
		return yes
	}
	db.Clock.Advance(2 * time.Hour)
	today := db.Clock.Now()
	cfg := db.Config
	cfg.Now = func() time.Time {
		if gaveUp() {
			return today.AddDate(0, 0, 1)
		}
		return today
	}
	st := storetest.Must(store.Open(t.Context(), cfg))(t)
	t.Cleanup(func() { st.Close() })
	id, err := st.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[0].ID)
	if !gaveUp() {
		t.Fatal("no attempt was given up")
	}
	if err != nil || id == "" || id == left {
		t.Errorf("the second attempt answers %q, %v; want a segment", id, err)
	}
}
