package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The RATE agent judges all translations of one source, one after the other (Tian et al. 2026, section 4 and
// appendix B). A core agent decides in each round which agent to call: search for background, evaluation
// for a score, comparison with anchors for calibration, or finish. What search finds is kept for the
// source, and each finished translation becomes the anchor of its score. After ten rounds one call must
// finish.
//
// The prompts follow Figures 15 to 20, with the syntax of tool calls and the JSON of the agents as there.
// As in the paper and unlike the published code: temperature 0 (F.2.3); a tie keeps the tentative score
// (B); the comparison agent always gets the source and the core agent's notes. As in the published code:
// the nearest anchor, the lower one half way; two synthetic anchors with the scores 1 and 4 at the first
// comparison, or a warning in place of calls; two calls with the order swapped; the conditions and steps
// of calibrate; only the first tool call of a reply is run.
//
// The published code loses all translations of a source when a sub-agent's reply cannot be read. Here the
// core agent gets an error text and goes on. A comparison that cannot be read suggests nothing. A second
// comparison at the same tentative score makes no calls, also where 2 and 2.0 are the score. "N/4" is N.
// A final score that is no number from 0 to 4 makes the judgement unparsable. If the forced reply does
// not finish, the score of the last readable evaluation stands. Sub-agents get the texts of the task,
// not the core agent's copies of them. The results of tools go back in the role user, since the tool
// calls stand in the text. The errors are those of the last readable evaluation; they have no severity,
// and their category is what the agent says is wrong.
//
// Where no search engine is at hand, the prompt of the core agent does not mention one (as in the
// ablation of Table 4).
func init() {
	register(Method{
		Name: RATEAgent, Title: "RATE agent", Version: 1,
		Scale:     Scale{0, 4},
		Needs:     Needs{Search: true},
		PerSource: true,
		Spans:     true,
		Calls:     Forecast{1, 4, 3*defaultRounds + 1},
		judge:     rate,
		Wordings:  []string{"9a8f1baea9b60e9f689fc76676b92ac2c1db0ce0d02e62eb6ac7f14d135c2ab4"},
		Prompts: []Prompt{
			{"core system", rateCore, []string{"search"}},
			{"core", `[System Memory]
{{if .memory}}{{.memory}}{{else}}The memory is empty.{{end}}

Source in {{.source_lang}}: {{.source}}

Translation into {{.target_lang}}: {{.translation}}`, fields("memory")},
			{"forced", `The rounds are used up. Give the final result now: call finish_evaluation and nothing else.`, nil},
			{
				"search",
				`Turn the request into queries for a search engine and call the function search. Its argument search_query is a JSON list of queries, at most three, each {"q": the words to look for, "recency": only results of so many days, or null}.

Call it in this form:
<tool_call>search
<arg_key>search_query</arg_key>
<arg_value>[{"q": "...", "recency": null}]</arg_value>
</tool_call>

The request: {{.query}}`,
				[]string{"query"},
			},
			{"search answer", `These are the results of the search:
{{.results}}

Answer the request by these results, at once and in JSON: {"answer": what the request asks for, "reasoning": in two to four sentences what the answer rests on}.`, []string{"results"}},
			{"evaluation system", rateEvaluation, nil},
			{"evaluation", `Source text: {{.source}}
Target text: {{.translation}}
{{if .notes}}Context notes: {{.notes}}
{{end}}{{if .instruction}}Instruction: {{.instruction}}
{{end}}`, fields("notes", "instruction")},
			{"comparison system", rateComparison, nil},
			{"comparison", `Source text: {{.source}}
Context notes: {{if .notes}}{{.notes}}{{else}}None{{end}}
Candidate A: {{.a}}
Candidate B: {{.b}}`, fields("notes", "a", "b")},
		},
	})
}

const rateCore = `You are the core agent that judges a machine translation against its source. You are the chief linguist of a team: you do not judge blindly but have sub-agents gather evidence, settle doubts and assess.

You follow no fixed order of steps. Look at the source and at what your sub-agents said. Ask yourself what is missing: do you understand the slang, does the evaluation name a gap of knowledge, can the score be trusted? Then call the tool that removes what is in doubt.

Tools:
{{if .search}}- search_agent finds background knowledge. Arguments: query (required): what to find out, e.g. the meaning of slang or a cultural reference.
{{end}}- general_evaluation_agent scores. It returns a score, a rationale, error spans and suspected gaps of knowledge. Arguments: source_text (required), translation_text (required), context_notes: background that you know, specific_instruction: what to look at.
- comparison_agent compares the translation with an anchor, which is another translation of this source with a known score, to calibrate a score. Use it if confidence is low or to check a tentative score. Arguments: target_text (required): the translation, tentative_score (required): the score from 0 to 4 that you consider, context_notes (required): the background, synthetic_low_anchor and synthetic_high_anchor: translations of your own that deserve a 1 (literal or wrong) and a 4 (ideal); both are required unless a result said "anchor_memory_status": "initialized".
- finish_evaluation hands in the result. Arguments: translation_text, final_score (0 to 4, also halves), final_rationale; all are required.

Call a tool in this form, without code fences:
<tool_call>name of the tool
<arg_key>name of an argument</arg_key>
<arg_value>its value</arg_value>
</tool_call>

How to decide. Write down what you think before each call; make one call in each answer.
1. At first, look at the [System Memory].{{if .search}} If it does not explain the slang and idioms of this very source, call search_agent. If it does,{{else}} Then{{end}} call general_evaluation_agent.
2. After an evaluation, look at suspected_knowledge_gaps.{{if .search}} If there are any, call search_agent for those terms before anything else. Do not repeat a search that failed; ask in another way, or go on with an instruction to the evaluation.{{else}} If there are any, evaluate again with notes or an instruction that settle them as far as you can.{{end}}
3. Then look at the confidence. If it is below 0.9, or the score lies on a border, call comparison_agent, but never twice at the same tentative score. If a result said "anchor_memory_status": "initialized", leave the synthetic anchors out; else make up both.
4. Read the comparison's suggestion: upgrade means raise the score, downgrade lower it, adjust take the suggested score exactly, and confirm keep yours. Review means that the comparison failed.
5. If the confidence is high and nothing is open, call finish_evaluation with the score as it now is.

Always pass on the background you have as context_notes.`

const rateEvaluation = `You assess machine translations as a linguist. You work for a core agent. Keep strictly to the criteria.

You get a source text, which often has slang, idioms or references, the target text to assess, and sometimes notes with background that you must take into account.

The score is a whole number from 0 to 4:
0: what the source knows and means is lost. The translation is nonsense, untranslated or invented, or tells nothing of it.
1: a part is lost. Some of the translation may be right, but a key term, slang or the logic of a part is badly wrong.
2: understandable but off. The meaning is bent, or slang and references are rendered word for word; a reader can still guess what is meant.
3: accurate but not fluent. Everything is understood and rendered correctly, slang and idioms too; only wording, punctuation, grammar or register have small faults. If the meaning of slang is wrong, this score is not possible.
4: excellent. Everything is correct, and the text reads as if written in its language; it deals well with references, slang and devices of style.

Answer in JSON only:
{"score": 0 to 4, "confidence": 0.0 to 1.0, "rationale": why, in short and by the criteria, "error_spans": [{"source_segment": words of the source, "target_segment": the words of the target that fail, "issue": what is wrong, in short}], "suspected_knowledge_gaps": [terms of the source that one would have to look up; empty if the text is clear]}`

const rateComparison = `You compare two translations of the same source, candidate A and candidate B, and say which is better.

You get the source text, context notes, which you take as the truth, and the two candidates.

Compare by these points, in this order; never put fluency before accuracy:
1. Meaning, slang above all: is it what the notes say? If one candidate has the meaning of the slang and the other is literal and loses it, the first one wins at once.
2. Nuance and tone: if both are accurate, which one has the emotion of the source, such as irony, anger, humour or indifference?
3. Fluency and grammar: only if meaning and tone are equal, which one reads more naturally?

Answer in JSON only: {"winner": "A", "B" or "Tie", "rationale": why, in short, by these points}`

// defaultRounds is how many rounds the core agent has (Tian et al. 2026, appendix B).
const defaultRounds = 10

func rate(x *run) []Judgement {
	a := agent{run: x, anchors: map[float64]string{}}
	var all []Judgement
	for i, translation := range x.Translations {
		j, err := a.judge(fmt.Sprintf("translation %d/", i+1), translation)
		if isOpen(err) {
			return nil
		}
		all = append(all, j)
	}
	return all
}

// An agent is what the translations of one source share.
type agent struct {
	*run
	memory  []string           // what search found
	anchors map[float64]string // the latest translation of each score
}

// A candidate is the translation that is being judged.
type candidate struct {
	step, text string
	turns      []Message        // what was said after the first two messages
	compared   map[float64]bool // tentative scores that were compared
	score      *float64         // of the last readable evaluation
	errors     []Error          // of the last readable evaluation
}

// judge takes one translation to its end. The error can only be errOpen.
func (a *agent) judge(step, translation string) (Judgement, error) {
	c := &candidate{step: step, text: translation, compared: map[float64]bool{}}
	rounds := a.MaxRounds
	if rounds <= 0 {
		rounds = defaultRounds
	}
	for round := 1; ; round++ {
		at := fmt.Sprintf("%sround %d/", step, round)
		forced := round > rounds
		if forced {
			c.turns = append(c.turns, user(a.prompt("forced", nil)))
		}
		said, err := a.askCore(at, c)
		switch {
		case isOpen(err):
			return Judgement{}, err
		case errors.Is(err, errNoScore), errors.Is(err, errGivenUp):
			return unparsable(err, nil), nil
		case err != nil && !forced:
			c.turns = append(c.turns, user("ERROR: your answer could not be read: "+err.Error()))
			continue
		}
		switch {
		case said.call.name == "finish_evaluation":
			return a.finish(said.score, said.call.args["final_rationale"], c), nil
		case forced && c.score == nil:
			return unparsable(errors.New(at+"core: the forced reply does not finish, and no evaluation can be read"), nil), nil
		case forced:
			return a.finish(*c.score, "", c), nil
		}
		result, err := a.use(at, said.call, c)
		if err != nil {
			return Judgement{}, err
		}
		c.turns = append(c.turns, assistant(said.text), user(result))
	}
}

// finish gives the judgement and makes the translation the anchor of its score.
func (a *agent) finish(score float64, rationale string, c *candidate) Judgement {
	a.anchors[score] = c.text
	j := scored(score, c.errors)
	j.Comment = rationale
	return j
}

// A reply of the core agent: the text, its first tool call, and the score if it finishes.
type coreReply struct {
	text  string
	call  toolCall
	score float64
}

// errNoScore says that the core agent finishes without a score from 0 to 4.
var errNoScore = errors.New("the final score is no number from 0 to 4")

func (a *agent) askCore(at string, c *candidate) (coreReply, error) {
	return ask(a.run, question{
		step: at + "core", role: "core agent",
		messages: func() []Message {
			v := a.values(c.text).with(values{"memory": strings.Join(a.memory, "\n"), "search": ""})
			if a.Search {
				v["search"] = "yes"
			}
			return append([]Message{system(a.prompt("core system", v)), user(a.prompt("core", v))}, c.turns...)
		},
	}, func(r Reply) (coreReply, error) {
		call, _ := readToolCall(r.Text)
		said := coreReply{text: r.Text, call: call}
		if call.name == "finish_evaluation" {
			var ok bool
			if said.score, ok = readScore4(call.args["final_score"]); !ok {
				return said, fmt.Errorf("%w: %s", errNoScore, excerpt(call.args["final_score"]))
			}
		}
		return said, nil
	})
}

// use runs a tool and returns its result as text for the core agent. The error can only be errOpen.
func (a *agent) use(at string, call toolCall, c *candidate) (string, error) {
	var result string
	var err error
	switch call.name {
	case "general_evaluation_agent":
		result, err = a.evaluate(at+"evaluation", call.args, c)
	case "comparison_agent":
		result, err = a.compare(at+"comparison/", call.args, c)
	case "search_agent":
		if !a.Search {
			return "ERROR: there is no search engine; go on without one.", nil
		}
		result, err = a.search(at+"search/", call.args)
	case "":
		return "ERROR: there is no complete tool call in your answer. Call one tool in the form that you were given.", nil
	default:
		return fmt.Sprintf("ERROR: there is no tool %q.", call.name), nil
	}
	switch {
	case isOpen(err):
		return "", err
	case err != nil:
		return "ERROR: " + call.name + ": " + err.Error(), nil
	}
	return "Result of " + call.name + ":\n" + result, nil
}

// RATEAgent is the name of the method whose core agent calls sub-agents.
const RATEAgent = "rate"

// subAgents are the agents that the core agent of the method rate calls.
var subAgents = pattern(`^(.*round (\d+)/(search|evaluation|comparison))\b`)

// A SubAgentCall is a call of a sub-agent by the core agent of the method rate.
type SubAgentCall struct {
	Agent string // search, evaluation or comparison
	Round int    // of the translation, from 1
}

// SubAgentCalls returns the calls of sub-agents among the steps of a trace, in their order. A call of the search or of
// the comparison agent has several steps, and any step may have several attempts.
func SubAgentCalls(steps []string) (calls []SubAgentCall) {
	last := ""
	for _, step := range steps {
		if m := subAgents().FindStringSubmatch(step); m != nil && m[1] != last {
			last = m[1]
			round, _ := strconv.Atoi(m[2])
			calls = append(calls, SubAgentCall{m[3], round})
		}
	}
	return calls
}

// mostQueries bounds the queries of one search.
const mostQueries = 10

// search lets the search agent put a request into queries, runs them and lets it answer.
func (a *agent) search(at string, args map[string]string) (string, error) {
	request := []Message{}
	ask1 := func() []Message {
		return append(request, user(a.prompt("search", values{"query": args["query"]})))
	}
	type plan struct {
		text    string
		queries []string
	}
	p, err := ask(a.run, question{step: at + "queries", role: "search agent", messages: ask1}, func(r Reply) (plan, error) {
		queries, err := readQueries(r.Text)
		return plan{r.Text, queries}, err
	})
	if err != nil {
		return "", err
	}
	var results, failures []string
	for i, q := range p.queries[:min(len(p.queries), mostQueries)] {
		found, err := ask(a.run, question{step: fmt.Sprintf("%squery %d", at, i+1), role: "search engine", search: q}, text)
		if isOpen(err) {
			return "", err
		}
		if err != nil {
			failures, found = append(failures, err.Error()), "no result"
		}
		results = append(results, q+": "+found)
	}
	if len(failures) == len(p.queries) {
		return "", errors.New("the search failed: " + failures[0])
	}
	answer, err := ask(a.run, question{
		step: at + "answer", role: "search agent",
		messages: func() []Message {
			return append(ask1(), assistant(p.text), user(a.prompt("search answer", values{"results": strings.Join(results, "\n")})))
		},
	}, text)
	if err != nil {
		return "", err
	}
	a.memory = append(a.memory, args["query"]+": "+answer)
	return answer, nil
}

// evaluate asks the evaluation agent and keeps what it finds.
func (a *agent) evaluate(step string, args map[string]string, c *candidate) (string, error) {
	type evaluation struct {
		text   string
		score  float64
		object object
	}
	e, err := ask(a.run, question{
		step: step, role: "evaluation agent",
		messages: func() []Message {
			v := a.values(c.text).with(values{"notes": a.notes(args), "instruction": args["specific_instruction"]})
			return []Message{system(a.prompt("evaluation system", nil)), user(a.prompt("evaluation", v))}
		},
	}, func(r Reply) (evaluation, error) {
		o, ok := lastObject(r.Text)
		if !ok {
			return evaluation{}, fmt.Errorf("there is no complete JSON object in %s", excerpt(r.Text))
		}
		score, err := strconv.ParseFloat(strings.TrimSpace(o.text("score")), 64)
		if err != nil {
			return evaluation{}, errors.New("the score is missing or no number")
		}
		return evaluation{r.Text, score, o}, nil
	})
	if err != nil {
		return "", err
	}
	c.score, c.errors = nil, a.errorSpans(e.object, c.text)
	if e.score >= 0 && e.score <= 4 {
		c.score = &e.score
	}
	return e.text, nil
}

// notes are the notes of a tool call, or else what is in the memory.
func (a *agent) notes(args map[string]string) string {
	if notes := args["context_notes"]; notes != "" {
		return notes
	}
	return strings.Join(a.memory, "\n")
}

// errorSpans are the errors that an evaluation names.
func (a *agent) errorSpans(o object, translation string) []Error {
	p := placer{source: a.Source, translation: translation}
	v, _ := o.get("error_spans")
	items, _ := v.([]any)
	var list []Error
	for _, item := range items {
		if span, ok := asObject(item); ok {
			e := Error{Category: span.text("issue"), Text: span.text("target_segment")}
			list = append(list, p.place(e, hint{source: span.text("source_segment")}))
		}
	}
	return list
}

// compare lets the comparison agent compare the translation with the nearest anchor, in both orders.
func (a *agent) compare(at string, args map[string]string, c *candidate) (string, error) {
	tentative, ok := readScore4(args["tentative_score"])
	if !ok {
		return "", fmt.Errorf("tentative_score is %q, not a number from 0 to 4", args["tentative_score"])
	}
	if c.compared[tentative] {
		return fmt.Sprintf("WARNING: the translation was compared at the tentative score %v before. Decide on the evidence that you have.", tentative), nil
	}
	if len(a.anchors) == 0 {
		low, high := args["synthetic_low_anchor"], args["synthetic_high_anchor"]
		if low == "" || high == "" {
			return "WARNING: there are no anchors yet. Give both synthetic_low_anchor and synthetic_high_anchor.", nil
		}
		a.anchors[1], a.anchors[4] = low, high
	}
	c.compared[tentative] = true
	anchor, _ := nearestAnchor(a.anchors, tentative)
	v := a.values(c.text).with(values{"notes": a.notes(args)})
	winner := func(step, first, second string) (string, error) {
		return ask(a.run, question{
			step: at + step, role: "comparison agent",
			messages: func() []Message {
				return []Message{system(a.prompt("comparison system", nil)), user(a.prompt("comparison", v.with(values{"a": first, "b": second})))}
			},
		}, readWinner)
	}
	asA, err1 := winner("candidate as A", c.text, a.anchors[anchor])
	asB, err2 := winner("candidate as B", a.anchors[anchor], c.text)
	err := errors.Join(err1, err2)
	if isOpen(err) {
		return "", errOpen
	}
	s := suggestion{"failed", "review", tentative}
	if err == nil {
		s = calibrate(asA, asB, tentative, anchor)
	}
	b, err := json.Marshal(map[string]any{
		"anchor_score": anchor, "outcome": s.outcome, "suggestion": s.suggestion, "suggested_score": s.score,
		"anchor_memory_status": "initialized",
	})
	if err != nil {
		panic("judge: " + err.Error())
	}
	return string(b), nil
}

// nearestAnchor returns the score of the anchor nearest to a tentative score; half way the lower one. It
// is false if there are no anchors.
func nearestAnchor(anchors map[float64]string, tentative float64) (float64, bool) {
	best, found := 0.0, false
	for score := range anchors {
		d, least := math.Abs(score-tentative), math.Abs(best-tentative)
		if !found || d < least || d == least && score < best {
			best, found = score, true
		}
	}
	return best, found
}

// A suggestion is what a comparison says of a tentative score.
type suggestion struct {
	outcome, suggestion string
	score               float64
}

// calibrate turns the winners of both orders into a suggestion (Tian et al. 2026, appendix B, with the
// conditions of the published code). A win moves the score to 1 above the anchor, a win and a tie to 0.5 above, unless
// the tentative score is above the anchor; losses likewise downwards. A tie, also by contradiction,
// keeps the tentative score.
func calibrate(candidateAsA, candidateAsB string, tentative, anchor float64) suggestion {
	wins := map[string]int{"A": 1, "B": -1}[candidateAsA] + map[string]int{"B": 1, "A": -1}[candidateAsB]
	higher, lower := math.Min(4, anchor+float64(wins)/2), math.Max(0, anchor+float64(wins)/2)
	switch {
	case wins == 2 && tentative <= anchor:
		return suggestion{"candidate_wins", "upgrade", higher}
	case wins == 2:
		return suggestion{"candidate_wins", "confirm", tentative}
	case wins == 1 && tentative <= anchor:
		return suggestion{"borderline_candidate_wins", "adjust", higher}
	case wins == 1:
		return suggestion{"borderline_candidate_wins", "confirm", tentative}
	case wins == -1 && tentative >= anchor:
		return suggestion{"borderline_anchor_wins", "adjust", lower}
	case wins == -1:
		return suggestion{"borderline_anchor_wins", "confirm", tentative}
	case wins == -2 && tentative >= anchor:
		return suggestion{"anchor_wins", "downgrade", lower}
	case wins == -2:
		return suggestion{"anchor_wins", "confirm", tentative}
	}
	return suggestion{"tie", "confirm", tentative}
}

// readWinner reads {"winner": "A", "B" or "Tie"}.
func readWinner(r Reply) (string, error) {
	o, ok := lastObject(r.Text)
	if !ok {
		return "", fmt.Errorf("there is no complete JSON object in %s", excerpt(r.Text))
	}
	switch strings.ToLower(strings.TrimSpace(o.text("winner"))) {
	case "a":
		return "A", nil
	case "b":
		return "B", nil
	case "tie":
		return "Tie", nil
	}
	return "", fmt.Errorf("the winner is %q, not A, B or Tie", o.text("winner"))
}

// A toolCall is the first tool call of a reply.
type toolCall struct {
	name string
	args map[string]string
}

var (
	toolCallTag = pattern(`(?s)<tool_call>(.*?)</tool_call>`)
	toolName    = pattern(`^\s*(\w+)`)
	toolArg     = pattern(`(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>`)
)

// readToolCall reads the first complete tool call of a reply: <tool_call>NAME, then pairs of <arg_key>
// and <arg_value>, then </tool_call>.
func readToolCall(reply string) (toolCall, bool) {
	m := toolCallTag().FindStringSubmatch(reply)
	if m == nil {
		return toolCall{}, false
	}
	name := toolName().FindStringSubmatch(m[1])
	if name == nil {
		return toolCall{}, false
	}
	call := toolCall{name[1], map[string]string{}}
	for _, arg := range toolArg().FindAllStringSubmatch(m[1], -1) {
		call.args[strings.TrimSpace(arg[1])] = strings.TrimSpace(arg[2])
	}
	return call, true
}

// readQueries reads the queries of the search agent: a JSON list of texts or of {"q": …}, in the first
// value of its tool call or in the reply itself.
func readQueries(reply string) ([]string, error) {
	s := reply
	if m := toolArg().FindStringSubmatch(reply); m != nil {
		s = m[2]
	}
	v, ok := lastJSON(s, func(v any) bool { _, ok := v.([]any); return ok })
	if !ok {
		return nil, fmt.Errorf("there is no list of queries in %s", excerpt(reply))
	}
	var queries []string
	for _, item := range v.([]any) {
		q, _ := item.(string)
		if o, ok := asObject(item); ok {
			q = o.text("q")
		}
		if q = strings.TrimSpace(q); q != "" {
			queries = append(queries, q)
		}
	}
	if len(queries) == 0 {
		return nil, fmt.Errorf("the list of queries is empty in %s", excerpt(reply))
	}
	return queries, nil
}

// score4 is a number, or a number of four.
var score4 = pattern(`^([0-9]{1,3}(?:\.[0-9]{1,6})?)(?:\s*/\s*4(?:\.0+)?)?$`)

// readScore4 reads a score from 0 to 4; "N/4" is N.
func readScore4(s string) (float64, bool) {
	m := score4().FindStringSubmatch(bare(s))
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(m[1], 64)
	return v, err == nil && v <= 4
}
