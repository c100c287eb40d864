package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/wording"
)

// mixTolerance is the share of a target by which mixing may move somebody's words from what is in reach.
const mixTolerance = 0.02

// mixWindow is the number of documents of about the same length with which one is compared.
const mixWindow = 40

// maxMixPasses bounds how often [balancer.mix] compares all documents.
const maxMixPasses = 30

// mix exchanges documents between people so that the documents that two people share are spread evenly over
// all pairs of people who can share some, and so that the people fall into as few parts as possible that
// share nothing with each other. Agreement is estimated from pairs, and parts cannot be compared.
func (b *balancer) mix() {
	shared := b.sharedDocuments()
	docs := slices.Clone(b.docs)
	slices.SortStableFunc(docs, func(x, y *balanceDoc) int { return cmp.Compare(x.words, y.words) })
	b.spreadPairs(shared, docs)
	for b.joinParts(shared, docs) {
	}
}

// spreadPairs makes the sum of squares of the shared documents of all pairs smaller with each exchange. The
// sum of these numbers hardly changes, so that the squares are smallest where the numbers are equal. In an
// exchange, two people give each other a document of about the same length.
func (b *balancer) spreadPairs(shared [][]int, docs []*balanceDoc) {
	for range maxMixPasses {
		better := false
		for x, d := range docs {
			for _, e := range docs[x+1 : min(len(docs), x+1+mixWindow)] {
				for b.exchangeThat(shared, d, e, mixTolerance, spreads) {
					better = true
				}
			}
		}
		if !better {
			return
		}
	}
}

// joinParts makes an exchange after which the people fall into fewer parts, if there is one. Nobody's words then
// differ from what is in reach by more than balanceTolerance, or by more than those of somebody else do already.
func (b *balancer) joinParts(shared [][]int, docs []*balanceDoc) bool {
	if b.plan.Redundancy < 2 {
		return false
	}
	parts := b.parts(shared)
	number := countParts(parts)
	if number < 2 {
		return false
	}
	joins := func(shared [][]int, d, e *balanceDoc, i, j int) bool {
		if parts[i] == parts[j] {
			return false
		}
		b.swap(shared, d, e, i, j)
		fewer := countParts(b.parts(shared)) < number
		b.swap(shared, d, e, j, i)
		return fewer
	}
	tolerance := balanceTolerance
	for i := range b.people {
		if b.target[i] > 0 {
			tolerance = max(tolerance, math.Abs(b.load[i]-b.reach[i])/b.target[i])
		}
	}
	for x, d := range docs {
		for _, e := range docs[x+1 : min(len(docs), x+1+mixWindow)] {
			if b.exchangeThat(shared, d, e, tolerance, joins) {
				return true
			}
		}
	}
	return false
}

// parts tells for each person the part to which they belong: the lowest number of a person with whom they
// share documents, directly or by way of others, or their own; -1 if they have no documents.
func (b *balancer) parts(shared [][]int) []int {
	part := make([]int, len(shared))
	for i := range part {
		part[i] = -1
	}
	for first := range shared {
		if part[first] >= 0 || b.load[first] == 0 {
			continue
		}
		part[first] = first
		for reached := []int{first}; len(reached) > 0; {
			i := reached[0]
			reached = reached[1:]
			for j, n := range shared[i] {
				if n > 0 && part[j] < 0 {
					part[j] = first
					reached = append(reached, j)
				}
			}
		}
	}
	return part
}

func countParts(parts []int) (n int) {
	for i, p := range parts {
		if i == p {
			n++
		}
	}
	return n
}

// sharedDocuments counts the documents of each pair of people.
func (b *balancer) sharedDocuments() [][]int {
	shared := make([][]int, len(b.people))
	for i := range shared {
		shared[i] = make([]int, len(b.people))
	}
	dealt := make(map[int]bool, len(b.docs))
	count := func(people []int) {
		for k, i := range people {
			for _, j := range people[:k] {
				shared[i][j]++
				shared[j][i]++
			}
		}
	}
	for _, d := range b.docs {
		dealt[d.place] = true
		count(d.has)
	}
	for place, d := range b.plan.Documents {
		if !dealt[place] {
			count(b.numbers(d))
		}
	}
	return shared
}

// exchangeThat makes the first exchange of two documents between two people that is wanted and after which
// the words of both are within the tolerance, a share of their target, of what is in reach, or as near to it as
// before.
func (b *balancer) exchangeThat(shared [][]int, d, e *balanceDoc, tolerance float64, wanted func(shared [][]int, d, e *balanceDoc, i, j int) bool) bool {
	for _, i := range d.added {
		if slices.Contains(e.has, i) || !slices.Contains(e.group.eligible, i) || !b.staysNear(i, e.words-d.words, tolerance) {
			continue
		}
		for _, j := range e.added {
			if slices.Contains(d.has, j) || !slices.Contains(d.group.eligible, j) || !b.staysNear(j, d.words-e.words, tolerance) {
				continue
			}
			if wanted(shared, d, e, i, j) {
				b.swap(shared, d, e, i, j)
				return true
			}
		}
	}
	return false
}

// spreads reports whether the sum of squares of the shared documents of all pairs falls if i gives d to j for
// e. Of anybody else who has d, i then shares one document less and j one more, and the other way round of e.
func spreads(shared [][]int, d, e *balanceDoc, i, j int) bool {
	fall := 0 // half of it
	for _, o := range d.has {
		if o != i && !slices.Contains(e.has, o) {
			fall += shared[i][o] - shared[j][o] - 1
		}
	}
	for _, o := range e.has {
		if o != j && !slices.Contains(d.has, o) {
			fall += shared[j][o] - shared[i][o] - 1
		}
	}
	return fall > 0
}

// swap gives document d of i to j, and document e of j to i.
func (b *balancer) swap(shared [][]int, d, e *balanceDoc, i, j int) {
	pass := func(d *balanceDoc, from, to int) {
		b.take(d, from)
		for _, o := range d.has {
			shared[from][o]--
			shared[o][from]--
			shared[to][o]++
			shared[o][to]++
		}
		b.give(d, to)
	}
	pass(d, i, j)
	pass(e, j, i)
}

// staysNear reports whether a person may get so many words more; see [balancer.exchangeThat].
func (b *balancer) staysNear(i int, more, tolerance float64) bool {
	off := b.load[i] - b.reach[i]
	return math.Abs(off+more) <= max(math.Abs(off), tolerance*b.target[i])
}

// A Sharing tells how many documents the annotators of a plan share. Only those who are active and have
// documents count.
type Sharing struct {
	Pairs int // pairs of annotators who may both take some document
	Least int // documents that one of these pairs shares, at least
	Most  int // and at most
	// Parts lists, by login, annotators who share documents, directly or by way of others. Annotators of
	// different parts cannot be compared.
	Parts [][]string
}

// Sharing counts the documents that annotators share. There are no pairs if each document has one annotator.
func (p Plan) Sharing() (s Sharing) {
	b := newBalancer(p)
	shared := b.sharedDocuments()
	b.stand()
	parts := b.parts(shared)
	for first := range parts {
		var logins []string
		for i, part := range parts {
			if part == first {
				logins = append(logins, b.people[i].Login)
			}
		}
		if logins != nil {
			s.Parts = append(s.Parts, logins)
		}
	}
	for i := range b.people {
		for j := range i {
			if b.load[i] == 0 || b.load[j] == 0 || p.Redundancy < 2 || !b.mayShare(i, j) {
				continue
			}
			if s.Pairs == 0 {
				s.Least = shared[i][j]
			}
			s.Pairs, s.Least, s.Most = s.Pairs+1, min(s.Least, shared[i][j]), max(s.Most, shared[i][j])
		}
	}
	return s
}

// mayShare reports whether there is a document that two people may both take.
func (b *balancer) mayShare(i, j int) bool {
	return slices.ContainsFunc(b.plan.Documents, func(d Document) bool {
		return b.plan.allows(d, b.people[i].Login) && b.plan.allows(d, b.people[j].Login)
	})
}

// explainSharing says how well the annotators of a plan are mixed; nothing if no two of them may share.
func explainSharing(s Sharing, pools bool) (out []string) {
	if s.Pairs == 0 {
		return nil
	}
	who := "annotators"
	if pools {
		who = "annotators who may take the same documents"
	}
	switch {
	case s.Most == 0:
		out = append(out, fmt.Sprintf("No pair of %s shares a document.", who))
	case s.Least == 0:
		out = append(out, fmt.Sprintf("Pairs of %s share at most %s, and some share none.", who, wording.Counted(s.Most, "document")))
	default:
		out = append(out, fmt.Sprintf("Every pair of %s shares %s.", who, wording.CountedRange(s.Least, s.Most, "document")))
	}
	if len(s.Parts) > 1 {
		names := make([]string, len(s.Parts))
		for i, part := range s.Parts {
			names[i] = wording.ListUpTo(part, 12)
		}
		out = append(out, fmt.Sprintf("The annotators fall into %d groups that share no document, so that agreement between the groups cannot be estimated: %s.", len(s.Parts), strings.Join(names, "; ")))
	}
	return out
}
