package campaign

import (
	"slices"
	"strings"
)

// Facts are all that the state of a segment follows from, beside the settings. It
// does not depend on what was decided before, nor on the order of the turns.
type Facts struct {
	Turns []Turn
	Acts  []Act // in the order in which they were done
	// Active says which logins are annotators of the campaign who can sign in and
	// are not set aside. Only they are waited for.
	Active map[string]bool
	// Judged holds decisions, by round, that were formed from exactly the ratings
	// that count in the round now. Their pairs are judged by the rule as it is now,
	// and the scores of that round may be left out of the turns.
	Judged map[int]Decision
}

// A Turn is what became of one hand-out: an annotator's turn at the segment in a round.
type Turn struct {
	Annotator string // login
	Round     int
	Submitted bool
	SetAside  bool // the lead has set the annotator's work aside
	Imported  bool // the ratings came with an import
	// Rated is the number, counted from 1 for each segment, of the time that ratings of
	// the segment were stored when these were stored last; 0 where that is not known.
	Rated int64
	// Scores are the gate scores by system of a submitted turn.
	Scores map[string]float64
}

// An Outcome is the state of a segment that follows from its [Facts].
type Outcome struct {
	Status Status
	// Round is the round under way (pending, reannotate), else the one that settled
	// the segment. Where a lead decided, it is the last complete round, or the one
	// under way where no round is complete.
	Round    int
	Complete int    // the round of the last of Decisions; 0: none
	Holding  string // id of the act of a lead that decides; empty: the ratings decide
	// First is how round 1 is judged, whatever a lead decided; nil while it is not
	// complete.
	First *Decision
	// Decisions are those of the complete rounds whose ratings count: the ordinary rounds
	// in order, then the rounds of other looks in the order in which they were asked for.
	Decisions []Decision
	Turns     []TurnState // of Facts.Turns, in their order
	// Asked are the logins that the round under way waits for: those who have not
	// submitted it, in byte order. Nobody is waited for in round 1, which is handed
	// out.
	Asked []string
	// Places is how many annotators round 1 is complete with.
	Places int
}

// A TurnState says what follows for one turn.
type TurnState struct {
	Work     Work
	Counts   bool // in agreement: it is submitted, and its round is wanted
	Replaced bool // somebody, or nobody, has taken its round over
	Awaited  bool // it is not submitted, and the later round under way waits for it
}

// Work says what an annotator may do with a turn.
type Work string

// The kinds of [Work].
const (
	WorkAsked Work = "asked" // the segment waits for it, or it can still be changed
	WorkLate  Work = "late"  // its round is complete without it; if it is begun or was released, it may be submitted
	WorkKept  Work = "kept"  // a lead has decided the segment, and asks nobody; what is in work is kept and may be submitted
	WorkOver  Work = "over"  // nothing can be saved
)

// Counts reports whether a turn counts in its round, if that round is wanted: it is
// submitted, its annotator is not set aside, and nobody has taken its place.
func (f Facts) Counts(t Turn) bool {
	if len(f.Acts) == 0 {
		return t.Submitted && !t.SetAside
	}
	return newFollowing(Settings{}, f).counts(t)
}

// Follow computes the state of a segment from its facts. It is the only place that
// decides, for submissions, imports, acts, set-asides and changed settings alike.
//
// A turn counts when it is submitted, its annotator is not set aside, and nobody
// has taken over its round. Round 1 is complete when Redundancy turns count, or as
// many as were imported where these are fewer. A later round is complete when it
// has a pair of annotators and every active annotator who counts in an ordinary
// round below it, or whoever replaces them, has submitted it; it has failed as soon
// as a pair fails.
//
// Ordinary rounds are judged in order, each only when all below it are complete and
// failed. The first that passes settles the segment. Under gate "on" an incomplete
// round is asked for, and failing the last of the Rounds discards the segment.
// Otherwise only the complete rounds that exist are judged, and the last of them
// settles the segment. The latest act of a lead that is not taken back decides
// against all of this.
func (s Settings) Follow(f Facts) Outcome {
	w := newFollowing(s, f)
	w.judgeOrdinary()
	w.judgeLooks()
	w.hold()
	w.states()
	return w.out
}

// following is a computation of [Settings.Follow].
type following struct {
	s     Settings
	f     Facts
	looks map[int]bool    // rounds that an act of another look has ever reserved
	acts  []Act           // that are not undone
	taken map[string]bool // ids of acts that are taken back
	// path are the ordinary rounds that are wanted: those judged, then the one that
	// is asked for.
	path []int
	held Act // the act that decides; without a kind: none does
	// underWay is the ordinary round that would be under way if no lead had decided;
	// 0: none would.
	underWay int
	out      Outcome
}

func newFollowing(s Settings, f Facts) *following {
	w := &following{s: s, f: f, looks: map[int]bool{}, taken: map[string]bool{}}
	for _, a := range f.Acts {
		if a.Kind == AnotherLook {
			w.looks[a.Round] = true
		}
		if a.Undone {
			continue
		}
		w.acts = append(w.acts, a)
		if a.Kind == Restore {
			w.taken[a.Restores] = true
		}
	}
	imported := 0
	for _, t := range f.Turns {
		if t.Round == 1 && t.Imported {
			imported++
		}
	}
	w.out.Places = s.Redundancy
	if imported > 0 {
		w.out.Places = min(s.Redundancy, imported)
	}
	return w
}

// judgeOrdinary goes through the ordinary rounds, as if no lead had decided.
func (w *following) judgeOrdinary() {
	o := &w.out
	for place, n := 1, 1; ; place, n = place+1, w.ordinaryAfter(n) {
		d, asked, complete := w.judge(n, w.waitedFor(n))
		if n == 1 {
			complete = d.Annotators >= o.Places
		}
		switch {
		case complete:
		case n == 1:
			o.Status, o.Round, w.path, w.underWay = Pending, 1, append(w.path, 1), 1
			return
		case w.s.Gate == "on":
			o.Status, o.Round, o.Asked, w.path, w.underWay = Reannotate, n, asked, append(w.path, n), n
			return
		default: // the last complete round stands
			return
		}
		d.Status = w.s.verdict(d, place >= w.s.Rounds)
		o.Decisions = append(o.Decisions, d)
		o.Status, o.Round, o.Complete, w.path = d.Status, n, n, append(w.path, n)
		if n == 1 {
			first := d
			o.First = &first
		}
		if d.Passed || d.Status == Discarded {
			return
		}
	}
}

// ordinaryAfter is the round after an ordinary one: rounds of another look are
// skipped for ever.
func (w *following) ordinaryAfter(n int) int {
	for n++; w.looks[n]; n++ {
	}
	return n
}

// judge judges a round above the first by the turns that count in it. It reports
// who of those waited for has not submitted it, and whether it is complete.
func (w *following) judge(n int, waited []string) (d Decision, asked []string, complete bool) {
	var given []Vector
	for _, t := range w.f.Turns {
		if t.Round == n && w.counts(t) {
			given = append(given, Vector{Annotator: t.Annotator, Scores: t.Scores})
		}
	}
	if was, ok := w.f.Judged[n]; ok && was.CanRejudge(given) {
		d = w.s.rejudge(was)
	} else {
		d = w.s.judge(given)
	}
	d.Round = n
	for _, login := range waited {
		if !slices.ContainsFunc(given, func(v Vector) bool { return v.Annotator == login }) {
			asked = append(asked, login)
		}
	}
	return d, asked, len(d.Pairs) > 0 && (len(asked) == 0 || !d.Passed)
}

// counts reports whether a turn counts in its round, if that is wanted.
func (w *following) counts(t Turn) bool {
	return t.Submitted && !t.SetAside && !w.replaced(t.Annotator, t.Round)
}

// concerns reports whether an act about a round extends to round n: to its own
// round, and if that is an ordinary one to the ordinary rounds above it.
func (w *following) concerns(a Act, n int) bool {
	return a.Round == n || a.Round < n && !w.looks[a.Round] && !w.looks[n]
}

// replaced reports whether an annotator's turn in round n was taken over, and not
// given back to them since.
func (w *following) replaced(login string, n int) bool {
	out := false
	for _, a := range w.acts {
		switch {
		case !w.concerns(a, n):
		case a.Kind == Replace && a.From == login:
			out = true
		case a.Kind == Replace && a.To == login, a.Kind == FurtherAnnotator && slices.Contains(a.Annotators, login):
			out = false
		}
	}
	return out
}

// leaves reports whether an annotator is not given the place in round n back by an act
// after the one at a place among the acts.
func (w *following) leaves(login string, n, at int) bool {
	return !slices.ContainsFunc(w.acts[at+1:], func(a Act) bool {
		return w.concerns(a, n) && (a.Kind == Replace && a.To == login || a.Kind == FurtherAnnotator && slices.Contains(a.Annotators, login))
	})
}

// waitedFor lists the logins that an ordinary round above the first waits for, in
// byte order, whether they have submitted it or not: the active annotators who
// count in an ordinary round below it, or whoever replaces them.
func (w *following) waitedFor(n int) []string {
	var from []string
	for _, t := range w.f.Turns {
		if t.Round < n && !w.looks[t.Round] && w.counts(t) {
			from = append(from, t.Annotator)
		}
	}
	return w.replacements(from, n)
}

// replacements puts whoever takes over round n in the place of those named, and
// leaves out who is not active.
func (w *following) replacements(logins []string, n int) []string {
	var out []string
	for _, login := range logins {
		for i, a := range w.acts {
			// An act from before somebody took the place is not about them.
			if a.Kind == Replace && a.From == login && w.concerns(a, n) && w.leaves(login, n, i) {
				login = a.To
			}
		}
		if w.f.Active[login] {
			out = append(out, login)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// judgeLooks judges the rounds of other looks that are not taken back, whether a later
// act decides the segment or not: a mean of such a round may be gold.
func (w *following) judgeLooks() {
	for _, a := range w.acts {
		if a.Kind != AnotherLook || w.taken[a.ID] {
			continue
		}
		d, asked := w.judgeLook(a)
		if len(asked) == 0 && len(d.Pairs) > 0 {
			d.Status = w.s.verdict(d, true)
			w.out.Decisions = append(w.out.Decisions, d)
			w.out.Complete = a.Round
		}
	}
}

// judgeLook judges the round of another look. It is complete when it has a pair and all
// who were asked, or whoever replaces them, submitted it.
func (w *following) judgeLook(a Act) (d Decision, asked []string) {
	d, asked, _ = w.judge(a.Round, w.replacements(a.Annotators, a.Round))
	return d, asked
}

// hold lets the latest act that is not taken back decide.
func (w *following) hold() {
	for _, a := range slices.Backward(w.acts) {
		if !a.Kind.Decides() || w.taken[a.ID] || a.Kind == AcceptMean && !w.meanStands(a) {
			continue
		}
		w.held, w.out.Holding = a, a.ID
		w.out.Asked = nil
		switch a.Kind {
		case AnotherLook:
			w.decideByLook(a)
		case AcceptMean:
			w.out.Status, w.out.Round = Adjudicated, a.Round
		default:
			w.out.Status = map[ActKind]Status{Adjudicate: Adjudicated, Discard: Discarded, Withdraw: Withdrawn}[a.Kind]
			w.out.Round = max(w.out.Complete, 1)
			if a.Kind == Adjudicate && a.Round > 0 {
				w.out.Round = a.Round
			}
		}
		if a.Kind == Withdraw {
			w.out.First = nil
		}
		return
	}
}

// meanStands reports whether a rating that an accepted mean was formed from still
// counts.
func (w *following) meanStands(a Act) bool {
	return slices.ContainsFunc(w.f.Turns, func(t Turn) bool { return w.formsMean(a, t) })
}

func (w *following) formsMean(a Act, t Turn) bool {
	return t.Round == a.Round && w.counts(t) && slices.Contains(a.Annotators, t.Annotator)
}

// decideByLook decides the segment by the round of another look alone.
func (w *following) decideByLook(a Act) {
	o := &w.out
	o.Status, o.Round = Reannotate, a.Round
	if i := slices.IndexFunc(o.Decisions, func(d Decision) bool { return d.Round == a.Round }); i >= 0 {
		o.Status, o.Complete = o.Decisions[i].Status, a.Round
		return
	}
	_, o.Asked = w.judgeLook(a)
}

// states says what follows for each turn.
func (w *following) states() {
	o := &w.out
	o.Turns = make([]TurnState, len(w.f.Turns))
	for i, t := range w.f.Turns {
		st := &o.Turns[i]
		st.Replaced = w.replaced(t.Annotator, t.Round)
		st.Work = w.work(t, st.Replaced)
		st.Counts = w.counts(t) && w.wanted(t.Round)
		st.Awaited = !t.Submitted && o.Status == Reannotate && t.Round == o.Round && slices.Contains(o.Asked, t.Annotator)
	}
}

// wanted reports whether ratings of a round count: it is an ordinary round that is
// gone through, or that of another look which is not taken back.
func (w *following) wanted(n int) bool {
	return slices.Contains(w.path, n) || slices.ContainsFunc(w.acts, func(a Act) bool {
		return a.Kind == AnotherLook && a.Round == n && !w.taken[a.ID]
	})
}

func (w *following) work(t Turn, replaced bool) Work {
	o := &w.out
	underWay := o.Status == Pending || o.Status == Reannotate
	switch {
	case t.SetAside || replaced:
		return WorkOver
	case !w.held.Kind.Asks():
		if t.Round == w.underWay || t.Round == 1 && !t.Submitted {
			return WorkKept
		}
		return WorkOver
	case underWay && t.Round == o.Round && (o.Round == 1 || t.Submitted || slices.Contains(o.Asked, t.Annotator)):
		return WorkAsked
	case !t.Submitted && w.asksFurther(t):
		return WorkAsked
	case !t.Submitted && (t.Round == 1 || slices.Contains(w.path, t.Round)):
		return WorkLate
	}
	return WorkOver
}

// asksFurther reports whether a lead has asked an annotator for one more rating of a
// round that is wanted.
func (w *following) asksFurther(t Turn) bool {
	return w.wanted(t.Round) && slices.ContainsFunc(w.acts, func(a Act) bool {
		return a.Kind == FurtherAnnotator && a.Round == t.Round && slices.Contains(a.Annotators, t.Annotator)
	})
}

// CanRejudge reports whether a decision was formed from the ratings of just those
// who are given, and has all that judging it by another rule takes.
func (d Decision) CanRejudge(given []Vector) bool {
	n := len(given)
	// Where two of them share nothing there is no pair, and only their scores tell.
	if d.Annotators != n || len(d.Pairs) != n*(n-1)/2 {
		return false
	}
	in := func(login string) bool {
		return slices.ContainsFunc(given, func(v Vector) bool { return v.Annotator == login })
	}
	for _, p := range d.Pairs {
		if p.MeanAbsDiff == nil || !in(p.A) || !in(p.B) {
			return false
		}
	}
	return true
}

// sortVectors puts vectors in byte order of their annotators.
func sortVectors(vectors []Vector) []Vector {
	return slices.SortedFunc(slices.Values(vectors), func(a, b Vector) int { return strings.Compare(a.Annotator, b.Annotator) })
}
