package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/spreadsheet"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// A SystemAbout describes a system. Fields other than System may be empty.
type SystemAbout struct {
	System  string
	Class   string // such as LLM; systems of a class are compared with each other
	Size    string // such as 7B
	Release string // such as 2025-03
	Open    string // whether its weights are published, such as yes
}

// aboutColumns are the columns of a file of systems, in the order of tables.
var aboutColumns = []string{"system", "class", "size", "release", "open"}

// cells are the fields in the order of aboutColumns.
func (a *SystemAbout) cells() []*string {
	return []*string{&a.System, &a.Class, &a.Size, &a.Release, &a.Open}
}

// Limits on a file of systems.
const (
	maxAbout     = 500
	maxAboutCell = 200 // bytes
)

// ReadSystems reads a table of systems: CSV, TSV or XLSX with a row of heads. The column system is required;
// class, size, release and open are optional, in any order. name is the name of the file in errors, which are
// a *[campaign.Problem] or a *[campaign.InvalidError].
func ReadSystems(file []byte, name string) (all []SystemAbout, err error) {
	book, err := spreadsheet.Open(bytes.NewReader(file), int64(len(file)), name)
	if err != nil {
		return nil, campaign.Invalid("systems", err.Error())
	}
	var columns []int // by cell: its index in aboutColumns
	for row, err := range book.Rows(0) {
		if err != nil {
			return nil, campaign.Invalid("systems", err.Error())
		}
		refuse := func(field, format string, args ...any) error {
			return &campaign.Problem{File: name, Line: cmp.Or(row.Line, row.Number), Field: field, Msg: fmt.Sprintf(format, args...)}
		}
		if columns == nil {
			for _, head := range row.Cells {
				i := slices.Index(aboutColumns, strings.ToLower(strings.TrimSpace(head.Text)))
				if i < 0 || slices.Contains(columns, i) {
					return nil, refuse(head.Text, "is no column of this file, or is there twice; the columns are %s", wording.List(aboutColumns))
				}
				columns = append(columns, i)
			}
			if !slices.Contains(columns, 0) {
				return nil, refuse("system", "the first row lacks the column system; write the names of the columns there")
			}
			continue
		}
		var about SystemAbout
		for i, given := range row.Cells {
			cell := strings.TrimSpace(spreadsheet.Unescape(given.Text))
			switch {
			case cell == "":
			case i >= len(columns):
				return nil, refuse("", "the row has more cells than the first row has columns; remove them")
			case len(cell) > maxAboutCell || !utf8.ValidString(cell):
				return nil, refuse(aboutColumns[columns[i]], "must have at most %d bytes of UTF-8; shorten it", maxAboutCell)
			default:
				*about.cells()[columns[i]] = cell
			}
		}
		switch {
		case about == SystemAbout{}:
		case about.System == "":
			return nil, refuse("system", "is empty; name the system")
		case slices.ContainsFunc(all, func(a SystemAbout) bool { return a.System == about.System }):
			return nil, refuse("system", "%s is there twice; keep one row", wording.Quote(about.System))
		case len(all) == maxAbout:
			return nil, refuse("system", "there are more than %d systems; keep those of the campaign", maxAbout)
		default:
			all = append(all, about)
		}
	}
	return all, nil
}

// SystemsCSV writes systems as a CSV file that [ReadSystems] reads. It returns "" if there are
// none.
func SystemsCSV(all []SystemAbout) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(aboutColumns) // a strings.Builder returns no error
	for _, a := range all {
		var row []string
		for _, cell := range a.cells() {
			row = append(row, *cell)
		}
		_ = w.Write(row)
	}
	w.Flush()
	return b.String()
}

// Classes maps each class of systems to its members.
func Classes(all []SystemAbout) map[string][]string {
	classes := map[string][]string{}
	for _, a := range all {
		if a.Class != "" {
			classes[a.Class] = append(classes[a.Class], a.System)
		}
	}
	return classes
}

// aboutTable describes the systems of the campaign (Table 1 of Tian et al. 2026).
func (p *dataPart) aboutTable(all []SystemAbout) Table {
	t := Table{
		ID:      "systems-about",
		Title:   "Systems and what they are",
		Caption: "The systems with their class, size and release, and whether their weights are published.",
		Note:    "The lead gave the descriptions. Systems without one have empty cells.",
		Columns: slices.Concat(texts("System", "Class", "Size", "Release", "Open"), counts("Translations")),
	}
	names := sorted(p.systems)
	known := slices.DeleteFunc(slices.Clone(all), func(a SystemAbout) bool { return !slices.Contains(names, a.System) })
	for _, name := range names {
		if !slices.ContainsFunc(known, func(a SystemAbout) bool { return a.System == name }) {
			known = append(known, SystemAbout{System: name})
		}
	}
	for _, a := range known {
		var row []Cell
		for _, cell := range a.cells() {
			row = append(row, text(*cell))
		}
		t.add(append(row, count(p.systems[a.System].translations))...)
	}
	return t
}

// classTable has the human scores of each class of systems, the mean of the means of its systems.
func (p *systemsPart) classTable(ctx context.Context, b stat.Bootstrap, all []SystemAbout) (Table, error) {
	t := Table{ID: "systems-classes", Title: "Human scores by class of system",
		Caption: "The mean of the mean scores of the systems of each class.",
		Note:    "Systems without a class or a score are left out. Best, second and third of each score are marked.",
		Columns: slices.Concat(texts("Class"), counts("Systems"))}
	classes := Classes(all)
	for class, members := range classes {
		members = slices.DeleteFunc(members, func(name string) bool { return !p.systems[name] })
		if classes[class] = members; len(members) == 0 {
			delete(classes, class)
		}
	}
	for _, class := range sorted(classes) {
		t.add(text(class), count(len(classes[class])))
	}
	for _, h := range p.scores {
		names, rows, places := h.matrix(p.segments)
		if len(names) == 0 {
			continue
		}
		var drawn estimates
		for n, k := range places {
			for class, members := range classes {
				sums := make([]float64, 2*len(members)) // the sum and the number of scores of each system
				for i, system := range members {
					if at := slices.Index(names, system); at >= 0 && !math.IsNaN(rows[at][n]) {
						sums[2*i], sums[2*i+1] = rows[at][n], 1
					}
				}
				drawn.group(t.ID, class).add(drawn.document(p.documents[k]), h.name, meanOfMeans, sums...)
			}
		}
		if err := drawn.draw(ctx, b); err != nil {
			return t, err
		}
		t.addColumns(higher(numbers(3, h.label)))
		for i, class := range sorted(classes) {
			var means []float64
			for _, system := range classes[class] {
				if at := slices.Index(names, system); at >= 0 {
					means = append(means, stat.Mean(slices.DeleteFunc(slices.Clone(rows[at]), func(x float64) bool { return x != x })))
				}
			}
			t.Rows[i].Cells = append(t.Rows[i].Cells, estimated(stat.Mean(means), drawn.interval(t.ID, class, h.name)))
		}
	}
	t.markBest()
	return t, nil
}

// meanOfMeans is the mean of the means of systems, by the sum and the number of the scores of each. Systems without a score are left out.
func meanOfMeans(sums []float64) float64 {
	var means []float64
	for i := 0; i < len(sums); i += 2 {
		means = append(means, sums[i]/sums[i+1])
	}
	return stat.Mean(means)
}

// unknownSystems lists the described systems that the campaign does not have.
func (p *dataPart) unknownSystems(all []SystemAbout) (names []string) {
	for _, a := range all {
		if p.systems[a.System] == nil {
			names = append(names, a.System)
		}
	}
	return names
}
