package protocol

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func upper(s string) string { return strings.ToUpper(s) }

func severityIDs(p *Protocol) string {
	var ids []string
	for _, s := range p.Spans.Severities {
		ids = append(ids, s.ID)
	}
	return strings.Join(ids, " ")
}

// mqmOf is the MQM score of errors under p.
func mqmOf(t *testing.T, p *Protocol, spans ...ErrorSpan) float64 {
	t.Helper()
	for _, v := range p.Values(rating(spans...)) {
		if v.Name == "mqm" {
			return v.Score
		}
	}
	t.Fatalf("%s has no score mqm", p.Name)
	return 0
}

func TestWithCritical(t *testing.T) {
	off, on := campaignOf(t, "mqm"), campaignOf(t, "mqm", "critical=yes")
	if got := severityIDs(off); got != "neutral minor major" {
		t.Errorf("off: %s", got)
	}
	if got := severityIDs(on); got != "neutral minor major critical" {
		t.Errorf("on: %s", got)
	}
	if v := on.Check(rating(target("a", 0, 2, "critical", "Accuracy", "Mistranslation")), texts); len(v) > 0 {
		t.Errorf("on: %v", v)
	}
}

func TestWithMaxErrors(t *testing.T) {
	spans := []ErrorSpan{target("a", 0, 2, "minor", "Other"), target("b", 0, 2, "minor", "Other")}
	for most, want := range map[int]int{0: 0, 1: 1, 2: 0} {
		if v := lookup(t, "mqm").With(Options{MaxErrors: most}).Check(rating(spans...), texts); len(v) != want {
			t.Errorf("at most %d: %v", most, v)
		}
	}
	if got := lookup(t, "esa").With(Options{MaxErrors: 1}).Spans.MaxErrors; got != 0 {
		t.Errorf("ESA is limited to %d", got)
	}
}

// TestHeeds: a campaign knows which settings its protocol takes notice of, those
// too whose effect is turned off in it.
func TestHeeds(t *testing.T) {
	for id, want := range map[string]string{"sqm": "", "esa": "", "mqm": "critical max_errors source_error", "rate": "", "inspect": "filter"} {
		for what, p := range map[string]*Protocol{"as it comes": lookup(t, id), "in a campaign": campaignOf(t, id), "in a copy": campaignOf(t, id).With(Options{})} {
			var got []string
			for _, key := range []string{"critical", "filter", "max_errors", "source_error"} {
				if p.Heeds(key) {
					got = append(got, key)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s %s heeds %q, want %q", id, what, got, want)
			}
			if !p.Heeds("redundancy") {
				t.Errorf("%s %s does not heed the redundancy", id, what)
			}
		}
	}
}

// TestHeedsGate: settings about numbers mean nothing where annotators are compared by answers, or not at all.
func TestHeedsGate(t *testing.T) {
	keys := strings.Fields("context show_reference gate rounds threshold tolerance flag_low_agreement flag_constant flag_bias flag_drift check_rate check_kinds check_margin repeat_after check_flag")
	for id, without := range map[string]string{
		"sqm": "", "rate": "",
		"inspect":   "context threshold tolerance flag_low_agreement flag_bias flag_drift check_margin",
		"review":    "context show_reference threshold tolerance flag_low_agreement flag_bias flag_drift check_margin",
		"reference": "context threshold tolerance flag_low_agreement flag_constant flag_bias flag_drift check_margin",
		"terms":     "show_reference gate rounds threshold tolerance flag_low_agreement flag_constant flag_bias flag_drift check_rate check_kinds check_margin repeat_after check_flag",
		"culture":   "show_reference",
	} {
		var got []string
		for _, key := range keys {
			if !lookup(t, id).Heeds(key) {
				got = append(got, key)
			}
		}
		if strings.Join(got, " ") != without {
			t.Errorf("%s takes no notice of %q, want %q", id, got, without)
		}
	}
}

// TestOwn: what finished ratings bring is there afterwards, and costs nothing.
func TestOwn(t *testing.T) {
	p := campaignOf(t, "mqm")
	var own Own
	steps := []struct {
		span  ErrorSpan
		added bool
	}{
		{target("a", 0, 2, "minor", "Fluency", "Spelling"), false},
		{target("b", 0, 2, "trivial", "Fluency", "Spelling"), true},
		{target("c", 0, 2, "trivial", "Fluency", "Spelling"), false},
		{target("d", 0, 2, "minor", "Wit"), true},
		{target("e", 0, 2, "minor", "Wit", "Pun"), true},
		{target("f", 0, 2, "critical", "Accuracy", "Creative reinterpretation"), true},
		{target("g", 0, 2, "minor"), false},
	}
	for _, s := range steps {
		if added := own.Add(p, s.span); added != s.added {
			t.Errorf("%s: added %v, want %v", s.span.ID, added, s.added)
		}
	}
	want := Own{Severities: []string{"trivial", "critical"}, Categories: []string{"Wit", "Wit/Pun", "Accuracy/Creative reinterpretation"}}
	if !reflect.DeepEqual(own, want) {
		t.Errorf("got %+v, want %+v", own, want)
	}
	q := lookup(t, "mqm").With(Options{Settings: map[string]string{"critical": "no"}, Own: own})
	for _, s := range steps {
		if v := q.Check(rating(s.span), texts); len(v) > 0 {
			t.Errorf("%s is refused: %v", s.span.ID, v)
		}
	}
	for i, cost := range []float64{1, 0, 0, 1, 1, 0, 1} {
		if got := mqmOf(t, q, steps[i].span); got != cost {
			t.Errorf("%s costs %v, want %v", steps[i].span.ID, got, cost)
		}
	}
	for _, s := range q.Spans.Severities {
		if s.Own != slices.Contains(own.Severities, s.ID) {
			t.Errorf("%s: own is %v", s.ID, s.Own)
		}
	}
	if again := q; own.Add(again, steps[4].span) || own.Add(again, steps[5].span) {
		t.Error("what is known already is learnt again")
	}
	// Later the lead turns critical on: it is the protocol's, once, with its weight.
	on := lookup(t, "mqm").With(Options{Settings: map[string]string{"critical": "yes"}, Own: own})
	if got := severityIDs(on); got != "neutral minor major critical trivial" {
		t.Errorf("with critical: %s", got)
	}
	if got := mqmOf(t, on, target("f", 0, 2, "critical", "Wit")); got != 25 {
		t.Errorf("critical costs %v", got)
	}
}

// TestOwnDoesNotAsk: categories of an import do not change what an annotator has
// to give.
func TestOwnDoesNotAsk(t *testing.T) {
	var own Own
	esa := campaignOf(t, "esa")
	own.Add(esa, target("a", 0, 2, "minor", "Accuracy", "Omission"))
	own.Add(esa, target("b", 20, 20, "minor", "", "missing punctuation"))
	if want := (Own{Categories: []string{"Accuracy/Omission"}}); !reflect.DeepEqual(own, want) {
		t.Errorf("got %+v, want %+v", own, want)
	}
	esa = lookup(t, "esa").With(Options{Own: own})
	r := Rating{Scores: map[string]float64{"score": 90}, Spans: []ErrorSpan{target("a", 0, 2, "minor")}}
	if got := esa.Missing(r); got != "" {
		t.Errorf("ESA asks for %s", got)
	}
	rate := lookup(t, "rate").With(Options{Own: Own{Categories: []string{"Grammar/Case"}}})
	r = Rating{Scores: map[string]float64{"accuracy": 90, "fluency": 90}, Spans: []ErrorSpan{target("a", 0, 2, "2", "Grammar")}}
	if got := rate.Missing(r); got != "" {
		t.Errorf("RATE asks for %s", got)
	}
	if v := rate.Check(rating(target("a", 0, 2, "2", "Grammar", "Case")), texts); len(v) > 0 {
		t.Errorf("RATE refuses its own subcategory: %v", v)
	}
}

// TestOwnMissingPunctuation: under another category it brings that category only.
func TestOwnMissingPunctuation(t *testing.T) {
	var own Own
	own.Add(campaignOf(t, "rate"), target("a", 2, 2, "2", "Commas", "missing punctuation"))
	if want := (Own{Categories: []string{"Commas"}}); !reflect.DeepEqual(own, want) {
		t.Errorf("got %+v, want %+v", own, want)
	}
}

// TestWithDoesNotChange: a protocol is shared by all campaigns.
func TestWithDoesNotChange(t *testing.T) {
	for _, id := range IDs() {
		before := encode(t, lookup(t, id))
		lookup(t, id).With(Options{
			Settings:  map[string]string{"critical": "no", "source_error": "severity"},
			MaxErrors: 1, Own: Own{Severities: []string{"x"}, Categories: []string{"Accuracy/Pun", "Grammar/Case", "Wit"}},
		})
		if after := encode(t, lookup(t, id)); after != before {
			t.Errorf("%s was\n%s\nand is\n%s", id, before, after)
		}
	}
}
