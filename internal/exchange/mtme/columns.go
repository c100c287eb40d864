package mtme

import (
	"encoding/binary"
	"math"

	"annotate/internal/spool"
)

// rows is how many scores of a column are in memory at a time.
const rows = 64

// A column holds the scores of a system by a human score or a metric in a spool. They are added and read in
// the order of the segments. Memory holds some bytes for each 64 scores.
type column struct {
	name   string
	pieces []int32   // each with rows scores, or fewer at the end
	window []float64 // the scores that are not in the spool yet, or those that were read last
	from   int       // the segment of the first score of window
}

func (c *column) add(score float64, to *spool.Spool) error {
	if c.window = append(c.window, score); len(c.window) < rows {
		return nil
	}
	return c.flush(to)
}

// end puts the last scores into the spool.
func (c *column) end(to *spool.Spool) error {
	if len(c.window) == 0 {
		return nil
	}
	return c.flush(to)
}

func (c *column) flush(to *spool.Spool) error {
	piece := make([]byte, 0, 8*rows)
	for _, x := range c.window {
		piece = binary.LittleEndian.AppendUint64(piece, math.Float64bits(x))
	}
	c.window, c.from = c.window[:0], -1
	c.pieces = append(c.pieces, int32(to.Len()))
	return to.Add(piece)
}

// at returns the score of a segment, which is NaN if there is none.
func (c *column) at(segment int, from *spool.Spool) (float64, error) {
	if first := segment - segment%rows; first != c.from {
		piece, err := from.At(int(c.pieces[segment/rows]))
		if err != nil {
			return 0, err
		}
		c.window, c.from = c.window[:0], first
		for ; len(piece) > 0; piece = piece[8:] {
			c.window = append(c.window, math.Float64frombits(binary.LittleEndian.Uint64(piece)))
		}
	}
	return c.window[segment-c.from], nil
}
