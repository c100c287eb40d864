package work

import (
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// A Candidate is a text to choose from, as the page of one assignment may have it.
type Candidate struct {
	// ID names the candidate in requests. As the id of a card it tells nothing about the system, and
	// differs in each assignment.
	ID   string
	Text string
	name string // of its system
}

// loadCandidates adds the candidates of the segment of an assignment to its card, in an order that
// the seed of the assignment decides.
func loadCandidates(db *gorm.DB, a records.AssignmentRow, rows []CardRow) error {
	of, err := records.CandidatesOf(db, []string{a.SegmentID})
	if err != nil {
		return err
	}
	list, id := of[a.SegmentID], candidateIDs(a)
	for i := range rows {
		rows[i].Candidates = campaign.Segment{Candidates: list}.CandidateTexts()
		for _, k := range campaign.Shuffle(a.Seed, len(list)) {
			rows[i].order = append(rows[i].order, Candidate{ID: id(list[k].Name), Text: list[k].Text, name: list[k].Name})
		}
	}
	return nil
}

// candidateIDs returns the function that gives the id by which pages of an assignment name a candidate.
func candidateIDs(a records.AssignmentRow) func(name string) string {
	of := cardIDs(a)
	return func(name string) string { return of("candidate " + name) }
}

// blindCandidates returns a rating whose answers name candidates by their ids.
func blindCandidates(p *protocol.Protocol, r protocol.Rating, order []Candidate) protocol.Rating {
	return renamed(p, r, func(name string) string {
		if i := slices.IndexFunc(order, func(c Candidate) bool { return c.name == name }); i >= 0 {
			return order[i].ID
		}
		return ""
	})
}

// namedCandidates returns a rating that a page sent, in which answers name candidates by their ids, with their
// names. An id that no candidate has stays as it is, and is no candidate's name.
func namedCandidates(p *protocol.Protocol, a records.AssignmentRow, r protocol.Rating, candidates map[string]string) protocol.Rating {
	names, id := map[string]string{}, candidateIDs(a)
	for name := range candidates {
		names[id(name)] = name
	}
	return renamed(p, r, func(id string) string {
		if name, ok := names[id]; ok {
			return name
		}
		return "no candidate " + strings.TrimSpace(id)
	})
}

// renamed returns a rating with other names for the candidates in its answers. An empty one, for none of the
// candidates, stays.
func renamed(p *protocol.Protocol, r protocol.Rating, to func(string) string) protocol.Rating {
	if !p.AsksCandidate() {
		return r
	}
	r.Answers = maps.Clone(r.Answers)
	for name, answer := range r.Answers {
		if q, _ := p.Question(name); q.Kind == protocol.Candidate && answer.Text != "" {
			answer.Text = to(answer.Text)
			r.Answers[name] = answer
		}
	}
	return r
}
