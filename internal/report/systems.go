package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/metaeval"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// systemsPart collects the human scores of translations: scores of the protocol for
// segments in gold, and imported averages.
type systemsPart struct {
	rules     *protocol.Protocol
	scores    []*humanScores
	domains   []string // by segment with a score: its domain
	documents []string // by segment with a score: its document
	systems   map[string]bool
	segments  int // the number of segments with a score
}

// humanScores holds one human score of all systems and segments.
type humanScores struct {
	name     string
	label    string
	negated  bool
	scores   campaign.ScoreMatrix
	imported bool
}

func newSystemsPart(rules *protocol.Protocol) *systemsPart {
	p := &systemsPart{rules: rules, systems: map[string]bool{}}
	for _, h := range rules.HumanScores() {
		label, negated := describe(rules, h.Score)
		p.scores = append(p.scores, &humanScores{name: h.Name, label: label, negated: negated})
	}
	return p
}

// describe returns the label of a score, and whether it is negated as a human score.
func describe(rules *protocol.Protocol, score string) (label string, negated bool) {
	if s, ok := rules.Score(score); ok {
		if s.Label == "Score" { // several protocols have this label
			return rules.Name + " score", false
		}
		return s.Label, false
	}
	for _, d := range rules.Derived {
		if d.Name == score {
			return d.Label, d.LowerIsBetter
		}
	}
	return score, false
}

func (p *systemsPart) add(seg campaign.Segment) {
	humans := p.rules.HumanScores()
	found := false
	set := func(s *humanScores, system string, v float64) {
		s.scores.Set(system, p.segments, v)
		found = true
	}
	for _, name := range seg.Absent {
		p.systems[name] = true
	}
	for _, t := range seg.Translations {
		p.systems[t.System] = true
		for i, h := range humans {
			if v, _, ok := campaign.HumanGold(p.rules, h.Score, seg, t); ok {
				set(p.scores[i], t.System, v)
			}
		}
		for _, h := range t.HumanScores {
			set(p.imported(h.Name), t.System, h.Score)
		}
	}
	if found {
		p.segments++
		p.domains = append(p.domains, seg.Domain)
		p.documents = append(p.documents, seg.DocID)
	}
}

// imported returns the imported score with the given name. It is separate from a score
// of the protocol with the same name.
func (p *systemsPart) imported(name string) *humanScores {
	for _, s := range p.scores {
		if s.imported && s.name == name {
			return s
		}
	}
	s := &humanScores{name: name, label: name + " (imported)", imported: true}
	p.scores = append(p.scores, s)
	return s
}

// A rankedSystem is a system with its mean by one human score.
type rankedSystem struct {
	system   string
	place    int // from 1; systems with equal means share a place
	mean     float64
	interval stat.Interval
	segments int // the number of segments with a score
	cluster  int // from 1
}

// rankSystems ranks the systems by the means of their rows, best first.
func rankSystems(names []string, rows [][]float64) []rankedSystem {
	var out []rankedSystem
	for i, r := range metaeval.SystemClusters(rows) {
		s := rankedSystem{system: names[r.System], place: i + 1, mean: r.Mean, cluster: r.Cluster}
		if i > 0 && out[i-1].mean == r.Mean {
			s.place = out[i-1].place
		}
		for _, v := range rows[r.System] {
			if !math.IsNaN(v) {
				s.segments++
			}
		}
		out = append(out, s)
	}
	return out
}

// matrix returns the scores of the systems that have any, over the segments where at
// least one system has a score. Rows are in the order of names, columns in the order of
// places.
func (s *humanScores) matrix(segments int) (names []string, rows [][]float64, places []int) {
	names = s.scores.Systems()
	all := s.scores.Rows(segments)
	for k := range segments {
		if slices.ContainsFunc(names, func(name string) bool { return !math.IsNaN(all[name][k]) }) {
			places = append(places, k)
		}
	}
	for _, name := range names {
		row := make([]float64, len(places))
		for i, k := range places {
			row[i] = all[name][k]
		}
		rows = append(rows, row)
	}
	return names, rows, places
}

func (p *systemsPart) section(ctx context.Context, o Options) (Section, error) {
	s := Section{ID: SystemsSection, Title: "Systems"}
	if p.rules.OfSegments() {
		s.Note = "Systems are compared by the scores of their translations."
		s.Paragraphs = []string{"Segments are rated here, not translations, so that there are no systems to compare."}
		return s, nil
	}
	s.Note = fmt.Sprintf(
		"A score of a translation is the mean over the annotators of its segment's last complete round, over the segments in gold; imported averages are used unchanged. "+
			"Means are over the segments that have a score. Intervals cover %s%% of the means in %s resamplings with replacement (percentile bootstrap, expanded for few documents, seed %d). All systems share the resamplings. Whole documents are drawn, since the segments of a document correlate. Segments are drawn if each is a document of its own, or if there is only one document. "+
			"A line separates clusters: every system above it differs from every one below (two-sided Wilcoxon rank-sum test on segment scores, normal approximation, p < 0.05). The test takes the segments as independent; the table of differences pairs them, by document. "+
			"Higher is better for every score; those that count errors are negative. A system without a score is left out.",
		wording.Decimal(100*confidence, 0), wording.Count(o.Resamples), o.Seed,
	)
	summary := Table{ID: "systems", Title: "Systems by every human score", Caption: "Mean human scores of the systems and their clusters.",
		Note: "Best, second and third of each score are marked.", Columns: texts("System")}
	var ranked [][]rankedSystem
	for _, score := range p.scores {
		if len(score.scores.Systems()) == 0 {
			continue
		}
		names, rows, places := score.matrix(p.segments)
		all := rankSystems(names, rows)
		var documents []string
		for _, k := range places {
			documents = append(documents, p.documents[k])
		}
		drawn := metaeval.ResamplingUnits(documents)
		if err := intervals(ctx, o, names, rows, drawn, all); err != nil {
			return s, err
		}
		s.Paragraphs = append(s.Paragraphs, score.sentence(all, len(places)))
		s.Tables = append(s.Tables, score.table(all, resamplingNote(drawn, len(places))))
		if len(all) > 1 {
			t, err := score.pairedTable(ctx, o, all, names, rows, drawn)
			if err != nil {
				return s, err
			}
			s.Tables = append(s.Tables, t, score.powerTable(all, names, rows, drawn))
		}
		s.Figures = append(s.Figures, score.figure(all, resamplingNote(drawn, len(places))))
		t, err := p.domainTable(ctx, o, score, all, names, rows, places)
		if err != nil {
			return s, err
		}
		if len(t.Columns) > 1 {
			s.Tables = append(s.Tables, t)
		}
		summary.addColumns(under(score.label, higher(numbers(2, "Mean")), counts("Cluster")))
		ranked = append(ranked, all)
	}
	if len(ranked) == 0 {
		s.Paragraphs = []string{"No system has a human score yet: no segment is in gold, and no averages were imported."}
		return s, nil
	}
	if len(ranked) > 1 {
		summary.fill(ranked)
		s.Tables = append([]Table{summary}, s.Tables...)
	}
	if len(o.Systems) > 0 {
		t, err := p.classTable(ctx, o.bootstrap(), o.Systems)
		if err != nil {
			return s, err
		}
		s = appendNonEmpty(s, t)
	}
	if lacking := p.without(ranked); len(lacking) > 0 {
		s.Paragraphs = append(s.Paragraphs, fmt.Sprintf("Without a human score: %s.", wording.List(lacking)))
	}
	return s, nil
}

// without lists the systems without any human score.
func (p *systemsPart) without(ranked [][]rankedSystem) (names []string) {
	for _, name := range sorted(p.systems) {
		known := func(all []rankedSystem) bool {
			return slices.ContainsFunc(all, func(s rankedSystem) bool { return s.system == name })
		}
		if !slices.ContainsFunc(ranked, known) {
			names = append(names, name)
		}
	}
	return names
}

// fill adds a row for each system to the summary, in the order of the first score.
func (t *Table) fill(ranked [][]rankedSystem) {
	var order []string
	for _, all := range ranked {
		for _, s := range all {
			if !slices.Contains(order, s.system) {
				order = append(order, s.system)
			}
		}
	}
	for _, name := range order {
		row := []Cell{text(name)}
		for _, all := range ranked {
			i := slices.IndexFunc(all, func(s rankedSystem) bool { return s.system == name })
			if i < 0 {
				row = append(row, value(undefined), value(undefined))
				continue
			}
			row = append(row, value(all[i].mean), count(all[i].cluster))
		}
		t.add(row...)
	}
	t.markBest()
}

func (h *humanScores) id() string {
	if h.imported {
		return "imported-" + slug(h.name)
	}
	return slug(h.name)
}

func (h *humanScores) sentence(all []rankedSystem, segments int) string {
	best := all[0]
	clusters := all[len(all)-1].cluster
	s := fmt.Sprintf("By %s, over %s, ", h.label, wording.Counted(segments, "segment"))
	interval := ""
	if !math.IsNaN(best.interval.Low) {
		interval = fmt.Sprintf(" [%s, %s]", wording.Decimal(best.interval.Low, 2), wording.Decimal(best.interval.High, 2))
	}
	switch {
	case len(all) == 1:
		return s + fmt.Sprintf("%s is the only system: its mean is %s%s.", best.system, wording.Decimal(best.mean, 2), interval)
	case all[1].place == 1:
		var first []string
		for _, x := range all {
			if x.place == 1 {
				first = append(first, x.system)
			}
		}
		s += fmt.Sprintf("%s share the highest mean, %s", wording.List(first), wording.Decimal(best.mean, 2))
	default:
		s += fmt.Sprintf("%s has the highest mean, %s%s", best.system, wording.Decimal(best.mean, 2), interval)
	}
	if clusters == 1 {
		return s + fmt.Sprintf("; no line can be drawn between the %d systems.", len(all))
	}
	return s + fmt.Sprintf("; the %d systems form %d clusters.", len(all), clusters)
}

func (h *humanScores) table(all []rankedSystem, drawn string) Table {
	t := Table{ID: "systems-" + h.id(), Title: "Systems by " + h.label,
		Caption: fmt.Sprintf("Systems ranked by the human score %s, with clusters.", h.name),
		Columns: slices.Concat(
			counts("Rank"), texts("System"), higher(numbers(2, "Mean")), bounds(numbers(2, intervalName())),
			counts("Segments", "Cluster"),
		)}
	t.Note = drawn
	if h.negated {
		t.Note += " The score counts errors with their weights, so it is negative."
	}
	for i, s := range all {
		if i > 0 && all[i-1].cluster != s.cluster {
			t.rule()
		}
		t.add(count(s.place), text(s.system), value(s.mean), value(s.interval.Low), value(s.interval.High), count(s.segments), count(s.cluster))
	}
	return t
}

// inOrder returns the systems in the order of their rank, with their rows.
func inOrder(all []rankedSystem, names []string, rows [][]float64) (ranking []string, ordered [][]float64) {
	for _, s := range all {
		ranking, ordered = append(ranking, s.system), append(ordered, rows[slices.Index(names, s.system)])
	}
	return ranking, ordered
}

// pairedTable has the p-value of the difference of each pair of systems.
func (h *humanScores) pairedTable(ctx context.Context, o Options, all []rankedSystem, names []string, rows [][]float64, drawn [][]int) (Table, error) {
	t := Table{ID: "systems-" + h.id() + "-p", Title: "Differences between systems by " + h.label,
		Caption: "p-values of the hypothesis that the systems of the row and of the column have the same mean.", Columns: texts("System")}
	ranking, ordered := inOrder(all, names, rows)
	p, least, err := metaeval.Paired(ctx, ordered, drawn, o.Resamples, o.Seed)
	if err != nil {
		return t, err
	}
	units := 0
	for _, places := range drawn {
		units += len(places)
	}
	unit := "documents"
	if units == len(drawn) {
		unit = "segments"
	}
	t.Note = fmt.Sprintf(
		"Two-sided paired permutation test: the differences of whole %s change sign at random. The smallest p that %s %s can give is %s. p below 0.05 is marked with an asterisk, without a correction for several tests. Systems from best to worst.",
		unit, wording.Count(len(drawn)), unit, wording.Decimal(least, 4),
	)
	t.addMatrix(pValues(3, ranking...), func(i, j int) Cell {
		if j <= i {
			return blank
		}
		return Cell{Value: p[i][j], Significant: p[i][j] < 0.05}
	})
	return t, nil
}

// power is the share of tests that find a difference, for [humanScores.powerTable].
const power = 0.8

// powerTable estimates how many segments would tell two systems apart.
func (h *humanScores) powerTable(all []rankedSystem, names []string, rows [][]float64, drawn [][]int) Table {
	t := Table{ID: "systems-" + h.id() + "-power", Title: "Segments needed to tell systems apart by " + h.label,
		Caption: fmt.Sprintf(
			"How many segments a paired test at the level of 0.05 needs to find the difference between the systems of the row and of the column in %s%% of campaigns.",
			wording.Decimal(100*power, 0),
		),
		Note: "The numbers are estimated from the differences and spreads in this campaign, and hold for further segments like these. Documents count as in the table of differences. A number is undefined if two systems have equal means.", Columns: texts("System")}
	ranking, ordered := inOrder(all, names, rows)
	t.addMatrix(counts(ranking...), func(i, j int) Cell {
		if j <= i {
			return blank
		}
		needed := math.Ceil(metaeval.SegmentsNeeded(ordered[i], ordered[j], drawn, 0.05, power))
		if math.IsInf(needed, 0) {
			needed = undefined
		}
		return value(needed)
	})
	return t
}

func (h *humanScores) figure(all []rankedSystem, drawn string) Figure {
	f := Figure{ID: "systems-" + h.id(), Title: "Systems by " + h.label, Kind: BarsFigure,
		Caption: fmt.Sprintf("Mean %s of the systems with %s%% intervals.", h.label, wording.Decimal(100*confidence, 0)),
		X:       chart.Axis{Label: "System"}, Y: chart.Axis{Label: h.label, Decimals: 2}, Table: h.table(all, drawn)}
	series := chart.BarSeries{Name: h.label}
	var words []string
	for _, s := range all {
		f.Bars.Labels = append(f.Bars.Labels, s.system)
		series.Values = append(series.Values, s.mean)
		series.Low = append(series.Low, s.interval.Low)
		series.High = append(series.High, s.interval.High)
		words = append(words, s.system+" "+wording.Decimal(s.mean, 2))
	}
	f.Bars.Series = []chart.BarSeries{series}
	f.Words = fmt.Sprintf("Bars from the highest mean to the lowest: %s.", strings.Join(words, ", "))
	return f
}

// domainTable ranks the systems within each domain. It has only the first column if the
// segments are all of one domain.
func (p *systemsPart) domainTable(ctx context.Context, o Options, h *humanScores, all []rankedSystem, names []string, rows [][]float64, places []int) (Table, error) {
	t := Table{
		ID:      "systems-" + h.id() + "-domains",
		Title:   "Systems by " + h.label + " and domain",
		Caption: fmt.Sprintf("Mean %s of the systems in each domain, and their clusters there.", h.name),
		Note:    "Each domain is ranked as if the data had no other segments. Best, second and third are marked.",
		Columns: texts("System"),
	}
	within := map[string][]int{}
	for i, k := range places {
		within[p.domains[k]] = append(within[p.domains[k]], i)
	}
	if len(within) < 2 {
		return t, nil
	}
	for _, s := range all {
		t.add(text(s.system))
	}
	for _, domain := range sorted(within) {
		if domain == "" {
			continue
		}
		t.addColumns(under(domain, higher(numbers(2, "Mean")), counts("Cluster")))
		part := make([][]float64, len(rows))
		for r, row := range rows {
			for _, i := range within[domain] {
				part[r] = append(part[r], row[i])
			}
		}
		var documents []string
		for _, i := range within[domain] {
			documents = append(documents, p.documents[places[i]])
		}
		there := rankSystems(names, part)
		if slices.ContainsFunc(documents, func(id string) bool { return id != documents[0] }) {
			if err := intervals(ctx, o, names, part, metaeval.ResamplingUnits(documents), there); err != nil {
				return t, err
			}
		}
		for r := range t.Rows {
			i := slices.IndexFunc(there, func(s rankedSystem) bool { return s.system == t.Rows[r].Cells[0].Text })
			if i < 0 {
				t.Rows[r].Cells = append(t.Rows[r].Cells, value(undefined), value(undefined))
				continue
			}
			t.Rows[r].Cells = append(t.Rows[r].Cells, estimated(there[i].mean, there[i].interval), count(there[i].cluster))
		}
	}
	t.markBest()
	return t, nil
}
