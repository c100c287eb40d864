package desk

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/accounts"
	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/work"
)

// Progress is how far a campaign has come, with each of its annotators. The number of
// queries that read it does not depend on how many there are, up to a hundred.
type Progress struct {
	readmodel.Standing
	readmodel.Waiting
	Annotators []AnnotatorProgress // by login
}

// AnnotatorProgress sums up what one annotator has done.
type AnnotatorProgress struct {
	User accounts.User
	readmodel.Annotator
	Conduct campaign.Conduct
}

// lastDays is how many days the ratings per day of a campaign are read from.
const lastDays = 7

// standingKinds are the kinds of sums that a standing is made of.
var standingKinds = []string{kindStatus, kindFirstRound, kindReason, kindSentBack, kindToDo, kindTotal, kindScore, kindAlpha, kindCoincidence}

// Standing reads how far a campaign has come as a whole. It takes a few short queries,
// however large the campaign is.
func (s *Store) Standing(ctx context.Context, c campaign.Campaign) (readmodel.Standing, error) {
	p, _, _, err := s.standing(ctx, c, standingKinds)
	return p, err
}

// standing also gives the figures it read, which are of the given kinds, and the state that it found the campaign in.
func (s *Store) standing(ctx context.Context, c campaign.Campaign, kinds []string) (p readmodel.Standing, f figures, at readState, err error) {
	db := s.db.Read(ctx)
	p = readmodel.Standing{Segments: readmodel.Counts{}, SentBack: readmodel.Counts{}}
	if at, err = stateOf(db, c); err != nil {
		return p, f, at, err
	}
	p.Version = at.version
	if f, err = readFigures(db, c, kinds...); err != nil {
		return p, f, at, err
	}
	addCounts(&p, c, f)
	for _, sums := range f.total {
		p.Ratings += int(sums.N)
	}
	if p.Days, err = s.lastDays(db, c); err != nil {
		return p, f, at, err
	}
	if p.Systems, err = records.SystemNames(db, c.ID); err != nil {
		return p, f, at, err
	}
	if p.OpenProblems, err = openProblems(db, c.ID); err != nil {
		return p, f, at, err
	}
	var submitted, first database.Instant
	err = database.Scan(db.Raw(`SELECT coalesce(sum(CASE WHEN x.removed THEN 0 ELSE 1 END), 0), coalesce(max(x.submitted_at), 0), coalesce(min(x.first_at), 0)
		FROM (SELECT m.removed, (SELECT a.submitted_at `+lastTurn+`) AS submitted_at, (SELECT a.submitted_at `+firstTurn+`) AS first_at
			FROM memberships m WHERE m.campaign_id = ? AND m.role = 'annotator') x`, c.ID), &p.Members, &submitted, &first)
	p.Submitted = submitted.Time()
	p.RatingsPerDay = ratingsPerDay(p.Days, c, first.Time(), s.db.Now())
	return p, f, at, err
}

// ratingsPerDay is the number of ratings a day over some days, since the first rating.
func ratingsPerDay(days []readmodel.DayWork, c campaign.Campaign, first, now time.Time) float64 {
	done := 0
	for _, d := range days {
		done += d.Ratings
	}
	return campaign.RatingsPerDay(done, first, c.Settings.StartOfDay(now).AddDate(0, 0, 1-lastDays), now)
}

// firstTurn is lastTurn for what the member submitted first, where the time is known.
const firstTurn = `FROM assignments a WHERE a.campaign_id = m.campaign_id AND a.state = 'submitted' AND a.user_id = m.user_id AND a.submitted_at > 0 ORDER BY a.submitted_at LIMIT 1`

// lastTurn ends a query for a column of what the member m submitted last. The row is
// found by its index, since there may be 100,000 of them.
const lastTurn = `FROM assignments a WHERE a.campaign_id = m.campaign_id AND a.state = 'submitted' AND a.user_id = m.user_id ORDER BY a.submitted_at DESC LIMIT 1`

// Progress reads how far a campaign has come, with each of its annotators.
func (s *Store) Progress(ctx context.Context, c campaign.Campaign) (p Progress, err error) {
	db := s.db.Read(ctx)
	var f figures
	var at readState
	if p.Standing, f, at, err = s.standing(ctx, c, append(slices.Clone(standingKinds), kindOthers, kindAlike)); err != nil {
		return p, err
	}
	if p.Annotators, err = people(db, c.ID); err != nil {
		return p, err
	}
	if err := s.addWork(db, c, p.Annotators); err != nil {
		return p, err
	}
	if err := s.addToday(db, c, p.Annotators); err != nil {
		return p, err
	}
	for i := range p.Annotators {
		f.addFigures(&p.Annotators[i])
	}
	if err := s.addConduct(db, c, at, f, p.Annotators); err != nil {
		return p, err
	}
	if p.Waiting, err = s.readWaiting(db, c); err != nil {
		return p, err
	}
	p.Open -= p.LeftOut * c.Settings.Redundancy
	queued, err := countQueued(db, c)
	p.Held, p.Stranded = queued.held, queued.stranded
	return p, err
}

// addCounts fills in what is counted of segments, and what their ratings say.
func addCounts(p *readmodel.Standing, c campaign.Campaign, f figures) {
	domains := map[string]readmodel.Counts{}
	for k, sums := range f.rest {
		n := int(sums.N)
		switch k.Kind {
		case kindStatus:
			status, domain, _ := strings.Cut(k.Name, "/")
			p.Segments[campaign.Status(status)] += n
			if domains[domain] == nil {
				domains[domain] = readmodel.Counts{}
			}
			domains[domain][campaign.Status(status)] += n
		case kindFirstRound:
			p.FirstDecided += n
			switch k.Name {
			case "agreed":
				p.FirstAgreed = n
			case "failed":
				p.FirstFailed = n
			}
		case kindReason:
			p.Reasons = append(p.Reasons, readmodel.ReasonCount{Reason: agreement.Reason(k.Name), Pairs: n, Segments: int(sums.X)})
		case kindSentBack:
			p.SentBack[campaign.Status(k.Name)] += n
		case kindToDo:
			if submitted, err := strconv.Atoi(k.Name); err == nil {
				p.Open += int(sums.X) * max(0, c.Settings.Redundancy-submitted)
			} else {
				p.Open += int(sums.X)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(domains)) {
		p.Domains = append(p.Domains, readmodel.Domain{Name: name, Segments: domains[name]})
	}
	slices.SortFunc(p.Reasons, func(a, b readmodel.ReasonCount) int {
		return cmp.Or(b.Segments-a.Segments, cmp.Compare(a.Reason, b.Reason))
	})
	if p.Alpha = alphaInterval(f.alpha); byPairs(c) {
		p.Alpha = alphaByPairs(f.pairs, nominal(c))
	}
	p.Mean, p.Deviation = f.scale.Mean(f.scores[""].Mean()), f.deviation()
}

// lastDays reads what was submitted on each of the last days.
func (s *Store) lastDays(db *gorm.DB, c campaign.Campaign) ([]readmodel.DayWork, error) {
	start := c.Settings.StartOfDay(s.db.Now())
	days := make([]readmodel.DayWork, lastDays)
	names := make([]string, lastDays)
	for i := range days {
		names[i] = start.AddDate(0, 0, i-lastDays+1).Format(time.DateOnly)
		days[i].Day = names[i]
	}
	table, err := readTable(db, c.ID, "kind = ? AND user_id = '' AND other_id = '' AND name IN ?", kindDay, names)
	for i := range days {
		days[i].Ratings = int(table[sumKey{Kind: kindDay, Name: names[i]}].N)
	}
	return days, err
}

func openProblems(db *gorm.DB, campaignID string) (n int, err error) {
	err = database.Scan(db.Raw("SELECT count(*) FROM problems WHERE campaign_id = ? AND resolved_at = 0", campaignID), &n)
	return n, err
}

// A WorkDay sums up what an annotator submitted on one day of the campaign's
// time zone.
type WorkDay struct {
	Login    string `person:"login"`
	Name     string `person:"name"`
	Day      string // 2026-11-20; empty for imported work without a time
	Segments int
	Ratings  int
	Seconds  float64
}

// WorkDays lists the days on which people submitted, by login and day. Work that is set
// aside was done, and is listed too; so is the adjudication of a segment.
func (s *Store) WorkDays(ctx context.Context, c campaign.Campaign) ([]WorkDay, error) {
	db := s.db.Read(ctx)
	var users []accounts.UserRow
	if err := db.Raw("SELECT u.* FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ?", c.ID).Scan(&users).Error; err != nil {
		return nil, err
	}
	byID := make(map[string]accounts.UserRow, len(users))
	for _, u := range users {
		byID[u.ID] = u
	}
	table, err := readTable(db, c.ID, "kind = ?", kindWork)
	if err != nil {
		return nil, err
	}
	aside, err := asideDays(db, c)
	if err != nil {
		return nil, err
	}
	for k, sums := range aside {
		table.Add(k, sums)
	}
	adjudicated, err := adjudicationDays(db, c)
	if err != nil {
		return nil, err
	}
	for k, sums := range adjudicated {
		table.Add(k, sums)
	}
	var out []WorkDay
	for k, sums := range table {
		u := byID[k.User]
		out = append(out, WorkDay{Login: u.Login, Name: u.Name, Day: k.Name, Segments: int(sums.X), Ratings: int(sums.N), Seconds: float64(sums.Y) / 1000})
	}
	slices.SortFunc(out, func(a, b WorkDay) int {
		return cmp.Or(strings.Compare(a.Login, b.Login), strings.Compare(a.Day, b.Day))
	})
	return out, nil
}

// MyProgress is what an annotator sees of their own work in a campaign.
type MyProgress struct {
	Done    int // segments submitted, each counted once
	Today   int // ratings submitted today
	Second  int // second looks waiting, at segments that the annotator has submitted before
	Joining int // segments waiting in a later round, to which a lead has asked the annotator
	Begun   int // first looks in work
	// Available is the number of segments that could be handed out now, without those in work. If
	// there are many and whole documents are handed out, it may include some that are reserved for
	// others.
	Available int
	Empty     bool // the campaign has no segments
}

// Left is how many segments there are for the annotator to rate, second looks included.
func (p MyProgress) Left() int { return p.Available + p.Begun + p.Joining + p.Second }

// fewAvailable is the largest number of segments of which those that are reserved for others are told
// apart, which takes long.
const fewAvailable = 100

// submittedBefore is the condition for the annotator of an assignment a to have submitted
// its segment in another round.
const submittedBefore = "EXISTS (SELECT 1 FROM assignments b WHERE b.segment_id = a.segment_id AND b.user_id = a.user_id AND b.state = 'submitted')"

// MyProgress counts an annotator's own work in a campaign.
func (s *Store) MyProgress(ctx context.Context, c campaign.Campaign, userID string) (MyProgress, error) {
	var p MyProgress
	db := s.db.Read(ctx)
	ids, err := records.OwnIDs(db, c.ID)
	if err != nil {
		return p, err
	}
	var checks int // segments of checks that are submitted or in work
	// An index has all that the first query reads; the rows of open assignments are few.
	err = database.Scan(db.Raw(`SELECT
			count(DISTINCT CASE WHEN a.campaign_id <> ? THEN a.segment_id END),
			count(DISTINCT CASE WHEN a.state = 'submitted' THEN a.segment_id END),
			coalesce(sum(CASE WHEN a.state = 'submitted' AND a.submitted_at >= ? THEN a.ratings ELSE 0 END), 0)
		FROM assignments a WHERE a.user_id = ? AND a.campaign_id IN ? AND a.state IN ('open', 'submitted')`,
		c.ID, database.InstantOf(c.Settings.StartOfDay(s.db.Now())), userID, ids), &checks, &p.Done, &p.Today)
	if err != nil {
		return p, err
	}
	err = database.Scan(db.Raw(`SELECT
			coalesce(sum(CASE WHEN a.round > 1 AND `+submittedBefore+` THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN a.round > 1 AND NOT `+submittedBefore+` THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN a.round = 1 THEN 1 ELSE 0 END), 0)
		FROM assignments a WHERE a.user_id = ? AND a.campaign_id IN ? AND a.state = 'open' AND `+work.Asked,
		userID, ids), &p.Second, &p.Joining, &p.Begun)
	if err != nil {
		return p, err
	}
	rules, rulesArgs, err := work.PlanCondition(db, c, userID)
	if err != nil {
		return p, err
	}
	// To look for an assignment of the annotator in each open segment takes longer than to subtract those in which there is one, unless
	// the annotator has done more segments than are open.
	open := append([]any{c.ID, c.Settings.Redundancy}, rulesArgs...)
	if p.Available, err = openSegments(db, c, rules, open); err != nil {
		return p, err
	}
	available, availableArgs := work.Available(c, userID)
	if _, filtered := c.SourceFilter(); filtered || c.Settings.Apart != "" || p.Available <= p.Done {
		err = database.Scan(
			db.Raw("SELECT count(*) FROM segments s WHERE s.campaign_id = ? AND "+available+rules, slices.Concat([]any{c.ID}, availableArgs, rulesArgs)...),
			&p.Available,
		)
	} else {
		var had int
		err = database.Scan(db.Raw(`SELECT count(DISTINCT s.id) FROM assignments mine CROSS JOIN segments s
			WHERE mine.user_id = ? AND mine.campaign_id = ? AND mine.state IN ? AND s.id = mine.segment_id AND s.campaign_id = ? AND `+work.Open(c)+rules,
			slices.Concat([]any{userID, c.ID, campaign.AssignmentStates}, open)...), &had)
		p.Available -= had
	}
	if err == nil && c.Settings.Assign == "document" && 0 < p.Available && p.Available <= fewAvailable {
		err = database.Scan(db.Raw("SELECT count(*) FROM segments s WHERE s.campaign_id = ? AND "+available+rules+" AND "+work.NotReserved,
			slices.Concat([]any{c.ID}, availableArgs, rulesArgs, []any{userID, userID, c.Settings.Redundancy})...), &p.Available)
	}
	if len(ids) > 1 || c.Settings.CheckRate > 0 {
		p.Available = campaign.ChecksLeft(c.Settings.CheckRate, p.Done+p.Begun-checks, checks, p.Available)
	}
	if err == nil && p.Available == 0 {
		err = database.Scan(db.Raw("SELECT NOT EXISTS (SELECT 1 FROM segments WHERE campaign_id = ?)", c.ID), &p.Empty)
	}
	return p, err
}

// openSegments counts the segments of a campaign that are [work.Open] and follow the rules of its plan, whose parameters are in args
// behind those of the former.
//
// Without a plan and terms it takes the kept number of pending segments and subtracts those that are not open, which are few. To count
// the open ones in their index took a fourteenth of a submission with its page in a campaign of 3,000 segments.
func openSegments(db *gorm.DB, c campaign.Campaign, rules string, args []any) (n int, err error) {
	if rules == "" && c.Rules.Given == "" {
		const pending = "(SELECT count(*) FROM segments s WHERE s.campaign_id = ? AND s.status = 'pending' AND "
		var kept *int // nil if nothing is counted, or a segment of any campaign waits for texts
		err = database.Scan(db.Raw(`SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM untranslated) AND EXISTS (SELECT 1 FROM campaign_tallies WHERE campaign_id = ?) THEN
			(SELECT sum(n) FROM tallies WHERE campaign_id = ? AND kind = ? AND user_id = '' AND other_id = '' AND name >= 'pending/' AND name < 'pending0')
			- `+pending+"s.held = TRUE) - "+pending+"s.held = FALSE AND s.taken >= ?) - "+pending+"s.held = FALSE AND s.imported > 0 AND s.taken >= s.imported AND s.taken < ?) END",
			c.ID, c.ID, kindStatus, c.ID, c.ID, c.Settings.Redundancy, c.ID, c.Settings.Redundancy), &kept)
		if err != nil {
			return 0, err
		}
		if kept != nil {
			return *kept, nil
		}
	}
	err = database.Scan(db.Raw("SELECT count(*) FROM segments s WHERE s.campaign_id = ? AND "+work.Open(c)+rules, args...), &n)
	return n, err
}
