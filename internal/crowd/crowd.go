// Command crowd shows how well checks find annotators who do not read. It simulates a campaign with a crowd of
// annotators in a database, through the functions that the pages call, and prints a table. docs/quality.md has
// the table.
package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/check"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/store"
	"annotate/internal/wording"
	"annotate/internal/work"
)

// A crowd is what is simulated.
type crowd struct {
	Segments, Systems int
	Of                int // annotators of each kind of kinds
	Rate              float64
	Redundancy        int
	RepeatAfter       int
	Seed              uint64
}

// kinds are the kinds of annotators. A translation has a true quality from 0 to 100, and a damaged text has
// 20 to 60 % of that of its original.
var kinds = []string{
	"careful",  // true quality, with a normal error of 8 points
	"careless", // reads one text in five like a careful annotator, and gives a habitual score to the others
	"random",   // any score from 0 to 100
	"constant", // always 80
	"copying",  // gives what a careful annotator gave to the original, without reading
}

// A text is what the simulation knows of a translation, by its text.
type text struct {
	segment int
	quality float64
	copied  float64 // what those who copy give
}

// A simulation is a crowd at work.
type simulation struct {
	crowd
	st    *store.Store
	c     campaign.Campaign
	users []string // ids, by place; the kind is kinds[place % len(kinds)]
	texts map[string]text
	of    map[string][]string // texts of the translations, by source
	rand  *rand.Rand
}

// newSimulation makes the campaign with its segments and annotators in a store.
func newSimulation(ctx context.Context, st *store.Store, k crowd) (*simulation, error) {
	s := &simulation{crowd: k, st: st, texts: map[string]text{}, of: map[string][]string{}, rand: rand.New(rand.NewPCG(k.Seed, 17))}
	order := map[string]string{} // of the first use of an id
	st.CheckSeed = func(parts ...string) int64 {
		named := []string{fmt.Sprint(k.Seed)}
		for _, id := range parts {
			if order[id] == "" {
				order[id] = fmt.Sprint(len(order))
			}
			named = append(named, order[id])
		}
		return check.Seed(named...)
	}
	p, _ := protocol.Lookup("esa")
	settings, err := campaign.DefaultSettings(p).WithPairs([]string{"quota=0", "gate=off", "context=segment", fmt.Sprint("redundancy=", k.Redundancy), fmt.Sprint("check_rate=", k.Rate), fmt.Sprint("repeat_after=", k.RepeatAfter)})
	if err != nil {
		return nil, err
	}
	lead, err := st.AddUser(ctx, "crowd-lead", "", accounts.Member)
	if err != nil {
		return nil, err
	}
	if s.c, err = st.CreateCampaign(ctx, campaign.Campaign{Slug: "crowd", Title: "Crowd", Protocol: "esa", SourceLang: "en", TargetLang: "de", Settings: settings}, lead.ID); err != nil {
		return nil, err
	}
	for i := range k.Of * len(kinds) {
		u, err := st.AddUser(ctx, fmt.Sprintf("crowd-%s-%d", kinds[i%len(kinds)], i/len(kinds)+1), "", accounts.Member)
		if err != nil {
			return nil, err
		}
		if err := st.AddMember(ctx, s.c.ID, u.Login, campaign.Annotator, lead.ID); err != nil {
			return nil, err
		}
		s.users = append(s.users, u.ID)
	}
	_, err = st.ImportSegments(ctx, s.c.ID, s.lines(), intake.ImportOptions{File: "crowd.jsonl"})
	return s, err
}

// lines makes the segments: each a document, with sentences of random words.
func (s *simulation) lines() iter.Seq2[campaign.SegmentLine, error] {
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
		for n := range s.Segments {
			seg := campaign.Segment{DocID: fmt.Sprint("d", n+1), SegmentID: fmt.Sprint(n + 1), Source: fmt.Sprintf("%d %s", n, sentence())}
			for k := range s.Systems {
				quality := math.Max(0, math.Min(100, 85-8*float64(k)+15*s.rand.NormFloat64()))
				t := campaign.Translation{System: fmt.Sprint("system", k+1), Text: sentence()}
				s.texts[t.Text] = text{n, quality, s.careful(quality)}
				s.of[seg.Source] = append(s.of[seg.Source], t.Text)
				seg.Translations = append(seg.Translations, t)
			}
			if !yield(campaign.SegmentLine{Segment: seg, Line: n + 1}, nil) {
				return
			}
		}
	}
}

func (s *simulation) careful(quality float64) float64 { return clamp(quality + 8*s.rand.NormFloat64()) }

func clamp(x float64) float64 { return math.Round(max(0, min(100, x))) }

// score is what an annotator gives to a text on a page with these texts.
func (s *simulation) score(kind, shown, source string, page []string) float64 {
	t, whole := s.texts[shown]
	if !whole { // damaged: its original is the one that the page lacks
		i := slices.IndexFunc(s.of[source], func(original string) bool { return !slices.Contains(page, original) })
		t = s.texts[s.of[source][i]]
		t.quality *= 0.2 + 0.4*s.rand.Float64()
	}
	switch kind {
	case "careful":
		return s.careful(t.quality)
	case "careless":
		if s.rand.IntN(5) == 0 {
			return s.careful(t.quality)
		}
		return clamp(75 + 15*s.rand.NormFloat64())
	case "random":
		return float64(s.rand.IntN(101))
	case "constant":
		return 80
	}
	return t.copied
}

// run has the annotators take turns until nothing is left for anybody.
func (s *simulation) run(ctx context.Context) error {
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
func (s *simulation) page(ctx context.Context, i int) error {
	id, err := s.st.Next(ctx, s.c.ID, s.users[i])
	if err != nil {
		return err
	}
	c, err := s.st.CampaignOfAssignment(ctx, s.c, id)
	if err != nil {
		return err
	}
	w, err := s.st.LoadWork(ctx, c, id, s.users[i])
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
		rating := protocol.Rating{Scores: map[string]float64{"score": s.score(kinds[i%len(kinds)], card.Text, w.Source, page)}}
		saved, err := s.st.SaveCard(ctx, c, s.users[i], work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: rating})
		if err != nil {
			return err
		}
		revisions[card.ID] = saved.Revision
	}
	return s.st.Submit(ctx, c, s.users[i], id, revisions)
}

// A row is what the checks say of one kind of annotators.
type row struct {
	Kind                        string
	Annotators, Flagged, TooFew int
	Taken, Passed               map[check.Kind]int // by kind of check; "" is all
	Self                        float64            // sum of the differences to oneself
	SelfOf                      int
}

// rows reads what the checks say.
func (s *simulation) rows(ctx context.Context) ([]row, error) {
	judged, err := s.st.JudgedChecks(ctx, s.c)
	if err != nil {
		return nil, err
	}
	out := make([]row, len(kinds))
	for i, kind := range kinds {
		out[i] = row{Kind: kind, Annotators: s.Of, Taken: map[check.Kind]int{}, Passed: map[check.Kind]int{}}
		for _, a := range judged {
			if !strings.HasPrefix(a.Login, "crowd-"+kind+"-") {
				continue
			}
			switch {
			case check.Flagged(a.Results):
				out[i].Flagged++
			case !check.Enough(a.Results):
				out[i].TooFew++
			}
			for _, r := range a.Results {
				out[i].Taken[r.Kind] += r.Taken
				out[i].Passed[r.Kind] += r.Passed
			}
			if a.Self.N > 0 {
				out[i].Self += a.Self.Difference * float64(a.Self.N)
				out[i].SelfOf += a.Self.N
			}
		}
	}
	return out, nil
}

// add adds the figures of another crowd.
func (r *row) add(o row) {
	r.Annotators, r.Flagged, r.TooFew = r.Annotators+o.Annotators, r.Flagged+o.Flagged, r.TooFew+o.TooFew
	for k := range o.Taken {
		r.Taken[k] += o.Taken[k]
		r.Passed[k] += o.Passed[k]
	}
	r.Self, r.SelfOf = r.Self+o.Self, r.SelfOf+o.SelfOf
}

// table writes rows as Markdown.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| annotators | number | flagged | 95% interval | too few checks | degraded passed | repeats passed | apart from oneself |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		share := func(k check.Kind) string {
			return fmt.Sprintf("%s of %d", wording.Percent(r.Passed[k], r.Taken[k]), r.Taken[k])
		}
		self := "–"
		if r.SelfOf > 0 {
			self = wording.Decimal(r.Self/float64(r.SelfOf), 1) + " points"
		}
		fmt.Fprintf(&b, "| %s | %d | %s (%d) | %s | %d | %s | %s | %s |\n", r.Kind, r.Annotators, wording.Percent(r.Flagged, r.Annotators), r.Flagged, intervalWords(r.Flagged, r.Annotators), r.TooFew, share(check.Degraded), share(check.Repeat), self)
	}
	return b.String()
}
