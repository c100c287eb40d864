package export_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/protocol"
)

// marked is a segment in gold with one rating.
func marked(source, target string, spans ...protocol.ErrorSpan) campaign.Segment {
	return campaign.Segment{
		DocID: "talk.1", SegmentID: "9", Source: source, Status: campaign.Ungated, Round: 1,
		Translations: []campaign.Translation{{System: "A", Text: target, Ratings: []campaign.Rating{{Annotator: "rater1", Round: 1, Rating: protocol.Rating{Spans: spans}}}}},
	}
}

func TestMQM(t *testing.T) {
	target := func(start, end int, severity, category, sub string) protocol.ErrorSpan {
		return protocol.ErrorSpan{Side: protocol.Target, Start: start, End: end, Severity: severity, Category: category, Subcategory: sub}
	}
	omission := target(1, 2, "major", "Accuracy", "Omission")
	omission.Side, omission.Comment = protocol.Source, "left\tout\nhere"
	at0 := func(side protocol.Side, category string) protocol.ErrorSpan {
		return protocol.ErrorSpan{Side: side, Severity: "minor", Category: category}
	}
	const header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
	for _, tt := range []struct {
		name, protocol string
		segments       []campaign.Segment
		want           []string
	}{
		{"no error", "mqm", []campaign.Segment{marked("s", "t")}, []string{header, "A\ttalk.1\t1\t9\trater1\ts\tt\tNo-error\tNo-error"}},
		{"WMT's spelling", "mqm", []campaign.Segment{marked("s", "🙂 t", target(0, 1, "minor", "Terminology", "Inconsistent use"), target(0, 3, "major", "Non-translation", ""),
			target(2, 3, "neutral", "Fluency", "Spelling"), target(3, 3, "Own severity", "Fluency", "Display"), target(0, 0, "critical", "Other", ""))}, []string{header,
			"A\ttalk.1\t1\t9\trater1\ts\t<v>🙂</v> t\tTerminology/Inconsistent use of terminology\tMinor",
			"A\ttalk.1\t1\t9\trater1\ts\t<v>🙂 t</v>\tNon-translation!\tMajor",
			"A\ttalk.1\t1\t9\trater1\ts\t🙂 <v>t</v>\tFluency/Spelling\tNeutral",
			"A\ttalk.1\t1\t9\trater1\ts\t🙂 t<v></v>\tFluency/Display\tOwn severity",
			"A\ttalk.1\t1\t9\trater1\ts\t🙂 t\tOther\tCritical"}},
		// A mark at the start is written only if the error would otherwise change.
		{"no words at the start", "mqm", []campaign.Segment{marked("Tri", "Hallo", target(0, 0, "minor", "Other", ""), at0(protocol.Source, "Source error"), at0(protocol.Target, "Source error"), at0(protocol.Source, "Other"), at0(protocol.Target, "Non-translation"))}, []string{header,
			"A\ttalk.1\t1\t9\trater1\tTri\tHallo\tOther\tMinor",
			"A\ttalk.1\t1\t9\trater1\tTri\tHallo\tSource error\tMinor",
			"A\ttalk.1\t1\t9\trater1\tTri\t<v></v>Hallo\tSource error\tMinor",
			"A\ttalk.1\t1\t9\trater1\t<v></v>Tri\tHallo\tOther\tMinor",
			"A\ttalk.1\t1\t9\trater1\tTri\t<v></v>Hallo\tNon-translation!\tMinor"}},
		{"missing punctuation at the start", "esa", []campaign.Segment{marked("s", "t", target(0, 0, "minor", "", "missing punctuation"), target(0, 0, "minor", "", ""), at0(protocol.Source, "Source issue"))}, []string{header,
			"A\ttalk.1\t1\t9\trater1\ts\t<v></v>t\t/missing punctuation\tMinor", "A\ttalk.1\t1\t9\trater1\ts\tt\t\tMinor", "A\ttalk.1\t1\t9\trater1\ts\tt\tSource issue\tMinor"}},
		{"white space, source, comment", "mqm", []campaign.Segment{marked("a\tb\r\nc", "x\ry", omission, target(1, 3, "minor", "Style", "Awkward")), marked("s", "t")}, []string{header + "\tcomment",
			"A\ttalk.1\t1\t9\trater1\ta<v> </v>b  c\tx y\tAccuracy/Omission\tMajor\tleft out here",
			"A\ttalk.1\t1\t9\trater1\ta b  c\tx<v> y</v>\tStyle/Awkward\tMinor\t",
			"A\ttalk.1\t2\t9\trater1\ts\tt\tNo-error\tNo-error\t"}},
		{"esa has no category", "esa", []campaign.Segment{marked("s", "t", target(0, 1, "minor", "", ""), target(1, 1, "minor", "", "missing punctuation"))}, []string{header,
			"A\ttalk.1\t1\t9\trater1\ts\t<v>t</v>\t\tMinor", "A\ttalk.1\t1\t9\trater1\ts\tt<v></v>\t/missing punctuation\tMinor"}},
		{"rate", "rate", []campaign.Segment{marked("s", "t", target(0, 1, "4", "Named entity", ""))}, []string{header, "A\ttalk.1\t1\t9\trater1\ts\t<v>t</v>\tNamed entity\t4"}},
		{"a mark in quotes", "mqm", []campaign.Segment{marked("s", `"a ""b"" c"`, target(0, 1, "minor", "Other", ""), target(4, 5, "minor", "Other", ""))}, []string{header,
			`A	talk.1	1	9	rater1	s	"<v>""</v>a """"b"""" c"""	Other	Minor`, `A	talk.1	1	9	rater1	s	"""a ""<v>""</v>b"""" c"""	Other	Minor`}},
		{"quotes", "mqm", []campaign.Segment{marked(`"a"`, `"a ""b"" c"`), marked(`"a "b" c"`, `""`)}, []string{header,
			`A	talk.1	1	9	rater1	"a"	"""a """"b"""" c"""	No-error	No-error`, `A	talk.1	2	9	rater1	"a "b" c"	""	No-error	No-error`}},
		{"nothing", "mqm", nil, []string{header}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			want := strings.Join(tt.want, "\n") + "\n"
			if _, err := export.MQM(&b, lookup(t, tt.protocol), source(nil, tt.segments...)); err != nil || b.String() != want {
				t.Errorf("got %v\n%s\nwant\n%s", err, &b, want)
			}
		})
	}
}

// TestMQMRefuses: an error outside its text, for example, is refused.
func TestMQMRefuses(t *testing.T) {
	for name, s := range map[string]campaign.Segment{
		"a span outside the text": marked("s", "t", protocol.ErrorSpan{Side: protocol.Target, End: 2}),
		"no UTF-8":                marked("s", "\xff"),
	} {
		var b strings.Builder
		notes, err := export.MQM(&b, lookup(t, "mqm"), source(nil, s))
		if err == nil || notes != nil || b.Len() > 0 || !strings.Contains(err.Error(), `segment "9" of document "talk.1"`) {
			t.Errorf("%s: got %v and %q", name, err, &b)
		}
	}
}

// TestMQMLeavesOut: ratings of texts that hold a mark themselves, and those of other
// rounds, are left out and counted; all else is written.
func TestMQMLeavesOut(t *testing.T) {
	both, source1 := marked("s", "a <v>b"), marked("</v>", "t")
	both.Translations = append(both.Translations, marked("s", "plain").Translations[0])
	both.Translations[1].System = "B"
	source1.SegmentID = "10"
	twice := marked("s", "t")
	twice.Translations[0].Ratings = append(twice.Translations[0].Ratings, twice.Translations[0].Ratings[0])
	twice.Translations[0].Ratings[1].Round, twice.Round, twice.Status = 2, 2, campaign.Agreed
	var b strings.Builder
	notes, err := export.MQM(&b, lookup(t, "mqm"), source(nil, both, source1, twice))
	if err != nil || strings.Count(b.String(), "\n") != 3 || !strings.Contains(b.String(), "B\ttalk.1\t1\t9\trater1\ts\tplain\t") {
		t.Errorf("got %v\n%s", err, &b)
	}
	want := []string{
		`2 ratings are left out, since their sources or translations hold <v> or </v>, with which the table marks errors: segment "9" of document "talk.1" by "A", segment "10" of document "talk.1" by "A"`,
		`1 rating is left out, since the file holds one round of a segment, the last complete one: segment "9" of document "talk.1" by "A"`,
	}
	if !slices.Equal(notes, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(notes, "\n"), strings.Join(want, "\n"))
	}
}

// TestMQMNotes: the notes count the losses.
func TestMQMNotes(t *testing.T) {
	span := func(id, link, comment string) protocol.ErrorSpan {
		return protocol.ErrorSpan{ID: id, Side: protocol.Target, End: 1, Severity: "minor", Link: link, Comment: comment}
	}
	full := marked("a\tb", "c\nd", span("1", "", ""), span("2", "1", "x\r\ny"), span("", "nowhere", "fine"))
	full.Translations[0].Ratings[0].Comment = "lost,\neach line of it"
	full.Translations[0].Ratings[0].Scores = map[string]float64{"score": 5}
	// Of a second translation there are no rows, so that its text is not lost.
	full.Translations = append(full.Translations, campaign.Translation{System: "B", Text: "not\nrated"})
	one := marked("s", "t", span("1", "1", ""))
	one.Translations[0].Ratings[0].Comment = "lost"
	clean := marked("s", "t")
	clean.Translations[0].Ratings[0].Comment = "kept\nin two lines"
	unrated := marked("s\n", "t")
	unrated.Translations[0].Ratings = nil
	for name, tt := range map[string]struct {
		segments []campaign.Segment
		want     []string
	}{
		"one of each": {[]campaign.Segment{one, clean}, []string{
			"1 comment of a rating with errors has no place in the table: segment \"9\" of document \"talk.1\" by \"A\"",
			"1 id of an error has no place in the table: segment \"9\" of document \"talk.1\" by \"A\"",
			"1 link between errors has no place in the table: segment \"9\" of document \"talk.1\" by \"A\"",
			"1 text or comment has tabs or line breaks, which are spaces in the table: segment \"9\" of document \"talk.1\" by \"A\"",
		}},
		"several": {[]campaign.Segment{full, full, clean, unrated}, []string{
			"2 comments of ratings with errors have no place in the table: segment \"9\" of document \"talk.1\" by \"A\"",
			"2 ratings have scores, which have no place in the table: segment \"9\" of document \"talk.1\" by \"A\"",
			"4 ids of errors have no place in the table: segment \"9\" of document \"talk.1\" by \"A\"",
			"4 links between errors have no place in the table: segment \"9\" of document \"talk.1\" by \"A\"",
			"7 texts and comments have tabs or line breaks, which are spaces in the table: segment \"9\" of document \"talk.1\" by \"A\", segment \"9\" of document \"talk.1\", segment \"9\" of document \"talk.1\" by \"A\", and others", // twice source, target and a comment; one of clean
		}},
		"nothing": {[]campaign.Segment{marked("s", "t", span("", "", "kept")), unrated}, nil},
	} {
		got, err := export.MQM(io.Discard, lookup(t, "esa"), values(tt.segments))
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}
