package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// citation matches authors with a year, such as "Deutsch et al. (2023)" or "Riezler and Maxwell 2005".
var citation = regexp.MustCompile(`(\p{Lu}[\p{L}'’]+(?: et al\.| and \p{Lu}[\p{L}'’]+)?),? \(?((?:18|19|20)\d\d[ab]?)\b`)

// notAuthors are words before a year that name no author.
var notAuthors = regexp.MustCompile(`^(January|February|March|April|May|June|July|August|September|October|November|December|WMT|ACL|EMNLP|PostgreSQL|RFC|News|The)\b`)

// TestSourcesAreListed checks that docs/sources.md has every source that a comment of the code or a page of the
// documentation names.
func TestSourcesAreListed(t *testing.T) {
	list, err := os.ReadFile("../../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	check := func(name, text string) {
		for _, m := range citation.FindAllStringSubmatch(strings.Join(strings.Fields(text), " "), -1) {
			key := m[1] + " " + m[2]
			if notAuthors.MatchString(key) || found[key] {
				continue
			}
			found[key] = true
			if !strings.Contains(string(list), "**"+key+"**") {
				t.Errorf("%s names the source %q; add it to docs/sources.md", name, key)
			}
		}
	}
	for _, root := range []string{"../../cmd", "../../internal", "../../web", "../../docs"} {
		err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
			ext := filepath.Ext(name)
			if err != nil || ext != ".go" && ext != ".md" || filepath.Base(name) == "sources.md" {
				return err
			}
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text := string(b)
			if ext == ".go" {
				text = comments(text)
			}
			check(name, text)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 30 {
		t.Errorf("found only %d sources", len(found))
	}
}

// comments returns the text of the comments that stand in lines of their own.
func comments(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "//"); ok {
			b.WriteString(text + "\n")
		} else {
			b.WriteString(".\n")
		}
	}
	return b.String()
}
