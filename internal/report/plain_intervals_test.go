package report_test

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// byDocument returns an estimate from items, each with the segment that it is about.
func byDocument[T any](d *plainData, items []T, segment func(T) string) (out plainEstimate[T]) {
	for _, s := range d.segments {
		for _, x := range items {
			if segment(x) == s.id {
				out.add(s.doc, x)
			}
		}
	}
	out.inOrderOf(d.segments)
	return out
}

// drawn returns the bounds of values of ratings.
func (d *plainData) drawn(c *checker, ratings []plainRating, of func([]plainRating) []float64) []plainBounded {
	e := byDocument(d, ratings, func(r plainRating) string { return r.segment })
	return e.interval(c, of)
}

// checkTimes computes the intervals of mean times and of words an hour.
func (d *plainData) checkTimes(c *checker) {
	words := map[string]float64{}
	for _, s := range d.segments {
		words[s.id] = float64(codepoint.Words(s.source))
	}
	row := func(pass func(plainRating) bool) (mean, pace, median plainBounded) {
		own := where(d.ratings, pass)
		timed := where(own, func(r plainRating) bool { return r.seconds > 0 })
		in := d.drawn(c, timed, func(ratings []plainRating) []float64 {
			read, hours := 0.0, 0.0
			for _, r := range ratings {
				read += words[r.segment]
				hours += r.seconds / 3600
			}
			return []float64{stat.Mean(seconds(ratings)), read / hours}
		})
		if len(timed) < len(own) {
			in[1] = plainBounded{nan, nan, 0}
		}
		return in[0], in[1], d.medianBounds(c, timed)
	}
	for _, domain := range d.domains() {
		mean, _, median := row(func(r plainRating) bool { return r.domain == domain })
		c.bounds("time-intervals", domain, "Mean (s)", mean)
		c.bounds("time-intervals", domain, "Median (s)", median)
	}
	for _, who := range d.annotators() {
		mean, pace, median := row(func(r plainRating) bool { return r.who == who })
		c.bounds("annotators-intervals", who, "Time (s)|Mean", mean)
		c.bounds("annotators-intervals", who, "Time (s)|Median", median)
		c.bounds("work", who, "95% interval", pace)
	}
	mean, pace, median := row(func(plainRating) bool { return true })
	c.bounds("time-intervals", "All", "Mean (s)", mean)
	c.bounds("time-intervals", "All", "Median (s)", median)
	c.bounds("work", "All", "95% interval", pace)
}

// medianBounds are the times at the bounds of the share of times below the median.
func (d *plainData) medianBounds(c *checker, timed []plainRating) plainBounded {
	all := seconds(timed)
	slices.Sort(all)
	middle := stat.Median(all)
	share := d.drawn(c, timed, func(ratings []plainRating) []float64 {
		below := 0.0
		for _, s := range seconds(ratings) {
			if s < middle {
				below++
			} else if s == middle {
				below += .5
			}
		}
		return []float64{below / float64(len(ratings))}
	})[0]
	if share[0] != share[0] { // NaN
		return share
	}
	at := func(share float64) float64 {
		place := share * float64(len(all)-1)
		k := min(int(place), len(all)-2)
		return all[k]*(float64(k+1)-place) + all[k+1]*(place-float64(k))
	}
	return plainBounded{at(share[0]), at(share[1]), share[2]}
}

// tauBounds are the bounds of Kendall's tau-b of pairs of scores.
func tauBounds(documents []string, x, y []float64) plainBounded {
	var e plainEstimate[[2]float64]
	for i, doc := range documents {
		e.add(doc, [2]float64{x[i], y[i]})
	}
	return e.jackknife(func(items [][2]float64) float64 {
		var x, y []float64
		for _, pair := range items {
			x, y = append(x, pair[0]), append(y, pair[1])
		}
		return stat.TauB(x, y)
	})
}

// checkScoreIntervals computes the intervals of means and standard deviations.
func (d *plainData) checkScoreIntervals(c *checker) {
	for _, h := range d.rules.HumanScores() {
		for _, who := range append(d.annotators(), "All") {
			own := where(d.gold(), func(r plainRating) bool { return who == "All" || r.who == who })
			in := d.drawn(c, own, func(ratings []plainRating) []float64 {
				return []float64{stat.Mean(scoresOf(ratings, h.Name))}
			})
			c.bounds("scores-intervals", who, d.label(h.Name)+"|Mean", in[0])
			e := byDocument(d, own, func(r plainRating) string { return r.segment })
			logs := e.logJackknife(func(ratings []plainRating) float64 { return math.Log(stat.Deviation(scoresOf(ratings, h.Name))) })
			c.bounds("scores-intervals", who, d.label(h.Name)+"|SD", logs)
		}
	}
}

// checkErrorIntervals computes the intervals of the tables of errors.
func (d *plainData) checkErrorIntervals(c *checker) {
	rate := func(of func(protocol.ErrorSpan) bool) func([]plainRating) []float64 {
		return func(ratings []plainRating) []float64 { return []float64{tally(ratings, of) / float64(len(ratings))} }
	}
	severity := func(ids ...string) func(protocol.ErrorSpan) bool {
		return func(s protocol.ErrorSpan) bool { return slices.Contains(ids, s.Severity) }
	}
	row := func(id, name string, ratings []plainRating) {
		rated := func(column string, of func(protocol.ErrorSpan) bool) {
			c.bounds(id, name, "Errors a rating|"+column, d.drawn(c, ratings, rate(of))[0])
		}
		rated("All", anyError)
		for _, s := range d.rules.Spans.Severities {
			rated(s.Name, severity(s.ID))
		}
		if d.graded() {
			rated("Majors", severity("4", "5"))
			rated("Minors", severity("2", "3"))
			c.bounds(id, name, "Mean severity", d.drawn(c, ratings, func(r []plainRating) []float64 { return []float64{meanSeverity(r, anyError)} })[0])
		}
		c.bounds(id, name, "Faultless", d.drawn(c, ratings, func(ratings []plainRating) []float64 {
			return []float64{float64(len(where(ratings, func(r plainRating) bool { return len(r.spans) == 0 }))) / float64(len(ratings))}
		})[0])
	}
	gold := d.gold()
	for _, system := range d.systems() {
		row("errors-systems-intervals", system, where(gold, func(r plainRating) bool { return r.system == system }))
	}
	for _, who := range d.annotators() {
		row("errors-annotators-intervals", who, where(gold, func(r plainRating) bool { return r.who == who }))
	}
	row("errors-systems-intervals", "All", gold)
	row("errors-annotators-intervals", "All", gold)
	kinds := d.kinds()
	if kinds == nil {
		return
	}
	for _, kind := range append(kinds, plainKind{"All", anyError}) {
		const id = "errors-categories"
		c.bounds(id+"-intervals", kind.key, "Errors a rating", d.drawn(c, gold, rate(kind.of))[0])
		marked := where(gold, func(r plainRating) bool { return len(r.spans) > 0 })
		c.bounds(id+"-intervals", kind.key, "Share", d.drawn(c, marked, func(r []plainRating) []float64 { return []float64{tally(r, kind.of) / tally(r, anyError)} })[0])
		if d.graded() {
			having := gold // all ratings stand for the row of all errors
			if kind.key != "All" {
				having = where(gold, func(r plainRating) bool { return slices.ContainsFunc(r.spans, kind.of) })
			}
			in := plainBounded{nan, nan, 0}
			if len(having) > 0 {
				in = d.drawn(c, having, func(r []plainRating) []float64 { return []float64{meanSeverity(r, kind.of)} })[0]
			}
			c.bounds(id+"-intervals", kind.key, "Mean severity", in)
		}
		for _, system := range d.systems() {
			c.bounds(id+"-systems-intervals", kind.key, "Errors a rating|"+system, d.drawn(c, where(gold, func(r plainRating) bool { return r.system == system }), rate(kind.of))[0])
		}
	}
}

// checkThresholdIntervals computes the interval of each point of the lines.
func (d *plainData) checkThresholdIntervals(c *checker, over, sum string, threshold float64) {
	reached := where(d.gold(), func(r plainRating) bool { return r.scores[over] >= threshold })
	in := plainBounded{nan, nan, 0}
	if len(reached) > 0 {
		in = d.drawn(c, reached, func(r []plainRating) []float64 { return []float64{stat.Mean(scoresOf(r, sum))} })[0]
	}
	heading := "95% interval"
	if d.graded() {
		heading = d.label(sum) + ": " + heading
	}
	c.bounds("figure thresholds", trim(threshold), d.label(over)+" at least|"+heading, in)
}

// A plainComparison has the spans of a marker and those of an annotator in gold.
type plainComparison struct {
	segment, marker string
	gold            plainRating
	found           []protocol.ErrorSpan // of gold
	at              [11]spanCounts       // by tenth of the threshold
}

func compared(segment, marker string, marked []protocol.ErrorSpan, gold plainRating) plainComparison {
	x := plainComparison{segment: segment, marker: marker, gold: gold, found: plainFound(marked, gold.spans, 0.5, false)}
	for tenth := 1; tenth <= 10; tenth++ {
		x.at[tenth].compare(marked, gold.spans, float64(tenth)/10)
	}
	return x
}

// comparisons lists those of the judges, and those of annotators with each other.
func (d *plainData) comparisons() (out []plainComparison) {
	for _, r := range d.gold() {
		for _, j := range d.judgements {
			if j.SegmentID == r.segment && j.System == r.system && j.Status == "ok" {
				out = append(out, compared(r.segment, j.Judge+"|metric", j.placed(), r))
			}
		}
		for _, o := range d.gold() {
			if r.who != o.who && o.segment == r.segment && o.system == r.system {
				out = append(out, compared(r.segment, o.who+"|annotator", o.spans, r))
			}
		}
	}
	return out
}

// checkDetectionIntervals computes the intervals of detection by threshold, length and kind.
func (d *plainData) checkDetectionIntervals(c *checker) {
	all := d.comparisons()
	annotators := func(x plainComparison) bool {
		return slices.Contains(d.annotators(), x.marker[:max(0, len(x.marker)-len("|annotator"))])
	}
	rows := map[string][]plainComparison{}
	for _, x := range all {
		rows[x.marker] = append(rows[x.marker], x)
		if annotators(x) {
			rows["All|annotators"] = append(rows["All|annotators"], x)
		}
	}
	sums := func(of []plainComparison, tenth int) (s spanCounts) {
		for _, x := range of {
			s.add(x.at[tenth])
		}
		return s
	}
	estimate := func(of []plainComparison, values func([]plainComparison) []float64) []plainBounded {
		e := byDocument(d, of, func(x plainComparison) string { return x.segment })
		return e.interval(c, values)
	}
	for row, of := range rows {
		in := estimate(of, func(of []plainComparison) []float64 {
			s := sums(of, 5)
			return []float64{s.match[0] / s.spansA, s.match[0] / s.spansB, s.matchF1(0), s.match[1] / s.spansA, s.match[1] / s.spansB, s.matchF1(1), s.charF1(0)}
		})
		for i, column := range []string{"Precision", "Recall", "F1", "With severity|Precision", "With severity|Recall", "With severity|F1", "F1|Characters"} {
			c.bounds("span-detection-intervals", row, column, in[i])
		}
		for length, name := range plainLengths {
			within := slices.DeleteFunc(slices.Clone(of), func(x plainComparison) bool { return d.lengthOf(x.segment) != length })
			segments := distinct(slices.DeleteFunc(slices.Clone(all), func(x plainComparison) bool { return d.lengthOf(x.segment) != length }), func(x plainComparison) string { return x.segment })
			if len(segments) == 0 {
				continue
			}
			in := plainBounded{nan, nan, 0}
			if len(within) > 0 {
				in = estimate(within, func(of []plainComparison) []float64 { s := sums(of, 5); return []float64{s.matchF1(0)} })[0]
			}
			heading := fmt.Sprintf("%s|%d segments|F1", name, len(segments))
			if len(segments) == 1 {
				heading = name + "|1 segment|F1"
			}
			if c.has("span-detection-lengths-intervals", heading+"|Low") {
				c.bounds("span-detection-lengths-intervals", row, heading, in)
			}
		}
	}
	lines := map[string]string{} // by row: the name of its line
	for row := range rows {
		name, isMetric := row[:len(row)-len("|metric")], row[len(row)-len("|metric"):] == "|metric"
		switch {
		case isMetric:
			lines[row] = name
		case row == "All|annotators":
			if len(d.judges()) > 0 {
				lines[row] = "Annotators"
			}
		case len(d.judges()) == 0:
			lines[row] = row[:len(row)-len("|annotator")]
		}
	}
	for row, name := range lines {
		for tenth := 1; tenth <= 10; tenth++ {
			in := estimate(rows[row], func(of []plainComparison) []float64 {
				s := sums(of, tenth)
				return []float64{s.match[0] / s.spansA, s.match[0] / s.spansB, s.matchF1(0)}
			})
			for i, figure := range []string{"figure spans-precision", "figure spans-recall", "figure spans-f1"} {
				heading := "95% interval"
				if len(lines) > 1 {
					heading = name + ": " + heading
				}
				if c.has(figure, heading+"|Low") {
					c.bounds(figure, trim(float64(tenth)/10), heading, in[i])
				}
			}
		}
	}
	if len(d.judges()) == 0 {
		return
	}
	for _, row := range c.tables["span-detection-kinds"].Rows {
		by, name := row.Cells[0].Text, row.Cells[1].Text
		is := func(r plainRating, s protocol.ErrorSpan) bool {
			switch by {
			case "Severity":
				return slices.ContainsFunc(d.rules.Spans.Severities, func(x protocol.Severity) bool { return x.ID == s.Severity && x.Name == name })
			case "Category":
				return s.Category == name
			}
			return r.domain == name
		}
		count := func(r plainRating, spans []protocol.ErrorSpan) (n float64) {
			for _, s := range spans {
				if is(r, s) {
					n++
				}
			}
			return n
		}
		for marker, of := range rows {
			column := marker[:max(0, len(marker)-len("|metric"))]
			if marker == "All|annotators" {
				column = "Annotators"
			} else if !slices.Contains(d.judges(), column) {
				continue
			}
			having := slices.DeleteFunc(slices.Clone(of), func(x plainComparison) bool { return count(x.gold, x.gold.spans) == 0 })
			in := plainBounded{nan, nan, 0}
			if len(having) > 0 {
				in = estimate(having, func(of []plainComparison) []float64 {
					found, errors := 0.0, 0.0
					for _, x := range of {
						found += count(x.gold, x.found)
						errors += count(x.gold, x.gold.spans)
					}
					return []float64{found / errors}
				})[0]
			}
			c.bounds("span-detection-kinds-intervals", by+"|"+name, column+"|Recall", in)
		}
	}
}

// checkDomainInterval compares the interval of a system in a domain. Several columns with intervals have a table of their own.
func (d *plainData) checkDomainInterval(c *checker, id, system, domain string, want plainBounded) {
	switch {
	case c.has(id, domain+"|95% interval|Low"):
		c.bounds(id, system, domain+"|95% interval", want)
	case c.has(id+"-intervals", domain+"|Mean|Low"):
		c.bounds(id+"-intervals", system, domain+"|Mean", want)
	case want[0] == want[0]: // a number
		c.t.Errorf("%s has no interval of %s in %s, want %v", id, system, domain, want)
	}
}

// ofTerms returns the bounds of values of items of the invented campaign of terms. term begins with the number of the item's
// segment, perhaps after an s; a document has five segments.
func ofTerms[T any](c *checker, items []T, term func(T) string, of func([]T) []float64) []plainBounded {
	e := termEstimate(items, term)
	return e.interval(c, of)
}

// termEstimate returns an estimate from items, each with the term that it is about.
func termEstimate[T any](items []T, term func(T) string) (e plainEstimate[T]) {
	for document := range 40 {
		for _, x := range items {
			segment := 0
			fmt.Sscanf(strings.TrimPrefix(term(x), "s"), "%d", &segment)
			if segment/5 == document {
				e.add(fmt.Sprint(document), x)
			}
		}
	}
	return e
}
