package records

import (
	"annotate/internal/campaign"
	"annotate/internal/readmodel"
)

// Count counts that a segment whose status the import may have changed got another one.
func (r *ImportReport) Count(from, to campaign.Status) {
	if r.Decided == nil {
		r.Decided = map[campaign.Status]int{}
	}
	if r.Decided[from] > 0 {
		r.Decided[from]--
	}
	if r.Decided[from] == 0 {
		delete(r.Decided, from)
	}
	r.Decided[to]++
}

// Decide counts the statuses that segments get by an import.
func (r *ImportReport) Decide(moves []readmodel.StatusMove) {
	for _, m := range moves {
		if m.To == campaign.Pending {
			continue
		}
		if r.Decided == nil {
			r.Decided = map[campaign.Status]int{}
		}
		r.Decided[m.To] += m.N
	}
}

// An ImportReport says what an import brought.
type ImportReport struct {
	Segments, Translations, References, HumanScores, Ratings int
	MetricScores                                             int      // of translations and of whole systems
	Replaced                                                 int      // of these, or of SuggestedTo, how many took the place of earlier ones
	Suggestions                                              int      // suggested error spans
	SuggestedTo                                              int      // translations that got them, be it none
	Metrics                                                  []string // that have scores in the files, in byte order
	Known                                                    int      // segments that were in the campaign already and were added to
	Systems                                                  []string // of the campaign, in byte order
	NewAnnotators                                            []string // logins of accounts made by the import
	Decided                                                  map[campaign.Status]int
	// OwnSeverities and OwnCategories came with the ratings and are the campaign's
	// own from now on, since its protocol lacks them; sorted.
	OwnSeverities, OwnCategories []string
	Notes                        []string // what else to know, in words
}
