package records

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/judge"
	"annotate/internal/protocol"
)

// JudgeSettings are the settings of a run. The store keeps them with the run.
type JudgeSettings struct {
	Server  string `json:"server,omitempty"`  // address of the model's server; empty: runs of earlier versions did not keep it
	Fresh   string `json:"fresh,omitempty"`   // part of the ids of replies since the judge last asked again; empty: it uses those of other judges
	Variant string `json:"variant,omitempty"` // variant of the method; empty: the default
	Search  bool   `json:"search,omitempty"`  // the run has a search engine
	// PromptFile is the SHA-256 of the file that the prompts came from; empty: they are the method's own, or
	// runs of earlier versions did not keep it.
	PromptFile string   `json:"prompt_file,omitempty"`
	Retries    int      `json:"retries"`
	Seed       uint64   `json:"seed"`
	Threshold  *float64 `json:"threshold,omitempty"` // given, or found by the run; nil: the run has not found it yet

	// The limits of the latest run.
	Concurrency int   `json:"concurrency,omitempty"` // calls at a time; 0: not known
	MaxTokens   int64 `json:"max_tokens,omitempty"`  // 0: no limit
}

// Judges lists the judges of a campaign in byte order of their names, with the numbers of
// their judgements.
func (s *Store) Judges(ctx context.Context, campaignID string) ([]campaign.Judge, error) {
	db := s.db.Read(ctx)
	rows, err := judgeRows(db, campaignID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	left, err := judgeable(db, campaignID)
	if err != nil {
		return nil, err
	}
	out := make([]campaign.Judge, len(rows))
	for i, r := range rows {
		out[i] = campaign.Judge{ID: r.ID, Name: r.Name, Method: r.Method, Model: r.Model, MadeAt: r.MadeAt.Time()}
		if out[i].About, err = r.about(); err != nil {
			return nil, err
		}
		if err := countJudgements(db, &out[i]); err != nil {
			return nil, err
		}
		if r.Calibrated > 0 {
			var apart int
			if err := database.Scan(db.Raw("SELECT count(*) FROM judge_calibrations k JOIN segments g ON g.id = k.segment_id JOIN translations t ON t.segment_id = g.id WHERE k.judge_id = ? AND g.status <> 'withdrawn'", r.ID), &apart); err != nil {
				return nil, err
			}
			out[i].Left -= apart
		}
		// A run may store judgements between the queries.
		out[i].Left = max(0, out[i].Left+left.translations+left.judgedWithdrawn[r.ID]-out[i].OK-out[i].Unparsable)
	}
	slices.SortFunc(out, func(a, b campaign.Judge) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// A judgeRow is a judge with its run. Settings is empty for a judge whose judgements were imported.
type judgeRow struct {
	ID, Name, Method, Model, About, PromptHash, Settings string
	MethodVersion, Calibrated                            int
	MadeAt, BeganAt, ChangedAt                           database.Instant
}

func judgeRows(db *gorm.DB, campaignID string) (rows []judgeRow, err error) {
	err = db.Raw(`SELECT j.id, j.name, j.method, j.model, j.about, j.made_at, coalesce(r.method_version, 0) AS method_version, coalesce(r.prompt_hash, '') AS prompt_hash,
		coalesce(r.settings, '') AS settings, coalesce(r.began_at, 0) AS began_at, coalesce(r.changed_at, 0) AS changed_at,
		(SELECT count(*) FROM judge_calibrations k WHERE k.judge_id = j.id) AS calibrated
		FROM judges j LEFT JOIN judge_runs r ON r.judge_id = j.id WHERE j.campaign_id = ?`, campaignID).
		Scan(&rows).
		Error
	return rows, err
}

// about returns the line about the judge, as [judge.About] writes it.
func (r judgeRow) about() (string, error) {
	a := judge.About{Method: r.Method, Model: r.Model}
	if r.Settings == "" {
		return cmp.Or(r.About, a.String()), nil
	}
	var set JudgeSettings
	if err := json.Unmarshal([]byte(r.Settings), &set); err != nil {
		return "", fmt.Errorf("decode the settings of the judge %s: %w", r.Name, err)
	}
	a.Version, a.Variant, a.PromptHash, a.PromptFile, a.Server, a.First, a.Last = r.MethodVersion, set.Variant, r.PromptHash, set.PromptFile, set.Server, r.BeganAt.Time(), r.ChangedAt.Time()
	a.Retries, a.Seed, a.Threshold, a.Calibrated, a.Search = set.Retries, set.Seed, set.Threshold, r.Calibrated, set.Search
	return a.String(), nil
}

// JudgesAbout returns the line about each judge of a campaign, in byte order of the judges' names.
func (s *Store) JudgesAbout(ctx context.Context, campaignID string) ([]campaign.JudgeAbout, error) {
	rows, err := judgeRows(s.db.Read(ctx), campaignID)
	if err != nil {
		return nil, err
	}
	out := make([]campaign.JudgeAbout, len(rows))
	for i, r := range rows {
		out[i].Judge = r.Name
		if out[i].About, err = r.about(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b campaign.JudgeAbout) int { return strings.Compare(a.Judge, b.Judge) })
	return out, nil
}

// CalibrationSegments names the segments that a judge found its threshold with, as DOCUMENT/SEGMENT, in the order of import. The
// judge does not judge them.
func (s *Store) CalibrationSegments(ctx context.Context, judgeID string) (out []string, err error) {
	err = s.db.Read(ctx).
		Raw(`SELECT d.doc_id || '/' || g.segment_id FROM judge_calibrations k JOIN segments g ON g.id = k.segment_id JOIN documents d ON d.id = g.document_id
		WHERE k.judge_id = ? ORDER BY g.position`, judgeID).
		Scan(&out).
		Error
	return out, err
}

// judgesAbout returns the line about each judge of a campaign of which more than method and model is
// known, by its name.
func judgesAbout(db *gorm.DB, campaignID string) (map[string]string, error) {
	rows, err := judgeRows(db, campaignID)
	out := map[string]string{}
	for _, r := range rows {
		if err == nil && (r.About != "" || r.Settings != "") {
			out[r.Name], err = r.about()
		}
	}
	return out, err
}

// countJudgements counts the judgements of a judge. It reads only an index, in the order of the index,
// and decides for each import instead of each row which judgements are hidden.
func countJudgements(db *gorm.DB, j *campaign.Judge) error {
	var counts []struct {
		Status string
		N      int
	}
	err := db.Raw(`SELECT x.status, CAST(sum(x.n) AS BIGINT) AS n FROM
		(SELECT status, import_id, replaced_by, count(*) AS n FROM all_judgements WHERE judge_id = ? GROUP BY status, import_id, replaced_by) x
		WHERE (x.import_id = '' OR NOT EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = x.import_id))
		AND (x.replaced_by = '' OR EXISTS (SELECT 1 FROM hidden_imports i WHERE i.id = x.replaced_by)) GROUP BY x.status`, j.ID).Scan(&counts).Error
	for _, c := range counts {
		switch campaign.JudgementStatus(c.Status) {
		case campaign.JudgementOK:
			j.OK = c.N
		case campaign.JudgementUnparsable:
			j.Unparsable = c.N
		}
	}
	return err
}

// A toJudge has the counts from which the translations that a judge has not judged are computed.
type toJudge struct {
	translations    int            // number of translations of segments that are not withdrawn
	judgedWithdrawn map[string]int // number of judgements of withdrawn segments by id of the judge
}

func judgeable(db *gorm.DB, campaignID string) (toJudge, error) {
	out := toJudge{judgedWithdrawn: map[string]int{}}
	// Those of each system are counted in an index. There are few others to subtract: of segments that are withdrawn, and
	// of those that an import hides.
	err := database.Scan(db.Raw(`SELECT (SELECT count(*) FROM all_systems y CROSS JOIN translations t WHERE y.campaign_id = ? AND t.system_id = y.id)
		- (SELECT count(*) FROM segments g CROSS JOIN translations t WHERE g.campaign_id = ? AND g.status = 'withdrawn' AND t.segment_id = g.id)
		- (SELECT count(*) FROM staged_imports i CROSS JOIN all_segments g CROSS JOIN translations t
			WHERE i.campaign_id = ? AND g.campaign_id = i.campaign_id AND g.position > i.after_position AND t.segment_id = g.id)`,
		campaignID, campaignID, campaignID), &out.translations)
	if err != nil {
		return out, err
	}
	var withdrawn []struct {
		JudgeID string
		N       int
	}
	err = db.Raw(`SELECT x.judge_id, count(*) AS n FROM segments g JOIN translations t ON t.segment_id = g.id JOIN judgements x ON x.translation_id = t.id
		WHERE g.campaign_id = ? AND g.status = 'withdrawn' GROUP BY x.judge_id`, campaignID).Scan(&withdrawn).Error
	for _, w := range withdrawn {
		out.judgedWithdrawn[w.JudgeID] = w.N
	}
	return out, err
}

// CountJudges counts the judges of a campaign.
func (s *Store) CountJudges(ctx context.Context, campaignID string) (n int, err error) {
	err = database.Scan(s.db.Read(ctx).Raw("SELECT count(*) FROM judges WHERE campaign_id = ?", campaignID), &n)
	return n, err
}

// JudgementColumns are the columns of a judgement as they are stored.
type JudgementColumns struct {
	Status, Scores, Unplaced, Why string
	Score                         *float64
	Spans                         *string
}

// EncodeJudgement returns the columns of a judgement.
func EncodeJudgement(j campaign.Judgement) JudgementColumns {
	out := JudgementColumns{Status: string(j.Status), Scores: "{}", Unplaced: EncodeSpans(j.Unplaced), Why: j.Why, Score: j.Score}
	if len(j.Scores) > 0 {
		text, _ := json.Marshal(j.Scores) // finite numbers
		out.Scores = string(text)
	}
	if j.Spans != nil {
		text := EncodeSpans(j.Spans)
		out.Spans = &text
	}
	return out
}

// Decode returns the judgement of a judge.
func (c JudgementColumns) Decode(judge string) (campaign.Judgement, error) {
	j := campaign.Judgement{Judge: judge, Status: campaign.JudgementStatus(c.Status), Score: c.Score, Why: c.Why}
	err := json.Unmarshal([]byte(c.Scores), &j.Scores)
	if err == nil && c.Spans != nil {
		j.Spans = []protocol.ErrorSpan{}
		err = json.Unmarshal([]byte(*c.Spans), &j.Spans)
	}
	if err == nil {
		err = json.Unmarshal([]byte(c.Unplaced), &j.Unplaced)
	}
	if err != nil {
		return j, fmt.Errorf("decode a judgement of %s: %w", judge, err)
	}
	if len(j.Scores) == 0 {
		j.Scores = nil
	}
	if len(j.Unplaced) == 0 {
		j.Unplaced = nil
	}
	return j, nil
}

// JudgementsOf reads the judgements of segments, by id of the translation. Each list is in
// byte order of the judges' names.
func JudgementsOf(db *gorm.DB, segmentIDs []string) (map[string][]campaign.Judgement, error) {
	var rows []struct {
		TranslationID, Name string
		Given               JudgementColumns `gorm:"embedded"`
	}
	err := db.Raw(`SELECT x.translation_id, j.name, x.status, x.score, x.scores, x.spans, x.unplaced, x.why FROM translations t
		JOIN judgements x ON x.translation_id = t.id JOIN judges j ON j.id = x.judge_id WHERE t.segment_id IN ?`, segmentIDs).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	out := map[string][]campaign.Judgement{}
	for _, r := range rows {
		j, err := r.Given.Decode(r.Name)
		if err != nil {
			return nil, err
		}
		out[r.TranslationID] = append(out[r.TranslationID], j)
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b campaign.Judgement) int { return strings.Compare(a.Judge, b.Judge) })
	}
	return out, nil
}

// packers keeps compressors for reuse, because each takes most of a megabyte.
var packers = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

// EncodeTrace compresses a trace for storing.
func EncodeTrace(calls []campaign.TraceCall) (string, error) {
	var b bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&b)
	if err := json.NewEncoder(z).Encode(calls); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// decodeTrace reverses [EncodeTrace].
func decodeTrace(text string) (calls []campaign.TraceCall, err error) {
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	return calls, json.Unmarshal(plain, &calls)
}

// Trace reads the trace of a judge's judgement of a translation in a segment. It is nil if
// the judgement has none.
func (s *Store) Trace(ctx context.Context, campaignID, segmentID, system, judge string) ([]campaign.TraceCall, error) {
	var text string
	err := database.Scan(s.db.Read(ctx).Raw(`SELECT coalesce(r.trace, '') FROM judges j CROSS JOIN segments g CROSS JOIN systems y CROSS JOIN translations t
		CROSS JOIN judgements x LEFT JOIN judgement_traces r ON r.translation_id = x.translation_id AND r.judge_id = x.judge_id AND r.import_id = x.import_id
		WHERE j.campaign_id = ? AND j.name = ? AND g.id = ? AND g.campaign_id = j.campaign_id AND y.campaign_id = j.campaign_id AND y.name = ?
		AND t.segment_id = g.id AND t.system_id = y.id AND x.translation_id = t.id AND x.judge_id = j.id`, campaignID, judge, segmentID, system), &text)
	if err != nil || text == "" {
		return nil, err
	}
	return decodeTrace(text)
}

// EachTrace calls do for each trace of the judges of a method, in no order.
func (s *Store) EachTrace(ctx context.Context, campaignID, method string, do func(judge string, calls []campaign.TraceCall) error) error {
	var judge, packed string
	for err := range database.EachRow(s.db.Read(ctx).Raw(`SELECT j.name, r.trace FROM judges j JOIN judgements x ON x.judge_id = j.id
		JOIN judgement_traces r ON r.translation_id = x.translation_id AND r.judge_id = x.judge_id AND r.import_id = x.import_id
		WHERE j.campaign_id = ? AND j.method = ?`, campaignID, method), &judge, &packed) {
		if err != nil {
			return err
		}
		calls, err := decodeTrace(packed)
		if err != nil {
			return fmt.Errorf("decode a trace of %s: %w", judge, err)
		}
		if err := do(judge, calls); err != nil {
			return err
		}
	}
	return nil
}

// tracesBatch is the number of segments whose compressed traces are in memory at a time. A trace can
// have more than a hundred calls.
const tracesBatch = 10

// EachJudgement calls do for each judgement of a campaign, in the order of import of the
// segments, then by system and judge in byte order. It reads one consistent state of the
// database. If withTraces is set, the judgements have their traces.
func (s *Store) EachJudgement(ctx context.Context, c campaign.Campaign, withTraces bool, do func(campaign.JudgementLine) error) error {
	batch := ExportBatch
	if withTraces {
		batch = tracesBatch
	}
	return s.db.Snapshot(ctx, func(db *gorm.DB) error {
		about, err := judgesAbout(db, c.ID)
		if err != nil {
			return err
		}
		position := 0
		for {
			var segments []struct {
				ID, DocID, SegmentID string
				Position             int
			}
			err := db.Raw(`SELECT g.id, d.doc_id, g.segment_id, g.position FROM segments g JOIN documents d ON d.id = g.document_id
				WHERE g.campaign_id = ? AND g.position > ? ORDER BY g.position LIMIT ?`, c.ID, position, batch).Scan(&segments).Error
			if err != nil || len(segments) == 0 {
				return err
			}
			position = segments[len(segments)-1].Position
			ids := make([]string, len(segments))
			for i, g := range segments {
				ids[i] = g.ID
			}
			lines, err := judgementLines(db, ids, withTraces)
			if err != nil {
				return err
			}
			for _, g := range segments {
				for _, line := range lines[g.ID] {
					if line.packed != "" {
						if line.Trace, err = decodeTrace(line.packed); err != nil {
							return fmt.Errorf("decode a trace of %s: %w", line.Judge, err)
						}
					}
					line.DocID, line.SegmentID, line.About = g.DocID, g.SegmentID, about[line.Judge]
					if err := do(line.JudgementLine); err != nil {
						return err
					}
				}
			}
		}
	})
}

// A packedLine is a judgement with its compressed trace.
type packedLine struct {
	campaign.JudgementLine
	packed string // empty if there is no trace
}

// judgementLines reads the judgements of segments, by id of the segment, in the order of
// [Store.EachJudgement].
func judgementLines(db *gorm.DB, segmentIDs []string, withTraces bool) (map[string][]packedLine, error) {
	trace, join := "''", ""
	if withTraces {
		trace, join = "coalesce(r.trace, '')", "LEFT JOIN judgement_traces r ON r.translation_id = x.translation_id AND r.judge_id = x.judge_id AND r.import_id = x.import_id"
	}
	var rows []struct {
		SegmentID, System, Name, Method, Model, Trace string
		Given                                         JudgementColumns `gorm:"embedded"`
	}
	err := db.Raw(`SELECT t.segment_id, y.name AS system, j.name, j.method, j.model, x.status, x.score, x.scores, x.spans, x.unplaced, x.why, `+trace+` AS trace
		FROM translations t JOIN judgements x ON x.translation_id = t.id JOIN judges j ON j.id = x.judge_id JOIN systems y ON y.id = t.system_id `+join+`
		WHERE t.segment_id IN ?`, segmentIDs).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	out := map[string][]packedLine{}
	for _, r := range rows {
		j, err := r.Given.Decode(r.Name)
		if err != nil {
			return nil, err
		}
		line := campaign.JudgementLine{System: r.System, Method: r.Method, Model: r.Model, Judgement: j}
		out[r.SegmentID] = append(out[r.SegmentID], packedLine{line, r.Trace})
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b packedLine) int {
			if c := strings.Compare(a.System, b.System); c != 0 {
				return c
			}
			return strings.Compare(a.Judge, b.Judge)
		})
	}
	return out, nil
}
