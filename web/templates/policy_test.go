package templates

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// raw are the templates that write HTML as it is: what a person wrote in Markdown, which internal/markdown made safe,
// and what the program draws.
var raw = []string{"annotating/guide.templ", "annotating/instructions.templ", "training/training.templ", "monitoring/report.templ"}

// TestTemplatesKeepThePolicy: no template has a style or a script that the content security policy blocks, and only
// those of raw write HTML as it is. templ escapes everything else.
func TestTemplatesKeepThePolicy(t *testing.T) {
	blocked := regexp.MustCompile(`\s(style|on[a-z]+)=|<script( type="module")?>|<script>|\bjavascript:`)
	files, err := fs.Glob(os.DirFS("."), "*/*.templ")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	own, _ := fs.Glob(os.DirFS("."), "*.templ")
	for _, file := range append(files, own...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := blocked.FindString(string(text)); found != "" {
			t.Errorf("%s has %q, which the policy blocks", file, found)
		}
		if strings.Contains(string(text), "templ.Raw(") != slices.Contains(raw, file) {
			t.Errorf("%s is wrongly among those that write HTML as it is, or not among them", file)
		}
	}
}
