package store_test

import (
	"iter"

	"annotate/internal/campaign"
)

// numbered makes a file of ratings, numbered from 1.
func numbered(ratings ...campaign.RatingLine) iter.Seq2[campaign.NumberedRating, error] {
	return func(yield func(campaign.NumberedRating, error) bool) {
		for i, r := range ratings {
			if !yield(campaign.NumberedRating{File: "r.jsonl", Line: i + 1, Rating: r}, nil) {
				return
			}
		}
	}
}
