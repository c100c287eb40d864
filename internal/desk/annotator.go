package desk

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
)

// lastTurns is how many of an annotator's last segments their page lists.
const lastTurns = 50

// people lists the annotators of a campaign: its members of that role, removed ones
// too, by login.
func people(db *gorm.DB, campaignID string) ([]AnnotatorProgress, error) {
	var rows []struct {
		User     accounts.UserRow `gorm:"embedded"`
		Removed  bool
		SetAside bool
	}
	err := db.Raw(`SELECT u.*, m.removed, m.set_aside FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.campaign_id = ? AND m.role = 'annotator'`, campaignID).Scan(&rows).Error
	out := make([]AnnotatorProgress, len(rows))
	for i, r := range rows {
		nan := math.NaN()
		out[i] = AnnotatorProgress{
			User:    r.User.User(),
			Conduct: campaign.NewConduct(),
			Annotator: readmodel.Annotator{Login: r.User.Login, Name: r.User.Name, Removed: r.Removed, Disabled: r.User.Disabled, SetAside: r.SetAside,
				Mean: nan, Deviation: nan, Difference: nan, LeaveOneOut: nan, Drift: nan},
		}
	}
	slices.SortFunc(out, func(a, b AnnotatorProgress) int { return strings.Compare(a.User.Login, b.User.Login) })
	return out, err
}

// ownAct is the SQL expression for when the annotator of an assignment a that is not submitted last did something
// with it. It does not take touched_at alone, because that also moves when others hand the assignment out: a
// round that failed, or a lead.
const ownAct = `CASE WHEN a.state = 'problem' OR a.state = 'released' AND a.skipped <> '' THEN a.touched_at
	ELSE coalesce((SELECT max(d.saved_at) FROM drafts d WHERE d.assignment_id = a.id), CASE WHEN a.round = 1 AND NOT a.added THEN a.started_at ELSE 0 END) END`

// checkedSince is the SQL expression for the ratings of checks that the member m has submitted since a time.
const checkedSince = `(SELECT coalesce(sum(a.ratings), 0) FROM assignments a WHERE a.campaign_id = (SELECT k.id FROM campaigns k WHERE k.part_of = m.campaign_id AND k.side = 'checks' AND NOT k.deleted)
	AND a.state = 'submitted' AND a.user_id = m.user_id AND a.submitted_at >= ?)`

// addWork fills in what annotators have in work, when they last did something, and how many checks they took
// today. Of imported work it takes the time in the file.
func (s *Store) addWork(db *gorm.DB, c campaign.Campaign, annotators []AnnotatorProgress) error {
	byID := make(map[string]*AnnotatorProgress, len(annotators))
	for i := range annotators {
		byID[annotators[i].User.ID] = &annotators[i]
	}
	// The query groups by state and user, in the order of an index that has the round too. So the database reads only those rows of the table
	// whose other columns it needs.
	var user string
	var open, second int
	var touched database.Instant
	for err := range database.EachRow(db.Raw(`SELECT a.user_id, sum(CASE WHEN a.state = 'open' AND a.work = 'asked' THEN 1 ELSE 0 END),
			sum(CASE WHEN a.state = 'open' AND a.work = 'asked' AND a.round > 1 THEN 1 ELSE 0 END), max(`+ownAct+`)
		FROM assignments a WHERE a.campaign_id = ? AND a.state IN ('open', 'released', 'problem') GROUP BY a.state, a.user_id`, c.ID),
		&user, &open, &second, &touched) {
		if err != nil {
			return err
		}
		if a := byID[user]; a != nil {
			a.Open, a.Second = a.Open+open, a.Second+second
			if t := touched.Time(); t.After(a.LastSeen) {
				a.LastSeen = t
			}
		}
	}
	ids := make([]string, len(annotators))
	for i, a := range annotators {
		ids[i] = a.User.ID
	}
	var submitted database.Instant
	var checked int
	for err := range database.EachRow(db.Raw(
		"SELECT m.user_id, coalesce((SELECT a.submitted_at "+lastTurn+"), 0), coalesce((SELECT a.touched_at "+lastTurn+"), 0), "+checkedSince+" FROM memberships m WHERE m.campaign_id = ? AND m.user_id IN ?",
		database.InstantOf(c.Settings.StartOfDay(s.db.Now())), c.ID, ids,
	), &user, &submitted, &touched, &checked) {
		if err != nil {
			return err
		}
		a := byID[user]
		a.Submitted, a.Checked = submitted.Time(), checked
		// The time touched of imported work is that of one of its ratings, which may be earlier than the submission.
		if t := max(submitted, touched).Time(); t.After(a.LastSeen) {
			a.LastSeen = t
		}
	}
	return nil
}

// addFigures fills in what the sums of a campaign say of an annotator.
func (f figures) addFigures(a *AnnotatorProgress) {
	total := f.total[a.User.ID]
	a.Ratings, a.Segments, a.Seconds = int(total.N), int(total.X), float64(total.Y)/1000
	scores := f.scores[a.User.ID]
	a.Mean, a.Deviation = f.scale.Mean(scores.Mean()), f.scale.Mean(scores.Deviation())
	against := againstOthers(f.others[a.User.ID])
	a.Compared, a.Difference, a.LeaveOneOut = against.N, f.scale.Mean(against.Difference), against.LeaveOneOut
	if f.scale.nominal {
		a.LeaveOneOut = math.NaN()
	}
}

// figures are sums of a campaign, sorted by what they are of.
type figures struct {
	scale   scoreScale
	total   map[string]Sums         // by user
	scores  map[string]Sums         // by user; everybody's under ""
	buckets map[string][]int        // ratings by user, by bucket; everybody's under ""
	others  map[string]map[int]Sums // by user, by number of others
	alpha   map[int]Sums
	pairs   map[string]Sums // coincidences
	rest    SumTable        // of other kinds
}

// ofGateScores are the kinds of sums that are computed from gate scores.
var ofGateScores = []string{kindScore, kindOthers, kindAlpha, kindCoincidence}

// readFigures reads the sums of a campaign that are of the given kinds. If the protocol has no gate, its gate scores are all 0 and mean
// nothing, so their sums are left out.
func readFigures(db *gorm.DB, c campaign.Campaign, kinds ...string) (figures, error) {
	f := figures{
		scale: scaleOf(c), total: map[string]Sums{}, scores: map[string]Sums{}, buckets: map[string][]int{},
		others: map[string]map[int]Sums{}, alpha: map[int]Sums{}, pairs: map[string]Sums{}, rest: SumTable{},
	}
	table, err := readTable(db, c.ID, "kind IN ?", kinds)
	for k, s := range table {
		if c.Settings.NoGate && slices.Contains(ofGateScores, k.Kind) {
			continue
		}
		n, _ := strconv.Atoi(k.Name)
		switch k.Kind {
		case kindTotal:
			f.total[k.User] = s
		case kindScore:
			for _, user := range []string{k.User, ""} {
				f.scores[user] = f.scores[user].Plus(s)
				if f.buckets[user] == nil {
					f.buckets[user] = make([]int, f.scale.Buckets())
				}
				if n >= 0 && n < len(f.buckets[user]) {
					f.buckets[user][n] += int(s.N)
				}
			}
		case kindOthers:
			if f.others[k.User] == nil {
				f.others[k.User] = map[int]Sums{}
			}
			f.others[k.User][n] = s
		case kindAlpha:
			f.alpha[n] = s
		case kindCoincidence:
			f.pairs[k.Name] = s
		default:
			f.rest[k] = s
		}
	}
	return f, err
}

// deviation is the standard deviation of all gate scores, in points.
func (f figures) deviation() float64 { return f.scale.Mean(f.scores[""].Deviation()) }

// annotatorKinds are the kinds of sums that addFigures reads.
var annotatorKinds = []string{kindTotal, kindScore, kindOthers}

// scoresOf lays out the gate scores of a user, or of everybody.
func (f figures) scoresOf(u accounts.User) AnnotatorScores {
	s := f.scores[u.ID]
	counts := f.buckets[u.ID]
	if counts == nil {
		counts = make([]int, f.scale.Buckets())
	}
	return AnnotatorScores{User: u, Counts: counts, Ratings: int(s.N), Mean: f.scale.Mean(s.Mean()), Deviation: f.scale.Mean(s.Deviation())}
}

// bucketList lists the buckets of the gate scores. There are none if the scores are places of candidates, which differ by segment.
func (f figures) bucketList() []Bucket {
	if f.scale.nominal && f.scale.answers == nil {
		return nil
	}
	out := make([]Bucket, f.scale.Buckets())
	for i := range out {
		low, high := f.scale.Limits(i)
		out[i] = Bucket{f.scale.Label(i), low, high}
	}
	return out
}

// ScoreDistributions reads how the gate scores of each annotator are distributed.
func (s *Store) ScoreDistributions(ctx context.Context, c campaign.Campaign) (Distributions, error) {
	db := s.db.Read(ctx)
	var d Distributions
	annotators, err := people(db, c.ID)
	if err != nil {
		return d, err
	}
	f, err := readFigures(db, c, kindScore)
	if err != nil {
		return d, err
	}
	d.Buckets, d.All = f.bucketList(), f.scoresOf(accounts.User{})
	for _, a := range annotators {
		d.Annotators = append(d.Annotators, f.scoresOf(a.User))
	}
	return d, nil
}

// AnnotatorDetail reads all that is known of an annotator's work. ErrNotFound:
// nobody of that login annotates in the campaign or has.
func (s *Store) AnnotatorDetail(ctx context.Context, c campaign.Campaign, login string) (AnnotatorDetail, error) {
	db := s.db.Read(ctx)
	var d AnnotatorDetail
	annotators, err := people(db, c.ID)
	if err != nil {
		return d, err
	}
	place := slices.IndexFunc(annotators, func(a AnnotatorProgress) bool { return a.User.Login == login })
	if place < 0 {
		return d, fmt.Errorf("annotator %q: %w", login, campaign.ErrNotFound)
	}
	own := annotators[place : place+1]
	if err := s.addWork(db, c, own); err != nil {
		return d, err
	}
	at, err := stateOf(db, c)
	if err != nil {
		return d, err
	}
	f, err := readFigures(db, c, append(annotatorKinds, kindAlike, kindStatus)...)
	if err != nil {
		return d, err
	}
	f.addFigures(&own[0])
	if err := s.addToday(db, c, own); err != nil {
		return d, err
	}
	if err := s.addConduct(db, c, at, f, own); err != nil {
		return d, err
	}
	if own[0].SetAside {
		if d.Aside, err = readAside(db, c.ID, own[0].User.ID); err != nil {
			return d, err
		}
	}
	d.AnnotatorProgress, d.Buckets, d.Scores, d.All = own[0], f.bucketList(), f.scoresOf(own[0].User), f.scoresOf(accounts.User{})
	if d.Days, err = annotatorDays(db, c, f.scale, own[0].User.ID); err != nil {
		return d, err
	}
	// In two queries, each of which finds its rows by the primary key.
	pairs, id := pairTable{}, own[0].User.ID
	if err := pairs.read(db, c.ID, "all", "user_id = ?", id); err != nil {
		return d, err
	}
	others := make([]string, len(annotators))
	for i, a := range annotators {
		others[i] = a.User.ID
	}
	if err := pairs.read(db, c.ID, "all", "user_id IN ? AND other_id = ?", others, id); err != nil {
		return d, err
	}
	for i, other := range annotators {
		if i == place {
			continue
		}
		w := AgreementWith{User: other.User, SystemLevel: math.NaN(), SegmentLevel: math.NaN()}
		if x := pairs[pairOf(own[0].User.ID, other.User.ID)]; x != nil {
			w.Shared, w.SystemLevel, w.SegmentLevel = int(x.together.N), systemLevelR(x.systems), segmentLevelR(x.together)
		}
		d.With = append(d.With, w)
	}
	suggested, err := s.records.Suggested(ctx, c.ID)
	if err != nil {
		return d, err
	}
	if suggested {
		if d.Fates, err = annotatorFates(db, c.ID, own[0]); err != nil {
			return d, err
		}
	}
	turns, err := annotatorTurns(db, c.ID, f.scale, own[0], 0, lastTurns)
	d.Last = turns
	return d, err
}

// annotatorDays reads what a user did on each day, work that is set aside included.
func annotatorDays(db *gorm.DB, c campaign.Campaign, scale scoreScale, userID string) ([]readmodel.AnnotatorDay, error) {
	table, err := readTable(db, c.ID, "kind IN ? AND user_id = ?", []string{kindWork, kindDrift}, userID)
	if err != nil {
		return nil, err
	}
	aside, err := asideDays(db, c)
	if err != nil {
		return nil, err
	}
	for k, s := range aside {
		if k.User == userID {
			table.Add(k, s)
		}
	}
	var out []readmodel.AnnotatorDay
	for k, s := range table {
		if k.Kind != kindWork {
			continue
		}
		day := readmodel.AnnotatorDay{Day: k.Name, Ratings: int(s.N), Segments: int(s.X), Seconds: float64(s.Y) / 1000, Difference: math.NaN()}
		if drift := table[sumKey{Kind: kindDrift, User: userID, Name: k.Name}]; drift.N > 0 {
			day.Compared, day.Difference = int(drift.N), scale.Mean(float64(drift.Y)/1000/float64(drift.N))
		}
		out = append(out, day)
	}
	slices.SortFunc(out, func(a, b readmodel.AnnotatorDay) int { return strings.Compare(a.Day, b.Day) })
	return out, nil
}

// addToday fills in the ratings of today.
func (s *Store) addToday(db *gorm.DB, c campaign.Campaign, annotators []AnnotatorProgress) error {
	ids := make([]string, len(annotators))
	for i, a := range annotators {
		ids[i] = a.User.ID
	}
	today := c.Settings.StartOfDay(s.db.Now()).Format(time.DateOnly)
	table, err := readTable(db, c.ID, "kind = ? AND user_id IN ? AND other_id = '' AND name = ?", kindWork, ids, today)
	for i, id := range ids {
		annotators[i].Today = int(table[sumKey{Kind: kindWork, User: id, Name: today}].N)
	}
	return err
}

// annotatorTurns lists what a user submitted, the latest first, with how it compares to
// what others gave in the same round.
func annotatorTurns(db *gorm.DB, campaignID string, scale scoreScale, annotator AnnotatorProgress, offset, limit int) ([]readmodel.AnnotatorTurn, error) {
	var out []readmodel.AnnotatorTurn
	userID, state := annotator.User.ID, submittedState(annotator)
	var t readmodel.AnnotatorTurn
	var at database.Instant
	var counted string
	for err := range database.EachRow(db.Raw(`SELECT g.id, d.doc_id, g.segment_id, g.status, a.round, a.submitted_at, a.ratings, a.seconds, coalesce(k.counted, '')
		FROM (SELECT id, segment_id, round, submitted_at, ratings, seconds FROM assignments WHERE campaign_id = ? AND `+state+` = 'submitted' AND user_id = ?
			ORDER BY submitted_at DESC, round DESC, id DESC LIMIT ? OFFSET ?) a
		JOIN segments g ON g.id = a.segment_id JOIN documents d ON d.id = g.document_id LEFT JOIN segment_tallies k ON k.segment_id = a.segment_id
		ORDER BY a.submitted_at DESC, a.round DESC, a.id DESC`, campaignID, userID, limit, offset),
		&t.ID, &t.DocID, &t.SegmentID, &t.Status, &t.Round, &at, &t.Ratings, &t.Seconds, &counted) {
		if err != nil {
			return out, err
		}
		t.SubmittedAt, t.Compared, t.Mean, t.Difference = at.Time(), 0, math.NaN(), math.NaN()
		seg, err := decodeCounted(counted)
		if err != nil {
			return out, err
		}
		if seg != nil {
			own, compared, difference := seg.Against(userID, t.Round)
			t.Mean = scale.Mean(own.Mean())
			if t.Compared = compared; compared > 0 {
				t.Difference = scale.Mean(difference)
			}
		}
		out = append(out, t)
	}
	return out, nil
}
