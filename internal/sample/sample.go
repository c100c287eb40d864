// Package sample loads small campaigns of every protocol into a store. All have work to do, and two have work
// in every state. The command annotate demo shows them, and tests of pages use them. README.md in this folder
// describes them.
//
// Finished ratings are imported. Work that is not finished is made by the same calls as the page of an
// annotator makes. Judges are run, with written replies in place of a model.
package sample

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/ingest"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store"
	"annotate/internal/work"
)

//go:embed data
var data embed.FS

// A login for each role. The annotator has finished work, a half-done segment, and more work in every
// campaign.
const (
	Annotator  = "lin"
	Lead       = "lead"
	Researcher = "researcher"
)

// The slugs of the campaigns. The first two are SQM, with work in every state. The others have error spans.
// Their documents have 5 to 12 segments, and some errors can be seen only by comparing two segments. Nobody has
// begun the last two documents of each.
const (
	ChineseEnglish = "demo-zh-en"
	EnglishArabic  = "demo-en-ar"
	ESA            = "demo-esa-en-de"
	MQM            = "demo-mqm-zh-en"
	RATE           = "demo-rate-en-ar"
)

// lastDay is the last day with work in the data. All times are moved by whole days so that lastDay becomes
// yesterday.
var lastDay = time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)

// A Clock is the time of the store that a sample is loaded into.
type Clock struct{ now, at time.Time }

// NewClock returns a clock that is set to now. The sample is loaded as if its last work was done just before.
func NewClock(now time.Time) *Clock { return &Clock{now, now} }

// Now is the clock of [database.Config].
func (c *Clock) Now() time.Time { return c.at }

// moved moves a time of the data by whole days, so that lastDay becomes yesterday.
func (c *Clock) moved(t time.Time) time.Time {
	yesterday := c.now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
	return t.Add(yesterday.Sub(lastDay))
}

// set sets the clock to an hour of a day of November 2026 in the data.
func (c *Clock) set(day, hour int) {
	c.at = c.moved(time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC))
}

var people = []struct{ login, name string }{
	{"jonas", "Jonas"}, {"lin", "Lin"}, {"mara", "Mara"}, {"samir", "Samir"}, {Lead, "The lead"}, {Researcher, "The researcher"},
}

var annotators = []string{"jonas", "lin", "mara", "samir"} // of each campaign

// campaigns are the campaigns of the sample, with the settings that differ from the default.
var campaigns = []struct {
	slug, title, protocol, file string
	settings                    []string
}{
	{ChineseEnglish, "Sample: slang, custom and verse, Chinese to English", "sqm", "zh-en", nil},
	{EnglishArabic, "Sample: wit, verse and small talk, English to Arabic", "sqm", "en-ar", nil},
	{ESA, "Sample: a vote, a kettle and a support chat, English to German", "esa", "esa-en-de", nil},
	{MQM, "Sample: slang, emoji and a short story, Chinese to English", "mqm", "mqm-zh-en", nil},
	{RATE, "Sample: market, rooster and museum, English to Arabic", "rate", "rate-en-ar", []string{"assign=document"}},
}

// Load fills an empty store, whose clock must be clock. Finished work ends yesterday. One segment is half done at
// the time of the clock.
func Load(ctx context.Context, st *store.Store, clock *Clock) error {
	l := loader{st: st, clock: clock, users: map[string]string{}}
	clock.set(9, 7)
	for _, p := range people {
		u, err := st.Accounts.AddUser(ctx, p.login, p.name, accounts.Member)
		if err != nil {
			return err
		}
		l.users[p.login] = u.ID
	}
	for _, c := range campaigns {
		clock.set(9, 7)
		if err := l.load(ctx, c.slug, c.title, c.protocol, c.file, c.settings); err != nil {
			return fmt.Errorf("load %s: %w", c.slug, err)
		}
	}
	if err := l.halfDone(ctx); err != nil {
		return fmt.Errorf("begin a segment: %w", err)
	}
	clock.at = clock.now
	return nil
}

// A loader loads the sample.
type loader struct {
	st    *store.Store
	clock *Clock
	users map[string]string // id by login
}

// load loads one campaign from the files that begin with file.
func (l *loader) load(ctx context.Context, slug, title, id, file string, changed []string) error {
	c, err := l.create(ctx, slug, title, id, changed)
	if err != nil {
		return err
	}
	segments, err := read(file + ".jsonl")
	if err != nil {
		return err
	}
	opt := intake.ImportOptions{File: file + ".jsonl", ByID: l.users[Lead]}
	if _, err := l.st.Intake.ImportSegments(ctx, c.ID, ingest.Segments("jsonl", segments, ingest.Options{File: opt.File}), opt); err != nil {
		return err
	}
	ratings, err := l.ratings(file, c.Rules)
	if err != nil {
		return err
	}
	l.clock.set(19, 15)
	opt.File = file + ".ratings.jsonl"
	if _, err := l.st.Intake.ImportRatings(ctx, c.ID, finished(ratings), opt); err != nil {
		return err
	}
	l.clock.set(19, 16)
	if err := l.adjudicate(ctx, c, file); err != nil {
		return err
	}
	if err := l.open(ctx, c, file); err != nil {
		return err
	}
	l.clock.set(19, 17)
	if err := l.judge(ctx, slug, file); err != nil {
		return err
	}
	return l.pending(ctx, slug, ratings)
}

// create makes a campaign with its people.
func (l *loader) create(ctx context.Context, slug, title, id string, changed []string) (c campaign.Campaign, err error) {
	p, ok := protocol.Lookup(id)
	if !ok {
		return c, fmt.Errorf("no protocol %q", id)
	}
	settings, err := campaign.DefaultSettings(p).WithPairs(changed)
	if err != nil {
		return c, err
	}
	c, err = l.st.Accounts.CreateCampaign(ctx, campaign.Campaign{
		Slug: slug, Title: title, Protocol: p.ID, Settings: settings,
	}, l.users[Lead])
	if err != nil {
		return c, err
	}
	for _, login := range annotators {
		if err := l.st.Accounts.AddMember(ctx, c.ID, login, campaign.Annotator, l.users[Lead]); err != nil {
			return c, err
		}
	}
	if err := l.st.Accounts.AddMember(ctx, c.ID, Researcher, campaign.Researcher, l.users[Lead]); err != nil {
		return c, err
	}
	return c, nil
}

// open imports the segments that nobody has begun, and suggestions for them, if the sample has such files.
func (l *loader) open(ctx context.Context, c campaign.Campaign, file string) error {
	opt := intake.ImportOptions{File: file + ".open.jsonl", ByID: l.users[Lead]}
	segments, err := read(opt.File)
	if err != nil {
		return nil // none in this campaign
	}
	if _, err := l.st.Intake.ImportSegments(ctx, c.ID, ingest.Segments("jsonl", segments, ingest.Options{File: opt.File}), opt); err != nil {
		return err
	}
	opt.File = file + ".suggestions.jsonl"
	suggestions, err := read(opt.File)
	if err != nil {
		return nil
	}
	_, err = l.st.Intake.ImportSuggestions(ctx, c.ID, ingest.Suggestions(suggestions, c.Rules, ingest.Options{File: opt.File}), opt)
	return err
}

// judge runs the judges of the campaign, if the sample has replies for them.
func (l *loader) judge(ctx context.Context, slug, file string) error {
	file += ".judges.jsonl"
	if _, err := read(file); err != nil {
		return nil // none in this campaign
	}
	c, err := l.st.Records.Campaign(ctx, slug) // with its languages, which the import has brought
	if err != nil {
		return err
	}
	replies, err := readJudged(ctx, l.st, c, file)
	if err != nil {
		return err
	}
	return runJudges(ctx, l.st, c, replies, l.users[Lead])
}

func read(name string) (*bytes.Reader, error) {
	b, err := data.ReadFile("data/" + name)
	return bytes.NewReader(b), err
}

// ratings reads the ratings of a campaign, with their times moved.
func (l *loader) ratings(file string, p *protocol.Protocol) ([]campaign.RatingLine, error) {
	r, err := read(file + ".ratings.jsonl")
	if err != nil {
		return nil, err
	}
	var out []campaign.RatingLine
	for line, err := range ingest.Ratings(r, p, ingest.Options{File: file + ".ratings.jsonl"}) {
		if err != nil {
			return nil, err
		}
		line.Rating.SubmittedAt = l.clock.moved(line.Rating.SubmittedAt)
		out = append(out, line)
	}
	return out, nil
}

// waiting is the segment that one annotator has rated and another has not. It is not imported, because an import
// would decide it without a pair.
const waiting = "s15"

func isWaiting(r campaign.RatingLine) bool {
	return r.DocID == "story-ferry" && r.SegmentID == waiting
}

// finished yields the ratings to import: all but those of the waiting segment.
func finished(ratings []campaign.RatingLine) iter.Seq2[campaign.RatingLine, error] {
	return func(yield func(campaign.RatingLine, error) bool) {
		for _, r := range ratings {
			if !isWaiting(r) && !yield(r, nil) {
				return
			}
		}
	}
}

// adjudicate stores the lead's decision of a segment, if the sample has a file with one.
func (l *loader) adjudicate(ctx context.Context, c campaign.Campaign, file string) error {
	r, err := read(file + ".adjudication.json")
	if err != nil {
		return nil // none in this campaign
	}
	var a struct {
		DocID     string             `json:"doc_id"`
		SegmentID string             `json:"segment_id"`
		Reason    string             `json:"reason"`
		Scores    map[string]float64 `json:"scores"`
	}
	if err := json.NewDecoder(r).Decode(&a); err != nil {
		return err
	}
	entries, _, err := l.st.Desk.Segments(ctx, c.ID, desk.SegmentFilter{Text: a.SegmentID, Limit: 100})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(entries, func(e readmodel.Segment) bool { return e.DocID == a.DocID && e.SegmentID == a.SegmentID })
	if i < 0 {
		return fmt.Errorf("segment %s: %w", a.SegmentID, campaign.ErrNotFound)
	}
	return l.st.Rounds.Adjudicate(ctx, c.ID, entries[i].ID, a.Scores, a.Reason, l.users[Lead])
}

// pending rates the waiting segment in the name of its annotator.
func (l *loader) pending(ctx context.Context, slug string, ratings []campaign.RatingLine) error {
	ratings = slices.DeleteFunc(slices.Clone(ratings), func(r campaign.RatingLine) bool { return !isWaiting(r) })
	if len(ratings) == 0 {
		return nil
	}
	first := ratings[0].Rating
	l.clock.at = first.SubmittedAt.Add(-time.Duration(first.Seconds) * time.Second)
	w, err := l.next(ctx, slug, first.Annotator, waiting)
	if err != nil {
		return err
	}
	revisions := make(map[string]int, len(w.Cards))
	for _, card := range w.Cards {
		revisions[card.ID] = card.Revision
	}
	for _, r := range ratings {
		l.clock.at = r.Rating.SubmittedAt
		i := slices.Index(w.systems, r.System)
		given := protocol.Rating{Scores: r.Rating.Scores, Comment: r.Rating.Comment}
		if revisions[w.Cards[i].ID], err = l.save(ctx, w, i, given, r.Rating.Seconds); err != nil {
			return err
		}
	}
	return l.st.Work.Submit(ctx, w.Campaign, w.user, w.Assignment.ID, revisions)
}

// halfDone rates two cards of a segment in the name of [Annotator], and does not submit it.
func (l *loader) halfDone(ctx context.Context) error {
	l.clock.at = l.clock.now.Add(-20 * time.Minute)
	w, err := l.next(ctx, ChineseEnglish, Annotator, "s16")
	if err != nil {
		return err
	}
	scores := map[string]float64{"Aster": 3, "Birch": 1, "Cedar": 0, "Dune": 4, "Ember": 2}
	for i, system := range w.systems[:2] {
		l.clock.at = l.clock.at.Add(70 * time.Second)
		if _, err := l.save(ctx, w, i, protocol.Rating{Scores: map[string]float64{"sqm": scores[system]}}, 52); err != nil {
			return err
		}
	}
	return nil
}

// A desktop is the work that an annotator sees, with what the annotator does not see.
type desktop struct {
	work.Work
	user    string   // id
	systems []string // the systems of the cards, in their order
}

// next gets the annotator's next segment, and checks that it is the one that the sample expects.
func (l *loader) next(ctx context.Context, slug, login, segment string) (desktop, error) {
	c, err := l.st.Records.Campaign(ctx, slug)
	if err != nil {
		return desktop{}, err
	}
	w := desktop{user: l.users[login]}
	id, err := l.st.Work.Next(ctx, c.ID, w.user)
	if err != nil {
		return w, err
	}
	if w.Work, err = l.st.Work.LoadWork(ctx, c, id, w.user); err != nil {
		return w, err
	}
	for seg, err := range l.st.Records.AllSegments(ctx, c) {
		if err != nil {
			return w, err
		}
		if seg.SegmentID != segment {
			continue
		}
		if seg.Source != w.Source {
			return w, fmt.Errorf("%s was given another segment than %s", login, segment)
		}
		for _, card := range w.Cards {
			i := slices.IndexFunc(seg.Translations, func(t campaign.Translation) bool { return t.Text == card.Text })
			w.systems = append(w.systems, seg.Translations[i].System)
		}
		return w, nil
	}
	return w, errors.New("no segment " + segment)
}

func (l *loader) save(ctx context.Context, w desktop, index int, r protocol.Rating, seconds float64) (int, error) {
	saved, err := l.st.Work.SaveCard(ctx, w.Campaign, w.user, work.CardSave{AssignmentID: w.Assignment.ID, CardID: w.Cards[index].ID, Rating: r, Seconds: seconds})
	return saved.Revision, err
}
