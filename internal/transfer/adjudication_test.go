package transfer

import (
	"encoding/json"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// adjudicate has an adjudicator decide segment 1, as on the page, with these ratings by
// the text of the translation.
func adjudicate(t *testing.T, db *storetest.DB, s *storetest.Sample, given map[string]protocol.Rating) {
	t.Helper()
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	judge, err := db.Accounts.AddUser(ctx, "judge", "", accounts.Member)
	check(err)
	check(db.Accounts.AddMember(ctx, s.Campaign.ID, "judge", campaign.Adjudicator, s.Lead.ID))
	row, err := db.Records.SegmentRowID(ctx, s.Campaign.ID, "d", "1")
	check(err)
	check(db.Rounds.AskForAdjudication(ctx, s.Campaign.ID, []string{row}, "please decide", s.Lead.ID))
	id, err := db.Work.OpenAdjudication(ctx, s.Campaign.ID, row, judge.ID)
	check(err)
	w, err := db.Work.LoadWork(ctx, s.Campaign, id, judge.ID)
	check(err)
	revisions := map[string]int{}
	for _, card := range w.Cards {
		saved, err := db.Work.SaveCard(ctx, s.Campaign, judge.ID, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: given[card.Text], Seconds: 3})
		check(err)
		revisions[card.ID] = saved.Revision
	}
	check(db.Work.Submit(ctx, s.Campaign, judge.ID, id, revisions))
}

// ratedBy are lines of an annotator who gave both translations the same scores, and
// marked the first.
func ratedBy(annotator string, scores map[string]float64, spans []protocol.ErrorSpan) string {
	given, _ := json.Marshal(scores) // what can be marshalled does not fail
	marks, none := "", ""
	if len(scores) == 0 { // of errors alone, none are told
		marks, none = `,"spans":[]`, `,"spans":[]`
	}
	if spans != nil {
		text, _ := json.Marshal(spans)
		marks = `,"spans":` + string(text)
	}
	line := `{"segment_id":"1","annotator":"` + annotator + `","scores":` + string(given)
	return line + `,"system":"A"` + marks + "}\n" + line + `,"system":"B"` + none + "}\n"
}

// What an adjudicator decided comes back from jsonl and ratings: with the same gold, in
// every format, on both databases.
func TestAdjudicationsComeBack(t *testing.T) {
	span := protocol.ErrorSpan{ID: "s1", Side: protocol.Target, Start: 0, End: 1, Text: "a", Severity: "minor"}
	other := protocol.ErrorSpan{ID: "s2", Side: protocol.Source, Start: 0, End: 1, Text: "甲", Severity: "major"}
	kind := func(s protocol.ErrorSpan, severity, category, sub string) protocol.ErrorSpan {
		s.Severity, s.Category, s.Subcategory = severity, category, sub
		return s
	}
	for _, c := range []struct {
		protocol string
		scores   map[string]float64
		spans    []protocol.ErrorSpan
	}{
		{"sqm", map[string]float64{"sqm": 2}, nil},
		{"esa", map[string]float64{"score": 55}, []protocol.ErrorSpan{span, other}},
		{"mqm", map[string]float64{}, []protocol.ErrorSpan{kind(span, "minor", "Fluency", "Grammar"), kind(other, "major", "Accuracy", "Omission")}},
		{"rate", map[string]float64{"accuracy": 30, "fluency": 70}, []protocol.ErrorSpan{kind(span, "2", "Grammar", ""), kind(other, "4", "Omission", "")}},
	} {
		t.Run(c.protocol, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, db *storetest.DB) {
				one := storetest.Campaign(t, db.Store, storetest.Protocol(c.protocol), storetest.Slug("one"), storetest.Segments(0))
				bring := func(to *storetest.Sample, format, text string) {
					t.Helper()
					report, err := Import(t.Context(), db.Store, to.Campaign, Request{Format: format, Files: []File{file(format, text)}})
					if err != nil {
						t.Fatal(err)
					}
					if format == "ratings" && strings.Contains(text, `"adjudicated":true`) && (report.Decided[campaign.Adjudicated] != 1 || report.Ratings != 6) {
						t.Errorf("the import reports %+v", report)
					}
					to.Reload(t)
				}
				bring(one, "jsonl", `{"doc_id":"d","segment_id":"1","domain":"x","source":"甲乙","translations":{"A":"a🙂b","B":"ab"}}`)
				bring(one, "ratings", ratedBy("x", c.scores, c.spans)+ratedBy("y", c.scores, nil))
				adjudicate(t, db, one, map[string]protocol.Rating{
					"a🙂b": {Scores: c.scores, Spans: c.spans, Comment: "final"},
					"ab":  {Scores: c.scores, NoErrors: c.spans != nil},
				})
				two := storetest.Campaign(t, db.Store, storetest.Protocol(c.protocol), storetest.Slug("two"), storetest.Segments(0), storetest.Annotators(0))
				for _, format := range []string{"jsonl", "ratings"} {
					bring(two, format, exported(t, db, one.Campaign, format))
				}
				for _, format := range Formats(one.Campaign) {
					if a, b := exported(t, db, one.Campaign, format), exported(t, db, two.Campaign, format); a != b {
						t.Errorf("%s of the copy differs:\n%s\nand\n%s", format, a, b)
					}
				}
				a, b := one.All(t)[0], two.All(t)[0]
				if b.Status != campaign.Adjudicated || len(b.Translations) != 2 {
					t.Fatalf("the copy is %s", b.Status)
				}
				for i, tr := range b.Translations {
					if *tr.Gold != *a.Translations[i].Gold || tr.Adjudication == nil || tr.Adjudication.Seconds != a.Translations[i].Adjudication.Seconds {
						t.Errorf("%s: gold %+v and %+v", tr.System, *tr.Gold, *a.Translations[i].Gold)
					}
				}
			})
		})
	}
}

// An adjudication that is not whole, that contradicts another one or what is decided, or
// that is by somebody who is no adjudicator, is refused, and nothing is stored.
func TestAdjudicationsRefused(t *testing.T) {
	const a, b = `{"segment_id":"1","system":"A","annotator":"judge","adjudicated":true,"scores":{"sqm":1}}`, `{"segment_id":"1","system":"B","annotator":"judge","adjudicated":true,"scores":{"sqm":2}}`
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	bring := func(format, text string) error {
		_, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: format, Files: []File{file("f", text)}})
		s.Reload(t)
		return err
	}
	if err := bring("jsonl", twoSegments); err != nil {
		t.Fatal(err)
	}
	by := func(line, login string) string { return strings.Replace(line, "judge", login, 1) }
	refused := func(text, want string) {
		t.Helper()
		before := exported(t, db, s.Campaign, "ratings")
		if err := bring("ratings", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("refused with %v, want %q", err, want)
		}
		if after := exported(t, db, s.Campaign, "ratings"); after != before {
			t.Errorf("a refused import stored %s", after)
		}
	}
	refused(a, "f:1: adjudicated: the adjudication of the segment lacks a line for the translation by B; add it")
	refused(a+"\n"+strings.Replace(b, `"1"`, `"2"`, 1), "f:2: adjudicated: the adjudication of the segment lacks a line for the translation by A; add it") // all are told, not the first alone
	refused(a+"\n"+by(b, "zora"), "f:2: adjudicated: the segment is adjudicated twice, by judge at f:1 and by zora here; keep the lines of one of them")
	refused(a+"\n"+b+"\n"+a, "f:3: adjudicated: the translation is adjudicated twice, at f:1 and here; keep one of the lines")
	refused(strings.Replace(a, `"1"`, `"9"`, 1), `f:1: segment_id: the campaign has no segment "9"; correct the line, leave it out, or import the segment first`)
	refused(by(a, s.Annotators[0].Login)+"\n"+by(b, s.Annotators[0].Login), "f:1: annotator: "+s.Annotators[0].Login+" has the role annotator in this campaign and is no adjudicator")
	if err := bring("ratings", a+"\n"+b); err != nil {
		t.Fatal(err)
	}
	refused(a+"\n"+b, "f:2: adjudicated: the segment is decided here already: adjudicate")
	// An adjudicator may have annotated other segments: the order of lines does not matter.
	other := strings.NewReplacer(`"1"`, `"2"`, "judge", "both")
	rated := strings.NewReplacer(`"1"`, `"1"`, "judge", "both", `,"adjudicated":true`, "")
	if err := bring("ratings", strings.Join([]string{other.Replace(a), other.Replace(b), rated.Replace(a), rated.Replace(b)}, "\n")); err != nil {
		t.Error(err)
	}
}
