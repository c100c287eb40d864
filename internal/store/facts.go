package store

import (
	"cmp"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// A segmentFacts is what the state of a segment follows from, with the rows that
// hold it and what is stored of the state.
type segmentFacts struct {
	campaign.Facts
	id      string
	status  campaign.Status
	round   int
	stored  segmentState
	rated   int64
	turns   []turnRow           // of Facts.Turns, in their order
	decided map[int]decisionRow // current decisions by round
	// opened are the logins of those who have opened the segment to adjudicate it, and
	// never annotate it from then on.
	opened  map[string]bool
	batches map[string]string // of Facts.Acts, by their ids
}

// A segmentState is the state of a segment as it is stored.
type segmentState struct {
	status   campaign.Status
	round    int
	complete int
	holding  string
}

// A turnRow is an assignment as the state of its segment needs it.
type turnRow struct {
	id     string
	userID string
	round  int
	state  campaign.AssignmentState
	aside  bool
	seed   int64
	stored campaign.TurnState
}

// A factReader reads the facts of segments of a campaign.
type factReader struct {
	db      *gorm.DB
	logins  map[string]string // of members, by user id
	users   map[string]string // ids of members by login
	active  map[string]bool   // by login
	systems map[string]string // names by id
	// terms recompute gate scores from what was given, for a change that would weigh
	// errors in another way; nil: the stored ones hold.
	terms *ownTerms
	// fresh judges every round from its scores, whatever decisions could spare.
	fresh bool
}

// activeMember is the condition for the membership m of a user u to be that of an
// active annotator: one who can sign in and is not set aside.
const activeMember = "m.role = 'annotator' AND NOT m.removed AND NOT m.set_aside AND NOT u.disabled AND NOT u.imported"

func newFactReader(db *gorm.DB, campaignID string) (*factReader, error) {
	f := &factReader{db: db, logins: map[string]string{}, users: map[string]string{}, active: map[string]bool{}, systems: map[string]string{}}
	rows, err := db.Raw("SELECT u.id, u.login, "+activeMember+" FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ?", campaignID).Rows()
	err = eachRow(rows, err, func(scan func(...any) error) error {
		var id, login string
		var active bool
		err := scan(&id, &login, &active)
		f.logins[id], f.users[login], f.active[login] = login, id, active
		return err
	})
	if err != nil {
		return nil, err
	}
	f.systems, err = namesByID(db, "SELECT id, name FROM systems WHERE campaign_id = ?", campaignID)
	return f, err
}

// of reads the facts of segments, in the order of their ids as given.
func (f *factReader) of(ids []string) ([]*segmentFacts, error) {
	index := make(map[string]*segmentFacts, len(ids))
	rows, err := f.db.Raw("SELECT id, status, round, complete, holding, rated FROM segments WHERE id IN ?", ids).Rows()
	err = eachRow(rows, err, func(scan func(...any) error) error {
		s := &segmentFacts{decided: map[int]decisionRow{}}
		s.Active = f.active
		err := scan(&s.id, &s.stored.status, &s.stored.round, &s.stored.complete, &s.stored.holding, &s.rated)
		s.status, s.round, index[s.id] = s.stored.status, s.stored.round, s
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
func (f *factReader) addTurns(ids []string, index map[string]*segmentFacts) error {
	rows, err := f.db.Raw(`SELECT a.id, a.segment_id, a.user_id, a.round, a.state, a.set_aside, a.imported, a.seed, a.work, a.counts, a.replaced, a.awaited
		FROM assignments a WHERE a.segment_id IN ? ORDER BY a.segment_id, a.round, a.user_id`, ids).Rows()
	return eachRow(rows, err, func(scan func(...any) error) error {
		var segment, aside string
		var imported bool
		var r turnRow
		err := scan(&r.id, &segment, &r.userID, &r.round, &r.state, &aside, &imported, &r.seed, &r.stored.Work, &r.stored.Counts, &r.stored.Replaced, &r.stored.Awaited)
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
		s.turns = append(s.turns, r)
		s.Turns = append(s.Turns, campaign.Turn{
			Annotator: f.logins[r.userID], Round: r.round, Submitted: submitted, SetAside: r.aside, Imported: imported && submitted,
		})
		return nil
	})
}

// addActs adds what leads did to segments.
func (f *factReader) addActs(ids []string, index map[string]*segmentFacts) error {
	acts, err := readActs(f.db, "c.segment_id IN ?", ids)
	for _, a := range acts {
		s := index[a.SegmentID]
		if s.batches == nil {
			s.batches = map[string]string{}
		}
		s.Acts, s.batches[a.ID] = append(s.Acts, a.Act), a.Batch
	}
	return err
}

// addDecisions adds the current decisions of segments. Those that were formed from
// the ratings as they are spare their scores.
func (f *factReader) addDecisions(ids []string, index map[string]*segmentFacts) error {
	rows, err := f.db.Raw(`SELECT id, segment_id, round, passed, status, gate, threshold, tolerance, pairs, annotators, rated
		FROM decisions WHERE segment_id IN ? AND current`, ids).Rows()
	return eachRow(rows, err, func(scan func(...any) error) error {
		var d decisionRow
		err := scan(&d.ID, &d.SegmentID, &d.Round, &d.Passed, &d.Status, &d.Gate, &d.Threshold, &d.Tolerance, &d.Pairs, &d.Annotators, &d.Rated)
		if err != nil {
			return err
		}
		s := index[d.SegmentID]
		s.decided[d.Round] = d
		if d.Rated != s.rated || f.terms != nil || f.fresh {
			return nil
		}
		if s.Judged == nil {
			s.Judged = map[int]campaign.Decision{}
		}
		s.Judged[d.Round], err = d.decision()
		return err
	})
}

// addScores fills in the gate scores of submitted turns, but those that decisions
// spare.
func (f *factReader) addScores(segments []*segmentFacts) error {
	needed := map[string]map[string]float64{}
	for _, s := range segments {
		for i, t := range s.Turns {
			if was, ok := s.Judged[t.Round]; !t.Submitted || ok && was.CanRejudge(s.vectorsOf(t.Round)) {
				continue
			}
			scores := make(map[string]float64, len(f.systems))
			s.Turns[i].Scores, needed[s.turns[i].id] = scores, scores
		}
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(needed)), maxParameters) {
		if err := f.addScoresOf(ids, needed); err != nil {
			return err
		}
	}
	return nil
}

// vectorsOf names, without scores, the annotators whose turns count in a round.
func (s *segmentFacts) vectorsOf(round int) (out []campaign.Vector) {
	for _, t := range s.Turns {
		if t.Round == round && s.Counts(t) {
			out = append(out, campaign.Vector{Annotator: t.Annotator})
		}
	}
	return out
}

func (f *factReader) addScoresOf(ids []string, needed map[string]map[string]float64) error {
	given := ""
	if f.terms != nil {
		given = ", r.scores, r.spans"
	}
	rows, err := f.db.Raw(`SELECT r.assignment_id, t.system_id, r.gate_score`+given+` FROM ratings r
		JOIN translations t ON t.id = r.translation_id WHERE r.assignment_id IN ?`, ids).Rows()
	return eachRow(rows, err, func(scan func(...any) error) error {
		var id, system string
		var score float64
		var g ratingColumns
		into := []any{&id, &system, &score, &g.Scores, &g.Spans}
		if f.terms == nil {
			into = into[:3]
		}
		if err := scan(into...); err != nil {
			return err
		}
		// Ratings without spans keep their score, since nothing weighs what is not there.
		if f.terms != nil && g.Spans != "[]" {
			r := g.rating()
			for _, span := range r.Spans {
				if _, bad := f.terms.learn(place{}, span); bad != nil {
					return campaign.Invalid(bad.Field, bad.Msg)
				}
			}
			if x, ok := f.terms.rules.GateScore(r); ok {
				score = x
			}
		}
		needed[id][f.systems[system]] = score
		return nil
	})
}

// A storedAct is an act of a lead as it is stored.
type storedAct struct {
	campaign.Act
	SegmentID string
	Batch     string
	ByLogin   string // empty: the command line, or not known
	Reason    string
	At        instant
	Seq       int64 // place among the acts of the campaign
}

// readActs reads the acts c that a condition finds, each segment's in the order in
// which they were done.
func readActs(db *gorm.DB, where string, args ...any) ([]storedAct, error) {
	var out []storedAct
	index := map[string]int{}
	rows, err := db.Raw(`SELECT c.id, c.segment_id, c.batch, c.kind, c.undone, c.round, coalesce(f.login, ''), coalesce(t.login, ''), c.restores, coalesce(b.login, ''), c.reason, c.at, c.seq
		FROM acts c LEFT JOIN users f ON f.id = c.from_id LEFT JOIN users t ON t.id = c.to_id LEFT JOIN users b ON b.id = c.by_id
		WHERE `+where, args...).Rows()
	err = eachRow(rows, err, func(scan func(...any) error) error {
		var a storedAct
		err := scan(&a.ID, &a.SegmentID, &a.Batch, &a.Kind, &a.Undone, &a.Round, &a.From, &a.To, &a.Restores, &a.ByLogin, &a.Reason, &a.At, &a.Seq)
		out = append(out, a)
		return err
	})
	if err != nil || len(out) == 0 {
		return out, err
	}
	slices.SortFunc(out, func(a, b storedAct) int {
		return cmp.Or(strings.Compare(a.SegmentID, b.SegmentID), cmp.Compare(a.Seq, b.Seq))
	})
	ids := make([]string, len(out))
	for i, a := range out {
		ids[i], index[a.ID] = a.ID, i
	}
	for part := range slices.Chunk(ids, maxParameters) {
		rows, err := db.Raw("SELECT n.act_id, u.login FROM act_annotators n JOIN users u ON u.id = n.user_id WHERE n.act_id IN ? ORDER BY u.login", part).Rows()
		err = eachRow(rows, err, func(scan func(...any) error) error {
			var id, login string
			err := scan(&id, &login)
			a := &out[index[id]]
			a.Annotators = append(a.Annotators, login)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
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
