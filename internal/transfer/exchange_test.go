package transfer

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// rateRows has ratings with a link to another segment, and a segment that is adjudicated.
const rateRows = `{"annotator":"lin","doc_id":"d","doc_num":1,"line_id":1,"domain":"","system":"A","source":"源文","translation":"some 🙂","score_accuracy":1,"score_fluency":2,"spans":[{"id":"b","side":"source","start":1,"end":2,"text":"文","severity":"2","category":"Omission","link":"a"}],"rate":2,"rate_mqm":1,"rate_esa":1.5}
{"annotator":"lin","doc_id":"d","doc_num":1,"line_id":2,"domain":"","system":"A","source":"源","translation":"more","score_accuracy":90,"score_fluency":90,"spans":[{"id":"a","side":"target","start":0,"end":4,"text":"more","severity":"5","category":"Style"}],"rate":5,"rate_mqm":5,"rate_esa":90}
{"annotator":"jo","adjudicated":true,"doc_id":"e","doc_num":2,"line_id":1,"domain":"news","system":"A","source":"文","translation":"","score_accuracy":0,"score_fluency":0,"spans":[],"rate":0,"rate_mqm":0,"rate_esa":0}
`

// TestExchangedAdjudications: ratings and adjudications of a format of another program come in, and go out as they were.
func TestExchangedAdjudications(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("rate"), storetest.Segments(0), storetest.Annotators(0))
		report, err := Import(t.Context(), db.Store, s.Campaign, Request{Files: []File{file("a.jsonl", rateRows)}})
		if err != nil {
			t.Fatal(err)
		}
		if report.Segments != 3 || report.Ratings != 3 || strings.Join(report.NewAnnotators, " ") != "lin jo" || report.Decided[campaign.Adjudicated] != 1 {
			t.Errorf("got %+v", report)
		}
		s.Reload(t)
		if got := exported(t, db, s.Campaign, "rate"); got != rateRows {
			t.Errorf("got\n%s\nwant\n%s", got, rateRows)
		}
		// A program that is killed before the adjudications leaves an import that says so.
		imports := storetest.Must(db.Intake.Imports(t.Context(), s.Campaign.ID))(t)
		if len(imports) != 2 || strings.Contains(imports[0].Brought+imports[1].Brought, "still to be imported") {
			t.Errorf("the imports are %+v", imports)
		}
		wrong := strings.NewReplacer("adjudicated\":true", "adjudicated\":true,\"x\":1", "\"e\"", "\"f\"", "\"spans\":[]", `"spans":[{"id":"c","start":0,"end":0,"severity":"1","category":"Style","link":"none"}]`)
		before := s.All(t)
		if _, err := Import(t.Context(), db.Store, s.Campaign, Request{Files: []File{file("b.jsonl", wrong.Replace(strings.SplitAfter(rateRows, "\n")[2]))}}); err == nil || !strings.Contains(err.Error(), `no error with the id "none"`) {
			t.Errorf("the error is %v", err)
		}
		if after := s.All(t); len(after) != len(before) {
			t.Errorf("there are %d segments after an import that failed, and %d before it", len(after), len(before))
		}
	})
}

// TestCheckOfExchanged: a check finds what is wrong with metric scores and adjudications before anything is stored, also if the same files
// bring segments that the campaign does not have.
func TestCheckOfExchanged(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("rate"), storetest.Segments(0), storetest.Annotators(0))
		all := strings.SplitAfter(rateRows, "\n")
		check := func(rows string) (string, error) {
			report, err := Import(t.Context(), db.Store, s.Campaign, Request{Files: []File{file("a.jsonl", rows)}, Check: true})
			return strings.Join(report.Notes, "; "), err
		}
		if notes, err := check(rateRows); err != nil || !strings.Contains(notes, "1 adjudication found") {
			t.Errorf("a check of an empty campaign says %q, %v", notes, err)
		}
		if _, err := Import(t.Context(), db.Store, s.Campaign, Request{Files: []File{file("a.jsonl", rateRows)}}); err != nil {
			t.Fatal(err)
		}
		s.Reload(t)
		rest := strings.Replace(all[1], `"line_id":2`, `"line_id":3`, 1) + all[2]
		if _, err := check(rest); err == nil || !strings.Contains(err.Error(), "decided here already") {
			t.Errorf("the check of an adjudication that is there says %v", err)
		}
		if after := s.All(t); len(after) != 3 {
			t.Errorf("%d segments after a check", len(after))
		}
	})
}

// TestConvertLinks: a conversion keeps links to errors in other segments of the document.
func TestConvertLinks(t *testing.T) {
	got, notes := converted(t, Conversion{Files: []File{file("a.jsonl", rateRows)}}, "rate")
	if got != rateRows || len(notes) > 0 {
		t.Errorf("got\n%s\nwant\n%s\nnotes %q", got, rateRows, notes)
	}
	got, notes = converted(t, Conversion{Files: []File{file("a.jsonl", strings.Replace(rateRows, `"link":"a"`, `"link":"c"`, 1))}}, "rate")
	if strings.Contains(got, "link") || len(notes) != 1 {
		t.Errorf("a link that leads nowhere is kept:\n%s\nnotes %q", got, notes)
	}
}

// TestTextFiles: files with one text a line come in together.
func TestTextFiles(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	zipped, _ := archived(t, [2]string{"set/sources.txt", "One\nTwo\n"}, [2]string{"set/A.txt", "Eins\n\n"}, [2]string{"set/refA.txt", "Un\nDeux\n"})
	report, err := Import(t.Context(), db.Store, s.Campaign, Request{Files: []File{file("set.zip", string(zipped))}})
	if err != nil || report.Segments != 2 || report.References != 2 || report.Notes[0] != "3 files recognised as text" {
		t.Errorf("got %+v, %v", report, err)
	}
}
