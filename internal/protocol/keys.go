package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// checkKeys returns the line of each field of a protocol's JSON text, by its path such as
// "scores[0].max". The path of the whole text is empty. For a key that is not known, or is given twice,
// it returns a *[ReadError]. encoding/json gives no line, ignores case and accepts keys that are given
// twice.
func checkKeys(text []byte) (map[string]int, error) {
	k := keys{text: text, decoder: json.NewDecoder(bytes.NewReader(text)), lines: map[string]int{}, counted: 1}
	err := k.value(reflect.TypeFor[Protocol](), "")
	return k.lines, err
}

// keys is the state of checkKeys.
type keys struct {
	text    []byte // valid JSON
	decoder *json.Decoder
	lines   map[string]int // by path
	counted int            // the line of the byte at offset
	offset  int64
}

// value checks the keys of the next value, which should be of type t, or of any type if t is nil. It
// leaves values of a wrong type to [json.Unmarshal].
func (k *keys) value(t reflect.Type, path string) error {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	token, err := k.decoder.Token()
	if err != nil {
		return err
	}
	if _, ok := k.lines[path]; !ok { // a field has the line of its key
		k.lines[path] = k.line()
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
				return refuse(k.line(), path+name, "there is no such field; correct its name, or leave it out")
			}
		}
		if seen[name] {
			return refuse(k.line(), path+name, "is given twice; keep one")
		}
		seen[name] = true
		k.lines[path+name] = k.line()
		if err := k.value(of, path+name); err != nil {
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
