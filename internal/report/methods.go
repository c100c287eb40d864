package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/wording"
)

// references has the sources that the section of methods can cite, by their name in the text.
// docs/sources.md lists them, too.
var references = map[string]string{
	"Davison and Hinkley 1997": "A. C. Davison, D. V. Hinkley: Bootstrap Methods and Their Application. Cambridge University Press.",
	"Efron 1979":               "Bradley Efron: Bootstrap Methods: Another Look at the Jackknife. The Annals of Statistics 7.",
	"Fieller 1954":             "E. C. Fieller: Some Problems in Interval Estimation. Journal of the Royal Statistical Society, Series B 16.",
	"Freitag et al. 2021":      "Markus Freitag, George Foster, David Grangier, Viresh Ratnakar, Qijun Tan, Wolfgang Macherey: Experts, Errors, and Context: A Large-Scale Study of Human Evaluation for Machine Translation. Transactions of the ACL 9, pages 1460–1474.",
	"Freitag et al. 2023":      "Markus Freitag, Nitika Mathur, Chi-kiu Lo, Eleftherios Avramidis, Ricardo Rei, Brian Thompson, Tom Kocmi, Frédéric Blain, Daniel Deutsch, Craig Stewart, Chrysoula Zerva, Sheila Castilho, Alon Lavie, George Foster: Results of WMT23 Metrics Shared Task: Metrics Might Be Guilty but References Are Not Innocent. WMT 2023.",
	"Freitag et al. 2024":      "Markus Freitag, Nitika Mathur, Daniel Deutsch, Chi-kiu Lo, Eleftherios Avramidis, Ricardo Rei, Brian Thompson, Frédéric Blain, Tom Kocmi, Jiayi Wang, David Ifeoluwa Adelani, Marianna Buchicchio, Chrysoula Zerva, Alon Lavie: Are LLMs Breaking MT Metrics? Results of the WMT24 Metrics Shared Task. WMT 2024.",
	"Hesterberg 2015":          "Tim C. Hesterberg: What Teachers Should Know About the Bootstrap: Resampling in the Undergraduate Statistics Curriculum. The American Statistician 69(4).",
	"Hoeffding 1948":           "Wassily Hoeffding: A Class of Statistics with Asymptotically Normal Distribution. The Annals of Mathematical Statistics 19.",
	"Kocmi et al. 2024":        "Tom Kocmi, Vilém Zouhar, Eleftherios Avramidis, Roman Grundkiewicz, Marzena Karpinska, Maja Popović, Mrinmaya Sachan, Mariya Shmatova: Error Span Annotation: A Balanced Approach for Human Evaluation of Machine Translation. WMT 2024.",
	"Krippendorff 2011":        "Klaus Krippendorff: Computing Krippendorff's Alpha-Reliability. University of Pennsylvania.",
	"Louis 1981":               "Thomas A. Louis: Confidence Intervals for a Binomial Parameter after Observing No Successes. The American Statistician 35(3).",
	"Miller 1974":              "Rupert G. Miller: The Jackknife – a Review. Biometrika 61.",
	"Popov et al. 2025":        "Dmitry Popov, Vladislav Negodin, Ekaterina Enikeeva, Iana Matrosova, Nikolay Karpachev, Max Ryabinin: Refined Assessment for Translation Evaluation: Rethinking Machine Translation Evaluation in the Era of Human-Level Systems. Findings of EMNLP 2025, pages 22079–22095.",
	"Riezler and Maxwell 2005": "Stefan Riezler, John T. Maxwell: On Some Pitfalls in Automatic Evaluation and Significance Testing for MT. ACL Workshop on Intrinsic and Extrinsic Evaluation Measures 2005.",
	"Satterthwaite 1946":       "F. E. Satterthwaite: An Approximate Distribution of Estimates of Variance Components. Biometrics Bulletin 2.",
	"Thompson et al. 2024":     "Brian Thompson, Nitika Mathur, Daniel Deutsch, Huda Khayrallah: Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft Pairwise Accuracy. WMT 2024, pages 1222–1234.",
	"Tian et al. 2026":         "Yanzhi Tian, Cunxiang Wang, Zeming Liu, Heyan Huang, Wenbo Yu, Dawei Song, Jie Tang, Yuhang Guo: Beyond Literal Mapping: Benchmarking and Improving Non-Literal Translation Evaluation. arXiv:2601.07338.",
	"Deutsch et al. 2023":      "Daniel Deutsch, George Foster, Markus Freitag: Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie Calibration. EMNLP 2023, pages 12914–12929.",
	"Wilcoxon 1945":            "Frank Wilcoxon: Individual Comparisons by Ranking Methods. Biometrics Bulletin 1.",
	"Woodruff 1952":            "Ralph S. Woodruff: Confidence Intervals for Medians and Other Position Measures. Journal of the American Statistical Association 47.",
}

// protocolSources names the sources of the protocols that come with the program, by id.
var protocolSources = map[string]string{"sqm": "Tian et al. 2026", "esa": "Kocmi et al. 2024", "mqm": "Freitag et al. 2021",
	"rate": "Popov et al. 2025"}

// cited collects the names of sources that a text cites.
type cited map[string]bool

// cite returns a space and the citation of a source in brackets.
func (c cited) cite(name string) string {
	c[name] = true
	return " (" + name + ")"
}

// methodsSection describes the methods in a few sentences for a paper and lists the sources to cite. others has the other sections.
func (p *parts) methodsSection(others []Section) Section {
	c := cited{}
	s := Section{ID: MethodsSection, Title: "Methods, in words to adapt for a paper",
		Note: "The sentences follow from the settings of the campaign and the numbers above. They do not say who the annotators are, how they were instructed and paid, or where the texts come from."}
	if p.data.sum.ratings == 0 {
		s.Paragraphs = []string{"There is nothing to describe before translations are rated."}
		return s
	}
	s.Paragraphs = append(s.Paragraphs, p.annotationMethod(c))
	if p.systems.segments > 0 {
		s.Paragraphs = append(s.Paragraphs, p.goldMethod(c))
	}
	if words := p.besideMethod(c); words != "" {
		s.Paragraphs = append(s.Paragraphs, words)
	}
	if judged := slices.DeleteFunc(slices.Clone(p.metrics), func(e Evaluation) bool { return len(e.Report.Metrics) == 0 }); len(judged) > 0 {
		s.Paragraphs = append(s.Paragraphs, metricsMethod(judged, c))
	}
	if words := p.intervalsMethod(others, c); words != "" {
		s.Paragraphs = append(s.Paragraphs, words)
	}
	s.Paragraphs = append(s.Paragraphs,
		fmt.Sprintf("All numbers were computed with %s; the random seed was %d.", p.in.Options.Program, p.in.Options.Seed))
	t := Table{
		ID:      "references",
		Title:   "References",
		Caption: "The sources that the text cites.",
		Columns: texts("Cited as", "Source"),
	}
	for _, name := range sorted(c) {
		t.add(text(name), text(references[name]))
	}
	return appendNonEmpty(s, t)
}

// annotationMethod describes the ratings, the annotators and the gate.
func (p *parts) annotationMethod(c cited) string {
	of, n, rules := p.in.Campaign, p.data.counts(), p.in.Campaign.Rules
	protocol := rules.Name
	if source := protocolSources[of.Protocol]; source != "" {
		protocol += c.cite(source)
	}
	unit := fmt.Sprintf(
		"%s of %s by %s", wording.Counted(n.Translations, "translation"), wording.Counted(n.Segments, "segment"),
		wording.Counted(n.Systems, "system"),
	)
	if rules.OfSegments() {
		unit = wording.Counted(n.Segments, "segment")
	}
	out := []string{
		fmt.Sprintf(
			"The data are %s. %s gave %s under the protocol %s.", unit, wording.Counted(n.Annotators, "annotator"),
			wording.Counted(n.Ratings, "rating"), protocol,
		),
		fmt.Sprintf("Each segment was to be rated by %s.", wording.Counted(of.Settings.Redundancy, "annotator")),
	}
	if r := p.agreement.report; !math.IsNaN(r.Alpha.Alpha) && n.Annotators > 1 {
		out = append(
			out,
			fmt.Sprintf("Krippendorff's alpha (%s)%s over the ratings of the last complete rounds is %s.", r.Metric, c.cite("Krippendorff 2011"),
				wording.Decimal(r.Alpha.Alpha, 3)+within(r.AlphaInterval, 3)),
		)
	}
	g := p.agreement.gate
	judged := g.agreed + g.failed
	if of.Settings.Gate == "off" || of.Settings.Redundancy < 2 || judged == 0 {
		return strings.Join(out, " ")
	}
	rule := fmt.Sprintf(
		"the scores of every pair of its annotators over the systems had a Pearson correlation of at least %s or, where that was undefined, a mean absolute difference of at most %s",
		wording.Plain(of.Settings.Threshold), wording.Plain(of.Settings.Tolerance),
	)
	if of.Settings.Nominal {
		rule = "all its annotators gave the same answer"
	}
	out = append(out, fmt.Sprintf("A segment passed if %s; %s of the segments whose complete first round has a pair did.", rule,
		percent(g.agreed, judged)))
	if of.Settings.Gate == "on" && of.Settings.Rounds > 1 {
		out = append(out, fmt.Sprintf("A segment that failed was annotated again, in at most %s in all: %s were, and %s of these are settled.",
			wording.Counted(of.Settings.Rounds, "round"), wording.Counted(g.reannotated, "segment"), wording.Count(g.settled)))
	}
	return strings.Join(out, " ")
}

// goldMethod describes gold and the ranking of systems.
func (p *parts) goldMethod(c cited) string {
	done := p.in.Interventions
	out := []string{"The score of a translation is the mean of its annotators' scores in the round that settled the segment."}
	if p.in.Campaign.Rules.OfSegments() {
		out[0] = "The gold answer of a segment is what more than half of its annotators answered in the round that settled it."
	}
	if done.Adjudicated > 0 {
		out = append(out, fmt.Sprintf("Adjudicators gave %s.", wording.Counted(done.Adjudicated, "of these values", "of these values")))
	}
	if done.Entered > 0 {
		out = append(out, fmt.Sprintf("The project lead entered %s.", wording.Counted(done.Entered, "of these values", "of these values")))
	}
	if len(p.systems.systems) > 1 && !p.in.Campaign.Rules.OfSegments() {
		out = append(
			out,
			"Systems are ranked by the mean of their scores.",
			fmt.Sprintf(
				"A cluster of systems ends where every system above differs from every one below by the two-sided rank-sum test%s with p < 0.05. The test takes the scores of segments as independent, and its p-values are not corrected for the number of tests.",
				c.cite("Wilcoxon 1945"),
			),
		)
	}
	return strings.Join(out, " ")
}

// besideMethod describes how campaigns are compared. It is empty if no other campaign shares a translation with this one.
func (p *parts) besideMethod(c cited) string {
	if p.beside.shared == "" {
		return ""
	}
	var protocols []string
	for _, s := range p.in.Sides {
		if !slices.Contains(p.beside.compared, s.Label) {
			continue
		}
		name := s.Campaign.Rules.Name
		if source := protocolSources[s.Campaign.Protocol]; source != "" {
			name += c.cite(source)
		}
		if !slices.Contains(protocols, name) {
			protocols = append(protocols, name)
		}
	}
	words := fmt.Sprintf(
		"%s The %s %s. The rankings of systems are compared by Spearman's ρ and Kendall's tau-b of their mean scores, and the scores of translations by Pearson's r.",
		p.beside.shared, wording.Choose(len(protocols), "protocol is", "protocols are"), wording.List(protocols),
	)
	if p.beside.differs {
		words += fmt.Sprintf(
			" The mean of the same score of a system in two campaigns is compared by its difference over the same translations, with a two-sided paired permutation test%s in which the differences of whole documents change sign; its p-values are not corrected for the number of tests.",
			c.cite("Riezler and Maxwell 2005"),
		)
	}
	return words
}

// intervalsMethod says how the intervals of sections are computed. It is empty if no table of them has intervals.
func (p *parts) intervalsMethod(sections []Section, c cited) string {
	var in []string
	for _, s := range sections {
		tables := slices.Clone(s.Tables)
		for _, f := range s.Figures {
			tables = append(tables, f.Table)
		}
		if slices.ContainsFunc(tables, Table.showsIntervals) {
			in = append(in, s.Title)
		}
	}
	if len(in) == 0 {
		return ""
	}
	drawn := "whole documents"
	if len(p.data.documents) < 2 {
		drawn = "segments, since there is one document"
	}
	out := []string{
		fmt.Sprintf("The tables of the sections %s have %s %% confidence intervals.", wording.List(in), wording.Plain(100*confidence)),
		fmt.Sprintf(
			"They are expanded percentile intervals%s of %s bootstrap resamples%s, each of which draws %s with replacement%s, as many as have data.",
			c.cite("Hesterberg 2015"), wording.Count(p.in.Options.Resamples), c.cite("Efron 1979"), drawn, c.cite("Davison and Hinkley 1997"),
		),
	}
	if p.data.sum.times.median.interval.Resamples > 0 {
		out = append(out, fmt.Sprintf("The interval of a median comes from that of the share of values below it%s.", c.cite("Woodruff 1952")))
	}
	var jackknifed []string
	if p.agreement.report.AlphaInterval.Resamples > 0 {
		jackknifed = append(jackknifed, "Krippendorff's alpha")
	}
	if p.errors.correlations.drawn() || slices.ContainsFunc(p.agreement.report.Pairs, func(p campaign.PairAgreement) bool { return p.Intervals.TauB.Resamples > 0 }) {
		jackknifed = append(jackknifed, "Kendall's tau-b")
	}
	if len(jackknifed) > 0 {
		out = append(
			out,
			fmt.Sprintf(
				"The intervals of %s leave out one document at a time, by the jackknife%s with Student's distribution.",
				wording.List(jackknifed), c.cite("Miller 1974"),
			),
		)
	}
	if p.estimates.deviations() {
		out = append(out, fmt.Sprintf("The interval of a standard deviation is that of its logarithm, by the jackknife over documents%s with degrees of freedom by the kurtosis of the pseudo-values%s.",
			c.cite("Miller 1974"), c.cite("Satterthwaite 1946")))
	}
	if len(p.data.documents) > 1 {
		out = append(out, fmt.Sprintf("The interval of a share of 0 or 100 %% follows from the number of documents by the rule of three%s.", c.cite("Louis 1981")))
	}
	if slices.ContainsFunc(p.metrics, func(e Evaluation) bool { return e.Report.Resamples > 0 }) {
		out = append(out, fmt.Sprintf("The interval of Pearson's r between the scores of systems by a metric and by people is that of a ratio%s, by the jackknife over documents.", c.cite("Fieller 1954")))
	}
	return strings.Join(append(out,
		"The intervals are about further documents of the same kind, translated by the same systems and rated by the same annotators."), " ")
}

// showsIntervals reports whether a column of the table is a bound of an interval.
func (t Table) showsIntervals() bool {
	return strings.Contains(t.ID, "-intervals") || slices.ContainsFunc(t.Columns, func(c Column) bool {
		return slices.ContainsFunc(c.Group, func(heading string) bool { return strings.Contains(heading, intervalName()) })
	})
}

// presetMethods has a function for each preset, which names the parts of the meta score.
var presetMethods = map[metaeval.Preset]func(c cited) string{
	metaeval.MENT: func(c cited) string {
		return "accuracy, Pearson's r and Spearman's ρ of systems and of pooled accuracy with tie calibration" +
			c.cite("Deutsch et al. 2023") + ", Pearson's r and Spearman's ρ of segments" + c.cite("Tian et al. 2026")
	},
	metaeval.WMT23: func(c cited) string {
		return "accuracy and rescaled Pearson's r of systems and of accuracy with tie calibration" + c.cite("Deutsch et al. 2023") +
			" and rescaled Pearson's r of segments" + c.cite("Freitag et al. 2023")
	},
	metaeval.WMT24: func(c cited) string {
		return "soft pairwise accuracy of systems" + c.cite("Thompson et al. 2024") +
			" and of accuracy with tie calibration of segments" + c.cite("Deutsch et al. 2023") + c.cite("Freitag et al. 2024")
	},
}

// metricsMethod describes how metrics are judged.
func metricsMethod(all []Evaluation, c cited) string {
	var out, excluded []string
	var presets []metaeval.Preset
	labels := map[metaeval.Preset][]string{}
	var sets []resultSet
	for _, e := range all {
		r, in, of := e.Report, "", ""
		if len(all) > 1 {
			in = "In " + e.Label + ", "
		}
		judges := 0
		for _, m := range r.Metrics {
			if m.Group == metaeval.Judge {
				judges++
			}
		}
		if judges > 0 {
			of = ", of which " + wording.Counted(judges, "is a judge", "are judges") + ","
		}
		out = append(out, fmt.Sprintf("%s%s%s %s judged by the human score %s over %s of %s.", in, wording.Counted(len(r.Metrics), "metric"), of,
			wording.Choose(len(r.Metrics), "was", "were"), r.Human, wording.Counted(r.Segments, "segment"),
			wording.Counted(len(r.Systems), "system")))
		if words := leftOutSystems(r); words != "" && !slices.Contains(excluded, words) {
			excluded = append(excluded, words)
		}
		if labels[r.Preset] == nil {
			presets = append(presets, r.Preset)
		}
		labels[r.Preset] = append(labels[r.Preset], e.Label)
		sets = append(sets, resultSet{e.Label, r.Preset, r.Metrics, r.Tests})
	}
	for _, preset := range presets {
		where := ""
		if len(presets) > 1 {
			where = " in " + wording.List(labels[preset])
		}
		out = append(out, "The meta score of a metric"+where+" is the mean of "+presetMethods[preset](c)+".")
	}
	if joined := overall(sets); len(all) > 1 && len(joined.results) > 0 {
		words := "The overall meta score is the mean of all these statistics."
		if sets[0].preset == metaeval.WMT23 {
			words = "The overall meta score is the mean of all these statistics, in which one accuracy over the pairs of systems of all campaigns takes the place of those of the campaigns."
		}
		out = append(out, words)
	}
	if i := slices.IndexFunc(all, func(e Evaluation) bool { return len(e.Report.Tests) > 0 }); i >= 0 {
		out = append(
			out,
			fmt.Sprintf(
				"Differences between metrics were tested with %s permutations%s, without a correction for the number of tests; metrics share a rank if no difference between them is significant (p ≤ 0.05).",
				wording.Count(all[i].Report.Permutations), c.cite("Riezler and Maxwell 2005"),
			),
		)
	}
	return strings.Join(append(out, excluded...), " ")
}

// leftOutSystems names the references with human scores that are no systems.
func leftOutSystems(r metaeval.Report) string {
	var names []string
	for _, n := range r.NoSystem {
		names = append(names, n.Reference)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return ""
	}
	return "The human translations " + wording.List(names) + " are not among the systems."
}
