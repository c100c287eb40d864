package database

import (
	"math/rand/v2"
	"strings"

	"github.com/google/uuid"
)

// NewID makes an id that sorts by the moment it was made, so that the rows of one import
// lie side by side.
func NewID() string { return strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "") }

// NewSeed makes the seed of an order of cards; never 0.
func NewSeed() int64 { return 1 + rand.Int64N(1<<62) }
