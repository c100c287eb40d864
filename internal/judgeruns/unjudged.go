package judgeruns

import (
	"context"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// A JudgeUnit is one segment with its translations that the judge has not judged.
type JudgeUnit struct {
	SegmentID         string // row id
	Position          int    // of the segment in the order of import
	Source, Reference string
	Term, Explication string
	Translations      []UnitTranslation // in byte order of their texts, then of their ids
}

// A UnitTranslation is one translation of a unit.
type UnitTranslation struct{ ID, Text string }

// Units reads the next segments of the queue after a position: up to limit segments with
// translations that the judge has not judged. Withdrawn segments are not judged.
func (r *RunningJudge) Units(ctx context.Context, after, limit int) ([]JudgeUnit, error) {
	return r.s.judgeUnits(ctx, r.campaignID, r.JudgeID, after, limit)
}

// openTo selects what a judge has not judged, given the ids of the campaign and the judge.
const openTo = `FROM segments g JOIN translations t ON t.segment_id = g.id WHERE g.campaign_id = ? AND g.status <> 'withdrawn'
	AND NOT EXISTS (SELECT 1 FROM judgements x WHERE x.translation_id = t.id AND x.judge_id = ?)` + notCalibrated

// notCalibrated leaves out the segments that a judge found its threshold with, given the id of the judge.
const notCalibrated = " AND NOT EXISTS (SELECT 1 FROM judge_calibrations k WHERE k.judge_id = ? AND k.segment_id = g.id)"

func (s *Store) judgeUnits(ctx context.Context, campaignID, judgeID string, after, limit int) ([]JudgeUnit, error) {
	db := s.db.Read(ctx)
	var segments []struct {
		ID, Source, Term, Explication string
		Position                      int
	}
	err := db.Raw(`SELECT g.id, g.position, g.source, g.term, g.explication FROM segments g WHERE g.campaign_id = ? AND g.status <> 'withdrawn' AND g.position > ?
		AND EXISTS (SELECT 1 FROM translations t WHERE t.segment_id = g.id
			AND NOT EXISTS (SELECT 1 FROM judgements x WHERE x.translation_id = t.id AND x.judge_id = ?))`+notCalibrated+" ORDER BY g.position LIMIT ?", campaignID, after, judgeID, judgeID, limit).
		Scan(&segments).
		Error
	if err != nil || len(segments) == 0 {
		return nil, err
	}
	out, ids, index := make([]JudgeUnit, len(segments)), make([]string, len(segments)), map[string]int{}
	for i, g := range segments {
		out[i] = JudgeUnit{SegmentID: g.ID, Position: g.Position, Source: g.Source, Term: g.Term, Explication: g.Explication}
		ids[i], index[g.ID] = g.ID, i
	}
	var translations []struct{ ID, SegmentID, Text string }
	err = db.Raw(`SELECT t.id, t.segment_id, t.text FROM translations t WHERE t.segment_id IN ?
		AND NOT EXISTS (SELECT 1 FROM judgements x WHERE x.translation_id = t.id AND x.judge_id = ?)`, ids, judgeID).Scan(&translations).Error
	if err != nil {
		return nil, err
	}
	for _, t := range translations {
		u := &out[index[t.SegmentID]]
		u.Translations = append(u.Translations, UnitTranslation{t.ID, t.Text})
	}
	var references []struct{ SegmentID, Name, Text string }
	if err := db.Raw("SELECT segment_id, name, text FROM reference_texts WHERE segment_id IN ?", ids).Scan(&references).Error; err != nil {
		return nil, err
	}
	names := map[string]string{} // name of the reference chosen so far, by segment id
	for _, ref := range references {
		best, ok := names[ref.SegmentID]
		if better := !ok || ref.Name == campaign.MainReference || best != campaign.MainReference && ref.Name < best; better &&
			strings.TrimSpace(ref.Text) != "" {
			names[ref.SegmentID] = ref.Name
			out[index[ref.SegmentID]].Reference = ref.Text
		}
	}
	for i := range out {
		slices.SortFunc(out[i].Translations, func(a, b UnitTranslation) int {
			if c := strings.Compare(a.Text, b.Text); c != 0 {
				return c
			}
			return strings.Compare(a.ID, b.ID)
		})
	}
	return out, nil
}

// Unjudged counts the translations that a judge has not judged, and their segments. The judge
// need not exist.
func (s *Store) Unjudged(ctx context.Context, campaignID, judge string) (segments, translations int, err error) {
	id, err := s.judgeID(ctx, campaignID, judge)
	if err != nil {
		return 0, 0, err
	}
	err = database.Scan(s.db.Read(ctx).Raw("SELECT count(DISTINCT g.id), count(*) "+openTo, campaignID, id, id), &segments, &translations)
	return segments, translations, err
}
