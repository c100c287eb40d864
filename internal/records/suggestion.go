package records

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
)

// SuggestionsOf reads the suggestions for the translations of segments, by id of the
// translation.
func SuggestionsOf(db *gorm.DB, segmentIDs []string) (map[string]*protocol.Suggestions, error) {
	return readSuggestions(db.Raw(`SELECT s.translation_id, s.origin, s.spans FROM translations t JOIN suggestions s ON s.translation_id = t.id
		WHERE t.segment_id IN ?`, segmentIDs))
}

func readSuggestions(query *gorm.DB) (map[string]*protocol.Suggestions, error) {
	var rows []struct{ TranslationID, Origin, Spans string }
	if err := query.Scan(&rows).Error; err != nil {
		return nil, err
	}
	out := make(map[string]*protocol.Suggestions, len(rows))
	for _, r := range rows {
		of := &protocol.Suggestions{Origin: r.Origin}
		if err := json.Unmarshal([]byte(r.Spans), &of.Spans); err != nil {
			return nil, fmt.Errorf("decode suggestions: %w", err)
		}
		out[r.TranslationID] = of
	}
	return out, nil
}

// Suggested reports whether a campaign has suggestions.
func (s *Store) Suggested(ctx context.Context, campaignID string) (bool, error) {
	var n int
	// Most databases have no suggestions at all. CROSS JOIN makes SQLite begin with the
	// suggestions instead of with all translations of the campaign.
	err := database.Scan(s.db.Read(ctx).Raw(`SELECT count(*) FROM (SELECT 1 AS one FROM suggestions s CROSS JOIN translations t CROSS JOIN segments g
		WHERE t.id = s.translation_id AND g.id = t.segment_id AND g.campaign_id = ? LIMIT 1) AS first`, campaignID), &n)
	return n > 0, err
}

// HasSuggestions reports whether a campaign has suggestions, or ratings with outcomes of
// suggestions. It may read all ratings of the campaign.
func (s *Store) HasSuggestions(ctx context.Context, c campaign.Campaign) (bool, error) {
	if c.Rules.Spans == nil {
		return false, nil
	}
	if some, err := s.Suggested(ctx, c.ID); some || err != nil {
		return some, err
	}
	var n int
	err := database.Scan(s.db.Read(ctx).Raw(`SELECT count(*) FROM (SELECT 1 AS one FROM assignments a JOIN ratings r ON r.assignment_id = a.id
		WHERE a.campaign_id = ? AND r.suggestions <> '[]' LIMIT 1) AS first`, c.ID), &n)
	return n > 0, err
}

// DecideCard completes a rating that came from a page: it replaces the places of suggestions
// by their ids, and computes the outcome of each suggestion for the translation. A suggestion
// that does not exist is a *campaign.InvalidError.
func DecideCard(db *gorm.DB, translationID string, r protocol.Rating) (protocol.Rating, error) {
	named := len(r.Suggestions) > 0 || slices.ContainsFunc(r.Spans, func(s protocol.ErrorSpan) bool { return s.Suggestion != "" })
	if !named {
		return r, nil
	}
	of, err := readSuggestions(db.Raw("SELECT translation_id, origin, spans FROM suggestions WHERE translation_id = ?", translationID))
	if err != nil {
		return r, err
	}
	var suggested []protocol.ErrorSpan
	if s := of[translationID]; s != nil {
		suggested = s.Spans
	}
	r, bad := unblind(suggested, r)
	if len(bad) == 0 {
		r, bad = protocol.Decide(suggested, r)
	}
	if len(bad) > 0 {
		return r, campaign.Invalid(bad[0].Field, bad[0].Msg)
	}
	return r, nil
}

// Blind replaces the ids of suggestions in a rating by their places in suggested, from 1. An
// id could tell an annotator what made the suggestion, or which system it is for. Every
// suggestion that r refers to must exist; see [KnownOnly].
func Blind(suggested []protocol.ErrorSpan, r protocol.Rating) protocol.Rating {
	return mapSuggestionIDs(r, func(id string) string {
		i := slices.IndexFunc(suggested, func(s protocol.ErrorSpan) bool { return s.ID == id })
		return strconv.Itoa(i + 1)
	})
}

// unblind reverses [Blind]. A place without a suggestion is a violation.
func unblind(suggested []protocol.ErrorSpan, r protocol.Rating) (protocol.Rating, []protocol.Violation) {
	var bad []protocol.Violation
	r = mapSuggestionIDs(r, func(place string) string {
		i, err := strconv.Atoi(place)
		if err != nil || i < 1 || i > len(suggested) {
			bad = append(bad, protocol.Violation{Field: "suggestions", Msg: fmt.Sprintf("there is no suggestion %q for this translation; reload the page", place)})
			return ""
		}
		return suggested[i-1].ID
	})
	return r, bad
}

// BlindSuggestions returns suggestions with their places, from 1, as ids. Pages get these.
func BlindSuggestions(suggested []protocol.ErrorSpan) []protocol.ErrorSpan {
	out := slices.Clone(suggested)
	for i := range out {
		out[i].ID = strconv.Itoa(i + 1)
	}
	return out
}

// mapSuggestionIDs returns r with the id of each suggestion that it refers to replaced by
// name(id).
func mapSuggestionIDs(r protocol.Rating, name func(id string) string) protocol.Rating {
	r.Spans, r.Suggestions = slices.Clone(r.Spans), slices.Clone(r.Suggestions)
	for i, s := range r.Spans {
		if s.Suggestion != "" {
			r.Spans[i].Suggestion = name(s.Suggestion)
		}
	}
	for i, o := range r.Suggestions {
		r.Suggestions[i].ID = name(o.ID)
	}
	return r
}

// KnownOnly removes references to suggestions that do not exist from a rating. Imported
// ratings can have them, because the suggestions need not be imported with the ratings.
func KnownOnly(suggested []protocol.ErrorSpan, r protocol.Rating) protocol.Rating {
	known := func(id string) bool {
		return slices.ContainsFunc(suggested, func(s protocol.ErrorSpan) bool { return s.ID == id })
	}
	r.Suggestions = slices.DeleteFunc(r.Suggestions, func(o protocol.Outcome) bool { return !known(o.ID) })
	for i, s := range r.Spans {
		if !known(s.Suggestion) {
			r.Spans[i].Suggestion = ""
		}
	}
	return r
}
