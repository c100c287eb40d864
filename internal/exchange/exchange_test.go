package exchange

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"annotate/internal/campaign"
)

// TestLines reads some of three values: a reader hears that no more are wanted, and its own error comes last.
func TestLines(t *testing.T) {
	bad := errors.New("bad")
	for _, tt := range []struct {
		most int
		own  error
		want []string
	}{
		{9, nil, []string{"1", "2", "3"}},
		{9, bad, []string{"1", "2", "3", "bad"}},
		{3, nil, []string{"1", "2", "3"}},
		{2, bad, []string{"1", "2"}},
	} {
		closed := false
		var got []string
		for line, err := range Lines(func(yield func(campaign.SegmentLine, error) error) error {
			defer func() { closed = true }()
			for n := range 3 {
				if err := yield(campaign.SegmentLine{Line: n + 1}, nil); err != nil {
					return fmt.Errorf("line %d: %w", n+1, err)
				}
			}
			return tt.own
		}) {
			if err != nil {
				got = append(got, err.Error())
			} else {
				got = append(got, fmt.Sprint(line.Line))
			}
			if len(got) == tt.most {
				break
			}
		}
		if !slices.Equal(got, tt.want) || !closed {
			t.Errorf("%d, %v: got %q, closed %v, want %q", tt.most, tt.own, got, closed, tt.want)
		}
	}
}
