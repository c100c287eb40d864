package protocol

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"annotate/internal/codepoint"
)

//go:embed builtin/*.json
var files embed.FS

// builtinIDs lists the protocols that come with the program, in the order in which pages show them.
var builtinIDs = []string{"sqm", "esa", "mqm", "rate", "inspect", "reference", "review", "terms", "culture"}

// builtin has the protocols of [builtinIDs]. Each is read when a caller first needs it, because most commands need only
// one.
var builtin = func() map[string]func() *Protocol {
	read := make(map[string]func() *Protocol, len(builtinIDs))
	for _, id := range builtinIDs {
		read[id] = sync.OnceValue(func() *Protocol { return mustRead(id) })
	}
	return read
}()

func mustRead(id string) *Protocol {
	text, err := fs.ReadFile(files, "builtin/"+id+".json")
	if err != nil {
		panic(err)
	}
	p, err := Read(bytes.NewReader(text))
	if err != nil {
		panic(fmt.Sprintf("protocol: builtin %s: %v", id, err)) // an embedded file is wrong, which the tests detect
	}
	return p
}

// StartingPoint is the text of a file that a person can change into a protocol of their own. It has everything
// of a protocol that comes with the program, under the id "my_" and the protocol's id. ok is false if no
// such protocol comes with the program.
func StartingPoint(id string) (text string, ok bool) {
	if !slices.Contains(builtinIDs, id) {
		return "", false
	}
	b, err := fs.ReadFile(files, "builtin/"+id+".json")
	return strings.Replace(string(b), `"id": "`+id+`"`, `"id": "my_`+id+`"`, 1), err == nil
}

// MaxFile is the longest file of a protocol that [Read] takes, in bytes.
const MaxFile = 256 << 10

// Read reads a protocol from a file: one JSON object with the keys of [Protocol]. If the file is not
// such an object, the error is a *[ReadError]. It has one problem if the text is not JSON, and otherwise
// every field that is wrong, in the order of the lines. If values have a wrong type, the rules that
// fields follow together are not checked.
func Read(r io.Reader) (*Protocol, error) {
	p, _, err := read(r, false)
	return p, err
}

// ReadOwn is [Read] for a new protocol of a campaign's own. Its id can't be that of a protocol that comes
// with the program, and it keeps to the limits of a protocol, such as [MaxValue]. A campaign that is
// older than these limits keeps its protocol.
func ReadOwn(r io.Reader) (*Protocol, error) {
	p, lines, err := read(r, true)
	if err != nil {
		return nil, err
	}
	if _, ok := Lookup(p.ID); ok {
		return nil, refuse(lineOf(lines, "id"), "id", fmt.Sprintf("%q is the id of a protocol that comes with the program; give yours another one", p.ID))
	}
	return p, nil
}

// read reads a protocol, limited or not, and the lines of its fields as checkKeys gives them.
func read(r io.Reader, limited bool) (*Protocol, map[string]int, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, nil, err
	}
	if len(text) > MaxFile {
		return nil, nil, refuse(0, "", "the file has more than 256 KiB, which no protocol needs; check that it is the file you mean")
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return nil, nil, refuse(lineAt(text, int64(codepoint.Invalid(text))), "", "not UTF-8")
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil, refuse(0, "", "the file is empty; write a protocol as a JSON object")
	}
	var p Protocol
	err = json.Unmarshal(text, &p)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, nil, refuse(lineAt(text, syntax.Offset-1), "", syntax.Error())
	}
	found, refused := checkKeys(text)
	if refused != nil {
		return nil, nil, refused
	}
	lines, problems := found.lines, found.problems
	switch wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); {
	case ok && !found.mistyped:
		return nil, nil, refuse(lineAt(text, wrong.Offset-1), wrong.Field, wrongType(wrong))
	case err != nil && !ok:
		return nil, nil, err
	case found.mistyped: // rules can be checked only if all values are there
	default:
		p.takeQuestions()
		if limited {
			problems.checkLimits(&p)
		}
		if len(problems) == len(found.problems) { // rules compare the entries of a list with each other
			problems.check(&p)
		}
	}
	if len(problems) > 0 {
		for i := range problems {
			problems[i].Line = lineOf(lines, problems[i].Field)
		}
		slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		if more := len(problems) - maxProblems; more > 0 {
			problems = append(problems[:maxProblems], Problem{Msg: fmt.Sprintf("%d more problems are not listed; correct these first", more)})
		}
		return nil, nil, &ReadError{problems}
	}
	return &p, lines, nil
}

// A ReadError says why a file is not a protocol.
type ReadError struct{ Problems []Problem }

// Error returns one line for each problem.
func (e *ReadError) Error() string {
	all := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		all[i] = p.String()
	}
	return strings.Join(all, "\n")
}

// A Problem is one thing that is wrong in the file of a protocol.
type Problem struct {
	Line  int    // from 1; 0 if the problem has no line
	Field string // such as "scores[0].max"; empty if the problem is about the whole text
	Msg   string // what is wrong and what to do
}

// String returns "line 7: scores[0].max: must be above min".
func (p Problem) String() string {
	s := p.Msg
	if p.Field != "" {
		s = p.Field + ": " + s
	}
	if p.Line > 0 {
		s = fmt.Sprintf("line %d: %s", p.Line, s)
	}
	return s
}

// refuse returns an error with one problem.
func refuse(line int, field, msg string) *ReadError {
	return &ReadError{[]Problem{{line, field, msg}}}
}

// lineOf returns the line of a field. If the file lacks the field, it is the line of the value that
// should have it.
func lineOf(lines map[string]int, field string) int {
	for {
		if line, ok := lines[field]; ok || field == "" {
			return line
		}
		field = field[:max(0, strings.LastIndexAny(field, ".["))]
	}
}

// wrongType is the message for a value of a wrong type: what it is and what it should be.
func wrongType(e *json.UnmarshalTypeError) string {
	want := map[reflect.Kind]string{
		reflect.Int: "a whole number", reflect.Float64: "a number", reflect.String: "text in double quotes",
		reflect.Bool: "true or false", reflect.Slice: "a list in [ ]", reflect.Struct: "an object in { }",
	}[e.Type.Kind()]
	is, ok := map[string]string{
		"number": "a number", "string": "text", "bool": "true or false", "array": "a list", "object": "an object",
	}[e.Value]
	if !ok {
		is = shown(strings.TrimPrefix(e.Value, "number "))
	}
	return fmt.Sprintf("must be %s, not %s", want, is)
}

// lineAt is the number of the line, from 1, of the byte at an offset.
func lineAt(text []byte, offset int64) int {
	return bytes.Count(text[:min(max(0, int(offset)), len(text))], []byte("\n")) + 1
}

// A problemList collects the problems of a protocol.
type problemList []Problem

func (l *problemList) add(field, format string, args ...any) {
	*l = append(*l, Problem{Field: field, Msg: fmt.Sprintf(format, args...)})
}

var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`) })
var humanForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`) })

func (l *problemList) check(p *Protocol) {
	if !nameForm().MatchString(p.ID) {
		l.add("id", "use 1 to 40 of a-z, 0-9 and _, beginning with a letter")
	}
	if p.Name == "" {
		l.add("name", "missing")
	}
	if p.About == "" {
		l.add("about", "missing; say in a sentence what the annotator is asked to do")
	}
	if !slices.Contains([]string{"on", "report", "off"}, p.GateByDefault) {
		l.add("gate_by_default", "must be on, report or off")
	}
	if p.Preset != "" && !slices.Contains(presets, p.Preset) {
		l.add("preset", "must be one of %s", strings.Join(presets, ", "))
	}
	if p.Redundancy < 0 || p.Redundancy > maxRedundancy {
		l.add("redundancy", "must be from 1 to %d", maxRedundancy)
	}
	if !(p.Tolerance >= 0) {
		l.add("tolerance", "must not be negative")
	}
	if len(p.Scores) == 0 && p.Spans == nil && len(p.Questions) == 0 {
		l.add("scores", "missing; a protocol needs scores, spans or questions")
	}
	l.checkQuestions(p)
	for i, s := range p.ownScores() {
		l.checkScore(fmt.Sprintf("scores[%d]", i), s)
	}
	if p.Spans != nil {
		l.checkMarking(p.Spans)
	}
	for i, d := range p.Derived {
		l.checkDerived(fmt.Sprintf("derived[%d]", i), p, d)
	}
	l.checkNames(p)
	if len(*l) == 0 { // examples can be checked only against a correct protocol
		l.checkGuide(p)
	}
}

// presets are the names of the meta scores of package metaeval.
var presets = []string{"ment", "wmt23", "wmt24"}

// reserved are the names of the other columns in a table of ratings. A score can't have such a name.
var reserved = []string{"doc_id", "segment_id", "domain", "system", "annotator", "round", "status", "spans", "comment", "seconds", "submitted_at"}

// Settings are the campaign settings that a protocol may name, with their values. A severity names the
// setting that offers it ([Severity.Setting]), a weight the value that removes it ([Weight.Unless]).
var Settings = map[string][]string{"critical": {"no", "yes"}, "source_error": {"zero", "severity"}}

// checkNames checks that all names of scores are allowed and different, and that the gate names a score.
func (l *problemList) checkNames(p *Protocol) {
	names, humans := map[string]bool{}, map[string]bool{}
	note := func(field, name string) {
		switch {
		case !nameForm().MatchString(name):
			l.add(field+".name", "use 1 to 40 of a-z, 0-9 and _, beginning with a letter")
		case names[name]:
			l.add(field+".name", "%q is given twice", name)
		case slices.Contains(reserved, name):
			l.add(field+".name", "%q is a column of every table of ratings; choose another name", name)
		}
		names[name] = true
	}
	noteScore := func(field, name, human string) {
		note(field, name)
		switch {
		case !humanForm().MatchString(human) || strings.HasSuffix(human, "-z"):
			l.add(field+".human", "use 1 to 40 of a-z, 0-9 and -, beginning with a letter and not ending in -z")
		case humans[human]:
			l.add(field+".human", "%q is given twice", human)
		}
		humans[human] = true
	}
	for i, s := range p.ownScores() {
		noteScore(fmt.Sprintf("scores[%d]", i), s.Name, s.Human)
	}
	for i, q := range p.Questions {
		if field := fmt.Sprintf("questions[%d]", i); q.Kind == Number {
			noteScore(field, q.Name, q.score().Human)
		} else {
			note(field, q.Name)
		}
	}
	for i, d := range p.Derived {
		noteScore(fmt.Sprintf("derived[%d]", i), d.Name, d.Human)
	}
	if q, ok := p.NominalGate(); ok {
		l.checkNominalGate(q)
	} else if !names[p.Gate] && (p.Gate != "" || !p.Spans.OfTerms()) {
		l.add("gate", "there is no score or question %q", p.Gate)
	}
}

func (l *problemList) checkScore(field string, s Score) {
	if s.Label == "" {
		l.add(field+".label", "missing")
	}
	if s.Min >= s.Max {
		l.add(field+".max", "must be above min")
	}
	if s.Measurement != "" && s.Measurement != Ordinal && s.Measurement != Interval {
		l.add(field+".measurement", "must be %s or %s", Ordinal, Interval)
	}
	last := s.Min - 1
	for i, level := range s.Levels {
		end := max(level.Value, level.To)
		if level.Value <= last || end > s.Max || level.Name == "" {
			l.add(fmt.Sprintf("%s.levels[%d]", field, i), "needs a name and values of the scale, above those of the level before")
		}
		last = end
	}
}

func (l *problemList) checkMarking(m *Marking) {
	l.checkLayer(m)
	for i, s := range m.Severities {
		field := fmt.Sprintf("spans.severities[%d]", i)
		if s.ID == "" || s.Name == "" {
			l.add(field, "needs an id and a name")
		}
		if values := Settings[s.Setting]; s.Setting != "" && !slices.Contains(values, "yes") {
			l.add(field+".setting", "there is no campaign setting %q that can be yes; leave it out to offer the severity always", s.Setting)
		}
		if slices.ContainsFunc(m.Severities[:i], func(o Severity) bool { return strings.EqualFold(o.ID, s.ID) }) {
			l.add(field+".id", "%q is given twice", s.ID)
		}
	}
	l.checkCategories("spans.categories", m.Categories)
	if t := m.MissingPunctuation; t != nil {
		if _, ok := m.Severity(t.Severity); !ok {
			l.add("spans.missing_punctuation.severity", "there is no severity %q", t.Severity)
		}
		if t.Subcategory == "" {
			l.add("spans.missing_punctuation.subcategory", "missing")
		}
		if _, _, ok := m.Category(t.Category, ""); !ok && (t.Category != "" || len(m.Categories) > 0) {
			l.add("spans.missing_punctuation.category", "there is no category %q", t.Category)
		}
	}
	if _, ok := m.Severity(nonTranslationSeverity); !ok && slices.ContainsFunc(m.Categories, func(c Category) bool { return c.Rule == NonTranslation }) {
		l.add("spans.severities", "a non-translation is always %s; add that severity", nonTranslationSeverity)
	}
}

func (l *problemList) checkCategories(field string, list []Category) {
	for i, c := range list {
		item := fmt.Sprintf("%s[%d]", field, i)
		if c.Name == "" || strings.Contains(c.Name, "/") {
			l.add(item+".name", "must not be empty or have a /")
		}
		if find(list, c.Name) != i {
			l.add(item+".name", "%q is given twice", c.Name)
		}
		for _, name := range c.Aliases {
			if find(list, name) != i {
				l.add(item+".aliases", "%q is given twice", name)
			}
		}
		if c.Rule != "" && c.Rule != SourceError && c.Rule != NonTranslation {
			l.add(item+".rule", "must be %s or %s", SourceError, NonTranslation)
		}
		l.checkCategories(item+".sub", c.Sub)
		if slices.ContainsFunc(c.Sub, func(s Category) bool { return len(s.Sub) > 0 || s.Rule != "" }) {
			l.add(item+".sub", "a subcategory has no rule and none below it")
		}
	}
}

func (l *problemList) checkDerived(field string, p *Protocol, d Derived) {
	if d.Label == "" {
		l.add(field+".label", "missing")
	}
	if kinds := min(1, len(d.Weights)) + min(1, len(d.Mean)); d.Share == nil && kinds != 1 || d.Share != nil && kinds > 0 {
		l.add(field, "needs weights for the error spans, the scores to take the mean of, or a share of answers, one of the three")
	}
	if d.Share != nil {
		l.checkShare(field+".share", p, *d.Share)
	}
	for _, name := range d.Mean {
		if _, ok := p.Score(name); !ok {
			l.add(field+".mean", "there is no score %q", name)
		}
	}
	if len(d.Weights) > 0 && p.Spans == nil {
		l.add(field+".weights", "there are no error spans to weigh")
	}
	for i, w := range d.Weights {
		l.checkWeight(fmt.Sprintf("%s.weights[%d]", field, i), p.Spans, w)
	}
}

func (l *problemList) checkWeight(field string, m *Marking, w Weight) {
	if key, value, _ := strings.Cut(w.Unless, "="); w.Unless != "" && !slices.Contains(Settings[key], value) {
		l.add(field+".unless", "%q is no campaign setting with its value; write it as key=value, such as source_error=severity", w.Unless)
	}
	if m == nil {
		return
	}
	if _, ok := m.Severity(w.Severity); w.Severity != "" && !ok {
		l.add(field+".severity", "there is no severity %q", w.Severity)
	}
	if w.Category == "" && w.Subcategory != "" {
		l.add(field+".category", "missing; a subcategory belongs to one")
	}
	// A weight of 0 may be for a category that only imported ratings have.
	if _, _, ok := m.Category(w.Category, w.Subcategory); w.Category != "" && !ok && w.Weight != 0 {
		l.add(field+".category", "there is no category %q", strings.TrimSuffix(w.Category+"/"+w.Subcategory, "/"))
	}
}
