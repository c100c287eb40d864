package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"annotate/internal/wording"
)

// An About says how a judge comes to its judgements. A judge whose judgements were imported has a method
// and a model at most.
type About struct {
	Method      string // name
	Version     int    // of the method; 0: the judgements were imported
	Variant     string // empty: the default
	PromptHash  string // of [Method.PromptHash]
	PromptFile  string // SHA-256 of the file that the prompts came from; empty: none, or runs of earlier versions did not keep it
	Model       string
	Server      string    // empty: runs of earlier versions did not keep it
	First, Last time.Time // begin of the first run and latest change of the last one; zero: not begun
	Retries     int
	Seed        uint64
	Threshold   *float64 // nil: the method has none, or the run has not found it
	Calibrated  int      // number of segments that the threshold comes from, which the judge does not judge; 0: none
	Search      bool     // the agents have a search engine
}

// String is the line that stands wherever the judge is named.
func (a About) String() string {
	if a.Version == 0 {
		return a.imported()
	}
	parts := []string{a.asks(), "model " + a.Model}
	if a.Server != "" {
		parts[1] += " at " + a.Server
	} else {
		parts[1] += " (server not recorded)"
	}
	if !a.First.IsZero() {
		parts = append(parts, a.days())
	}
	parts = append(parts, fmt.Sprintf("temperature 0, %s, seed %d", wording.Counted(a.Retries, "retry", "retries"), a.Seed))
	if a.Threshold != nil {
		threshold := fmt.Sprintf("threshold %.4g", *a.Threshold)
		if a.Calibrated > 0 {
			threshold += fmt.Sprintf(" from %s that the judge does not judge", wording.Counted(a.Calibrated, "segment"))
		}
		parts = append(parts, threshold)
	}
	if a.Search {
		parts = append(parts, "with a search engine")
	}
	return strings.Join(parts, "; ")
}

// asks names the method with its version, and the source of its prompts.
func (a About) asks() string {
	name := a.Method
	if a.Variant != "" {
		name += " " + a.Variant
	}
	name += fmt.Sprintf(", version %d", a.Version)
	m, err := Lookup(a.Method)
	if err == nil {
		name += ", after " + m.Title
	}
	switch at := slices.Index(m.Wordings, a.PromptHash); {
	case at >= 0:
		return fmt.Sprintf("%s, our wording %d", name, at+1)
	case a.PromptFile != "":
		return fmt.Sprintf("%s, prompts from a file (SHA-256 %s)", name, a.PromptFile)
	}
	return fmt.Sprintf("%s, prompts from a file (hash of the prompts %s)", name, a.PromptHash)
}

// days are the days of the runs in UTC.
func (a About) days() string {
	first, last := a.First.UTC().Format(time.DateOnly), a.Last.UTC().Format(time.DateOnly)
	if a.Last.IsZero() || first == last {
		return first
	}
	return first + " to " + last
}

// imported says what is known of a judge whose judgements were imported.
func (a About) imported() string {
	parts := []string{"imported"}
	if a.Method != "" {
		parts = append(parts, "method "+a.Method)
	}
	if a.Model != "" {
		parts = append(parts, "model "+a.Model)
	}
	return strings.Join(append(parts, "nothing else is known"), "; ")
}

// Asks names the method with its version, and the source of its prompts, as the line of its judges does.
func (m Method) Asks(variant string) string {
	return About{Method: m.Name, Version: m.Version, Variant: variant, PromptHash: m.PromptHash(), PromptFile: m.PromptFile}.asks()
}
