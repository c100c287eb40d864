package ingest

import (
	"strings"
	"testing"
)

// One line of each format, as people have them.
var looksLines = map[string]string{
	"jsonl":       `{"doc_id": "d", "segment_id": "1", "source": "a", "references": {"ref": "b"}, "translations": {"A": "b"}}`,
	"ment":        `{"qid": "1", "src": "a", "ref": "b", "trans_0": "b", "trans_1": "c"}`,
	"ratings":     `{"segment_id": "1", "system": "A", "annotator": "lin", "spans": [], "scores": {"score": 3}}`,
	"suggestions": `{"segment_id": "1", "system": "A", "spans": []}`,
	"judgements":  `{"judge": "j", "segment_id": "1", "system": "A", "score": 3, "spans": [], "scores": {"a": 1}}`,
	"scores":      `{"metric": "m", "system": "A", "segment_id": "1", "score": 0.5}`,
	"references":  `{"segment_id": "1", "references": {"ref": "b"}}`,
	"mqm-tsv":     "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity",
}

// A file in another format gives one problem that names the format, not one for each line.
func TestLooksLike(t *testing.T) {
	read := func(format, text string) (problems []string) {
		for _, p := range problemsOf(t, format, text, Options{File: "f"}) {
			problems = append(problems, p.Error())
		}
		return problems
	}
	for format := range looksLines {
		for given, line := range looksLines {
			got := read(format, "\n"+line+"\n"+line+"\n")
			if format == given || format == "references" && given == "jsonl" { // references beside texts are taken from there
				if strings.Contains(strings.Join(got, "\n"), "looks like") {
					t.Errorf("%s read as %s: %q", given, format, got)
				}
				continue
			}
			if len(got) != 1 || !strings.HasPrefix(got[0], "f:2") || !strings.Contains(got[0], "format: this looks like "+given+"; choose the format "+given+" (--format "+given) {
				t.Errorf("%s read as %s: %q", given, format, got)
			}
		}
		// A file in no known format gives a problem for each line.
		if got := read(format, "{\"x\": 1}\n{\"x\": 1}\n"); strings.Contains(strings.Join(got, "\n"), "looks like") {
			t.Errorf("an unknown object read as %s: %q", format, got)
		}
	}
}
