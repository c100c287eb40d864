package mtme

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
)

// FuzzRead divides any text into the files of a directory. The reader says where a problem is, and yields
// no text that a database refuses.
func FuzzRead(f *testing.F) {
	const cut = "\x1e"
	names := []string{
		"sources/en-de.txt", "documents/en-de.docs", "system-outputs/en-de/A.txt", "system-outputs/en-de/B.jsonl", "references/en-de.r.txt", "human-scores/en-de.esa.seg.score",
		"human-scores/en-de.esa.r1.seg.rating", "human-scores/en-de.esa.r1.seg.score", "metric-scores/en-de/M-r.seg.score", "metric-scores/en-de/M-r.sys.score",
	}
	for _, seed := range []string{
		strings.Join([]string{"one\ntwo\n", "news d\nnone e\n", "eins\n[No translation supplied]\n", "{\"hypothesis\":\"\\ud83d\\ude80\"}\n{}\n", "\nzwei\n", "A 80\nA None\n", "A\t{\"errors\":[{\"start\":0,\"end\":4,\"severity\":\"minor\",\"category\":\"a/b\"}]}\tx\nA\tNone\n", "A 1\nA 2\n", "A 1\nA 2\nB 1e9\nB -0\n", "A 3\nB 4\n"}, cut),
		"one" + cut + cut + "eins" + cut + "{\"hypothesis\":null}" + cut + cut + "A NaN" + cut + "A\t{\"errors\":[],\"errors\":[]}",
		"\ufeffone\r\n" + cut + "a b" + cut + "\xff" + cut + "{" + cut + "x\x00" + cut + cut + "A\t{\"errors\":[{\"start\":9e9,\"end\":-1,\"is_source_error\":1}]}\tr 1\t",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		files := map[string]string{}
		for i, part := range strings.SplitN(text, cut, len(names)) {
			if part != "" {
				files[names[i]] = part
			}
		}
		in := inMemory(files)
		p, _ := protocol.Lookup("esa")
		quiet := true
		var notes ingest.Notes
		for line, err := range Format.Read(in, p, ingest.Options{File: "dir", MaxLine: 1 << 10, Notes: &notes}) {
			quiet = false
			if bad, ok := errors.AsType[*campaign.Problem](err); err != nil && (!ok || bad.File == "" || bad.Msg == "") {
				t.Fatalf("error %v", err)
			}
			if said := fmt.Sprintf("%+v", line); !utf8.ValidString(said) || strings.Contains(said, "\x00") {
				t.Fatalf("text %q was let through", said)
			}
		}
		if quiet && len(notes.List) == 0 {
			t.Fatal("nothing came out, and nothing was said")
		}
		for range Format.SystemScores(in, ingest.Options{File: "dir"}) { //nolint:revive // it must end
		}
	})
}
