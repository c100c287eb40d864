package setup

import (
	"slices"
	"strconv"

	"annotate/internal/campaign"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// An ImportTableView asks what the columns of an uploaded table are. Its form posts sheet, header,
// check, role.N for each column, and rest to Action; rest makes a system of each column with a name
// that has no role. With ?sheet and ?header, Action shows another sheet,
// or the columns below another row.
type ImportTableView struct {
	templates.Page
	Files    string // the names of the uploaded files
	Several  bool   // there are several files; the columns are those of the first
	Action   string
	Upload   string       // the id of the files that are kept
	Sheets   []TableSheet // of a workbook; nil for a text file
	Filled   int          // number of sheets with rows, if the program chose one of them; 0 if the lead chose it
	Chosen   string       // the sheet that is shown
	Header   int          // the number of the row with the names; 0 if none was found
	Hidden   int          // number of rows below the header that are hidden
	Columns  []TableColumn
	Roles    []string           // that a column can have, as ingest.ColumnRoles
	Open     []string           // what is still to be chosen, in sentences
	Problems *campaign.Problems // what is wrong with the file or with what was chosen; nil if nothing is
	Check    bool
}

// A TableColumn is a column of an uploaded table.
type TableColumn struct {
	Index   int    // from 0
	Letter  string // as spreadsheet programs name the column
	Name    string // in the header; may be empty
	Role    string
	Hidden  bool     // a spreadsheet program does not show it
	Samples []string // of the first rows
}

// A TableSheet is a sheet of an uploaded workbook.
type TableSheet struct {
	Name   string
	Hidden bool // a spreadsheet program does not show it
}

// roleLabels are the roles of columns in words.
var roleLabels = map[string]string{
	"source": "the source text", "system": "translations by a system", "reference": "a reference translation", "doc_id": "the document", "segment_id": "the id of the segment",
	"domain": "the domain", "context": "context for annotators", "note": "a note to annotators", "term": "a term of the source", "explication": "what the term means",
	"data_source": "where the text comes from", "source_lang": "the source language", "target_lang": "the target language", "ignore": "left out",
}

func (v ImportTableView) roleOptions(c TableColumn) []templates.Option {
	var out []templates.Option
	if c.Role == "" {
		out = append(out, templates.Option{Value: "", Label: "choose"})
	}
	for _, role := range v.Roles {
		label := roleLabels[role]
		if role == "system" && c.Name != "" {
			label = "translations by " + c.Name
		}
		out = append(out, templates.Option{Value: role, Label: label})
	}
	return out
}

// open lists the names of the columns of which nothing says what they hold.
func (v ImportTableView) open() (names []string) {
	for _, c := range v.Columns {
		if c.Role == "" && c.Name != "" {
			names = append(names, c.Name)
		}
	}
	return names
}

func (v ImportTableView) sheetOptions() []templates.Option {
	var out []templates.Option
	if v.Chosen == "" {
		out = append(out, templates.Option{Value: "", Label: "choose"})
	}
	for _, s := range v.Sheets {
		label := s.Name
		if s.Hidden {
			label += " (hidden)"
		}
		out = append(out, templates.Option{Value: s.Name, Label: label})
	}
	return out
}

func (v ImportTableView) header() string {
	if v.Header == 0 {
		return ""
	}
	return strconv.Itoa(v.Header)
}

// hidden says in sentences what of the table a spreadsheet program does not show, and what becomes
// of it.
func (v ImportTableView) hidden() (out []string) {
	var columns []string
	for _, c := range v.Columns {
		if c.Hidden {
			columns = append(columns, c.Letter)
		}
	}
	if slices.ContainsFunc(v.Sheets, func(s TableSheet) bool { return s.Hidden && s.Name == v.Chosen }) {
		out = append(out, "The sheet "+v.Chosen+" is hidden.")
	}
	if n := len(columns); n > 0 {
		out = append(
			out,
			wording.Choose(
				n, "Column ", "Columns ",
			)+wording.ListUpTo(columns, 10)+wording.Choose(n, " is hidden. It is", " are hidden. They are")+" left out unless you choose otherwise.",
		)
	}
	if v.Hidden > 0 {
		out = append(
			out,
			wording.Counted(
				v.Hidden, "row is", "rows are",
			)+" hidden, for example by a filter. "+wording.Choose(v.Hidden, "It is imported like the others.", "They are imported like the others."),
		)
	}
	return out
}

// columnLabel names a column for those who can't see its place.
func columnLabel(c TableColumn) string {
	label := "Column " + c.Letter
	if c.Name != "" {
		label += ", " + c.Name
	}
	if c.Hidden {
		label += ", hidden"
	}
	return label
}
