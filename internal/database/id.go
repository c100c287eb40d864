package database

import (
	"math/rand/v2"
)

// NewSeed makes the seed of an order of cards; never 0.
func NewSeed() int64 { return 1 + rand.Int64N(1<<62) }
