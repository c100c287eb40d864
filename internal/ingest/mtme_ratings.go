package ingest

import (
	"cmp"
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// A RatingFile has the errors that raters marked, with a line for each system and segment. A translation has
// at most one rating in a file.
//
// A line is SYSTEM, tab, RATING, or SYSTEM, tab, RATING, tab, RATER. RATING is None or {"errors": […]}. An error has start
// and end in code points, [start, end), category, severity, score and is_source_error. The file is named LP.NAME.seg.rating or
// LP.NAME.RATER.seg.rating. The lines of a system are in the order of the segments.
type RatingFile struct {
	Name string // NAME
	// Rater is RATER in the name of the file. It is empty if there is none, or if it is "merged", which stands
	// for several raters.
	Rater string
	path  string
}

const segmentRatings, mergedRaters = ".seg.rating", "merged"

// RatingFiles lists the files of ratings, in byte order of their names.
func (m *Directory) RatingFiles() ([]RatingFile, error) {
	files, err := m.folder.Files(humansFolder)
	var out []RatingFile
	for _, file := range files {
		name, mine := strings.CutPrefix(file, m.LanguagePair+".")
		name, ok := strings.CutSuffix(name, segmentRatings)
		if !mine || !ok || name == "" {
			continue
		}
		f := RatingFile{Name: name, path: humansFolder + "/" + file}
		if i := strings.LastIndexByte(name, '.'); i > 0 {
			f.Name, f.Rater = name[:i], name[i+1:]
		}
		if f.Rater == mergedRaters {
			f.Rater = ""
		}
		out = append(out, f)
	}
	return out, err
}

// File is the name of a file of ratings for messages.
func (m *Directory) File(f RatingFile) string { return m.name(f.path) }

// EachRating calls do with each rating of a file: its line, its system, the number of the segment from 0, and the text of the line, which
// is valid until do returns. [Directory.Rating] reads the text.
func (m *Directory) EachRating(f RatingFile, do func(line int, system string, segment int, text string) error) error {
	sizes := make(map[string]int, len(m.Systems))
	for _, s := range m.Systems {
		sizes[s] = 0
	}
	refuse := func(line int, format string, args ...any) error {
		return &campaign.Problem{File: m.name(f.path), Line: line, Msg: fmt.Sprintf(format, args...)}
	}
	lines := 0
	err := m.eachLine(f.path, func(n int, text []byte) error {
		line := string(text)
		if strings.TrimSpace(line) == "" {
			return nil
		}
		lines = n
		cells := strings.SplitN(line, "\t", 4)
		if len(cells) < 2 || len(cells) > 3 {
			return refuse(n, `the line must have a system, a tab, and {"errors": […]} or None, and may have another tab and a rater`)
		}
		system := strings.TrimSpace(cells[0])
		segment, known := sizes[system]
		switch {
		case !known:
			return refuse(n, "there is no system %s in system-outputs/%s, which has %s; correct the name, or add the output of the system",
				wording.Quote(system), m.LanguagePair, list(m.Systems))
		case segment == m.Segments:
			return refuse(n, "system %s has more ratings than the %s in %s; leave out the lines that are too many", wording.Quote(system),
				wording.Counted(segment, "segment"), m.name(m.lines))
		}
		sizes[system]++
		if strings.TrimSpace(cells[1]) == "None" {
			return nil
		}
		return do(n, system, segment, line)
	})
	if err != nil {
		return err
	}
	if lines == 0 {
		return &campaign.Problem{File: m.name(f.path), Msg: noneIn("ratings")}
	}
	for _, system := range m.Systems {
		if n := sizes[system]; n != 0 && n != m.Segments {
			return refuse(lines, "system %s has %s and needs %d, one for each segment in %s; add the lines that are missing, with None where nobody rated",
				wording.Quote(system), wording.Counted(n, "line"), m.Segments, m.name(m.lines))
		}
	}
	return nil
}

var mtmeErrors = objectArray{
	example: `{"start": 0, "end": 4, "category": "fluency/grammar", "severity": "minor"}`,
	most:    maxSpans,
	keys:    []string{"start", "end", "category", "severity", "score", "is_source_error"},
}

// Rating reads the rating of a line, which [Directory.EachRating] gave, under a protocol with error spans. Its spans are placed
// in the texts. Without a name of its own, the rater has that of the file, or of the ratings.
func (m *Directory) Rating(f RatingFile, line int, text string, p *protocol.Protocol, of protocol.Texts, notes *Notes) (out campaign.Rating,
	problems []*campaign.Problem) {
	cells := strings.SplitN(text, "\t", 3)
	defer func() {
		for _, problem := range problems {
			if problem.Column > 0 {
				problem.Column += codepoint.Len(cells[0]) + 1
			}
		}
	}()
	r := &record{Place: campaign.Place{File: m.name(f.path), Line: line}, Text: []byte(cells[1]), Notes: notes}
	out = campaign.Rating{Annotator: f.annotator(), Round: 1}
	if len(cells) == 3 && strings.TrimSpace(cells[2]) != "" {
		out.Annotator = strings.TrimSpace(cells[2])
	}
	r.Login("rater", jsonValue{Start: nowhere}, out.Annotator)
	object := fields{}
	if !r.Object(func(key string) bool { return key == "errors" }, object) {
		return out, r.Problems
	}
	v, ok := object["errors"]
	if !ok {
		r.Refuse(nowhere, "errors", `missing; give [] for a translation without errors, or None for one that nobody rated`)
		return out, r.Problems
	}
	mtmeErrors.each(r, "errors", v, func(_ int, field string, at int, f fields) {
		refused := len(r.Problems)
		s := protocol.ErrorSpan{Side: protocol.Target}
		var okS, okE bool
		s.Start, okS = spanOffset(r, f, at, field, "start")
		s.End, okE = spanOffset(r, f, at, field, "end")
		s.Severity = severity(r, f, at, field)
		s.Category = category(r, f, field, "category")
		if v, ok := f["is_source_error"]; ok {
			if yes, _ := r.Bool(field+".is_source_error", v); yes {
				s.Side = protocol.Source
			}
		}
		if !okS || !okE || len(r.Problems) > refused {
			return
		}
		placed, bad := of.Place(spelt(r, p, s))
		if bad != nil {
			r.Refuse(at, field+"."+bad.Field, "%s", bad.Msg)
		}
		out.Spans = append(out.Spans, placed)
	})
	out.NoErrors = len(out.Spans) == 0
	return out, r.Problems
}

// annotator is the name of a rater whom no line names.
func (f RatingFile) annotator() string { return cmp.Or(f.Rater, f.Name) }
