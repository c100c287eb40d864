package work_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// A page is one that an annotator was handed.
type page struct {
	assignment string
	check      bool
	work       work.Work
	progress   desk.MyProgress // while the page is open
}

// step hands annotator i the next page and rates it: by score if it is not nil, otherwise 2 for every
// card. It reports false if there is no work.
func step(t *testing.T, s *storetest.Sample, i int, score func(source, text string) float64) (p page, ok bool) {
	t.Helper()
	user := s.Annotators[i].ID
	id, err := s.Store.Work.Next(t.Context(), s.Campaign.ID, user)
	if errors.Is(err, campaign.ErrNoWork) {
		return p, false
	}
	storetest.Check(t, err)
	c := storetest.CampaignOf(t, s.Store, s.Campaign.Slug, id)
	p = page{assignment: id, check: c.Side == campaign.Checks}
	p.work = storetest.Must(s.Store.Work.LoadWork(t.Context(), c, id, user))(t)
	p.progress = storetest.Must(s.Store.Desk.MyProgress(t.Context(), s.Campaign, user))(t)
	revisions := storetest.Revisions(p.work)
	for _, card := range p.work.Cards {
		x := 2.0
		if score != nil {
			x = score(p.work.Source, card.Text)
		}
		saved := storetest.Must(s.Store.Work.SaveCard(t.Context(), c, user, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: storetest.Rating(x)}))(t)
		revisions[card.ID] = saved.Revision
	}
	storetest.Check(t, s.Store.Work.Submit(t.Context(), c, user, id, revisions))
	return p, true
}

// careful gives a high score to the whole translation of a source of a sample and a low one to any other
// text.
func careful(source, text string) float64 {
	var system, segment, of int
	_, _ = fmt.Sscanf(source, "源文本 %d。", &of)
	if n, _ := fmt.Sscanf(text, "Translation %d of segment %d.", &system, &segment); n != 2 || segment != of || text != fmt.Sprintf("Translation %d of segment %d.", system, segment) {
		return 0
	}
	return 3 + float64((system+segment)%2)
}

// With checks, everybody still gets all of their work, the counts that annotators see fall by one with
// each page, and the campaign is the same as without checks.
func TestChecks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		for _, set := range []string{"assign=segment", "assign=document"} {
			t.Run(set, func(t *testing.T) {
				slug := strings.ReplaceAll(set, "=", "-")
				s := storetest.Campaign(t, db.Store, storetest.Slug(slug), storetest.Segments(20), storetest.Annotators(3), storetest.Set("check_rate=0.2", "repeat_after=6", "gate=report", set))
				pages := map[int][]page{}
				for done := false; !done; {
					done = true
					for i := range 3 {
						if p, ok := step(t, s, i, careful); ok {
							pages[i], done = append(pages[i], p), false
						}
					}
				}
				all := 0
				for i, of := range pages {
					checks := 0
					for k, p := range of {
						if p.check {
							checks++
						}
						if p.progress.Done != k {
							t.Errorf("annotator %d has done %d on page %d", i, p.progress.Done, k)
						}
						if p.work.DocID == "" || strings.Contains(p.work.DocID, "(") || p.work.DocumentLen != 2 || p.work.Over != "" {
							t.Errorf("page %d of annotator %d: document %q with %d segments, over: %q", k, i, p.work.DocID, p.work.DocumentLen, p.work.Over)
						}
					}
					if share := float64(checks) / float64(len(of)); share < 0.08 || share > 0.35 {
						t.Errorf("%d of %d pages of annotator %d are checks", checks, len(of), i)
					}
					all += len(of) - checks
				}
				if all != 40 {
					t.Errorf("%d segments were rated, want 20 by two annotators each", all)
				}
				s.Reload(t)
				standing := storetest.Must(db.Desk.Standing(t.Context(), s.Campaign))(t)
				if standing.Ratings != 120 || standing.Segments[campaign.Pending] != 0 {
					t.Errorf("the campaign has %d ratings, %v", standing.Ratings, standing.Segments)
				}
				for _, a := range storetest.Must(db.Desk.JudgedChecks(t.Context(), s.Campaign))(t) {
					for _, r := range a.Results {
						if r.Taken == 0 || r.Passed != r.Taken || r.Flag {
							t.Errorf("%s: %+v", a.Login, r)
						}
					}
				}
			})
		}
	})
}

// In a campaign of long documents, checks are long too. In one of short documents, the long one is never a
// check.
func TestLongChecks(t *testing.T) {
	db := storetest.Open(t)
	for _, c := range []struct {
		slug      string
		documents []int // numbers of segments
		want      int   // segments of the first check
	}{{"long", []int{40, 40, 40}, 40}, {"varied", []int{41, 1, 1, 1}, 1}} {
		s := storetest.Campaign(t, db.Store, storetest.Slug(c.slug), storetest.Segments(0), storetest.Systems(1), storetest.Annotators(1), storetest.Set("check_rate=0.5", "check_kinds=degraded", "redundancy=1", "gate=off"))
		var lines []campaign.Segment
		for d, segments := range c.documents {
			for range segments {
				lines = append(lines, storetest.Segment(len(lines)+1, d+1, s.Systems))
			}
		}
		storetest.Must(db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.SegmentLines(lines...), intake.ImportOptions{}))(t)
		for n := range c.documents[0] + 1 {
			if _, _, ok := s.RatePage(t, 0, storetest.Reading); !ok {
				t.Fatalf("%s: no work after %d pages", c.slug, n)
			}
		}
		copied := storetest.Count(t, db, "check_pages p JOIN all_segments g ON g.id = p.segment_id JOIN campaigns k ON k.id = g.campaign_id WHERE k.part_of = ?", s.Campaign.ID)
		if copied != c.want {
			t.Errorf("%s: the first check has %d segments, want %d", c.slug, copied, c.want)
		}
	}
}

// The number of segments that are left falls by one with each page, as long as nobody else works.
func TestLeftCountsChecks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(40), storetest.PerDocument(1), storetest.Annotators(1), storetest.Set("check_rate=0.25", "repeat_after=3", "redundancy=1"))
		left, checks := -1, 0
		for {
			p, ok := step(t, s, 0, careful)
			db.Clock.Advance(time.Second)
			if !ok {
				break
			}
			if want := fmt.Sprint(p.progress.Done + 1); p.work.DocID != want {
				t.Errorf("the document is called %q, want %q (a check: %v)", p.work.DocID, want, p.check)
			}
			if now := p.progress.Left(); left > 4 && now != left-1 {
				t.Errorf("after %d segments were left, %d are (a check: %v)", left, now, p.check)
			}
			left = p.progress.Left()
			if p.check {
				checks++
			}
		}
		if checks < 8 || checks > 14 {
			t.Errorf("%d checks for 40 segments", checks)
		}
		if p := s.MyProgress(t, 0); p.Left() != 0 || p.Done != 40+checks {
			t.Errorf("in the end %+v", p)
		}
		days := storetest.Must(db.Desk.MyNumbers(t.Context(), s.Campaign, s.Annotators[0].ID))(t)
		if len(days.Days) != 1 || days.Days[0].Segments != 40+checks || days.Days[0].Ratings != 3*(40+checks) {
			t.Errorf("days are %+v", days.Days)
		}
		own, total, err := db.Desk.FinishedWork(t.Context(), s.Campaign, s.Annotators[0].ID, 0, 100)
		storetest.Check(t, err)
		if total != 40+checks || len(own) != 40+checks {
			t.Errorf("%d of %d segments are listed as finished", len(own), total)
		}
		list := storetest.Must(db.Desk.OwnSegments(t.Context(), s.Campaign, s.Annotators[0].ID, desk.OwnFilter{Limit: 100}))(t)
		if list.Total != 40+checks || list.Counts[readmodel.OwnDone] != 40+checks {
			t.Errorf("%d segments are listed: %v", list.Total, list.Counts)
		}
		for k, o := range list.Segments {
			if want := fmt.Sprint(k + 1); o.DocID != want || o.SegmentID != "" || own[len(own)-1-k].DocID != want {
				t.Errorf("place %d of the list has document %q and segment %q; finished %q", k, o.DocID, o.SegmentID, own[len(own)-1-k].DocID)
			}
		}
		found := storetest.Must(db.Desk.OwnSegments(t.Context(), s.Campaign, s.Annotators[0].ID, desk.OwnFilter{Document: "3", Limit: 100}))(t)
		if found.Total != 1 || found.Segments[0].DocID != "3" {
			t.Errorf("document 3 has %+v", found.Segments)
		}
	})
}

// What cannot be passed is not given: no translation is damaged whose scores leave no room below, as long as
// another one has room, and no check is made where none has.
func TestDegradedTextsHaveRoom(t *testing.T) {
	db := storetest.Open(t)
	for slug, good := range map[string]float64{"one-good": 4, "all-bad": 0} {
		s := storetest.Campaign(t, db.Store, storetest.Slug(slug), storetest.Segments(16), storetest.PerDocument(1), storetest.Set("gate=off", "check_kinds=degraded"))
		for { // the first annotator, before there are checks
			if _, ok := step(t, s, 0, func(_, text string) float64 {
				if strings.HasPrefix(text, "Translation 2 ") {
					return good
				}
				return 0
			}); !ok {
				break
			}
		}
		s.Change(t, "check_rate=0.5")
		for {
			if _, ok := step(t, s, 1, nil); !ok {
				break
			}
		}
		checks := storetest.Must(db.Desk.Checks(t.Context(), s.Campaign))(t)
		if good == 0 && len(checks) > 0 || good > 0 && len(checks) < 5 {
			t.Errorf("%s: %d checks", slug, len(checks))
		}
		for _, k := range checks {
			if !strings.HasPrefix(k.Original, "Translation 2 ") {
				t.Errorf("%s: damaged is %q", slug, k.Original)
			}
		}
	}
}

// A repeat that every score passes, or none, is not made. A known answer of that kind is refused.
func TestChecksThatTellNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(12), storetest.PerDocument(1), storetest.Annotators(1), storetest.Set("gate=off", "check_kinds=repeat,known", "check_rate=0.5", "repeat_after=2", "redundancy=1", "tolerance=2"))
		seg := storetest.Segment(1, 1, s.Systems)
		know := func(score float64) error {
			return s.Store.Work.GiveKnown(t.Context(), s.Campaign.ID, readmodel.KnownAnswer{DocID: seg.DocID, SegmentID: seg.SegmentID, System: s.Systems[0], Score: score}, s.Lead.ID)
		}
		if err := know(2); err == nil || !strings.Contains(err.Error(), "every score passes") {
			t.Errorf("a known answer that everybody passes: %v", err)
		}
		storetest.Check(t, know(4))
		storetest.Check(t, s.Store.Work.TakeKnown(t.Context(), s.Campaign.ID, storetest.Must(db.Work.KnownAnswers(t.Context(), s.Campaign))(t)[0].ID, s.Lead.ID))
		for {
			if _, ok := step(t, s, 0, nil); !ok { // everything is 2, and from 0 to 4 all scores are within the tolerance
				break
			}
		}
		if checks := storetest.Must(db.Desk.Checks(t.Context(), s.Campaign))(t); len(checks) > 0 {
			t.Errorf("%d checks tell nothing, such as %+v", len(checks), checks[0])
		}
	})
}

// Degraded texts whose originals turn out to have no room below are not counted, neither as passed nor as
// failed. Checks are one piece of evidence for each document.
func TestUncountedChecks(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(20), storetest.Annotators(1), storetest.Set("gate=off", "check_kinds=degraded,repeat", "check_rate=0.5", "repeat_after=2", "redundancy=1"))
	for {
		if _, ok := step(t, s, 0, func(string, string) float64 { return 0 }); !ok {
			break
		}
	}
	list := storetest.Must(db.Desk.Checks(t.Context(), s.Campaign))(t)
	documents, degraded := map[string]bool{}, 0
	for _, k := range list {
		if k.Kind == campaign.RepeatCheck {
			documents[k.DocID] = true
			continue
		}
		if degraded++; k.Basis != "" && (k.Uncounted != "no room below the original" || k.Judged()) {
			t.Errorf("a degraded text against 0: %+v", k)
		}
	}
	a := storetest.Must(db.Desk.JudgedChecks(t.Context(), s.Campaign))(t)[0]
	if all := a.Results[0]; all.Taken != len(list)-degraded || all.Documents != len(documents) || len(documents) < 2 || all.Taken <= len(documents) {
		t.Errorf("%+v of %d checks in %d documents", all, len(list), len(documents))
	}
	if degraded == 0 || a.Uncounted+a.Open != degraded || a.Uncounted == 0 {
		t.Errorf("%d are not counted and %d open, of %d degraded texts", a.Uncounted, a.Open, degraded)
	}
}

// A check is locked when the work before it is, and set aside with the work.
func TestChecksAreLockedLikeWork(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(12), storetest.PerDocument(1), storetest.Set("check_rate=0.5", "gate=off", "redundancy=2"))
	var before, p page
	for !p.check {
		before = p
		var ok bool
		if p, ok = step(t, s, 0, nil); !ok {
			t.Fatal("no check was placed")
		}
	}
	checks := storetest.CampaignOf(t, s.Store, s.Campaign.Slug, p.assignment)
	over := func() string {
		return storetest.Must(db.Work.LoadWork(t.Context(), checks, p.assignment, s.Annotators[0].ID))(t).Over
	}
	workOver := func() string {
		return storetest.Must(db.Work.LoadWork(t.Context(), s.Campaign, before.assignment, s.Annotators[0].ID))(t).Over
	}
	if over() != "" || workOver() != "" {
		t.Fatalf("locked at once: %q, %q", over(), workOver())
	}
	for workOver() == "" {
		if _, ok := step(t, s, 1, nil); !ok {
			t.Fatal("the work is never locked")
		}
	}
	if over() != workOver() {
		t.Errorf("the work says %q, the check %q", workOver(), over())
	}
	card := p.work.Cards[0]
	_, err := s.Store.Work.SaveCard(t.Context(), checks, s.Annotators[0].ID, work.CardSave{AssignmentID: p.assignment, CardID: card.ID, Revision: 1, Rating: storetest.Rating(1)})
	storetest.WantErr(t, err, campaign.ErrDecided)
	storetest.SetAside(t, s, 0)
	if w := storetest.Must(db.Work.LoadWork(t.Context(), checks, p.assignment, s.Annotators[0].ID))(t); !w.SetAside {
		t.Error("the check is not set aside with the work")
	}
}

// Without a rate nothing is made, and what was begun is finished after the rate is taken back.
func TestChecksAreOffByDefault(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(30), storetest.PerDocument(3))
	for {
		if p, ok := step(t, s, 0, nil); !ok {
			break
		} else if p.check {
			t.Fatal("a check was placed")
		}
	}
	storetest.WantCount(t, db, 1, "campaigns")
	s.Change(t, "check_rate=0.5")
	for p := (page{}); !p.check; {
		var ok bool
		if p, ok = step(t, s, 1, nil); !ok {
			t.Fatal("no check was placed")
		}
	}
	s.Change(t, "check_rate=0")
	for k := range 3 {
		p, ok := step(t, s, 1, nil)
		if want := k < 2; !ok || p.check != want {
			t.Errorf("page %d after the rate was taken back is a check: %v", k, p.check)
		}
	}
}

// TestChecksOfAnswers: a repeat and a known sentence are passed by the same answer to the gate, and a known answer must be one
// of the question.
func TestChecksOfAnswers(t *testing.T) {
	db, s := storetest.New(t, storetest.Protocol("inspect"), storetest.Segments(0), storetest.Annotators(1), storetest.Set("gate=off", "check_rate=0.5", "repeat_after=2", "redundancy=1"))
	var segments []campaign.Segment
	for i := range 12 {
		segments = append(segments, campaign.Segment{DocID: fmt.Sprint("d", i), SegmentID: fmt.Sprint("s", i), Source: fmt.Sprint("Sentence ", i), Translations: campaign.ItselfOnly()})
	}
	storetest.ImportSegments(t, s, segments...)
	know := func(answer string) error {
		return db.Work.GiveKnown(t.Context(), s.Campaign.ID, readmodel.KnownAnswer{DocID: "d3", SegmentID: "s3", Answer: answer}, s.Lead.ID)
	}
	if err := know("maybe"); err == nil || !strings.Contains(err.Error(), "give one of: yes, no") {
		t.Errorf("an answer that there is not: %v", err)
	}
	storetest.Check(t, know("no"))
	if known := storetest.Must(db.Work.KnownAnswers(t.Context(), s.Campaign))(t); len(known) != 1 || known[0].Answer != "Drop" || known[0].Text != "Sentence 3" {
		t.Errorf("what is known is %+v", known)
	}
	for {
		if _, _, ok := s.RatePageBy(t, 0, func(source, _ string) protocol.Rating {
			if source == "Sentence 3" {
				return protocol.Rating{Answers: map[string]protocol.Answer{"keep": {Text: "no"}, "reason": {Text: "noise"}}}
			}
			return protocol.Rating{Scores: map[string]float64{"difficulty": 2}, Answers: map[string]protocol.Answer{"keep": {Text: "yes"}}}
		}); !ok {
			break
		}
	}
	judged := storetest.Must(db.Desk.JudgedChecks(t.Context(), s.Campaign))(t)
	if len(judged) != 1 || judged[0].Results[0].Taken < 3 || judged[0].Results[0].Passed != judged[0].Results[0].Taken || !judged[0].Self.Answers || judged[0].Self.Difference != 0 {
		t.Errorf("the checks say %+v", judged)
	}
}
