package sample

import (
	"fmt"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/store"
)

// markedCampaigns are those whose protocol marks errors.
var markedCampaigns = []string{ESA, MQM, RATE}

// Of each of these campaigns the first segments are rated, and so many more are open. The
// annotators differ on one segment.
const (
	ratedSegments = 15
	lastRated     = "s15"
)

var (
	openSegments = map[string]int{ESA: 17, MQM: 11, RATE: 10}
	disputed     = map[string]string{ESA: "s11", MQM: "s08", RATE: "s08"}
)

// testMarked looks at every rating of these campaigns: it could have been given
// here as it is, its errors cover the words they say, and all its scores are there.
func testMarked(t *testing.T, st *store.Store) {
	for _, slug := range markedCampaigns {
		t.Run(slug, func(t *testing.T) {
			c, segs := segments(t, st, slug)
			if len(segs) != ratedSegments+openSegments[slug] {
				t.Fatalf("%d segments, want %d", len(segs), ratedSegments+openSegments[slug])
			}
			if len(c.Own.Severities)+len(c.Own.Categories) > 0 {
				t.Errorf("the ratings brought %+v", c.Own)
			}
			ids := errorIDs(t, segs)
			for _, s := range segs {
				open := s.SegmentID > lastRated
				if s.Source == "" || len(s.References) != 1 || s.Domain == "" || len(s.Translations) != 4 {
					t.Errorf("%s has %d references, %d translations, domain %q", s.SegmentID, len(s.References), len(s.Translations), s.Domain)
				}
				for _, tr := range s.Translations {
					where := fmt.Sprintf("%s %s", s.SegmentID, tr.System)
					if open {
						if len(tr.Ratings) > 0 || tr.Gold != nil {
							t.Errorf("%s is rated", where)
						}
						continue
					}
					if len(tr.Ratings) != 2 || tr.Ratings[0].Annotator == tr.Ratings[1].Annotator {
						t.Errorf("%s: %d ratings, want those of two annotators", where, len(tr.Ratings))
					}
					if tr.Gold == nil {
						t.Errorf("%s is not in gold", where)
					}
					for _, r := range tr.Ratings {
						texts := protocol.Texts{Source: s.Source, Translation: tr.Text, Linkable: ids[hand{s.DocID, tr.System, r.Annotator}]}
						checkRating(t, where+" "+r.Annotator, c.Rules, r, texts)
					}
				}
			}
		})
	}
}

// A hand is what an annotator rated of a document by a system. Its errors can be linked to
// one another.
type hand struct{ document, system, annotator string }

// errorIDs lists the ids of errors, and checks that no hand has one twice.
func errorIDs(t *testing.T, segs []campaign.Segment) map[hand]map[string]bool {
	t.Helper()
	ids := map[hand]map[string]bool{}
	for _, s := range segs {
		for _, tr := range s.Translations {
			for _, r := range tr.Ratings {
				h := hand{s.DocID, tr.System, r.Annotator}
				if ids[h] == nil {
					ids[h] = map[string]bool{}
				}
				for _, span := range r.Spans {
					if ids[h][span.ID] {
						t.Errorf("%s: %+v has another error %s", s.SegmentID, h, span.ID)
					}
					ids[h][span.ID] = true
				}
			}
		}
	}
	return ids
}

func checkRating(t *testing.T, where string, p *protocol.Protocol, r campaign.Rating, texts protocol.Texts) {
	given := r.Rating
	given.NoErrors = len(given.Spans) == 0
	for _, v := range p.Check(given, texts) {
		t.Errorf("%s: %s: %s", where, v.Field, v.Msg)
	}
	if m := p.Missing(given); m != "" {
		t.Errorf("%s lacks %s", where, m)
	}
	for _, s := range r.Spans {
		text := texts.Translation
		if s.Side == protocol.Source {
			text = texts.Source
		}
		if words, ok := codepoint.Slice(text, s.Start, s.End); !ok || words != s.Text || words == "" && s.Subcategory != "missing punctuation" {
			t.Errorf("%s: %s covers %q, says %q", where, s.ID, words, s.Text)
		}
		if strings.TrimSpace(s.Text) != s.Text {
			t.Errorf("%s: %s begins or ends with a space", where, s.ID)
		}
	}
	if got, want := len(p.Values(r.Rating)), len(p.Scores)+len(p.Derived); got != want {
		t.Errorf("%s has %d scores, want %d", where, got, want)
	}
}

// What is rated of these campaigns is settled: the annotators agree on all segments but
// one. The last two documents are left to do.
func testSettled(t *testing.T, st *store.Store) {
	for _, slug := range markedCampaigns {
		c, segs := segments(t, st, slug)
		for _, s := range segs {
			want := campaign.Agreed
			if s.SegmentID == disputed[slug] {
				want = campaign.BelowThreshold // the gate only reports
			}
			if s.SegmentID > lastRated {
				want = campaign.Pending
			}
			if s.Status != want {
				t.Errorf("%s %s: %s, want %s", slug, s.SegmentID, s.Status, want)
			}
		}
		for _, login := range annotators {
			u, err := st.Accounts.UserByLogin(t.Context(), login)
			if err != nil {
				t.Fatal(err)
			}
			p, err := st.Desk.MyProgress(t.Context(), c, u.ID)
			if err != nil || p.Available != openSegments[slug] || p.Begun+p.Second > 0 || p.Done == 0 {
				t.Errorf("%s: %s has %+v, %v", slug, login, p, err)
			}
		}
	}
}

// testOpen begins the segment that Annotator gets first in each of these campaigns:
// all its translations have something suggested under ESA and MQM, nothing in RATE. Under
// RATE Annotator is given the whole document.
func testOpen(t *testing.T, st *store.Store) {
	for slug, suggested := range map[string]int{ESA: 4, MQM: 4, RATE: 0} {
		lin, err := st.Accounts.UserByLogin(t.Context(), Annotator)
		if err != nil {
			t.Fatal(err)
		}
		c, segs := segments(t, st, slug)
		id, err := st.Work.Next(t.Context(), c.ID, lin.ID)
		if err != nil {
			t.Fatalf("%s: %v", slug, err)
		}
		w, err := st.Work.LoadWork(t.Context(), c, id, lin.ID)
		if err != nil {
			t.Fatal(err)
		}
		if w.Source != segs[ratedSegments].Source {
			t.Errorf("%s begins with %q", slug, w.Source)
		}
		if whole := w.Next != ""; whole != (slug == RATE) {
			t.Errorf("%s: the next segment of the document was handed out: %v", slug, whole)
		}
		n := 0
		for _, card := range w.Cards {
			if len(card.Suggestions) > 0 {
				n++
			}
		}
		if n != suggested {
			t.Errorf("%s: %d of %d cards have suggestions, want %d", slug, n, len(w.Cards), suggested)
		}
	}
}
