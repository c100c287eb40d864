package export

import (
	"io"
	"math"

	"annotate/internal/campaign"
)

// Scores writes the imported scores of automatic metrics in the format "scores", with a line for each, without those
// of judges: first scores of translations in the order of the segments, then scores of systems, which have no
// segment_id. A score of a segment that is rated itself has no system. Each line repeats the declared direction and
// group of its metric.
func Scores(w io.Writer, metrics []campaign.Metric, systems []campaign.MetricScore, segments Source) error {
	declared := map[string]campaign.Metric{}
	for _, m := range metrics {
		declared[m.Name] = m
	}
	out := lines{w: w}
	err := out.each(segments, func(s campaign.Segment) {
		for _, t := range bySystem(s.Translations) {
			for _, m := range t.Metrics {
				// The score of an answer that can't be parsed is NaN. A judge that has only such
				// scores is not in declared.
				if declared[m.Name].Judge || math.IsNaN(m.Score) {
					continue
				}
				o := out.object()
				o.text("metric", m.Name)
				o.optional("system", t.System)
				o.text("doc_id", s.DocID)
				o.text("segment_id", s.SegmentID)
				o.number("score", m.Score)
				o.declared(declared[m.Name])
				o.line()
			}
		}
	})
	if err != nil {
		return err
	}
	for _, m := range systems {
		o := out.object()
		o.text("metric", m.Metric)
		o.text("system", m.System)
		o.number("score", m.Score)
		o.declared(declared[m.Metric])
		o.line()
		if err := out.end(); err != nil {
			return err
		}
	}
	return out.flush()
}

// declared writes the declared direction and group of a metric.
func (o *object) declared(m campaign.Metric) {
	if m.LowerIsBetter {
		o.bool("lower_is_better", true)
	}
	o.optional("group", m.Group)
}
