package transfer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/plan"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// agreedRatings are ratings of the segments of curated: the first is kept, with a cleaned source and a text that both gave, the
// third is kept, too, and the second is dropped.
const agreedRatings = `{"doc_id":"d","segment_id":"1","annotator":"ann","scores":{"difficulty":4},"answers":{"keep":"yes","cleaned":"Ein Satz!","best":"y","edited":"Two!"}}
{"doc_id":"d","segment_id":"1","annotator":"ben","scores":{"difficulty":3},"answers":{"keep":"yes","cleaned":"Ein Satz!","best":"y","edited":"Two!"}}
{"doc_id":"d","segment_id":"2","annotator":"ann","answers":{"keep":"no","best":""},"comment":"noise"}
{"doc_id":"d","segment_id":"2","annotator":"ben","answers":{"keep":"no","best":""},"comment":"noise"}
{"doc_id":"d","segment_id":"3","annotator":"ann","scores":{"difficulty":1},"answers":{"keep":"yes","cleaned":"Und einer.","best":"z","edited":"And."}}
{"doc_id":"d","segment_id":"3","annotator":"ben","scores":{"difficulty":2},"answers":{"keep":"yes","cleaned":"Und einer.","best":"z","edited":"And."}}
`

// settled makes a campaign that has settled the segments of curated.
func settled(t *testing.T, st *store.Store, slug string) campaign.Campaign {
	t.Helper()
	c := curation(t, st, slug)
	storetest.Check(t, read(t, st, c, "jsonl", curated))
	storetest.Check(t, read(t, st, c, "ratings", agreedRatings))
	return c
}

// newCampaign makes a campaign of a protocol that comes with the program.
func newCampaign(t *testing.T, st *store.Store, slug, id string, set ...string) campaign.Campaign {
	t.Helper()
	p, _ := protocol.Lookup(id)
	settings := storetest.Must(campaign.DefaultSettings(p).WithPairs(set))(t)
	return storetest.Must(st.Accounts.CreateCampaign(t.Context(), campaign.Campaign{Slug: slug, Title: "The stage " + slug, Protocol: id, Settings: settings}, ""))(t)
}

// follow makes next follow prev.
func follow(t *testing.T, st *store.Store, next, prev campaign.Campaign, where, carry string) {
	t.Helper()
	rule := storetest.Must(campaign.NewFollow(prev.Rules, strings.Fields(where), strings.Fields(carry)))(t)
	storetest.Check(t, st.Intake.Follow(t.Context(), next.ID, prev.ID, rule, ""))
}

func allOf(t *testing.T, st *store.Store, c campaign.Campaign) (out []campaign.Segment) {
	t.Helper()
	for s, err := range st.Records.AllSegments(t.Context(), c) {
		storetest.Check(t, err)
		out = append(out, s)
	}
	return out
}

// TestTakeOver: what is settled and meets the conditions comes over once, with what it brings; undoing restores what was; and what
// changes in the forebear or its campaign is named and changes nothing.
func TestTakeOver(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		st, ctx := db.Store, t.Context()
		prev, next := settled(t, st, "prev"), curation(t, st, "next")
		follow(t, st, next, prev, "keep=yes difficulty>=2", "source reference answers")
		following := storetest.Must(st.Intake.Following(ctx, next))(t)
		if following.Ready != 1 || following.Slug != "prev" || strings.Join(following.Where, " ") != "keep=yes difficulty>=2" {
			t.Errorf("the campaign follows %+v", following)
		}
		for range 2 { // the second time after undoing
			report := storetest.Must(st.Intake.TakeOver(ctx, next.ID, ""))(t)
			got := allOf(t, st, next)
			if report.Segments != 1 || len(got) != 1 {
				t.Fatalf("%+v brought %+v", report, got)
			}
			if s := got[0]; s.SegmentID != "1" || s.Source != "Ein Satz!" || !s.RatedItself() || s.Candidates != nil || len(s.References) != 1 || s.References[0] != (campaign.Reference{Name: "ref", Text: "Two!"}) || s.Status != campaign.Pending {
				t.Errorf("the segment came over as %+v", s)
			}
			_, err := st.Intake.TakeOver(ctx, next.ID, "")
			storetest.WantErr(t, err, campaign.ErrConflict)
			list := storetest.Must(st.Intake.Imports(ctx, next.ID))(t)
			if i := list[0]; i.Kind != "take-over" || i.Files != "prev" || i.Brought != "1 segment, 1 reference" {
				t.Errorf("the import is listed as %+v", i)
			}
			storetest.Check(t, st.Intake.UndoImport(ctx, next.ID, list[0].ID, intake.UndoOptions{}))
			if left := storetest.Count(t, db, "lineage"); left != 0 || len(allOf(t, st, next)) != 0 {
				t.Errorf("undoing leaves %d rows of lineage", left)
			}
		}
		storetest.Must(st.Intake.TakeOver(ctx, next.ID, ""))(t)

		// A third campaign takes over from the second one and knows both forebears.
		last := newCampaign(t, st, "last", "esa")
		follow(t, st, last, next, "", "reference")
		again := `{"segment_id":"1","annotator":"cleo","scores":{"difficulty":5},"answers":{"keep":"yes","cleaned":"Ein Satz!!","best":"","edited":"Three!"}}`
		storetest.Check(t, read(t, st, next, "ratings", again+"\n"+strings.ReplaceAll(again, "cleo", "dora")))
		storetest.Must(st.Intake.TakeOver(ctx, last.ID, ""))(t)
		if c := storetest.Must(st.Records.Campaign(ctx, "last"))(t); c.SourceLang != "de" || c.TargetLang != "en" {
			t.Errorf("the languages are %s", c.LanguagePair())
		}
		id := storetest.Must(st.Records.SegmentRowID(ctx, last.ID, "d", "1"))(t)
		if s := allOf(t, st, last)[0]; s.Source != "Ein Satz!" || len(s.Translations) != 0 || s.References[0].Text != "Three!" {
			t.Errorf("the segment came over as %+v", s)
		}
		stages := storetest.Must(records.ForebearsOf(db.DB.Read(ctx), []string{id}))(t)[id]
		if len(stages) != 2 || stages[0].Stage != "next" || stages[1].Stage != "prev" {
			t.Errorf("the forebears are %+v", stages)
		}
		for _, bad := range [][2]campaign.Campaign{{prev, last}, {prev, prev}, {next, last}} {
			if err := st.Intake.Follow(ctx, bad[0].ID, bad[1].ID, campaign.Follow{}, ""); err == nil {
				t.Errorf("%s may follow %s", bad[0].Slug, bad[1].Slug)
			}
		}

		// A copy follows no campaign.
		copied := storetest.Must(st.Accounts.CopyCampaign(ctx, next, accounts.CampaignCopy{Slug: "copy", Title: "copy"}, ""))(t)
		if f := storetest.Must(st.Intake.Following(ctx, copied))(t); f != nil {
			t.Errorf("the copy follows %+v", f)
		}

		// An archived campaign hands nothing on, and a deleted one leaves what it gave.
		storetest.Check(t, st.Rounds.Archive(ctx, prev.ID, ""))
		if f := storetest.Must(st.Intake.Following(ctx, next))(t); !f.Archived || f.Ready != 0 {
			t.Errorf("an archived campaign: %+v", f)
		}
		storetest.Check(t, st.DeleteCampaign(ctx, prev.ID))
		storetest.Check(t, st.CompleteDeletions(ctx))
		if f := storetest.Must(st.Intake.Following(ctx, next))(t); !f.Gone || f.Title != "prev" {
			t.Errorf("a deleted campaign: %+v", f)
		}
		_, err := st.Intake.TakeOver(ctx, next.ID, "")
		storetest.WantErr(t, err, campaign.ErrConflict)
		if got := allOf(t, st, next); len(got) != 1 || got[0].References[0].Text != "Two!" {
			t.Errorf("the deletion left %+v", got)
		}
	})
}

// answer answers the segment that a user of a campaign is handed next, and returns what the page showed.
func answer(t *testing.T, st *store.Store, c campaign.Campaign, userID, comment string, answers map[string]protocol.Answer) work.Work {
	t.Helper()
	return submitRating(t, st, c, userID, protocol.Rating{Answers: answers, Scores: map[string]float64{}, Comment: comment})
}

// submitRating is [answer] with scores.
func submitRating(t *testing.T, st *store.Store, c campaign.Campaign, userID string, rating protocol.Rating) work.Work {
	t.Helper()
	ctx := t.Context()
	id := storetest.Must(st.Work.Next(ctx, c.ID, userID))(t)
	w := storetest.Must(st.Work.LoadWork(ctx, c, id, userID))(t)
	storetest.Must(st.Work.SaveCard(ctx, c, userID, work.CardSave{AssignmentID: id, CardID: w.Cards[0].ID, Revision: w.Cards[0].Revision, Rating: rating}))(t)
	storetest.Check(t, st.Work.Submit(ctx, c, userID, id, storetest.Revisions(storetest.Must(st.Work.LoadWork(ctx, c, id, userID))(t))))
	return w
}

// TestTermsCarried: settled terms come over as given terms with the reference that their counterparts lie in, once; a segment without
// one stays behind, a lead can give a segment to nobody before it has translations, or if its only term is in the reference, and later
// terms are named.
func TestTermsCarried(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		st, ctx := db.Store, t.Context()
		prev, next := newCampaign(t, st, "prev", "terms"), newCampaign(t, st, "next", "culture", "follow=auto")
		storetest.Check(t, read(t, st, prev, "jsonl", `{"segment_id":"1","source":"Eine Schultüte.","references":{"ref":"A school cone."},"source_lang":"de","target_lang":"en"}
{"segment_id":"2","source":"Ein Zug.","references":{"ref":"A train."}}
{"segment_id":"3","source":"Er weint.","references":{"ref":"It rains cats and dogs."}}
`))
		term := `{"segment_id":"1","annotator":"WHO","spans":[{"id":"a","side":"source","start":5,"end":14,"category":"Material","answers":{"explication":"A paper cone."},"link":"b"},{"id":"b","side":"reference","start":2,"end":13,"category":"Material"}]}` + "\n"
		none := `{"segment_id":"2","annotator":"WHO","spans":[]}
{"segment_id":"3","annotator":"WHO","spans":[{"id":"c","side":"reference","start":9,"end":22,"category":"Linguistic"}]}` + "\n"
		storetest.Check(t, read(t, st, prev, "ratings", strings.ReplaceAll(term+none, "WHO", "ann")+strings.ReplaceAll(term+none, "WHO", "ben")))
		rule := storetest.Must(campaign.NewFollow(prev.Rules, nil, []string{"terms", "reference"}))(t)
		if err := st.Intake.Follow(ctx, newCampaign(t, st, "rating", "sqm").ID, prev.ID, rule, ""); err == nil || !strings.Contains(err.Error(), "leave terms out") {
			t.Errorf("a campaign that takes no terms follows with terms: %v", err)
		}
		follow(t, st, next, prev, "", "terms reference")
		storetest.Check(t, st.Housekeep(ctx))
		got := allOf(t, st, next)
		if len(got) != 1 || got[0].SegmentID != "1" || len(got[0].Terms) != 2 {
			t.Fatalf("%+v came over", got)
		}
		if from, to := got[0].Terms[0], got[0].Terms[1]; from.Text != "Schultüte" || from.Answers["explication"] != "A paper cone." || from.Link != to.ID || to.Text != "school cone" {
			t.Errorf("the terms are %+v", got[0].Terms)
		}
		if f := storetest.Must(st.Intake.Following(ctx, next))(t); f.Ready != 0 {
			t.Errorf("%d segments are ready", f.Ready)
		}
		id := storetest.Must(st.Records.SegmentRowID(ctx, next.ID, got[0].DocID, "1"))(t)
		user := storetest.AddUser(t, db, "cleo")
		storetest.Check(t, st.Accounts.AddMember(ctx, next.ID, user.Login, campaign.Annotator, ""))
		give := func() error {
			return st.Rounds.FurtherAnnotator(ctx, next.ID, []string{id}, "cleo", "a reason", "")
		}
		storetest.WantErr(t, give(), campaign.ErrConflict)
		storetest.Check(t, read(t, st, storetest.Must(st.Records.Campaign(ctx, "next"))(t), "jsonl", `{"segment_id":"1","source":"Eine Schultüte.","translations":{"x":"A bag."}}`+"\n"))
		storetest.Check(t, give())
		storetest.Check(t, read(t, st, storetest.Must(st.Records.Campaign(ctx, "next"))(t), "jsonl", `{"segment_id":"3","source":"Er weint.","references":{"reference":"It rains cats and dogs."},"translations":{"x":"He cries."}}`+"\n"))
		storetest.Check(t, read(t, st, storetest.Must(st.Records.Campaign(ctx, "next"))(t), "terms", `{"segment_id":"3","side":"reference","start":9,"end":22,"category":"Linguistic"}`+"\n"))
		id3 := storetest.Must(st.Records.SegmentRowID(ctx, next.ID, allOf(t, st, next)[1].DocID, "3"))(t)
		storetest.WantErr(t, st.Rounds.FurtherAnnotator(ctx, next.ID, []string{id3}, "cleo", "a reason", ""), campaign.ErrConflict) // no term in its source
		again := strings.ReplaceAll(term, "A paper cone.", "A cone.")
		storetest.Check(t, read(t, st, prev, "ratings", strings.ReplaceAll(again, "WHO", "dora")))
		lineage := storetest.Must(st.Desk.Lineage(ctx, storetest.Must(st.Records.Campaign(ctx, "next"))(t), id, func(string) bool { return true }))(t)
		if changed := strings.Join(lineage.Stages[0].Changed, "; "); changed != "its terms are explained or linked differently" {
			t.Errorf("changed: %q", changed)
		}
		if terms := lineage.Stages[0].Terms; len(terms) != 1 || terms[0].Text != "Schultüte" || terms[0].Category != "Material" || terms[0].Counterpart != "school cone" {
			t.Errorf("the terms of the stage are %+v", terms)
		}
	})
}

// TestFollowAuto: housekeeping takes over what is ready, one import a run, and undoing waits until it no longer would.
func TestFollowAuto(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		st, ctx := db.Store, t.Context()
		prev, next := settled(t, st, "prev"), newCampaign(t, st, "next", "sqm", "follow=auto")
		follow(t, st, next, prev, "keep=yes", "")
		for range 2 {
			storetest.Check(t, st.Housekeep(ctx))
		}
		list := storetest.Must(st.Intake.Imports(ctx, next.ID))(t)
		if got := allOf(t, st, next); len(got) != 2 || got[0].Source != "Ein Satz." || len(list) != 1 {
			t.Errorf("%d imports brought %+v", len(list), got)
		}
		storetest.WantErr(t, st.Intake.UndoImport(ctx, next.ID, list[0].ID, intake.UndoOptions{}), campaign.ErrConflict)
		storetest.Check(t, st.Rounds.ChangeCampaign(ctx, next.ID, "", records.CampaignChange{Settings: []string{"follow=ask"}}))
		storetest.Check(t, st.Intake.UndoImport(ctx, next.ID, list[0].ID, intake.UndoOptions{}))
		storetest.Check(t, st.Housekeep(ctx))
		if got := allOf(t, st, next); len(got) != 0 {
			t.Errorf("the campaign took over %+v", got)
		}
	})
}

// TestRatingAfterCuration: a segment that was taken over is handed out once an import has brought translations of it, or candidates
// where these are chosen from. They join by id although the source was edited; undoing takes them away again. If the file brings a segment
// that was not taken over, the outcome says so, and it counts no system where segments are rated.
func TestRatingAfterCuration(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		st, ctx := db.Store, t.Context()
		prev := settled(t, st, "prev")
		for _, c := range []struct {
			next  campaign.Campaign
			lines string
		}{
			{newCampaign(t, st, "rating", "sqm"), `{"doc_id":"d","segment_id":"1","source":"Ein Satz.","translations":{"sys1":"A sentence!","sys2":"One!"}}` + "\n"},
			{newCampaign(t, st, "writing", "reference"), `{"doc_id":"d","segment_id":"1","source":"Ein Satz.","translations":{"c1":"A sentence!","c2":"One!"}}` + "\n"},
		} {
			follow(t, st, c.next, prev, "keep=yes", "source")
			storetest.Must(st.Intake.TakeOver(ctx, c.next.ID, ""))(t)
			user := storetest.AddUser(t, db, "ann-"+c.next.Slug)
			storetest.Check(t, st.Accounts.AddMember(ctx, c.next.ID, user.Login, campaign.Annotator, ""))
			next := func() error {
				_, err := st.Work.Next(ctx, c.next.ID, user.ID)
				return err
			}
			storetest.WantErr(t, next(), campaign.ErrNoWork)
			fresh := storetest.Must(st.Records.Campaign(ctx, c.next.Slug))(t)
			if c.next.Slug == "writing" {
				err := read(t, st, fresh, "jsonl", c.lines+c.lines)
				storetest.WantProblems(t, err, `2 segment_id segment "1" of document "d" is there twice`)
			}
			storetest.Check(t, read(t, st, fresh, "jsonl", c.lines))
			got := allOf(t, st, fresh)
			if len(got) != 2 || got[0].Source != "Ein Satz!" || len(got[0].Translations)+len(got[0].Candidates) < 2 {
				t.Errorf("%s: %+v", c.next.Slug, got)
			}
			if err := read(t, st, fresh, "jsonl", c.lines); err == nil || !strings.Contains(err.Error(), "there twice") {
				t.Errorf("%s: the same translations again: %v", c.next.Slug, err)
			}
			list := storetest.Must(st.Intake.Imports(ctx, c.next.ID))(t)
			storetest.Check(t, st.Intake.UndoImport(ctx, c.next.ID, list[0].ID, intake.UndoOptions{}))
			storetest.WantErr(t, next(), campaign.ErrNoWork)
			if got := allOf(t, st, fresh); len(got) != 2 || got[0].Candidates != nil || !got[0].RatedItself() && len(got[0].Translations) > 0 {
				t.Errorf("%s: undoing leaves %+v", c.next.Slug, got)
			}
			// Neither a check nor what is undone leaves systems, which would refuse those of another file.
			others := []File{{Name: "g.jsonl", Reader: strings.NewReader(strings.ReplaceAll(c.lines, "sys", "other"))}}
			storetest.Must(Import(ctx, st, fresh, Request{Format: "jsonl", Check: true, Files: others}))(t)
			if systems := storetest.Must(st.Records.Systems(ctx, c.next.ID))(t); len(systems) > 0 != fresh.Rules.OfSegments() {
				t.Errorf("%s: a check leaves the systems %q", c.next.Slug, systems)
			}
			both := c.lines + strings.Replace(c.lines, `"segment_id":"1"`, `"segment_id":"other"`, 1)
			report := storetest.Must(Import(ctx, st, fresh, Request{Format: "jsonl", Files: []File{{Name: "f.jsonl", Reader: strings.NewReader(both)}}}))(t)
			notes := strings.Join(report.Notes, "\n")
			if report.Known != 1 || report.Segments != 1 || len(report.Systems) > 0 != (c.next.Slug == "rating") || !strings.Contains(notes, "1 segment that the campaign did not have was added") {
				t.Errorf("%s: the outcome is %+v", c.next.Slug, report)
			}
			if strings.Contains(notes, "source") {
				t.Errorf("%s: the source before it was edited is told: %q", c.next.Slug, notes)
			}
			storetest.Check(t, next())
		}
	})
}

// TestStayedBehind: an import says how many of its new segments the followed campaign has and did not hand on, because they don't meet a
// condition or nobody has taken them over yet.
func TestStayedBehind(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		st, ctx := db.Store, t.Context()
		prev := settled(t, st, "prev")
		next := newCampaign(t, st, "next", "reference")
		follow(t, st, next, prev, "keep=yes", "source")
		storetest.Must(st.Intake.TakeOver(ctx, next.ID, ""))(t)
		there := map[string]bool{}
		for _, s := range allOf(t, st, next) {
			there[s.SegmentID] = true
		}
		var lines string
		behind := 0
		for _, s := range allOf(t, st, prev) {
			lines += fmt.Sprintf(`{"doc_id":%q,"segment_id":%q,"source":%q,"translations":{"a":"One!"}}`+"\n", s.DocID, s.SegmentID, s.Source)
			if !there[s.SegmentID] {
				behind++
			}
		}
		if behind == 0 || len(there) == 0 {
			t.Fatalf("%d segments were taken over, %d were not", len(there), behind)
		}
		lines += `{"doc_id":"elsewhere","segment_id":"1","source":"Neu.","translations":{"a":"New."}}` + "\n"
		early := newCampaign(t, st, "early", "reference")
		follow(t, st, early, prev, "keep=yes", "source")
		for slug, want := range map[string]string{
			"next":  fmt.Sprintf("%d of the new segments is in prev too and was not taken over from there; undo the import and leave its line out", behind),
			"early": fmt.Sprintf("%d of the new segments are in prev too and were not taken over from there; undo the import and leave their lines out", behind+len(there)),
		} {
			fresh := storetest.Must(st.Records.Campaign(ctx, slug))(t)
			report := storetest.Must(Import(ctx, st, fresh, Request{Format: "jsonl", Files: []File{{Name: "f.jsonl", Reader: strings.NewReader(lines)}}}))(t)
			if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, want) {
				t.Errorf("%s: notes %q, want %q", slug, notes, want)
			}
		}
	})
}

// TestAnotherSource: an import says where a line brings texts to a segment that never had the source of the line.
func TestAnotherSource(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		st, ctx := db.Store, t.Context()
		prev := settled(t, st, "prev")
		for protocol, texts := range map[string]string{"sqm": "translations", "reference": "candidates"} {
			next := newCampaign(t, st, protocol, protocol)
			follow(t, st, next, prev, "", "source")
			storetest.Must(st.Intake.TakeOver(ctx, next.ID, ""))(t)
			lines := `{"doc_id":"d","segment_id":"1","source":" Ein Satz! ","translations":{"a":"A sentence!"}}` + "\n" +
				`{"doc_id":"d","segment_id":"2","source":"Etwas anderes.","translations":{"a":"Something else."}}` + "\n"
			fresh := storetest.Must(st.Records.Campaign(ctx, next.Slug))(t)
			report := storetest.Must(Import(ctx, st, fresh, Request{Format: "jsonl", Files: []File{{Name: "f.jsonl", Reader: strings.NewReader(lines)}}}))(t)
			if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, "1 line has a source that the segment has neither here nor in an earlier campaign, first at f.jsonl:2, field source") {
				t.Errorf("%s of another source: %q", texts, notes)
			}
		}
	})
}

// TestApart: nobody is handed a segment whose forebear they had in a campaign that is named, nor given it by a lead, also across a
// campaign in between.
func TestApart(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		st, ctx := db.Store, t.Context()
		prev, middle := settled(t, st, "prev"), curation(t, st, "middle")
		follow(t, st, middle, prev, "keep=yes", "candidates")
		storetest.Must(st.Intake.TakeOver(ctx, middle.ID, ""))(t)
		ratings := strings.NewReplacer(`"ann"`, `"cleo"`, `"ben"`, `"dora"`).Replace(agreedRatings)
		lines := strings.SplitAfter(ratings, "\n")
		storetest.Check(t, read(t, st, middle, "ratings", strings.Join(append(lines[:2], lines[4:]...), "")))
		last := newCampaign(t, st, "last", "review", "apart=prev", "redundancy=2")
		follow(t, st, last, middle, "", "reference")
		storetest.Must(st.Intake.TakeOver(ctx, last.ID, ""))(t)
		give := func(login string) (string, error) {
			user := storetest.Must(st.Accounts.UserByLogin(ctx, login))(t)
			storetest.Exec(t, db, "UPDATE users SET imported = FALSE WHERE id = ?", user.ID)
			storetest.Check(t, st.Accounts.AddMember(ctx, last.ID, login, campaign.Annotator, ""))
			return st.Work.Next(ctx, last.ID, user.ID)
		}
		_, err := give("ann")
		storetest.WantErr(t, err, campaign.ErrNoWork)
		// Nor does a plan keep a place for them that they would never be handed.
		for _, edit := range []plan.Edit{{Kind: plan.EditAssign, Documents: []string{"d"}, Logins: []string{"ann"}}, {Kind: plan.EditBalance, Documents: []string{"d"}}} {
			change := storetest.Must(st.Plan.PreviewPlan(ctx, storetest.Must(st.Records.Campaign(ctx, last.Slug))(t), edit))(t)
			if len(change.Documents) > 0 {
				t.Errorf("%s plans %+v", edit.Kind, change.Documents)
			}
		}
		storetest.Must(give("cleo"))(t)
		segment := storetest.Must(st.Records.SegmentRowID(ctx, last.ID, "d", "1"))(t)
		err = st.Rounds.FurtherAnnotator(ctx, last.ID, []string{segment}, "ann", "one more", "")
		storetest.WantErr(t, err, campaign.ErrConflict)
		if err == nil || !strings.Contains(err.Error(), "ann had segment") {
			t.Errorf("a lead gives it: %v", err)
		}
		storetest.Check(t, st.Rounds.ChangeCampaign(ctx, last.ID, "", records.CampaignChange{Settings: []string{"apart=prev,middle"}}))
		_, err = give("dora")
		storetest.WantErr(t, err, campaign.ErrNoWork)
		storetest.Check(t, st.Rounds.ChangeCampaign(ctx, last.ID, "", records.CampaignChange{Settings: []string{"apart="}}))
		storetest.Must(give("dora"))(t)
	})
}

// TestSteps: segments are found by their step in a chain, and by the scores of their sources.
func TestSteps(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		st, ctx := db.Store, t.Context()
		prev, next, other := settled(t, st, "prev"), newCampaign(t, st, "next", "sqm"), newCampaign(t, st, "other", "sqm")
		for _, c := range []campaign.Campaign{next, other} {
			follow(t, st, c, prev, "keep=yes difficulty>=2", "")
		}
		storetest.Check(t, read(t, st, prev, "jsonl", `{"doc_id":"e","segment_id":"4","source":"Vier."}`+"\n"+`{"doc_id":"e","segment_id":"5","source":"Fünf."}`))
		storetest.Check(t, read(t, st, prev, "scores", `{"metric":"hard","segment_id":"4","score":2.5}`+"\n"+`{"metric":"hard","segment_id":"2","score":9}`+"\n"+`{"metric":"hard","segment_id":"1","score":10}`))
		storetest.Check(t, st.Rounds.ChangeCampaign(ctx, prev.ID, "", records.CampaignChange{Settings: []string{"filter=hard>=2.5"}}))
		storetest.Must(st.Intake.TakeOver(ctx, next.ID, ""))(t)
		least := 3.0
		for _, tt := range []struct {
			filter desk.SegmentFilter
			want   string
		}{
			{desk.SegmentFilter{Step: campaign.StepGold}, "1 2 3"},
			{desk.SegmentFilter{Step: campaign.StepFiltered}, "5"},
			{desk.SegmentFilter{Step: campaign.StepWork}, "4"},
			{desk.SegmentFilter{Step: campaign.StepOut}, ""},
			{desk.SegmentFilter{Step: campaign.StepFailed}, ""},
			{desk.SegmentFilter{Step: campaign.StepSaved, Status: campaign.Agreed}, ""},
			{desk.SegmentFilter{Step: campaign.StepReady + ":next", Text: "satz"}, "1"},
			{desk.SegmentFilter{Step: campaign.StepTaken + ":next"}, "1"},
			{desk.SegmentFilter{Step: campaign.StepTaken + ":other"}, ""},
			{desk.SegmentFilter{Step: campaign.StepBehind + ":next", Sort: desk.SortID, Reverse: true}, "3 2"},
			{desk.SegmentFilter{Step: campaign.StepBehind + ":next:does not meet difficulty>=2"}, "3"},
			{desk.SegmentFilter{Metric: "hard", Sort: desk.SortScore}, "4 2 1 3 5"},
			{desk.SegmentFilter{Metric: "hard", Sort: desk.SortScore, Reverse: true}, "1 2 4 5 3"},
			{desk.SegmentFilter{Metric: "hard", Least: &least, Status: campaign.Agreed, Sort: desk.SortStatus}, "1 2"},
			{desk.SegmentFilter{Metric: "hard", Most: &least}, "4"},
			{desk.SegmentFilter{Metric: "none", Most: &least}, ""},
			{desk.SegmentFilter{Number: &desk.RatedNumber{Campaign: prev, Question: "difficulty"}, Sort: desk.SortScore, Reverse: true}, "1 3 5 4 2"},
			{desk.SegmentFilter{Number: &desk.RatedNumber{Campaign: prev, Question: "difficulty"}, Least: &least}, "1"},
			{desk.SegmentFilter{Number: &desk.RatedNumber{Campaign: prev, Question: "keep"}, Least: &least}, ""},
		} {
			tt.filter.Limit = 9
			found, total, err := st.Desk.Segments(ctx, prev.ID, tt.filter)
			storetest.Check(t, err)
			var ids []string
			for _, s := range found {
				ids = append(ids, s.SegmentID)
			}
			if got := strings.Join(ids, " "); got != tt.want || total != len(ids) {
				t.Errorf("%+v finds %q of %d, want %q", tt.filter, got, total, tt.want)
			}
			for tt.filter.Limit = range len(ids) {
				tt.filter.Limit++
				ids = ids[:0]
				for tt.filter.Offset = 0; tt.filter.Offset < total; tt.filter.Offset += tt.filter.Limit {
					page, all, err := st.Desk.Segments(ctx, prev.ID, tt.filter)
					storetest.Check(t, err)
					for _, s := range page {
						ids = append(ids, s.SegmentID)
					}
					if all != total {
						t.Errorf("%+v finds %d, want %d", tt.filter, all, total)
					}
				}
				if got := strings.Join(ids, " "); got != tt.want {
					t.Errorf("pages of %+v have %q, want %q", tt.filter, got, tt.want)
				}
			}
			if tt.want == "4 2 1 3 5" && (found[0].Score != 2.5 || !math.IsNaN(found[4].Score)) {
				t.Errorf("the scores are %v and %v", found[0].Score, found[4].Score)
			}
		}
		for _, tt := range []struct {
			follower campaign.Campaign
			ready    int
		}{{next, 0}, {other, 1}} {
			if f := storetest.Must(st.Intake.Following(ctx, tt.follower))(t); f.Ready != tt.ready {
				t.Errorf("%d segments are ready for %s, want %d", f.Ready, tt.follower.Slug, tt.ready)
			}
		}
		rated := &desk.RatedNumber{Campaign: prev, Question: "difficulty"}
		if found, total, err := st.Desk.Segments(ctx, next.ID, desk.SegmentFilter{Number: rated, Least: &least, Limit: 9}); err != nil || total != 1 || found[0].Score != 3.5 {
			t.Errorf("by the difficulty of their forebears %d are found: %+v, %v", total, found, err)
		}
		// What a lead does to settled segments moves them between the lists.
		storetest.Check(t, st.Rounds.Discard(ctx, prev.ID, []string{storetest.Must(st.Records.SegmentRowID(ctx, prev.ID, "d", "1"))(t)}, "x", ""))
		for step, want := range map[string]int{campaign.StepReady + ":next": 0, campaign.StepBehind + ":next": 2} {
			if _, total, err := st.Desk.Segments(ctx, prev.ID, desk.SegmentFilter{Step: step, Limit: 1}); err != nil || total != want {
				t.Errorf("after segment 1 is discarded, %s has %d, want %d; %v", step, total, want, err)
			}
		}
		for _, step := range []string{"nowhere", campaign.StepReady + ":prev"} {
			_, _, err := st.Desk.Segments(ctx, prev.ID, desk.SegmentFilter{Step: step, Limit: 9})
			storetest.WantErr(t, err, campaign.ErrNotFound)
		}
		if n := storetest.Must(st.Desk.FilteredOut(ctx, prev))(t); n != 0 {
			t.Errorf("without its filter the campaign leaves out %d segments", n)
		}
		fresh := storetest.Must(st.Records.Campaign(ctx, prev.Slug))(t)
		q := storetest.Must(st.Desk.Queue(ctx, fresh, desk.QueueFilter{Only: desk.QueueStuck, Limit: 9}))(t)
		if len(q.Entries) != 1 || q.Entries[0].SegmentID != "4" || q.Counts[desk.QueueStuck] != 1 {
			t.Errorf("nobody can rate %+v, want only the segment that the filter does not leave out", q)
		}
	})
}
