package intake

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// segmentsAtOnce is the number of segments whose scores are in memory together while they are placed.
const segmentsAtOnce = 500

// rowsAtOnce is the number of rows of scores that an import writes in one transaction.
func (im *scoreImport) rowsAtOnce() int { return 50 * im.s.db.ImportStep }

// place stages the metrics with the scores of each segment.
func (im *scoreImport) place() error {
	metrics := slices.SortedFunc(maps.Values(im.metrics), func(a, b *stagedMetric) int { return cmp.Compare(a.id, b.id) }) // as the table is ordered
	for _, m := range metrics {
		m.prepare()
		im.made.Add(m.id, im.c.ID, m.id, strings.Join(m.systems, " "), true)
	}
	for first := 0; first < len(im.segments); first += segmentsAtOnce {
		part := im.segments[first:min(first+segmentsAtOnce, len(im.segments))]
		for _, m := range metrics {
			if err := im.collect(m, first, len(part)); err != nil {
				return err
			}
		}
		if err := im.carryOver(metrics, part); err != nil {
			return err
		}
		for k, segment := range part {
			for _, m := range metrics {
				if err := im.stageScores(m, segment, k); err != nil {
					return err
				}
			}
		}
	}
	return im.flush()
}

// prepare lists the systems that the metric is to have scores of.
func (m *stagedMetric) prepare() {
	m.systems = append(slices.Clone(m.had), slices.Collect(maps.Keys(m.blocks))...)
	for key := range m.named {
		m.systems = append(m.systems, key.system)
	}
	slices.Sort(m.systems)
	m.systems = slices.Compact(m.systems)
	m.scores = make([][]float64, len(m.systems))
}

// collect collects the scores of a metric that the import has of n segments, from the one at the place first.
func (im *scoreImport) collect(m *stagedMetric, first, n int) error {
	for i, system := range m.systems {
		scores := slices.Repeat([]float64{math.NaN()}, n)
		m.scores[i] = scores
		block, inBlock := m.blocks[system]
		if inBlock {
			piece, err := im.spool.At(block + first/segmentsAtOnce)
			if err != nil {
				return err
			}
			for k := range scores {
				if im.there[system][first+k] {
					scores[k] = math.Float64frombits(binary.LittleEndian.Uint64(piece[8*k:]))
				}
			}
		}
		if len(m.named) == 0 {
			continue
		}
		for k := range scores {
			if x, ok := m.named[placeKey{first + k, system}]; ok && (x.later || !inBlock) {
				scores[k] = x.score
			}
		}
	}
	return nil
}

// carryOver adds the scores of segments that the campaign has and that the import does not replace.
func (im *scoreImport) carryOver(metrics []*stagedMetric, segments []string) error {
	now := map[string]*stagedMetric{} // by id of the metric as it is now
	for _, m := range metrics {
		if m.before != "" {
			now[m.before] = m
		}
	}
	if len(now) == 0 {
		return nil
	}
	at := make(map[string]int, len(segments))
	for k, id := range segments {
		at[id] = k
	}
	var metric, segment, text string
	var had []float64
	for err := range database.EachRow(im.db.Raw("SELECT metric_id, segment_id, scores FROM metric_segment_scores WHERE segment_id IN ? AND metric_id IN ?",
		segments, slices.Collect(maps.Keys(now))), &metric, &segment, &text) {
		if err != nil {
			return err
		}
		m, k := now[metric], at[segment]
		had = slices.Grow(had[:0], len(m.had))[:len(m.had)]
		records.DecodeMetricScores(text, had)
		for i, x := range had {
			of, _ := slices.BinarySearch(m.systems, m.had[i])
			switch score := &m.scores[of][k]; {
			case math.IsNaN(x):
			case math.IsNaN(*score):
				*score = x
			default:
				im.report.Replaced++
			}
		}
	}
	return nil
}

// stageScores stages the scores of a metric of a segment, if it has any.
func (im *scoreImport) stageScores(m *stagedMetric, segment string, k int) error {
	scores := make([]float64, len(m.systems))
	for i := range scores {
		scores[i] = m.scores[i][k]
	}
	mean, any := campaign.Mean(slices.DeleteFunc(slices.Clone(scores), math.IsNaN))
	if !any {
		return nil
	}
	im.pending.Add(m.id, segment, records.EncodeMetricScores(scores), mean)
	if im.pending.Len() < im.rowsAtOnce() {
		return nil
	}
	return im.flush()
}

// flush stages the pending rows.
func (im *scoreImport) flush() error {
	err := im.st.Step(im.ctx, func(tx *database.Tx) error {
		made, pending := *im.made, *im.pending // they are kept for a transaction that is tried again
		if err := made.Insert(tx); err != nil {
			return err
		}
		return pending.Insert(tx)
	})
	im.made.Values, im.pending.Values = nil, nil
	if im.s.db.OnPlaced != nil && err == nil {
		im.s.db.OnPlaced()
	}
	return err
}
