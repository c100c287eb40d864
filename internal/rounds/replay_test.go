package rounds_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/rounds"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// The state of a segment follows from its facts, whatever the order in which they
// came: a random life, and the same facts in another order that keeps each person's
// own and that of hand-outs, releases and acts, end in the same.
func TestReplayEndsInTheSameState(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		var sum replayed
		lives := uint64(4)
		if db.Driver() == database.Postgres {
			lives = 2 // the same code decides; these run all of its queries
		}
		for seed := range lives {
			sum.add(replayLife(t, db, seed, 90))
		}
		t.Log(sum)
		if sum.submitted == 0 || sum.submitted == sum.submissions || sum.acts == 0 || sum.away == 0 {
			t.Errorf("the lives had too little in them: %s", sum)
		}
	})
}

func TestSoakReplayEndsInTheSameState(t *testing.T) {
	until := time.Now().Add(testenv.SoakTime(t))
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		var sum replayed
		for seed := uint64(1000); time.Now().Before(until) && !t.Failed(); seed++ {
			sum.add(replayLife(t, db, seed, 60+int(seed%200)))
		}
		t.Log(sum)
	})
}

// replayed counts what was in lives.
type replayed struct {
	lives, facts, acts, away int
	submissions, submitted   int // all, and those that the replay could submit as annotators do
}

func (r *replayed) add(x replayed) {
	r.lives++
	r.facts, r.acts, r.away = r.facts+x.facts, r.acts+x.acts, r.away+x.away
	r.submissions, r.submitted = r.submissions+x.submissions, r.submitted+x.submitted
}

func (r replayed) String() string {
	return fmt.Sprintf("%d lives of %d facts: %d submissions, %d of them submitted again, %d acts on segments, %d acts on people and settings", r.lives, r.facts, r.submissions, r.submitted, r.acts, r.away)
}

func replayLife(t *testing.T, db *storetest.DB, seed uint64, steps int) replayed {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 17))
	options := []storetest.Option{storetest.Segments(8), storetest.Annotators(5),
		storetest.Set(fmt.Sprint("redundancy=", 1+seed%3), fmt.Sprint("rounds=", 1+seed/3%4), "gate="+[]string{"on", "on", "report", "off"}[r.IntN(4)])}
	l := &life{
		db: db, s: storetest.Campaign(t, db.Store, append(options, storetest.Slug(fmt.Sprint("life", seed)))...), r: r,
		turns: map[string]turnFact{}, acts: map[string]bool{}, gone: map[string]bool{},
	}
	l.settings = l.s.Campaign.Settings
	enableAll(t, db, l.s) // the lives before this one may have left them disabled
	for n := range steps {
		l.step(t)
		storetest.CheckGoesOn(t, l.s, fmt.Sprintf("seed %d, step %d", seed, n))
	}
	want := outcome(t, db, l.s)
	enableAll(t, db, l.s)
	again := &replay{db: db, s: storetest.Campaign(t, db.Store, append(options, storetest.Slug(fmt.Sprint("again", seed)))...)}
	for _, f := range shuffled(r, l.facts) {
		db.Clock.Advance(time.Minute)
		f.happen(t, again)
		again.did.facts++
	}
	for what, s := range map[string]*storetest.Sample{"replayed": again.s, "left alone meanwhile": l.s} {
		got := outcome(t, db, s)
		for i := range want {
			if !reflect.DeepEqual(want[i], got[i]) {
				t.Errorf("seed %d: %s in the life is, %s,\n%s\nand not\n%s", seed, want[i].Segment, what, got[i], want[i])
			}
		}
		if p := storetest.Must(storetest.FollowAll(t.Context(), db.Store, s.Campaign.ID))(t); p.Changed() != 0 {
			t.Errorf("seed %d: not what follows: %s", seed, p)
		}
		checkAsked(t, db, s)
		checkOvertaken(t, db, s)
	}
	return again.did
}

// enableAll enables the accounts of all annotators.
func enableAll(t *testing.T, db *storetest.DB, s *storetest.Sample) {
	t.Helper()
	for _, u := range s.Annotators {
		storetest.Check(t, db.Accounts.SetDisabled(t.Context(), u.ID, false))
	}
}

// checkAsked holds the queue of segments that wait for an adjudicator to the rule.
func checkAsked(t *testing.T, db *storetest.DB, s *storetest.Sample) {
	t.Helper()
	var want, got []string
	for _, seg := range s.All(t) {
		id := storetest.Must(db.Records.SegmentRowID(t.Context(), s.Campaign.ID, seg.DocID, seg.SegmentID))(t)
		var acts []campaign.Act
		for _, a := range storetest.Must(db.Desk.Segment(t.Context(), s.Campaign, id))(t).Acts {
			acts = append(acts, a.Act)
		}
		if seg.Status != campaign.Withdrawn && campaign.WaitsForAdjudicator(acts) {
			want = append(want, seg.SegmentID)
		}
	}
	for _, e := range storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Only: desk.QueueAsked, Sort: desk.SortPosition, Limit: 100}))(t).Entries {
		got = append(got, e.SegmentID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q wait for an adjudicator, want %q", got, want)
	}
}

// checkOvertaken holds the queue of segments that were rated after a decision to the rule.
func checkOvertaken(t *testing.T, db *storetest.DB, s *storetest.Sample) {
	t.Helper()
	var want, ids []string
	for _, seg := range s.All(t) {
		ids = append(ids, storetest.Must(db.Records.SegmentRowID(t.Context(), s.Campaign.ID, seg.DocID, seg.SegmentID))(t))
	}
	facts := rounds.NewFactReader(db.DB.Read(t.Context()), s.Campaign.ID)
	for _, g := range storetest.Must(facts.Of(ids))(t) {
		if g.RatedAfterDecision(g.Stored.DecidingAct) {
			want = append(want, g.ID)
		}
	}
	got := storetest.Must(db.Desk.QueueIDs(t.Context(), s.Campaign, desk.QueueFilter{Only: desk.QueueOvertaken, Sort: desk.SortPosition, Limit: 100}))(t)
	if !slices.Equal(got, want) {
		t.Errorf("%q are rated after a decision, want %q", got, want)
	}
}

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
	case l.gone["set aside "+login] || l.gone["remove "+login] || l.gone["disable "+login]:
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
	_, err := l.db.Intake.ImportRatings(t.Context(), l.s.Campaign.ID, func(yield func(campaign.NumberedRating, error) bool) {
		for k, system := range l.s.Systems {
			line := campaign.RatingLine{DocID: fmt.Sprint("d", (n+1)/2), SegmentID: fmt.Sprint("s", n), System: system,
				Rating: campaign.Rating{Annotator: login, Round: 1, Rating: storetest.Rating(float64((k + n) % 5))}}
			if !yield(campaign.NumberedRating{File: "x.jsonl", Line: k + 1, Rating: line}, nil) {
				return
			}
		}
	}, intake.ImportOptions{File: "x.jsonl"})
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

// A replay is a campaign to which facts happen in another order than they did. What
// no page would allow in that order is written as the rows that it leaves, since the
// state follows from these alone.
type replay struct {
	db  *storetest.DB
	s   *storetest.Sample
	did replayed
}

func (p *replay) follow(t *testing.T, segment string, change func(exec func(sql string, args ...any), segmentRowID string)) {
	t.Helper()
	var n int
	if _, err := fmt.Sscanf(segment, "s%d", &n); err != nil {
		t.Fatal(err)
	}
	row := p.s.RowID(t, fmt.Sprint("d", (n+1)/2), segment)
	storetest.Check(t, storetest.Follow(t.Context(), p.db.Store, p.s.Campaign.ID, []string{row}, func(tx *database.Tx) (err error) {
		change(func(sql string, args ...any) {
			if err == nil {
				err = tx.Exec(sql, args...).Error
			}
		}, row)
		return err
	}))
}

func (p *replay) userID(login string) string {
	return p.s.Annotators[slices.IndexFunc(p.s.Annotators, func(u accounts.User) bool { return u.Login == login })].ID
}

// handOut hands a turn out. Where a second look was asked for already, it is there.
func (p *replay) handOut(t *testing.T, turn turnFact) {
	t.Helper()
	p.follow(t, turn.Segment, func(exec func(sql string, args ...any), row string) {
		exec(`INSERT INTO assignments (id, campaign_id, segment_id, user_id, round, state, seed, started_at, touched_at) VALUES (?, ?, ?, ?, ?, 'open', 1, ?, ?) ON CONFLICT DO NOTHING`,
			"again-"+turn.ID, p.s.Campaign.ID, row, p.userID(turn.Login), turn.Round, p.db.Clock.Now().UnixMicro(), p.db.Clock.Now().UnixMicro())
	})
}

const ofTurn = " WHERE segment_id = ? AND user_id = ? AND round = ?"

func (p *replay) setState(t *testing.T, turn turnFact) {
	t.Helper()
	p.follow(t, turn.Segment, func(exec func(sql string, args ...any), row string) {
		exec("UPDATE assignments SET state = ?"+ofTurn+" AND set_aside = ''", turn.State, row, p.userID(turn.Login), turn.Round)
		exec("UPDATE assignments SET set_aside = ?"+ofTurn+" AND set_aside <> ''", turn.State, row, p.userID(turn.Login), turn.Round)
	})
}

// submit submits a turn as its annotator would, or where that is refused in this
// order, as rows.
func (p *replay) submit(t *testing.T, turn turnFact) {
	t.Helper()
	p.did.submissions++
	if !turn.Imported && p.trySubmit(t, turn) {
		p.did.submitted++
		return
	}
	p.follow(t, turn.Segment, func(exec func(sql string, args ...any), row string) {
		user, now := p.userID(turn.Login), p.db.Clock.Now().UnixMicro()
		exec("UPDATE assignments SET state = 'submitted', imported = ?, submitted_at = ?, ratings = ?"+ofTurn, turn.Imported, now, len(turn.scores), row, user, turn.Round)
		for system, score := range turn.scores {
			exec(`INSERT INTO ratings (id, assignment_id, translation_id, scores, gate_score, submitted_at)
				SELECT 'again-' || a.id || '-' || x.id, a.id, x.id, CAST(? AS TEXT), CAST(? AS DOUBLE PRECISION), CAST(? AS BIGINT) FROM assignments a JOIN translations x ON x.segment_id = a.segment_id JOIN systems y ON y.id = x.system_id
				WHERE a.segment_id = ? AND a.user_id = ? AND a.round = ? AND y.name = ?
				ON CONFLICT (assignment_id, translation_id) DO UPDATE SET scores = excluded.scores, gate_score = excluded.gate_score, submitted_at = excluded.submitted_at`,
				fmt.Sprintf(`{"sqm":%g}`, score), score, now, row, user, turn.Round, system)
		}
		exec(`UPDATE all_segments SET rated = rated + 1, imported = (SELECT count(*) FROM assignments a WHERE a.segment_id = all_segments.id AND a.round = 1 AND a.imported) WHERE id = ?`, row)
	})
}

func (p *replay) trySubmit(t *testing.T, turn turnFact) bool {
	t.Helper()
	ids := storetest.Query[string](t, p.db, "SELECT a.id FROM assignments a JOIN segments g ON g.id = a.segment_id WHERE a.campaign_id = ? AND g.segment_id = ? AND a.user_id = ? AND a.round = ?",
		p.s.Campaign.ID, turn.Segment, p.userID(turn.Login), turn.Round)
	i := slices.IndexFunc(p.s.Annotators, func(u accounts.User) bool { return u.Login == turn.Login })
	var scores []float64
	for _, system := range p.s.Systems {
		scores = append(scores, turn.scores[system])
	}
	err := p.s.TryRate(t.Context(), i, ids[0], scores...)
	if err != nil && !errors.Is(err, campaign.ErrDecided) {
		t.Fatal(err)
	}
	return err == nil
}

// act stores an act of a lead on a segment.
func (p *replay) act(t *testing.T, a actFact) {
	t.Helper()
	p.did.acts++
	p.follow(t, a.Segment, func(exec func(sql string, args ...any), row string) {
		var from, to any
		if a.FromLogin != "" {
			from = p.userID(a.FromLogin)
		}
		if a.ToLogin != "" {
			to = p.userID(a.ToLogin)
		}
		restores := a.Restores
		if restores != "" {
			restores = "again-" + restores
		}
		exec("INSERT INTO acts (id, campaign_id, segment_id, batch, kind, round, from_id, to_id, restores, by_id, reason, at, seq, undone) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'x', ?, ?, ?)",
			"again-"+a.ID, p.s.Campaign.ID, row, "again-"+a.Batch, a.Kind, a.Round, from, to, restores, p.s.Lead.ID, a.At, a.Seq, a.Undone)
		for _, login := range a.annotators {
			exec("INSERT INTO act_annotators (act_id, user_id) VALUES (?, ?)", "again-"+a.ID, p.userID(login))
		}
		for system, score := range a.entered {
			exec("INSERT INTO adjudicated (act_id, translation_id, gate_score) SELECT CAST(? AS TEXT), x.id, CAST(? AS DOUBLE PRECISION) FROM translations x JOIN systems y ON y.id = x.system_id WHERE x.segment_id = ? AND y.name = ?",
				"again-"+a.ID, score, row, system)
		}
	})
}

func (p *replay) undo(t *testing.T, a actFact) {
	t.Helper()
	p.follow(t, a.Segment, func(exec func(sql string, args ...any), row string) {
		exec("UPDATE acts SET undone = ? WHERE id = ?", a.Undone, "again-"+a.ID)
	})
}

// A segmentOutcome is all that follows for a segment, as it is stored.
type segmentOutcome struct {
	Segment, Status, DecidingAct string
	Round, Complete              int
	gold                         []string
	turns                        []string // those that are submitted
	decisions                    []string // that hold
}

func (o segmentOutcome) String() string {
	return fmt.Sprintf("%s in round %d (last complete %d, decided by %q), gold %q,\n\tturns %q,\n\tdecisions %q", o.Status, o.Round, o.Complete, o.DecidingAct, o.gold, o.turns, o.decisions)
}

func outcome(t *testing.T, db *storetest.DB, s *storetest.Sample) []segmentOutcome {
	t.Helper()
	out := storetest.Query[segmentOutcome](t, db, "SELECT segment_id AS segment, status, round, complete, holding AS deciding_act FROM segments WHERE campaign_id = ? ORDER BY position", s.Campaign.ID)
	at := map[string]*segmentOutcome{}
	for i := range out {
		out[i].DecidingAct = strings.TrimPrefix(out[i].DecidingAct, "again-")
		at[out[i].Segment] = &out[i]
	}
	for _, seg := range s.All(t) {
		for _, x := range seg.Translations {
			if x.Gold != nil {
				o := at[seg.SegmentID]
				o.gold = append(o.gold, fmt.Sprint(x.System, " ", x.Gold.Score))
			}
		}
	}
	for _, r := range storetest.Query[struct {
		Segment, Login, Work string
		Round                int
		Counts, Replaced     bool
	}](t, db, `SELECT g.segment_id AS segment, u.login, a.round, a.work, a.counts, a.replaced FROM assignments a JOIN segments g ON g.id = a.segment_id JOIN users u ON u.id = a.user_id
		WHERE a.campaign_id = ? AND (a.state = 'submitted' OR a.set_aside = 'submitted')`, s.Campaign.ID) {
		o := at[r.Segment]
		o.turns = append(o.turns, fmt.Sprintf("%s/%d %s counts %v replaced %v", r.Login, r.Round, r.Work, r.Counts, r.Replaced))
	}
	for _, r := range storetest.Query[struct {
		Segment, Status, Pairs string
		Round, Annotators      int
		Passed                 bool
	}](t, db, "SELECT g.segment_id AS segment, d.round, d.status, d.passed, d.annotators, d.pairs FROM decisions d JOIN segments g ON g.id = d.segment_id WHERE g.campaign_id = ? AND d.current", s.Campaign.ID) {
		o := at[r.Segment]
		o.decisions = append(o.decisions, fmt.Sprint(r))
	}
	for i := range out {
		slices.Sort(out[i].turns)
		slices.Sort(out[i].decisions)
	}
	wrong := storetest.Query[string](t, db, `SELECT g.segment_id FROM segments g WHERE g.campaign_id = ? AND g.taken <> (SELECT count(*) FROM assignments a
		WHERE a.segment_id = g.id AND a.round = 1 AND a.state IN ('open', 'submitted') AND NOT a.replaced)`, s.Campaign.ID)
	if len(wrong) > 0 {
		t.Errorf("places of %v counted wrongly", wrong)
	}
	return out
}
