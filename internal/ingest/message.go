package ingest

import (
	"fmt"
	"strings"

	"annotate/internal/wording"
)

// list formats names for a message, at most ten of them.
func list(names []string) string {
	const most = 10
	quoted := make([]string, 0, most)
	for i, name := range names {
		if i == most {
			return fmt.Sprintf("%s and %d more", strings.Join(quoted, ", "), len(names)-most)
		}
		quoted = append(quoted, wording.Quote(name))
	}
	return strings.Join(quoted, ", ")
}

// size formats a number of bytes for people.
func size(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// noneIn returns the message that a file has none of the expected data, such as
// "segments".
func noneIn(what string) string {
	return "the file has no " + what + "; check that it is the right file, and that it was saved with its content"
}
