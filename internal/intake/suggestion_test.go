package intake_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

func importSuggestions(t *testing.T, s *storetest.Sample, lines ...campaign.SuggestionLine) readmodel.ImportReport {
	t.Helper()
	return storetest.Must(s.Store.Intake.ImportSuggestions(t.Context(), s.Campaign.ID, storetest.SuggestionLines(lines...), intake.ImportOptions{File: "f"}))(t)
}

// suggest is a line for the translation of a segment by a system.
func suggest(segment, system string, spans ...protocol.ErrorSpan) campaign.SuggestionLine {
	return campaign.SuggestionLine{SegmentID: segment, System: system, Suggestions: protocol.Suggestions{Origin: "xcomet-" + system, Spans: spans}}
}

// on marks characters of "Translation 1 of segment 1." as minor.
func on(id string, start, end int) protocol.ErrorSpan {
	return protocol.ErrorSpan{ID: id, Side: protocol.Target, Start: start, End: end, Severity: "minor"}
}

func words(s protocol.ErrorSpan, text string) protocol.ErrorSpan {
	s, bad := (protocol.Texts{Translation: text}).Place(s)
	if bad != nil {
		panic(bad.Msg)
	}
	return s
}

func TestImportSuggestions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("esa"), storetest.Segments(3), storetest.Systems(2))
		a, b := s.Systems[0], s.Systems[1]
		unnamed, loud := on("", 0, 11), on("1", 14, 16)
		loud.Severity = "MAJOR"
		report := importSuggestions(t, s, suggest("s1", a, unnamed, loud), suggest("s2", b))
		if want := (readmodel.ImportReport{Suggestions: 2, SuggestedTo: 2}); !reflect.DeepEqual(report, want) {
			t.Errorf("the report is %+v, want %+v", report, want)
		}
		loud.Severity, unnamed.ID = "major", "2"
		held := func() (out []string) {
			for _, seg := range s.All(t) {
				for _, tr := range seg.Translations {
					if tr.Suggested != nil {
						out = append(out, fmt.Sprint(seg.SegmentID, " ", tr.System, " ", *tr.Suggested))
					}
				}
			}
			return out
		}
		want := []string{
			fmt.Sprint("s1 ", a, " ", protocol.Suggestions{Origin: "xcomet-" + a, Spans: []protocol.ErrorSpan{words(unnamed, storetest.Text(1, 0)), words(loud, storetest.Text(1, 0))}}),
			fmt.Sprint("s2 ", b, " ", protocol.Suggestions{Origin: "xcomet-" + b, Spans: []protocol.ErrorSpan{}}),
		}
		if got := held(); !reflect.DeepEqual(got, want) {
			t.Errorf("the campaign holds\n%v, want\n%v", got, want)
		}
		if !storetest.Must(db.Records.HasSuggestions(t.Context(), s.Campaign))(t) {
			t.Error("the campaign has none")
		}
		// Before anybody begins, another import takes their place.
		if report := importSuggestions(t, s, suggest("s1", a)); report.Replaced != 1 || report.SuggestedTo != 1 {
			t.Errorf("the second time the report is %+v", report)
		}
		want[0] = fmt.Sprint("s1 ", a, " ", protocol.Suggestions{Origin: "xcomet-" + a, Spans: []protocol.ErrorSpan{}})
		if got := held(); !reflect.DeepEqual(got, want) {
			t.Errorf("the campaign holds\n%v, want\n%v", got, want)
		}

		first := s.Work(t, 0, s.Next(t, 0)) // s1 is begun
		for name, tt := range map[string]struct {
			lines []campaign.SuggestionLine
			want  string
		}{
			"begun":           {[]campaign.SuggestionLine{suggest("s1", b)}, `f:1: segment_id: an annotator has begun or rated segment "s1"`},
			"segment of none": {[]campaign.SuggestionLine{suggest("s9", b)}, `f:1: segment_id: the campaign has no segment "s9"`},
			"system of none":  {[]campaign.SuggestionLine{suggest("s3", "Z")}, `f:1: system: the campaign has no system "Z"`},
			"twice":           {[]campaign.SuggestionLine{suggest("s3", b), suggest("s3", b)}, "f:2: system: f:1 is of the same translation"},
			"outside":         {[]campaign.SuggestionLine{suggest("s3", b), suggest("s2", b, on("x", 0, 1), on("y", 5, 99))}, "f:2: spans[1].end: 99 lies outside"},
			"not offered":     {[]campaign.SuggestionLine{suggest("s3", b, protocol.ErrorSpan{Side: protocol.Target, Start: 0, End: 1, Severity: "grave"})}, `f:1: spans[0].severity: there is no severity "grave"; choose one of`},
			"category":        {[]campaign.SuggestionLine{suggest("s3", b, protocol.ErrorSpan{Side: protocol.Target, Start: 0, End: 1, Severity: "minor", Category: "Style"})}, "f:1: spans[0].category: errors have no category here"},
			"other words":     {[]campaign.SuggestionLine{suggest("s3", b, protocol.ErrorSpan{Side: protocol.Target, Start: 0, End: 1, Severity: "minor", Text: "x"})}, "f:1: spans[0].text: says"},
		} {
			_, err := db.Intake.ImportSuggestions(t.Context(), s.Campaign.ID, storetest.SuggestionLines(tt.lines...), intake.ImportOptions{File: "f"})
			if problems, ok := errors.AsType[*campaign.Problems](err); !ok || !strings.HasPrefix(problems.List[0].Error(), tt.want) {
				t.Errorf("%s: %v, want %s", name, err, tt.want)
			}
		}
		if got := held(); !reflect.DeepEqual(got, want) {
			t.Errorf("after what was refused the campaign holds\n%v, want\n%v", got, want)
		}
		if len(first.Cards[0].Suggestions) > 0 {
			t.Errorf("a card has %v", first.Cards[0].Suggestions)
		}

		sqm := storetest.Campaign(t, db.Store, storetest.Slug("sqm"))
		_, err := db.Intake.ImportSuggestions(t.Context(), sqm.Campaign.ID, storetest.SuggestionLines([]campaign.SuggestionLine{suggest("s1", a)}...), intake.ImportOptions{File: "f"})
		if _, ok := errors.AsType[*campaign.InvalidError](err); !ok {
			t.Errorf("SQM takes suggestions: %v", err)
		}
	})
}

// TestDecideSuggestions: suggestions wait on a card until each is accepted, changed
// or rejected, and what became of them is kept with the rating.
func TestDecideSuggestions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("esa"), storetest.Segments(1), storetest.Systems(1), storetest.Set("redundancy=1", "reannotate=own"))
		text := storetest.Text(1, 0)
		importSuggestions(t, s, suggest("s1", s.Systems[0], on("metric-x", 0, 11), on("metric-y", 12, 13), on("metric-z", 14, 16)))
		id := s.Next(t, 0)
		card := func() work.Card { return s.Work(t, 0, id).Cards[0] }
		waiting := []protocol.ErrorSpan{words(on("1", 0, 11), text), words(on("2", 12, 13), text), words(on("3", 14, 16), text)}
		if got := card(); !reflect.DeepEqual(got.Suggestions, waiting) || len(got.Rating.Spans)+len(got.Rating.Suggestions) > 0 {
			t.Fatalf("the card has %+v", got)
		}
		saves := 0
		save := func(revision int, r protocol.Rating) error {
			saves++
			r.Scores = map[string]float64{"score": 80}
			_, err := db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: id, CardID: card().ID, Revision: revision, SaveID: fmt.Sprint(saves), Rating: r})
			return err
		}
		submit := func() error {
			return db.Work.Submit(t.Context(), s.Campaign, s.Annotators[0].ID, id, storetest.Revisions(s.Work(t, 0, id)))
		}
		from := func(place string, span protocol.ErrorSpan) protocol.ErrorSpan {
			span.ID, span.Suggestion = "s"+place, place
			return span
		}
		rejected := func(places ...string) (out []protocol.Outcome) {
			for _, p := range places {
				out = append(out, protocol.Outcome{ID: p, Became: protocol.Rejected})
			}
			return out
		}
		for _, wrong := range []protocol.Rating{
			{Spans: []protocol.ErrorSpan{from("metric-x", on("", 0, 11))}}, // known here by its place alone
			{Spans: []protocol.ErrorSpan{from("4", on("", 0, 11))}},
			{Suggestions: rejected("0")},
			{Spans: []protocol.ErrorSpan{from("1", on("", 0, 11)), {ID: "q", Suggestion: "1", Side: protocol.Target, Start: 0, End: 1, Severity: "minor"}}},
		} {
			if _, ok := errors.AsType[*campaign.InvalidError](save(0, wrong)); !ok {
				t.Errorf("saved: %+v", wrong)
			}
		}
		storetest.Check(t, save(0, protocol.Rating{Spans: []protocol.ErrorSpan{from("1", on("", 0, 11))}, Suggestions: rejected("3")}))
		kept := card()
		if want := []protocol.Outcome{{ID: "1", Became: protocol.Accepted}, {ID: "3", Became: protocol.Rejected}}; !reflect.DeepEqual(kept.Rating.Suggestions, want) || kept.Rating.Spans[0].Suggestion != "1" {
			t.Errorf("the draft says %+v, want %+v", kept.Rating, want)
		}
		err := submit()
		if incomplete, ok := errors.AsType[*campaign.IncompleteError](err); !ok || incomplete.Cards[0].Reason != "a decision on 1 suggestion" {
			t.Errorf("submitting with one undecided: %v", err)
		}
		// Another window has an older card, and learns of this one by places too.
		conflict, ok := errors.AsType[*work.ConflictError](save(0, protocol.Rating{Comment: "other"}))
		if !ok || !reflect.DeepEqual(conflict.Card.Rating, kept.Rating) {
			t.Errorf("the conflict is %+v", conflict)
		}
		moved := from("2", on("", 12, 16))
		storetest.Check(t, save(1, protocol.Rating{Spans: []protocol.ErrorSpan{from("1", on("", 0, 11)), moved}, Suggestions: rejected("3")}))
		storetest.Check(t, submit())
		rating := func() protocol.Rating { return s.All(t)[0].Translations[0].Ratings[0].Rating }
		got := rating()
		want := []protocol.Outcome{{ID: "metric-x", Became: protocol.Accepted}, {ID: "metric-y", Became: protocol.Changed}, {ID: "metric-z", Became: protocol.Rejected}}
		if !reflect.DeepEqual(got.Suggestions, want) || got.Spans[0].Suggestion != "metric-x" || got.Spans[1].Suggestion != "metric-y" {
			t.Errorf("the rating is %+v, want %+v", got, want)
		}
		if w := s.Work(t, 0, id); w.Changed || !reflect.DeepEqual(w.Cards[0].Suggestions, waiting) {
			t.Errorf("submitted work is %+v", w.Cards[0])
		}
	})
}

// TestImportedOutcomes: what became of suggestions comes back with finished
// ratings, also where the suggestions themselves are not there.
func TestImportedOutcomes(t *testing.T) {
	db, s := storetest.New(t, storetest.Protocol("esa"), storetest.Segments(1), storetest.Systems(1), storetest.Set("redundancy=1"))
	text := storetest.Text(1, 0)
	mark := words(on("m", 0, 11), text)
	mark.Suggestion = "x"
	given := campaign.Rating{Annotator: "ann1", Round: 1, Rating: protocol.Rating{
		Scores: map[string]float64{"score": 7}, Spans: []protocol.ErrorSpan{mark},
		Suggestions: []protocol.Outcome{{ID: "x", Became: protocol.Changed}, {ID: "y", Became: protocol.Rejected}},
	}}
	line := campaign.RatingLine{SegmentID: "s1", System: s.Systems[0], Rating: given}
	wrong := line
	wrong.Suggestions = wrong.Suggestions[1:]
	_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(wrong), intake.ImportOptions{File: "f"})
	if problems, ok := errors.AsType[*campaign.Problems](err); !ok || problems.List[0].Field != "spans[0].suggestion" {
		t.Errorf("a span of which nothing is said: %v", err)
	}
	storetest.ImportRatings(t, s, line)
	if got := s.All(t)[0].Translations[0].Ratings[0]; !reflect.DeepEqual(got, given) {
		t.Errorf("it came back as\n%+v, want\n%+v", got, given)
	}
	if !storetest.Must(db.Records.HasSuggestions(t.Context(), s.Campaign))(t) {
		t.Error("the campaign has none")
	}
}
