package report

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/testenv"
)

// stageOf is a stage with segments that are settled or not.
func stageOf(t *testing.T, id string, next *campaign.Follow, taken int, segments ...campaign.Segment) Stage {
	t.Helper()
	p, ok := protocol.Lookup(id)
	if !ok {
		t.Fatalf("there is no protocol %s", id)
	}
	for i, s := range segments {
		rated := &campaign.Rated{DocID: s.DocID, SegmentID: s.SegmentID, Status: s.Status, Round: s.Round}
		segments[i].Agreement = rated
		if len(s.Translations[0].Ratings) > 1 {
			rated.Decisions = []campaign.Decision{{Round: 1, Passed: s.Round == 1, Pairs: make([]campaign.Pair, 1)}}
		}
	}
	return Stage{Campaign: campaign.Campaign{Title: "The stage " + id, Rules: p, Settings: campaign.DefaultSettings(p)}, Segments: all(segments), Next: next, Taken: taken}
}

func all[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, x := range list {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// answered is a rating of round 1 with answers, written as name=value.
func answered(seconds float64, answers ...string) campaign.Rating {
	r := campaign.Rating{Round: 1, Seconds: seconds, Rating: protocol.Rating{Answers: map[string]protocol.Answer{}, Scores: map[string]float64{}}}
	for _, a := range answers {
		name, value, _ := strings.Cut(a, "=")
		switch name {
		case "difficulty":
			var x float64
			fmt.Sscan(value, &x)
			r.Scores[name] = x
		case "phenomena":
			r.Answers[name] = protocol.Answer{Several: strings.Split(value, "+")}
		default:
			r.Answers[name] = protocol.Answer{Text: value}
		}
	}
	return r
}

func segment(id, domain string, status campaign.Status, round int, source string, ratings ...campaign.Rating) campaign.Segment {
	for i := range ratings {
		ratings[i].Annotator = string(rune('a' + i))
		ratings[i].Round = 1
	}
	return campaign.Segment{SegmentID: id, Domain: domain, Status: status, Round: round, Complete: round, Source: source, Translations: []campaign.Translation{{Ratings: ratings}}}
}

// TestChainSection: every number of a small chain is as counted by hand.
func TestChainSection(t *testing.T) {
	inspect, _ := protocol.Lookup("inspect")
	kept, err := campaign.NewFollow(inspect, []string{"keep=yes", "difficulty>=3"}, []string{"source"})
	if err != nil {
		t.Fatal(err)
	}
	failed := segment("5", "news", campaign.Agreed, 1, "e", answered(5, "keep=yes", "difficulty=3", "cleaned=e"), answered(5, "keep=no", "reason=noise"))
	again := slices.Clone(failed.Translations[0].Ratings) // both keep it in round 2
	for i := range again {
		again[i] = answered(5, "keep=yes", "difficulty=4", "cleaned=e")
		again[i].Annotator, again[i].Round = string(rune('a'+i)), 2
	}
	failed.Round, failed.Complete, failed.Translations[0].Ratings = 2, 2, append(failed.Translations[0].Ratings, again...)
	raw := stageOf(t, "inspect", &kept, 2,
		segment("1", "news", campaign.Agreed, 1, "a word #tag", answered(10, "keep=yes", "difficulty=3", "phenomena=idiom+slang", "cleaned=a word"), answered(20, "keep=yes", "difficulty=4", "phenomena=slang", "cleaned=a word")),
		segment("2", "blog", campaign.Agreed, 1, "two", answered(5, "keep=yes", "difficulty=1", "phenomena=slang", "cleaned=two"), answered(5, "keep=yes", "difficulty=2", "phenomena=idiom", "cleaned=two")),
		segment("3", "blog", campaign.Agreed, 1, "###", answered(5, "keep=no", "reason=noise"), answered(5, "keep=no", "reason=noise")),
		segment("4", "blog", campaign.Pending, 1, "four"), failed)
	raw.Campaign.Title, raw.Campaign.Settings.Filter, raw.LeftOut = "Raw", "hard>=2.5", 1
	write := stageOf(t, "reference", nil, 0, segment("1", "news", campaign.Ungated, 1, "a word", answered(60, "best=x", "edited=one words")), segment("5", "news", campaign.Ungated, 1, "e", answered(60, "best=", "edited=new")))
	first := &write
	var list []campaign.Segment
	for s := range first.Segments {
		s.Candidates = []campaign.CandidateText{{Name: "x", Text: "one word"}}
		list = append(list, s)
	}
	first.Segments, first.Campaign.Title = all(list), "Writing"
	raw.Campaign.Settings.Gate = "off"
	if parts, err := readChain(t.Context(), []Stage{raw}, &estimates{}, stat.Bootstrap{}); err != nil || parts[0].judged != 0 {
		t.Errorf("the gate is off and has judged %d segments: %v", parts[0].judged, err)
	}
	raw.Campaign.Settings.Gate = "on"
	parts, err := readChain(t.Context(), []Stage{raw, write}, &estimates{}, stat.Bootstrap{})
	if err != nil {
		t.Fatal(err)
	}
	s := chainSection(parts, Prices{Hour: 36})
	if s.ID == "" {
		t.Fatal("there is no section")
	}
	want := map[string][]string{
		"chain-funnel": {"Raw 5 1 0 0 4 0.8 2 2 0.25 1", "Writing 2 0 0 0 2 1 _ _ NaN 0"},
		"chain-behind": {"Raw does not meet keep=yes 1 0.25", "Raw does not meet difficulty>=3 1 0.25", "Raw a text waits for an adjudicator 0 0"},
		// Of the cleaned sources " #tag" is 5 characters and one word; candidate to text is one letter.
		"chain-edits": {"Raw The cleaned sentence 3 0 0.3333 1.667 0 4 5 0.3333 0 0.8 1", "Writing The reference 1 1 1 1 1 1 1 1 1 1 1"},
		"chain-answers": {"Raw Keep the sentence? Keep 3 0.75", "Raw Keep the sentence? Drop 1 0.25", "Raw Why drop the sentence? Personal data 0 0", "Raw Why drop the sentence? Offence 0 0", "Raw Why drop the sentence? Noise 1 1",
			"Raw Why drop the sentence? Not difficult 0 0", "Raw Why drop the sentence? Other 0 0"},
		// Difficulty: news 3.5 and 4, blog 1.5.
		"chain-domains": {"Raw blog Difficulty  1 1.5 _", "Raw news Difficulty  2 3.75 _", "Raw news What makes it difficult? Slang or unusual spelling 1 _ 1", "Raw blog What makes it difficult? Idiom or set phrase 0 _ 0"},
		// Keep in round 1: yes yes, yes yes, no no, yes no: 1 − 7·(2/8) / ((5·3·2)/8)
		"chain-questions": {"Raw Keep the sentence? 4 0.75 0.5333", "Raw Difficulty 2 0 NaN*"},
		"chain-work":      {"Raw 10 12 1 0.01944 617.1 0.7", "Writing 2 3 1 0.03333 90 1.2"},
	}
	for _, table := range s.Tables {
		var rows []string
		for _, r := range table.Rows {
			var cells []string
			for i, c := range r.Cells {
				switch {
				case c.Blank:
					cells = append(cells, "_")
				case table.Columns[i].Kind == Text:
					cells = append(cells, c.Text)
				default:
					cells = append(cells, fmt.Sprintf("%.4g", c.Value))
				}
			}
			rows = append(rows, strings.Join(cells, " "))
		}
		for _, row := range want[table.ID] {
			row, open := strings.CutSuffix(row, "NaN*")
			if !slices.ContainsFunc(rows, func(got string) bool { return got == row || open && strings.HasPrefix(got, row) }) {
				t.Errorf("%s lacks %q:\n%s", table.ID, row, strings.Join(rows, "\n"))
			}
		}
		delete(want, table.ID)
	}
	if len(want) > 0 {
		t.Errorf("there are no tables %v", want)
	}
	said := strings.Join(s.Paragraphs, "\n")
	for _, sentence := range []string{"Of 5 segments in Raw, 40.0% (2 of 5) are settled in Writing.", "Raw: 33.3% (1 of 3) of the texts “The cleaned sentence” were edited.", "Raw: the filter hard>=2.5 leaves out 20.0% (1 of 5) of the segments.", "Raw: 75.0% (3 of 4) have the answer “Keep”.", "Raw: 25.0% (1 of 4) failed the gate in round 1; of these, 100.0% (1 of 1) are in gold all the same."} {
		if !strings.Contains(said, sentence) {
			t.Errorf("the section lacks %q:\n%s", sentence, said)
		}
	}
}

// TestChainIntervals computes the intervals of a stage a second time, from the segments of the drawn documents.
func TestChainIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 3))
	next, err := campaign.NewFollow(stageOf(t, "inspect", nil, 0).Campaign.Rules, []string{"keep=yes"}, []string{"source"})
	if err != nil {
		t.Fatal(err)
	}
	var segments []campaign.Segment
	for n := range 24 {
		var ratings []campaign.Rating
		keep := []string{"yes", "no"}[random.IntN(2)]
		for range 2 {
			other := keep
			if random.IntN(5) == 0 {
				other = "no"
			}
			if other == "yes" {
				ratings = append(ratings, answered(5+20*random.Float64(), "keep=yes", fmt.Sprint("difficulty=", 1+random.IntN(4)), "phenomena=slang", "cleaned=a word"))
			} else {
				ratings = append(ratings, answered(5+20*random.Float64(), "keep=no", "reason=noise"))
			}
		}
		s := segment(fmt.Sprint(n), "news", campaign.Agreed, 1, "a word"+strings.Repeat("#", random.IntN(3)), ratings...)
		if ratings[0].Answers["keep"].Text != ratings[1].Answers["keep"].Text {
			s.Status = campaign.Discarded
		}
		s.DocID = fmt.Sprint("d", n/3)
		segments = append(segments, s)
	}
	stage := stageOf(t, "inspect", &next, 0, segments...)
	b := stat.Bootstrap{Resamples: 200, Seed: 4, Level: confidence}
	e := &estimates{}
	parts, err := readChain(t.Context(), []Stage{stage, stageOf(t, "sqm", nil, 0)}, e, b)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.draw(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	s := chainSection(parts, Prices{})
	sections := []Section{s}
	addIntervals(sections, 8)
	answer := func(s campaign.Segment) string { return s.Translations[0].Ratings[0].Answers["keep"].Text }
	// mean is a statistic of segments, over those where it is defined.
	mean := func(of func(campaign.Segment) float64) func([]campaign.Segment) float64 {
		return func(segments []campaign.Segment) float64 {
			var values []float64
			for _, s := range segments {
				if v := of(s); v == v {
					values = append(values, v)
				}
			}
			return stat.Mean(values)
		}
	}
	is := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	settled := func(of func(campaign.Segment) float64) func(campaign.Segment) float64 {
		return func(s campaign.Segment) float64 {
			if !s.Status.InGold() {
				return undefined
			}
			return of(s)
		}
	}
	kept := func(of func(campaign.Segment) float64) func(campaign.Segment) float64 {
		return settled(func(s campaign.Segment) float64 {
			if answer(s) != "yes" {
				return undefined
			}
			return of(s)
		})
	}
	equal := func(s campaign.Segment) float64 { return is(s.Status.InGold()) }
	for _, x := range []struct {
		table, row, column string
		of                 func([]campaign.Segment) float64
		over               func(campaign.Segment) float64 // defined for the segments with data
	}{
		{"chain-funnel-intervals", "The stage inspect", "Share Low", mean(equal), equal},
		{"chain-behind", "does not meet keep=yes", "95% interval Low", mean(settled(func(s campaign.Segment) float64 { return is(answer(s) != "yes") })), settled(equal)},
		{"chain-answers", "Keep", "95% interval Low", mean(settled(func(s campaign.Segment) float64 { return is(answer(s) == "yes") })), settled(equal)},
		{"chain-edits-intervals", "The cleaned sentence", "Edited Low", mean(kept(func(s campaign.Segment) float64 { return is(len(s.Source) > 6) })), kept(equal)},
		{"chain-edits-intervals", "The cleaned sentence", "Characters Mean Low", mean(kept(func(s campaign.Segment) float64 { return float64(len(s.Source) - 6) })), kept(equal)},
		{"chain-domains-intervals", "Difficulty", "Mean Low", mean(kept(func(s campaign.Segment) float64 {
			return (s.Translations[0].Ratings[0].Scores["difficulty"] + s.Translations[0].Ratings[1].Scores["difficulty"]) / 2
		})), kept(equal)},
		{"chain-questions-intervals", "Keep the sentence?", "Equal Low", mean(equal), equal},
		{"chain-questions-intervals", "Keep the sentence?", "Alpha Low", func(segments []campaign.Segment) float64 {
			var units [][]float64
			for _, s := range segments {
				units = append(units, []float64{is(answer(s) == "yes"), is(s.Translations[0].Ratings[1].Answers["keep"].Text == "yes")})
			}
			return agreement.Alpha(units, agreement.Nominal).Alpha
		}, equal},
	} {
		var order []string
		by := map[string][]campaign.Segment{}
		for _, s := range segments {
			if v := x.over(s); v == v {
				if by[s.DocID] == nil {
					order = append(order, s.DocID)
				}
				by[s.DocID] = append(by[s.DocID], s)
			}
		}
		drawn, err := stat.Resample(t.Context(), len(order), b.Resamples, b.Seed, func(sample []int) float64 {
			var segments []campaign.Segment
			for _, k := range sample {
				segments = append(segments, by[order[k]]...)
			}
			return x.of(segments)
		})
		if err != nil {
			t.Fatal(err)
		}
		want := stat.PercentileInterval(drawn, stat.ExpandedLevel(confidence, len(order)))
		if strings.HasPrefix(x.column, "Alpha") {
			var without []float64
			for _, document := range order {
				without = append(without, x.of(slices.DeleteFunc(slices.Clone(segments), func(s campaign.Segment) bool { return s.DocID == document })))
			}
			want = stat.JackknifeInterval(x.of(segments), without, confidence)
			want.Low, want.High = max(-1, want.Low), min(1, want.High)
		}
		found := false
		for _, table := range sections[0].Tables {
			for _, row := range table.Rows {
				if table.ID != x.table || !slices.ContainsFunc(row.Cells, func(c Cell) bool { return c.Text == x.row }) {
					continue
				}
				for i, column := range table.Columns {
					if strings.Join(append(slices.Clone(column.Group), column.Name), " ") == x.column {
						found = true
						if got := (stat.Interval{Low: row.Cells[i].Value, High: row.Cells[i+1].Value, Resamples: want.Resamples}); !testenv.Near(got.Low, want.Low, 1e-9) || !testenv.Near(got.High, want.High, 1e-9) {
							t.Errorf("%s of %s in %s: got %+v, want %+v", x.column, x.row, x.table, got, want)
						}
					}
				}
			}
		}
		if !found {
			t.Errorf("there is no %s of %s in %s", x.column, x.row, x.table)
		}
	}
}
