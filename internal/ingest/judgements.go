package ingest

import (
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// maxTrace is the largest number of calls in the trace of a judgement.
const maxTrace = 10_000

var (
	judgementFields = []string{"judge", "method", "model", "doc_id", "segment_id", "system", "status", "score", "scores", "spans", "trace"}
	traceFields     = []string{"step", "role", "prompt", "reply", "input_tokens", "output_tokens", "seconds"}
)

// Judgements reads judgements of judges, with one judge and translation a line. Options and
// errors are as in [Ratings].
//
// Severities and categories are the judge's own. They are spelt as p spells them, if p has
// them. A span without start and end is an unplaced error: its text stands nowhere.
//
// The store checks whether the translation exists, and the places of spans.
func Judgements(r io.Reader, p *protocol.Protocol, opt Options) iter.Seq2[campaign.NumberedJudgement, error] {
	return objectLines(r, "judgements", judgementFields, opt, func(r *record, f fields) campaign.JudgementLine { return r.judgement(f, p, opt.Systems) }, func(line int, v campaign.JudgementLine) campaign.NumberedJudgement {
		return campaign.NumberedJudgement{Line: line, Judgement: v}
	})
}

func (r *record) judgement(f fields, p *protocol.Protocol, systems []string) campaign.JudgementLine {
	out := campaign.JudgementLine{
		DocID: r.id(f, "doc_id", false), SegmentID: r.id(f, "segment_id", true), System: r.system(f, systems),
		Method: r.label(f, "method"), Model: r.label(f, "model"),
	}
	if v, ok := f["judge"]; !ok {
		r.refuse(nowhere, "judge", "missing; give the name of the judge")
	} else if name, ok := r.str("judge", v); ok && r.checkName(v.start, "judge", "name", name, maxSystem) {
		out.Judge = name
	}
	out.Status = campaign.JudgementOK
	if v, ok := f["status"]; ok {
		text, isText := r.str("status", v)
		out.Status = campaign.JudgementStatus(text)
		if isText && out.Status != campaign.JudgementOK && out.Status != campaign.JudgementUnparsable {
			r.refuse(v.start, "status", "must be %q or %q, not %s", campaign.JudgementOK, campaign.JudgementUnparsable, wording.Quote(text))
		}
	}
	if v, ok := f["score"]; ok {
		if x, ok := r.number("score", v); ok {
			x += 0 // -0 becomes 0
			out.Score = &x
		}
		if out.Status == campaign.JudgementUnparsable {
			r.refuse(v.start, "score", "an answer that could not be read has no score; leave it out, or set status to %q", campaign.JudgementOK)
		}
	}
	if v, ok := f["scores"]; ok {
		out.Scores = r.furtherScores(v)
	}
	if _, ok := f["spans"]; ok {
		out.Spans, out.Unplaced = r.judgedSpans(f, p)
	} else if _, scored := f["score"]; !scored && out.Status == campaign.JudgementOK {
		r.refuse(nowhere, "score", "missing; a judgement needs score, spans, or both")
	}
	if v, ok := f["trace"]; ok {
		out.Trace = r.trace(v)
	}
	return out
}

// furtherScores reads the object of named scores.
func (r *record) furtherScores(v value) map[string]float64 {
	given, ok := r.members("scores", v)
	out := map[string]float64{}
	for _, m := range given {
		if kind(r.text, m.val) == 'n' {
			continue
		}
		if x, isNumber := r.number("scores."+m.name, m.val); isNumber {
			out[m.name] = x + 0
		}
	}
	if !ok || len(out) == 0 {
		return nil
	}
	return out
}

// judgedSpans reads the errors that a judge marked: those with a place, which are never nil,
// and those without.
func (r *record) judgedSpans(f fields, p *protocol.Protocol) (placed, unplaced []protocol.ErrorSpan) {
	placed = []protocol.ErrorSpan{}
	v := f["spans"]
	if kind(r.text, v) != '[' {
		r.refuse(v.start, "spans", `must be an array such as [{"start": 0, "end": 4, "severity": "minor"}], not %s`, r.kindName(v))
		return placed, nil
	}
	ids := map[string]int{}
	n := 0
	for e := range elements(r.text, v) {
		field := fmt.Sprintf("spans[%d]", n)
		if n == maxSpans {
			r.refuse(e.start, "spans", "there are more than %d spans in one judgement, the most that is kept; leave the least grave out", maxSpans)
			return placed, unplaced
		}
		refused := len(r.problems)
		s, at, has := r.span(field, e, judged)
		if first, twice := ids[s.ID]; twice && s.ID != "" {
			r.refuse(at["id"].start, field+".id", "spans[%d] has the id %s too; give every span its own", first, wording.Quote(s.ID))
		}
		ids[s.ID] = n
		n++
		if p.Spans != nil && len(r.problems) == refused {
			s.Severity = numericSeverity(p, s.Severity)
			s = canonical(p, s)
		}
		if has {
			placed = append(placed, s)
			continue
		}
		if s.Text == "" && len(r.problems) == refused {
			r.refuse(e.start, field+".start", "missing; count Unicode code points from 0, or give the text of an error that stands nowhere")
		}
		unplaced = append(unplaced, s)
	}
	return placed, unplaced
}

// trace reads the calls that led to a judgement.
func (r *record) trace(v value) (out []campaign.TraceCall) {
	if kind(r.text, v) != '[' {
		r.refuse(v.start, "trace", `must be an array of calls such as [{"step": "1", "role": "judge", "prompt": "…", "reply": "…"}], not %s`, r.kindName(v))
		return nil
	}
	for e := range elements(r.text, v) {
		field := fmt.Sprintf("trace[%d]", len(out))
		if len(out) == maxTrace {
			r.refuse(e.start, "trace", "there are more than %d calls in one trace, the most that is kept; leave some out", maxTrace)
			return nil
		}
		if kind(r.text, e) != '{' {
			r.refuse(e.start, field, `must be an object such as {"step": "1", "role": "judge", "prompt": "…", "reply": "…"}, not %s`, r.kindName(e))
			return nil
		}
		f := fields{}
		r.sort(e, field+".", func(key string) bool { return slices.Contains(traceFields, key) }, f)
		text := func(key string) string {
			v, ok := f[key]
			if !ok {
				return ""
			}
			s, _ := r.str(field+"."+key, v)
			return s
		}
		count := func(key string) int {
			v, ok := f[key]
			if !ok {
				return 0
			}
			n, _ := r.whole(field+"."+key, v, 0, math.MaxInt32)
			return n
		}
		call := campaign.TraceCall{Step: text("step"), Role: text("role"), Prompt: text("prompt"), Reply: text("reply"), InputTokens: count("input_tokens"), OutputTokens: count("output_tokens")}
		if v, ok := f["seconds"]; ok {
			if call.Seconds, _ = r.number(field+".seconds", v); call.Seconds < 0 {
				r.refuse(v.start, field+".seconds", "must not be negative; leave the time out where it is not known")
			}
		}
		out = append(out, call)
	}
	return out
}
