package intake

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// ImportScores reads scores of automatic metrics into a campaign in steps, all or
// nothing, as [Store.ImportSegments] does with segments. A new score replaces an earlier
// score of the same metric and translation, because a metric can be run again. Undoing the
// import restores the earlier score. A file with scores by place has a line for every
// segment. ImportScores leaves out its scores of translations that the campaign does not
// have and counts them in a note.
// It refuses, with file and line, an unknown system or segment, a place beyond the last
// segment, a system that has fewer lines than there are segments, and a second score of the
// same translation.
func (s *Store) ImportScores(ctx context.Context, campaignID string, lines iter.Seq2[campaign.NumberedScore, error], opt ImportOptions) (readmodel.ImportReport, error) {
	return s.importOnSegments(ctx, campaignID, func(on *importOnSegments) error {
		im := &scoreImport{
			importOnSegments: on, metrics: map[string]*stagedMetric{}, declared: map[string]campaign.MetricScore{}, given: map[scoreKey]bool{}, found: map[int]map[string]string{},
			made:     database.NewRows("metrics", "id", "campaign_id", "name", "staged"),
			pending:  database.NewRows("metric_scores", "metric_id", "translation_id", "score"),
			systemic: database.NewRows("metric_system_scores", "metric_id", "system_id", "score"),
		}
		if err := im.read(lines); err != nil {
			return err
		}
		return im.publish(opt)
	})
}

// scoreImport stages scores. It keeps the segments' ids in memory, and of one
// system at a time the translations' and which of them the block has given.
type scoreImport struct {
	*importOnSegments
	systems  map[string]string               // id by name
	judges   []string                        // names that no metric can have
	metrics  map[string]*stagedMetric        // of those in the file, by name
	declared map[string]campaign.MetricScore // what the file declares of metrics, by name
	segments []string                        // ids in the order of import
	places   segmentPlaces
	block    scoreBlock
	short    []scoreBlock              // of the file, that stopped before the last segment
	broken   bool                      // a line of the file was refused
	found    map[int]map[string]string // translations of segments by place and system, a bounded number
	given    map[scoreKey]bool         // scores of whole systems, and of segments named by their ids
	made     *database.Rows            // metrics
	pending  *database.Rows
	systemic *database.Rows
	absent   int // scores by place of translations that the campaign does not have
}

// A stagedMetric holds all scores of a metric as they are to be: those of the file,
// and of an earlier import those that the file does not replace.
type stagedMetric struct {
	id     string
	before string // id of the metric as it is now; empty: the campaign does not have it
}

type scoreKey struct {
	metric, system string
	place          int // 0: the whole system
}

// scoreBlock is a run of lines of one file, metric and system.
type scoreBlock struct {
	file, metric, system string
	translations         []string      // ids by place, from 0; empty where there is none
	last                 records.Place // last line of the block
	lines                int           // given by place
	broken               bool          // a line was refused: what is missing says nothing
}

// read stages the lines of an input.
func (im *scoreImport) read(lines iter.Seq2[campaign.NumberedScore, error]) (err error) {
	if im.systems, err = systemIDs(im.db, im.c.ID); err != nil {
		return err
	}
	if err := im.db.Raw("SELECT name FROM judges WHERE campaign_id = ?", im.c.ID).Scan(&im.judges).Error; err != nil {
		return err
	}
	if err := im.db.Raw("SELECT id FROM segments WHERE campaign_id = ? ORDER BY position", im.c.ID).Scan(&im.segments).Error; err != nil {
		return err
	}
	err = eachLine(im.ctx, lines, im.refuseLine, im.add)
	if err != nil {
		return err
	}
	im.closeBlock()
	im.closeFile()
	if im.problems.Count() > 0 {
		im.problems.Sort()
		return &im.problems
	}
	if err := im.flush(); err != nil {
		return err
	}
	return im.carryOver()
}

func (im *scoreImport) refuse(at records.Place, field, format string, args ...any) {
	im.refuseLine(&campaign.Problem{File: at.File, Line: at.Line, Field: field, Msg: fmt.Sprintf(format, args...)})
}

func (im *scoreImport) refuseLine(p *campaign.Problem) {
	im.problems.Add(p)
	im.block.broken = true
}

func (im *scoreImport) add(line campaign.NumberedScore) error {
	s, at := line.Score, records.Place{File: line.File, Line: line.Line}
	if im.block.file != line.File || im.block.metric != s.Metric || im.block.system != s.System {
		if err := im.open(line); err != nil {
			return err
		}
	}
	system, ok := im.systems[s.System]
	if !ok {
		im.refuseLine(placed(*noSystem(s.System, im.systems), at))
		return nil
	}
	if slices.Contains(im.judges, s.Metric) {
		im.refuse(at, "metric", "the campaign has a judge %q, which is a metric, too; give the metric another name", s.Metric)
		return nil
	}
	metric, err := im.metric(s.Metric)
	if err != nil {
		return err
	}
	im.declare(at, s)
	im.block.last = at
	if s.OfSystem() {
		return im.addSystem(at, metric, system, s)
	}
	var translation string
	if s.Place > 0 {
		translation = im.atPlace(at, s)
	} else if translation, err = im.named(at, s); err != nil {
		return err
	}
	if translation == "" {
		return nil
	}
	im.pending.Add(metric, translation, s.Score)
	im.report.MetricScores++
	if im.pending.Len() < 10*im.s.db.ImportStep {
		return nil
	}
	return im.flush()
}

// atPlace is the translation that the next line of a block is about; empty where
// the system has none for the segment, and after a problem.
func (im *scoreImport) atPlace(at records.Place, s campaign.MetricScore) string {
	im.block.lines++
	if n := len(im.segments); s.Place > n {
		if s.Place == n+1 { // the first of them says it for all
			im.refuse(at, "", "%s has more scores of %q than the campaign has segments, %d; make the file anew with one line for each segment, in the order of the export jsonl", s.Metric, s.System, n)
		}
		return ""
	}
	if s.Place > len(im.block.translations) {
		return "" // the block has been refused
	}
	translation := im.block.translations[s.Place-1]
	if translation == "" {
		im.absent++
	}
	return translation
}

// maxFoundSegments bounds how many segments have their translations' ids in memory.
const maxFoundSegments = 10_000

// named is the translation of a segment named by its ids; empty after a problem.
func (im *scoreImport) named(at records.Place, s campaign.MetricScore) (string, error) {
	i, err := im.placeOf(at, segmentKey{DocID: s.DocID, SegmentID: s.SegmentID})
	if err != nil || i == 0 || im.twice(at, scoreKey{s.Metric, s.System, i}) {
		return "", err
	}
	translations, ok := im.found[i]
	if !ok {
		var rows []struct{ ID, SystemID string }
		if err := im.db.Raw("SELECT id, system_id FROM translations WHERE segment_id = ?", im.segments[i-1]).Scan(&rows).Error; err != nil {
			return "", err
		}
		translations = make(map[string]string, len(rows))
		for _, r := range rows {
			translations[r.SystemID] = r.ID
		}
		if len(im.found) >= maxFoundSegments {
			clear(im.found)
		}
		im.found[i] = translations
	}
	id := translations[im.systems[s.System]]
	if id == "" {
		im.refuse(at, "system", "segment %q has no translation by the system %q; correct the line, or leave it out", s.SegmentID, s.System)
	}
	return id, nil
}

func (im *scoreImport) twice(at records.Place, key scoreKey) bool {
	if im.given[key] {
		im.refuse(at, "metric", "%s has a score of this in an earlier line of the import; keep one of them", key.metric)
		return true
	}
	im.given[key] = true
	return false
}

func (im *scoreImport) addSystem(at records.Place, metric, system string, s campaign.MetricScore) error {
	if im.twice(at, scoreKey{s.Metric, s.System, 0}) {
		return nil
	}
	im.systemic.Add(metric, system, s.Score)
	im.report.MetricScores++
	return nil
}

// open begins a block, with the translations of its system.
func (im *scoreImport) open(line campaign.NumberedScore) error {
	im.closeBlock()
	if im.block.file != "" && im.block.file != line.File {
		im.closeFile()
	}
	s := line.Score
	im.block = scoreBlock{file: line.File, metric: s.Metric, system: s.System}
	if s.Place == 0 || im.systems[s.System] == "" {
		return nil
	}
	if im.twice(records.Place{File: line.File, Line: line.Line}, scoreKey{s.Metric, s.System, -1}) {
		return nil
	}
	return im.db.Raw(`SELECT coalesce(t.id, '') FROM segments g LEFT JOIN translations t ON t.segment_id = g.id AND t.system_id = ?
		WHERE g.campaign_id = ? ORDER BY g.position`, im.systems[s.System], im.c.ID).Scan(&im.block.translations).Error
}

// closeBlock notes a block by place that stops before the last segment.
func (im *scoreImport) closeBlock() {
	b := im.block
	im.broken = im.broken || b.broken
	if b.lines > 0 && b.lines < len(im.segments) && !b.broken {
		im.short = append(im.short, b)
	}
}

// closeFile refuses the blocks that stopped early, unless a line of the file was
// refused: then they may be short for that reason, and it is the one to mend.
func (im *scoreImport) closeFile() {
	if !im.broken {
		for _, b := range im.short {
			im.refuse(b.last, "", "the number of scores of %q by %s is %d, and that of the campaign's segments is %d; make the file anew with one line for each segment, in the order of the export jsonl", b.system, b.metric, b.lines, len(im.segments))
		}
	}
	im.short, im.broken = nil, false
}

// metric is the id under which the scores of a metric are staged.
func (im *scoreImport) metric(name string) (string, error) {
	if m := im.metrics[name]; m != nil {
		return m.id, nil
	}
	m := &stagedMetric{id: database.NewID()}
	err := database.Scan(im.db.Raw("SELECT id FROM metrics WHERE campaign_id = ? AND name = ? AND NOT staged", im.c.ID, name), &m.before)
	if err != nil && !errors.Is(err, database.ErrNoRows) {
		return "", err
	}
	im.metrics[name] = m
	im.made.Add(m.id, im.c.ID, m.id, true)
	return m.id, nil
}

// placeOf is the place of a segment named by its ids, from 1; 0 after a problem.
func (im *scoreImport) placeOf(at records.Place, key segmentKey) (int, error) {
	if im.places == nil {
		places, err := placesOf(im.db, im.c.ID)
		if err != nil {
			return 0, err
		}
		im.places = places
	}
	i, bad := im.places.Of(key, at)
	if bad != nil {
		im.refuseLine(bad)
	}
	return i, nil
}

// flush stages the pending scores.
func (im *scoreImport) flush() error {
	err := im.st.Step(im.ctx, func(tx *database.Tx) error {
		made, pending := *im.made, *im.pending // they are kept for a transaction that is tried again
		if err := made.Insert(tx); err != nil {
			return err
		}
		return pending.Upsert(tx, "translation_id, metric_id", "score")
	})
	im.made.Values, im.pending.Values = nil, nil
	return err
}

// carryOver takes over the scores that the campaign has and the file does not
// replace.
func (im *scoreImport) carryOver() error {
	for _, m := range im.metrics {
		if m.before == "" {
			continue
		}
		var before, kept int64
		if err := database.Scan(im.db.Raw("SELECT count(*) FROM metric_scores WHERE metric_id = ?", m.before), &before); err != nil {
			return err
		}
		for part := range slices.Chunk(im.segments, im.s.db.ImportStep) {
			var n int64
			err := im.st.Step(im.ctx, func(tx *database.Tx) error {
				res := tx.Exec(`INSERT INTO metric_scores (metric_id, translation_id, score)
					SELECT ?, x.translation_id, x.score FROM translations t JOIN metric_scores x ON x.translation_id = t.id AND x.metric_id = ?
					WHERE t.segment_id IN ? ON CONFLICT DO NOTHING`, m.id, m.before, part)
				n = res.RowsAffected
				return res.Error
			})
			if err != nil {
				return err
			}
			kept += n
		}
		im.report.Replaced += int(before - kept)
	}
	return nil
}

// declare notes what a line says of its metric, and refuses what contradicts an
// earlier line of the import.
func (im *scoreImport) declare(at records.Place, s campaign.MetricScore) {
	if s.LowerIsBetter == nil && s.Group == "" {
		return
	}
	d := im.declared[s.Metric]
	if s.LowerIsBetter != nil {
		if d.LowerIsBetter != nil && *d.LowerIsBetter != *s.LowerIsBetter {
			im.refuse(at, "lower_is_better", "is %t, and an earlier line of the import says %t of %s; say the same in all lines, since a metric has one direction", *s.LowerIsBetter, *d.LowerIsBetter, s.Metric)
			return
		}
		d.LowerIsBetter = s.LowerIsBetter
	}
	if s.Group != "" {
		if d.Group != "" && d.Group != s.Group {
			im.refuse(at, "group", "is %q, and an earlier line of the import says %q of %s; say the same in all lines, since a metric has one group", s.Group, d.Group, s.Metric)
			return
		}
		d.Group = s.Group
	}
	im.declared[s.Metric] = d
}

// keepDeclared stores what is declared of a metric before it replaces the one that has
// its name. What the import does not speak of stays as it was.
func (im *scoreImport) keepDeclared(tx *database.Tx, name string, m *stagedMetric) error {
	if m.before != "" {
		err := tx.Exec(`UPDATE metrics SET lower_is_better = (SELECT b.lower_is_better FROM metrics b WHERE b.id = ?),
			metric_group = (SELECT b.metric_group FROM metrics b WHERE b.id = ?) WHERE id = ?`, m.before, m.before, m.id).Error
		if err != nil {
			return err
		}
	}
	d := im.declared[name]
	if d.LowerIsBetter != nil {
		if err := tx.Exec("UPDATE metrics SET lower_is_better = ? WHERE id = ?", *d.LowerIsBetter, m.id).Error; err != nil {
			return err
		}
		if *d.LowerIsBetter {
			im.report.Notes = append(im.report.Notes, "lower scores of "+name+" are better; they are negated where metrics are judged")
		}
	}
	if d.Group == "" {
		return nil
	}
	return tx.Exec("UPDATE metrics SET metric_group = ? WHERE id = ?", d.Group, m.id).Error
}

// publish puts the staged metrics in the place of those with their names.
func (im *scoreImport) publish(opt ImportOptions) error {
	return im.st.Publish(im.ctx, func(tx *database.Tx, _ campaign.Campaign) error {
		if err := im.systemic.Insert(tx); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(im.metrics)) {
			m := im.metrics[name]
			if err := im.keepDeclared(tx, name, m); err != nil {
				return err
			}
			if m.before != "" {
				if err := im.replace(tx, m); err != nil {
					return err
				}
			}
			if err := tx.Exec("UPDATE metrics SET name = ?, staged = FALSE, import_id = ? WHERE id = ?", name, im.st.ID, m.id).Error; err != nil {
				return err
			}
		}
		im.tell()
		return im.st.Close(tx, opt, &im.problems, "scores", fmt.Sprintf("%d scores", im.report.MetricScores), im.report)
	})
}

// replace hides a metric as it was, and takes over the scores of whole systems that
// the file does not replace.
func (im *scoreImport) replace(tx *database.Tx, m *stagedMetric) error {
	var before int64
	if err := database.Scan(tx.Raw("SELECT count(*) FROM metric_system_scores WHERE metric_id = ?", m.before), &before); err != nil {
		return err
	}
	kept := tx.Exec(`INSERT INTO metric_system_scores (metric_id, system_id, score)
		SELECT ?, x.system_id, x.score FROM metric_system_scores x WHERE x.metric_id = ? ON CONFLICT DO NOTHING`, m.id, m.before)
	if kept.Error != nil {
		return kept.Error
	}
	im.report.Replaced += int(before - kept.RowsAffected)
	return tx.Exec("UPDATE metrics SET replaced_name = name, name = id, staged = TRUE, replaced_by = ? WHERE id = ?", im.st.ID, m.before).Error
}

// tell completes the report.
func (im *scoreImport) tell() {
	switch {
	case im.absent == 1:
		im.report.Notes = append(im.report.Notes, "1 score of a translation that the campaign does not have was left out")
	case im.absent > 1:
		im.report.Notes = append(im.report.Notes, fmt.Sprintf("%d scores of translations that the campaign does not have were left out", im.absent))
	}
	im.report.Metrics = slices.Sorted(maps.Keys(im.metrics))
}
