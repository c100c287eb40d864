package store_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// ratedSegments reads a campaign as agreement sees it.
func ratedSegments(t *testing.T, s *storetest.Sample) (out []campaign.Rated) {
	t.Helper()
	for seg, err := range s.Store.RatedSegments(t.Context(), s.Campaign) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, seg)
	}
	return out
}

// What is read for agreement is what a whole segment holds of it.
func TestRatedSegments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(4), storetest.PerDocument(4))
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 1, 4, 2, 0)
		s.RateNext(t, 0, 0, 2, 4) // the second look
		s.RateNext(t, 1, 1, 2, 4)
		s.RateNext(t, 0, 1, 1, 1)
		s.RateNext(t, 1, 1, 1, 2)
		s.RateNext(t, 0, 3, 2, 1) // alone
		got := ratedSegments(t, s)
		checkRated(t, s, got)
		for i, want := range []struct {
			status campaign.Status
			given  int
			rounds []campaign.Status
			first  bool
		}{
			{campaign.Agreed, 12, []campaign.Status{campaign.Reannotate, campaign.Agreed}, false},
			{campaign.Agreed, 6, []campaign.Status{campaign.Agreed}, true},
			{campaign.Pending, 3, nil, false},
			{campaign.Pending, 0, nil, false},
		} {
			seg := got[i]
			var rounds []campaign.Status
			for _, d := range seg.Decisions {
				rounds = append(rounds, d.Status)
			}
			if seg.Status != want.status || len(seg.Given) != want.given || !slices.Equal(rounds, want.rounds) {
				t.Errorf("%s: got %+v, want %+v", seg.SegmentID, seg, want)
			}
			if len(rounds) > 0 && (seg.First == nil || seg.First.Passed != want.first || seg.First.Round != 1 || len(seg.First.Pairs) != 1) {
				t.Errorf("%s: first decision %+v", seg.SegmentID, seg.First)
			}
		}
		if d := got[0].Decided(); d == nil || d.Round != 2 || d.Pairs[0].Reason != agreement.Agreed {
			t.Errorf("s1 was decided %+v", d)
		}
		if d := got[2].Decided(); d != nil {
			t.Errorf("s3 was decided %+v", d)
		}
	})
}

// checkRated compares with whole segments, as they are exported.
func checkRated(t *testing.T, s *storetest.Sample, got []campaign.Rated) {
	t.Helper()
	i := 0
	for seg, err := range s.Store.AllSegments(t.Context(), s.Campaign) {
		if err != nil {
			t.Fatal(err)
		}
		if i == len(got) {
			t.Fatalf("%d segments were read", i)
		}
		want, have := campaign.RatedSegment(s.Campaign.Rules, seg), got[i]
		have.Decisions, have.First = nil, nil
		for _, list := range [][]campaign.Given{want.Given, have.Given} {
			slices.SortFunc(list, func(a, b campaign.Given) int {
				return cmp.Or(cmp.Compare(a.System, b.System), cmp.Compare(a.Annotator, b.Annotator), cmp.Compare(a.Round, b.Round))
			})
		}
		if !reflect.DeepEqual(have, want) {
			t.Errorf("got %+v\nwant %+v", have, want)
		}
		i++
	}
	if i != len(got) {
		t.Errorf("%d segments, want %d", len(got), i)
	}
}

// Marked errors, costs with a fraction and more segments than are read at once.
func TestRatedSegmentsMarked(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		const segments = 1100
		s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(segments))
		lines := func(yield func(campaign.NumberedRating, error) bool) {
			for i := range segments {
				for k, system := range s.Systems {
					r := campaign.Rating{Annotator: "ann1", Round: 1}
					if k > 0 {
						r.Spans = []protocol.ErrorSpan{
							{ID: "1", Side: protocol.Target, Start: 0, End: 11, Severity: "minor", Category: "Fluency", Subcategory: "Punctuation"},
							{ID: "2", Side: protocol.Source, Start: 1, End: 2, Severity: "major", Category: "Accuracy", Subcategory: "Omission"},
						}
					}
					line := campaign.RatingLine{SegmentID: fmt.Sprintf("s%d", i+1), System: system, Rating: r}
					if !yield(campaign.NumberedRating{Line: i*len(s.Systems) + k + 1, Rating: line}, nil) {
						return
					}
				}
			}
		}
		if _, err := db.ImportRatings(t.Context(), s.Campaign.ID, iter.Seq2[campaign.NumberedRating, error](lines), store.ImportOptions{File: "ratings.jsonl"}); err != nil {
			t.Fatal(err)
		}
		got := ratedSegments(t, s)
		checkRated(t, s, got)
		if x := got[segments-1].Given; len(x) != 3 || x[0].Score != 0 || x[1].Score != -5.1 || len(x[1].Spans) != 2 {
			t.Errorf("got %+v", x)
		}
	})
}

// A reader that stops is not called again, and one that fails is told.
func TestRatedSegmentsStopped(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		for range db.RatedSegments(t.Context(), s.Campaign) {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, err := range db.RatedSegments(ctx, s.Campaign) {
			if err == nil {
				t.Error("read on after it was cancelled")
			}
		}
	})
}
