package campaign

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// rounds are written as one string each: the annotators who submitted, in lower
// case with the scores of the family they belong to ("up" scores for a to m, the
// opposite for n to z), a dot for each who is still at it, "!" if it is begun, and
// a digit: how many it was decided with.
func rounds(t *testing.T, written ...string) []RoundHistory {
	t.Helper()
	var out []RoundHistory
	for _, w := range written {
		var r RoundHistory
		for _, c := range w {
			switch {
			case c == '.':
				r.Open++
			case c == '!':
				r.Begun = true
			case c >= '0' && c <= '9':
				r.DecidedWith = int(c - '0')
			case c <= 'm':
				r.Vectors = append(r.Vectors, vector(string(c), 0, 1, 2, 3, 4))
			default:
				r.Vectors = append(r.Vectors, vector(string(c), 4, 3, 2, 1, 0))
			}
		}
		r.Begun = r.Begun || len(r.Vectors) > 0
		out = append(out, r)
	}
	return out
}

func TestReform(t *testing.T) {
	tests := []struct {
		name     string
		settings []string
		rounds   []string
		reopened int
		ruling   Status
		status   Status
		round    int
		start    bool
		decided  int
	}{
		{"nothing yet", nil, nil, 0, "", Pending, 1, false, 0},
		{"one of two", nil, []string{"a"}, 0, "", Pending, 1, false, 0},
		{"two, a third at it", nil, []string{"ab."}, 0, "", Pending, 1, false, 0},
		{"agreed", nil, []string{"ab"}, 0, "", Agreed, 1, false, 1},
		{"failed", nil, []string{"az"}, 0, "", Reannotate, 2, true, 1},
		{"failed, given again", nil, []string{"az", ".."}, 0, "", Reannotate, 2, false, 1},
		{"second look half done", nil, []string{"az", "a."}, 0, "", Reannotate, 2, false, 1},
		{"second look agreed", nil, []string{"az", "ab"}, 0, "", Agreed, 2, false, 2},
		{"second look failed", nil, []string{"az", "az"}, 0, "", Discarded, 2, false, 2},
		{"third look to come", []string{"rounds=3"}, []string{"az", "az"}, 0, "", Reannotate, 3, true, 2},
		{"third look agreed", []string{"rounds=3"}, []string{"az", "az", "ab"}, 0, "", Agreed, 3, false, 3},
		{"third look failed", []string{"rounds=3"}, []string{"az", "az", "az"}, 0, "", Discarded, 3, false, 3},

		{"an annotator added to the first round", nil, []string{"ab2."}, 0, "", Pending, 1, false, 0},
		{"added and submitted, of another opinion", nil, []string{"abz2"}, 0, "", Reannotate, 2, true, 1},
		{"added to the second", nil, []string{"az2", "ab2."}, 0, "", Reannotate, 2, false, 1},
		{"one of two set aside", nil, []string{"a2"}, 0, "", Pending, 1, false, 0},
		{"one of two set aside, a second look under way", nil, []string{"a2", "."}, 0, "", Pending, 1, false, 0},
		{"one of three set aside", []string{"redundancy=2"}, []string{"ab3"}, 0, "", Agreed, 1, false, 1},
		{"redundancy raised", []string{"redundancy=3"}, []string{"ab2"}, 0, "", Agreed, 1, false, 1},
		{"redundancy raised before", []string{"redundancy=3"}, []string{"ab"}, 0, "", Pending, 1, false, 0},
		{"imported alone", nil, []string{"a1"}, 0, "", Ungated, 1, false, 1},
		{"imported alone and set aside", nil, []string{"1"}, 0, "", Pending, 1, false, 0},
		{"all of a second look are out, others gave the first", nil, []string{"az2", ""}, 0, "", Reannotate, 2, true, 1},
		{"one is left of a second look", nil, []string{"az2", "a2"}, 0, "", Reannotate, 2, true, 1},
		{"one is left, and nobody else to ask", nil, []string{"a1", "a2"}, 0, "", Ungated, 2, false, 2},
		{"replaced by nobody", nil, []string{"az2", "a"}, 0, "", Ungated, 2, false, 2},

		{"threshold lowered, second look not begun", []string{"threshold=-1"}, []string{"az2", ".."}, 0, "", Agreed, 1, false, 1},
		{"threshold lowered, second look begun", []string{"threshold=-1"}, []string{"az2", "..!"}, 0, "", Reannotate, 2, false, 1},
		{"threshold lowered, second look done", []string{"threshold=-1"}, []string{"az2", "az2"}, 0, "", Agreed, 2, false, 2},
		{"threshold raised", []string{"threshold=1"}, []string{"ab2"}, 0, "", Agreed, 1, false, 1},
		{"gate off, second look not begun", []string{"gate=off"}, []string{"az2", ".."}, 0, "", Ungated, 1, false, 1},
		{"gate only reported, discarded before", []string{"gate=report"}, []string{"az2", "az2"}, 0, "", Ungated, 2, false, 2},
		{"fewer rounds, second look not begun", []string{"rounds=1"}, []string{"az2", ".."}, 0, "", Discarded, 1, false, 1},
		{"fewer rounds, second look begun", []string{"rounds=1"}, []string{"az2", "a."}, 0, "", Reannotate, 2, false, 1},
		{"fewer rounds, second look agreed", []string{"rounds=1"}, []string{"az2", "ab2"}, 0, "", Agreed, 2, false, 2},

		{"reopened though agreed", nil, []string{"ab2"}, 2, "", Reannotate, 2, true, 1},
		{"reopened, agreed again", nil, []string{"ab2", "ab"}, 2, "", Agreed, 2, false, 2},
		{"reopened after discarding", nil, []string{"az2", "az2"}, 3, "", Reannotate, 3, true, 2},
		{"reopened, failed again", nil, []string{"az2", "az2", "az"}, 3, "", Discarded, 3, false, 3},
		{"adjudicated", nil, []string{"az2", ".."}, 0, Adjudicated, Adjudicated, 7, false, 0},
		{"adjudicated, threshold lowered", []string{"threshold=-1"}, []string{"az2"}, 0, Adjudicated, Adjudicated, 7, false, 0},
		{"discarded by a lead", []string{"threshold=-1"}, []string{"ab2"}, 0, Discarded, Discarded, 7, false, 0},
		{"withdrawn", nil, []string{"ab"}, 0, Withdrawn, Withdrawn, 7, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := History{Rounds: rounds(t, tt.rounds...), Ruling: tt.ruling, Reopened: tt.reopened, Round: 7}
			o := sqmSettings(t, tt.settings...).Reform(h)
			if o.Status != tt.status || o.Round != tt.round || o.Start != tt.start || len(o.Decisions) != tt.decided {
				t.Errorf("got %+v, want %s in round %d, start %v, %d decisions", o, tt.status, tt.round, tt.start, tt.decided)
			}
			for i, d := range o.Decisions {
				want := Reannotate // what followed from it
				if i == len(o.Decisions)-1 && o.Status != Reannotate {
					want = o.Status
				}
				if d.Round != i+1 || d.Status != want {
					t.Errorf("decision %d is of round %d, %s, want %s", i, d.Round, d.Status, want)
				}
			}
		})
	}
}

// A decision says from how many it was formed, and by which rule.
func TestReformInputs(t *testing.T) {
	s := sqmSettings(t, "threshold=0.9", "tolerance=0.25")
	d := s.Reform(History{Rounds: rounds(t, "abc")}).Decisions[0]
	if d.Annotators != 3 || d.Gate != "on" || d.Threshold != 0.9 || d.Tolerance != 0.25 || len(d.Pairs) != 3 {
		t.Errorf("decision %+v", d)
	}
	for _, p := range d.Pairs {
		if p.MeanAbsDiff == nil || *p.MeanAbsDiff != 0 {
			t.Errorf("pair %+v, want its difference", p)
		}
	}
}

// Who submits late changes no decision; where the others are too few they are heard.
func TestLate(t *testing.T) {
	for _, tt := range []struct {
		name    string
		round   string // as rounds writes it
		late    string
		status  Status
		decided int // annotators of the decision; 0: none
	}{
		{"agreed, and one who does not", "ab2", "z", Agreed, 2},
		{"failed, and one more", "az2", "b", Reannotate, 2},
		{"one left, and one who agrees", "a2", "b", Agreed, 2},
		{"one left, and one who does not", "a2", "z", Reannotate, 2},
		{"nobody left but one", "2", "a", Pending, 0},
		{"another one is at it", "ab.2", "z", Pending, 0},
	} {
		h := History{Rounds: rounds(t, tt.round)}
		h.Rounds[0].Late = rounds(t, tt.late)[0].Vectors
		o := Settings{Redundancy: 2, Rounds: 2, Gate: "on", Threshold: 0.7}.Reform(h)
		got := 0
		if len(o.Decisions) > 0 {
			got = o.Decisions[0].Annotators
		}
		if o.Status != tt.status || got != tt.decided {
			t.Errorf("%s: %s, decided from %d; want %s from %d", tt.name, o.Status, got, tt.status, tt.decided)
		}
	}
}

func TestLastComplete(t *testing.T) {
	s := sqmSettings(t)
	for _, tt := range []struct {
		rounds []string
		want   int
	}{{nil, 0}, {[]string{"a"}, 0}, {[]string{"ab"}, 1}, {[]string{"az", "a."}, 1}, {[]string{"az", "az"}, 2}, {[]string{"a2", "a"}, 0}} {
		if got := s.LastComplete(History{Rounds: rounds(t, tt.rounds...), Ruling: Adjudicated}); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.rounds, got, tt.want)
		}
	}
}

// Judging the pairs of a decision by another rule gives what the ratings give.
func TestRejudge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var vectors []Vector
		for a := range 1 + r.IntN(3) {
			v := Vector{Annotator: string(rune('a' + a)), Scores: map[string]float64{}}
			for k := range 1 + r.IntN(5) {
				v.Scores[string(rune('p'+k))] = float64(r.IntN(3))
			}
			vectors = append(vectors, v)
		}
		setting := func() Settings {
			return sqmSettings(t, fmt.Sprint("threshold=", r.Float64()*2-1), fmt.Sprint("tolerance=", r.Float64()), "gate="+[]string{"on", "report", "off"}[r.IntN(3)], fmt.Sprint("rounds=", 1+r.IntN(3)))
		}
		before, after := setting(), setting()
		round := 1 + r.IntN(3)
		was := before.Decide(round, vectors)
		b, err := json.Marshal(was.Pairs)
		if err != nil {
			t.Fatal(err)
		}
		was.Pairs = nil
		if err := json.Unmarshal(b, &was.Pairs); err != nil {
			t.Fatal(err)
		}
		if !was.CanRejudge(vectors) {
			t.Fatalf("%+v can't be judged again", was)
		}
		if got, want := after.Rejudge(was), after.Decide(round, vectors); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v judged again is %+v, want %+v", was, got, want)
		}
		if other := append(slices.Clone(vectors[1:]), vector("z", 1)); len(vectors) > 1 && was.CanRejudge(other) {
			t.Fatal("the decision of others can be judged again")
		}
	}
}
