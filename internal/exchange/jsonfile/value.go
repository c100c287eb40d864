package jsonfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/ingest"
)

// Limits on a value, which bound time and memory.
const (
	maxDepth  = 200
	maxValues = 1 << 20 // values in a value
)

// A Value is a JSON value, with the place where it begins.
type Value struct {
	Kind  byte   // one of { [ " t f n, or 0 for a number. The zero Value has the kind n
	Text  string // of a string, decoded; of a number, as it is written
	Line  int
	Keys  []string // of an object, in the order of the file
	Elems []Value  // of an object or an array
}

// Key returns the value of a key of an object. It is null if v is no object or does not have the key.
func (v Value) Key(name string) Value {
	for i, key := range v.Keys {
		if key == name {
			return v.Elems[i]
		}
	}
	return Value{Kind: 'n', Line: v.Line}
}

// Has reports whether an object has a key whose value is not null.
func (v Value) Has(name string) bool { return !v.Key(name).IsNull() }

// IsNull reports whether a value is null or absent.
func (v Value) IsNull() bool { return v.Kind == 'n' || v.Kind == 0 }

// KindName names the type of a value for messages.
func (v Value) KindName() string { return ingest.KindName(cmp.Or(v.Kind, 'n')) }

// Parse reads a text that is exactly one JSON value. It also refuses keys that occur twice, U+0000, and half
// of a surrogate pair.
func Parse(text []byte, file string, line int) (Value, *campaign.Problem) {
	p := parser{text: text, file: file, line: line}
	if i := codepoint.Invalid(text); i >= 0 {
		return Value{}, p.problem(i, "UTF-8", "byte 0x%02X is not UTF-8; save the file as UTF-8", text[i])
	}
	var raw json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		at := len(text)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = min(max(int(syntax.Offset)-1, 0), len(text))
		}
		if bytes.Contains(text[at:min(at+9, len(text))], []byte("NaN")) || bytes.Contains(text[at:min(at+9, len(text))], []byte("Infinity")) {
			return Value{}, p.problem(at, "JSON", "not JSON: there is no NaN or Infinity; write null or leave the key out")
		}
		return Value{}, p.problem(at, "JSON", "not JSON: %v; correct it, or save the file again", err)
	}
	v := p.value(0)
	return v, p.bad
}

// A parser walks through a text that is known to be JSON.
type parser struct {
	text []byte
	pos  int
	file string
	line int // of the text
	seen int // the offset up to which lines are counted
	n    int // number of values
	bad  *campaign.Problem
}

// problem returns a problem at an offset.
func (p *parser) problem(at int, kind, format string, args ...any) *campaign.Problem {
	before := p.text[:at]
	last := bytes.LastIndexByte(before, '\n') + 1
	line := p.line
	if at >= p.seen {
		line += bytes.Count(p.text[p.seen:at], []byte("\n"))
	}
	return &campaign.Problem{File: p.file, Line: line, Column: utf8.RuneCount(before[last:]) + 1, Kind: kind,
		Msg: fmt.Sprintf(format, args...)}
}

func (p *parser) refuse(at int, field, format string, args ...any) {
	if p.bad == nil {
		p.bad = p.problem(at, "", format, args...)
		p.bad.Field = field
	}
}

// next skips white space, commas and colons, and counts lines.
func (p *parser) next() byte {
	for bytes.IndexByte([]byte(" \t\r\n,:"), p.text[p.pos]) >= 0 {
		p.pos++
	}
	p.line += bytes.Count(p.text[p.seen:p.pos], []byte("\n"))
	p.seen = p.pos
	return p.text[p.pos]
}

func (p *parser) value(depth int) Value {
	v := Value{Kind: p.next()}
	v.Line = p.line
	if p.n++; p.n > maxValues {
		p.refuse(p.pos, "", "there are more than %d values in one object, the most that is read; divide it", maxValues)
	}
	if depth > maxDepth {
		p.refuse(p.pos, "", "there are more than %d levels of nesting; correct it", maxDepth)
	}
	if p.bad != nil {
		p.pos = len(p.text)
		return v
	}
	switch v.Kind {
	case '{', '[':
		p.list(&v, depth)
	case '"':
		v.Text = p.str()
	default:
		start := p.pos
		for p.pos < len(p.text) && bytes.IndexByte([]byte(" \t\r\n,:]}"), p.text[p.pos]) < 0 {
			p.pos++
		}
		if v.Kind == '-' || '0' <= v.Kind && v.Kind <= '9' {
			v.Kind, v.Text = '0', string(p.text[start:p.pos])
		}
	}
	return v
}

// list reads the elements of an array or the members of an object.
func (p *parser) list(v *Value, depth int) {
	p.pos++
	keys := map[string]bool{}
	for p.bad == nil {
		if c := p.next(); c == ']' || c == '}' {
			p.pos++
			return
		}
		if v.Kind == '{' {
			at := p.pos
			key := p.str()
			if keys[key] {
				p.refuse(at, key, "given twice; keep one")
			}
			keys[key] = true
			v.Keys = append(v.Keys, key)
		}
		v.Elems = append(v.Elems, p.value(depth+1))
	}
}

// str decodes a string.
func (p *parser) str() string {
	start := p.pos
	p.pos++
	for p.text[p.pos] != '"' {
		if p.text[p.pos] == '\\' {
			p.pos++
		}
		p.pos++
	}
	p.pos++
	s, at, msg := ingest.UnquoteJSON(p.text[start:p.pos])
	if msg != "" {
		p.refuse(start+at, "", "%s", msg)
	}
	return s
}

// Problem returns a problem with the value of a field.
func (v Value) Problem(file, field, format string, args ...any) *campaign.Problem {
	return &campaign.Problem{File: file, Line: v.Line, Field: field, Msg: fmt.Sprintf(format, args...)}
}

// Encode writes a value as JSON and does not escape <, > and &.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
