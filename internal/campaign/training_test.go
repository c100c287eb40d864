package campaign_test

import (
	"math"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

func mark(start, end int, severity string) protocol.ErrorSpan {
	return protocol.ErrorSpan{Side: protocol.Target, Start: start, End: end, Severity: severity}
}

// TestJudgeTraining holds the parts of a training rating to the rule: scores within the tolerance,
// marks with the right words and severity.
func TestJudgeTraining(t *testing.T) {
	sqm, _ := protocol.Lookup("sqm")
	esa, _ := protocol.Lookup("esa")
	mqm, _ := protocol.Lookup("mqm")
	scored := func(name string, x float64, spans ...protocol.ErrorSpan) protocol.Rating {
		return protocol.Rating{Scores: map[string]float64{name: x}, Spans: spans}
	}
	inspect, _ := protocol.Lookup("inspect")
	reference, _ := protocol.Lookup("reference")
	answers := func(pairs ...any) (r protocol.Rating) {
		r.Answers = map[string]protocol.Answer{}
		for i := 0; i < len(pairs); i += 2 {
			switch x := pairs[i+1].(type) {
			case string:
				r.Answers[pairs[i].(string)] = protocol.Answer{Text: x}
			case []string:
				r.Answers[pairs[i].(string)] = protocol.Answer{Several: x}
			}
		}
		return r
	}
	source := mark(0, 10, "major")
	source.Side = protocol.Source
	for name, c := range map[string]struct {
		p             *protocol.Protocol
		given, answer protocol.Rating
		tolerance     float64
		want          float64
		verdicts      []campaign.MarkVerdict
	}{
		"equal":                       {sqm, scored("sqm", 3), scored("sqm", 3), 0, 1, nil},
		"the same choice":             {inspect, answers("keep", "no", "reason", "noise"), answers("keep", "no", "reason", "noise"), 0, 1, nil},
		"another choice":              {inspect, answers("keep", "yes", "reason", "noise"), answers("keep", "no", "reason", "noise"), 0, 0.5, nil},
		"two of three options":        {inspect, answers("keep", "yes", "phenomena", []string{"idiom", "slang"}), answers("keep", "yes", "phenomena", []string{"slang"}), 0, (1 + 2.0/3) / 2, nil},
		"texts are not judged":        {reference, answers("best", "x", "edited", "y"), answers("best", "x", "edited", "z"), 0, 1, nil},
		"at the tolerance":            {sqm, scored("sqm", 2), scored("sqm", 3), 1, 1, nil},
		"beyond it":                   {sqm, scored("sqm", 1), scored("sqm", 3), 1, 0, nil},
		"not given":                   {sqm, protocol.Rating{}, scored("sqm", 3), 4, 0, nil},
		"no answer":                   {sqm, scored("sqm", 3), protocol.Rating{}, 0, 1, nil},
		"no marks on either":          {mqm, protocol.Rating{NoErrors: true}, protocol.Rating{}, 0, 1, nil},
		"missed":                      {mqm, protocol.Rating{NoErrors: true}, protocol.Rating{Spans: []protocol.ErrorSpan{mark(0, 5, "major")}}, 0, 0, []campaign.MarkVerdict{campaign.MarkMissed}},
		"superfluous":                 {mqm, protocol.Rating{Spans: []protocol.ErrorSpan{mark(0, 5, "major")}}, protocol.Rating{}, 0, 0, []campaign.MarkVerdict{campaign.MarkSuperfluous}},
		"half of the words":           {mqm, protocol.Rating{Spans: []protocol.ErrorSpan{mark(0, 10, "major")}}, protocol.Rating{Spans: []protocol.ErrorSpan{mark(5, 10, "major")}}, 0, 1, []campaign.MarkVerdict{campaign.MarkFound}},
		"less than half":              {mqm, protocol.Rating{Spans: []protocol.ErrorSpan{mark(0, 10, "major")}}, protocol.Rating{Spans: []protocol.ErrorSpan{mark(6, 10, "major")}}, 0, 0, []campaign.MarkVerdict{campaign.MarkSuperfluous, campaign.MarkMissed}},
		"another severity":            {mqm, protocol.Rating{Spans: []protocol.ErrorSpan{mark(0, 5, "minor")}}, protocol.Rating{Spans: []protocol.ErrorSpan{mark(0, 5, "major")}}, 0, 0.5, []campaign.MarkVerdict{campaign.MarkSeverity}},
		"another side":                {mqm, protocol.Rating{Spans: []protocol.ErrorSpan{mark(0, 10, "major")}}, protocol.Rating{Spans: []protocol.ErrorSpan{source}}, 0, 0, []campaign.MarkVerdict{campaign.MarkSuperfluous, campaign.MarkMissed}},
		"a gap":                       {mqm, protocol.Rating{Spans: []protocol.ErrorSpan{mark(4, 4, "minor")}}, protocol.Rating{Spans: []protocol.ErrorSpan{mark(4, 4, "minor")}}, 0, 1, []campaign.MarkVerdict{campaign.MarkFound}},
		"one found, one more":         {mqm, protocol.Rating{Spans: []protocol.ErrorSpan{mark(20, 25, "minor"), mark(0, 5, "major")}}, protocol.Rating{Spans: []protocol.ErrorSpan{mark(0, 5, "major")}}, 0, 2.0 / 3, []campaign.MarkVerdict{campaign.MarkSuperfluous, campaign.MarkFound}},
		"one answer for two":          {mqm, protocol.Rating{Spans: []protocol.ErrorSpan{mark(0, 5, "major"), mark(5, 10, "major")}}, protocol.Rating{Spans: []protocol.ErrorSpan{mark(0, 10, "major")}}, 0, 2.0 / 3, []campaign.MarkVerdict{campaign.MarkFound, campaign.MarkSuperfluous}},
		"score right, marks missed":   {esa, scored("score", 60), scored("score", 70, mark(0, 5, "major")), 10, 0.5, []campaign.MarkVerdict{campaign.MarkMissed}},
		"score wrong, severity wrong": {esa, scored("score", 40, mark(0, 5, "minor")), scored("score", 70, mark(0, 5, "major")), 10, 0.25, []campaign.MarkVerdict{campaign.MarkSeverity}},
	} {
		f := campaign.JudgeTraining(c.p, c.given, c.answer, c.tolerance, map[string]string{"x": "one"})
		if math.Abs(f.Value-c.want) > 1e-12 {
			t.Errorf("%s: the value is %v, want %v", name, f.Value, c.want)
		}
		if len(f.Marks) != len(c.verdicts) {
			t.Errorf("%s: %d marks, want %v", name, len(f.Marks), c.verdicts)
			continue
		}
		for i, m := range f.Marks {
			if m.Verdict != c.verdicts[i] || (m.Given == nil) != (m.Verdict == campaign.MarkMissed) || (m.Answer == nil) != (m.Verdict == campaign.MarkSuperfluous) {
				t.Errorf("%s: mark %d is %+v, want %s", name, i, m, c.verdicts[i])
			}
		}
	}
}

// TestJudgeSegment: every translation that the answer rates counts, in the order asked for.
func TestJudgeSegment(t *testing.T) {
	sqm, _ := protocol.Lookup("sqm")
	rating := func(x float64) protocol.Rating { return protocol.Rating{Scores: map[string]float64{"sqm": x}} }
	a := campaign.TrainingAnswer{Ratings: map[string]protocol.Rating{"a": rating(4), "b": rating(0)}, Tolerance: 1}
	got := a.JudgeSegment(sqm, map[string]protocol.Rating{"a": rating(4), "b": rating(4), "c": rating(4)}, []string{"c", "b", "a"}, nil)
	if len(got) != 2 || got[0].TranslationID != "b" || got[1].TranslationID != "a" || campaign.Value(got) != 0.5 {
		t.Errorf("the feedback is %+v", got)
	}
	for id, want := range map[string]float64{"sqm": 1, "esa": 10, "rate": 10, "mqm": 1} {
		p, _ := protocol.Lookup(id)
		if got := campaign.DefaultTolerance(p); got != want {
			t.Errorf("%s: the tolerance is %v, want %v", id, got, want)
		}
	}
}

// TestStanding: who must train, who has qualified, and who waits for the lead.
func TestStanding(t *testing.T) {
	on := campaign.TrainingRules{Required: true, Segments: 3, Share: 0.8, Attempts: 2}
	everyone := on
	everyone.Everyone = true
	failed := func(n int) campaign.TrainingAttempt {
		return campaign.TrainingAttempt{Number: n, Done: 3, Finished: true, Share: 0.5}
	}
	passed := campaign.TrainingAttempt{Number: 2, Done: 3, Finished: true, Share: 0.9, Passed: true}
	under := campaign.TrainingAttempt{Number: 2, Done: 1}
	for name, c := range map[string]struct {
		training campaign.TrainingRules
		who      campaign.Trainee
		want     campaign.TrainingState
		attempt  int
		of       int
	}{
		"switched off":             {campaign.TrainingRules{Segments: 3, Attempts: 2}, campaign.Trainee{}, campaign.NoTraining, 0, 2},
		"no segments":              {campaign.TrainingRules{Required: true, Attempts: 2}, campaign.Trainee{}, campaign.NoTraining, 0, 2},
		"a newcomer":               {on, campaign.Trainee{}, campaign.TrainingNeeded, 1, 2},
		"rated before":             {on, campaign.Trainee{RatedBefore: true}, campaign.TrainingExempt, 0, 2},
		"everyone":                 {everyone, campaign.Trainee{RatedBefore: true}, campaign.TrainingNeeded, 1, 2},
		"rated before, must":       {on, campaign.Trainee{RatedBefore: true, Decision: campaign.TraineeMust}, campaign.TrainingNeeded, 1, 2},
		"failed once":              {on, campaign.Trainee{Attempts: []campaign.TrainingAttempt{failed(1)}}, campaign.TrainingNeeded, 2, 2},
		"at the second":            {on, campaign.Trainee{Attempts: []campaign.TrainingAttempt{failed(1), under}}, campaign.TrainingNeeded, 2, 2},
		"passed the second":        {on, campaign.Trainee{Attempts: []campaign.TrainingAttempt{failed(1), passed}}, campaign.TrainingPassed, 0, 2},
		"failed twice":             {on, campaign.Trainee{Attempts: []campaign.TrainingAttempt{failed(1), failed(2)}}, campaign.TrainingDecides, 0, 2},
		"one more":                 {on, campaign.Trainee{Further: 1, Attempts: []campaign.TrainingAttempt{failed(1), failed(2)}}, campaign.TrainingNeeded, 3, 3},
		"overruled":                {on, campaign.Trainee{Decision: campaign.TraineeQualified, Attempts: []campaign.TrainingAttempt{failed(1), failed(2)}}, campaign.TrainingPassed, 0, 2},
		"qualification taken back": {on, campaign.Trainee{Decision: campaign.TraineeMust, Since: 2, Attempts: []campaign.TrainingAttempt{failed(1), passed}}, campaign.TrainingNeeded, 1, 2},
		"fewer attempts meanwhile": {campaign.TrainingRules{Required: true, Segments: 3, Attempts: 1}, campaign.Trainee{Attempts: []campaign.TrainingAttempt{failed(1), under}}, campaign.TrainingNeeded, 2, 1},
	} {
		got := c.training.Standing(c.who)
		if got.State != c.want || got.Attempt != c.attempt || got.Of != c.of {
			t.Errorf("%s: %+v, want %s, attempt %d of %d", name, got, c.want, c.attempt, c.of)
		}
		may := c.want != campaign.TrainingNeeded && c.want != campaign.TrainingDecides
		if got.MayWork() != may {
			t.Errorf("%s: may work is %t", name, got.MayWork())
		}
	}
	if !on.Reaches(0.8-1e-12) || on.Reaches(0.79) {
		t.Error("the share is compared wrongly")
	}
}
