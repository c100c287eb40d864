package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// NoTranslation is the line of a text that does not exist.
const NoTranslation = "[No translation supplied]"

// Sources yields the source of each segment. A line that cannot be used is a *[campaign.Problem]; any other
// error is the last value.
func (m *Directory) Sources() iter.Seq2[string, error] {
	return m.lined(m.lines, "source")
}

// Output yields the translation of each segment by a system, with errors as [Directory.Sources] yields them.
func (m *Directory) Output(system string) iter.Seq2[string, error] {
	return m.lined(m.outputs[system], "hypothesis")
}

// Reference is [Directory.Output] for a reference.
func (m *Directory) Reference(name string) iter.Seq2[string, error] {
	return m.lined(m.texts[name], "target")
}

// SourceFile is the name of the file of the sources for messages.
func (m *Directory) SourceFile() string { return m.name(m.lines) }

// lined yields the lines of a file of texts. In a file of JSON objects, field has the text. A byte order mark belongs
// to the text: offsets of errors in published data count it.
func (m *Directory) lined(file, field string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		f, err := m.folder.Open(file)
		if err != nil {
			yield("", err)
			return
		}
		defer f.Close() //nolint:errcheck // it was only read
		objects, object := strings.HasSuffix(file, textObjects), fields{}
		var in io.Reader = bufio.NewReader(f)
		if head, _ := in.(*bufio.Reader).Peek(len(byteOrderMark)); !objects && string(head) == byteOrderMark {
			in = io.MultiReader(strings.NewReader(byteOrderMark), in) // eachLine removes one
		}
		eachLine(in, "", Options{File: m.name(file)}, func(r *record) bool {
			text := string(r.Text)
			if at := bytes.IndexByte(r.Text, 0); at >= 0 {
				r.Refuse(at, "", "a text has the character U+0000, which cannot be stored; remove it")
			} else if r.IsUTF8() && objects && r.Object(func(key string) bool { return key == field }, object) {
				if v, ok := object[field]; ok {
					text, _ = r.Str(field, v)
				} else {
					text = NoTranslation
				}
			}
			if len(r.Problems) > 0 {
				r.Problems = r.Problems[:1] // one value for each line
				return true
			}
			return yield(text, nil)
		}, func(_ int, err error) bool { return yield("", err) })
	}
}

const byteOrderMark = "\ufeff"

// Ready returns a *[campaign.Problem] if the segments of the directory cannot be imported: it lacks sources or outputs, a
// reference has another number of lines, or a name cannot be that of a system, reference or score.
func (m *Directory) Ready() error {
	if !slices.Contains(m.sourceFiles(), m.lines) {
		return &campaign.Problem{File: m.name(m.sourceFiles()[0]), Msg: "there is no such file; it has the sources, one a line"}
	}
	if len(m.Systems) == 0 {
		return &campaign.Problem{File: m.name(outputsFolder + "/" + m.LanguagePair),
			Msg: "there are no files SYSTEM.txt in this folder; they have the translations, one a line"}
	}
	if len(m.Systems) > maxMembers {
		return &campaign.Problem{File: m.name(outputsFolder + "/" + m.LanguagePair),
			Msg: fmt.Sprintf("there are more than %d systems, the most that is read; leave some out", maxMembers)}
	}
	for what, names := range map[string][]string{"system": m.Systems, "reference": m.References, "human score": m.Humans, "metric": m.Metrics} {
		for _, name := range names {
			msg := badFileName(what, name, "the ending of a file")
			if !utf8.ValidString(name) {
				msg = fmt.Sprintf("the name of the %s %s is not UTF-8; rename its file", what, wording.Quote(name))
			}
			if msg != "" {
				return &campaign.Problem{File: m.name("."), Msg: msg}
			}
		}
	}
	for _, name := range m.References {
		n, err := m.countLines(m.texts[name])
		if err = cmp.Or(err, m.checkLines(m.texts[name], n)); err != nil {
			return err
		}
	}
	return nil
}

// NoDomain is the domain of documents that have none.
const NoDomain = "none"

// Document returns the domain and the document of a segment, by its number from 0. They are empty if they are not known.
func (m *Directory) Document(segment int) (domain, document string, err error) {
	if m.Documents == nil {
		return "", "", nil
	}
	domain, document = m.Domains[segment], m.Documents[segment]
	r := record{Place: campaign.Place{File: m.name(documentsFolder + "/" + m.LanguagePair + ".docs"), Line: segment + 1}}
	if !r.CheckName(nowhere, "domain", "name", domain, maxID) || !r.CheckName(nowhere, "document", "name", document, maxID) {
		return "", "", r.Problems[0]
	}
	if domain == NoDomain {
		domain = ""
	}
	return domain, document, nil
}

// Unread lists the files of scores that are not of segments, nor of systems by metrics, by their names for messages.
func (m *Directory) Unread() (out []string, err error) {
	for _, folder := range []string{humansFolder, metricsFolder + "/" + m.LanguagePair} {
		files, err := m.folder.Files(folder)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name, score := strings.CutSuffix(file, scoreFile)
			if folder == humansFolder {
				if !strings.HasPrefix(file, m.LanguagePair+".") {
					continue
				}
			} else if strings.HasSuffix(name, ".sys") {
				continue
			}
			if score && !strings.HasSuffix(name, ".seg") {
				out = append(out, m.name(folder+"/"+file))
			}
		}
	}
	return out, nil
}

// HasSegments reports whether a human score or a metric has scores of segments.
func (m *Directory) HasSegments(human bool, name string) bool {
	return m.scoreFiles(human, name)["seg"] != ""
}

func (m *Directory) scoreFiles(human bool, name string) map[string]string {
	if human {
		return m.humans[name]
	}
	return m.scores[name]
}

// EachScore calls do with each score of a segment by a human score or a metric. The segments of a system, numbered from 0,
// come in their order. A missing score is NaN.
func (m *Directory) EachScore(human bool, name string, do func(system string, segment int, score float64) error) error {
	return m.reader().eachSegment(m.scoreFiles(human, name)["seg"], human, do)
}

// SystemScores returns the score of each system by a metric and the name of the file. The scores are nil if there are none.
func (m *Directory) SystemScores(metric string) (scores map[string]float64, file string, err error) {
	file = m.scores[metric]["sys"]
	if file == "" {
		return nil, "", nil
	}
	scores, err = m.reader().systems(file, false)
	return scores, m.name(file), err
}

// reader returns a reader of scores.
func (m *Directory) reader() *scoreReader {
	r := &scoreReader{m: m, domains: map[string]bool{}}
	for _, name := range m.Domains {
		r.domains[name] = true
	}
	return r
}
