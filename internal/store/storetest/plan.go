package storetest

import (
	"strings"
	"testing"
)

// PlanOf reads the plan of a sample as words: the annotators of each document, with * for those who have begun it.
func PlanOf(t testing.TB, s *Sample) string {
	t.Helper()
	p := Must(s.Store.Plan.Plan(t.Context(), s.Campaign))(t)
	var lines []string
	for _, d := range p.Documents {
		line := d.DocID + ":"
		for _, turn := range d.Turns {
			line += " " + turn.Login
			if turn.Begun {
				line += "*"
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}
