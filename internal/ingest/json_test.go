package ingest

import (
	"encoding/json"
	"strings"
	"testing"
)

var jsonTexts = []string{
	`{}`, ` { } `, `[]`, `[ ]`, `null`, `true`, `false`, `0`, `-0`, `1.5`, `-1e3`, `1E+10`, `1e-7`, `""`, `"a"`, "\t{\"a\" : [ 1 , 2 ] }\r",
	`{"a":{"b":[{}, [], "", null]}}`, `"\"\\\/\b\f\n\r\t\u0041"`, `"\ud83d\ude42"`, `"\ud800"`, `"\u0000"`, `"` + "\u2028\U0001F642\u00e9" + `"`,
	``, ` `, `{`, `}`, `[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,"a":1}`, `{a:1}`, `{'a':1}`, `{1:1}`, `{"a" 1}`, `{"a":1 "b":2}`,
	`01`, `-`, `-a`, `+1`, `.5`, `1.`, `1.e3`, `1e`, `1e+`, `0x10`, `1 2`, `{} {}`, `nul`, `nulll`, `True`, `NaN`, `Infinity`, `-Infinity`,
	`"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12G4"`, `"\u"`, "\"a\tb\"", "\"a\x00b\"", "\"a\x1fb\"", `"a" b`, `//`, `{"a":1} // b`, "\ufeff{}", "{\u00a0}",
}

// scan accepts exactly the texts that encoding/json accepts.
func TestScan(t *testing.T) {
	for _, text := range jsonTexts {
		_, err := scanJSON([]byte(text))
		if got, want := err == nil, json.Valid([]byte(text)); got != want {
			t.Errorf("%q: valid is %v (%+v), want %v", text, got, err, want)
		}
	}
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	if _, err := scanJSON([]byte(deep)); err != nil {
		t.Errorf("%d levels: %+v", maxDepth, err)
	}
	if _, err := scanJSON([]byte("[" + deep + "]")); err == nil || err.At != maxDepth {
		t.Errorf("%d levels: got %+v", maxDepth+1, err)
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := scanJSON(text)
		if err != nil {
			if err.At < 0 || err.At > len(text) {
				t.Fatalf("place %d in %d bytes", err.At, len(text))
			}
			if json.Valid(text) && !strings.Contains(err.Msg, "levels of nesting") {
				t.Fatalf("refused %q: %+v", text, err)
			}
			return
		}
		if !json.Valid(text) {
			t.Fatalf("accepted %q", text)
		}
		switch jsonKind(text, v) {
		case '{':
			for key, val := range jsonMembers(text, v) {
				if !json.Valid(text[key.Start:key.End]) || !json.Valid(text[val.Start:val.End]) {
					t.Fatalf("%q has member %q: %q", text, text[key.Start:key.End], text[val.Start:val.End])
				}
			}
		case '[':
			n := 0
			for e := range jsonElements(text, v) {
				n++
				if !json.Valid(text[e.Start:e.End]) {
					t.Fatalf("%q has element %q", text, text[e.Start:e.End])
				}
			}
			var want []json.RawMessage
			if json.Unmarshal(text, &want); n != len(want) {
				t.Fatalf("%q has %d elements, want %d", text, n, len(want))
			}
		case '"':
			var want string
			if json.Unmarshal(text, &want) != nil {
				return
			}
			// encoding/json writes U+FFFD for what is not UTF-8, which our
			// callers have refused before.
			got, bad := unquoteJSON(text[v.Start:v.End])
			if strings.ToValidUTF8(got, "\ufffd") != strings.ToValidUTF8(want, "\ufffd") && !strings.ContainsRune(want, '\ufffd') {
				t.Fatalf("%q: got %q, want %q", text, got, want)
			}
			if bad == nil && strings.Contains(got, "\x00") {
				t.Fatalf("%q: U+0000 was let through", text)
			}
		}
	})
}

func TestUnquote(t *testing.T) {
	tests := []struct {
		name, quoted, want string
		at                 int // of the error; 0: none
	}{
		{"plain", `"a é 🙂"`, "a é 🙂", 0},
		{"every escape", `"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", 0},
		{"hexadecimal of either case", `"\u00e9\u00E9"`, "éé", 0},
		{"surrogate pair", `"<\ud83d\ude42>"`, "<🙂>", 0},
		{"surrogate pair, capitals", `"\uD83D\uDE42"`, "🙂", 0},
		{"highest character", `"\udbff\udfff"`, "\U0010FFFF", 0},
		{"U+FFFD itself is a character", `"\ufffd"`, "\ufffd", 0},
		{"high half alone", `"ab\ud800"`, "ab\ufffd", 3},
		{"low half alone", `"\udc00x"`, "\ufffdx", 1},
		{"halves in the wrong order", `"\ude42\ud83d"`, "\ufffd\ufffd", 1},
		{"two high halves and a low one", `"\ud83d\ud83d\ude42"`, "\ufffd🙂", 1},
		{"high half before another escape", `"\ud83d\n"`, "\ufffd\n", 1},
		{"high half before a character", `"\ud83d` + "é" + `"`, "\ufffdé", 1},
		{"U+0000", `"é\u0000"`, "é\x00", 3},
		{"the first of two errors", `"\u0000\ud800"`, "\x00\ufffd", 1},
		{"a backslash and then u0000", `"\\u0000"`, `\u0000`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, bad := unquoteJSON([]byte(tt.quoted))
			at := 0
			if bad != nil {
				at = bad.At
			}
			if got != tt.want || at != tt.at {
				t.Errorf("got %q, error at %d; want %q, at %d", got, at, tt.want, tt.at)
			}
		})
	}
}
