package intake

import (
	"encoding/json"
	"fmt"
	"strings"

	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
)

// An importRecord has the data of an import for the list of imports, and the data that undoing the
// import needs in addition to the rows with its id.
type importRecord struct {
	Kind    string // such as "segments"
	Brought string // in words, such as "12 segments, 24 translations"
	// The segments that the import brought have positions above After, up to Last.
	After, Last int
	Restores    restores
}

// restores has the values that an import changed and that undoing the import restores.
type restores struct {
	// SourceLang and TargetLang say whether the import set the language, which the campaign
	// lacked.
	SourceLang bool `json:"source_lang,omitempty"`
	TargetLang bool `json:"target_lang,omitempty"`
	// Severities and Categories are those that the import made the campaign's own.
	Severities []string `json:"severities,omitempty"`
	Categories []string `json:"categories,omitempty"`
	// Judges are the earlier judges whose method, model or line about them the import set.
	Judges []judgeBefore `json:"judges,omitempty"`
}

// A judgeBefore has what a file can set of a judge, as it was before an import.
type judgeBefore struct {
	ID     string `json:"id"`
	Method string `json:"method"`
	Model  string `json:"model"`
	About  string `json:"about,omitempty"`
}

// Add adds an import of the named files by a user to the end of the campaign's list of imports.
func (r importRecord) Add(tx *database.Tx, campaignID, id, files, byID string) error {
	restores, err := json.Marshal(r.Restores)
	if err != nil {
		return fmt.Errorf("encode what an import changed: %w", err)
	}
	return tx.Exec(
		`INSERT INTO imports (id, campaign_id, seq, kind, files, by_id, at, brought, after_position, last_position, restores)
		SELECT CAST(? AS TEXT), id, imports, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS INTEGER), CAST(? AS INTEGER), CAST(? AS TEXT) FROM campaigns WHERE id = ?`,
		id, r.Kind, database.Storable(files), database.OrNull(byID), database.InstantOf(tx.Now()), database.Storable(r.Brought), r.After, r.Last,
		string(restores), campaignID,
	).Error
}

// broughtBy returns what an import brought in words, such as "12 segments, 24 translations".
func broughtBy(r readmodel.ImportReport) string {
	var parts []string
	add := func(n int, one string) {
		if n > 0 {
			parts = append(parts, wording.Counted(n, one))
		}
	}
	add(r.Segments, "segment")
	add(r.Translations, "translation")
	add(r.References, "reference")
	add(r.Terms, "term")
	add(r.HumanScores, "human score")
	add(r.Ratings, "rating")
	if len(r.Metrics) > 0 {
		parts = append(parts, wording.Counted(r.MetricScores, "score")+" of "+strings.Join(r.Metrics, ", "))
	}
	if len(r.Judges) > 0 {
		parts = append(parts, wording.Counted(r.Judgements, "judgement")+" of "+strings.Join(r.Judges, ", "))
	}
	if r.SuggestedTo > 0 {
		parts = append(parts, wording.Counted(r.Suggestions, "suggestion")+" for "+wording.Counted(r.SuggestedTo, "translation"))
	}
	add(len(r.NewAnnotators), "account")
	if len(parts) == 0 {
		return "nothing new"
	}
	return strings.Join(parts, ", ")
}
