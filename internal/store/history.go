package store

import (
	"database/sql"
	"maps"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// A segmentHistory is what a segment's state follows from, with the rows that hold
// it.
type segmentHistory struct {
	campaign.History
	id    string
	turns []turnRow
	// decided are the latest decisions, by round.
	decided map[int]decisionRow
}

// A turnRow is an assignment as far as rounds depend on it.
type turnRow struct {
	id     string
	userID string
	round  int
	state  campaign.AssignmentState
	aside  bool // its annotator's work is set aside
	// replaced, and has not submitted after all
	replaced bool
	begun    bool
	late     bool // submitted once the round was decided
	seed     int64
}

// live reports whether the round counts on the turn: it is submitted, or is waited
// for. In the first round nobody waits for who left; later ones do.
func (t turnRow) live() bool {
	switch {
	case t.state == campaign.Submitted:
		return true
	case t.aside || t.replaced:
		return false
	}
	return t.round > 1 || t.state != campaign.Released
}

// A historian reads the histories of segments of a campaign.
type historian struct {
	db      *gorm.DB
	logins  map[string]string // by user id
	systems map[string]string // names by id
	// terms recompute gate scores from what was given, for a change that would weigh
	// errors in another way; nil: the stored ones hold.
	terms *ownTerms
	// rejudges: scores are left out of rounds whose decision can be judged again.
	rejudges bool
	// everybody: rounds are judged anew from all who submitted, late or not.
	everybody bool
}

func newHistorian(db *gorm.DB, campaignID string) (*historian, error) {
	h := &historian{db: db, logins: map[string]string{}, systems: map[string]string{}}
	var names []struct{ ID, Name string }
	err := db.Raw("SELECT id, name FROM systems WHERE campaign_id = ?", campaignID).Scan(&names).Error
	if err != nil {
		return nil, err
	}
	for _, r := range names {
		h.systems[r.ID] = r.Name
	}
	return h, nil
}

// of reads the histories of segments, in the order of their ids as given.
func (h *historian) of(ids []string) ([]*segmentHistory, error) {
	index := make(map[string]*segmentHistory, len(ids))
	rows, err := h.db.Raw("SELECT id, status, round, ruling, reopened FROM segments WHERE id IN ?", ids).Rows()
	err = eachRow(rows, err, func(scan func(...any) error) error {
		s := &segmentHistory{decided: map[int]decisionRow{}}
		defer func() { index[s.id] = s }()
		return scan(&s.id, &s.Status, &s.Round, &s.Ruling, &s.Reopened)
	})
	if err != nil {
		return nil, err
	}
	out := make([]*segmentHistory, 0, len(ids))
	for _, id := range ids {
		if s := index[id]; s != nil {
			out = append(out, s)
		}
	}
	vectors, err := h.addTurns(ids, index)
	if err != nil {
		return nil, err
	}
	if err := h.nameAnnotators(out); err != nil {
		return nil, err
	}
	if err := h.addDecisions(ids, index); err != nil {
		return nil, err
	}
	if h.rejudges {
		if err := leaveOut(vectors, out); err != nil {
			return nil, err
		}
	}
	return out, h.addScores(vectors)
}

// leaveOut takes those vectors out whose round has a decision that was formed from
// just them.
func leaveOut(vectors map[string]campaign.Vector, histories []*segmentHistory) error {
	for _, s := range histories {
		for i := range s.Rounds {
			d, ok := s.decided[i+1]
			if !ok {
				continue
			}
			was, err := d.decision()
			if err != nil {
				return err
			}
			if len(s.Rounds[i].Late) == 0 && was.CanRejudge(s.Rounds[i].Vectors) {
				s.Rounds[i].Judged = &was
			}
		}
		for _, t := range s.turns {
			if s.Rounds[t.round-1].Judged != nil {
				delete(vectors, t.id)
			}
		}
	}
	return nil
}

// addTurns adds assignments, and returns the vectors of those who submitted, by the
// id of their assignment.
func (h *historian) addTurns(ids []string, index map[string]*segmentHistory) (map[string]campaign.Vector, error) {
	vectors := make(map[string]campaign.Vector, 2*len(ids))
	rows, err := h.db.Raw(`SELECT a.id, a.segment_id, a.user_id, a.round, a.state, a.set_aside <> '', a.replaced, a.late, a.seed,
			CASE WHEN a.state IN ('submitted', 'problem') THEN TRUE ELSE EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id) END
		FROM assignments a WHERE a.segment_id IN ?`, ids).Rows()
	err = eachRow(rows, err, func(scan func(...any) error) error {
		var segment string
		var t turnRow
		if err := scan(&t.id, &segment, &t.userID, &t.round, &t.state, &t.aside, &t.replaced, &t.late, &t.seed, &t.begun); err != nil {
			return err
		}
		s := index[segment]
		s.turns = append(s.turns, t)
		for len(s.Rounds) < t.round {
			s.Rounds = append(s.Rounds, campaign.RoundHistory{})
		}
		r := &s.Rounds[t.round-1]
		if t.aside {
			return nil
		}
		r.Begun = r.Begun || t.begun
		if t.state == campaign.Submitted {
			v := campaign.Vector{Annotator: t.userID, Scores: make(map[string]float64, len(h.systems))}
			vectors[t.id] = v
			if t.late && !h.everybody {
				r.Late = append(r.Late, v)
			} else {
				r.Vectors = append(r.Vectors, v)
			}
		} else if t.live() {
			r.Open++
		}
		return nil
	})
	return vectors, err
}

// nameAnnotators gives vectors the logins of those whose ids they have.
func (h *historian) nameAnnotators(histories []*segmentHistory) error {
	unknown := map[string]bool{}
	for _, s := range histories {
		for _, t := range s.turns {
			if h.logins[t.userID] == "" {
				unknown[t.userID] = true
			}
		}
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(unknown)), maxParameters) {
		var names []struct{ ID, Login string }
		if err := h.db.Raw("SELECT id, login FROM users WHERE id IN ?", part).Scan(&names).Error; err != nil {
			return err
		}
		for _, r := range names {
			h.logins[r.ID] = r.Login
		}
	}
	for _, s := range histories {
		for _, r := range s.Rounds {
			for _, list := range [][]campaign.Vector{r.Vectors, r.Late} {
				for i := range list {
					list[i].Annotator = h.logins[list[i].Annotator]
				}
			}
		}
	}
	return nil
}

// addScores fills in the gate scores of vectors, which go by the id of their
// assignment.
func (h *historian) addScores(vectors map[string]campaign.Vector) error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(vectors)), maxParameters) {
		if err := h.addScoresOf(ids, vectors); err != nil {
			return err
		}
	}
	return nil
}

func (h *historian) addScoresOf(ids []string, vectors map[string]campaign.Vector) error {
	given := ""
	if h.terms != nil {
		given = ", r.scores, r.spans"
	}
	rows, err := h.db.Raw(`SELECT r.assignment_id, t.system_id, r.gate_score`+given+` FROM ratings r
		JOIN translations t ON t.id = r.translation_id WHERE r.assignment_id IN ?`, ids).Rows()
	return eachRow(rows, err, func(scan func(...any) error) error {
		var id, system string
		var score float64
		var g ratingColumns
		into := []any{&id, &system, &score, &g.Scores, &g.Spans}
		if h.terms == nil {
			into = into[:3]
		}
		if err := scan(into...); err != nil {
			return err
		}
		// Nothing weighs what is not there: see rescoring.segments.
		if h.terms != nil && g.Spans != "[]" {
			r := g.rating()
			for _, span := range r.Spans {
				if _, bad := h.terms.learn(place{}, span); bad != nil {
					return campaign.Invalid(bad.Field, bad.Msg)
				}
			}
			if x, ok := h.terms.rules.GateScore(r); ok {
				score = x
			}
		}
		vectors[id].Scores[h.systems[system]] = score
		return nil
	})
}

// addDecisions adds what has been decided.
func (h *historian) addDecisions(ids []string, index map[string]*segmentHistory) error {
	rows, err := h.db.Raw(`SELECT segment_id, round, passed, status, gate, threshold, tolerance, pairs, annotators
		FROM decisions WHERE segment_id IN ? ORDER BY segment_id, round, decided_at, id`, ids).Rows()
	return eachRow(rows, err, func(scan func(...any) error) error {
		var d decisionRow
		err := scan(&d.SegmentID, &d.Round, &d.Passed, &d.Status, &d.Gate, &d.Threshold, &d.Tolerance, &d.Pairs, &d.Annotators)
		if err != nil {
			return err
		}
		s := index[d.SegmentID]
		s.decided[d.Round] = d
		for len(s.Rounds) < d.Round {
			s.Rounds = append(s.Rounds, campaign.RoundHistory{})
		}
		r := &s.Rounds[d.Round-1]
		if n := max(d.Annotators, 1); r.DecidedWith == 0 || n < r.DecidedWith {
			r.DecidedWith = n
		}
		return nil
	})
}

// next lists who has a round to come to: those who submitted the one before it,
// are not set aside, and have not submitted it.
func (s *segmentHistory) next(round int) (out []turnRow) {
	for _, t := range s.turns {
		if t.round == round-1 && t.state == campaign.Submitted &&
			!slices.ContainsFunc(s.turns, func(x turnRow) bool { return x.round == round && x.userID == t.userID && x.state == campaign.Submitted }) {
			out = append(out, t)
		}
	}
	return out
}

// eachRow calls fn for every row of a query, and closes it.
func eachRow(rows *sql.Rows, err error, fn func(scan func(...any) error) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return rows.Close()
}
