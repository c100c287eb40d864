package rounds

import (
	"database/sql"
	"maps"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// A segmentFacts holds the facts that decide the state of a segment, the rows that they were
// read from, and the state that is stored.
type segmentFacts struct {
	campaign.Facts
	ID       string
	Status   campaign.Status
	round    int
	Stored   SegmentState
	rated    int64
	waits    bool                // for the step of a change of settings that reaches it
	AllTurns []turnRow           // the rows of Facts.Turns, in the same order
	Decided  map[int]decisionRow // current decisions by round
	// opened holds the logins of the users who have opened the segment to adjudicate it.
	// They may never annotate it.
	opened  map[string]bool
	batches map[string]string // ids of batches, by the ids of Facts.Acts
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
	id     string
	userID string
	Round  int
	state  campaign.AssignmentState
	aside  bool
	order  campaign.CardOrder
	Stored campaign.TurnState
}

// A FactReader reads the facts of segments of a campaign.
type FactReader struct {
	db      *gorm.DB
	logins  map[string]string // of members, by user id
	users   map[string]string // ids of members by login
	active  map[string]bool   // by login
	systems map[string]string // names by id
	// terms is set to preview a change of the weights of errors: gate scores are then
	// computed again from the ratings. If it is nil, the stored gate scores are read.
	terms *records.OwnTerms
	// Fresh makes every round be judged from its scores, even if a stored decision would
	// do instead.
	Fresh bool
}

// NewFactReader reads the members and systems of a campaign, which the facts of all its
// segments refer to.
func NewFactReader(db *gorm.DB, campaignID string) (*FactReader, error) {
	f := &FactReader{db: db, logins: map[string]string{}, users: map[string]string{}, active: map[string]bool{}, systems: map[string]string{}}
	err := database.Each(db.Raw("SELECT u.id, u.login, "+records.ActiveMember+" FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ?", campaignID), func(row *sql.Rows) error {
		var id, login string
		var active bool
		err := row.Scan(&id, &login, &active)
		f.logins[id], f.users[login], f.active[login] = login, id, active
		return err
	})
	if err != nil {
		return nil, err
	}
	f.systems, err = records.NamesByID(db, "SELECT id, name FROM systems WHERE campaign_id = ?", campaignID)
	return f, err
}

// Of reads the facts of segments, in the order of ids. It leaves out ids that do not exist.
func (f *FactReader) Of(ids []string) ([]*segmentFacts, error) {
	index := make(map[string]*segmentFacts, len(ids))
	err := database.Each(f.db.Raw(`SELECT s.id, s.status, s.round, s.complete, s.holding, s.rated, EXISTS (SELECT 1 FROM jobs j WHERE j.campaign_id = s.campaign_id AND j.kind = 'settings' AND j.position < s.position)
		FROM segments s WHERE s.id IN ?`, ids), func(row *sql.Rows) error {
		s := &segmentFacts{Decided: map[int]decisionRow{}}
		s.Active = f.active
		err := row.Scan(&s.ID, &s.Stored.Status, &s.Stored.Round, &s.Stored.Complete, &s.Stored.DecidingAct, &s.rated, &s.waits)
		s.Status, s.round, index[s.ID] = s.Stored.Status, s.Stored.Round, s
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]*segmentFacts, 0, len(ids))
	for _, id := range ids {
		if s := index[id]; s != nil {
			out = append(out, s)
		}
	}
	if err := f.addTurns(ids, index); err != nil {
		return nil, err
	}
	if err := f.addActs(ids, index); err != nil {
		return nil, err
	}
	if err := f.addDecisions(ids, index); err != nil {
		return nil, err
	}
	return out, f.addScores(out)
}

// addTurns adds the assignments of segments. Adjudications are no turns.
func (f *FactReader) addTurns(ids []string, index map[string]*segmentFacts) error {
	return database.Each(f.db.Raw(`SELECT a.id, a.segment_id, a.user_id, a.round, a.state, a.set_aside, a.imported, a.whole, a.seed, a.context, a.work, a.counts, a.replaced, a.awaited, a.rated
		FROM assignments a WHERE a.segment_id IN ? ORDER BY a.segment_id, a.round, a.user_id`, ids), func(row *sql.Rows) error {
		var segment, aside string
		var imported, whole bool
		var r turnRow
		var rated int64
		err := row.Scan(&r.id, &segment, &r.userID, &r.Round, &r.state, &aside, &imported, &whole, &r.order.Seed, &r.order.Context, &r.Stored.Work, &r.Stored.Counts, &r.Stored.Replaced, &r.Stored.Awaited, &rated)
		if err != nil {
			return err
		}
		s := index[segment]
		if r.state.Adjudicates() {
			if s.opened == nil {
				s.opened = map[string]bool{}
			}
			s.opened[f.logins[r.userID]] = true
			return nil
		}
		r.aside = aside != ""
		submitted := r.state == campaign.Submitted || aside == string(campaign.Submitted)
		s.AllTurns = append(s.AllTurns, r)
		s.Turns = append(s.Turns, campaign.Turn{
			Annotator: f.logins[r.userID], Round: r.Round, Submitted: submitted, SetAside: r.aside, Imported: imported && submitted, Whole: whole, Rated: rated,
		})
		return nil
	})
}

// addActs adds what leads did to segments.
func (f *FactReader) addActs(ids []string, index map[string]*segmentFacts) error {
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

// addDecisions adds the current decisions on segments. If a decision was formed from the
// present ratings it is also added to Judged, and the scores of its round need not be read.
func (f *FactReader) addDecisions(ids []string, index map[string]*segmentFacts) error {
	return database.Each(f.db.Raw(`SELECT id, segment_id, round, passed, status, gate, threshold, tolerance, pairs, annotators, rated
		FROM decisions WHERE segment_id IN ? AND current`, ids), func(row *sql.Rows) error {
		var d decisionRow
		err := row.Scan(&d.ID, &d.SegmentID, &d.Round, &d.Passed, &d.Status, &d.Gate, &d.Threshold, &d.Tolerance, &d.Pairs, &d.Annotators, &d.Rated)
		if err != nil {
			return err
		}
		s := index[d.SegmentID]
		s.Decided[d.Round] = d
		if d.Rated != s.rated || f.terms != nil || f.Fresh {
			return nil
		}
		if s.Judged == nil {
			s.Judged = map[int]campaign.Decision{}
		}
		s.Judged[d.Round], err = d.decision()
		return err
	})
}

// addScores adds the gate scores of submitted turns, except in rounds whose decision can be
// judged again without them.
func (f *FactReader) addScores(segments []*segmentFacts) error {
	needed := map[string]map[string]float64{}
	for _, s := range segments {
		for i, t := range s.Turns {
			if was, ok := s.Judged[t.Round]; !t.Submitted || ok && was.CanRejudge(s.vectorsOf(t.Round)) {
				continue
			}
			scores := make(map[string]float64, len(f.systems))
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
func (s *segmentFacts) vectorsOf(round int) (out []campaign.Vector) {
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
	return database.Each(f.db.Raw(`SELECT r.assignment_id, t.system_id, r.gate_score`+given+` FROM ratings r
		JOIN translations t ON t.id = r.translation_id WHERE r.assignment_id IN ?`, ids), func(row *sql.Rows) error {
		var id, system string
		var score float64
		var g records.RatingColumns
		into := []any{&id, &system, &score, &g.Scores, &g.Spans}
		if f.terms == nil {
			into = into[:3]
		}
		if err := row.Scan(into...); err != nil {
			return err
		}
		// The score of a rating without error spans does not depend on weights.
		if f.terms != nil && g.Spans != "[]" {
			r := g.Rating()
			for _, span := range r.Spans {
				if _, bad := f.terms.Learn(records.Place{}, span); bad != nil {
					return campaign.Invalid(bad.Field, bad.Msg)
				}
			}
			if x, ok := f.terms.Rules.GateScore(r); ok {
				score = x
			}
		}
		needed[id][f.systems[system]] = score
		return nil
	})
}
