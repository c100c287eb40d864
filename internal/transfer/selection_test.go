package transfer

import (
	"bytes"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

// TestSelection writes a segment in gold, one with an adjudication, one under a second look and one that is
// discarded, by each choice.
func TestSelection(t *testing.T) {
	given := func(login string, round int) campaign.Rating {
		return campaign.Rating{Annotator: login, Round: round, Rating: protocol.Rating{Scores: map[string]float64{"sqm": 3}}}
	}
	segment := func(id string, status campaign.Status, ratings ...campaign.Rating) campaign.Segment {
		return campaign.Segment{DocID: "d", SegmentID: id, Status: status, Round: 2, Complete: 1, Absent: []string{"zeta"}, Translations: []campaign.Translation{{System: "eta", Ratings: ratings}}}
	}
	settled := segment("settled", campaign.Agreed, given("a", 1), given("a", 2))
	judged := segment("judged", campaign.Adjudicated, given("b", 1))
	adjudication := given("j", 0)
	judged.Translations[0].Adjudication = &adjudication
	all := []campaign.Segment{settled, judged, segment("again", campaign.Reannotate, given("c", 1), given("c", 2)), segment("discarded", campaign.Discarded, given("d", 2))}
	for name, want := range map[string]string{
		"":                "settled eta a1 a2 -zeta, judged eta b1 j0 -zeta, again eta c1 c2 -zeta, discarded eta d2 -zeta",
		"ratings=last":    "settled eta a2 -zeta, judged eta j0 -zeta, again eta c1 -zeta, discarded eta d2 -zeta",
		"ratings=gold":    "settled eta a2 -zeta, judged eta j0 -zeta, again eta -zeta, discarded eta -zeta",
		"discarded=no":    "settled eta a1 a2 -zeta, judged eta b1 j0 -zeta, again eta c1 c2 -zeta",
		"systems=letters": "settled A a1 a2 -B, judged A b1 j0 -B, again A c1 c2 -B, discarded A d2 -B",
	} {
		field, value, _ := strings.Cut(name, "=")
		sel, err := ReadSelection(func(name string) string {
			if name == field {
				return value
			}
			return ""
		})
		storetest.Check(t, err)
		letters := map[string]string{"eta": "A", "zeta": "B"}
		var got []string
		for s := range sel.segments(func(yield func(campaign.Segment, error) bool) {
			for _, s := range all {
				yield(s, nil)
			}
		}, func(n string) string {
			if sel.Systems == "letters" {
				return letters[n]
			}
			return n
		}) {
			words := []string{s.SegmentID, s.Translations[0].System}
			for _, r := range judgementsOf(s.Translations[0]) {
				words = append(words, r.Annotator+string(rune('0'+r.Round)))
			}
			got = append(got, strings.Join(append(words, "-"+s.Absent[0]), " "))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: got %s, want %s", name, strings.Join(got, ", "), want)
		}
	}
	if len(settled.Translations[0].Ratings) != 2 || settled.Absent[0] != "zeta" {
		t.Error("a selection changed the segments that it was given")
	}
}

func judgementsOf(t campaign.Translation) []campaign.Rating {
	if t.Adjudication != nil {
		return append(t.Ratings, *t.Adjudication)
	}
	return t.Ratings
}

// TestSelectionOfFormats: letters come with their key; formats without a choice and unknown values are refused.
func TestSelectionOfFormats(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store)
	var b bytes.Buffer
	systems, _, err := ExportWithNotes(t.Context(), db.Store, s.Campaign, "jsonl", Selection{Systems: "letters"}, &b)
	names := storetest.Must(db.Records.Systems(t.Context(), s.Campaign.ID))(t)
	if err != nil || !strings.Contains(string(systems), `"A": "`+names[0]+`"`) || !strings.Contains(b.String(), `"translations":{"A":`) || strings.Contains(b.String(), names[0]+`":`) {
		t.Errorf("the key is %s, the file\n%s, %v", systems, b.String(), err)
	}
	if _, _, err := ExportWithNotes(t.Context(), db.Store, s.Campaign, "judgements", Selection{Ratings: "gold"}, &b); err == nil || !strings.Contains(err.Error(), "leave the choices out") {
		t.Errorf("the error is %v", err)
	}
	if _, err := ReadSelection(func(string) string { return "some" }); err == nil || !strings.Contains(err.Error(), `ratings: "some" is none of all, last, gold`) {
		t.Errorf("the error is %v", err)
	}
}
