package records

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
)

// Parts are the parts of segments that a reader needs. The ids of a segment, its source, its status and the
// systems of its translations are read always.
type Parts int

// The parts of a segment.
const (
	Texts       Parts = 1 << iota // references, and the texts of translations
	Ratings                       // submitted ratings with their partners, adjudications, and gold
	Scores                        // imported human scores, and scores of metrics and judges
	Judgements                    // of judges
	Suggestions                   // of error spans
	Agreement                     // the decisions and what agreement is computed from, beside Ratings and Judgements
	Everything  = Texts | Ratings | Scores | Judgements | Suggestions
)

// CompleteSegments reads segments of a campaign with [Everything].
func CompleteSegments(db *gorm.DB, c campaign.Campaign, rows []SegmentRow) ([]campaign.Segment, error) {
	return readSegments(db, c, rows, Everything)
}

// PartsOf reads some parts of segments of a campaign.
func PartsOf(db *gorm.DB, c campaign.Campaign, rows []SegmentRow, parts Parts) ([]campaign.Segment, error) {
	return readSegments(db, c, rows, parts)
}

// GoldOf reads segments of a campaign with [Ratings].
func GoldOf(db *gorm.DB, c campaign.Campaign, rows []SegmentRow) ([]campaign.Segment, error) {
	return readSegments(db, c, rows, Ratings)
}

// A segmentReader adds parts to segments. A campaign can have a million ratings, so it reads rows without
// reflection.
type segmentReader struct {
	db           *gorm.DB
	c            campaign.Campaign
	parts        Parts
	rows         []SegmentRow
	ids          []string // of rows
	out          []campaign.Segment
	index        map[string]int          // of out, by id of the segment
	systems      map[string]string       // names of the campaign's systems, by id
	translations map[string]*translation // by id
}

// A translation is a translation that is being read.
type translation struct {
	*campaign.Translation
	seg         *campaign.Segment
	given       []gatedRating // the ratings
	adjudicated *float64      // the gate score that an adjudicator or a lead gave
}

// A gatedRating is a rating with its gate score.
type gatedRating struct {
	campaign.Rating
	gate   float64
	counts bool // in its round, which counts
}

// readSegments reads parts of segments.
func readSegments(db *gorm.DB, c campaign.Campaign, rows []SegmentRow, parts Parts) ([]campaign.Segment, error) {
	r := &segmentReader{
		db:    db,
		c:     c,
		parts: parts,
		rows:  rows,
		ids:   make([]string, len(rows)),
		out:   make([]campaign.Segment, len(rows)),
		index: make(map[string]int, len(rows)),
	}
	for i, row := range rows {
		r.ids[i], r.index[row.ID] = row.ID, i
		r.out[i] = campaign.Segment{
			DocID: row.DocID, SegmentID: row.SegmentID, Domain: row.Domain, DataSource: row.DataSource,
			SourceLang: c.SourceLang, TargetLang: c.TargetLang, Source: row.Source, Context: row.Context, Note: row.Note,
			Term: row.Term, Explication: row.Explication,
			Status: campaign.Status(row.Status), Round: row.Round, Complete: row.Complete,
		}
	}
	steps := []struct {
		parts Parts // that need the step
		do    func() error
	}{
		{
			Everything | Agreement,
			r.addTranslations,
		}, {Texts, r.addReferences}, {Texts, r.addCandidates}, {Texts, r.addTerms}, {Ratings, r.addGold}, {Scores, r.addHumanScores}, {Scores, r.addMetrics},
		{Judgements, r.addJudgements}, {Suggestions, r.addSuggestions}, {Agreement, r.addAgreement},
	}
	for _, step := range steps {
		if parts&step.parts == 0 {
			continue
		}
		if err := step.do(); err != nil {
			return nil, err
		}
	}
	return r.out, nil
}

// addTranslations adds the translations, and the systems that have none.
func (r *segmentReader) addTranslations() error {
	var err error
	if r.systems, err = NamesByID(r.db, "SELECT id, name FROM systems WHERE campaign_id = ?", r.c.ID); err != nil {
		return err
	}
	text := "''"
	if r.parts&Texts != 0 {
		text = "t.text"
	}
	type read struct{ id, system, text string }
	found := make([][]read, len(r.rows))
	var id, segment, system, words string
	for err := range database.EachRow(r.db.Raw("SELECT t.id, t.segment_id, t.system_id, "+text+" FROM translations t WHERE t.segment_id IN ?", r.ids),
		&id, &segment, &system, &words) {
		if err != nil {
			return err
		}
		if name, ok := r.systems[system]; ok {
			of := r.index[segment]
			found[of] = append(found[of], read{id, name, words})
		}
	}
	systems := make([]string, 0, len(r.systems))
	for _, name := range r.systems {
		systems = append(systems, name)
	}
	slices.Sort(systems)
	r.translations = make(map[string]*translation, len(r.rows)*len(systems))
	for i, list := range found {
		seg := &r.out[i]
		slices.SortFunc(list, func(a, b read) int { return strings.Compare(a.system, b.system) })
		if len(list) > 0 {
			seg.Translations = make([]campaign.Translation, len(list))
		}
		for k, t := range list {
			seg.Translations[k] = campaign.Translation{System: t.system, Text: t.text}
			r.translations[t.id] = &translation{Translation: &seg.Translations[k], seg: seg}
		}
		seg.Absent = absent(systems, seg.Translations)
	}
	return nil
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

// addReferences adds the references.
func (r *segmentReader) addReferences() error {
	var segment string
	var ref campaign.Reference
	for err := range database.EachRow(r.db.Raw("SELECT segment_id, name, text FROM reference_texts WHERE segment_id IN ?", r.ids),
		&segment, &ref.Name, &ref.Text) {
		if err != nil {
			return err
		}
		seg := &r.out[r.index[segment]]
		seg.References = append(seg.References, ref)
	}
	for _, seg := range r.out {
		slices.SortFunc(seg.References, func(a, b campaign.Reference) int { return strings.Compare(a.Name, b.Name) })
	}
	return nil
}

// addCandidates adds the candidates of segments that are rated themselves.
func (r *segmentReader) addCandidates() error {
	if !r.c.Rules.OfSegments() {
		return nil
	}
	candidates, err := CandidatesOf(r.db, r.ids)
	for i, id := range r.ids {
		r.out[i].Candidates = candidates[id]
	}
	return err
}

// addTerms adds the given terms.
func (r *segmentReader) addTerms() error {
	if r.c.Rules.Given == "" {
		return nil
	}
	terms, err := TermsOf(r.db, r.ids)
	for i, id := range r.ids {
		r.out[i].Terms = terms[id]
	}
	return err
}

// CandidatesOf reads the candidates of segments, by row id of the segment, in byte order of their names.
func CandidatesOf(db *gorm.DB, segmentIDs []string) (map[string][]campaign.CandidateText, error) {
	out := map[string][]campaign.CandidateText{}
	var segment string
	var c campaign.CandidateText
	for err := range database.EachRow(db.Raw("SELECT segment_id, name, text FROM candidates WHERE segment_id IN ?", segmentIDs),
		&segment, &c.Name, &c.Text) {
		if err != nil {
			return out, err
		}
		out[segment] = append(out[segment], c)
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b campaign.CandidateText) int { return strings.Compare(a.Name, b.Name) })
	}
	return out, nil
}

// addGold adds the submitted ratings and adjudications, and the gold that follows from them.
func (r *segmentReader) addGold() error {
	err := eachRating(r.db, r.ids, func(translationID string, given gatedRating) {
		if t := r.translations[translationID]; t != nil {
			t.given = append(t.given, given)
		}
	})
	if err != nil {
		return err
	}
	if err := r.addAdjudications(); err != nil {
		return err
	}
	if err := r.addMeans(); err != nil {
		return err
	}
	for _, t := range r.translations {
		slices.SortFunc(t.given, byRound)
		if len(t.given) > 0 {
			t.Ratings = make([]campaign.Rating, len(t.given))
			for i := range t.given {
				t.Ratings[i] = t.given[i].Rating
			}
		}
		t.Gold = t.gold(r.c.Rules)
	}
	if r.c.Rules.Spans == nil {
		return nil
	}
	return addPartners(r.db, r.rows, r.out)
}

// byRound compares ratings of a translation by round, then login.
func byRound(a, b gatedRating) int {
	return cmp.Or(a.Round-b.Round, strings.Compare(a.Annotator, b.Annotator))
}

// eachRating calls do with each submitted rating of segments and the id of its translation.
func eachRating(db *gorm.DB, segmentIDs []string, do func(translationID string, r gatedRating)) error {
	var translationID, login string
	var round int
	var counts bool
	var given RatingColumns
	var gate, seconds float64
	var at int64
	for err := range database.EachRow(db.Raw(`SELECT r.translation_id, u.login, a.round, a.counts, r.scores, r.answers, r.spans, r.gate_score, r.comment, r.suggestions, r.seconds, r.submitted_at
		FROM assignments a JOIN users u ON u.id = a.user_id JOIN ratings r ON r.assignment_id = a.id
		WHERE a.segment_id IN ? AND a.state = 'submitted' AND NOT a.replaced`, segmentIDs),
		&translationID, &login, &round, &counts, &given.Scores, &given.Answers, &given.Spans, &gate, &given.Comment,
		&given.Suggestions, &seconds, &at) {
		if err != nil {
			return err
		}
		do(translationID, gatedRating{campaign.Rating{
			Annotator: login, Round: round, Rating: given.Submitted(), Seconds: seconds, SubmittedAt: database.Instant(at).Time(),
		}, gate, counts})
	}
	return nil
}

// RatingsOf reads the submitted ratings of segments, by id of the translation. Each list is
// sorted by round, then login.
func RatingsOf(db *gorm.DB, segmentIDs []string) (map[string][]gatedRating, error) {
	out := map[string][]gatedRating{}
	err := eachRating(db, segmentIDs, func(translationID string, r gatedRating) {
		out[translationID] = append(out[translationID], r)
	})
	for _, list := range out {
		slices.SortFunc(list, byRound)
	}
	return out, err
}

// addAdjudications adds what adjudicators and leads decided of the segments that an act decides.
func (r *segmentReader) addAdjudications() error {
	acts := r.decidingActs(func(SegmentRow) bool { return true })
	if len(acts) == 0 {
		return nil
	}
	var translationID, by string // by: the adjudicator's login; empty: a lead entered the gate score
	var gate, seconds float64
	var at int64
	var given RatingColumns
	for err := range database.EachRow(r.db.Raw(`SELECT x.translation_id, x.gate_score, coalesce(b.login, ''), coalesce(c.at, 0), x.scores, x.answers, x.spans, x.comment, x.seconds
		FROM adjudicated x JOIN translations t ON t.id = x.translation_id JOIN segments g ON g.id = t.segment_id AND g.holding = x.act_id
		LEFT JOIN acts c ON c.id = x.act_id AND c.round = 0 LEFT JOIN users b ON b.id = c.by_id
		WHERE x.act_id IN ?`, acts), &translationID, &gate, &by, &at, &given.Scores, &given.Answers, &given.Spans, &given.Comment, &seconds) {
		if err != nil {
			return err
		}
		t := r.translations[translationID]
		if t == nil {
			continue
		}
		t.adjudicated = new(float64)
		*t.adjudicated = gate
		if by == "" {
			continue
		}
		t.Adjudication = &campaign.Rating{Rating: given.Submitted(), Annotator: by, Seconds: seconds, SubmittedAt: database.Instant(at).Time()}
		if x, ok := r.c.Rules.GateScore(t.Adjudication.Rating); ok {
			*t.adjudicated = x
		}
	}
	return nil
}

// decidingActs lists the acts that decide the segments of which is true.
func (r *segmentReader) decidingActs(is func(SegmentRow) bool) (ids []string) {
	for _, row := range r.rows {
		if row.DecidingAct != "" && is(row) {
			ids = append(ids, row.DecidingAct)
		}
	}
	return ids
}

// addMeans adds the logins whose mean a lead accepted as gold.
func (r *segmentReader) addMeans() error {
	acts := r.decidingActs(func(row SegmentRow) bool { return row.Status == string(campaign.Adjudicated) })
	if len(acts) == 0 {
		return nil
	}
	var segment, login string
	for err := range database.EachRow(r.db.Raw(`SELECT c.segment_id, u.login FROM acts c JOIN act_annotators n ON n.act_id = c.id JOIN users u ON u.id = n.user_id
		WHERE c.id IN ? AND c.kind = ? ORDER BY u.login`, acts, string(campaign.AcceptMean)), &segment, &login) {
		if err != nil {
			return err
		}
		seg := &r.out[r.index[segment]]
		seg.MeanOf = append(seg.MeanOf, login)
	}
	return nil
}

// gold is the gold of a translation: the value that an adjudicator or a lead entered, or
// otherwise that of the gate scores ([campaign.GoldScore]) of [campaign.GoldRatings]. It is nil if the segment is not in
// gold or has no such ratings.
func (t *translation) gold(p *protocol.Protocol) *campaign.Gold {
	if !t.seg.Status.InGold() {
		return nil
	}
	if t.adjudicated != nil {
		return &campaign.Gold{Score: *t.adjudicated, Adjudicated: true, Entered: true}
	}
	var given []float64
	for _, r := range campaign.GoldRatings(*t.seg, *t.Translation) {
		i := slices.IndexFunc(t.given, func(g gatedRating) bool { return g.Annotator == r.Annotator && g.Round == r.Round })
		given = append(given, t.given[i].gate)
	}
	score, ok := campaign.GoldScore(p, given)
	if !ok {
		return nil
	}
	return &campaign.Gold{Score: score, Adjudicated: t.seg.Status == campaign.Adjudicated}
}

// addHumanScores adds the imported human scores.
func (r *segmentReader) addHumanScores() error {
	var translationID string
	var score campaign.HumanScore
	for err := range database.EachRow(r.db.Raw(`SELECT h.translation_id, h.name, h.score FROM translations t JOIN human_scores h ON h.translation_id = t.id
		WHERE t.segment_id IN ?`, r.ids), &translationID, &score.Name, &score.Score) {
		if err != nil {
			return err
		}
		if t := r.translations[translationID]; t != nil {
			t.HumanScores = append(t.HumanScores, score)
		}
	}
	for _, t := range r.translations {
		slices.SortFunc(t.HumanScores, func(a, b campaign.HumanScore) int { return strings.Compare(a.Name, b.Name) })
	}
	return nil
}

// A readMetric is a metric whose scores are being read.
type readMetric struct {
	name    string
	systems []string  // names of the systems with scores, in the order of the scores
	scores  []float64 // of the row that is being read
}

// metrics reads the metrics of the campaign with imported scores, by id.
func (r *segmentReader) metrics() (map[string]*readMetric, error) {
	metrics := map[string]*readMetric{}
	var id, name, systems string
	for err := range database.EachRow(r.db.Raw("SELECT id, name, systems FROM metrics WHERE campaign_id = ? AND NOT staged", r.c.ID),
		&id, &name, &systems) {
		if err != nil {
			return metrics, err
		}
		m := &readMetric{name: name}
		for _, system := range strings.Fields(systems) {
			m.systems = append(m.systems, r.systems[system])
		}
		m.scores = make([]float64, len(m.systems))
		metrics[id] = m
	}
	return metrics, nil
}

// addImportedScores adds the imported scores of metrics.
func (r *segmentReader) addImportedScores() error {
	metrics, err := r.metrics()
	if err != nil || len(metrics) == 0 {
		return err
	}
	var metric, segment, scores string
	for err := range database.EachRow(r.db.Raw("SELECT metric_id, segment_id, scores FROM metric_segment_scores WHERE segment_id IN ?", r.ids),
		&metric, &segment, &scores) {
		if err != nil {
			return err
		}
		m := metrics[metric]
		if m == nil { // it is staged
			continue
		}
		DecodeMetricScores(scores, m.scores)
		translations := r.out[r.index[segment]].Translations
		for i, x := range m.scores {
			k, ok := slices.BinarySearchFunc(
				translations, m.systems[i], func(t campaign.Translation, system string) int { return strings.Compare(t.System, system) },
			)
			if ok && !math.IsNaN(x) {
				translations[k].Metrics = append(translations[k].Metrics, campaign.MetricValue{Name: m.name, Score: x})
			}
		}
	}
	return nil
}

// addMetrics adds the imported scores of metrics and the scores of judges.
func (r *segmentReader) addMetrics() error {
	if err := r.addImportedScores(); err != nil {
		return err
	}
	var translationID string
	var value campaign.MetricValue
	var status string
	var score sql.NullFloat64
	for err := range database.EachRow(r.db.Raw(`SELECT x.translation_id, j.name, x.status, x.score FROM translations t JOIN judgements x ON x.translation_id = t.id
		JOIN judges j ON j.id = x.judge_id WHERE t.segment_id IN ?`, r.ids), &translationID, &value.Name, &status, &score) {
		if err != nil {
			return err
		}
		value.Score = score.Float64
		if !score.Valid {
			value.Score = math.NaN()
		}
		if t := r.translations[translationID]; t != nil && (score.Valid || status == string(campaign.JudgementUnparsable)) {
			t.Metrics = append(t.Metrics, value)
		}
	}
	for _, seg := range r.out {
		for _, t := range seg.Translations {
			slices.SortFunc(t.Metrics, func(a, b campaign.MetricValue) int { return strings.Compare(a.Name, b.Name) })
		}
	}
	return nil
}

// addJudgements adds what judges said.
func (r *segmentReader) addJudgements() error {
	judgements, err := JudgementsOf(r.db, r.ids)
	for id, t := range r.translations {
		t.Judgements = judgements[id]
	}
	return err
}

// addSuggestions adds the error spans that annotators accept or reject.
func (r *segmentReader) addSuggestions() error {
	if r.c.Rules.Spans == nil {
		return nil
	}
	suggested, err := SuggestionsOf(r.db, r.ids)
	for id, t := range r.translations {
		t.Suggested = suggested[id]
	}
	return err
}

// addAgreement adds what agreement is computed from.
func (r *segmentReader) addAgreement() error {
	decisions, err := DecisionsOf(r.db, r.ids)
	for i, id := range r.ids {
		seg := &r.out[i]
		seg.Agreement = &campaign.Rated{DocID: seg.DocID, SegmentID: seg.SegmentID, Status: seg.Status,
			Round: seg.Round, Decisions: decisions[id]}
	}
	for _, t := range slices.SortedFunc(maps.Values(r.translations), func(a, b *translation) int { return strings.Compare(a.System, b.System) }) {
		of := t.seg.Agreement
		for _, given := range t.given {
			if given.counts {
				of.Given = append(of.Given, campaign.GivenOf(r.c.Rules, t.System, given.Rating, given.gate))
			}
		}
		for _, j := range t.Judgements {
			of.Judged = append(of.Judged, campaign.JudgedOf(r.c.Rules, t.System, j))
		}
	}
	return err
}

// DecisionsOf reads the decisions that hold of segments, by row id of the segment. Each list is sorted by round.
func DecisionsOf(db *gorm.DB, segmentIDs []string) (map[string][]campaign.Decision, error) {
	out := map[string][]campaign.Decision{}
	var segment, status, pairs string
	var d campaign.Decision
	for err := range database.EachRow(db.Raw("SELECT segment_id, round, passed, status, pairs FROM decisions WHERE segment_id IN ? AND current ORDER BY segment_id, round", segmentIDs),
		&segment, &d.Round, &d.Passed, &status, &pairs) {
		if err != nil {
			return out, err
		}
		d.Status, d.Pairs = campaign.Status(status), nil
		if err := json.Unmarshal([]byte(pairs), &d.Pairs); err != nil {
			return out, fmt.Errorf("decode the pairs of segment %s: %w", segment, err)
		}
		out[segment] = append(out[segment], d)
	}
	return out, nil
}
