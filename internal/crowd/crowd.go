package main

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// A crowd is what is simulated: annotators, and the campaign that they rate. Its documents have one segment.
type crowd struct {
	Protocol   string
	Standard   standard
	Of         int     // annotators of each kind
	Alone      bool    // all annotators are careful
	Segments   int     // that each annotator rates
	Systems    int     // translations of each segment
	Redundancy int     // annotators of each segment
	Rate       float64 // setting check_rate
	Seed       uint64
}

// A simulation is a crowd at work.
type simulation struct {
	crowd
	desk
	settings campaign.Settings
	rule     campaign.CheckRule
	people   []person
	work     [][]int // by person: the segments in the order in which they are rated
	segments []segment
}

// A segment is one of the campaign.
type segment struct {
	texts  []text
	copied []protocol.Rating // what those who copy give to the texts
	by     []int             // people who rate it
	given  [][]float64       // by person of by: the scores of the texts
}

// newSimulation makes a campaign and has the crowd rate it.
func newSimulation(k crowd) *simulation {
	p, _ := protocol.Lookup(k.Protocol)
	s := &simulation{crowd: k, settings: campaign.DefaultSettings(p)}
	s.desk = desk{p.With(s.settings.Options(protocol.Own{})), k.Standard, rand.New(rand.NewPCG(k.Seed, 17))}
	s.rule = s.settings.CheckRule(s.rules)
	for i := range k.Of * len(kinds) {
		kind := kinds[i%len(kinds)]
		if k.Alone {
			kind = "careful"
		}
		s.people = append(s.people, person{kind, habitError * s.rand.NormFloat64()})
	}
	s.work = make([][]int, len(s.people))
	s.segments = make([]segment, len(s.people)*k.Segments/k.Redundancy)
	var next []int // people, each equally often
	for i := range s.segments {
		g := &s.segments[i]
		for place := range k.Systems {
			t := k.Standard.text(s.rand, place)
			g.texts, g.copied = append(g.texts, t), append(g.copied, s.rate(person{kind: "careful"}, t, protocol.Rating{}))
		}
		for range k.Redundancy {
			if len(next) < k.Redundancy {
				next = append(next, s.rand.Perm(len(s.people))...)
			}
			at := slices.IndexFunc(next, func(p int) bool { return !slices.Contains(g.by, p) })
			p := next[at]
			next = slices.Delete(next, at, at+1)
			g.by, g.given = append(g.by, p), append(g.given, s.scores(p, *g))
			s.work[p] = append(s.work[p], i)
		}
	}
	return s
}

// score is the gate score that a person gives to a text of a segment.
func (s *simulation) score(p int, t text, copied protocol.Rating) float64 {
	score, _ := s.rules.GateScore(s.rate(s.people[p], t, copied))
	return score
}

// scores are those that a person gives to the texts of a segment.
func (s *simulation) scores(p int, g segment) (out []float64) {
	for i, t := range g.texts {
		out = append(out, s.score(p, t, g.copied[i]))
	}
	return out
}

// against is what a degraded text of a person is compared with: their own score of the original, or the mean of
// the others.
func (s *simulation) against(p int, g segment, text int) float64 {
	var others []float64
	for i, scores := range g.given {
		if g.by[i] == p {
			return scores[text]
		}
		others = append(others, scores[text])
	}
	mean, _ := campaign.Mean(others)
	return mean
}

// judge hands a person checks among the work and judges them.
func (s *simulation) judge(p int) []campaign.CheckResult {
	seed := campaign.CheckSeed(strconv.FormatUint(s.Seed, 10), strconv.Itoa(p))
	var items []campaign.CheckItem
	checked := map[int]bool{} // segments
	rated := 0
	for n := 0; rated < len(s.work[p]); n++ {
		if !campaign.CheckPlaced(seed, s.Rate, n) {
			rated++
			continue
		}
		for _, kind := range campaign.CheckOrder(seed, n, []campaign.CheckKind{campaign.DegradedCheck, campaign.RepeatCheck}) {
			i, text, ok := s.chosen(p, kind, rated, checked)
			if !ok {
				continue
			}
			checked[i] = true
			items = append(items, s.taken(p, kind, i, text)...)
			break
		}
	}
	var scores []float64
	for _, i := range s.work[p] {
		g := s.segments[i]
		scores = append(scores, g.given[slices.Index(g.by, p)]...)
	}
	return campaign.JudgeChecks(scores, items, s.rule, s.settings.CheckFlag)
}

// chosen draws the segment of a check of a person who has rated so many, and the text that is damaged. A degraded text is of a segment of which
// the others' scores leave room, or of one that the person rates later.
func (s *simulation) chosen(p int, kind campaign.CheckKind, rated int, checked map[int]bool) (segment, text int, ok bool) {
	const tries = 40
	for range tries {
		text = s.rand.IntN(s.Systems)
		switch {
		case kind == campaign.RepeatCheck && rated <= s.settings.RepeatAfter:
			return 0, 0, false
		case kind == campaign.RepeatCheck:
			segment = s.work[p][s.rand.IntN(rated-s.settings.RepeatAfter)]
		case rated < len(s.work[p]) && s.rand.IntN(2) == 0:
			segment = s.work[p][rated+s.rand.IntN(len(s.work[p])-rated)]
		default:
			segment = s.rand.IntN(len(s.segments))
			if slices.Contains(s.segments[segment].by, p) || s.rule.Uncounted(kind, s.against(p, s.segments[segment], text)) != "" {
				continue
			}
		}
		if !checked[segment] {
			return segment, text, true
		}
	}
	return 0, 0, false
}

// taken is what a person gives in a check: to a damaged text of a segment, or to all texts again.
func (s *simulation) taken(p int, kind campaign.CheckKind, i, damaged int) (out []campaign.CheckItem) {
	g, name := s.segments[i], strconv.Itoa(i)
	add := func(text int, score float64) {
		out = append(
			out,
			campaign.CheckItem{
				Kind:     kind,
				Score:    score,
				Against:  s.against(p, g, text),
				Document: name,
				Source:   name,
				Original: name + " " + strconv.Itoa(text),
			},
		)
	}
	if kind == campaign.DegradedCheck {
		add(damaged, s.score(p, g.texts[damaged].damaged(s.rand), g.copied[damaged]))
		return out
	}
	for text, score := range s.scores(p, g) {
		add(text, score)
	}
	return out
}
