package campaign

// A MetricScore is one score by an automatic metric, as a file gives it. It is the score
// of a translation or of a whole system.
type MetricScore struct {
	Place  // where it was read
	Metric string
	System string
	// SegmentID or Nth names the segment. If both are empty, the score is that of the
	// whole system.
	DocID     string // may be empty if SegmentID is unique without it
	SegmentID string
	Nth       int     // place of the segment in the order of import, from 1
	Score     float64 // finite
	// LowerIsBetter and Group are properties of the metric; nil and empty if the line
	// does not give them.
	LowerIsBetter *bool
	Group         string
}

// A Metric is an automatic metric with the properties that imports gave it.
type Metric struct {
	Name          string
	LowerIsBetter bool   // its scores are negated before metrics are compared with gold
	Group         string // such as judge, neural or surface; empty: none
	Judge         bool   // a judge's score; its judgements hold it
}

// JudgeGroup is the group of the scores of judges.
const JudgeGroup = "judge"

// A MetricValue is the score that an automatic metric gave a translation, with its sign as
// imported. [Metric] says whether lower is better.
type MetricValue struct {
	Name string // of the metric, as in the names of score files, e.g. "BLEU-refA", or of the judge
	// Score is NaN if a judge gave an answer that could not be read.
	Score float64
}

// OfSystem reports whether the score is of a system as a whole.
func (s MetricScore) OfSystem() bool { return s.SegmentID == "" && s.Nth == 0 }

// A ReferenceText is a reference of one segment, as a file gives it.
type ReferenceText struct {
	Place            // where it was read
	DocID, SegmentID string
	Nth              int // place of the segment in the order of import, from 1; 0 if its ids name it
	Reference        Reference
}
