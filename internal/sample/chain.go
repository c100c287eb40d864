package sample

import (
	"context"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/intake"
	"annotate/internal/records"
	"annotate/internal/store"
)

// The slugs of the chains: from raw sentences to rated systems, and from terms to their rendering.
const (
	Inspect   = "demo-inspect"
	Reference = "demo-reference"
	Review    = "demo-review"
	Rating    = "demo-rating"
	Terms     = "demo-terms"
	Culture   = "demo-culture"
)

// stages are the campaigns of the chains, each after the one that it follows. Their files begin with their slugs.
var stages = []struct {
	slug, title, protocol, follows string
	where, carry, settings         []string
}{
	{Inspect, "Sample chain 1: sentences to inspect, English", "inspect", "", nil, nil, nil},
	{
		Reference,
		"Sample chain 2: references to write, English to German",
		"reference",
		Inspect,
		[]string{"keep=yes", "difficulty>=3"},
		[]string{campaign.CarrySource, campaign.CarryAnswers, campaign.CarryCandidates},
		nil,
	},
	{Review, "Sample chain 3: references to review", "review", Reference, nil, []string{campaign.CarryReference}, []string{"apart=" + Reference}},
	{Rating, "Sample chain 4: systems to rate", "sqm", Review, []string{"verdict=accept,edit"}, []string{campaign.CarryReference}, nil},
	{Terms, "Sample chain: terms, German to English", "terms", "", nil, nil, nil},
	{Culture, "Sample chain: are the terms rendered?", "culture", Terms, nil, []string{campaign.CarryTerms, campaign.CarryReference}, nil},
}

// LoadChains adds two small chains of campaigns to a store that [Load] has filled. They have segments that are settled, left out, disagreed
// on, rejected, waiting for texts, and not begun.
func LoadChains(ctx context.Context, st *store.Store, clock *Clock) error {
	defer func() { clock.at = clock.now }()
	l := loader{st: st, clock: clock, users: map[string]string{}}
	for _, p := range people {
		u, err := st.Accounts.UserByLogin(ctx, p.login)
		if err != nil {
			return err
		}
		l.users[p.login] = u.ID
	}
	for _, s := range stages {
		clock.set(16, 7)
		c, err := l.create(ctx, s.slug, s.title, s.protocol, nil)
		if err != nil {
			return fmt.Errorf("create %s: %w", s.slug, err)
		}
		clock.set(19, 18)
		if s.follows != "" {
			if err := l.follow(ctx, c, s.follows, s.where, s.carry); err != nil {
				return fmt.Errorf("have %s follow %s: %w", s.slug, s.follows, err)
			}
		}
		if err := l.change(ctx, c, s.settings); err != nil {
			return fmt.Errorf("set %s up: %w", s.slug, err)
		}
		if err := l.fill(ctx, c); err != nil {
			return fmt.Errorf("load %s: %w", s.slug, err)
		}
	}
	return nil
}

// follow makes a campaign follow another one, and takes over what is ready.
func (l *loader) follow(ctx context.Context, c campaign.Campaign, slug string, where, carry []string) error {
	from, err := l.st.Records.Campaign(ctx, slug)
	if err != nil {
		return err
	}
	rule, err := campaign.NewFollow(from.Rules, where, carry)
	if err != nil {
		return err
	}
	if err := l.st.Intake.Follow(ctx, c.ID, from.ID, rule, l.users[Lead]); err != nil {
		return err
	}
	_, err = l.st.Intake.TakeOver(ctx, c.ID, l.users[Lead])
	return err
}

// fill imports the segments and ratings that a campaign has files of.
func (l *loader) fill(ctx context.Context, c campaign.Campaign) error {
	opt := intake.ImportOptions{File: c.Slug + ".jsonl", ByID: l.users[Lead]}
	if segments, err := read(opt.File); err == nil {
		if _, err := l.st.Intake.ImportSegments(ctx, c.ID, ingest.Segments("jsonl", segments, ingest.Options{File: opt.File, OfSegments: c.Rules.OfSegments()}), opt); err != nil {
			return err
		}
	}
	ratings, err := l.ratings(c.Slug, c.Rules)
	if err != nil {
		return err
	}
	opt.File = c.Slug + ".ratings.jsonl"
	_, err = l.st.Intake.ImportRatings(ctx, c.ID, finished(ratings), opt)
	return err
}

// change changes settings of a campaign, if any are given.
func (l *loader) change(ctx context.Context, c campaign.Campaign, settings []string) error {
	if len(settings) == 0 {
		return nil
	}
	return l.st.Rounds.ChangeCampaign(ctx, c.ID, l.users[Lead], records.CampaignChange{Settings: settings})
}
