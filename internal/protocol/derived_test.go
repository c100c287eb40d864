package protocol

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// Each case is counted by hand; weights are those of Zhang et al. 2025, Table 6, with 25 for
// a non-translation, and those of Popov et al. 2025.
func TestDerived(t *testing.T) {
	sev := func(severity string, category ...string) ErrorSpan { return target("", 0, 2, severity, category...) }
	of := func(accuracy, fluency float64, spans ...ErrorSpan) Rating {
		return Rating{Scores: map[string]float64{"accuracy": accuracy, "fluency": fluency}, Spans: spans}
	}
	tests := []struct {
		name, protocol string
		settings       []string
		rating         Rating
		want           string // of Values
	}{
		{"SQM", "sqm", nil, Rating{Scores: map[string]float64{"sqm": 3}}, "sqm=3"},
		{"ESA without errors", "esa", nil, Rating{Scores: map[string]float64{"score": 100}}, "score=100 mqm=0"},
		// 2 major at 5, 3 minor at 1, one of them missing punctuation.
		{"ESA", "esa", nil, Rating{Scores: map[string]float64{"score": 48}, Spans: []ErrorSpan{
			sev("major"), sev("minor"), sev("major"), sev("minor"), target("", 20, 20, "minor", "", "missing punctuation"),
		}}, "score=48 mqm=13"},
		{"ESA not scored yet", "esa", nil, rating(sev("major")), "mqm=5"},
		{"MQM without errors", "mqm", nil, Rating{NoErrors: true}, "mqm=0"},
		// 5 + 1 + 0.1 + 0
		{"MQM", "mqm", nil, rating(sev("major", "Accuracy", "Omission"), sev("minor", "Style", "Awkward"), sev("minor", "Fluency", "Punctuation"), sev("neutral", "Other")), "mqm=6.1"},
		{"minor punctuation, three times", "mqm", nil, rating(sev("minor", "Fluency", "Punctuation"), sev("minor", "Fluency", "Punctuation"), sev("minor", "Fluency", "Punctuation")), "mqm=0.3"},
		{"major punctuation", "mqm", nil, rating(sev("major", "Fluency", "Punctuation")), "mqm=5"},
		{"neutral punctuation", "mqm", nil, rating(sev("neutral", "Fluency", "Punctuation")), "mqm=0"},
		{"weights are found whatever the case", "mqm", nil, rating(sev("Minor", "fluency", "punctuation")), "mqm=0.1"},
		{"non-translation", "mqm", nil, rating(target("", 0, 20, "major", "Non-translation")), "mqm=25"},
		{"minor non-translation, imported", "mqm", nil, rating(target("", 0, 20, "minor", "Non-translation")), "mqm=1"},
		{"source errors", "mqm", nil, rating(source("", 0, 2, "major", "Source error"), source("", 4, 6, "minor", "Source error"), sev("minor", "Other")), "mqm=1"},
		{"source errors by severity", "mqm", []string{"source_error=severity"}, rating(source("", 0, 2, "major", "Source error"), source("", 4, 6, "minor", "Source error"), sev("minor", "Other")), "mqm=7"},
		{"creative reinterpretation", "mqm", nil, rating(sev("major", "Accuracy", "Creative reinterpretation"), sev("minor", "Accuracy", "Mistranslation")), "mqm=1"},
		{"critical, not enabled", "mqm", nil, rating(sev("critical", "Accuracy", "Mistranslation")), "mqm=0"},
		{"critical", "mqm", []string{"critical=yes"}, rating(sev("critical", "Accuracy", "Mistranslation"), sev("critical", "Fluency", "Punctuation")), "mqm=50"},
		{"omissions in the source count", "mqm", nil, rating(source("", 4, 6, "major", "Accuracy", "Omission")), "mqm=5"},
		{"RATE without errors", "rate", nil, of(100, 100), "accuracy=100 fluency=100 rate=0 rate_mqm=0 rate_esa=100"},
		// rate 1+2+3+4+5 = 15; rate_mqm 5·2 + 1·2, severity 1 is free; (70+85)/2.
		{"RATE", "rate", nil, of(70, 85, sev("1", "Style"), sev("2", "Grammar"), sev("3", "Fluency"), sev("4", "Omission"), sev("5", "Mistranslation")), "accuracy=70 fluency=85 rate=15 rate_mqm=12 rate_esa=77.5"},
		{"RATE missing punctuation", "rate", nil, of(98, 95, target("", 2, 2, "2", "Grammar", "missing punctuation")), "accuracy=98 fluency=95 rate=2 rate_mqm=1 rate_esa=96.5"},
		{"RATE without fluency", "rate", nil, Rating{Scores: map[string]float64{"accuracy": 70}, Spans: []ErrorSpan{sev("4", "Omission")}}, "accuracy=70 rate=4 rate_mqm=5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for _, v := range campaignOf(t, tt.protocol, tt.settings...).Values(tt.rating) {
				if got != "" {
					got += " "
				}
				got += v.Name + "=" + strconv.FormatFloat(v.Score, 'g', -1, 64)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestHumanScores(t *testing.T) {
	// The gate's score is the first.
	want := map[string][]HumanScore{
		"sqm":  {{"sqm", "sqm"}},
		"esa":  {{"esa", "score"}, {"mqm", "mqm"}},
		"mqm":  {{"mqm", "mqm"}},
		"rate": {{"rate-esa", "rate_esa"}, {"rate-accuracy", "accuracy"}, {"rate-fluency", "fluency"}, {"rate", "rate"}, {"rate-mqm", "rate_mqm"}},
	}
	for id, list := range want {
		if got := lookup(t, id).HumanScores(); !slices.Equal(got, list) {
			t.Errorf("%s: got %v, want %v", id, got, list)
		}
	}
}

// TestHuman: what counts errors changes its sign, and no sign is left on 0.
func TestHuman(t *testing.T) {
	r := Rating{Scores: map[string]float64{"accuracy": 70, "fluency": 85}, Spans: []ErrorSpan{target("", 0, 2, "4", "Omission"), target("", 0, 2, "2", "Grammar")}}
	rate := campaignOf(t, "rate")
	for score, want := range map[string]float64{"accuracy": 70, "fluency": 85, "rate": -6, "rate_mqm": -6, "rate_esa": 77.5} {
		if got, ok := rate.Human(score, r); !ok || got != want {
			t.Errorf("%s: %v %v, want %v", score, got, ok, want)
		}
	}
	if _, ok := rate.Human("rate_esa", Rating{Scores: map[string]float64{"fluency": 85}}); ok {
		t.Error("a mean is there with one of two scores")
	}
	if _, ok := rate.Human("sqm", r); ok {
		t.Error("RATE has a score sqm")
	}
	if got, ok := rate.GateScore(r); !ok || got != 77.5 {
		t.Errorf("the gate of RATE compares %v %v, want 77.5", got, ok)
	}
	mqm := campaignOf(t, "mqm")
	if got, ok := mqm.GateScore(rating(target("", 0, 2, "major", "Other"))); !ok || got != -5 {
		t.Errorf("the gate of MQM compares %v %v, want -5", got, ok)
	}
	for _, r := range []Rating{{NoErrors: true}, rating(target("", 0, 2, "neutral", "Other"))} {
		if got, ok := mqm.GateScore(r); !ok || got != 0 || math.Signbit(got) {
			t.Errorf("%+v: %v %v, want 0", r, got, ok)
		}
	}
	if _, ok := campaignOf(t, "esa").GateScore(rating(target("", 0, 2, "major"))); ok {
		t.Error("ESA has a gate score without a score")
	}
}

func TestSum(t *testing.T) {
	tests := []struct {
		xs   []float64
		want float64
	}{
		{nil, 0},
		{[]float64{0.1, 0.1, 0.1}, 0.3},
		{[]float64{0.1, 0.2}, 0.3},
		{[]float64{1e16, 1, -1e16}, 1},
		{[]float64{0.7, 0.1, -0.8}, 0},
		{[]float64{5, 1, 0.1, 0.1}, 6.2},
		{[]float64{25, 0}, 25},
	}
	for _, tt := range tests {
		if got := Sum(tt.xs); got != tt.want || math.Signbit(got) {
			t.Errorf("Sum(%v) = %v, want %v", tt.xs, got, tt.want)
		}
	}
	many := slices.Repeat([]float64{1 << 40}, 1<<13)
	if got := Sum(append(many, 1, -1<<40, 1)); got != 1<<53-1<<40+2 {
		t.Errorf("a long sum of large numbers is %v", got)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := Sum([]float64{1, x}); !math.IsNaN(got) {
			t.Errorf("1 + %v is %v, want NaN", x, got)
		}
	}
}

// TestMeanOfShares: equal means of shares are equal numbers, however many terms and annotators there are.
func TestMeanOfShares(t *testing.T) {
	means := map[string]float64{}
	for terms := 1; terms <= 12; terms++ {
		for a := 0; a <= terms; a++ {
			for b := 0; b <= terms; b++ {
				for c := -1; c <= terms; c++ { // -1: two annotators
					rendered, shares := a+b, []float64{float64(a) / float64(terms), float64(b) / float64(terms)}
					if c >= 0 {
						rendered, shares = rendered+c, append(shares, float64(c)/float64(terms))
					}
					of := big.NewRat(int64(rendered), int64(terms*len(shares)))
					want, _ := of.Float64()
					got := Mean(shares)
					if was, ok := means[of.String()]; got != want || ok && got != was {
						t.Fatalf("the mean of %v is %v, want %v, or %v as before", shares, got, want, was)
					}
					means[of.String()] = got
				}
			}
		}
	}
	for _, x := range []float64{1.0 / 3, 2.0 / 7, -5.0 / 6, 1e-20 / 3, math.Pi * 1e300} {
		if got := Mean([]float64{x, x, x}); got != x {
			t.Errorf("the mean of three times %v is %v", x, got)
		}
	}
	if got := Mean(nil); !math.IsNaN(got) {
		t.Errorf("the mean of nothing is %v", got)
	}
}

// TestSumIsExact compares with decimal arithmetic, and in every order.
func TestSumIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 2000 {
		xs := make([]float64, rng.IntN(12))
		exact := new(big.Rat)
		for i := range xs {
			text := fmt.Sprintf("%d.%0*d", rng.IntN(2000)-1000, 1+rng.IntN(6), rng.IntN(10))
			if rng.IntN(3) == 0 {
				text = strconv.Itoa(rng.IntN(100))
			}
			term, _ := new(big.Rat).SetString(text)
			exact.Add(exact, term)
			xs[i], _ = strconv.ParseFloat(text, 64)
		}
		want, _ := exact.Float64()
		if got := Sum(xs); got != want {
			t.Fatalf("Sum(%v) = %v, want %v", xs, got, want)
		}
		rng.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
		if got := Sum(xs); got != want {
			t.Fatalf("shuffled: Sum(%v) = %v, want %v", xs, got, want)
		}
	}
}
