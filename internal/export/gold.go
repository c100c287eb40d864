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
	"annotate/internal/spool"
	"annotate/internal/spreadsheet"
)

// GoldOptions are the options of [Gold].
type GoldOptions struct {
	JSON bool // write one JSON object a line instead of CSV
	// Exact writes unchanged texts to the table, as in [CSVOptions].
	Exact bool
}

// Gold writes the format "gold": a row for each translation in gold under p that has a
// score or a gold answer, with the gold of every human score (higher is better) and its z-score.
//
// If p asks questions that are no numbers, the row has the gold answer to each, as in [Answers], and from whom it comes: a
// [campaign.GoldBasis], in a table in the column QUESTION-by. They are missing if the answer has no gold.
//
// Z-scores are those of [campaign.RatingScores] over the ratings in gold. They are also undefined
// if a lead or an adjudicator entered the score. An undefined value is an empty cell in
// a table and is left out in JSON. A link of an adjudication to an error that is not in the
// file is left out; the notes say where.
func Gold(w io.Writer, p *protocol.Protocol, opt GoldOptions, segments Source) (notes []string, err error) {
	g, err := newGoldRows(p)
	if err != nil {
		return nil, err
	}
	defer g.rows.Close()
	for s, err := range segments {
		if err != nil {
			return nil, err
		}
		if !s.Status.InGold() {
			continue
		}
		for _, t := range bySystem(s.Translations) {
			if err := g.add(s, t); err != nil {
				return nil, fmt.Errorf("segment %q of document %q: %w", s.SegmentID, s.DocID, err)
			}
		}
	}
	if opt.JSON {
		return g.lost.notes(), g.writeJSON(w)
	}
	return g.lost.notes(), g.writeTable(w, opt)
}

// goldRows keeps the rows until all ratings are known, since z-scores depend on all
// ratings.
type goldRows struct {
	p       *protocol.Protocol
	scores  []protocol.HumanScore
	rows    *spool.Spool // each goldRow as JSON
	lost    losses
	ratings campaign.RatingScores // the ratings that gold is formed from, row by row
}

// A goldRow is a translation in gold.
type goldRow struct {
	DocID, SegmentID, Domain, System string
	Status                           campaign.Status
	First, Ratings                   int        // the number of the first rating that gold is formed from, and their count
	Gold                             []*float64 // by human score; nil if undefined
	Entered                          []bool     // by human score: whether a lead or an adjudicator entered it
	Answers                          map[string]protocol.Answer
	By                               map[string]campaign.GoldBasis // by question, as Answers
	ByLead, Adjudicated              bool
	Spans                            []protocol.ErrorSpan // the errors of an adjudication
}

func newGoldRows(p *protocol.Protocol) (*goldRows, error) {
	rows, err := spool.New()
	if err != nil {
		return nil, err
	}
	return &goldRows{p: p, scores: p.HumanScores(), rows: rows}, nil
}

// add adds a translation of a segment in gold, if it has a score.
func (g *goldRows) add(s campaign.Segment, t campaign.Translation) error {
	row := goldRow{DocID: s.DocID, SegmentID: s.SegmentID, Domain: s.Domain, System: t.System, Status: s.Status,
		Adjudicated: s.Status == campaign.Adjudicated}
	some := false
	for _, score := range g.scores {
		mean, entered, ok := campaign.HumanGold(g.p, score.Score, s, t)
		var x *float64
		if ok {
			x, some = &mean, true
		}
		row.Gold, row.Entered = append(row.Gold, x), append(row.Entered, entered)
		row.ByLead = row.ByLead || entered && t.Adjudication == nil
	}
	for _, q := range g.p.Asks() {
		if a, ok := campaign.GoldAnswer(g.p, q, s, t); ok {
			if row.Answers == nil {
				row.Answers, row.By = map[string]protocol.Answer{}, map[string]campaign.GoldBasis{}
			}
			row.Answers[q.Name], row.By[q.Name] = a, campaign.GoldBasisOf(g.p, q, s, t)
		}
	}
	if !some && row.Answers == nil {
		return nil
	}
	if t.Adjudication != nil && g.p.Spans != nil {
		// empty, not nil, if there is no error
		row.Spans = append([]protocol.ErrorSpan{}, g.lost.linked(*t.Adjudication, true, s, t.System).Spans...)
	}
	ratings := campaign.GoldRatings(s, t)
	row.First, row.Ratings = g.ratings.Len(), len(ratings)
	for _, r := range ratings {
		g.ratings.Add(r.Annotator, humanScores(g.p, r.Rating)...)
	}
	text, err := json.Marshal(row)
	if err != nil {
		return err
	}
	return g.rows.Add(text)
}

// humanScores returns the human scores of a rating under p, NaN for a score that it
// lacks.
func humanScores(p *protocol.Protocol, r protocol.Rating) []float64 {
	var out []float64
	for _, h := range p.HumanScores() {
		x, ok := p.Human(h.Score, r)
		if !ok {
			x = math.NaN()
		}
		out = append(out, x)
	}
	return out
}

// each calls do with each row and its z-scores, which are nil if undefined.
func (g *goldRows) each(do func(row goldRow, z []*float64) error) error {
	zOf := make([]func(first, end int) float64, len(g.scores))
	for i := range g.scores {
		zOf[i] = g.ratings.Z(i)
	}
	for n := range g.rows.Len() {
		text, err := g.rows.At(n)
		if err != nil {
			return err
		}
		var row goldRow
		if err := json.Unmarshal(text, &row); err != nil {
			return err
		}
		z := make([]*float64, len(g.scores))
		for i := range g.scores {
			if x := zOf[i](row.First, row.First+row.Ratings); !math.IsNaN(x) && !row.Entered[i] {
				z[i] = &x
			}
		}
		if err := do(row, z); err != nil {
			return err
		}
	}
	return nil
}

func (g *goldRows) writeTable(w io.Writer, opt GoldOptions) error {
	text := spreadsheet.Escape
	if opt.Exact {
		text = func(s string) string { return s }
	}
	cell := func(x *float64) string {
		if x == nil {
			return ""
		}
		return number(*x + 0) // + 0 turns -0 into 0
	}
	out := csv.NewWriter(w)
	header := []string{"doc_id", "segment_id", "domain", "system", "status", "ratings"}
	for _, s := range g.scores {
		header = append(header, s.Name)
	}
	for _, s := range g.scores {
		header = append(header, s.Name+"-z")
	}
	for _, q := range g.p.Asks() {
		header = append(header, q.Name, q.Name+"-by")
	}
	_ = out.Write(append(header, "entered_by_lead", "adjudicated", "spans")) // out.Error returns the error later
	err := g.each(func(row goldRow, z []*float64) error {
		record := []string{text(row.DocID), text(row.SegmentID), text(row.Domain), text(row.System), string(row.Status),
			strconv.Itoa(row.Ratings)}
		for _, x := range row.Gold {
			record = append(record, cell(x))
		}
		for _, x := range z {
			record = append(record, cell(x))
		}
		for _, q := range g.p.Asks() {
			answer := ""
			if row.Answers != nil {
				answer = text(answerCell(row.Answers, q))
			}
			record = append(record, answer, string(row.By[q.Name]))
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
		o := out.object()
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
					o.number(g.scores[i].Name, *x+0) // + 0 turns -0 into 0
				}
			}
			o.end()
		}
		o.answers(g.p, row.Answers)
		if len(g.p.Asks()) > 0 {
			o.begin("by")
			for _, q := range g.p.Asks() {
				o.optional(q.Name, string(row.By[q.Name]))
			}
			o.end()
		}
		o.bool("entered_by_lead", row.ByLead)
		o.bool("adjudicated", row.Adjudicated)
		if row.Spans != nil {
			o.spans(row.Spans)
		}
		o.line()
		return out.end()
	})
	if err != nil {
		return err
	}
	return out.flush()
}
