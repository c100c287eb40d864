// Package training answers the pages on which a lead prepares a training set and sees the attempts, and the result of an attempt.
package training

import (
	"annotate/internal/server/site"
	"annotate/internal/store"
)

// Handlers answer the pages of this group.
type Handlers struct {
	*site.Site
	store *store.Store
}

// New makes the handlers of a site.
func New(s *site.Site, st *store.Store) *Handlers { return &Handlers{s, st} }
