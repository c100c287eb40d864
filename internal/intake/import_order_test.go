package intake_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// sentBackSegments is of how many segments the second looks are more than one step of an
// import stages.
const sentBackSegments = 40

// sentBack is a campaign whose two annotators have a second look at all segments, and the
// file of their ratings.
func sentBack(t *testing.T, db *storetest.DB) (s *storetest.Sample, seconds []campaign.RatingLine) {
	s = storetest.Campaign(t, db.Store, storetest.Segments(sentBackSegments), storetest.PerDocument(sentBackSegments))
	var firsts []campaign.RatingLine
	for i := range sentBackSegments {
		segment := fmt.Sprint("s", i+1)
		firsts = slices.Concat(firsts, storetest.TurnLines(s, segment, "ann1", 1, 0, 2, 4), storetest.TurnLines(s, segment, "ann2", 1, 4, 2, 0))
		seconds = slices.Concat(seconds, storetest.TurnLines(s, segment, "ann1", 2, 0, 2, 4), storetest.TurnLines(s, segment, "ann2", 2, 0, 2, 4))
	}
	storetest.ImportRatings(t, s, firsts...)
	return s, seconds
}

// secondLook is the assignment of the second look of an annotator at a segment.
func secondLook(t *testing.T, db *storetest.DB, s *storetest.Sample, segmentRowID string, annotator int) string {
	return storetest.Query[string](t, db, "SELECT id FROM assignments WHERE segment_id = ? AND user_id = ? AND round = 2", segmentRowID, s.Annotators[annotator].ID)[0]
}

// importDuring imports ratings, and calls do when most of them are staged.
func importDuring(t *testing.T, db *storetest.DB, s *storetest.Sample, lines []campaign.RatingLine, do func()) error {
	_, err := db.Intake.ImportRatings(t.Context(), s.Campaign.ID, during(storetest.NumberedRatings(lines...), len(lines), do), intake.ImportOptions{File: "r.jsonl"})
	return err
}

// Whether an annotator has begun what an import brings does not depend on the clock: one
// that was set back makes an import fail for nobody's work, and hides nobody's work. A draft
// that is saved meanwhile makes it fail, be it the first, and so does what is submitted.
func TestImportsUnderAClockSetBack(t *testing.T) {
	db := storetest.Open(t)
	s, lines := sentBack(t, db)
	first := s.RowID(t, "d1", "s1")
	storetest.WantErr(t, importDuring(t, db, s, lines, func() {
		s.Save(t, 0, secondLook(t, db, s, first, 0), 0, 3)
	}), campaign.ErrConflict)
	storetest.WantErr(t, importDuring(t, db, s, lines[3:], func() {
		db.Clock.Advance(-time.Hour)
		storetest.Check(t, s.TryRate(t.Context(), 1, secondLook(t, db, s, first, 1), 0, 2, 4))
	}), campaign.ErrConflict)
	db.Clock.Advance(-time.Hour)
	storetest.Check(t, importDuring(t, db, s, lines[6:], func() {}))
	storetest.Check(t, s.TryRate(t.Context(), 0, secondLook(t, db, s, first, 0), 0, 2, 4))
}

// Suggestions for a segment that somebody begins meanwhile are refused, whatever the clock
// says of when that was.
func TestImportSuggestionsUnderAClockSetBack(t *testing.T) {
	db, s := storetest.New(t, storetest.Protocol("esa"), storetest.Segments(2), storetest.Systems(2))
	_, err := db.Intake.ImportSuggestions(t.Context(), s.Campaign.ID, during(newSuggestions(2, s.Systems[0]), 2, func() {
		db.Clock.Advance(-time.Hour)
		s.Next(t, 0)
	}), intake.ImportOptions{})
	problems, ok := err.(*campaign.Problems)
	if !ok || problems.Count() != 1 {
		t.Errorf("refused with %v, want one problem", err)
	}
}

// An annotator whose second look is being imported can't save, submit or report it while
// the import is completed. What they had submitted in the very last moment stays.
func TestSecondLookBeingImported(t *testing.T) {
	db := storetest.Open(t)
	s, lines := sentBack(t, db)
	storetest.SetPlaceAtOnce(db.Store, 10)
	steps := 0
	storetest.OnPlaced(db.Store, func() {
		if steps++; steps > 1 {
			return
		}
		left := storetest.Query[string](t, db, "SELECT DISTINCT segment_id FROM staged_ratings ORDER BY segment_id")
		id := secondLook(t, db, s, left[0], 0)
		card := s.Work(t, 0, id).Cards[0]
		_, err := db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: id, CardID: card.ID, Rating: storetest.Rating(3)})
		storetest.WantErr(t, err, campaign.ErrBusy)
		storetest.WantErr(t, db.Work.ReportProblem(t.Context(), s.Campaign, s.Annotators[0].ID, id, "x"), campaign.ErrBusy)
		storetest.WantErr(t, db.Work.Submit(t.Context(), s.Campaign, s.Annotators[0].ID, id, map[string]int{}), campaign.ErrBusy)

		// A submission that had passed all checks before the import was published.
		late := secondLook(t, db, s, left[1], 0)
		storetest.Exec(t, db, "UPDATE assignments SET state = 'submitted' WHERE id = ?", late)
		storetest.Exec(t, db, `INSERT INTO ratings (id, assignment_id, translation_id, scores, spans, gate_score)
			SELECT 'late' || id, ?, id, '{"sqm":1}', '[]', 1 FROM translations WHERE segment_id = ?`, late, left[1])
	})
	storetest.Must(db.Intake.ImportRatings(t.Context(), s.Campaign.ID, storetest.NumberedRatings(lines...), intake.ImportOptions{File: "r.jsonl"}))(t)
	if steps < 2 {
		t.Fatalf("%d steps", steps)
	}
	if n := storetest.Count(t, db, "staged_ratings") + storetest.Count(t, db, "completing_imports"); n != 0 {
		t.Errorf("%d rows are left over", n)
	}
	agreed := 0
	for _, seg := range s.All(t) {
		if seg.Status == campaign.Agreed {
			agreed++
		}
	}
	if agreed != sentBackSegments-1 {
		t.Errorf("%d segments agreed, want all but one of %d", agreed, sentBackSegments)
	}
	if differences := storetest.Must(db.Desk.CheckTallies(t.Context(), s.Campaign.ID))(t); len(differences) > 0 {
		t.Errorf("%q", differences)
	}
}
