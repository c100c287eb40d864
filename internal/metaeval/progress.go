package metaeval

import "sync/atomic"

// progress counts steps of work. Several goroutines may call its methods.
type progress struct {
	report      func(done, total int)
	done, total int64
}

func (p *progress) add(n int) {
	done := atomic.AddInt64(&p.done, int64(n))
	if p.report != nil && n > 0 {
		p.report(int(done), int(p.total))
	}
}

// share reserves a number of steps for one task, which reports them itself.
func (p *progress) share(steps int) *share { return &share{p, steps} }

// A share holds the steps of one task that are not reported yet. A nil share reports
// nothing.
type share struct {
	of   *progress
	left int
}

// perPiece takes steps from the share and returns a function to call after each of the
// pieces. The calls together report these steps. Any goroutine may call it.
func (p *share) perPiece(pieces, steps int) (done func()) {
	if p == nil {
		return func() {}
	}
	p.left -= steps
	var n atomic.Int64
	return func() {
		k := int(n.Add(1))
		p.of.add(steps*k/pieces - steps*(k-1)/pieces)
	}
}

// pass is perPiece with half of the remaining steps.
func (p *share) pass(pieces int) (done func()) { return p.perPiece(pieces, p.half()) }

// half is the number of steps for a pass that an unknown number of passes may follow.
func (p *share) half() int {
	if p == nil {
		return 0
	}
	return p.left / 2
}

// most is the number of steps for a pass after which little work remains.
func (p *share) most() int {
	if p == nil {
		return 0
	}
	return p.left - p.left/10
}

// end reports the remaining steps.
func (p *share) end() {
	p.of.add(p.left)
	p.left = 0
}
