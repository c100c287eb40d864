package segments

import (
	"slices"

	"annotate/internal/readmodel"
	"annotate/internal/wording"
)

// stagePeople names who submitted in a stage, each once.
func stagePeople(turns []readmodel.Turn) string {
	var names []string
	for _, t := range turns {
		if !slices.Contains(names, t.Login) {
			names = append(names, t.Login)
		}
	}
	return wording.List(names)
}
