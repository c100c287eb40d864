package exchange

import (
	"fmt"
	"iter"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// A Part is a kind of data of a campaign that some formats can't hold.
type Part string

// The parts of a campaign.
const (
	Documents     Part = "documents"      // which segments form a document
	Domains       Part = "domains"        // and data sources
	Reference     Part = "reference"      // one reference for each segment
	References    Part = "references"     // further references of a segment
	Contexts      Part = "contexts"       // contexts, notes to annotators, terms
	Suggestions   Part = "suggestions"    // error spans that annotators accept or reject
	HumanScores   Part = "human scores"   // imported averages
	Metrics       Part = "metric scores"  // of segments
	Judgements    Part = "judgements"     // of language models
	Ratings       Part = "ratings"        // submitted, each with its annotator
	Scores        Part = "scores"         // one entered score of a rating
	SeveralScores Part = "several scores" // all entered scores of a rating
	Errors        Part = "errors"         // error spans of translations, with severities
	SourceErrors  Part = "source errors"  // error spans of sources
	Categories    Part = "categories"     // of errors
	Comments      Part = "comments"       // on ratings
	ErrorComments Part = "error comments" // comments on errors
	Links         Part = "links"          // between errors
	Outcomes      Part = "outcomes"       // what became of suggestions
	Rounds        Part = "rounds"         // several rounds of a segment
	Adjudications Part = "adjudications"  // marked as adjudications
	Times         Part = "times"          // when a rating was submitted
	Seconds       Part = "active times"   // how long an annotator worked on it
)

// A counter counts a part of a segment, and has the notes about a file that can't hold it.
type counter struct {
	part      Part
	one, many string
	count     func(s campaign.Segment) int
}

// counters has all parts, in the order of the notes.
var counters = []counter{
	{Documents, "segment loses its document", "segments lose their documents",
		func(s campaign.Segment) int { return one(s.DocID != s.SegmentID) }},
	{Domains, "domain or data source is left out", "domains and data sources are left out",
		func(s campaign.Segment) int { return one(s.Domain != "") + one(s.DataSource != "") }},
	{Reference, "reference is left out", "references are left out", func(s campaign.Segment) int { return min(len(s.References), 1) }},
	{References, "further reference of a segment is left out", "further references of segments are left out",
		func(s campaign.Segment) int { return max(len(s.References)-1, 0) }},
	{Contexts, "context, note or term is left out", "contexts, notes and terms are left out", func(s campaign.Segment) int {
		return one(s.Context != "") + one(s.Note != "") + one(s.Term != "" || s.Explication != "")
	}},
	{Suggestions, "translation loses its suggested errors", "translations lose their suggested errors",
		inTranslations(func(t campaign.Translation) int { return one(t.Suggested != nil) })},
	{HumanScores, "imported human score is left out", "imported human scores are left out",
		inTranslations(func(t campaign.Translation) int { return len(t.HumanScores) })},
	{Metrics, "metric score is left out", "metric scores are left out",
		inTranslations(func(t campaign.Translation) int { return len(t.Metrics) })},
	{Judgements, "judgement of a language model is left out", "judgements of language models are left out",
		inTranslations(func(t campaign.Translation) int { return len(t.Judgements) })},
	{Ratings, "rating is left out", "ratings are left out", inTranslations(func(t campaign.Translation) int { return len(t.Ratings) })},
	{Scores, "rating loses its scores", "ratings lose their scores", inRatings(func(r campaign.Rating) int { return one(len(r.Scores) > 0) })},
	{SeveralScores, "rating loses all but one of its scores", "ratings lose all but one of their scores",
		inRatings(func(r campaign.Rating) int { return one(len(r.Scores) > 1) })},
	{Errors, "error is left out", "errors are left out", inErrors(func(s protocol.ErrorSpan) int { return one(s.Side != protocol.Source) })},
	{SourceErrors, "error in a source is left out", "errors in sources are left out",
		inErrors(func(s protocol.ErrorSpan) int { return one(s.Side == protocol.Source) })},
	{Categories, "error loses its category", "errors lose their categories",
		inErrors(func(s protocol.ErrorSpan) int { return one(s.Category != "" || s.Subcategory != "") })},
	{Comments, "comment on a rating is left out", "comments on ratings are left out",
		inRatings(func(r campaign.Rating) int { return one(r.Comment != "") })},
	{ErrorComments, "comment on an error is left out", "comments on errors are left out",
		inErrors(func(s protocol.ErrorSpan) int { return one(s.Comment != "") })},
	{Links, "link between errors is left out", "links between errors are left out",
		inErrors(func(s protocol.ErrorSpan) int { return one(s.Link != "") })},
	{Outcomes, "rating loses what became of its suggestions", "ratings lose what became of their suggestions",
		inRatings(func(r campaign.Rating) int { return one(len(r.Suggestions) > 0) })},
	{Rounds, "rating is of a second or later round, which the file does not say",
		"ratings are of second or later rounds, which the file does not say",
		inRatings(func(r campaign.Rating) int { return one(r.Round > 1) })},
	{Adjudications, "adjudication is left out", "adjudications are left out",
		inTranslations(func(t campaign.Translation) int { return one(t.Adjudication != nil) })},
	{Times, "rating loses when it was submitted", "ratings lose when they were submitted",
		inRatings(func(r campaign.Rating) int { return one(!r.SubmittedAt.IsZero()) })},
	{Seconds, "rating loses its active time", "ratings lose their active times",
		inRatings(func(r campaign.Rating) int { return one(r.Seconds > 0) })},
}

// partOf maps a part to the part without which it is not counted.
var partOf = map[Part]Part{
	References: Reference, Scores: Ratings, SeveralScores: Scores, Errors: Ratings, SourceErrors: Ratings, Categories: Errors,
	Comments:      Ratings,
	ErrorComments: Errors, Links: Errors, Outcomes: Ratings, Rounds: Ratings, Times: Ratings, Seconds: Ratings,
}

// Losses counts the data that a file leaves out if it can hold only the parts carries. It yields the segments
// unchanged. After they are read once, notes returns a line for each part that is left out. Data inside such
// a part, such as the comment of a rating, are not counted again.
func Losses(segments iter.Seq2[campaign.Segment, error], carries []Part) (counted iter.Seq2[campaign.Segment, error], notes func() []string) {
	var lost []counter
	for _, c := range counters {
		of, nested := partOf[c.part]
		if !slices.Contains(carries, c.part) && (!nested || slices.Contains(carries, of)) {
			lost = append(lost, c)
		}
	}
	n := make([]int, len(lost))
	counted = func(yield func(campaign.Segment, error) bool) {
		clear(n)
		for s, err := range segments {
			if err == nil {
				for i, c := range lost {
					n[i] += c.count(s)
				}
			}
			if !yield(s, err) {
				return
			}
		}
	}
	return counted, func() (out []string) {
		for i, c := range lost {
			if n[i] > 0 {
				out = append(out, fmt.Sprintf("%s: the format has no place for %s", wording.Counted(n[i], c.one, c.many),
					wording.Choose(n[i], "it", "them")))
			}
		}
		return out
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func inTranslations(count func(campaign.Translation) int) func(campaign.Segment) int {
	return func(s campaign.Segment) (n int) {
		for _, t := range s.Translations {
			n += count(t)
		}
		return n
	}
}

func inRatings(count func(campaign.Rating) int) func(campaign.Segment) int {
	return inTranslations(func(t campaign.Translation) (n int) {
		for _, r := range t.Ratings {
			n += count(r)
		}
		if t.Adjudication != nil {
			n += count(*t.Adjudication)
		}
		return n
	})
}

func inErrors(count func(protocol.ErrorSpan) int) func(campaign.Segment) int {
	return inRatings(func(r campaign.Rating) (n int) {
		for _, s := range r.Spans {
			n += count(s)
		}
		return n
	})
}
