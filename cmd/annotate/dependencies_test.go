package main

import (
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pageGroups are the packages of pages below web/templates.
var pageGroups = []string{"account", "annotating", "monitoring", "segments", "setup", "training"}

// handlerGroups are the packages of handlers below internal/server.
var handlerGroups = append([]string{"results"}, pageGroups...)

// roomArrows has the packages that store data, with those of them that each may import.
var roomArrows = map[string][]string{
	"annotate/internal/database":      {},
	"annotate/internal/records":       {"database"},
	"annotate/internal/secrets":       {"database"},
	"annotate/internal/outbox":        {"database", "records", "secrets"},
	"annotate/internal/rounds":        {"database", "records", "outbox"},
	"annotate/internal/accounts":      {"database", "records", "rounds", "secrets", "outbox"},
	"annotate/internal/qualification": {"database", "records", "rounds"},
	"annotate/internal/work":          {"database", "records", "rounds", "qualification", "outbox"},
	"annotate/internal/desk":          {"database", "records", "rounds", "accounts", "work"},
	"annotate/internal/intake":        {"database", "records", "rounds", "accounts", "work", "desk", "outbox"},
	"annotate/internal/judgeruns":     {"database", "records", "desk", "outbox"},
	"annotate/internal/jobs":          {"database"},
	"annotate/internal/store":         {"database", "records", "rounds", "accounts", "qualification", "work", "desk", "intake", "judgeruns", "jobs", "outbox", "secrets"},
}

// TestRoomArrows checks that the packages that store data import no others of them than roomArrows allows, and that
// each of these arrows is still needed.
func TestRoomArrows(t *testing.T) {
	imports := goList(t, "{{.Imports}}")
	for room, allowed := range roomArrows {
		var got []string
		for _, dep := range imports[room] {
			if _, ok := roomArrows[dep]; ok {
				got = append(got, strings.TrimPrefix(dep, "annotate/internal/"))
			}
		}
		if want := slices.Sorted(slices.Values(allowed)); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%s imports the rooms %v, want %v", room, got, want)
		}
	}
}

// TestDependencies checks the arrows of the diagram in docs/architecture.md. For each package it lists
// prefixes of import paths that the package must not depend on, directly or indirectly.
func TestDependencies(t *testing.T) {
	var (
		database = []string{"gorm.io/", "database/sql", "modernc.org/", "github.com/jackc/", "github.com/pressly/"}
		web      = []string{"github.com/labstack/", "github.com/gorilla/", "github.com/a-h/templ", "net/http"}
		outside  = append(append([]string{}, database...), web...)
		rooms    = slices.Collect(maps.Keys(roomArrows))
		edges    = append([]string{"annotate/internal/command", "annotate/internal/server", "annotate/internal/transfer", "annotate/migrations", "annotate/web"}, rooms...)
		ours     = []string{"annotate/"}
	)
	banned := map[string][][]string{
		"annotate/internal/agreement":  {ours, outside},
		"annotate/internal/stat":       {ours, outside},
		"annotate/internal/spool":      {ours, outside},
		"annotate/internal/readmodel":  {edges, outside, {"annotate/internal/ingest", "annotate/internal/export"}},
		"annotate/internal/parallel":   {ours, outside},
		"annotate/internal/chart":      {edges, outside, {"annotate/internal/report", "annotate/internal/campaign", "annotate/internal/protocol"}},
		"annotate/internal/format":     {edges, outside, {"annotate/internal/ingest", "annotate/internal/export", "annotate/internal/campaign"}},
		"annotate/internal/wording":    {edges, outside},
		"annotate/internal/metric":     {ours, outside},
		"annotate/internal/metaeval":   {ours, outside},
		"annotate/internal/codepoint":  {ours, outside},
		"annotate/internal/protocol":   {edges, outside, {"annotate/internal/campaign", "annotate/internal/agreement", "annotate/internal/ingest", "annotate/internal/export"}},
		"annotate/internal/campaign":   {edges, outside, {"annotate/internal/plan", "annotate/internal/ingest", "annotate/internal/export"}},
		"annotate/internal/plan":       {edges, outside, {"annotate/internal/ingest", "annotate/internal/export", "annotate/internal/judge"}},
		"annotate/internal/ingest":     {edges, outside, {"annotate/internal/export"}},
		"annotate/internal/export":     {edges, outside, {"annotate/internal/ingest"}},
		"annotate/internal/exchange":   {edges, outside, {"annotate/internal/export"}},
		"annotate/internal/provider":   {ours, database, web[:3]},
		"annotate/internal/judge":      {edges, outside, {"annotate/internal/protocol", "annotate/internal/campaign", "annotate/internal/agreement", "annotate/internal/ingest", "annotate/internal/export"}},
		"annotate/internal/command":    {{"annotate/internal/server", "annotate/internal/transfer"}, web[:2]},
		"annotate/internal/api":        {{"annotate/internal/server", "annotate/internal/command", "annotate/web"}, web[:3]},
		"annotate/internal/transfer":   {{"annotate/internal/server", "annotate/internal/command", "annotate/web"}, web[:3]},
		"annotate/internal/report":     {edges, outside, {"annotate/internal/evaluation", "annotate/internal/ingest", "annotate/internal/export"}},
		"annotate/internal/evaluation": {{"annotate/internal/server", "annotate/internal/transfer", "annotate/web"}, web[:3]},
		"annotate/internal/sample":     {{"annotate/internal/server", "annotate/web"}, web[:3]},
		"annotate/web/templates":       {rooms, {"annotate/internal/server", "annotate/internal/ingest", "annotate/internal/export", "annotate/internal/transfer"}, database, web[:2]},
		"annotate/web":                 {{"annotate/internal/store", "annotate/internal/server"}, database, web[:2]},
		"annotate/migrations":          {ours},
	}
	// Linear algebra takes seconds to compile, and the program needs none. gonum/stat brings it.
	for _, pkg := range []string{"annotate/cmd/annotate", "annotate/internal/crowd"} {
		banned[pkg] = append(banned[pkg], []string{"gonum.org/v1/gonum/blas", "gonum.org/v1/gonum/lapack"})
	}
	// Groups of pages share web/templates and do not know each other.
	for _, group := range pageGroups {
		banned["annotate/web/templates"] = append(banned["annotate/web/templates"], []string{"annotate/web/templates/" + group})
		at := "annotate/web/templates/" + group
		banned[at] = [][]string{rooms, {"annotate/internal/server", "annotate/internal/ingest", "annotate/internal/export", "annotate/internal/transfer"}, database, web[:2]}
		for _, other := range pageGroups {
			if other != group {
				banned[at] = append(banned[at], []string{"annotate/web/templates/" + other})
			}
		}
	}
	// Groups of handlers share internal/server/site and do not know each other.
	banned["annotate/internal/server/site"] = [][]string{{"annotate/internal/command"}}
	for _, group := range handlerGroups {
		at := "annotate/internal/server/" + group
		banned["annotate/internal/server/site"] = append(banned["annotate/internal/server/site"], []string{at})
		banned[at] = [][]string{{"annotate/internal/command"}}
		for _, other := range handlerGroups {
			if other != group {
				banned[at] = append(banned[at], []string{"annotate/internal/server/" + other})
			}
		}
	}
	for room := range roomArrows {
		banned[room] = [][]string{{"annotate/internal/server", "annotate/internal/transfer", "annotate/internal/ingest", "annotate/internal/export", "annotate/internal/command", "annotate/web"}, web[:3]}
	}
	shared := []string{"annotate/internal/stat", "annotate/internal/parallel"} // which depend on nothing else of ours
	all := goList(t, "{{.Deps}}")
	for pkg, groups := range banned {
		if all[pkg] == nil {
			t.Errorf("there is no package %s", pkg)
		}
		for _, prefix := range slices.Concat(groups...) {
			for _, dep := range all[pkg] {
				if strings.HasPrefix(dep, prefix) && dep != pkg && !slices.Contains(shared, dep) {
					t.Errorf("%s must not depend on %s", pkg, dep)
				}
			}
		}
	}
}

// TestImports checks that only one package imports each of these libraries.
func TestImports(t *testing.T) {
	allowed := map[string][]string{
		"github.com/VictoriaMetrics/": {"annotate/internal/server"},
		"gorm.io/": {"annotate/internal/database", "annotate/internal/records", "annotate/internal/rounds", "annotate/internal/accounts", "annotate/internal/qualification", "annotate/internal/work", "annotate/internal/desk",
			"annotate/internal/intake", "annotate/internal/judgeruns", "annotate/internal/store", "annotate/internal/store/storetest"},
		"modernc.org/":              {"annotate/internal/database"},
		"github.com/pressly/":       {"annotate/internal/database", "annotate/migrations"},
		"github.com/jackc/":         {"annotate/internal/database", "annotate/internal/store/storetest", "annotate/internal/load"},
		"github.com/labstack/":      {"annotate/internal/server", "annotate/internal/server/site"},
		"github.com/danielgtaylor/": {"annotate/internal/server/site", "annotate/internal/server/monitoring", "annotate/internal/server/results", "annotate/internal/server/setup"},
		"github.com/gorilla/":       {"annotate/internal/server/site"},
		"github.com/a-h/templ":      {"annotate/internal/server/site", "annotate/web/templates", "annotate/web/templates/pagetest"},
		"github.com/spf13/":         {"annotate/cmd/annotate", "annotate/internal/command"},
		"github.com/pquerna/":       {"annotate/internal/accounts"},
		"github.com/emersion/":      {"annotate/internal/post"},
		"github.com/coreos/":        {"annotate/internal/server/account"},
		"golang.org/x/oauth2":       {"annotate/internal/server/account"},
		"github.com/boombuler/":     {"annotate/internal/server/account"},
		"golang.org/x/crypto/":      {"annotate/internal/accounts"},
		"github.com/clipperhouse/":  {"annotate/internal/codepoint"},
		"github.com/sashabaranov/":  {"annotate/internal/provider"},
	}
	for _, group := range pageGroups {
		allowed["github.com/a-h/templ"] = append(allowed["github.com/a-h/templ"], "annotate/web/templates/"+group)
	}
	for _, group := range handlerGroups {
		allowed["github.com/labstack/"] = append(allowed["github.com/labstack/"], "annotate/internal/server/"+group)
	}
	imports := goList(t, "{{.Imports}}")
	for prefix, where := range allowed {
		used := false
		for pkg, deps := range imports {
			for _, dep := range deps {
				switch {
				case !strings.HasPrefix(dep, prefix):
				case slices.Contains(where, pkg):
					used = true
				default:
					t.Errorf("%s must not import %s", pkg, dep)
				}
			}
		}
		if !used {
			t.Errorf("nothing imports %s", prefix)
		}
		for _, pkg := range where {
			if imports[pkg] == nil {
				t.Errorf("there is no package %s", pkg)
			}
		}
	}
}

// goList gives a list of every package of ours, by its path.
func goList(t *testing.T, list string) map[string][]string {
	t.Helper()
	// The test reads the folders itself, because the cache of go test does not know what go list reads.
	for _, dir := range []string{"cmd", "internal", "migrations", "scripts", "web"} {
		if err := filepath.WalkDir("../../"+dir, func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "list", "-f", "{{.ImportPath}} "+list, "annotate/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		packages[name] = append([]string{}, strings.Fields(strings.Trim(rest, "[]"))...)
	}
	return packages
}
