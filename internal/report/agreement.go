package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// agreementPart collects the agreement of annotators in the gate score and in spans.
type agreementPart struct {
	c         campaign.Campaign
	gold      bool
	builder   *campaign.AgreementBuilder // nil after the last segment
	gate      gateCounts
	report    campaign.AgreementReport
	pairs     map[[2]string]campaign.PairAgreement // the pairs of report, by the logins of both annotators
	drawn     stat.Bootstrap
	estimates *estimates
	documents int // their number in the campaign
}

// gateCounts counts the gate's decisions about first rounds, and the outcome of
// re-annotation.
type gateCounts struct {
	segments, discarded int
	decided, unpaired   int // segments whose round 1 is complete, and the part of them without a pair
	agreed, failed      int
	reasons             map[agreement.Reason]int // the number of pairs
	segmentsWith        map[agreement.Reason]int // the number of segments with such a pair
	// segments sent back, the part of them that is settled, and the part of that which was discarded
	reannotated, settled, discardedAgain int
}

func newAgreementPart(in Input, e *estimates) *agreementPart {
	drawn := in.Options.bootstrap()
	return &agreementPart{
		c: in.Campaign, gold: in.Options.Gold, drawn: drawn, estimates: e,
		builder: campaign.NewAgreementBuilder(in.Campaign, in.Options.Gold, drawn),
		gate:    gateCounts{reasons: map[agreement.Reason]int{}, segmentsWith: map[agreement.Reason]int{}},
		pairs:   map[[2]string]campaign.PairAgreement{},
	}
}

// add adds a segment. If Options.Gold is set, annotators are compared only over segments in gold. The counts of
// the gate are always over all segments.
func (p *agreementPart) add(seg campaign.Rated) {
	before := p.gate.rows()
	p.gate.add(seg)
	document := p.estimates.document(seg.DocID)
	shares := p.estimates.group("gate", everything{})
	for i, r := range p.gate.rows() {
		shares.add(document, i, ratioOf, float64(r.part-before[i].part), float64(r.of-before[i].of))
	}
	if first := seg.First(); first != nil {
		reasons := p.estimates.group("gate-reasons", everything{})
		for _, pair := range first.Pairs {
			reasons.base(document, 1)
			reasons.part(document, pair.Reason, 1)
		}
	}
	p.builder.Add(seg)
}

// compute computes agreement after the last segment.
func (p *agreementPart) compute(ctx context.Context) (err error) {
	if p.report, err = p.builder.Report(ctx); err != nil {
		return err
	}
	p.builder = nil
	for _, pair := range p.report.Pairs {
		p.pairs[[2]string{pair.A, pair.B}] = pair
	}
	return nil
}

func (g *gateCounts) add(seg campaign.Rated) {
	g.segments++
	if seg.Status == campaign.Discarded {
		g.discarded++
	}
	if seg.SentBack() {
		g.reannotated++
		if seg.Status != campaign.Reannotate && seg.Status != campaign.Pending {
			g.settled++
		}
		if seg.Status == campaign.Discarded {
			g.discardedAgain++
		}
	}
	first := seg.First()
	if first == nil {
		return
	}
	g.decided++
	switch {
	case !first.Passed:
		g.failed++
	case len(first.Pairs) == 0:
		g.unpaired++
	default:
		g.agreed++
	}
	seen := map[agreement.Reason]bool{}
	for _, pair := range first.Pairs {
		g.reasons[pair.Reason]++
		if !seen[pair.Reason] {
			seen[pair.Reason] = true
			g.segmentsWith[pair.Reason]++
		}
	}
}

func (p *agreementPart) section(flagged []Flagged, checked []Checked, documents int) Section {
	p.documents = documents
	rules := p.c.Rules
	s := Section{ID: AgreementSection, Title: "Agreement"}
	s.Note = p.howCompared() + fmt.Sprintf(
		" Intervals cover %s%% of the values in %s resamples of whole documents (percentile bootstrap, expanded for few documents, seed %d); those of alpha and τ leave out one document at a time (jackknife).",
		wording.Decimal(100*confidence, 0), wording.Count(p.drawn.Resamples), p.drawn.Seed,
	)
	if p.gold {
		s.Note += " Annotators are compared only over segments in gold."
	}
	s.Paragraphs = append(s.Paragraphs, p.gateWords())
	logins := p.report.Annotators
	if len(logins) > 0 {
		words, table := flagTable(flagged)
		s.Paragraphs = append(s.Paragraphs, words)
		s = appendNonEmpty(s, table)
	}
	if words, table := checkTable(checked); words != "" {
		s.Paragraphs = append(s.Paragraphs, words)
		s = appendNonEmpty(s, table)
	}
	switch {
	case len(logins) == 0:
		s.Paragraphs = append(s.Paragraphs, "Nobody has rated anything yet, so that there is no agreement to report.")
		return s
	case len(logins) == 1:
		s.Paragraphs = append(s.Paragraphs,
			fmt.Sprintf("All ratings are by one annotator, %s, so that there is no agreement to report.", logins[0]))
		return s
	case len(p.pairs) == 0:
		s.Paragraphs = append(s.Paragraphs,
			"No two annotators have rated the same translation in the same round, so that there is no agreement to report.")
		return s
	}
	system, segment := p.report.SystemLevel, p.report.SegmentLevel
	s.Paragraphs = append(s.Paragraphs, p.alphaWords(), rangeWords("system", system)+" "+rangeWords("segment", segment))
	s.Tables = append(s.Tables, p.gateTable())
	s = appendNonEmpty(s, p.reasonTable())
	s.Tables = append(s.Tables, p.pairTable(system, segment), p.pairIntervals(), p.othersTable())
	s.Figures = append(
		s.Figures,
		heatmap(
			"iaa-system", "System-level agreement", "Pearson's r of two annotators' summed scores by system, over all segments they share.", logins,
			system,
		),
		heatmap("iaa-segment", "Segment-level agreement", "Mean of Pearson's r of two annotators over the segments they share.", logins, segment),
	)
	if rules.Spans != nil && rules.Given == "" {
		words, tables := p.spanTables(logins)
		s.Paragraphs = append(s.Paragraphs, words)
		s.Tables = append(s.Tables, tables...)
	}
	return s
}

// howCompared says how the gate and the coefficients compare annotators.
func (p *agreementPart) howCompared() string {
	const pairs = "Pairs of annotators are compared in the latest round of each segment that both rated and that counts, whatever the status of the segment. "
	gate, _ := describe(p.c.Rules, p.c.Rules.Gate)
	if _, nominal := p.c.Rules.NominalGate(); nominal {
		return fmt.Sprintf(
			"Annotators are compared in %s, whose answers the gate compares. Round 1 of a segment is judged by the ratings as they are now: the answers of every pair have to be equal. %s"+
				"Answers have no r. Alpha is nominal and uses the latest round of each segment that at least two annotators rated. Undefined where nothing is shared or all answers are equal.",
			gate, pairs,
		)
	}
	return fmt.Sprintf(
		"Annotators are compared in %s, the score of the gate. Round 1 of a segment is judged by the ratings and settings as they are now: every pair needs Pearson's r of at least %s over the translations of the segment, or, where r is undefined (a constant vector, or fewer than 3 shared translations), a mean absolute difference of at most %s. %s"+
			"System level: r of the sums over all shared segments by system, undefined below 3 systems. Segment level: mean of r over the shared segments where r is defined. "+
			"Alpha and the comparison with the others use the latest round of each segment that at least two annotators rated. Undefined where nothing is shared or a score is constant.",
		gate, wording.Plain(p.c.Settings.Threshold), wording.Plain(p.c.Settings.Tolerance), pairs,
	)
}

func (p *agreementPart) gateWords() string {
	g := p.gate
	if g.decided == 0 {
		return "No segment has a complete first round yet."
	}
	judged := g.agreed + g.failed
	out := fmt.Sprintf(
		"Of %s whose round 1 is complete and has a pair of annotators, %s fail in round 1 by the ratings that count now.",
		wording.Counted(judged, "segment"), percent(g.failed, judged),
	)
	if judged == 0 {
		out = "No segment whose round 1 is complete has a pair of annotators."
	}
	if g.unpaired > 0 {
		out += fmt.Sprintf(" %s not judged, since no two annotators rated the same translation.",
			wording.Counted(g.unpaired, "segment is", "segments are"))
	}
	switch p.c.Settings.Gate {
	case "off":
		out += " The gate is off, so that nothing is sent back."
	case "report":
		out += " The gate only reports, so that nothing is sent back."
	}
	if g.reannotated > 0 {
		out += fmt.Sprintf(
			" %s given a second look, of which %s settled.", wording.Counted(g.reannotated, "segment was", "segments were"),
			wording.Counted(g.settled, "is", "are"),
		)
	}
	if g.discarded > 0 {
		out += fmt.Sprintf(
			" %s discarded: %s of all segments", wording.Counted(g.discarded, "segment was", "segments were"),
			wording.Decimal(100*stat.Ratio(g.discarded, g.segments), 1)+"%",
		)
		if g.settled > 0 {
			out += fmt.Sprintf(", and of those whose second look is over %s", percent(g.discardedAgain, g.settled))
		}
		out += "."
	}
	return out
}

func (p *agreementPart) alphaWords() string {
	a := p.report.Alpha
	if math.IsNaN(a.Alpha) {
		return fmt.Sprintf("Krippendorff's alpha is undefined: %s.", wording.List(a.Warnings))
	}
	return fmt.Sprintf(
		"Krippendorff's alpha (%s) is %s over %s with %s.", p.report.Metric,
		wording.Decimal(a.Alpha, 3)+within(p.report.AlphaInterval, 3), wording.Counted(a.Units, "translation"),
		wording.Counted(a.Ratings, "rating"),
	)
}

// rangeWords names the smallest and the largest coefficient of a matrix.
func rangeWords(level string, cells []agreement.Cell) string {
	cells = slices.DeleteFunc(slices.Clone(cells), func(c agreement.Cell) bool { return math.IsNaN(c.R) })
	if len(cells) == 0 {
		return fmt.Sprintf("At %s level r is undefined for every pair of annotators.", level)
	}
	byR := func(a, b agreement.Cell) int { return cmp.Compare(a.R, b.R) }
	low, high := slices.MinFunc(cells, byR), slices.MaxFunc(cells, byR)
	if len(cells) == 1 {
		return fmt.Sprintf("At %s level r is %s, between %s and %s.", level, wording.Decimal(low.R, 2), low.A, low.B)
	}
	return fmt.Sprintf(
		"At %s level r lies between %s (%s and %s) and %s (%s and %s).", level, wording.Decimal(low.R, 2), low.A, low.B,
		wording.Decimal(high.R, 2),
		high.A, high.B,
	)
}

// A gateShare is a row of the table of the gate.
type gateShare struct {
	what     string
	part, of int
}

func (g *gateCounts) rows() [6]gateShare {
	return [...]gateShare{
		{"Failed in round 1, of those judged", g.failed, g.agreed + g.failed},
		{"Agreed in round 1, of those judged", g.agreed, g.agreed + g.failed},
		{"Without a pair, of those whose round 1 is complete", g.unpaired, g.decided},
		{"Given a second look, of all", g.reannotated, g.segments},
		{"Discarded, of all", g.discarded, g.segments},
		{"Discarded, of those whose second look is over", g.discardedAgain, g.settled},
	}
}

func (p *agreementPart) gateTable() Table {
	t := Table{ID: "gate", Title: "The gate", Caption: "The gate's decisions about the segments.",
		Columns: slices.Concat(texts("What"), counts("Segments", "Of"), shares("Share"))}
	for i, r := range p.gate.rows() {
		share := estimated(stat.Ratio(r.part, r.of), p.estimates.interval("gate", everything{}, i))
		t.add(text(r.what), count(r.part), count(r.of), share)
	}
	return t
}

type reasonWord struct {
	reason agreement.Reason
	passes bool
	words  string
}

var reasonWords = []reasonWord{
	{agreement.Agreed, true, "r reaches the threshold"},
	{agreement.NoVarianceClose, true, "r undefined (constant), scores close"},
	{agreement.TooFewClose, true, "r undefined (too few), scores close"},
	{agreement.BelowThreshold, false, "r below the threshold"},
	{agreement.NoVarianceFar, false, "r undefined (constant), scores far apart"},
	{agreement.TooFewFar, false, "r undefined (too few), scores far apart"},
}

// answerWords are the reasons where the gate compares answers.
var answerWords = []reasonWord{{agreement.Agreed, true, "answers are equal"}, {agreement.Different, false, "answers differ"}}

func (p *agreementPart) reasonTable() Table {
	t := Table{ID: "gate-reasons", Title: "Reasons of first decisions",
		Caption: "Why pairs of annotators passed or failed the gate in the first round.",
		Note:    "A segment counts for every reason that one of its pairs has.",
		Columns: slices.Concat(
			texts("Reason", "Passes"), counts("Pairs"), shares("Share"), counts("Segments"),
		)}
	all := 0
	for _, n := range p.gate.reasons {
		all += n
	}
	if all == 0 {
		return t
	}
	words := reasonWords
	if _, nominal := p.c.Rules.NominalGate(); nominal {
		words = answerWords
	}
	for _, r := range words {
		passes := "no"
		if r.passes {
			passes = "yes"
		}
		n := p.gate.reasons[r.reason]
		share := estimated(stat.Ratio(n, all), p.estimates.interval("gate-reasons", everything{}, r.reason))
		t.add(text(r.words), text(passes), count(n), share, count(p.gate.segmentsWith[r.reason]))
	}
	return t
}

func (p *agreementPart) pairTable(system, segment []agreement.Cell) Table {
	t := Table{ID: "agreement-pairs", Title: "Agreement of pairs", Caption: "Agreement of each pair of annotators in the score of the gate.",
		Note: "τ: Kendall's tau-b of the scores of all shared translations. Pairs that share nothing are left out.",
		Columns: slices.Concat(
			texts("A", "B"), under("Shared", counts("Segments", "Translations")),
			under("r", numbers(2, "System", "Segment")), numbers(2, "τ"),
		)}
	_, ordinal := p.c.Rules.OrdinalGate()
	_, nominal := p.c.Rules.NominalGate()
	kappa := ordinal || nominal
	if kappa {
		t.addColumns(numbers(2, "κ"))
	}
	switch {
	case ordinal:
		t.Note += " κ: Cohen's kappa, quadratically weighted over the whole scale."
	case nominal:
		t.Note += " κ: Cohen's kappa without weights."
	}
	for i, c := range system {
		pair, ok := p.pairs[[2]string{c.A, c.B}]
		if !ok {
			continue
		}
		row := []Cell{text(c.A), text(c.B), count(c.Shared), count(pair.Translations), value(c.R), value(segment[i].R), value(pair.TauB)}
		if kappa {
			row = append(row, value(pair.Kappa))
		}
		t.add(row...)
	}
	return t
}

func (p *agreementPart) othersTable() Table {
	t := Table{
		ID:      "agreement-others",
		Title:   "Each annotator and the others",
		Caption: "Each annotator's scores compared with the mean scores of the others for the same translations.",
		Note:    "r: Pearson, with a mean that leaves the annotator out. Above 0, the annotator's scores are higher than those of the others. ",
		Columns: slices.Concat(
			texts("Annotator"), counts("Translations"), numbers(2, "Mean difference"), bounds(numbers(2, intervalName()+" of the difference")),
			numbers(2, "r"), bounds(numbers(2, intervalName()+" of r")),
		),
	}
	var all []stat.Interval
	for _, a := range p.report.Each {
		all = append(all, a.Intervals.Difference, a.Intervals.LeaveOneOut)
		difference := append([]Cell{text(a.Annotator), count(a.Compared), value(a.Difference)}, limits(Number, a.Intervals.Difference)...)
		t.addBounds(append(difference, value(a.LeaveOneOut)), a.Intervals.LeaveOneOut)
	}
	t.Note += drawnNote(p.documents, all)
	return t
}

// pairIntervals has the intervals of the table of pairs.
func (p *agreementPart) pairIntervals() Table {
	t := Table{ID: "agreement-pairs-intervals", Title: "Agreement of pairs: intervals",
		Caption: intervalName() + "s of the agreement of each pair of annotators.",
		Columns: slices.Concat(texts("A", "B"), bounds(under("r", numbers(2, "System", "Segment")), under("τ", numbers(2, ""))))}
	kappa := p.report.Metric != agreement.Interval
	if kappa {
		t.addColumns(bounds(under("κ", numbers(2, ""))))
	}
	var all []stat.Interval
	for _, pair := range p.report.Pairs {
		in := pair.Intervals
		own := []stat.Interval{in.SystemLevel, in.SegmentLevel, in.TauB}
		if kappa {
			own = append(own, in.Kappa)
		}
		all = append(all, own...)
		t.addBounds([]Cell{text(pair.A), text(pair.B)}, own...)
	}
	t.Note = drawnNote(p.documents, all) + " Those of τ leave out one of these at a time."
	return t
}

// heatmap shows a matrix in the layout of Figures 3 and 7 of Tian et al. 2026.
func heatmap(id, title, caption string, logins []string, cells []agreement.Cell) Figure {
	f := Figure{ID: id, Title: title, Caption: caption + " The number of shared segments stands below r.", Kind: HeatmapFigure,
		X: chart.Axis{Label: "Annotator"}, Y: chart.Axis{Label: "Annotator"}, Heatmap: chart.Heatmap{Rows: logins, Columns: logins}}
	f.Table = Table{ID: id, Title: title, Caption: caption, Note: "Shared: segments.",
		Columns: slices.Concat(texts("A", "B"), numbers(2, "r"), counts("Shared"))}
	place := map[string]int{}
	for i, login := range logins {
		place[login] = i
		f.Heatmap.Values = append(f.Heatmap.Values, slices.Repeat([]float64{undefined}, len(logins)))
		f.Heatmap.Shared = append(f.Heatmap.Shared, make([]int, len(logins)))
	}
	for _, c := range cells {
		i, j := place[c.A], place[c.B]
		for _, at := range [][2]int{{i, j}, {j, i}} {
			f.Heatmap.Values[at[0]][at[1]] = c.R
			f.Heatmap.Shared[at[0]][at[1]] = c.Shared
		}
		f.Table.add(text(c.A), text(c.B), Cell{Value: c.R, Blank: c.Shared == 0}, count(c.Shared))
	}
	level := "system"
	if id == "iaa-segment" {
		level = "segment"
	}
	f.Words = fmt.Sprintf("A matrix of %s, the same on both sides. %s", wording.Counted(len(logins), "annotator"), rangeWords(level, cells))
	return f
}
