package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
)

// Imports of what belongs to segments, each into a campaign of its own with ratedSegments
// segments by two systems. The ratings are too many to become visible in one transaction.
const ratedSegments = 300

// A killedImport is a kind of import that is killed.
type killedImport struct {
	format string
	line   string // of a file, for a segment and a system
	once   bool   // one line for a segment; else one for each of its translations
	export string // format of what it brought
	mark   string // in each line of that which the import brought
}

var killedImports = map[string]killedImport{
	"references":    {format: "references", line: `{"segment_id":"%s","references":{"refB":"of %s"}}`, once: true, export: "jsonl", mark: `"refB"`},
	"suggestions":   {format: "suggestions", line: `{"segment_id":"%s","system":"%s","origin":"judge","spans":[{"start":0,"end":11,"severity":"minor"}]}`, export: "suggestions", mark: `"judge"`},
	"ratings":       {format: "ratings", line: `{"segment_id":"%s","system":"%s","annotator":"mara","scores":{"score":50}}`, export: "ratings", mark: `"mara"`},
	"adjudications": {format: "ratings", line: `{"segment_id":"%s","system":"%s","annotator":"judge","adjudicated":true,"scores":{"score":60}}`, export: "ratings", mark: `"adjudicated":true`},
	"judgements":    {format: "judgements", line: `{"judge":"j","segment_id":"%s","system":"%s","score":5,"trace":[{"reply":"x"}]}`, export: "judgements", mark: `"judge":"j"`},
	"scores":        {format: "scores", line: `{"metric":"COMET","segment_id":"%s","system":"%s","score":0.5}`, export: "scores", mark: `"COMET"`},
}

// text is a file of the import.
func (i killedImport) text(systems []string) (text string, brings int) {
	var b strings.Builder
	for n := range ratedSegments {
		for _, system := range systems {
			fmt.Fprintf(&b, i.line+"\n", fmt.Sprint("s", n+1), system)
			if brings++; i.once {
				break
			}
		}
	}
	return b.String(), brings
}

// rated makes a campaign for one import.
func (k *kills) rated() *storetest.Sample {
	k.n++
	return storetest.Campaign(k.t, k.db.Store, storetest.Slug(fmt.Sprint("rated-", k.n)), storetest.Protocol("esa"), storetest.Segments(ratedSegments), storetest.Systems(2), storetest.Annotators(0))
}

// brought counts what an import has brought. What a killed program has left is dropped or
// completed before, as by the server.
func (k *kills) brought(i killedImport, s *storetest.Sample) int {
	k.t.Helper()
	if err := k.db.Intake.DropDead(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
	s.Reload(k.t)
	var b bytes.Buffer
	if _, err := transfer.Export(k.t.Context(), k.db.Store, s.Campaign, i.export, &b); err != nil {
		k.t.Fatal(err)
	}
	return strings.Count(b.String(), i.mark)
}

// importKind has the command line import a kind, all or nothing, and again where nothing
// was imported.
func (k *kills) importKind(name string) func(kill bool) {
	i := killedImports[name]
	return func(kill bool) {
		s := k.rated()
		text, brings := i.text(s.Systems)
		file := filepath.Join(k.dir, "import.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			k.t.Fatal(err)
		}
		ended := k.runAs(name, kill, "import", s.Campaign.Slug, "--format", i.format, file)
		n := k.brought(i, s)
		if n == 0 && !ended {
			k.runAs(name, false, "import", s.Campaign.Slug, "--format", i.format, file)
			n = k.brought(i, s)
		}
		if n != brings {
			k.t.Errorf("%s (ended: %v): %d of %d are stored", name, ended, n, brings)
		}
	}
}

func read(client *http.Client, at string) (string, error) {
	res, err := client.Get(at)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return string(text), err
}

// nothingStaged fails the test where an import has left rows that nobody sees.
func (k *kills) nothingStaged() {
	k.t.Helper()
	for _, table := range []string{"staged_imports", "hidden_imports", "completing_imports", "staged_ratings"} {
		var n int
		if err := k.db.DB.Read(k.t.Context()).Raw("SELECT count(*) FROM " + table).Scan(&n).Error; err != nil || n > 0 {
			k.t.Errorf("%s has %d rows: %v", table, n, err)
		}
	}
}
