package intake

import (
	"context"
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
)

// A JudgeSuggestions says which errors of a judge became suggestions.
type JudgeSuggestions struct {
	Report readmodel.ImportReport
	Begun  int // translations left out because an annotator has begun or rated their segment
	Unfit  int // errors left out because the protocol does not allow them
}

// SuggestFromJudge turns the errors that a judge marked into suggestions, for the segments that no
// annotator has begun. They replace earlier suggestions for these segments. A severity "critical"
// that the protocol lacks becomes "major". A category that it lacks is left out. An error that the
// protocol does not allow even then is left out. The error is a *campaign.InvalidError if the judge
// has no errors to suggest.
func (s *Store) SuggestFromJudge(ctx context.Context, c campaign.Campaign, judge, byID string) (JudgeSuggestions, error) {
	var out JudgeSuggestions
	if !c.Rules.MarksErrors() {
		return out, campaign.Invalid("judge", noSuggestions(c))
	}
	begun := map[segmentKey]bool{}
	var rows []struct{ DocID, SegmentID string }
	err := s.db.Read(ctx).Raw(`SELECT DISTINCT d.doc_id, g.segment_id FROM assignments a JOIN segments g ON g.id = a.segment_id
		JOIN documents d ON d.id = g.document_id WHERE a.campaign_id = ?`, c.ID).Scan(&rows).Error
	if err != nil {
		return out, err
	}
	for _, r := range rows {
		begun[segmentKey{DocID: r.DocID, SegmentID: r.SegmentID}] = true
	}
	var lines []campaign.SuggestionLine
	for seg, err := range s.records.AllSegments(ctx, c) {
		if err != nil {
			return out, err
		}
		for _, t := range seg.Translations {
			for _, j := range t.Judgements {
				switch {
				case j.Judge != judge || j.Spans == nil || j.Status != campaign.JudgementOK:
				case begun[segmentKey{DocID: seg.DocID, SegmentID: seg.SegmentID}]:
					out.Begun++
				default:
					spans, unfit := fitting(c.Rules, j.Spans, protocol.Texts{Source: seg.Source, Translation: t.Text})
					out.Unfit += unfit
					lines = append(lines, campaign.SuggestionLine{
						Place: campaign.Place{File: "judge " + judge, Line: len(lines) + 1}, DocID: seg.DocID, SegmentID: seg.SegmentID, System: t.System, Suggestions: protocol.Suggestions{Origin: judge, Spans: spans}})
				}
			}
		}
	}
	if len(lines) == 0 {
		return out, campaign.Invalid("judge", fmt.Sprintf("%q has marked no errors in segments that nobody has begun", judge))
	}
	out.Report, err = s.ImportSuggestions(ctx, c.ID, func(yield func(campaign.SuggestionLine, error) bool) {
		for _, line := range lines {
			if !yield(line, nil) {
				return
			}
		}
	}, ImportOptions{File: "judge " + judge, ByID: byID})
	return out, err
}

// ForecastSuggestions counts what suggestions of the errors of a judge would change. All counts are 0 if the
// judge has marked no errors.
func (s *Store) ForecastSuggestions(ctx context.Context, c campaign.Campaign, judge string) (f readmodel.SuggestionForecast, err error) {
	err = s.db.Read(ctx).Raw(`SELECT count(DISTINCT CASE WHEN begun = 0 THEN segment_id END) AS segments, coalesce(sum(1 - begun), 0) AS translations,
			coalesce(sum((1 - begun) * suggested), 0) AS replaced, coalesce(sum(begun), 0) AS begun
		FROM (SELECT t.segment_id, CASE WHEN EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id) THEN 1 ELSE 0 END AS begun,
				CASE WHEN EXISTS (SELECT 1 FROM suggestions y WHERE y.translation_id = t.id) THEN 1 ELSE 0 END AS suggested
			FROM judgements x JOIN judges j ON j.id = x.judge_id JOIN translations t ON t.id = x.translation_id JOIN segments g ON g.id = t.segment_id
			WHERE j.campaign_id = ? AND j.name = ? AND x.status = ? AND x.spans IS NOT NULL) marked`, c.ID, judge, string(campaign.JudgementOK)).Scan(&f).Error
	return f, err
}

// fitting returns the errors of a judge that the protocol allows as suggestions, and the number of the
// others.
func fitting(p *protocol.Protocol, spans []protocol.ErrorSpan, t protocol.Texts) (fit []protocol.ErrorSpan, unfit int) {
	fit = []protocol.ErrorSpan{}
	for _, s := range spans {
		s.Link, s.Suggestion, s.Comment = "", "", ""
		if _, known := p.Spans.Severity(strings.ToLower(s.Severity)); !known && strings.EqualFold(s.Severity, "critical") {
			s.Severity = "major"
		}
		s = p.Canonical(s)
		bare := s
		bare.Category, bare.Subcategory = "", ""
		switch {
		case len(fit) < protocol.MaxSpans && len(p.CheckSuggestions([]protocol.ErrorSpan{s}, t)) == 0:
			fit = append(fit, s)
		case len(fit) < protocol.MaxSpans && len(p.CheckSuggestions([]protocol.ErrorSpan{bare}, t)) == 0:
			fit = append(fit, bare)
		default:
			unfit++
		}
	}
	return fit, unfit
}
