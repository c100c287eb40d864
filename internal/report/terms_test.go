package report_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/protocol"
	"annotate/internal/report"
	"annotate/internal/stat"
)

// A judgedTerm is what one annotator answered about a term in a translation.
type judgedTerm struct {
	segment       int // -1 if the segment is not in gold
	system        string
	term          string // unique
	category      string
	who           string
	settled       int // the number of annotators of the segment
	answer, wrong string
}

// A plainTerm is a term in a source.
type plainTerm struct {
	category                   string
	source, reference, context int // lengths; reference is 0 without a counterpart
	segment                    string
}

// culture makes an invented campaign of 200 segments with terms, of which 180 are in gold, and lists the same as rows.
func culture(t *testing.T) (in report.Input, terms []plainTerm, judged []judgedTerm) {
	t.Helper()
	c := newCampaign(t, "culture")
	random := rand.New(rand.NewPCG(1, 2))
	var types []string
	for _, o := range c.Rules.Spans.Questions[1].Options {
		types = append(types, o.Value)
	}
	systems := []string{"A", "B", "C", "D"}
	bleu := metaeval.Scores{Name: "bleu", Segment: map[string][]float64{}}
	ter := metaeval.Scores{Name: "ter", LowerIsBetter: true, Segment: map[string][]float64{}}
	var segments []campaign.Segment
	gold := 0
	for n := range 200 {
		s := campaign.Segment{DocID: fmt.Sprint("d", n/5), SegmentID: fmt.Sprint("s", n), Source: strings.Repeat("茶", 20+random.IntN(20)), Status: campaign.Agreed, Round: 1, Complete: 1}
		place := gold
		if n%10 == 0 {
			s.Status, place = campaign.Discarded, -1
		} else {
			gold++
		}
		for k := range 1 + random.IntN(2) {
			category := c.Rules.Spans.Categories[random.IntN(5)].Name
			own := protocol.ErrorSpan{ID: fmt.Sprint("t", k), Side: protocol.Source, Start: 10 * k, End: 10*k + 2 + random.IntN(5), Category: category}
			plain := plainTerm{segment: s.SegmentID, category: category, source: own.End - own.Start, context: len([]rune(s.Source))}
			if random.IntN(4) > 0 {
				own.Link = fmt.Sprint("r", k)
				plain.reference = 3 + random.IntN(9)
				s.Terms = append(s.Terms, protocol.ErrorSpan{ID: own.Link, Side: protocol.Reference, Start: 20 * k, End: 20*k + plain.reference, Category: category})
			}
			s.Terms, terms = append(s.Terms, own), append(terms, plain)
		}
		people := 2 + random.IntN(2)
		for i, system := range systems {
			tr := campaign.Translation{System: system, Text: "text"}
			ratings := make([]campaign.Rating, people)
			omitted := false
			for _, term := range s.Terms {
				if term.Side != protocol.Source {
					continue
				}
				truth := ""
				if random.IntN(5) <= i {
					truth = types[min(random.IntN(8), 6)]
				}
				omitted = omitted || truth == "omission"
				for who := range ratings {
					given := truth
					if random.IntN(8) == 0 {
						given = types[random.IntN(7)]
					}
					marked := protocol.ErrorSpan{ID: term.ID, Side: protocol.Source, Start: term.Start, End: term.End, Category: term.Category, Answers: map[string]string{"rendered": "yes"}}
					row := judgedTerm{place, system, fmt.Sprint(n, " ", term.ID), term.Category, string(rune('a' + who)), people, "yes", ""}
					if given != "" {
						marked.Answers = map[string]string{"rendered": "no", "error": given}
						row.answer, row.wrong = "no", given
					}
					ratings[who].Annotator, ratings[who].Round, ratings[who].Seconds = row.who, 1, 10
					ratings[who].Spans = append(ratings[who].Spans, marked)
					judged = append(judged, row)
				}
			}
			tr.Ratings = ratings
			s.Translations = append(s.Translations, tr)
			if place >= 0 {
				score := random.Float64()
				if omitted {
					score -= 2
				}
				bleu.Segment[system], ter.Segment[system] = append(bleu.Segment[system], score), append(ter.Segment[system], random.Float64())
			}
		}
		segments = append(segments, s)
	}
	return report.Input{Campaign: c, Segments: segmentsOf(segments...), Options: report.Options{Resamples: 100},
		Metrics: evaluations(report.Evaluation{Label: "zh-en", Report: metaeval.Report{Systems: systems, Human: "share"}, SegmentScores: []metaeval.Scores{bleu, ter}})}, terms, judged
}

// TestTerms computes every number about the terms of a campaign a second time, from a row for each answer.
func TestTerms(t *testing.T) {
	in, terms, judged := culture(t)
	evaluated, _ := in.Metrics(t.Context())
	checkTerms(newChecker(t, compute(t, in)), in.Campaign.Rules, terms, judged, evaluated[0].SegmentScores)
}

// checkTerms compares every number of a report about terms with one that is computed from a row for each answer.
func checkTerms(c *checker, rules *protocol.Protocol, terms []plainTerm, judged []judgedTerm, scores []metaeval.Scores) {
	for id := range c.tables {
		if !strings.Contains(id, "terms") {
			delete(c.tables, id)
		}
	}
	for _, name := range append([]string{"All"}, distinct(terms, func(x plainTerm) string { return x.category })...) {
		var source, reference, context []float64
		for _, x := range terms {
			if name != "All" && x.category != name {
				continue
			}
			source, context = append(source, float64(x.source)), append(context, float64(x.context))
			if x.reference > 0 {
				reference = append(reference, float64(x.reference))
			}
		}
		c.want("terms", name, "Terms", float64(len(source)))
		c.want("terms", name, "Share", float64(len(source))/float64(len(terms)))
		c.want("terms", name, "Term length|Source", stat.Mean(source))
		c.want("terms", name, "Term length|Reference", stat.Mean(reference))
		c.want("terms", name, "Context", stat.Mean(context))
		inCategory := func(x plainTerm) bool { return name == "All" || x.category == name }
		ofSegment := func(x plainTerm) string { return x.segment }
		in := ofTerms(c, slices.DeleteFunc(slices.Clone(terms), func(x plainTerm) bool { return !inCategory(x) }), ofSegment, func(terms []plainTerm) []float64 {
			var source, reference, context []float64
			for _, x := range terms {
				source, context = append(source, float64(x.source)), append(context, float64(x.context))
				if x.reference > 0 {
					reference = append(reference, float64(x.reference))
				}
			}
			return []float64{stat.Mean(source), stat.Mean(reference), stat.Mean(context)}
		})
		share := plainBounded{nan, nan, 0} // of all terms in all there is none
		if name != "All" {
			share = ofTerms(c, terms, ofSegment, func(terms []plainTerm) []float64 {
				n := 0.0
				for _, x := range terms {
					if inCategory(x) {
						n++
					}
				}
				return []float64{n / float64(len(terms))}
			})[0]
		}
		for i, column := range []string{"Term length|Source", "Term length|Reference", "Context"} {
			c.bounds("terms-intervals", name, column, in[i])
		}
		c.bounds("terms-intervals", name, "Share", share)
	}

	// What more than half of a segment's annotators answered about a term.
	type translated struct {
		segment          int
		system, term     string
		category, answer string
		wrong            string
	}
	var settled []translated
	for _, x := range judged {
		at := translated{x.segment, x.system, x.term, x.category, "", ""}
		answers, wrongs := map[string]int{}, map[string]int{}
		for _, o := range judged {
			if o.term == x.term && o.system == x.system {
				answers[o.answer]++
				wrongs[o.wrong]++
			}
		}
		for answer, n := range answers {
			if 2*n > x.settled {
				at.answer = answer
			}
		}
		for wrong, n := range wrongs {
			if wrong != "" && 2*n > x.settled {
				at.wrong = wrong
			}
		}
		if x.segment >= 0 && !slices.Contains(settled, at) {
			settled = append(settled, at)
		}
	}
	number := func(pass func(translated) bool) (n float64) {
		for _, x := range settled {
			if pass(x) {
				n++
			}
		}
		return n
	}
	options := rules.Spans.Questions[1].Options
	for _, system := range []string{"A", "B", "C", "D", "All"} {
		var decided, failed []translated
		for _, x := range settled {
			if (system == "All" || x.system == system) && x.answer != "" {
				decided = append(decided, x)
				if x.answer == "no" {
					failed = append(failed, x)
				}
			}
		}
		share := func(of []translated, is, among func(translated) bool) plainBounded {
			type counted struct {
				term         string
				among, found bool
			}
			var items []counted
			for _, x := range of {
				items = append(items, counted{x.term, among(x), among(x) && is(x)})
			}
			return ofTerms(c, items, func(x counted) string { return x.term }, func(of []counted) []float64 {
				n, all := 0.0, 0.0
				for _, x := range of {
					if x.among {
						all++
					}
					if x.found {
						n++
					}
				}
				return []float64{n / all}
			})[0]
		}
		rendered, any := func(x translated) bool { return x.answer == "yes" }, func(translated) bool { return true }
		c.bounds("terms-systems-intervals", system, "Rendered", share(decided, rendered, any))
		for _, category := range rules.Spans.Categories {
			within := func(x translated) bool { return x.category == category.Name }
			c.bounds("terms-systems-intervals", system, "Rendered, by category|"+category.Name, share(decided, rendered, within))
		}
		for _, o := range options {
			c.bounds("terms-errors-intervals", system, "Of these|"+o.Label, share(failed, func(x translated) bool { return x.wrong == o.Value }, any))
		}
		c.bounds("terms-errors-intervals", system, "Of these|Undecided", share(failed, func(x translated) bool { return x.wrong == "" }, any))
		of := func(answer, category, wrong string) float64 {
			return number(func(x translated) bool {
				return (system == "All" || x.system == system) && x.answer == answer && (category == "" || x.category == category) && (wrong == "" || x.wrong == strings.Trim(wrong, "?"))
			})
		}
		for _, id := range []string{"terms-systems", "figure terms-systems"} {
			c.want(id, system, "Terms", of("yes", "", "")+of("no", "", ""))
			c.want(id, system, "Undecided", of("", "", ""))
			c.want(id, system, "Rendered", of("yes", "", "")/(of("yes", "", "")+of("no", "", "")))
			for _, category := range rules.Spans.Categories {
				c.want(id, system, "Rendered, by category|"+category.Name, of("yes", category.Name, "")/(of("yes", category.Name, "")+of("no", category.Name, "")))
			}
		}
		for _, id := range []string{"terms-errors", "figure terms-errors"} {
			c.want(id, system, "Not rendered", of("no", "", ""))
			for _, o := range options {
				c.want(id, system, "Of these|"+o.Label, of("no", "", o.Value)/of("no", "", ""))
			}
			c.want(id, system, "Of these|Undecided", of("no", "", "?")/of("no", "", ""))
		}
	}

	// The scores of translations whose terms are all decided: of those that render all, and of those with an error.
	for _, m := range scores {
		var all, rendered []float64
		by := map[string][]float64{}
		for k := range 180 {
			for _, system := range []string{"A", "B", "C", "D"} {
				own := func(x translated) bool { return x.segment == k && x.system == system }
				if number(func(x translated) bool { return own(x) && x.answer == "" }) > 0 {
					continue
				}
				score := m.Segment[system][k]
				if m.LowerIsBetter {
					score = -score
				}
				all = append(all, score)
				if number(func(x translated) bool { return own(x) && x.answer == "no" }) == 0 {
					rendered = append(rendered, score)
				}
				for _, o := range options {
					if number(func(x translated) bool { return own(x) && x.wrong == o.Value }) > 0 {
						by[o.Label] = append(by[o.Label], score)
					}
				}
			}
		}
		type scored struct {
			segment string
			score   float64
			groups  []string
		}
		var translations []scored
		segmentOf := map[int]string{}
		for _, x := range settled {
			segmentOf[x.segment] = x.term
		}
		for k := range 180 {
			for _, system := range []string{"A", "B", "C", "D"} {
				x := scored{segment: segmentOf[k], score: m.Segment[system][k]}
				if m.LowerIsBetter {
					x.score = -x.score
				}
				open, wrong := false, false
				for _, y := range settled {
					if y.segment == k && y.system == system {
						open, wrong = open || y.answer == "", wrong || y.answer == "no"
						if i := slices.IndexFunc(options, func(o protocol.Option) bool { return o.Value == y.wrong }); i >= 0 && !slices.Contains(x.groups, options[i].Label) {
							x.groups = append(x.groups, options[i].Label)
						}
					}
				}
				if !wrong {
					x.groups = []string{""}
				}
				if !open {
					translations = append(translations, x)
				}
			}
		}
		for label := range by {
			c.bounds("terms-drop-intervals", label, m.Name+"|Drop", ofTerms(c, translations, func(x scored) string { return x.segment }, func(of []scored) []float64 {
				var rendered, wrong []float64
				for _, x := range of {
					if slices.Contains(x.groups, "") {
						rendered = append(rendered, x.score)
					}
					if slices.Contains(x.groups, label) {
						wrong = append(wrong, x.score)
					}
				}
				return []float64{stat.Mean(rendered) - stat.Mean(wrong)}
			})[0])
		}
		for label, scores := range by {
			drop := stat.Mean(rendered) - stat.Mean(scores)
			for _, id := range []string{"terms-drop", "figure terms-drop"} {
				c.want(id, label, "Translations", float64(len(scores)))
				c.want(id, label, m.Name+"|Drop", drop)
				c.want(id, label, m.Name+"|SD", drop/stat.Deviation(all))
			}
		}
	}
	significant := map[string]bool{}
	for _, row := range c.tables["terms-drop"].Rows {
		significant[row.Cells[0].Text] = row.Cells[2].Significant
	}
	if !significant["Omission"] || significant["Literalization"] || significant["Pragmatic shift"] {
		c.t.Errorf("bleu punishes omissions alone, and is sensitive to %v", significant)
	}

	for _, q := range rules.Spans.Questions {
		var units [][]float64
		var terms []string // of units
		equal := 0
		for _, x := range distinct(judged, func(x judgedTerm) string { return x.system + x.term }) {
			var unit []float64
			for _, o := range judged {
				if o.system+o.term == x {
					answer := o.answer
					if q.Name == "error" {
						answer = o.wrong
					}
					if answer != "" {
						unit = append(unit, float64(slices.IndexFunc(q.Options, func(o protocol.Option) bool { return o.Value == answer })))
					}
				}
			}
			if len(unit) > 1 {
				units, terms = append(units, unit), append(terms, x[1:])
				if slices.Min(unit) == slices.Max(unit) {
					equal++
				}
			}
		}
		c.want("terms-questions", q.Label, "Terms", float64(len(units)))
		c.want("terms-questions", q.Label, "Equal", float64(equal)/float64(len(units)))
		c.want("terms-questions", q.Label, "Alpha", agreement.Alpha(units, agreement.Nominal).Alpha)
		places := make([]int, len(units))
		for i := range places {
			places[i] = i
		}
		in := ofTerms(c, places, func(i int) string { return terms[i] }, func(drawn []int) []float64 {
			equal := 0.0
			for _, i := range drawn {
				if slices.Min(units[i]) == slices.Max(units[i]) {
					equal++
				}
			}
			return []float64{equal / float64(len(drawn))}
		})
		c.bounds("terms-questions-intervals", q.Label, "Equal", in[0])
		answered := termEstimate(places, func(i int) string { return terms[i] })
		c.bounds("terms-questions-intervals", q.Label, "Alpha", answered.jackknife(func(places []int) float64 {
			var of [][]float64
			for _, i := range places {
				of = append(of, units[i])
			}
			return agreement.Alpha(of, agreement.Nominal).Alpha
		}))
	}
	if n := c.done(); n < 200 {
		c.t.Errorf("only %d numbers were compared", n)
	}
}

// TestTermsWithoutAnswers: of terms that nobody has judged only their categories are told, and of none nothing.
func TestTermsWithoutAnswers(t *testing.T) {
	marked := protocol.ErrorSpan{Side: protocol.Source, Start: 0, End: 2, Category: "Social", Answers: map[string]string{"explication": "x"}}
	s := campaign.Segment{DocID: "d", SegmentID: "1", Source: "text", Status: campaign.Ungated, Round: 1, Complete: 1,
		Translations: []campaign.Translation{{Ratings: []campaign.Rating{{Annotator: "a", Round: 1, Rating: protocol.Rating{Spans: []protocol.ErrorSpan{marked}}}}}}}
	section, _ := compute(t, report.Input{Campaign: newCampaign(t, "terms"), Segments: segmentsOf(s)}).Section(report.TermsSection)
	if len(section.Tables) != 1 || section.Tables[0].ID != "terms" || len(section.Tables[0].Rows) != 2 {
		t.Errorf("got %+v", section.Tables)
	}
	s.Status = campaign.Pending
	section, _ = compute(t, report.Input{Campaign: newCampaign(t, "terms"), Segments: segmentsOf(s)}).Section(report.TermsSection)
	if len(section.Tables) != 0 || section.Paragraphs[0] != "There are no terms yet." {
		t.Errorf("got %+v", section)
	}
	if _, ok := compute(t, report.Input{Campaign: newCampaign(t, "sqm"), Segments: segmentsOf()}).Section(report.TermsSection); ok {
		t.Error("a campaign without terms has the section")
	}
}
