package desk

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// sampledTurns is the number of latest submissions of an annotator whose scores say what is passed by
// chance.
const sampledTurns = 300

// Checks lists the checks of a campaign, those without a submission included: by login, then the latest
// first.
func (s *Store) Checks(ctx context.Context, c campaign.Campaign) (list []readmodel.Check, err error) {
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		list, err = readChecks(db, c)
		return err
	})
	return list, err
}

// CountChecks counts the checks of a campaign, as [Store.Checks] lists them.
func (s *Store) CountChecks(ctx context.Context, campaignID string) (n int, err error) {
	// CROSS JOIN makes SQLite begin with the side campaign instead of with all translations.
	err = database.Scan(s.db.Read(ctx).Raw(`SELECT count(*) FROM campaigns k CROSS JOIN all_segments s CROSS JOIN translations t CROSS JOIN checks x
		WHERE k.part_of = ? AND k.side = ? AND s.campaign_id = k.id AND t.segment_id = s.id AND x.translation_id = t.id`, campaignID, string(campaign.Checks)), &n)
	return n, err
}

// HandedOut counts the documents that the active annotators of a campaign were handed.
func (s *Store) HandedOut(ctx context.Context, campaignID string) (h readmodel.HandedOut, err error) {
	db := s.db.Read(ctx)
	ids, err := records.OwnIDs(db, campaignID)
	if err != nil {
		return h, err
	}
	err = database.Scan(
		db.Raw(
			`SELECT count(*), coalesce(min(n), 0), coalesce(max(n), 0) FROM (SELECT (SELECT count(DISTINCT g.document_id) FROM assignments a JOIN all_segments g ON g.id = a.segment_id
			WHERE a.user_id = m.user_id AND a.campaign_id IN ? AND a.round = 1 AND NOT a.imported) AS n
		FROM memberships m WHERE m.campaign_id = ? AND m.role = 'annotator' AND NOT m.removed AND NOT m.set_aside) handed`,
			ids,
			campaignID,
		),
		&h.Annotators, &h.Fewest, &h.Most,
	)
	return h, err
}

// JudgedChecks tests the checks of each annotator who has any, by login. The caller must not change them.
func (s *Store) JudgedChecks(ctx context.Context, c campaign.Campaign) (out []readmodel.AnnotatorChecks, err error) {
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		at, err := stateOf(db, c)
		if err != nil {
			return err
		}
		out, err = s.judgedChecks(db, c, at)
		return err
	})
	return out, err
}

// A checkRow is a check as it is stored.
type checkRow struct {
	Gate                                   float64
	ID, UserID, Login, OfTranslation, Text string
	Kind                                   campaign.CheckKind
	Removed, TextRemoved                   bool
	DocID, SegmentID, SegmentRow           string
	System, Original                       string
	Known                                  *float64
	Rated                                  bool
	Given                                  records.RatingColumns `gorm:"embedded"`
	Seconds                                float64
	SubmittedAt                            database.Instant
}

func readChecks(db *gorm.DB, c campaign.Campaign) ([]readmodel.Check, error) {
	checks, ok, err := records.FindSide(db, c, campaign.Checks)
	if err != nil || !ok {
		return nil, err
	}
	var rows []checkRow
	err = db.Raw(`SELECT k.translation_id AS id, p.user_id, u.login, k.of_translation, CASE WHEN y.name = '' THEN g.source ELSE t.text END AS text, k.kind, k.removed, coalesce(x.removed, FALSE) AS text_removed,
			coalesce(d.doc_id, p.doc_id) AS doc_id, coalesce(o.segment_id, g.segment_id) AS segment_id, coalesce(o.id, '') AS segment_row, y.name AS system, coalesce(ot.text, '') AS original, n.score AS known,
			r.id IS NOT NULL AS rated, coalesce(r.gate_score, 0) AS gate, coalesce(r.scores, '') AS scores, coalesce(r.spans, '') AS spans, coalesce(r.seconds, 0) AS seconds, coalesce(a.submitted_at, 0) AS submitted_at
		FROM all_segments g JOIN check_pages p ON p.segment_id = g.id JOIN users u ON u.id = p.user_id
		JOIN translations t ON t.segment_id = g.id JOIN checks k ON k.translation_id = t.id JOIN all_systems y ON y.id = t.system_id
		LEFT JOIN degraded_texts x ON x.campaign_id = g.campaign_id AND x.of_translation = k.of_translation
		LEFT JOIN translations ot ON ot.id = k.of_translation LEFT JOIN all_segments o ON o.id = p.of_segment LEFT JOIN documents d ON d.id = o.document_id
		LEFT JOIN known_answers n ON n.translation_id = k.of_translation
		LEFT JOIN assignments a ON a.segment_id = g.id AND a.user_id = p.user_id AND a.state = 'submitted'
		LEFT JOIN ratings r ON r.assignment_id = a.id AND r.translation_id = t.id
		WHERE g.campaign_id = ?`, checks.ID).
		Scan(&rows).
		Error
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.OfTranslation
	}
	given, err := givenTo(db, ids)
	if err != nil {
		return nil, err
	}
	rule := c.Settings.CheckRule(c.Rules)
	out := make([]readmodel.Check, len(rows))
	for i, r := range rows {
		k := readmodel.Check{
			ID: r.ID, Kind: r.Kind, UserID: r.UserID, Login: r.Login, DocID: r.DocID, SegmentID: r.SegmentID, SegmentRow: r.SegmentRow,
			System: r.System, Original: r.Original, Text: r.Text,
			TextRemoved: r.TextRemoved, Removed: r.Removed, OfID: r.OfTranslation, Score: math.NaN(), Against: math.NaN(),
		}
		score, ok := r.Gate, c.Settings.Nominal
		if !ok {
			score, ok = c.Rules.GateScore(r.Given.Rating())
		}
		if ok && r.Rated {
			k.Submitted, k.Score, k.SubmittedAt, k.Seconds = true, score, r.SubmittedAt.Time(), r.Seconds
			if k.Against, k.Basis = against(r.Kind, r.UserID, r.Known, given[r.OfTranslation]); k.Basis != "" {
				k.Passed, k.Uncounted = rule.Passes(k.Kind, k.Score, k.Against), rule.Uncounted(k.Kind, k.Against)
			}
		}
		out[i] = k
	}
	slices.SortFunc(out, func(a, b readmodel.Check) int {
		return cmp.Or(strings.Compare(a.Login, b.Login), b.SubmittedAt.Compare(a.SubmittedAt), strings.Compare(a.ID, b.ID))
	})
	return out, nil
}

// A givenScore is the gate score that somebody gave to a translation of the campaign, in their first round.
type givenScore struct {
	user  string // id
	aside bool   // the work is set aside
	score float64
}

// givenTo reads the scores of translations, by their ids. It sorts ids.
func givenTo(db *gorm.DB, ids []string) (map[string][]givenScore, error) {
	slices.Sort(ids)
	out := map[string][]givenScore{}
	for part := range slices.Chunk(slices.Compact(ids), database.MaxParameters) {
		var id string
		var g givenScore
		for err := range database.EachRow(db.Raw(`SELECT r.translation_id, a.user_id, a.set_aside <> '', r.gate_score FROM ratings r JOIN assignments a ON a.id = r.assignment_id
			WHERE r.translation_id IN ? AND (a.state = 'submitted' OR a.set_aside = 'submitted') ORDER BY r.translation_id, a.user_id, a.round`, part),
			&id, &g.user, &g.aside, &g.score) {
			if err != nil {
				return nil, err
			}
			if n := len(out[id]); n == 0 || out[id][n-1].user != g.user {
				out[id] = append(out[id], g)
			}
		}
	}
	return out, nil
}

// against is the score that a check of a user is compared with, and where it comes from. known is the lead's
// score of the original, if there is one, and given are the scores of the original.
func against(kind campaign.CheckKind, userID string, known *float64, given []givenScore) (score float64, basis string) {
	if kind == campaign.KnownCheck {
		if known == nil {
			return math.NaN(), ""
		}
		return *known, "lead"
	}
	var others []float64
	for _, g := range given {
		switch {
		case g.user == userID:
			return g.score, "own"
		case !g.aside:
			others = append(others, g.score)
		}
	}
	if mean, ok := campaign.Mean(others); ok && kind == campaign.DegradedCheck {
		return mean, "others"
	}
	return math.NaN(), ""
}

// ChecksToAnswer counts the threads about checks of a campaign in which an annotator waits for an answer.
func (s *Store) ChecksToAnswer(ctx context.Context, c campaign.Campaign) (int, error) {
	checks, made, err := records.FindSide(s.db.Read(ctx), c, campaign.Checks)
	if err != nil || !made {
		return 0, err
	}
	return s.CountToAnswer(ctx, checks.ID)
}
