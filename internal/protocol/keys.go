package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// checkKeys refuses the first key of a protocol's JSON text that does not exist
// there, or exists twice. What encoding/json says of it has no line, and takes
// keys that differ in case or are given twice.
func checkKeys(text []byte) error {
	k := keys{text, json.NewDecoder(bytes.NewReader(text))}
	return k.value(reflect.TypeFor[Protocol](), "")
}

type keys struct {
	text    []byte // valid JSON
	decoder *json.Decoder
}

// value goes through the next value, which should be of type t; of any, if t is
// nil. What is of another type is left to [json.Unmarshal].
func (k keys) value(t reflect.Type, path string) error {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	token, err := k.decoder.Token()
	if err != nil {
		return err
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

func (k keys) object(t reflect.Type, path string) error {
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
				return k.refuse(path+name, "there is no such field; correct its name, or leave it out")
			}
		}
		if seen[name] {
			return k.refuse(path+name, "is given twice; keep one")
		}
		seen[name] = true
		if err := k.value(of, path+name); err != nil {
			return err
		}
	}
	return nil
}

func (k keys) array(t reflect.Type, path string) error {
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

func (k keys) refuse(path, msg string) error {
	return fmt.Errorf("line %d: %s: %s", lineAt(k.text, k.decoder.InputOffset()), path, msg)
}

// typeOf is the type of the field of a struct that has this JSON name; nil where
// there is none.
func typeOf(t reflect.Type, name string) reflect.Type {
	for f := range t.Fields() {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name && tag != "-" {
			return f.Type
		}
	}
	return nil
}
