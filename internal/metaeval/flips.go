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

// newFlips makes random choices. choose(n) returns those of the next n items, at most eight, in its lowest bits. It is called
// for the items of the first draw, then for those of the second draw, and so on.
func newFlips(ctx context.Context, items, draws int, choose func(n int) byte) (flips, error) {
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
				row[b] = choose(min(8, items-8*b))
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
func eachFlipBatch(ctx context.Context, items, draws int, choose func(n int) byte, do func(f flips) error) error {
	batch := max(64, flipBatchBytes/max(items/8, 1))
	for first := 0; first < draws; first += batch {
		f, err := newFlips(ctx, items, min(batch, draws-first), choose)
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
	var tables [4][256]float64
	b := 0
	for ; b+4 <= len(f.bits); b += 4 { // several at once, so that sums are stored less often
		for k := range tables {
			fillTable(&tables[k], values[8*(b+k):min(8*(b+k)+8, len(values))])
		}
		c0, c1, c2, c3 := f.bits[b][:len(out)], f.bits[b+1][:len(out)], f.bits[b+2][:len(out)], f.bits[b+3][:len(out)]
		for d, sum := range out {
			out[d] = sum + tables[0][c0[d]] + tables[1][c1[d]] + tables[2][c2[d]] + tables[3][c3[d]]
		}
	}
	for ; b < len(f.bits); b++ {
		fillTable(&tables[0], values[8*b:min(8*b+8, len(values))])
		for d, c := range f.bits[b] {
			out[d] += tables[0][c]
		}
	}
}

// fillTable computes the sums of all choices among up to eight values.
func fillTable(table *[256]float64, values []float64) {
	for k, v := range values {
		bit := 1 << k
		for i := range bit {
			table[bit|i] = table[i] + v
		}
	}
}

// unpack writes the choices of one draw to chosen.
func (f flips) unpack(draw int, chosen []bool) {
	for i := range chosen {
		chosen[i] = f.bits[i/8][draw]>>(i%8)&1 == 1
	}
}
