package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/metric"
	"annotate/internal/parallel"
	"annotate/internal/wording"
)

// A Directory is one language pair of an mt-metrics-eval directory, in the layout of its
// README:
//
//	sources/LP.txt                         a line for each segment
//	documents/LP.docs                      DOMAIN DOCUMENT for each segment
//	system-outputs/LP/SYSTEM.txt           names the systems; a line for each segment
//	references/LP.NAME.txt                 names the references; a line for each segment
//	human-scores/LP.NAME.LEVEL.score       NAME is a human score
//	metric-scores/LP/METRIC-REF.LEVEL.score
//
// A line of a score file is SYSTEM SCORE, separated by a tab or other white space. If
// LEVEL is domain, it is DOMAIN SYSTEM SCORE. Level sys has a line for each system. Level
// seg has a line for each segment of a system, in the order of the sources; lines of
// different systems may be mixed. Level doc is not read. Human scores may be None, which
// is a missing score. All other scores are finite numbers.
//
// Without sources and documents, the number of segments is that of the first system in
// the first score file. Without system outputs, any system may have scores.
type Directory struct {
	LanguagePair string
	Systems      []string // nil if unknown
	References   []string // names, in byte order
	Segments     int      // the number of segments; -1 if unknown
	Domains      []string // the domain of each segment; nil if unknown
	Documents    []string // the document of each segment; nil if unknown
	Lengths      []int    // the length of each source in tokens of [metric.TokenizerFor]; nil if unknown
	Humans       []string // names of human scores, in byte order
	Metrics      []string // names of metrics, in byte order

	lines   string                       // the file that gives the number of segments
	humans  map[string]map[string]string // files of human scores, by name and level
	scores  map[string]map[string]string // files of metrics, by name and level
	outputs map[string]string            // files of systems
	texts   map[string]string            // files of references
	seen    map[string]bool              // Systems; without system outputs, those in the files that were read so far
	folder  Folder
}

// OpenDirectory lists the segments, systems, human scores and metrics of a language pair in a
// directory on disk, which must have human scores. [Directory.Read] reads the scores. The error
// is a *[campaign.Problem] if a person has to change a file. Files are read on all cores that ctx leaves it.
func OpenDirectory(ctx context.Context, dir, languagePair string) (*Directory, error) {
	m, err := find(DiskFolder(dir), languagePair)
	if err == nil {
		err = m.hasHumans()
	}
	if err != nil {
		return nil, err
	}
	return m, m.count(func(n int, do func(i int)) error { return parallel.Each(ctx, n, do) })
}

// OpenFolder is [OpenDirectory] for any folder, which may lack human scores. It reads one file at a time.
func OpenFolder(f Folder, languagePair string) (*Directory, error) {
	m, err := find(f, languagePair)
	if err != nil {
		return nil, err
	}
	return m, m.count(func(n int, do func(i int)) error {
		for i := range n {
			do(i)
		}
		return nil
	})
}

// count reads the documents and counts the lines of texts. each calls do with 0 to n-1. The result is a problem if the
// output of a system does not have a line for each segment.
func (m *Directory) count(each func(n int, do func(i int)) error) error {
	if err := m.readDocuments(); err != nil {
		return err
	}
	var sources error
	lines, errs := make([]int, len(m.Systems)), make([]error, len(m.Systems))
	err := each(1+len(m.Systems), func(i int) {
		if i == 0 {
			sources = m.countSources()
		} else {
			lines[i-1], errs[i-1] = m.countLines(m.outputs[m.Systems[i-1]])
		}
	})
	if err = cmp.Or(err, sources); err != nil || m.Segments < 0 {
		return err
	}
	for i, system := range m.Systems {
		if err := cmp.Or(errs[i], m.checkLines(m.outputs[system], lines[i])); err != nil {
			return err
		}
	}
	return nil
}

// scoreLevels lists the levels of score files that are read.
var scoreLevels = []string{"seg", "sys", "domain"}

// The folders of a directory.
const (
	sourcesFolder, documentsFolder, referencesFolder = "sources", "documents", "references"
	outputsFolder, humansFolder, metricsFolder       = "system-outputs", "human-scores", "metric-scores"
)

// find lists the files of a language pair.
func find(f Folder, pair string) (*Directory, error) {
	m := &Directory{LanguagePair: pair, folder: f, Segments: -1, humans: map[string]map[string]string{},
		scores: map[string]map[string]string{}, seen: map[string]bool{},
		outputs: map[string]string{}, texts: map[string]string{}}
	humans, err := f.Files(humansFolder)
	if err != nil {
		return nil, err
	}
	for _, file := range humans {
		name, level, ok := mtmeScoreFile(file)
		if name, mine := strings.CutPrefix(name, m.LanguagePair+"."); ok && mine {
			putFile(m.humans, name, level, humansFolder+"/"+file)
		}
	}
	metrics, err := f.Files(metricsFolder + "/" + pair)
	if err != nil {
		return nil, err
	}
	for _, file := range metrics {
		if name, level, ok := mtmeScoreFile(file); ok {
			putFile(m.scores, name, level, metricsFolder+"/"+pair+"/"+file)
		}
	}
	m.Humans, m.Metrics = slices.Sorted(maps.Keys(m.humans)), slices.Sorted(maps.Keys(m.scores))
	outputs, err := f.Files(outputsFolder + "/" + pair)
	if err != nil {
		return nil, err
	}
	for _, file := range outputs {
		if name, ok := cutText(file); ok {
			m.outputs[name] = outputsFolder + "/" + pair + "/" + file
		}
	}
	references, err := f.Files(referencesFolder)
	if err != nil {
		return nil, err
	}
	for _, file := range references {
		if name, mine := strings.CutPrefix(file, pair+"."); mine {
			name, _ = cutText(name)
			m.texts[name] = referencesFolder + "/" + file
		}
	}
	m.References = slices.Sorted(maps.Keys(m.texts))
	if len(m.outputs) > 0 {
		m.Systems = slices.Sorted(maps.Keys(m.outputs))
	}
	for _, s := range m.Systems {
		m.seen[s] = true
	}
	return m, nil
}

// cutText returns the name of a file of texts without its ending, and whether it has the ending of one.
func cutText(file string) (name string, ok bool) {
	for _, ending := range []string{textFile, textObjects} {
		if name, ok = strings.CutSuffix(file, ending); ok {
			return name, name != ""
		}
	}
	return file, false
}

// hasHumans returns a problem if the directory has no human scores of the language pair.
func (m *Directory) hasHumans() error {
	if len(m.Humans) > 0 {
		return nil
	}
	files, err := m.folder.Files(humansFolder)
	switch {
	case err != nil:
		return err
	case files == nil:
		return &campaign.Problem{File: m.name("."),
			Msg: "there is no folder human-scores in it; name the folder of a test set, which has the folders human-scores and metric-scores"}
	}
	msg := "no human scores for " + m.LanguagePair
	if pairs := languagePairs(files); len(pairs) > 0 {
		msg += "; there are scores for " + strings.Join(pairs, ", ")
	}
	return &campaign.Problem{File: m.name(humansFolder), Msg: msg}
}

// name is the name of a file or folder for messages.
func (m *Directory) name(of string) string { return m.folder.Name(of) }

// HasMetrics returns a *[campaign.Problem] if the directory has no metric scores. Such a
// directory is useful only to compare human scores with each other.
func (m *Directory) HasMetrics() error {
	if len(m.Metrics) > 0 {
		return nil
	}
	return &campaign.Problem{File: m.name(metricsFolder + "/" + m.LanguagePair),
		Msg: "there are no metric scores; put files such as BLEU-refA.seg.score into this folder"}
}

// mtmeScoreFile splits a file name NAME.LEVEL.score.
func mtmeScoreFile(file string) (name, level string, ok bool) {
	rest, ok := strings.CutSuffix(file, ".score")
	i := strings.LastIndexByte(rest, '.')
	if !ok || i < 1 || !slices.Contains(scoreLevels, rest[i+1:]) {
		return "", "", false
	}
	return rest[:i], rest[i+1:], true
}

func putFile(files map[string]map[string]string, name, level, file string) {
	if files[name] == nil {
		files[name] = map[string]string{}
	}
	files[name][level] = file
}

// languagePairs lists the language pairs in names of human scores.
func languagePairs(files []string) (pairs []string) {
	for _, file := range files {
		if name, _, ok := mtmeScoreFile(file); ok {
			pair, _, _ := strings.Cut(name, ".")
			pairs = append(pairs, pair)
		}
	}
	slices.Sort(pairs)
	return slices.Compact(pairs)
}

// readDocuments reads the domain and the document of each segment.
func (m *Directory) readDocuments() error {
	file := documentsFolder + "/" + m.LanguagePair + ".docs"
	err := m.eachLine(file, func(n int, line []byte) error {
		fields := strings.Fields(string(line))
		if len(fields) < 2 {
			return &campaign.Problem{File: m.name(file), Line: n, Msg: "the line must have the name of a domain, a tab, and the name of a document"}
		}
		m.Domains = append(m.Domains, fields[0])
		m.Documents = append(m.Documents, fields[1])
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	m.Segments, m.lines = len(m.Documents), file
	return err
}

// countSources counts the segments and their tokens. It returns a problem if the documents
// have another number of lines.
func (m *Directory) countSources() error {
	language, _, _ := strings.Cut(m.LanguagePair, "-")
	tokens := metric.TokenizerFor(language)
	for _, file := range m.sourceFiles() {
		n := 0
		var lengths []int
		err := m.eachLine(file, func(_ int, line []byte) error {
			n++
			lengths = append(lengths, len(tokens.Split(string(line))))
			return nil
		})
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case m.Segments >= 0 && m.Segments != n:
			return &campaign.Problem{File: m.name(m.lines), Line: min(m.Segments, n) + 1, Msg: unequal(m.Segments, n, m.name(file))}
		}
		m.Segments, m.lines = n, file
		if strings.HasSuffix(file, textFile) {
			m.Lengths = lengths
		}
		return nil
	}
	return nil
}

// sourceFiles lists the files that may have the sources. The first that exists has them.
func (m *Directory) sourceFiles() []string {
	file := sourcesFolder + "/" + m.LanguagePair
	return []string{file + textFile, file + textObjects}
}

// unequal returns the message that a file has n lines and another file has other lines.
func unequal(n, other int, file string) string {
	return fmt.Sprintf("the file has %s, and %s has %d; both need one line for each segment", wording.Counted(n, "line"), file, other)
}

// countLines returns the number of lines of a file.
func (m *Directory) countLines(file string) (n int, err error) {
	err = m.eachLine(file, func(int, []byte) error { n++; return nil })
	return n, err
}

// checkLines returns a problem if a file with n lines does not have one for each segment.
func (m *Directory) checkLines(file string, n int) error {
	if n != m.Segments {
		return &campaign.Problem{File: m.name(file), Line: min(n, m.Segments) + 1, Msg: unequal(n, m.Segments, m.name(m.lines))}
	}
	return nil
}

// Read reads human scores and metrics by name, on all cores that ctx leaves it. If read is not nil, it is called after each
// file, in the order of the names.
func (m *Directory) Read(ctx context.Context, humans, metrics []string, read func(file string)) (metaeval.Data, error) {
	d := metaeval.Data{LanguagePair: m.LanguagePair}
	r := m.reader()
	cores := parallel.Cores(ctx)
	if m.Systems == nil || m.Segments < 0 { // the files say what there is
		cores = 1
	}
	names, n := slices.Concat(humans, metrics), 0
	next := func(struct{}) (func() ([]metaeval.Scores, error), error) {
		if n == len(names) || ctx.Err() != nil {
			return nil, ctx.Err()
		}
		name, human := names[n], n < len(humans)
		n++
		return func() ([]metaeval.Scores, error) {
			s, err := r.scorer(name, human)
			return []metaeval.Scores{s}, err
		}, nil
	}
	for list, err := range parallel.Ahead(ctx, make([]struct{}, cores), next) {
		if err != nil {
			return d, err
		}
		human := len(d.Humans) < len(humans)
		if human {
			d.Humans = append(d.Humans, list...)
		} else {
			d.Metrics = append(d.Metrics, list...)
		}
		for _, level := range scoreLevels {
			if file := m.scoreFiles(human, list[0].Name)[level]; file != "" && read != nil {
				read(m.name(file))
			}
		}
	}
	d.Segments, d.Domains, d.Documents, d.Lengths = max(m.Segments, 0), m.Domains, m.Documents, m.Lengths
	d.Systems = slices.Sorted(maps.Keys(r.m.seen))
	return d, nil
}

// A scoreReader reads the score files of a directory. Several goroutines may use it if the systems and the number of
// segments are known.
type scoreReader struct {
	m       *Directory
	domains map[string]bool
}

// scorer reads the files of a human score or a metric.
func (r *scoreReader) scorer(name string, human bool) (out metaeval.Scores, err error) {
	files := r.m.scoreFiles(human, name)
	if files == nil {
		return out, fmt.Errorf("no scores %q in %s", name, r.m.name("."))
	}
	out.Name = name
	if file := files["seg"]; file != "" {
		out.Segment, err = r.segments(file, human)
	}
	if file := files["sys"]; file != "" && err == nil {
		out.System, err = r.systems(file, human)
	}
	if file := files["domain"]; file != "" && err == nil {
		out.Domain, err = r.byDomain(file, human)
	}
	return out, err
}

func (r *scoreReader) segments(file string, human bool) (map[string][]float64, error) {
	rows := map[string]*[]float64{}
	var row *[]float64 // of the line before
	of := ""
	err := r.eachSegment(file, human, func(system string, segment int, v float64) error {
		if segment == 0 {
			scores := make([]float64, 0, max(r.m.Segments, 0))
			rows[system] = &scores
		}
		if system != of {
			row, of = rows[system], system
		}
		*row = append(*row, v)
		return nil
	})
	out := make(map[string][]float64, len(rows))
	for system, row := range rows {
		out[system] = *row
	}
	return out, err
}

// eachSegment calls do with each score of a segment: its system, the number of the segment from 0, and the score. The
// segments of a system come in their order.
func (r *scoreReader) eachSegment(file string, human bool, do func(system string, segment int, v float64) error) error {
	type block struct {
		system     string
		last, size int // the last line, and the number of scores
	}
	var blocks []*block // in the order of the file
	of := map[string]*block{}
	b := &block{} // of the line before
	want := r.m.Segments
	err := r.each(file, 2, human, func(n int, names []string, v float64) error {
		if b.system != names[0] {
			if b = of[names[0]]; b == nil {
				b = &block{system: names[0]}
				of[b.system] = b
				blocks = append(blocks, b)
			}
		}
		if want >= 0 && b.size == want {
			return &campaign.Problem{File: r.m.name(file), Line: n,
				Msg: fmt.Sprintf("system %s has more scores than the %s%s; leave out the lines that are too many", wording.Quote(b.system),
					wording.Counted(want, "segment"), r.counted())}
		}
		b.last, b.size = n, b.size+1
		return do(b.system, b.size-1, v)
	})
	if err != nil {
		return err
	}
	if want < 0 {
		want = blocks[0].size
	}
	for _, b := range blocks {
		if b.size != want {
			return &campaign.Problem{File: r.m.name(file), Line: b.last,
				Msg: fmt.Sprintf("system %s has %s and needs %d, one for each segment%s; add the lines that are missing", wording.Quote(b.system),
					wording.Counted(b.size, "score"), want, r.counted())}
		}
	}
	if r.m.Segments < 0 { // otherwise other files may be read at the same time
		r.m.Segments = want
	}
	return nil
}

// counted names the file that gives the number of segments.
func (r *scoreReader) counted() string {
	if r.m.lines == "" {
		return ""
	}
	return " in " + r.m.name(r.m.lines)
}

func (r *scoreReader) systems(file string, human bool) (map[string]float64, error) {
	out := map[string]float64{}
	return out, r.each(file, 2, human, func(n int, names []string, v float64) error {
		if _, twice := out[names[0]]; twice {
			return &campaign.Problem{File: r.m.name(file), Line: n,
				Msg: fmt.Sprintf("this is a second score of system %s; keep one line for each system", wording.Quote(names[0]))}
		}
		out[names[0]] = v
		return nil
	})
}

func (r *scoreReader) byDomain(file string, human bool) (map[string]map[string]float64, error) {
	out := map[string]map[string]float64{}
	return out, r.each(file, 3, human, func(n int, names []string, v float64) error {
		domain, s := names[0], names[1]
		if r.m.Domains != nil && !r.domains[domain] {
			return &campaign.Problem{File: r.m.name(file), Line: n,
				Msg: fmt.Sprintf("there is no domain %s in documents/%s.docs; correct the name, or leave the line out", wording.Quote(domain),
					r.m.LanguagePair)}
		}
		if _, twice := out[domain][s]; twice {
			return &campaign.Problem{File: r.m.name(file), Line: n,
				Msg: fmt.Sprintf("this is a second score of system %s in domain %s; keep one line for each system", wording.Quote(s), wording.Quote(domain))}
		}
		if out[domain] == nil {
			out[domain] = map[string]float64{}
		}
		out[domain][s] = v
		return nil
	})
}

// each calls do with the number of each line, the names before its score, and the score.
// The last name is that of the system.
//
// Most lines begin with the names of the line before. Only their scores are parsed.
func (r *scoreReader) each(file string, fields int, human bool, do func(n int, names []string, v float64) error) error {
	var names []string // of the line before
	var head []byte    // of the line before: all before its score
	err := r.m.eachRecord(file, func(line *record) error {
		if names != nil && bytes.HasPrefix(line.Text, head) {
			if v, ok := number(string(line.Text[len(head):])); ok {
				return do(line.Line, names, v)
			}
		}
		if !line.IsUTF8() {
			return nil
		}
		n, text := line.Line, string(line.Text)
		if strings.TrimSpace(text) == "" {
			return nil
		}
		cells, v, at, bad := parseScore(text, fields-1, human)
		if bad != nil {
			return &campaign.Problem{File: r.m.name(file), Line: n, Column: utf8.RuneCountInString(text[:bad.At]) + 1,
				Field: bad.Field, Msg: bad.Msg}
		}
		names, head = cells, append(head[:0], text[:at]...)
		s := names[fields-2]
		if !r.m.seen[s] {
			if r.m.Systems != nil {
				return &campaign.Problem{File: r.m.name(file), Line: n,
					Msg: fmt.Sprintf("there is no system %s in system-outputs/%s, which has %s; correct the name, or add the output of the system",
						wording.Quote(s), r.m.LanguagePair, list(r.m.Systems))}
			}
			r.m.seen[s] = true
		}
		return do(n, names, v)
	})
	if err == nil && names == nil {
		return &campaign.Problem{File: r.m.name(file), Msg: noneIn("scores")}
	}
	return err
}

// eachLine calls do with each line of a file, which is valid until do returns.
func (m *Directory) eachLine(file string, do func(n int, line []byte) error) error {
	return m.eachRecord(file, func(r *record) error {
		if !r.IsUTF8() {
			return nil
		}
		return do(r.Line, r.Text)
	})
}

// eachRecord calls do with each line of a file, until do returns an error or refuses a line.
func (m *Directory) eachRecord(file string, do func(r *record) error) error {
	f, err := m.folder.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	var failed error
	eachLine(f, "", Options{File: m.name(file)}, func(r *record) bool {
		failed = do(r)
		return failed == nil
	}, func(_ int, err error) bool {
		failed = err
		return false
	})
	return failed
}
