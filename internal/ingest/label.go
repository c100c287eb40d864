package ingest

import (
	"strconv"
	"strings"

	"annotate/internal/protocol"
)

// Limits on the error spans of a rating. The application has narrower limits, which do not
// apply to imports.
const (
	maxSpans = 10_000
	MaxLabel = 200 // bytes of a severity or category
)

// LacksCategory reports whether s has a subcategory but no category. Missing punctuation
// needs no category.
func LacksCategory(p *protocol.Protocol, s protocol.ErrorSpan) bool {
	if t := p.Spans.MissingPunctuation; t != nil && s.Subcategory == t.Subcategory {
		return false
	}
	return strings.TrimSpace(s.Category) == "" && s.Subcategory != ""
}

const noCategory = "missing, although the error has the subcategory %s; give the category that the subcategory belongs to, or leave the subcategory out"

// numericSeverity returns the severity of p that is the same number as a text, such as "5"
// for "5.0" or " 5", which spreadsheets write. It ignores severities that an import added to
// the campaign. Any other text is unchanged.
func numericSeverity(p *protocol.Protocol, text string) string {
	if s, known := p.Spans.Severity(text); known && !s.Own {
		return text
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return text
	}
	for _, s := range p.Spans.Severities {
		if y, err := strconv.ParseFloat(s.ID, 64); err == nil && x == y && !s.Own {
			return s.ID
		}
	}
	return text
}
