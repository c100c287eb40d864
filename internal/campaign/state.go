package campaign

import (
	"slices"
	"strings"
)

// Facts are everything, beside the settings, that decides the state of a segment. Earlier
// states and the order of the turns do not matter.
type Facts struct {
	Turns []Turn
	Acts  []Act // in the order in which they were done
	// Active says which logins are annotators of the campaign who can sign in and
	// are not set aside. Only they are waited for.
	Active map[string]bool
	// Judged holds stored decisions, by round, that were formed from exactly the ratings
	// that count in the round now. The turns of such a round may have no Scores: Follow
	// judges the pairs of the decision again by the present settings.
	Judged map[int]Decision
}

// A Turn is one annotator's turn at the segment in a round.
type Turn struct {
	Annotator string // login
	Round     int
	Submitted bool
	SetAside  bool // the lead has set the annotator's work aside
	Imported  bool // the ratings came with an import
	Whole     bool // handed out with all other segments of its document
	// Rated orders the turns of a segment by when their ratings were stored last. Each
	// time that ratings of the segment are stored gets the next number, from 1; 0 if not
	// known.
	Rated int64
	// Scores are the gate scores by system of a submitted turn.
	Scores map[string]float64
}

// An Outcome is the state of a segment that follows from its [Facts].
type Outcome struct {
	Status Status
	// Round is the round under way if Status is pending or reannotate, otherwise the
	// round that settled the segment. If a lead decided the segment, it is the round
	// whose ratings became gold, otherwise the last complete round, or 1 if none is
	// complete.
	Round       int
	Complete    int    // the round of the last of Decisions; 0: none
	DecidingAct string // id of the lead's act that decides the segment; empty if the ratings decide
	// First is the decision on round 1, even if a lead decided the segment. It is nil
	// if round 1 is not complete or the segment is withdrawn.
	First *Decision
	// Decisions are the decisions on the complete rounds whose ratings count: the
	// ordinary rounds in order, then the rounds of AnotherLook in the order of the acts.
	Decisions []Decision
	Turns     []TurnState // of Facts.Turns, in the same order
	// Asked are the logins of the annotators that the round under way waits for, in byte
	// order. It is empty in round 1, whose places are handed out instead.
	Asked []string
	// Places is the number of annotators that round 1 needs to be complete.
	Places int
}

// A TurnState is the part of an [Outcome] that concerns one turn.
type TurnState struct {
	Work     Work
	Counts   bool // it counts in its round, and the round counts ([Facts.Counts])
	Replaced bool // a lead gave its round to another annotator, or to nobody
	Awaited  bool // it is not submitted, and a round above the first waits for it
}

// Work says what an annotator may still do with a turn.
type Work string

// The kinds of [Work].
const (
	WorkAsked Work = "asked" // the annotator is asked for it, or can still change it
	WorkLate  Work = "late"  // its round is complete without it; it may be submitted if it was begun or released
	WorkKept  Work = "kept"  // a lead has decided the segment; drafts are kept and may be submitted
	WorkOver  Work = "over"  // nothing can be saved
)

// Counts reports whether a turn counts in its round: it is submitted, its annotator is not
// set aside, and nobody has replaced the annotator. Whether the round itself counts is not
// looked at.
func (f Facts) Counts(t Turn) bool {
	if len(f.Acts) == 0 {
		return t.Submitted && !t.SetAside
	}
	return newFollowing(Settings{}, f).counts(t)
}

// Follow computes the state of a segment from its facts. Submissions, imports, acts of
// leads, work that is set aside and changed settings all lead here; nothing else decides a
// segment.
//
// A turn counts in its round if it is submitted, its annotator is not set aside, and nobody
// has replaced the annotator. Round 1 is complete when Redundancy turns count, or as many
// as were imported if these are fewer. A later round waits for every active annotator who
// counts in an ordinary round below it, or for the annotator's replacement. It is complete
// when it has a pair and all of them have submitted it, or as soon as a pair fails.
//
// Ordinary rounds are all rounds but those that AnotherLook reserved. They are judged in
// order, and a round is judged only if all rounds below it are complete and failed. The
// first round that passes settles the segment. Under gate "on", annotators are asked for
// the first incomplete round, and a segment that fails the last of Rounds is discarded.
// Under the other gates nobody is asked for a round above the first, and the last complete
// round settles the segment.
//
// If a lead has decided the segment, the latest deciding act that is not undone or restored
// overrides all of this.
func (s Settings) Follow(f Facts) Outcome {
	w := newFollowing(s, f)
	w.judgeOrdinary()
	w.judgeLooks()
	w.decideByLead()
	w.states()
	return w.out
}

// A following is the state of one computation of [Settings.Follow].
type following struct {
	s        Settings
	f        Facts
	looks    map[int]bool    // rounds that any act of AnotherLook has reserved, even an undone one
	acts     []Act           // acts that are not undone
	restored map[string]bool // ids of the acts that a Restore takes back
	path     []int           // the ordinary rounds that count: those judged, then the one under way
	deciding Act             // the lead's act that decides; its Kind is empty if there is none
	underWay int             // the ordinary round that would be under way if no lead had decided; 0: none
	out      Outcome
}

func newFollowing(s Settings, f Facts) *following {
	w := &following{s: s, f: f, looks: map[int]bool{}, restored: map[string]bool{}}
	for _, a := range f.Acts {
		if a.Kind == AnotherLook {
			w.looks[a.Round] = true
		}
		if a.Undone {
			continue
		}
		w.acts = append(w.acts, a)
		if a.Kind == Restore {
			w.restored[a.Restores] = true
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

// judgeOrdinary judges the ordinary rounds, as if no lead had decided the segment.
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
		default: // the last complete round settles the segment
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

// ordinaryAfter is the ordinary round that follows round n. It skips the rounds that
// AnotherLook has reserved.
func (w *following) ordinaryAfter(n int) int {
	for n++; w.looks[n]; n++ {
	}
	return n
}

// judge judges round n by the turns that count in it. asked lists the logins of
// waited who have not submitted the round. complete is the rule for rounds above the first.
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

// counts is [Facts.Counts].
func (w *following) counts(t Turn) bool {
	return t.Submitted && !t.SetAside && !w.replaced(t.Annotator, t.Round)
}

// concerns reports whether an act with a round applies to round n. An act on an ordinary
// round also applies to the ordinary rounds above it.
func (w *following) concerns(a Act, n int) bool {
	return a.Round == n || a.Round < n && !w.looks[a.Round] && !w.looks[n]
}

// replaced reports whether a lead gave an annotator's turn in round n to somebody else, or
// to nobody, and has not given it back since.
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

// returns reports whether one of the acts gives an annotator a turn in round n.
func (w *following) returns(login string, n int, acts []Act) bool {
	return slices.ContainsFunc(acts, func(a Act) bool {
		return w.concerns(a, n) && (a.Kind == Replace && a.To == login || a.Kind == FurtherAnnotator && slices.Contains(a.Annotators, login))
	})
}

// waitedFor lists the logins that the ordinary round n, above the first, needs ratings of,
// in byte order: the active annotators who count in an ordinary round below it, or their
// replacements. It includes those who have submitted round n.
func (w *following) waitedFor(n int) []string {
	var from []string
	for _, t := range w.f.Turns {
		if t.Round < n && !w.looks[t.Round] && w.counts(t) {
			from = append(from, t.Annotator)
		}
	}
	return w.replacements(from, n)
}

// replacements maps each of the logins to the annotator who replaces them in round n, or to
// themselves. It leaves out annotators who are not active, and sorts the rest.
func (w *following) replacements(logins []string, n int) []string {
	var out []string
	for _, login := range logins {
		for i, a := range w.acts {
			// Acts are in order, so a replacement can be replaced in turn. A replacement that
			// a later act gave back has no effect.
			if a.Kind == Replace && a.From == login && w.concerns(a, n) && !w.returns(login, n, w.acts[i+1:]) {
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

// judgeLooks judges the rounds of AnotherLook acts that are not restored. It does so even
// if a later act decides the segment, because that act may accept the mean of such a round.
func (w *following) judgeLooks() {
	for _, a := range w.acts {
		if a.Kind != AnotherLook || w.restored[a.ID] {
			continue
		}
		d, asked := w.judgeLook(a)
		if len(asked) == 0 && w.enough(a, d) {
			d.Status = w.s.verdict(d, true)
			w.out.Decisions = append(w.out.Decisions, d)
			w.out.Complete = a.Round
		}
	}
}

// enough reports whether a round of an AnotherLook act can be judged. It needs a pair. Without a gate, or if only one
// annotator was asked, it needs ratings by two annotators, or by the only one asked.
func (w *following) enough(a Act, d Decision) bool {
	alone := len(a.Annotators) == 1
	return len(d.Pairs) > 0 || (w.s.NoGate || alone) && d.Annotators >= min(2, len(a.Annotators))
}

// judgeLook judges the round of an AnotherLook act. asked are the logins who were asked,
// or their replacements, and have not submitted it. The round is complete when asked is empty and there is
// [following.enough] to judge.
func (w *following) judgeLook(a Act) (d Decision, asked []string) {
	d, asked, _ = w.judge(a.Round, w.replacements(a.Annotators, a.Round))
	return d, asked
}

// decideByLead applies the latest deciding act that is not restored.
func (w *following) decideByLead() {
	for _, a := range slices.Backward(w.acts) {
		if !a.Kind.Decides() || w.restored[a.ID] || a.Kind == AcceptMean && !w.meanStands(a) {
			continue
		}
		w.deciding, w.out.DecidingAct = a, a.ID
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

// meanStands reports whether at least one rating of an accepted mean still counts. An
// accepted mean without such ratings has no effect.
func (w *following) meanStands(a Act) bool {
	return slices.ContainsFunc(w.f.Turns, func(t Turn) bool { return w.formsMean(a, t) })
}

// formsMean reports whether a turn counts in the mean that act a accepted.
func (w *following) formsMean(a Act, t Turn) bool {
	return t.Round == a.Round && w.counts(t) && slices.Contains(a.Annotators, t.Annotator)
}

// decideByLook decides the segment by the round of an AnotherLook act alone.
func (w *following) decideByLook(a Act) {
	o := &w.out
	o.Status, o.Round = Reannotate, a.Round
	if i := slices.IndexFunc(o.Decisions, func(d Decision) bool { return d.Round == a.Round }); i >= 0 {
		o.Status, o.Complete = o.Decisions[i].Status, a.Round
		return
	}
	_, o.Asked = w.judgeLook(a)
}

// states computes the state of each turn.
func (w *following) states() {
	o := &w.out
	o.Turns = make([]TurnState, len(w.f.Turns))
	for i, t := range w.f.Turns {
		st := &o.Turns[i]
		st.Replaced = w.replaced(t.Annotator, t.Round)
		st.Work = w.work(t, st.Replaced)
		st.Counts = w.counts(t) && w.roundCounts(t.Round)
		st.Awaited = !t.Submitted && o.Status == Reannotate && t.Round == o.Round && slices.Contains(o.Asked, t.Annotator)
	}
}

// roundCounts reports whether round n counts: it is an ordinary round that was judged or is
// under way, or the round of an AnotherLook act that is not restored.
func (w *following) roundCounts(n int) bool {
	return slices.Contains(w.path, n) || slices.ContainsFunc(w.acts, func(a Act) bool {
		return a.Kind == AnotherLook && a.Round == n && !w.restored[a.ID]
	})
}

// work says what the annotator of a turn may still do with it.
func (w *following) work(t Turn, replaced bool) Work {
	o := &w.out
	underWay := o.Status == Pending || o.Status == Reannotate
	switch {
	case t.SetAside || replaced:
		return WorkOver
	case !w.deciding.Kind.Asks():
		if t.Round == w.underWay || t.Round == 1 && !t.Submitted {
			return WorkKept
		}
		return WorkOver
	case underWay && t.Round == o.Round && (o.Round == 1 || t.Submitted || slices.Contains(o.Asked, t.Annotator)):
		return WorkAsked
	case !t.Submitted && (w.asksFurther(t) || t.Whole && t.Round == 1):
		return WorkAsked
	case !t.Submitted && (t.Round == 1 || slices.Contains(w.path, t.Round)):
		return WorkLate
	}
	return WorkOver
}

// asksFurther reports whether a lead has asked for a turn as that of a further annotator, in
// a round that counts.
func (w *following) asksFurther(t Turn) bool {
	return w.roundCounts(t.Round) && slices.ContainsFunc(w.acts, func(a Act) bool {
		return a.Kind == FurtherAnnotator && a.Round == t.Round && slices.Contains(a.Annotators, t.Annotator)
	})
}

// CanRejudge reports whether a decision was formed from the ratings of exactly the given
// annotators, and has everything that is needed to judge it by other settings without the
// scores.
func (d Decision) CanRejudge(given []Vector) bool {
	n := len(given)
	// Two annotators without a common translation form no pair. Then the annotators of
	// the decision can't be told from its pairs.
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
