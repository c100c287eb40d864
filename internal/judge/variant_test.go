package judge

import (
	"errors"
	"testing"
)

// TestReferenceVariants checks that only the variants with a reference show it to the model, and that
// they refuse a task that has no reference.
func TestReferenceVariants(t *testing.T) {
	for _, method := range []string{"gemba-da", "eaprompt"} {
		m, err := Lookup(method)
		if err != nil {
			t.Fatal(err)
		}
		with := 0
		for _, variant := range append([]Variant{{}}, m.Variants...) {
			task := kang
			task.Variant = variant.Name
			x, err := m.Begin(task)
			if err != nil {
				t.Fatal(err)
			}
			calls, _ := x.Next()
			shown := []string{kang.Reference}
			if method == "eaprompt" {
				shown = append(shown, "zweiten Blumentopf") // part of the worked example
			}
			task.Reference = ""
			_, err = m.Begin(task)
			need, lacks := errors.AsType[*NeedsError](err)
			if variant.Reference {
				with++
				mustHold(t, calls[0], shown...)
				if !lacks || need.Field != "reference" {
					t.Errorf("%s %s without a reference: %v", method, variant.Name, err)
				}
				continue
			}
			mustLack(t, calls[0], shown...)
			if err != nil {
				t.Errorf("%s %s without a reference: %v", method, variant.Name, err)
			}
		}
		if with == 0 {
			t.Errorf("%s has no variant with a reference", method)
		}
	}
}

// TestVariantCalls checks the forecast of each variant of eaprompt against the calls it makes.
func TestVariantCalls(t *testing.T) {
	m, err := Lookup("eaprompt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(m.VariantNames(), "") {
		task := kang
		task.Variant = name
		x, err := m.Begin(task)
		if err != nil {
			t.Fatal(err)
		}
		made := 0
		for calls, done := x.Next(); !done; calls, done = x.Next() {
			made++
			x.Answer(calls[0], Reply{Text: map[string]string{"errors": "Major errors:\nNone\nMinor errors:\nNone\n<score>0</score>", "count": "0, 0"}[calls[0].Step]})
		}
		want, err := m.Forecast(name)
		if j := x.Judgements()[0]; err != nil || j.Status != OK || want != (Forecast{made, made, made}) {
			t.Errorf("%q made %d calls, forecast %+v, %v, %+v", name, made, want, err, j)
		}
	}
	if _, err := m.Forecast("nosuch"); err == nil {
		t.Error("there is a forecast of a variant that does not exist")
	}
}
