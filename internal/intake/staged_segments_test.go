package intake_test

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

// Annotators save and submit while an import is under way, and see nothing of it
// before its end.
func TestImportSegmentsKeepsNobodyWaiting(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		storetest.SetImportStep(db.Store, stagedStep)
		a := s.Next(t, 0)
		before, looked := shown(t, s), false
		state := storetest.Must(db.Desk.ReportState(t.Context(), s.Campaign.ID))(t)
		report, err := db.Intake.ImportSegments(t.Context(), s.Campaign.ID, during(newLines(100, 18, s.Systems), 17, func() {
			looked = true
			if now := shown(t, s); now != before {
				t.Errorf("in the middle of the import\n%s is shown, before it\n%s", now, before)
			}
			if now := storetest.Must(db.Desk.ReportState(t.Context(), s.Campaign.ID))(t); now != state {
				t.Errorf("in the middle of the import the state is %s, before it %s", now, state)
			}
			s.Save(t, 0, a, 0, 3)
			s.Rate(t, 0, a, 3, 2, 1)
			if next := s.Next(t, 1); len(s.Work(t, 1, next).Cards) == 0 {
				t.Error("nobody gets work")
			}
			s.Change(t, "timezone=Asia/Tokyo") // which counts the campaign from scratch
		}), intake.ImportOptions{File: "f.jsonl", ByID: s.Lead.ID})
		if err != nil || !looked || report.Segments != 18 {
			t.Fatalf("%+v, %v", report, err)
		}
		p := s.Progress(t)
		if p.Segments.Total() != 4+18 || p.Ratings != 3 {
			t.Errorf("afterwards %d segments, %d ratings", p.Segments.Total(), p.Ratings)
		}
	})
}

// The first import of a campaign brings its systems, which nobody sees before the
// segments.
func TestFirstImportIsHidden(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(0))
	storetest.SetImportStep(db.Store, stagedStep)
	before := shown(t, s)
	_, err := db.Intake.ImportSegments(t.Context(), s.Campaign.ID, during(newLines(1, 13, []string{"a", "b"}), 12, func() {
		if now := shown(t, s); now != before {
			t.Errorf("in the middle of the import\n%s is shown, before it\n%s", now, before)
		}
	}), intake.ImportOptions{})
	storetest.Check(t, err)
	if got := storetest.Must(db.Records.Systems(t.Context(), s.Campaign.ID))(t); len(got) != 2 || len(s.All(t)) != 13 {
		t.Errorf("afterwards systems %q, %d segments", got, len(s.All(t)))
	}
}

// What an import is about may change while it is under way.
func TestImportIntoAChangedCampaign(t *testing.T) {
	db := storetest.Open(t)
	storetest.SetImportStep(db.Store, stagedStep)
	for name, happens := range map[string]func(*storetest.Sample){
		"closed": func(s *storetest.Sample) { s.SetState(t, campaign.Closed) },
		"languages": func(s *storetest.Sample) {
			source, target := "fr", "de"
			storetest.Check(t, db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{SourceLang: &source, TargetLang: &target}))
		},
	} {
		s := storetest.Campaign(t, db.Store, storetest.Slug(name), storetest.Segments(0))
		if name == "languages" {
			db.Rows = true
			storetest.Exec(t, db, "UPDATE campaigns SET source_lang = '', target_lang = '' WHERE id = ?", s.Campaign.ID)
		}
		var before map[string]int
		lines := during(newLines(1, 13, []string{"a"}), 12, func() { happens(s); before = storetest.RowCounts(t, db) })
		_, err := db.Intake.ImportSegments(t.Context(), s.Campaign.ID, withLanguages(lines), intake.ImportOptions{})
		storetest.WantErr(t, err, campaign.ErrConflict)
		after := storetest.RowCounts(t, db)
		for _, table := range []string{"all_segments", "all_systems", "documents", "translations", "all_segment_tallies", "staged_imports"} {
			if after[table] != 0 {
				t.Errorf("%s: %d rows of %s are left of %d", name, after[table], table, before[table])
			}
		}
	}
}
