package desk

import (
	"slices"
	"strings"
	"sync"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// keptChecks keeps in memory what the checks of campaigns say of their annotators, because judging many checks
// takes long and several pages ask for it at each view.
type keptChecks struct {
	mu sync.Mutex
	of map[string]judgedAt // by id of the campaign
}

// judgedAt is what the checks of a campaign said in one state. Everything that it follows from raises the
// version of the campaign, or that of its settings.
type judgedAt struct {
	version  int64
	settings int
	judged   []readmodel.AnnotatorChecks
}

// judgedChecks is [Store.JudgedChecks] within a transaction.
func (s *Store) judgedChecks(db *gorm.DB, c campaign.Campaign) ([]readmodel.AnnotatorChecks, error) {
	checks, ok, err := records.FindSide(db, c, campaign.Checks)
	if err != nil || !ok {
		return nil, err
	}
	// The version comes first: if something changes meanwhile, the next view has a higher one.
	version, err := versionOf(db, c.ID)
	if err != nil {
		return nil, err
	}
	s.checks.mu.Lock()
	kept, ok := s.checks.of[c.ID]
	s.checks.mu.Unlock()
	if ok && kept.version == version && kept.settings == c.SettingsVersion {
		return kept.judged, nil
	}
	judged, err := judgeChecks(db, c, checks)
	if err != nil {
		return nil, err
	}
	s.checks.mu.Lock()
	s.checks.of[c.ID] = judgedAt{version, c.SettingsVersion, judged}
	s.checks.mu.Unlock()
	return judged, nil
}

// judgeChecks judges the checks of all annotators.
func judgeChecks(db *gorm.DB, c, checks campaign.Campaign) ([]readmodel.AnnotatorChecks, error) {
	taken, err := takenChecks(db, c, checks)
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(taken))
	for _, k := range taken {
		if k.counts && k.kind != campaign.KnownCheck {
			ids = append(ids, k.of)
		}
	}
	given, err := givenTo(db, ids)
	if err != nil {
		return nil, err
	}
	var out []readmodel.AnnotatorChecks
	for len(taken) > 0 {
		n := slices.IndexFunc(taken, func(k takenCheck) bool { return k.user != taken[0].user })
		if n < 0 {
			n = len(taken)
		}
		a := readmodel.AnnotatorChecks{UserID: taken[0].user}
		var items []campaign.CheckItem
		var earlier, later []float64
		for _, k := range taken[:n] {
			if k.removed {
				continue
			}
			against, basis := against(k.kind, k.user, k.known, given[k.of])
			if !k.counts || basis == "" {
				a.Open++
				continue
			}
			items = append(
				items,
				campaign.CheckItem{Kind: k.kind, Score: k.score, Against: against, Document: k.document, Source: k.source, Original: k.original},
			)
			if k.kind == campaign.RepeatCheck {
				was, is := against, k.score
				if c.Settings.Nominal { // answers have no mean, so the difference is 0 or 1
					if was, is = 0, 0; against != k.score {
						is = 1
					}
				}
				earlier, later = append(earlier, was), append(later, is)
			}
		}
		work, aside, err := workScores(db, c.ID, a.UserID)
		if err != nil {
			return nil, err
		}
		if err := database.Scan(db.Raw("SELECT login FROM users WHERE id = ?", a.UserID), &a.Login); err != nil {
			return nil, err
		}
		a.SetAside = aside
		a.Results = campaign.JudgeChecks(work, items, c.Settings.CheckRule(c.Rules), c.Settings.CheckFlag)
		a.Uncounted = len(items) - a.Results[0].Taken
		a.Self = readmodel.SelfAgreementOf(earlier, later)
		a.Self.Answers = c.Settings.Nominal
		out, taken = append(out, a), taken[n:]
	}
	slices.SortFunc(out, func(a, b readmodel.AnnotatorChecks) int { return strings.Compare(a.Login, b.Login) })
	return out, nil
}

// A takenCheck is a check with its score.
type takenCheck struct {
	user, of string // ids of the annotator and of the original translation
	kind     campaign.CheckKind
	removed  bool
	counts   bool // it is submitted and not removed
	score    float64
	known    *float64 // the lead's score of the original
	// The values on which the check depends; see [campaign.CheckItem].
	document, source, original string
}

// takenChecks reads the checks of a campaign by annotator, the earliest first.
func takenChecks(db *gorm.DB, c, checks campaign.Campaign) (out []takenCheck, err error) {
	// A gate score that is derived may follow from settings that were changed since it was stored.
	_, entered := c.Rules.Score(c.Rules.Gate)
	entered = entered || c.Settings.Nominal
	columns := "'', ''"
	if !entered {
		columns = "coalesce(r.scores, ''), coalesce(r.spans, '')"
	}
	var k takenCheck
	var rated bool
	var given records.RatingColumns
	for err := range database.EachRow(db.Raw(
		`SELECT p.user_id, k.of_translation, k.kind, k.removed, r.id IS NOT NULL, coalesce(r.gate_score, 0), n.score, p.of_document, g.source, coalesce(o.text, k.of_translation), `+columns+`
		FROM all_segments g JOIN check_pages p ON p.segment_id = g.id JOIN translations t ON t.segment_id = g.id JOIN checks k ON k.translation_id = t.id
		LEFT JOIN translations o ON o.id = k.of_translation LEFT JOIN known_answers n ON n.translation_id = k.of_translation
		LEFT JOIN assignments a ON a.segment_id = g.id AND a.user_id = p.user_id AND a.state = 'submitted'
		LEFT JOIN ratings r ON r.assignment_id = a.id AND r.translation_id = t.id
		WHERE g.campaign_id = ? ORDER BY p.user_id, coalesce(a.submitted_at, 0), k.translation_id`,
		checks.ID,
	), &k.user, &k.of, &k.kind, &k.removed, &rated, &k.score, &k.known, &k.document, &k.source, &k.original, &given.Scores, &given.Spans) {
		if err != nil {
			return out, err
		}
		if rated && !entered {
			k.score, rated = c.Rules.GateScore(given.Rating())
		}
		if c.Rules.OfSegments() { // whose translations have no text
			k.original = k.of
		}
		k.counts = rated && !k.removed
		out = append(out, k)
	}
	return out, nil
}
