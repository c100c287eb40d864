package ingest

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// maxRound is the highest round of an imported rating.
const maxRound = 1000

var ratingFields = []string{
	"doc_id", "segment_id", "system", "annotator", "round", "scores", "answers", "spans", "comment", "suggestions", "seconds", "submitted_at", "adjudicated",
}

// Ratings reads ratings under protocol p. It ignores the languages of opt, and checks
// systems if opt names them. As in [Segments], an error is either a *[campaign.Problem] of
// a line, after which reading goes on, or the last value.
//
// A line with "adjudicated": true is the rating of an adjudicator and belongs to no round.
//
// The store checks whether the segment exists, whether its id is unique without a document,
// and whether the rating exists already.
func Ratings(r io.Reader, p *protocol.Protocol, opt Options) iter.Seq2[campaign.RatingLine, error] {
	return objectLines(r, "ratings", ratingFields, opt, func(r *record, f fields) []campaign.RatingLine {
		return []campaign.RatingLine{rating(r, f, p, opt.Systems)}
	})
}

func rating(r *record, f fields, p *protocol.Protocol, systems []string) campaign.RatingLine {
	out := campaign.RatingLine{
		Place:     r.Place,
		DocID:     r.ID(f, "doc_id", false),
		SegmentID: r.ID(f, "segment_id", true),
	}
	if p.OfSegments() {
		noSystem(r, f, p)
	} else {
		out.System = system(r, f, systems)
	}
	out.Round = 1
	out.Comment = r.Optional(f, "comment")
	out.Annotator = ratedBy(r, f)
	if v, ok := f["adjudicated"]; ok {
		out.Adjudicated, _ = r.Bool("adjudicated", v)
	}
	if v, ok := f["round"]; ok && out.Adjudicated {
		r.Refuse(v.Start, "round", "an adjudication belongs to no round; leave round or adjudicated out")
	} else if ok {
		out.Round, _ = r.Whole("round", v, 1, maxRound)
	}
	if v, ok := f["seconds"]; ok {
		if out.Seconds, _ = r.Number("seconds", v); out.Seconds < 0 {
			r.Refuse(v.Start, "seconds", "must not be negative; leave the time out where it is not known")
		}
		out.Seconds += 0 // -0 becomes 0
	}
	if v, ok := f["submitted_at"]; ok {
		out.SubmittedAt = instant(r, "submitted_at", v)
	}
	out.Spans = spans(r, f, p)
	out.Suggestions = outcomes(r, f)
	before := len(r.Problems)
	out.Answers = answers(r, f, p)
	out.Scores = scores(r, f, p, out.Answers, len(r.Problems) == before)
	out.NoErrors = spansOnly(p) && len(out.Spans) == 0
	return out
}

// ratedBy reads the annotator.
func ratedBy(r *record, f fields) string {
	v, ok := f["annotator"]
	if !ok {
		r.Refuse(nowhere, "annotator", "missing; give the login of the annotator")
		return ""
	}
	login, _ := annotator(r, "annotator", v)
	return login
}

// spansOnly reports whether ratings under p have spans but no scores.
func spansOnly(p *protocol.Protocol) bool { return p.Spans != nil && len(p.Scores) == 0 }

func system(r *record, f fields, systems []string) string {
	v, ok := f["system"]
	if !ok {
		r.Refuse(nowhere, "system", "missing; give the name of the system")
		return ""
	}
	s := string(r.Text[v.Start:v.End])
	if jsonKind(r.Text, v) != '0' {
		if s, ok = r.Str("system", v); !ok {
			return ""
		}
	}
	if r.CheckName(v.Start, "system", "name", s, maxSystem) && systems != nil && !slices.Contains(systems, s) {
		r.Refuse(
			v.Start, "system", "there is no system %s; the campaign's systems are %s; correct the name, or leave the line out", wording.Quote(s),
			list(systems),
		)
	}
	return s
}

// scores reads and checks the scores of p. right reports whether no answer was refused, so that those that are missing are known.
func scores(r *record, f fields, p *protocol.Protocol, answers map[string]protocol.Answer, right bool) map[string]float64 {
	v, ok := f["scores"]
	if !ok {
		if right {
			refuseMissing(r, nowhere, p, nil, answers)
		}
		return nil
	}
	given, ok := r.Members("scores", v)
	out := map[string]float64{}
	at := map[string]jsonValue{}
	for _, m := range given {
		if jsonKind(r.Text, m.Val) == 'n' {
			continue
		}
		x, isNumber := r.Number("scores."+m.Name, m.Val)
		if ok = ok && isNumber; isNumber {
			out[m.Name], at[m.Name] = x+0, m.Val // x+0: -0 becomes 0
		}
	}
	if !ok {
		return nil
	}
	violations := p.CheckScores(out)
	hint := ""
	if q := protocolOf(out, p); q != nil {
		hint = fmt.Sprintf("; these are scores of %s, so import them into a campaign of that protocol", q.Name)
	}
	for _, bad := range violations {
		r.Refuse(at[bad.Field].Start, "scores."+bad.Field, "%s%s", bad.Msg, hint)
	}
	if right && len(violations) == 0 {
		refuseMissing(r, v.Start, p, out, answers)
	}
	if len(out) == 0 && len(p.Scores) == 0 {
		return nil
	}
	return out
}

// refuseMissing refuses a rating that lacks a score or an answer of p. at is the offset of its scores, or nowhere. The comment
// that an answer needs is not asked for: an import keeps finished ratings as they are.
func refuseMissing(r *record, at int, p *protocol.Protocol, given map[string]float64, answers map[string]protocol.Answer) {
	rating := protocol.Rating{Scores: given, Answers: answers, NoErrors: true, Comment: "not asked for"}
	lack := p.Lacks(rating)
	if lack.Words == "" {
		return
	}
	text := "a rating needs " + lack.Words
	if lack.Answer != "" {
		r.Refuse(nowhere, "answers."+lack.Answer, "missing; %s", text)
		return
	}
	if at == nowhere {
		text = "missing; " + text
	}
	r.Refuse(at, "scores", "%s, such as %s", text, example(p))
}

// noSystem refuses a system of a rating that is about a segment.
func noSystem(r *record, f fields, p *protocol.Protocol) {
	if v, ok := f["system"]; ok {
		r.Refuse(v.Start, "system", "a line under %s is about a segment, not about a translation; leave the system out", p.Name)
	}
}

// answers reads the answers to questions of p. The store checks whether a candidate exists.
func answers(r *record, f fields, p *protocol.Protocol) map[string]protocol.Answer {
	v, ok := f["answers"]
	if !ok {
		return nil
	}
	given, _ := r.Members("answers", v)
	var out map[string]protocol.Answer
	for _, m := range given {
		var a protocol.Answer
		if jsonKind(r.Text, m.Val) == '"' {
			if a.Text, ok = r.Str("answers."+m.Name, m.Val); !ok {
				continue
			}
		} else if err := a.UnmarshalJSON(r.Text[m.Val.Start:m.Val.End]); err != nil || jsonKind(r.Text, m.Val) != '[' {
			r.Refuse(m.Val.Start, "answers."+m.Name,
				"must be a text in double quotes, or a list of texts if the question may have several answers, not %s", r.KindName(m.Val))
			continue
		}
		var bad []protocol.Violation
		if q, _ := p.Question(m.Name); q.Kind != protocol.Candidate {
			bad = p.CheckAnswers(map[string]protocol.Answer{m.Name: a}, nil)
		}
		for _, b := range bad {
			r.Refuse(m.Val.Start, "answers."+m.Name, "%s", b.Msg)
		}
		if len(bad) == 0 {
			if out == nil {
				out = map[string]protocol.Answer{}
			}
			out[m.Name] = a
		}
	}
	return out
}

// protocolOf returns a protocol that has all of these scores, if p has none of them. It
// returns nil if there is no such protocol.
func protocolOf(scores map[string]float64, p *protocol.Protocol) *protocol.Protocol {
	has := func(p *protocol.Protocol) (n int) {
		for name := range scores {
			if _, ok := p.Score(name); ok {
				n++
			}
		}
		return n
	}
	if len(scores) == 0 || has(p) > 0 {
		return nil
	}
	for _, id := range protocol.IDs() {
		if q, _ := protocol.Lookup(id); has(q) == len(scores) {
			return q
		}
	}
	return nil
}

// example returns an example of the scores of p in JSON.
func example(p *protocol.Protocol) string {
	s := ""
	for _, score := range p.Scores {
		if s != "" {
			s += ", "
		}
		s += fmt.Sprintf("%q: %d", score.Name, score.Max)
	}
	return "{" + s + "}"
}

// instant returns a time in RFC 3339, in UTC and truncated to microseconds, as the store keeps
// it.
func instant(r *record, field string, v jsonValue) time.Time {
	s, ok := r.Str(field, v)
	if !ok {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		r.Refuse(v.Start, field, "%s is not a time; write it as 2026-11-20T09:30:00Z", wording.Quote(s))
	}
	return t.UTC().Truncate(time.Microsecond)
}
