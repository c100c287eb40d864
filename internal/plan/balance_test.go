package plan_test

import (
	"annotate/internal/plan"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// randomPlan makes a plan of 400 documents and 12 people with random lengths, pools, shares, numbers of
// words, absences and begun documents.
func randomPlan(seed uint64) plan.Plan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := plan.Plan{Redundancy: 1 + r.IntN(3), Pull: true, Today: "2026-11-20", Version: 1}
	for i := range 12 {
		x := plan.Person{ID: fmt.Sprint("u", i), Login: fmt.Sprintf("ann%02d", i), Active: true, Share: 0.5 + 1.5*r.Float64()}
		if r.IntN(3) == 0 {
			from := 1 + r.IntN(10)
			x.Away = []plan.Away{{From: fmt.Sprintf("2026-12-%02d", from), To: fmt.Sprintf("2026-12-%02d", from+r.IntN(6))}}
		}
		p.People = append(p.People, x)
	}
	p.Batches = []plan.Batch{{Name: "first", Priority: 5, Due: "2026-12-20"}, {Name: "second"}}
	for i := range r.IntN(4) {
		pool := plan.Pool{Name: fmt.Sprint("pool", i)}
		for _, k := range r.Perm(12)[:3+r.IntN(6)] {
			pool.Members = append(pool.Members, p.People[k].Login)
		}
		slices.Sort(pool.Members)
		p.Pools = append(p.Pools, pool)
	}
	for i := range 400 {
		d := plan.Document{ID: fmt.Sprint("row", i), DocID: fmt.Sprint("d", i), Segments: 5, Words: 50 + int(300*r.ExpFloat64())%2000}
		if k := r.IntN(6 - 2*int(seed%3)); k < len(p.Pools) {
			d.Pool = p.Pools[k].Name
		}
		d.Batch = []string{"", "first", "second"}[r.IntN(3)]
		if r.IntN(10) == 0 {
			for _, x := range p.People[r.IntN(12):] {
				if pool := slices.IndexFunc(p.Pools, func(o plan.Pool) bool { return o.Name == d.Pool }); pool < 0 || slices.Contains(p.Pools[pool].Members, x.Login) {
					d.Turns = []plan.Turn{{Login: x.Login, Begun: true, Planned: p.Today, Done: 1, Left: 4}}
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
		edit := plan.Edit{Kind: plan.EditAnew}
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
				if pool := slices.IndexFunc(p.Pools, func(o plan.Pool) bool { return o.Name == d.Pool }); pool >= 0 && !slices.Contains(p.Pools[pool].Members, turn.Login) {
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
			if is := math.Abs(off(l)) > 0.1; is != explained {
				t.Errorf("seed %d: %s is %.0f %% off the target, explained: %v", seed, l.Login, 100*off(l), explained)
			}
			if math.Abs(off(l)) <= 0.1 {
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
		_, change, err := plan.Edit{Kind: plan.EditBalance}.Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range change.Balance.Loads {
			if math.Abs(off(l)) > 0.1 {
				t.Errorf("seed %d: %s has %d words, target %.0f", seed, l.Login, l.Words, l.Target)
			}
		}
		if len(change.Balance.Why) > 0 {
			t.Errorf("seed %d: %q", seed, change.Balance.Why)
		}
	}
}

// TestBalanceShares: words are given by shares, and those of somebody who is away half of the time are half as many.
func TestBalanceShares(t *testing.T) {
	p := plan.Plan{Redundancy: 1, Pull: true, Today: "2026-11-01", Version: 1, Batches: []plan.Batch{{Name: "x", Due: "2026-11-20"}}, People: []plan.Person{
		{Login: "a", Active: true, Share: 1}, {Login: "b", Active: true, Share: 3},
		{Login: "c", Active: true, Share: 2, Away: []plan.Away{{From: "2026-11-11", To: "2026-11-20"}}},
	}}
	for i := range 50 {
		p.Documents = append(p.Documents, plan.Document{DocID: fmt.Sprint("d", i), Segments: 1, Words: 10, Batch: "x"})
	}
	_, change, err := plan.Edit{Kind: plan.EditBalance}.Apply(p)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{100, 300, 100} {
		if l := change.Balance.Loads[i]; math.Abs(l.Target-want) > 1e-9 || l.Words != int(want) {
			t.Errorf("%s has %d words with the target %v, want %v", l.Login, l.Words, l.Target, want)
		}
	}
}

// TestBalanceExplains: a pool that is too small, a person who is away all the time, and numbers of words
// that do not fit are said.
func TestBalanceExplains(t *testing.T) {
	p := plan.Plan{Redundancy: 2, Today: "2026-11-20", Pools: []plan.Pool{{Name: "law", Members: []string{"b"}}}, Batches: []plan.Batch{{Name: "x", Due: "2026-11-22"}}}
	for _, login := range []string{"a", "b", "c"} {
		p.People = append(p.People, plan.Person{Login: login, Active: true, Share: 1})
	}
	p.People[2].Away = []plan.Away{{From: "2026-11-01", To: "2026-11-30"}}
	for i := range 10 {
		p.Documents = append(p.Documents, plan.Document{DocID: fmt.Sprint("d", i), Words: 100, Segments: 1, Batch: "x"})
	}
	p.Documents[3].Pool = "law"
	after, change, err := plan.Edit{Kind: plan.EditBalance}.Apply(p)
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
	_, change, _ = plan.Edit{Kind: plan.EditBalance}.Apply(p)
	if why := strings.Join(change.Notes, "\n"); !strings.Contains(why, "The words that people should get are 300 together, and there are 1,900 to give, so each gets 633% of their number.") {
		t.Errorf("explained: %s", why)
	}
}

// TestBalanceMixes: the documents that two annotators share are spread evenly over all pairs. With equal shares,
// the pair with most shares at most two documents more than the pair with fewest. With random shares, each pair
// is near the most even division that the numbers of documents of the annotators allow. No group of annotators
// shares nothing with the others, also with pools and begun documents, and when there are few documents.
func TestBalanceMixes(t *testing.T) {
	for seed := range uint64(4) {
		pools := randomPlan(seed)
		pools.Redundancy = 2 + int(seed%2)
		shares := pools
		shares.Pools, shares.Documents = nil, slices.Clone(pools.Documents)
		for i := range shares.Documents {
			shares.Documents[i].Pool, shares.Documents[i].Turns = "", nil
		}
		equal := shares
		equal.People = slices.Clone(shares.People)
		for i := range equal.People {
			equal.People[i].Share, equal.People[i].Away = 1, nil
		}
		few := equal
		few.Documents = equal.Documents[:36]

		for name, p := range map[string]plan.Plan{"pools": pools, "shares": shares, "equal shares": equal, "few documents": few} {
			after, change, err := plan.Edit{Kind: plan.EditAnew}.Apply(p)
			if err != nil {
				t.Fatal(err)
			}
			s := after.Sharing()
			if len(s.Parts) != 1 {
				t.Errorf("seed %d, %s: the annotators fall into %v", seed, name, s.Parts)
			}
			if name == "equal shares" && s.Most > s.Least+2 {
				t.Errorf("seed %d: with equal shares, pairs share %d to %d documents", seed, s.Least, s.Most)
			}
			if name == "shares" {
				wantEvenPairs(t, seed, after)
			}
			note := fmt.Sprintf("shares %d to %d documents.", s.Least, s.Most)
			if s.Least == 0 {
				note = fmt.Sprintf("share at most %d documents, and some share none.", s.Most)
			}
			if s.Least < s.Most && !strings.Contains(strings.Join(change.Notes, " "), note) {
				t.Errorf("seed %d, %s: %q is not said, but %q", seed, name, note, change.Notes)
			}
		}
	}
}

// wantEvenPairs compares the documents that pairs share with the most even division, which has the smallest sum
// of squares for the numbers of documents that each annotator shares with all others. With n annotators and
// these numbers r, whose sum is R, a pair i, j then has a(i) + a(j) documents, a(i) = (r(i) − R / (2n − 2)) / (n − 2).
func wantEvenPairs(t *testing.T, seed uint64, p plan.Plan) {
	t.Helper()
	shared, each, all := map[[2]string]float64{}, map[string]float64{}, 0.0
	for _, d := range p.Documents {
		for k, x := range d.Turns {
			for _, y := range d.Turns[:k] {
				shared[[2]string{y.Login, x.Login}]++
				each[x.Login], each[y.Login], all = each[x.Login]+1, each[y.Login]+1, all+2
			}
		}
	}
	n := float64(len(p.People))
	part := func(login string) float64 { return (each[login] - all/(2*n-2)) / (n - 2) }
	for i, y := range p.People {
		for _, x := range p.People[:i] {
			if got, want := shared[[2]string{x.Login, y.Login}], part(x.Login)+part(y.Login); math.Abs(got-want) > 2.5 {
				t.Errorf("seed %d: %s and %s share %.0f documents, most evenly %.1f", seed, x.Login, y.Login, got, want)
			}
		}
	}
}

// TestBalanceSaysHowManyDocumentsPairsShare: the note counts documents in plain English, also where pairs share none.
func TestBalanceSaysHowManyDocumentsPairsShare(t *testing.T) {
	for _, test := range []struct {
		documents, people int
		want              string
	}{
		{1, 2, "Every pair of annotators shares 1 document."},
		{1, 3, "Every pair of annotators shares 1 document."}, // the third annotator has no document
		{2, 3, "Pairs of annotators share at most 1 document, and some share none."},
		{4, 3, "Every pair of annotators shares 1 to 2 documents."},
		{6, 3, "Every pair of annotators shares 2 documents."},
		{2, 4, "Pairs of annotators share at most 1 document, and some share none."},
	} {
		p := plan.Plan{Redundancy: 2, Today: "2026-11-20"}
		for _, login := range []string{"a", "b", "c", "d"}[:test.people] {
			p.People = append(p.People, plan.Person{Login: login, Active: true, Share: 1})
		}
		for i := range test.documents {
			p.Documents = append(p.Documents, plan.Document{DocID: fmt.Sprint("d", i), Words: 10, Segments: 1})
		}
		_, change, err := plan.Edit{Kind: plan.EditBalance}.Apply(p)
		if err != nil || len(change.Notes) == 0 || !slices.Contains(change.Notes, test.want) {
			t.Errorf("%d documents, %d people: %v %q, want %q", test.documents, test.people, err, change.Notes, test.want)
		}
	}
}

// TestBalanceSaysGroups: groups of annotators that pools keep apart are named.
func TestBalanceSaysGroups(t *testing.T) {
	p := plan.Plan{Redundancy: 2, Today: "2026-11-20", Pools: []plan.Pool{{Name: "law", Members: []string{"a", "b"}}, {Name: "news", Members: []string{"c", "d"}}}}
	for _, login := range []string{"a", "b", "c", "d"} {
		p.People = append(p.People, plan.Person{Login: login, Active: true, Share: 1})
	}
	for i := range 4 {
		p.Documents = append(p.Documents, plan.Document{DocID: fmt.Sprint("d", i), Words: 10, Segments: 1, Pool: []string{"law", "news"}[i%2]})
	}
	_, change, err := plan.Edit{Kind: plan.EditBalance}.Apply(p)
	want := []string{"Every pair of annotators who may take the same documents shares 2 documents.", "The annotators fall into 2 groups that share no document, so that agreement between the groups cannot be estimated: a and b; c and d."}
	if err != nil || !slices.Equal(change.Notes, want) {
		t.Errorf("%v: %q, want %q", err, change.Notes, want)
	}
}

func BenchmarkBalance(b *testing.B) {
	p := randomPlan(1)
	for b.Loop() {
		_, _, _ = plan.Edit{Kind: plan.EditAnew}.Apply(p)
	}
}

// off is the difference of the words from the target, as a share of the target; 0 if the target is 0.
func off(l plan.BalanceLoad) float64 {
	if l.Target == 0 {
		return 0
	}
	return (float64(l.Words) - l.Target) / l.Target
}
