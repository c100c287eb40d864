package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/wording"
)

// A Balance is what balancing gives: how many words each person should have and gets.
//
// The target of a person with a number of words is that number. The other words are divided by shares,
// each multiplied by the part of the days from today to the last due date (or, without one, of the next
// four weeks) on which the person is not away. If nobody has a share, the numbers of words are
// multiplied by one factor, so that together they are all words. Targets include the documents that people have already.
//
// Documents are dealt longest first (Graham 1969), and then each of them once more, because what was dealt later shows who is
// short: pools, and the documents that people have already, may put a target out of reach. Documents go whole, so that loads
// differ from what is in reach by less than a document's words where documents are many and short.
//
// Annotators are mixed, because agreement is estimated from pairs: of the people who have room for a document, the one
// gets it who shares the fewest documents with those who have it. See [Plan.Sharing] for the measure.
//
// The result depends on the plan alone: the same plan always gives the same annotators.
type Balance struct {
	Loads []LoadChange // by login: active annotators, with their targets
	Short []string     // ids of documents that remain with fewer annotators than the redundancy
	Why   []string     // what could not be reached and why, as sentences
}

// balanceTolerance is the share of a target by which the load may differ without an explanation.
const balanceTolerance = 0.1

// weeksAhead are the days over which absences count if no batch has a due date.
const weeksAhead = 28

// A balancer divides documents among people. People are numbered in the order of their logins.
type balancer struct {
	plan   Plan
	people []Person
	target []float64
	load   []float64 // words, those of documents that are planned already included
	shared [][]int   // documents that two people share
	docs   []balanceDoc
}

// A balanceDoc is a document with places to fill. place is where the plan has it.
type balanceDoc struct {
	place    int
	words    float64
	need     int   // places to fill
	eligible []int // people who may take it, and have it or not
	has      []int // people with a turn
}

// newBalancer counts the words and the shared documents of the active people of a plan.
func newBalancer(p Plan) *balancer {
	b := &balancer{plan: p}
	for _, x := range p.People {
		if x.Active {
			b.people = append(b.people, x)
		}
	}
	b.target, b.load = make([]float64, len(b.people)), make([]float64, len(b.people))
	for range b.people {
		b.shared = append(b.shared, make([]int, len(b.people)))
	}
	for _, d := range p.Documents {
		doc := balanceDoc{words: float64(d.Words)}
		for _, i := range b.numbers(d) {
			b.give(&doc, i)
		}
	}
	return b
}

// give gives a document to a person.
func (b *balancer) give(d *balanceDoc, i int) {
	b.share(d, i, 1)
	d.has = append(d.has, i)
}

// take takes a document from the person at a place of those who have it.
func (b *balancer) take(d *balanceDoc, at int) {
	i := d.has[at]
	d.has = slices.Delete(d.has, at, at+1)
	b.share(d, i, -1)
}

// share counts a document, once more (1) or once less (-1), of a person and of each pair of the person and another who has it.
func (b *balancer) share(d *balanceDoc, i, by int) {
	for _, j := range d.has {
		b.shared[i][j] += by
		b.shared[j][i] += by
	}
	b.load[i] += float64(by) * d.words
}

// numbers returns the numbers of the active people who have a document.
func (b *balancer) numbers(d Document) (out []int) {
	for _, t := range d.Turns {
		i, ok := slices.BinarySearchFunc(b.people, t.Login, func(p Person, l string) int { return strings.Compare(p.Login, l) })
		if ok {
			out = append(out, i)
		}
	}
	return out
}

// balance fills the free places of documents of a plan, and calls give for each.
func (p Plan) balance(documents []int, give func(document int, login string)) Balance {
	b := newBalancer(p)
	var out Balance
	b.find(documents, &out)
	b.aim(&out)
	before := slices.Clone(b.load)
	for k := range b.docs {
		d := &b.docs[k]
		for range d.need {
			b.give(d, b.next(d))
		}
	}
	for k := range b.docs {
		d := &b.docs[k]
		for range d.need {
			b.take(d, len(d.has)-d.need)
			b.give(d, b.next(d))
		}
		for _, i := range d.has[len(d.has)-d.need:] {
			give(d.place, b.people[i].Login)
		}
	}
	b.explain(before, &out)
	return out
}

// find finds the documents with free places, in the order in which they are dealt.
func (b *balancer) find(documents []int, out *Balance) {
	type group struct{ pool, batch, apart string }
	eligible, short := map[group][]int{}, map[group][]string{}
	var groups []group
	for _, place := range documents {
		d := b.plan.Documents[place]
		need := b.plan.Free(d)
		if need == 0 {
			continue
		}
		g := group{d.Pool, d.Batch, strings.Join(d.Apart, "\x00")}
		if _, known := eligible[g]; !known {
			groups = append(groups, g)
			eligible[g] = []int{}
			for i, x := range b.people {
				if b.takesPart(x, d.Batch) && b.plan.allows(d, x.Login) {
					eligible[g] = append(eligible[g], i)
				}
			}
		}
		doc := balanceDoc{place: place, words: float64(d.Words), eligible: eligible[g], has: b.numbers(d)}
		free := 0
		for _, i := range doc.eligible {
			if !slices.Contains(doc.has, i) {
				free++
			}
		}
		if doc.need = min(need, free); doc.need < need {
			out.Short, short[g] = append(out.Short, d.DocID), append(short[g], d.DocID)
		}
		b.docs = append(b.docs, doc)
	}
	slices.SortStableFunc(b.docs, func(x, y balanceDoc) int { return cmp.Compare(y.words, x.words) })
	for _, g := range groups {
		if ids := short[g]; len(ids) > 0 {
			where := "of the campaign"
			if g.pool != "" {
				where = "of the pool " + g.pool
			}
			out.Why = append(out.Why, fmt.Sprintf("%s with fewer than %d annotators, because only %s %s can take them: %s.",
				stay(len(ids), "document"), b.plan.Redundancy, wording.Counted(len(eligible[g]), "annotator"), where, wording.ListUpTo(ids, 5)))
		}
	}
}

// takesPart reports whether a person can take documents of a batch at all.
func (b *balancer) takesPart(x Person, batch string) bool {
	due := b.plan.BatchOf(batch).Due
	if due < b.plan.Today {
		due = b.plan.window()
	}
	return (x.Share > 0 || x.Words > 0) && x.present(b.plan.Today, due) > 0
}

// window is the last day of the days over which absences count.
func (p Plan) window() string {
	last := ""
	for _, x := range p.Batches {
		if x.Due >= p.Today {
			last = max(last, x.Due)
		}
	}
	return cmp.Or(last, dayAfter(p.Today, weeksAhead-1))
}

// aim computes the targets.
func (b *balancer) aim(out *Balance) {
	all := 0.0
	for i := range b.people {
		all += b.load[i]
	}
	for _, d := range b.docs {
		all += d.words * float64(d.need)
	}
	fixed, shares := 0.0, 0.0
	end := b.plan.window()
	days := Person{}.present(b.plan.Today, end)
	weight := make([]float64, len(b.people))
	for i, x := range b.people {
		if x.Words > 0 {
			fixed += float64(x.Words)
			continue
		}
		weight[i] = x.Share * float64(x.present(b.plan.Today, end)) / float64(max(days, 1))
		shares += weight[i]
	}
	rest := all - fixed
	factor := 1.0
	if fixed > 0 && (rest < 0 || shares == 0) {
		factor, rest = all/fixed, 0
		if math.Abs(factor-1) > 0.01 {
			out.Why = append(
				out.Why,
				fmt.Sprintf("The words that people should get are %s together, and there are %s to give, so each gets %s%% of their number.",
					wording.Count(int(fixed)), wording.Count(int(all)), wording.Decimal(100*factor, 0)),
			)
		}
	}
	for i, x := range b.people {
		if x.Words > 0 {
			b.target[i] = float64(x.Words) * factor
		} else if shares > 0 {
			b.target[i] = rest * weight[i] / shares
		}
	}
}

// next chooses who gets a place of a document. Those have room for it who now have no larger a part of their target than
// the person whose part stays the smallest would have with the document. Of them it chooses the one who shares the fewest
// documents with those who have it, and of several the one whose part stays the smallest.
func (b *balancer) next(d *balanceDoc) int {
	part := func(i int, words float64) float64 { return words / math.Max(b.target[i], 1e-3) }
	free := slices.DeleteFunc(slices.Clone(d.eligible), func(i int) bool { return slices.Contains(d.has, i) })
	room := math.Inf(1)
	for _, i := range free {
		room = min(room, part(i, b.load[i]+d.words))
	}
	best, fewest, least := -1, 0, 0.0
	for _, i := range free {
		shares, then := 0, part(i, b.load[i]+d.words)
		for _, j := range d.has {
			shares += b.shared[i][j]
		}
		if part(i, b.load[i]) <= room && (best < 0 || shares < fewest || shares == fewest && then < least) {
			best, fewest, least = i, shares, then
		}
	}
	return best
}

// explain says what each person gets, and why it differs from the target. before are the words that they had.
func (b *balancer) explain(before []float64, out *Balance) {
	for i, x := range b.people {
		target := b.target[i]
		out.Loads = append(out.Loads, LoadChange{Login: x.Login, After: int(b.load[i]), Target: &target})
		off := b.load[i] - target
		if math.Abs(off) <= balanceTolerance*target+0.5 {
			continue
		}
		why := "the documents are too long to be divided more evenly"
		switch {
		case off > 0 && before[i] > target:
			why = "these documents are planned or begun already"
		case len(b.plan.Pools) == 0:
		case off > 0:
			why = "too few others can take the same documents"
		default:
			why = "others have, or alone can take, the other documents"
		}
		out.Why = append(
			out.Why,
			fmt.Sprintf("%s gets %s words where %s would be the target: %s.", x.Login, wording.Count(int(b.load[i])), wording.Count(int(target+0.5)), why),
		)
	}
}
