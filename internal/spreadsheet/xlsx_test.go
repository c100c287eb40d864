package spreadsheet

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// parts are the files of a workbook, by path.
type parts map[string]string

// newWorkbook returns the files of a workbook with the sheets Texts, Notes (hidden), Old (very
// hidden) and a chart. The sheet Texts is sheet, the XML from its rows on. The styles are
// 0 General, 1 a date that programs know, 2 two decimals, 3 text, 4 a date with a code, 5 hours
// that have passed, and 6 a number with a unit.
func newWorkbook(sheet string) parts {
	const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>`
	relation := func(id, kind, target string) string {
		return fmt.Sprintf(`<Relationship Id=%q Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target=%q/>`, id, kind, target)
	}
	return parts{
		"_rels/.rels": fmt.Sprintf(relations, relation("a", "officeDocument", "xl/workbook.xml")),
		"xl/workbook.xml": `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>` +
			`<sheet name="Texts" r:id="a"/><sheet name="Notes" state="hidden" r:id="b"/><sheet name="Plot" r:id="c"/><sheet name="Old" state="veryHidden" r:id="b"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": fmt.Sprintf(relations, relation("a", "worksheet", "worksheets/sheet1.xml")+relation("b", "worksheet", "/xl/worksheets/sheet2.xml")+
			relation("c", "chartsheet", "chartsheets/sheet1.xml")+relation("d", "styles", "styles.xml")+relation("e", "sharedStrings", "sharedStrings.xml")),
		"xl/worksheets/sheet1.xml":  `<worksheet><sheetData>` + sheet + `</worksheet>`,
		"xl/worksheets/sheet2.xml":  `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a note</t></is></c></row></sheetData></worksheet>`,
		"xl/chartsheets/sheet1.xml": `<chartsheet/>`,
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-407]d. mmmm yyyy"/><numFmt numFmtId="165" formatCode="[h]:mm"/><numFmt numFmtId="166" formatCode="0 &quot;days&quot;"/></numFmts>` +
			`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="2"/><xf numFmtId="49"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>`,
		"xl/sharedStrings.xml": `<sst><si><t xml:space="preserve"> shared </t></si><si><r><t>two </t></r><r><rPr><b/></rPr><t>runs</t></r><rPh sb="0" eb="1"><t>sound</t></rPh></si><si><t/></si></sst>`,
	}
}

// open packs the files and opens the workbook.
func (p parts) open(t testing.TB) (*Book, error) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range p {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return Open(bytes.NewReader(b.Bytes()), int64(b.Len()), "a.xlsx")
}

// readAll reads the rows of a sheet, and the problems.
func readAll(t testing.TB, b *Book, sheet int) (rows []Row, problems []string) {
	t.Helper()
	for row, err := range b.Rows(sheet) {
		if _, ok := errors.AsType[*Problem](err); err != nil && !ok {
			t.Fatal(err)
		}
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		rows = append(rows, row)
	}
	return rows, problems
}

// rowsOf reads the first sheet of a workbook that has no problems.
func rowsOf(t testing.TB, sheet string) []Row {
	t.Helper()
	b, err := newWorkbook(sheet).open(t)
	if err != nil {
		t.Fatal(err)
	}
	rows, problems := readAll(t, b, 0)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return rows
}

// TestCell checks what a cell holds by its type and its style.
func TestCell(t *testing.T) {
	for _, tt := range []struct {
		name, xml string
		want      Cell
	}{
		{"a shared text", `<c t="s"><v>0</v></c>`, Cell{" shared ", Text, false}},
		{"a text of several runs", `<c t="s"><v>1</v></c>`, Cell{"two runs", Text, false}},
		{"an empty text", `<c t="s"><v>2</v></c>`, Cell{}},
		{"a text that the file lacks", `<c t="s"><v>3</v></c>`, Cell{"a text that the file lacks", Failed, false}},
		{"a text in the cell", `<c t="inlineStr"><is><r><t>a</t></r><r><t xml:space="preserve"> b</t></r></is></c>`, Cell{"a b", Text, false}},
		{"characters that XML lacks", `<c t="inlineStr"><is><t>a_x000D_b_x005F_x000D_c_xD800_d_x1</t></is></c>`, Cell{"a\rb_x000D_c_xD800_d_x1", Text, false}},
		{"nothing", `<c s="2"/>`, Cell{}},
		{"a whole number", `<c><v>7</v></c>`, Cell{"7", Whole, false}},
		{"a whole number with an exponent", `<c><v>1.2E3</v></c>`, Cell{"1200", Whole, false}},
		{"a whole number as text", `<c s="3"><v>7</v></c>`, Cell{"7", Whole, false}},
		{"more digits than programs keep", `<c><v>1234567890123456</v></c>`, Cell{"1234567890123456", Number, false}},
		{"a fraction", `<c t="n"><v>0.5</v></c>`, Cell{"0.5", Number, false}},
		{"two decimals", `<c s="2"><v>7</v></c>`, Cell{"7", Number, false}},
		{"a unit with the letters of a date", `<c s="6"><v>7</v></c>`, Cell{"7", Number, false}},
		{"a date that programs know", `<c s="1"><v>45000</v></c>`, Cell{"45000", Date, false}},
		{"a date with a code", `<c s="4"><v>45000</v></c>`, Cell{"45000", Date, false}},
		{"hours that have passed", `<c s="5"><v>1.5</v></c>`, Cell{"1.5", Date, false}},
		{"a date as text", `<c t="d"><v>2023-03-15</v></c>`, Cell{"2023-03-15", Date, false}},
		{"true", `<c t="b"><v>1</v></c>`, Cell{"TRUE", Boolean, false}},
		{"false", `<c t="b"><v>0</v></c>`, Cell{"FALSE", Boolean, false}},
		{"an error", `<c t="e"><v>#N/A</v></c>`, Cell{"#N/A", Failed, false}},
		{"an error of a formula", `<c t="e"><f>B1</f><v>#REF!</v></c>`, Cell{"#REF!", Failed, true}},
		{"no number", `<c><v>seven</v></c>`, Cell{"seven", Failed, false}},
		{"a formula with a text", `<c t="str"><f>A1</f><v>x_x000D_</v></c>`, Cell{"x\r", Text, true}},
		{"a formula with a number", `<c><f>1+1</f><v>2</v></c>`, Cell{"2", Whole, true}},
		{"a formula with an empty text", `<c t="str"><f>IF(A1="","",A1)</f><v></v></c>`, Cell{"", Empty, true}},
		{"a formula without a result", `<c><f>1+1</f></c>`, Cell{"", Failed, true}},
		{"a formula for a text without a result", `<c t="str"><f>A1</f></c>`, Cell{"", Failed, true}},
		{"a formula by a program that does not calculate", `<c><f>A1</f><v/></c>`, Cell{"", Failed, true}},
		{"a truth by a program that does not calculate", `<c t="b"><f>A1</f><v></v></c>`, Cell{"", Failed, true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows := rowsOf(t, `<row>`+tt.xml+`<c t="inlineStr"><is><t>end</t></is></c></row></sheetData>`)
			if tt.want.Kind == Empty {
				tt.want = Cell{} // a cell that is empty is like one that the file lacks
			}
			if want := []Cell{tt.want, {"end", Text, false}}; len(rows) != 1 || !slices.Equal(rows[0].Cells, want) {
				t.Errorf("got  %+v\nwant %+v", rows, want)
			}
		})
	}
}

// TestSheets checks that each sheet with cells is listed and read, also a second time.
func TestSheets(t *testing.T) {
	b, err := newWorkbook(`<row><c><v>1</v></c></row></sheetData>`).open(t)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Sheet{{"Texts", false}, {"Notes", true}, {"Old", true}}; !slices.Equal(b.Sheets, want) {
		t.Errorf("got %v, want %v", b.Sheets, want)
	}
	for sheet, want := range map[int]string{0: "1", 1: "a note", 2: "a note"} {
		for range 2 {
			if rows, problems := readAll(t, b, sheet); len(rows) != 1 || rows[0].Cells[0].Text != want || problems != nil {
				t.Errorf("sheet %d has %v, %v, want %q", sheet, rows, problems, want)
			}
		}
	}
}

// TestPlaces checks the row and the column of cells, with names and without.
func TestPlaces(t *testing.T) {
	var got []string
	for _, row := range rowsOf(t, `<row><c/><c><v>1</v></c></row><row r="5"/><row><c r="AA6"><v>2</v></c><c><v>3</v></c><c/></row><row r="1048576"><c r="XFD1048576"><v>4</v></c></row></sheetData>`) {
		for column, c := range row.Cells {
			if c.Kind != Empty {
				got = append(got, Place("Texts", column, row.Number)+"="+c.Text)
			}
		}
	}
	if want := []string{"Texts!B1=1", "Texts!AA6=2", "Texts!AB6=3", "Texts!XFD1048576=4"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMerged checks that a cell that is merged with cells below it is repeated in rows that have
// something in them.
func TestMerged(t *testing.T) {
	b, err := newWorkbook(`<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row><row r="2"><c r="B2"><v>3</v></c></row><row r="4"><c r="B4"><v>4</v></c></row><row r="5"><c r="B5"><v>5</v></c></row></sheetData>` +
		`<mergeCells count="2"><mergeCell ref="A1:A4"/><mergeCell ref="B5:D5"/></mergeCells>`).open(t)
	if err != nil {
		t.Fatal(err)
	}
	layout, err := b.Layout(0)
	if want := []Range{{1, 4, 0, 0}, {5, 5, 1, 3}}; err != nil || !slices.Equal(layout.Merged, want) {
		t.Errorf("got %v, %v, want %v", layout.Merged, err, want)
	}
	rows, _ := readAll(t, b, 0)
	var got []string
	for _, row := range rows {
		line := fmt.Sprint(row.Number)
		for _, c := range row.Cells {
			line += " " + c.Text
		}
		got = append(got, line)
	}
	if want := []string{"1 1 2", "2 1 3", "4 1 4", "5  5"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHidden: hidden columns and rows are told from others, as different programs write them.
// Hidden rows are read, and those without anything in them are not counted.
func TestHidden(t *testing.T) {
	p := newWorkbook(`<row r="1"><c><v>1</v></c></row><row r="2" hidden="1"><c><v>2</v></c><c><v>2</v></c></row><row hidden="true"><c><v>3</v></c></row>` +
		`<row r="4" hidden="false"><c><v>4</v></c></row><row r="5" ht="0" customHeight="1"><c t="inlineStr"><is><t>5</t></is></c></row><row r="6" hidden="1"/><row r="7" hidden="1"><c s="1"/></row><row r="8"><c><v>8</v></c></row></sheetData>`)
	const at = "xl/worksheets/sheet1.xml"
	p[at] = strings.Replace(p[at], "<sheetData>", `<cols><col min="2" max="3" hidden="1"/><col min="4" max="4" width="9"/><col min="5" max="5" hidden="true"/><col min="6" max="6" hidden="false" width="9"/><col min="7" max="7" width="0" customWidth="1"/></cols><sheetData>`, 1)
	b, err := p.open(t)
	if err != nil {
		t.Fatal(err)
	}
	layout, err := b.Layout(0)
	if err != nil {
		t.Fatal(err)
	}
	columns := ""
	for i := range 9 {
		if layout.HiddenColumn(i) {
			columns += Letters(i)
		}
	}
	if columns != "BCEG" {
		t.Errorf("the columns %s are hidden", columns)
	}
	if all, below := layout.HiddenRows(0), layout.HiddenRows(2); all != 3 || below != 2 {
		t.Errorf("%d rows are hidden, %d of them below row 2", all, below)
	}
	rows, _ := readAll(t, b, 0)
	var got []string
	for _, row := range rows {
		got = append(got, fmt.Sprint(row.Number, row.Hidden))
	}
	if want := []string{"1 false", "2 true", "3 true", "4 false", "5 true", "8 false"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if layout, err := b.Layout(1); err != nil || layout.HiddenColumn(1) || layout.HiddenRows(0) != 0 {
		t.Errorf("a sheet with nothing hidden has %+v, %v", layout, err)
	}
}

// TestBackslashes: a workbook is read whose archive has backslashes in the paths of its files, as
// some programs on Windows write them.
func TestBackslashes(t *testing.T) {
	slashed, p := newWorkbook(`<row r="1"><c r="A1" t="s"><v>1</v></c></row></sheetData>`), parts{}
	for name, text := range slashed {
		p[strings.ReplaceAll(name, "/", `\`)] = text
	}
	b, err := p.open(t)
	if err != nil {
		t.Fatal(err)
	}
	if rows, problems := readAll(t, b, 0); len(rows) != 1 || len(problems) != 0 || rows[0].Cells[0].Text != "two runs" {
		t.Errorf("rows %v, problems %v", rows, problems)
	}
}

// TestDamaged checks that a workbook that is not whole is refused, even where a reader could take
// the part that is there for all.
func TestDamaged(t *testing.T) {
	const whole = `<row><c t="s"><v>0</v></c></row></sheetData>`
	for _, tt := range []struct {
		name   string
		damage func(parts)
		want   string
	}{
		{"a sheet is cut short", func(p parts) {
			p["xl/worksheets/sheet1.xml"] = `<worksheet><sheetData><row><c><v>1</v></c></row><row><c>`
		}, "damaged (xl/worksheets/sheet1.xml)"},
		{"a sheet is cut short between rows", func(p parts) { p["xl/worksheets/sheet1.xml"] = `<worksheet><sheetData><row><c><v>1</v></c></row>` }, "damaged (xl/worksheets/sheet1.xml)"},
		{"a sheet is missing", func(p parts) { delete(p, "xl/worksheets/sheet1.xml") }, "damaged (xl/worksheets/sheet1.xml)"},
		{"the texts are cut short", func(p parts) { p["xl/sharedStrings.xml"] = `<sst><si><t>a</t></si>` }, "damaged (xl/sharedStrings.xml)"},
		{"the styles are cut short", func(p parts) { p["xl/styles.xml"] = `<styleSheet>` }, "damaged (xl/styles.xml)"},
		{"the list of sheets is missing", func(p parts) { delete(p, "xl/workbook.xml") }, "no Excel workbook"},
		{"there are no sheets", func(p parts) { p["xl/workbook.xml"] = `<workbook/>` }, "no sheets with cells"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newWorkbook(whole)
			tt.damage(p)
			b, err := p.open(t)
			for range 2 { // a second reading fails like the first
				problems := []string{fmt.Sprint(err)}
				if err == nil {
					_, problems = readAll(t, b, 0)
				}
				if len(problems) != 1 || !strings.Contains(problems[0], tt.want) {
					t.Errorf("got %q, want …%s…", problems, tt.want)
				}
			}
		})
	}
}

// TestWide checks that rows with a cell in the last column do not add up in memory, although the
// file has only a few bytes for each.
func TestWide(t *testing.T) {
	var sheet strings.Builder
	for i := range 24 {
		fmt.Fprintf(&sheet, `<row><c r="XFD%d"><v>1</v></c></row>`, i+1)
	}
	b, err := newWorkbook(sheet.String() + `</sheetData>`).open(t)
	if err != nil {
		t.Fatal(err)
	}
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, rows := held(), 0
	for _, err := range b.Rows(0) {
		if err != nil {
			t.Fatal(err)
		}
		if rows++; rows < 24 {
			continue
		}
		if now := held(); now > before+(8<<20) {
			t.Errorf("%d bytes more at the last row than at the beginning", now-before)
		}
	}
	if rows != 24 {
		t.Errorf("%d rows", rows)
	}
}

// TestSharedTextsLimit checks that texts have a limit together, empty ones too.
func TestSharedTextsLimit(t *testing.T) {
	for text, limit := range map[string]int{strings.Repeat("<si><t>a</t></si>", 10): 10 * 17, strings.Repeat("<si/>", 10): 10 * 16} {
		if texts, err := sharedTexts(newTokens(strings.NewReader("<sst>"+text+"</sst>"), "t", 1<<20), limit); err != nil || len(texts) != 10 {
			t.Errorf("%s: %q, %v", text, texts, err)
		}
		if _, err := sharedTexts(newTokens(strings.NewReader("<sst>"+text+"</sst>"), "t", 1<<20), limit-1); err != errLongTexts {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzSheet checks that the XML of a sheet is read or refused with a *Problem, and that rows end
// with a cell that has something in it.
func FuzzSheet(f *testing.F) {
	for _, sheet := range []string{`<row><c t="s"><v>1</v></c></row></sheetData>`, `<row r="-1"><c r="A0" s="99" t="b"><f/></c></row></sheetData><mergeCell ref="A1:A3"/>`, `<row><c t="inlineStr"><is><rPh><t>_xFFFF_`} {
		f.Add(sheet)
	}
	f.Fuzz(func(t *testing.T, sheet string) {
		b, err := newWorkbook(sheet).open(t)
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := readAll(t, b, 0)
		for _, row := range rows {
			if n := len(row.Cells); row.Number < 1 || n == 0 || n > maxColumns || row.Cells[n-1].Kind == Empty {
				t.Fatalf("%q: %+v", sheet, row)
			}
		}
	})
}
