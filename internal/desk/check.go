package desk

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/check"
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
	err = s.Snapshot(ctx, func(db *gorm.DB) error {
		list, err = readChecks(db, c)
		return err
	})
	return list, database.Translate(err)
}

// CountChecks counts the checks of a campaign, as [Store.Checks] lists them.
func (s *Store) CountChecks(ctx context.Context, campaignID string) (n int, err error) {
	err = database.Scan(s.Read(ctx).Raw(`SELECT count(*) FROM campaigns k JOIN all_segments s ON s.campaign_id = k.id JOIN translations t ON t.segment_id = s.id
		JOIN checks x ON x.translation_id = t.id WHERE k.part_of = ? AND k.side = ?`, campaignID, string(campaign.Checks)), &n)
	return n, database.Translate(err)
}

// JudgedChecks tests the checks of each annotator who has any, by login.
func (s *Store) JudgedChecks(ctx context.Context, c campaign.Campaign) (out []readmodel.AnnotatorChecks, err error) {
	err = s.Snapshot(ctx, func(db *gorm.DB) error {
		list, err := readChecks(db, c)
		if err != nil {
			return err
		}
		out, err = judgeChecks(db, c, list)
		return err
	})
	return out, database.Translate(err)
}

// decidingChecks finds the result of the checks of each annotator that decides over their flag, by login.
func decidingChecks(db *gorm.DB, c campaign.Campaign) (map[string]check.Result, error) {
	list, err := readChecks(db, c)
	if err != nil {
		return nil, err
	}
	judged, err := judgeChecks(db, c, list)
	out := make(map[string]check.Result, len(judged))
	for _, a := range judged {
		out[a.Login] = check.Deciding(a.Results)
	}
	return out, err
}

// A checkRow is a check as it is stored.
type checkRow struct {
	ID, UserID, Login, OfTranslation, Text string
	Kind                                   check.Kind
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
	err = db.Raw(`SELECT k.translation_id AS id, p.user_id, u.login, k.of_translation, t.text, k.kind, k.removed, coalesce(x.removed, FALSE) AS text_removed,
			coalesce(d.doc_id, p.doc_id) AS doc_id, coalesce(o.segment_id, g.segment_id) AS segment_id, coalesce(o.id, '') AS segment_row, y.name AS system, coalesce(ot.text, '') AS original, n.score AS known,
			r.id IS NOT NULL AS rated, coalesce(r.scores, '') AS scores, coalesce(r.spans, '') AS spans, coalesce(r.seconds, 0) AS seconds, coalesce(a.submitted_at, 0) AS submitted_at
		FROM all_segments g JOIN check_pages p ON p.segment_id = g.id JOIN users u ON u.id = p.user_id
		JOIN translations t ON t.segment_id = g.id JOIN checks k ON k.translation_id = t.id JOIN all_systems y ON y.id = t.system_id
		LEFT JOIN degraded_texts x ON x.campaign_id = g.campaign_id AND x.of_translation = k.of_translation
		LEFT JOIN translations ot ON ot.id = k.of_translation LEFT JOIN all_segments o ON o.id = p.of_segment LEFT JOIN documents d ON d.id = o.document_id
		LEFT JOIN known_answers n ON n.translation_id = k.of_translation
		LEFT JOIN assignments a ON a.segment_id = g.id AND a.user_id = p.user_id AND a.state = 'submitted'
		LEFT JOIN ratings r ON r.assignment_id = a.id AND r.translation_id = t.id
		WHERE g.campaign_id = ?`, checks.ID).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	given, err := givenTo(db, rows)
	if err != nil {
		return nil, err
	}
	rule := c.Settings.CheckRule(c.Rules)
	out := make([]readmodel.Check, len(rows))
	for i, r := range rows {
		k := readmodel.Check{
			ID: r.ID, Kind: r.Kind, Login: r.Login, DocID: r.DocID, SegmentID: r.SegmentID, SegmentRow: r.SegmentRow, System: r.System, Original: r.Original, Text: r.Text,
			TextRemoved: r.TextRemoved, Removed: r.Removed, OfID: r.OfTranslation, Score: math.NaN(), Against: math.NaN(),
		}
		if score, ok := c.Rules.GateScore(r.Given.Rating()); ok && r.Rated {
			k.Submitted, k.Score, k.SubmittedAt, k.Seconds = true, score, r.SubmittedAt.Time(), r.Seconds
			if k.Against, k.Basis = against(r, given[r.OfTranslation]); k.Basis != "" {
				k.Passed = rule.Passes(k.Kind, k.Score, k.Against)
			}
		}
		out[i] = k
	}
	slices.SortFunc(out, func(a, b readmodel.Check) int {
		return cmp.Or(strings.Compare(a.Login, b.Login), b.SubmittedAt.Compare(a.SubmittedAt), strings.Compare(a.ID, b.ID))
	})
	return out, nil
}

// A givenScore is the gate score that somebody gave to a translation of the campaign.
type givenScore struct {
	TranslationID, UserID string
	Round                 int
	Aside                 bool // the work is set aside
	GateScore             float64
	SubmittedAt           database.Instant
}

// givenTo reads the scores of the originals of checks, by their ids.
func givenTo(db *gorm.DB, rows []checkRow) (map[string][]givenScore, error) {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.OfTranslation
	}
	slices.Sort(ids)
	out := map[string][]givenScore{}
	for part := range slices.Chunk(slices.Compact(ids), database.MaxParameters) {
		var given []givenScore
		err := db.Raw(`SELECT r.translation_id, a.user_id, a.round, a.set_aside <> '' AS aside, r.gate_score, a.submitted_at FROM ratings r JOIN assignments a ON a.id = r.assignment_id
			WHERE r.translation_id IN ? AND (a.state = 'submitted' OR a.set_aside = 'submitted') ORDER BY r.translation_id, a.user_id, a.round`, part).Scan(&given).Error
		if err != nil {
			return nil, err
		}
		for _, g := range given {
			out[g.TranslationID] = append(out[g.TranslationID], g)
		}
	}
	return out, nil
}

// against is the score that a check is compared with, and where it comes from. Of a person with ratings in
// several rounds, the first one of the original counts.
func against(r checkRow, given []givenScore) (score float64, basis string) {
	if r.Kind == check.Known {
		if r.Known == nil {
			return math.NaN(), ""
		}
		return *r.Known, "lead"
	}
	var others []float64
	last := ""
	for _, g := range given {
		if g.UserID == last {
			continue
		}
		last = g.UserID
		switch {
		case g.UserID == r.UserID:
			return g.GateScore, "own"
		case !g.Aside:
			others = append(others, g.GateScore)
		}
	}
	if mean, ok := campaign.Mean(others); ok && r.Kind == check.Degraded {
		return mean, "others"
	}
	return math.NaN(), ""
}

// judgeChecks tests checks, which are ordered by login.
func judgeChecks(db *gorm.DB, c campaign.Campaign, list []readmodel.Check) ([]readmodel.AnnotatorChecks, error) {
	var out []readmodel.AnnotatorChecks
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(k readmodel.Check) bool { return k.Login != list[0].Login })
		if n < 0 {
			n = len(list)
		}
		a := readmodel.AnnotatorChecks{Login: list[0].Login}
		var items []check.Item
		var earlier, later []float64
		for _, k := range list[:n] {
			switch {
			case k.Removed:
			case !k.Judged():
				a.Open++
			default:
				items = append(items, check.Item{Kind: k.Kind, Score: k.Score, Against: k.Against})
				if k.Kind == check.Repeat {
					earlier, later = append(earlier, k.Against), append(later, k.Score)
				}
			}
		}
		work, aside, err := workScores(db, c.ID, a.Login)
		if err != nil {
			return nil, err
		}
		a.SetAside = aside
		a.Results = check.Judge(work, items, c.Settings.CheckRule(c.Rules), c.Settings.CheckFlag)
		a.Self = readmodel.SelfAgreementOf(earlier, later)
		out, list = append(out, a), list[n:]
	}
	return out, nil
}

// workScores reads the scores that an annotator gave lately in work, and whether the work is set aside.
func workScores(db *gorm.DB, campaignID, login string) (scores []float64, aside bool, err error) {
	var userID string
	err = database.Scan(db.Raw("SELECT u.id, coalesce(m.set_aside, FALSE) FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.campaign_id = ? WHERE u.login = ?", campaignID, login), &userID, &aside)
	if err != nil {
		return nil, false, err
	}
	state := "state"
	if aside {
		state = "set_aside" // the state before
	}
	err = db.Raw(`SELECT r.gate_score FROM (SELECT id FROM assignments WHERE campaign_id = ? AND `+state+` = 'submitted' AND user_id = ? ORDER BY submitted_at DESC, id DESC LIMIT ?) a
		JOIN ratings r ON r.assignment_id = a.id`, campaignID, userID, sampledTurns).Scan(&scores).Error
	return scores, aside, err
}

// ChecksToAnswer counts the threads about checks of a campaign in which an annotator waits for an answer.
func (s *Store) ChecksToAnswer(ctx context.Context, c campaign.Campaign) (int, error) {
	checks, made, err := records.FindSide(s.Read(ctx), c, campaign.Checks)
	if err != nil || !made {
		return 0, database.Translate(err)
	}
	return s.CountToAnswer(ctx, checks.ID)
}
