package command

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/readmodel"
)

// The figures of checks are printed in both forms; without checks neither has a word of them.
func TestAgreementHasChecks(t *testing.T) {
	work, rule := []float64{3, 3, 3, 3, 3, 3}, campaign.CheckRule{Margin: 1, Tolerance: 0.5, High: 4, Step: 1}
	var items []campaign.CheckItem
	for i := range 20 {
		text := strconv.Itoa(i)
		items = append(items, campaign.CheckItem{Kind: campaign.DegradedCheck, Score: 3, Against: 3, Document: text, Source: text, Original: text})
	}
	c, r := crowd(t, 2)
	facts := api.AgreementFacts{Report: r, Checks: []readmodel.AnnotatorChecks{
		{Login: "ann", Results: campaign.JudgeChecks(work, items, rule, 0.05)},
		{Login: "bob", Results: campaign.JudgeChecks(work, nil, rule, 0.05), Open: 1},
	}}
	var text, written strings.Builder
	a := &App{Stdout: &text}
	for _, err := range []error{a.writeAgreementText(c, facts, false), api.WriteJSON(&written, facts.JSON(c))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := "ann        degraded  20     0       2.5        20         0                 1.0000  0.0000     yes\n"; !strings.Contains(text.String(), want) || strings.Contains(text.String(), "bob  ") {
		t.Errorf("got\n%s\nwant %q", text.String(), want)
	}
	if want := `"checks":[{"annotator":"ann","kind":"all","taken":20,"passed":0,"expected":2.5,"p":1,"documents":20,"documents_passed":0,"careful":1.0995116277760013e-8,"enough":true,"flag":false},` +
		`{"annotator":"ann","kind":"degraded","taken":20,"passed":0,"expected":2.5,"p":1,"documents":20,"documents_passed":0,"careful":1.0995116277760013e-8,"enough":true,"flag":true}]`; !strings.Contains(written.String(), want) || !json.Valid([]byte(written.String())) {
		t.Errorf("got\n%s\nwant %s", written.String(), want)
	}
	text.Reset()
	written.Reset()
	none := api.AgreementFacts{Report: r}
	for _, err := range []error{a.writeAgreementText(c, none, false), api.WriteJSON(&written, none.JSON(c))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(strings.ToLower(text.String()), "checks") || strings.Contains(written.String(), `"checks"`) {
		t.Errorf("without checks\n%s\n%s", text.String(), written.String())
	}
}
