package campaign

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// gave is a submitted turn.
func gave(login string, round int, scores ...float64) Turn {
	return Turn{Annotator: login, Round: round, Submitted: true, Scores: vector(login, scores...).Scores}
}

// open is a turn that is not submitted.
func open(login string, round int) Turn { return Turn{Annotator: login, Round: round} }

func aside(t Turn) Turn {
	t.SetAside = true
	return t
}

func imported(t Turn) Turn {
	t.Imported = true
	return t
}

var (
	up, down = []float64{0, 1, 2, 3, 4}, []float64{4, 3, 2, 1, 0}
	everyone = map[string]bool{"a": true, "b": true, "c": true, "d": true}
)

// failed and passed are a round 1 by a and b.
func failed() []Turn { return []Turn{gave("a", 1, up...), gave("b", 1, down...)} }
func passed() []Turn { return []Turn{gave("a", 1, up...), gave("b", 1, up...)} }

func TestFollow(t *testing.T) {
	look := Act{ID: "look", Kind: AnotherLook, Round: 2, Annotators: []string{"a", "b"}}
	mean := Act{ID: "mean", Kind: AcceptMean, Round: 1, Annotators: []string{"a", "b"}}
	discard := Act{ID: "discard", Kind: Discard}
	restore := func(id string) Act { return Act{ID: "restore " + id, Kind: Restore, Restores: id} }
	undone := func(a Act) Act {
		a.Undone = true
		return a
	}
	for _, tt := range []struct {
		name     string
		settings []string
		turns    []Turn
		acts     []Act
		inactive []string
		want     string // status, round; complete; asked
		first    Status // what round 1 leads to by itself; empty: it is not complete
	}{
		{name: "nothing", want: "pending 1; 0; "},
		{name: "one of two", turns: []Turn{gave("a", 1, up...), open("b", 1)}, want: "pending 1; 0; "},
		{name: "agree", turns: passed(), want: "agreed 1; 1; ", first: Agreed},
		{name: "disagree", turns: failed(), want: "reannotate 2; 1; a b", first: Reannotate},
		{name: "one pair of three fails", turns: append(passed(), gave("c", 1, down...)), want: "reannotate 2; 1; a b c", first: Reannotate},
		{name: "only one round", settings: []string{"rounds=1"}, turns: failed(), want: "discarded 1; 1; ", first: Discarded},
		{name: "one annotator", settings: []string{"redundancy=1"}, turns: passed()[:1], want: "ungated 1; 1; ", first: Ungated},
		{name: "nothing shared", turns: []Turn{gave("a", 1, 1), {Annotator: "b", Round: 1, Submitted: true, Scores: map[string]float64{"q": 1}}}, want: "ungated 1; 1; ", first: Ungated},
		{name: "threshold", settings: []string{"threshold=-1"}, turns: failed(), want: "agreed 1; 1; ", first: Agreed},

		{name: "an open turn holds nothing up", turns: append(passed(), open("c", 1)), want: "agreed 1; 1; ", first: Agreed},
		{name: "set aside", turns: []Turn{gave("a", 1, up...), aside(gave("b", 1, down...))}, want: "pending 1; 0; "},
		{name: "set aside, another instead", turns: []Turn{gave("a", 1, up...), aside(gave("b", 1, down...)), gave("c", 1, up...)}, want: "agreed 1; 1; ", first: Agreed},
		{name: "set aside, and the second look that was begun counts nowhere", turns: []Turn{gave("a", 1, up...), aside(gave("b", 1, down...)), gave("c", 1, up...),
			gave("a", 2, down...), gave("c", 2, up...)}, want: "agreed 1; 1; ", first: Agreed},
		{name: "fewer imported than the redundancy", turns: []Turn{imported(gave("a", 1, up...))}, want: "ungated 1; 1; ", first: Ungated},
		{name: "as many count as were imported", settings: []string{"redundancy=3"}, turns: []Turn{imported(gave("a", 1, up...)), aside(imported(gave("b", 1, down...))), gave("c", 1, up...)}, want: "agreed 1; 1; ", first: Agreed},
		{name: "fewer count than were imported", turns: []Turn{imported(gave("a", 1, up...)), aside(imported(gave("b", 1, up...)))}, want: "pending 1; 0; "},
		{name: "all that were imported are set aside", turns: []Turn{aside(imported(gave("a", 1, up...)))}, want: "pending 1; 0; "},

		{name: "second look, half done", turns: append(failed(), gave("a", 2, up...)), want: "reannotate 2; 1; b", first: Reannotate},
		{name: "second look agrees", turns: append(failed(), gave("a", 2, up...), gave("b", 2, up...)), want: "agreed 2; 2; ", first: Reannotate},
		{name: "second look fails", turns: append(failed(), gave("a", 2, up...), gave("b", 2, down...)), want: "discarded 2; 2; ", first: Reannotate},
		{name: "third look", settings: []string{"rounds=3"}, turns: append(failed(), gave("a", 2, up...), gave("b", 2, down...)), want: "reannotate 3; 2; a b", first: Reannotate},
		{name: "a second look fails as soon as a pair does", turns: append(failed(), gave("c", 1, up...), gave("a", 2, up...), gave("b", 2, down...)), want: "discarded 2; 2; ", first: Reannotate},
		{name: "a second look needs a pair", turns: append(failed(), gave("a", 2, up...)), inactive: []string{"b"}, want: "reannotate 2; 1; ", first: Reannotate},
		{name: "nobody who left is waited for", turns: append(failed(), gave("c", 1, up...), gave("a", 2, up...), gave("c", 2, up...)), inactive: []string{"b"}, want: "agreed 2; 2; ", first: Reannotate},
		{name: "a late third rating asks for a second look", turns: append(passed(), gave("c", 1, down...), gave("a", 2, up...), gave("b", 2, up...)), want: "reannotate 2; 1; c", first: Reannotate},

		{name: "report, failing", settings: []string{"gate=report"}, turns: failed(), want: "below_threshold 1; 1; ", first: BelowThreshold},
		{name: "report, passing", settings: []string{"gate=report"}, turns: passed(), want: "agreed 1; 1; ", first: Agreed},
		{name: "report judges rounds that exist", settings: []string{"gate=report"}, turns: append(failed(), gave("a", 2, up...), gave("b", 2, up...)), want: "agreed 2; 2; ", first: BelowThreshold},
		{name: "report leaves incomplete rounds", settings: []string{"gate=report"}, turns: append(failed(), gave("a", 2, up...), open("b", 2)), want: "below_threshold 1; 1; ", first: BelowThreshold},
		{name: "off", settings: []string{"gate=off"}, turns: failed(), want: "ungated 1; 1; ", first: Ungated},
		{name: "off, with rounds", settings: []string{"gate=off"}, turns: append(failed(), gave("a", 2, up...), gave("b", 2, up...)), want: "ungated 2; 2; ", first: Ungated},

		{name: "another look of one", settings: []string{"redundancy=1"}, turns: append(passed()[:1], gave("a", 2, down...)), acts: []Act{{ID: "look", Kind: AnotherLook, Round: 2, Annotators: []string{"a"}}}, want: "ungated 2; 2; ", first: Ungated},
		{name: "another look of two, one of whom left", turns: append(passed(), gave("a", 2, down...)), acts: []Act{look}, inactive: []string{"b"}, want: "reannotate 2; 1; ", first: Agreed},
		{name: "another look", turns: passed(), acts: []Act{look}, want: "reannotate 2; 1; a b", first: Agreed},
		{name: "another look agrees", turns: append(passed(), gave("a", 2, up...), gave("b", 2, up...)), acts: []Act{look}, want: "agreed 2; 2; ", first: Agreed},
		{name: "another look fails", turns: append(passed(), gave("a", 2, up...), gave("b", 2, down...)), acts: []Act{look}, want: "discarded 2; 2; ", first: Agreed},
		{name: "another look fails under report", settings: []string{"gate=report"}, turns: append(passed(), gave("a", 2, up...), gave("b", 2, down...)), acts: []Act{look}, want: "below_threshold 2; 2; ", first: Agreed},
		{name: "another look with the gate off", settings: []string{"gate=off"}, turns: append(passed(), gave("a", 2, up...), gave("b", 2, down...)), acts: []Act{look}, want: "ungated 2; 2; ", first: Ungated},
		{name: "another look taken back", turns: append(passed(), gave("a", 2, up...), gave("b", 2, down...)), acts: []Act{look, restore("look")}, want: "agreed 1; 1; ", first: Agreed},
		{name: "ordinary rounds skip another look for ever", turns: append(failed(), gave("a", 2, up...), gave("b", 2, up...)), acts: []Act{look, restore("look")}, want: "reannotate 3; 1; a b", first: Reannotate},
		{name: "and one that is undone", turns: failed(), acts: []Act{undone(look)}, want: "reannotate 3; 1; a b", first: Reannotate},
		{name: "another look waits for all who are asked", turns: append(passed(), gave("c", 1, up...), gave("a", 2, up...), gave("b", 2, down...)),
			acts: []Act{{ID: "look", Kind: AnotherLook, Round: 2, Annotators: []string{"a", "b", "c"}}}, want: "reannotate 2; 1; c", first: Agreed},
		{name: "somebody takes over another look", turns: append(passed(), gave("a", 2, up...), gave("c", 2, up...)), acts: []Act{look, {ID: "r", Kind: Replace, Round: 2, From: "b", To: "c"}}, want: "agreed 2; 2; ", first: Agreed},

		{name: "the mean", turns: failed(), acts: []Act{mean}, want: "adjudicated 1; 1; ", first: Reannotate},
		{name: "the mean of another look, accepted twice", turns: append(passed(), gave("a", 2, up...), gave("b", 2, down...)),
			acts: []Act{look, {ID: "m", Kind: AcceptMean, Round: 2, Annotators: []string{"a", "b"}}, {ID: "n", Kind: AcceptMean, Round: 2, Annotators: []string{"a", "b"}}}, want: "adjudicated 2; 2; ", first: Agreed},
		{name: "the mean lapses", turns: []Turn{aside(gave("a", 1, up...)), aside(gave("b", 1, down...))}, acts: []Act{mean}, want: "pending 1; 0; "},
		{name: "the mean of those that count", turns: []Turn{aside(gave("a", 1, up...)), gave("b", 1, down...)}, acts: []Act{mean}, want: "adjudicated 1; 0; "},
		{name: "what is lapsed lets the act before it decide", turns: []Turn{aside(gave("a", 1, up...)), aside(gave("b", 1, down...))}, acts: []Act{discard, mean}, want: "discarded 1; 0; "},
		{name: "the latest act decides", turns: failed(), acts: []Act{mean, discard}, want: "discarded 1; 1; ", first: Reannotate},
		{name: "restored, the one before it does", turns: failed(), acts: []Act{mean, discard, restore("discard")}, want: "adjudicated 1; 1; ", first: Reannotate},
		{name: "an undone restore", turns: failed(), acts: []Act{mean, undone(restore("mean"))}, want: "adjudicated 1; 1; ", first: Reannotate},
		{name: "an undone act", turns: failed(), acts: []Act{undone(discard)}, want: "reannotate 2; 1; a b", first: Reannotate},
		{name: "withdrawn", turns: failed(), acts: []Act{{ID: "w", Kind: Withdraw}}, want: "withdrawn 1; 1; "},
		{name: "withdrawn before anything", acts: []Act{{ID: "w", Kind: Withdraw}}, want: "withdrawn 1; 0; "},
		{name: "adjudicated", turns: failed(), acts: []Act{{ID: "j", Kind: Adjudicate}}, want: "adjudicated 1; 1; ", first: Reannotate},
		{name: "to be adjudicated", turns: failed(), acts: []Act{{ID: "j", Kind: AskForAdjudication}}, want: "reannotate 2; 1; a b", first: Reannotate},

		{name: "somebody takes over a second look", turns: append(failed(), gave("a", 2, up...), gave("c", 2, up...)), acts: []Act{{ID: "r", Kind: Replace, Round: 2, From: "b", To: "c"}}, want: "agreed 2; 2; ", first: Reannotate},
		{name: "and is asked", turns: append(failed(), gave("a", 2, up...)), acts: []Act{{ID: "r", Kind: Replace, Round: 2, From: "b", To: "c"}}, want: "reannotate 2; 1; c", first: Reannotate},
		{name: "nobody takes over", turns: append(failed(), gave("c", 1, up...), gave("a", 2, up...), gave("c", 2, up...)), acts: []Act{{ID: "r", Kind: Replace, Round: 2, From: "b"}}, want: "agreed 2; 2; ", first: Reannotate},
		{name: "what a replaced annotator submits does not count", turns: append(failed(), gave("a", 2, up...), gave("b", 2, down...), gave("c", 2, up...)), acts: []Act{{ID: "r", Kind: Replace, Round: 2, From: "b", To: "c"}}, want: "agreed 2; 2; ", first: Reannotate},
		{name: "nor in round 1", turns: append(failed(), gave("c", 1, up...)), acts: []Act{{ID: "r", Kind: Replace, Round: 1, From: "b", To: "c"}}, want: "agreed 1; 1; ", first: Agreed},
		{name: "taken over twice", turns: append(failed(), gave("a", 2, up...)), acts: []Act{{ID: "r", Kind: Replace, Round: 2, From: "b", To: "c"}, {ID: "s", Kind: Replace, Round: 2, From: "c", To: "d"}}, want: "reannotate 2; 1; d", first: Reannotate},
		{name: "who took a place and lost another has theirs", turns: append(failed(), gave("c", 1, down...), gave("d", 1, up...)),
			acts: []Act{{ID: "r", Kind: Replace, Round: 1, From: "c", To: "d"}, {ID: "s", Kind: Replace, Round: 1, From: "a", To: "c"}}, want: "reannotate 2; 1; b c d", first: Reannotate},
		{name: "who left and is asked again is waited for", turns: append(failed(), gave("c", 1, down...)),
			acts: []Act{{ID: "r", Kind: Replace, Round: 1, From: "c"}, {ID: "f", Kind: FurtherAnnotator, Round: 1, Annotators: []string{"c"}}}, want: "reannotate 2; 1; a b c", first: Reannotate},
		{name: "entered scores keep the round of the mean", turns: append(passed(), gave("a", 2, up...), gave("b", 2, down...)), acts: []Act{look, {ID: "j", Kind: Adjudicate, Round: 2}}, want: "adjudicated 2; 2; ", first: Agreed},
		{name: "an overruled look keeps its decision", turns: append(passed(), gave("a", 2, up...), gave("b", 2, down...)), acts: []Act{look, discard}, want: "discarded 2; 2; ", first: Agreed},
		{name: "an overruled look that is not complete is no complete round", turns: append(passed(), gave("a", 2, up...)), acts: []Act{look, discard}, want: "discarded 1; 1; ", first: Agreed},
		{name: "the later rounds too", settings: []string{"rounds=3"}, turns: append(failed(), gave("a", 2, up...), gave("c", 2, down...)), acts: []Act{{ID: "r", Kind: Replace, Round: 2, From: "b", To: "c"}}, want: "reannotate 3; 2; a c", first: Reannotate},
		{name: "a further annotator can't make a failed round pass", turns: append(failed(), gave("c", 1, up...)), acts: []Act{{ID: "f", Kind: FurtherAnnotator, Round: 1, Annotators: []string{"c"}}}, want: "reannotate 2; 1; a b c", first: Reannotate},
		{name: "nobody waits for a further annotator", turns: append(passed(), open("c", 1)), acts: []Act{{ID: "f", Kind: FurtherAnnotator, Round: 1, Annotators: []string{"c"}}}, want: "agreed 1; 1; ", first: Agreed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			active := map[string]bool{}
			for login := range everyone {
				active[login] = !slices.Contains(tt.inactive, login)
			}
			o := sqmSettings(t, tt.settings...).Follow(Facts{Turns: tt.turns, Acts: tt.acts, Active: active})
			if got := fmt.Sprintf("%s %d; %d; %s", o.Status, o.Round, o.Complete, strings.Join(o.Asked, " ")); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			first := Status("")
			if o.First != nil {
				first = o.First.Status
			}
			if first != tt.first {
				t.Errorf("round 1 leads to %q, want %q", first, tt.first)
			}
		})
	}
}

// What may be done with each turn, and which of them count.
func TestFollowTurns(t *testing.T) {
	look := Act{ID: "look", Kind: AnotherLook, Round: 2, Annotators: []string{"a", "b"}}
	for _, tt := range []struct {
		name  string
		turns []Turn
		acts  []Act
		want  string // of each turn: work, and "+" if it counts
	}{
		{"pending", []Turn{gave("a", 1, up...), open("b", 1)}, nil, "asked+ asked"},
		{"complete", append(passed(), open("c", 1)), nil, "over+ over+ late"},
		{"second look", append(failed(), open("c", 1), gave("a", 2, up...), open("b", 2)), nil, "over+ over+ late asked+ asked"},
		{"a second look that failed without them", append(failed(), gave("c", 1, up...), gave("a", 2, up...), gave("b", 2, down...), open("c", 2)), nil, "over+ over+ over+ over+ over+ late"},
		{"a second look that is not wanted", append(passed(), gave("a", 2, up...), open("b", 2)), nil, "over+ over+ over over"},
		{"set aside", []Turn{gave("a", 1, up...), aside(gave("b", 1, up...)), aside(open("c", 1))}, nil, "asked+ over over"},
		{"decided by a lead", append(failed(), open("a", 2), open("b", 2), open("c", 1)), []Act{{ID: "d", Kind: Discard}}, "over+ over+ kept kept kept"},
		{"another look", append(passed(), gave("a", 2, up...), open("b", 2)), []Act{look}, "over+ over+ asked+ asked"},
		{"another look, taken back", append(passed(), gave("a", 2, up...), open("b", 2)), []Act{look, {ID: "r", Kind: Restore, Restores: "look"}}, "over+ over+ over over"},
		{"another look, decided over", append(passed(), gave("a", 2, up...), gave("b", 2, up...)), []Act{look, {ID: "d", Kind: Discard}}, "over+ over+ over+ over+"},
		{"replaced", append(failed(), open("a", 2), open("b", 2), open("c", 2)), []Act{{ID: "r", Kind: Replace, Round: 2, From: "b", To: "c"}}, "over+ over+ asked over asked"},
		{"replaced after all", append(failed(), open("a", 2), gave("b", 2, up...), open("c", 2)), []Act{{ID: "r", Kind: Replace, Round: 2, From: "b", To: "c"}}, "over+ over+ asked over asked"},
		{"a further annotator", append(passed(), open("c", 1)), []Act{{ID: "f", Kind: FurtherAnnotator, Round: 1, Annotators: []string{"c"}}}, "over+ over+ asked"},
		{"who took over, and is given it again", append(failed(), open("a", 2), open("b", 2)), []Act{{ID: "r", Kind: Replace, Round: 2, From: "b", To: "c"}, {ID: "f", Kind: FurtherAnnotator, Round: 2, Annotators: []string{"b"}}}, "over+ over+ asked asked"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := sqmSettings(t).Follow(Facts{Turns: tt.turns, Acts: tt.acts, Active: everyone})
			var got []string
			for _, s := range o.Turns {
				word := string(s.Work)
				if s.Counts {
					word += "+"
				}
				got = append(got, word)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %s, want %s", strings.Join(got, " "), tt.want)
			}
		})
	}
}

// The order of the turns makes no difference, nor does judging from decisions that
// were formed from the same ratings; and a turn set aside and restored leaves no trace.
func TestFollowOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	logins := []string{"a", "b", "c", "d"}
	for range 3000 {
		s := sqmSettings(t, fmt.Sprint("redundancy=", 1+r.IntN(3)), fmt.Sprint("rounds=", 1+r.IntN(3)), "gate="+[]string{"on", "report", "off"}[r.IntN(3)])
		f := Facts{Active: map[string]bool{}}
		for _, login := range logins {
			f.Active[login] = r.IntN(5) > 0
			for round := 1; round <= 1+r.IntN(3); round++ {
				turn := open(login, round)
				if r.IntN(4) > 0 {
					turn = gave(login, round, float64(r.IntN(5)), float64(r.IntN(5)), float64(r.IntN(5)))
				}
				turn.SetAside, turn.Imported = r.IntN(6) == 0, r.IntN(6) == 0
				f.Turns = append(f.Turns, turn)
			}
		}
		kinds := []ActKind{AnotherLook, AcceptMean, Discard, FurtherAnnotator, Replace, Restore, Withdraw}
		for n := range r.IntN(4) {
			a := Act{ID: fmt.Sprint(n), Kind: kinds[r.IntN(len(kinds))], Round: 1 + r.IntN(3), Annotators: logins[:2], From: logins[r.IntN(4)], To: logins[r.IntN(4)], Restores: fmt.Sprint(r.IntN(3)), Undone: r.IntN(6) == 0}
			f.Acts = append(f.Acts, a)
		}
		want := s.Follow(f)
		order := r.Perm(len(f.Turns))
		other := Facts{Acts: f.Acts, Active: f.Active, Judged: map[int]Decision{}}
		for _, i := range order {
			other.Turns = append(other.Turns, f.Turns[i])
		}
		for _, d := range want.Decisions {
			other.Judged[d.Round] = d
		}
		got := s.Follow(other)
		turns := make([]TurnState, len(order))
		for place, i := range order {
			turns[i] = got.Turns[place]
		}
		if got.Turns = turns; fmt.Sprintf("%+v", plainOutcome(got)) != fmt.Sprintf("%+v", plainOutcome(want)) {
			t.Fatalf("in another order:\n%+v\nwant\n%+v\nof %+v", got, want, f)
		}
		// Threshold there and back: judged by another rule, and then from those decisions.
		there := s
		there.Threshold = 0.2
		for _, d := range there.Follow(f).Decisions {
			other.Judged[d.Round] = d
		}
		back := s.Follow(Facts{Turns: f.Turns, Acts: f.Acts, Active: f.Active, Judged: other.Judged})
		if fmt.Sprintf("%+v", plainOutcome(back)) != fmt.Sprintf("%+v", plainOutcome(want)) {
			t.Fatalf("judged again:\n%+v\nwant\n%+v", back, want)
		}
	}
}

// plainOutcome writes pointers out.
func plainOutcome(o Outcome) string {
	text := ""
	for _, d := range o.Decisions {
		text += fmt.Sprintf("round %d %v %s %d:", d.Round, d.Passed, d.Status, d.Annotators)
		for _, p := range d.Pairs {
			r := "none"
			if p.R != nil {
				r = fmt.Sprint(*p.R)
			}
			text += fmt.Sprintf(" %s-%s %s %s", p.A, p.B, r, p.Reason)
		}
	}
	o.Decisions = nil
	first := o.First != nil
	o.First = nil
	return fmt.Sprintf("%+v %v %s", o, first, text)
}
