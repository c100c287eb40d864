package server

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/wire"
	"annotate/internal/work"
)

// thirtyWords is a text of 30 words that differs for each n.
func thirtyWords(n int) string {
	return fmt.Sprint(strings.Repeat("the quick brown fox jumps over the lazy dog and ", 3), n)
}

// documentLines makes documents of some segments, with texts of 30 words.
func documentLines(documents, segments, systems int) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		for i := range documents * segments {
			seg := campaign.Segment{DocID: fmt.Sprint("d", i/segments+1), SegmentID: fmt.Sprint("s", i+1), Source: thirtyWords(i)}
			for k := range systems {
				seg.Translations = append(seg.Translations, campaign.Translation{System: fmt.Sprint("system", k), Text: thirtyWords(i*systems + k)})
			}
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: seg}, nil) {
				return
			}
		}
	}
}

// documentCampaign makes an MQM campaign that hands out whole documents.
func documentCampaign(b *testing.B, db *storetest.DB, slug string, documents, segments, systems, annotators int) *storetest.Sample {
	b.Helper()
	s := storetest.Campaign(b, db.Store, storetest.Slug(slug), storetest.Protocol("mqm"), storetest.Segments(0), storetest.Annotators(annotators),
		storetest.Set("context=document", "assign=document", fmt.Sprint("redundancy=", annotators)))
	if _, err := db.Intake.ImportSegments(b.Context(), s.Campaign.ID, documentLines(documents, segments, systems), intake.ImportOptions{File: "documents.jsonl"}); err != nil {
		b.Fatal(err)
	}
	return s
}

// markCards saves two errors on each card of an assignment.
func markCards(b *testing.B, db *storetest.DB, s *storetest.Sample, i int, id string) {
	b.Helper()
	for _, card := range s.Work(b, i, id).Cards {
		var marks []protocol.ErrorSpan
		for n, start := range []int{0, 40} {
			marks = append(marks, protocol.ErrorSpan{ID: fmt.Sprint("m", n), Side: protocol.Target, Start: start, End: start + 4,
				Text: string([]rune(card.Text)[start : start+4]), Severity: "minor", Category: "Accuracy", Subcategory: "Mistranslation"})
		}
		_, err := db.Work.SaveCard(b.Context(), s.Campaign, s.Annotators[i].ID, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision,
			Rating: protocol.Rating{Scores: map[string]float64{}, Spans: marks}})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDocument gives the server's time, in milliseconds, for what an annotator does in the
// middle of a document of 200 segments and 20 systems, half of which is submitted. The bar of
// the annotate page is a p95 of 100.
func BenchmarkDocument(b *testing.B) {
	const segments, systems = 200, 20
	db := storetest.Open(b)
	srv, err := New(Config{Now: db.Clock.Now}, db.Store)
	if err != nil {
		b.Fatal(err)
	}
	s := documentCampaign(b, db, "documents", 2, segments, systems, 2)
	var submitted, id string
	for range segments / 2 {
		submitted = s.Next(b, 0)
		markCards(b, db, s, 0, submitted)
		s.Submit(b, 0, submitted)
		db.Clock.Advance(time.Minute)
	}
	id = s.Next(b, 0)
	markCards(b, db, s, 0, id)
	cookie, path := srv.visitor(b, db.Store, s.Annotators[0]), "/campaigns/"+s.Campaign.Slug+"/assignments/"
	ask := func(b *testing.B, took *timing, method, path string, body any) {
		b.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			b.Fatal(err)
		}
		req := httptest.NewRequest(method, path, strings.NewReader(string(text)))
		req.Header.Set("Cookie", cookie)
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		took.of(b, func() { srv.Handler().ServeHTTP(w, req) })
		if w.Code != http.StatusOK {
			b.Fatalf("%s %s answered %d: %s", method, path, w.Code, w.Body)
		}
	}
	card := s.CardID(b, 0, id, 7)
	for _, page := range []struct{ name, path string }{
		{"annotate", path + id},
		{"annotate submitted", path + submitted},
		{"document of a card", path + id + "/document?card=" + card},
		{"document", path + id + "/document"},
		{"work", "/work"},
		{"finished", "/campaigns/" + s.Campaign.Slug + "/finished"},
		{"own segments", "/campaigns/" + s.Campaign.Slug + "/finished?show=all"},
	} {
		b.Run(page.name, func(b *testing.B) {
			var took timing
			for b.Loop() {
				ask(b, &took, "GET", page.path, nil)
			}
			took.report(b)
		})
	}
	revision := s.Work(b, 0, id).Cards[7].Revision
	save := func(b *testing.B, took *timing) {
		ask(b, took, "PUT", path+id+"/cards/"+card, wire.Save{Revision: revision, SaveID: fmt.Sprint(revision), Seconds: 1, Spans: []protocol.ErrorSpan{
			{ID: fmt.Sprint("x", revision), Side: protocol.Target, Start: 2, End: 9, Severity: "major", Category: "Fluency", Subcategory: "Grammar"}}})
		revision++
	}
	b.Run("save", func(b *testing.B) {
		var took timing
		for b.Loop() {
			save(b, &took)
		}
		took.report(b)
	})
	b.Run("submit", func(b *testing.B) {
		var took timing
		for b.Loop() {
			save(b, new(timing)) // so that it is submitted with a change each time
			ask(b, &took, "POST", path+id+"/submit", wire.Submit{Cards: storetest.Revisions(s.Work(b, 0, id))})
		}
		took.report(b)
	})
}
