package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Many values are sorted as few are, with negative and infinite ones and both zeros, and equal ones keep their order.
func TestSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, 1 + 0x1p-40, 1 + 0x1p-50, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1, -1}
	for _, n := range []int{byDigits - 1, byDigits, 5000} {
		x := make([]float64, n)
		for i := range x {
			switch i % 3 {
			case 0:
				x[i] = special[rng.IntN(len(special))]
			case 1:
				x[i] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(40)-20))
			default:
				x[i] = float64(rng.IntN(7) - 3)
			}
		}
		got := Sorted(x)
		seen := make([]bool, n)
		for i, p := range got {
			if seen[p.Place] || math.Float64bits(p.Value) != math.Float64bits(x[p.Place]) {
				t.Fatalf("%d values: %v at %d", n, p, i)
			}
			seen[p.Place] = true
			if i > 0 && (p.Value < got[i-1].Value || n >= byDigits && p.Value == got[i-1].Value && p.Place < got[i-1].Place) {
				t.Fatalf("%d values: %v after %v", n, p, got[i-1])
			}
		}
		y := slices.Clone(x)
		rng.Shuffle(n, func(i, j int) { y[i], y[j] = y[j], y[i] })
		if got, want := Count(x, y), CountWithin(x, y, 0); got != want {
			t.Errorf("%d values: %+v, want %+v", n, got, want)
		}
	}
}

// Each part of a divided ordering is the ordering of its values alone.
func TestDivide(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x, part, parts := make([]float64, 300), make([]int32, 300), make([][]float64, 4)
	for i := range x {
		x[i], part[i] = float64(random.IntN(20)), int32(random.IntN(3)) // the last part is empty
		parts[part[i]] = append(parts[part[i]], x[i])
	}
	for k, got := range NewOrdering(x).Divide(NewDivision(part, len(parts))) {
		if !slices.Equal(got.Ranks(), Ranks(parts[k])) || got.classes != NewOrdering(parts[k]).classes {
			t.Errorf("part %d has %v, want %v", k, got, NewOrdering(parts[k]))
		}
	}
}
