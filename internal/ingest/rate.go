package ingest

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

var rateFields = []string{"annotator", "adjudicated", "doc_id", "doc_num", "line_id", "domain", "system", "source", "translation", "spans"}

// Rate reads the format "rate" under protocol p. It yields a segment with one translation and its rating for each
// line. Errors are as in [Segments].
//
// A derived score is compared with what the errors and scores of its line give. A note counts those that differ.
func Rate(r io.Reader, p *protocol.Protocol, opt Options) iter.Seq2[campaign.SegmentLine, error] {
	keys := slices.Clone(rateFields)
	for _, s := range p.Scores {
		keys = append(keys, rateScore(s.Name))
	}
	for _, d := range p.Derived {
		keys = append(keys, d.Name)
	}
	return objectLines(r, format.RATE, keys, opt, func(r *record, f fields) []campaign.SegmentLine {
		s := rateSegment(r, f, p, opt)
		return []campaign.SegmentLine{{File: r.File, Line: r.Line, Segment: s}}
	})
}

// rateScore is the key of a score.
func rateScore(name string) string { return "score_" + name }

func rateSegment(r *record, f fields, p *protocol.Protocol, opt Options) campaign.Segment {
	s := campaign.Segment{
		DocID:      cmp.Or(r.ID(f, "doc_id", false), r.ID(f, "doc_num", false)),
		SegmentID:  r.ID(f, "line_id", true),
		Domain:     r.Label(f, "domain"),
		SourceLang: opt.SourceLang, TargetLang: opt.TargetLang,
		Source: r.Source(f, "source"),
	}
	if s.DocID == "" && len(r.Problems) == 0 {
		r.Refuse(nowhere, "doc_id", "missing; give the id of the document")
	}
	t := campaign.Translation{System: system(r, f, opt.Systems)}
	if v, ok := f["translation"]; ok {
		t.Text, _ = r.Str("translation", v)
	} else {
		r.Refuse(nowhere, "translation", `missing; give the text of the translation, "" if it is empty`)
	}
	rating := campaign.Rating{Annotator: ratedBy(r, f), Round: 1}
	rating.Spans = spans(r, f, p)
	rating.Scores = rateScores(r, f, p)
	rating.NoErrors = spansOnly(p) && len(rating.Spans) == 0
	if len(r.Problems) > 0 {
		return s
	}
	placeSpans(r, f, rating.Spans, protocol.Texts{Source: s.Source, Translation: t.Text})
	compareDerived(r, f, p, rating.Rating)
	if v, ok := f["adjudicated"]; ok {
		if yes, _ := r.Bool("adjudicated", v); yes {
			rating.Round = 0
			t.Adjudication = &rating
		}
	}
	if t.Adjudication == nil {
		t.Ratings = []campaign.Rating{rating}
	}
	s.Translations = []campaign.Translation{t}
	return s
}

// rateScores reads the scores of p.
func rateScores(r *record, f fields, p *protocol.Protocol) map[string]float64 {
	out := map[string]float64{}
	for _, s := range p.Scores {
		v, ok := f[rateScore(s.Name)]
		if !ok {
			r.Refuse(nowhere, rateScore(s.Name), "missing; give a whole number from %d to %d", s.Min, s.Max)
			continue
		}
		if x, isNumber := r.Number(rateScore(s.Name), v); isNumber {
			out[s.Name] = x + 0 // -0 becomes 0
		}
	}
	for _, bad := range p.CheckScores(out) {
		r.Refuse(f[rateScore(bad.Field)].Start, rateScore(bad.Field), "%s", bad.Msg)
	}
	return out
}

// placeSpans refuses spans outside their texts or with other words, and gives the others their words.
func placeSpans(r *record, f fields, spans []protocol.ErrorSpan, texts protocol.Texts) {
	for i, s := range spans {
		placed, bad := texts.Place(s)
		if bad != nil {
			r.Refuse(f["spans"].Start, fmt.Sprintf("spans[%d].%s", i, bad.Field), "%s", bad.Msg)
		}
		spans[i] = placed
	}
}

// compareDerived notes derived scores that the rating does not give.
func compareDerived(r *record, f fields, p *protocol.Protocol, rating protocol.Rating) {
	for _, d := range p.Derived {
		v, given := f[d.Name]
		want, known := d.Value(rating)
		if !given || !known {
			continue
		}
		if x, ok := r.Number(d.Name, v); ok && math.Abs(x-want) > 1e-9 {
			r.Notes.Add("{rating|ratings} with another "+wording.Quote(d.Name)+" than {its|their} errors and scores give, which count here", r.File, r.Line)
		}
	}
}
