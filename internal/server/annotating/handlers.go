// Package annotating answers the pages on which annotators and adjudicators work: My work, the annotate page, the guide, the
// instructions, training as a trainee sees it, questions and announcements.
package annotating

import "annotate/internal/server/site"

// Handlers answer the pages of this group.
type Handlers struct{ *site.Site }

// New makes the handlers of a site.
func New(s *site.Site) *Handlers { return &Handlers{s} }
