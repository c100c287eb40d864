// Package segments answers the pages of segments for researchers and leads: the list, a segment with its history, the acts of a
// lead, the queue and the messages.
package segments

import "annotate/internal/server/site"

// Handlers answer the pages of this group.
type Handlers struct{ *site.Site }

// New makes the handlers of a site.
func New(s *site.Site) *Handlers { return &Handlers{s} }
