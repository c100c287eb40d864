package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// checkKeys reads the keys of a protocol's JSON text. encoding/json gives no line, ignores case, accepts
// keys that are given twice, and ends at the first value of a wrong type.
func checkKeys(text []byte) (*keys, error) {
	k := &keys{text: text, decoder: json.NewDecoder(bytes.NewReader(text)), lines: map[string]int{}, counted: 1}
	k.decoder.UseNumber()
	return k, k.value(reflect.TypeFor[Protocol](), "")
}

// keys is what checkKeys finds.
type keys struct {
	text    []byte // valid JSON
	decoder *json.Decoder
	// lines has the line of each field by its path, such as "scores[0].max". The path of the
	// whole text is empty.
	lines    map[string]int
	problems problemList // keys that are not known or given twice, and values of a wrong type
	mistyped bool        // there is a value of a wrong type
	counted  int         // the line of the byte at offset
	offset   int64
	depth    int // how many brackets are open
}

// value checks the next value and its keys. The value should be of type t. If t is nil, it is passed over.
func (k *keys) value(t reflect.Type, path string) error {
	if t == nil {
		return k.decoder.Decode(&json.RawMessage{})
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) { // such as Answer: it knows its form
		return k.decoder.Decode(&json.RawMessage{})
	}
	token, err := k.decoder.Token()
	if err != nil {
		return err
	}
	if _, ok := k.lines[path]; !ok { // a field has the line of its key
		k.lines[path] = k.line()
	}
	if wrong := mistyped(token, t); wrong != "" {
		k.problems.add(path, "%s", wrong)
		k.mistyped, t = true, nil
	}
	if _, nested := token.(json.Delim); nested {
		if k.depth++; k.depth > maxDepth {
			return refuse(
				k.line(), "",
				fmt.Sprintf("brackets are nested more than %d levels deep, which no protocol needs; check that it is the file you mean", maxDepth),
			)
		}
		defer func() { k.depth-- }()
	}
	switch token {
	case json.Delim('{'):
		err = k.object(t, path)
	case json.Delim('['):
		err = k.array(t, path)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	_, err = k.decoder.Token() // the closing bracket
	return err
}

// object checks the keys of an object up to its closing bracket.
func (k *keys) object(t reflect.Type, path string) error {
	if path != "" {
		path += "."
	}
	seen := map[string]bool{}
	for k.decoder.More() {
		token, err := k.decoder.Token()
		if err != nil {
			return err
		}
		name := token.(string)
		var of reflect.Type
		if t != nil && t.Kind() == reflect.Struct {
			if of = typeOf(t, name); of == nil {
				k.problems.add(path+shown(name), "there is no such field; correct its name, or leave it out")
			}
		} else if t != nil && t.Kind() == reflect.Map {
			of = t.Elem()
		}
		if seen[name] {
			k.problems.add(path+shown(name), "is given twice; keep one")
		}
		seen[name] = true
		k.lines[path+shown(name)] = k.line()
		if err := k.value(of, path+shown(name)); err != nil {
			return err
		}
	}
	return nil
}

// array checks the keys of an array up to its closing bracket.
func (k *keys) array(t reflect.Type, path string) error {
	var of reflect.Type
	if t != nil && t.Kind() == reflect.Slice {
		of = t.Elem()
	}
	for i := 0; k.decoder.More(); i++ {
		if err := k.value(of, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// mistyped says what is wrong with the type of a value that begins with a token. It is empty if the value
// has type t or is null.
func mistyped(token json.Token, t reflect.Type) string {
	if t == nil || token == nil {
		return ""
	}
	is := ""
	switch x := token.(type) {
	case json.Delim:
		is = map[json.Delim]string{'{': "object", '[': "array"}[x]
	case string:
		is = "string"
	case bool:
		is = "bool"
	case json.Number:
		is = "number"
		if _, err := strconv.Atoi(x.String()); err != nil && t.Kind() == reflect.Int {
			return wrongType(&json.UnmarshalTypeError{Value: "number " + x.String(), Type: t})
		}
	}
	want, known := map[reflect.Kind]string{
		reflect.Int: "number", reflect.Float64: "number", reflect.String: "string",
		reflect.Bool: "bool", reflect.Slice: "array", reflect.Struct: "object",
	}[t.Kind()]
	if !known || is == want {
		return ""
	}
	return wrongType(&json.UnmarshalTypeError{Value: is, Type: t})
}

// line is the line of the last token.
func (k *keys) line() int {
	now := k.decoder.InputOffset()
	k.counted += bytes.Count(k.text[k.offset:now], []byte("\n"))
	k.offset = now
	return k.counted
}

// typeOf is the type of the struct field with a JSON name; nil if there is none.
func typeOf(t reflect.Type, name string) reflect.Type {
	for f := range t.Fields() {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name && tag != "-" {
			return f.Type
		}
	}
	return nil
}
