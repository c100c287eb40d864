package plan_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/plan"
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
// nobody gets a document of a pool that is not theirs, begun documents stay, and who is off the target is told why.
func TestBalance(t *testing.T) {
	reached := 0
	for seed := range uint64(10) {
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
		for _, l := range change.Loads {
			targets, words = targets+*l.Target, words+l.After
			if got := p.Load(l.Login); got != l.Before {
				t.Errorf("seed %d: %s had %d words, and the balance says %d", seed, l.Login, got, l.Before)
			}
			if got := after.Load(l.Login); got != l.After {
				t.Errorf("seed %d: %s has %d words, and the balance says %d", seed, l.Login, got, l.After)
			}
			off := (float64(l.After) - *l.Target) / *l.Target
			if math.Abs(off) <= 0.1 {
				reached++
			} else if len(p.Pools) == 0 {
				t.Errorf("seed %d: without pools %s is %.0f %% off the target", seed, l.Login, 100*off)
			}
			explained := slices.ContainsFunc(change.Notes, func(w string) bool { return strings.HasPrefix(w, l.Login+" ") })
			if is := math.Abs(off) > 0.1; is != explained {
				t.Errorf("seed %d: %s is %.0f %% off the target, explained: %v", seed, l.Login, 100*off, explained)
			}
		}
		if math.Abs(targets-float64(words)) > 1 {
			t.Errorf("seed %d: the targets are %.0f words together, and %d are given", seed, targets, words)
		}
	}
	if reached < 110 {
		t.Errorf("%d of 120 people reach their target", reached)
	}
}

// evenPlan has people with the share 1 and documents of so many words, which are due on 2026-11-20.
func evenPlan(people string, documents, words int) plan.Plan {
	p := plan.Plan{Redundancy: 2, Today: "2026-11-01", Batches: []plan.Batch{{Name: "x", Due: "2026-11-20"}}}
	for login := range strings.FieldsSeq(people) {
		p.People = append(p.People, plan.Person{Login: login, Active: true, Share: 1})
	}
	for i := range documents {
		p.Documents = append(p.Documents, plan.Document{DocID: fmt.Sprint("d", i), Segments: 1, Words: words, Batch: "x"})
	}
	return p
}

// TestBalanceExplains: how many words people get, and what is said of what could not be reached, of the documents that pairs
// share, and of groups that share none.
func TestBalanceExplains(t *testing.T) {
	away := func(from, to string) []plan.Away { return []plan.Away{{From: from, To: to}} }
	law := plan.Pool{Name: "law", Members: []string{"a", "b"}}
	for name, test := range map[string]struct {
		plan   plan.Plan
		change func(p *plan.Plan)
		words  []int // by login
		notes  []string
	}{
		// c is away half of the time.
		"shares": {evenPlan("a b c", 50, 10), func(p *plan.Plan) {
			p.Redundancy, p.People[1].Share, p.People[2].Share, p.People[2].Away = 1, 3, 2, away("2026-11-11", "2026-11-20")
		}, []int{100, 300, 100}, nil},
		"fixed words": {evenPlan("a b c", 60, 10), func(p *plan.Plan) { p.Redundancy, p.People[0].Words = 1, 60 }, []int{60, 270, 270}, nil},
		"too few": {evenPlan("a b c", 10, 100), func(p *plan.Plan) {
			p.Pools, p.Documents[3].Pool, p.People[2].Away = []plan.Pool{{Name: "one", Members: []string{"b"}}}, "one", away("2026-11-01", "2026-11-30")
		}, []int{900, 1000, 0}, []string{"1 document stays with fewer than 2 annotators, because only 1 annotator of the pool one can take them: d3.", "Every pair of annotators who may take the same documents shares 9 documents."}},
		"words that do not fit": {evenPlan("a b", 10, 100), func(p *plan.Plan) { p.People[0].Words, p.People[1].Words = 100, 100 }, []int{1000, 1000}, []string{
			"The words that people should get are 200 together, and there are 2,000 to give, so each gets 1000% of their number.", "Every pair of annotators shares 10 documents."}},
		"begun": {evenPlan("a b", 10, 100), func(p *plan.Plan) {
			p.Redundancy = 1
			for i := range 8 {
				p.Documents[i].Turns = []plan.Turn{{Login: "a", Begun: true, Left: 1}}
			}
		}, []int{800, 200}, []string{"a gets 800 words where 500 would be the target: these documents are planned or begun already.", "b gets 200 words where 500 would be the target: the documents are too long to be divided more evenly."}},
		// The lawyers get 1,000 words each of law alone, and c and d what is left.
		"pool": {evenPlan("a b c d", 14, 100), func(p *plan.Plan) {
			p.Pools = []plan.Pool{law}
			for i := range 10 {
				p.Documents[i].Pool = "law"
			}
		}, []int{1000, 1000, 400, 400}, []string{
			"a gets 1,000 words where 700 would be the target: too few others can take the same documents.", "b gets 1,000 words where 700 would be the target: too few others can take the same documents.",
			"c gets 400 words where 700 would be the target: others have, or alone can take, the other documents.", "d gets 400 words where 700 would be the target: others have, or alone can take, the other documents.",
			"Pairs of annotators who may take the same documents share at most 10 documents, and some share none.",
			"The annotators fall into 2 groups that share no document, so that agreement between the groups cannot be estimated: a and b; c and d."}},
		"one document":   {evenPlan("a b c", 1, 10), nil, nil, []string{"Every pair of annotators shares 1 document."}},
		"two documents":  {evenPlan("a b c", 2, 10), nil, nil, []string{"Pairs of annotators share at most 1 document, and some share none."}},
		"four documents": {evenPlan("a b c", 4, 10), nil, nil, []string{"Every pair of annotators shares 1 to 2 documents."}},
		"six documents":  {evenPlan("a b c", 6, 10), nil, []int{40, 40, 40}, []string{"Every pair of annotators shares 2 documents."}},
	} {
		if test.change != nil {
			test.change(&test.plan)
		}
		after, change, err := plan.Edit{Kind: plan.EditBalance}.Apply(test.plan)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range test.words {
			if l := change.Loads[i]; l.After != want || after.Load(l.Login) != want {
				t.Errorf("%s: %s has %d words with the target %v, want %d", name, l.Login, l.After, *l.Target, want)
			}
		}
		got := slices.DeleteFunc(slices.Clone(change.Notes), func(note string) bool { return test.words == nil && strings.Contains(note, " gets ") })
		if !slices.Equal(got, test.notes) {
			t.Errorf("%s: it is said\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(test.notes, "\n"))
		}
	}
}

// TestBalanceMixes: with equal shares, the pair of annotators that shares most documents shares at most two more than the pair that
// shares fewest. No group of annotators shares nothing with the others, also with pools, other shares and begun documents, and
// when there are few documents.
func TestBalanceMixes(t *testing.T) {
	for seed := range uint64(4) {
		pools := randomPlan(seed)
		pools.Redundancy = 2 + int(seed%2)
		equal := pools
		equal.Pools, equal.Documents, equal.People = nil, slices.Clone(pools.Documents), slices.Clone(pools.People)
		for i := range equal.Documents {
			equal.Documents[i].Pool, equal.Documents[i].Turns = "", nil
		}
		for i := range equal.People {
			equal.People[i].Share, equal.People[i].Away = 1, nil
		}
		few := equal
		few.Documents = equal.Documents[:36]
		for name, p := range map[string]plan.Plan{"pools": pools, "equal shares": equal, "few documents": few} {
			after, _, err := plan.Edit{Kind: plan.EditAnew}.Apply(p)
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
		}
	}
}
