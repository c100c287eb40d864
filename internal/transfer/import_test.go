package transfer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

const oneTable = `system	doc	doc_id	seg_id	rater	source	target	category	severity	comment
B	talk	1	1	x	Hello there	<v>Hallo</v> da	Accuracy/Mistranslation	Major
B	talk	1	1	y	Hello there	Hallo da	No-error	No-error
A	talk	1	1	x	Hello <v>there</v>	Hallo	Accuracy/Omission	Minor
A	talk	2	2	x	Bye	Tschüss<v>!</v>	Odd	Critical
A	talk	2	2	x	Bye	Tschüss!	HOTW-test	Missed
`

// TestImportTable: texts and ratings come in one file, into an empty campaign and
// into one that has the texts, and the report says what was done with odd rows.
func TestImportTable(t *testing.T) {
	db := storetest.Open(t)
	empty := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Slug("empty"), storetest.Segments(0))
	report := storetest.Must(Import(t.Context(), db.Store, empty.Campaign, Request{Format: "mqm-tsv", Files: []File{file("t.tsv", oneTable)}}))(t)
	if report.Segments != 2 || report.Translations != 3 || report.Ratings != 4 || !slices.Equal(report.Systems, []string{"A", "B"}) ||
		!slices.Equal(report.OwnSeverities, []string{"critical"}) || !slices.Equal(report.OwnCategories, []string{"Odd"}) {
		t.Errorf("report %+v", report)
	}
	wantNotes := []string{
		`severity "critical" of 1 error, first at t.tsv:5, costs nothing until critical=yes`, `category "Odd" of 1 error, first at t.tsv:5, is none of MQM's`,
		`the first segment was read as zh-en: "Hello there", by "A": "Hallo"`,
		"1 row of attention checks (HOTW-test) left out, first at t.tsv:6",
	}
	if !slices.Equal(report.Notes, wantNotes) {
		t.Errorf("notes %q", report.Notes)
	}
	first := empty.All(t)[0]
	b := first.Translations[1]
	if first.Source != "Hello there" || b.Text != "Hallo da" || len(b.Ratings) != 2 || b.Ratings[0].Spans[0].Text != "Hallo" || b.Gold.Score != -2.5 {
		t.Errorf("stored %+v", first)
	}
	if side := first.Translations[0].Ratings[0].Spans[0].Side; side != protocol.Source {
		t.Errorf("the omission is marked in the %s", side)
	}

	known := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Slug("known"), storetest.Segments(0), storetest.Annotators(0))
	texts := `{"doc_id":"talk","segment_id":"1","source":"Hello\nthere","translations":{"A":"Hallo","B":"Hallo\tda"}}
{"doc_id":"talk","segment_id":"2","source":"Bye","translations":{"A":"Tschüss!","B":"Ade"}}
`
	storetest.Must(Import(t.Context(), db.Store, known.Campaign, Request{Format: "jsonl", Files: []File{file("s.jsonl", texts)}}))(t)
	report, err := Import(t.Context(), db.Store, known.Campaign, Request{Format: "mqm-tsv", Files: []File{file("t.tsv", oneTable)}})
	if err != nil || report.Known != 2 || report.Segments+report.Translations != 0 || report.Ratings != 4 {
		t.Errorf("report %+v %v", report, err)
	}
	if b := known.All(t)[0].Translations[1]; b.Text != "Hallo\tda" || len(b.Ratings) != 2 {
		t.Errorf("stored %+v", b)
	}
	_, err = Import(t.Context(), db.Store, known.Campaign, Request{Format: "mqm-tsv", Files: []File{file("t.tsv", oneTable)}})
	problems, ok := errors.AsType[*campaign.Problems](err)
	if !ok || problems.Count() != 4 || problems.List[0].Error() != "t.tsv:2: annotator: rating of B by x: x has rated this translation in round 1 already; ratings are never replaced, so leave the line out or import into a new campaign" {
		t.Errorf("a second time: %v", err)
	}
}

// TestImportLeavesOut: the error of contradictions and unknown systems names the way to
// leave them out. With that option they are left out and named.
func TestImportLeavesOut(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(0))
	const rows = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n" +
		"A\td\t1\t1\tx\teins\tone\tNo-error\tNo-error\nA\td\t1\t1\ty\teins\tanother\tNo-error\tNo-error\nB\td\t1\t1\tx\teins\tone\tNo-error\tNo-error\n"
	table := Request{Format: "mqm-tsv", Files: []File{file("t.tsv", rows)}}
	_, err := Import(t.Context(), db.Store, s.Campaign, table)
	problems, ok := errors.AsType[*campaign.Problems](err)
	if !ok || problems.Count() != 1 || !strings.Contains(problems.Summary, "rows of the table contradict each other, first at t.tsv:3; ") || !strings.Contains(problems.Summary, "--leave-out contradictions") {
		t.Fatalf("got %v", err)
	}
	table.LeaveOut, table.Files = []string{Contradictions}, []File{file("t.tsv", rows)}
	report, err := Import(t.Context(), db.Store, s.Campaign, table)
	if err != nil || report.Translations != 1 || !slices.ContainsFunc(report.Notes, func(n string) bool {
		return strings.HasSuffix(n, `first at t.tsv:2: segment "1" of document "d" by "A"`)
	}) {
		t.Fatalf("%+v %v", report, err)
	}
	table.LeaveOut = []string{"everything"}
	if _, err = Import(t.Context(), db.Store, s.Campaign, table); err == nil || !strings.Contains(err.Error(), "use contradictions or systems") {
		t.Errorf("got %v", err)
	}
}

// TestImportWithoutSegments: formats that need segments are refused with a single sentence
// if the campaign has none.
func TestImportWithoutSegments(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(0))
	for _, format := range []string{"scores", "ratings", "references", "suggestions"} {
		_, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: format, Files: []File{file("m.seg.score", strings.Repeat("A\t1\n", 120))}})
		if _, ok := errors.AsType[*campaign.InvalidError](err); !ok || err.Error() != "format: the campaign has no segments yet, and "+format+" are about segments that are in it; import segments first, in the format jsonl or ment" {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// TestImportNamesLanguages: a format that says a language names it for a campaign that
// does not know it, one of the two as well.
func TestImportNamesLanguages(t *testing.T) {
	db := storetest.Open(t)
	for i, tt := range []struct{ source, target, format, text, want, pair string }{
		{"", "", "jsonl", `{"segment_id":"1","source":"s","source_lang":"zh","target_lang":"en","translations":{"A":"t"}}`, "zh-en", ""},
		{"", "", "jsonl", `{"segment_id":"1","source":"s","source_lang":"zh","translations":{"A":"t"}}`, "zh/", ""},
		{"zh", "", "jsonl", `{"segment_id":"1","source":"s","target_lang":"en","translations":{"A":"t"}}`, "zh-en", ""},
		{"zh", "", "ment", `{"src":"s","src_lang":"zh","trans_lang":"en","trans_0":"t"}`, "zh-en", ""},
		{"", "", "mqm-tsv", "A\td:en-de\t1\t1\tr\ts\tt\tNo-error\tNo-error", "en-de", ""},
		{"", "", "mqm-tsv", "A\td\t1\t1\tr\ts\tt\tNo-error\tNo-error", "/", ""},
		{"", "", "mqm-tsv", "A\td\t1\t1\tr\ts\tt\tNo-error\tNo-error", "en-de", "en-de"},
	} {
		id := "sqm"
		if tt.format == "mqm-tsv" {
			id = "mqm"
		}
		p, _ := protocol.Lookup(id)
		c := storetest.Must(db.Accounts.CreateCampaign(t.Context(), campaign.Campaign{Slug: fmt.Sprint("c", i), Title: "C", Protocol: id, SourceLang: tt.source, TargetLang: tt.target, Settings: campaign.DefaultSettings(p)}, ""))(t)
		report := storetest.Must(Import(t.Context(), db.Store, c, Request{Format: tt.format, LanguagePair: tt.pair, Files: []File{file("f", tt.text+"\n")}}))(t)
		after := storetest.Must(db.Records.Campaign(t.Context(), c.Slug))(t)
		got := after.LanguagePair()
		if got == "" {
			got = after.SourceLang + "/" + after.TargetLang
		}
		if got != tt.want {
			t.Errorf("%s %s: the campaign is %s, want %s", tt.format, tt.text, got, tt.want)
		}
		said := slices.ContainsFunc(report.Notes, func(n string) bool { return strings.HasPrefix(n, "the campaign does not know its languages") })
		if said != (after.LanguagePair() == "") {
			t.Errorf("%s %s: notes %q", tt.format, tt.text, report.Notes)
		}
	}
}

// TestFirstFileBindsOthers: a campaign without segments gets the languages and, but for tables of ratings, the systems of the
// first file. A file after it that has others is refused, and nothing is stored.
func TestFirstFileBindsOthers(t *testing.T) {
	db := storetest.Open(t)
	for i, tt := range []struct{ protocol, format, first, second, want string }{
		{"sqm", "jsonl", `{"segment_id":"1","source":"s","translations":{"A":"t","B":"t"}}`, `{"segment_id":"2","source":"s","translations":{"A":"t","C":"t"}}`, "there is no system \"C\""},
		{"sqm", "jsonl", `{"segment_id":"1","source":"s","source_lang":"zh","target_lang":"en","translations":{"A":"t"}}`,
			`{"segment_id":"2","source":"s","source_lang":"zh","target_lang":"fr","translations":{"A":"t"}}`, "zh-fr"},
		{"mqm", "mqm-tsv", "A\td:en-de\t1\t1\tr\ts\tt\tNo-error\tNo-error", "B\td:en-fr\t2\t2\tr\ts\tt\tNo-error\tNo-error", "en-fr"},
	} {
		p, _ := protocol.Lookup(tt.protocol)
		c := storetest.Must(db.Accounts.CreateCampaign(t.Context(), campaign.Campaign{Slug: fmt.Sprint("c", i), Title: "C", Protocol: tt.protocol, Settings: campaign.DefaultSettings(p)}, ""))(t)
		_, err := Import(t.Context(), db.Store, c, Request{Format: tt.format, Files: []File{file("a", tt.first+"\n"), file("b", tt.second+"\n")}})
		if err == nil || !strings.HasPrefix(err.Error(), "b:1") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s after %s: %v, want %s", tt.second, tt.first, err, tt.want)
		}
		if systems := storetest.Must(db.Records.Systems(t.Context(), c.ID))(t); len(systems) > 0 {
			t.Errorf("%s: the systems %q are stored", tt.second, systems)
		}
	}
}

// TestImportTwice: of a segment that is there twice the first place is named, be it
// far above, in another file, or in the campaign.
func TestImportTwice(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	line := func(id int) string {
		return fmt.Sprintf(`{"doc_id":"d","segment_id":"%d","source":"s","translations":{"A":"t"}}`+"\n", id)
	}
	var long strings.Builder
	for i := range 250 {
		long.WriteString(line(i))
	}
	_, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: "jsonl", Files: []File{file("a.jsonl", long.String()+line(7)+line(300)+line(300)), file("b.jsonl", line(8))}})
	want := `a.jsonl:251: segment_id: segment "7" of document "d" is there twice: the first is in line 8; give each its own id, or leave one out
a.jsonl:253: segment_id: segment "300" of document "d" is there twice: the first is in line 252; give each its own id, or leave one out
b.jsonl:1: segment_id: segment "8" of document "d" is there twice: the first is in line 9 of a.jsonl; give each its own id, or leave one out`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	for i := range 2 {
		_, err = Import(t.Context(), db.Store, s.Campaign, Request{Format: "jsonl", Files: []File{file("a.jsonl", line(1))}})
		if i == 1 && (err == nil || err.Error() != `a.jsonl:1: segment_id: segment "1" of document "d" is there twice: the campaign has it already; leave the line out, or give it another id`) {
			t.Errorf("got %v", err)
		}
	}
}

// TestImportShowsWhatWasRead: the report of an import shows a sample, so that a table of
// another language pair is noticed.
func TestImportShowsWhatWasRead(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(0))
	report, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: "mqm-tsv", Files: []File{file("t.tsv", "A\td\t1\t1\tx\tThis is an English sentence.\tDies ist ein deutscher Satz.\tNo-error\tNo-error\n")}})
	want := []string{
		`the first segment was read as zh-en: "This is an English sentence.", by "A": "Dies ist ein deutscher Satz."`,
		"check the language pair: the sources are in Latin letters (23 of the first 23), in which zh is not written",
	}
	if err != nil || !slices.Equal(report.Notes, want) {
		t.Errorf("%v: notes\n%s", err, strings.Join(report.Notes, "\n"))
	}
}

// TestOfAnotherCampaign: a file about segments that the campaign does not have is refused
// with one sentence of what to do, and not with a problem for each of its lines.
func TestOfAnotherCampaign(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("esa"), storetest.Systems(2))
	for format, line := range map[string]string{
		"ratings":     `{"segment_id":"other-%d","system":"sys-001","annotator":"mara","scores":{"score":50}}`,
		"suggestions": `{"segment_id":"other-%d","system":"sys-001","spans":[]}`,
		"scores":      `{"metric":"COMET","segment_id":"other-%d","system":"sys-001","score":1}`,
		"references":  `{"segment_id":"other-%d","references":{"refA":"x"}}`,
	} {
		var text strings.Builder
		for i := range 40 {
			fmt.Fprintf(&text, line+"\n", i)
		}
		_, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: format, Files: []File{file("f", text.String())}})
		problems, ok := errors.AsType[*campaign.Problems](err)
		if !ok || problems.Count() != 40 || len(problems.List) != campaign.MaxAlike {
			t.Errorf("%s: refused with %v", format, err)
			continue
		}
		if want := "40 lines are about segments that the campaign does not have, first at f:1; check that the files belong to this campaign"; !strings.HasPrefix(problems.Error(), want) {
			t.Errorf("%s: refused with %v, want %q", format, err, want)
		}
	}
	_, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: "ratings", Files: []File{file("f", `{"segment_id":"s1","system":"DeepL","annotator":"mara","scores":{"score":50}}`)}})
	if want := `f:1: system: the campaign has no system "DeepL"; its systems are "sys-001", "sys-002"; correct the name, or leave the line out`; err == nil || err.Error() != want {
		t.Errorf("refused with %v, want %q", err, want)
	}
}
