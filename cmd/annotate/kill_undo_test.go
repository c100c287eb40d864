package main

import (
	"bytes"
	"os"
	"path/filepath"

	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
)

// killedUndos are the kinds of imports whose undo is killed. That of ratings takes several
// transactions.
var killedUndos = []string{"ratings", "adjudications", "scores"}

// undoKind has the command line undo an import of a kind. If the command is killed, the campaign
// is as before or as after the undo, and the undo can be done then.
func (k *kills) undoKind(name string) func(kill bool) {
	i := killedImports[name]
	return func(kill bool) {
		s := k.rated()
		before := k.everything(s)
		text, _ := i.text(s.Systems)
		file := filepath.Join(k.dir, "import.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			k.t.Fatal(err)
		}
		k.runAs(name, false, "import", s.Campaign.Slug, "--format", i.format, file)
		imported := k.everything(s)
		if bytes.Equal(before, imported) {
			k.t.Fatalf("an import of %s brought nothing", name)
		}
		ended := k.runAs("undo "+name, kill, "import", "undo", s.Campaign.Slug)
		after := k.everything(s)
		if !ended && bytes.Equal(after, imported) {
			k.runAs("undo "+name, false, "import", "undo", s.Campaign.Slug)
			after = k.everything(s)
		}
		if !bytes.Equal(after, before) {
			k.t.Errorf("the undo of %s (ended: %v) left %d bytes of exports; there were %d before the import and %d after it", name, ended, len(after), len(before), len(imported))
		}
	}
}

// everything is all exports of a campaign. What a killed program has left is completed before, as
// by the server.
func (k *kills) everything(s *storetest.Sample) []byte {
	k.t.Helper()
	if err := k.db.Intake.DropDead(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
	s.Reload(k.t)
	var b bytes.Buffer
	for _, format := range []string{"jsonl", "ratings", "csv", "gold", "scores", "suggestions", "judgements"} {
		b.WriteString(format + "\n")
		if _, err := transfer.Export(k.t.Context(), k.db.Store, s.Campaign, format, &b); err != nil {
			k.t.Fatal(err)
		}
	}
	return b.Bytes()
}
