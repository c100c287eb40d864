package transfer

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// Whatever errors are linked to within their documents, ratings that are exported, imported into
// a fresh campaign and exported again are the same to the byte, and all links are there. Links to
// errors that are gone are left out, and the notes say so.
func TestLinksComeBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		for seed := range uint64(3) {
			r := rand.New(rand.NewPCG(seed, 11))
			segments := linkedSegments(r)
			links := linkAtRandom(r, segments)
			one := copyOf(t, db, fmt.Sprint("one", seed), segments, ratingsText(t, segments))
			ratings := exported(t, db, one.Campaign, "ratings")
			if got := strings.Count(ratings, `"link":`); got != links || links < 20 {
				t.Errorf("%d links went out, want %d", got, links)
			}
			two := copyOf(t, db, fmt.Sprint("two", seed), segments, ratings)
			for _, format := range []string{"ratings", "rate", "csv", "gold"} {
				if a, b := exported(t, db, one.Campaign, format), exported(t, db, two.Campaign, format); a != b {
					t.Errorf("%s of the copy differs:\n%s\nand\n%s", format, a, b)
				}
			}
			storetest.Exec(t, db, "UPDATE ratings SET spans = '[]' WHERE assignment_id IN (SELECT id FROM assignments WHERE segment_id IN (?, ?))",
				one.RowID(t, segments[0].DocID, segments[0].SegmentID), one.RowID(t, segments[3].DocID, segments[3].SegmentID))
			var b bytes.Buffer
			_, notes, err := ExportWithNotes(t.Context(), db.Store, one.Campaign, "ratings", &b)
			if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "left out, since the error") {
				t.Errorf("after errors were removed the notes are %q, %v", notes, err)
			}
			three := copyOf(t, db, fmt.Sprint("three", seed), segments, b.String()) // refuses a link that leads nowhere
			if got := exported(t, db, three.Campaign, "ratings"); got != b.String() {
				t.Errorf("the copy without these errors differs:\n%s\nand\n%s", got, b.String())
			}
		}
	})
}

// copyOf makes a campaign of segments and a file of ratings.
func copyOf(t *testing.T, db *storetest.DB, slug string, segments []campaign.Segment, ratings string) *storetest.Sample {
	t.Helper()
	s := storetest.Campaign(t, db.Store, storetest.Protocol("rate"), storetest.Slug(slug), storetest.Segments(0), storetest.Annotators(0), storetest.Set("gate=on"))
	bare := slices.Clone(segments) // without ratings
	for i := range bare {
		bare[i].Translations = slices.Clone(bare[i].Translations)
		for k := range bare[i].Translations {
			bare[i].Translations[k].Ratings = nil
		}
	}
	storetest.ImportSegments(t, s, bare...)
	if _, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: "ratings", Files: []File{file("r.jsonl", ratings)}}); err != nil {
		t.Fatal(err)
	}
	s.Reload(t)
	return s
}

// linkedSegments are segments of two documents, by turns, with errors of two annotators in two
// rounds. Some ids stand in several segments.
func linkedSegments(r *rand.Rand) []campaign.Segment {
	segments := make([]campaign.Segment, 8)
	for i := range segments {
		s := &segments[i]
		*s = campaign.Segment{DocID: fmt.Sprint("d", i%2), SegmentID: fmt.Sprint(i), Source: "源文本"}
		for _, system := range []string{"A", "B"} {
			tr := campaign.Translation{System: system, Text: "some words"}
			for round := 1; round <= 1+i%3/2; round++ {
				for _, annotator := range []string{"x", "y"} {
					given := campaign.Rating{Annotator: annotator, Round: round, SubmittedAt: storetest.Start}
					given.Scores = map[string]float64{"accuracy": float64(r.IntN(101)), "fluency": float64(r.IntN(101))}
					for k := range r.IntN(4) {
						id := fmt.Sprint(i, "-", k)
						if r.IntN(4) == 0 {
							id = fmt.Sprint("s", k)
						}
						given.Spans = append(given.Spans, protocol.ErrorSpan{ID: id, Side: protocol.Target, Start: k, End: k + 1, Text: tr.Text[k : k+1], Severity: "2", Category: "Style"})
					}
					tr.Ratings = append(tr.Ratings, given)
				}
			}
			s.Translations = append(s.Translations, tr)
		}
	}
	return segments
}

// linkAtRandom links errors to others by the same annotator on the same system, document and
// round, and returns how many links there are.
func linkAtRandom(r *rand.Rand, segments []campaign.Segment) (links int) {
	scope := func(doc string, system int, rating campaign.Rating) string {
		return fmt.Sprint(doc, system, rating.Annotator, rating.Round)
	}
	ids := map[string][]string{}
	each := func(do func(at string, spans []protocol.ErrorSpan)) {
		for _, s := range segments {
			for i, tr := range s.Translations {
				for _, rating := range tr.Ratings {
					do(scope(s.DocID, i, rating), rating.Spans)
				}
			}
		}
	}
	each(func(at string, spans []protocol.ErrorSpan) {
		for _, s := range spans {
			ids[at] = append(ids[at], s.ID)
		}
	})
	each(func(at string, spans []protocol.ErrorSpan) {
		for i := range spans {
			if to := ids[at][r.IntN(len(ids[at]))]; r.IntN(3) > 0 && to != spans[i].ID {
				spans[i].Link = to
				links++
			}
		}
	})
	return links
}

// ratingsText is a file of the ratings of segments, its lines in any order.
func ratingsText(t *testing.T, segments []campaign.Segment) string {
	t.Helper()
	p, _ := protocol.Lookup("rate")
	all := make([]campaign.Segment, len(segments))
	for i, s := range segments {
		all[i] = withPartners(s)
	}
	var b bytes.Buffer
	_, err := export.Ratings(&b, p, func(yield func(campaign.Segment, error) bool) {
		for _, s := range all {
			if !yield(s, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	lines = lines[:len(lines)-1]
	rand.New(rand.NewPCG(uint64(len(lines)), 1)).Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
	return strings.Join(lines, "")
}

// withPartners is a segment whose links all have partners.
func withPartners(s campaign.Segment) campaign.Segment {
	for _, tr := range s.Translations {
		for i := range tr.Ratings {
			tr.Ratings[i].Partners = map[string]campaign.Partner{}
			for _, link := range tr.Ratings[i].LinksElsewhere() {
				tr.Ratings[i].Partners[link] = campaign.Partner{}
			}
		}
	}
	return s
}
