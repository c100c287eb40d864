package store_test

import (
	"iter"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// lines makes a file of segments, numbered from 1.
func lines(segments ...campaign.Segment) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		for i, seg := range segments {
			if !yield(campaign.SegmentLine{File: "f.jsonl", Line: i + 1, Segment: seg}, nil) {
				return
			}
		}
	}
}

func importSegments(t *testing.T, s *storetest.Sample, segments ...campaign.Segment) store.ImportReport {
	t.Helper()
	return must(s.Store.ImportSegments(t.Context(), s.Campaign.ID, lines(segments...), store.ImportOptions{File: "f.jsonl", ByID: s.Lead.ID}))(t)
}
