package ingest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// readTable reads a table and writes its segments, one a line, and its problems.
func readTable(name, text string, opt Options, t TableOptions) (segments, problems []string) {
	opt.File = name
	for line, err := range Table(strings.NewReader(text), opt, t) {
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		s := line.Segment
		row := []string{s.DocID, s.SegmentID, s.Source}
		for _, tr := range s.Translations {
			row = append(row, tr.System+"="+tr.Text)
		}
		for _, system := range s.Absent {
			row = append(row, system+" has none")
		}
		for _, r := range s.References {
			row = append(row, r.Name+"="+r.Text)
		}
		segments = append(segments, strings.Join(row, "|"))
	}
	return segments, problems
}

// inUTF16 is a text in UTF-16, little endian unless big is set, with a byte order mark if mark is set.
func inUTF16(text string, big, mark bool) string {
	var order binary.AppendByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	var b []byte
	if mark {
		b = order.AppendUint16(b, 0xfeff)
	}
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// sheetFile is a workbook with one sheet, given as the XML of its rows and what follows them.
func sheetFile(t *testing.T, rows, after string) string {
	t.Helper()
	return workbookFile(t, map[string]string{"Sheet1": rows}, after)
}

// workbookFile is a workbook with the named sheets, whose styles are 0 General, 1 a date, 2 two
// decimals, and 3 text.
func workbookFile(t *testing.T, sheets map[string]string, after string) string {
	t.Helper()
	var list, rels strings.Builder
	files := map[string]string{}
	n := 0
	for _, name := range []string{"Sheet1", "Texts", "Notes"} {
		rows, ok := sheets[name]
		if !ok {
			continue
		}
		n++
		fmt.Fprintf(&list, `<sheet name=%q sheetId="%d" r:id="rId%d"/>`, name, n, n)
		fmt.Fprintf(&rels, `<Relationship Id="rId%d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet%d.xml"/>`, n, n)
		files[fmt.Sprintf("xl/worksheets/sheet%d.xml", n)] = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + rows + `</sheetData>` + after + `</worksheet>`
	}
	files["_rels/.rels"] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`
	files["xl/workbook.xml"] = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>` + list.String() + `</sheets></workbook>`
	files["xl/_rels/workbook.xml.rels"] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rels.String() +
		`<Relationship Id="st" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="/xl/styles.xml"/>` +
		`<Relationship Id="ss" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>`
	files["xl/styles.xml"] = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="2"/><xf numFmtId="49"/></cellXfs></styleSheet>`
	files["xl/sharedStrings.xml"] = `<sst><si><t>source</t></si><si><r><t>Ein </t></r><r><t xml:space="preserve">Satz. </t></r><rPh sb="0" eb="1"><t>ignored</t></rPh></si><si><t>a_x000D_b</t></si></sst>`
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
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
	return b.String()
}

// cells is the XML of a row of texts.
func cells(row int, texts ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<row r="%d">`, row)
	for i, text := range texts {
		if text != "" {
			fmt.Fprintf(&b, `<c r="%c%d" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+i, row, text)
		}
	}
	return b.String() + "</row>"
}

// TestTable: tables as spreadsheet programs write them are read with their texts as they are.
func TestTable(t *testing.T) {
	two := []string{"n1|1|Ein Satz, kurz.|A=One; short.|B=\"Short\"", "n1|2|Zeile 1\nZeile 2|A=1,5|B has none"}
	excel := "doc_id;segment_id;source;A;B\r\nn1;1;Ein Satz, kurz.;\"One; short.\";\"\"\"Short\"\"\"\r\nn1;2;\"Zeile 1\nZeile 2\";1,5;\r\n"
	comma := "doc_id,segment_id,source,A,B\nn1,1,\"Ein Satz, kurz.\",One; short.,\"\"\"Short\"\"\"\nn1,2,\"Zeile 1\nZeile 2\",\"1,5\",\n"
	tabs := "doc_id\tsegment_id\tsource\tA\tB\r\nn1\t1\tEin Satz, kurz.\tOne; short.\t\"\"\"Short\"\"\"\r\nn1\t2\t\"Zeile 1\nZeile 2\"\t1,5\t\r\n"
	real := func(name string) string {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, tt := range []struct {
		name, file, text string
		opt              TableOptions
		want             []string
	}{
		{name: "semicolons", file: "a.csv", text: excel, want: two},
		{name: "commas", file: "a.csv", text: comma, want: two},
		{name: "tabs", file: "a.tsv", text: tabs, want: two},
		{name: "a byte order mark", file: "a.csv", text: "\ufeff" + excel, want: two},
		{name: "a line that names the divider", file: "a.csv", text: "sep=;\r\n" + excel, want: two},
		{name: "a rare divider that is named", file: "a.csv", text: "\ufeffsep=^\n" + "source^A\nx;y,z^w\n", want: []string{"3|3|x;y,z|A=w"}},
		{name: "UTF-16 as Excel's Unicode text", file: "a.txt", text: inUTF16(tabs, false, true), want: two},
		{name: "UTF-16, big endian", file: "a.txt", text: inUTF16(tabs, true, true), want: two},
		{name: "UTF-16 without a mark", file: "a.txt", text: inUTF16(tabs, false, false), want: two},
		{name: "line breaks of old Macs", file: "a.csv", text: "source;A\rEins;One\rZwei;Two", want: []string{"2|2|Eins|A=One", "3|3|Zwei|A=Two"}},
		{name: "line breaks in cells as they are", file: "a.csv", text: "source,A\n\"a\r\nb\",\"c\rd\"\n", want: []string{"2|2|a\r\nb|A=c\rd"}},
		{name: "empty rows and columns", file: "a.csv", text: ";;;;\n;source;;A;\n;;;;\n;Eins;;One;\n\n;Zwei;;Two;\n;;;;\n", want: []string{"4|4|Eins|A=One", "6|6|Zwei|A=Two"}},
		{name: "a title above the header", file: "a.csv", text: "Our texts\nmade in May\n\nID,Source Text,Model A,Ref\nx,Eins,One,1\n", want: []string{"x|x|Eins|Model A=One|ref=1"}},
		{name: "blanks, quotation marks and formulas in texts", file: "a.csv", text: "source,A\n  a ,=1+1\nit's 5\" wide,'=x\n", want: []string{"2|2|  a |A==1+1", `3|3|it's 5" wide|A='=x`}},
		{name: "names in other languages", file: "a.csv", text: "Deutsch;DeepL;Anmerkung\nEins;One;gut\n", opt: TableOptions{Roles: map[string]ColumnRole{"Deutsch": "source", "Anmerkung": IgnoredColumn}}, want: []string{"2|2|Eins|DeepL=One"}},
		{name: "only the systems that are named", file: "a.csv", text: "source;A;Status;B\nEins;One;done;Uno\n", opt: TableOptions{Roles: map[string]ColumnRole{"A": SystemColumn, "B": SystemColumn}}, want: []string{"2|2|Eins|A=One|B=Uno"}},
		{name: "a name twice, one of them left out", file: "a.csv", text: "source,A,A\nx,y,z\n", opt: TableOptions{Roles: map[string]ColumnRole{"C": IgnoredColumn}}, want: []string{"2|2|x|A=y"}},
		{name: "a header that is said", file: "a.csv", text: "source,old\nA,B\nsource,new\nx,y\n", opt: TableOptions{Header: 3}, want: []string{"4|4|x|new=y"}},
		{name: "a workbook by another program", file: "a.xlsx", text: real("table.xlsx"), opt: TableOptions{Sheet: "Texts"}, want: []string{
			"ferry|1|Die alte Fähre 🛥️\nschläft.|Model A=The old ferry\nsleeps.|Model B=\"Old\" ferry, sleeping; today",
			"ferry|2| Zwei  Blanks |Model A=Two  blanks |Model B==1+1", "shore|3|Am Ufer.|Model A=On the shore.|Model B=Ashore."}},
		{name: "rich and shared texts, gaps, formulas", file: "a.xlsx", text: sheetFile(t, `<row r="2"><c r="B2" t="s"><v>0</v></c><c r="D2" t="inlineStr"><is><t>A</t></is></c></row>`+
			`<row r="5"><c r="B5" t="s"><v>1</v></c><c r="D5" t="str"><f>B5&amp;""</f><v>a sum</v></c></row><row><c/><c t="s"><v>2</v></c><c/><c><v>7</v></c></row>`, ""),
			want: []string{"5|5|Ein Satz. |A=a sum", "6|6|a\rb|A=7"}},
		{name: "a header in two rows", file: "a.xlsx", text: sheetFile(t, cells(1, "source", "Translations")+cells(2, "", "A", "B")+cells(3, "x", "y", "z"), `<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/></mergeCells>`),
			want: []string{"3|3|x|A=y|B=z"}},
		{name: "one sheet of several has rows", file: "a.xlsx", text: workbookFile(t, map[string]string{"Sheet1": "", "Texts": cells(1, "source", "A") + cells(2, "x", "y"), "Notes": `<row r="1"/>`}, ""), want: []string{"2|2|x|A=y"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, problems := readTable(tt.file, tt.text, Options{}, tt.opt)
			if len(problems) > 0 || strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("problems %q\ngot  %q\nwant %q", problems, got, tt.want)
			}
		})
	}
}

// TestTableHidden: a hidden column is left out unless it is given a role, a hidden row is read but is no
// header if another row can be, and both are noted.
func TestTableHidden(t *testing.T) {
	hide := func(columns string, rows ...string) string {
		text := workbookFile(t, map[string]string{"Sheet1": strings.Join(rows, "")}, "")
		return rewrite(t, text, "<sheetData>", "<cols>"+columns+"</cols><sheetData>")
	}
	hidden := func(row string) string { return strings.Replace(row, "<row ", `<row hidden="1" `, 1) }
	third := `<col min="3" max="3" width="0" hidden="1" customWidth="1"/>`
	three := cells(1, "source", "A", "Old") + cells(2, "x", "y", "z") + hidden(cells(3, "v", "w", "u"))
	for _, tt := range []struct {
		name, text        string
		opt               TableOptions
		systems           []string
		want, notes, told string
	}{
		{name: "left out", text: hide(third, three), want: "2|2|x|A=y 3|3|v|A=w", notes: "1 hidden column left out, first at a.xlsx:1: Old; 1 hidden row read, first at a.xlsx:3"},
		{name: "chosen", text: hide(third, three), opt: TableOptions{Columns: map[int]ColumnRole{2: SystemColumn}}, want: "2|2|x|Old=z 3|3|v|Old=u",
			notes: "1 hidden column read, first at a.xlsx:1: Old; 1 hidden row read, first at a.xlsx:3"},
		{name: "without a name", text: hide(third, cells(1, "source", "A")+cells(2, "x", "y", "z")), want: "2|2|x|A=y", notes: "1 hidden column left out, first at a.xlsx:1: C"},
		{name: "without a name or a text in the first rows", text: hide(third, cells(1, "source", "A")+strings.Repeat(`<row><c t="inlineStr"><is><t>x</t></is></c><c><v>1</v></c></row>`, 40)+`<row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row>`),
			want: "42|42|1|A=2"},
		{name: "a hidden row of names", text: hide("", hidden(cells(1, "source", "a"))+cells(2, "Source text", "A")+cells(3, "x", "y")), want: "3|3|x|A=y"},
		{name: "only a hidden row names a source", text: hide("", hidden(cells(1, "source", "A"))+cells(3, "x", "y")), want: "3|3|x|A=y"},
		{name: "the source", text: hide(third, cells(1, "A", "B", "source")+cells(2, "x", "y", "z")),
			told: `a.xlsx:1: Sheet1!row 1: no column is the source; say which of "A", "B", "source" it is, or name it source; column C, "source", is hidden and left out: show it in a spreadsheet program, or say what it holds (--column source=NAME on the command line)`},
		{name: "a system of the campaign", text: hide(third, three), systems: []string{"A", "Old"},
			told: `a.xlsx:1: Sheet1!row 1: there is no column for the system "Old" of the campaign; add one, with empty cells where it has no translation; column C, "Old", is hidden and left out: show it in a spreadsheet program, or say what it holds`},
		{name: "all systems", text: hide(strings.Replace(third, `"3"`, `"2"`, 1), three),
			told: `a.xlsx:1: Sheet1!row 1: no column has translations; give each system a column with its name; column B, "A", is hidden and left out: show it in a spreadsheet program, or say what it holds`},
		{name: "the only sheet", text: rewrite(t, hide("", three), `<sheet name="Sheet1"`, `<sheet state="hidden" name="Sheet1"`),
			told: `a.xlsx: sheet: no sheet that a spreadsheet program shows has rows; to read a hidden sheet, choose "Sheet1"`},
		{name: "the only sheet, chosen", text: rewrite(t, hide("", three), `<sheet name="Sheet1"`, `<sheet state="hidden" name="Sheet1"`), opt: TableOptions{Sheet: "Sheet1"}, want: "2|2|x|A=y|Old=z 3|3|v|A=w|Old=u",
			notes: "1 hidden row read, first at a.xlsx:3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var notes Notes
			got, problems := readTable("a.xlsx", tt.text, Options{Systems: tt.systems, Notes: &notes}, tt.opt)
			if n := len(got); n > 2 {
				got = got[n-1:]
			}
			var noted []string
			for _, n := range notes.List {
				if strings.Contains(n.Text, "hidden") {
					noted = append(noted, n.String())
				}
			}
			if strings.Join(got, " ") != tt.want || strings.Join(problems, "\n") != tt.told || strings.Join(noted, "; ") != tt.notes {
				t.Errorf("got  %q\nwant %q\nproblems %s\nwant     %s\nnotes %q\nwant  %q", got, tt.want, strings.Join(problems, "\n"), tt.told, noted, tt.notes)
			}
		})
	}
}

// rewrite is a workbook in which a text is replaced in all of its files.
func rewrite(t *testing.T, workbook, old, by string) string {
	t.Helper()
	from, err := zip.NewReader(strings.NewReader(workbook), int64(len(workbook)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	to := zip.NewWriter(&b)
	for _, f := range from.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		w, err := to.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(bytes.ReplaceAll(text, []byte(old), []byte(by))); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTableRefused: what can't be read is refused with the file, the line and the cell.
func TestTableRefused(t *testing.T) {
	merged := `<mergeCells><mergeCell ref="B3:C3"/></mergeCells>`
	real, err := os.ReadFile("testdata/table_refused.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	const asText = "; format the column as text and write what it showed, or save the table as CSV"
	for _, tt := range []struct {
		name, file, text string
		opt              TableOptions
		systems          []string
		want             []string // beginnings of the messages
	}{
		{name: "empty", file: "a.csv", text: "", want: []string{"a.csv: the file is empty"}},
		{name: "only blanks", file: "a.csv", text: "\ufeff\r\n ;\n", want: []string{"a.csv: no row has the names"}},
		{name: "no rows", file: "a.csv", text: "source,A\n", want: []string{"a.csv: the file has no segments"}},
		{name: "no source", file: "a.csv", text: "Deutsch;DeepL\nEins;One\n", want: []string{`a.csv:1: row 1: no column is the source; say which of "Deutsch", "DeepL"`}},
		{name: "no systems", file: "a.csv", text: "source,domain\nEins,news\n", want: []string{"a.csv:1: row 1: no column has translations"}},
		{name: "a name twice", file: "a.csv", text: "source,A,A\nx,y,z\n", want: []string{`a.csv:1: C1: a second column "A"; the first is B1`}},
		{name: "two sources", file: "a.csv", text: "source,src,A\nx,y,z\n", want: []string{`a.csv:1: B1: a second column "src"; the first is A1`}},
		{name: "a column without a name", file: "a.csv", text: "source,A,\nx,y,z\n", want: []string{"a.csv:1: C1: the column has texts but no name"}},
		{name: "another system", file: "a.csv", text: "source,A,C\nx,y,z\n", systems: []string{"A", "B"}, want: []string{`a.csv:1: C1: there is no system "C"; the campaign's systems are "A", "B"`, `a.csv:1: row 1: there is no column for the system "B"`}},
		{name: "an open quotation mark", file: "a.csv", text: "source,A\nx,y\nz,\"w\nv,u\n", want: []string{"a.csv:3: B3: the quotation mark at the beginning of the cell is not closed"}},
		{name: "text after a quotation mark", file: "a.csv", text: "source,A\n\"x\"y,z\nv,u\n", want: []string{"a.csv:2: A2: there is text after the closing quotation mark"}},
		{name: "a row below a cell with line breaks", file: "a.csv", text: "source,A\n\"x\n\ny\",z\n,w\n", want: []string{"a.csv:5: A3: source: missing"}},
		{name: "Latin-1", file: "a.csv", text: "source;A\nF\xe4hre;ferry\n", want: []string{"a.csv:2: A2: not UTF-8"}},
		{name: "no translation", file: "a.csv", text: "source;A;B\nEins;;\n", want: []string{"a.csv:2: B2: A: no translation by any system"}},
		{name: "an id that is missing", file: "a.csv", text: "segment_id;source;A\n;Eins;One\n", want: []string{"a.csv:2: A2: segment_id: the id is empty"}},
		{name: "lines of JSON", file: "a.csv", text: `{"segment_id": "1", "source": "x", "translations": {"A": "y"}}` + "\n", want: []string{"a.csv:1: format: this looks like jsonl"}},
		{name: "a column that there is not", file: "a.csv", text: "source,A\nx,y\n", opt: TableOptions{Roles: map[string]ColumnRole{"Quelle": "source"}}, want: []string{`a.csv:1: row 1: there is no column "Quelle"; the columns are "source", "A"`}},
		{name: "a header that there is not", file: "a.csv", text: "source,A\nx,y\n", opt: TableOptions{Header: 9}, want: []string{"a.csv: row 9: the row has nothing in it"}},
		{name: "two language pairs", file: "a.csv", text: "source,target_lang,A\nx,de,y\nx,fr,y\n", want: []string{"a.csv:3: target_lang: the file has several language pairs"}},

		{name: "a damaged workbook", file: "a.xlsx", text: "PK\x03\x04 no zip", want: []string{"a.xlsx: the file is damaged"}},
		{name: "an old workbook", file: "a.xls", text: "\xd0\xcf\x11\xe0 and so on", want: []string{"a.xls: the file is an old Excel workbook (.xls) or is locked"}},
		{name: "a workbook of several sheets", file: "a.xlsx", text: workbookFile(t, map[string]string{"Texts": cells(1, "source", "A"), "Notes": cells(1, "x")}, ""), want: []string{`a.xlsx: sheet: several sheets have rows; choose one of "Texts", "Notes" (--sheet NAME on the command line)`}},
		{name: "a sheet that there is not", file: "a.xlsx", text: workbookFile(t, map[string]string{"Texts": cells(1, "source", "A"), "Notes": ""}, ""), opt: TableOptions{Sheet: "texts"}, want: []string{`a.xlsx: sheet: there is no sheet "texts"; the file has "Texts", "Notes"`}},
		{name: "merged cells", file: "a.xlsx", text: sheetFile(t, cells(1, "source", "A", "B")+cells(2, "x", "y", "z")+cells(3, "v", "w"), merged), want: []string{"a.xlsx:3: Sheet1!B3: A: the cells B3 to C3 are merged"}},
		{name: "a merged header", file: "a.xlsx", text: sheetFile(t, cells(1, "source", "Translations")+cells(2, "x", "y", "z"), `<mergeCells><mergeCell ref="B1:C1"/></mergeCells>`), want: []string{`a.xlsx:2: Sheet1!row 2: no column is the source`}},
		{name: "errors and formulas", file: "a.xlsx", text: sheetFile(t, cells(1, "source", "A")+`<row r="7"><c r="A7" t="e"><f>B1</f><v>#REF!</v></c><c r="B7"><f>1+1</f></c></row>`, ""), want: []string{
			"a.xlsx:7: Sheet1!A7: source: the cell has no text but #REF!; correct its formula", "a.xlsx:7: Sheet1!B7: A: the cell is a formula whose result is not in the file"}},
		{name: "two decimals, as a style says", file: "a.xlsx", text: sheetFile(t, cells(1, "source", "A")+`<row r="2"><c r="A2" s="2"><v>3</v></c><c r="B2" s="1"><v>45000</v></c></row>`, ""), want: []string{
			"a.xlsx:2: Sheet1!A2: source: the cell is the number 3, which each program writes in its own way" + asText, "a.xlsx:2: Sheet1!B2: A: the cell is a date or a time"}},
		{name: "a workbook by another program", file: "a.xlsx", text: string(real), want: []string{
			"a.xlsx:2: Sheet1!C2: Model A: the cell is a date or a time, which each program writes in its own way" + asText,
			"a.xlsx:3: Sheet1!B3: source: the cell is the number 12.5, which each program writes in its own way" + asText,
			"a.xlsx:4: Sheet1!C4: Model A: the cell is the value TRUE, which each program writes in its own language" + asText,
			"a.xlsx:5: Sheet1!A5: segment_id: the cell is the number 20231122000001", "a.xlsx:6: Sheet1!C6: Model A: the cell is a formula whose result is not in the file"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, problems := readTable(tt.file, tt.text, Options{Systems: tt.systems}, tt.opt)
			if len(problems) != len(tt.want) {
				t.Fatalf("segments %q, problems\n%s", got, strings.Join(problems, "\n"))
			}
			for i, want := range tt.want {
				if !strings.HasPrefix(problems[i], want) {
					t.Errorf("got  %s\nwant %s…", problems[i], want)
				}
			}
		})
	}
}

// TestTableHuge: a cell that does not end, and a workbook that unpacks to far more than it is, do
// not take the memory of the program.
func TestTableHuge(t *testing.T) {
	_, problems := readTable("a.csv", "source,A\nx,\""+strings.Repeat("y", 17<<20)+"\n", Options{}, TableOptions{})
	if len(problems) != 1 || !strings.Contains(problems[0], "B2: the row is longer than 16 MiB") {
		t.Errorf("%.200q", problems)
	}
	huge := sheetFile(t, cells(1, "source", "A")+cells(2, "x", strings.Repeat(" ", 17<<20)), "")
	if len(huge) > 1<<20 {
		t.Fatalf("the file has %d bytes", len(huge))
	}
	if _, problems := readTable("a.xlsx", huge, Options{}, TableOptions{}); len(problems) != 1 || !strings.Contains(problems[0], "Sheet1: from row 2: the workbook can't be read: a cell or a tag has more than 1 MiB") {
		t.Errorf("%.200q", problems)
	}
}

// TestTableNotes: what was decided about cells is counted.
func TestTableNotes(t *testing.T) {
	var notes Notes
	readTable("a.csv", "source,A,B\nx,y,\nz,,w\n", Options{Notes: &notes}, TableOptions{})
	if len(notes.List) != 2 || notes.List[0].Count != 2 || notes.List[1].String() != "2 segments without an id, which have the numbers of their rows, first at a.csv:2" {
		t.Errorf("%v", notes.List)
	}
}
