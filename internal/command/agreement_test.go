package command

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"
	"time"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// crowd makes a campaign with a segment that the given number of annotators have rated.
func crowd(t *testing.T, annotators int) (campaign.Campaign, campaign.AgreementReport) {
	t.Helper()
	p, _ := protocol.Lookup("esa")
	c := campaign.Campaign{Slug: "crowd", Protocol: "esa", Rules: p, Settings: campaign.DefaultSettings(p)}
	s := campaign.Rated{SegmentID: "s", Status: campaign.Ungated, Round: 1}
	for i := range annotators {
		for k := range 3 {
			s.Given = append(s.Given, campaign.Given{System: fmt.Sprint(k), Annotator: fmt.Sprintf("ann%02d", i), Round: 1, Score: float64(10*k + i)})
		}
	}
	var one iter.Seq2[campaign.Rated, error] = func(yield func(campaign.Rated, error) bool) { yield(s, nil) }
	r, err := campaign.Agreement(c, one, false)
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

// With too many annotators for matrices, only the table of pairs is printed.
func TestAgreementTextOfMany(t *testing.T) {
	for annotators, matrix := range map[int]bool{1: false, 2: true, mostColumns: true, mostColumns + 1: false} {
		var out strings.Builder
		a := &App{Stdout: &out}
		c, r := crowd(t, annotators)
		if err := a.writeAgreementText(c, api.AgreementFacts{Report: r}, false); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if got := strings.Contains(text, "System level"); got != matrix {
			t.Errorf("%d annotators: a matrix is there: %v\n%s", annotators, got, text)
		}
		if got := strings.Contains(text, "No two annotators share a segment."); got != (annotators == 1) {
			t.Errorf("%d annotators: nobody shares a segment: %v\n%s", annotators, got, text)
		}
		if got, want := strings.Count(text, "1.000      1.000"), annotators*(annotators-1)/2; got != want {
			t.Errorf("%d annotators: %d rows of pairs, want %d\n%s", annotators, got, want, text)
		}
		for line := range strings.Lines(text) {
			if strings.TrimRight(line, " \n")+"\n" != line {
				t.Errorf("%d annotators: blanks at the end of %q", annotators, line)
			}
		}
	}
}

// Both matrices list every pair once, however many there are, and lists are never null.
func TestAgreementJSONOfMany(t *testing.T) {
	for _, annotators := range []int{0, 1, 30} {
		c, r := crowd(t, annotators)
		var out strings.Builder
		if err := api.WriteJSON(&out, api.AgreementFacts{Report: r}.JSON(c)); err != nil {
			t.Fatal(err)
		}
		var read map[string]any
		if err := json.Unmarshal([]byte(out.String()), &read); err != nil {
			t.Fatal(err)
		}
		for key, n := range map[string]int{
			"annotators": annotators, "segments": 1, "system_level": annotators * max(0, annotators-1) / 2, "segment_level": annotators * max(0, annotators-1) / 2,
		} {
			list, ok := read[key].([]any)
			if !ok || len(list) != n {
				t.Errorf("%d annotators: %s has %d entries, want %d", annotators, key, len(list), n)
			}
		}
		if read["segments"].([]any)[0].(map[string]any)["pairs"] == nil {
			t.Errorf("%d annotators: pairs is null", annotators)
		}
	}
}

func TestDigits(t *testing.T) {
	for want, x := range map[string]float64{"–": math.NaN(), "0.00": -0.001, "-0.50": -0.5, "12.35": 12.346, "1.00": 1} {
		if got := digits(x, 2); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
	for want, x := range map[string]float64{"–": math.NaN(), "0.00": 0.001, "+0.50": 0.5, "-0.50": -0.5} {
		if got := signed(x); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
}

// Work that was set aside is listed even after it is restored.
func TestAgreementListsRestoredWork(t *testing.T) {
	at := time.Date(2026, 11, 22, 7, 44, 0, 0, time.UTC)
	var out strings.Builder
	a := &App{Stdout: &out}
	err := a.writeInterventions(campaign.Interventions{SetAside: []campaign.SetAside{
		{Annotator: "carl", Ratings: 32, At: at, Reason: "inverted", RestoredAt: at.Add(time.Hour)}, {Annotator: "eve", Ratings: 20, At: at, Reason: "guessed"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"carl       32       2026-11-22 07:44  2026-11-22 08:44  inverted", "eve        20       2026-11-22 07:44  no                guessed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant %q", out.String(), want)
		}
	}
}
