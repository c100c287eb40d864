package export

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/spreadsheet"
)

// GoldOptions say how gold is written.
type GoldOptions struct {
	JSON bool // one JSON object a line, else a table as CSV
	// Exact writes the texts of the table as they are, as in [CSVOptions].
	Exact bool
}

// Gold writes a row for each translation in gold under p that has a score, in the format
// "gold": the gold of every human score, higher is better, and its z-score.
//
// A z-score is the mean of the annotators' own, each (score - mean) / population standard
// deviation over that annotator's ratings in gold. It is undefined where a lead or an
// adjudicator entered the score, and where no annotator has two ratings that differ.
// What is undefined is an empty cell, and left out in JSON.
func Gold(w io.Writer, p *protocol.Protocol, opt GoldOptions, segments Source) error {
	g, err := newGoldRows(p)
	if err != nil {
		return err
	}
	defer g.close()
	for s, err := range segments {
		if err != nil {
			return err
		}
		if !s.Status.InGold() {
			continue
		}
		for _, t := range bySystem(s.Translations) {
			if err := g.add(s, t); err != nil {
				return fmt.Errorf("segment %q of document %q: %w", s.SegmentID, s.DocID, err)
			}
		}
	}
	if opt.JSON {
		return g.writeJSON(w)
	}
	return g.writeTable(w, opt)
}

// goldRows keeps what is in gold until the scales of all annotators are known.
type goldRows struct {
	p          *protocol.Protocol
	scores     []protocol.HumanScore
	rows       *spool           // a goldRow each, as JSON
	annotators map[string]int32 // numbered as they were met
	raters     []int32          // of each rating that gold is formed from
	given      []*numbers       // by score, of each of these ratings; NaN: not given
}

// A goldRow is a translation in gold.
type goldRow struct {
	DocID, SegmentID, Domain, System string
	Status                           campaign.Status
	Ratings                          int // that gold is formed from
	Gold                             []*float64
	Entered                          []bool // the score was entered, by a lead or an adjudicator
	ByLead, Adjudicated              bool
	Spans                            []protocol.ErrorSpan // of an adjudication
}

func newGoldRows(p *protocol.Protocol) (*goldRows, error) {
	g := &goldRows{p: p, scores: p.HumanScores(), annotators: map[string]int32{}}
	var err error
	if g.rows, err = newSpool(); err != nil {
		return nil, err
	}
	for range g.scores {
		n, err := newNumbers()
		if err != nil {
			g.close()
			return nil, err
		}
		g.given = append(g.given, n)
	}
	return g, nil
}

func (g *goldRows) close() {
	g.rows.close()
	for _, n := range g.given {
		n.close()
	}
}

// add keeps a translation of a segment in gold, if it has a score.
func (g *goldRows) add(s campaign.Segment, t campaign.Translation) error {
	row := goldRow{DocID: s.DocID, SegmentID: s.SegmentID, Domain: s.Domain, System: t.System, Status: s.Status, Adjudicated: s.Status == campaign.Adjudicated}
	some := false
	for _, score := range g.scores {
		gold, entered, ok := campaign.HumanGold(g.p, score.Score, s, t)
		var x *float64
		if ok {
			x, some = &gold, true
		}
		row.Gold, row.Entered = append(row.Gold, x), append(row.Entered, entered)
		row.ByLead = row.ByLead || entered && t.Adjudication == nil
	}
	if !some {
		return nil
	}
	if t.Adjudication != nil && g.p.Spans != nil {
		row.Spans = append([]protocol.ErrorSpan{}, t.Adjudication.Spans...) // empty where there is no error
	}
	ratings := campaign.GoldRatings(s, t)
	row.Ratings = len(ratings)
	for _, r := range ratings {
		if _, ok := g.annotators[r.Annotator]; !ok {
			g.annotators[r.Annotator] = int32(len(g.annotators))
		}
		g.raters = append(g.raters, g.annotators[r.Annotator])
		for i, score := range g.scores {
			x, ok := g.p.Human(score.Score, r.Rating)
			if !ok {
				x = math.NaN()
			}
			if err := g.given[i].add(x); err != nil {
				return err
			}
		}
	}
	text, err := json.Marshal(row)
	if err != nil {
		return err
	}
	_, err = g.rows.add(text)
	return err
}

// scales are those of the annotators for one score.
func (g *goldRows) scales(score int) ([]campaign.Scale, error) {
	next, err := g.given[score].read()
	if err != nil {
		return nil, err
	}
	given := make([][]float64, len(g.annotators))
	for _, rater := range g.raters {
		x, err := next()
		if err != nil {
			return nil, err
		}
		if !math.IsNaN(x) {
			given[rater] = append(given[rater], x)
		}
	}
	out := make([]campaign.Scale, len(given))
	for i, xs := range given {
		out[i] = campaign.NewScale(xs)
	}
	return out, nil
}

// each calls do with each row and its z-scores, nil where undefined.
func (g *goldRows) each(do func(row goldRow, z []*float64) error) error {
	scales, next := make([][]campaign.Scale, len(g.scores)), make([]func() (float64, error), len(g.scores))
	for i := range g.scores {
		var err error
		if scales[i], err = g.scales(i); err != nil {
			return err
		}
		if next[i], err = g.given[i].read(); err != nil {
			return err
		}
	}
	rating := 0
	for n := range g.rows.ends {
		text, err := g.rows.piece(int32(n))
		if err != nil {
			return err
		}
		var row goldRow
		if err := json.Unmarshal(text, &row); err != nil {
			return err
		}
		z := make([]*float64, len(g.scores))
		for i := range g.scores {
			var zs []float64
			for k := range row.Ratings {
				x, err := next[i]()
				if err != nil {
					return err
				}
				if one, ok := scales[i][g.raters[rating+k]].Z(x); ok && !math.IsNaN(one) {
					zs = append(zs, one)
				}
			}
			if mean, ok := campaign.MeanZ(zs); ok && !row.Entered[i] {
				z[i] = &mean
			}
		}
		rating += row.Ratings
		if err := do(row, z); err != nil {
			return err
		}
	}
	return nil
}

func (g *goldRows) writeTable(w io.Writer, opt GoldOptions) error {
	text := spreadsheet.Cell
	if opt.Exact {
		text = func(s string) string { return s }
	}
	cell := func(x *float64) string {
		if x == nil {
			return ""
		}
		return number(*x + 0) // -0 + 0 is 0
	}
	yesNo := map[bool]string{true: "yes", false: "no"}
	out := csv.NewWriter(w)
	header := []string{"doc_id", "segment_id", "domain", "system", "status", "ratings"}
	for _, s := range g.scores {
		header = append(header, s.Name)
	}
	for _, s := range g.scores {
		header = append(header, s.Name+"-z")
	}
	_ = out.Write(append(header, "entered_by_lead", "adjudicated", "spans")) // errors are those of Flush
	err := g.each(func(row goldRow, z []*float64) error {
		record := []string{text(row.DocID), text(row.SegmentID), text(row.Domain), text(row.System), string(row.Status), strconv.Itoa(row.Ratings)}
		for _, x := range row.Gold {
			record = append(record, cell(x))
		}
		for _, x := range z {
			record = append(record, cell(x))
		}
		spans, err := "", error(nil)
		if row.Spans != nil {
			spans, err = spansJSON(row.Spans)
		}
		if err != nil {
			return err
		}
		return out.Write(append(record, yesNo[row.ByLead], yesNo[row.Adjudicated], spans))
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

func (g *goldRows) writeJSON(w io.Writer) error {
	out := lines{w: w}
	err := g.each(func(row goldRow, z []*float64) error {
		o := newObject(out.buf)
		o.text("doc_id", row.DocID)
		o.text("segment_id", row.SegmentID)
		o.optional("domain", row.Domain)
		o.text("system", row.System)
		o.text("status", string(row.Status))
		o.number("ratings", float64(row.Ratings))
		for _, of := range []struct {
			key    string
			values []*float64
		}{{"scores", row.Gold}, {"z", z}} {
			o.begin(of.key)
			for i, x := range of.values {
				if x != nil {
					o.number(g.scores[i].Name, *x+0) // -0 + 0 is 0
				}
			}
			o.end()
		}
		o.bool("entered_by_lead", row.ByLead)
		o.bool("adjudicated", row.Adjudicated)
		if row.Spans != nil {
			o.spans("spans", row.Spans)
		}
		o.end()
		if o.err != nil {
			return o.err
		}
		out.buf = append(o.buf, '\n')
		return out.end()
	})
	if err != nil {
		return err
	}
	return out.flush()
}
