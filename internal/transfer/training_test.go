package transfer

import (
	"fmt"
	"strings"
	"testing"

	"annotate/internal/store/storetest"
)

// TestImportTrainingTable: a training set comes from a table, which needs no ids.
func TestImportTrainingTable(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0), storetest.Systems(0))
	imported := func(text string) error {
		_, err := ImportTraining(t.Context(), db.Store, s.Campaign, Request{Format: "table", Files: []File{file("t.csv", text)}, ByID: s.Lead.ID})
		return err
	}
	if err := imported("document;source;A;B\nd;Ufer;Shore;Bank\nd;Fähre;#REF!;Ferry\n"); err == nil || !strings.Contains(err.Error(), "t.csv:3: C3: A: the cell has no text but #REF!") {
		t.Errorf("a failed formula: %v", err)
	}
	if err := imported("document;source;A;B\nd;Ufer;Shore;Bank\nd;Fähre;;Ferry\n"); err != nil {
		t.Fatal(err)
	}
	set := storetest.Must(db.Training.TrainingSet(t.Context(), s.Campaign))(t)
	if len(set) != 2 || set[0].Source != "Ufer" || set[0].DocID != "d" || set[0].SegmentID != "2" {
		t.Errorf("the training set is %+v", set)
	}
}

// TestImportTrainingTwice: a segment that the training set has already is refused with its file, line and field, and
// with what to do. Nothing else in the file is imported.
func TestImportTrainingTwice(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	line := func(id string) string {
		return fmt.Sprintf(`{"doc_id":"d","segment_id":%q,"source":"s","translations":{"A":"t"}}`+"\n", id)
	}
	imported := func(name, text string) error {
		_, err := ImportTraining(t.Context(), db.Store, s.Campaign, Request{Format: "jsonl", Files: []File{file(name, text)}, ByID: s.Lead.ID})
		return err
	}
	storetest.Check(t, imported("first.jsonl", line("1")+line("2")))
	err := imported("second.jsonl", line("3")+line("2"))
	want := `second.jsonl:2: segment_id: segment "2" of document "d" is there twice: the training set has it already; leave the line out, or give it another id`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if set := storetest.Must(db.Training.TrainingSet(t.Context(), s.Campaign))(t); len(set) != 2 {
		t.Errorf("the training set has %d segments", len(set))
	}
}
