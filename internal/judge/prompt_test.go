package judge

import (
	"bytes"
	"strings"
	"testing"
)

func TestPromptsFromAFile(t *testing.T) {
	m, err := Lookup("gemba-mqm")
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.WritePrompts(&file); err != nil {
		t.Fatal(err)
	}
	same, err := m.ReadPrompts(file.Bytes())
	if err != nil {
		t.Fatalf("the file that is written cannot be read: %v", err)
	}
	task := Task{SourceLang: "English", TargetLang: "German", Source: "One.", Translations: []string{"Eins."}}
	call := func(m Method) Call {
		t.Helper()
		x, err := m.Begin(task)
		if err != nil {
			t.Fatal(err)
		}
		calls, _ := x.Next()
		return calls[0]
	}
	if all(call(same)) != all(call(m)) {
		t.Error("the prompts of the written file make another call")
	}

	other, err := m.ReadPrompts([]byte("My prompts.\n-- system --\nYou are strict.\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := call(other)
	if c.Messages[0].Content != "You are strict." || len(c.Messages) != 8 {
		t.Errorf("%+v, want the new system message and all others", c.Messages)
	}
	if other.PromptHash() == m.PromptHash() || len(m.PromptHash()) != 64 {
		t.Errorf("hashes %s and %s", other.PromptHash(), m.PromptHash())
	}
	if again, _ := Lookup("gemba-mqm"); again.PromptHash() != m.PromptHash() {
		t.Error("the method itself has changed")
	}

	for file, want := range map[string]string{
		"no prompts":                                   "no prompt found",
		"-- start --\nx\n":                             `prompt "start": the method gemba-mqm has no prompt of this name; its prompts: system, request, examples`,
		"-- system --\nx\n-- system --\ny\n":           `prompt "system": it is in the file twice`,
		"-- request --\n{{.sorce}}\n":                  "no entry for key \"sorce\"; its fields: source_lang, target_lang, source, translation, reference",
		"-- request --\n{{if .source}}\n":              "unexpected EOF",
		"-- request --\n{{if .source}}{{.x}}{{end}}\n": `no entry for key "x"`,
		"-- examples --\nnone\n":                       "the examples are not a JSON list",
		"-- examples --\n[]\n":                         "there are no examples",
		"-- examples --\n[{\"source\":\"a\"}]\n":       "example 1 lacks a source, a translation or an answer",
	} {
		if _, err := m.ReadPrompts([]byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
}
