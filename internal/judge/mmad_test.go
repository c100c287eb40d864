package judge

import (
	"reflect"
	"strings"
	"testing"
)

var kang = Task{
	SourceLang: "Chinese", TargetLang: "English", Source: "奶奶坐在炕上纳鞋底。", Translations: []string{"Grandma sat on the sofa, sewing soles, soles."},
	Term: "炕", Explication: "A brick platform heated from below.", Reference: "Grandma sat on the kang, stitching soles.",
}

const (
	noList    = `{"annotations": []}`
	majorList = `{"annotations": [{"error_span": "sofa, a major one", "category": "accuracy/mistranslation", "severity": "major", "is_source_error": "no"}]}`
	minorList = `{"annotations": [{"error_span": "sofa, a major one", "category": "accuracy/mistranslation", "severity": "minor", "is_source_error": "no"}]}`
	wholeList = `{"annotations": [{"error_span": "all", "category": "non-translation", "severity": "major"}]}`
)

func stage1(accuracy string) [][2]string {
	return [][2]string{{"annotate/accuracy", accuracy}, {"annotate/fluency", noList}, {"annotate/terminology", noList}, {"annotate/style", noList}}
}

// TestDebate checks who is asked what in a debate of two rounds.
func TestDebate(t *testing.T) {
	x := transcript(t, "m-mad", kang)
	open, _ := x.Next()
	if len(open) != 4 {
		t.Errorf("%d annotators can be asked at once, want 4", len(open))
	}
	for _, c := range open {
		if c.Temperature != 0 || c.MaxTokens != 1000 || len(c.Messages) != 10 || c.Messages[0].Role != "system" || c.Messages[9].Role != "user" {
			t.Errorf("%s: %d messages, want the system message, four worked examples and the segment", c.Step, len(c.Messages))
		}
		mustHold(t, c, "non-translation", kang.Source, kang.Translations[0], "Chinese source", "English translation", "is_source_error")
	}
	mustHold(t, open[0], "untranslated text", "accuracy/mistranslation")
	mustHold(t, open[1], "character encoding", "fluency/spelling")
	mustHold(t, open[2], "inconsistent use", "terminology/inappropriate for context")
	mustHold(t, open[3], "awkward", "style/awkward")
	mustLack(t, open[3], "untranslated text")

	calls := converse(t, x, append(stage1(majorList),
		[2]string{"debate/accuracy/round 1/side A", "I stand by it, says A.\n" + majorList},
		[2]string{"debate/accuracy/round 1/side B", "I think it is small, says B.\n" + minorList},
		[2]string{"debate/accuracy/round 1/consensus", "No"},
		[2]string{"debate/accuracy/round 2/side A", "Agreed, says A.\n" + minorList},
		[2]string{"debate/accuracy/round 2/side B", "Still small, says B.\n" + minorList},
		[2]string{"debate/accuracy/round 2/consensus", "yes"},
		[2]string{"judge", minorList}))

	a1, b1 := calls["debate/accuracy/round 1/side A"], calls["debate/accuracy/round 1/side B"]
	for _, c := range []Call{a1, b1} {
		if len(c.Messages) != 4 || c.Messages[2].Role != "assistant" || c.Temperature != 0 {
			t.Errorf("%s: %+v, want the role, the segment, the own annotations and those of the other side", c.Step, c.Messages)
		}
		mustHold(t, c, "accuracy", kang.Source, kang.Translations[0])
	}
	// Side A keeps the severity of stage 1. Side B has every major error minor, and the words as they are.
	if own := a1.Messages[2].Content; !strings.Contains(own, `"severity":"major"`) {
		t.Errorf("side A begins with %s", own)
	}
	if own := b1.Messages[2].Content; !strings.Contains(own, `"severity":"minor"`) || !strings.Contains(own, "a major one") {
		t.Errorf("side B begins with %s", own)
	}
	if !strings.Contains(a1.Messages[3].Content, b1.Messages[2].Content) || !strings.Contains(b1.Messages[3].Content, a1.Messages[2].Content) {
		t.Error("the sides do not get each other's first view")
	}
	// Both speak at once: in round 2 each answers what the other said in round 1.
	a2, b2 := calls["debate/accuracy/round 2/side A"], calls["debate/accuracy/round 2/side B"]
	mustHold(t, a2, "I think it is small, says B.", "I stand by it, says A.")
	mustHold(t, b2, "I stand by it, says A.")
	mustLack(t, b2, "Agreed, says A.")
	if len(a2.Messages) != 6 {
		t.Errorf("round 2 has %d messages for side A, want 6", len(a2.Messages))
	}
	check := calls["debate/accuracy/round 2/consensus"]
	mustHold(t, check, `"severity":"minor"`)
	mustLack(t, check, `"severity":"major"`, "says A")
	judge := calls["judge"]
	mustHold(t, judge, "accuracy, fluency, terminology, style", kang.Source, kang.Translations[0], `"severity":"minor"`, `{"annotations":[]}`)
	if j := x.Judgements()[0]; *j.Score != -1 {
		t.Errorf("%+v, want -1", j)
	}
}

// TestBothSidesSpeakAtOnce checks that neither side waits for the other, nor one dimension for another.
func TestBothSidesSpeakAtOnce(t *testing.T) {
	x := transcript(t, "m-mad", kang)
	open, _ := x.Next()
	for i, reply := range []string{majorList, noList, strings.ReplaceAll(majorList, "accuracy/mistranslation", "terminology/inconsistent use"), noList} {
		x.Answer(open[i], Reply{Text: reply})
	}
	var steps []string
	open, _ = x.Next()
	for _, c := range open {
		steps = append(steps, c.Step)
	}
	want := []string{"debate/accuracy/round 1/side A", "debate/accuracy/round 1/side B", "debate/terminology/round 1/side A", "debate/terminology/round 1/side B"}
	if !reflect.DeepEqual(steps, want) {
		t.Errorf("%q, want %q", steps, want)
	}
}

func TestNoConsensus(t *testing.T) {
	turns := stage1(majorList)
	for _, round := range []string{"1", "2", "3"} {
		turns = append(turns,
			[2]string{"debate/accuracy/round " + round + "/side A", minorList},
			[2]string{"debate/accuracy/round " + round + "/side B", noList},
			[2]string{"debate/accuracy/round " + round + "/consensus", "Consistent."})
	}
	x := transcript(t, "m-mad", kang)
	calls := converse(t, x, append(turns, [2]string{"judge", majorList}))
	mustHold(t, calls["judge"], `"severity":"major"`) // the view of stage 1
	mustLack(t, calls["judge"], `"severity":"minor"`)
}

func TestUnreadableDebater(t *testing.T) {
	x := transcript(t, "m-mad", kang)
	calls := converse(t, x, append(stage1(majorList),
		[2]string{"debate/accuracy/round 1/side A", "I will not say."},
		[2]string{"debate/accuracy/round 1/side B", `{"annotations": [{"error_span": "sofa"}]}`}, // no severity
		[2]string{"debate/accuracy/round 1/consensus", "yes"},
		[2]string{"judge", majorList}))
	mustHold(t, calls["debate/accuracy/round 1/consensus"], `"severity":"major"`, `"severity":"minor"`) // both keep their first lists
	mustHold(t, calls["judge"], `"severity":"major"`)
}

func TestNonTranslationIsDebated(t *testing.T) {
	x := transcript(t, "m-mad", kang)
	calls := converse(t, x, append(stage1(wholeList),
		[2]string{"debate/accuracy/round 1/side A", noList},
		[2]string{"debate/accuracy/round 1/side B", noList},
		[2]string{"debate/accuracy/round 1/consensus", "yes"},
		[2]string{"judge", wholeList}))
	mustHold(t, calls["debate/accuracy/round 1/side A"], "I do not think that this is a non-translation")
	j := x.Judgements()[0]
	if want := (Place{SideTarget, 0, 45, true}); *j.Score != -25 || j.Scores["score_eq1"] != -5 || j.Errors[0].Place != want {
		t.Errorf("%+v, want -25 over the whole translation", j)
	}
}

func TestFinalList(t *testing.T) {
	for _, tt := range []struct {
		reply  string
		score  float64 // positive: unparsable
		errors int
	}{
		{`[{"error_span": "soles", "category": "fluency/punctuation", "severity": "Minor"}, {"error_span": "soles", "category": "Fluency / Punctuation", "severity": "minor"}, {"error_span": "sofa", "category": "accuracy", "severity": "minor"}]`, -1.2, 3},
		{`{"annotations": {"error_span": "sofa", "category": "style/awkward", "severity": "CRITICAL"}}`, -5, 1},
		{`{"annotations": [{"error_span": "sofa", "category": "style/awkward", "severity": "neutral"}]}`, 0, 1},
		{`{"annotations": [{"error_span": "a", "category": "x", "severity": "minor"}, {"error_span": "", "category": "Non-translation!", "severity": "minor"}]}`, -25, 1},
		{`{"annotations": [{"error_span": "sofa", "category": "style/awkward"}]}`, 1, 0},
		{`{"annotations": [{"error_span": "sofa", "category": "style/awkward", "severity": "huge"}]}`, 1, 0},
		{`{"annotations": "none"}`, 1, 0}, {`{"annotations": ["sofa"]}`, 1, 0}, {`{"annotations": null}`, 1, 0}, {`no errors`, 1, 0},
	} {
		x := transcript(t, "m-mad", kang)
		converse(t, x, append(stage1(minorList), [2]string{"judge", tt.reply}))
		j := x.Judgements()[0]
		if (j.Score == nil) != (tt.score > 0) || j.Score != nil && *j.Score != tt.score || len(j.Errors) != tt.errors {
			t.Errorf("%s: %+v, want %g and %d errors", tt.reply, j, tt.score, tt.errors)
		}
	}
}

// TestStage1Unreadable checks that one unreadable annotator leaves the judgement without a score.
func TestStage1Unreadable(t *testing.T) {
	for _, reply := range []string{"I cannot.", `{"annotations": [{"error_span": "sofa", "category": "accuracy"}]}`, `{"annotations": [`} {
		x := transcript(t, "m-mad", kang)
		converse(t, x, stage1(reply))
		if j := x.Judgements()[0]; j.Status != Unparsable || j.Score != nil || !strings.Contains(j.Why, "annotate/accuracy") {
			t.Errorf("%s: %+v", reply, j)
		}
	}
}
