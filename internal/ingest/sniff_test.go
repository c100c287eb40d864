package ingest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"unicode/utf16"
)

// packed is a zip archive with files of these names.
func packed(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(strings.Repeat("x\xe9\n", 100))); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOtherKindsOfFile: a file of another kind is one problem in every format, which
// says what the file is, what was expected, and what to do.
func TestOtherKindsOfFile(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(strings.Repeat("{}\n", 1000))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var wide strings.Builder
	for _, unit := range utf16.Encode([]rune(strings.Repeat("source\ttarget\n", 100))) {
		wide.WriteByte(byte(unit))
		wide.WriteByte(byte(unit >> 8))
	}
	csv := strings.Repeat("source,target,system\nA sentence,Ein Satz,A\n", 500)
	lines := strings.Repeat(`{"x":1}`+"\n", 500)
	for _, tt := range []struct {
		name, file, text string
		want             map[string]string // by format; "" is any other; "-": no such sentence
	}{
		{"an Excel workbook", "segments.xlsx", packed(t, "[Content_Types].xml", "xl/workbook.xml"), map[string]string{
			"mqm-tsv":    "the file is an Excel workbook (.xlsx), and mqm-tsv is a text file whose columns are divided by tabs; save the table as text with tabs between the columns, in UTF-8",
			"scores":     "the file is an Excel workbook (.xlsx), and scores are files named METRIC.seg.score or METRIC.sys.score, or text files with one JSON object a line; write each row",
			"references": "the file is an Excel workbook (.xlsx), and references are a file named NAME.txt with one a line, or a text file with one JSON object a line; write each row",
			"jsonl":      "the file is an Excel workbook (.xlsx), and jsonl is a text file with one JSON object a line; choose the format table, which reads XLSX, CSV and TSV",
			"ment":       "the file is an Excel workbook (.xlsx), and ment is a text file with one JSON object a line; choose the format table, which reads XLSX, CSV and TSV",
			"":           "the file is an Excel workbook (.xlsx), and FORMAT is a text file with one JSON object a line; write each row as a JSON object on a line of its own, as the example of the format shows"}},
		{"a workbook under another name", "upload", packed(t, "[Content_Types].xml", "xl/workbook.xml"), map[string]string{"": "the file is an Excel workbook (.xlsx)"}},
		{"a Word document", "x.docx", packed(t, "word/document.xml"), map[string]string{"": "the file is a Word document (.docx)"}},
		{"a zip archive", "x.zip", packed(t, "segments.jsonl"), map[string]string{"": "the file is a zip archive"}},
		{"gzip", "x.jsonl.gz", zipped.String(), map[string]string{"": "the file is compressed with gzip, "}},
		{"a PDF", "x.pdf", "%PDF-1.7\n\xe2\xe3\xcf\xd3\n", map[string]string{"": "the file is a PDF"}},
		{"UTF-16", "x", "\xff\xfe" + wide.String(), map[string]string{"": "the file is UTF-16; save it as UTF-8"}},
		{"UTF-16 without a mark", "x", wide.String(), map[string]string{"": "the file is UTF-16; save it as UTF-8"}},
		{"a picture", "x.png", "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x00\x00\xff", 100), map[string]string{"": "the file is a picture (PNG), and"}},
		{"bytes", "x", strings.Repeat("\x00\x00\x00\xff", 100), map[string]string{"": "the file is no text"}},
		{"line ends of old Macs", "x", strings.Repeat("{}\r", 20), map[string]string{"": "the file ends its lines with carriage returns alone"}},
		{"the header of a CSV table", "x.csv", "segment_id,source,A,B\n", map[string]string{"": "the file is a table whose columns are divided by commas (CSV), and", "mqm-tsv": "-", ".score": "-", ".txt": "-"}},
		{"metric scores", "m.tsv", "A\t1.5\nA\t2\nB\t0\n", map[string]string{"": "the file has a system, a tab and a score on each line, and FORMAT is", ".score": "-", ".txt": "-"}},
		{"a web page", "x.jsonl", "<!DOCTYPE html>\n<html>\n", map[string]string{"": "the file is a web page (HTML)"}},
		{"CSV", "x.csv", csv, map[string]string{"": "the file is a table whose columns are divided by commas (CSV), and FORMAT is", ".txt": "-"}},
		{"CSV of a German Excel", "x.csv", strings.ReplaceAll(csv, ",", ";"), map[string]string{"": "the file is a table whose columns are divided by semicolons (CSV), and FORMAT is", ".txt": "-"}},
		{"a JSON array", "x.json", "[\n" + lines + "]", map[string]string{"": "the file is one JSON array, and FORMAT is", ".txt": "-"}},
		{"a JSON array on one line", "x.json", `[{"x":1},{"x":2}]`, map[string]string{"": "the file is one JSON array, and FORMAT is", ".txt": "-"}},
		{"JSON over several lines", "x.json", "{\n  \"segment_id\": 1\n}\n{\n  \"segment_id\": 2\n}\n", map[string]string{
			"": "the file has JSON objects that go over several lines", "mqm-tsv": "the file has JSON objects, and", ".score": "the file has JSON objects, and", ".txt": "-"}},
		{"JSON lines", "x.jsonl", lines, map[string]string{"": "-", "mqm-tsv": "the file has JSON objects, and", ".score": "the file has JSON objects, and"}},
		{"CSV with quoted sentences", "x.csv", "\"s1\",\"He waits, and waits.\"\n\"s2\",\"She goes, then.\"\n", map[string]string{"": "the file is a table whose columns are divided by commas (CSV), and FORMAT is", ".txt": "-"}},
		{"sentences with commas", "x.txt", "He waits, and waits.\nShe goes; then, he follows.\n", map[string]string{"": "the file is plain text, and FORMAT is", ".txt": "-"}},
		{"a sentence with a comma", "x.txt", "This is a text, with a comma.\n", map[string]string{"": "the file is plain text, and FORMAT is", ".txt": "-", "mqm-tsv": "-", ".score": "-"}},
		{"sentences with numbers", "x.txt", "He paid 1,000 francs.\nShe paid 2,000 francs.\n", map[string]string{"": "the file is plain text, and FORMAT is", ".txt": "-"}},
		{"plain text", "x.txt", "This is a text.\nIt has lines.\n", map[string]string{"": "the file is plain text, and FORMAT is", ".txt": "-"}},
	} {
		for _, format := range []string{"jsonl", "ment", "ratings", "scores", "references", "suggestions", "mqm-tsv", scoreFile, textFile} {
			as, opt := format, Options{File: tt.file}
			switch format {
			case scoreFile:
				as, opt.File = "scores", "m.seg.score"
			case textFile:
				as, opt.File = "references", "ref.txt"
			case "references":
				opt.File = strings.TrimSuffix(opt.File, ".txt")
			}
			problems := problemsOf(t, as, tt.text, opt)
			want, own := tt.want[format]
			if !own {
				want = tt.want[""]
			}
			var said []string
			for _, p := range problems {
				said = append(said, p.Error())
			}
			got := strings.Join(said, "\n")
			if want == "-" {
				if strings.Contains(got, "the file ") {
					t.Errorf("%s as %s: %s", tt.name, format, got)
				}
				continue
			}
			if format == "scores" || format == "references" {
				want = strings.ReplaceAll(want, "and FORMAT is", "and FORMAT are")
			}
			if format == "mqm-tsv" || format == scoreFile || format == textFile {
				want = strings.ReplaceAll(want, "and FORMAT is", "and ")
			}
			if want = strings.ReplaceAll(want, "FORMAT", format); format == scoreFile || format == textFile {
				want, _, _ = strings.Cut(want, ", and ") // the shape is said in other words
			}
			if len(problems) != 1 || problems[0].Field != "format" || !strings.Contains(got, want) {
				t.Errorf("%s as %s: got\n%s\nwant\n%s", tt.name, format, got, want)
			}
		}
	}
}
