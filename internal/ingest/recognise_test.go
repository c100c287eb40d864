package ingest

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/format"
)

// TestRecognise: the example of each format is recognised, by its name where only that tells.
func TestRecognise(t *testing.T) {
	inputs := slices.DeleteFunc(format.Inputs(nil), func(f format.Format) bool { // of others packages below exchange know the looks
		return !slices.ContainsFunc(looks, func(l look) bool { return l.format == f.ID })
	})
	all := format.IDs(inputs)
	names := map[string]string{format.References: "refA.txt", format.Scores: "BLEU-refA.seg.score"}
	for _, f := range inputs {
		lines := strings.Split(f.Input.Example(nil), "\n")
		if got, p := Recognise([]byte(strings.Join(lines[:min(2, len(lines))], "\n")+"\n"), names[f.ID], all); got != f.ID {
			t.Errorf("%s is recognised as %q: %v", f.ID, got, p)
		}
		if last := lines[len(lines)-1]; last[0] == '{' { // score files and references have lines of JSON, too
			if got, p := Recognise([]byte("\ufeff"+last+"\n"), "x.jsonl", all); got != f.ID {
				t.Errorf("a line of %s is recognised as %q: %v", f.ID, got, p)
			}
		}
	}
	// A line with a source is a segment, whether or not it has translations.
	for _, reference := range []string{`"references": {"ref": "…"}`, `"reference": "…"`} {
		if got, p := Recognise([]byte(`{"segment_id": "s1", "source": "…", `+reference+"}\n"), "x.jsonl", all); got != format.JSONL {
			t.Errorf("a segment with %s is recognised as %q: %v", reference, got, p)
		}
	}
	for text, want := range map[string]string{
		"":                      "the file is empty",
		"A line.\nAnother.\n":   "is plain text, and is in none of the formats jsonl",
		`{"x": 1}` + "\n":       "in none of the formats",
		"%PDF-1.4":              "is a PDF, and",
		`{"source": "s", "src"`: "several formats",
	} {
		if got, p := Recognise([]byte(text), "x", all); p == nil || !strings.Contains(p.Error(), want) {
			t.Errorf("%q is recognised as %q: %v, want %s", text, got, p, want)
		}
	}
}
