package ingest

import (
	"io"
	"iter"
	"math"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

var traceArray = objectArray{
	example: `{"step": "1", "role": "judge", "prompt": "…", "reply": "…"}`,
	most:    10_000,
	keys:    []string{"step", "role", "prompt", "reply", "input_tokens", "output_tokens", "seconds"},
}

// maxAbout is the largest number of bytes of the line about a judge.
const maxAbout = 2000

var judgementFields = []string{"judge", "method", "model", "about", "doc_id", "segment_id", "system", "status",
	"score", "scores", "spans", "trace"}

// Judgements reads judgements of judges, with one judge and translation a line. Options and
// errors are as in [Ratings].
//
// About is a line on how the judge works; the first one that a file has of a judge is kept.
//
// Severities and categories are the judge's own. They are spelt as p spells them, if p has
// them. A span without start and end is an unplaced error: its text stands nowhere.
//
// The store checks whether the translation exists, and the places of spans.
func Judgements(r io.Reader, p *protocol.Protocol, opt Options) iter.Seq2[campaign.JudgementLine, error] {
	return objectLines(r, "judgements", judgementFields, opt, func(r *record, f fields) []campaign.JudgementLine {
		return []campaign.JudgementLine{judgement(r, f, p, opt.Systems)}
	})
}

func judgement(r *record, f fields, p *protocol.Protocol, systems []string) campaign.JudgementLine {
	out := campaign.JudgementLine{
		Place: r.Place,
		DocID: r.ID(f, "doc_id", false), SegmentID: r.ID(f, "segment_id", true),
		Method: r.Label(f, "method"), Model: r.Label(f, "model"),
	}
	if p.OfSegments() {
		noSystem(r, f, p)
	} else {
		out.System = system(r, f, systems)
	}
	if v, ok := f["judge"]; !ok {
		r.Refuse(nowhere, "judge", "missing; give the name of the judge")
	} else if name, ok := r.Str("judge", v); ok && r.CheckName(v.Start, "judge", "name", name, maxSystem) {
		out.Judge = name
	}
	if out.About = r.Optional(f, "about"); out.About != "" {
		r.CheckName(f["about"].Start, "about", "line", out.About, maxAbout)
	}
	out.Status = campaign.JudgementOK
	if v, ok := f["status"]; ok {
		text, isText := r.Str("status", v)
		out.Status = campaign.JudgementStatus(text)
		if isText && out.Status != campaign.JudgementOK && out.Status != campaign.JudgementUnparsable {
			r.Refuse(v.Start, "status", "must be %q or %q, not %s", campaign.JudgementOK, campaign.JudgementUnparsable, wording.Quote(text))
		}
	}
	if v, ok := f["score"]; ok {
		if x, ok := r.Number("score", v); ok {
			x += 0 // -0 becomes 0
			out.Score = &x
		}
		if out.Status == campaign.JudgementUnparsable {
			r.Refuse(v.Start, "score", "an answer that could not be read has no score; leave it out, or set status to %q", campaign.JudgementOK)
		}
	}
	if v, ok := f["scores"]; ok {
		out.Scores = furtherScores(r, v)
	}
	if _, ok := f["spans"]; ok {
		out.Spans, out.Unplaced = judgedSpans(r, f, p)
	} else if _, scored := f["score"]; !scored && out.Status == campaign.JudgementOK {
		r.Refuse(nowhere, "score", "missing; a judgement needs score, spans, or both")
	}
	if v, ok := f["trace"]; ok {
		out.Trace = trace(r, v)
	}
	return out
}

// furtherScores reads the object of named scores.
func furtherScores(r *record, v jsonValue) map[string]float64 {
	given, ok := r.Members("scores", v)
	out := map[string]float64{}
	for _, m := range given {
		if jsonKind(r.Text, m.Val) == 'n' {
			continue
		}
		if x, isNumber := r.Number("scores."+m.Name, m.Val); isNumber {
			out[m.Name] = x + 0
		}
	}
	if !ok || len(out) == 0 {
		return nil
	}
	return out
}

// judgedSpans reads the errors that a judge marked: those with a place, which are never nil,
// and those without.
func judgedSpans(r *record, f fields, p *protocol.Protocol) (placed, unplaced []protocol.ErrorSpan) {
	placed = []protocol.ErrorSpan{}
	eachSpan(r, p, f["spans"], judged, func(field string, at int, s protocol.ErrorSpan, _ fields, has, ok bool) {
		switch {
		case has:
			placed = append(placed, s)
			return
		case s.Text == "" && ok:
			r.Refuse(at, field+".start", "missing; give the position of the first character, counted from 0, or the text of an error that is in neither text")
		}
		unplaced = append(unplaced, s)
	})
	return placed, unplaced
}

// trace reads the calls that led to a judgement.
func trace(r *record, v jsonValue) (out []campaign.TraceCall) {
	traceArray.each(r, "trace", v, func(_ int, field string, _ int, f fields) {
		text := func(key string) string {
			v, ok := f[key]
			if !ok {
				return ""
			}
			s, _ := r.Str(field+"."+key, v)
			return s
		}
		count := func(key string) int {
			v, ok := f[key]
			if !ok {
				return 0
			}
			n, _ := r.Whole(field+"."+key, v, 0, math.MaxInt32)
			return n
		}
		call := campaign.TraceCall{
			Step:         text("step"),
			Role:         text("role"),
			Prompt:       text("prompt"),
			Reply:        text("reply"),
			InputTokens:  count("input_tokens"),
			OutputTokens: count("output_tokens"),
		}
		if v, ok := f["seconds"]; ok {
			if call.Seconds, _ = r.Number(field+".seconds", v); call.Seconds < 0 {
				r.Refuse(v.Start, field+".seconds", "must not be negative; leave the time out where it is not known")
			}
		}
		out = append(out, call)
	})
	return out
}
