package store

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// ImportSuggestions reads error spans to be suggested to the annotators of a
// campaign, in one transaction, all or nothing, as [Store.ImportReferences] does
// with references. Names are spelt as the protocol spells them, spans get the words
// they cover, and an id where they have none. A line without spans says that nothing
// is suggested. What a translation had from an earlier import is replaced.
//
// Everybody who judges a segment decides on the same suggestions, and nobody's
// change while they work. So a segment that somebody has begun, or has rated, is
// refused; as are an unknown segment or system, a translation that has two lines,
// and spans that could not be entered ([protocol.Protocol.CheckSuggestions]).
func (s *Store) ImportSuggestions(ctx context.Context, campaignID string, lines iter.Seq2[campaign.NumberedSuggestion, error], opt ImportOptions) (ImportReport, error) {
	var report ImportReport
	err := s.importLines(ctx, campaignID, "import suggestions", opt, func(tx *gorm.DB, c campaign.Campaign, problems *campaign.Problems) (string, error) {
		if c.Rules.Spans == nil {
			return "", campaign.Invalid("format", noSuggestions(c))
		}
		systems, err := systemIDs(tx, c.ID)
		if err != nil {
			return "", err
		}
		im := suggestionImport{
			finder: &ratingImport{tx: tx, c: c, systems: systems}, problems: problems,
			seen: map[string]place{}, pending: newRows("suggestions", "translation_id", "origin", "spans"),
		}
		if err := eachLine(ctx, lines, problems.Add, im.add); err != nil {
			return "", err
		}
		if err := im.flush(); err != nil {
			return "", err
		}
		report = im.report
		return fmt.Sprintf("%d suggestions for %d translations", report.Suggestions, report.SuggestedTo), nil
	})
	return report, err
}

func noSuggestions(c campaign.Campaign) string {
	return fmt.Sprintf("the protocol of this campaign is %s, under which no errors are marked, so that none can be suggested; import them into a campaign whose protocol marks errors", c.Rules.Name)
}

// suggestionImport writes suggestions, a batch at a time. It keeps in memory which
// translations have had a line.
type suggestionImport struct {
	finder   *ratingImport // knows how to look up what lines name
	problems *campaign.Problems
	lines    []campaign.NumberedSuggestion
	spans    int              // of lines
	seen     map[string]place // by translation
	pending  *rows
	report   ImportReport
}

func (im *suggestionImport) refuse(at place, field, msg string) {
	im.problems.Add(&campaign.Problem{File: at.file, Line: at.line, Field: field, Msg: msg})
}

func (im *suggestionImport) add(line campaign.NumberedSuggestion) error {
	im.lines = append(im.lines, line)
	im.spans += len(line.Suggestion.Spans)
	if len(im.lines) < ratingBatch && im.spans < spanBatch {
		return nil
	}
	return im.flush()
}

// flush writes the lines that were taken.
func (im *suggestionImport) flush() error {
	if len(im.lines) == 0 {
		return nil
	}
	keys := make([]campaign.NumberedRating, len(im.lines))
	for i, line := range im.lines {
		of := line.Suggestion
		keys[i].Rating = campaign.RatingLine{DocID: of.DocID, SegmentID: of.SegmentID, System: of.System}
	}
	found, err := im.finder.find(keys)
	if err != nil {
		return err
	}
	begun, err := begunSegments(im.finder.tx, found)
	if err != nil {
		return err
	}
	var translations []string
	for _, line := range im.lines {
		of, at := line.Suggestion, place{line.File, line.Line}
		text := found[segmentKey{of.DocID, of.SegmentID}]
		translation, ok := text.translations[of.System]
		switch {
		case text.problem != "":
			im.refuse(at, "segment_id", text.problem)
			continue
		case !ok:
			im.refuse(at, "system", im.finder.missing(of.System))
			continue
		case begun[text.id]:
			im.refuse(at, "segment_id", fmt.Sprintf("somebody has begun or rated segment %q, and suggestions must be there before; leave the line out, or import into a new campaign", of.SegmentID))
			continue
		}
		if first, twice := im.seen[translation.id]; twice {
			im.refuse(at, "system", fmt.Sprintf("%s:%d is of the same translation; give all its suggestions in one line", first.file, first.line))
			continue
		}
		im.seen[translation.id] = at
		if spans, ok := im.sound(at, of, protocol.Texts{Source: text.source, Translation: translation.text}); ok {
			translations = append(translations, translation.id)
			im.pending.add(translation.id, of.Origin, encodeSpans(spans))
			im.report.Suggestions += len(spans)
			im.report.SuggestedTo++
		}
	}
	clear(im.lines)
	im.lines, im.spans = im.lines[:0], 0
	replaced := im.finder.tx.Exec("DELETE FROM suggestions WHERE translation_id IN ?", translations)
	if replaced.Error != nil {
		return replaced.Error
	}
	im.report.Replaced += int(replaced.RowsAffected)
	return im.pending.insert(im.finder.tx)
}

// begunSegments says which of some segments somebody has, or had, in work.
func begunSegments(tx *gorm.DB, found map[segmentKey]foundText) (map[string]bool, error) {
	var ids, begun []string
	for _, text := range found {
		if text.problem == "" {
			ids = append(ids, text.id)
		}
	}
	err := tx.Raw("SELECT DISTINCT segment_id FROM assignments WHERE segment_id IN ?", ids).Scan(&begun).Error
	out := make(map[string]bool, len(begun))
	for _, id := range begun {
		out[id] = true
	}
	return out, err
}

// sound returns the spans of a line as they are stored; false after a problem.
func (im *suggestionImport) sound(at place, of campaign.SuggestionLine, t protocol.Texts) ([]protocol.ErrorSpan, bool) {
	before := im.problems.Count()
	if of.Origin != storable(of.Origin) {
		bad := notStorable("origin")
		im.refuse(at, bad.Field, bad.Msg)
	}
	rules := im.finder.c.Rules
	spans := make([]protocol.ErrorSpan, len(of.Spans))
	for i, s := range withIDs(of.Spans) {
		for _, f := range spanTexts(s) {
			if f.text != storable(f.text) {
				bad := notStorable(f.name)
				im.refuse(at, fmt.Sprintf("spans[%d].%s", i, bad.Field), bad.Msg)
			}
		}
		s = rules.Canonical(s)
		if placed, bad := t.Place(s); bad == nil {
			s = placed
		}
		spans[i] = s
	}
	for _, bad := range rules.CheckSuggestions(spans, t) {
		im.refuse(at, bad.Field, bad.Msg)
	}
	return spans, im.problems.Count() == before
}

// withIDs gives spans without an id the next number that none has.
func withIDs(spans []protocol.ErrorSpan) []protocol.ErrorSpan {
	out := make([]protocol.ErrorSpan, len(spans))
	taken := make(map[string]bool, len(spans))
	for i, s := range spans {
		out[i] = s
		taken[s.ID] = true
	}
	n := 0
	for i := range out {
		for out[i].ID == "" {
			if n++; !taken[strconv.Itoa(n)] {
				out[i].ID = strconv.Itoa(n)
			}
		}
	}
	return out
}
