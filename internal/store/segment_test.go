package store_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/rounds"
	"annotate/internal/store/storetest"
)

func TestSegments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(0))
		var segments []campaign.Segment
		for n, source := range []string{"Ärger im Büro", "100 % sicher", "a_b", `back\slash`, "GROSS und klein", "axb 100 Z sicher", "東京 は", "last"} {
			seg := storetest.Segment(n+1, n/2+1, []string{"a", "b"})
			seg.Source, seg.Domain = source, []string{"news", "chat"}[n%2]
			segments = append(segments, seg)
		}
		segments[7].SegmentID, segments[7].DocID = "Special-ID", "Special-Doc"
		importSegments(t, s, segments...)
		a := s.Next(t, 0)
		s.Rate(t, 0, a, 0, 4)
		s.RateNext(t, 0, 0, 4)
		s.RateNext(t, 1, 0, 4) // least covered: s3
		report(t, s, 1, s.Next(t, 1), "x")
		for _, tt := range []struct {
			name   string
			filter desk.SegmentFilter
			want   []string
		}{
			{"all", desk.SegmentFilter{}, []string{"s1", "s2", "s3", "s4", "s5", "s6", "s7", "Special-ID"}},
			{"domain", desk.SegmentFilter{Domain: "chat"}, []string{"s2", "s4", "s6", "Special-ID"}},
			{"status", desk.SegmentFilter{Status: campaign.Agreed}, nil},
			{"case of ASCII", desk.SegmentFilter{Text: "gross UND"}, []string{"s5"}},
			{"other letters as they are", desk.SegmentFilter{Text: "Ärger"}, []string{"s1"}},
			{"no wildcard %", desk.SegmentFilter{Text: "0 % s"}, []string{"s2"}},
			{"no wildcard _", desk.SegmentFilter{Text: "a_b"}, []string{"s3"}},
			{"backslash", desk.SegmentFilter{Text: `k\s`}, []string{"s4"}},
			{"Japanese", desk.SegmentFilter{Text: "東京"}, []string{"s7"}},
			{"segment id", desk.SegmentFilter{Text: "special-id"}, []string{"Special-ID"}},
			{"document id", desk.SegmentFilter{Text: "special-doc"}, []string{"Special-ID"}},
			{"nothing", desk.SegmentFilter{Text: "nowhere"}, nil},
			{"together", desk.SegmentFilter{Text: "1", Domain: "news", Status: campaign.Pending}, []string{"s1"}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				var got []string
				for offset := 0; ; offset += 3 {
					tt.filter.Offset, tt.filter.Limit = offset, 3
					page, total, err := db.Segments(t.Context(), s.Campaign.ID, tt.filter)
					if err != nil {
						t.Fatal(err)
					}
					if total != len(tt.want) {
						t.Errorf("%d in all, want %d", total, len(tt.want))
					}
					for _, e := range page {
						got = append(got, e.SegmentID)
					}
					if len(page) < 3 {
						break
					}
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("got %v, want %v", got, tt.want)
				}
			})
		}
		all, _, err := db.Segments(t.Context(), s.Campaign.ID, desk.SegmentFilter{Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		if e := all[0]; e.Taken != 1 || e.Submitted != 1 || e.Held || e.Round != 1 || e.Status != campaign.Pending || e.Source != "Ärger im Büro" || e.DocID != "d1" || e.Domain != "news" {
			t.Errorf("s1 is %+v", e)
		}
		if e := all[3]; !e.Held || e.Taken != 0 || e.Submitted != 0 {
			t.Errorf("s4 is %+v, want it held and its place free", e)
		}
		if domains := must(db.Domains(t.Context(), s.Campaign.ID))(t); !slices.Equal(domains, []string{"chat", "news"}) {
			t.Errorf("domains %q", domains)
		}
	})
}

func TestSegmentDetail(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(3), storetest.PerDocument(3))
		other := storetest.Campaign(t, db.Store, storetest.Slug("other"))
		rows := []string{s.RowID(t, "d1", "s1"), s.RowID(t, "d1", "s2"), s.RowID(t, "d1", "s3")}
		s.RateNext(t, 0, 0, 2, 4)
		s.Next(t, 1)
		for i, row := range rows {
			d := must(db.Segment(t.Context(), s.Campaign, row))(t)
			if d.ID != row || !reflect.DeepEqual(d.Segment, s.All(t)[i]) {
				t.Errorf("detail %+v, want %+v", d.Segment, s.All(t)[i])
			}
			before, after := "", ""
			if i > 0 {
				before = rows[i-1]
			}
			if i < 2 {
				after = rows[i+1]
			}
			if d.Before != before || d.After != after {
				t.Errorf("neighbours of %d are %q and %q", i, d.Before, d.After)
			}
		}
		d := must(db.Segment(t.Context(), s.Campaign, rows[0]))(t)
		turns := []rounds.Turn{
			{Login: "ann1", Round: 1, State: campaign.Submitted, Counts: true, Begun: true, StartedAt: storetest.Start, TouchedAt: storetest.Start, SubmittedAt: storetest.Start},
			{Login: "ann2", Round: 1, State: campaign.InWork, StartedAt: storetest.Start, TouchedAt: storetest.Start},
		}
		if !slices.Equal(d.Turns, turns) {
			t.Errorf("turns %+v, want %+v", d.Turns, turns)
		}
		_, err := db.Segment(t.Context(), other.Campaign, rows[0])
		wantErr(t, err, campaign.ErrNotFound)
		_, err = db.SegmentRowID(t.Context(), s.Campaign.ID, "d1", "s9")
		wantErr(t, err, campaign.ErrNotFound)
	})
}

// An export is one state of the database, whatever is written meanwhile: a
// submission is in it with all its ratings or not at all, and what comes after
// the first segment was read is not in it.
func TestAllSegmentsIsASnapshot(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		const segments = 450 // more than two batches
		s := storetest.Campaign(t, db.Store, storetest.Segments(segments), storetest.PerDocument(segments), storetest.Systems(2),
			storetest.Set("redundancy=1"))
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			for ctx.Err() == nil {
				a, err := db.Next(t.Context(), s.Campaign.ID, s.Annotators[0].ID)
				if err == nil {
					err = s.TryRate(t.Context(), 0, a, 1, 2)
				}
				if err != nil {
					if !errors.Is(err, campaign.ErrNoWork) {
						t.Error(err)
					}
					return
				}
			}
		})
		for range 5 {
			rated, n := 0, 0
			var before int
			for seg, err := range db.AllSegments(t.Context(), s.Campaign) {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n == 1 {
					// Several of these are written while the export is read.
					before = count(t, db, "decisions")
				}
				given := 0
				for _, tr := range seg.Translations {
					given += len(tr.Ratings)
				}
				if done := seg.Status == campaign.Ungated; given != 0 && given != 2 || done != (given == 2) {
					t.Errorf("%s is %s with %d ratings", seg.SegmentID, seg.Status, given)
				}
				if given == 2 {
					rated++
				}
			}
			if n != segments || rated > before {
				t.Errorf("%d segments, %d of them rated; %d were when the export began", n, rated, before)
			}
		}
		stop()
		wg.Wait()
	})
}

// A reader that stops early, with or without its request having ended.
func TestAllSegmentsStops(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(210), storetest.Systems(1))
		for range 5 { // more often than snapshots are read at a time
			for range db.AllSegments(t.Context(), s.Campaign) {
				break
			}
			ctx, cancel := context.WithCancel(t.Context())
			for _, err := range db.AllSegments(ctx, s.Campaign) {
				if err != nil {
					t.Fatal(err)
				}
				cancel()
				break
			}
			ctx, cancel = context.WithCancel(t.Context())
			defer cancel()
			n := 0
			var last error
			for _, err := range db.AllSegments(ctx, s.Campaign) {
				if n++; n == 10 {
					cancel()
				}
				last = err
			}
			if !errors.Is(last, context.Canceled) || n > 201 {
				t.Errorf("after %d segments: %v, want that the context was cancelled", n, last)
			}
		}
		if n := len(s.All(t)); n != 210 {
			t.Errorf("%d segments afterwards", n)
		}
	})
}

var withRace bool // see race_test.go

// What an import and an export take in memory does not depend on the size of the
// campaign.
func TestMemory(t *testing.T) {
	if withRace {
		t.Skip("the race detector distorts what is measured; make test runs this without it")
	}
	check := func(t *testing.T, db *storetest.DB) {
		const segments = 40_000
		s := storetest.Campaign(t, db.Store, storetest.Segments(0))
		resetPeak(t)
		before := peakMB(t)
		if _, err := db.ImportSegments(t.Context(), s.Campaign.ID, manyLines(segments, 1), intake.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
		importing := peakMB(t) - before
		resetPeak(t)
		before = peakMB(t)
		n := 0
		for _, err := range db.AllSegments(t.Context(), s.Campaign) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		exporting := peakMB(t) - before
		t.Logf("import %.0f MB, export %.0f MB", importing, exporting)
		// A connection to SQLite may take 16 MB for pages. When statements were
		// kept until the end of a transaction, it was 150 and 90 MB.
		if n != segments || importing > 60 || exporting > 60 {
			t.Errorf("%d segments; the import took %.0f MB, the export %.0f MB", n, importing, exporting)
		}
	}
	// One after the other, since it is the memory of the process.
	t.Run("sqlite", func(t *testing.T) { check(t, storetest.Open(t)) })
	t.Run("postgres", func(t *testing.T) { check(t, storetest.Postgres(t)) })
}

func TestExportFacts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		if f := must(db.ExportFacts(t.Context(), s.Campaign.ID))(t); f.Ratings != 0 || len(f.Logins) != 0 {
			t.Errorf("facts of a new campaign: %+v", f)
		}
		s.RateNext(t, 0, 1, 2, 3)
		s.Next(t, 1) // has submitted nothing
		importRatings(t, s, line("s1", "sys-001", "Z", 1, 3), line("s1", "sys-002", "Z", 1, 3))
		f := must(db.ExportFacts(t.Context(), s.Campaign.ID))(t)
		if f.Ratings != 5 || fmt.Sprint(f.Logins) != "[Z ann1]" {
			t.Errorf("facts %+v", f)
		}
	})
}
