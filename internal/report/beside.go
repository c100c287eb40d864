package report

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"slices"
	"strings"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/protocol"
	"annotate/internal/stat"
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
// does not count, which some formats trim.
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
	differ   int   // how many translations are left out, since their texts differ
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
		about += fmt.Sprintf(" %s left out, whose texts differ.", wording.Counted(j.differ, "translation of the same system and source is", "translations of the same systems and sources are"))
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

// A sideColumn is a score of a side that has values.
type sideColumn struct {
	side  *side
	score sideScore
	rows  [][]float64
	means []float64 // by system
}

func (c sideColumn) name() string { return c.side.label + ": " + c.score.label }

func (j joint) columns() (out []sideColumn) {
	for _, s := range j.sides {
		for i, score := range s.scores {
			c := sideColumn{side: s, score: score, rows: j.matrix(s, i)}
			for _, row := range c.rows {
				c.means = append(c.means, stat.Mean(slices.DeleteFunc(slices.Clone(row), math.IsNaN)))
			}
			if slices.ContainsFunc(c.means, func(v float64) bool { return !math.IsNaN(v) }) {
				out = append(out, c)
			}
		}
	}
	return out
}

// systemTable ranks the systems by every score of every campaign, as in Tables 4 and 5 of Popov et al. 2025.
func (j joint) systemTable() Table {
	t := Table{ID: "beside-systems", Title: "Systems by campaign", Caption: "Mean human scores of the systems and their clusters in each campaign.",
		Note:    "Clusters as in the section on systems. Best, second and third of each score are marked. The systems are in the order of the first score.",
		Columns: []Column{{Name: "System", Kind: Text}}}
	var ranked [][]rankedSystem
	for _, c := range j.columns() {
		group := []string{c.side.label, c.score.label}
		t.Columns = append(t.Columns, Column{Name: "Mean", Group: group, Kind: Number, Decimals: 2, Better: Higher}, Column{Name: "Cluster", Group: group, Kind: Count})
		ranked = append(ranked, rankSystems(j.systems, c.rows))
	}
	t.fill(ranked)
	return t
}

// workTable counts time and errors, as in Tables 2 and 3 of Popov et al. 2025.
func (j joint) workTable() Table {
	t := Table{ID: "beside-work", Title: "Time and errors by campaign", Caption: "How long annotators worked on a rating in each campaign, and how many errors they marked.",
		Note: "Over the ratings whose time is known, and over all ratings. Majors and minors, a rating: the severities with the higher and the lower weight, of a protocol that weighs errors with two weights.", Columns: []Column{{Name: "Campaign", Kind: Text}, {Name: "Annotators", Kind: Count}, {Name: "Ratings", Kind: Count},
			{Name: "Median (s)", Group: []string{"Active time"}, Kind: Number, Decimals: 1}, {Name: "Mean (s)", Group: []string{"Active time"}, Kind: Number, Decimals: 1},
			{Name: "A rating", Group: []string{"Errors"}, Kind: Number, Decimals: 2}, {Name: "Majors", Group: []string{"Errors"}, Kind: Number, Decimals: 2}, {Name: "Minors", Group: []string{"Errors"}, Kind: Number, Decimals: 2},
			{Name: "None", Group: []string{"Errors"}, Kind: Share, Decimals: 1}}}
	for _, s := range j.sides {
		people := map[string]bool{}
		var seconds []float64
		majors, minors := classes(s.rules)
		ratings, errors, major, minor, clean := 0, 0, 0, 0, 0
		for _, at := range j.places {
			for _, r := range s.cells[at].given {
				people[r.annotator] = true
				ratings++
				errors += len(r.spans)
				if len(r.spans) == 0 {
					clean++
				}
				for _, e := range r.spans {
					switch {
					case slices.Contains(majors, e.Severity):
						major++
					case slices.Contains(minors, e.Severity):
						minor++
					}
				}
				if r.seconds > 0 {
					seconds = append(seconds, r.seconds)
				}
			}
		}
		mean, grave, slight, none := stat.Ratio(errors, ratings), stat.Ratio(major, ratings), stat.Ratio(minor, ratings), stat.Ratio(clean, ratings)
		if majors == nil {
			grave, slight = undefined, undefined
		}
		if s.rules.Spans == nil {
			mean, none = undefined, undefined
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{text(s.label), count(len(people)), count(ratings), value(stat.Median(seconds)), value(stat.Mean(seconds)), value(mean), value(grave), value(slight), value(none)}})
	}
	return t
}

// timeTable has the median time by domain and campaign, as in Table 2 of Popov et al. 2025. It has no rows if there is
// only one domain.
func (j joint) timeTable(domains []string) Table {
	t := Table{ID: "beside-times", Title: "Time by domain and campaign", Caption: "Median active seconds of a rating, by domain and campaign.", Columns: []Column{{Name: "Domain", Kind: Text}}}
	byDomain := map[string][][]float64{}
	for i, s := range j.sides {
		t.Columns = append(t.Columns, Column{Name: s.label, Kind: Number, Decimals: 1})
		for _, at := range j.places {
			name := domains[at.segment]
			if byDomain[name] == nil {
				byDomain[name] = make([][]float64, len(j.sides))
			}
			for _, r := range s.cells[at].given {
				if r.seconds > 0 {
					byDomain[name][i] = append(byDomain[name][i], r.seconds)
				}
			}
		}
	}
	if len(byDomain) < 2 {
		return t
	}
	total := make([][]float64, len(j.sides))
	add := func(name string, seconds [][]float64) {
		row := Row{Cells: []Cell{text(name)}}
		for i := range j.sides {
			row.Cells = append(row.Cells, value(stat.Median(seconds[i])))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, name := range sorted(byDomain) {
		add(domainName(name), byDomain[name])
		for i, seconds := range byDomain[name] {
			total[i] = append(total[i], seconds...)
		}
	}
	t.Rows[len(t.Rows)-1].RuleAfter = true
	add("All", total)
	t.Rows[len(t.Rows)-1].Total = true
	return t
}

// correlationTable correlates each score with each other: the means of the systems, or the scores of
// translations.
func (j joint) correlationTable(systems bool) Table {
	t := Table{ID: "beside-translations", Title: "Correlation of scores by campaign", Caption: "Pearson's r of the scores of translations, for each two scores.",
		Note: "Times 100, over the translations that have both scores.", Columns: []Column{{Name: "Score", Kind: Text}}}
	if systems {
		t.ID, t.Title, t.Caption = "beside-ranks", "Correlation of rankings by campaign", "Above the diagonal Spearman's ρ, below it Kendall's tau-b of the means of systems, for each two scores."
		t.Note = "Times 100. Two scores that rank the systems alike have 100."
	}
	columns := j.columns()
	for _, c := range columns {
		t.Columns = append(t.Columns, Column{Name: c.name(), Kind: Hundredths, Decimals: 1})
	}
	for a, x := range columns {
		row := Row{Cells: []Cell{text(x.name())}}
		for b, y := range columns {
			cell := Cell{Blank: true, Value: undefined}
			switch {
			case a == b || !systems && a > b:
			case systems && a < b:
				cell = value(stat.Spearman(x.means, y.means))
			case systems:
				cell = value(stat.TauB(x.means, y.means))
			default:
				cell = value(stat.Pearson(stat.Complete(slices.Concat(x.rows...), slices.Concat(y.rows...))))
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// each calls do with every pair of ratings of a translation by different annotators, the first in side
// a and the second in side b. In one side each pair comes in both orders.
func (j joint) each(a, b *side, do func(at place, x, y sideRating)) {
	for _, at := range j.places {
		for _, x := range a.cells[at].given {
			for _, y := range b.cells[at].given {
				if x.annotator != y.annotator {
					do(at, x, y)
				}
			}
		}
	}
}

// agreementTable has the agreement of annotators within each campaign and across campaigns.
func (j joint) agreementTable() Table {
	t := Table{ID: "beside-agreement", Title: "Agreement of annotators within and across campaigns", Caption: "Mean Pearson's r of two annotators over the translations of a segment: within a campaign on the diagonal, else one annotator of each.",
		Note: "The scores are those of the gate. A mean is over the segments and pairs of different annotators with at least three translations that both rated, where neither gave all of them the same score.", Columns: []Column{{Name: "Campaign", Kind: Text}}}
	for _, a := range j.sides {
		t.Columns = append(t.Columns, Column{Name: a.label, Kind: Number, Decimals: 2})
		row := Row{Cells: []Cell{text(a.label)}}
		for _, b := range j.sides {
			row.Cells = append(row.Cells, value(j.agreement(a, b)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (j joint) agreement(a, b *side) float64 {
	type pair struct {
		segment int
		x, y    string
	}
	scores := map[pair][2][]float64{}
	var order []pair
	j.each(a, b, func(at place, x, y sideRating) {
		if !stat.Defined(x.gate, y.gate) {
			return
		}
		key := pair{at.segment, x.annotator, y.annotator}
		both, ok := scores[key]
		if !ok {
			order = append(order, key)
		}
		scores[key] = [2][]float64{append(both[0], x.gate), append(both[1], y.gate)}
	})
	var all []float64
	for _, key := range order {
		both := scores[key]
		if r := stat.Pearson(both[0], both[1]); len(both[0]) >= 3 && !math.IsNaN(r) {
			all = append(all, r)
		}
	}
	return stat.Mean(all)
}

// spanTables compare the errors of campaigns, the first as in Table 7 of Popov et al. 2025.
func (j joint) spanTables() []Table {
	overlap := Table{ID: "beside-overlap", Title: "Overlap of errors between campaigns", Caption: "The share of the errors of B (column) that A (row) marked as well.",
		Note:    "For each translation, and each rating of A and of B by different annotators, the share of B's spans that have a character in common with a span of A, 1 if B has none; the mean over all of these. The diagonal compares annotators of the same campaign. Severities are ignored.",
		Columns: []Column{{Name: "A", Kind: Text}}}
	match := Table{ID: "beside-spans", Title: "Agreement in errors between campaigns", Caption: "Agreement of two campaigns in the spans of errors.",
		Note: fmt.Sprintf("Comparisons: ratings of the same translation by different annotators, one in A and one in B. Presence: both marked something or neither did. Characters: F1 of the characters marked. Matches: F1 of the spans that match one to one, where what two spans share covers at least %s of both.", wording.Decimal(agreement.Theta, 1)),
		Columns: []Column{{Name: "A", Kind: Text}, {Name: "B", Kind: Text}, {Name: "Comparisons", Kind: Count}, {Name: "Presence", Kind: Share, Decimals: 1},
			{Name: "Characters", Group: []string{"F1"}, Kind: Number, Decimals: 2}, {Name: "Matches", Group: []string{"F1"}, Kind: Number, Decimals: 2}}}
	for i, a := range j.sides {
		if a.rules.Spans == nil {
			continue
		}
		overlap.Columns = append(overlap.Columns, Column{Name: a.label, Group: []string{"B"}, Kind: Share, Decimals: 1})
		row := Row{Cells: []Cell{text(a.label)}}
		for k, b := range j.sides {
			if b.rules.Spans == nil {
				continue
			}
			var spans agreement.Spans
			j.each(a, b, func(_ place, x, y sideRating) { spans.Add(x.spans, y.spans) })
			row.Cells = append(row.Cells, value(spans.OverlapOfB()))
			if k > i && spans.Translations > 0 {
				chars, f1 := undefined, undefined
				if spans.SpansA+spans.SpansB > 0 {
					chars = spans.CharF1()
					_, _, f1 = spans.Matches()
				}
				match.Rows = append(match.Rows, Row{Cells: []Cell{text(a.label), text(b.label), count(spans.Translations), value(spans.Presence()), value(chars), value(f1)}})
			}
		}
		overlap.Rows = append(overlap.Rows, row)
	}
	if len(overlap.Rows) < 2 {
		return nil
	}
	if rows := j.metricRows(); len(rows) > 0 {
		overlap.Rows[len(overlap.Rows)-1].RuleAfter = true
		overlap.Rows = append(overlap.Rows, rows...)
		overlap.Note += " Below the line A is a judge, or a tool that suggested errors, on the translations for which a campaign stores what it marked. Annotators who saw its errors are not independent of it."
	}
	if len(match.Rows) == 0 {
		return []Table{overlap}
	}
	return []Table{overlap, match}
}

// metricRows are the rows of metrics that mark errors in the table of overlap.
func (j joint) metricRows() (rows []Row) {
	names := map[string]bool{}
	for _, s := range j.sides {
		for _, at := range j.places {
			for name := range s.cells[at].spans {
				names[name] = true
			}
		}
	}
	for _, name := range sorted(names) {
		row := Row{Cells: []Cell{text(name)}}
		for _, b := range j.sides {
			if b.rules.Spans == nil {
				continue
			}
			var spans agreement.Spans
			for _, at := range j.places {
				i := slices.IndexFunc(j.sides, func(s *side) bool { _, ok := s.cells[at].spans[name]; return ok })
				if i < 0 {
					continue
				}
				for _, r := range b.cells[at].given {
					spans.Add(j.sides[i].cells[at].spans[name], r.spans)
				}
			}
			row.Cells = append(row.Cells, value(spans.OverlapOfB()))
		}
		rows = append(rows, row)
	}
	return rows
}

// figures show the distributions of scores with the same scale, and of sums over errors, as Figures 2
// and 3 of Popov et al. 2025.
func (j joint) figures() (out []Figure) {
	columns := j.columns()
	for len(columns) > 0 {
		first := columns[0]
		alike := func(c sideColumn) bool {
			return c.score.scale == first.score.scale && c.score.low == first.score.low && c.score.high == first.score.high && (c.score.imported != "") == (first.score.imported != "")
		}
		var group []sideColumn
		for _, c := range columns {
			if alike(c) {
				group = append(group, c)
			}
		}
		columns = slices.DeleteFunc(columns, alike)
		if !slices.ContainsFunc(group, func(c sideColumn) bool { return c.side != first.side }) {
			continue
		}
		f := Figure{ID: fmt.Sprintf("beside-scores-%d", len(out)+1), Title: "Scores from " + wording.Decimal(first.score.low, 0) + " to " + wording.Decimal(first.score.high, 0), Kind: HistogramsFigure,
			Caption: "How many translations have each score, by campaign.", X: chart.Axis{Label: "Score"}, Y: chart.Axis{Label: "Translations"}}
		if !first.score.scale {
			f.Title = "Scores that count errors"
			if first.score.imported != "" {
				f.Title = "Imported scores"
			}
		}
		counts := make([]map[float64]int, len(group))
		all := map[float64]int{}
		for i, c := range group {
			counts[i] = map[float64]int{}
			for _, v := range slices.Concat(c.rows...) {
				if !math.IsNaN(v) {
					counts[i][v]++
					all[v]++
				}
			}
		}
		bins := binsOf(first.side.rules, first.score.score, all)
		f.X.Min, f.X.Max = bins[0].Low, bins[len(bins)-1].High
		var words []string
		for i, c := range group {
			q := panel(c.name(), bins, counts[i])
			f.Panels = append(f.Panels, q)
			words = append(words, fmt.Sprintf("%s has a mean of %s", c.name(), wording.Decimal(q.Mean, 2)))
		}
		f.Words = "A histogram for each score. " + wording.List(words) + "."
		f.Table = panelTable(f)
		out = append(out, f)
	}
	return out
}
