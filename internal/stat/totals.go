package stat

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"annotate/internal/parallel"
)

// Totals holds numbers that add up over documents, such as counts, sums and sums of squares. The numbers of all
// documents together are the totals that a statistic is a function of; [Totals.Intervals] resamples them. The zero value
// is empty.
//
// Memory grows with the documents, 2 or 3 bytes each, and with their columns that are not 0: 2 or 3 bytes for a count below
// 8,192, up to 11 bytes for another number. Documents should be added one after the other; a document to which the program
// returns takes a second entry.
type Totals struct {
	document int       // the open document, whose numbers are in open
	open     []float64 // by column
	width    int       // the number of columns
	added    int       // the number of documents in packed
	last     int       // the last of them
	packed   []byte    // each document: its number, less that of the one before it, the size of its numbers, and these as pack packs them
	numbers  []byte    // memory of shut
}

// A documentEnd says where the numbers of a document end; they begin where those before it end.
type documentEnd struct{ document, end int32 }

// runUntil lets the last run of a document end at a place, or adds one that does.
func runUntil(runs []documentEnd, document, end int) []documentEnd {
	if n := len(runs); n > 0 && runs[n-1].document == int32(document) {
		runs[n-1].end = int32(end)
		return runs
	}
	return append(runs, documentEnd{int32(document), int32(end)})
}

// Add adds x to a column of a document. Documents and columns are numbered from 0.
func (t *Totals) Add(document, column int, x float64) {
	if t.document != document {
		t.shut()
		t.document = document
	}
	for len(t.open) <= column {
		t.open = append(t.open, 0)
	}
	t.open[column] += x
	t.width = max(t.width, len(t.open))
}

// shut moves the numbers of the open document to those of the others.
func (t *Totals) shut() {
	t.numbers = pack(t.numbers[:0], t.open)
	clear(t.open)
	if len(t.numbers) == 0 {
		return
	}
	t.packed = binary.AppendVarint(t.packed, int64(t.document-t.last))
	t.packed = binary.AppendUvarint(t.packed, uint64(len(t.numbers)))
	t.packed = append(t.packed, t.numbers...)
	t.added, t.last = t.added+1, t.document
}

// documents yields the documents that were added, each with its packed numbers.
func (t *Totals) documents() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		document := 0
		for at := 0; at < len(t.packed); {
			further, n := binary.Varint(t.packed[at:])
			size, m := binary.Uvarint(t.packed[at+n:])
			document, at = document+int(further), at+n+m+int(size)
			if !yield(document, t.packed[at-int(size):at]) {
				return
			}
		}
	}
}

// pack appends the numbers of a document that are not 0 to packed. Each begins with twice the number of columns since
// the one before it, plus 1 unless it is a whole number. A whole number follows as a varint, any other by its bits.
func pack(packed []byte, numbers []float64) []byte {
	from := 0
	for column, x := range numbers {
		if x == 0 {
			continue
		}
		columns := uint64(column-from) << 1
		from = column
		if whole := int64(x); math.Abs(x) < 1<<53 && float64(whole) == x {
			packed = binary.AppendVarint(binary.AppendUvarint(packed, columns), whole)
		} else {
			packed = binary.LittleEndian.AppendUint64(binary.AppendUvarint(packed, columns|1), math.Float64bits(x))
		}
	}
	return packed
}

// unpack yields the columns and numbers that pack packed.
func unpack(packed []byte) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		column := 0
		for len(packed) > 0 {
			columns, n := binary.Uvarint(packed)
			packed = packed[n:]
			column += int(columns >> 1)
			var x float64
			if columns&1 == 0 {
				whole, n := binary.Varint(packed)
				x, packed = float64(whole), packed[n:]
			} else {
				x, packed = math.Float64frombits(binary.LittleEndian.Uint64(packed)), packed[8:]
			}
			if !yield(column, x) {
				return
			}
		}
	}
}

// All returns the totals of all documents, by column.
func (t *Totals) All() []float64 {
	all := make([]float64, t.width)
	copy(all, t.open)
	for _, packed := range t.documents() {
		for column, x := range unpack(packed) {
			all[column] += x
		}
	}
	return all
}

// Units returns the number of documents in which at least one column is not 0.
func (t *Totals) Units() int {
	return unitsOf(t.parts())
}

// Documents returns the number of documents of each column in which it is not 0.
func (t *Totals) Documents() []int {
	counts, last := make([]int, t.width), make([]int, t.width) // the last document that was counted, from 1
	for _, part := range t.parts() {
		for column := range unpack(part.packed) {
			if last[column] != part.unit+1 {
				last[column] = part.unit + 1
				counts[column]++
			}
		}
	}
	return counts
}

// A Bootstrap says how [Totals.Intervals] resamples documents.
type Bootstrap struct {
	Resamples int
	Seed      uint64
	Level     float64 // of the intervals, in (0, 1), such as 0.95

	kept *keptDraws
}

// Kept returns b, which now keeps draws for further [Totals] over as many documents. Only those that were drawn lately are kept,
// so [Totals] with the same number of [Totals.Units] should follow each other.
func (b Bootstrap) Kept() Bootstrap {
	b.kept = &keptDraws{most: mostKept}
	return b
}

const (
	// together is the number of resamples that are added up in one pass over the numbers.
	together = 64
	// mostKept is the largest number of counts that are kept, which take 8 MB: those of 8,000 documents and 1,000 resamples.
	mostKept = 8 << 20
)

// keptDraws holds draws by the number of documents and the pass.
type keptDraws struct {
	sync.Mutex
	passes map[[2]int][]uint8
	counts int
	most   int // counts
}

// draw returns how often the resamples of a pass draw each of n documents: together counts for each document, which
// are 0 for resamples past b.Resamples. A count above 255 needs 256 documents or more, and has a probability below 1/256!.
func (b Bootstrap) draw(n, pass int) []uint8 {
	key := [2]int{n, pass}
	if b.kept != nil {
		b.kept.Lock()
		counts, ok := b.kept.passes[key]
		b.kept.Unlock()
		if ok {
			return counts
		}
	}
	sample, counts := make([]int, n), make([]uint8, n*together)
	for k := range min(together, b.Resamples-pass*together) {
		fill(b.Seed, pass*together+k, sample)
		for _, document := range sample {
			counts[document*together+k]++
		}
	}
	if b.kept != nil {
		b.kept.Lock()
		if b.kept.counts += len(counts); b.kept.passes == nil || b.kept.counts > b.kept.most {
			b.kept.passes, b.kept.counts = map[[2]int][]uint8{}, len(counts)
		}
		b.kept.passes[key] = counts
		b.kept.Unlock()
	}
	return counts
}

// Intervals returns a confidence interval for each statistic that statistics computes from totals. Documents
// are drawn with replacement, as many as have a number that is not 0 (Davison and Hinkley 1997, "Bootstrap Methods and their
// Application", section 3.8), and all statistics share the draws. So ratings of a document, which correlate, stay
// together. The interval is [PercentileInterval] with [ExpandedLevel]. Totals over equally many documents share them too.
//
// Both bounds are NaN with fewer than two documents, and for a statistic that is NaN over all of them. statistics is called by
// several goroutines, must not keep its argument, and must return the same number of values each time. The error is that of
// ctx.
func (t *Totals) Intervals(ctx context.Context, b Bootstrap, statistics func(totals []float64) []float64) ([]Interval, error) {
	observed := statistics(t.All())
	intervals := make([]Interval, len(observed))
	for i := range intervals {
		intervals[i] = Interval{Low: math.NaN(), High: math.NaN()}
	}
	parts := t.parts()
	units := unitsOf(parts)
	if units < 2 || b.Resamples == 0 {
		return intervals, ctx.Err()
	}
	drawn, err := t.resample(ctx, b, parts, statistics)
	if err != nil {
		return nil, err
	}
	level := ExpandedLevel(b.Level, units)
	values := make([]float64, len(drawn))
	for i, v := range observed {
		if math.IsNaN(v) {
			continue
		}
		for k := range drawn {
			values[k] = drawn[k][i]
		}
		intervals[i] = PercentileInterval(values, level)
		intervals[i].Units = units
	}
	return intervals, nil
}

// Jackknife returns the interval of [JackknifeInterval] of the statistic of totals, which leaves out one document at
// a time. Both bounds are also NaN if b.Resamples is 0. The error is that of ctx.
func (t *Totals) Jackknife(ctx context.Context, b Bootstrap, statistic func(totals []float64) float64) (Interval, error) {
	return t.jackknife(ctx, b, statistic, JackknifeInterval)
}

// SkewedJackknife is Jackknife with [SkewedJackknifeInterval].
func (t *Totals) SkewedJackknife(ctx context.Context, b Bootstrap, statistic func(totals []float64) float64) (Interval, error) {
	return t.jackknife(ctx, b, statistic, SkewedJackknifeInterval)
}

func (t *Totals) jackknife(
	ctx context.Context, b Bootstrap, statistic func(totals []float64) float64, interval func(v float64, without []float64, level float64) Interval,
) (Interval, error) {
	all := t.All()
	value := statistic(all)
	if b.Resamples == 0 {
		return Interval{Low: math.NaN(), High: math.NaN()}, ctx.Err()
	}
	parts := t.parts()
	without := make([]float64, 0, unitsOf(parts))
	totals := make([]float64, t.width)
	for i, part := range parts {
		if err := ctx.Err(); err != nil {
			return Interval{}, err
		}
		if part.unit == len(without) {
			copy(totals, all)
		}
		for column, x := range unpack(part.packed) {
			totals[column] -= x
		}
		if i+1 == len(parts) || parts[i+1].unit > part.unit {
			without = append(without, statistic(totals))
		}
	}
	return interval(value, without, b.Level), nil
}

// resample returns the statistics of each resample, with the draws of [Resample].
func (t *Totals) resample(ctx context.Context, b Bootstrap, parts []documentPart, statistics func(totals []float64) []float64) ([][]float64, error) {
	drawn := make([][]float64, b.Resamples)
	err := parallel.EachWith(ctx, (b.Resamples+together-1)/together, func() func(int) {
		sums, totals := make([]float64, t.width*together), make([]float64, t.width) // sums has the resamples of each column
		times := make([]float64, together)
		return func(pass int) {
			clear(sums)
			counts := b.draw(unitsOf(parts), pass)
			for _, part := range parts {
				for i, count := range counts[part.unit*together:][:together] {
					times[i] = float64(count)
				}
				for column, x := range unpack(part.packed) {
					floats.AddScaled(sums[column*together:][:together], x, times)
				}
			}
			for k := range min(together, b.Resamples-pass*together) {
				for column := range totals {
					totals[column] = sums[column*together+k]
				}
				drawn[pass*together+k] = statistics(totals)
			}
		}
	})
	return drawn, err
}

// A documentPart has packed numbers of the document that is the unit with a number, from 0.
type documentPart struct {
	unit   int
	packed []byte
}

// parts returns the numbers of all documents, in the order of the documents.
func (t *Totals) parts() []documentPart {
	t.shut()
	parts := make([]documentPart, 0, t.added)
	for document, packed := range t.documents() {
		parts = append(parts, documentPart{document, packed})
	}
	slices.SortStableFunc(parts, func(a, b documentPart) int { return cmp.Compare(a.unit, b.unit) })
	unit, document := -1, -1
	for i := range parts {
		if parts[i].unit != document {
			unit, document = unit+1, parts[i].unit
		}
		parts[i].unit = unit
	}
	return parts
}

// unitsOf counts the documents of parts.
func unitsOf(parts []documentPart) int {
	if len(parts) == 0 {
		return 0
	}
	return parts[len(parts)-1].unit + 1
}

// PearsonOf is Pearson's r from n values x and y by the sums Σx, Σy, Σx², Σy² and Σxy. It is NaN if n is
// below 2, and if x or y is constant but for rounding. [Pearson] is more exact.
func PearsonOf(n, x, y, xx, yy, xy float64) float64 {
	ofX, ofY := n*xx-x*x, n*yy-y*y
	if n < 2 || ofX <= 1e-12*n*xx || ofY <= 1e-12*n*yy {
		return math.NaN()
	}
	return max(-1, min(1, (n*xy-x*y)/math.Sqrt(ofX*ofY)))
}
