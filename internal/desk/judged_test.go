package desk_test

import (
	"fmt"
	"math"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/judgeruns"
	"annotate/internal/store/storetest"
)

// judge imports the scores of a judge for each segment, in the order of the systems. NaN stands for
// an answer that could not be parsed.
func judge(t *testing.T, s *storetest.Sample, name string, segments map[string][]float64) {
	t.Helper()
	var lines []campaign.JudgementLine
	for segment, scores := range segments {
		for i, x := range scores {
			j := campaign.JudgementLine{SegmentID: segment, System: s.Systems[i], Judgement: campaign.Judgement{Judge: name, Status: campaign.JudgementOK, Score: &x}}
			if math.IsNaN(x) {
				j.Status, j.Score = campaign.JudgementUnparsable, nil
			}
			lines = append(lines, j)
		}
	}
	storetest.Must(s.Store.Intake.ImportJudgements(t.Context(), s.Campaign.ID, storetest.JudgementLines(lines...), intake.ImportOptions{}))(t)
}

// ratedTwice returns a campaign with four segments of three systems. The annotators agree in round 2
// of one segment and in round 1 of another. The third has a single annotator. The fourth has the
// ratings of an annotator who is set aside.
func ratedTwice(t *testing.T, db *storetest.DB) *storetest.Sample {
	s := storetest.Campaign(t, db.Store, storetest.PerDocument(4), storetest.Annotators(3))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	s.RateNext(t, 0, 0, 2, 4) // round 2
	s.RateNext(t, 1, 1, 2, 4)
	s.RateNext(t, 0, 1, 3, 1)
	s.RateNext(t, 1, 1, 4, 2)
	s.RateNext(t, 0, 3, 2, 1)
	s.RateNext(t, 2, 3, 1, 0)
	storetest.SetAside(t, s, 2)
	return s
}

// The page, which reads tallies, shows the same agreement as the command line, which reads ratings.
func TestJudgeAgreement(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := ratedTwice(t, db)
		judge(t, s, "a", map[string][]float64{"s1": {-9, -5, 0}, "s2": {-1, math.NaN(), -3}, "s4": {-1, -2, -3}})
		judge(t, s, "b", map[string][]float64{"s1": {70, 60, 50}, "s3": {10, 20, 30}})
		for _, gold := range []bool{false, true} {
			page := storetest.Must(s.Store.Desk.JudgeAgreement(t.Context(), s.Campaign, gold))(t)
			line := storetest.Must(campaign.AgreementOfJudges(s.Campaign.Rules, s.Store.Desk.RatedSegments(t.Context(), s.Campaign), gold))(t)
			if fmt.Sprint(page) != fmt.Sprint(line) || len(page.Judges) != 2 || len(page.Pairs) < 5 {
				t.Errorf("gold %t: the page has\n%+v\nthe command line\n%+v", gold, page, line)
			}
			for _, p := range page.Pairs {
				if p.Other == "ann3" {
					t.Errorf("%s is set aside, but compared with %s", p.Other, p.Judge)
				}
			}
		}
	})
}

// Judges change neither the gate's decisions nor any bit of the figures about annotators. The test
// compares printed figures, because different numbers are printed differently.
func TestJudgesLeaveFiguresAlone(t *testing.T) {
	s := ratedTwice(t, storetest.Open(t))
	figures := func() string {
		t.Helper()
		standing := storetest.Must(s.Store.Desk.Standing(t.Context(), s.Campaign))(t)
		standing.Version = 0
		out := fmt.Sprintf("%+v\n", standing)
		for _, gold := range []bool{false, true} {
			m := storetest.Must(s.Store.Desk.Matrices(t.Context(), s.Campaign, gold))(t)
			r := storetest.Must(campaign.Agreement(s.Campaign, s.Store.Desk.RatedSegments(t.Context(), s.Campaign), gold))(t)
			out += fmt.Sprintln(m, r.Annotators, r.Statuses, r.FirstFailRate, r.SystemLevel, r.SegmentLevel, r.Alpha, r.Pairs, r.Each, r.Deviation)
			for _, seg := range r.Segments {
				out += fmt.Sprint(seg.SegmentID, seg.Round, seg.Status)
				for _, p := range seg.Pairs {
					if p.R != nil {
						out += fmt.Sprint(*p.R)
					}
					out += fmt.Sprint(p.A, p.B, p.Shared, p.Reason, p.Passed)
				}
			}
		}
		p := s.Progress(t)
		for _, a := range p.Annotators {
			out += fmt.Sprintf("%s %d %v %v\n", a.User.Login, a.Ratings, a.Conduct, a.Flags)
		}
		return out
	}
	before := figures()
	judge(t, s, "ann1", map[string][]float64{"s1": {-9, -5, 0}, "s2": {-1, -8, -3}, "s3": {1, 1, 1}})
	if after := figures(); after != before {
		t.Errorf("without a judge\n%s\nwith a judge\n%s", before, after)
	}
}

// The state changes with each judgement and each rating.
func TestJudgedState(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := ratedTwice(t, db)
		state := func() string {
			t.Helper()
			text := storetest.Must(s.Store.Desk.JudgedState(t.Context(), s.Campaign.ID))(t)
			return text
		}
		if got := state(); got != "" {
			t.Errorf("without judges the state is %q", got)
		}
		seen := map[string]string{"": "no judge"}
		is := func(what string) {
			t.Helper()
			if before, ok := seen[state()]; ok {
				t.Errorf("after %s the state is that of %s", what, before)
			}
			seen[state()] = what
		}
		judge(t, s, "a", map[string][]float64{"s1": {-9, -5, 0}})
		is("an import")
		judge(t, s, "a", map[string][]float64{"s1": {0, -5, -9}})
		is("an import that replaces judgements")
		s.RateNext(t, 1, 1, 2, 3)
		is("a submission")
		storetest.Restore(t, s, 2)
		is("an annotator who counts again")
		running := storetest.Must(s.Store.JudgeRuns.BeginJudge(t.Context(), s.Campaign, judgeruns.JudgeSpec{Name: "run", Method: "m", Model: "m"}, ""))(t)
		is("the begin of a run")
		units := storetest.Must(running.Units(t.Context(), 0, 1))(t)
		score := 1.0
		storetest.Must(running.Keep(t.Context(), []judgeruns.KeptJudgement{{TranslationID: units[0].Translations[0].ID, Judgement: campaign.Judgement{Judge: "run", Status: campaign.JudgementOK, Score: &score}}}, nil))(t)
		is("a judgement of a run")
		s.Change(t, "gate=off")
		is("another setting of the gate")
	})
}
