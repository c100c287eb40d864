package report_test

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"annotate/internal/codepoint"
	"annotate/internal/metaeval"
	"annotate/internal/report"
	"annotate/internal/stat"
)

// Every number of the reports of the sample campaigns is computed a second time, from the
// exports. Coefficients are those of packages whose own tests compare them with other
// implementations; what they are computed from is chosen here a second time. The only exceptions are random values of metaeval, which its own tests check:
// soft pairwise accuracy and the results of significance tests. The same reports are written in every format.
func TestEveryNumberOfTheDemo(t *testing.T) {
	st := demo(t)
	for _, slug := range demoCampaigns {
		t.Run(slug, func(t *testing.T) {
			in := demoInput(t, st, slug)
			r := compute(t, in)
			c, d := newChecker(t, r), readPlain(t, st, in.Campaign)
			d.checkData(c)
			d.checkAgreement(c, in.Campaign)
			d.checkSystems(c, in.Options.Resamples, in.Options.Seed)
			d.checkMetrics(c, st, in.Campaign, r)
			d.checkScores(c)
			d.checkTimes(c)
			d.checkScoreIntervals(c)
			if in.Campaign.Rules.Spans != nil {
				d.checkErrors(c)
				d.checkCorrelations(c)
				d.checkThresholds(c)
				d.checkDetection(c)
				d.checkDetectionByLength(c)
				d.checkDetectionByKind(c)
				d.checkErrorIntervals(c)
				d.checkDetectionIntervals(c)
			}
			d.checkStamp(t, r)
			checkDecisions(t, st, in, r)
			checkOutput(t, r)
			t.Logf("%d numbers", c.done())
		})
	}
}

// checkStamp compares the numbers of the stamp.
func (d *plainData) checkStamp(t *testing.T, r report.Report) {
	t.Helper()
	gold := d.gold()
	want := report.Counts{
		Documents: len(distinct(d.segments, func(s plainSegment) string { return s.doc })), Segments: len(d.segments), Systems: len(d.systems()), Domains: len(d.domains()),
		Annotators: len(d.annotators()), Ratings: len(d.ratings), GoldRatings: len(gold), Spans: int(tally(gold, anyError)),
	}
	for _, s := range d.segments {
		want.Translations += len(s.translations)
		if inGold(s.status) {
			want.GoldSegments++
		}
	}
	for _, rating := range d.ratings {
		want.Rounds = max(want.Rounds, rating.round)
	}
	if got := r.Stamp.Campaign.Counts; got != want {
		t.Errorf("counts: got %+v, want %+v", got, want)
	}
	section, _ := r.Section(report.AgreementSection)
	alpha := fmt.Sprintf(") is %.3f [%.3f, %.3f] over", d.alpha, d.alphaBounds[0], d.alphaBounds[1])
	if !strings.Contains(strings.Join(section.Paragraphs, " "), alpha) {
		t.Errorf("nothing says that alpha%s: %q", alpha, section.Paragraphs)
	}
}

func (d *plainData) checkData(c *checker) {
	row := func(name string, of func(plainSegment) bool, rated func(plainRating) bool) {
		var segments []plainSegment
		characters, words, translations, gold, translationsInGold := 0, 0, 0, 0, 0
		for _, s := range d.segments {
			if of(s) {
				segments = append(segments, s)
				characters += s.characters
				words += codepoint.Words(s.source)
				translations += len(s.translations)
				if inGold(s.status) {
					gold++
					translationsInGold += len(s.translations)
				}
			}
		}
		ratings := where(d.ratings, rated)
		c.want("domains", name, "Documents", float64(len(distinct(segments, func(s plainSegment) string { return s.doc }))))
		c.want("domains", name, "Segments", float64(len(segments)))
		c.want("domains", name, "Characters", float64(characters))
		c.want("domains", name, "Words", float64(words))
		c.want("domains", name, "Translations", float64(translations))
		c.want("domains", name, "Ratings", float64(len(ratings)))
		c.want("domains", name, "Gold|Segments", float64(gold))
		c.want("domains", name, "Gold|Translations", float64(translationsInGold))
		c.want("domains", name, "Gold|Ratings", float64(len(where(d.gold(), rated))))
		c.want("time", name, "Ratings", float64(len(seconds(ratings))))
		c.want("time", name, "Median (s)", stat.Median(seconds(ratings)))
		c.want("time", name, "Mean (s)", stat.Mean(seconds(ratings)))
	}
	for _, domain := range d.domains() {
		row(domain, func(s plainSegment) bool { return s.domain == domain }, func(r plainRating) bool { return r.domain == domain })
	}
	row("All", func(plainSegment) bool { return true }, func(plainRating) bool { return true })

	for _, status := range []string{"pending", "ungated", "agreed", "below_threshold", "reannotate", "adjudicated", "discarded", "withdrawn"} {
		n := 0.0
		for _, s := range d.segments {
			if s.status == status {
				n++
			}
		}
		key := status + "|no"
		if inGold(status) {
			key = status + "|yes"
		}
		c.want("statuses", key, "Segments", n)
		c.want("statuses", key, "Share", n/float64(len(d.segments)))
	}
	for round, label := range []string{"1", "2"} {
		if d.gate() == "sqm" {
			n := float64(len(where(d.ratings, func(r plainRating) bool { return r.round == round+1 })))
			c.want("rounds", label, "Ratings", n)
			c.want("rounds", label, "Share", n/float64(len(d.ratings)))
		}
	}
	for _, system := range d.systems() {
		n, empty := 0.0, 0.0
		for _, s := range d.segments {
			if text, ok := s.translations[system]; ok {
				n++
				if text == "" {
					empty++
				}
			}
		}
		by := func(r plainRating) bool { return r.system == system }
		c.want("systems-data", system, "Translations", n)
		c.want("systems-data", system, "Empty", empty)
		c.want("systems-data", system, "Ratings", float64(len(where(d.ratings, by))))
		c.want("systems-data", system, "Ratings in gold", float64(len(where(d.gold(), by))))
	}
	for _, who := range d.annotators() {
		by := func(r plainRating) bool { return r.who == who }
		own := where(d.ratings, by)
		c.want("annotators", who, "Segments", float64(len(distinct(own, func(r plainRating) string { return r.segment }))))
		c.want("annotators", who, "Ratings", float64(len(own)))
		c.want("annotators", who, "Ratings in gold", float64(len(where(d.gold(), by))))
		c.want("annotators", who, "Time (s)|Median", stat.Median(seconds(own)))
		c.want("annotators", who, "Time (s)|Mean", stat.Mean(seconds(own)))
		d.checkWork(c, who, own)
	}
	d.checkWork(c, "All", d.ratings)
}

// checkWork compares a row of the table of work, where demoInput has the prices.
func (d *plainData) checkWork(c *checker, name string, ratings []plainRating) {
	words, hours := 0, 0.0
	for _, r := range ratings {
		i := slices.IndexFunc(d.segments, func(s plainSegment) bool { return s.id == r.segment })
		words += codepoint.Words(d.segments[i].source)
		hours += r.seconds / 3600
	}
	timed := len(seconds(ratings))
	c.want("work", name, "Ratings", float64(len(ratings)))
	c.want("work", name, "Words", float64(words))
	c.want("work", name, "Time known", float64(timed)/float64(len(ratings)))
	c.want("work", name, "Hours", hours)
	pace := float64(words) / hours
	if timed < len(ratings) {
		pace = math.NaN()
	}
	c.want("work", name, "Words an hour", pace)
	c.want("work", name, "Price", hours*hourPrice+float64(words)*wordPrice)
}

// ranked is a system with its segment scores.
type rankedSystem struct {
	name string
	row  []float64
	docs []string // of each score
	mean float64
}

// ranked lays a human score out over the gold segments that pass, best system first.
func (d *plainData) ranked(human string, pass func(plainSegment) bool) (out []rankedSystem) {
	for _, system := range d.systems() {
		var row []float64
		var docs []string
		for _, s := range d.segments {
			if !inGold(s.status) || !pass(s) {
				continue
			}
			if v, ok := d.goldScore(human, s.id, system); ok {
				row = append(row, v)
				docs = append(docs, s.doc)
			}
		}
		out = append(out, rankedSystem{system, row, docs, stat.Mean(row)})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].mean > out[j].mean })
	return out
}

func rowsOf(systems []rankedSystem) (rows [][]float64) {
	for _, s := range systems {
		rows = append(rows, s.row)
	}
	return rows
}

func (d *plainData) checkSystems(c *checker, resamples int, seed uint64) {
	humans := d.rules.HumanScores()
	for _, h := range humans {
		all := d.ranked(h.Name, func(plainSegment) bool { return true })
		clusters := metaeval.SystemClusters(rowsOf(all))
		for i, s := range all {
			low, high := plainInterval(s.row, s.docs, resamples, seed)
			rank := 1
			for _, o := range all {
				if o.mean > s.mean {
					rank++
				}
			}
			for _, id := range []string{"systems-" + h.Name, "figure systems-" + h.Name} {
				c.want(id, s.name, "Rank", float64(rank))
				c.want(id, s.name, "Mean", s.mean)
				c.want(id, s.name, "95% interval|Low", low)
				c.want(id, s.name, "95% interval|High", high)
				c.want(id, s.name, "Segments", float64(len(s.row)))
				c.want(id, s.name, "Cluster", float64(clusters[i].Cluster))
			}
			if len(humans) > 1 {
				c.want("systems", s.name, d.label(h.Name)+"|Mean", s.mean)
				c.want("systems", s.name, d.label(h.Name)+"|Cluster", float64(clusters[i].Cluster))
			}
		}
		for i, a := range all {
			for _, b := range all[i+1:] {
				c.want("systems-"+h.Name+"-power", a.name, b.name, plainNeeded(a.row, b.row, a.docs))
			}
		}
		for _, domain := range d.goldDomains() {
			within := d.ranked(h.Name, func(s plainSegment) bool { return s.domain == domain })
			clusters := metaeval.SystemClusters(rowsOf(within))
			for i, s := range within {
				c.want("systems-"+h.Name+"-domains", s.name, domain+"|Mean", s.mean)
				c.want("systems-"+h.Name+"-domains", s.name, domain+"|Cluster", float64(clusters[i].Cluster))
				low, high := plainInterval(s.row, s.docs, resamples, seed)
				if len(distinct(s.docs, func(doc string) string { return doc })) == 1 {
					low, high = nan, nan
				}
				d.checkDomainInterval(c, "systems-"+h.Name+"-domains", s.name, domain, plainBounded{low, high, 0})
			}
		}
	}
}

// plainNeeded is how many segments show the difference of two systems at 0.05 in 80 % of campaigns.
func plainNeeded(a, b []float64, docs []string) float64 {
	if len(distinct(docs, func(doc string) string { return doc })) == 1 {
		docs = make([]string, len(a))
		for k := range docs {
			docs[k] = fmt.Sprint(k)
		}
	}
	var differences []float64
	for k := range a {
		differences = append(differences, a[k]-b[k])
	}
	mean := stat.Mean(differences)
	if mean == 0 {
		return nan
	}
	left := map[string]float64{} // by document: what it has more than as many mean differences
	for k, doc := range docs {
		left[doc] += differences[k] - mean
	}
	variance, documents := 0.0, float64(len(left))
	for _, v := range left {
		variance += v * v * documents / (documents - 1)
	}
	return max(1, math.Ceil(variance/float64(len(a))*math.Pow((1.959963984540054+0.8416212335729143)/mean, 2)))
}
