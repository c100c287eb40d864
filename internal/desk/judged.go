package desk

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// JudgeAgreement computes how far the scores of judges agree with those of annotators and of other
// judges, at system and at segment level. If gold is set, it uses only segments in gold. It reads
// the tallies of all segments that have judgements, which takes a tenth of a second or more with
// 20,000 judgements. Callers therefore keep the result as long as [Store.JudgedState] stays the same.
func (s *Store) JudgeAgreement(ctx context.Context, c campaign.Campaign, gold bool) (campaign.JudgeAgreement, error) {
	a, err := campaign.AgreementOfJudges(c.Rules, s.judgedSegments(ctx, c), gold)
	return a, err
}

// JudgedState returns a text that changes whenever the judgements of a campaign or the tallies of its
// annotators' ratings change. The text is empty if the campaign has no judges.
func (s *Store) JudgedState(ctx context.Context, campaignID string) (string, error) {
	db := s.db.Read(ctx)
	var judges []struct {
		ID   string
		Beat int64 // rises with each judgement that a run stores
	}
	err := db.Raw("SELECT j.id, coalesce(r.beat, 0) AS beat FROM judges j LEFT JOIN judge_runs r ON r.judge_id = j.id WHERE j.campaign_id = ? ORDER BY j.id", campaignID).
		Scan(&judges).
		Error
	if err != nil || len(judges) == 0 {
		return "", err
	}
	var imports int // how many the campaign has had
	if err := database.Scan(db.Raw("SELECT imports FROM campaigns WHERE id = ?", campaignID), &imports); err != nil {
		return "", err
	}
	version, err := s.Version(ctx, campaignID)
	return fmt.Sprint(version, imports, judges), err
}

// judgedSegments yields the segments that have judgements, with the gate scores of annotators and
// the scores of judges, without spans.
func (s *Store) judgedSegments(ctx context.Context, c campaign.Campaign) iter.Seq2[campaign.Rated, error] {
	return func(yield func(campaign.Rated, error) bool) {
		r, err := newJudgedReader(s.db.Read(ctx), c, false)
		var ids []string
		if err == nil && len(r.judges) > 0 {
			ids, err = r.segments()
		}
		if err != nil {
			yield(campaign.Rated{}, err)
			return
		}
		for batch := range slices.Chunk(ids, ratedBatch) {
			segments, err := r.counted(batch)
			if err != nil {
				yield(campaign.Rated{}, err)
				return
			}
			for _, seg := range segments {
				if !yield(seg, nil) {
					return
				}
			}
		}
	}
}

// A judgedReader reads the judgements of a campaign.
type judgedReader struct {
	db                      *gorm.DB
	c                       campaign.Campaign
	spans                   bool              // read the error spans too
	judges, systems, logins map[string]string // names by id
}

// newJudgedReader reads the names of the campaign's judges and, if there are any, those of its
// systems and annotators.
func newJudgedReader(db *gorm.DB, c campaign.Campaign, spans bool) (*judgedReader, error) {
	r := &judgedReader{db: db, c: c, spans: spans && c.Rules.MarksErrors()}
	var err error
	if r.judges, err = records.NamesByID(db, "SELECT id, name FROM judges WHERE campaign_id = ?", c.ID); err != nil || len(r.judges) == 0 {
		return r, err
	}
	if r.systems, err = records.NamesByID(db, "SELECT id, name FROM systems WHERE campaign_id = ?", c.ID); err != nil {
		return r, err
	}
	r.logins, err = annotatorLogins(db, c.ID)
	return r, err
}

// segments returns the ids of the segments that have judgements, sorted.
func (r *judgedReader) segments() (ids []string, err error) {
	err = r.db.Raw(`SELECT g.id FROM segments g WHERE g.campaign_id = ?
		AND EXISTS (SELECT 1 FROM translations t JOIN judgements x ON x.translation_id = t.id WHERE t.segment_id = g.id)`, r.c.ID).Scan(&ids).Error
	slices.Sort(ids)
	return ids, err
}

// add adds the judgements of the segments with the given ids.
func (r *judgedReader) add(db *gorm.DB, segments []campaign.Rated, index map[string]int, ids []string) error {
	marked := "x.spans IS NOT NULL, ''"
	if r.spans {
		marked = "x.spans IS NOT NULL, coalesce(x.spans, '')"
	}
	var segment, system, judge, scores, places sql.RawBytes
	var score sql.NullFloat64
	var marks bool
	for err := range database.EachRow(db.Raw(`SELECT t.segment_id, t.system_id, x.judge_id, x.score, x.scores, `+marked+`
		FROM translations t JOIN judgements x ON x.translation_id = t.id WHERE t.segment_id IN ?`, ids),
		&segment, &system, &judge, &score, &scores, &marks, &places) {
		if err != nil {
			return err
		}
		var j campaign.Judgement
		if score.Valid {
			x := score.Float64
			j.Score = &x
		}
		if marks {
			j.Spans = []protocol.ErrorSpan{}
		}
		if err := decodeUnlessEmpty(scores, &j.Scores); err != nil {
			return fmt.Errorf("decode scores of a judgement: %w", err)
		}
		if err := decodeUnlessEmpty(places, &j.Spans); err != nil {
			return fmt.Errorf("decode the errors of a judgement: %w", err)
		}
		j.Judge = r.judges[string(judge)]
		seg := &segments[index[string(segment)]]
		seg.Judged = append(seg.Judged, campaign.JudgedOf(r.c.Rules, r.systems[string(system)], j))
	}
	return nil
}

// decodeUnlessEmpty decodes a JSON list or object into v. If the text, the list or the object is
// empty, v stays as it is.
func decodeUnlessEmpty(text []byte, v any) error {
	if len(text) <= len("[]") {
		return nil
	}
	return json.Unmarshal(text, v)
}

// counted reads segments by id, with their judgements and the gate scores of their tallies.
func (r *judgedReader) counted(ids []string) ([]campaign.Rated, error) {
	segments, index := make([]campaign.Rated, 0, len(ids)), make(map[string]int, len(ids))
	scale := scaleOf(r.c)
	var id, status, text string
	for err := range database.EachRow(r.db.Raw("SELECT k.segment_id, k.status, k.counted FROM segment_tallies k WHERE k.segment_id IN ?", ids),
		&id, &status, &text) {
		if err != nil {
			return nil, err
		}
		seg := campaign.Rated{Status: campaign.Status(status)}
		counted, err := decodeCounted(text)
		if err != nil {
			return nil, err
		}
		if counted != nil {
			seg.Given = r.given(counted, scale)
		}
		index[id] = len(segments)
		segments = append(segments, seg)
	}
	known := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, ok := index[id]; return !ok })
	return segments, r.add(r.db, segments, index, known)
}

// given returns the gate scores in a segment's tally.
func (r *judgedReader) given(s *Counted, scale scoreScale) (out []campaign.Given) {
	for _, turn := range s.Turns {
		if turn.Out {
			continue
		}
		for i, units := range turn.Scores {
			if units != missing {
				out = append(
					out,
					campaign.Given{System: r.systems[s.Systems[i]], Annotator: r.logins[turn.User], Round: turn.Round, Score: scale.Points(float64(units))},
				)
			}
		}
	}
	return out
}
