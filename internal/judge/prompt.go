package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/rogpeppe/go-internal/txtar"
)

// A Prompt is a text that a method sends. It is a template of text/template, e.g.
// "Translate from {{.source_lang}}."
type Prompt struct {
	Name   string
	Text   string
	Fields []string // the fields that the template may use
}

// values are the fields of a prompt.
type values map[string]string

// with returns a copy with further values.
func (v values) with(more values) values {
	all := values{}
	for _, m := range []values{v, more} {
		for name, text := range m {
			all[name] = text
		}
	}
	return all
}

// segmentFields are the fields that Task.values gives.
var segmentFields = []string{"source_lang", "target_lang", "source", "translation", "reference"}

// sourceFields are those of segmentFields that are about the source.
var sourceFields = []string{"source_lang", "target_lang", "source"}

// fields are those of a segment and others.
func fields(more ...string) []string { return slices.Concat(segmentFields, more) }

// fill fills in a prompt.
func (m Method) fill(name string, v values) (string, error) {
	i := slices.IndexFunc(m.Prompts, func(p Prompt) bool { return p.Name == name })
	if i < 0 {
		return "", fmt.Errorf("the method %s has no prompt %q", m.Name, name)
	}
	return m.Prompts[i].fill(v)
}

func (p Prompt) fill(v values) (string, error) {
	t, err := parse(p.Text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, map[string]string(v)); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

// parsed keeps the templates that were parsed, by their texts.
var parsed sync.Map

func parse(text string) (*template.Template, error) {
	if t, ok := parsed.Load(text); ok {
		return t.(*template.Template), nil
	}
	t, err := template.New("prompt").Option("missingkey=error").Parse(text)
	if err == nil {
		parsed.Store(text, t)
	}
	return t, err
}

// PromptHash identifies the prompts of the method: SHA-256 in hexadecimal of all their names and texts.
func (m Method) PromptHash() string {
	h := sha256.New()
	for _, p := range m.Prompts {
		fmt.Fprintf(h, "%d %s %d %s\n", len(p.Name), p.Name, len(p.Text), p.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// WritePrompts writes the prompts of the method as a file that ReadPrompts reads: before each prompt
// stands a line "-- NAME --".
func (m Method) WritePrompts(w io.Writer) error {
	var a txtar.Archive
	for _, p := range m.Prompts {
		a.Files = append(a.Files, txtar.File{Name: p.Name, Data: []byte(strings.TrimSpace(p.Text) + "\n")})
	}
	_, err := w.Write(txtar.Format(&a))
	return err
}

// ReadPrompts returns the method with the prompts of a file in place of its own. Prompts that the file
// does not name stay. It is an error if the file names a prompt that the method does not have, names
// one twice, or has a template that cannot be filled in.
func (m Method) ReadPrompts(data []byte) (Method, error) {
	a := txtar.Parse(data)
	if len(a.Files) == 0 {
		return m, fmt.Errorf("no prompt found; put a line \"-- NAME --\" before each prompt, with one of the names %s", m.promptNames())
	}
	sum := sha256.Sum256(data)
	m.Prompts, m.PromptFile = slices.Clone(m.Prompts), hex.EncodeToString(sum[:])
	seen := map[string]bool{}
	for _, f := range a.Files {
		i := slices.IndexFunc(m.Prompts, func(p Prompt) bool { return p.Name == f.Name })
		switch {
		case i < 0:
			return m, fmt.Errorf("prompt %q: the method %s has no prompt of this name; its prompts: %s", f.Name, m.Name, m.promptNames())
		case seen[f.Name]:
			return m, fmt.Errorf("prompt %q: it is in the file twice; keep one", f.Name)
		}
		seen[f.Name] = true
		m.Prompts[i].Text = string(f.Data)
		if err := m.Prompts[i].check(); err != nil {
			return m, fmt.Errorf("prompt %q: %w; its fields: %s", f.Name, err, strings.Join(m.Prompts[i].Fields, ", "))
		}
	}
	return m, nil
}

func (m Method) promptNames() string {
	var names []string
	for _, p := range m.Prompts {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// check fills in the prompt, once with every field empty and once with every field set, so that both
// branches of an if are tried.
func (p Prompt) check() error {
	for _, sample := range []string{"", "x"} {
		v := values{}
		for _, name := range p.Fields {
			v[name] = sample
		}
		if p.Name == examplesPrompt {
			if _, err := readExamples(p.Text); err != nil {
				return err
			}
			continue
		}
		if _, err := p.fill(v); err != nil {
			return err
		}
	}
	return nil
}
