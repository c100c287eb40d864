package jsonfile

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

var texts = []string{
	`{}`, `[]`, `null`, `true`, `-1.5e3`, `"a"`, ` {"a" : [ 1 , {"b":null} ], "c":"\"\\\u00e9\ud83d\ude42"} `, "{\n\"a\":\n[\n1,\n2\n]}",
	``, `{`, `[1`, `"a`, `{"a":1,"a":2}`, `{"a":"\ud800"}`, `["\ud800\u0041"]`, `["\udc00"]`, `["\u0000"]`, `[NaN]`, `{"a":Infinity}`, "[\"\xff\"]", `[1] x`, `[01]`,
	strings.Repeat("[", 300) + strings.Repeat("]", 300),
}

// Values of a file are what encoding/json makes of them.
func TestValue(t *testing.T) {
	v, p := Parse([]byte(texts[6]), "f", 3)
	if p != nil {
		t.Fatal(p)
	}
	if got := v.Key("c").Text; got != "\"\\é🙂" {
		t.Errorf("got %q", got)
	}
	if a := v.Key("a"); a.Elems[0].Text != "1" || !a.Elems[1].Key("b").IsNull() || a.Elems[1].Has("x") {
		t.Errorf("got %+v", a)
	}
	v, _ = Parse([]byte(texts[7]), "f", 3)
	if got := v.Key("a").Elems[1].Line; got != 7 {
		t.Errorf("line %d, want 7", got)
	}
}

// What cannot be used is refused at its place.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"a\":1,\n\"a\":2}": `f:3:1: a: given twice; keep one`,
		"[\n\"\\ud800\"]":       `f:2:2: \ud800 is half of a surrogate pair, not a character; write the character itself, or both halves`,
		`["\u0000"]`:            `f:1:3: \u0000 is not a character of a text; remove it`,
		"[1,\nNaN]":             `f:2:1: not JSON: there is no NaN or Infinity; write null or leave the key out`,
		"[\n\"\xff\"]":          `f:2:2: byte 0xFF is not UTF-8; save the file as UTF-8`,
		"[1":                    `f:1: not JSON: the file ends in the middle; check that it is complete, and get it again`,
		texts[len(texts)-1]:     `f:1:202: there are more than 200 levels of nesting; correct it`,
	} {
		_, err := NewReader(strings.NewReader(text), "f", 0).Value()
		if err == nil || err.Error() != want {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
	if _, err := NewReader(strings.NewReader(`[1,2,3,4]`), "f", 8).Value(); err == nil || !strings.Contains(err.Error(), "longer than 8 bytes") {
		t.Errorf("a long value: %v", err)
	}
	lines := NewReader(strings.NewReader("[1,2,3,4]\n\n[1]\n{"), "f", 8)
	if _, err := lines.Next(); err == nil || !strings.Contains(err.Error(), "f:1: the line is longer than 8 bytes") {
		t.Errorf("a long line: %v", err)
	}
	if v, err := lines.Next(); err != nil || v.Line != 3 {
		t.Errorf("the next line: %+v, %v", v, err)
	}
	if _, err := lines.Next(); err == nil || !strings.HasPrefix(err.Error(), "f:4:") {
		t.Errorf("the last line: %v", err)
	}
	if _, err := lines.Next(); err != io.EOF {
		t.Errorf("the end: %v", err)
	}
}

// A file is walked through without keeping more than a value.
func TestWalk(t *testing.T) {
	r := NewReader(strings.NewReader("\ufeff{\"skip\":[[\"]\\\"\"],{}],\n\"n\":1,\"list\":[\"a\",\n2] }\n"), "f", 10)
	var got []string
	err := r.Members(func(key string) error {
		if key != "list" {
			return r.Skip()
		}
		return r.Elements(func() error {
			v, err := r.Value()
			got = append(got, v.Text)
			return err
		})
	})
	if err == nil {
		err = r.End()
	}
	if err != nil || strings.Join(got, " ") != "a 2" || r.Line() != 4 {
		t.Errorf("got %q, %v, line %d", got, err, r.Line())
	}
}

// FuzzParse accepts only what encoding/json accepts, and reads the same strings.
func FuzzParse(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, p := Parse(text, "f", 1)
		if p != nil {
			return
		}
		var want any
		in := json.NewDecoder(bytes.NewReader(text))
		in.UseNumber() // a number too large for float64 is valid JSON; reading it as a number fails later
		if err := in.Decode(&want); err != nil || in.More() {
			t.Fatalf("accepted %q: %v", text, err)
		}
		if s, ok := want.(string); ok && s != v.Text {
			t.Fatalf("%q is %q", text, v.Text)
		}
		if read, err := NewReader(strings.NewReader(string(text)), "f", 0).Value(); err != nil || read.Kind != v.Kind {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
