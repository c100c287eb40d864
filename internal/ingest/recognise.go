package ingest

import (
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/format"
)

// Recognise returns the only one of formats that a file can have, judged by its name and its first
// [HeadSize] bytes. The problem says what the file is, or which formats it can have.
func Recognise(head []byte, file string, formats []string) (string, *campaign.Problem) {
	can := Fits(head, file, formats)
	if keys := firstKeys(head); keys != nil {
		can = ofObject(keys, can)
	}
	switch {
	case len(head) == 0:
		return "", &campaign.Problem{
			File:  file,
			Field: "format",
			Msg:   "the file is empty; check that it is the right file, and that it was saved with its content",
		}
	case len(can) == 1:
		return can[0], nil
	case len(can) > 1:
		return "", &campaign.Problem{File: file, Field: "format",
			Msg: "the file can be in several formats: " + strings.Join(can, ", ") + "; choose one"}
	}
	is, _ := kindOfBytes(head, file)
	if is == "" {
		is, _ = kindOfText(string(head), format.JSONL)
	}
	if is != "" {
		is += ", and "
	}
	return "", &campaign.Problem{
		File:  file,
		Field: "format",
		Msg:   "the file " + is + "is in none of the formats " + strings.Join(formats, ", ") + "; the page Import shows an example of each",
	}
}

// firstKeys returns a function that reports whether the first line of a file has some keys. It is nil if the line is not
// a JSON object.
func firstKeys(head []byte) has {
	lines := wholeLines(strings.TrimPrefix(string(head[:min(len(head), HeadSize)]), "\ufeff"))
	if len(lines) == 0 || lines[0][0] != '{' {
		return nil
	}
	return keysOf([]byte(lines[0]))
}

// ofObject returns those of formats that a JSON object with the keys has: the one that it certainly has, or
// else all that it may have.
func ofObject(keys has, formats []string) []string {
	var may []string
	for _, l := range looks {
		if !slices.Contains(formats, l.format) {
			continue
		}
		if l.surely != nil && l.surely(keys) {
			return []string{l.format}
		}
		if l.own != nil && l.own(keys) {
			may = append(may, l.format)
		}
	}
	return may
}
