package plan

import (
	"fmt"
	"slices"
	"strings"

	"annotate/internal/wording"
)

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
	part := make([]int, len(b.people)) // of each person, from 1
	for first := range b.people {
		if part[first] > 0 || b.load[first] == 0 {
			continue
		}
		var logins []string
		for reached := []int{first}; len(reached) > 0; reached = reached[1:] {
			i := reached[0]
			if part[i] > 0 {
				continue
			}
			part[i], logins = len(s.Parts)+1, append(logins, b.people[i].Login)
			for j, n := range b.shared[i] {
				if n > 0 {
					reached = append(reached, j)
				}
			}
		}
		slices.Sort(logins)
		s.Parts = append(s.Parts, logins)
	}
	for i := range b.people {
		for j := range i {
			if b.load[i] == 0 || b.load[j] == 0 || p.Redundancy < 2 || !b.mayShare(i, j) {
				continue
			}
			if s.Pairs == 0 {
				s.Least = b.shared[i][j]
			}
			s.Pairs, s.Least, s.Most = s.Pairs+1, min(s.Least, b.shared[i][j]), max(s.Most, b.shared[i][j])
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
		out = append(
			out,
			fmt.Sprintf(
				"The annotators fall into %d groups that share no document, so that agreement between the groups cannot be estimated: %s.",
				len(s.Parts), strings.Join(names, "; "),
			),
		)
	}
	return out
}
