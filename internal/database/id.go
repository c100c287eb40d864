package database

import (
	"math/rand/v2"
	"strings"

	"github.com/google/uuid"
)

// NewID returns a new id. Ids sort by the time at which they were made, so that the rows of
// one import are stored next to each other.
func NewID() string { return strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "") }

// NewSeed returns a random seed for an order of cards. It is never 0.
func NewSeed() int64 { return 1 + rand.Int64N(1<<62) }
