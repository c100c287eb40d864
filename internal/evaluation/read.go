package evaluation

import (
	"context"
	"slices"

	"annotate/internal/metaeval"
)

// Read reads the human scores and metric scores of a plan. It reads the segments that
// have the first human score: the segments in gold for a score of the protocol, or the
// segments with the imported average. A metric that lacks scores is left out, unless
// it lacks only scores of excluded systems. The second result names the metrics that
// are left out, with the reason. progress, if set, is called with the number of
// segments read so far.
//
// Each metric score and human score of a translation takes 8 bytes of memory. A
// z-normalised score adds 12 bytes for each rating and 40 for each translation.
func (s *Source) Read(ctx context.Context, plan metaeval.Plan, progress func(segments int)) (metaeval.Data, []string, error) {
	t := s.newTable(plan)
	for seg, err := range s.st.Records.AllSegments(ctx, s.c) {
		if err != nil {
			return metaeval.Data{}, nil, err
		}
		if !t.includes(seg) {
			continue
		}
		t.add(seg)
		if progress != nil {
			progress(t.segments)
		}
	}
	data, notes := t.data()
	notes = append(notes, t.built.finish(&data, t)...)
	if err := s.systemScores(ctx, &data, plan.Metrics); err != nil {
		return metaeval.Data{}, nil, err
	}
	return data, notes, nil
}

// systemScores adds the imported system scores of metrics.
func (s *Source) systemScores(ctx context.Context, data *metaeval.Data, metrics []string) error {
	scores, err := s.st.Records.MetricSystemScores(ctx, s.c.ID)
	if err != nil {
		return err
	}
	for _, x := range scores {
		i := slices.IndexFunc(data.Metrics, func(m metaeval.Scores) bool { return m.Name == x.Metric })
		if i < 0 || !slices.Contains(metrics, x.Metric) {
			continue
		}
		m := &data.Metrics[i]
		if m.System == nil {
			m.System = map[string]float64{}
		}
		m.System[x.System] = x.Score
	}
	return nil
}
