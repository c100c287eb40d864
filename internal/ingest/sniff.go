package ingest

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/format"
)

// HeadSize is how many bytes of a file are used to recognise its kind.
const HeadSize = 4 << 10

// fromTable says how to convert a table to a format.
func fromTable(l look) string {
	switch {
	case l.form != jsonLines:
		return "save the table as text with tabs between the columns, in UTF-8"
	case l.format == format.JSONL || l.format == format.MENT:
		return "choose the format table, which reads XLSX, CSV and TSV"
	}
	return "write each row as a JSON object on a line of its own, as the example of the format shows"
}

// A fileKind is a kind of file that people choose by mistake.
type fileKind struct {
	magic  string // its first bytes
	is, do string // what the file is, and what to do; do is empty for a table
}

var fileKinds = []fileKind{
	{"\x1f\x8b", "is compressed with gzip", "unpack it first"},
	{"BZh", "is compressed with bzip2", "unpack it first"},
	{"\xfd7zXZ", "is compressed with xz", "unpack it first"},
	{"\x28\xb5\x2f\xfd", "is compressed with zstd", "unpack it first"},
	{"7z\xbc\xaf", "is a 7z archive", "unpack it and choose the files in it"},
	{"%PDF-", "is a PDF", "choose the text file that it was made from"},
	{"\xd0\xcf\x11\xe0", "is an old Office document, such as an Excel workbook (.xls)", ""},
	{"\x89PNG", "is a picture (PNG)", "choose a text file"},
	{"\xff\xd8\xff", "is a picture (JPEG)", "choose a text file"},
	{"GIF8", "is a picture (GIF)", "choose a text file"},
	{"SQLite format 3\x00", "is a SQLite database", "choose a text file"},
	{"\xff\xfe", isUTF16, ""},
	{"\xfe\xff", isUTF16, ""},
}

// What some files are, in the words of messages.
const (
	isUTF16 = "is UTF-16"
	isTable = "is a table whose columns are divided"
)

// anotherKind returns a problem if the first bytes or the name of a file show that it is not
// in the format, and otherwise nil. Without it, every line would give the same problem. The
// field of the problem is "format", which is not a key of any format.
func anotherKind(head []byte, file, format string) *campaign.Problem {
	is, do := kindOfBytes(head, file)
	if is == isUTF16 {
		return &campaign.Problem{File: file, Field: "format", Msg: "the file " + isUTF16 + "; save it as UTF-8"}
	}
	if is == "" {
		is, do = kindOfText(string(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))), format)
	}
	if is == "" {
		return nil
	}
	if do == "" {
		do = fromTable(lookOf(format))
	}
	return &campaign.Problem{File: file, Field: "format", Msg: "the file " + is + ", and " + lookOf(format).shape + "; " + do}
}

// kindOfBytes recognises files that are not text in UTF-8.
func kindOfBytes(head []byte, file string) (is, do string) {
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		ending := strings.ToLower(filepath.Ext(file))
		switch {
		case ending == ".xlsx" || bytes.Contains(head, []byte("xl/")):
			return "is an Excel workbook (.xlsx)", ""
		case ending == ".ods" || bytes.Contains(head, []byte("opendocument.spreadsheet")):
			return "is an OpenDocument spreadsheet (.ods)", ""
		case ending == ".docx" || bytes.Contains(head, []byte("word/")):
			return "is a Word document (.docx)", "choose a text file"
		case bytes.Contains(head, []byte("[Content_Types].xml")):
			return "is an Office document, such as an Excel workbook (.xlsx)", ""
		}
		return "is a zip archive", "unpack it and choose the files in it"
	}
	for _, k := range fileKinds {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return k.is, k.do
		}
	}
	switch zeros := bytes.Count(head, []byte{0}); {
	case zeros < 8 || zeros < len(head)/10:
		return "", ""
	case zeros > len(head)/3 && zeros <= len(head)/2+1:
		return isUTF16, ""
	}
	return "is no text", "choose a text file"
}

// averages is the header of the files *.avg_seg_scores.tsv beside WMT MQM tables.
const averages = "system mqm_avg_score seg_id"

// kindOfText tells texts that are not in the shape of a format.
func kindOfText(head, format string) (is, do string) {
	if !strings.Contains(head, "\n") && strings.Contains(strings.TrimRight(head, "\r"), "\r") {
		return "ends its lines with carriage returns alone, as old Macs did", "save it with line feeds (LF or CRLF) at the ends of lines"
	}
	lower := strings.ToLower(strings.TrimSpace(head[:min(len(head), 200)]))
	switch {
	case strings.HasPrefix(lower, "<!doctype html"), strings.HasPrefix(lower, "<html"):
		return "is a web page (HTML)", "choose the file itself; a download may have given an error page or asked to sign in"
	case strings.HasPrefix(lower, averages):
		return "has averages of MQM ratings by segment, which are computed here from the table of marked errors that they are made of", "import that table"
	case strings.HasPrefix(lower, "<?xml"):
		return "is XML", "choose a file in the format, or convert it"
	case lookOf(format).form == plainLines:
		return "", ""
	}
	lines := wholeLines(head)
	if len(lines) == 0 || looksLike([]byte(lines[0]), format) != "" {
		return "", "" // anotherFormat gives a better message
	}
	divided := lookOf(format).form == tabLines
	switch first := lines[0]; {
	case first[0] == '[' && (len(first) == 1 || strings.IndexByte("{ \t", first[1]) >= 0):
		return "is one JSON array", "write each object in it on a line of its own, without brackets and commas around them (jq -c '.[]' does it)"
	case !divided && first[0] == '{' && len(lines) > 1 && !strings.HasPrefix(lines[1], "{") && cutShort(first):
		return "has JSON objects that go over several lines", "write each object on one line (jq -c . does it)"
	case divided && first[0] == '{' && cutShort(first) || divided && first[0] == '{' && !strings.Contains(first, "\t"):
		return "has JSON objects", "choose the format that it is in"
	case len(lines) < 2 && (divided || first[0] == '{' || first[0] == '[' || !strings.ContainsAny(first, "\t,;")):
		return "", ""
	case format != scoreFile && anyContains(lines, "\t") && !slices.ContainsFunc(lines, func(line string) bool { return !isScore(line) }):
		return "has a system, a tab and a score on each line", "choose scores, and name it METRIC.seg.score or METRIC.sys.score"
	case divided && anyContains(lines, "\t"), format == scoreFile && slices.ContainsFunc(lines, isScore):
		return "", ""
	case !divided && anyBegins(lines, "{"):
		return "", ""
	}
	for _, d := range []struct{ mark, name string }{{"\t", "tabs"}, {",", "commas (CSV)"}, {";", "semicolons (CSV)"}} {
		if divides(d.mark, lines[0]) && strings.Contains(lines[min(1, len(lines)-1)], d.mark) {
			return isTable + " by " + d.name, ""
		}
	}
	return "is plain text", "choose a file in the format; the page Import shows examples"
}

// quoted matches a cell of a table that stands in quotation marks.
var quoted = regexp.MustCompile(`"[^"]*"`)

// inProse matches a comma or a semicolon as sentences and numbers have it. The cells of a table follow
// each other without a space.
var inProse = regexp.MustCompile(`[,;](\s|$)|\d,\d`)

// divides reports whether a mark divides the columns of a table whose first line is given.
func divides(mark, line string) bool {
	line = quoted.ReplaceAllString(line, `""`)
	return strings.Contains(line, mark) && (mark == "\t" || !inProse.MatchString(line))
}

// wholeLines returns the lines of a text that are not blank, without leading white space.
// If the text is cut off, it leaves out the last line, unless that is the only one.
func wholeLines(head string) (lines []string) {
	all := strings.Split(head, "\n")
	if len(all) > 1 && len(head) >= HeadSize {
		all = all[:len(all)-1]
	}
	for _, line := range all {
		if line = strings.TrimLeft(line, " \t\r"); line != "" {
			lines = append(lines, strings.TrimRight(line, "\r"))
		}
	}
	return lines
}

func anyBegins(lines []string, with string) bool {
	for _, line := range lines {
		if strings.HasPrefix(line, with) {
			return true
		}
	}
	return false
}

func anyContains(lines []string, mark string) bool {
	for _, line := range lines {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

// isScore reports whether a line is a line of a .score file.
func isScore(line string) bool {
	_, _, _, bad := parseScore(line, 1, true)
	return bad == nil
}

// cutShort reports whether a line ends in the middle of a JSON object.
func cutShort(line string) bool {
	_, bad := scanJSON([]byte(line))
	return bad != nil && bad.At == len(line) && strings.HasSuffix(bad.Msg, endsEarly)
}

// oldEncoding reports whether a byte that is not UTF-8 is probably a letter in an encoding
// such as Latin-1, with one byte for each letter.
func oldEncoding(text []byte, at int) bool {
	c := text[at]
	return c >= 0xa0 && c < 0xff && (at+1 == len(text) || text[at+1] < utf8.RuneSelf)
}
