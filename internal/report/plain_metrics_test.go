package report_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/metaeval"
	"annotate/internal/report"
	"annotate/internal/store"
)

var minus = strings.NewReplacer("−", "-")

// plainAccuracy is the share of pairs of items that two scores order alike. With
// groups only items of the same group are compared, and it is the mean over groups.
func plainAccuracy(human, metric []float64, group []int, epsilon float64) float64 {
	var right, pairs [100]float64
	for i := range human {
		for j := range i {
			if group != nil && group[i] != group[j] {
				continue
			}
			g := 0
			if group != nil {
				g = group[i]
			}
			m := sign(metric[i] - metric[j])
			if math.Abs(metric[i]-metric[j]) <= epsilon {
				m = 0
			}
			pairs[g]++
			if m == sign(human[i]-human[j]) {
				right[g]++
			}
		}
	}
	sum, groups := 0.0, 0.0
	for g, n := range pairs {
		if n > 0 {
			sum += right[g] / n
			groups++
		}
	}
	return sum / groups
}

// plainCalibrated tries every difference of the metric, and 0, as ε.
func plainCalibrated(human, metric []float64, group []int) (accuracy, epsilon float64) {
	candidates := []float64{0}
	for i := range metric {
		for j := range i {
			if group == nil || group[i] == group[j] {
				candidates = append(candidates, math.Abs(metric[i]-metric[j]))
			}
		}
	}
	slices.Sort(candidates)
	accuracy = -1
	for _, e := range slices.Compact(candidates) {
		if a := plainAccuracy(human, metric, group, e); a > accuracy+1e-12 {
			accuracy, epsilon = a, e
		}
	}
	return accuracy, epsilon
}

// plainErrors are the mean absolute and squared differences of scores in [0, 1].
func plainErrors(human, metric []float64) (absolute, squared float64) {
	var a, b []float64
	for i := range human {
		d := (metric[i]-slices.Min(metric))/(slices.Max(metric)-slices.Min(metric)) -
			(human[i]-slices.Min(human))/(slices.Max(human)-slices.Min(human))
		a, b = append(a, math.Abs(d)), append(b, d*d)
	}
	return plainMean(a), plainMean(b)
}

// plainTokens are the replacements that make tokens of a text (mteval-v13a).
var plainTokens = []struct {
	of *regexp.Regexp
	by string
}{
	{regexp.MustCompile("([{-~[-` -&(-+:-@/])"), " $1 "},
	{regexp.MustCompile(`([^0-9])([.,])`), "$1 $2 "},
	{regexp.MustCompile(`([.,])([^0-9])`), " $1 $2"},
	{regexp.MustCompile(`([0-9])(-)`), "$1 $2 "},
}

var chineseCharacter = regexp.MustCompile(`[\p{Han}\x{3000}-\x{303f}\x{ff00}-\x{ffef}]`)

// plainLengths are the headings of the groups by length.
var plainLengths = []string{"Short (up to 12 tokens)", "Medium (13–27 tokens)", "Long (28 or more tokens)"}

// plainLength is 0 for a source of up to 12 tokens, 1 for one of up to 27, else 2.
func (d *plainData) plainLength(s plainSegment) int {
	text := s.source
	if d.chinese {
		text = chineseCharacter.ReplaceAllString(text, " $0 ")
	}
	text = " " + text + " "
	for _, r := range plainTokens {
		text = r.of.ReplaceAllString(text, r.by)
	}
	switch n := len(strings.Fields(text)); {
	case n <= 12:
		return 0
	case n <= 27:
		return 1
	}
	return 2
}

// checkMetrics computes the statistics of the metrics from gold and the metrics'
// scores of segments; systems have their corpus scores, as metaeval was given.
func (d *plainData) checkMetrics(c *checker, st *store.Store, camp campaign.Campaign, r report.Report) {
	source, err := evaluation.Open(d.t.Context(), st, camp)
	if err != nil {
		d.t.Fatal(err)
	}
	data, _, err := source.Read(d.t.Context(), metaeval.Plan{Humans: []string{source.Default}, Metrics: source.Metrics}, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	var places []plainSegment
	for _, s := range d.segments {
		if inGold(s.status) {
			places = append(places, s)
		}
	}
	d.checkBoard(c, data, places, "metrics", "")
	for _, domain := range d.goldDomains() {
		d.checkBoard(c, data, places, "metrics-domain-"+domain, domain)
	}
	// Tests of metaeval check its random values.
	for id := range c.tables {
		switch {
		case id == "metrics-more":
			c.leave(id, "SPA")
		case strings.HasSuffix(id, "-clusters"), strings.HasSuffix(id, "-p"):
			for _, column := range c.tables[id].Columns {
				c.leave(id, column.Name)
			}
		case strings.HasPrefix(id, "metrics"):
			c.leave(id, "Rank") // by significance
		}
	}
}

func (d *plainData) checkBoard(c *checker, data metaeval.Data, places []plainSegment, id, domain string) {
	segments := make([]int, len(plainLengths))
	for _, s := range places {
		segments[d.plainLength(s)]++
	}
	for _, m := range data.Metrics {
		var human, metric, systemHuman, systemMetric []float64
		var group []int
		var byLength [3][2][]float64
		for _, system := range d.systems() {
			var own, given []float64
			for k, s := range places {
				v, ok := d.goldScore(d.gate(), s.id, system)
				if domain != "" && s.domain != domain || !ok {
					continue
				}
				own = append(own, v)
				score := m.Segment[system][k]
				if math.IsNaN(score) { // an answer of a judge that could not be read
					continue
				}
				given = append(given, score)
				human, metric = append(human, v), append(metric, score)
				group = append(group, k)
				of := &byLength[d.plainLength(s)]
				of[0], of[1] = append(of[0], v), append(of[1], score)
			}
			systemHuman = append(systemHuman, plainMean(own))
			corpus := m.System
			if domain != "" {
				corpus = m.Domain[domain]
			}
			of, ok := corpus[system]
			if !ok { // a judge has no scores of whole systems
				of = plainMean(given)
			}
			systemMetric = append(systemMetric, of)
			if domain == "" {
				c.want("metrics-scores", system, "Human score|"+d.gate(), plainMean(own))
				c.want("metrics-scores", system, "Metrics|"+m.Name, of)
			}
		}
		accT, epsilon := plainCalibrated(human, metric, group)
		acc := plainAccuracy(systemHuman, systemMetric, nil, 0)
		r, rho := plainPearson(systemHuman, systemMetric), plainSpearman(systemHuman, systemMetric)
		sr, srho := plainPearson(human, metric), plainSpearman(human, metric)
		name, shown, meta := "Acc-t", accT, (acc+(r+1)/2+accT+(sr+1)/2)/4
		if d.gate() == "sqm" {
			name = "Acc-t (pooled)"
			shown, _ = plainCalibrated(human, metric, nil)
			meta = (acc + r + rho + shown + sr + srho) / 6
		}
		c.want(id, m.Name, "Meta", meta)
		c.want(id, m.Name, "System level|Acc.", acc)
		c.want(id, m.Name, "System level|r", r)
		c.want(id, m.Name, "System level|ρ", rho)
		c.want(id, m.Name, "Segment level|"+name, shown)
		c.want(id, m.Name, "Segment level|r", sr)
		c.want(id, m.Name, "Segment level|ρ", srho)
		if domain != "" {
			c.want("figure metrics-domains", m.Name, domain, meta)
		}
		if domain == "" {
			tau, _ := plainTau(systemHuman, systemMetric)
			c.want("metrics-more", m.Name, "System level|τ", tau)
			tau, _ = plainTau(human, metric)
			c.want("metrics-more", m.Name, "Segment level|τ", tau)
			c.want("metrics-more", m.Name, "Segment level|Acc-t", accT)
			c.want("metrics-more", m.Name, "Segment level|ε", epsilon)
			absolute, squared := plainErrors(human, metric)
			c.want("metrics-errors", m.Name, "MAE", absolute)
			c.want("metrics-errors", m.Name, "MSE", squared)
			for i, of := range byLength {
				heading := fmt.Sprintf("%s|%d segments|", plainLengths[i], segments[i])
				if segments[i] == 1 {
					heading = plainLengths[i] + "|1 segment|"
				}
				tau, _ := plainTau(of[0], of[1])
				c.want("metrics-lengths", m.Name, heading+"τ", tau)
				c.want("metrics-lengths", m.Name, heading+"ρ", plainSpearman(of[0], of[1]))
			}
		}
	}
}
