package rounds

import (
	"fmt"
	"slices"

	"annotate/internal/campaign"
)

func (s *segmentFacts) annotatedBy(login string) bool {
	return slices.ContainsFunc(s.Turns, func(t campaign.Turn) bool { return t.Annotator == login })
}

// mayAnnotate refuses, as an ErrConflict, to give a segment to somebody who has opened
// it to adjudicate it, and has seen the annotators' ratings.
func (g LeadSegment) mayAnnotate(login string) error {
	if !g.opened[login] {
		return nil
	}
	return fmt.Errorf("%s has opened segment %q to adjudicate it and has seen its ratings, so they can't annotate it: %w", login, g.Name, campaign.ErrConflict)
}
