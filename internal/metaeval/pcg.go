package metaeval

import "math/bits"

// A pcg64 generates the random numbers of numpy's default_rng(seed), so that sign flips
// equal those of mt-metrics-eval. The generator is PCG XSL-RR 128/64 (O'Neill 2014,
// "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms").
// Numpy's SeedSequence makes its 256-bit start state from the seed.
type pcg64 struct {
	high, low       uint64 // the state, 128 bits
	incHigh, incLow uint64
	half            uint32 // the unused high half of the last number
	hasHalf         bool
}

const (
	pcgHigh = 0x2360ed051fc65da4 // the multiplier
	pcgLow  = 0x4385df649fccf645
)

func newPCG64(seed uint64) *pcg64 {
	w := seedWords(seed)
	p := &pcg64{incHigh: w[2]<<1 | w[3]>>63, incLow: w[3]<<1 | 1}
	p.step()
	var carry uint64
	p.low, carry = bits.Add64(p.low, w[1], 0)
	p.high, _ = bits.Add64(p.high, w[0], carry)
	p.step()
	return p
}

func (p *pcg64) step() {
	high, low := bits.Mul64(p.low, pcgLow)
	high += p.high*pcgLow + p.low*pcgHigh
	var carry uint64
	p.low, carry = bits.Add64(low, p.incLow, 0)
	p.high, _ = bits.Add64(high, p.incHigh, carry)
}

func (p *pcg64) uint64() uint64 {
	p.step()
	return bits.RotateLeft64(p.high^p.low, -int(p.high>>58))
}

// uint32 returns the low half of a 64-bit number, then its high half.
func (p *pcg64) uint32() uint32 {
	if p.hasHalf {
		p.hasHalf = false
		return p.half
	}
	v := p.uint64()
	p.half, p.hasHalf = uint32(v>>32), true
	return uint32(v)
}

// choose makes n choices for [newFlips]. Each rounds the next number of numpy's random(dtype=float32), a multiple of 2^-24
// in [0, 1), to the nearest whole number, as numpy.rint does. One half becomes 0.
func (p *pcg64) choose(n int) (chosen byte) {
	k := 0
	for ; k+1 < n && !p.hasHalf; k += 2 {
		v := p.uint64()
		chosen |= (rounded(uint32(v)) | rounded(uint32(v>>32))<<1) << k
	}
	for ; k < n; k++ {
		chosen |= rounded(p.uint32()) << k
	}
	return chosen
}

// rounded is 1 if the number of float32 that has these bits is above one half, else 0. It has no branch, which would be
// mispredicted half of the time.
func rounded(bits uint32) byte { return byte((1<<23 - int64(bits>>8)) >> 63 & 1) }

// seedWords returns numpy's SeedSequence(seed).generate_state(4, uint64).
func seedWords(seed uint64) (out [4]uint64) {
	var pool [4]uint32
	hash := uint32(0x43b0d7e5)
	mixin := func(v uint32) uint32 {
		v ^= hash
		hash *= 0x931e8875
		v *= hash
		return v ^ v>>16
	}
	pool[0] = mixin(uint32(seed))
	pool[1] = mixin(uint32(seed >> 32)) // numpy omits a high word of 0, which has the same effect
	pool[2], pool[3] = mixin(0), mixin(0)
	for from := range pool {
		for to := range pool {
			if from != to {
				v := 0xca01f9dd*pool[to] - 0x4973f715*mixin(pool[from])
				pool[to] = v ^ v>>16
			}
		}
	}
	hash = 0x8b51f9dd
	for i := range 8 {
		v := pool[i%4] ^ hash
		hash *= 0x58f38ded
		v *= hash
		v ^= v >> 16
		out[i/2] |= uint64(v) << (32 * (i % 2))
	}
	return out
}
