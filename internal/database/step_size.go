package database

import (
	"time"
)

// stepTime is about how long one step of long work keeps others from saving.
const stepTime = 50 * time.Millisecond

// A StepSize says how much the next step of long work does, so that a step takes about
// stepTime on this machine and with this data.
type StepSize struct {
	size              int // of the next step, in what the work counts
	smallest, largest int
}

// NewStepSize returns the sizes of work whose first step has the given size. The sizes of the
// others lie between smallest and largest.
func NewStepSize(size, smallest, largest int) *StepSize { return &StepSize{size, smallest, largest} }

// Size is the size of the next step.
func (p *StepSize) Size() int { return p.size }

// Took sets the size after a step that took so long: at most twice and at least a
// quarter of what it was.
func (p *StepSize) Took(d time.Duration) {
	change := 2.0
	if d > 0 {
		change = min(change, max(.25, float64(stepTime)/float64(d)))
	}
	p.size = min(p.largest, max(p.smallest, int(float64(p.size)*change)))
}
