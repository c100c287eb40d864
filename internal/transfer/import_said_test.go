package transfer

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/store/storetest"
)

// TestQuotationMarksOfATable: texts that have the quotation marks which CSV software would have written stay as
// the campaign has them, and the errors lie on their words. Such a table also says which categories it renames,
// that errors of the source weigh nothing, and that language pairs are no part of names.
func TestQuotationMarksOfATable(t *testing.T) {
	db, s := storetest.New(t, storetest.Protocol("mqm"), storetest.Segments(0), storetest.Annotators(0))
	texts := `{"doc_id":"d","segment_id":"1","source":"\"a \"\"b\"\" c\"","translations":{"A":"\"x \"\"y\"\" z\""}}` + "\n"
	storetest.Must(Import(t.Context(), db.Store, s.Campaign, Request{Format: "jsonl", Files: []File{file("s.jsonl", texts)}}))(t)
	table := strings.ReplaceAll(`A|d:zh-en|1|1|r|"a ""b"" c"|"x ""<v>y</v>"" z"|Accuracy/Mistranslation|Major
A|d:zh-en|1|1|r|"<v>a</v> ""b"" c"|"x ""y"" z"|Source issue|Minor
`, "|", "\t")
	report := storetest.Must(Import(t.Context(), db.Store, s.Campaign, Request{Format: "mqm-tsv", Files: []File{file("t.tsv", table)}}))(t)
	r := s.All(t)[0].Translations[0].Ratings[0]
	if len(r.Spans) != 2 || r.Spans[0].Text != "y" || r.Spans[0].Start != 5 || r.Spans[1].Text != "a" || r.Spans[1].Start != 1 {
		t.Errorf("marked %+v", r.Spans)
	}
	for _, want := range []string{
		`1 error of the category "Source issue", which the protocol calls "Source error", first at t.tsv:2`,
		`1 error of the category "Source error" weigh nothing here, as in WMT 2023; with the setting source_error=severity they weigh as others, as in WMT 2020 to 2022 and TED, first at t.tsv:1`,
		`2 rows whose document ends in the language pair, which is read as the languages and left out of its name, first at t.tsv:1`,
	} {
		if !slices.Contains(report.Notes, want) {
			t.Errorf("no note %q in %q", want, report.Notes)
		}
	}
	more := strings.ReplaceAll(table, "|r|", "|q|")
	_, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: "mqm-tsv", Files: []File{file("t.tsv", strings.ReplaceAll(more, " c\"", " C\""))}})
	if err == nil || !strings.Contains(err.Error(), "differs from the text in the campaign") {
		t.Errorf("another source: %v", err)
	}
}

// TestManyProblemsOfOneKind: many problems of one kind are summed up in a sentence that says what to do.
func TestManyProblemsOfOneKind(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(0), storetest.Annotators(0))
	table := func(text string) string {
		var b strings.Builder
		for i := range 30 {
			n := string(rune('a' + i%26))
			b.WriteString(strings.Join([]string{"A", "d", n + n[:i/26], n + n[:i/26], "r", text + n, "x", "No-error", "No-error"}, "\t") + "\n")
		}
		return b.String()
	}
	imported := func(text string) error {
		_, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: "mqm-tsv", Files: []File{file("t.tsv", text)}})
		return err
	}
	storetest.Check(t, imported(table("s")))
	for text, want := range map[string]string{
		"s": "30 ratings are in the campaign already, first at t.tsv:1, and no other problem was found",
		"z": "30 texts are not those of the campaign, first at t.tsv:1; check that the file belongs to this campaign",
	} {
		err := imported(table(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Count(err.Error(), "\n") != 10 {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}
