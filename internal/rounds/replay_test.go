package rounds_test

import (
	"errors"
	"fmt"
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
			lives = 1 // the same code decides; it runs all of its queries
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
	l.checkEnd(t, fmt.Sprint("seed ", seed))
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
	storetest.Must(fmt.Sscanf(segment, "s%d", &n))(t)
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
