package spreadsheet

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// readHere is the variable by which TestHostileWorkbook asks a process of its own to read a file.
const readHere = "ANNOTATE_TEST_READ_WORKBOOK"

// TestHostileWorkbook: a workbook of at most 1 MB that would fill the memory is refused with the place and the
// limit, by a process that takes at most 300 MB.
func TestHostileWorkbook(t *testing.T) {
	if path := os.Getenv(readHere); path != "" {
		readFile(t, path)
		return
	}
	repeat := func(text string, n int) func(io.Writer) error {
		return func(w io.Writer) error {
			block := strings.Repeat(text, max(1, 64<<10/len(text)))
			for left := n * len(text); left > 0; left -= len(block) {
				if _, err := io.WriteString(w, block[:min(left, len(block))]); err != nil {
					return err
				}
			}
			return nil
		}
	}
	const sheet1, texts = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
	// A part may unpack to 50 times its size: noise, which is not compressed, lets little text reach the other limits.
	noise := make([]byte, 520<<10)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	padding := "<!--" + base64.StdEncoding.EncodeToString(noise) + "-->"
	for _, tt := range []struct {
		name, part, before, text string
		n                        int
		after, want              string
	}{
		{"a cell of 64 MB", sheet1, `<worksheet><sheetData><row r="7"><c t="inlineStr"><is><t>`, "x", 64 << 20, "", "Texts: from row 7: the workbook can't be read: a cell or a tag has more than 1 MiB"},
		{"a text in many runs", texts, `<sst>` + padding + `<si>`, "<r><t>" + strings.Repeat("x", 1000) + "</t></r>", 20_000, "", "a text has more than 16 MiB"},
		{"a tag with a million attributes", sheet1, `<worksheet><sheetData><row `, `a="" `, 1 << 20, ">", "a cell or a tag has more than 1 MiB"},
		{"nested tags", sheet1, `<worksheet><sheetData><row r="3">`, "<c>", 4 << 20, "", "Texts: from row 3: the workbook can't be read: tags are nested more than 100 levels deep"},
		{"nested tags in the list of sheets", "xl/workbook.xml", `<workbook>`, "<a>", 4 << 20, "", "tags are nested more than 100 levels deep"},
		{"a million rows", sheet1, `<worksheet><sheetData>`, `<row><c><v>1</v></c></row>`, 1 << 20, `</sheetData></worksheet>`, "the workbook can't be read: "},
		{"rows of 16384 cells", sheet1, `<worksheet><sheetData>`, `<row><c r="XFD1"><v>1</v></c></row>`, 1 << 20, `</sheetData></worksheet>`, "the sheet has more than 1048576 rows, 8388608 cells"},
		{"empty shared texts", texts, `<sst>` + padding, "<si/>", 5 << 20, `</sst>`, "the workbook has more than 512 MiB of text, or more than 4194304 texts"},
		{"many styles", "xl/styles.xml", `<styleSheet><cellXfs>`, "<xf/>", 16 << 20, `</cellXfs></styleSheet>`, "the workbook can't be read: "},
		{"entities in entities", texts, `<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]><sst><si><t>`, "&c;", 1000, `</t></si></sst>`, "the workbook is damaged (xl/sharedStrings.xml)"},
		{"merged blocks", sheet1, `<worksheet>` + padding + `<sheetData><row r="1"><c><v>1</v></c></row></sheetData><mergeCells>`, `<mergeCell ref="A1:A9"/>`, 1<<20 + 1, `</mergeCells></worksheet>`, "the workbook can't be read: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.xlsx")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			z := zip.NewWriter(f)
			for name, text := range newWorkbook("") {
				w, err := z.Create(name)
				if err == nil && name == tt.part {
					if _, err = io.WriteString(w, tt.before); err == nil {
						err = repeat(tt.text, tt.n)(w)
					}
					text = tt.after
				}
				if err == nil {
					_, err = io.WriteString(w, text)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			stat, err := f.Stat()
			if err != nil || stat.Size() > 1<<20 {
				t.Fatalf("the file has %d bytes: %v", stat.Size(), err)
			}
			f.Close()
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHostileWorkbook$", "-test.v")
			c.Env = append(os.Environ(), readHere+"="+path, "GOGC=100")
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%.2000s", err, out)
			}
			used := c.ProcessState.SysUsage().(*syscall.Rusage)
			t.Logf("%d bytes, peak %d MB, %v of processor time: %s", stat.Size(), used.Maxrss>>10, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Round(10*time.Millisecond), said(string(out)))
			if used.Maxrss>>10 > 300 {
				t.Errorf("reading it took %d MB", used.Maxrss>>10)
			}
			if !strings.Contains(string(out), tt.want) {
				t.Errorf("got %.500s\nwant %s", out, tt.want)
			}
		})
	}
}

// said is the line of the output that has the problem.
func said(out string) string {
	_, rest, _ := strings.Cut(out, "said ")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// readFile reads a workbook as an import does, and prints the first problem.
func readFile(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(f, stat.Size(), path)
	rows := 0
	if err == nil {
		for _, e := range b.Rows(0) {
			if err = e; err != nil {
				break
			}
			rows++
		}
	}
	fmt.Printf("said %d rows, %v\n", rows, err)
}

// TestBigTable: a table of 25,000 rows with 12 columns is read, and its merged cells are repeated, though it
// is compressed well.
func TestBigTable(t *testing.T) {
	var b strings.Builder
	for row := 1; row <= 25_000; row++ {
		fmt.Fprintf(&b, `<row r="%d">`, row)
		for column := range 12 {
			fmt.Fprintf(&b, `<c r="%s%d" t="s"><v>0</v></c>`, Letters(column), row)
		}
		b.WriteString(`</row>`)
	}
	b.WriteString(`</sheetData><mergeCells>`)
	for row := 1; row < 25_000; row += 4 {
		fmt.Fprintf(&b, `<mergeCell ref="M%d:M%d"/>`, row, row+3)
	}
	path := filepath.Join(t.TempDir(), "a.xlsx")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, text := range newWorkbook(b.String() + "</mergeCells>") {
		if w, err := z.Create(name); err != nil {
			t.Fatal(err)
		} else if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	stat, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	book, err := Open(f, stat.Size(), path)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for row, err := range book.Rows(0) {
		if err != nil || len(row.Cells) != 12 {
			t.Fatalf("row %d has %d cells: %v", row.Number, len(row.Cells), err)
		}
		rows++
	}
	if rows != 25_000 {
		t.Errorf("%d rows of %d bytes", rows, stat.Size())
	}
}

// TestOverlap: a workbook whose files take more bytes than it has is refused before they are read.
func TestOverlap(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.CreateRaw(&zip.FileHeader{Name: "xl/workbook.xml", CompressedSize64: 4 << 10, UncompressedSize64: 4 << 10}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()), "a.xlsx"); err == nil || !strings.Contains(err.Error(), "its files overlap") {
		t.Errorf("got %v", err)
	}
}
