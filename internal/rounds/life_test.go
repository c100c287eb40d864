package rounds_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
)

// A fact is one thing that happened. Those that share an order happen in it.
type fact struct {
	orders []string
	happen func(t *testing.T, again *replay)
}

// handed is the order of hand-outs, releases and acts.
const handed = "hand-outs, releases and acts"

// shuffled puts facts into a random order that keeps theirs.
func shuffled(r *rand.Rand, facts []fact) (out []fact) {
	left := slices.Clone(facts)
	for len(left) > 0 {
		held := map[string]bool{}
		var ready []int
		for i, f := range left {
			if !slices.ContainsFunc(f.orders, func(o string) bool { return held[o] }) {
				ready = append(ready, i)
			}
			for _, o := range f.orders {
				held[o] = true
			}
		}
		i := ready[r.IntN(len(ready))]
		out, left = append(out, left[i]), slices.Delete(left, i, i+1)
	}
	return out
}

// A life is a campaign in which all kinds of things happen, and the facts that they
// left, which are found by looking at the rows after each step.
type life struct {
	db       *storetest.DB
	s        *storetest.Sample
	r        *rand.Rand
	facts    []fact
	turns    map[string]turnFact // by id
	acts     map[string]bool     // undone, by id
	gone     map[string]bool     // "disable ann1" and the like, while it holds
	settings campaign.Settings
}

// A turnFact is a hand-out as a fact.
type turnFact struct {
	ID, Segment, Login, State string
	Round                     int
	Imported                  bool
	scores                    map[string]float64
}

// An actFact is an act of a lead on a segment as a fact.
type actFact struct {
	ID, Batch, Kind, Segment, FromLogin, ToLogin, Restores string
	Round                                                  int
	At, Seq                                                int64
	Undone                                                 bool
	annotators                                             []string
	entered                                                map[string]float64
}

func (l *life) step(t *testing.T) {
	t.Helper()
	l.db.Clock.Advance(time.Duration(1+l.r.IntN(120)) * time.Minute)
	i := l.r.IntN(len(l.s.Annotators))
	login := l.s.Annotators[i].Login
	switch x := l.r.IntN(30); {
	case x == 0:
		l.away(t, i)
	case x == 1:
		l.change(t)
	case x <= 3:
		l.lead(t)
	case x == 4:
		l.importRating(t, login)
	case x == 5:
		l.submitAgain(t, i)
	case !l.here(i):
	default:
		step(t, l.db, l.s, l.r, i)
	}
	l.look(t)
}

// away sets an annotator aside, removes or disables them, or takes that back.
func (l *life) away(t *testing.T, i int) {
	t.Helper()
	what := []string{"set aside", "set aside", "remove", "disable"}[l.r.IntN(4)]
	u := l.s.Annotators[i]
	on := !l.gone[what+" "+u.Login]
	if on && l.r.IntN(2) == 0 {
		return // most are there most of the time
	}
	do := func(t *testing.T, s *storetest.Sample) error {
		ctx, st, id := t.Context(), s.Store, s.Campaign.ID
		switch {
		case what == "set aside" && on:
			return st.Desk.SetAside(ctx, id, u.Login, "x", s.Lead.ID)
		case what == "set aside":
			return st.Desk.RestoreAnnotator(ctx, id, u.Login, "x", s.Lead.ID)
		case what == "remove" && on:
			return st.Accounts.RemoveMember(ctx, id, u.Login, s.Lead.ID)
		case what == "remove":
			return st.Accounts.AddMember(ctx, id, u.Login, campaign.Annotator, s.Lead.ID)
		}
		return st.Accounts.SetDisabled(ctx, u.ID, on)
	}
	if err := do(t, l.s); errors.Is(err, campaign.ErrConflict) {
		return
	} else if err != nil {
		t.Fatal(err)
	}
	l.gone[what+" "+u.Login] = on
	l.facts = append(l.facts, fact{[]string{u.Login, handed}, func(t *testing.T, again *replay) {
		storetest.Check(t, do(t, again.s))
		again.did.away++
	}})
}

// change changes settings, there and back.
func (l *life) change(t *testing.T) {
	t.Helper()
	l.s.Change(t, []string{
		fmt.Sprint("threshold=", []float64{-1, 0.2, 0.7, 0.99}[l.r.IntN(4)]), fmt.Sprint("redundancy=", 1+l.r.IntN(3)), fmt.Sprint("rounds=", 1+l.r.IntN(4)),
		"gate=" + []string{"on", "on", "report", "off"}[l.r.IntN(4)], fmt.Sprint("tolerance=", l.r.IntN(2)),
	}[l.r.IntN(5)])
}

// lead is an act on several segments, or one that names somebody.
func (l *life) lead(t *testing.T) {
	t.Helper()
	ctx, st, id, by := t.Context(), l.s.Store, l.s.Campaign.ID, l.s.Lead.ID
	var rows, logins []string
	for _, n := range l.r.Perm(l.s.Segments)[:1+l.r.IntN(3)] {
		rows = append(rows, l.s.RowID(t, fmt.Sprint("d", n/2+1), fmt.Sprint("s", n+1)))
	}
	for _, i := range l.r.Perm(len(l.s.Annotators))[:2] {
		logins = append(logins, l.s.Annotators[i].Login)
	}
	var err error
	switch l.r.IntN(9) {
	case 0:
		err = st.Rounds.AnotherLook(ctx, id, rows, logins, "x", by)
	case 1:
		err = st.Rounds.AcceptMeans(ctx, id, rows, "x", by)
	case 2:
		err = st.Rounds.Discard(ctx, id, rows, "x", by)
	case 3:
		err = st.Rounds.AskForAdjudication(ctx, id, rows, "x", by)
	case 4:
		err = st.Rounds.FurtherAnnotator(ctx, id, rows, logins[0], "x", by)
	case 5, 6:
		err = st.Rounds.ReplaceAnnotator(ctx, id, rows[0], logins[0], logins[1], "x", by)
	case 7:
		err = st.Rounds.LookAtRatings(ctx, id, rows[:1], "x", by)
	case 8:
		err = storetest.Undo(ctx, l.s, rows[0], l.r.IntN(2) == 0)
	}
	if err != nil && !errors.Is(err, campaign.ErrConflict) {
		t.Fatal(err)
	}
}

// importRating imports ratings of a segment, which may be refused.
func (l *life) importRating(t *testing.T, login string) {
	t.Helper()
	n := l.r.IntN(l.s.Segments) + 1
	var lines []campaign.RatingLine
	for k, system := range l.s.Systems {
		lines = append(lines, campaign.RatingLine{SegmentID: fmt.Sprint("s", n), System: system, Rating: storetest.SQM(login, 1, float64((k+n)%5))})
	}
	_, err := l.db.Intake.ImportRatings(t.Context(), l.s.Campaign.ID, storetest.NumberedRatings(lines...), intake.ImportOptions{})
	if _, refused := errors.AsType[*campaign.Problems](err); err != nil && !refused {
		t.Fatal(err)
	}
}

// submitAgain has an annotator change what they have submitted, which may be refused.
func (l *life) submitAgain(t *testing.T, i int) {
	t.Helper()
	u := l.s.Annotators[i]
	for _, id := range slices.Sorted(maps.Keys(l.turns)) {
		if turn := l.turns[id]; turn.Login == u.Login && turn.State == "submitted" && l.r.IntN(2) == 0 {
			err := l.s.TryRate(t.Context(), i, id, float64(l.r.IntN(5)), float64(l.r.IntN(5)), float64(l.r.IntN(5)))
			if err != nil && !errors.Is(err, campaign.ErrDecided) && !errors.Is(err, campaign.ErrSetAside) && !errors.Is(err, campaign.ErrNotFound) {
				t.Fatal(err)
			}
			return
		}
	}
}

// look notes the facts that came since it was called last.
func (l *life) look(t *testing.T) {
	t.Helper()
	for _, turn := range readTurns(t, l.db, l.s) {
		was, known := l.turns[turn.ID]
		l.turns[turn.ID] = turn
		if !known {
			l.note([]string{turn.Login, handed}, func(t *testing.T, again *replay) { again.handOut(t, turn) })
		}
		switch {
		case turn.State == "submitted" && !reflect.DeepEqual(was.scores, turn.scores):
			l.note([]string{turn.Login}, func(t *testing.T, again *replay) { again.submit(t, turn) })
		case known && was.State != turn.State:
			l.note([]string{turn.Login, handed}, func(t *testing.T, again *replay) { again.setState(t, turn) })
		}
	}
	for _, a := range readActFacts(t, l.db, l.s) {
		undone, known := l.acts[a.ID]
		l.acts[a.ID] = a.Undone
		if !known {
			l.note([]string{handed}, func(t *testing.T, again *replay) { again.act(t, a) })
		} else if a.Undone != undone {
			l.note([]string{handed}, func(t *testing.T, again *replay) { again.undo(t, a) })
		}
	}
	if now := l.s.Campaign.Settings; now != l.settings {
		l.settings = now
		l.note([]string{"settings"}, func(t *testing.T, again *replay) {
			again.s.Change(t, fmt.Sprint("threshold=", now.Threshold), fmt.Sprint("tolerance=", now.Tolerance), fmt.Sprint("redundancy=", now.Redundancy), fmt.Sprint("rounds=", now.Rounds), "gate="+now.Gate)
			again.did.away++
		})
	}
}

// checkEnd checks that the stored states are those that follow from the facts, that nobody is asked for what is not under
// way, that no place is counted wrongly, and that setting annotators aside and restoring them in any order changes nothing.
func (l *life) checkEnd(t *testing.T, what string) {
	t.Helper()
	if p := storetest.Must(storetest.FollowAll(t.Context(), l.db.Store, l.s.Campaign.ID))(t); p.Changed() != 0 {
		t.Errorf("%s: not what follows: %s", what, p)
	}
	for wrong, sql := range map[string]string{
		"asked for in a segment that a lead has decided": "SELECT g.segment_id FROM segments g JOIN assignments a ON a.segment_id = g.id WHERE g.campaign_id = ? AND g.status IN ('adjudicated', 'withdrawn') AND a.work = 'asked' AND a.state <> 'adjudicating'",
		"places counted wrongly": `SELECT g.segment_id FROM segments g WHERE g.campaign_id = ? AND g.taken <> (SELECT count(*) FROM assignments a
			WHERE a.segment_id = g.id AND a.round = 1 AND a.state IN ('open', 'submitted') AND NOT a.replaced)`,
	} {
		if segments := storetest.Query[string](t, l.db, sql, l.s.Campaign.ID); len(segments) > 0 {
			t.Errorf("%s: %s: %v", what, wrong, segments)
		}
	}
	before := ofCampaign(t, l.db, l.s)
	var order []int
	for _, i := range l.r.Perm(len(l.s.Annotators))[:3] {
		if l.here(i) {
			l.db.Clock.Advance(time.Minute)
			storetest.SetAside(t, l.s, i)
			order = append(order, i)
		}
	}
	l.r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, i := range order {
		l.db.Clock.Advance(time.Minute)
		storetest.Restore(t, l.s, i)
	}
	after := ofCampaign(t, l.db, l.s)
	for k := range before {
		if !reflect.DeepEqual(before[k], after[k]) {
			t.Errorf("%s: set aside and restored, %v became %v", what, before[k], after[k])
		}
	}
}

// here says whether an annotator can work.
func (l *life) here(i int) bool {
	login := l.s.Annotators[i].Login
	return !l.gone["set aside "+login] && !l.gone["remove "+login] && !l.gone["disable "+login]
}

func (l *life) note(orders []string, happen func(t *testing.T, again *replay)) {
	l.facts = append(l.facts, fact{orders, happen})
}

func readTurns(t *testing.T, db *storetest.DB, s *storetest.Sample) []turnFact {
	t.Helper()
	turns := storetest.Query[turnFact](t, db, `SELECT a.id, g.segment_id AS segment, u.login, a.round, a.imported, CASE WHEN a.set_aside <> '' THEN a.set_aside ELSE a.state END AS state
		FROM assignments a JOIN segments g ON g.id = a.segment_id JOIN users u ON u.id = a.user_id WHERE a.campaign_id = ? ORDER BY a.started_at, a.id`, s.Campaign.ID)
	scores := map[string]map[string]float64{}
	for _, r := range storetest.Query[struct {
		ID, Name string
		Score    float64
	}](t, db, `SELECT a.id, y.name, r.gate_score AS score FROM ratings r JOIN assignments a ON a.id = r.assignment_id
		JOIN translations x ON x.id = r.translation_id JOIN systems y ON y.id = x.system_id WHERE a.campaign_id = ?`, s.Campaign.ID) {
		if scores[r.ID] == nil {
			scores[r.ID] = map[string]float64{}
		}
		scores[r.ID][r.Name] = r.Score
	}
	for i := range turns {
		turns[i].scores = scores[turns[i].ID]
	}
	return turns
}

func readActFacts(t *testing.T, db *storetest.DB, s *storetest.Sample) []actFact {
	t.Helper()
	acts := storetest.Query[actFact](t, db, `SELECT c.id, c.batch, c.kind, g.segment_id AS segment, coalesce(f.login, '') AS from_login, coalesce(o.login, '') AS to_login, c.restores, c.round, c.at, c.seq, c.undone
		FROM acts c JOIN segments g ON g.id = c.segment_id LEFT JOIN users f ON f.id = c.from_id LEFT JOIN users o ON o.id = c.to_id WHERE c.campaign_id = ? ORDER BY c.seq`, s.Campaign.ID)
	for i, a := range acts {
		acts[i].annotators = storetest.Query[string](t, db, "SELECT u.login FROM act_annotators n JOIN users u ON u.id = n.user_id WHERE n.act_id = ?", a.ID)
		acts[i].entered = map[string]float64{}
		for _, r := range storetest.Query[struct {
			Name  string
			Score float64
		}](t, db, "SELECT y.name, d.gate_score AS score FROM adjudicated d JOIN translations x ON x.id = d.translation_id JOIN systems y ON y.id = x.system_id WHERE d.act_id = ?", a.ID) {
			acts[i].entered[r.Name] = r.Score
		}
	}
	return acts
}
