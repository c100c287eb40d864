// Package esa reads the format "esa": published tables of ratings under the protocol ESA.
//
// A table has tabs between its columns, a header, and a row for each rating. The texts come from Appraise's
// files of the rated batches: JSON arrays of {"items": […]}, where an item has sourceText, targetText and
// _item, "SYSTEM | SEGMENT | DOCUMENT". Columns of a table may be in any order:
//
//	item              SEGMENT#DOCUMENT#SYSTEM, required
//	is_bad            BAD: a degraded text, which is left out
//	login             of the account, required
//	annotator         who used it; if it is empty, login is the annotator
//	score             whole number from 0 to 100, required
//	n_minor, n_major, n_critical, n_undecided, n_missing
//	                  numbers of errors. The table does not say where they are, so they are left out and counted
//	end_time          seconds since 1970
//	duration_seconds  active time
//
// Other columns, such as start_time and score_from_spans, are ignored. SEGMENT is the id of a segment in its document.
package esa

import (
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/format"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/spool"
	"annotate/internal/wording"
)

// Format is the format "esa".
var Format = exchange.Format{
	ID:      format.ESA,
	Carries: []exchange.Part{exchange.Documents, exchange.Ratings, exchange.Scores, exchange.Times, exchange.Seconds},
	Is:      is,
	Of:      func([]exchange.File, ingest.Options) (string, error) { return "esa", nil },
	Read:    read,
}

// is reports whether one of the files is a table, and all others are tables or JSON arrays.
func is(files []exchange.Head) bool {
	tables := 0
	for _, h := range files {
		if isTable(h.Bytes) {
			tables++
		} else if !isArray(h.Bytes) {
			return false
		}
	}
	return tables > 0
}

// isTable reports whether a file begins with the header of a table.
func isTable(head []byte) bool {
	line, _, _ := strings.Cut(strings.TrimPrefix(string(head), "\ufeff"), "\n")
	names := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
	return !slices.ContainsFunc(required, func(name string) bool { return !slices.Contains(names, name) })
}

func isArray(head []byte) bool {
	return strings.HasPrefix(strings.TrimLeft(string(head), "\ufeff \t\r\n"), "[")
}

func read(files []exchange.File, p *protocol.Protocol, opt ingest.Options) iter.Seq2[campaign.SegmentLine, error] {
	return exchange.Unite(exchange.Lines(func(yield func(campaign.SegmentLine, error) error) error {
		texts, err := spool.New()
		if err != nil {
			return err
		}
		defer texts.Close()
		r := reader{p: p, opt: opt, texts: texts, index: map[item]int{}, yield: yield}
		var tables []exchange.File
		for _, f := range files {
			head, err := f.Head()
			if err != nil {
				return err
			}
			if !isArray(head.Bytes) {
				tables = append(tables, f)
			} else if err := f.Read(func(in io.Reader) error { return r.batches(f.Name, in) }); err != nil {
				return err
			}
		}
		for _, f := range tables {
			if len(r.index) == 0 {
				err = r.refuse(&campaign.Problem{File: f.Name, Msg: noBatches})
			} else {
				err = f.Read(func(in io.Reader) error { return r.table(f.Name, in) })
			}
			if err != nil {
				return err
			}
		}
		return nil
	}), opt.Notes)
}

// noBatches tells that no file has the texts of a table.
const noBatches = "the table has no texts, and no other file has them; import it together with the file of the batches (JSON) that were rated"

// An item names a translation.
type item struct{ segment, doc, system string }

// A reader reads batches, then tables.
type reader struct {
	p     *protocol.Protocol
	opt   ingest.Options
	texts *spool.Spool
	index map[item]int // by item: the index of its texts
	yield func(campaign.SegmentLine, error) error
}

func (r *reader) refuse(p *campaign.Problem) error {
	return r.yield(campaign.SegmentLine{File: p.File, Line: p.Line}, p)
}

// required lists the columns that each table has.
var required = []string{"item", "login", "score"}

// numbers are the columns that count errors.
var numbers = []string{"n_minor", "n_major", "n_critical", "n_undecided", "n_missing"}

// table reads a table.
func (r *reader) table(name string, in io.Reader) error {
	opt := r.opt
	opt.File = name
	var place map[string]int
	rows := 0 // including lines that cannot be used
	bad := func(line int, format string, args ...any) error {
		return r.refuse(&campaign.Problem{File: name, Line: line, Msg: fmt.Sprintf(format, args...)})
	}
	for line, err := range ingest.TextLines(in, opt) {
		if err != nil {
			rows++
			if err := r.yield(campaign.SegmentLine{}, err); err != nil {
				return err
			}
			continue
		}
		cells := strings.Split(line.Text, "\t")
		if place == nil {
			if place = columns(cells); place == nil {
				return bad(line.Line, "is no table of ESA: its first line must name the columns, at least %s", strings.Join(required, ", "))
			}
			continue
		}
		rows++
		if len(cells) != len(place) {
			if err := bad(line.Line, "the row has %s, and the header has %d; a tab divides columns", wording.Counted(len(cells), "column"),
				len(place)); err != nil {
				return err
			}
			continue
		}
		segment, problem, err := r.row(name, line.Line, func(column string) string {
			if i, ok := place[column]; ok {
				return cells[i]
			}
			return ""
		})
		switch {
		case err != nil:
		case problem != nil:
			problem.File, problem.Line = name, line.Line
			err = r.refuse(problem)
		case segment != nil:
			err = r.yield(campaign.SegmentLine{File: name, Line: line.Line, Segment: *segment}, nil)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case rows > 0:
	case place == nil:
		return bad(0, "the file is empty; check that it is the right one")
	default:
		return bad(0, "the table has a header and no ratings; check that it is the right one")
	}
	return nil
}

// columns maps names to places. It is nil if a required column is missing or a name is there twice.
func columns(names []string) map[string]int {
	out := map[string]int{}
	for i, name := range names {
		out[name] = i
	}
	if len(out) < len(names) || slices.ContainsFunc(required, func(name string) bool { _, ok := out[name]; return !ok }) {
		return nil
	}
	return out
}

// row makes a segment with one rating of a row. It is nil if the row is left out.
func (r *reader) row(file string, line int, at func(column string) string) (*campaign.Segment, *campaign.Problem, error) {
	bad := func(field, format string, args ...any) (*campaign.Segment, *campaign.Problem, error) {
		return nil, &campaign.Problem{Field: field, Msg: fmt.Sprintf(format, args...)}, nil
	}
	if at("is_bad") == "BAD" {
		r.opt.Notes.Add("{rating|ratings} of degraded texts left out", file, line)
		return nil, nil, nil
	}
	i, ok := itemOf(at("item"))
	if !ok {
		return bad("item", "%s is no item; write it as SEGMENT#DOCUMENT#SYSTEM", wording.Quote(at("item")))
	}
	if r.opt.Systems != nil && !slices.Contains(r.opt.Systems, i.system) {
		return bad("item", "there is no system %s; the campaign's systems are %s", wording.Quote(i.system), strings.Join(r.opt.Systems, ", "))
	}
	n, ok := r.index[i]
	if !ok {
		return bad("item", "no batch has the texts of %s; import the table together with the file of the batches (JSON) that were rated",
			wording.Quote(at("item")))
	}
	rating := campaign.Rating{Annotator: at("annotator"), Round: 1}
	if rating.Annotator == "" {
		rating.Annotator = at("login")
	}
	if err := campaign.CheckLogin(rating.Annotator); err != nil {
		return bad("annotator", "%s can't be an annotator; use letters, digits or any of . _ @ + -", wording.Quote(rating.Annotator))
	}
	score, err := strconv.ParseFloat(at("score"), 64)
	if err != nil {
		return bad("score", "%s is not a number", wording.Quote(at("score")))
	}
	rating.Scores = map[string]float64{r.p.Scores[0].Name: score + 0} // -0 becomes 0
	for _, v := range r.p.CheckScores(rating.Scores) {
		return bad("score", "%s", v.Msg)
	}
	if seconds, err := strconv.ParseFloat(at("duration_seconds"), 64); err == nil && seconds > 0 && !math.IsInf(seconds, 0) {
		rating.Seconds = seconds
	}
	if end, err := strconv.ParseFloat(at("end_time"), 64); err == nil && end > 0 && end < latestTime {
		rating.SubmittedAt = time.UnixMicro(int64(end * 1e6)).UTC()
	}
	if slices.ContainsFunc(numbers, func(column string) bool { return at(column) != "" && at(column) != "0" }) {
		r.opt.Notes.Add("{rating|ratings} with errors, which are left out, since the table does not say where they are; "+
			"scores that derive from errors, such as mqm, mean nothing here", file, line)
	}
	source, target, err := r.textsAt(n)
	return &campaign.Segment{
		DocID: i.doc, SegmentID: i.segment, SourceLang: r.opt.SourceLang, TargetLang: r.opt.TargetLang, Source: source,
		Translations: []campaign.Translation{{System: i.system, Text: target, Ratings: []campaign.Rating{rating}}},
	}, nil, err
}

// latestTime is the end of the year 9999.
const latestTime = 253402300800

// itemOf reads the item of a row. The name of a document may contain "#".
func itemOf(text string) (item, bool) {
	segment, rest, ok := strings.Cut(text, "#")
	last := strings.LastIndexByte(rest, '#')
	if !ok || last < 0 {
		return item{}, false
	}
	i := item{segment, rest[:last], rest[last+1:]}
	return i, i.named()
}

// named reports whether the ids of an item can be those of a segment, a document and a system.
func (i item) named() bool {
	for _, name := range []string{i.segment, i.doc, i.system} {
		if campaign.CheckName("name", name) != nil {
			return false
		}
	}
	return true
}
