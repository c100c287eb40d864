package transfer

import (
	"fmt"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
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

// TestTrainingOfSegments: where the segment is rated itself, a file of a training set needs no translations, and the
// set keeps the candidates of a segment. It keeps given terms, without which annotators would have nothing to answer.
func TestTrainingOfSegments(t *testing.T) {
	db := storetest.Open(t)
	set := func(s *storetest.Sample) []campaign.Segment {
		t.Helper()
		var ids []string
		for _, x := range storetest.Must(db.Training.TrainingSet(t.Context(), s.Campaign))(t) {
			ids = append(ids, x.ID)
		}
		side := storetest.Must(db.Training.MakeTraining(t.Context(), s.Campaign.ID))(t)
		return storetest.Must(db.Records.SegmentsByID(t.Context(), side, ids))(t)
	}
	s := storetest.Campaign(t, db.Store, storetest.Protocol("reference"), storetest.Segments(0))
	line := `{"doc_id":"d","segment_id":"1","source":"Ufer"}` + "\n" + `{"doc_id":"d","segment_id":"2","source":"Fähre","translations":{"A":"Ferry"}}` + "\n"
	_, err := ImportTraining(t.Context(), db.Store, s.Campaign, Request{Format: "jsonl", Files: []File{file("t.jsonl", line)}, ByID: s.Lead.ID})
	storetest.Check(t, err)
	storetest.ImportSegments(t, s, campaign.Segment{
		DocID: "d", SegmentID: "3", Source: "Kahn", Translations: campaign.ItselfOnly(), Candidates: []campaign.CandidateText{{Name: "A", Text: "Barge"}},
	})
	storetest.Must(AddTraining(t.Context(), db.Store, s.Campaign, []string{s.RowID(t, "d", "3")}, s.Lead.ID))(t)
	if got := set(s); len(got) != 3 || len(got[0].Candidates) != 0 || len(got[1].Candidates) != 1 || len(got[2].Candidates) != 1 || got[2].Candidates[0].Text != "Barge" {
		t.Errorf("the training set is %+v", got)
	}
	db = storetest.Open(t)
	s = storetest.Campaign(t, db.Store, storetest.Protocol("culture"), storetest.Segments(0))
	term := protocol.ErrorSpan{ID: "a", Side: protocol.Source, Start: 5, End: 14, Text: "Schultüte", Category: "Material", Answers: map[string]string{"explication": "A cone of sweets."}}
	storetest.ImportSegments(t, s, campaign.Segment{
		DocID: "d", SegmentID: "1", Source: "Eine Schultüte.", Translations: []campaign.Translation{{System: "A", Text: "A bag."}}, Terms: []protocol.ErrorSpan{term},
	})
	storetest.Must(AddTraining(t.Context(), db.Store, s.Campaign, []string{s.RowID(t, "d", "1")}, s.Lead.ID))(t)
	if got := set(s); len(got) != 1 || len(got[0].Terms) != 1 || got[0].Terms[0].Answers["explication"] != "A cone of sweets." {
		t.Errorf("the training set is %+v", got)
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
