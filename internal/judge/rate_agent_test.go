package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestCalibration checks every row of the comparison's outcomes. A tie keeps the tentative score, which
// differs from the published code that made the rows.
func TestCalibration(t *testing.T) {
	var file struct {
		Calibration   [][]json.RawMessage `json:"calibration"`
		NearestAnchor [][]json.RawMessage `json:"nearest_anchor"`
	}
	readTestdata(t, "rate-calibration.json", &file)
	if len(file.Calibration) != 378 || len(file.NearestAnchor) != 49 {
		t.Errorf("%d and %d rows, want 378 and 49", len(file.Calibration), len(file.NearestAnchor))
	}
	row := func(cells []json.RawMessage, into ...any) {
		t.Helper()
		for i, c := range cells {
			if err := json.Unmarshal(c, into[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, cells := range file.Calibration {
		var asA, asB string
		var tentative, anchor float64
		var want suggestion
		row(cells, &asA, &asB, &tentative, &anchor, &want.outcome, &want.suggestion, &want.score)
		if want.outcome == "tie" {
			want.suggestion, want.score = "confirm", tentative
		}
		if got := calibrate(asA, asB, tentative, anchor); got != want {
			t.Errorf("calibrate(%s, %s, %g, %g) = %+v, want %+v", asA, asB, tentative, anchor, got, want)
		}
	}
	for _, cells := range file.NearestAnchor {
		var scores []float64
		var tentative float64
		var want *float64
		row(cells, &scores, &tentative, &want)
		anchors := map[float64]string{}
		for _, s := range scores {
			anchors[s] = "x"
		}
		got, ok := nearestAnchor(anchors, tentative)
		if ok != (want != nil) || ok && got != *want {
			t.Errorf("nearestAnchor(%v, %g) = %g, %v, want %v", scores, tentative, got, ok, show(want))
		}
	}
}

var idiom = Task{
	SourceLang: "Chinese", TargetLang: "English", Source: "这事儿黄了。", Search: true,
	Translations: []string{"It is yellow.", "It failed."},
}

// tool is a reply of the core agent that calls a tool with arguments.
func tool(name string, args ...string) string {
	var b strings.Builder
	b.WriteString("I think.\n<tool_call>" + name + "\n")
	for i := 0; i < len(args); i += 2 {
		b.WriteString("<arg_key>" + args[i] + "</arg_key>\n<arg_value>" + args[i+1] + "</arg_value>\n")
	}
	return b.String() + "</tool_call>"
}

func finish(score string) string { return tool("finish_evaluation", "final_score", score) }

// TestRateTranscript checks who is asked what for two translations of one source: what the search finds is
// in the memory of the second, and the first is an anchor for it.
func TestRateTranscript(t *testing.T) {
	x := transcript(t, "rate", idiom)
	calls := converse(t, x, [][2]string{
		{"translation 1/round 1/core", tool("search_agent", "query", "黄了 meaning")},
		{"translation 1/round 1/search/queries", tool("search", "search_query", `[{"q": "黄了"}, {"q": "huang le"}]`)},
		{"translation 1/round 1/search/query 1", `{"snippets": ["It means to fail."]}`},
		{"translation 1/round 1/search/query 2", `{"snippets": []}`},
		{"translation 1/round 1/search/answer", `{"answer": "A plan came to nothing."}`},
		{"translation 1/round 2/core", tool("general_evaluation_agent", "context_notes", "It means to fail.", "specific_instruction", "Look at the colour.", "translation_text", "another text")},
		{"translation 1/round 2/evaluation", `{"score": 0, "confidence": 0.8, "error_spans": [{"source_segment": "黄了", "target_segment": "", "issue": "lost"}]}`},
		{"translation 1/round 3/core", tool("comparison_agent", "tentative_score", "0", "context_notes", "To fail.", "synthetic_low_anchor", "It went yellow.", "synthetic_high_anchor", "It fell through.")},
		{"translation 1/round 3/comparison/candidate as A", `{"winner": "B"}`},
		{"translation 1/round 3/comparison/candidate as B", `{"winner": "a"}`},
		{"translation 1/round 4/core", finish("0")},
		{"translation 2/round 1/core", tool("comparison_agent", "tentative_score", "3")},
		{"translation 2/round 1/comparison/candidate as A", `{"winner": "Tie"}`},
		{"translation 2/round 1/comparison/candidate as B", `{"winner": "Tie"}`},
		{"translation 2/round 2/core", finish("3")},
	})
	core := calls["translation 1/round 1/core"]
	if len(core.Messages) != 2 || core.Messages[0].Role != "system" || core.Temperature != 0 {
		t.Errorf("the core agent begins with %+v", core.Messages)
	}
	mustHold(t, core, "search_agent", "general_evaluation_agent", "comparison_agent", "finish_evaluation", "<arg_key>", "0.9", "The memory is empty.", idiom.Source, "It is yellow.")
	mustHold(t, calls["translation 1/round 1/search/queries"], "黄了 meaning", "search_query")
	if q := calls["translation 1/round 1/search/query 2"]; q.Search != "huang le" || q.Messages != nil {
		t.Errorf("%+v, want a search", q)
	}
	mustHold(t, calls["translation 1/round 1/search/answer"], "黄了 meaning", "It means to fail.", "huang le")
	mustHold(t, calls["translation 1/round 2/core"], "<tool_call>search_agent", "A plan came to nothing.")
	evaluation := calls["translation 1/round 2/evaluation"]
	mustHold(t, evaluation, idiom.Source, "Target text: It is yellow.", "Context notes: It means to fail.", "Instruction: Look at the colour.", "suspected_knowledge_gaps")
	mustLack(t, evaluation, "another text")
	mustHold(t, calls["translation 1/round 3/core"], `"confidence": 0.8`)
	mustHold(t, calls["translation 1/round 3/comparison/candidate as A"], idiom.Source, "Context notes: To fail.", "Candidate A: It is yellow.", "Candidate B: It went yellow.")
	mustHold(t, calls["translation 1/round 3/comparison/candidate as B"], "Candidate A: It went yellow.", "Candidate B: It is yellow.")
	mustHold(t, calls["translation 1/round 4/core"], `"outcome":"anchor_wins"`, `"suggestion":"confirm"`, `"anchor_memory_status":"initialized"`)
	mustHold(t, calls["translation 2/round 1/core"], "[System Memory]\n黄了 meaning: {\"answer\": \"A plan came to nothing.\"}", "It failed.")
	mustLack(t, calls["translation 2/round 1/core"], "It is yellow.", "The memory is empty.")
	mustHold(t, calls["translation 2/round 1/comparison/candidate as A"], "Candidate B: It fell through.", "Context notes: 黄了 meaning")
	mustHold(t, calls["translation 2/round 2/core"], `"outcome":"tie"`, `"suggested_score":3`)

	j := x.Judgements()
	if *j[0].Score != 0 || *j[1].Score != 3 || len(j[0].Errors) != 1 || len(j[1].Errors) != 0 {
		t.Fatalf("%+v, want 0 with an error and 3 without", j)
	}
	if e := j[0].Errors[0]; (e.Place != Place{SideSource, 3, 5, true}) || e.Severity != "" || e.Category != "lost" {
		t.Errorf("%+v, want an error without severity that stands in the source", e)
	}
}

func TestRateRounds(t *testing.T) {
	evaluation := func(score string) string { return `{"score": ` + score + `, "error_spans": []}` }
	for _, tt := range []struct {
		name  string
		turns [][2]string // without "translation 1/"
		says  string      // what the last call holds
		score float64     // unreadable: unparsable
	}{
		{"half", [][2]string{{"round 1/core", finish("3.5")}}, "", 3.5},
		{"of four", [][2]string{{"round 1/core", finish("3/4")}}, "", 3},
		{"no number", [][2]string{{"round 1/core", finish("good")}}, "", unreadable},
		{"no score", [][2]string{{"round 1/core", tool("finish_evaluation")}}, "", unreadable},
		{"no tool", [][2]string{{"round 1/core", "It is a 4."}, {"round 2/core", finish("4")}}, "ERROR: there is no complete tool call", 4},
		{"unknown tool", [][2]string{{"round 1/core", tool("ask_human")}, {"round 2/core", finish("4")}}, `ERROR: there is no tool "ask_human"`, 4},
		{"evaluation without a score", [][2]string{{"round 1/core", tool("general_evaluation_agent")}, {"round 1/evaluation", "{}"}, {"round 2/core", finish("4")}}, "ERROR: general_evaluation_agent:", 4},
		{"no anchors", [][2]string{{"round 1/core", tool("comparison_agent", "tentative_score", "2", "synthetic_low_anchor", "x")}, {"round 2/core", finish("2")}}, "WARNING: there are no anchors yet", 2},
		{"no tentative score", [][2]string{{"round 1/core", tool("comparison_agent")}, {"round 2/core", finish("2")}}, `ERROR: comparison_agent: tentative_score is ""`, 2},
		{"compared twice", [][2]string{
			{"round 1/core", tool("comparison_agent", "tentative_score", "2", "synthetic_low_anchor", "x", "synthetic_high_anchor", "y")},
			{"round 1/comparison/candidate as A", `{"winner": "A"}`}, {"round 1/comparison/candidate as B", `{"winner": "B"}`},
			{"round 2/core", tool("comparison_agent", "tentative_score", "2.0")},
			{"round 3/core", finish("2")}}, "WARNING: the translation was compared at the tentative score 2 before", 2},
		{"comparison unreadable", [][2]string{
			{"round 1/core", tool("comparison_agent", "tentative_score", "3", "synthetic_low_anchor", "x", "synthetic_high_anchor", "y")},
			{"round 1/comparison/candidate as A", `["B"]`}, {"round 1/comparison/candidate as B", `{"winner": "B"}`},
			{"round 2/core", finish("3")}}, `"suggested_score":3,"suggestion":"review"`, 3},
		{"search plan unreadable", [][2]string{{"round 1/core", tool("search_agent", "query", "x")}, {"round 1/search/queries", "I would search."}, {"round 2/core", finish("3")}}, "ERROR: search_agent:", 3},
		{"forced", [][2]string{
			{"round 1/core", tool("general_evaluation_agent")}, {"round 1/evaluation", evaluation("1")},
			{"round 2/core", "hm"}, {"round 3/core", finish("2")}}, "The rounds are used up.", 2},
		{"forced without a finish", [][2]string{
			{"round 1/core", tool("general_evaluation_agent")}, {"round 1/evaluation", evaluation("1")},
			{"round 2/core", tool("general_evaluation_agent")}, {"round 2/evaluation", "I cannot."},
			{"round 3/core", "It is good."}}, "", 1},
		{"forced without an evaluation", [][2]string{{"round 1/core", "hm"}, {"round 2/core", "hm"}, {"round 3/core", "It is a 4."}}, "", unreadable},
		{"forced after an evaluation out of range", [][2]string{
			{"round 1/core", tool("general_evaluation_agent")}, {"round 1/evaluation", evaluation("9")},
			{"round 2/core", "hm"}, {"round 3/core", "hm"}}, "", unreadable},
	} {
		task := idiom
		task.Translations, task.MaxRounds = idiom.Translations[1:], 2
		if tt.name == "compared twice" {
			task.MaxRounds = 0
		}
		for i := range tt.turns {
			tt.turns[i][0] = "translation 1/" + strings.TrimPrefix(tt.turns[i][0], "translation 1/")
		}
		x := transcript(t, "rate", task)
		calls := converse(t, x, tt.turns)
		if tt.says != "" {
			mustHold(t, calls[tt.turns[len(tt.turns)-1][0]], tt.says)
		}
		j := x.Judgements()[0]
		if (j.Score == nil) != (tt.score == unreadable) || j.Score != nil && *j.Score != tt.score {
			t.Errorf("%s: %+v, want %g", tt.name, j, tt.score)
		}
	}
}

func TestRateWithoutSearch(t *testing.T) {
	task := idiom
	task.Translations, task.Search = idiom.Translations[1:], false
	x := transcript(t, "rate", task)
	calls := converse(t, x, [][2]string{
		{"translation 1/round 1/core", tool("search_agent", "query", "x")},
		{"translation 1/round 2/core", finish("4")},
	})
	mustLack(t, calls["translation 1/round 1/core"], "search_agent")
	mustHold(t, calls["translation 1/round 2/core"], "ERROR: there is no search engine")
}

// TestRateTenRounds checks the limit of rounds.
func TestRateTenRounds(t *testing.T) {
	task := idiom
	task.Translations = idiom.Translations[1:]
	var turns [][2]string
	for round := range 10 {
		turns = append(turns, [2]string{fmt.Sprintf("translation 1/round %d/core", round+1), "hm"})
	}
	converse(t, transcript(t, "rate", task), append(turns, [2]string{"translation 1/round 11/core", finish("4")}))
}

// TestSearchThatFails checks that a search engine that fails is told to the core agent, and that one
// answer of several is enough.
func TestSearchThatFails(t *testing.T) {
	task := idiom
	task.Translations = idiom.Translations[1:]
	for failing, want := range map[int]string{1: "A plan came to nothing.", 2: "ERROR: search_agent: the search failed: "} {
		x := transcript(t, "rate", task)
		replies := map[string]Reply{
			"round 1/core":           {Text: tool("search_agent", "query", "x")},
			"round 1/search/queries": {Text: `["a", "b"]`},
			"round 1/search/query 1": {Err: errors.New("no connection")},
			"round 1/search/query 2": {Text: "b is found"},
			"round 1/search/answer":  {Text: "A plan came to nothing."},
			"round 2/core":           {Text: finish("4")},
		}
		if failing == 2 {
			replies["round 1/search/query 2"] = Reply{Err: errors.New("no connection")}
		}
		var last Call
		for {
			calls, done := x.Next()
			if done {
				break
			}
			last = calls[0]
			x.Answer(last, replies[strings.TrimPrefix(last.Step, "translation 1/")])
		}
		mustHold(t, last, want)
		if j := x.Judgements()[0]; j.Status != OK {
			t.Errorf("%d failing: %+v", failing, j)
		}
	}
}
