package transfer

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"annotate/internal/store/storetest"
)

const mqmRows = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n" +
	"A\tnews\t1\t1\tmara\tEin Hund.\tA <v>cat</v>.\tAccuracy/Mistranslation\tMajor\n" +
	"A\tnews\t1\t1\tjon\tEin Hund.\tA cat.\tNo-error\tNo-error\n" +
	"B\tnews\t2\t2\tmara\tEine Katze.\tA cat.\tNo-error\tNo-error\n"

func converted(t *testing.T, conv Conversion, to string) (text string, notes []string) {
	t.Helper()
	c := storetest.Must(ReadToConvert(conv))(t)
	defer c.Close()
	var b bytes.Buffer
	_, notes, err := c.Write(&b, to, Selection{})
	storetest.Check(t, err)
	return b.String(), notes
}

// TestConvert converts a table of marked errors: to itself, to ratings, to gold, and to segments, which have no place
// for ratings.
func TestConvert(t *testing.T) {
	rows := func() Conversion { return Conversion{Files: []File{file("mqm.tsv", mqmRows)}} }
	again, notes := converted(t, rows(), "mqm-tsv")
	if third, _ := converted(t, Conversion{Files: []File{file("again.tsv", again)}}, "mqm-tsv"); third != again || len(notes) > 0 || !strings.Contains(again, "A <v>cat</v>.") {
		t.Errorf("converted to itself the table is\n%s, and again\n%s, notes %q", again, third, notes)
	}
	ratings, _ := converted(t, rows(), "ratings")
	if n := strings.Count(ratings, "\n"); n != 3 || !strings.Contains(ratings, `"annotator":"mara","round":1`) {
		t.Errorf("the ratings are\n%s", ratings)
	}
	gold, _ := converted(t, rows(), "gold-jsonl")
	if !strings.Contains(gold, "-2.5") {
		t.Errorf("the mean of -5 and 0 is not in\n%s", gold)
	}
	segments, notes := converted(t, rows(), "jsonl")
	if want := []string{"3 ratings are left out: the format has no place for them"}; !slices.Equal(notes, want) || !strings.Contains(segments, `"translations":{"A":null,"B":"A cat."}`) {
		t.Errorf("the segments are\n%s, notes %q, want %q", segments, notes, want)
	}
}

// TestConvertRefused: files without texts, formats that do not fit, ids that are there twice and unknown names are refused.
func TestConvertRefused(t *testing.T) {
	const segment = `{"segment_id":"1","source":"s","translations":{"A":"t"}}` + "\n"
	for want, conv := range map[string]Conversion{
		"hold no texts":                {From: "ratings", Files: []File{file("r", "{}")}},
		"there is no format":           {From: "docx", Files: []File{file("r", "{}")}},
		"is there twice, first at a:1": {Files: []File{file("a", segment), file("b", segment)}},
		"there is no protocol \"da\"":  {Protocol: "da", Files: []File{file("a", segment)}},
		"mqm-tsv holds marked errors":  {Protocol: "sqm", Files: []File{file("a.tsv", mqmRows)}},
		"choose a file":                {From: "jsonl"},
	} {
		if _, err := ReadToConvert(conv); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	c := storetest.Must(ReadToConvert(Conversion{Files: []File{file("mqm.tsv", mqmRows)}}))(t)
	defer c.Close()
	for to, want := range map[string]string{"ment": "the protocol of these files is MQM", "scores": "nothing can be converted to the format \"scores\""} {
		if _, _, err := c.Write(&bytes.Buffer{}, to, Selection{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}
