package export_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/protocol"
)

// spanned is a segment under rate, in which round 1 failed and round 2 is
// complete.
func spanned() campaign.Segment {
	first := campaign.Rating{Annotator: "lin", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"accuracy": 1, "fluency": 2}}}
	second := campaign.Rating{Annotator: "lin", Round: 2, Seconds: 3, Rating: protocol.Rating{
		Scores: map[string]float64{"accuracy": 80, "fluency": 61}, Comment: "ok",
		Spans: []protocol.ErrorSpan{
			{ID: "a", Side: protocol.Target, Start: 1, End: 3, Text: "\"\n", Severity: "2", Category: "Inconsistency", Comment: "c\u2028", Link: "b"},
			{ID: "b", Side: protocol.Source, Start: 0, End: 1, Text: "源", Severity: "5", Category: "Omission"},
			{Side: protocol.Target, Start: 4, End: 4, Severity: "2", Category: "Grammar", Subcategory: "missing punctuation"},
		},
	}}
	return campaign.Segment{
		DocID: "d", SegmentID: "7", Domain: "news", SourceLang: "zh", TargetLang: "en", Source: "源文", Status: campaign.Agreed, Round: 2,
		Translations: []campaign.Translation{{System: "Aster", Text: "🙂\"\nx", Ratings: []campaign.Rating{first, second}}, {System: "Birch", Text: "y"}},
	}
}

const spannedSpans = `[{"id":"a","side":"target","start":1,"end":3,"text":"\"\n","severity":"2","category":"Inconsistency","comment":"c\u2028","link":"b"},` +
	`{"id":"b","side":"source","start":0,"end":1,"text":"源","severity":"5","category":"Omission"},` +
	`{"side":"target","start":4,"end":4,"text":"","severity":"2","category":"Grammar","subcategory":"missing punctuation"}]`

// TestRate: severities 2, 5 and 2 are 9 in RATE, 1 + 5 + 1 = 7 in RATE MQM, and
// 80 and 61 are 70.5 in RATE ESA.
func TestRate(t *testing.T) {
	other := campaign.Segment{DocID: "e", SegmentID: "1", Source: "x", Status: campaign.Pending, Round: 1, Translations: spanned().Translations}
	reannotated := spanned()
	reannotated.SegmentID, reannotated.Status, reannotated.Complete = "8", campaign.Reannotate, 1 // round 2 is under way, round 1 is the last complete one
	reannotated.Translations = reannotated.Translations[:1]
	var b strings.Builder
	if _, err := export.Rate(&b, lookup(t, "rate"), source(nil, other, spanned(), reannotated)); err != nil {
		t.Fatal(err)
	}
	line := func(id, rest string) string {
		return `{"annotator":"lin","doc_id":"d","doc_num":2,"line_id":` + id + `,"domain":"news","system":"Aster","source":"源文","translation":"🙂\"\nx",` + rest + "\n"
	}
	want := line("1", `"score_accuracy":80,"score_fluency":61,"spans":`+spannedSpans+`,"rate":9,"rate_mqm":7,"rate_esa":70.5}`) +
		line("2", `"score_accuracy":1,"score_fluency":2,"spans":[],"rate":0,"rate_mqm":0,"rate_esa":1.5}`)
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

// TestCSVDerived: derived scores stand beside the entered ones.
func TestCSVDerived(t *testing.T) {
	var b strings.Builder
	if _, err := export.CSV(&b, lookup(t, "rate"), export.CSVOptions{}, source(nil, spanned())); err != nil {
		t.Fatal(err)
	}
	want := "doc_id,segment_id,domain,system,annotator,round,status,accuracy,fluency,rate,rate_mqm,rate_esa,spans,comment,seconds,submitted_at,in_gold\n" +
		"d,7,news,Aster,lin,1,agreed,1,2,0,0,1.5,[],,0,,no\n" +
		`d,7,news,Aster,lin,2,agreed,80,61,9,7,70.5,"` + strings.ReplaceAll(spannedSpans, `"`, `""`) + "\",ok,3,,yes\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

// TestRefusedProtocols: a format that can't hold what a protocol asks for says so.
func TestRefusedProtocols(t *testing.T) {
	var b strings.Builder
	_, rate := export.Rate(&b, lookup(t, "mqm"), source(nil, spanned()))
	_, mqm := export.MQM(&b, lookup(t, "sqm"), source(nil, spanned()))
	for name, err := range map[string]error{
		"rate of mqm":    rate,
		"mqm-tsv of sqm": mqm,
	} {
		if _, ok := errors.AsType[*campaign.InvalidError](err); !ok || b.Len() > 0 {
			t.Errorf("%s: got %v and %q", name, err, &b)
		}
	}
}

// TestLinksToOtherSegments: a link to another segment goes out if the file contains the error that
// it leads to. Otherwise it is left out, and the notes say so.
func TestLinksToOtherSegments(t *testing.T) {
	rating := func(round int, spans ...protocol.ErrorSpan) campaign.Rating {
		return campaign.Rating{Annotator: "mara", Round: round, Rating: protocol.Rating{Scores: map[string]float64{"accuracy": 50, "fluency": 60}, Spans: spans},
			Partners: map[string]campaign.Partner{"settled": {Settled: true}, "earlier": {}}}
	}
	span := func(id, link string) protocol.ErrorSpan {
		return protocol.ErrorSpan{ID: id, Side: protocol.Target, End: 1, Text: "x", Severity: "2", Category: "Inconsistency", Link: link}
	}
	first := rating(1, span("a", "settled"), span("b", "earlier"), span("c", "gone"), span("d", "a"))
	adjudicated := rating(0, span("q", "settled"), span("p", "gone"))
	segments := []campaign.Segment{
		{DocID: "d", SegmentID: "1", Status: campaign.Agreed, Round: 1, Translations: []campaign.Translation{{System: "A", Text: "x", Ratings: []campaign.Rating{first}, Gold: &campaign.Gold{Score: 55}}}},
		{DocID: "d", SegmentID: "2", Status: campaign.Adjudicated, Round: 1, Translations: []campaign.Translation{{System: "A", Text: "x", Ratings: []campaign.Rating{rating(1, span("z", "gone"))}, Adjudication: &adjudicated, Gold: &campaign.Gold{Score: 55, Adjudicated: true, Entered: true}}}},
	}
	p := lookup(t, "rate")
	const one, many = "1 link of an error is left out, since the error that it leads to is not in the file: ", "%d links of errors are left out, since the errors that they lead to are not in the file: "
	in1, in2 := `segment "1" of document "d" by "A"`, `segment "2" of document "d" by "A"`
	for format, c := range map[string]struct {
		write func(w io.Writer) ([]string, error)
		kept  map[string]int // how often each link is in the file
		note  string
	}{
		"ratings": {func(w io.Writer) ([]string, error) { return export.Ratings(w, p, source(nil, segments...)) }, map[string]int{"settled": 2, "earlier": 1, "a": 1}, fmt.Sprintf(many, 3) + in1 + ", " + in2},
		"csv": {func(w io.Writer) ([]string, error) {
			return export.CSV(w, p, export.CSVOptions{}, source(nil, segments...))
		}, map[string]int{"settled": 2, "earlier": 1, "a": 1}, fmt.Sprintf(many, 3) + in1 + ", " + in2},
		"rate": {func(w io.Writer) ([]string, error) { return export.Rate(w, p, source(nil, segments...)) }, map[string]int{"settled": 2, "a": 1}, fmt.Sprintf(many, 3) + in1 + ", " + in2},
		"gold": {func(w io.Writer) ([]string, error) {
			return export.Gold(w, p, export.GoldOptions{}, source(nil, segments...))
		}, map[string]int{"settled": 1}, one + in2},
		"gold jsonl": {func(w io.Writer) ([]string, error) {
			return export.Gold(w, p, export.GoldOptions{JSON: true}, source(nil, segments...))
		}, map[string]int{"settled": 1}, one + in2},
	} {
		var b strings.Builder
		notes, err := c.write(&b)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(b.String(), `""`, `"`)
		for _, link := range []string{"settled", "earlier", "gone", "a"} {
			if got := strings.Count(text, `"link":"`+link+`"`); got != c.kept[link] {
				t.Errorf("%s: the link to %q is there %d times, want %d:\n%s", format, link, got, c.kept[link], text)
			}
		}
		if !slices.Contains(notes, c.note) {
			t.Errorf("%s: notes %q lack %q", format, notes, c.note)
		}
	}
	if first.Spans[2].Link != "gone" {
		t.Error("the caller's spans were changed")
	}
}
