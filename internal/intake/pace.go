package intake

import (
	"time"
)

// stepTime is about how long one step of an import keeps others from saving.
const stepTime = 50 * time.Millisecond

// A pace says how much the next step of long work does, so that a step takes about
// stepTime on this machine and with this data.
type pace struct {
	size              int // of the next step, in what the work counts
	smallest, largest int
}

func newPace(size, smallest, largest int) *pace { return &pace{size, smallest, largest} }

// took sets the size after a step that took so long: at most twice and at least a
// quarter of what it was.
func (p *pace) took(d time.Duration) {
	change := 2.0
	if d > 0 {
		change = min(change, max(.25, float64(stepTime)/float64(d)))
	}
	p.size = min(p.largest, max(p.smallest, int(float64(p.size)*change)))
}
