package campaign

// A MetricScore is one score by an automatic metric, of a translation or of a
// system as a whole, as it stands in a file.
type MetricScore struct {
	Metric string
	System string
	// Which segment it is of: its ids, or its place in the order of import from 1.
	// Without any of them it is of the whole system.
	DocID     string // may be empty where SegmentID is unique without it
	SegmentID string
	Place     int
	Score     float64 // finite
	// What the line declares of the metric. Nil and empty: nothing.
	LowerIsBetter *bool
	Group         string
}

// A Metric is an automatic metric with what imports declared of it.
type Metric struct {
	Name          string
	LowerIsBetter bool   // its scores are negated where metrics are judged
	Group         string // such as judge, neural or surface; empty: none
}

// A MetricValue is the score that an automatic metric gave a translation, with the
// sign that it was imported with; [Metric] says which way is better.
type MetricValue struct {
	Name  string // of the metric, as in the names of score files, e.g. "BLEU-refA"
	Score float64
}

// OfSystem reports whether the score is of a system as a whole.
func (s MetricScore) OfSystem() bool { return s.SegmentID == "" && s.Place == 0 }

// A NumberedScore is a [MetricScore] with the line it was read from.
type NumberedScore struct {
	File  string
	Line  int
	Score MetricScore
}

// A ReferenceText is a reference of one segment, as it stands in a file.
type ReferenceText struct {
	DocID, SegmentID string
	Place            int // of the segment in the order of import from 1; 0: it is named by its ids
	Reference        Reference
}

// A NumberedReference is a [ReferenceText] with the line it was read from.
type NumberedReference struct {
	File string
	Line int
	Text ReferenceText
}
