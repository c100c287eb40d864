package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store"
	"annotate/internal/work"
)

// A stored crowd is one at work in a database, through the functions that the pages call, under ESA.
type stored struct {
	desk
	segments, systems int
	st                *store.Store
	c                 campaign.Campaign
	users             []string // ids, by place; the kind is kinds[place % len(kinds)]
	texts             map[string]text
	copied            map[string]protocol.Rating
	of                map[string][]string // texts of the translations, by source
}

// newStored makes the campaign with its segments and so many annotators of each kind in a store.
func newStored(ctx context.Context, st *store.Store, segments, systems, of int, settings ...string) (*stored, error) {
	p, _ := protocol.Lookup("esa")
	s := &stored{desk: desk{p, standards[0], rand.New(rand.NewPCG(3, 17))}, segments: segments, systems: systems, st: st, texts: map[string]text{}, copied: map[string]protocol.Rating{}, of: map[string][]string{}}
	order := map[string]string{} // of the first use of an id
	st.Work.CheckSeed = func(parts ...string) int64 {
		var named []string
		for _, id := range parts {
			if order[id] == "" {
				order[id] = fmt.Sprint(len(order))
			}
			named = append(named, order[id])
		}
		return campaign.CheckSeed(named...)
	}
	chosen, err := campaign.DefaultSettings(p).WithPairs(append(settings, "quota=0", "gate=off", "context=segment"))
	if err != nil {
		return nil, err
	}
	lead, err := st.Accounts.AddUser(ctx, "crowd-lead", "", accounts.Member)
	if err != nil {
		return nil, err
	}
	if s.c, err = st.Accounts.CreateCampaign(ctx, campaign.Campaign{Slug: "crowd", Title: "Crowd", Protocol: "esa", SourceLang: "en", TargetLang: "de", Settings: chosen}, lead.ID); err != nil {
		return nil, err
	}
	for i := range of * len(kinds) {
		u, err := st.Accounts.AddUser(ctx, fmt.Sprintf("crowd-%s-%d", kinds[i%len(kinds)], i/len(kinds)+1), "", accounts.Member)
		if err != nil {
			return nil, err
		}
		if err := st.Accounts.AddMember(ctx, s.c.ID, u.Login, campaign.Annotator, lead.ID); err != nil {
			return nil, err
		}
		s.users = append(s.users, u.ID)
	}
	_, err = st.Intake.ImportSegments(ctx, s.c.ID, s.lines(), intake.ImportOptions{File: "crowd.jsonl"})
	return s, err
}

// lines makes the segments: each a document, with sentences of random words.
func (s *stored) lines() iter.Seq2[campaign.SegmentLine, error] {
	words := make([]string, 2000)
	for i := range words {
		var b strings.Builder
		for range 2 + s.rand.IntN(3) {
			b.WriteString([]string{"ba", "ne", "ti", "lo", "ru", "ka", "mo", "se", "dan", "vor", "gel", "ist"}[s.rand.IntN(12)])
		}
		words[i] = b.String()
	}
	sentence := func() string {
		parts := make([]string, 6+s.rand.IntN(15))
		for i := range parts {
			parts[i] = words[s.rand.IntN(len(words))]
		}
		return strings.Join(parts, " ") + "."
	}
	return func(yield func(campaign.SegmentLine, error) bool) {
		for n := range s.segments {
			seg := campaign.Segment{DocID: fmt.Sprint("d", n+1), SegmentID: fmt.Sprint(n + 1), Source: fmt.Sprintf("%d %s", n, sentence())}
			for k := range s.systems {
				t := campaign.Translation{System: fmt.Sprint("system", k+1), Text: sentence()}
				drawnText := s.standard.text(s.rand, k)
				s.texts[t.Text], s.copied[t.Text] = drawnText, s.rate(person{kind: "careful"}, drawnText, protocol.Rating{})
				s.of[seg.Source] = append(s.of[seg.Source], t.Text)
				seg.Translations = append(seg.Translations, t)
			}
			if !yield(campaign.SegmentLine{Segment: seg, Line: n + 1}, nil) {
				return
			}
		}
	}
}

// give is what an annotator gives to a text on a page with these texts.
func (s *stored) give(i int, shown, source string, page []string) protocol.Rating {
	of, t := shown, text{}
	if whole, ok := s.texts[shown]; ok {
		t = whole
	} else { // damaged: its original is the one that the page lacks
		of = s.of[source][slices.IndexFunc(s.of[source], func(original string) bool { return !slices.Contains(page, original) })]
		t = s.texts[of].damaged(s.rand)
	}
	return s.rate(person{kind: kinds[i%len(kinds)]}, t, s.copied[of])
}

// run has the annotators take turns until nothing is left for anybody.
func (s *stored) run(ctx context.Context) error {
	left := make([]int, len(s.users))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		k := s.rand.IntN(len(left))
		err := s.page(ctx, left[k])
		if errors.Is(err, campaign.ErrNoWork) {
			left = slices.Delete(left, k, k+1)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// page has an annotator rate one page.
func (s *stored) page(ctx context.Context, i int) error {
	id, err := s.st.Work.Next(ctx, s.c.ID, s.users[i])
	if err != nil {
		return err
	}
	c, err := s.st.Records.CampaignOfAssignment(ctx, s.c, id)
	if err != nil {
		return err
	}
	w, err := s.st.Work.LoadWork(ctx, c, id, s.users[i])
	if err != nil {
		return err
	}
	// The order of the cards is random, and must not change what the annotators draw.
	slices.SortFunc(w.Cards, func(a, b work.Card) int { return strings.Compare(a.Text, b.Text) })
	var page []string
	for _, card := range w.Cards {
		page = append(page, card.Text)
	}
	revisions := map[string]int{}
	for _, card := range w.Cards {
		saved, err := s.st.Work.SaveCard(ctx, c, s.users[i], work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: s.give(i, card.Text, w.Source, page)})
		if err != nil {
			return err
		}
		revisions[card.ID] = saved.Revision
	}
	return s.st.Work.Submit(ctx, c, s.users[i], id, revisions)
}

// flagged counts the annotators of each kind that are flagged, and the checks of each kind that they took.
func (s *stored) flagged(ctx context.Context) (flagged map[string]int, taken map[campaign.CheckKind]int, err error) {
	judged, err := s.st.Desk.JudgedChecks(ctx, s.c)
	flagged, taken = map[string]int{}, map[campaign.CheckKind]int{}
	for _, a := range judged {
		if campaign.ChecksFlag(a.Results) {
			flagged[strings.Split(a.Login, "-")[1]]++
		}
		for _, r := range a.Results {
			taken[r.Kind] += r.Taken
		}
	}
	return flagged, taken, err
}
