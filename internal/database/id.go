package database

import (
	"encoding/hex"
	"math/rand/v2"

	"github.com/google/uuid"
)

// IDLength is the length of an id.
const IDLength = 32

// NewID returns a new id. Ids sort by the time at which they were made, so that the rows of
// one import are stored next to each other.
func NewID() string {
	id := uuid.Must(uuid.NewV7())
	var text [2 * len(id)]byte
	hex.Encode(text[:], id[:])
	return string(text[:])
}

// NewSeed returns a random seed for an order of cards. It is never 0.
func NewSeed() int64 { return 1 + rand.Int64N(1<<62) }
