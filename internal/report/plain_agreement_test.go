package report_test

import (
	"math"
	"slices"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/stat"
)

// vector is what an annotator gave to a segment in a round: gate scores by system.
func (d *plainData) vector(segment, who string, round int) map[string]plainRating {
	out := map[string]plainRating{}
	for _, r := range d.ratings {
		if r.segment == segment && r.who == who && r.round == round {
			out[r.system] = r
		}
	}
	return out
}

func (d *plainData) gate() string { return d.rules.HumanScores()[0].Name }

// shared are the gate scores that two gave in the latest round that both rated.
func (d *plainData) shared(segment, a, b string) (systems []string, x, y []plainRating) {
	round := d.lastRound(segment, a, b)
	if round == 0 {
		return nil, nil, nil
	}
	u, v := d.vector(segment, a, round), d.vector(segment, b, round)
	for _, system := range d.systems() {
		r, ok := u[system]
		s, also := v[system]
		if ok && also {
			systems, x, y = append(systems, system), append(x, r), append(y, s)
		}
	}
	return systems, x, y
}

func scoresOf(ratings []plainRating, human string) (out []float64) {
	for _, r := range ratings {
		out = append(out, r.scores[human])
	}
	return out
}

func (d *plainData) checkAgreement(c *checker, camp campaign.Campaign) {
	gate := d.gate()
	var decided, failed, unpaired, again, settled, discarded, dropped, pairs float64
	reasons, having := map[string]float64{}, map[string]float64{}
	// By row of the table, what each segment adds to the part and to the whole.
	var gates plainEstimate[[6][2]float64]
	var given plainEstimate[string] // the reason of each pair
	for _, s := range d.segments {
		old := [6][2]float64{{failed, decided - unpaired}, {decided - failed - unpaired, decided - unpaired}, {unpaired, decided}, {again, 0}, {discarded, 0}, {dropped, settled}}
		if s.status == "discarded" {
			discarded++
		}
		second := s.status == "reannotate" || slices.ContainsFunc(d.ratings, func(r plainRating) bool { return r.segment == s.id && r.round > 1 })
		if second {
			again++
			if s.status != "reannotate" {
				settled++
			}
			if s.status == "discarded" {
				dropped++
			}
		}
		note := func() {
			now := [6][2]float64{{failed, decided - unpaired}, {decided - failed - unpaired, decided - unpaired}, {unpaired, decided}, {again, 1}, {discarded, 1}, {dropped, settled}}
			for i := range now {
				now[i][0], now[i][1] = now[i][0]-old[i][0], now[i][1]-old[i][1]
			}
			gates.add(s.doc, now)
		}
		if s.status == "pending" {
			note()
			continue
		}
		decided++
		passed, judged := true, 0
		met := map[string]bool{}
		for i, a := range d.annotators() {
			for _, b := range d.annotators()[i+1:] {
				u, v := d.vector(s.id, a, 1), d.vector(s.id, b, 1)
				var x, y []float64
				apart := 0.0
				for system, r := range u {
					if o, ok := v[system]; ok {
						x, y = append(x, r.scores[gate]), append(y, o.scores[gate])
						apart += math.Abs(r.scores[gate] - o.scores[gate])
					}
				}
				if len(x) == 0 {
					continue
				}
				judged++
				pairs++
				close := apart/float64(len(x)) <= camp.Settings.Tolerance
				reason := "r reaches the threshold|yes"
				switch r := stat.Pearson(x, y); {
				case len(x) < 3 && close:
					reason = "r undefined (too few), scores close|yes"
				case len(x) < 3:
					reason, passed = "r undefined (too few), scores far apart|no", false
				case math.IsNaN(r) && close:
					reason = "r undefined (constant), scores close|yes"
				case math.IsNaN(r):
					reason, passed = "r undefined (constant), scores far apart|no", false
				case r < camp.Settings.Threshold-1e-12:
					reason, passed = "r below the threshold|no", false
				}
				reasons[reason]++
				met[reason] = true
				given.add(s.doc, reason)
			}
		}
		for reason := range met {
			having[reason]++
		}
		if !passed {
			failed++
		} else if judged == 0 {
			unpaired++
		}
		note()
	}
	shares := gates.interval(c, func(items [][6][2]float64) []float64 {
		var sums [6][2]float64
		for _, x := range items {
			for i := range sums {
				sums[i][0], sums[i][1] = sums[i][0]+x[i][0], sums[i][1]+x[i][1]
			}
		}
		out := make([]float64, 6)
		for i, s := range sums {
			out[i] = s[0] / s[1]
		}
		return out
	})
	for i, row := range c.tables["gate"].Rows {
		having := map[string]bool{} // documents with data
		for k, x := range gates.items {
			if x[i][1] > 0 {
				having[gates.docs[k]] = true
			}
		}
		shares[i][2] = float64(len(having))
		c.bounds("gate", rowKey(c.tables["gate"], row), "95% interval", shares[i])
	}
	share := func(row string, part, of float64) {
		c.want("gate", row, "Segments", part)
		c.want("gate", row, "Of", of)
		c.want("gate", row, "Share", part/of)
	}
	all := float64(len(d.segments))
	share("Failed in round 1, of those judged", failed, decided-unpaired)
	share("Agreed in round 1, of those judged", decided-failed-unpaired, decided-unpaired)
	share("Without a pair, of those whose round 1 is complete", unpaired, decided)
	share("Given a second look, of all", again, all)
	share("Discarded, of all", discarded, all)
	share("Discarded, of those whose second look is over", dropped, settled)
	for _, row := range c.tables["gate-reasons"].Rows {
		key := rowKey(c.tables["gate-reasons"], row)
		c.want("gate-reasons", key, "Pairs", reasons[key])
		c.want("gate-reasons", key, "Share", reasons[key]/pairs)
		c.want("gate-reasons", key, "Segments", having[key])
		c.bounds("gate-reasons", key, "95% interval", given.interval(c, func(all []string) []float64 {
			n := 0.0
			for _, x := range all {
				if x == key {
					n++
				}
			}
			return []float64{n / float64(len(all))}
		})[0])
	}
	d.checkPairs(c)
	d.checkOthers(c)
}

func (d *plainData) checkPairs(c *checker) {
	gate := d.gate()
	var matched spanCounts
	var everything plainEstimate[plainShared]
	for i, a := range d.annotators() {
		for _, b := range d.annotators()[i+1:] {
			var both plainEstimate[plainShared]
			segments := 0.0
			var x, y, rs []float64
			var documents []string // of x and y
			var ratingsA, ratingsB []plainRating
			sumA, sumB := map[string]float64{}, map[string]float64{}
			n := map[string]float64{}
			for _, s := range d.segments {
				systems, u, v := d.shared(s.id, a, b)
				if len(systems) == 0 {
					continue
				}
				segments++
				both.add(s.doc, plainShared{systems, u, v})
				p, q := scoresOf(u, gate), scoresOf(v, gate)
				if r := stat.Pearson(p, q); !math.IsNaN(r) && len(p) > 2 {
					rs = append(rs, r)
				}
				x, y, documents = append(x, p...), append(y, q...), append(documents, slices.Repeat([]string{s.doc}, len(p))...)
				ratingsA, ratingsB = append(ratingsA, u...), append(ratingsB, v...)
				for k, system := range systems {
					sumA[system] += p[k]
					sumB[system] += q[k]
					n[system]++
				}
			}
			var level, other []float64
			for _, system := range d.systems() {
				if n[system] > 0 {
					level, other = append(level, sumA[system]/n[system]), append(other, sumB[system]/n[system])
				}
			}
			key := a + "|" + b
			c.want("figure iaa-system", key, "Shared", segments)
			c.want("figure iaa-segment", key, "Shared", segments)
			if segments == 0 {
				continue
			}
			c.want("figure iaa-system", key, "r", stat.Pearson(level, other))
			c.want("figure iaa-segment", key, "r", stat.Mean(rs))
			c.want("agreement-pairs", key, "r|System", stat.Pearson(level, other))
			c.want("agreement-pairs", key, "r|Segment", stat.Mean(rs))
			c.want("agreement-pairs", key, "Shared|Segments", segments)
			c.want("agreement-pairs", key, "Shared|Translations", float64(len(x)))
			c.want("agreement-pairs", key, "τ", stat.TauB(x, y))
			if gate == "sqm" {
				c.want("agreement-pairs", key, "κ", agreement.Kappa(x, y, 0, 100))
			}
			in := both.interval(c, d.agreementOf)
			c.bounds("agreement-pairs-intervals", key, "r|System", in[0])
			c.bounds("agreement-pairs-intervals", key, "r|Segment", in[1])
			c.bounds("agreement-pairs-intervals", key, "τ|", tauBounds(documents, x, y))
			if gate == "sqm" {
				c.bounds("agreement-pairs-intervals", key, "κ|", in[2])
			}
			if d.rules.Spans != nil {
				matched.add(d.checkPairSpans(c, a, b, ratingsA, ratingsB))
				checkSpanIntervals(c, key, both)
				everything.docs, everything.items = append(everything.docs, both.docs...), append(everything.items, both.items...)
			}
		}
	}
	if d.rules.Spans != nil {
		matched.check(c, "span-agreement", "All")
		everything.inOrderOf(d.segments)
		checkSpanIntervals(c, "All", everything)
	}
}

// plainShared are the ratings of a segment by two annotators, system by system.
type plainShared struct {
	systems []string
	u, v    []plainRating
}

// inOrderOf sorts the items by the place of their documents.
func (e *plainEstimate[T]) inOrderOf(segments []plainSegment) {
	var docs []string
	var items []T
	for _, doc := range distinctInOrder(distinctDocs(segments)) {
		for i, x := range e.items {
			if e.docs[i] == doc {
				docs, items = append(docs, doc), append(items, x)
			}
		}
	}
	e.docs, e.items = docs, items
}

func distinctDocs(segments []plainSegment) (docs []string) {
	for _, s := range segments {
		docs = append(docs, s.doc)
	}
	return docs
}

// agreementOf computes r of systems, r of segments and kappa.
func (d *plainData) agreementOf(shared []plainShared) []float64 {
	var x, y, rs []float64
	bySystem := map[string][2][]float64{}
	for _, s := range shared {
		p, q := scoresOf(s.u, d.gate()), scoresOf(s.v, d.gate())
		if r := stat.Pearson(p, q); len(p) > 2 && !math.IsNaN(r) {
			rs = append(rs, r)
		}
		x, y = append(x, p...), append(y, q...)
		for i, name := range s.systems {
			of := bySystem[name]
			bySystem[name] = [2][]float64{append(of[0], p[i]), append(of[1], q[i])}
		}
	}
	var level, other []float64
	for _, name := range d.systems() {
		if of := bySystem[name]; len(of[0]) > 0 {
			level, other = append(level, stat.Mean(of[0])), append(other, stat.Mean(of[1]))
		}
	}
	r := stat.Pearson(level, other)
	if len(level) < 3 {
		r = nan
	}
	return []float64{r, stat.Mean(rs), agreement.Kappa(x, y, 0, 100)}
}

func checkSpanIntervals(c *checker, key string, both plainEstimate[plainShared]) {
	in := both.interval(c, func(shared []plainShared) []float64 {
		var s spanCounts
		var ofA, ofB []float64
		for _, x := range shared {
			for i := range x.u {
				s.compare(x.u[i].spans, x.v[i].spans, 0.5)
				ofA, ofB = append(ofA, plainOverlap(x.v[i].spans, x.u[i].spans)), append(ofB, plainOverlap(x.u[i].spans, x.v[i].spans))
			}
		}
		return []float64{stat.Mean(ofA), stat.Mean(ofB), s.alike / s.n, s.charF1(0), s.matchF1(0), s.charF1(1), s.matchF1(1)}
	})
	for i, group := range []string{
		"Overlap|Of A by B", "Overlap|Of B by A", "Presence|", "F1|Characters", "F1|Matches", "F1 with severity|Characters", "F1 with severity|Matches",
	} {
		c.bounds("span-agreement-intervals", key, group, in[i])
	}
}

func (d *plainData) checkOthers(c *checker) {
	var units [][]float64
	own, others := map[string][]float64{}, map[string][]float64{}
	var rated plainEstimate[[]float64]
	compared := map[string]*plainEstimate[[2]float64]{}
	for _, who := range d.annotators() {
		compared[who] = &plainEstimate[[2]float64]{}
	}
	for _, s := range d.segments {
		round := d.lastRound(s.id)
		for _, system := range d.systems() {
			given := where(d.ratings, func(r plainRating) bool { return r.segment == s.id && r.system == system && r.round == round })
			if len(given) < 2 {
				continue
			}
			units = append(units, scoresOf(given, d.gate()))
			rated.add(s.doc, scoresOf(given, d.gate()))
			for i, r := range given {
				rest := append(slices.Clone(given[:i]), given[i+1:]...)
				own[r.who] = append(own[r.who], r.scores[d.gate()])
				others[r.who] = append(others[r.who], stat.Mean(scoresOf(rest, d.gate())))
				compared[r.who].add(s.doc, [2]float64{r.scores[d.gate()], stat.Mean(scoresOf(rest, d.gate()))})
			}
		}
	}
	metric := agreement.Interval
	if d.gate() == "sqm" {
		metric = agreement.Ordinal
	}
	d.alpha = agreement.Alpha(units, metric).Alpha
	d.alphaBounds = rated.jackknife(func(units [][]float64) float64 { return agreement.Alpha(units, metric).Alpha })
	for _, who := range d.annotators() {
		r := stat.Pearson(own[who], others[who])
		c.want("agreement-others", who, "Translations", float64(len(own[who])))
		c.want("agreement-others", who, "Mean difference", stat.Mean(own[who])-stat.Mean(others[who]))
		c.want("agreement-others", who, "r", r)
		in := compared[who].interval(c, func(pairs [][2]float64) []float64 {
			var x, y []float64
			for _, p := range pairs {
				x, y = append(x, p[0]), append(y, p[1])
			}
			return []float64{stat.Mean(x) - stat.Mean(y), agreement.LeaveOneOut(x, y)}
		})
		c.bounds("agreement-others", who, "95% interval of the difference", in[0])
		c.bounds("agreement-others", who, "95% interval of r", in[1])
	}
}
