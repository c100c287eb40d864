package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
)

// WantErr fails the test if err is not of the wanted kind.
func WantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

// WantInvalid fails the test if err does not name the field.
func WantInvalid(t testing.TB, err error, field string) {
	t.Helper()
	if e, ok := errors.AsType[*campaign.InvalidError](err); !ok || e.Field != field {
		t.Errorf("got error %v, want one about %q", err, field)
	}
}

// Must returns the value of a call, or fails the test if the call returned an error.
func Must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// WantStates fails the test if the assignments of a segment are not these, as [States]
// lists them.
func WantStates(t *testing.T, db *DB, segment string, want ...string) {
	t.Helper()
	if got := States(t, db, segment); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("assignments of %s are %q, want %q", segment, got, want)
	}
}

// Gold lists the gold scores of a segment, one per system; nil if it is not in
// gold.
func Gold(t *testing.T, s *Sample, segment int) []float64 {
	t.Helper()
	var out []float64
	for _, tr := range s.All(t)[segment-1].Translations {
		if tr.Gold != nil {
			out = append(out, tr.Gold.Score)
		}
	}
	return out
}

// WantSegment fails the test if segment n, counted from 1, has another status, round or
// gold.
func WantSegment(t *testing.T, s *Sample, segment int, status campaign.Status, round int, want ...float64) {
	t.Helper()
	seg := s.All(t)[segment-1]
	if seg.Status != status || seg.Round != round {
		t.Errorf("s%d is %s in round %d, want %s in %d", segment, seg.Status, seg.Round, status, round)
	}
	if got := Gold(t, s, segment); !slices.Equal(got, want) {
		t.Errorf("gold of s%d is %v, want %v", segment, got, want)
	}
}

// Check fails the test if there is an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// WantProblems checks that an import was refused with exactly these problems,
// given as "LINE FIELD part of the message".
func WantProblems(t *testing.T, err error, want ...string) {
	t.Helper()
	ps, ok := errors.AsType[*campaign.Problems](err)
	if !ok {
		t.Errorf("got %v, want problems", err)
		return
	}
	if ps.Count() != len(want) {
		t.Errorf("%d problems, want %d:\n%v", ps.Count(), len(want), err)
		return
	}
	for i, p := range ps.List {
		parts := strings.SplitN(want[i], " ", 3)
		if fmt.Sprint(p.Line) != parts[0] || p.Field != parts[1] || !strings.Contains(p.Msg, parts[2]) {
			t.Errorf("problem %d is %q, want %q", i, p.Error(), want[i])
		}
	}
}

// WantNext checks that annotator i is handed nothing, and why.
func WantNext(t testing.TB, s *Sample, i int, why error) {
	t.Helper()
	_, err := s.Store.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[i].ID)
	WantErr(t, err, why)
}

// WantTurn checks that an assignment of annotator i is of the segment with a name.
func WantTurn(t testing.TB, s *Sample, i int, assignment, segment string) {
	t.Helper()
	if got := SegmentOf(t, s, i, assignment); got != segment {
		t.Errorf("annotator %d has %s, want %s", i, got, segment)
	}
}

// WantCount checks the number of rows of "table WHERE condition".
func WantCount(t testing.TB, db *DB, want int, from string, args ...any) {
	t.Helper()
	if got := Count(t, db, from, args...); got != want {
		t.Errorf("%d rows of %s, want %d", got, from, want)
	}
}

// WantPlaces checks the number of taken places of a segment.
func WantPlaces(t *testing.T, db *DB, segment string, want int) {
	t.Helper()
	if got := Places(t, db, segment); got != want {
		t.Errorf("%d places of %s are taken, want %d", got, segment, want)
	}
}

// WantLogged checks the latest entries of the audit log, as [AuditLines] gives them.
func WantLogged(t *testing.T, db *DB, s *Sample, want ...string) {
	t.Helper()
	if got := AuditLines(t, db, s); !slices.Equal(got[max(0, len(got)-len(want)):], want) {
		t.Errorf("the audit log ends with %q, want %q", got[max(0, len(got)-len(want)):], want)
	}
}
