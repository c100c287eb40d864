package segments

import (
	"slices"

	"annotate/internal/readmodel"
	"annotate/internal/wording"
)

// stagePeople names who submitted in a stage, each once.
func stagePeople(s readmodel.Stage) string {
	var names []string
	for _, t := range s.Turns {
		if !slices.Contains(names, t.Login) {
			names = append(names, t.Login)
		}
	}
	people := wording.List(names)
	if s.Decider != "" {
		people += "; adjudicated by " + s.Decider
	}
	return people
}
