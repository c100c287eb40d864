package campaign

import (
	"math"
	"slices"
	"testing"

	"annotate/internal/protocol"
)

func lookup(t *testing.T, id string) *protocol.Protocol {
	t.Helper()
	p, ok := protocol.Lookup(id)
	if !ok {
		t.Fatalf("no protocol %s", id)
	}
	return p
}

// rateRating is a rating under rate with errors of the given severities.
func rateRating(login string, round int, accuracy, fluency float64, severities ...string) Rating {
	r := Rating{Annotator: login, Round: round, Rating: protocol.Rating{Scores: map[string]float64{"accuracy": accuracy, "fluency": fluency}}}
	for _, s := range severities {
		r.Spans = append(r.Spans, protocol.ErrorSpan{Side: protocol.Target, End: 1, Severity: s, Category: "Grammar"})
	}
	return r
}

func TestMean(t *testing.T) {
	if _, ok := Mean(nil); ok {
		t.Error("the mean of nothing is defined")
	}
	// 0.1 + 0.2 added as floats is 0.30000000000000004.
	if got, _ := Mean([]float64{0.1, 0.2}); got != 0.15 {
		t.Errorf("got %v, want 0.15", got)
	}
}

func TestHumanGold(t *testing.T) {
	p := lookup(t, "rate")
	// Round 1 does not count. Round 2: lin gives 80/61 with a 2 and a 5, mara 71/60
	// with a 1. The means of the latest round:
	//   rate      lin 7, mara 1: mean 4
	//   rate_mqm  lin 1 + 5 = 6, mara 0: mean 3
	//   rate_esa  lin 70.5, mara 65.5: mean 68
	translation := Translation{System: "A", Ratings: []Rating{
		rateRating("lin", 1, 0, 0), rateRating("mara", 1, 0, 0),
		rateRating("lin", 2, 80, 61, "2", "5"), rateRating("mara", 2, 71, 60, "1"),
	}}
	entered := translation
	entered.Gold = &Gold{Score: 90, Adjudicated: true, Entered: true}
	accepted := translation
	accepted.Gold = &Gold{Score: 68, Adjudicated: true}
	unrated := Translation{System: "B", Gold: &Gold{Score: 12, Adjudicated: true, Entered: true}}
	type want struct {
		score   string
		gold    float64
		entered bool
		ok      bool
	}
	for _, tt := range []struct {
		name   string
		status Status
		round  int
		t      Translation
		want   []want
	}{
		{"agreed", Agreed, 2, translation, []want{{"rate_esa", 68, false, true}, {"rate", -4, false, true}, {"rate_mqm", -3, false, true}, {"accuracy", 75.5, false, true}, {"fluency", 60.5, false, true}, {"sqm", 0, false, false}}},
		{"entered", Adjudicated, 2, entered, []want{{"rate_esa", 90, true, true}, {"rate", -4, false, true}}},
		{"accepted", Adjudicated, 2, accepted, []want{{"rate_esa", 68, false, true}}},
		{"entered for what nobody rated", Adjudicated, 2, unrated, []want{{"rate_esa", 12, true, true}, {"rate", 0, false, false}}},
		{"second round under way", Reannotate, 2, translation, []want{{"rate_esa", 0, false, false}}},
		{"discarded", Discarded, 2, entered, []want{{"rate_esa", 0, false, false}}},
		{"without an error", Ungated, 1, translation, []want{{"rate", 0, false, true}}},
	} {
		s := Segment{Status: tt.status, Round: tt.round}
		for _, w := range tt.want {
			gold, entered, ok := HumanGold(p, w.score, s, tt.t)
			if gold != w.gold && ok || entered != w.entered || ok != w.ok || math.Signbit(gold) && gold == 0 {
				t.Errorf("%s, %s: got %v %v %v, want %+v", tt.name, w.score, gold, entered, ok, w)
			}
		}
	}
}

func TestCompleteRound(t *testing.T) {
	for status, want := range map[Status]int{Pending: 0, Reannotate: 1, Withdrawn: 1, Agreed: 3, BelowThreshold: 3, Ungated: 3, Adjudicated: 3, Discarded: 3} {
		if got := CompleteRound(Segment{Status: status, Round: 3, Complete: 1}); got != want {
			t.Errorf("%s in round 2: got %d, want %d", status, got, want)
		}
	}
}

// The mean that a lead accepted is of those who gave it, whoever has rated since.
func TestGoldOfAcceptedMean(t *testing.T) {
	tr := Translation{System: "x", Ratings: []Rating{{Annotator: "a", Round: 1}, {Annotator: "b", Round: 1}, {Annotator: "c", Round: 1}, {Annotator: "a", Round: 2}}}
	var got []string
	for _, r := range GoldRatings(Segment{Status: Adjudicated, Round: 1, MeanOf: []string{"a", "c"}}, tr) {
		got = append(got, r.Annotator)
	}
	if !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("gold is formed from %v, want a and c", got)
	}
	if by := tr.Ratings[1].Annotator; by != "b" {
		t.Errorf("gold of a mean changed the ratings: the second is by %s", by)
	}
	if got := GoldRatings(Segment{Status: Discarded, Round: 1, MeanOf: []string{"a"}}, tr); got != nil {
		t.Errorf("gold of a discarded segment is formed from %v", got)
	}
}
