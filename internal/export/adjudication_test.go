package export_test

import (
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/protocol"
)

// adjudicatedSegment is a segment that two annotators rated and an adjudicator decided.
func adjudicatedSegment() iter.Seq2[campaign.Segment, error] {
	rating := func(login string, round int, score float64, spans ...protocol.ErrorSpan) campaign.Rating {
		return campaign.Rating{Annotator: login, Round: round, Rating: protocol.Rating{Scores: map[string]float64{"score": score}, Spans: spans}}
	}
	judged := rating("judge", 0, 90, protocol.ErrorSpan{Side: protocol.Target, Start: 0, End: 3, Text: "One", Severity: "minor"})
	seg := campaign.Segment{
		DocID: "d", SegmentID: "s1", Source: "source", Status: campaign.Adjudicated, Round: 1, Complete: 1,
		Translations: []campaign.Translation{{
			System: "A", Text: "One two", Ratings: []campaign.Rating{rating("ann1", 1, 10), rating("ann2", 1, 20)},
			Adjudication: &judged, Gold: &campaign.Gold{Score: 90, Adjudicated: true, Entered: true},
		}},
	}
	return func(yield func(campaign.Segment, error) bool) { yield(seg, nil) }
}

// Formats with all ratings mark an adjudication. The table with one round contains only
// the adjudication.
func TestAdjudications(t *testing.T) {
	p, _ := protocol.Lookup("esa")
	var ratings, table, mqm strings.Builder
	if _, err := export.Ratings(&ratings, p, adjudicatedSegment()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(ratings.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[2], `"annotator":"judge","adjudicated":true,"scores":{"score":90}`) ||
		strings.Contains(lines[2], `"round"`) || strings.Contains(lines[0], "adjudicated") || !strings.Contains(lines[2], `"severity":"minor"`) {
		t.Errorf("ratings:\n%s", ratings.String())
	}
	if _, err := export.CSV(&table, p, export.CSVOptions{}, adjudicatedSegment()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), ",judge,adjudicated,adjudicated,90,") {
		t.Errorf("csv:\n%s", table.String())
	}
	notes, err := export.MQM(&mqm, p, adjudicatedSegment())
	if err != nil {
		t.Fatal(err)
	}
	if got := mqm.String(); !strings.Contains(got, "\tjudge\t") || strings.Contains(got, "ann1") || !strings.Contains(got, "<v>One</v>") {
		t.Errorf("mqm-tsv:\n%s", got)
	}
	if all := strings.Join(notes, "\n"); !strings.Contains(all, "2 ratings are left out, since the file holds the adjudications of their translations instead: ") || strings.Contains(all, "complete") || !strings.Contains(all, "1 adjudication stands in the table like a rating") {
		t.Errorf("the notes are %q", notes)
	}
}

// Each rating that a file leaves out has its own reason. A ment file leaves out none for an
// adjudication, since it lists the ratings beside it.
func TestReasonsForRatingsLeftOut(t *testing.T) {
	rating := func(round int) campaign.Rating {
		return campaign.Rating{Annotator: "lin", Round: round, Rating: protocol.Rating{Scores: map[string]float64{"accuracy": 1, "fluency": 2, "sqm": 3}}}
	}
	judged := rating(0)
	segment := func(id string, status campaign.Status, round, complete int, adjudication *campaign.Rating, ratings ...campaign.Rating) campaign.Segment {
		return campaign.Segment{DocID: "d", SegmentID: id, Source: "x", Status: status, Round: round, Complete: complete,
			Translations: []campaign.Translation{{System: "A", Text: "x", Ratings: ratings, Adjudication: adjudication, Gold: &campaign.Gold{Adjudicated: adjudication != nil}}}}
	}
	segments := []campaign.Segment{
		segment("twice", campaign.Agreed, 2, 2, nil, rating(1), rating(2)),
		segment("pending", campaign.Pending, 1, 0, nil, rating(1)),
		segment("withdrawn", campaign.Withdrawn, 1, 0, nil, rating(1)),
		segment("judged", campaign.Adjudicated, 1, 1, &judged, rating(1)),
	}
	of := func(id string) string { return `segment "` + id + `" of document "d" by "A"` }
	rounds := "1 rating is left out, since the file holds one round of a segment, the last complete one: " + of("twice")
	settled := []string{rounds,
		"2 ratings are left out, since no round of their segments is complete: " + of("pending") + ", " + of("withdrawn"),
		"1 rating is left out, since the file holds the adjudication of its translation instead: " + of("judged")}
	for format, c := range map[string]struct {
		write func(w io.Writer) ([]string, error)
		want  []string
	}{
		"rate": {func(w io.Writer) ([]string, error) {
			return export.Rate(w, lookup(t, "rate"), source(nil, segments...))
		}, settled},
		"mqm-tsv": {func(w io.Writer) ([]string, error) { return export.MQM(w, lookup(t, "mqm"), source(nil, segments...)) }, settled},
		"ment": {func(w io.Writer) ([]string, error) {
			_, notes, err := export.MENT(w, export.MENTOptions{Annotators: []string{"lin"}}, source(nil, segments...))
			return notes, err
		}, []string{rounds}},
	} {
		notes, err := c.write(io.Discard)
		notes = slices.DeleteFunc(notes, func(n string) bool { return !strings.Contains(n, " left out, ") })
		if err != nil || !slices.Equal(notes, c.want) {
			t.Errorf("%s: got %v\n%s\nwant\n%s", format, err, strings.Join(notes, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// In the directory an adjudication is the only rating of its translation. The adjudicator
// has a letter of their own, and the adjudication changes no annotator's z-scores.
func TestMTMEAdjudications(t *testing.T) {
	p, _ := protocol.Lookup("esa")
	var segments []campaign.Segment
	for s := range adjudicatedSegment() {
		s.Translations[0].Adjudication.Annotator = "ann1" // who annotated, too
		segments = append(segments, s)
	}
	rating := func(login string, score float64) campaign.Rating {
		return campaign.Rating{Annotator: login, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": score}}}
	}
	for i, scores := range [][2]float64{{40, 60}, {60, 20}} {
		segments = append(segments, campaign.Segment{DocID: "d", SegmentID: string(rune('2' + i)), Source: "source", Status: campaign.Agreed, Round: 1, Complete: 1,
			Translations: []campaign.Translation{{System: "A", Text: "One two", Ratings: []campaign.Rating{rating("ann1", scores[0]), rating("ann2", scores[1])}}}})
	}
	files := tree{}
	if _, err := export.MTME(files, p, export.MTMEOptions{LanguagePair: "en-de", Systems: []string{"A"}, Annotators: []string{"ann1", "ann2"}}, source(nil, segments...)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"human-scores/en-de.esa.seg.score":    "A\t90\nA\t50\nA\t40\n",
		"human-scores/en-de.esa-z.seg.score":  "A\tNone\nA\t0\nA\t0\n",
		"human-scores/en-de.mqm.C.seg.rating": "A\t" + `{"errors":[{"start":0,"end":3,"severity":"minor","score":1,"is_source_error":false}]}` + "\tC\nA\tNone\nA\tNone\n",
		"human-scores/en-de.mqm.A.seg.rating": "A\tNone\nA\t" + `{"errors":[]}` + "\tA\nA\t" + `{"errors":[]}` + "\tA\n",
	} {
		if got := files[name]; got == nil || got.String() != want {
			t.Errorf("%s: got %v, want %q; files %v", name, got, want, slices.Sorted(maps.Keys(files)))
		}
	}
}

// The format rate marks an adjudication.
func TestRateAdjudications(t *testing.T) {
	p, _ := protocol.Lookup("rate")
	var out strings.Builder
	if _, err := export.Rate(&out, p, func(yield func(campaign.Segment, error) bool) {
		for s := range adjudicatedSegment() {
			s.Translations[0].Adjudication.Scores = map[string]float64{"accuracy": 30, "fluency": 70}
			yield(s, nil)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, `{"annotator":"judge","adjudicated":true,`) || !strings.Contains(got, `"score_accuracy":30`) {
		t.Errorf("rate:\n%s", got)
	}
}

// Gold has a row for each translation in gold, with means, z-scores and the errors of an
// adjudication. An adjudication changes no annotator's z-scores.
func TestGold(t *testing.T) {
	p, _ := protocol.Lookup("esa")
	segments := slices.Collect(func(yield func(campaign.Segment) bool) {
		for s := range adjudicatedSegment() {
			yield(s)
		}
	})
	rating := func(login string, score float64) campaign.Rating {
		return campaign.Rating{Annotator: login, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": score}, NoErrors: true}}
	}
	for i, scores := range [][2]float64{{40, 60}, {60, 20}} {
		segments = append(segments, campaign.Segment{DocID: "=d", SegmentID: string(rune('2' + i)), Domain: "news", Source: "source", Status: campaign.Agreed, Round: 1, Complete: 1,
			Translations: []campaign.Translation{{System: "A", Text: "One", Ratings: []campaign.Rating{rating("ann1", scores[0]), rating("ann2", scores[1])}}}})
	}
	segments = append(segments, campaign.Segment{DocID: "d", SegmentID: "9", Status: campaign.Discarded, Round: 1, Complete: 1, Translations: []campaign.Translation{{System: "A", Ratings: []campaign.Rating{rating("ann1", 1)}}}})
	for _, c := range []struct {
		opt  export.GoldOptions
		want string
	}{
		{export.GoldOptions{}, `doc_id,segment_id,domain,system,status,ratings,esa,mqm,esa-z,mqm-z,entered_by_lead,adjudicated,spans
d,s1,,A,adjudicated,0,90,-1,,,no,yes,"[{""side"":""target"",""start"":0,""end"":3,""text"":""One"",""severity"":""minor""}]"
'=d,2,news,A,agreed,2,50,0,0,,no,no,
'=d,3,news,A,agreed,2,40,0,0,,no,no,
`},
		{export.GoldOptions{JSON: true}, `{"doc_id":"d","segment_id":"s1","system":"A","status":"adjudicated","ratings":0,"scores":{"esa":90,"mqm":-1},"z":{},"entered_by_lead":false,"adjudicated":true,"spans":[{"side":"target","start":0,"end":3,"text":"One","severity":"minor"}]}
{"doc_id":"=d","segment_id":"2","domain":"news","system":"A","status":"agreed","ratings":2,"scores":{"esa":50,"mqm":0},"z":{"esa":0},"entered_by_lead":false,"adjudicated":false}
{"doc_id":"=d","segment_id":"3","domain":"news","system":"A","status":"agreed","ratings":2,"scores":{"esa":40,"mqm":0},"z":{"esa":0},"entered_by_lead":false,"adjudicated":false}
`},
	} {
		var out strings.Builder
		if _, err := export.Gold(&out, p, c.opt, source(nil, segments...)); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.opt, out.String(), c.want)
		}
	}
}
