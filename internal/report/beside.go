package report

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// A Side is one of several campaigns in which the same translations are rated.
type Side struct {
	Label    string // unique
	Campaign campaign.Campaign
	Segments iter.Seq2[campaign.Segment, error] // read once
}

// besidePart compares campaigns over the translations that have a human score in all of them. Segments are
// joined by their source text, since formats number them differently, and the n-th segment with a source
// by the n-th with the same. Translations are joined by system, if their texts are equal too. White space
// is ignored, because some formats trim it.
//
// Memory grows with the ratings: about 200 bytes for each, and 50 for each error.
type besidePart struct {
	sides    []*side
	segments map[occurrence]int // the number of the segment
	domains  []string           // by number of the segment, as the first campaign names it
	seed     maphash.Seed
}

// A side holds what is compared of one campaign.
type side struct {
	label  string
	rules  *protocol.Protocol
	scores []sideScore
	seen   map[uint64]int // by source text: how many segments have it
	cells  map[place]*sideCell
	work   workCount // of all its ratings
}

// An occurrence is the n-th segment of a campaign with a source text.
type occurrence struct {
	source uint64 // a hash of the text
	n      int
}

// A place is a translation.
type place struct {
	segment int
	system  string
}

// A sideScore is a human score of a campaign.
type sideScore struct {
	score     string // of the protocol; empty for an imported average
	imported  string // the name of an imported average
	label     string
	low, high float64
	scale     bool // low and high are its bounds; otherwise it is a sum over errors, or its bounds are unknown
}

// A sideCell is a translation in gold.
type sideCell struct {
	text  uint64
	gold  []float64 // by number of the score; NaN or missing at the end if there is none
	given []sideRating
	spans map[string][]agreement.Span // by metric; nil if there are none
}

// A sideRating is a rating that gold is formed from.
type sideRating struct {
	annotator string
	gate      float64
	spans     []agreement.Span
	seconds   float64 // 0 if unknown
}

func newBesidePart(sides []Side) *besidePart {
	p := &besidePart{segments: map[occurrence]int{}, seed: maphash.MakeSeed()}
	for _, s := range sides {
		own := &side{label: s.Label, rules: s.Campaign.Rules, seen: map[uint64]int{}, cells: map[place]*sideCell{}}
		for _, h := range own.rules.HumanScores() {
			label, _ := describe(own.rules, h.Score)
			low, high, scale := scaleOf(own.rules, h.Score)
			own.scores = append(own.scores, sideScore{score: h.Score, label: label, low: low, high: high, scale: scale})
		}
		p.sides = append(p.sides, own)
	}
	return p
}

// read reads the campaigns beside the first, which is read with the rest of the report.
func (p *besidePart) read(ctx context.Context, sides []Side) error {
	for i, s := range sides {
		if i == 0 {
			continue
		}
		for seg, err := range s.Segments {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			p.add(i, seg)
		}
	}
	return nil
}

// add adds a segment of the side with the given number. Only segments of the first side count.
func (p *besidePart) add(number int, seg campaign.Segment) {
	if len(p.sides) == 0 {
		return
	}
	s := p.sides[number]
	words := codepoint.Words(seg.Source)
	for _, t := range seg.Translations {
		for _, r := range t.Ratings {
			s.work.add(words, r.Seconds)
		}
	}
	key := occurrence{source: p.hash(seg.Source)}
	key.n = s.seen[key.source]
	s.seen[key.source]++
	at, known := p.segments[key]
	switch {
	case number > 0 && !known:
		return
	case !known:
		at = len(p.domains)
		p.segments[key] = at
		p.domains = append(p.domains, seg.Domain)
	}
	for _, t := range seg.Translations {
		if c := s.cell(seg, t); c != nil {
			c.text = p.hash(t.Text)
			s.cells[place{at, t.System}] = c
		}
	}
}

func (p *besidePart) hash(text string) uint64 {
	return maphash.String(p.seed, strings.Join(strings.Fields(text), " "))
}

// cell returns what is compared of a translation. It is nil if the translation has no human score.
func (s *side) cell(seg campaign.Segment, t campaign.Translation) *sideCell {
	c := &sideCell{}
	found := false
	set := func(i int, v float64) {
		for len(c.gold) <= i {
			c.gold = append(c.gold, undefined)
		}
		c.gold[i], found = v, true
	}
	for i, score := range s.scores {
		if score.score == "" {
			continue
		}
		if v, _, ok := campaign.HumanGold(s.rules, score.score, seg, t); ok {
			set(i, v)
		}
	}
	for _, h := range t.HumanScores {
		i := slices.IndexFunc(s.scores, func(x sideScore) bool { return x.imported == h.Name })
		if i < 0 {
			i = len(s.scores)
			s.scores = append(s.scores, sideScore{imported: h.Name, label: h.Name + " (imported)"})
		}
		set(i, h.Score)
	}
	for _, r := range campaign.ContributingRatings(s.rules, seg, t) {
		gate, ok := s.rules.Human(s.rules.Gate, r.Rating)
		if !ok {
			gate = undefined
		}
		c.given = append(c.given, sideRating{annotator: r.Annotator, gate: gate, spans: campaign.AgreementSpans(r.Spans), seconds: r.Seconds})
	}
	for _, m := range (StoredSpans{}).Spans(seg, t) {
		if c.spans == nil {
			c.spans = map[string][]agreement.Span{}
		}
		c.spans[m.Metric] = campaign.AgreementSpans(m.Spans)
	}
	if !found {
		return nil
	}
	return c
}

// joint are the translations that all sides have.
type joint struct {
	sides    []*side
	places   []place // segment by segment, then by system
	systems  []string
	segments []int // numbers of segments
	differ   int   // how many translations are left out because their texts differ
}

// join finds the common translations of the sides that share any with the first. apart lists the
// labels of the others.
func (p *besidePart) join() (j joint, apart []string) {
	for i, s := range p.sides {
		shares := i == 0
		for at := range s.cells {
			if _, ok := p.sides[0].cells[at]; ok {
				shares = true
				break
			}
		}
		if shares {
			j.sides = append(j.sides, s)
		} else {
			apart = append(apart, s.label)
		}
	}
	for at, first := range p.sides[0].cells {
		same, everywhere := true, true
		for _, s := range j.sides[1:] {
			c, ok := s.cells[at]
			everywhere = everywhere && ok
			same = same && ok && c.text == first.text
		}
		switch {
		case !everywhere:
		case same:
			j.places = append(j.places, at)
		default:
			j.differ++
		}
	}
	slices.SortFunc(j.places, func(a, b place) int {
		if a.segment != b.segment {
			return a.segment - b.segment
		}
		return strings.Compare(a.system, b.system)
	})
	for _, at := range j.places {
		j.systems, j.segments = append(j.systems, at.system), append(j.segments, at.segment)
	}
	slices.Sort(j.systems)
	j.systems, j.segments = slices.Compact(j.systems), slices.Compact(j.segments)
	return j, apart
}

// section compares the campaigns. It is false if there is only one, or if no other shares a translation
// with it.
func (p *besidePart) section() (Section, bool) {
	if len(p.sides) < 2 {
		return Section{}, false
	}
	j, apart := p.join()
	if len(j.sides) < 2 {
		return Section{}, false
	}
	s := Section{ID: BesideSection, Title: "Campaigns side by side", Note: "Segments are joined by their source text, and translations by system and text. " +
		"A score of a translation is its gold, or an imported average. Times, errors and agreement are those of the ratings that gold is formed from. Higher is better for every score; those that count errors are negative."}
	var labels []string
	for _, own := range j.sides {
		labels = append(labels, fmt.Sprintf("%s (%s)", own.label, own.rules.Name))
	}
	about := fmt.Sprintf("The campaigns %s share %s with a human score, of %s by %s. All of this section is over these.", wording.List(labels),
		wording.Counted(len(j.places), "translation"), wording.Counted(len(j.segments), "segment"), wording.Counted(len(j.systems), "system"))
	if j.differ > 0 {
		about += fmt.Sprintf(" %s left out because the texts differ.", wording.Counted(j.differ, "translation of the same system and source is", "translations of the same systems and sources are"))
	}
	s.Paragraphs = []string{about}
	if len(apart) > 0 {
		s.Paragraphs = append(s.Paragraphs, fmt.Sprintf("%s no translation with %s and %s left out of this section.", wording.List(apart)+wording.Choose(len(apart), " shares", " share"), p.sides[0].label, wording.Choose(len(apart), "is", "are")))
	}
	if len(j.places) == 0 {
		return s, true
	}
	s.Tables = append(s.Tables, j.systemTable(), j.workTable())
	if t := j.timeTable(p.domains); len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
	s.Tables = append(s.Tables, j.correlationTable(true), j.correlationTable(false), j.agreementTable())
	s.Tables = append(s.Tables, j.spanTables()...)
	s.Figures = j.figures()
	return s, true
}

// matrix returns a score of a side: rows are systems, columns are segments.
func (j joint) matrix(s *side, score int) [][]float64 {
	rows := make([][]float64, len(j.systems))
	for i := range rows {
		rows[i] = slices.Repeat([]float64{undefined}, len(j.segments))
	}
	for _, at := range j.places {
		i, _ := slices.BinarySearch(j.systems, at.system)
		k, _ := slices.BinarySearch(j.segments, at.segment)
		if gold := s.cells[at].gold; score < len(gold) {
			rows[i][k] = gold[score]
		}
	}
	return rows
}
