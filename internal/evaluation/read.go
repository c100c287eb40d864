package evaluation

import (
	"context"
	"slices"

	"annotate/internal/metaeval"
)

// Read lays out the human scores and metrics of a plan. A metric may lack scores of
// the systems that the plan excludes. The segments are those that the first human
// score is about: the gold, or those with an imported average. Notes name the
// metrics that were left out, and why. Progress, if set, hears how many segments
// have been read.
//
// Memory grows with the translations: 8 bytes for each score of a metric or of people.
// A z-normalised score adds 12 bytes for each rating and 40 for each translation.
func (s *Source) Read(ctx context.Context, plan metaeval.Plan, progress func(segments int)) (metaeval.Data, []string, error) {
	t := s.newTable(plan)
	for seg, err := range s.st.AllSegments(ctx, s.c) {
		if err != nil {
			return metaeval.Data{}, nil, err
		}
		if !t.about(seg) {
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

// systemScores adds the imported scores of whole systems.
func (s *Source) systemScores(ctx context.Context, data *metaeval.Data, metrics []string) error {
	scores, err := s.st.MetricSystemScores(ctx, s.c.ID)
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
