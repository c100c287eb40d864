package metaeval

import "context"

// flips holds random choices among items, one set of choices for each draw. The choice
// of item i in draw d is bit i%8 of bits[i/8][d].
type flips struct {
	items, draws int
	bits         [][]byte
}

// flipBatchBytes is how many bytes of choices are in memory at once. With a million
// segments that is 500 draws, enough to make the tables of [flips.sums] worthwhile.
const flipBatchBytes = 64 << 20

// newFlips makes random choices. It calls heads for each item of the first draw, then
// for each item of the second draw, and so on.
func newFlips(ctx context.Context, items, draws int, heads func() bool) (flips, error) {
	f := flips{items, draws, make([][]byte, (items+7)/8)}
	for b := range f.bits {
		f.bits[b] = make([]byte, draws)
	}
	// Several draws are made before they are copied into bits, so that the copy
	// writes neighbouring bytes.
	var rows [16][]byte
	for k := range rows {
		rows[k] = make([]byte, len(f.bits))
	}
	for first := 0; first < draws; first += len(rows) {
		if err := ctx.Err(); err != nil {
			return f, err
		}
		batch := rows[:min(len(rows), draws-first)]
		for _, row := range batch {
			for b := range row {
				var chosen byte
				for k := range min(8, items-8*b) {
					if heads() {
						chosen |= 1 << k
					}
				}
				row[b] = chosen
			}
		}
		for b, chosen := range f.bits {
			for k, row := range batch {
				chosen[first+k] = row[b]
			}
		}
	}
	return f, nil
}

// eachFlipBatch makes random choices for draws draws among items items, and calls do
// with one batch of draws after the other. The batches bound the memory.
func eachFlipBatch(ctx context.Context, items, draws int, heads func() bool, do func(f flips) error) error {
	batch := max(64, flipBatchBytes/max(items/8, 1))
	for first := 0; first < draws; first += batch {
		f, err := newFlips(ctx, items, min(batch, draws-first), heads)
		if err != nil {
			return err
		}
		if err := do(f); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// sums writes the sum of the chosen values of each draw to out. Eight values have 256
// possible sums, which are computed once. Looking them up saves seven of eight
// additions.
func (f flips) sums(values []float64, out []float64) {
	if len(values) != f.items || len(out) != f.draws {
		panic("metaeval: slice length mismatch")
	}
	clear(out)
	var table [256]float64
	for b, chosen := range f.bits {
		part := values[8*b : min(8*b+8, len(values))]
		for k, v := range part {
			bit := 1 << k
			for i := range bit {
				table[bit|i] = table[i] + v
			}
		}
		for d, c := range chosen {
			out[d] += table[c]
		}
	}
}

// unpack writes the choices of one draw to chosen.
func (f flips) unpack(draw int, chosen []bool) {
	for i := range chosen {
		chosen[i] = f.bits[i/8][draw]>>(i%8)&1 == 1
	}
}
