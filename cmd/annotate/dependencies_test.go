package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestDependencies keeps the arrows of the README's diagram pointing down: each
// package against the beginnings of the import paths that must not be among
// what it depends on, directly or not.
func TestDependencies(t *testing.T) {
	var (
		database = []string{"gorm.io/", "database/sql", "modernc.org/", "github.com/jackc/", "github.com/pressly/"}
		web      = []string{"github.com/labstack/", "github.com/gorilla/", "github.com/a-h/templ", "net/http"}
		outside  = append(append([]string{}, database...), web...)
		edges    = []string{"annotate/internal/store", "annotate/internal/server", "annotate/internal/transfer", "annotate/internal/config", "annotate/migrations", "annotate/web"}
		ours     = []string{"annotate/"}
	)
	banned := map[string][][]string{
		"annotate/internal/agreement": {ours, outside},
		"annotate/internal/protocol":  {ours, outside},
		"annotate/internal/metaeval":  {ours, outside},
		"annotate/internal/metric":    {ours, outside},
		"annotate/internal/campaign":  {edges, outside, {"annotate/internal/ingest", "annotate/internal/export", "annotate/internal/metaeval", "annotate/internal/metric"}},
		"annotate/internal/ingest":    {edges, outside, {"annotate/internal/export"}},
		"annotate/internal/export":    {edges, outside, {"annotate/internal/ingest"}},
		"annotate/internal/config":    {ours, database, web[:3]},
		"annotate/internal/password":  {ours, outside},
		"annotate/internal/store":     {{"annotate/internal/server", "annotate/internal/transfer", "annotate/internal/ingest", "annotate/internal/export", "annotate/internal/config", "annotate/web"}, web[:3]},
		"annotate/internal/transfer":  {{"annotate/internal/server", "annotate/internal/config", "annotate/web"}, web[:3]},
		"annotate/internal/sample":    {{"annotate/internal/server", "annotate/web"}, web[:3]},
		"annotate/web/templates":      {{"annotate/internal/store", "annotate/internal/server", "annotate/internal/ingest", "annotate/internal/export", "annotate/internal/transfer"}, database, web[:2]},
		"annotate/web":                {{"annotate/internal/store", "annotate/internal/server"}, database, web[:2]},
		"annotate/migrations":         {ours},
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "annotate/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for _, group := range banned[words[0]] {
			for _, prefix := range group {
				for _, dep := range words[1:] {
					if strings.HasPrefix(dep, prefix) && dep != words[0] {
						t.Errorf("%s must not depend on %s", words[0], dep)
					}
				}
			}
		}
	}
}
