package plan_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"annotate/internal/plan"
)

// TestRoundTrip: what is written is read again, whatever the ids are, and changes nothing in the plan it
// came from.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	parts := []string{"a", "=", "+1", "'", "\"", ",", ";", "\t", "\n", " ", "é", "文", "🙂", "م"}
	for range 200 {
		p := plan.Plan{Redundancy: 2, Version: 1, Batches: []plan.Batch{{Name: "=1"}, {Name: "b"}}}
		for _, login := range []string{"-x", "ann", "mara"} {
			p.People = append(p.People, plan.Person{Login: login, Active: true, Share: 1})
		}
		for i := range 1 + r.IntN(5) {
			id := ""
			for range 1 + r.IntN(4) {
				id += parts[r.IntN(len(parts))]
			}
			d := plan.Document{DocID: fmt.Sprint(id, i), Words: 1, Segments: 1, Batch: []string{"", "=1", "b"}[r.IntN(3)]}
			for _, x := range p.People {
				if r.IntN(2) == 0 {
					d.Turns = append(d.Turns, plan.Turn{Login: x.Login})
				}
			}
			p.Documents = append(p.Documents, d)
		}
		var file bytes.Buffer
		if err := plan.WriteRows(&file, p); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{file.String(), "\ufeff" + file.String()} {
			rows, err := plan.ReadRows("plan.csv", strings.NewReader(text))
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if _, change, err := (plan.Edit{Kind: plan.EditRows, Rows: rows}).Apply(p); err != nil || !change.Empty() {
				t.Fatalf("%q: %v %+v", text, err, change)
			}
		}
	}
}

// TestRead: files of spreadsheets are read, with their lines.
func TestRead(t *testing.T) {
	for name, file := range map[string]string{
		"semicolons": "Document;Batch;Annotator\r\nd1;;mara\r\n;;\r\nd2;b;\r\n",
		"tabs":       "annotator\tdocument\tbatch\nmara\td1\t\n\t\t\n\td2\tb\n",
		"short":      "document,annotator,batch\nd1,mara\n,,\nd2,,b\n",
	} {
		rows, err := plan.ReadRows("f.csv", strings.NewReader(file))
		want := []plan.Row{{File: "f.csv", Line: 2, Document: "d1", Annotator: "mara", HasBatch: true}, {File: "f.csv", Line: 4, Document: "d2", Batch: "b", HasBatch: true}}
		if err != nil || !slices.Equal(rows, want) {
			t.Errorf("%s: %v %+v", name, err, rows)
		}
	}
	for file, want := range map[string]string{
		"document,annotator\nd1,\xff\n": "f.csv:2: cell 2: the text is not UTF-8; save the file as CSV in UTF-8",
		"document,annotator\nd1,a,b\n":  "f.csv:2: cell 3: the line has more cells than the first line",
		"":                              "f.csv:1: document: the file is empty; its first line names the columns document, annotator and batch",
		"doc,annotator\n":               `f.csv:1: cell 1: "doc" is not a column of a plan; the first line names the columns document, annotator and batch`,
		"document,annotator\n\"d1,a\n":  "f.csv:2: character 7: the quotation marks are not closed or stand within a cell; save the file as CSV again",
		"document,annotator\n,a\n":      "f.csv:2: document: the document is missing",
		"document,document\n":           "f.csv:1: document: the column stands there twice",
		"document\nd1\n":                "f.csv:1: annotator: the column is missing; the first line names the columns document, annotator and batch",
	} {
		_, err := plan.ReadRows("f.csv", strings.NewReader(file))
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
}
