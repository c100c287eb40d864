package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestStatisticsHaveExamples checks that each public function of these packages that returns numbers, and each of metaeval, has
// an example, which go test runs and go doc -http shows.
func TestStatisticsHaveExamples(t *testing.T) {
	for _, pkg := range []string{"agreement", "metaeval", "stat"} {
		statistics, examples := map[string]bool{}, map[string]bool{}
		files, err := filepath.Glob("../../internal/" + pkg + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			test := strings.HasSuffix(name, "_test.go")
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				switch {
				case !ok || f.Recv != nil:
				case test && strings.HasPrefix(f.Name.Name, "Example"):
					examples[strings.TrimPrefix(f.Name.Name, "Example")] = true
				case !test && f.Name.IsExported() && (pkg == "metaeval" || returnsNumbers(f)):
					statistics[f.Name.Name] = true
				}
			}
		}
		if len(statistics) < 3 {
			t.Errorf("%s has the statistics %v; the test finds too few", pkg, statistics)
		}
		for name := range statistics {
			if !examples[name] {
				t.Errorf("%s.%s has no example; write Example%s in internal/%s/example_test.go", pkg, name, name, pkg)
			}
		}
	}
}

// returnsNumbers reports whether a result of a function is a float64 or a list of such.
func returnsNumbers(f *ast.FuncDecl) (numbers bool) {
	if f.Type.Results == nil {
		return false
	}
	ast.Inspect(f.Type.Results, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "float64" {
			numbers = true
		}
		return true
	})
	return numbers
}
