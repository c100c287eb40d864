package records_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"annotate/internal/protocol"
	"annotate/internal/records"
)

// What is stored of a rating is decoded as package encoding/json decodes it, also where another version of
// the program wrote it in another form.
func TestDecodeRating(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "word", "a \"quoted\" one", "back\\slash\\", "line\nbreak", "<b>&amp;", "\u2028 Größe 🙂", "{\"", "]}", ","}
	text := func() string { return texts[random.IntN(len(texts))] + texts[random.IntN(len(texts))] }
	var columns []records.RatingColumns
	for range 500 {
		r := protocol.Rating{Scores: map[string]float64{}}
		for range random.IntN(4) {
			r.Scores[text()] = []float64{0, -3, 87, 0.1, 1e21, 1.5e-9}[random.IntN(6)]
		}
		for range random.IntN(4) {
			r.Spans = append(r.Spans, protocol.ErrorSpan{ID: text(), Side: protocol.Target, Start: random.IntN(9), End: random.IntN(200), Text: text(), Severity: text(),
				Category: text(), Subcategory: text(), Comment: text(), Link: text(), Suggestion: text()})
		}
		columns = append(columns, records.ColumnsOf(r))
	}
	columns = append(columns,
		records.RatingColumns{Scores: ` { "score" : 4 } `, Spans: `[ {"side": "target", "start": 1, "end": 2} ]`},
		records.RatingColumns{Scores: `{"score":4}`, Spans: `[{"side":"target","more":{"x":[1]},"start":1,"end":2}]`},
		records.RatingColumns{Scores: `{}`, Spans: `[]`},
		records.RatingColumns{},
	)
	for _, c := range columns {
		want := protocol.Rating{Scores: map[string]float64{}}
		_ = json.Unmarshal([]byte(c.Scores), &want.Scores)
		if c.Spans != "[]" {
			_ = json.Unmarshal([]byte(c.Spans), &want.Spans)
		}
		if got := c.Rating(); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v is decoded as\n%+v, want\n%+v", c, got, want)
		}
	}
}
