package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/report"
)

// simulated is a RATE campaign whose tables are known beforehand. Six systems, named
// by their weakness in accuracy i = 0, 1, 2 and in fluency j = 0, 2, translate
// segments of four domains. A translation of segment k has
//
//	a = i + (k mod 2) semantic errors, accuracy 100 - 10a
//	f = j + (k/2 mod 2) other errors, fluency 100 - 10f
//
// so that a is 0, 1, 2, 3 in 1, 2, 2, 1 of 6 ratings, f is 0 to 3 equally often, and
// both are independent. The first semantic error is a Mistranslation of severity 5,
// the rest are Omissions of severity 3; of the others the first is of Fluency and
// severity 2, the rest of Grammar and severity 1.
//
// A rating in domain d = 0 to 3 takes 60(d+1) seconds, or 10 less or more, in turn.
func simulated(segments int) campaign.Campaign {
	rules, _ := protocol.Lookup("rate")
	return campaign.Campaign{ID: "c", Slug: "simulated", Title: "Simulated", Protocol: "rate", Rules: rules, SourceLang: "en", TargetLang: "ru", Settings: campaign.DefaultSettings(rules)}
}

var simulatedDomains = []string{"literary", "news", "social", "speech"}

const errorLength = 4 // of each marked error; they stand one after the other

func simulatedSegments(n int) (out []campaign.Segment) {
	for k := range n {
		domain := k * 4 / n
		s := campaign.Segment{DocID: fmt.Sprintf("d%d", k/10), SegmentID: fmt.Sprintf("s%d", k), Domain: simulatedDomains[domain],
			SourceLang: "en", TargetLang: "ru", Source: strings.Repeat("x", 100), Status: campaign.Ungated, Round: 1}
		for i := range 3 {
			for _, j := range []int{0, 2} {
				r := campaign.Rating{Rating: errorful(i+k%2, j+k/2%2), Annotator: "ann", Round: 1, Seconds: float64(60*(domain+1) + 10*(k%3-1))}
				s.Translations = append(s.Translations, campaign.Translation{System: fmt.Sprintf("a%d-f%d", i, j), Text: strings.Repeat("y", 100), Ratings: []campaign.Rating{r}})
			}
		}
		out = append(out, s)
	}
	return out
}

// errorful is a rating with so many semantic errors, and others.
func errorful(semantic, other int) protocol.Rating {
	r := protocol.Rating{Scores: map[string]float64{"accuracy": float64(100 - 10*semantic), "fluency": float64(100 - 10*other)}, NoErrors: semantic+other == 0}
	mark := func(side protocol.Side, severity, category string) {
		at := errorLength * 2 * len(r.Spans)
		r.Spans = append(r.Spans, protocol.ErrorSpan{ID: fmt.Sprint(len(r.Spans)), Side: side, Start: at, End: at + errorLength, Severity: severity, Category: category})
	}
	for i := range semantic {
		if i == 0 {
			mark(protocol.Target, "5", "Mistranslation")
		} else {
			mark(protocol.Source, "3", "Omission")
		}
	}
	for i := range other {
		if i == 0 {
			mark(protocol.Target, "2", "Fluency")
		} else {
			mark(protocol.Target, "1", "Grammar")
		}
	}
	return r
}

func TestTablesOfTheRATEPaper(t *testing.T) {
	const segments = 240
	r := compute(t, report.Input{Campaign: simulated(segments), Segments: all(simulatedSegments(segments)), Options: report.Options{Now: now, Resamples: 100}})
	c := newChecker(t, r)

	// Table 2: medians of t-10, t, t+10; of all, between 130 and 170.
	for d, domain := range simulatedDomains {
		c.want("time", domain, "Median (s)", float64(60*(d+1)))
	}
	c.want("time", "All", "Median (s)", 150)

	// Table 3: E[a] = E[f] = 3/2; a > 0 in 5/6, f > 0 in 3/4.
	c.want("errors-systems", "All", "Errors a rating|All", 3)
	c.want("errors-systems", "All", "Errors a rating|Majors", 5.0/6)
	c.want("errors-systems", "All", "Errors a rating|Minors", 3.0/2-5.0/6+3.0/4)
	for severity, want := range map[string]float64{"5 Critical": 5.0 / 6, "4 Serious": 0, "3 Moderate": 3.0/2 - 5.0/6, "2 Slight": 3.0 / 4, "1 Negligible": 3.0/2 - 3.0/4} {
		c.want("errors-systems", "All", "Errors a rating|"+severity, want)
	}
	c.want("errors-systems", "All", "Faultless", 1.0/6*1/4)

	// Tables 4 and 5: means by system, and clusters. Systems with the same i have the
	// same accuracies, those with another differ in half of them.
	for i := range 3 {
		for _, j := range []int{0, 2} {
			name := fmt.Sprintf("a%d-f%d", i, j)
			accuracy, fluency := 100-10*(float64(i)+0.5), 100-10*(float64(j)+0.5)
			c.want("systems-rate-accuracy", name, "Mean", accuracy)
			c.want("systems-rate-accuracy", name, "Cluster", float64(i+1))
			c.want("systems-rate-fluency", name, "Mean", fluency)
			c.want("systems-rate-fluency", name, "Cluster", float64(j/2+1))
			c.want("systems-rate-esa", name, "Mean", (accuracy+fluency)/2)
			// The mean over both values of each number of errors of what these cost.
			cost := func(first, more float64, n int) float64 {
				return (first*float64(min(n, 1)) + more*float64(max(n-1, 0)) + first + more*float64(n)) / 2
			}
			c.want("systems-rate", name, "Mean", -cost(5, 3, i)-cost(2, 1, j))
			c.want("systems-rate-mqm", name, "Mean", -cost(5, 1, i)-cost(1, 0, j))
		}
	}
	// Equal means share a rank: 85, 85 | 75, 75 | 75, 65 of ESA are checked by hand:
	// a0-f0 95, a1-f0 90, a0-f2 and a2-f0 85, a1-f2 80, a2-f2 75.
	for name, rank := range map[string]float64{"a0-f0": 1, "a1-f0": 2, "a0-f2": 3, "a2-f0": 3, "a1-f2": 5, "a2-f2": 6} {
		c.want("systems-rate-esa", name, "Rank", rank)
	}

	// Tables 6 and 9.
	for row, want := range map[string][2]float64{ // errors a rating, mean severity
		"Semantic|Mistranslation":           {5.0 / 6, 5},
		"Semantic|Omission":                 {3.0/2 - 5.0/6, 3},
		"Semantic|Overtranslation":          {0, math.NaN()},
		"Semantic|overall Semantic":         {3.0 / 2, (5*5.0/6 + 3*(3.0/2-5.0/6)) / (3.0 / 2)},
		"Non-semantic|Fluency":              {3.0 / 4, 2},
		"Non-semantic|Grammar":              {3.0 / 4, 1},
		"Non-semantic|overall Non-semantic": {3.0 / 2, 3.0 / 2},
		"Other|Other":                       {0, math.NaN()},
	} {
		c.want("errors-categories", row, "Errors a rating", want[0])
		c.want("errors-categories", row, "Mean severity", want[1])
	}

	// Table 10: a is accuracy turned round, f is fluency; both are independent.
	for row, want := range map[string][2]float64{"Semantic|overall Semantic": {-1, 0}, "Non-semantic|overall Non-semantic": {0, -1}} {
		for k, score := range []string{"Accuracy", "Fluency"} {
			c.want("errors-correlation", row, score+"|τ", want[k])
			p := 1.0
			if want[k] != 0 {
				p = 0
			}
			c.want("errors-correlation", row, score+"|p", p)
		}
	}
	c.want("errors-correlation", "Other|Other", "Accuracy|τ", math.NaN())
	c.want("errors-correlation", "Other|Other", "Accuracy|p", math.NaN())

	// Figure 1: from 80 on a is 0, 1, 2 in 1, 2, 2 of 5 and costs 0, 5, 8; f is as it
	// was and costs 0, 2, 3, 4. From 75 on it is the same; nothing is above 100.
	rate := -(2.0/5*5 + 2.0/5*8) - (2.0+3+4)/4
	c.want("figure thresholds", "80", "Accuracy at least|RATE", rate)
	c.want("figure thresholds", "75", "Accuracy at least|RATE", rate)
	c.want("figure thresholds", "100", "Accuracy at least|RATE", -9.0/4)
	c.want("figure thresholds", "80", "Accuracy at least|Ratings", segments*6*5/6)
	c.want("figure thresholds", "100", "Fluency at least|RATE MQM", -(2.0/6*5 + 2.0/6*6 + 1.0/6*7))

	// Figure 3: accuracies of 70, 80, 90, 100 in 1, 2, 2, 1 of 6.
	for bin, share := range map[string]float64{"70 to <75": 1.0 / 6, "75 to <80": 0, "80 to <85": 2.0 / 6, "90 to <95": 2.0 / 6, "95 to 100": 1.0 / 6} {
		c.want("figure scores-rate-accuracy", bin, "ann", share*segments*6)
	}
}

// Table 7: a second annotator sees the first error of each kind alone, one character
// further on, and marks nothing else.
func TestOverlapOfTheRATEPaper(t *testing.T) {
	const segments = 8
	data := simulatedSegments(segments)
	var share, n float64 // of ann's errors that bob saw
	for k := range data {
		for i := range data[k].Translations {
			tr := &data[k].Translations[i]
			first := tr.Ratings[0]
			bob := first
			bob.Annotator, bob.Spans = "bob", nil
			for _, s := range first.Spans {
				if s.Category == "Mistranslation" || s.Category == "Fluency" {
					s.Start, s.End = s.Start+1, s.End+1
					bob.Spans = append(bob.Spans, s)
				}
			}
			n++
			if len(first.Spans) == 0 {
				share++
			} else {
				share += float64(len(bob.Spans)) / float64(len(first.Spans))
			}
			tr.Ratings = append(tr.Ratings, bob)
		}
	}
	r := compute(t, report.Input{Campaign: simulated(segments), Segments: all(data), Options: report.Options{Resamples: 10}})
	c := newChecker(t, r)
	c.want("span-overlap", "bob", "B|ann", share/n)
	c.want("span-overlap", "ann", "B|bob", 1)
	// Of 4 characters 3 are shared: matches up to 0.7, none from 0.8 on. bob marks
	// 5/6 + 3/4 errors a rating, ann 3.
	bob, ann := (5.0/6 + 3.0/4), 3.0
	for threshold, hit := range map[string]float64{"0.1": 1, "0.7": 1, "0.8": 0, "1": 0} {
		c.want("figure spans-precision", threshold, "bob", hit)
		c.want("figure spans-recall", threshold, "bob", hit*bob/ann)
		c.want("figure spans-f1", threshold, "bob", hit*2*bob/(bob+ann))
		c.want("figure spans-precision", threshold, "ann", hit*bob/ann)
	}
}
