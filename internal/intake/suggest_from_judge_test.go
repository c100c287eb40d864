package intake_test

import (
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
)

// The errors of a judge become suggestions if the protocol allows them and no annotator has begun the
// segment.
func TestSuggestFromJudge(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) { suggestsFromJudge(t, db) })
}

func suggestsFromJudge(t *testing.T, db *storetest.DB) {
	s := storetest.Campaign(t, db.Store, storetest.Protocol("esa"), storetest.Systems(2), storetest.Set("context=segment"))
	marked := func(segment, system string, spans ...protocol.ErrorSpan) campaign.JudgementLine {
		return campaign.JudgementLine{SegmentID: segment, System: system, Judgement: campaign.Judgement{Judge: "j", Status: campaign.JudgementOK, Spans: append([]protocol.ErrorSpan{}, spans...)}}
	}
	critical, odd := on("1", 0, 11), on("2", 0, 11)
	critical.Severity, critical.Category, odd.Severity = "critical", "its own", "dreadful"
	var lines []campaign.JudgementLine
	for _, segment := range []string{"s1", "s2", "s3", "s4"} {
		lines = append(lines, marked(segment, s.Systems[0], critical, odd), marked(segment, s.Systems[1]))
	}
	importJudgements(t, s, lines...)
	s.Next(t, 0) // hands out a segment
	forecast := func(judge string, want readmodel.SuggestionForecast) {
		t.Helper()
		if got := storetest.Must(db.Intake.ForecastSuggestions(t.Context(), s.Campaign, judge))(t); got != want {
			t.Errorf("the forecast for %s is %+v, want %+v", judge, got, want)
		}
	}
	forecast("j", readmodel.SuggestionForecast{Segments: 3, Translations: 6, Begun: 2})
	forecast("nobody", readmodel.SuggestionForecast{})
	got, err := db.Intake.SuggestFromJudge(t.Context(), s.Campaign, "j", "")
	if err != nil || got.Begun != 2 || got.Unfit != 3 || got.Report.Suggestions != 3 || got.Report.SuggestedTo != 6 {
		t.Fatalf("%+v, %v", got, err)
	}
	suggested := 0
	for _, seg := range s.All(t) {
		for _, tr := range seg.Translations {
			if tr.Suggested == nil {
				continue
			}
			suggested++
			if tr.Suggested.Origin != "j" || len(tr.Suggested.Spans) > 0 && (tr.Suggested.Spans[0].Severity != "major" || tr.Suggested.Spans[0].Category != "" || tr.Suggested.Spans[0].Text != "Translation") {
				t.Errorf("%+v", tr.Suggested)
			}
		}
	}
	if suggested != 6 {
		t.Errorf("%d translations have suggestions", suggested)
	}
	forecast("j", readmodel.SuggestionForecast{Segments: 3, Translations: 6, Replaced: 6, Begun: 2})
	_, err = db.Intake.SuggestFromJudge(t.Context(), s.Campaign, "nobody", "")
	storetest.WantInvalid(t, err, "judge")
}
