package storetest

import (
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
)

// Numbered makes a file of what line makes of each value, which are numbered from 1.
func Numbered[T, L any](values []T, line func(number int, value T) L) iter.Seq2[L, error] {
	return func(yield func(L, error) bool) {
		for i, v := range values {
			if !yield(line(i+1, v), nil) {
				return
			}
		}
	}
}

// Changed is a file in which change has changed every line.
func Changed[L any](lines iter.Seq2[L, error], change func(line *L)) iter.Seq2[L, error] {
	return func(yield func(L, error) bool) {
		for line, err := range lines {
			if change(&line); !yield(line, err) {
				return
			}
		}
	}
}

// SegmentLines makes a file of segments.
func SegmentLines(segments ...campaign.Segment) iter.Seq2[campaign.SegmentLine, error] {
	return Numbered(segments, func(n int, s campaign.Segment) campaign.SegmentLine {
		return campaign.SegmentLine{File: "f.jsonl", Line: n, Segment: s}
	})
}

// JudgementLines makes a file of judgements.
func JudgementLines(judgements ...campaign.JudgementLine) iter.Seq2[campaign.JudgementLine, error] {
	return Numbered(judgements, func(n int, j campaign.JudgementLine) campaign.JudgementLine {
		j.Place = campaign.Place{File: "f", Line: n}
		return j
	})
}

// SuggestionLines makes a file of suggestions.
func SuggestionLines(suggestions ...campaign.SuggestionLine) iter.Seq2[campaign.SuggestionLine, error] {
	return Numbered(suggestions, func(n int, s campaign.SuggestionLine) campaign.SuggestionLine {
		s.Place = campaign.Place{File: "f", Line: n}
		return s
	})
}

// ImportSegments imports segments in the name of the lead.
func ImportSegments(t *testing.T, s *Sample, segments ...campaign.Segment) readmodel.ImportReport {
	t.Helper()
	return Must(s.Store.Intake.ImportSegments(t.Context(), s.Campaign.ID, SegmentLines(segments...), intake.ImportOptions{File: "f.jsonl", ByID: s.Lead.ID}))(t)
}

// uncounted are the tables that RowCounts leaves out, with the reason for each.
var uncounted = map[string]string{
	"goose_db_version": "its rows are the migrations",
	"campaign_tallies": "a campaign gets its row of sums, which may all be 0, with its first import, also with one that fails",
}

// RowCounts counts the rows of every table of the schema, but for those of uncounted.
func RowCounts(t *testing.T, db *DB) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, table := range Tables(t, db) {
		if uncounted[table] == "" {
			counts[table] = Count(t, db, table)
		}
	}
	return counts
}

// HardTexts are texts that a careless reader, driver or database would change.
var HardTexts = []string{
	"", " ", "\t leading and trailing \n", "line\r\nbreaks\rof\nall\u2028kinds\u2029", `quotes ' " '' "" \' \" ` + "`", `\n \x00 \u0000 $1 ? ?1 :name @p1`,
	"e\u0301 is not \u00e9", "\u1100\u1161\u11a8 \uac01", "עברית then English \u202etxet\u202c \u200f", "🙂🇩🇪👩\u200d👩\u200d👧 \U0010ffff \ufeff\ufffd\uffff",
	"مرحبا\u200cبالعالم", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠜎", "\x01\x1f\x7f\u0085", "%_[]{}", "NULL", "'; DROP TABLE users; --", strings.Repeat("long ", 20_000),
}

// RandomText is a text of characters that a careless reader, driver or database would change.
func RandomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(60) {
		switch r.IntN(6) {
		case 0:
			b.WriteRune(rune(1 + r.IntN(0x7f)))
		case 1:
			b.WriteRune(rune(0x300 + r.IntN(0x70))) // combining marks
		case 2:
			b.WriteRune(rune(0x590 + r.IntN(0x170))) // Hebrew, Arabic
		case 3:
			b.WriteRune(rune(0x10000 + r.IntN(0x100000))) // astral
		case 4:
			b.WriteRune([]rune("\r\n\t'\"\\\u200b\u200e\u202e\u2066\ufeff")[r.IntN(11)])
		default:
			b.WriteRune(rune(0x4e00 + r.IntN(0x5000)))
		}
	}
	return b.String()
}

// SQM is a rating of the protocol sqm.
func SQM(annotator string, round int, score float64) campaign.Rating {
	return campaign.Rating{Annotator: annotator, Round: round, Rating: protocol.Rating{Scores: map[string]float64{"sqm": score}}}
}

// NumberedRatings makes a file of ratings.
func NumberedRatings(ratings ...campaign.RatingLine) iter.Seq2[campaign.RatingLine, error] {
	return Numbered(ratings, func(n int, r campaign.RatingLine) campaign.RatingLine {
		r.Place = campaign.Place{File: "r.jsonl", Line: n}
		return r
	})
}

// RatingLine is a rating of a segment of document d1.
func RatingLine(segment, system, annotator string, round int, score float64) campaign.RatingLine {
	return campaign.RatingLine{DocID: "d1", SegmentID: segment, System: system, Rating: SQM(annotator, round, score)}
}

// TurnLines rates all systems of a segment of document d1.
func TurnLines(s *Sample, segment, annotator string, round int, scores ...float64) []campaign.RatingLine {
	var out []campaign.RatingLine
	for i, score := range scores {
		out = append(out, RatingLine(segment, s.Systems[i], annotator, round, score))
	}
	return out
}

// ImportRatings imports ratings in the name of the lead.
func ImportRatings(t *testing.T, s *Sample, ratings ...campaign.RatingLine) readmodel.ImportReport {
	t.Helper()
	return Must(
		s.Store.Intake.ImportRatings(t.Context(), s.Campaign.ID, NumberedRatings(ratings...), intake.ImportOptions{File: "r.jsonl", ByID: s.Lead.ID}),
	)(t)
}

// ScoreLines makes a file of metric scores.
func ScoreLines(scores []campaign.MetricScore) iter.Seq2[campaign.MetricScore, error] {
	return Numbered(scores, func(n int, s campaign.MetricScore) campaign.MetricScore {
		s.Place = campaign.Place{File: "f", Line: n}
		return s
	})
}

// ScoresInOrder is a system's scores of all segments, in their order.
func ScoresInOrder(metric, system string, scores ...float64) []campaign.MetricScore {
	var out []campaign.MetricScore
	for i, s := range scores {
		out = append(out, campaign.MetricScore{Metric: metric, System: system, Nth: i + 1, Score: s})
	}
	return out
}

// MergeSegments imports a table of rated segments.
func MergeSegments(t *testing.T, s *Sample, segments ...campaign.Segment) (readmodel.ImportReport, error) {
	t.Helper()
	return s.Store.Intake.ImportSegments(
		t.Context(), s.Campaign.ID, SegmentLines(segments...), intake.ImportOptions{File: "f.tsv", ByID: s.Lead.ID, Merge: true},
	)
}

// MarkedSegment is a segment of document d with one translation by each system, each with
// a mark on its first character by every annotator.
func MarkedSegment(segment, source string, translations map[string]string, annotators ...string) campaign.Segment {
	seg := campaign.Segment{DocID: "d", SegmentID: segment, Source: source}
	for _, system := range slices.Sorted(maps.Keys(translations)) {
		tr := campaign.Translation{System: system, Text: translations[system]}
		for _, annotator := range annotators {
			tr.Ratings = append(
				tr.Ratings,
				campaign.Rating{Annotator: annotator, Round: 1, Rating: protocol.Rating{Spans: []protocol.ErrorSpan{Span(0, 1, "", "major", "Other")}}},
			)
		}
		seg.Translations = append(seg.Translations, tr)
	}
	return seg
}

// MarkedRating is a rating of one translation with the given spans, by x.
func MarkedRating(segment, system string, spans ...protocol.ErrorSpan) campaign.RatingLine {
	return campaign.RatingLine{DocID: "d1", SegmentID: segment, System: system, Rating: campaign.Rating{Annotator: "x", Rating: protocol.Rating{Spans: spans}}}
}

// Span marks characters of the translation.
func Span(start, end int, text, severity, category string) protocol.ErrorSpan {
	category, sub, _ := strings.Cut(category, "/")
	return protocol.ErrorSpan{Side: protocol.Target, Start: start, End: end, Text: text, Severity: severity, Category: category, Subcategory: sub}
}
