package campaign_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
)

// randomPlan makes a plan of 400 documents and 12 people with random lengths, pools, shares, numbers of
// words, absences and begun documents.
func randomPlan(seed uint64) campaign.Plan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := campaign.Plan{Redundancy: 1 + r.IntN(3), Pull: true, Today: "2026-11-20", Version: 1}
	for i := range 12 {
		x := campaign.PlanPerson{ID: fmt.Sprint("u", i), Login: fmt.Sprintf("ann%02d", i), Active: true, Share: 0.5 + 1.5*r.Float64()}
		if r.IntN(3) == 0 {
			from := 1 + r.IntN(10)
			x.Away = []campaign.Away{{From: fmt.Sprintf("2026-12-%02d", from), To: fmt.Sprintf("2026-12-%02d", from+r.IntN(6))}}
		}
		p.People = append(p.People, x)
	}
	p.Batches = []campaign.Batch{{Name: "first", Priority: 5, Due: "2026-12-20"}, {Name: "second"}}
	for i := range r.IntN(4) {
		pool := campaign.Pool{Name: fmt.Sprint("pool", i)}
		for _, k := range r.Perm(12)[:3+r.IntN(6)] {
			pool.Members = append(pool.Members, p.People[k].Login)
		}
		slices.Sort(pool.Members)
		p.Pools = append(p.Pools, pool)
	}
	for i := range 400 {
		d := campaign.PlanDocument{ID: fmt.Sprint("row", i), DocID: fmt.Sprint("d", i), Segments: 5, Words: 50 + int(300*r.ExpFloat64())%2000}
		if k := r.IntN(6 - 2*int(seed%3)); k < len(p.Pools) {
			d.Pool = p.Pools[k].Name
		}
		d.Batch = []string{"", "first", "second"}[r.IntN(3)]
		if r.IntN(10) == 0 {
			for _, x := range p.People[r.IntN(12):] {
				if pool := slices.IndexFunc(p.Pools, func(o campaign.Pool) bool { return o.Name == d.Pool }); pool < 0 || slices.Contains(p.Pools[pool].Members, x.Login) {
					d.Turns = []campaign.PlanTurn{{Login: x.Login, Begun: true, Planned: p.Today, Done: 1, Left: 4}}
					break
				}
			}
		}
		p.Documents = append(p.Documents, d)
	}
	return p
}

// TestBalance: with random pools, shares and absences every one of 400 documents gets its redundancy,
// nobody gets a document of a pool that is not theirs, begun documents stay, and all loads are within 10 %
// of what the pools allow, which is the target where the pools allow that.
func TestBalance(t *testing.T) {
	seeds := uint64(24)
	if testing.Short() {
		seeds = 10
	}
	reached := 0
	for seed := range seeds {
		p := randomPlan(seed)
		edit := campaign.PlanEdit{Kind: campaign.PlanAnew}
		after, change, err := edit.Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		again, _, _ := edit.Apply(p)
		if !reflect.DeepEqual(after, again) {
			t.Fatalf("seed %d: the plan differs the second time", seed)
		}
		for i, d := range after.Documents {
			if len(d.Turns) != p.Redundancy {
				t.Fatalf("seed %d: %s has %d annotators, want %d", seed, d.DocID, len(d.Turns), p.Redundancy)
			}
			for k, turn := range d.Turns {
				if k > 0 && d.Turns[k-1].Login >= turn.Login {
					t.Fatalf("seed %d: the turns of %s are %v", seed, d.DocID, d.Turns)
				}
				if pool := slices.IndexFunc(p.Pools, func(o campaign.Pool) bool { return o.Name == d.Pool }); pool >= 0 && !slices.Contains(p.Pools[pool].Members, turn.Login) {
					t.Fatalf("seed %d: %s of %s gets %s", seed, turn.Login, d.Pool, d.DocID)
				}
			}
			for _, turn := range p.Documents[i].Turns {
				if turn.Begun && !d.Has(turn.Login) {
					t.Fatalf("seed %d: %s lost %s, which was begun", seed, turn.Login, d.DocID)
				}
			}
		}
		targets, words := 0.0, 0
		for _, l := range change.Balance.Loads {
			targets, words = targets+l.Target, words+l.Words
			if got := after.Load(l.Login); got != l.Words {
				t.Errorf("seed %d: %s has %d words, and the balance says %d", seed, l.Login, got, l.Words)
			}
			if math.Abs(float64(l.Words)-l.Reach) > 0.1*l.Target {
				t.Errorf("seed %d: %s has %d words, within the pools %.0f can be reached, target %.0f", seed, l.Login, l.Words, l.Reach, l.Target)
			}
			explained := slices.ContainsFunc(change.Balance.Why, func(w string) bool { return strings.HasPrefix(w, l.Login+" ") })
			if off := math.Abs(l.Off()) > 0.1; off != explained {
				t.Errorf("seed %d: %s is %.0f %% off the target, explained: %v", seed, l.Login, 100*l.Off(), explained)
			}
			if math.Abs(l.Off()) <= 0.1 {
				reached++
			}
		}
		if math.Abs(targets-float64(words)) > 1 {
			t.Errorf("seed %d: the targets are %.0f words together, and %d are given", seed, targets, words)
		}
	}
	if reached < int(seeds)*6 {
		t.Errorf("only %d of %d people reach their target; the pools of this test should allow more", reached, seeds*12)
	}
	t.Logf("%d of %d people within 10 %% of their target", reached, seeds*12)
}

// TestBalanceReachesTargets: without pools and begun documents the target is always in reach.
func TestBalanceReachesTargets(t *testing.T) {
	for seed := range uint64(20) {
		p := randomPlan(seed)
		p.Pools = nil
		for i := range p.Documents {
			p.Documents[i].Pool, p.Documents[i].Turns = "", nil
		}
		p.People[0].Words = 3000
		_, change, err := campaign.PlanEdit{Kind: campaign.PlanBalance}.Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range change.Balance.Loads {
			if math.Abs(l.Off()) > 0.1 {
				t.Errorf("seed %d: %s has %d words, target %.0f", seed, l.Login, l.Words, l.Target)
			}
		}
		if len(change.Balance.Why) > 0 {
			t.Errorf("seed %d: %q", seed, change.Balance.Why)
		}
	}
}

// TestBalanceExplains: a pool that is too small, a person who is away all the time, and numbers of words
// that do not fit are said.
func TestBalanceExplains(t *testing.T) {
	p := campaign.Plan{Redundancy: 2, Today: "2026-11-20", Pools: []campaign.Pool{{Name: "law", Members: []string{"b"}}}, Batches: []campaign.Batch{{Name: "x", Due: "2026-11-22"}}}
	for _, login := range []string{"a", "b", "c"} {
		p.People = append(p.People, campaign.PlanPerson{Login: login, Active: true, Share: 1})
	}
	p.People[2].Away = []campaign.Away{{From: "2026-11-01", To: "2026-11-30"}}
	for i := range 10 {
		p.Documents = append(p.Documents, campaign.PlanDocument{DocID: fmt.Sprint("d", i), Words: 100, Segments: 1, Batch: "x"})
	}
	p.Documents[3].Pool = "law"
	after, change, err := campaign.PlanEdit{Kind: campaign.PlanBalance}.Apply(p)
	if err != nil {
		t.Fatal(err)
	}
	if got := change.Balance.Short; !slices.Equal(got, []string{"d3"}) || after.Short() != 1 {
		t.Errorf("short are %v", got)
	}
	if after.Load("c") != 0 || after.Load("a") != 900 || after.Load("b") != 1000 {
		t.Errorf("loads %d, %d, %d", after.Load("a"), after.Load("b"), after.Load("c"))
	}
	if why := strings.Join(change.Notes, "\n"); !strings.Contains(why, "1 document stays with fewer than 2 annotators, because only 1 annotator of the pool law can take them: d3.") {
		t.Errorf("explained: %s", why)
	}
	p.People[0].Words, p.People[1].Words, p.People[2].Words = 100, 100, 100
	_, change, _ = campaign.PlanEdit{Kind: campaign.PlanBalance}.Apply(p)
	if why := strings.Join(change.Notes, "\n"); !strings.Contains(why, "The words that people should get are 300 together, and there are 1,900 to give, so each gets 633% of their number.") {
		t.Errorf("explained: %s", why)
	}
}

func BenchmarkBalance(b *testing.B) {
	p := randomPlan(1)
	for b.Loop() {
		_, _, _ = campaign.PlanEdit{Kind: campaign.PlanAnew}.Apply(p)
	}
}
