package main

import (
	"fmt"
	"os"
	"strings"
)

// A fault is a small mistake that somebody could make in the code.
type fault struct {
	id, what string
	file     string   // where old stood when the fault was written
	old, new string   // old is replaced by new; it stands once in the file
	tests    []tests  // what should notice
	needs    []string // environment variables without which the tests are skipped
}

// tests are those of a package whose names match a pattern; the empty pattern is all of them. A name that
// ends in .js is a file of JavaScript tests.
type tests struct{ pkg, pattern string }

// read reads lists of faults. A fault is a paragraph. Each of its lines begins with a word:
//
//	fault store-lost-error
//	what  Closing the store loses the error of the database.
//	file  internal/store/store.go
//	-     old text, here and in further lines that begin with -
//	+     new text
//	test  ./internal/store TestClose|TestOpen
//	needs ANNOTATE_TEST_POSTGRES
//
// The text of - and + begins after one blank. It may be a part of a line. Lines that begin with # are comments.
func read(files []string) ([]fault, error) {
	var all []fault
	seen := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		first := len(all)
		for i, line := range strings.Split(string(text), "\n") {
			if strings.TrimSpace(line) == "" || line[0] == '#' {
				continue
			}
			word, rest, _ := strings.Cut(line, " ")
			value := strings.TrimSpace(rest)
			if word == "fault" {
				if value == "" || seen[value] {
					return nil, fmt.Errorf("%s:%d: %q is no new id of a fault; give it one of its own", name, i+1, value)
				}
				seen[value] = true
				all = append(all, fault{id: value})
				continue
			}
			if len(all) == first {
				return nil, fmt.Errorf("%s:%d: a fault begins with a line \"fault ID\"", name, i+1)
			}
			f := &all[len(all)-1]
			switch word {
			case "what":
				f.what = value
			case "file":
				f.file = value
			case "-":
				f.old = joinLine(f.old, rest)
			case "+":
				f.new = joinLine(f.new, rest)
			case "test":
				pkg, pattern, _ := strings.Cut(value, " ")
				f.tests = append(f.tests, tests{pkg, strings.TrimSpace(pattern)})
			case "needs":
				f.needs = strings.Fields(value)
			default:
				return nil, fmt.Errorf("%s:%d: a line begins with fault, what, file, -, +, test or needs, and this one with %q", name, i+1, word)
			}
		}
		for _, f := range all[first:] {
			if f.what == "" || f.file == "" || f.old == "" || f.old == f.new || len(f.tests) == 0 {
				return nil, fmt.Errorf("%s: fault %s: it needs what, file, -, + and test, and + says something else than -", name, f.id)
			}
		}
	}
	return all, nil
}

func joinLine(text, line string) string {
	if text == "" {
		return line
	}
	return text + "\n" + line
}
