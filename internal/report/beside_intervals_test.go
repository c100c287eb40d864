package report_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/report"
	"annotate/internal/stat"
)

// besideSides makes two ESA campaigns of eight documents over the same translations by three systems, with two annotators each.
func besideSides(t *testing.T) [2]report.Side {
	random := rand.New(rand.NewPCG(4, 2))
	var sides [2]report.Side
	for i, people := range [][]string{{"ann", "bob"}, {"cid", "dan"}} {
		var segments []campaign.Segment
		for n := range 20 {
			systems := make([][]mark, 3)
			for k := range systems {
				for _, who := range people {
					m := esa(who, float64(30+20*k+random.IntN(40)))
					for range random.IntN(3) {
						start := random.IntN(20)
						m.errors = append(m.errors, [2]int{start, start + 2 + random.IntN(6)})
					}
					systems[k] = append(systems[k], m)
				}
			}
			s := besideSegment(fmt.Sprint("s", n), "minor", systems...)
			s.DocID, s.Domain = fmt.Sprint("d", n*8/20), []string{"news", "talks"}[n%2]
			for k := range s.Translations {
				for r := range s.Translations[k].Ratings {
					s.Translations[k].Ratings[r].Seconds = 5 + 40*random.Float64()
				}
			}
			if i == 0 {
				s.Translations[0].Judgements = []campaign.Judgement{{Judge: "j", Status: campaign.JudgementOK, Spans: append([]protocol.ErrorSpan{}, s.Translations[1].Ratings[0].Spans...)}}
			}
			segments = append(segments, s)
		}
		sides[i] = report.Side{Label: []string{"first", "second"}[i], Campaign: newCampaign(t, "esa"), Segments: segmentsOf(segments...)}
	}
	return sides
}

// TestBesideIntervals computes the intervals of two campaigns a second time, from the segments of the drawn documents.
func TestBesideIntervals(t *testing.T) {
	sides := besideSides(t)
	r, err := report.Compute(context.Background(), report.Input{Campaign: sides[0].Campaign, Segments: judged(sides[0].Campaign, sides[0].Segments), Sides: sides[:], Options: report.Options{Resamples: 100, Seed: 4,
		Systems: []report.SystemAbout{{System: "A", Class: "LLM"}, {System: "C", Class: "LLM"}}}})
	if err != nil {
		t.Fatal(err)
	}
	c := newChecker(t, r)
	var both plainEstimate[[2]campaign.Segment]
	var first []campaign.Segment
	for s := range sides[0].Segments {
		first = append(first, s)
	}
	for s := range sides[1].Segments {
		both.add(s.DocID, [2]campaign.Segment{first[len(both.items)], s})
	}
	names := []string{"first: ESA score", "second: ESA score"}
	var times []float64 // of the second campaign, in the domain talks
	for _, s := range both.items {
		for _, tr := range s[1].Translations {
			for _, r := range tr.Ratings {
				if s[1].Domain == "talks" {
					times = append(times, r.Seconds)
				}
			}
		}
	}
	slices.Sort(times)
	in := both.interval(c, func(segments [][2]campaign.Segment) (values []float64) {
		var scores [2][]float64
		var bySystem [2][3][]float64
		var seconds, errors, none [2][]float64
		var rs, alike, ofA, ofB, found, below []float64
		var spans spanCounts
		for _, s := range segments {
			for i := range s {
				for k, tr := range s[i].Translations {
					score := (tr.Ratings[0].Scores["score"] + tr.Ratings[1].Scores["score"]) / 2
					scores[i], bySystem[i][k] = append(scores[i], score), append(bySystem[i][k], score)
					for _, r := range tr.Ratings {
						clean := 0.0
						if len(r.Spans) == 0 {
							clean = 1
						}
						if i == 1 && s[1].Domain == "talks" {
							half := 0.0
							if r.Seconds < (times[len(times)/2-1]+times[len(times)/2])/2 {
								half = 1
							}
							below = append(below, half)
						}
						seconds[i], errors[i], none[i] = append(seconds[i], r.Seconds), append(errors[i], float64(len(r.Spans))), append(none[i], clean)
					}
				}
			}
			for a := range 2 {
				for b := range 2 {
					var x, y []float64
					for k := range 3 {
						u, v := s[0].Translations[k].Ratings[a], s[1].Translations[k].Ratings[b]
						x, y = append(x, u.Scores["score"]), append(y, v.Scores["score"])
						spans.compare(u.Spans, v.Spans, 0.5)
						ofB, ofA = append(ofB, plainOverlap(u.Spans, v.Spans)), append(ofA, plainOverlap(v.Spans, u.Spans))
					}
					if r := stat.Pearson(x, y); r == r {
						rs = append(rs, r)
					}
				}
			}
			for b := range 2 {
				found = append(found, plainOverlap(s[0].Translations[0].Judgements[0].Spans, s[1].Translations[0].Ratings[b].Spans))
			}
		}
		var means [2][]float64
		for i := range means {
			for k := range 3 {
				means[i] = append(means[i], stat.Mean(bySystem[i][k]))
			}
		}
		alike = append(alike, spans.alike/spans.n)
		return slices.Concat(
			[]float64{stat.Pearson(scores[0], scores[1]), stat.Spearman(means[0], means[1]), stat.TauB(means[0], means[1]), means[1][2]},
			[]float64{stat.Mean(rs), stat.Mean(ofB), stat.Mean(ofA), alike[0], spans.charF1(0), spans.matchF1(0)},
			[]float64{stat.Mean(seconds[1]), stat.Mean(errors[1]), stat.Mean(none[1]), stat.Mean(found)},
			[]float64{(means[0][0] + means[0][2]) / 2, stat.Mean(below)},
			[]float64{means[1][2] - means[0][2], stat.Mean(scores[1]) - stat.Mean(scores[0])},
		)
	})
	for i, cell := range [][3]string{
		{"beside-translations-intervals", names[0], names[1]}, {"beside-ranks-intervals", names[0], names[1]}, {"beside-ranks-intervals", names[1], names[0]},
		{"beside-systems-intervals", "C", "second|ESA score|Mean"},
		{"beside-agreement-intervals", "first", "second"}, {"beside-overlap-intervals", "first", "B|second"}, {"beside-overlap-intervals", "second", "B|first"},
		{"beside-spans-intervals", "first|second", "Presence"}, {"beside-spans-intervals", "first|second", "F1|Characters"}, {"beside-spans-intervals", "first|second", "F1|Matches"},
		{"beside-work-intervals", "second", "Active time|Mean (s)"}, {"beside-work-intervals", "second", "Errors|A rating"}, {"beside-work-intervals", "second", "Errors|None"},
		{"beside-overlap-intervals", "j", "B|second"},
		{"systems-classes-intervals", "LLM", "ESA score"}, {"beside-times-intervals", "talks", "second"},
		{"beside-differences", "C|second: ESA score", "95% interval"}, {"beside-differences", "All|second: ESA score", "95% interval"},
	} {
		if cell[0] == "beside-times-intervals" {
			in[i] = plainBounded{stat.Quantile(times, in[i][0]), stat.Quantile(times, in[i][1])}
		}
		c.bounds(cell[0], cell[1], cell[2], in[i])
	}
}

// TestDifferencesBeside: two groups of annotators are compared by system, with p from every change of signs of whole documents.
func TestDifferencesBeside(t *testing.T) {
	sides := besideSides(t)
	var other []campaign.Segment // with another score
	for seg := range besideSides(t)[1].Segments {
		for k := range seg.Translations {
			seg.Translations[k].Ratings = []campaign.Rating{{Annotator: "eve", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": float64(k)}}}}
		}
		other = append(other, seg)
	}
	third := report.Side{Label: "third", Campaign: newCampaign(t, "sqm"), Segments: segmentsOf(other...)}
	r, err := report.Compute(t.Context(), report.Input{Campaign: sides[0].Campaign, Segments: judged(sides[0].Campaign, sides[0].Segments), Sides: append(sides[:], third), Options: report.Options{Resamples: 50, Seed: 4}})
	if err != nil {
		t.Fatal(err)
	}
	scores := map[string][2][]float64{} // by system
	documents := []string{}
	for i, side := range besideSides(t) {
		for seg := range side.Segments {
			if i == 0 {
				documents = append(documents, seg.DocID)
			}
			for _, tr := range seg.Translations {
				both := scores[tr.System]
				both[i] = append(both[i], (tr.Ratings[0].Scores["score"]+tr.Ratings[1].Scores["score"])/2)
				scores[tr.System] = both
			}
		}
	}
	s, _ := r.Section(report.BesideSection)
	if means := tableOf(t, s, "beside-systems"); means.Columns[len(means.Columns)-1].Group[0] != "third" {
		t.Fatalf("the third campaign has no score: %+v", means.Columns)
	}
	table := tableOf(t, s, "beside-differences")
	order := []string{"C", "B", "A", "All"} // from the best of the first campaign
	all := [2][]float64{slices.Concat(scores["A"][0], scores["B"][0], scores["C"][0]), slices.Concat(scores["A"][1], scores["B"][1], scores["C"][1])}
	scores["All"] = all
	var esaRows []report.Row
	for _, row := range table.Rows {
		if row.Cells[1].Text == "second: ESA score" {
			esaRows = append(esaRows, row)
		}
		if !strings.HasPrefix(row.Cells[1].Text, "second: ") {
			t.Errorf("%s is compared, which is no score of the first", row.Cells[1].Text)
		}
	}
	if len(esaRows) != 4 {
		t.Fatalf("there are %d rows", len(esaRows))
	}
	for i, row := range esaRows {
		of := scores[order[i]]
		byDocument := map[string]float64{}
		for k := range of[0] {
			byDocument[documents[k%20]] += of[1][k] - of[0][k]
		}
		var sums []float64
		for _, document := range slices.Compact(slices.Clone(documents)) {
			sums = append(sums, byDocument[document])
		}
		flipped := func(signs int) (sum float64) {
			for u, d := range sums {
				if signs>>u&1 == 1 {
					d = -d
				}
				sum += d
			}
			return math.Abs(sum)
		}
		extreme := 0.0
		for signs := range 1 << len(sums) {
			if flipped(signs) >= flipped(0)-1e-9 {
				extreme++
			}
		}
		want := []float64{float64(len(of[0])), stat.Mean(of[0]), stat.Mean(of[1]), stat.Mean(of[1]) - stat.Mean(of[0])}
		p := extreme / 256
		if row.Cells[0].Text != order[i] || len(sums) != 8 {
			t.Errorf("row %d is of %s, with %d documents", i, row.Cells[0].Text, len(sums))
		}
		for k, v := range want {
			if got := row.Cells[2+k].Value; math.Abs(got-v) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", order[i], table.Columns[2+k].Name, got, v)
			}
		}
		if got := row.Cells[len(row.Cells)-1]; math.Abs(got.Value-p) > 1e-12 || got.Significant != (p < 0.05) {
			t.Errorf("%s: p is %+v, want %v", order[i], got, p)
		}
	}
	if !strings.Contains(table.Note, "8 documents can give is 0.0078") {
		t.Errorf("the note is %s", table.Note)
	}
	methods, _ := r.Section(report.MethodsSection)
	if !strings.Contains(strings.Join(methods.Paragraphs, " "), "compared by its difference over the same translations, with a two-sided paired permutation test (Riezler and Maxwell 2005)") {
		t.Errorf("the methods do not say how: %q", methods.Paragraphs)
	}
}

// TestManyCampaigns: with thirteen campaigns the tables of systems and of intervals are long, and matrices have numbers above their columns. The numbers are
// those of the wide tables of two campaigns.
func TestManyCampaigns(t *testing.T) {
	two := besideSides(t)
	options := report.Options{Resamples: 50, Seed: 4}
	computed := func(sides []report.Side) report.Section {
		r, err := report.Compute(t.Context(), report.Input{Campaign: two[0].Campaign, Segments: judged(two[0].Campaign, two[0].Segments), Sides: sides, Options: options})
		if err != nil {
			t.Fatal(err)
		}
		s, _ := r.Section(report.BesideSection)
		return s
	}
	wide := computed(two[:])
	sides := two[:]
	for n := 3; n <= 13; n++ {
		again := two[(n-1)%2]
		again.Label = fmt.Sprint("c", n)
		sides = append(sides, again)
	}
	long := computed(sides)
	systems, means, bounds := tableOf(t, long, "beside-systems"), tableOf(t, wide, "beside-systems"), tableOf(t, wide, "beside-systems-intervals")
	var row report.Row // of the first system in the last campaign of the second kind
	for _, r := range systems.Rows[:26] {
		if r.Cells[1].Text == "c12: ESA score" {
			row = r
		}
	}
	if len(systems.Rows) != 78 || len(row.Cells) != 6 || row.Cells[0].Text != means.Rows[0].Cells[0].Text {
		t.Fatalf("%d rows, the row is %+v", len(systems.Rows), row)
	}
	for i, want := range []float64{means.Rows[0].Cells[5].Value, bounds.Rows[0].Cells[5].Value, bounds.Rows[0].Cells[6].Value, means.Rows[0].Cells[6].Value} {
		if got := row.Cells[2+i].Value; got != want {
			t.Errorf("%s: got %v, want %v", systems.Columns[2+i].Name, got, want)
		}
	}
	if slices.ContainsFunc(long.Tables, func(x report.Table) bool { return x.ID == "beside-systems-intervals" }) {
		t.Error("the intervals of systems stand in two tables")
	}
	ranks, pairs := tableOf(t, long, "beside-ranks"), tableOf(t, long, "beside-ranks-intervals")
	if ranks.Columns[25].Name != "25" || ranks.Rows[24].Cells[0].Text != "25 c13: ESA score" || len(ranks.Columns) != 27 {
		t.Errorf("the matrix has the columns %+v and the row %q", ranks.Columns, ranks.Rows[24].Cells[0].Text)
	}
	if first := pairs.Rows[1]; len(pairs.Rows) != 26*25 || first.Cells[0].Text != "first: ESA score" || first.Cells[1].Text != "second: ESA score" ||
		first.Cells[2].Value != tableOf(t, wide, "beside-ranks").Rows[0].Cells[3].Value {
		t.Errorf("%d pairs, the first is %+v", len(pairs.Rows), first)
	}
}
