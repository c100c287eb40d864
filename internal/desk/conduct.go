package desk

import (
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
)

// addConduct fills in what flags are read from, and the flags. The figures must hold
// the kinds Alike and Status, and those of annotatorKinds. at is the state that the campaign was in before they were read.
func (s *Store) addConduct(db *gorm.DB, c campaign.Campaign, at readState, f figures, annotators []AnnotatorProgress) error {
	if len(annotators) == 0 {
		return nil
	}
	ids := make([]string, len(annotators))
	for i, a := range annotators {
		ids[i] = a.User.ID
	}
	texts, err := readTexts(db, c.ID, f.scale, ids)
	if err != nil {
		return err
	}
	times, err := readActiveTimes(db, c.ID)
	if err != nil {
		return err
	}
	windows, err := s.driftOf(db, c, at, f, annotators)
	if err != nil {
		return err
	}
	judged, err := s.judgedChecks(db, c, at)
	if err != nil {
		return err
	}
	checks := make(map[string]campaign.CheckResult, len(judged))
	for _, a := range judged {
		checks[a.UserID] = campaign.DecidingChecks(a.Results)
	}
	everybody := map[int64]int64{}
	for _, ofUser := range times {
		for tenths, n := range ofUser {
			everybody[tenths] += n
		}
	}
	gate, nominal := c.Rules.NominalGate()
	waiting := f.unsettled() > 0 && c.State == campaign.Open
	for i := range annotators {
		a := &annotators[i]
		id, k := a.User.ID, campaign.NewConduct()
		alike := f.rest[sumKey{Kind: kindAlike, User: id}]
		k.SegmentR, k.RSegments = segmentLevelR(alike), int(alike.N)
		if t, ok := texts[id]; ok && gate.Kind != protocol.Candidate { // the best candidate may always be by the same system
			k.Texts, k.Same, k.SameScore = t.all, t.same, t.score
			if answer, ok := gate.AnswerOf(t.score, nil); ok && nominal {
				k.SameAnswer = gate.Words(answer)
			}
		}
		for _, n := range times[id] {
			k.Timed += int(n)
		}
		k.Seconds, k.AllSeconds = weightedMedian(times[id])/10, weightedMedian(everybody)/10
		k.Compared, k.Difference, k.Deviation = a.Compared, a.Difference, f.deviation()
		if w, ok := windows[id]; ok {
			k.Last, k.Before = w.last, w.before
		}
		k.Checks = checks[a.User.ID]
		if waiting && !a.Removed && !a.SetAside && !a.LastSeen.IsZero() {
			k.Idle = s.db.Now().Sub(a.LastSeen).Hours() / (24 * time.Hour).Hours()
		}
		a.Conduct, a.Drift, a.Flags = k, k.Drift(), c.Settings.Flags(k)
	}
	return nil
}

// unsettled counts the segments that somebody has to rate.
func (f figures) unsettled() (n int64) {
	for k, sums := range f.rest {
		status, _, _ := strings.Cut(k.Name, "/")
		if k.Kind == kindStatus && (status == string(campaign.Pending) || status == string(campaign.Reannotate)) {
			n += sums.N
		}
	}
	return n
}

// ratedTexts sums up which scores a user gave to different texts.
type ratedTexts struct {
	all, same int
	score     float64 // that `same` of them have, in points; the lowest where several are as frequent
}

// readTexts reads what is summed up as [kindValue] of users.
func readTexts(db *gorm.DB, campaignID string, scale scoreScale, users []string) (map[string]ratedTexts, error) {
	out := map[string]ratedTexts{}
	var user, name string
	var n int
	for err := range database.EachRow(db.Raw("SELECT user_id, name, n FROM tallies WHERE campaign_id = ? AND kind = ? AND user_id IN ?", campaignID, kindValue, users),
		&user, &name, &n) {
		if err != nil {
			return out, err
		}
		units, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			return out, err
		}
		t, score := out[user], scale.Points(float64(units))
		t.all += n
		if n > t.same || n == t.same && score < t.score {
			t.same, t.score = n, score
		}
		out[user] = t
	}
	return out, nil
}

// readActiveTimes reads what is summed up as [kindActiveTime]: numbers of ratings by user and
// rounded time.
func readActiveTimes(db *gorm.DB, campaignID string) (map[string]map[int64]int64, error) {
	out := map[string]map[int64]int64{}
	var user, name string
	var n int64
	for err := range database.EachRow(db.Raw("SELECT user_id, name, n FROM tallies WHERE campaign_id = ? AND kind = ?", campaignID, kindActiveTime),
		&user, &name, &n) {
		if err != nil {
			return out, err
		}
		tenths, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			return out, err
		}
		if out[user] == nil {
			out[user] = map[int64]int64{}
		}
		out[user][tenths] += n
	}
	return out, nil
}
