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
	"annotate/internal/stat"
	"annotate/internal/store"
)

var minus = strings.NewReplacer("−", "-")

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
		case strings.HasSuffix(id, "-more"):
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
		var all, human, metric, systemHuman, systemMetric []float64
		var humans, metrics [][]float64 // by system and place
		var byLength [3][2][]float64
		for _, system := range d.systems() {
			var own, given []float64
			humanRow, metricRow := slices.Repeat([]float64{nan}, len(places)), slices.Repeat([]float64{nan}, len(places))
			for k, s := range places {
				v, ok := d.goldScore(d.gate(), s.id, system)
				if domain != "" && s.domain != domain || !ok {
					continue
				}
				own, all = append(own, v), append(all, v)
				score := m.Segment[system][k]
				if math.IsNaN(score) { // an answer of a judge that could not be read
					continue
				}
				given = append(given, score)
				human, metric = append(human, v), append(metric, score)
				humanRow[k], metricRow[k] = v, score
				of := &byLength[d.plainLength(s)]
				of[0], of[1] = append(of[0], v), append(of[1], score)
			}
			humans, metrics = append(humans, humanRow), append(metrics, metricRow)
			systemHuman = append(systemHuman, stat.Mean(own))
			corpus := m.System
			if domain != "" {
				corpus = m.Domain[domain]
			}
			of, ok := corpus[system]
			if !ok { // a judge has no scores of whole systems
				of = stat.Mean(given)
			}
			systemMetric = append(systemMetric, of)
			if domain == "" {
				c.want("metrics-scores", system, "Human score|"+d.gate(), stat.Mean(own))
				c.want("metrics-scores", system, "Metrics|"+m.Name, of)
			}
		}
		calibrated := d.calibrated(humans, metrics, metaeval.ByItem)
		acc := stat.Ratio(metaeval.PairwiseAccuracy(systemHuman, systemMetric))
		r, rho := stat.Pearson(systemHuman, systemMetric), stat.Spearman(systemHuman, systemMetric)
		sr, srho := stat.Pearson(human, metric), stat.Spearman(human, metric)
		name, shown, meta := "Acc-t", calibrated.Acc, (acc+(r+1)/2+calibrated.Acc+(sr+1)/2)/4
		if d.gate() == "sqm" {
			name = "Acc-t (pooled)"
			shown = d.calibrated(humans, metrics, metaeval.Pooled).Acc
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
		c.want(id+"-more", m.Name, "System level|τ", stat.TauB(systemHuman, systemMetric))
		c.want(id+"-more", m.Name, "Segment level|τ", stat.TauB(human, metric))
		c.want(id+"-more", m.Name, "Segment level|Acc-t", calibrated.Acc)
		c.want(id+"-more", m.Name, "Segment level|ε", calibrated.Epsilon)
		if domain == "" {
			checkQualities(c, d.gate(), all)
			checkQualities(c, m.Name, metric)
			absolute, squared := metaeval.RescaledErrors(human, metric)
			c.want("metrics-errors", m.Name, "MAE", absolute)
			c.want("metrics-errors", m.Name, "MSE", squared)
			for i, of := range byLength {
				heading := fmt.Sprintf("%s|%d segments|", plainLengths[i], segments[i])
				if segments[i] == 1 {
					heading = plainLengths[i] + "|1 segment|"
				}
				c.want("metrics-lengths", m.Name, heading+"τ", stat.TauB(of[0], of[1]))
				c.want("metrics-lengths", m.Name, heading+"ρ", stat.Spearman(of[0], of[1]))
			}
		}
	}
}

// checkQualities divides the translations by a score that counts errors.
func checkQualities(c *checker, name string, scores []float64) {
	if _, ok := c.tables["figure metrics-quality"]; !ok || slices.Max(scores) > 0 {
		return
	}
	high, low := 0.0, 0.0
	for _, v := range scores {
		if v >= 0 {
			high++
		}
		if v <= -5 {
			low++
		}
	}
	all := float64(len(scores))
	c.want("figure metrics-quality", name, "Translations", all)
	c.want("figure metrics-quality", name, "High", high/all)
	c.want("figure metrics-quality", name, "Low", low/all)
	c.want("figure metrics-quality", name, "Medium", (all-high-low)/all)
}

// calibrated is the accuracy of segment scores with the best tie threshold.
func (d *plainData) calibrated(human, metric [][]float64, by metaeval.Grouping) metaeval.Best {
	best, err := metaeval.Calibrate(d.t.Context(), human, metric, by)
	if err != nil {
		d.t.Fatal(err)
	}
	return best
}
