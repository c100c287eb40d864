package store_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/plan"
	"annotate/internal/qualification"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

// siteTables are the tables whose rows belong to no campaign.
var siteTables = []string{"application_values", "goose_db_version", "link_holders", "password_holders", "session_holders", "sessions", "sign_in_links", "site_log", "token_holders", "tokens", "user_keys", "users", "job_leases", "sign_in_failures", "second_factors", "recovery_codes", "subjects", "mail_holders"}

// allRows are the rows of every table of the schema, sorted, by the name of the table.
func allRows(t *testing.T, db *storetest.DB) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	for _, table := range storetest.Tables(t, db) {
		rows[table] = []string{}
		for _, row := range storetest.Query[map[string]any](t, db, "SELECT * FROM "+table) {
			rows[table] = append(rows[table], fmt.Sprint(row))
		}
		slices.Sort(rows[table])
	}
	return rows
}

// filledCampaign makes a campaign with rows in every table that can have some of a campaign.
func filledCampaign(t *testing.T, db *storetest.DB, slug string) *storetest.Sample {
	t.Helper()
	s := storetest.Campaign(t, db.Store, storetest.Slug(slug), storetest.Segments(30), storetest.PerDocument(30), storetest.Set("rounds=2"))
	id, ctx := s.Campaign.ID, t.Context()
	scored := storetest.Segment(31, 2, s.Systems)
	scored.References = []campaign.Reference{{Name: "refA", Text: "a reference"}}
	scored.Translations[0].HumanScores = []campaign.HumanScore{{Name: "mqm", Score: 1}}
	storetest.ImportSegments(t, s, scored)
	ratings := storetest.TurnLines(s, "s30", "imported-by-"+slug, 1, 1, 2, 3)
	for _, line := range storetest.TurnLines(s, "s29", "judged-by-"+slug, 0, 1, 2, 3) {
		line.Adjudicated = true
		ratings = append(ratings, line)
	}
	storetest.ImportRatings(t, s, ratings...)
	storetest.Must(db.Intake.ImportScores(ctx, id, storetest.ScoreLines([]campaign.MetricScore{
		{Metric: "m", System: s.Systems[0], DocID: "d1", SegmentID: "s1", Score: 1},
		{Metric: "m", System: s.Systems[0], Score: 2},
	}), intake.ImportOptions{File: "m"}))(t)
	for i := range 2 {
		storetest.RateFirst(t, db, s, 1, i, 0, 2, 4)
	}
	checks := s.MakeSide(t, campaign.Checks, 1)
	checks.Rate(t, 0, checks.GiveSide(t, 0, checks.RowID(t, "d1", "s1")), 0, 1, 2)
	page, text := checks.RowID(t, "d1", "s1"), storetest.Query[string](t, db, "SELECT id FROM translations WHERE segment_id = ?", checks.RowID(t, "d1", "s1"))[0]
	storetest.Exec(t, db, "INSERT INTO check_pages (segment_id, user_id, of_segment, of_document, doc_id) VALUES (?, ?, 'x', 'x', 'x')", page, s.Annotators[0].ID)
	storetest.Exec(t, db, "INSERT INTO checks (translation_id, of_translation, kind) VALUES (?, 'x', 'repeat')", text)
	storetest.Exec(t, db, "INSERT INTO candidates (segment_id, name, text) VALUES (?, 'x', 'x')", s.RowID(t, "d1", "s1"))
	storetest.Exec(t, db, "INSERT INTO degraded_texts (campaign_id, of_translation, text, made_at) VALUES (?, 'x', 'x', 1)", checks.Campaign.ID)
	storetest.Exec(t, db, "INSERT INTO known_answers (translation_id, campaign_id, score, given_at) VALUES (?, ?, 1, 1)", storetest.Query[string](t, db, "SELECT id FROM translations WHERE segment_id = ?", s.RowID(t, "d1", "s1"))[0], id)
	open := s.Next(t, 0)
	s.MakeTraining(t, 1)
	storetest.Check(t, db.Training.ChangeTraining(ctx, id, true, true, s.Lead.ID))
	s.Train(t, 0, 4, 2, 0)
	storetest.Check(t, db.Training.DecideTrainee(ctx, id, "ann1", qualification.QualifyTrainee, "good", s.Lead.ID))
	storetest.Check(t, db.Work.Ask(ctx, s.Campaign, s.Annotators[0].ID, open, "1", "what is that?"))
	storetest.ReportProblem(t, s, 0, open, "what is this?")
	storetest.Check(t, db.Training.SetInstructions(ctx, id, "Be fair.", 0, s.Lead.ID))
	for _, annotator := range s.Annotators {
		storetest.Check(t, db.Training.Accept(ctx, id, 1, annotator.ID))
	}
	storetest.Check(t, db.Work.Announce(ctx, id, "hello", time.Time{}, s.Lead.ID))
	storetest.Check(t, db.Work.ReadAnnouncement(ctx, id, storetest.Must(db.Work.Announcements(ctx, id))(t)[0].ID, s.Annotators[0].ID))
	storetest.Check(t, db.Rounds.FurtherAnnotator(ctx, id, []string{s.RowID(t, "d1", "s5")}, "ann2", "one more", s.Lead.ID))
	storetest.Check(t, db.Rounds.Discard(ctx, id, []string{s.RowID(t, "d1", "s3")}, "no", s.Lead.ID))
	for _, edit := range []plan.Edit{
		{Kind: plan.EditSavePool, Pool: plan.Pool{Name: "all", Pattern: "*", Members: []string{"ann1"}}},
		{Kind: plan.EditSaveBatch, Batch: plan.Batch{Name: "first"}},
		{Kind: plan.EditSetPeople, People: []plan.Person{{Login: "ann1", Share: 2}}},
		{Kind: plan.EditAssign, Logins: []string{"ann1"}},
	} {
		storetest.Must(db.Plan.ChangePlan(ctx, id, edit, "", s.Lead.ID))(t)
	}
	storetest.Must(db.Accounts.Pseudonyms(ctx, id))(t)
	s.Change(t, "threshold=0.5")
	storetest.SetAside(t, s, 1)
	segment := s.RowID(t, "d1", "s1")
	translation := storetest.Query[string](t, db, "SELECT id FROM translations WHERE segment_id = ?", segment)[0]
	user := s.Annotators[0].ID
	for _, row := range []struct {
		table string
		sql   string
		args  []any
	}{
		{"all_suggestions", "(translation_id, import_id, spans) VALUES (?, '', '[]')", []any{translation}},
		{"import_translations", "(translation_id, import_id) VALUES (?, 'i-" + slug + "')", []any{translation}},
		{"all_judges", "(id, campaign_id, name, made_at) VALUES ('j-" + slug + "', ?, 'judge', 1)", []any{id}},
		{"all_judgements", "(translation_id, judge_id, status) VALUES (?, 'j-" + slug + "', 'ok')", []any{translation}},
		{"judgement_traces", "(translation_id, judge_id, trace) VALUES (?, 'j-" + slug + "', '')", []any{translation}},
		{"judge_runs", "(judge_id, method_version, prompt_hash, settings, state, began_at, changed_at) VALUES ('j-" + slug + "', 1, '', '{}', 'running', 1, 1)", nil},
		{"judge_calibrations", "(judge_id, segment_id) VALUES ('j-" + slug + "', ?)", []any{segment}},
		{"judge_replies", "(campaign_id, id, reply) VALUES (?, 'r', '')", []any{id}},
		{"reports", "(campaign_id, choices, state, program, computed_at, body) VALUES (?, '', '', '', 1, '')", []any{id}},
		{"staged_imports", "(campaign_id, id, after_position) VALUES (?, 'i-" + slug + "', 1000)", []any{id}},
		{"hidden_imports", "(id, campaign_id) VALUES ('i-" + slug + "', ?)", []any{id}},
		{"completing_imports", "(campaign_id, id, annotators, ratings) VALUES (?, 'i-" + slug + "', '', 1)", []any{id}},
		{"follows", "(campaign_id, from_id, from_title) VALUES (?, 'gone', 'gone')", []any{id}},
		{"all_terms", "(segment_id, import_id, terms) VALUES (?, '', '[]')", []any{segment}},
		{"lineage", "(segment_id, depth, from_segment, from_campaign, stage) VALUES (?, 1, 'gone', 'gone', 'gone')", []any{segment}},
		{"import_candidates", "(segment_id, name, import_id) VALUES (?, 'x', 'i-" + slug + "')", []any{s.RowID(t, "d1", "s1")}},
		{"untranslated", "(segment_id) VALUES (?)", []any{s.RowID(t, "d1", "s30")}},
		{"aparts", "(campaign_id, other_id) VALUES (?, ?)", []any{id, id}},
		{"web_imports", "(campaign_id, files, began_at, imports) VALUES (?, 'f', 1, 0)", []any{id}},
		{"staged_ratings", "(campaign_id, segment_id, user_id, round, translation_id, scores, spans, gate_score, comment, suggestions, seconds, submitted_at) VALUES (?, ?, ?, 1, ?, '{}', '[]', 1, '', '[]', 1, 1)", []any{id, segment, user, translation}},
		{"jobs", "(id, kind, campaign_id) VALUES ('b-" + slug + "', 'act', ?)", []any{id}},
		{"meetings", "(campaign_id, user_id, other_id, segments) VALUES (?, ?, ?, 1) ON CONFLICT DO NOTHING", []any{id, user, s.Annotators[1].ID}},
		{"settled_answers", "(campaign_id, id, answers) VALUES (?, 'x', '{}')", []any{id}},
		{"undecided", "(segment_id, campaign_id, questions, since) VALUES (?, ?, 'q', 1)", []any{segment, id}},
		{"segment_pairs", "(segment_id, user_id, other_id, campaign_id, round, shared, gold, sort_r, difference) VALUES (?, ?, '-', ?, 1, 1, FALSE, 1, 0)", []any{segment, user, id}},
		{"invitations", "(campaign_id, user_id, role, by_id, at) VALUES (?, ?, 'lead', ?, 1)", []any{id, user, user}},
		{"tokens", "(id, token_hash, user_id, name, writes, everywhere, created_at, expires_at) VALUES ('t-shared', '', ?, 't', FALSE, FALSE, 1, 2) ON CONFLICT DO NOTHING", []any{user}},
		{"token_campaigns", "(token_id, campaign_id) VALUES ('t-shared', ?)", []any{id}},
		{"webhooks", "(id, campaign_id, url, events, secret, created_at) VALUES ('w-" + slug + "', ?, 'u', ' ping ', 's', 1)", []any{id}},
		{"program_jobs", "(id, campaign_id, user_id, people, kind, began_at, expires_at) VALUES ('pj-" + slug + "', ?, ?, 0, 'export', 1, 1)", []any{id, user}},
		{"program_results", "(job_id, part, body) VALUES ('pj-" + slug + "', 0, '')", nil},
		{"reminders", "(campaign_id, user_id, due_on, overdue) VALUES (?, ?, '2026-11-20', FALSE)", []any{id, user}},
		{"deliveries", "(id, webhook_id, campaign_id, event, body, state, created_at, next_at) VALUES ('d-" + slug + "', 'w-" + slug + "', ?, 'ping', '{}', 'failed', 1, 1)", []any{id}},
		{"invitation_holders", "(campaign_id, user_id, holder_id) VALUES (?, ?, ?)", []any{id, user, user}},
	} {
		storetest.Exec(t, db, "INSERT INTO "+row.table+" "+row.sql, row.args...)
	}
	return s
}

// TestDeletedCampaignLeavesNoRow: a campaign with something in every table is gone at once to
// everybody, its rows go with it, and those of another campaign stay as they are, also where the
// program is killed in the middle.
func TestDeletedCampaignLeavesNoRow(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		db.Rows = true
		other := filledCampaign(t, db, "other")
		before := allRows(t, db)
		s := filledCampaign(t, db, "sample")
		for table, rows := range allRows(t, db) {
			if len(rows) <= len(before[table]) && !slices.Contains(siteTables, table) {
				t.Errorf("the campaign has no row in the table %s: fill it in this test", table)
			}
		}
		logged := storetest.Count(t, db, "site_log")

		lead := records.WithActor(t.Context(), records.Actor{UserID: s.Lead.ID})
		storetest.Check(t, db.DeleteCampaign(lead, s.Campaign.ID))
		_, err := db.Records.Campaign(t.Context(), "sample")
		storetest.WantErr(t, err, campaign.ErrNotFound)
		_, _, _, err = db.Accounts.CampaignFor(t.Context(), "sample", s.Lead.ID, "")
		storetest.WantErr(t, err, campaign.ErrNotFound)
		storetest.WantErr(t, db.DeleteCampaign(lead, s.Campaign.ID), campaign.ErrNotFound)
		if stopped := storetest.Query[string](t, db, "SELECT judge_id FROM judge_runs WHERE stop"); !slices.Equal(stopped, []string{"j-sample"}) {
			t.Errorf("the judges %v are asked to stop, want that of the campaign", stopped)
		}
		for _, c := range storetest.Must(db.Records.Campaigns(t.Context()))(t) {
			if c.ID != other.Campaign.ID {
				t.Errorf("campaign %q is listed", c.Slug)
			}
		}
		if mine := storetest.Must(db.Accounts.CampaignsOf(t.Context(), s.Lead.ID))(t); len(mine) != 1 {
			t.Errorf("the lead has %d campaigns, want the other one", len(mine))
		}
		works := storetest.FailStatement(db.Store, "DELETE FROM all_segments", 4)
		if err := db.CompleteDeletions(t.Context()); err == nil {
			t.Fatal("the deletion was not stopped in the middle")
		}
		works()
		left := storetest.Count(t, db, "all_segments WHERE campaign_id = ?", s.Campaign.ID)
		if left == 0 || left == 31 {
			t.Fatalf("%d segments were left when the deletion was stopped", left)
		}
		storetest.Check(t, db.CompleteDeletions(t.Context()))

		after := allRows(t, db)
		for _, table := range slices.Sorted(maps.Keys(after)) {
			if table != "site_log" && table != "application_values" && !slices.Equal(after[table], before[table]) {
				t.Errorf("%s has %d rows, and had %d before the campaign was made:\n%v\n%v", table, len(after[table]), len(before[table]), after[table], before[table])
			}
		}
		entry := storetest.Query[struct{ Login, Subject, Detail string }](t, db, "SELECT u.login, l.subject, l.detail FROM site_log l JOIN users u ON u.id = l.user_id WHERE l.act = 'delete campaign'")
		if len(entry) != 1 || entry[0].Login != "lead" || entry[0].Subject != "sample" || entry[0].Detail == "" || storetest.Count(t, db, "site_log") != logged+1 {
			t.Errorf("the log of the site says %+v", entry)
		}
	})
}

// TestDeletedSlugIsFree: another campaign can take the slug before the rows are deleted, and keeps it.
func TestDeletedSlugIsFree(t *testing.T) {
	db := storetest.Open(t)
	old := storetest.Campaign(t, db.Store)
	storetest.Check(t, db.DeleteCampaign(t.Context(), old.Campaign.ID))
	fresh := storetest.Campaign(t, db.Store)
	fresh.RateNext(t, 0, 0, 2, 4)
	storetest.Check(t, db.Housekeep(t.Context()))
	if found := storetest.Must(db.Records.Campaign(t.Context(), "sample"))(t); found.ID != fresh.Campaign.ID {
		t.Error("the new campaign is not found by its slug")
	}
	storetest.WantCount(t, db, 1, "campaigns")
	if p := storetest.Must(db.Desk.Standing(t.Context(), fresh.Campaign))(t); p.Ratings != 3 {
		t.Errorf("the new campaign has %d ratings, want 3", p.Ratings)
	}
}

// TestDeletingEndsWork: annotators with an open page, imports and new work are refused once the
// campaign is deleted.
func TestDeletingEndsWork(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store)
	open := s.Next(t, 0)
	storetest.Check(t, db.DeleteCampaign(t.Context(), s.Campaign.ID))
	if err := s.TryRate(t.Context(), 0, open, 0, 2, 4); err == nil {
		t.Error("a rating of a deleted campaign was taken")
	}
	_, err := db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.SegmentLines(storetest.Segment(9, 9, s.Systems)), intake.ImportOptions{})
	storetest.WantErr(t, err, campaign.ErrNotFound)
	storetest.Check(t, db.CompleteDeletions(t.Context()))
	storetest.WantCount(t, db, 0, "assignments")
}
