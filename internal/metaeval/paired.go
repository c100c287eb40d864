package metaeval

import (
	"context"
	"math"

	"annotate/internal/parallel"
	"annotate/internal/stat"
)

// enumeratedUnits is the number of units up to which [Paired] counts every sign flip.
const enumeratedUnits = 10

// Paired tests for each pair of systems whether their mean scores differ, by flipping the
// signs of the differences of whole units, such as documents, whose segments correlate
// (Fisher's randomisation test of paired samples; Riezler and Maxwell 2005, "On Some
// Pitfalls in Automatic Evaluation and Significance Testing for MT"). Rows of scores are
// systems, and units list columns. A column counts for a pair if both systems have a score.
//
// p[i][j], for i < j, is two-sided: the share of flips whose absolute sum of differences is at
// least the observed one. With at most 10 units every flip counts once, so p is exact.
// With more, random flips are drawn, and the observed differences count as one more. least
// is the smallest p that the test can give. p is NaN elsewhere, and for systems that share
// no column.
func Paired(ctx context.Context, scores [][]float64, units [][]int, flips int, seed uint64) (p [][]float64, least float64, err error) {
	n := len(scores)
	signs := unitSigns(len(units), flips, seed)
	p = make([][]float64, n)
	for i := range p {
		p[i] = make([]float64, n)
		for j := range p[i] {
			p[i][j] = missing
		}
	}
	err = parallel.Each(ctx, n, func(i int) {
		for j := i + 1; j < n; j++ {
			differences, size, shared := unitDifferences(scores[i], scores[j], units)
			if shared == 0 {
				continue
			}
			p[i][j] = flippedP(differences, size, signs)
		}
	})
	return p, leastP(len(units), len(signs)), err
}

// PairedDifferences is the test of [Paired] for sums of differences that are at hand: each row has the sum of each
// unit, and p has that of each row. A unit without data has the sum 0.
func PairedDifferences(ctx context.Context, sums [][]float64, flips int, seed uint64) (p []float64, least float64, err error) {
	units := width(sums)
	signs := unitSigns(units, flips, seed)
	p = make([]float64, len(sums))
	err = parallel.Each(ctx, len(sums), func(i int) {
		size := 0.0
		for _, d := range sums[i] {
			size += math.Abs(d)
		}
		p[i] = flippedP(sums[i], size, signs)
	})
	return p, leastP(units, len(signs)), err
}

// flippedP is the share of flips whose absolute sum is at least the observed one but for rounding, of differences by
// unit. With random flips the observed differences count as one more. size is the sum of the absolute differences.
func flippedP(differences []float64, size float64, signs [][]uint8) float64 {
	observed := math.Abs(flippedSum(differences, make([]uint8, len(differences)))) - 1e-12*size
	count := 0
	for _, flip := range signs {
		if math.Abs(flippedSum(differences, flip)) >= observed {
			count++
		}
	}
	if len(differences) <= enumeratedUnits {
		return stat.Ratio(count, len(signs))
	}
	return stat.Ratio(count+1, len(signs)+1)
}

// leastP is the smallest p that a test of units by some flips can give.
func leastP(units, flips int) float64 {
	if units <= enumeratedUnits {
		return math.Min(1, stat.Ratio(2, flips))
	}
	return stat.Ratio(1, flips+1)
}

// unitSigns returns for each flip which units change their sign: those with 1, not those with 0.
func unitSigns(units, flips int, seed uint64) (out [][]uint8) {
	if units <= enumeratedUnits {
		flips = 1 << units
	}
	random := newCoinFlips(seed, "paired systems")
	for f := range flips {
		flip := make([]uint8, units)
		for u := range flip {
			if units <= enumeratedUnits {
				flip[u] = uint8(f >> u & 1)
			} else if random.heads() {
				flip[u] = 1
			}
		}
		out = append(out, flip)
	}
	return out
}

// unitDifferences sums the differences of two rows by unit. size is the sum of their absolute
// values, and shared the number of columns that both rows have.
func unitDifferences(a, b []float64, units [][]int) (sums []float64, size float64, shared int) {
	sums = make([]float64, len(units))
	for u, columns := range units {
		for _, k := range columns {
			if d := a[k] - b[k]; !math.IsNaN(d) {
				sums[u] += d
				size += math.Abs(d)
				shared++
			}
		}
	}
	return sums, size, shared
}

// flippedSum sums differences after a flip. It changes the bit of the sign, because a branch on random flips takes six
// times as long.
func flippedSum(differences []float64, flip []uint8) (sum float64) {
	for u, d := range differences {
		sum += math.Float64frombits(math.Float64bits(d) ^ uint64(flip[u])<<63)
	}
	return sum
}
