package rounds_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/plan"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
	"annotate/internal/work"
)

// Whatever annotators, adjudicators and leads do, no segment is forgotten after any of it. In the end
// everyone does all that they are handed, and the desk names what is not settled by that.
func TestNoSegmentIsForgotten(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		lives := uint64(4)
		if db.Driver() == database.Postgres {
			lives = 1
		}
		for seed := range lives {
			fullLife(t, db, seed, 50)
		}
		if db.Driver() == database.SQLite {
			fullLife(t, db, 1082, 130) // an annotator has a document that the plan gives to others
		}
	})
}

func TestSoakNoSegmentIsForgotten(t *testing.T) {
	until := time.Now().Add(testenv.SoakTime(t))
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		seed := uint64(1000)
		for ; time.Now().Before(until) && !t.Failed(); seed++ {
			fullLife(t, db, seed, 60+int(seed%200))
		}
		t.Logf("%d lives", seed-1000)
	})
}

// fullLife is a life with everything that can happen to a campaign, also what a replay can't repeat.
func fullLife(t *testing.T, db *storetest.DB, seed uint64, steps int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 23))
	l := &life{db: db, r: r, turns: map[string]turnFact{}, acts: map[string]bool{}, gone: map[string]bool{},
		s: storetest.Campaign(t, db.Store, storetest.Slug(fmt.Sprint("full", seed)), storetest.Segments(8), storetest.Annotators(5), storetest.Set(
			fmt.Sprint("redundancy=", 1+seed%3), fmt.Sprint("rounds=", 1+r.IntN(3)), "gate="+[]string{"on", "on", "report"}[r.IntN(3)],
			"assign="+[]string{"segment", "document"}[seed%2], fmt.Sprint("release_hours=", 24*r.IntN(2))))}
	enableAll(t, db, l.s)
	for n := range steps {
		l.fullStep(t)
		storetest.CheckGoesOn(t, l.s, fmt.Sprintf("seed %d, step %d", seed, n))
		c := storetest.Must(db.Records.Campaign(t.Context(), l.s.Campaign.Slug))(t)
		kept := storetest.Must(db.Plan.Plan(t.Context(), c))(t)
		if read := storetest.Must(work.NewPlans(db.DB, db.Records, db.Outbox).Plan(t.Context(), c))(t); !reflect.DeepEqual(kept, read) {
			t.Errorf("seed %d, step %d: the plan is kept as\n%+v\nand not\n%+v", seed, n, kept, read)
		}
		if t.Failed() {
			return
		}
	}
	l.checkEnd(t, fmt.Sprint("seed ", seed))
	l.finish(t)
	storetest.CheckNamed(t, l.s, fmt.Sprintf("seed %d, at the end", seed))
}

// fullStep does one thing of all that can happen.
func (l *life) fullStep(t *testing.T) {
	t.Helper()
	ctx, st, c := t.Context(), l.s.Store, l.s.Campaign
	l.db.Clock.Advance(time.Duration(1+l.r.IntN(120)) * time.Minute)
	i := l.r.IntN(len(l.s.Annotators))
	u := l.s.Annotators[i]
	row := storetest.Query[string](t, l.db, "SELECT id FROM segments WHERE campaign_id = ? ORDER BY position", c.ID)[l.r.IntN(l.s.Segments)]
	var err error
	switch x := l.r.IntN(40); {
	case x < 2:
		l.away(t, i)
	case x == 2:
		l.change(t)
	case x == 3:
		l.s.Change(t, []string{"assign=segment", "assign=document", "release_hours=0", "release_hours=24", "adjudicate_own=yes"}[l.r.IntN(5)])
	case x < 6:
		l.lead(t)
	case x == 6:
		l.importRating(t, u.Login)
	case x < 9:
		l.answer(t)
	case x < 11:
		l.plan(t)
	case x == 11:
		err = st.Rounds.AskForAdjudicationByAny(ctx, c.ID, []string{row}, "x", l.s.Lead.ID)
	case x == 12:
		_, err = st.Work.OpenAdjudication(ctx, c.ID, row, []string{u.ID, l.s.Lead.ID}[l.r.IntN(2)])
	case x == 13:
		if err = st.Accounts.AddMember(ctx, c.ID, u.Login, campaign.Adjudicator, l.s.Lead.ID); err == nil {
			l.gone["remove "+u.Login] = false
		}
	case !l.here(i):
	case x < 17:
		var id string
		if id, err = st.Work.Next(ctx, c.ID, u.ID); err == nil {
			err = st.Work.Skip(ctx, c, u.ID, id, "x")
		}
	case x == 17:
		l.submitAgain(t, i)
	case x == 18:
		var id string
		if id, err = st.Work.Next(ctx, c.ID, u.ID); err == nil {
			if err = l.s.TryRate(ctx, i, id, 4, 2, 0); err == nil {
				err = st.Work.TakeBack(ctx, c, u.ID, id)
			}
		}
	default:
		step(t, l.db, l.s, l.r, i)
	}
	for _, refusal := range []error{campaign.ErrConflict, campaign.ErrNoWork, campaign.ErrForbidden, campaign.ErrDecided} {
		if errors.Is(err, refusal) {
			err = nil
		}
	}
	storetest.Check(t, err)
}

// answer answers the problems that are open, or some of them.
func (l *life) answer(t *testing.T) {
	t.Helper()
	for _, p := range storetest.AllProblems(t, l.s) {
		if p.ResolvedAt.IsZero() && l.r.IntN(3) > 0 {
			if err := l.db.Work.ResolveProblem(t.Context(), l.s.Campaign.ID, p.ID, "x", l.r.IntN(8) == 0, l.s.Lead.ID); err != nil && !errors.Is(err, campaign.ErrConflict) {
				t.Fatal(err)
			}
		}
	}
}

// plan changes the plan, or makes or ends one.
func (l *life) plan(t *testing.T) {
	t.Helper()
	var documents, logins []string
	for _, n := range l.r.Perm(l.s.Segments / 2)[:1+l.r.IntN(3)] {
		documents = append(documents, fmt.Sprint("d", n+1))
	}
	for _, i := range l.r.Perm(len(l.s.Annotators))[:2] {
		logins = append(logins, l.s.Annotators[i].Login)
	}
	edit := []plan.Edit{
		{Kind: plan.EditAssign, Documents: documents, Logins: logins}, {Kind: plan.EditUnassign, Documents: documents},
		{Kind: plan.EditHandOver, Logins: logins}, {Kind: plan.EditAnew}, {Kind: plan.EditBalance}, {Kind: plan.EditSetPull, Pull: l.r.IntN(2) == 0},
		{Kind: plan.EditSavePool, Documents: documents, Pool: plan.Pool{Name: "two", Members: logins}}, {Kind: plan.EditEnd},
	}[l.r.IntN(8)]
	_, err := l.db.Plan.ChangePlan(t.Context(), l.s.Campaign.ID, edit, "", l.s.Lead.ID)
	if _, invalid := errors.AsType[*campaign.InvalidError](err); err != nil && !invalid && !errors.Is(err, campaign.ErrConflict) && !errors.Is(err, campaign.ErrNotFound) {
		t.Fatal(err)
	}
}

// finish has everyone who is there do all that they are handed.
func (l *life) finish(t *testing.T) {
	t.Helper()
	for done := true; done; {
		done = false
		for i, u := range l.s.Annotators {
			if !l.here(i) {
				continue
			}
			for id, err := l.db.Work.Next(t.Context(), l.s.Campaign.ID, u.ID); !errors.Is(err, campaign.ErrNoWork); id, err = l.db.Work.Next(t.Context(), l.s.Campaign.ID, u.ID) {
				storetest.Check(t, err)
				l.s.Rate(t, i, id, 0, 2, 4)
				done = true
			}
		}
	}
}

// An annotator who is not active holds no place, however the segment came to them, and gets it back
// on becoming active if it still has a place.
func TestOnlyActiveAnnotatorsHoldPlaces(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(3), storetest.PerDocument(3), storetest.Set("redundancy=1", "release_hours=0"))
	a := storetest.Leading{T: t, Sample: s}
	ctx, ann1 := t.Context(), s.Annotators[0]
	storetest.HandOut(t, db, s, 1, 0)
	reported := storetest.HandOut(t, db, s, 2, 0)
	storetest.ReportProblem(t, s, 0, reported, "no source")
	storetest.HandOut(t, db, s, 3, 0)
	a.Done(a.Replace("s3", "ann1", "ann2"))

	storetest.Check(t, db.Accounts.SetDisabled(ctx, ann1.ID, true))
	storetest.WantStates(t, db, "s1", "ann1/1 released")
	storetest.Check(t, db.Work.ResolveProblem(ctx, s.Campaign.ID, storetest.AllProblems(t, s)[0].ID, "it is a title", false, s.Lead.ID))
	storetest.WantStates(t, db, "s2", "ann1/1 released")
	a.Done(a.Undo("s3"))
	storetest.WantStates(t, db, "s3", "ann1/1 released", "ann2/1 released")
	storetest.CheckGoesOn(t, s, "ann1 can't sign in")
	for _, name := range []string{"s3", "s1"} {
		storetest.WantTurn(t, s, 1, s.RateNext(t, 1, 0, 2, 4), name)
	}
	storetest.Check(t, db.Accounts.SetDisabled(ctx, ann1.ID, false))
	if got := s.Next(t, 0); got != reported {
		t.Errorf("ann1 goes on with %s, want s2", storetest.SegmentOf(t, s, 0, got))
	}
}
