package records_test

import (
	"maps"
	"slices"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

func TestFindAudit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2))
		ctx, c := t.Context(), s.Campaign
		for _, reason := range []string{"100% odd", "100 per cent odd", `a \\ b_c`} {
			storetest.WantErr(t, db.Rounds.Withdraw(ctx, c.ID, []string{s.RowID(t, "d1", "s1")}, reason, s.Lead.ID), nil)
			storetest.WantErr(t, db.Rounds.RestoreSegments(ctx, c.ID, []string{s.RowID(t, "d1", "s1")}, "again", ""), nil)
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
			got, n, err := db.Records.FindAudit(ctx, c.ID, tt.f)
			if err != nil || n != tt.want || len(got) != tt.want {
				t.Errorf("%+v: %d lines of %d (%v), want %d", tt.f, len(got), n, err, tt.want)
			}
		}
		acts, logins, err := db.Records.AuditChoices(ctx, c.ID)
		if err != nil || !slices.Contains(acts, "withdraw segment") || !slices.IsSorted(acts) || !slices.Contains(logins, s.Lead.Login) {
			t.Errorf("choices %v and %v: %v", acts, logins, err)
		}
	})
}

// TestAuditOfSides: the log of a campaign has the acts in its training and its checks, says where
// they were, and has no act of another campaign.
func TestAuditOfSides(t *testing.T) {
	db, s := storetest.New(t)
	other := storetest.Campaign(t, db.Store, storetest.Slug("other"))
	for of, act := range map[*storetest.Sample]string{
		s: "act on work", s.MakeSide(t, campaign.Training, 1): "act on training", s.MakeSide(t, campaign.Checks, 1): "act on checks",
		other.MakeSide(t, campaign.Training, 1): "act elsewhere",
	} {
		storetest.Check(t, db.DB.Write(t.Context(), func(tx *database.Tx) error {
			return db.Records.Audit(tx, of.Campaign.ID, s.Lead.ID, act, "the subject", "")
		}))
	}
	entries, total, err := db.Records.FindAudit(t.Context(), s.Campaign.ID, records.AuditFilter{Text: "the subject", Limit: 10})
	storetest.Check(t, err)
	got := map[string]campaign.Side{}
	for _, e := range entries {
		got[e.Act] = e.Side
	}
	want := map[string]campaign.Side{"act on work": "", "act on training": campaign.Training, "act on checks": campaign.Checks}
	if total != len(want) || !maps.Equal(got, want) {
		t.Errorf("the log has %d entries: %v", total, got)
	}
	acts, _, err := db.Records.AuditChoices(t.Context(), s.Campaign.ID)
	storetest.Check(t, err)
	if !slices.Contains(acts, "act on training") || !slices.Contains(acts, "act on checks") || slices.Contains(acts, "act elsewhere") {
		t.Errorf("acts to choose from: %v", acts)
	}
}

// If lines are added while the log is read page by page, every older line is still read once.
func TestAuditIsReadByPlace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		for range 5 {
			s.Change(t, "quota=1", "quota=2") // in the same moment, all of them
			s.Change(t, "quota=3")
		}
		all, _, err := db.AuditLog(t.Context(), s.Campaign.ID, 0, 1000)
		storetest.Check(t, err)
		var read []readmodel.AuditEntry
		for f := (records.AuditFilter{Limit: 3}); ; {
			part, _, err := db.Records.FindAudit(t.Context(), s.Campaign.ID, f)
			storetest.Check(t, err)
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
		_, _, err = db.Records.FindAudit(t.Context(), s.Campaign.ID, records.AuditFilter{After: "x", Limit: 1})
		storetest.WantInvalid(t, err, "after")
	})
}
