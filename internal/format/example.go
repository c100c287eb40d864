package format

import (
	"strconv"
	"strings"

	"annotate/internal/protocol"
)

// always returns the same example for all protocols.
func always(example string) func(*protocol.Protocol) string {
	return func(*protocol.Protocol) string { return example }
}

// segmentsExample returns two lines of segments. Under a protocol whose unit is the segment, only a question for a candidate
// needs translations.
func segmentsExample(p *protocol.Protocol) string {
	texts := `, "translations": {"system A": "…", "system B": "…"}`
	if p != nil && p.OfSegments() && !p.AsksCandidate() {
		texts = ""
	}
	line := func(id string) string {
		return `{"doc_id": "news-17", "segment_id": "` + id + `", "domain": "news", "source": "…"` + texts + "}"
	}
	return line("1") + "\n" + line("2")
}

// scoresExample returns scores of a metric, which are about sources under a protocol whose unit is the segment.
func scoresExample(p *protocol.Protocol) string {
	if p != nil && p.OfSegments() {
		return `{"metric": "difficulty", "doc_id": "news-17", "segment_id": "1", "score": 71.5}`
	}
	return "system A\t31.4\nsystem A\t28.0\nsystem B\t35.5\nsystem B\t30.2\n" + `
{"metric": "BLEU-refA", "system": "system A", "doc_id": "news-17", "segment_id": "1", "score": 31.4}`
}

// ratingsExample returns two lines of a file of ratings under p, which is SQM if it is nil.
func ratingsExample(p *protocol.Protocol) string {
	if p == nil {
		p, _ = protocol.Lookup("sqm")
	}
	line := func(system string, share int, spans string) string {
		var scores []string
		for _, s := range p.Scores {
			scores = append(scores, strconv.Quote(s.Name)+": "+strconv.Itoa(s.Min+(s.Max-s.Min)*share/4))
		}
		s := `{"doc_id": "news-17", "segment_id": "1", "system": "` + system + `", "annotator": "mara"`
		if len(scores) > 0 {
			s += `, "scores": {` + strings.Join(scores, ", ") + "}"
		}
		if p.Spans != nil {
			s += `, "spans": [` + spans + "]"
		}
		return s
	}
	return line("system A", 3, "") + `, "seconds": 41}` + "\n" + line("system B", 2, spanExample(p)) + `, "comment": "…"}`
}

func spanExample(p *protocol.Protocol) string {
	if p.Spans == nil || len(p.Spans.Severities) == 0 {
		return ""
	}
	s := `{"side": "target", "start": 4, "end": 9, "severity": ` + strconv.Quote(p.Spans.Severities[len(p.Spans.Severities)-1].ID)
	if len(p.Spans.Categories) > 0 {
		c := p.Spans.Categories[0]
		s += `, "category": ` + strconv.Quote(c.Name)
		if len(c.Sub) > 0 {
			s += `, "subcategory": ` + strconv.Quote(c.Sub[0].Name)
		}
	}
	return s + "}"
}
