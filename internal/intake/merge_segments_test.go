package intake_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
)

// shape says of each segment which systems it has, and who rated them.
func shape(segments []campaign.Segment) (out []string) {
	for _, seg := range segments {
		text := seg.SegmentID + ":"
		for _, tr := range seg.Translations {
			text += " " + tr.System
			for _, r := range tr.Ratings {
				text += "," + r.Annotator
			}
		}
		out = append(out, text)
	}
	return out
}

// A table into an empty campaign: systems are met one by one, a segment may lack
// some, and its rows may come in several pieces.
func TestMergeIntoAnEmptyCampaign(t *testing.T) {
	_, s := storetest.New(t, storetest.Protocol("mqm"), storetest.Segments(0))
	report := storetest.Must(storetest.MergeSegments(t, s,
		storetest.MarkedSegment("1", "one", map[string]string{"B": "eins", "C": "ein"}, "x", "y"),
		storetest.MarkedSegment("2", "two", map[string]string{"A": "zwei"}, "x"),
		storetest.MarkedSegment("1", "one", map[string]string{"A": "uno", "C": "ein"}, "z"),
	))(t)
	want := readmodel.ImportReport{Segments: 2, Translations: 4, Ratings: 7, Systems: []string{"A", "B", "C"}, NewAnnotators: []string{"x", "y", "z"}, Decided: report.Decided}
	if !reflect.DeepEqual(report, want) {
		t.Errorf("report %+v, want %+v", report, want)
	}
	if got, want := shape(s.All(t)), []string{"1: A,z B,x,y C,x,y,z", "2: A,x"}; !slices.Equal(got, want) {
		t.Errorf("stored %q, want %q", got, want)
	}
	if r := s.All(t)[0].Translations[0].Ratings[0]; r.Spans[0].Text != "u" {
		t.Errorf("the span covers %q", r.Spans[0].Text)
	}
}

// White space at the ends of a text is not compared, and a table has spaces for line breaks and tabs: the
// stored text stays, and the spans lie in it.
func TestMergeComparesEndsWithoutWhiteSpace(t *testing.T) {
	_, s := storetest.New(t, storetest.Protocol("mqm"), storetest.Segments(0))
	storetest.ImportSegments(t, s, storetest.MarkedSegment("1", "one", map[string]string{"A": " Good day.", "B": "tea", "C": "\tx\u2028y\tz"}))
	line := storetest.MarkedSegment("1", "one ", map[string]string{"A": "Good day.", "B": " tea ", "C": "x y z"}, "x")
	line.Translations[1].Ratings[0].Spans = []protocol.ErrorSpan{storetest.Span(0, 5, " tea ", "major", "Other"), storetest.Span(4, 5, " ", "major", "Other")}
	line.Translations[2].Ratings[0].Spans = []protocol.ErrorSpan{storetest.Span(0, 4, "x y ", "major", "Other")}
	storetest.Must(storetest.MergeSegments(t, s, line))(t)
	s.Reload(t)
	var got []string
	for _, tr := range s.All(t)[0].Translations {
		for _, span := range tr.Ratings[0].Spans {
			got = append(got, fmt.Sprintf("%q %d %d %q", tr.Text, span.Start, span.End, span.Text))
		}
	}
	if want := []string{`" Good day." 1 2 "G"`, `"tea" 0 3 "tea"`, `"tea" 3 3 ""`, `"\tx\u2028y\tz" 1 5 "x\u2028y\t"`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMergeRefuses(t *testing.T) {
	one := func(source, text string, annotators ...string) campaign.Segment {
		return storetest.MarkedSegment("1", source, map[string]string{"A": text}, annotators...)
	}
	wrong := one("a\nb", "x\ty", "p")
	wrong.Translations[0].Ratings[0].Spans[0] = storetest.Span(0, 2, "yx", "major", "Other")
	long := one("a\nb", "x\ty", "p")
	long.Translations[0].Ratings[0].Spans[0].End = 9
	twice := one("a\nb", "x\ty", "p")
	twice.Translations = append(twice.Translations, twice.Translations[0])
	tests := []struct {
		name string
		file []campaign.Segment
		want string
	}{
		{"another source", []campaign.Segment{one("a b!", "x y", "p")}, `1 source differs from the text in the campaign at character 3: "a b!" here, the end of the text there`},
		{"another translation", []campaign.Segment{one("a b", "x\ny", "p")}, `1 translations.A differs from the text in the campaign at character 1: "x\ny" here, "x\ty" there`},
		{"one space for two breaks", []campaign.Segment{one("a b", "x y", "p"), storetest.MarkedSegment("2", "a b", map[string]string{"A": "-"}, "p")},
			`2 source differs from the text in the campaign at character 2: "a b" here, "a\r\nb" there`},
		{"a break for a space", []campaign.Segment{storetest.MarkedSegment("3", "a\nb", map[string]string{"A": "-"})}, "1 source differs from the text in the campaign at character 1"},
		{"both", []campaign.Segment{one("b", "x", "p")}, "1 source at character 0\n1 translations.A at character 1"},
		{"words", []campaign.Segment{wrong}, `1 spans[0].text rating of A by p: says "yx", but characters 0 to 2 of the translation are "x\t"`},
		{"beyond the end", []campaign.Segment{long}, "1 spans[0].end rating of A by p: 9 lies outside the translation"},
		{"twice in a line", []campaign.Segment{twice}, `1 translations the system "A" is there twice`},
		{"rated already", []campaign.Segment{one("a b", "x y", "old"), one("a b", "x y", "p")}, "1 annotator rating of A by old: old has rated this translation in round 1 already"},
		{"rated twice", []campaign.Segment{one("a b", "x y", "p"), one("a b", "x y", "q", "p")}, "2 annotator rating of A by p: p has rated"},
		{"a translation too late", []campaign.Segment{storetest.MarkedSegment("1", "a b", map[string]string{"A": "x y", "B": "z"}, "p")},
			`1 translations segment "1" has no translation by the system "B", and none can be added to it`},
		{"a new system", []campaign.Segment{one("a b", "x y", "p"), storetest.MarkedSegment("1", "a b", map[string]string{"A": "x y", "b": "z"}, "q"), storetest.MarkedSegment("9", "new", map[string]string{"b": "z"}, "p")},
			`2 translations the campaign has no system "b"; its systems are "A", "B"` + "\n" + `3 translations no system "b"`},
		{"and what is right", []campaign.Segment{one("a b", "x y", "p"), storetest.MarkedSegment("9", "new", map[string]string{"B": "z"}, "p"), one("c", "x y")}, "3 source at character 0"},
	}
	db, s := storetest.New(t, storetest.Protocol("mqm"), storetest.Segments(0))
	first, second, third := one("a\nb", "x\ty", "old"), storetest.MarkedSegment("2", "a\r\nb", map[string]string{"A": "-"}), storetest.MarkedSegment("3", "a b", map[string]string{"A": "-", "B": "-"})
	first.Absent, second.Absent = []string{"B"}, []string{"B"}
	storetest.ImportSegments(t, s, first, second, third)
	before := storetest.RowCounts(t, db)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := storetest.MergeSegments(t, s, tt.file...)
			storetest.WantProblems(t, err, strings.Split(tt.want, "\n")...)
			if after := storetest.RowCounts(t, db); !maps.Equal(before, after) {
				t.Errorf("a refused import left rows: %v, before %v", after, before)
			}
		})
	}
}

// A translation comes to a segment nobody has begun, not to one in work. A new
// segment is told of: its id may be misspelt.
func TestMergeAddsTranslations(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(0), storetest.Annotators(1), storetest.Set("redundancy=1"))
		early, late := []string{"sys-001", "sys-002"}, []string{"sys-001", "late"}
		var segments []campaign.Segment
		for n := range 3 {
			seg := storetest.Segment(n+1, 1, early)
			seg.Absent = []string{"late"}
			segments = append(segments, seg)
		}
		storetest.ImportSegments(t, s, segments...)
		s.Systems = early
		a := s.Next(t, 0) // s1
		_, err := storetest.MergeSegments(t, s, storetest.Segment(1, 1, late), storetest.Segment(2, 1, late))
		storetest.WantProblems(t, err, `1 translations segment "s1" has no translation by the system "late"`)
		report := storetest.Must(storetest.MergeSegments(t, s, storetest.Segment(2, 1, late)))(t)
		if report.Known != 1 || report.Translations != 1 || report.Notes != nil || !slices.Equal(report.Systems, []string{"late", "sys-001", "sys-002"}) {
			t.Errorf("report %+v", report)
		}
		if got, want := shape(s.All(t)), []string{"s1: sys-001 sys-002", "s2: late sys-001 sys-002", "s3: sys-001 sys-002"}; !slices.Equal(got, want) {
			t.Errorf("stored %q, want %q", got, want)
		}
		s.Rate(t, 0, a, 1, 2)
		if w := s.Work(t, 0, s.Next(t, 0)); len(w.Cards) != 3 {
			t.Errorf("%d cards, want that of the late system, too", len(w.Cards))
		}
		// Without merging, every segment says which translations it lacks.
		_, err = db.Intake.ImportSegments(t.Context(), s.Campaign.ID, storetest.SegmentLines(storetest.Segment(7, 7, early)), intake.ImportOptions{})
		storetest.WantProblems(t, err, `1 translations there is no translation by the system "late"`)
		report = storetest.Must(storetest.MergeSegments(t, s, storetest.Segment(2, 1, late), storetest.Segment(8, 1, late), storetest.Segment(9, 1, late)))(t)
		if want := []string{"2 segments that the campaign did not have were added; a misspelt document or segment id does that"}; !slices.Equal(report.Notes, want) {
			t.Errorf("notes %q, want %q", report.Notes, want)
		}
	})
}
