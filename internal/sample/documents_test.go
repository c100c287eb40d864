package sample

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/store"
)

// elsewhere finds what a comment says of another segment of the document: the words that
// the same system wrote there, or nothing, and the place of the segment, from 1.
var elsewhere = regexp.MustCompile(`(?:“([^”]+)” in )?[sS]egment (\d+)`)

// testDocuments holds the documents of the campaigns in which errors are marked to what
// they show: they are 5 to 12 segments long, annotators see them whole, every system of
// every rated document has an error that only another segment shows, and the comments on
// these errors are true.
func testDocuments(t *testing.T, st *store.Store) {
	longest, whole := 0, 0
	for _, slug := range markedCampaigns {
		c, segs := segments(t, st, slug)
		if c.Settings.Context != "document" {
			t.Errorf("%s: the context is %q", slug, c.Settings.Context)
		}
		if c.Settings.Assign == "document" {
			whole++
			testSamePeople(t, slug, segs)
		}
		documents := byDocument(segs)
		for doc, parts := range documents {
			longest = max(longest, len(parts))
			if len(parts) < 5 || len(parts) > 12 {
				t.Errorf("%s %s has %d segments, want 5 to 12", slug, doc, len(parts))
			}
			if parts[0].SegmentID > lastRated {
				continue
			}
			for system, n := range acrossSegments(t, fmt.Sprintf("%s %s", slug, doc), parts) {
				if n == 0 {
					t.Errorf("%s %s: no comment on %s names another segment", slug, doc, system)
				}
			}
		}
		if len(documents) != 5 {
			t.Errorf("%s has %d documents, want 5", slug, len(documents))
		}
	}
	if longest != 12 {
		t.Errorf("the longest document has %d segments, want 12", longest)
	}
	if whole != 1 {
		t.Errorf("%d campaigns hand out whole documents, want 1", whole)
	}
}

func byDocument(segs []campaign.Segment) map[string][]campaign.Segment {
	out := map[string][]campaign.Segment{}
	for _, s := range segs {
		out[s.DocID] = append(out[s.DocID], s)
	}
	return out
}

// acrossSegments counts, by system, the comments that name another segment of a document,
// and checks that each names one that there is, and quotes what stands there.
func acrossSegments(t *testing.T, where string, parts []campaign.Segment) map[string]int {
	t.Helper()
	out := map[string]int{}
	for i, s := range parts {
		for k, tr := range s.Translations {
			out[tr.System] += 0
			for _, r := range tr.Ratings {
				for _, span := range r.Spans {
					for _, m := range elsewhere.FindAllStringSubmatch(span.Comment, -1) {
						out[tr.System]++
						place, err := strconv.Atoi(m[2])
						if err != nil || place < 1 || place > len(parts) || place == i+1 {
							t.Errorf("%s %s %s: the comment %q names a segment that is none of the others", where, s.SegmentID, tr.System, span.Comment)
							continue
						}
						if text := parts[place-1].Translations[k].Text; !strings.Contains(text, m[1]) {
							t.Errorf("%s %s %s: the comment %q quotes what is not in %q", where, s.SegmentID, tr.System, span.Comment, text)
						}
					}
				}
			}
		}
	}
	return out
}

// testSamePeople checks that each rated document was rated by the same people from its
// first segment to its last, and in its order.
func testSamePeople(t *testing.T, slug string, segs []campaign.Segment) {
	t.Helper()
	for doc, parts := range byDocument(segs) {
		var want []string
		for i, s := range parts {
			var got []string
			for _, r := range s.Translations[0].Ratings {
				got = append(got, r.Annotator)
				if i > 0 && !began(parts[i-1], r.Annotator).Before(began(s, r.Annotator)) {
					t.Errorf("%s %s: %s rated %s before the segment above it", slug, doc, r.Annotator, s.SegmentID)
				}
			}
			slices.Sort(got)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s %s: %s was rated by %v, and the first segment by %v", slug, doc, s.SegmentID, got, want)
			}
		}
	}
}

// began is when an annotator submitted the first rating of a segment; zero if there is none.
func began(s campaign.Segment, login string) time.Time {
	var first time.Time
	for _, tr := range s.Translations {
		for _, r := range tr.Ratings {
			if r.Annotator == login && (first.IsZero() || r.SubmittedAt.Before(first)) {
				first = r.SubmittedAt
			}
		}
	}
	return first
}
