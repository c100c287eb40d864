package work_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/plan"
	"annotate/internal/store/storetest"
)

// change makes an edit of the plan in the name of the lead.
func change(t testing.TB, db *storetest.DB, s *storetest.Sample, e plan.Edit) plan.Change {
	t.Helper()
	return storetest.Must(db.Plan.ChangePlan(t.Context(), s.Campaign.ID, e, "", s.Lead.ID))(t)
}

// rateHanded rates all that annotator i is handed, at most so many segments, and returns the ids of the segments
// in order.
func rateHanded(t testing.TB, s *storetest.Sample, i, most int) (segments []string) {
	t.Helper()
	for range most {
		id, err := s.Store.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[i].ID)
		if errors.Is(err, campaign.ErrNoWork) {
			return segments
		}
		storetest.Check(t, err)
		segments = append(segments, storetest.SegmentOf(t, s, i, id))
		s.Rate(t, i, id, 0, 2, 4)
	}
	return segments
}

func want(t testing.TB, what string, got []string, want string) {
	t.Helper()
	if strings.Join(got, " ") != want {
		t.Errorf("%s: %v, want %s", what, got, want)
	}
}

// TestPlanOfScatteredDocuments: documents whose segments come in turn, in two imports, stand in the order of their first
// segments, whose domain they have. What one campaign has is not in the plan of another.
func TestPlanOfScatteredDocuments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(0), storetest.Annotators(2), storetest.Set("redundancy=2"))
		other := storetest.Campaign(t, db.Store, storetest.Slug("other"), storetest.Segments(3))
		documents := func() (out []string) {
			for _, d := range storetest.Must(db.Plan.Plan(t.Context(), s.Campaign))(t).Documents {
				words := []string{d.DocID, d.Domain, fmt.Sprint(d.Segments), fmt.Sprint(d.Words)}
				for _, turn := range d.Turns {
					words = append(words, fmt.Sprint(turn.Login, "=", turn.Done, "+", turn.Left))
				}
				out = append(out, strings.Join(words, ":"))
			}
			return out
		}
		want(t, "nothing is imported", documents(), "")
		scattered := func(n, doc int, domain string) campaign.Segment {
			seg := storetest.Segment(n, doc, []string{"a", "b"})
			seg.Domain = domain
			return seg
		}
		storetest.ImportSegments(t, s, scattered(1, 9, "news"), scattered(2, 1, "chat"), scattered(3, 9, "chat"))
		want(t, "one import", documents(), "d9:news:2:8 d1:chat:1:4")
		storetest.ImportSegments(t, s, scattered(4, 1, "news"), scattered(5, 5, "talk"), scattered(6, 9, "talk"))
		want(t, "two imports", documents(), "d9:news:3:12 d1:chat:2:8 d5:talk:1:4")
		storetest.Exec(t, db, "INSERT INTO staged_imports (campaign_id, id, after_position) VALUES (?, 'i', 3)", s.Campaign.ID)
		want(t, "the second import is hidden", documents(), "d9:news:2:8 d1:chat:1:4")
		storetest.Exec(t, db, "DELETE FROM staged_imports")
		want(t, "it is visible again", documents(), "d9:news:3:12 d1:chat:2:8 d5:talk:1:4")
		// Another import gets the positions of one that is undone.
		imports := storetest.Must(db.Intake.Imports(t.Context(), s.Campaign.ID))(t)
		storetest.Check(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, imports[0].ID, intake.UndoOptions{}))
		longer := scattered(4, 1, "news")
		longer.Source += longer.Source
		storetest.ImportSegments(t, s, longer, scattered(5, 5, "talk"), scattered(6, 9, "talk"))
		want(t, "an import in place of the second", documents(), "d9:news:3:12 d1:chat:2:12 d5:talk:1:4")
		if n := len(storetest.Must(db.Plan.Plan(t.Context(), other.Campaign))(t).Documents); n != 2 {
			t.Errorf("the other campaign has %d documents, want 2", n)
		}
		want(t, "what is handed out", rateHanded(t, s, 0, 4), "s1 s3 s6 s2")
		want(t, "four are rated", documents(), "d9:news:3:12:ann1=3+0 d1:chat:2:12:ann1=1+1 d5:talk:1:4")
	})
}

// TestPlanHandsOut: annotators get the documents that are planned for them, by batch, and then places that
// nobody is planned for, if the plan leaves these to whoever asks. Nobody gets a place of somebody else.
func TestPlanHandsOut(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		for _, assign := range []string{"segment", "document"} {
			s := storetest.Campaign(t, db.Store, storetest.Slug(assign), storetest.Segments(12), storetest.Annotators(3), storetest.Set("redundancy=1", "assign="+assign))
			change(t, db, s, plan.Edit{Kind: plan.EditAssign, Documents: []string{"d2", "d4", "d5"}, Logins: []string{"ann1"}})
			change(t, db, s, plan.Edit{Kind: plan.EditAssign, Documents: []string{"d1"}, Logins: []string{"ann2"}})
			change(t, db, s, plan.Edit{Kind: plan.EditSaveBatch, Documents: []string{"d4"}, Batch: plan.Batch{Name: "urgent", Priority: 3}})
			change(t, db, s, plan.Edit{Kind: plan.EditSaveBatch, Documents: []string{"d5"}, Batch: plan.Batch{Name: "soon", Due: "2030-01-01"}})
			change(t, db, s, plan.Edit{Kind: plan.EditSaveBatch, Documents: []string{"d3"}, Batch: plan.Batch{Name: "late", Priority: -1}})
			want(t, assign+": planned, by batch", rateHanded(t, s, 0, 6), "s7 s8 s9 s10 s3 s4")
			if due := storetest.Must(db.Plan.DueWork(t.Context(), s.Campaign, s.Annotators[0].ID))(t); len(due) > 0 {
				t.Errorf("what is done is due: %v", due)
			}
			want(t, assign+": by pull, the late batch last", rateHanded(t, s, 2, 9), "s11 s12 s5 s6")
			want(t, assign+": what was kept", rateHanded(t, s, 1, 9), "s1 s2")
		}
	})
}

// TestPlanWithoutPull: a plan can keep back what nobody is planned for, and what annotators see of their
// progress agrees.
func TestPlanWithoutPull(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(6), storetest.Set("redundancy=2"))
		left := func(i int) int {
			return s.MyProgress(t, i).Available
		}
		change(t, db, s, plan.Edit{Kind: plan.EditAssign, Documents: []string{"d2"}, Logins: []string{"ann1"}})
		if left(0) != 6 || left(1) != 6 {
			t.Errorf("with pull %d and %d segments are left", left(0), left(1))
		}
		change(t, db, s, plan.Edit{Kind: plan.EditSetPull})
		if left(0) != 2 || left(1) != 0 {
			t.Errorf("without pull %d and %d segments are left", left(0), left(1))
		}
		want(t, "planned", rateHanded(t, s, 0, 9), "s3 s4")
		want(t, "not planned", rateHanded(t, s, 1, 9), "")
		change(t, db, s, plan.Edit{Kind: plan.EditEnd})
		want(t, "without a plan", rateHanded(t, s, 0, 9), "s1 s2 s5 s6")
		for _, table := range []string{"plans", "plan_turns", "plan_people", "plan_pools", "plan_pool_members", "plan_batches", "plan_documents"} {
			if n := storetest.Count(t, db, table); n > 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
	})
}

// TestPlanPools: nobody outside a pool is handed its documents, also those that are imported later.
func TestPlanPools(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(6), storetest.Annotators(3), storetest.Set("redundancy=2"))
		change(t, db, s, plan.Edit{Kind: plan.EditAssign, Documents: []string{"d3"}, Logins: []string{"ann2"}})
		c := change(t, db, s, plan.Edit{Kind: plan.EditSavePool, Pool: plan.Pool{Name: "three", Domain: "news", Pattern: "d[3*", Members: []string{"ann1"}}})
		if len(c.Documents) > 0 {
			t.Errorf("a bracket is no pattern: %+v", c.Documents)
		}
		c = change(t, db, s, plan.Edit{Kind: plan.EditSavePool, Pool: plan.Pool{Name: "three", Domain: "news", Pattern: "?3", Members: []string{"ann1"}}})
		if len(c.Documents) != 1 || !slices.Equal(c.Documents[0].Lost, []string{"ann2"}) || c.Documents[0].Pool != [2]string{"", "three"} {
			t.Errorf("the change is %+v", c.Documents)
		}
		later := storetest.Segment(7, 4, s.Systems)
		later.DocID = "x3"
		storetest.ImportSegments(t, s, later)
		want(t, "outside the pool", rateHanded(t, s, 1, 9), "s1 s2 s3 s4")
		want(t, "in the pool", rateHanded(t, s, 0, 9), "s5 s6 s7 s1 s2 s3 s4")
		storetest.WantInvalid(t, func() error {
			_, err := db.Plan.ChangePlan(t.Context(), s.Campaign.ID, plan.Edit{Kind: plan.EditSavePool, Pool: plan.Pool{Name: "x", Members: []string{"lead"}}}, "", s.Lead.ID)
			return err
		}(), "member")
	})
}

// TestPlanSkipped: a segment that the planned annotator skips goes to somebody else, and one that is left idle
// stays theirs.
func TestPlanSkipped(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.Set("redundancy=1"))
	change(t, db, s, plan.Edit{Kind: plan.EditAssign, Logins: []string{"ann1"}})
	s.Skip(t, 0, s.Next(t, 0), "not my field")
	s.Next(t, 0)
	db.Clock.Advance(48 * 3600e9)
	want(t, "somebody else", rateHanded(t, s, 1, 9), "s1")
	want(t, "the annotator", rateHanded(t, s, 0, 9), "s2")
}

// TestPlanWithoutSomebody: places of annotators who are set aside or removed are free at once, nothing is due from
// them, and what they have done stays. Somebody who returns has those of their documents again that nobody else was given.
func TestPlanWithoutSomebody(t *testing.T) {
	db := storetest.Open(t)
	for name, act := range map[string]struct {
		leave, back func(s *storetest.Sample) error
	}{
		"set aside": {
			func(s *storetest.Sample) error {
				return db.Desk.SetAside(t.Context(), s.Campaign.ID, "ann1", "careless", s.Lead.ID)
			},
			func(s *storetest.Sample) error {
				return db.Desk.RestoreAnnotator(t.Context(), s.Campaign.ID, "ann1", "asked again", s.Lead.ID)
			},
		},
		"removed": {
			func(s *storetest.Sample) error {
				return db.Accounts.RemoveMember(t.Context(), s.Campaign.ID, "ann1", s.Lead.ID)
			},
			func(s *storetest.Sample) error {
				return db.Accounts.AddMember(t.Context(), s.Campaign.ID, "ann1", campaign.Annotator, s.Lead.ID)
			},
		},
	} {
		s := storetest.Campaign(t, db.Store, storetest.Slug(strings.ReplaceAll(name, " ", "")), storetest.Segments(8), storetest.Annotators(3), storetest.Set("redundancy=1", "gate=off"))
		now := func() plan.Plan { return storetest.Must(db.Plan.Plan(t.Context(), s.Campaign))(t) }
		change(t, db, s, plan.Edit{Kind: plan.EditAssign, Logins: []string{"ann1"}})
		change(t, db, s, plan.Edit{Kind: plan.EditSaveBatch, Documents: []string{"d1", "d2", "d3", "d4"}, Batch: plan.Batch{Name: "b", Due: db.Clock.Now().AddDate(0, 0, -1).Format("2006-01-02")}})
		want(t, "before", rateHanded(t, s, 0, 2), "s1 s2")
		if p := now(); p.Short() != 0 || p.Standings()[0].Overdue != 3 {
			t.Errorf("%s: %d documents are short, %+v", name, p.Short(), p.Standings()[0])
		}

		storetest.Check(t, act.leave(s))
		p := now()
		done := 0
		if name == "removed" {
			done = 1 // what was done counts
		}
		if p.Short() != 4-done || p.Standings()[0] != (plan.Standing{Login: "ann1"}) || p.People[0].Inactive != name {
			t.Errorf("%s: %d documents are short, %+v, %+v", name, p.Short(), p.Standings()[0], p.People[0])
		}
		if due := storetest.Must(db.Plan.DueWork(t.Context(), s.Campaign, s.Annotators[0].ID))(t); len(due) > 0 {
			t.Errorf("%s: due are %v", name, due)
		}
		change(t, db, s, plan.Edit{Kind: plan.EditAssign, Documents: []string{"d2"}, Logins: []string{"ann2"}})
		if got := storetest.PlanOf(t, s); !strings.Contains(got, "d2: ann2, d3: ann1, d4: ann1") {
			t.Errorf("%s: the plan is %s", name, got)
		}
		want(t, "somebody else", rateHanded(t, s, 1, 2), "s3 s4")
		change(t, db, s, plan.Edit{Kind: plan.EditAssign, Documents: []string{"d3"}, Logins: []string{"ann3"}})

		storetest.Check(t, act.back(s))
		if got := storetest.PlanOf(t, s); got != "d1: ann1*, d2: ann2*, d3: ann3, d4: ann1" {
			t.Errorf("%s, after the return: %s", name, got)
		}
		if p := now(); p.Short() != 0 || p.Standings()[0].Overdue != 1 || p.People[0].Inactive != "" {
			t.Errorf("%s, after the return: %d documents are short, %+v", name, p.Short(), p.Standings()[0])
		}
		want(t, "after the return", rateHanded(t, s, 0, 9), "s7 s8")
		storetest.WantCount(t, db, 3*6, "ratings r JOIN assignments a ON a.id = r.assignment_id WHERE a.campaign_id = ?", s.Campaign.ID)
	}
}

// TestPlanChangesWhileWorkGoesOn: annotators ask for work and submit while leads change the plan. Every
// segment ends with its redundancy, no rating is lost, and nobody outside a pool gets its documents.
func TestPlanChangesWhileWorkGoesOn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		const people, segments = 4, 16
		s := storetest.Campaign(t, db.Store, storetest.Segments(segments), storetest.PerDocument(4), storetest.Annotators(people), storetest.Set("redundancy=2", "gate=off"))
		change(t, db, s, plan.Edit{Kind: plan.EditSavePool, Documents: []string{"d1", "d2"}, Pool: plan.Pool{Name: "two", Members: []string{"ann1", "ann2", "ann3"}}})
		var wg sync.WaitGroup
		done, stop := context.WithCancel(t.Context())
		for i := range people {
			wg.Go(func() {
				for {
					id, err := db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[i].ID)
					if errors.Is(err, campaign.ErrNoWork) {
						return
					}
					if errors.Is(err, campaign.ErrBusy) {
						continue
					}
					if err == nil {
						err = s.TryRate(t.Context(), i, id, 0, 2, 4)
					}
					if err != nil && !errors.Is(err, campaign.ErrBusy) {
						t.Errorf("ann%d: %v", i+1, err)
						return
					}
				}
			})
		}
		var leads sync.WaitGroup
		for k := range 2 {
			leads.Go(func() {
				for n := 0; done.Err() == nil && n < 12; n++ {
					logins := []string{fmt.Sprintf("ann%d", 1+n%people), fmt.Sprintf("ann%d", 1+(n+1+k)%people)}
					for _, e := range []plan.Edit{{Kind: plan.EditAnew}, {Kind: plan.EditHandOver, Logins: logins}, {Kind: plan.EditUnassign, Documents: []string{fmt.Sprintf("d%d", 1+n%4)}}} {
						if _, err := db.Plan.ChangePlan(t.Context(), s.Campaign.ID, e, "", s.Lead.ID); err != nil && !errors.Is(err, campaign.ErrBusy) && logins[0] != logins[1] {
							t.Errorf("%s: %v", e.Kind, err)
						}
					}
				}
			})
		}
		wg.Wait()
		stop()
		leads.Wait()
		// Whoever was told that nothing is left may find something now.
		change(t, db, s, plan.Edit{Kind: plan.EditEnd})
		change(t, db, s, plan.Edit{Kind: plan.EditSavePool, Documents: []string{"d1", "d2"}, Pool: plan.Pool{Name: "two", Members: []string{"ann1", "ann2", "ann3"}}})
		for i := range people {
			rateHanded(t, s, i, segments)
		}
		if n := storetest.Count(t, db, "assignments WHERE state = 'submitted'"); n != 2*segments || storetest.Count(t, db, "ratings") != 3*n {
			t.Errorf("%d turns are submitted with %d ratings", n, storetest.Count(t, db, "ratings"))
		}
		storetest.WantCount(t, db, 0, "segments WHERE taken <> 2")
		storetest.WantCount(t, db, 0, "assignments a JOIN segments s ON s.id = a.segment_id JOIN documents d ON d.id = s.document_id WHERE d.doc_id IN ('d1', 'd2') AND a.user_id = ?", s.Annotators[3].ID)
	})
}

// The place of an annotator whom a lead has replaced by nobody is kept for nobody, also if the annotator
// had submitted the segment.
func TestPlaceOfReplacedIsPulled(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3), storetest.Set("redundancy=2"))
	change(t, db, s, plan.Edit{Kind: plan.EditAssign, Documents: []string{"d1"}, Logins: []string{"ann1", "ann2"}})
	rateHanded(t, s, 0, 1)
	want(t, "while ann1 has a place, ann3 gets", rateHanded(t, s, 2, 1), "")
	storetest.Check(t, storetest.Leading{T: t, Sample: s}.Replace("s1", "ann1", ""))
	want(t, "after that ann3 gets", rateHanded(t, s, 2, 1), "s1")
}
