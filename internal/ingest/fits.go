package ingest

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"annotate/internal/format"
)

// Fits returns those of formats that a file can have, judged by its name and its first bytes. The
// reader of every other format would refuse the file as a whole, or read it as something that it
// is not: a table of marked errors as segments, or any text with tabs as marked errors.
func Fits(head []byte, file string, formats []string) []string {
	head = head[:min(len(head), HeadSize)]
	return slices.DeleteFunc(slices.Clone(formats), func(of string) bool { return !fits(head, file, of) })
}

func fits(head []byte, file, of string) bool {
	ending := strings.ToLower(filepath.Ext(file))
	first := ""
	if lines := wholeLines(string(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))); len(lines) > 0 {
		first = lines[0]
	}
	marked := namesMarkedErrors(first)
	switch {
	case looksLike([]byte(first), of) != "":
		return false
	case of == format.Table:
		return !marked && canBeTable(head, file, ending)
	case of == format.MQM && !marked:
		return false
	case of == format.Scores && ending == scoreFile:
		of = scoreFile
	case of == format.References && ending == textFile:
		of = textFile
	}
	return anotherKind(head, file, of) == nil
}

// namesMarkedErrors reports whether a line is the header of a WMT MQM table, or a row with a marked
// error of one without a header.
func namesMarkedErrors(line string) bool {
	cells := strings.Split(strings.ToLower(line), "\t")
	named := !slices.ContainsFunc([]string{"system", "rater", "category", "severity"},
		func(name string) bool { return !slices.Contains(cells, name) })
	return named || len(cells) >= 9 && strings.Contains(line, "<v>")
}

// canBeTable reports whether a file is a workbook, or a text that is divided into columns or has the
// ending of such a file.
func canBeTable(head []byte, file, ending string) bool {
	switch is, _ := kindOfBytes(head, file); {
	case is == isUTF16:
		return true
	case is != "":
		return strings.Contains(is, "(.xlsx)")
	}
	text := strings.TrimSpace(string(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))))
	if text == "" || strings.ContainsAny(text[:1], "{[<") || strings.HasPrefix(text, averages) {
		return false
	}
	if slices.Contains([]string{".csv", ".tsv", ".tab"}, ending) {
		return true
	}
	is, _ := kindOfText(text, format.JSONL)
	return strings.HasPrefix(is, isTable)
}
