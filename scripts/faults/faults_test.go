package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	write := func(text string) []string {
		name := filepath.Join(t.TempDir(), "list.txt")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{name}
	}
	const one = "# about\n\nfault a\nwhat  Two lines.\nfile  x.go\n- \tif x {\n- \t\ty()\n+ \tif !x {\n+\ntest  ./x TestX|TestY\ntest  ./z\nneeds A B\n"
	all, err := read(write(one))
	if err != nil {
		t.Fatal(err)
	}
	f := all[0]
	if f.what != "Two lines." || f.old != "\tif x {\n\t\ty()" || f.new != "\tif !x {\n" ||
		!slices.Equal(f.tests, []tests{{"./x", "TestX|TestY"}, {"./z", ""}}) || !slices.Equal(f.needs, []string{"A", "B"}) {
		t.Errorf("read %+v", f)
	}
	for text, want := range map[string]string{
		one + "fault a\n":                         "no new id",
		"what  Nothing.\n":                        "begins with a line",
		"fault b\nwhy  Because.\n":                `with "why"`,
		strings.Replace(one, "- \tif", "+", 1):    "",
		strings.Replace(one, "test ", "#", 2):     "it needs what",
		strings.Replace(one, "file  x.go", "", 1): "it needs what",
	} {
		if _, err := read(write(text)); err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A fault follows its old text to another file, unless the text stands there more than once.
func TestFind(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{"a.go": "one two", "b.go": "three four four", "c.js": "five"} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree := &tree{top: top, files: []string{"a.go", "b.go", "c.js"}}
	for _, c := range []struct {
		file, old string
		v         verdict
		found     string
	}{
		{"a.go", "two", applies, "a.go"},
		{"a.go", "three", applies, "b.go"},
		{"gone.go", "one", applies, "a.go"},
		{"b.go", "four", outdated, ""},
		{"a.go", "four", outdated, ""},
		{"a.go", "five", outdated, ""},
		{"gone.js", "five", applies, "c.js"},
	} {
		v, found := tree.find(fault{file: c.file, old: c.old})
		if v != c.v || v == applies && found != c.found {
			t.Errorf("%s, %s: %s %s, want %s %s", c.file, c.old, v, found, c.v, c.found)
		}
	}
}

// TestFaultsApply: the code still has the text that each fault of the lists replaces.
func TestFaultsApply(t *testing.T) {
	t.Chdir("../..")
	files, err := filepath.Glob("scripts/faults/list/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lists of faults: %v", err)
	}
	faults, err := read(files)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := openTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tree.close()
	for _, f := range faults {
		if v, why := tree.find(f); v != applies {
			t.Errorf("%s: %s", f.id, why)
		}
	}
}
