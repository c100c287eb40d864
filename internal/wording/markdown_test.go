package wording

import "testing"

func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"NLLB 3.3B":            "NLLB 3.3B",
		"<img src=x>&amp;":     "&lt;img src=x&gt;&amp;amp;",
		"[a](b) *c* _d_ | `e`": `\[a\](b) \*c\* \_d\_ \| ` + "\\`e\\`",
		"a\r\nb\nc":            "a b c",
		`\<`:                   `\\&lt;`,
	} {
		if got := Markdown(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for name, want := range map[string]string{"a<b": "`a<b`", "`<b>": "\\`&lt;b&gt;"} {
		if got := MarkdownCode(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
