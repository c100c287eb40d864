package intake

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/spool"
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
func (s *Store) ImportScores(
	ctx context.Context, campaignID string, lines iter.Seq2[campaign.MetricScore, error], opt ImportOptions,
) (readmodel.ImportReport, error) {
	return s.importOnSegments(ctx, campaignID, func(on *importOnSegments) error {
		im := &scoreImport{
			importOnSegments: on, metrics: map[string]*stagedMetric{}, declared: map[string]campaign.MetricScore{}, given: map[scoreKey]bool{},
			found: map[int][]string{}, there: map[string][]bool{},
			made:     database.NewRows("metrics", "id", "campaign_id", "name", "systems", "staged"),
			pending:  database.NewRows("metric_segment_scores", "metric_id", "segment_id", "scores", "mean"),
			systemic: database.NewRows("metric_system_scores", "metric_id", "system_id", "score"),
		}
		var err error
		if im.spool, err = spool.New(); err != nil {
			return err
		}
		defer im.spool.Close()
		if err := im.read(lines); err != nil {
			return err
		}
		return im.publish(opt)
	})
}

// scoreImport stages scores. It keeps in memory the segments' ids, which systems have translated them, and the
// scores of segments that are named by their ids. Scores by place wait in a temporary file. At the end,
// [scoreImport.place] writes the scores of each segment.
type scoreImport struct {
	*importOnSegments
	systems  map[string]string               // id by name
	judges   []string                        // names that no metric can have
	metrics  map[string]*stagedMetric        // of those in the file, by name
	declared map[string]campaign.MetricScore // what the file declares of metrics, by name
	segments []string                        // ids in the order of import
	places   segmentPlaces
	block    scoreBlock
	spool    *spool.Spool      // the scores of each block, in pieces of segmentsAtOnce segments
	there    map[string][]bool // by system: whether it has a translation of each segment
	short    []scoreBlock      // of the file, that stopped before the last segment
	broken   bool              // a line of the file was refused
	found    map[int][]string  // by place, from 1: ids of the systems that have translated the segment; a bounded number
	given    map[scoreKey]bool // scores of whole systems, and blocks
	made     *database.Rows    // metrics
	pending  *database.Rows
	systemic *database.Rows
	absent   int // scores by place of translations that the campaign does not have
}

// A stagedMetric holds all scores of a metric as they are to be: those of the file,
// and of an earlier import those that the file does not replace.
type stagedMetric struct {
	id     string
	before string              // id of the metric as it is now; empty: the campaign does not have it
	had    []string            // ids of the systems of the metric as it is now, in the order of its scores
	blocks map[string]int      // by id of the system: the first piece of its block in the spool
	named  map[placeKey]aScore // scores of segments that were named by their ids

	systems []string    // ids of the systems that have scores, in the order of the scores
	scores  [][]float64 // of the segments that are being placed, by system; NaN: none
}

// A scoreKey names a score of a whole system, or a block of scores.
type scoreKey struct {
	metric, system string
	block          bool
}

// A placeKey names a translation of a segment by the segment's place, from 0, and the system's id.
type placeKey struct {
	place  int
	system string
}

// aScore is a score of a segment that was named by its ids.
type aScore struct {
	score float64
	later bool // than the block of the same metric and system
}

// scoreBlock is a run of lines of one file, metric and system that all give scores by place, or none of which does.
type scoreBlock struct {
	file, metric, system string
	byPlace              bool
	there                []bool         // the segments that the system has translated, by place, from 0
	scores               []byte         // given by place, as [binary.LittleEndian] writes them
	last                 campaign.Place // last line of the block
	lines                int            // given by place
	broken               bool           // a line was refused: what is missing says nothing
}

// read stages the lines of an input.
func (im *scoreImport) read(lines iter.Seq2[campaign.MetricScore, error]) (err error) {
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
	if err := im.closeBlock(); err != nil {
		return err
	}
	im.closeFile()
	if im.problems.Count() > 0 {
		im.problems.Sort()
		return &im.problems
	}
	return im.place()
}

func (im *scoreImport) refuse(at campaign.Place, field, format string, args ...any) {
	im.refuseLine(at.Problem(field, fmt.Sprintf(format, args...)))
}

func (im *scoreImport) refuseLine(p *campaign.Problem) {
	im.problems.Add(p)
	im.block.broken = true
}

func (im *scoreImport) add(line campaign.MetricScore) error {
	s, at := line, line.Place
	if !im.block.goesOn(line) {
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
		im.addSystem(at, metric, system, s)
		return nil
	}
	if s.Nth > 0 {
		im.atPlace(at, s)
		return nil
	}
	return im.named(at, metric, system, s)
}

// goesOn reports whether a line belongs to the block.
func (b *scoreBlock) goesOn(line campaign.MetricScore) bool {
	s := line
	return b.file == line.File && b.metric == s.Metric && b.system == s.System && b.byPlace == (s.Nth > 0) && s.Nth != 1
}

// atPlace takes the score on the next line of a block.
func (im *scoreImport) atPlace(at campaign.Place, s campaign.MetricScore) {
	im.block.lines++
	if n := len(im.segments); s.Nth > n {
		if s.Nth == n+1 { // the first of them says it for all
			im.refuse(
				at, "",
				"%s has more scores of %q than the campaign has segments, %d; make the file anew with one line for each segment, in the order of the export jsonl",
				s.Metric, s.System, n,
			)
		}
		return
	}
	if s.Nth > len(im.block.there) {
		return // the block has been refused
	}
	if im.block.there[s.Nth-1] {
		im.report.MetricScores++
	} else {
		im.absent++
	}
	im.block.scores = binary.LittleEndian.AppendUint64(im.block.scores, math.Float64bits(s.Score))
}

// maxFoundSegments bounds how many segments have their translations in memory.
const maxFoundSegments = 10_000

// named takes the score of a segment that is named by its ids.
func (im *scoreImport) named(at campaign.Place, m *stagedMetric, system string, s campaign.MetricScore) error {
	i, err := im.placeOf(at, segmentKey{DocID: s.DocID, SegmentID: s.SegmentID})
	if err != nil || i == 0 {
		return err
	}
	key := placeKey{i - 1, system}
	if _, ok := m.named[key]; ok {
		im.refuseTwice(at, s.Metric)
		return nil
	}
	_, later := m.blocks[system]
	m.named[key] = aScore{s.Score, later}
	systems, ok := im.found[i]
	if !ok {
		if err := im.db.Raw("SELECT system_id FROM translations WHERE segment_id = ?", im.segments[i-1]).Scan(&systems).Error; err != nil {
			return err
		}
		if len(im.found) >= maxFoundSegments {
			clear(im.found)
		}
		im.found[i] = systems
	}
	if !slices.Contains(systems, system) {
		im.refuseLine(placed(*noTranslation(s.SegmentID, s.System), at))
		return nil
	}
	im.report.MetricScores++
	return nil
}

func (im *scoreImport) twice(at campaign.Place, key scoreKey) bool {
	if im.given[key] {
		im.refuseTwice(at, key.metric)
		return true
	}
	im.given[key] = true
	return false
}

func (im *scoreImport) refuseTwice(at campaign.Place, metric string) {
	im.refuse(at, "metric", "%s has a score of this in an earlier line of the import; keep one of them", metric)
}

func (im *scoreImport) addSystem(at campaign.Place, m *stagedMetric, system string, s campaign.MetricScore) {
	if im.twice(at, scoreKey{s.Metric, s.System, false}) {
		return
	}
	im.systemic.Add(m.id, system, s.Score)
	im.report.MetricScores++
}

// open begins a block.
func (im *scoreImport) open(line campaign.MetricScore) error {
	if err := im.closeBlock(); err != nil {
		return err
	}
	if im.block.file != "" && im.block.file != line.File {
		im.closeFile()
	}
	s := line
	im.block = scoreBlock{file: line.File, metric: s.Metric, system: s.System, byPlace: s.Nth > 0}
	if s.Nth == 0 || im.systems[s.System] == "" {
		return nil
	}
	if im.twice(line.Place, scoreKey{s.Metric, s.System, true}) {
		return nil
	}
	var err error
	im.block.there, err = im.translated(im.systems[s.System])
	return err
}

// translated tells of each segment whether a system has translated it.
func (im *scoreImport) translated(system string) ([]bool, error) {
	there := im.there[system]
	if there != nil {
		return there, nil
	}
	there = make([]bool, 0, len(im.segments))
	var is bool
	for err := range database.EachRow(im.db.Raw(`SELECT t.id IS NOT NULL FROM segments g LEFT JOIN translations t ON t.segment_id = g.id AND t.system_id = ?
		WHERE g.campaign_id = ? ORDER BY g.position`, system, im.c.ID), &is) {
		if err != nil {
			return there, err
		}
		there = append(there, is)
	}
	im.there[system] = there
	return there, nil
}

// closeBlock puts the scores of a block by place into the spool, or notes that the block stops before the
// last segment.
func (im *scoreImport) closeBlock() error {
	b := im.block
	im.block = scoreBlock{file: b.file}
	im.broken = im.broken || b.broken
	switch {
	case b.lines == 0 || b.broken:
		return nil
	case b.lines < len(im.segments):
		b.scores = nil
		im.short = append(im.short, b)
		return nil
	}
	im.metrics[b.metric].blocks[im.systems[b.system]] = im.spool.Len()
	for piece := range slices.Chunk(b.scores, 8*segmentsAtOnce) {
		if err := im.spool.Add(piece); err != nil {
			return err
		}
	}
	return nil
}

// closeFile refuses the blocks that stopped early, unless a line of the file was
// refused: then they may be short for that reason, and it is the one to mend.
func (im *scoreImport) closeFile() {
	if !im.broken {
		for _, b := range im.short {
			im.refuse(
				b.last, "",
				"the number of scores of %q by %s is %d, and that of the campaign's segments is %d; make the file anew with one line for each segment, in the order of the export jsonl",
				b.system, b.metric, b.lines, len(im.segments),
			)
		}
	}
	im.short, im.broken = nil, false
}

// metric is the metric under which scores are staged.
func (im *scoreImport) metric(name string) (*stagedMetric, error) {
	if m := im.metrics[name]; m != nil {
		return m, nil
	}
	m := &stagedMetric{id: database.NewID(), blocks: map[string]int{}, named: map[placeKey]aScore{}}
	var systems string
	err := database.Scan(im.db.Raw("SELECT id, systems FROM metrics WHERE campaign_id = ? AND name = ? AND NOT staged", im.c.ID, name), &m.before, &systems)
	if err != nil && !errors.Is(err, database.ErrNoRows) {
		return nil, err
	}
	m.had = strings.Fields(systems)
	im.metrics[name] = m
	return m, nil
}

// placeOf is the place of a segment named by its ids, from 1; 0 after a problem.
func (im *scoreImport) placeOf(at campaign.Place, key segmentKey) (int, error) {
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

// declare notes what a line says of its metric, and refuses what contradicts an
// earlier line of the import.
func (im *scoreImport) declare(at campaign.Place, s campaign.MetricScore) {
	if s.LowerIsBetter == nil && s.Group == "" {
		return
	}
	d := im.declared[s.Metric]
	if s.LowerIsBetter != nil {
		if d.LowerIsBetter != nil && *d.LowerIsBetter != *s.LowerIsBetter {
			im.refuse(
				at, "lower_is_better",
				"is %t, and an earlier line of the import says %t of %s; say the same in all lines, since a metric has one direction",
				*s.LowerIsBetter, *d.LowerIsBetter, s.Metric,
			)
			return
		}
		d.LowerIsBetter = s.LowerIsBetter
	}
	if s.Group != "" {
		if d.Group != "" && d.Group != s.Group {
			im.refuse(
				at, "group", "is %q, and an earlier line of the import says %q of %s; say the same in all lines, since a metric has one group",
				s.Group, d.Group, s.Metric,
			)
			return
		}
		d.Group = s.Group
	}
	im.declared[s.Metric] = d
}

// keepDeclared stores what is declared of a metric before it replaces the one that has
// its name. Metrics that the import does not name stay as they were.
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
		im.report.Notes = append(im.report.Notes,
			fmt.Sprintf("%d scores of translations that the campaign does not have were left out", im.absent))
	}
	im.report.Metrics = slices.Sorted(maps.Keys(im.metrics))
}
