package report_test

import (
	"fmt"
	"math"
	"slices"

	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// A plainChar is a character that is marked.
type plainChar struct {
	side     protocol.Side
	at       int
	severity string
}

// plainChars are the characters that spans cover, by side and, if they count, by
// severity.
func plainChars(spans []protocol.ErrorSpan, severity bool) map[plainChar]bool {
	out := map[plainChar]bool{}
	for _, s := range spans {
		for at := s.Start; at < max(s.End, s.Start+1); at++ {
			key := plainChar{side: s.Side, at: at}
			if severity {
				key.severity = s.Severity
			}
			out[key] = true
		}
	}
	return out
}

func common(a, b map[plainChar]bool) (n int) {
	for key := range a {
		if b[key] {
			n++
		}
	}
	return n
}

// plainOverlap is the share of the spans of b that share a character with a.
func plainOverlap(a, b []protocol.ErrorSpan) float64 {
	if len(b) == 0 {
		return 1
	}
	n := 0.0
	for _, s := range b {
		if common(plainChars(a, false), plainChars([]protocol.ErrorSpan{s}, false)) > 0 {
			n++
		}
	}
	return n / float64(len(b))
}

// plainMatches counts the spans of b that match one of a.
func plainMatches(a, b []protocol.ErrorSpan, theta float64, severity bool) int {
	return len(plainFound(a, b, theta, severity))
}

// plainFound returns the spans of b that match one of a. It takes the pair that shares most, again
// and again.
func plainFound(a, b []protocol.ErrorSpan, theta float64, severity bool) (found []protocol.ErrorSpan) {
	a, b = slices.Clone(a), slices.Clone(b)
	for {
		best, bi, bj, most := 0, -1, -1, 0
		for i, s := range a {
			for j, t := range b {
				u, v := plainChars([]protocol.ErrorSpan{s}, severity), plainChars([]protocol.ErrorSpan{t}, severity)
				shared := common(u, v)
				if shared == 0 || float64(shared) < theta*float64(len(u))-1e-12 || float64(shared) < theta*float64(len(v))-1e-12 {
					continue
				}
				if length := len(u) + len(v); shared > best || shared == best && length < most {
					best, bi, bj, most = shared, i, j, length
				}
			}
		}
		if bi < 0 {
			return found
		}
		found = append(found, b[bj])
		a, b = slices.Delete(a, bi, bi+1), slices.Delete(b, bj, bj+1)
	}
}

// spanCounts sum up a comparison, without and with severity.
type spanCounts struct {
	n, alike, spansA, spansB         float64
	charsA, charsB, charsBoth, match [2]float64
}

func (c *spanCounts) compare(a, b []protocol.ErrorSpan, theta float64) {
	c.n++
	if (len(a) == 0) == (len(b) == 0) {
		c.alike++
	}
	c.spansA += float64(len(a))
	c.spansB += float64(len(b))
	for k, severity := range []bool{false, true} {
		u, v := plainChars(a, severity), plainChars(b, severity)
		c.charsA[k] += float64(len(u))
		c.charsB[k] += float64(len(v))
		c.charsBoth[k] += float64(common(u, v))
		c.match[k] += float64(plainMatches(a, b, theta, severity))
	}
}

func (c *spanCounts) add(o spanCounts) {
	c.n, c.alike, c.spansA, c.spansB = c.n+o.n, c.alike+o.alike, c.spansA+o.spansA, c.spansB+o.spansB
	for k := range 2 {
		c.charsA[k] += o.charsA[k]
		c.charsB[k] += o.charsB[k]
		c.charsBoth[k] += o.charsBoth[k]
		c.match[k] += o.match[k]
	}
}

func (c *spanCounts) charF1(k int) float64 { return 2 * c.charsBoth[k] / (c.charsA[k] + c.charsB[k]) }

func (c *spanCounts) matchF1(k int) float64 { return 2 * c.match[k] / (c.spansA + c.spansB) }

func (s *spanCounts) check(c *checker, id, row string) {
	c.want(id, row, "Translations", s.n)
	c.want(id, row, "Spans|A", s.spansA)
	c.want(id, row, "Spans|B", s.spansB)
	c.want(id, row, "Presence", s.alike/s.n)
	c.want(id, row, "F1|Characters", s.charF1(0))
	c.want(id, row, "F1|Matches", s.matchF1(0))
	c.want(id, row, "F1 with severity|Characters", s.charF1(1))
	c.want(id, row, "F1 with severity|Matches", s.matchF1(1))
}

func (d *plainData) checkPairSpans(c *checker, a, b string, u, v []plainRating) (out spanCounts) {
	var ofB, ofA []float64
	for i := range u {
		out.compare(u[i].spans, v[i].spans, 0.5)
		ofB = append(ofB, plainOverlap(u[i].spans, v[i].spans))
		ofA = append(ofA, plainOverlap(v[i].spans, u[i].spans))
	}
	c.want("span-overlap", a, "B|"+b, stat.Mean(ofB))
	c.want("span-overlap", b, "B|"+a, stat.Mean(ofA))
	out.check(c, "span-agreement", a+"|"+b)
	return out
}

// against compares the spans of a judge with those of every annotator in gold, in the segments that pass.
func (d *plainData) against(judge string, theta float64, pass func(segment string) bool) (s spanCounts) {
	for _, r := range d.gold() {
		for _, j := range d.judgements {
			if j.Judge == judge && j.SegmentID == r.segment && j.System == r.system && j.Status == "ok" && pass(r.segment) {
				s.compare(j.placed(), r.spans, theta)
			}
		}
	}
	return s
}

// checkDetection sets each annotator against the others in gold, and each judge against all.
func (d *plainData) checkDetection(c *checker) {
	figures := []string{"figure spans-precision", "figure spans-recall", "figure spans-f1"}
	for tenth := 1; tenth <= 10; tenth++ {
		theta := float64(tenth) / 10
		line := func(name string, s spanCounts) {
			for i, v := range []float64{s.match[0] / s.spansA, s.match[0] / s.spansB, s.matchF1(0)} {
				c.want(figures[i], trim(theta), name, v)
			}
		}
		for _, figure := range figures {
			c.want(figure, trim(theta), "Threshold", theta)
		}
		for _, judge := range d.judges() {
			s := d.against(judge, theta, func(string) bool { return true })
			line(judge, s)
			if tenth == 5 {
				s.checkDetection(c, judge+"|metric")
			}
		}
		var all spanCounts
		for _, who := range d.annotators() {
			var s spanCounts
			for _, r := range d.gold() {
				for _, o := range d.gold() {
					if r.who == who && o.who != who && o.segment == r.segment && o.system == r.system {
						s.compare(r.spans, o.spans, theta)
					}
				}
			}
			all.add(s)
			if len(d.judges()) == 0 {
				line(who, s)
			}
			if tenth == 5 {
				s.checkDetection(c, who+"|annotator")
			}
		}
		if len(d.judges()) > 0 {
			line("Annotators", all)
		}
		if tenth == 5 {
			all.checkDetection(c, "All|annotators")
		}
	}
}

// checkDetectionByLength takes the counts of the translations of each length apart.
func (d *plainData) checkDetectionByLength(c *checker) {
	for length, name := range plainLengths {
		segments := map[string]bool{}
		var all spanCounts
		want := map[string]float64{}
		for _, who := range d.annotators() {
			var s spanCounts
			for _, r := range d.gold() {
				for _, o := range d.gold() {
					if r.who == who && o.who != who && o.segment == r.segment && o.system == r.system && d.lengthOf(r.segment) == length {
						s.compare(r.spans, o.spans, 0.5)
						segments[r.segment] = true
					}
				}
			}
			all.add(s)
			want[who+"|annotator"] = s.matchF1(0)
		}
		want["All|annotators"] = all.matchF1(0)
		for _, judge := range d.judges() {
			s := d.against(judge, 0.5, func(segment string) bool { return d.lengthOf(segment) == length })
			want[judge+"|metric"] = s.matchF1(0)
		}
		heading := fmt.Sprintf("%s|%d segments|F1", name, len(segments))
		if len(segments) == 1 {
			heading = name + "|1 segment|F1"
		}
		for row, v := range want {
			c.want("span-detection-lengths", row, heading, v)
		}
	}
}

// checkDetectionByKind counts the annotators' errors of each severity, category and domain, and those that were found.
func (d *plainData) checkDetectionByKind(c *checker) {
	if len(d.judges()) == 0 {
		return
	}
	type kind struct{ by, name string }
	kindsOf := func(r plainRating, s protocol.ErrorSpan) (out []kind) {
		for _, severity := range d.rules.Spans.Severities {
			if severity.ID == s.Severity {
				out = append(out, kind{"Severity", severity.Name})
			}
		}
		if s.Category != "" {
			out = append(out, kind{"Category", s.Category})
		}
		if r.domain != "" {
			out = append(out, kind{"Domain", r.domain})
		}
		return out
	}
	type counts struct{ errors, found map[kind]float64 }
	by := map[string]counts{}
	compare := func(name string, marked []protocol.ErrorSpan, r plainRating) {
		for _, s := range r.spans {
			for _, k := range kindsOf(r, s) {
				by[name].errors[k]++
			}
		}
		for _, s := range plainFound(marked, r.spans, 0.5, false) {
			for _, k := range kindsOf(r, s) {
				by[name].found[k]++
			}
		}
	}
	for _, name := range append(d.judges(), "Annotators") {
		by[name] = counts{map[kind]float64{}, map[kind]float64{}}
	}
	kinds := map[kind]bool{}
	for _, r := range d.gold() {
		for _, o := range d.gold() {
			if r.who != o.who && o.segment == r.segment && o.system == r.system {
				compare("Annotators", o.spans, r)
			}
		}
		for _, j := range d.judgements {
			if j.SegmentID == r.segment && j.System == r.system && j.Status == "ok" {
				compare(j.Judge, j.placed(), r)
			}
		}
	}
	for _, b := range by {
		for k := range b.errors {
			kinds[k] = true
		}
	}
	for name, b := range by {
		for k := range kinds {
			c.want("span-detection-kinds", k.by+"|"+k.name, name+"|Errors", b.errors[k])
			c.want("span-detection-kinds", k.by+"|"+k.name, name+"|Recall", b.found[k]/b.errors[k])
		}
	}
}

func (d *plainData) lengthOf(segment string) int {
	return d.plainLength(d.segments[slices.IndexFunc(d.segments, func(s plainSegment) bool { return s.id == segment })])
}

func (s *spanCounts) checkDetection(c *checker, row string) {
	const id = "span-detection"
	c.want(id, row, "Comparisons", s.n)
	c.want(id, row, "Spans|Marked", s.spansA)
	c.want(id, row, "Spans|Of annotators", s.spansB)
	for k, group := range []string{"", "With severity|"} {
		c.want(id, row, group+"Precision", s.match[k]/s.spansA)
		c.want(id, row, group+"Recall", s.match[k]/s.spansB)
		c.want(id, row, group+"F1", s.matchF1(k))
	}
	c.want(id, row, "F1|Characters", s.charF1(0))
}

// A plainKind is a row of the tables of errors.
type plainKind struct {
	key string
	of  func(protocol.ErrorSpan) bool
}

// kinds are the rows that a protocol's tables have: its categories, what lies below
// them, its groups.
func (d *plainData) kinds() (out []plainKind) {
	if len(d.rules.Spans.Categories) == 0 {
		return nil
	}
	groups := map[string]int{}
	for _, category := range d.rules.Spans.Categories {
		groups[category.Group]++
	}
	prefix := func(group string) string {
		if group == "" {
			return ""
		}
		return group + "|"
	}
	done := map[string]bool{}
	for _, category := range d.rules.Spans.Categories {
		out = append(out, plainKind{prefix(category.Group) + category.Name, func(s protocol.ErrorSpan) bool { return s.Category == category.Name }})
		for _, sub := range category.Sub {
			if slices.ContainsFunc(d.gold(), func(r plainRating) bool {
				return slices.ContainsFunc(r.spans, func(s protocol.ErrorSpan) bool { return s.Category == category.Name && s.Subcategory == sub.Name })
			}) {
				out = append(out, plainKind{prefix(category.Group) + category.Name + " / " + sub.Name, func(s protocol.ErrorSpan) bool { return s.Category == category.Name && s.Subcategory == sub.Name }})
			}
		}
		if group := category.Group; group != "" && groups[group] > 1 && !done[group] {
			done[group] = true
			out = append(out, plainKind{group + "|overall " + group, func(s protocol.ErrorSpan) bool {
				return slices.ContainsFunc(d.rules.Spans.Categories, func(c protocol.Category) bool { return c.Group == group && c.Name == s.Category })
			}})
		}
	}
	return out
}

func anyError(protocol.ErrorSpan) bool { return true }

func tally(ratings []plainRating, of func(protocol.ErrorSpan) bool) (n float64) {
	for _, r := range ratings {
		for _, s := range r.spans {
			if of(s) {
				n++
			}
		}
	}
	return n
}

func (d *plainData) graded() bool { return d.gate() == "rate-esa" }

// meanSeverity is that of errors whose severities are the digits 1 to 5.
func meanSeverity(ratings []plainRating, of func(protocol.ErrorSpan) bool) float64 {
	var grades []float64
	for _, r := range ratings {
		for _, s := range r.spans {
			if of(s) {
				grades = append(grades, float64(s.Severity[0]-'0'))
			}
		}
	}
	return stat.Mean(grades)
}

func (d *plainData) checkErrors(c *checker) {
	gold := d.gold()
	row := func(ids []string, name string, ratings []plainRating) {
		for _, id := range ids {
			n := float64(len(ratings))
			faultless := float64(len(where(ratings, func(r plainRating) bool { return len(r.spans) == 0 })))
			c.want(id, name, "Ratings", n)
			c.want(id, name, "Errors", tally(ratings, anyError))
			c.want(id, name, "Errors a rating|All", tally(ratings, anyError)/n)
			c.want(id, name, "Faultless", faultless/n)
			for _, severity := range d.rules.Spans.Severities {
				c.want(id, name, "Errors a rating|"+severity.Name, tally(ratings, func(s protocol.ErrorSpan) bool { return s.Severity == severity.ID })/n)
			}
			if d.graded() {
				c.want(id, name, "Errors a rating|Majors", tally(ratings, func(s protocol.ErrorSpan) bool { return s.Severity == "4" || s.Severity == "5" })/n)
				c.want(id, name, "Errors a rating|Minors", tally(ratings, func(s protocol.ErrorSpan) bool { return s.Severity == "2" || s.Severity == "3" })/n)
				c.want(id, name, "Mean severity", meanSeverity(ratings, anyError))
			}
		}
	}
	tables := []string{"errors-systems", "figure errors-systems"}
	for _, system := range d.systems() {
		row(tables, system, where(gold, func(r plainRating) bool { return r.system == system }))
	}
	row(append(tables, "errors-annotators"), "All", gold)
	for _, who := range d.annotators() {
		row([]string{"errors-annotators"}, who, where(gold, func(r plainRating) bool { return r.who == who }))
	}
	kinds := d.kinds()
	if kinds == nil {
		return
	}
	for _, kind := range append(kinds, plainKind{"All", anyError}) {
		const id = "errors-categories"
		n := tally(gold, kind.of)
		c.want(id, kind.key, "Errors", n)
		c.want(id, kind.key, "Errors a rating", n/float64(len(gold)))
		c.want(id, kind.key, "Share", n/tally(gold, anyError))
		if d.graded() {
			c.want(id, kind.key, "Mean severity", meanSeverity(gold, kind.of))
		}
		for _, severity := range d.rules.Spans.Severities {
			c.want(id, kind.key, "Errors by severity|"+severity.Name, tally(gold, func(s protocol.ErrorSpan) bool { return kind.of(s) && s.Severity == severity.ID }))
		}
		for _, system := range d.systems() {
			ratings := where(gold, func(r plainRating) bool { return r.system == system })
			c.want(id+"-systems", kind.key, "Errors a rating|"+system, tally(ratings, kind.of)/float64(len(ratings)))
		}
	}
}

func (d *plainData) checkCorrelations(c *checker) {
	for _, h := range d.rules.HumanScores() {
		if slices.Contains([]string{"mqm", "rate", "rate-mqm"}, h.Name) {
			continue // sums over the errors
		}
		for _, kind := range append(d.kinds(), plainKind{"All errors", anyError}) {
			var counts []float64
			for _, r := range d.gold() {
				counts = append(counts, tally([]plainRating{r}, kind.of))
			}
			tau, p := plainTau(counts, scoresOf(d.gold(), h.Name))
			c.want("errors-correlation", kind.key, d.label(h.Name)+"|τ", tau)
			c.want("errors-correlation", kind.key, d.label(h.Name)+"|p", p)
			e := byDocument(d, d.gold(), func(r plainRating) string { return r.segment })
			in := e.jackknife(func(ratings []plainRating) float64 {
				var counts []float64
				for _, r := range ratings {
					counts = append(counts, tally([]plainRating{r}, kind.of))
				}
				return stat.TauB(counts, scoresOf(ratings, h.Name))
			})
			if _, apart := c.tables["errors-correlation-intervals"]; apart {
				c.bounds("errors-correlation-intervals", kind.key, d.label(h.Name)+"|τ", in)
			} else {
				c.bounds("errors-correlation", kind.key, d.label(h.Name)+"|95% interval", in)
			}
		}
	}
}

func (d *plainData) checkThresholds(c *checker) {
	sums := map[string][]string{"esa": {"mqm"}, "rate-esa": {"rate", "rate-mqm"}}
	entered := map[string][]string{"esa": {"esa"}, "rate-esa": {"rate-accuracy", "rate-fluency"}}
	for _, over := range entered[d.gate()] {
		for threshold := 0.0; threshold <= 100; threshold += 5 {
			reached := where(d.gold(), func(r plainRating) bool { return r.scores[over] >= threshold })
			row := trim(threshold)
			c.want("figure thresholds", row, "Threshold", threshold)
			c.want("figure thresholds", row, d.label(over)+" at least|Ratings", float64(len(reached)))
			for _, sum := range sums[d.gate()] {
				c.want("figure thresholds", row, d.label(over)+" at least|"+d.label(sum), stat.Mean(scoresOf(reached, sum)))
				d.checkThresholdIntervals(c, over, sum, threshold)
			}
		}
	}
}

func (d *plainData) checkScores(c *checker) {
	gold := d.gold()
	for _, h := range d.rules.HumanScores() {
		row := func(name, column string, ratings []plainRating) {
			scores := scoresOf(ratings, h.Name)
			c.want("scores", name, "Ratings", float64(len(ratings)))
			c.want("scores", name, d.label(h.Name)+"|Mean", stat.Mean(scores))
			c.want("scores", name, d.label(h.Name)+"|SD", stat.Deviation(scores))
			id := "figure scores-" + h.Name
			for _, bin := range c.tables[id].Rows {
				label := bin.Cells[0].Text
				n := 0.0
				for _, v := range scores {
					if label == "All" || plainIn(label, v) {
						n++
					}
				}
				c.want(id, label, column, n)
			}
		}
		row("All", "All", gold)
		for _, who := range d.annotators() {
			row(who, who, where(gold, func(r plainRating) bool { return r.who == who }))
		}
	}
}

// plainIn reads the label of a bin: "3", "80 to <85", "95 to 100".
func plainIn(label string, v float64) bool {
	var low, high float64
	label = minus.Replace(label)
	if n, _ := fmt.Sscanf(label, "%g to <%g", &low, &high); n == 2 {
		return v >= low && v < high
	}
	if n, _ := fmt.Sscanf(label, "%g to %g", &low, &high); n == 2 {
		return v >= low && v <= high
	}
	fmt.Sscanf(label, "%g", &low)
	return math.Abs(v-low) < 1e-12
}
