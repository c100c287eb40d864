package rounds_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// adjudicators are people who adjudicate in a sample.
type adjudicators struct {
	storetest.Leading
	db *storetest.DB
}

func (a adjudicators) person(login string) accounts.User {
	a.Helper()
	u := storetest.Must(a.db.Accounts.AddUser(a.Context(), login, "", accounts.Member))(a.T)
	a.Done(a.db.Accounts.AddMember(a.Context(), a.Campaign.ID, login, campaign.Adjudicator, a.Lead.ID))
	return u
}

func (a adjudicators) ask(segment string) error {
	return a.db.Rounds.AskForAdjudication(a.Context(), a.Campaign.ID, []string{a.Row(segment)}, "they do not agree", a.Lead.ID)
}

func (a adjudicators) open(segment string, by accounts.User) (string, error) {
	return a.db.Work.OpenAdjudication(a.Context(), a.Campaign.ID, a.Row(segment), by.ID)
}

// rate saves a rating on every card, made by the card, and returns the revisions.
func (a adjudicators) rate(assignment string, by accounts.User, rating func(text string) protocol.Rating) map[string]int {
	a.Helper()
	w := storetest.Must(a.db.Work.LoadWork(a.Context(), a.Campaign, assignment, by.ID))(a.T)
	revisions := map[string]int{}
	for _, card := range w.Cards {
		saved := storetest.Must(a.db.Work.SaveCard(a.Context(), a.Campaign, by.ID, work.CardSave{AssignmentID: assignment, CardID: card.ID, Revision: card.Revision, Rating: rating(card.Text), Seconds: 1}))(a.T)
		revisions[card.ID] = saved.Revision
	}
	return revisions
}

func (a adjudicators) submit(assignment string, by accounts.User, revisions map[string]int) error {
	return a.db.Work.Submit(a.Context(), a.Campaign, by.ID, assignment, revisions)
}

// everything is all that an adjudication in work must not change, as text.
func (a adjudicators) everything() string {
	a.Helper()
	state := struct {
		Segments []campaign.Segment
		Turns    [][]readmodel.Turn
		Progress string // it has NaN
		Mine     []desk.MyProgress
		Facts    records.ExportFacts
		Queue    desk.Queue
	}{Segments: a.All(a.T)}
	for _, s := range state.Segments {
		state.Turns = append(state.Turns, storetest.Must(a.db.Desk.Segment(a.Context(), a.Campaign, a.Row(s.SegmentID)))(a.T).Turns)
	}
	progress := storetest.Must(a.db.Desk.Progress(a.Context(), a.Campaign))(a.T)
	progress.Version = 0      // says that something may have changed
	progress.Adjudicating = 0 // the desk says that somebody is at work
	state.Progress = fmt.Sprintf("%+v", progress)
	for _, u := range a.Annotators {
		state.Mine = append(state.Mine, storetest.Must(a.db.Desk.MyProgress(a.Context(), a.Campaign, u.ID))(a.T))
	}
	state.Facts = storetest.Must(a.db.Records.ExportFacts(a.Context(), a.Campaign.ID))(a.T)
	state.Queue = storetest.Must(a.db.Desk.Queue(a.Context(), a.Campaign, desk.QueueFilter{Limit: 10}))(a.T)
	text, err := json.Marshal(state)
	a.Done(err)
	return string(text)
}

// An adjudicator decides a segment blind. Until it is submitted the adjudication
// changes nothing; then it is gold, and nothing else.
func TestAdjudication(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.Set("gate=report"))
		a := adjudicators{storetest.Leading{T: t, Sample: s}, db}
		judge, other := a.person("judge"), a.person("zora")
		storetest.RateBoth(t, db, s, 1, 4, 2, 0)
		storetest.WantSegment(t, s, 1, campaign.BelowThreshold, 1, 2, 2, 2)

		_, err := a.open("s1", judge)
		storetest.WantErr(t, err, campaign.ErrConflict) // nobody asks for it
		_, err = a.open("s1", s.Annotators[0])
		storetest.WantErr(t, err, campaign.ErrForbidden)
		a.Done(a.ask("s1"))
		storetest.WantErr(t, a.ask("s1"), campaign.ErrConflict)
		before := a.everything()

		id := storetest.Must(a.open("s1", judge))(t)
		if again := storetest.Must(a.open("s1", judge))(t); again != id {
			t.Errorf("opened again it is another assignment")
		}
		second := storetest.Must(a.open("s1", other))(t)
		w := storetest.Must(db.Work.LoadWork(t.Context(), s.Campaign, id, judge.ID))(t)
		if len(w.Cards) != 3 || w.RatedBefore || w.Over != "" {
			t.Fatalf("the adjudicator's page has %d cards, again %v, over %q", len(w.Cards), w.RatedBefore, w.Over)
		}
		letters := map[string]bool{}
		for _, card := range w.Cards {
			if len(card.Rating.Scores) != 0 || len(card.Peers) != 2 || card.Peers[0].Letter != "A" || card.Peers[1].Letter != "B" {
				t.Errorf("card %q begins with %v beside %v", card.Text, card.Rating.Scores, card.Peers)
			}
			if sum := card.Peers[0].Scores["sqm"] + card.Peers[1].Scores["sqm"]; sum != 4 {
				t.Errorf("card %q stands beside ratings that add up to %v, want 4", card.Text, sum)
			}
			if strings.HasPrefix(card.Text, "Translation 1 ") {
				letters[card.Peers[0].Letter] = true
			}
		}
		given := func(text string) protocol.Rating {
			n := strings.Fields(text)[1]
			return protocol.Rating{Scores: map[string]float64{"sqm": map[string]float64{"1": 3, "2": 1, "3": 0}[n]}, Comment: "because"}
		}
		a.rate(id, judge, given)
		storetest.WantErr(t, db.Work.ReportProblem(t.Context(), s.Campaign, judge.ID, id, "x"), campaign.ErrConflict)
		if after := a.everything(); after != before {
			t.Errorf("an adjudication in work changed\n%s\nto\n%s", before, after)
		}

		db.Clock.Advance(time.Minute) // more than the active time on all cards
		revisions := a.rate(id, judge, given)
		a.Done(a.submit(id, judge, revisions))
		a.Done(a.submit(id, judge, revisions)) // the first answer was lost
		storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 3, 1, 0)
		seg := s.All(t)[0]
		seconds := 0.0
		for _, tr := range seg.Translations {
			seconds += tr.Adjudication.Seconds
		}
		mine := storetest.Must(db.Work.MyAdjudications(t.Context(), s.Campaign.ID, judge.ID))(t)
		days := storetest.Must(db.Desk.WorkDays(t.Context(), s.Campaign))(t)
		i := slices.IndexFunc(days, func(d desk.WorkDay) bool { return d.Login == "judge" })
		if seconds == 0 || mine != (work.MyAdjudications{Segments: 1, Seconds: seconds}) || i < 0 || days[i].Segments != 1 || days[i].Ratings != 3 || days[i].Seconds != seconds {
			t.Errorf("the adjudicator has %v on cards, %+v as their own work and the days %+v", seconds, mine, days)
		}
		for _, tr := range seg.Translations {
			if tr.Adjudication == nil || tr.Adjudication.Annotator != "judge" || tr.Adjudication.Round != 0 || tr.Adjudication.Comment != "because" || !tr.Gold.Entered {
				t.Errorf("%s has the adjudication %+v and gold %+v", tr.System, tr.Adjudication, tr.Gold)
			}
			if got := campaign.GoldRatings(seg, tr); got != nil {
				t.Errorf("gold is formed from %v beside the adjudication", got)
			}
			if len(tr.Ratings) != 2 {
				t.Errorf("%s has %d ratings, want 2", tr.System, len(tr.Ratings))
			}
		}
		if done := storetest.Must(db.Desk.Interventions(t.Context(), s.Campaign.ID))(t); done.Entered != 0 || done.Adjudicated != 3 || done.AdjudicatedSegments != 1 || done.MeansAccepted != 0 {
			t.Errorf("interventions %+v", done)
		}
		if list := storetest.Must(db.Work.ToAdjudicate(t.Context(), s.Campaign, other.ID))(t); len(list) != 0 {
			t.Errorf("%d segments still wait for an adjudicator", len(list))
		}
		// It is answered: the other adjudicator keeps what they saved, and changes nothing.
		card := storetest.Must(db.Work.LoadWork(t.Context(), s.Campaign, second, other.ID))(t).Cards[0]
		_, err = db.Work.SaveCard(t.Context(), s.Campaign, other.ID, work.CardSave{AssignmentID: second, CardID: card.ID, Rating: storetest.Rating(1)})
		storetest.WantErr(t, err, campaign.ErrDecided)

		// The audit log has the values before and after.
		log, _, err := db.AuditLog(t.Context(), s.Campaign.ID, 0, 100)
		a.Done(err)
		i = slices.IndexFunc(log, func(e readmodel.AuditEntry) bool { return e.Act == "adjudicate segment" })
		if i < 0 || log[i].Login != "judge" || !strings.Contains(log[i].Before, "below threshold in round 1") || !strings.Contains(log[i].After, "adjudicated in round 1, gold sys-001 3, sys-002 1, sys-003 0") {
			t.Errorf("the log says %+v", log)
		}

		// A lead takes it back, and the adjudicator is asked again.
		a.Done(a.Undo("s1"))
		storetest.WantSegment(t, s, 1, campaign.BelowThreshold, 1, 2, 2, 2)
		if list := storetest.Must(db.Work.ToAdjudicate(t.Context(), s.Campaign, judge.ID))(t); len(list) != 1 || list[0].Reason != "they do not agree" {
			t.Errorf("after the undo, %+v wait for an adjudicator", list)
		}
		a.healthy()
	})
}

// healthy checks that the doctor finds nothing.
func (a adjudicators) healthy() {
	a.Helper()
	a.Done(a.db.Doctor(a.Context(), false, func(f store.Finding) {
		if len(f.Problems) > 0 {
			a.Errorf("the doctor finds %+v", f)
		}
	}))
}

// An adjudication that is undone is in work again: nothing of it is counted, what was
// saved is kept, and it can be changed and submitted once more.
func TestUndoOfAdjudication(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Set("gate=report"))
	a := adjudicators{storetest.Leading{T: t, Sample: s}, db}
	judge := a.person("judge")
	storetest.RateBoth(t, db, s, 1, 4, 2, 0)
	a.Done(a.ask("s1"))
	id := storetest.Must(a.open("s1", judge))(t)
	three := func(string) protocol.Rating { return protocol.Rating{Scores: map[string]float64{"sqm": 3}} }
	revisions := a.rate(id, judge, three)
	db.Clock.Advance(time.Minute)
	row := func() []string {
		return storetest.Query[string](t, db, "SELECT state || ' ' || submitted_at || ' ' || seconds FROM assignments WHERE id = ?", id)
	}
	before := row()
	for range 2 { // it can be undone each time
		a.Done(a.submit(id, judge, revisions))
		storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 3, 3, 3)
		if p := s.Progress(t); p.ToAdjudicate != 0 || p.Adjudicating != 0 {
			t.Errorf("submitted, %d segments wait for an adjudicator, of whom %d are at work", p.ToAdjudicate, p.Adjudicating)
		}
		a.Done(a.Undo("s1"))
		storetest.WantSegment(t, s, 1, campaign.BelowThreshold, 1, 2, 2, 2)
		if after := row(); !slices.Equal(after, before) {
			t.Errorf("the adjudication is %q, want %q as before it was submitted", after, before)
		}
		if p := s.Progress(t); p.ToAdjudicate != 1 || p.Adjudicating != 1 {
			t.Errorf("undone, %d segments wait for an adjudicator, of whom %d are at work; want 1 and 1", p.ToAdjudicate, p.Adjudicating)
		}
		if list := storetest.Must(db.Work.ToAdjudicate(t.Context(), s.Campaign, judge.ID))(t); len(list) != 1 || !list[0].Begun {
			t.Errorf("undone, the adjudicator finds %+v, want what they began", list)
		}
		if mine := storetest.Must(db.Work.MyAdjudications(t.Context(), s.Campaign.ID, judge.ID))(t); mine != (work.MyAdjudications{}) {
			t.Errorf("undone, the adjudicator's own work is %+v", mine)
		}
		if days := storetest.Must(db.Desk.WorkDays(t.Context(), s.Campaign))(t); slices.ContainsFunc(days, func(d desk.WorkDay) bool { return d.Login == "judge" }) {
			t.Errorf("undone, the days are %+v", days)
		}
		if again := storetest.Must(a.open("s1", judge))(t); again != id {
			t.Error("undone, the adjudicator is given a blank page")
		}
		w := storetest.Must(db.Work.LoadWork(t.Context(), s.Campaign, id, judge.ID))(t)
		for _, card := range w.Cards {
			if w.Over != "" || card.Rating.Scores["sqm"] != 3 || card.Revision != revisions[card.ID] {
				t.Errorf("undone, the page is over %q and has the card %+v", w.Over, card)
			}
		}
		a.healthy()
	}
	// It is changed, and submitted once more.
	revisions = map[string]int{}
	for _, card := range storetest.Must(db.Work.LoadWork(t.Context(), s.Campaign, id, judge.ID))(t).Cards {
		saved := storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, judge.ID, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: storetest.Rating(1)}))(t)
		revisions[card.ID] = saved.Revision
	}
	a.Done(a.submit(id, judge, revisions))
	storetest.WantSegment(t, s, 1, campaign.Adjudicated, 1, 1, 1, 1)

	// A lead who has begun anew before the undo goes on with what has something saved.
	second := storetest.Must(a.open("s1", s.Lead))(t)
	revisions = a.rate(second, s.Lead, three)
	a.Done(a.submit(second, s.Lead, revisions))
	blank := storetest.Must(a.open("s1", s.Lead))(t)
	a.Done(a.Undo("s1"))
	if again := storetest.Must(a.open("s1", s.Lead))(t); again != second || again == blank {
		t.Error("the lead is not given what they have saved")
	}
	a.healthy()
}

// Nobody adjudicates a segment that they annotated unless a lead asks them by name,
// and nobody annotates a segment that they have opened to adjudicate.
func TestAdjudicatorAndAnnotator(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.Annotators(3), storetest.Set("gate=report"))
	a := adjudicators{storetest.Leading{T: t, Sample: s}, db}
	for i, login := range map[int]string{0: "ann1", 2: "ann3"} {
		a.Done(db.Accounts.AddMember(t.Context(), s.Campaign.ID, login, campaign.Adjudicator, s.Lead.ID))
		if _, _, roles, err := db.Accounts.CampaignFor(t.Context(), s.Campaign.Slug, s.Annotators[i].ID, ""); err != nil || !slices.Equal(roles, []campaign.Role{campaign.Annotator, campaign.Adjudicator}) {
			t.Fatalf("%s has the roles %v, %v", login, roles, err)
		}
	}
	storetest.RateBoth(t, db, s, 1, 4, 2, 0)
	a.Done(a.ask("s1"))
	if list := storetest.Must(db.Work.ToAdjudicate(t.Context(), s.Campaign, s.Annotators[0].ID))(t); len(list) != 1 || list[0].Refused == "" {
		t.Errorf("an annotator of the segment finds %+v", list)
	}
	_, err := a.open("s1", s.Annotators[0])
	storetest.WantErr(t, err, campaign.ErrConflict)
	// The settings of the campaign may allow it, and so may the lead for this segment.
	s.Change(t, "adjudicate_own=yes")
	if list := storetest.Must(db.Work.ToAdjudicate(t.Context(), s.Campaign, s.Annotators[0].ID))(t); len(list) != 1 || list[0].Refused != "" {
		t.Errorf("where the settings allow it, an annotator of the segment finds %+v", list)
	}
	s.Change(t, "adjudicate_own=no")
	a.Done(db.Rounds.AskForAdjudicationByAny(t.Context(), s.Campaign.ID, []string{a.Row("s1")}, "nobody else can", s.Lead.ID))
	storetest.Must(a.open("s1", s.Annotators[0]))(t)
	_, err = a.open("s1", s.Annotators[1])
	storetest.WantErr(t, err, campaign.ErrForbidden) // is no adjudicator
	log, _, err := db.AuditLog(t.Context(), s.Campaign.ID, 0, 20)
	if err != nil || !slices.ContainsFunc(log, func(e readmodel.AuditEntry) bool {
		return e.Act == "ask for adjudication" && e.Subject == "its annotators may adjudicate it, in s1" && e.Login == s.Lead.Login
	}) {
		t.Errorf("the log does not say that annotators may adjudicate: %+v, %v", log, err)
	}

	storetest.Must(a.open("s1", s.Annotators[2]))(t)
	storetest.WantErr(t, a.FurtherAnnotator("s1", "ann3"), campaign.ErrConflict)
	storetest.WantErr(t, a.Replace("s1", "ann2", "ann3"), campaign.ErrConflict)
	storetest.WantErr(t, a.AnotherLook("s1", "ann2", "ann3"), campaign.ErrConflict)
	storetest.WantErr(t, a.AnotherLook("s1"), campaign.ErrConflict) // ann1 has opened it, and one annotator is too few
	s.Change(t, "redundancy=3")                                     // s1 has a free place again
	for range 2 {
		id, err := db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[2].ID)
		if err != nil {
			break
		}
		if w := s.Work(t, 2, id); w.Assignment.SegmentID == a.Row("s1") {
			t.Error("the adjudicator is handed the segment to annotate")
		}
		s.Rate(t, 2, id, 1, 2, 3)
	}

	// Setting the annotator aside leaves the adjudication in work.
	a.Done(db.Desk.SetAside(t.Context(), s.Campaign.ID, "ann3", "guesses", s.Lead.ID))
	if got := storetest.Query[string](t, db, "SELECT state FROM assignments WHERE round > 1000 AND user_id = ?", s.Annotators[2].ID); !slices.Equal(got, []string{"adjudicating"}) {
		t.Errorf("the adjudication of an annotator set aside is %v", got)
	}
	a.Done(db.Accounts.AddMember(t.Context(), s.Campaign.ID, "ann1", campaign.Annotator, s.Lead.ID))
	_, err = a.open("s1", s.Annotators[0])
	storetest.WantErr(t, err, campaign.ErrForbidden)
	storetest.WantErr(t, db.Accounts.AddMember(t.Context(), s.Campaign.ID, "researcher", campaign.Adjudicator, s.Lead.ID), campaign.ErrConflict)
}

// An adjudication has the error spans of the protocol, and they are gold.
func TestAdjudicationWithSpans(t *testing.T) {
	db, s := storetest.New(t, storetest.Protocol("esa"), storetest.Segments(1), storetest.Systems(2))
	a := adjudicators{storetest.Leading{T: t, Sample: s}, db}
	for i, u := range s.Annotators {
		id := s.Next(t, i)
		a.Done(a.submit(id, u, a.rate(id, u, func(string) protocol.Rating {
			return protocol.Rating{Scores: map[string]float64{"score": float64(50 + 10*i)}}
		})))
	}
	// A lead may adjudicate any segment that has a complete round.
	id := storetest.Must(a.open("s1", s.Lead))(t)
	a.Done(a.submit(id, s.Lead, a.rate(id, s.Lead, func(text string) protocol.Rating {
		return protocol.Rating{Scores: map[string]float64{"score": 90}, Spans: []protocol.ErrorSpan{{ID: "x", Side: protocol.Target, Start: 0, End: 11, Severity: "minor"}}}
	})))
	seg := s.All(t)[0]
	for _, tr := range seg.Translations {
		spans := tr.Adjudication.Spans
		if len(spans) != 1 || spans[0].Text != "Translation" {
			t.Errorf("%s: spans %+v", tr.System, spans)
		}
		for score, want := range map[string]float64{"score": 90, "mqm": -1} {
			if got, entered, ok := campaign.HumanGold(s.Campaign.Rules, score, seg, tr); !ok || !entered || got != want {
				t.Errorf("%s: gold of %s is %v, %v, %v; want %v", tr.System, score, got, entered, ok, want)
			}
		}
		if source := campaign.GoldSource(seg, tr); len(source) != 1 || len(source[0].Spans) != 1 {
			t.Errorf("%s: gold errors are those of %+v", tr.System, source)
		}
	}
}
