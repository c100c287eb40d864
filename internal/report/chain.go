package report

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/textdiff"
	"annotate/internal/wording"
)

// A Stage is a campaign of a chain, which the next stage follows.
type Stage struct {
	Campaign campaign.Campaign
	// Segments are its segments with their texts, ratings and Agreement.
	Segments iter.Seq2[campaign.Segment, error]
	Next     *campaign.Follow // the rule by which the next stage takes over segments; nil for the last stage
	Taken    int              // the number of segments that the next stage has taken over
	LeftOut  int              // the number of segments that the campaign's filter leaves out and that nobody was handed
}

// A stagePart counts a stage.
type stagePart struct {
	Stage
	estimates                        *estimates
	segments, open, out, gold, ready int            // numbers of segments; those of gold that meet the conditions of the next stage are ready
	behind                           map[string]int // the segments in gold that are not ready, by the first reason
	judged, failed, saved            int            // the number of rounds 1 with a pair, of those that failed, and of failed segments in gold
	work                             workCount
	domains                          map[string]*domainPart
	all                              *domainPart
	edits                            map[string]*editPart    // by question
	units                            map[string]*answerUnits // by question
}

// A domainPart sums up settled answers of a domain.
type domainPart struct {
	segments int
	numbers  map[string][]float64      // by question
	answers  map[string]map[string]int // by question and answer
	asked    map[string]int            // segments with a settled answer, by question
}

// An editPart holds the edit distances of settled texts from the texts that they began
// from.
type editPart struct {
	fresh             int // texts that began from nothing
	characters, words stat.QuantileTotals
	quantiles         [2][2]Cell // the median and the quantile 0.9 of both, once they are drawn
}

func newDomainPart() *domainPart {
	return &domainPart{numbers: map[string][]float64{}, answers: map[string]map[string]int{}, asked: map[string]int{}}
}

// readChain counts the stages of a chain, from the first to the last.
func readChain(ctx context.Context, stages []Stage, e *estimates, b stat.Bootstrap) (out []*stagePart, err error) {
	for _, s := range stages {
		p := &stagePart{Stage: s, estimates: e, behind: map[string]int{}, domains: map[string]*domainPart{}, all: newDomainPart(),
			edits: map[string]*editPart{},
			units: map[string]*answerUnits{}}
		for seg, err := range s.Segments {
			if err == nil {
				err = cmp.Or(ctx.Err(), decided(seg))
			}
			if err != nil {
				return nil, err
			}
			p.add(seg)
			p.judge(*seg.Agreement)
		}
		p.open -= s.LeftOut
		for _, u := range p.units {
			if err = u.draw(ctx, b); err != nil {
				return nil, err
			}
		}
		for _, e := range p.edits {
			if err = e.draw(ctx, b); err != nil {
				return nil, err
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// draw computes the quantiles.
func (e *editPart) draw(ctx context.Context, b stat.Bootstrap) (err error) {
	for i, of := range []*stat.QuantileTotals{&e.characters, &e.words} {
		for k, q := range []float64{0.5, 0.9} {
			if e.quantiles[i][k], err = quantile(ctx, b, of, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// add counts a segment.
func (p *stagePart) add(s campaign.Segment) {
	p.segments++
	words, document := codepoint.Words(s.Source), p.estimates.document(s.DocID)
	for _, t := range s.Translations {
		for _, r := range t.Ratings {
			p.work.add(words, r.Seconds)
			p.estimates.group("chain-work", p).addTime(document, words, r.Seconds)
		}
	}
	funnel := p.estimates.group("chain-funnel", p)
	funnel.base(document, 1)
	switch {
	case s.Status.InGold():
		p.gold++
		funnel.part(document, chainSettled, 1)
		if p.Next != nil {
			behind := p.estimates.group("chain-behind", p)
			behind.base(document, 1)
			if why := p.Next.Behind(campaign.BroughtBy(p.Campaign.Rules, s).Settled); why != "" {
				p.behind[why]++
				behind.part(document, why, 1)
			} else {
				p.ready++
			}
		}
	case s.Status == campaign.Discarded || s.Status == campaign.Withdrawn:
		p.out++
	default:
		p.open++
	}
	if !s.RatedItself() {
		return
	}
	p.addUnits(document, s)
	if !s.Status.InGold() {
		return
	}
	settled, _ := campaign.SettledRating(p.Campaign.Rules, s)
	for _, d := range []*domainPart{p.all, made(p.domains, s.Domain, newDomainPart)} {
		d.add(p.estimates, document, p.Campaign.Rules, settled)
	}
	for _, e := range campaign.EditsOf(p.Campaign.Rules, s) {
		of := entry(p.edits, e.Question.Name)
		if e.From == "" {
			of.fresh++
			continue
		}
		characters, words := float64(textdiff.Characters(e.From, e.To)), float64(textdiff.WordDistance(e.From, e.To))
		of.characters.Add(document, characters)
		of.words.Add(document, words)
		g := p.estimates.group("chain-edits", of)
		g.add(document, chainCharacters, ratioOf, characters, 1)
		g.add(document, chainWords, ratioOf, words, 1)
		g.add(document, chainEdited, ratioOf, float64(edited([]float64{characters})), 1)
	}
}

// The names of estimates of chains.
const (
	chainSettled    = "settled"
	chainFailed     = "failed"
	chainCharacters = "characters"
	chainWords      = "words"
	chainEdited     = "edited"
	chainMean       = "mean"
)

// An askedIn is a question in a stage or a domain.
type askedIn struct {
	in       any
	question string
}

// add counts a settled rating.
func (d *domainPart) add(e *estimates, document int, p *protocol.Protocol, settled protocol.Rating) {
	d.segments++
	for _, q := range p.Questions {
		if x, ok := settled.Scores[q.Name]; ok {
			d.numbers[q.Name] = append(d.numbers[q.Name], x)
			e.group("chain-answers", askedIn{d, q.Name}).add(document, chainMean, ratioOf, x, 1)
		}
		a, ok := settled.Answers[q.Name]
		if !ok || q.Kind != protocol.Choice {
			continue
		}
		d.asked[q.Name]++
		g := e.group("chain-answers", askedIn{d, q.Name})
		g.base(document, 1)
		if d.answers[q.Name] == nil {
			d.answers[q.Name] = map[string]int{}
		}
		for _, o := range q.Options {
			if a.Has(o.Value) {
				d.answers[q.Name][o.Value]++
				g.part(document, o.Value, 1)
			}
		}
	}
}

// addUnits adds the answers of round 1 as numbers, which are equal if the answers are equal.
func (p *stagePart) addUnits(document int, s campaign.Segment) {
	for _, q := range p.Campaign.Rules.Questions {
		if q.Several {
			continue
		}
		codes := map[string]float64{}
		var unit []float64
		for _, r := range campaign.RoundRatings(s.Translations[0], 1) {
			if x, ok := r.Scores[q.Name]; ok {
				unit = append(unit, x)
			}
			if a, ok := r.Answers[q.Name]; ok {
				unit = append(unit, p.code(q, a, codes))
			}
		}
		if len(unit) > 1 {
			made(p.units, q.Name, func() *answerUnits { return unitsOf(q) }).add(p.estimates, document, unit)
		}
	}
}

// unitsOf returns no units of a question. Candidates and texts have no alpha, since they differ from segment to segment.
func unitsOf(q protocol.Question) *answerUnits {
	switch {
	case q.Kind == protocol.Choice:
		return newAnswerUnits(agreement.Nominal)
	case q.Kind == protocol.Number && q.Measurement == protocol.Ordinal:
		return newAnswerUnits(agreement.Ordinal)
	case q.Kind == protocol.Number:
		return newAnswerUnits(agreement.Interval)
	}
	return &answerUnits{}
}

// code returns a number for an answer. An option has the same number in all segments. The numbers of
// candidates and texts differ only within a segment.
func (p *stagePart) code(q protocol.Question, a protocol.Answer, codes map[string]float64) float64 {
	if q.Kind == protocol.Choice {
		return float64(slices.IndexFunc(q.Options, func(o protocol.Option) bool { return o.Value == a.Text }))
	}
	if _, ok := codes[a.Text]; !ok {
		codes[a.Text] = float64(len(codes))
	}
	return codes[a.Text]
}

// judge counts the gate's decision about round 1.
func (p *stagePart) judge(r campaign.Rated) {
	if r.Status == campaign.Withdrawn || p.Campaign.Settings.Gate == "off" {
		return
	}
	for _, d := range r.Decisions {
		if d.Round != 1 || len(d.Pairs) == 0 {
			continue
		}
		p.judged++
		g := p.estimates.group("chain-gate", p)
		document := p.estimates.document(r.DocID)
		g.base(document, 1)
		if !d.Passed {
			p.failed++
			g.part(document, chainFailed, 1)
			if r.Status.InGold() {
				p.saved++
			}
		}
	}
}

// chainSection returns the section of a chain, or of the answers of a single campaign that rates segments. It
// is empty without a stage.
func chainSection(stages []*stagePart, prices Prices) (s Section) {
	if len(stages) == 0 {
		return s
	}
	first, last := stages[0], stages[len(stages)-1]
	s = Section{ID: ChainSection, Title: "Chain",
		Note: "Each stage is a campaign that the next one follows. Settled segments are those in gold."}
	if len(stages) == 1 {
		s.Title, s.Note = "Answers", "Settled segments are those in gold."
	}
	s.Paragraphs = append(
		s.Paragraphs,
		fmt.Sprintf(
			"Of %s in %s, %s are settled in %s.", wording.Counted(first.segments, "segment"), first.Campaign.Title,
			percent(last.gold, first.segments), last.Campaign.Title,
		),
	)
	for _, p := range stages {
		if f, ok := p.Campaign.SourceFilter(); ok {
			s.Paragraphs = append(
				s.Paragraphs, fmt.Sprintf("%s: the filter %s leaves out %s of the segments.", p.Campaign.Title, f, percent(p.LeftOut, p.segments)),
			)
		}
		for _, q := range p.Campaign.Rules.Questions {
			if e := p.edits[q.Name]; e != nil && len(e.characters.Values()) > 0 {
				s.Paragraphs = append(
					s.Paragraphs,
					fmt.Sprintf("%s: %s of the texts “%s” were edited.", p.Campaign.Title,
						percent(edited(e.characters.Values()), len(e.characters.Values())), q.Label),
				)
			}
		}
		if q, nominal := p.Campaign.Rules.NominalGate(); nominal && q.Kind == protocol.Choice && p.all.asked[q.Name] > 0 {
			best := q.Options[0]
			s.Paragraphs = append(
				s.Paragraphs,
				fmt.Sprintf("%s: %s have the answer “%s”.", p.Campaign.Title,
					percent(p.all.answers[q.Name][best.Value], p.all.asked[q.Name]), best.Label),
			)
		}
		if p.judged > 0 {
			said := fmt.Sprintf("%s: %s failed the gate in round 1", p.Campaign.Title, percent(p.failed, p.judged))
			if p.failed > 0 {
				said += "; of these, " + percent(p.saved, p.failed) + " are in gold all the same"
			}
			s.Paragraphs = append(s.Paragraphs, said+".")
		}
	}
	s.Tables = []Table{editsTable(stages), answersTable(stages), domainsTable(stages), questionsTable(stages)}
	if len(stages) == 1 {
		s.Tables = slices.DeleteFunc(s.Tables, func(t Table) bool { return len(t.Rows) == 0 })
		return s
	}
	s.Tables = slices.Insert(s.Tables, 0, funnelTable(stages), behindTable(stages))
	work := workTable("chain-work", "Work by stage", "The work in each stage.", "Stage", prices)
	for _, p := range stages {
		work.add(workRow(p.Campaign.Title, p.work, p.estimates.group("chain-work", p), prices)...)
	}
	s.Tables = append(s.Tables, work)
	s.Tables = slices.DeleteFunc(s.Tables, func(t Table) bool { return len(t.Rows) == 0 })
	return s
}

// edited counts the distances above 0.
func edited(distances []float64) (n int) {
	for _, d := range distances {
		if d > 0 {
			n++
		}
	}
	return n
}

// funnelTable has a row for each stage (Figure 2 of Tian et al. 2026). Its numbers link to the segments.
func funnelTable(stages []*stagePart) Table {
	t := Table{ID: "chain-funnel", Title: "From raw to gold", Caption: "The segments of each stage, by what became of them.",
		Note: "Filtered out: segments whose source lacks the score that the filter of the stage asks for, and that nobody was handed. Ready: settled segments that meet the conditions of the next stage. Handed on: segments that the next stage has taken over.",
		Columns: slices.Concat(
			texts("Stage"), counts("Segments", "Filtered out", "In work", "Left out", "Settled"), shares("Share"),
			counts("Ready", "Handed on"), shares("Failed the gate"), counts("In gold after it"),
		)}
	for i, p := range stages {
		row := []Cell{
			text(p.Campaign.Title),
			p.list(count(p.segments), ""),
			p.list(count(p.LeftOut), campaign.StepFiltered),
			p.list(count(p.open), campaign.StepWork),
			p.list(count(p.out), campaign.StepOut),
			p.list(count(p.gold), campaign.StepGold),
			estimated(stat.Ratio(p.gold, p.segments), p.estimates.interval("chain-funnel", p, chainSettled)),
		}
		if p.Next != nil {
			next := stages[i+1].Campaign.Slug
			row = append(row, p.list(count(p.ready), campaign.StepReady+":"+next), p.list(count(p.Taken), campaign.StepTaken+":"+next))
		} else {
			row = append(row, blank, blank)
		}
		row = append(row, p.list(estimated(stat.Ratio(p.failed, p.judged), p.estimates.interval("chain-gate", p, chainFailed)),
			campaign.StepFailed), p.list(count(p.saved), campaign.StepSaved))
		t.add(row...)
	}
	return t
}

// list links a cell to the segments of the stage that it counts.
func (p *stagePart) list(c Cell, step string) Cell {
	if c.Link = p.Campaign.Slug + "/segments"; step != "" {
		c.Link += "?step=" + url.QueryEscape(step)
	}
	return c
}

// behindTable has the settled segments that the next stage does not take over, by the first reason.
func behindTable(stages []*stagePart) Table {
	t := Table{ID: "chain-behind", Title: "Left behind",
		Caption: "The settled segments of each stage that are not ready for the next one, by reason.",
		Note:    "A segment that fails several conditions counts for the first. Its share is of the settled segments.",
		Columns: slices.Concat(texts("Stage", "Reason"), counts("Segments"), shares("Share"))}
	for i, p := range stages {
		if p.Next == nil {
			continue
		}
		for _, why := range p.Next.Reasons() {
			n := p.behind[why]
			cell := p.list(count(n), campaign.StepBehind+":"+stages[i+1].Campaign.Slug+":"+why)
			t.add(
				text(p.Campaign.Title), text(why), cell,
				estimated(stat.Ratio(n, p.gold), p.estimates.interval("chain-behind", p, why)),
			)
		}
	}
	return t
}

// editsTable has the edit distances of the settled texts.
func editsTable(stages []*stagePart) Table {
	t := Table{ID: "chain-edits", Title: "Edits", Caption: "How far settled texts are from the texts that they began from.",
		Note:    "The distance is the least number of characters or words to insert, delete or replace (Levenshtein 1966). Means and quantiles are over all texts that began from one, unchanged ones included. New: texts that began from nothing.",
		Columns: slices.Concat(texts("Stage", "Text"), counts("Texts", "New"), shares("Edited"))}
	for _, unit := range []string{"Characters", "Words"} {
		for _, name := range []string{"Mean", "Median", "90 %", "Most"} {
			t.addColumns(under(unit, numbers(1, name)))
		}
	}
	for _, p := range stages {
		for _, q := range p.Campaign.Rules.Questions {
			e := p.edits[q.Name]
			if e == nil {
				continue
			}
			began := e.characters.Values()
			row := []Cell{
				text(p.Campaign.Title),
				text(q.Label),
				count(len(began)),
				count(e.fresh),
				estimated(stat.Ratio(edited(began), len(began)), p.estimates.interval("chain-edits", e, chainEdited)),
			}
			for i, distances := range [][]float64{began, e.words.Values()} {
				if len(distances) == 0 {
					row = append(row, value(undefined), value(undefined), value(undefined), value(undefined))
					continue
				}
				mean := estimated(stat.Mean(distances), p.estimates.interval("chain-edits", e, []string{chainCharacters, chainWords}[i]))
				row = append(row, mean, e.quantiles[i][0], e.quantiles[i][1], value(slices.Max(distances)))
			}
			t.add(row...)
		}
	}
	return t
}

// answersTable has the settled answers to the choices of each stage.
func answersTable(stages []*stagePart) Table {
	t := Table{ID: "chain-answers", Title: "Answers", Caption: "The settled answers of each stage.",
		Note:    "Shares are of the segments with a settled answer to the question. If a question takes several answers, each that more than half of the annotators gave counts.",
		Columns: slices.Concat(texts("Stage", "Question", "Answer"), counts("Segments"), shares("Share"))}
	for _, p := range stages {
		for _, q := range p.Campaign.Rules.Questions {
			if p.all.asked[q.Name] == 0 {
				continue
			}
			for _, o := range q.Options {
				n := p.all.answers[q.Name][o.Value]
				share := estimated(stat.Ratio(n, p.all.asked[q.Name]), p.estimates.interval("chain-answers", askedIn{p.all, q.Name}, o.Value))
				t.add(text(p.Campaign.Title), text(q.Label), text(o.Label), count(n), share)
			}
			t.rule()
		}
	}
	return t
}

// domainsTable has the numbers and the choices with several answers, such as difficulty and phenomena, by domain.
func domainsTable(stages []*stagePart) Table {
	t := Table{ID: "chain-domains", Title: "Answers by domain",
		Caption: "Means of numbers, and shares of answers that may be several, by domain.",
		Note:    "Values are over the settled segments of the domain with an answer to the question.",
		Columns: slices.Concat(
			texts("Stage", "Domain", "Question", "Answer"), counts("Segments"), numbers(2, "Mean"), shares("Share"),
		)}
	for _, p := range stages {
		for _, domain := range slices.Sorted(maps.Keys(p.domains)) {
			d := p.domains[domain]
			row := func(q protocol.Question, answer string, n int, mean, share Cell) {
				t.add(
					text(p.Campaign.Title), text(domainName(domain)), text(q.Label), text(answer), count(n), mean, share,
				)
			}
			for _, q := range p.Campaign.Rules.Questions {
				if x := d.numbers[q.Name]; len(x) > 0 {
					row(q, "", len(x), estimated(stat.Mean(x), p.estimates.interval("chain-answers", askedIn{d, q.Name}, chainMean)), Cell{Blank: true})
				}
				for _, o := range q.Options {
					if q.Several && d.asked[q.Name] > 0 {
						n := d.answers[q.Name][o.Value]
						row(q, o.Label, n, Cell{Blank: true},
							estimated(stat.Ratio(n, d.asked[q.Name]), p.estimates.interval("chain-answers", askedIn{d, q.Name}, o.Value)))
					}
				}
			}
		}
	}
	return t
}

// questionsTable has the agreement of annotators on each question.
func questionsTable(stages []*stagePart) Table {
	t := Table{ID: "chain-questions", Title: "Agreement by question", Caption: "Krippendorff's alpha of each question.",
		Note: "Values are over the segments where two or more annotators answered the question in round 1. Equal: all of them gave the same answer. Alpha is nominal for choices, and for numbers as the protocol says. It is undefined for texts and candidates, which differ from segment to segment, and if all answers are equal. Its intervals leave out one document at a time.",
		Columns: slices.Concat(
			texts("Stage", "Question"), counts("Segments"), shares("Equal"), numbers(2, "Alpha"),
		)}
	for _, p := range stages {
		for _, q := range p.Campaign.Rules.Questions {
			if u := p.units[q.Name]; u != nil {
				t.add(append([]Cell{text(p.Campaign.Title), text(q.Label)}, u.cells(p.estimates)...)...)
			}
		}
	}
	return t
}
