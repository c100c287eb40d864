package desk

import (
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// annotatorFates counts what an annotator did with suggested errors, by their origin, over all that the
// annotator submitted.
func annotatorFates(db *gorm.DB, campaignID string, annotator AnnotatorProgress) ([]readmodel.Fates, error) {
	byOrigin := map[string]*readmodel.Fates{}
	var origin string
	var of records.RatingColumns
	for err := range database.EachRow(db.Raw(
		`SELECT s.origin, r.suggestions FROM assignments a JOIN ratings r ON r.assignment_id = a.id JOIN suggestions s ON s.translation_id = r.translation_id
		WHERE a.campaign_id = ? AND a.user_id = ? AND a.`+submittedState(
			annotator,
		)+` = 'submitted' AND r.suggestions <> '[]'`,
		campaignID,
		annotator.User.ID,
	), &origin, &of.Suggestions) {
		if err != nil {
			return nil, err
		}
		f := byOrigin[origin]
		if f == nil {
			f = &readmodel.Fates{Origin: origin}
			byOrigin[origin] = f
		}
		for _, o := range of.Rating().Suggestions {
			switch o.Became {
			case protocol.Accepted:
				f.Accepted++
			case protocol.Changed:
				f.Changed++
			case protocol.Rejected:
				f.Rejected++
			}
		}
	}
	var out []readmodel.Fates
	for _, f := range byOrigin {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b readmodel.Fates) int { return strings.Compare(a.Origin, b.Origin) })
	return out, nil
}

// submittedState is the column of assignments that says what an annotator submitted: while the work is set
// aside, that is the column with the state before.
func submittedState(annotator AnnotatorProgress) string {
	if annotator.SetAside {
		return "set_aside"
	}
	return "state"
}
