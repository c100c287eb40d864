package exchange

import (
	"errors"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
)

func each(lines []campaign.SegmentLine, errs ...error) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
		for _, err := range errs {
			if !yield(campaign.SegmentLine{}, err) {
				return
			}
		}
	}
}

func collect(lines iter.Seq2[campaign.SegmentLine, error], notes *ingest.Notes) (out []campaign.SegmentLine, errs []error) {
	for l, err := range Unite(lines, notes) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, l)
	}
	return out, errs
}

// TestUniteAnyOrder parts segments into a line for each rating, shuffles the lines within their segment's first
// line, and wants the segments back.
func TestUniteAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var want []campaign.Segment
	var lines []campaign.SegmentLine
	for _, id := range []string{"1", "2", "3"} {
		s := campaign.Segment{DocID: "d", SegmentID: id, Source: "Quelle \u2028" + id, Domain: "news", References: []campaign.Reference{{Name: "A", Text: "r" + id}, {Name: "B", Text: ""}}}
		for _, system := range []string{"a", "b", "\U0001F600"} {
			tr := campaign.Translation{System: system, Text: system + "\n" + id, HumanScores: []campaign.HumanScore{{Name: "mqm", Score: -0.1}}, Metrics: []campaign.MetricValue{{Name: "BLEU", Score: 1.0 / 3}}}
			for _, login := range []string{"x", "y"} {
				tr.Ratings = append(tr.Ratings, campaign.Rating{Annotator: login, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": 7}, Spans: []protocol.ErrorSpan{{Side: protocol.Target, End: 1, Text: "a", Severity: "minor"}}}})
			}
			s.Translations = append(s.Translations, tr)
		}
		want = append(want, s)
		first := len(lines)
		for _, tr := range s.Translations {
			for i, r := range tr.Ratings {
				part := s
				tr := tr
				tr.Ratings = []campaign.Rating{r}
				if i > 0 {
					part.References, part.Domain, tr.HumanScores, tr.Metrics = nil, "", nil, nil
				}
				part.Translations = []campaign.Translation{tr}
				lines = append(lines, campaign.SegmentLine{File: "f", Line: len(lines) + 1, Segment: part})
			}
		}
		rng.Shuffle(len(lines)-first, func(i, j int) { lines[first+i], lines[first+j] = lines[first+j], lines[first+i] })
	}
	var notes ingest.Notes
	got, errs := collect(each(lines), &notes)
	if len(errs) > 0 || len(notes.List) > 0 || len(got) != len(want) {
		t.Fatalf("%d segments, errors %v, notes %v", len(got), errs, notes.List)
	}
	for i := range want {
		if !reflect.DeepEqual(got[i].Segment, want[i]) {
			t.Errorf("segment %d is\n%+v, want\n%+v", i, got[i].Segment, want[i])
		}
	}
}

// TestUniteTwice shows that a rating that is given again replaces the first, and that other texts are refused.
func TestUniteTwice(t *testing.T) {
	line := func(n int, id, source, text string, score float64) campaign.SegmentLine {
		return campaign.SegmentLine{File: "f.json", Line: n, Segment: campaign.Segment{DocID: "d", SegmentID: id, Source: source, Translations: []campaign.Translation{
			{System: "a", Text: text, Ratings: []campaign.Rating{{Annotator: "x", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": score}}}}}}}}
	}
	var notes ingest.Notes
	broken := errors.New("broken")
	got, errs := collect(each([]campaign.SegmentLine{line(1, "1", "S", "T", 1), line(2, "2", "S", "Text", 1), line(3, "1", "S", "T", 2), line(4, "2", "S", "Test", 3), line(5, "3", "S", "T", 3), line(6, "3", "Z", "T", 3)},
		&campaign.Problem{Line: 7, Msg: "is wrong"}), &notes)
	if len(got) != 1 || got[0].Segment.Translations[0].Ratings[0].Scores["score"] != 2 || got[0].PlaceOf(campaign.Row{System: "a", Annotator: "x"}).Line != 3 {
		t.Errorf("got %+v", got)
	}
	if len(notes.List) != 1 || notes.List[0].String() != "1 rating given again, of which the last counts, first at f.json:3" {
		t.Errorf("notes %v", notes.List)
	}
	var told []string
	for _, err := range errs {
		told = append(told, err.Error())
	}
	if len(errs) != 3 || !slices.ContainsFunc(told, func(s string) bool {
		return strings.Contains(s, `f.json:2 has for the same segment: after 2 equal characters it has "st", and that line has "xt"`)
	}) {
		t.Errorf("errors %q", told)
	}
	if got, errs := collect(each([]campaign.SegmentLine{line(1, "1", "S", "T", 1)}, broken), nil); len(got) != 0 || len(errs) != 1 || errs[0] != broken { //nolint:errorlint // the very error
		t.Errorf("after a failing stream: %v, %v", got, errs)
	}
}

// A rating that comes from another file than its segment has no line of its own in messages, which name the file of the segment.
func TestUniteFiles(t *testing.T) {
	line := func(file string, n int, system, annotator string) campaign.SegmentLine {
		tr := campaign.Translation{System: system, Text: "x", Ratings: []campaign.Rating{{Annotator: annotator, Round: 1}}}
		return campaign.SegmentLine{File: file, Line: n, Segment: campaign.Segment{DocID: "d", SegmentID: "1", Source: "s", Translations: []campaign.Translation{tr}}}
	}
	out, errs := collect(each([]campaign.SegmentLine{line("a", 5, "A", "x"), line("b", 9, "A", "y"), line("a", 7, "A", "z"), line("b", 8, "A", "x")}), &ingest.Notes{})
	if len(errs) > 0 || len(out) != 1 || out[0].File != "a" {
		t.Fatalf("got %+v, %v", out, errs)
	}
	for annotator, want := range map[string]int{"x": 5, "y": 5, "z": 7} {
		if got := out[0].PlaceOf(campaign.Row{System: "A", Annotator: annotator}).Line; got != want {
			t.Errorf("the rating of %s is at line %d, want %d", annotator, got, want)
		}
	}
}
