package rounds

import (
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/records"
)

// A Segment is a segment with the facts that decide its state, the rows that they were read from,
// and the state that is stored.
type Segment struct {
	campaign.Facts
	ID, Name string // Name is the external id
	Stored   SegmentState
	AllTurns []turnRow           // the rows of Facts.Turns, in the same order
	Decided  map[int]decisionRow // current decisions by round
	// opened holds the logins of the users who have opened the segment to adjudicate it.
	// They may never annotate it.
	opened      map[string]bool
	Undecided   []string          // names of the questions whose answers have no gold, as stored
	batches     map[string]string // ids of batches, by the ids of Facts.Acts
	campaignID  string
	acted       bool  // a lead has acted on the segment
	waits       bool  // for the step of a change of settings that reaches it
	told        bool  // a webhook gets events about the segment
	rated       int64 // the largest [campaign.Turn.Rated] ever; storedRated is that of the row
	storedRated int64
}

// A SegmentState is the state of a segment as it is stored.
type SegmentState struct {
	Status      campaign.Status
	Round       int
	Complete    int
	DecidingAct string
}

// A turnRow holds the columns of an assignment that decide the state of its segment.
type turnRow struct {
	id       string
	userID   string
	Round    int
	state    campaign.AssignmentState
	aside    bool
	reported bool // a problem in it waits for an answer
	order    campaign.CardOrder
	Stored   campaign.TurnState
}

// A FactReader reads the facts of segments of a campaign.
type FactReader struct {
	db         *gorm.DB
	campaignID string
	users      map[string]string // ids by login, of the members who were read
	active     map[string]bool   // whether these are active annotators, by login
	all        bool              // all members were read
	// terms is set to preview a change of the weights of errors: gate scores are then
	// computed again from the ratings. If it is nil, the stored gate scores are read.
	terms *records.OwnTerms
	// Fresh makes every round be judged from its scores, even if a stored decision would
	// do instead.
	Fresh bool
}

// NewFactReader returns a reader for segments of a campaign.
func NewFactReader(db *gorm.DB, campaignID string) *FactReader {
	return &FactReader{db: db, campaignID: campaignID, users: map[string]string{}, active: map[string]bool{}}
}

// readMembers reads all members of the campaign. Those who have turns are read with these.
func (f *FactReader) readMembers() error {
	if f.all {
		return nil
	}
	f.all = true
	var id, login string
	var active bool
	for err := range database.EachRow(f.db.Raw("SELECT u.id, u.login, "+records.ActiveMember+" FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ?", f.campaignID),
		&id, &login, &active) {
		if err != nil {
			return err
		}
		f.users[login], f.active[login] = id, active
	}
	return nil
}

// Of reads the facts of segments, in the order of ids. It leaves out ids that do not exist.
func (f *FactReader) Of(ids []string) ([]*Segment, error) {
	index, err := f.segments(ids)
	if err != nil {
		return nil, err
	}
	out := make([]*Segment, 0, len(index))
	var acted []string
	for _, id := range ids {
		if s := index[id]; s != nil {
			out = append(out, s)
			if s.acted {
				acted = append(acted, id)
			}
		}
	}
	if err := f.addTurns(ids, index); err != nil {
		return nil, err
	}
	if err := f.addActs(acted, index); err != nil {
		return nil, err
	}
	return out, f.addScores(out)
}

// segments reads segments with the current decisions on them, by id.
func (f *FactReader) segments(ids []string) (map[string]*Segment, error) {
	index := make(map[string]*Segment, len(ids))
	var undecided string
	var row Segment
	var d decisionRow
	for err := range database.EachRow(f.db.Raw(`SELECT s.id, s.segment_id, s.campaign_id, s.status, s.round, s.complete, s.holding, s.rated,
			EXISTS (SELECT 1 FROM acts c WHERE c.segment_id = s.id),
			EXISTS (SELECT 1 FROM jobs j WHERE j.campaign_id = s.campaign_id AND j.kind = 'settings' AND j.position < s.position),
			coalesce((SELECT u.questions FROM undecided u WHERE u.segment_id = s.id), ''),
			`+outbox.ListensTo+`, coalesce(d.id, ''), coalesce(d.round, 0), coalesce(d.passed, FALSE), coalesce(d.status, ''), coalesce(d.gate, ''), coalesce(d.threshold, 0), coalesce(d.tolerance, 0),
			coalesce(d.pairs, ''), coalesce(d.annotators, 0), coalesce(d.rated, 0)
		FROM segments s LEFT JOIN decisions d ON d.segment_id = s.id AND d.current WHERE s.id IN ?`, ids),
		&row.ID, &row.Name, &row.campaignID, &row.Stored.Status, &row.Stored.Round, &row.Stored.Complete,
		&row.Stored.DecidingAct, &row.rated, &row.acted, &row.waits, &undecided, &row.told, &d.ID, &d.Round, &d.Passed,
		&d.Status, &d.Gate, &d.Threshold, &d.Tolerance, &d.Pairs, &d.Annotators, &d.Rated) {
		if err != nil {
			return index, err
		}
		if index[row.ID] == nil {
			s := row
			s.Decided = map[int]decisionRow{}
			s.Active, s.storedRated, s.Undecided, index[s.ID] = f.active, s.rated, strings.Fields(undecided), &s
		}
		if d.ID != "" {
			index[row.ID].Decided[d.Round] = d
		}
	}
	return index, nil
}

// addTurns adds the assignments of segments. Adjudications are no turns.
func (f *FactReader) addTurns(ids []string, index map[string]*Segment) error {
	var segment, login, aside string
	var active, imported, whole bool
	var r turnRow
	var rated int64
	for err := range database.EachRow(f.db.Raw(
		`SELECT a.id, a.segment_id, a.user_id, u.login, coalesce(`+records.ActiveMember+`, FALSE), a.round, a.state, a.set_aside, a.imported, a.whole, a.seed, a.context, a.work, a.counts, a.replaced, a.awaited, a.rated
		FROM assignments a JOIN users u ON u.id = a.user_id LEFT JOIN memberships m ON m.campaign_id = a.campaign_id AND m.user_id = a.user_id
		WHERE a.segment_id IN ? ORDER BY a.segment_id, a.round, a.user_id`,
		ids,
	),
		&r.id, &segment, &r.userID, &login, &active, &r.Round, &r.state, &aside, &imported, &whole, &r.order.Seed,
		&r.order.Context, &r.Stored.Work, &r.Stored.Counts, &r.Stored.Replaced, &r.Stored.Awaited, &rated) {
		if err != nil {
			return err
		}
		f.users[login], f.active[login] = r.userID, active
		s := index[segment]
		if r.state.Adjudicates() {
			if s.opened == nil {
				s.opened = map[string]bool{}
			}
			s.opened[login] = true
			continue
		}
		r.aside, r.reported = aside != "", r.state == campaign.Reported || aside == string(campaign.Reported)
		submitted := r.state == campaign.Submitted || aside == string(campaign.Submitted)
		s.AllTurns, s.rated = append(s.AllTurns, r), max(s.rated, rated)
		s.Turns = append(s.Turns, campaign.Turn{
			Annotator: login, Round: r.Round, Submitted: submitted, SetAside: r.aside, Imported: imported && submitted, Whole: whole, Rated: rated,
		})
	}
	return nil
}

// addActs adds what leads did to segments.
func (f *FactReader) addActs(ids []string, index map[string]*Segment) error {
	if len(ids) == 0 {
		return nil
	}
	if err := f.readMembers(); err != nil { // acts name people who have no turn
		return err
	}
	acts, err := ReadActs(f.db, "c.segment_id IN ?", ids)
	for _, a := range acts {
		s := index[a.SegmentID]
		if s.batches == nil {
			s.batches = map[string]string{}
		}
		s.Acts, s.batches[a.ID] = append(s.Acts, a.Act), a.Batch
	}
	return err
}

// judge adds the decisions that were formed from the present ratings to Judged, so that the scores of
// their rounds need not be read.
func (s *Segment) judge() error {
	for round, d := range s.Decided {
		if d.Rated != s.rated {
			continue
		}
		if s.Judged == nil {
			s.Judged = map[int]campaign.Decision{}
		}
		var err error
		if s.Judged[round], err = d.decision(); err != nil {
			return err
		}
	}
	return nil
}

// addScores adds the gate scores of submitted turns, except in rounds whose decision can be
// judged again without them.
func (f *FactReader) addScores(segments []*Segment) error {
	needed := map[string]map[string]float64{}
	for _, s := range segments {
		if f.terms == nil && !f.Fresh {
			if err := s.judge(); err != nil {
				return err
			}
		}
		for i, t := range s.Turns {
			if was, ok := s.Judged[t.Round]; !t.Submitted || ok && was.CanRejudge(s.vectorsOf(t.Round)) {
				continue
			}
			scores := map[string]float64{}
			s.Turns[i].Scores, needed[s.AllTurns[i].id] = scores, scores
		}
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(needed)), database.MaxParameters) {
		if err := f.addScoresOf(ids, needed); err != nil {
			return err
		}
	}
	return nil
}

// vectorsOf lists the annotators whose turns count in a round, without their scores.
func (s *Segment) vectorsOf(round int) (out []campaign.Vector) {
	for _, t := range s.Turns {
		if t.Round == round && s.Counts(t) {
			out = append(out, campaign.Vector{Annotator: t.Annotator})
		}
	}
	return out
}

// addScoresOf reads the gate scores of the assignments with ids into needed.
func (f *FactReader) addScoresOf(ids []string, needed map[string]map[string]float64) error {
	given := ""
	if f.terms != nil {
		given = ", r.scores, r.spans"
	}
	var id, system string
	var score float64
	var g records.RatingColumns
	into := []any{&id, &system, &score, &g.Scores, &g.Spans}
	if f.terms == nil {
		into = into[:3]
	}
	for err := range database.EachRow(f.db.Raw(`SELECT r.assignment_id, y.name, r.gate_score`+given+` FROM ratings r
		JOIN translations t ON t.id = r.translation_id JOIN all_systems y ON y.id = t.system_id WHERE r.assignment_id IN ?`, ids), into...) {
		if err != nil {
			return err
		}
		// The score of a rating without error spans does not depend on weights.
		if f.terms != nil && g.Spans != "[]" {
			r := g.Rating()
			for _, span := range r.Spans {
				if _, bad := f.terms.Learn(campaign.Place{}, span); bad != nil {
					return campaign.Invalid(bad.Field, bad.Msg)
				}
			}
			if x, ok := f.terms.Rules.GateScore(r); ok {
				score = x
			}
		}
		needed[id][system] = score
	}
	return nil
}
