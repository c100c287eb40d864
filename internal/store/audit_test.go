package store_test

import (
	"slices"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

func TestFindAudit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2))
		ctx, c := t.Context(), s.Campaign
		for _, reason := range []string{"100% odd", "100 per cent odd", `a \\ b_c`} {
			wantErr(t, db.Withdraw(ctx, c.ID, []string{s.RowID(t, "d1", "s1")}, reason, s.Lead.ID), nil)
			wantErr(t, db.RestoreSegments(ctx, c.ID, []string{s.RowID(t, "d1", "s1")}, "again", ""), nil)
		}
		all, total, err := db.AuditLog(ctx, c.ID, 0, 1000)
		if err != nil || len(all) != total {
			t.Fatalf("%d of %d lines: %v", len(all), total, err)
		}
		for _, tt := range []struct {
			f    records.AuditFilter
			want int
		}{
			{records.AuditFilter{Act: "withdraw segment"}, 3},
			{records.AuditFilter{Act: "withdraw"}, 0},
			{records.AuditFilter{Act: "restore segment", Login: records.CommandLine}, 3},
			{records.AuditFilter{Act: "restore segment", Login: s.Lead.Login}, 0},
			{records.AuditFilter{Text: "100%"}, 1},
			{records.AuditFilter{Text: "PER cent"}, 1},
			{records.AuditFilter{Text: "b_c"}, 1},
			{records.AuditFilter{Text: "bxc"}, 0},
			{records.AuditFilter{Text: "s1"}, 6}, // the subject
			{records.AuditFilter{Login: "nobody"}, 0},
			{records.AuditFilter{}, total},
		} {
			tt.f.Limit = 1000
			got, n, err := db.FindAudit(ctx, c.ID, tt.f)
			if err != nil || n != tt.want || len(got) != tt.want {
				t.Errorf("%+v: %d lines of %d (%v), want %d", tt.f, len(got), n, err, tt.want)
			}
		}
		acts, logins, err := db.AuditChoices(ctx, c.ID)
		if err != nil || !slices.Contains(acts, "withdraw segment") || !slices.IsSorted(acts) || !slices.Contains(logins, s.Lead.Login) {
			t.Errorf("choices %v and %v: %v", acts, logins, err)
		}
	})
}

// The parts of the queue that hold what is discarded tell whose doing it was, and
// what failed.
func TestQueueOfDiscarded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.Set("rounds=1"))
		ctx, c := t.Context(), s.Campaign
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 1, 4, 2, 0)
		s.RateNext(t, 0, 1, 1, 1)
		wantErr(t, db.Discard(ctx, c.ID, []string{s.RowID(t, "d1", "s2")}, "odd", s.Lead.ID), nil)
		for only, want := range map[string]string{desk.QueueFailed: "s1", desk.QueueLeft: "s2"} {
			q, err := db.Queue(ctx, c, desk.QueueFilter{Only: only, Limit: 9})
			if err != nil || q.Total != 1 || len(q.Entries) != 1 || q.Entries[0].SegmentID != want {
				t.Fatalf("%s: %+v, %v", only, q, err)
			}
			e := q.Entries[0]
			if q.Failed != 1 || q.Left != 1 || q.All != 0 || e.Status != campaign.Discarded || e.Round != 1 {
				t.Errorf("%s: %+v", only, q)
			}
			if failed := only == desk.QueueFailed; failed != (len(e.Pairs) == 1) || failed && *e.Pairs[0].R != -1 {
				t.Errorf("%s: pairs %+v", only, e.Pairs)
			}
		}
		list, n, err := db.Segments(ctx, c.ID, desk.SegmentFilter{Annotator: s.Annotators[1].Login, Limit: 9})
		if err != nil || n != 1 || len(list) != 1 || list[0].SegmentID != "s1" {
			t.Errorf("submitted by the second: %+v of %d, %v", list, n, err)
		}
	})
}

// Who joins a later round sees their own ratings of the last round that they
// submitted, and nobody's where there is none.
func TestEarlierRatings(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(1), storetest.Annotators(3), storetest.Set("rounds=3"))
		ctx, c, row := t.Context(), s.Campaign, s.RowID(t, "d1", "s1")
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 1, 4, 2, 0)
		wantErr(t, db.ReplaceAnnotator(ctx, c.ID, row, "ann2", "ann3", "away", s.Lead.ID), nil)
		if w := s.Work(t, 2, s.Next(t, 2)); w.Assignment.Round != 2 || w.Again || len(w.Cards[0].Rating.Scores) > 0 {
			t.Errorf("who joins in round 2 sees %+v", w.Cards[0])
		}
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 2, 4, 2, 0)
		wantErr(t, db.FurtherAnnotator(ctx, c.ID, []string{row}, "ann2", "back", s.Lead.ID), nil)
		w := s.Work(t, 1, s.Next(t, 1))
		sum := 0.0
		for _, card := range w.Cards {
			sum += card.Rating.Scores["sqm"]
		}
		if w.Assignment.Round != 3 || !w.Again || sum != 6 {
			t.Errorf("who is back in round 3 sees %+v", w)
		}
	})
}

// Lines that are written while the log is read neither repeat nor hide others.
func TestAuditIsReadByPlace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		for range 5 {
			s.Change(t, "quota=1", "quota=2") // in the same moment, all of them
			s.Change(t, "quota=3")
		}
		all, _, err := db.AuditLog(t.Context(), s.Campaign.ID, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var read []records.AuditEntry
		for f := (records.AuditFilter{Limit: 3}); ; {
			part, _, err := db.FindAudit(t.Context(), s.Campaign.ID, f)
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, part...)
			if len(part) < f.Limit {
				break
			}
			f.After = part[len(part)-1].Place
			db.Clock.Advance(1000)
			s.Change(t, "quota=7", "threshold=0.1")
			s.Change(t, "quota=8", "threshold=0.2")
		}
		if len(all) < 12 || !slices.Equal(read, all) {
			t.Errorf("read\n%v\nwant\n%v", read, all)
		}
		_, _, err = db.FindAudit(t.Context(), s.Campaign.ID, records.AuditFilter{After: "x", Limit: 1})
		wantInvalid(t, err, "after")
	})
}
