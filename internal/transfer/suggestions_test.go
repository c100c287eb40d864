package transfer

import (
	"errors"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// Segments, suggestions and ratings, imported in this order, restore the campaign.
func TestSuggestionsComeBack(t *testing.T) {
	const suggested = `{"doc_id":"d","segment_id":"1","system":"A","spans":[{"id":"x","side":"target","start":2,"end":3,"text":"🙂","severity":"minor"},{"id":"y","side":"source","start":0,"end":1,"text":"甲","severity":"major","comment":"?"}],"origin":"xcomet"}
{"doc_id":"d","segment_id":"2","system":"B","spans":[]}
`
	const rated = `{"segment_id":"1","system":"A","annotator":"x","scores":{"score":40},"spans":[{"id":"s1","start":0,"end":3,"severity":"major","suggestion":"x"}],"suggestions":[{"id":"x","became":"changed"},{"id":"y","became":"rejected"}]}
{"segment_id":"1","system":"B","annotator":"x","scores":{"score":90}}
`
	db := storetest.Open(t)
	one := storetest.Campaign(t, db.Store, storetest.Protocol("esa"), storetest.Slug("one"), storetest.Segments(0))
	bring := func(to *storetest.Sample, format, text string) {
		t.Helper()
		if _, err := Import(t.Context(), db.Store, to.Campaign, Request{Format: format, Files: []File{file(format, text)}}); err != nil {
			t.Fatal(err)
		}
		to.Reload(t)
	}
	bring(one, "jsonl", twoSegments)
	bring(one, "suggestions", suggested)
	bring(one, "ratings", rated)
	if got := exported(t, db, one.Campaign, "suggestions"); got != suggested {
		t.Errorf("got\n%s\nwant\n%s", got, suggested)
	}
	for format, want := range map[string]string{
		"ratings": `"severity":"major","suggestion":"x"}],"comment":"","suggestions":[{"id":"x","became":"changed"},{"id":"y","became":"rejected"}],"seconds"`,
		"csv":     `,suggestions,comment,`,
	} {
		if got := exported(t, db, one.Campaign, format); !strings.Contains(got, want) {
			t.Errorf("%s lacks %s:\n%s", format, want, got)
		}
	}
	two := storetest.Campaign(t, db.Store, storetest.Protocol("esa"), storetest.Slug("two"), storetest.Segments(0), storetest.Annotators(0))
	for _, format := range []string{"jsonl", "suggestions", "ratings"} {
		bring(two, format, exported(t, db, one.Campaign, format))
	}
	for _, format := range Formats(one.Campaign) {
		if a, b := exported(t, db, one.Campaign, format), exported(t, db, two.Campaign, format); a != b {
			t.Errorf("%s of the copy differs:\n%s\nand\n%s", format, a, b)
		}
	}

	sqm := storetest.Campaign(t, db.Store, storetest.Slug("sqm"))
	_, err := Import(t.Context(), db.Store, sqm.Campaign, Request{Format: "suggestions", Files: []File{file("f", suggested)}})
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); !ok || !strings.Contains(invalid.Msg, "esa or mqm or rate") {
		t.Errorf("SQM takes suggestions: %v", err)
	}
	if _, err := Export(t.Context(), db.Store, sqm.Campaign, "suggestions", nil); err == nil {
		t.Error("SQM has suggestions")
	}
}
