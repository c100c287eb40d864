package evaluation

import (
	"context"
	"slices"

	"annotate/internal/campaign"
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
	r := s.Reader(plan)
	for seg, err := range s.st.Records.AllSegments(ctx, s.c) {
		if err != nil {
			return metaeval.Data{}, nil, err
		}
		r.Add(seg)
		if progress != nil {
			progress(r.table.segments)
		}
	}
	return r.Data(ctx)
}

// A Reader collects what [Source.Read] returns, from segments that its caller reads.
type Reader struct {
	source *Source
	plan   metaeval.Plan
	table  *table
}

// Reader returns a reader of the scores of a plan. The caller adds every segment of the campaign once,
// in the order of import, and then calls Data.
func (s *Source) Reader(plan metaeval.Plan) *Reader { return &Reader{s, plan, s.newTable(plan)} }

// Add takes a segment.
func (r *Reader) Add(seg campaign.Segment) {
	r.table.identify(seg)
	r.table.count(seg)
	if r.table.includes(seg) {
		r.table.add(seg)
	}
}

// share lets the reader take what was counted in another campaign, or keep what it counts for others.
func (r *Reader) share(c *counted, keeps bool) {
	r.table.built.counted, r.table.built.keeps = c, keeps
}

// OfGold reports whether the scores are those of the segments in gold. Otherwise they are those of the
// segments with an imported human score.
func (r *Reader) OfGold() bool { return r.table.first.score != "" }

// Data returns what [Source.Read] returns.
func (r *Reader) Data(ctx context.Context) (metaeval.Data, []string, error) {
	data, notes := r.table.data()
	notes = append(notes, r.table.built.finish(&data, r.table)...)
	if err := r.source.systemScores(ctx, &data, r.plan.Metrics, r.table); err != nil {
		return metaeval.Data{}, nil, err
	}
	return data, notes, nil
}

// systemScores adds the imported system scores of metrics.
func (s *Source) systemScores(ctx context.Context, data *metaeval.Data, metrics []string, t *table) error {
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
			m.System, m.Wider = map[string]float64{}, map[string]bool{}
		}
		m.System[x.System] = x.Score
		if all := t.whole[t.imported[x.Metric]][x.System]; all != nil {
			m.Wider[x.System] = metaeval.IsMean(x.Score, all.sum.Value()/float64(all.n))
		}
	}
	return nil
}
