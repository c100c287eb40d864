package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An object is a JSON object whose keys are compared without case, blanks, hyphens and underscores.
type object map[string]any

// get returns the value of a key.
func (o object) get(name string) (any, bool) {
	if v, ok := o[name]; ok {
		return v, true
	}
	for k, v := range o {
		if letters(k) == letters(name) {
			return v, true
		}
	}
	return nil, false
}

// text returns the text of a key; a number is written as text. It is empty if the key is missing, null
// or holds a list or an object.
func (o object) text(name string) string {
	switch v, _ := o.get(name); v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// truth reads a yes or no: true and false, also as words.
func (o object) truth(name string) (bool, error) {
	v, ok := o.get(name)
	if !ok {
		return false, fmt.Errorf("%q is missing", name)
	}
	switch v := v.(type) {
	case bool:
		return v, nil
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true", "yes":
			return true, nil
		case "false", "no":
			return false, nil
		}
	}
	return false, fmt.Errorf("%q is neither true nor false", name)
}

// asObject returns a value as an object.
func asObject(v any) (object, bool) {
	m, ok := v.(map[string]any)
	return m, ok
}

// lastObject returns the last complete JSON object of a reply.
func lastObject(reply string) (object, bool) {
	v, ok := lastJSON(reply, func(v any) bool { _, ok := asObject(v); return ok })
	if !ok {
		return nil, false
	}
	return asObject(v)
}

// lastJSON returns the last complete JSON object or list of a reply that is wanted.
func lastJSON(reply string, wanted func(any) bool) (last any, found bool) {
	for _, j := range allJSON(reply) {
		if wanted(j.value) {
			last, found = j.value, true
		}
	}
	return last, found
}

// A jsonValue is a JSON object or list in a reply: the bytes [start, end).
type jsonValue struct {
	value      any
	start, end int
}

// allJSON returns the complete JSON objects and lists of a reply, in order. Prose around them, fences,
// single quotation marks, trailing commas and the words True, False and None are forgiven. A value within
// another one is not taken on its own. A value that is cut by the end of the reply ends the list.
func allJSON(reply string) (all []jsonValue) {
	for i := 0; i < len(reply); {
		if reply[i] != '{' && reply[i] != '[' {
			i++
			continue
		}
		p := jsonReader{text: reply, at: i}
		v, err := p.value(0)
		switch {
		case errors.Is(err, errCut):
			return all
		case err != nil:
			i++
			continue
		}
		all = append(all, jsonValue{v, i, p.at})
		i = p.at
	}
	return all
}

// errCut says that a reply ends within a JSON value.
var errCut = errors.New("the JSON is not complete")

// A jsonReader reads JSON as models write it.
type jsonReader struct {
	text string
	at   int
}

// deepest is how deep values may be nested.
const deepest = 50

func (p *jsonReader) value(depth int) (any, error) {
	if depth > deepest {
		return nil, errors.New("the JSON is nested too deeply")
	}
	switch c := p.peek(); c {
	case 0:
		return nil, errCut
	case '{':
		return p.object(depth)
	case '[':
		return p.list(depth)
	case '"', '\'':
		return p.quoted(c)
	default:
		return p.word()
	}
}

func (p *jsonReader) object(depth int) (any, error) {
	o := map[string]any{}
	p.at++
	for {
		switch c := p.peek(); c {
		case 0:
			return nil, errCut
		case '}':
			p.at++
			return o, nil
		case '"', '\'':
			k, err := p.quoted(c)
			if err != nil {
				return nil, err
			}
			if err := p.take(':'); err != nil {
				return nil, err
			}
			v, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			o[k] = v
		default:
			return nil, fmt.Errorf("a key cannot begin with %q", c)
		}
		if err := p.comma('}'); err != nil {
			return nil, err
		}
	}
}

func (p *jsonReader) list(depth int) (any, error) {
	list := []any{}
	p.at++
	for {
		switch p.peek() {
		case 0:
			return nil, errCut
		case ']':
			p.at++
			return list, nil
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if err := p.comma(']'); err != nil {
			return nil, err
		}
	}
}

// comma takes the comma after a value, which may be missing or stand before the closing bracket.
func (p *jsonReader) comma(closing byte) error {
	switch c := p.peek(); c {
	case 0:
		return errCut
	case ',':
		p.at++
	case closing:
	default:
		return fmt.Errorf("a comma or %q is expected, not %q", closing, c)
	}
	return nil
}

func (p *jsonReader) take(want byte) error {
	switch c := p.peek(); c {
	case want:
		p.at++
		return nil
	case 0:
		return errCut
	default:
		return fmt.Errorf("%q is expected, not %q", want, c)
	}
}

// quoted reads a text between quotation marks. Within single ones an apostrophe between letters does not
// end the text.
func (p *jsonReader) quoted(mark byte) (string, error) {
	p.at++
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		case c == mark && !(mark == '\'' && p.apostrophe()):
			p.at++
			return b.String(), nil
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	return "", errCut
}

// apostrophe says that the single quotation mark here stands between two letters.
func (p *jsonReader) apostrophe() bool {
	letter := func(c byte) bool { return c >= utf8.RuneSelf || letters(string(rune(c))) != "" }
	return p.at > 0 && p.at+1 < len(p.text) && letter(p.text[p.at-1]) && letter(p.text[p.at+1])
}

// escape reads an escape of JSON. An unknown one stands for the character after the backslash.
func (p *jsonReader) escape(b *strings.Builder) error {
	if p.at+1 >= len(p.text) {
		return errCut
	}
	n := 2
	if p.text[p.at+1] == 'u' {
		n = 6
		// The second half of a surrogate pair belongs to the same character.
		if rest := p.text[p.at:]; len(rest) >= 12 && strings.ContainsAny(rest[2:3], "dD") && strings.ContainsAny(rest[3:4], "89abAB") && rest[6:8] == `\u` {
			n = 12
		}
	}
	if p.at+n > len(p.text) {
		return errCut
	}
	raw := p.text[p.at : p.at+n]
	p.at += n
	var s string
	if json.Unmarshal([]byte(`"`+raw+`"`), &s) != nil {
		s = raw[1:]
	}
	b.WriteString(s)
	return nil
}

// word reads a number, or true, false and null in the spelling of JSON or of Python.
func (p *jsonReader) word() (any, error) {
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(" \t\r\n,:]}[{\"'", rune(p.text[p.at])) {
		p.at++
	}
	if p.at == len(p.text) {
		return nil, errCut
	}
	switch w := p.text[start:p.at]; w {
	case "true", "True":
		return true, nil
	case "false", "False":
		return false, nil
	case "null", "None":
		return nil, nil
	default:
		n, err := strconv.ParseFloat(w, 64)
		if err != nil || n-n != 0 || strings.ContainsAny(w, "xXpP_") {
			return nil, fmt.Errorf("%s is no JSON value", excerpt(w))
		}
		return n, nil
	}
}

// peek returns the next byte that is not blank, or 0 at the end.
func (p *jsonReader) peek() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}
