package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// ImportJudgements reads judgements of judges into a campaign in steps, all or nothing, as
// [Store.ImportSegments] does with segments. Judges that the campaign lacks are made. A
// judgement that a judge has of a translation already is replaced, so the same file can be
// imported twice. It makes no difference whether people have rated the translation.
//
// Refused, with file and line: an unknown segment or system, a translation that has two
// lines of one judge, spans outside their text or with other words than it, a judge with
// the name of a metric, and a judge with another method or model than before.
func (s *Store) ImportJudgements(
	ctx context.Context, campaignID string, lines iter.Seq2[campaign.JudgementLine, error], opt ImportOptions,
) (readmodel.ImportReport, error) {
	return s.importOnSegments(ctx, campaignID, func(on *importOnSegments) error {
		im := &judgementImport{importOnSegments: on, judges: map[string]*importedJudge{},
			growth: database.Growth{Tables: "all_judgements, judgement_traces"}}
		if err := im.read(lines); err != nil {
			return err
		}
		return im.publish(opt)
	})
}

// A judgementImport stages judgements, a batch at a time. It keeps in memory which
// translations have had a line of which judge.
type judgementImport struct {
	*importOnSegments
	finder  finder
	metrics []string                  // names that no judge can have
	judges  map[string]*importedJudge // of those in the file, by name
	all     int                       // judges of the campaign, with those that the file brings
	lines   []campaign.JudgementLine
	size    int // about how many bytes lines have
	growth  database.Growth
}

// An importedJudge is a judge that the file names.
type importedJudge struct {
	id            string
	method, model string
	about         string                    // that of the first line that has one, unless the judge has one already
	fresh         bool                      // the campaign does not have it yet
	before        judgeBefore               // empty if fresh
	lines         map[string]campaign.Place // by row id of the translation
}

// A batch of judgements has at most judgementBytes, unless it has a single line. Traces are long.
const judgementBytes = 1 << 19

func (im *judgementImport) read(lines iter.Seq2[campaign.JudgementLine, error]) error {
	systems, err := systemIDs(im.db, im.c.ID)
	if err != nil {
		return err
	}
	im.finder = newFinder(im.db, im.c, systems, true)
	if im.metrics, err = im.s.records.Metrics(im.ctx, im.c.ID); err != nil {
		return err
	}
	if err := database.Scan(im.db.Raw("SELECT count(*) FROM judges WHERE campaign_id = ?", im.c.ID), &im.all); err != nil {
		return err
	}
	if err := eachLine(im.ctx, lines, im.problems.Add, im.add); err != nil {
		return err
	}
	return im.flush()
}

func (im *judgementImport) add(line campaign.JudgementLine) error {
	im.lines = append(im.lines, line)
	im.size += 200 * (1 + len(line.Spans) + len(line.Unplaced))
	for _, call := range line.Trace {
		im.size += len(call.Prompt) + len(call.Reply)
	}
	if len(im.lines) < im.s.ratingsAtOnce() && im.size < judgementBytes {
		return nil
	}
	return im.flush()
}

// flush stages the lines that were taken.
func (im *judgementImport) flush() error {
	if len(im.lines) == 0 {
		return nil
	}
	names := make([]translationName, len(im.lines))
	for i, line := range im.lines {
		names[i] = nameOf(line.DocID, line.SegmentID, line.System)
	}
	found, err := im.finder.Find(names)
	if err != nil {
		return err
	}
	judges := database.NewRows("all_judges", "id", "campaign_id", "import_id", "name", "method", "model", "about", "made_at")
	judgements := database.NewRows("all_judgements", "translation_id", "judge_id", "import_id", "status", "score",
		"scores", "spans", "unplaced", "why")
	traces := database.NewRows("judgement_traces", "translation_id", "judge_id", "import_id", "trace")
	replaced := map[string][]string{} // translations, by judge
	for _, line := range im.lines {
		given, at := line, line.Place
		of, bad := found.Target(nameOf(given.DocID, given.SegmentID, given.System), at)
		if bad != nil {
			im.problems.Add(bad)
			continue
		}
		judge, made, err := im.judge(at, given)
		if err != nil {
			return err
		}
		if judge == nil {
			continue
		}
		if made {
			judges.Add(judge.id, im.c.ID, im.st.ID, given.Judge, judge.method, judge.model, judge.about, database.InstantOf(im.s.db.Now()))
		}
		if first, twice := judge.lines[of.Translation]; twice {
			im.refuse(at, "system", fmt.Sprintf("%s:%d is a judgement of the same translation by %s; keep one of them", first.File, first.Line, given.Judge))
			continue
		}
		judge.lines[of.Translation] = at
		j, trace, ok := im.sound(at, given, of.Texts)
		if !ok {
			continue
		}
		if !judge.fresh {
			replaced[judge.id] = append(replaced[judge.id], of.Translation)
		}
		row := records.EncodeJudgement(j)
		judgements.Add(of.Translation, judge.id, im.st.ID, row.Status, row.Score, row.Scores, row.Spans, row.Unplaced, row.Why)
		if trace != "" {
			traces.Add(of.Translation, judge.id, im.st.ID, trace)
		}
		im.report.Judgements++
	}
	clear(im.lines)
	im.lines, im.size = im.lines[:0], 0
	return im.write(judges, judgements, traces, replaced)
}

// write stages rows.
func (im *judgementImport) write(judges, judgements, traces *database.Rows, replaced map[string][]string) error {
	n := int64(0)
	err := im.st.Step(im.ctx, func(tx *database.Tx) error {
		n = 0
		for judge, translations := range replaced {
			// By its length, lest SQLite looks through all rows that nothing replaces.
			res := tx.Exec(
				"UPDATE all_judgements SET replaced_by = ? WHERE translation_id IN ? AND judge_id = ? AND length(replaced_by) = 0", im.st.ID,
				translations, judge,
			)
			if res.Error != nil {
				return res.Error
			}
			n += res.RowsAffected
		}
		for _, rows := range []*database.Rows{judges, judgements, traces} {
			copied := *rows // for a transaction that is tried again
			if err := copied.Insert(tx); err != nil {
				return err
			}
		}
		return im.growth.Note(tx, im.report.Judgements)
	})
	im.report.Replaced += int(n)
	return err
}

// judge finds the judge of a line; made if the line is the first of a new one. It is nil
// after a problem.
func (im *judgementImport) judge(at campaign.Place, given campaign.JudgementLine) (j *importedJudge, made bool, err error) {
	j = im.judges[given.Judge]
	if j == nil {
		if slices.Contains(im.metrics, given.Judge) {
			im.refuse(at, "judge", fmt.Sprintf("the campaign has a metric %q, and a judge is a metric, too; give the judge another name", given.Judge))
			return nil, false, nil
		}
		if given.Judge != database.Storable(given.Judge) {
			bad := records.NotStorable("judge")
			im.refuse(at, bad.Field, bad.Msg)
			return nil, false, nil
		}
		j = &importedJudge{lines: map[string]campaign.Place{}}
		err := database.Scan(
			im.db.Raw("SELECT id, method, model, about FROM judges WHERE campaign_id = ? AND name = ?", im.c.ID, given.Judge), &j.id, &j.method,
			&j.model, &j.about,
		)
		switch {
		case errors.Is(err, database.ErrNoRows) && im.all == campaign.MaxJudges:
			im.refuse(
				at,
				"judge",
				fmt.Sprintf(
					"the campaign would have more than %d judges, the most that are compared with each other; check that this field holds the name of the judge, or import the judgements into another campaign",
					campaign.MaxJudges,
				),
			)
			return nil, false, nil
		case errors.Is(err, database.ErrNoRows):
			im.all++
			j.id, j.fresh, made = database.NewID(), true, true
		case err != nil:
			return nil, false, err
		default:
			j.before = judgeBefore{ID: j.id, Method: j.method, Model: j.model, About: j.about}
		}
		im.judges[given.Judge] = j
	}
	j.about = cmp.Or(j.about, given.About)
	for _, is := range []struct {
		field, given string
		known        *string
	}{{"method", given.Method, &j.method}, {"model", given.Model, &j.model}} {
		switch {
		case is.given == "" || is.given == *is.known:
		case *is.known == "":
			*is.known = is.given
		default:
			im.refuse(
				at,
				is.field,
				fmt.Sprintf(
					"is %q, but the judge %s has the %s %q; give judgements that were made otherwise another judge's name", is.given, given.Judge,
					is.field, *is.known,
				),
			)
		}
	}
	return j, made, nil
}

// sound returns a judgement and its trace as they are stored; false after a problem.
func (im *judgementImport) sound(at campaign.Place, given campaign.JudgementLine, t protocol.Texts) (j campaign.Judgement, trace string, ok bool) {
	before := im.problems.Count()
	j = given.Judgement
	if j.Spans != nil {
		j.Spans = records.WithIDs(j.Spans)
	}
	for i, s := range j.Spans {
		placed, bad := records.Placed(t, s)
		if bad != nil {
			im.refuse(at, fmt.Sprintf("spans[%d].%s", i, bad.Field), bad.Msg)
		}
		j.Spans[i] = placed
	}
	for i, s := range j.Unplaced {
		for _, f := range append(records.SpanTexts(s), records.Field{Name: "text", Text: s.Text}) {
			if f.Text != database.Storable(f.Text) {
				im.refuse(at, fmt.Sprintf("spans[%d].%s", len(j.Spans)+i, f.Name), records.NotStorable(f.Name).Msg)
			}
		}
	}
	if len(given.Trace) > 0 {
		var err error
		if trace, err = records.EncodeTrace(given.Trace); err != nil {
			im.refuse(at, "trace", err.Error())
		}
	}
	return j, trace, im.problems.Count() == before
}

// publish makes the judgements those of the campaign.
func (im *judgementImport) publish(opt ImportOptions) error {
	return im.st.Publish(im.ctx, func(tx *database.Tx, _ campaign.Campaign) error {
		im.report.Judges = slices.Sorted(maps.Keys(im.judges))
		for _, name := range im.report.Judges {
			j := im.judges[name]
			if !j.fresh && (j.method != j.before.Method || j.model != j.before.Model || j.about != j.before.About) {
				im.st.Record.Restores.Judges = append(im.st.Record.Restores.Judges, j.before)
			}
			if err := tx.Exec("UPDATE all_judges SET method = ?, model = ?, about = ? WHERE id = ?",
				j.method, j.model, j.about, j.id).Error; err != nil {
				return err
			}
		}
		return im.st.Close(tx, opt, &im.problems, "judgements", fmt.Sprintf("%d judgements", im.report.Judgements), im.report)
	})
}
