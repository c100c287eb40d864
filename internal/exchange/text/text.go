// Package text reads the format "text": files with one text a line.
//
// The names of files, without folders and the ending .txt, say what they are:
//
//	sources, source, src           the sources
//	references, reference, ref     a reference; more than one have names such as refA, ref1 or reference.B
//	documents, document, docs      the document of each line, which may follow the domain and a tab
//	any other                      the translations of the system of this name
//
// The first three kinds of names may go on after a dot, a dash or "_", such as reference.B. The ending is
// .txt, absent, or a language such as .en or .pt-BR. A single letter, or text that begins with a digit, as in
// model-1.5, is no ending. Files with other endings, README and LICENSE are refused.
//
// All files have the same number of lines. The id of a segment is the number of its line. Without documents
// each segment is a document of its own. An empty line is an empty translation, or no reference. An empty
// source is refused.
package text

import (
	"cmp"
	"fmt"
	"iter"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/format"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// Format is the format "text".
var Format = exchange.Format{
	ID:      format.Text,
	Carries: []exchange.Part{exchange.Documents, exchange.Domains, exchange.Reference, exchange.References},
	Is:      is,
	Of:      func([]exchange.File, ingest.Options) (string, error) { return "", nil },
	Read:    read,
}

// A role says what the lines of a file are.
type role int

const (
	sources role = iota
	references
	documents
	translations
)

var roles = []struct {
	role role
	name *regexp.Regexp
}{
	{sources, regexp.MustCompile(`(?i)^(sources?|src)([._-].*)?$`)},
	{references, regexp.MustCompile(`(?i)^(references?|refs?)([A-Z0-9]|[._-].*)?$`)},
	{documents, regexp.MustCompile(`(?i)^((documents?|docs?)([._-].*)?|.*\.docs)$`)},
}

// maxFiles is the greatest number of files to read at once.
const maxFiles = 250

// A part is a file with its role.
type part struct {
	exchange.File
	role role
	name string // the name of the system or the reference
}

// partOf returns the part that the name of a file stands for.
func partOf(f exchange.File) part {
	name := path.Base(f.Name)
	if end := path.Ext(name); strings.EqualFold(end, ".txt") {
		name = strings.TrimSuffix(name, end)
	}
	for _, r := range roles {
		if match := r.name.FindStringSubmatch(name); match != nil {
			if r.role == references && match[2] == "" {
				name = campaign.MainReference
			}
			return part{f, r.role, name}
		}
	}
	return part{f, translations, name}
}

var (
	ending  = regexp.MustCompile(`^\.([0-9].*|[A-Za-z])?$|^\.(?i:txt|docs)$`) // besides languages
	lang    = regexp.MustCompile(`^\.([a-z]{2}([-_][A-Za-z]{2,4})?)$`)
	aboutIt = regexp.MustCompile(`(?i)^(readme|licen[cs]e)\b`)
)

// isPlain reports whether a file has texts by its name.
func isPlain(name string) bool {
	name = path.Base(name)
	end := path.Ext(name)
	if match := lang.FindStringSubmatch(end); match != nil {
		_, err := language.Parse(match[1])
		return err == nil
	}
	return !aboutIt.MatchString(name) && (end == "" || ending.MatchString(end))
}

// is reports whether all files are plain text by their names and beginnings, one of them has sources, and at
// least one has translations.
func is(files []exchange.Head) bool {
	count := map[role]int{}
	for _, h := range files {
		count[partOf(exchange.File{Name: h.Name}).role]++
		if !isPlain(h.Name) || strings.HasPrefix(strings.TrimLeft(string(h.Bytes), "\ufeff \t\r\n"), "{") {
			return false
		}
	}
	return count[sources] == 1 && count[translations] > 0 && count[documents] <= 1
}

func read(files []exchange.File, _ *protocol.Protocol, opt ingest.Options) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		parts, problems := arranged(files, opt.Systems)
		for _, p := range problems {
			if !yield(campaign.SegmentLine{}, p) {
				return
			}
		}
		if len(problems) > 0 {
			return
		}
		together(parts, opt, yield)
	}
}

// arranged returns the parts of files, with the sources first, and their problems.
func arranged(files []exchange.File, systems []string) (parts []part, problems []*campaign.Problem) {
	refuse := func(file, format string, args ...any) {
		problems = append(problems, &campaign.Problem{File: file, Msg: fmt.Sprintf(format, args...)})
	}
	if len(files) > maxFiles {
		refuse("", "there are %d files, and at most %d can be read together; import fewer systems", len(files), maxFiles)
		return nil, problems
	}
	type kind struct {
		role role
		name string
	}
	first := map[kind]string{}
	found := map[role]bool{}
	for _, f := range files {
		if !isPlain(f.Name) {
			refuse(f.Name, "has no texts by its name, whose ending must be .txt or a language such as .en, or be left away; "+
				"leave the file out, or rename it so that it ends in .txt")
			continue
		}
		p := partOf(f)
		key := kind{p.role, p.name}
		if p.role == sources || p.role == documents {
			key.name = ""
		}
		if before, twice := first[key]; twice {
			refuse(f.Name, "is of the same kind as %s, and has the same name or none; rename one of them, or leave it out", before)
			continue
		}
		first[key] = f.Name
		if err := campaign.CheckName("name", p.name); err != nil || len(p.name) > 200 {
			refuse(f.Name, "the name without its ending is the name of the system or reference, and must have 1 to 200 printable characters; rename the file")
		}
		if p.role == translations && systems != nil && !slices.Contains(systems, p.name) {
			refuse(f.Name, "there is no system %s; the campaign's systems are %s; rename the file, or leave it out", wording.Quote(p.name),
				strings.Join(systems, ", "))
		}
		found[p.role] = true
		parts = append(parts, p)
	}
	if !found[sources] {
		refuse("", "no file has the sources; name it sources.txt")
	}
	if !found[translations] {
		refuse("", "no file has translations; add one for each system, with the name of the system")
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.role, b.role), strings.Compare(a.name, b.name))
	})
	return parts, problems
}

// A column is a file that is being read.
type column struct {
	part
	next  func() (ingest.TextLine, error, bool)
	lines int  // read so far
	ended bool // all lines are read
}

// together reads all parts at the same time, line by line.
func together(parts []part, opt ingest.Options, yield func(campaign.SegmentLine, error) bool) {
	columns := make([]*column, len(parts))
	for i, p := range parts {
		in, err := p.Open()
		if err != nil {
			yield(campaign.SegmentLine{}, err)
			return
		}
		defer in.Close() //nolint:errcheck // it was only read
		of := opt
		of.File = p.Name
		next, stop := iter.Pull2(ingest.TextLines(in, of))
		defer stop()
		columns[i] = &column{part: p, next: next}
	}
	for {
		line, problems, err := segment(columns, opt)
		if err != nil {
			yield(campaign.SegmentLine{}, err)
			return
		}
		if !slices.ContainsFunc(columns, func(c *column) bool { return !c.ended }) {
			break
		}
		for _, p := range problems {
			if !yield(campaign.SegmentLine{File: p.File, Line: p.Line}, p) || p.Line == 0 {
				return
			}
		}
		whole := !slices.ContainsFunc(columns, func(c *column) bool { return c.ended })
		if whole && len(problems) == 0 && !yield(line, nil) {
			return
		}
	}
	for _, p := range unequal(columns) {
		if !yield(campaign.SegmentLine{}, p) {
			return
		}
	}
}

// segment makes a segment of the next line of each file.
func segment(columns []*column, opt ingest.Options) (out campaign.SegmentLine, problems []*campaign.Problem, err error) {
	s := campaign.Segment{SourceLang: opt.SourceLang, TargetLang: opt.TargetLang}
	for _, c := range columns {
		if c.ended {
			continue
		}
		line, bad, more := c.next()
		if c.ended = !more; c.ended {
			continue
		}
		c.lines++
		if p, ok := bad.(*campaign.Problem); ok { //nolint:errorlint // problems are yielded as they are
			problems = append(problems, p)
			continue
		}
		if bad != nil {
			return out, nil, bad
		}
		switch c.role {
		case sources:
			if s.Source = line.Text; strings.TrimSpace(line.Text) == "" {
				problems = append(problems, &campaign.Problem{File: c.Name, Line: line.Line,
					Msg: "empty; give the source text, or remove this line from all files"})
			}
			s.SegmentID = strconv.Itoa(line.Line)
			s.DocID = s.SegmentID
			out.File, out.Line = c.Name, line.Line
		case references:
			if line.Text != "" {
				s.References = append(s.References, campaign.Reference{Name: c.name, Text: line.Text})
			}
		case documents:
			domain, doc, both := strings.Cut(line.Text, "\t")
			if !both {
				domain, doc = "", line.Text
			}
			if len(doc) > 500 || campaign.CheckName("document", doc) != nil || domain != "" && campaign.CheckName("domain", domain) != nil {
				problems = append(problems, &campaign.Problem{File: c.Name, Line: line.Line,
					Msg: "must be the name of the document of this line, of 1 to 200 printable characters, or a domain, a tab and this name; correct the line"})
			}
			s.Domain, s.DocID = domain, doc
		default:
			s.Translations = append(s.Translations, campaign.Translation{System: c.name, Text: line.Text})
		}
	}
	out.Segment = s
	return out, problems, nil
}

// unequal returns a problem for each file whose number of lines differs from that of the
// sources.
func unequal(columns []*column) (problems []*campaign.Problem) {
	first := columns[0]
	for _, c := range columns[1:] {
		if c.lines != first.lines {
			problems = append(problems, &campaign.Problem{File: c.Name,
				Msg: fmt.Sprintf("has %s, and %s has %d; every file needs a line for each source, empty where there is no text",
					wording.Counted(c.lines, "line"), first.Name, first.lines)})
		}
	}
	if len(problems) == 0 && first.lines == 0 {
		problems = append(problems, &campaign.Problem{File: first.Name,
			Msg: "the file is empty; check that it is the right one, and that it was saved with its content"})
	}
	return problems
}
