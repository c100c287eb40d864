package judge

import (
	"cmp"
	"fmt"
	"strings"
)

// A section of a reply is a severity and the lines under its heading.
type section struct {
	severity string
	lines    []string // without blank ones
}

var (
	// severityHeading is a line that begins with a severity: 1 is the severity, 2 the colon, 3 the rest.
	severityHeading = pattern(`(?i)^(critical|major|minor)(?:[\s_-]+errors?)?\s*([:：]?)\s*(.*)$`)
	// otherHeading is a line that begins like a heading.
	otherHeading = pattern(`^\p{L}[\p{L}\p{N}\s/_-]{0,40}[:：]`)
)

// sections reads a reply as headings with lines under them. A heading may have marks of Markdown, any
// case, a full-width colon, and the first line on its own line. A heading that names no severity ends
// the section. isItem says that a line is no heading, whatever it looks like. Lines before the first
// heading are not part of a section.
func sections(reply string, isItem func(string) bool) (list []section) {
	inside := false
	for line := range strings.Lines(reply) {
		line = strings.TrimSpace(line)
		if line == "" || fence().MatchString(line) {
			continue
		}
		plain := unmark(line)
		m := severityHeading().FindStringSubmatch(plain)
		switch {
		case m != nil && (m[2] != "" || m[3] == ""):
			list, inside = append(list, section{severity: strings.ToLower(m[1])}), true
			// The rest is taken from the line itself, since the words of a quote may hold marks.
			if m[3] != "" {
				_, rest, _ := strings.Cut(strings.ReplaceAll(line, "：", ":"), ":")
				list[len(list)-1].lines = append(list[len(list)-1].lines, strings.TrimSpace(strings.TrimLeft(rest, "*_")))
			}
		case !isItem(line) && (strings.HasPrefix(line, "#") || otherHeading().MatchString(plain)):
			inside = false
		case inside:
			list[len(list)-1].lines = append(list[len(list)-1].lines, line)
		}
	}
	return list
}

// noError are the words that, alone on a line, say that there is no error.
var noError = pattern(`(?i)^(?:no[\s-]?errors?|none)[.。!]?$`)

// isNoError says that a line says nothing but that there is no error.
func isNoError(line string) bool {
	item, _ := unbullet(line)
	return noError().MatchString(bare(item))
}

// unread says why sections cannot stand for an answer: they have lines, but not one of all lines is an
// item or says that there are no errors. So a refusal under a heading never counts as "no errors".
func unread(list []section, isItem func(string) bool) error {
	first := ""
	for _, s := range list {
		for _, line := range s.lines {
			if isNoError(line) || isItem(line) {
				return nil
			}
			first = cmp.Or(first, line)
		}
	}
	if first == "" {
		return nil
	}
	return fmt.Errorf("under the headings stands neither an error nor that there is none: %s", excerpt(first))
}
