package desk_test

import (
	"math"
	"testing"
	"time"

	"annotate/internal/store/storetest"
)

// An annotator's own figures: days, words of the sources and what is left, and nothing of
// how they agree with others.
func TestMyNumbers(t *testing.T) {
	db, s := storetest.New(t)
	s.RateNext(t, 1, 0, 2, 4)
	s.RateNext(t, 0, 0, 2, 4)
	db.Clock.Advance(24 * time.Hour)
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 0, 0, 2, 4)
	s.Next(t, 0)
	m := storetest.Must(db.Desk.MyNumbers(t.Context(), s.Campaign, s.Annotators[0].ID))(t)
	// 源文本 and the number are four words.
	if m.Done != 3 || m.Words != 12 || m.Begun+m.Available != 1 || len(m.Days) != 2 {
		t.Fatalf("got %+v", m)
	}
	for i, want := range []int{1, 2} {
		if d := m.Days[i]; d.Segments != want || d.Ratings != 3*want || d.Compared != 0 || !math.IsNaN(d.Difference) {
			t.Errorf("day %d is %+v", i, d)
		}
	}
}
