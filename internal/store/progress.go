package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// Counts holds a number of segments by status.
type Counts map[campaign.Status]int

// Total is the number of all segments.
func (c Counts) Total() int {
	n := 0
	for _, v := range c {
		n += v
	}
	return n
}

// Settled is the number of segments nobody has to rate any more.
func (c Counts) Settled() int { return c.Total() - c[campaign.Pending] - c[campaign.Reannotate] }

// InGold is the number of segments in gold.
func (c Counts) InGold() int {
	return c[campaign.Agreed] + c[campaign.Adjudicated] + c[campaign.Ungated]
}

// Progress is how far a campaign has come.
type Progress struct {
	Segments     Counts
	Domains      []DomainProgress    // by name
	Annotators   []AnnotatorProgress // by login
	Systems      []string            // in byte order
	Ratings      int                 // submitted
	OpenProblems int
	Stranded     int // segments whose second look waits for somebody who left

	FirstDecided int // segments with a decision of the first round
	FirstAgreed  int // of those, how many passed with at least one pair judged
	FirstFailed  int // of those, how many failed
	Reasons      []ReasonCount
	SentBack     Counts    // segments that were ever given a second look, by what became of them
	Open         int       // ratings that are still to be given: places of the first round, second looks
	Days         []DayWork // the last seven days, today last
	// Alpha is Krippendorff's over all translations, each in the latest round of its
	// segment that at least two submitted: ordinal for sqm, interval otherwise.
	Alpha           float64
	Mean, Deviation float64 // of all gate scores, as in [Distributions]; population standard deviation
	Version         int64   // as [Store.Version] gave it before anything else was read
}

// DomainProgress counts the segments of a domain; the empty name is "no domain".
type DomainProgress struct {
	Domain   string
	Segments Counts
}

// AnnotatorProgress sums up what one annotator has done.
type AnnotatorProgress struct {
	User      User
	Removed   bool
	Segments  int // submitted assignments, all rounds
	Ratings   int
	Seconds   float64 // active time of what was submitted
	Open      int     // assignments in work
	Second    int     // of those, second looks
	Today     int     // ratings submitted today
	LastSeen  time.Time
	Submitted time.Time // last submission; zero: none

	Mean, Deviation float64 // of the gate scores, of the latest round submitted of each segment
	// Compared counts the ratings of translations that others rated as well, in the
	// latest round of the segment that at least two submitted. Difference is the mean
	// difference to the mean of these others, LeaveOneOut Pearson's r with it, Drift
	// the difference over the last 50 such ratings (whole segments, so some more).
	Compared    int
	Difference  float64
	LeaveOneOut float64
	Drift       float64
	Drifting    bool // Drift is more than half the campaign's standard deviation away from 0
}

// Progress reads how far a campaign has come.
func (s *Store) Progress(ctx context.Context, c campaign.Campaign) (Progress, error) {
	db := s.read(ctx)
	p := Progress{Segments: Counts{}}
	var domains []struct {
		Domain string
		Status campaign.Status
		N      int
	}
	err := db.Raw("SELECT domain, status, count(*) AS n FROM segments WHERE campaign_id = ? GROUP BY domain, status", c.ID).Scan(&domains).Error
	if err != nil {
		return p, translate(err)
	}
	for _, d := range domains {
		p.Segments[d.Status] += d.N
		i := slices.IndexFunc(p.Domains, func(x DomainProgress) bool { return x.Domain == d.Domain })
		if i < 0 {
			i = len(p.Domains)
			p.Domains = append(p.Domains, DomainProgress{d.Domain, Counts{}})
		}
		p.Domains[i].Segments[d.Status] += d.N
	}
	slices.SortFunc(p.Domains, func(a, b DomainProgress) int { return strings.Compare(a.Domain, b.Domain) })
	if p.Annotators, err = annotatorProgress(db, c, instantOf(c.Settings.StartOfDay(s.now()))); err != nil {
		return p, translate(err)
	}
	for _, a := range p.Annotators {
		p.Ratings += a.Ratings
	}
	if err := db.Raw("SELECT name FROM systems WHERE campaign_id = ?", c.ID).Scan(&p.Systems).Error; err != nil {
		return p, translate(err)
	}
	slices.Sort(p.Systems)
	if p.OpenProblems, err = openProblems(db, c.ID); err != nil {
		return p, translate(err)
	}
	err = scan(db.Raw(`SELECT count(DISTINCT g.id) FROM segments g JOIN assignments a ON a.segment_id = g.id AND a.round = g.round
		JOIN memberships m ON m.campaign_id = g.campaign_id AND m.user_id = a.user_id JOIN users u ON u.id = a.user_id
		WHERE g.campaign_id = ? AND g.status = 'reannotate' AND a.state <> 'submitted' AND (m.removed OR u.disabled)`, c.ID), &p.Stranded)
	return p, translate(err)
}

func openProblems(db *gorm.DB, campaignID string) (n int, err error) {
	err = scan(db.Raw("SELECT count(*) FROM problems WHERE campaign_id = ? AND resolved_at = 0", campaignID), &n)
	return n, err
}

// OpenProblems counts the problems that wait for a lead's answer.
func (s *Store) OpenProblems(ctx context.Context, campaignID string) (int, error) {
	n, err := openProblems(s.read(ctx), campaignID)
	return n, translate(err)
}

func annotatorProgress(db *gorm.DB, c campaign.Campaign, today instant) ([]AnnotatorProgress, error) {
	var rows []struct {
		User      userRow `gorm:"embedded"`
		Removed   bool
		Segments  int
		Rated     int
		Seconds   float64
		InWork    int
		Second    int
		Today     int
		Touched   instant
		Submitted instant
	}
	// Three sums in the order of the index, since there may be 100,000 rows.
	err := db.Raw(`SELECT u.*, m.removed, coalesce(x.segments, 0) AS segments, coalesce(x.rated, 0) AS rated, coalesce(x.seconds, 0) AS seconds,
			coalesce(y.in_work, 0) AS in_work, coalesce(y.second, 0) AS second, coalesce(z.today, 0) AS today,
			CASE WHEN coalesce(x.touched, 0) > coalesce(y.touched, 0) THEN x.touched ELSE coalesce(y.touched, 0) END AS touched,
			coalesce(x.submitted, 0) AS submitted
		FROM memberships m JOIN users u ON u.id = m.user_id
		LEFT JOIN (SELECT user_id, count(*) AS segments, sum(ratings) AS rated, sum(seconds) AS seconds, max(touched_at) AS touched, max(submitted_at) AS submitted
			FROM assignments WHERE campaign_id = ? AND state = 'submitted' GROUP BY user_id) x ON x.user_id = m.user_id
		LEFT JOIN (SELECT user_id, sum(CASE WHEN state = 'open' THEN 1 ELSE 0 END) AS in_work,
				sum(CASE WHEN state = 'open' AND round > 1 THEN 1 ELSE 0 END) AS second, max(touched_at) AS touched
			FROM assignments WHERE campaign_id = ? AND state IN ('open', 'released', 'problem') GROUP BY user_id) y ON y.user_id = m.user_id
		LEFT JOIN (SELECT user_id, sum(ratings) AS today
			FROM assignments WHERE campaign_id = ? AND state = 'submitted' AND submitted_at >= ? GROUP BY user_id) z ON z.user_id = m.user_id
		WHERE m.campaign_id = ? AND m.role = 'annotator'`, c.ID, c.ID, c.ID, today, c.ID).Scan(&rows).Error
	out := make([]AnnotatorProgress, len(rows))
	for i, r := range rows {
		out[i] = AnnotatorProgress{
			User: r.User.user(), Removed: r.Removed, Segments: r.Segments, Ratings: r.Rated, Seconds: r.Seconds,
			Open: r.InWork, Second: r.Second, Today: r.Today, LastSeen: r.Touched.time(), Submitted: r.Submitted.time(),
		}
	}
	slices.SortFunc(out, func(a, b AnnotatorProgress) int { return strings.Compare(a.User.Login, b.User.Login) })
	return out, err
}

// A WorkDay sums up what an annotator submitted on one day of the campaign's
// time zone.
type WorkDay struct {
	Login    string
	Name     string
	Day      string // 2026-11-20; empty for imported work without a time
	Segments int
	Ratings  int
	Seconds  float64
}

// WorkDays lists the days on which annotators submitted, by login and day.
func (s *Store) WorkDays(ctx context.Context, c campaign.Campaign) ([]WorkDay, error) {
	var users []userRow
	if err := s.read(ctx).Raw("SELECT u.* FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ?", c.ID).Scan(&users).Error; err != nil {
		return nil, translate(err)
	}
	rows, err := s.read(ctx).Raw(`SELECT user_id, submitted_at, ratings, seconds FROM assignments
		WHERE campaign_id = ? AND state = 'submitted' ORDER BY user_id, submitted_at`, c.ID).Rows()
	if err != nil {
		return nil, translate(err)
	}
	defer rows.Close()
	var out []WorkDay
	var last string // user
	var end instant // of the day
	for rows.Next() {
		var user string
		var at instant
		var ratings int
		var seconds float64
		if err := rows.Scan(&user, &at, &ratings, &seconds); err != nil {
			return nil, err
		}
		if user != last || at >= end {
			d := WorkDay{}
			if i := slices.IndexFunc(users, func(u userRow) bool { return u.ID == user }); i >= 0 {
				d.Login, d.Name = users[i].Login, users[i].Name
			}
			last, end = user, 1
			if at != 0 {
				start := c.Settings.StartOfDay(at.time())
				d.Day = start.Format(time.DateOnly)
				end = instantOf(c.Settings.StartOfDay(start.Add(36 * time.Hour))) // a day has 23 to 25 hours
			}
			out = append(out, d)
		}
		d := &out[len(out)-1]
		d.Segments++
		d.Ratings += ratings
		d.Seconds += seconds
	}
	if err := rows.Err(); err != nil {
		return nil, translate(err)
	}
	slices.SortFunc(out, func(a, b WorkDay) int {
		return cmp.Or(strings.Compare(a.Login, b.Login), strings.Compare(a.Day, b.Day))
	})
	return out, nil
}

// MyProgress is what an annotator sees of their own work in a campaign.
type MyProgress struct {
	Done      int // segments submitted, first looks
	Today     int // ratings submitted today
	Second    int // second looks waiting
	Begun     int // first looks in work
	Available int // segments that could be handed out now, those in work not counted
}

// MyProgress counts an annotator's own work in a campaign.
func (s *Store) MyProgress(ctx context.Context, c campaign.Campaign, userID string) (MyProgress, error) {
	var p MyProgress
	db := s.read(ctx)
	err := scan(db.Raw(`SELECT
			coalesce(sum(CASE WHEN a.state = 'submitted' AND a.round = 1 THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN a.state = 'submitted' AND a.submitted_at >= ? THEN a.ratings ELSE 0 END), 0),
			coalesce(sum(CASE WHEN a.state = 'open' AND a.round > 1 THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN a.state = 'open' AND a.round = 1 THEN 1 ELSE 0 END), 0)
		FROM assignments a WHERE a.user_id = ? AND a.campaign_id = ? AND a.state IN ('open', 'submitted')`,
		instantOf(c.Settings.StartOfDay(s.now())), userID, c.ID), &p.Done, &p.Today, &p.Second, &p.Begun)
	if err != nil {
		return p, translate(err)
	}
	err = scan(db.Raw("SELECT count(*) FROM segments s WHERE s.campaign_id = ? AND "+available, c.ID, c.Settings.Redundancy, userID), &p.Available)
	return p, translate(err)
}

// FinishedWork is a submitted assignment in an annotator's own list.
type FinishedWork struct {
	AssignmentID string
	DocID        string
	SegmentID    string
	Source       string
	Round        int
	Scores       []string // what was submitted, in words, one string per card in the annotator's order
	Comments     int      // cards with a comment
	Seconds      float64
	SubmittedAt  time.Time
	Decided      bool // it can't be revised any more
	Changed      bool // has changes that were not submitted again
}

// FinishedWork lists what an annotator has submitted, the latest first: at most
// limit after skipping offset, and how many there are in all.
func (s *Store) FinishedWork(ctx context.Context, campaignID, userID string, offset, limit int) ([]FinishedWork, int, error) {
	db := s.read(ctx)
	var total int
	err := scan(db.Raw("SELECT count(*) FROM assignments WHERE user_id = ? AND campaign_id = ? AND state = 'submitted'", userID, campaignID), &total)
	if err != nil {
		return nil, 0, translate(err)
	}
	var rows []struct {
		ID          string
		DocID       string
		SegmentID   string
		Source      string
		Round       int
		Seed        int64
		Seconds     float64
		SubmittedAt instant
		Decided     int
		Changed     int
	}
	err = db.Raw(`SELECT a.id, d.doc_id, g.segment_id, g.source, a.round, a.seed, a.seconds, a.submitted_at,
			(SELECT count(*) FROM decisions x WHERE x.segment_id = a.segment_id AND x.round = a.round) AS decided,
			(SELECT count(*) FROM drafts x JOIN ratings r ON r.assignment_id = x.assignment_id AND r.translation_id = x.translation_id
				WHERE x.assignment_id = a.id AND (x.scores <> r.scores OR x.spans <> r.spans OR x.comment <> r.comment OR x.suggestions <> r.suggestions)) AS changed
		FROM assignments a JOIN segments g ON g.id = a.segment_id JOIN documents d ON d.id = g.document_id
		WHERE a.user_id = ? AND a.campaign_id = ? AND a.state = 'submitted' ORDER BY a.submitted_at DESC, a.id DESC LIMIT ? OFFSET ?`,
		userID, campaignID, limit, offset).Scan(&rows).Error
	if err != nil {
		return nil, 0, translate(err)
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	var given []struct {
		AssignmentID  string
		TranslationID string
		Given         ratingColumns `gorm:"embedded"`
	}
	err = db.Raw("SELECT assignment_id, translation_id, scores, spans, comment FROM ratings WHERE assignment_id IN ?", ids).Scan(&given).Error
	if err != nil {
		return nil, 0, translate(err)
	}
	out := make([]FinishedWork, len(rows))
	for i, r := range rows {
		out[i] = FinishedWork{AssignmentID: r.ID, DocID: r.DocID, SegmentID: r.SegmentID, Source: r.Source, Round: r.Round,
			Seconds: r.Seconds, SubmittedAt: r.SubmittedAt.time(), Decided: r.Decided > 0, Changed: r.Changed > 0 && r.Decided == 0}
		var cards []cardRow
		for _, g := range given {
			if g.AssignmentID == r.ID {
				cards = append(cards, cardRow{ID: g.TranslationID, Text: inWords(g.Given.rating())})
				if g.Given.Comment != "" {
					out[i].Comments++
				}
			}
		}
		for _, card := range inOrder(cards, r.Seed) {
			out[i].Scores = append(out[i].Scores, card.Text)
		}
	}
	return out, total, nil
}

// inWords writes what was given on a card as "3", or "80/75" where there are
// several scores, by name of the score, with the number of errors that are marked:
// "80, 2 errors"; "no errors" where neither is there.
func inWords(r protocol.Rating) string {
	parts := make([]string, 0, len(r.Scores))
	for _, name := range slices.Sorted(maps.Keys(r.Scores)) {
		parts = append(parts, strconv.FormatFloat(r.Scores[name], 'f', -1, 64))
	}
	scores, errors := strings.Join(parts, "/"), ""
	switch n := len(r.Spans); {
	case n == 1:
		errors = "1 error"
	case n > 1:
		errors = fmt.Sprintf("%d errors", n)
	case scores == "":
		errors = "no errors"
	}
	if scores != "" && errors != "" {
		return scores + ", " + errors
	}
	return scores + errors
}
