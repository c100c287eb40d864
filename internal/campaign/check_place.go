package campaign

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// CheckSeed is the seed of what is drawn for the parts that name it: the id of a campaign, of an annotator, of a
// translation. It is never 0.
func CheckSeed(parts ...string) int64 {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		h.Write([]byte(p))
	}
	return int64(binary.BigEndian.Uint64(h.Sum(nil)) | 1)
}

// CheckPlaced reports whether the document that an annotator is handed after n others is a check. seed is that of
// the annotator. rate is the share of checks, from 0 to 0.5.
//
// The documents are taken in blocks of 1/rate. Each block has one check at a place that is drawn evenly, so
// that the place of a document tells nothing, and every annotator takes equally many checks. The first
// document is never a check, because a check is locked together with the work before it.
func CheckPlaced(seed int64, rate float64, n int) bool {
	if rate <= 0 || n <= 0 {
		return false
	}
	rate = min(rate, 0.5)
	block := int(math.Floor(float64(n) * rate))
	start, end := firstOf(block, rate), firstOf(block+1, rate)
	if n >= end { // rounding put the document at the end of the block before
		block++
		start, end = end, firstOf(block+1, rate)
	}
	start = max(start, 1)
	r := rand.New(rand.NewPCG(uint64(seed), uint64(block)))
	return n == start+r.IntN(end-start)
}

// firstOf is the number of the first document of a block.
func firstOf(block int, rate float64) int { return int(math.Ceil(float64(block)/rate - 1e-9)) }

// FirstCheckWithin is the largest number of documents that an annotator is handed before the first check: that
// check comes after 1 to so many documents. rate is as in [CheckPlaced], and above 0.
func FirstCheckWithin(rate float64) int { return max(1, firstOf(1, min(rate, 0.5))-1) }

// CheckOrder returns kinds in the order in which they are tried for the check after n documents.
func CheckOrder(seed int64, n int, kinds []CheckKind) []CheckKind {
	out := make([]CheckKind, len(kinds))
	for i, j := range rand.New(rand.NewPCG(uint64(seed), uint64(n)|1<<63)).Perm(len(kinds)) {
		out[i] = kinds[j]
	}
	return out
}

// ChecksLeft is the number of segments that an annotator has yet to be handed, as the annotator is told. given and
// checks are the segments of work and of checks that the annotator was handed, and work is the number of
// those that are left. The checks that the rate lets expect are counted too, so that the number falls by one
// with each segment, whether it is a check or work. It is 0 if and only if no work is left.
func ChecksLeft(rate float64, given, checks, work int) int {
	if work <= 0 {
		return 0
	}
	all := int(math.Round(float64(given+work) / (1 - min(max(rate, 0), 0.5))))
	return max(1, all-given-checks)
}
