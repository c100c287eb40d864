package metaeval

import (
	"fmt"
	"strings"
)

// A ChoiceError says that a chosen name does not exist, or that one of several
// must be chosen.
type ChoiceError struct {
	Field Field
	Name  string   // the name that does not exist; empty if nothing was chosen
	Known []string // the names that exist
}

// A Field is the field of a [Choice] or [Task] that a [ChoiceError] is about, by its name in addresses and flags.
type Field string

// The fields.
const (
	HumanField         Field = "human"
	HumanAsMetricField Field = "human-as-metric"
	MetricsField       Field = "metric"
	ExcludeField       Field = "exclude-system"
	ReferenceField     Field = "reference"
	IncludeField       Field = "include-reference"
)

// words says what the field names.
func (f Field) words() string {
	switch f {
	case HumanField, HumanAsMetricField:
		return "human score"
	case ExcludeField:
		return "system"
	case IncludeField:
		return "reference with human scores"
	}
	return string(f)
}

func (e *ChoiceError) Error() string {
	what := e.Field.words()
	switch {
	case len(e.Known) == 0 && e.Name == "":
		return "there is no " + what
	case len(e.Known) == 0:
		return fmt.Sprintf("there is no %s %q, nor any other", what, e.Name)
	case e.Name == "":
		return fmt.Sprintf("there are several %ss; use one of %s", what, strings.Join(e.Known, ", "))
	}
	return fmt.Sprintf("there is no %s %q; use one of %s", what, e.Name, strings.Join(e.Known, ", "))
}

// Limits of the tests between metrics, which compare every two metrics in all permutations.
const (
	MaxTested       = 200
	MaxPermutations = 100_000
)

// A TooManyError says that a task with significance tests has more than MaxTested metrics.
type TooManyError struct{ Metrics int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("there are %d metrics, and tests compare every two of at most %d; choose metrics", e.Metrics, MaxTested)
}
