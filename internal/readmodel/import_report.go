package readmodel

import "annotate/internal/campaign"

// An ImportReport says what an import brought.
type ImportReport struct {
	Segments, References, HumanScores, Ratings int
	Translations                               int      // with candidates, which are translations in files
	MetricScores                               int      // of translations and of whole systems
	Replaced                                   int      // metric scores, judgements, translations with suggestions, or segments with terms, that replaced earlier ones
	Suggestions                                int      // suggested error spans
	SuggestedTo                                int      // translations with suggestions in the file, even with an empty list
	Terms                                      int      // given terms of segments
	Judgements                                 int      // of judges
	Judges                                     []string // names of the judges in the files, in byte order
	Metrics                                    []string // names of the metrics in the files, in byte order
	Known                                      int      // segments that the campaign had already, and that the import added to
	Systems                                    []string // all systems of the campaign, in byte order; nil if segments are rated themselves
	NewAnnotators                              []string // logins of the accounts that the import made
	Decided                                    Counts
	// OwnSeverities and OwnCategories are terms of the ratings that the protocol lacks.
	// They became the campaign's own. They are sorted.
	OwnSeverities, OwnCategories []string
	Notes                        []string           // further remarks for the person who imports
	First                        []campaign.Segment // the first of the segments that were read, as far as ids and texts
}

// Decide adds the statuses that an import gives segments to Decided. Pending segments are
// not counted.
func (r *ImportReport) Decide(moves []StatusMove) {
	for _, m := range moves {
		if m.To == campaign.Pending {
			continue
		}
		if r.Decided == nil {
			r.Decided = Counts{}
		}
		r.Decided[m.To] += m.N
	}
}
