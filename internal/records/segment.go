package records

import (
	"context"
	"iter"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
)

// HumanScored counts the segments with at least one imported human score of a name.
func (s *Store) HumanScored(ctx context.Context, campaignID, name string) (n int, err error) {
	// Most databases have none at all. CROSS JOIN makes SQLite begin with the scores
	// instead of with all translations of the campaign.
	err = database.Scan(s.db.Read(ctx).Raw(`SELECT count(DISTINCT t.segment_id) FROM human_scores h CROSS JOIN translations t CROSS JOIN segments g
		WHERE t.id = h.translation_id AND g.id = t.segment_id AND g.campaign_id = ? AND h.name = ?`, campaignID, name), &n)
	return n, err
}

// SegmentRowID finds the row id of a segment by its external ids. The error is ErrNotFound
// if there is none.
func (s *Store) SegmentRowID(ctx context.Context, campaignID, docID, segmentID string) (string, error) {
	var id string
	err := database.Scan(s.db.Read(ctx).Raw(`SELECT g.id FROM segments g JOIN documents d ON d.id = g.document_id
		WHERE g.campaign_id = ? AND d.doc_id = ? AND g.segment_id = ?`, campaignID, docID, segmentID), &id)
	return id, err
}

// A SegmentRow is a row that [SegmentColumns] selects.
type SegmentRow struct {
	ID         string
	DocID      string
	SegmentID  string
	Position   int
	Domain     string
	DataSource string
	Source     string
	Context    string
	Note       string

	Term, Explication string
	Status            string
	Round             int
	Held              bool
	DecidingAct       string `gorm:"column:holding"`
	Complete          int
}

// SegmentColumns begins a query that selects each [SegmentRow] as g, with its document as d.
const SegmentColumns = `SELECT g.id, d.doc_id, g.segment_id, g.position, g.domain, g.data_source, g.source, g.context, g.note, g.term, g.explication, g.status, g.round, g.held, g.holding, g.complete
	FROM segments g JOIN documents d ON d.id = g.document_id`

// ExportBatch is the number of segments that are read, and held in memory, at once.
const ExportBatch = 200

// AllSegments yields every segment of a campaign in the order of import, with translations,
// references, imported scores, submitted ratings and gold. [database.Batches] says how they
// are read.
func (s *Store) AllSegments(ctx context.Context, c campaign.Campaign) iter.Seq2[campaign.Segment, error] {
	return database.Batches(ctx, s.db, func(db *gorm.DB) (func() ([]campaign.Segment, error), error) {
		position := 0
		return func() ([]campaign.Segment, error) {
			var rows []SegmentRow
			err := db.Raw(SegmentColumns+" WHERE g.campaign_id = ? AND g.position > ? ORDER BY g.position LIMIT ?", c.ID, position, ExportBatch).Scan(&rows).Error
			if err != nil || len(rows) == 0 {
				return nil, err
			}
			position = rows[len(rows)-1].Position
			return CompleteSegments(db, c, rows)
		}, nil
	})
}

// SegmentsByID reads segments of a campaign by their row ids, as [Store.AllSegments] does. Ids of other
// segments are ignored.
func (s *Store) SegmentsByID(ctx context.Context, c campaign.Campaign, ids []string) ([]campaign.Segment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	db := s.db.Read(ctx)
	var rows []SegmentRow
	if err := db.Raw(SegmentColumns+" WHERE g.campaign_id = ? AND g.id IN ? ORDER BY g.position", c.ID, ids).Scan(&rows).Error; err != nil {
		return nil, err
	}
	out, err := CompleteSegments(db, c, rows)
	return out, err
}

// CompleteSegments adds texts, scores and ratings to segments of a campaign.
func CompleteSegments(db *gorm.DB, c campaign.Campaign, rows []SegmentRow) ([]campaign.Segment, error) {
	return readSegments(db, c, rows, true)
}

// GoldOf adds translations, ratings and gold to segments of a campaign, and nothing else.
func GoldOf(db *gorm.DB, c campaign.Campaign, rows []SegmentRow) ([]campaign.Segment, error) {
	return readSegments(db, c, rows, false)
}

// readSegments is [CompleteSegments] if complete is set, and [GoldOf] otherwise.
func readSegments(db *gorm.DB, c campaign.Campaign, rows []SegmentRow, complete bool) ([]campaign.Segment, error) {
	out := make([]campaign.Segment, len(rows))
	index := make(map[string]int, len(rows))
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i], index[r.ID] = r.ID, i
		out[i] = campaign.Segment{
			DocID: r.DocID, SegmentID: r.SegmentID, Domain: r.Domain, DataSource: r.DataSource,
			SourceLang: c.SourceLang, TargetLang: c.TargetLang, Source: r.Source, Context: r.Context, Note: r.Note, Term: r.Term, Explication: r.Explication,
			Status: campaign.Status(r.Status), Round: r.Round, Complete: r.Complete,
		}
	}
	ratings, err := RatingsOf(db, ids)
	if err != nil {
		return nil, err
	}
	var scores map[string][]campaign.HumanScore
	var metrics map[string][]campaign.MetricValue
	var suggested map[string]*protocol.Suggestions
	var judgements map[string][]campaign.Judgement
	if complete {
		if err := addReferences(db, ids, out, index); err != nil {
			return nil, err
		}
		if scores, err = humanScoresOf(db, ids); err != nil {
			return nil, err
		}
		if metrics, err = metricsOf(db, ids); err != nil {
			return nil, err
		}
		if judgements, err = JudgementsOf(db, ids); err != nil {
			return nil, err
		}
	}
	if complete && c.Rules.Spans != nil {
		if suggested, err = SuggestionsOf(db, ids); err != nil {
			return nil, err
		}
	}
	if err := addMeans(db, rows, out, index); err != nil {
		return nil, err
	}
	var translations []struct {
		ID, SegmentID, Name, Text string
		Adjudicated               *float64
		By                        string // the adjudicator's login; empty: a lead entered the gate score
		At                        database.Instant
		Given                     RatingColumns `gorm:"embedded"`
		Seconds                   float64
	}
	err = db.Raw(`SELECT t.id, t.segment_id, y.name, t.text, x.gate_score AS adjudicated, coalesce(b.login, '') AS "by", coalesce(c.at, 0) AS "at",
			coalesce(x.scores, '') AS scores, coalesce(x.spans, '') AS spans, coalesce(x.comment, '') AS comment, coalesce(x.seconds, 0) AS seconds
		FROM translations t JOIN systems y ON y.id = t.system_id JOIN segments g ON g.id = t.segment_id
		LEFT JOIN adjudicated x ON x.translation_id = t.id AND x.act_id = g.holding
		LEFT JOIN acts c ON c.id = x.act_id AND c.round = 0 LEFT JOIN users b ON b.id = c.by_id
		WHERE t.segment_id IN ?`, ids).Scan(&translations).Error
	if err != nil {
		return nil, err
	}
	for _, t := range translations {
		seg := &out[index[t.SegmentID]]
		tr := campaign.Translation{System: t.Name, Text: t.Text, HumanScores: scores[t.ID], Metrics: metrics[t.ID], Judgements: judgements[t.ID], Suggested: suggested[t.ID]}
		gates := map[string]float64{} // gate scores of the round that settled the segment, by login
		for _, r := range ratings[t.ID] {
			tr.Ratings = append(tr.Ratings, r.Rating)
			if r.Round == campaign.CompleteRound(*seg) {
				gates[r.Annotator] = r.gate
			}
		}
		if t.By != "" {
			tr.Adjudication = &campaign.Rating{Rating: t.Given.Submitted(), Annotator: t.By, Seconds: t.Seconds, SubmittedAt: t.At.Time()}
			if x, ok := c.Rules.GateScore(tr.Adjudication.Rating); ok {
				t.Adjudicated = &x
			}
		}
		tr.Gold = gold(*seg, tr, gates, t.Adjudicated)
		seg.Translations = append(seg.Translations, tr)
	}
	var systems []string
	if complete {
		if systems, err = SystemNames(db, c.ID); err != nil {
			return nil, err
		}
	}
	for i := range out {
		slices.SortFunc(out[i].References, func(a, b campaign.Reference) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(out[i].Translations, func(a, b campaign.Translation) int { return strings.Compare(a.System, b.System) })
		if complete {
			out[i].Absent = absent(systems, out[i].Translations)
		}
	}
	if complete && c.Rules.Spans != nil {
		err = addPartners(db, rows, out)
	}
	return out, err
}

func addReferences(db *gorm.DB, ids []string, segments []campaign.Segment, index map[string]int) error {
	var references []struct{ SegmentID, Name, Text string }
	err := db.Raw("SELECT segment_id, name, text FROM reference_texts WHERE segment_id IN ?", ids).Scan(&references).Error
	for _, r := range references {
		seg := &segments[index[r.SegmentID]]
		seg.References = append(seg.References, campaign.Reference{Name: r.Name, Text: r.Text})
	}
	return err
}

// absent lists the systems without a translation of the segment; nil if there are none. Both
// lists are in byte order.
func absent(systems []string, translations []campaign.Translation) (out []string) {
	if len(translations) == len(systems) {
		return nil
	}
	for _, name := range systems {
		if len(translations) > 0 && translations[0].System == name {
			translations = translations[1:]
		} else {
			out = append(out, name)
		}
	}
	return out
}

// addMeans adds the logins whose mean a lead accepted as gold.
func addMeans(db *gorm.DB, rows []SegmentRow, segments []campaign.Segment, index map[string]int) error {
	var holding []string
	for _, r := range rows {
		if r.Status == string(campaign.Adjudicated) {
			holding = append(holding, r.DecidingAct)
		}
	}
	if len(holding) == 0 {
		return nil
	}
	var named []struct{ SegmentID, Login string }
	err := db.Raw(`SELECT c.segment_id, u.login FROM acts c JOIN act_annotators n ON n.act_id = c.id JOIN users u ON u.id = n.user_id
		WHERE c.id IN ? AND c.kind = ? ORDER BY u.login`, holding, string(campaign.AcceptMean)).Scan(&named).Error
	for _, n := range named {
		seg := &segments[index[n.SegmentID]]
		seg.MeanOf = append(seg.MeanOf, n.Login)
	}
	return err
}

// gold is the gold of a translation: the value that an adjudicator or a lead entered, or
// otherwise the mean of the gate scores of [campaign.GoldRatings]. gates are by login. It is
// nil if the segment is not in gold or has no such ratings.
func gold(s campaign.Segment, t campaign.Translation, gates map[string]float64, adjudicated *float64) *campaign.Gold {
	if !s.Status.InGold() {
		return nil
	}
	if adjudicated != nil {
		return &campaign.Gold{Score: *adjudicated, Adjudicated: true, Entered: true}
	}
	var given []float64
	for _, r := range campaign.GoldRatings(s, t) {
		given = append(given, gates[r.Annotator])
	}
	mean, ok := campaign.Mean(given)
	if !ok {
		return nil
	}
	return &campaign.Gold{Score: mean, Adjudicated: s.Status == campaign.Adjudicated}
}

// A gatedRating is a rating with its gate score.
type gatedRating struct {
	campaign.Rating
	gate float64
}

// RatingsOf reads the submitted ratings of segments, by id of the translation. Each list is
// sorted by round, then login.
func RatingsOf(db *gorm.DB, segmentIDs []string) (map[string][]gatedRating, error) {
	var rows []struct {
		TranslationID string
		Login         string
		Round         int
		Given         RatingColumns `gorm:"embedded"`
		GateScore     float64
		Seconds       float64
		SubmittedAt   database.Instant
	}
	err := db.Raw(`SELECT r.translation_id, u.login, a.round, r.scores, r.spans, r.gate_score, r.comment, r.suggestions, r.seconds, r.submitted_at
		FROM assignments a JOIN users u ON u.id = a.user_id JOIN ratings r ON r.assignment_id = a.id
		WHERE a.segment_id IN ? AND a.state = 'submitted' AND NOT a.replaced`, segmentIDs).Scan(&rows).Error
	out := map[string][]gatedRating{}
	for _, r := range rows {
		out[r.TranslationID] = append(out[r.TranslationID], gatedRating{campaign.Rating{
			Annotator: r.Login, Round: r.Round, Rating: r.Given.Submitted(), Seconds: r.Seconds, SubmittedAt: r.SubmittedAt.Time(),
		}, r.GateScore})
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b gatedRating) int {
			if a.Round != b.Round {
				return a.Round - b.Round
			}
			return strings.Compare(a.Annotator, b.Annotator)
		})
	}
	return out, err
}

// humanScoresOf reads the imported human scores of segments, by id of the translation. Each
// list is in byte order of the scores' names.
func humanScoresOf(db *gorm.DB, segmentIDs []string) (map[string][]campaign.HumanScore, error) {
	var rows []struct {
		TranslationID string
		Name          string
		Score         float64
	}
	err := db.Raw(`SELECT h.translation_id, h.name, h.score FROM translations t JOIN human_scores h ON h.translation_id = t.id
		WHERE t.segment_id IN ?`, segmentIDs).Scan(&rows).Error
	out := map[string][]campaign.HumanScore{}
	for _, r := range rows {
		out[r.TranslationID] = append(out[r.TranslationID], campaign.HumanScore{Name: r.Name, Score: r.Score})
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b campaign.HumanScore) int { return strings.Compare(a.Name, b.Name) })
	}
	return out, err
}

// ExportFacts are what the writer of an export must know before the first segment.
type ExportFacts struct {
	Logins  []string // of everyone with a submitted rating, in byte order
	Ratings int
}

// ExportFacts reads who has rated in a campaign, and how many ratings there are, from the sums that
// package desk keeps.
func (s *Store) ExportFacts(ctx context.Context, campaignID string) (ExportFacts, error) {
	var rows []struct {
		Login string
		Rated int
	}
	err := s.db.Read(ctx).Raw(`SELECT u.login, k.n AS rated FROM tallies k JOIN users u ON u.id = k.user_id
		WHERE k.campaign_id = ? AND k.kind = 'total' AND k.x > 0`, campaignID).Scan(&rows).Error
	var f ExportFacts
	for _, r := range rows {
		f.Logins = append(f.Logins, r.Login)
		f.Ratings += r.Rated
	}
	slices.Sort(f.Logins)
	return f, err
}

// Systems lists the systems of a campaign in byte order; nil before the first
// import.
func (s *Store) Systems(ctx context.Context, campaignID string) ([]string, error) {
	names, err := SystemNames(s.db.Read(ctx), campaignID)
	return names, err
}

// SystemNames lists the systems of a campaign in byte order; nil without any.
func SystemNames(db *gorm.DB, campaignID string) ([]string, error) {
	var names []string
	err := db.Raw("SELECT name FROM systems WHERE campaign_id = ?", campaignID).Scan(&names).Error
	slices.Sort(names)
	if len(names) == 0 {
		names = nil
	}
	return names, err
}

// DeleteSegments deletes segments with all their data.
func DeleteSegments(tx *database.Tx, ids []string) error {
	if err := LockSegmentsUnmarked(tx, ids); err != nil {
		return err
	}
	for _, query := range []string{
		"DELETE FROM problems WHERE segment_id IN ?",
		"DELETE FROM ratings WHERE assignment_id IN (SELECT id FROM assignments WHERE segment_id IN ?)",
		"DELETE FROM assignments WHERE segment_id IN ?", // with drafts
		"DELETE FROM all_segments WHERE id IN ?",        // with translations, acts and decisions
	} {
		if err := tx.Exec(query, ids).Error; err != nil {
			return err
		}
	}
	return nil
}

// HasPlace is the SQL condition that segment s has a free place in round 1: fewer places are taken
// than the redundancy, which is its parameter, or than the imported annotators if these are fewer
// ([campaign.Outcome.Places]).
const HasPlace = "s.taken < ? AND (s.imported = 0 OR s.taken < s.imported)"
