package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
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
// Pools, and the documents that people have already, may put a target out of reach. Reach is then the nearest division: the
// sum of squares of reach, each divided by its target, is as small as the pools allow. Documents go whole, so
// that loads differ from Reach by less than a document's words where documents are many and short.
//
// Annotators are mixed: the documents that two of them share are spread evenly over all pairs, as far as loads
// and pools allow, and no group of annotators shares nothing with the others if that can be helped. See
// [Plan.Sharing] for the measure.
//
// The result depends on the plan alone: the same plan always gives the same annotators.
type Balance struct {
	Loads []BalanceLoad // by login: active annotators
	Short []string      // ids of documents that remain with fewer annotators than the redundancy
	Why   []string      // what could not be reached and why, as sentences
}

// A BalanceLoad is a person's words.
type BalanceLoad struct {
	Login  string
	Target float64
	Reach  float64
	Words  int
}

// balanceTolerance is the share of a target by which the load may differ without an explanation.
const balanceTolerance = 0.1

// weeksAhead are the days over which absences count if no batch has a due date.
const weeksAhead = 28

type balanced struct {
	Balance
	turns []balancedTurn
}

// A balancedTurn is a turn that balancing adds. document is a place in the plan.
type balancedTurn struct {
	document int
	login    string
}

// A balancer divides documents among people. People are numbered in the order of their logins.
type balancer struct {
	plan   Plan
	people []Person
	target []float64
	load   []float64 // words, those of documents that are planned already included
	reach  []float64
	groups []*balanceGroup
	docs   []*balanceDoc
}

// A balanceGroup are documents that the same people may take.
type balanceGroup struct {
	eligible []int
	pool     string
	batch    string
	docs     []*balanceDoc
	words    float64   // of all places to fill
	cap      []float64 // by place in eligible: words of the documents that the person does not have yet
	part     []float64 // by place in eligible: words that the person should take
}

type balanceDoc struct {
	place int
	words float64
	need  int // places to fill
	group *balanceGroup
	has   []int // people with a turn, sorted
	added []int // those of them whom balancing adds
}

// newBalancer prepares the division of documents among the active people of a plan.
func newBalancer(p Plan) *balancer {
	b := &balancer{plan: p}
	for _, x := range p.People {
		if x.Active {
			b.people = append(b.people, x)
		}
	}
	n := len(b.people)
	b.target, b.load, b.reach = make([]float64, n), make([]float64, n), make([]float64, n)
	return b
}

// balance fills the free places of documents of a plan.
func (p Plan) balance(documents []int) balanced {
	b := newBalancer(p)
	var out balanced
	b.stand()
	b.group(documents, &out)
	b.aim(&out)
	b.spread()
	for _, g := range b.groups {
		b.deal(g)
	}
	b.improve()
	b.mix()
	for _, d := range b.docs {
		for _, i := range d.added {
			out.turns = append(out.turns, balancedTurn{d.place, b.people[i].Login})
		}
	}
	b.explain(&out)
	return out
}

// number returns the number of a person; -1 if the person is not active.
func (b *balancer) number(login string) int {
	i, ok := slices.BinarySearchFunc(b.people, login, func(p Person, l string) int { return strings.Compare(p.Login, l) })
	if !ok {
		return -1
	}
	return i
}

// numbers returns the numbers of the active people who have a document.
func (b *balancer) numbers(d Document) (out []int) {
	for _, t := range d.Turns {
		if i := b.number(t.Login); i >= 0 {
			out = append(out, i)
		}
	}
	return out
}

// stand counts the words of the documents that people have already.
func (b *balancer) stand() {
	for _, d := range b.plan.Documents {
		for _, i := range b.numbers(d) {
			b.load[i] += float64(d.Words)
		}
	}
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

// takesPart reports whether a person can take documents of a batch at all.
func (b *balancer) takesPart(x Person, batch string) bool {
	due := b.plan.BatchOf(batch).Due
	if due < b.plan.Today {
		due = b.plan.window()
	}
	return (x.Share > 0 || x.Words > 0) && x.present(b.plan.Today, due) > 0
}

// group forms groups of the documents with free places.
func (b *balancer) group(documents []int, out *balanced) {
	of := map[[2]string]*balanceGroup{}
	why := map[[2]string][]string{}
	for _, place := range documents {
		d := b.plan.Documents[place]
		need := b.plan.Free(d)
		if need == 0 {
			continue
		}
		key := [2]string{d.Pool, d.Batch}
		g := of[key]
		if g == nil {
			g = &balanceGroup{pool: d.Pool, batch: d.Batch}
			for i, x := range b.people {
				if b.takesPart(x, d.Batch) && b.plan.allows(d, x.Login) {
					g.eligible = append(g.eligible, i)
				}
			}
			g.cap, g.part = make([]float64, len(g.eligible)), make([]float64, len(g.eligible))
			of[key], b.groups = g, append(b.groups, g)
		}
		doc := &balanceDoc{place: place, words: float64(max(d.Words, 1)), group: g, has: b.numbers(d)}
		free := 0
		for k, i := range g.eligible {
			if !slices.Contains(doc.has, i) {
				free++
				g.cap[k] += doc.words
			}
		}
		doc.need = min(need, free)
		if doc.need < need {
			out.Short = append(out.Short, d.DocID)
			why[key] = append(why[key], d.DocID)
		}
		g.words += doc.words * float64(doc.need)
		g.docs, b.docs = append(g.docs, doc), append(b.docs, doc)
	}
	for _, g := range b.groups {
		if ids := why[[2]string{g.pool, g.batch}]; len(ids) > 0 {
			where := "of the campaign"
			if g.pool != "" {
				where = "of the pool " + g.pool
			}
			out.Why = append(out.Why, fmt.Sprintf("%s with fewer than %d annotators, because only %s %s can take them: %s.",
				stay(len(ids), "document"), b.plan.Redundancy, wording.Counted(len(g.eligible), "annotator"), where, wording.ListUpTo(ids, 5)))
		}
	}
}

// aim computes the targets.
func (b *balancer) aim(out *balanced) {
	all := 0.0
	for i := range b.people {
		all += b.load[i]
	}
	for _, g := range b.groups {
		all += g.words
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
			out.Why = append(out.Why, fmt.Sprintf("The words that people should get are %s together, and there are %s to give, so each gets %s%% of their number.",
				wording.Count(int(fixed)), wording.Count(int(all)), wording.Decimal(100*factor, 0)))
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

// aimed is the target of a person as a divisor: never 0.
func (b *balancer) aimed(i int) float64 { return math.Max(b.target[i], 1e-3) }

// spread computes how many words of each group everybody should take, as if documents could be divided:
// it raises the lowest ratio of words to target, group after group, until nothing changes.
func (b *balancer) spread() {
	copy(b.reach, b.load)
	for range 2000 {
		moved := 0.0
		for _, g := range b.groups {
			if g.words == 0 {
				continue
			}
			other := make([]float64, len(g.eligible))
			for k, i := range g.eligible {
				other[k] = b.reach[i] - g.part[k]
			}
			at := func(level float64) (sum float64) {
				for k, i := range g.eligible {
					sum += min(g.cap[k], max(0, level*b.aimed(i)-other[k]))
				}
				return sum
			}
			low, high := 0.0, 1.0
			for at(high) < g.words && high < 1e15 {
				high *= 2
			}
			for range 100 {
				if mid := (low + high) / 2; at(mid) < g.words {
					low = mid
				} else {
					high = mid
				}
			}
			for k, i := range g.eligible {
				part := min(g.cap[k], max(0, high*b.aimed(i)-other[k]))
				moved = max(moved, math.Abs(part-g.part[k]))
				g.part[k], b.reach[i] = part, other[k]+part
			}
		}
		if moved < 0.01 {
			return
		}
	}
}

// deal gives the documents of a group to people, the longest first, each to those who lack most of
// their part.
func (b *balancer) deal(g *balanceGroup) {
	docs := slices.Clone(g.docs)
	slices.SortStableFunc(docs, func(x, y *balanceDoc) int { return cmp.Compare(y.words, x.words) })
	lacks := slices.Clone(g.part)
	order := make([]int, len(g.eligible))
	for _, d := range docs {
		for k := range order {
			order[k] = k
		}
		sort.SliceStable(order, func(x, y int) bool { return lacks[order[x]] > lacks[order[y]] })
		for _, k := range order {
			if len(d.added) == d.need {
				break
			}
			if i := g.eligible[k]; !slices.Contains(d.has, i) {
				b.give(d, i)
				lacks[k] -= d.words
			}
		}
	}
}

func (b *balancer) give(d *balanceDoc, i int) {
	d.has, d.added = append(d.has, i), append(d.added, i)
	b.load[i] += d.words
}

func (b *balancer) take(d *balanceDoc, i int) {
	is := func(x int) bool { return x == i }
	d.has, d.added = slices.DeleteFunc(d.has, is), slices.DeleteFunc(d.added, is)
	b.load[i] -= d.words
}

// maxImprovements bounds the exchanges of [balancer.improve].
const maxImprovements = 3000

// improve moves documents between two people, or exchanges two documents, as long as that brings the loads
// nearer to what is in reach. It begins with the person who is farthest off.
func (b *balancer) improve() {
	n := len(b.people)
	off := func(i int) float64 { return (b.load[i] - b.reach[i]) / b.aimed(i) }
	for range maxImprovements {
		order := make([]int, 0, n)
		for i := range n {
			if b.target[i] > 0 || b.load[i] > 0 {
				order = append(order, i)
			}
		}
		sort.SliceStable(order, func(x, y int) bool { return math.Abs(off(order[x])) > math.Abs(off(order[y])) })
		best := exchange{}
		for _, i := range order {
			for _, j := range order {
				if i == j {
					continue
				}
				from, to := i, j
				if off(from) < off(to) {
					from, to = j, i
				}
				if x := b.exchangeOf(from, to); x.gain > best.gain {
					best = x
				}
			}
			if best.gain > 0 {
				break // the person who is farthest off comes nearer
			}
		}
		if best.gain <= 1e-9 {
			return
		}
		b.take(best.gives, best.from)
		b.give(best.gives, best.to)
		if best.gets != nil {
			b.take(best.gets, best.to)
			b.give(best.gets, best.from)
		}
	}
}

// An exchange moves a document from one person to another, who may give one back.
type exchange struct {
	from, to    int
	gives, gets *balanceDoc
	gain        float64 // decrease of the sum of squares of what people are off, relative to their targets
}

// exchangeOf finds the best exchange between two people.
func (b *balancer) exchangeOf(from, to int) exchange {
	var mine, theirs []*balanceDoc
	for _, d := range b.docs {
		if slices.Contains(d.added, from) && !slices.Contains(d.has, to) && slices.Contains(d.group.eligible, to) {
			mine = append(mine, d)
		}
		if slices.Contains(d.added, to) && !slices.Contains(d.has, from) && slices.Contains(d.group.eligible, from) {
			theirs = append(theirs, d)
		}
	}
	slices.SortStableFunc(theirs, func(x, y *balanceDoc) int { return cmp.Compare(x.words, y.words) })
	tf, tt := b.aimed(from), b.aimed(to)
	df, dt := b.load[from]-b.reach[from], b.load[to]-b.reach[to]
	gain := func(words float64) float64 {
		square := func(x float64) float64 { return x * x }
		return square(df/tf) + square(dt/tt) - square((df-words)/tf) - square((dt+words)/tt)
	}
	ideal := (df/(tf*tf) - dt/(tt*tt)) / (1/(tf*tf) + 1/(tt*tt))
	best := exchange{from: from, to: to}
	for _, d := range mine {
		if g := gain(d.words); g > best.gain {
			best.gives, best.gets, best.gain = d, nil, g
		}
		at := sort.Search(len(theirs), func(k int) bool { return theirs[k].words >= d.words-ideal })
		for k := max(0, at-1); k < min(len(theirs), at+1); k++ {
			if g := gain(d.words - theirs[k].words); g > best.gain {
				best.gives, best.gets, best.gain = d, theirs[k], g
			}
		}
	}
	return best
}

// explain says what each person gets and why it differs from the target.
func (b *balancer) explain(out *balanced) {
	for i, x := range b.people {
		l := BalanceLoad{Login: x.Login, Target: b.target[i], Reach: b.reach[i]}
		for _, d := range b.plan.Documents {
			if d.Has(x.Login) {
				l.Words += d.Words
			}
		}
		for _, d := range b.docs {
			if slices.Contains(d.added, i) {
				l.Words += b.plan.Documents[d.place].Words
			}
		}
		out.Loads = append(out.Loads, l)
		if math.Abs(float64(l.Words)-l.Target) <= balanceTolerance*l.Target+0.5 {
			continue
		}
		why := "the documents are too long to be divided more evenly"
		switch {
		case math.Abs(l.Reach-l.Target) <= balanceTolerance*l.Target:
		case l.Reach > l.Target && b.plan.Load(x.Login) > int(l.Target):
			why = "these documents are planned or begun already"
		case l.Reach > l.Target:
			why = "too few others can take the same documents"
		default:
			why = "others have, or alone can take, the other documents"
		}
		out.Why = append(out.Why, fmt.Sprintf("%s gets %s words where %s would be the target: %s.", x.Login, wording.Count(l.Words), wording.Count(int(l.Target+0.5)), why))
	}
}
