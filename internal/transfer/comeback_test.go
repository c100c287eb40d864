package transfer

import (
	"archive/zip"
	"cmp"
	"io"
	"slices"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// A part is a file of a campaign.
type part struct{ format, text string }

// wholeCampaigns are files that a campaign under each protocol is made of. Every segment, suggestion and
// judgement is written as exports write it.
var wholeCampaigns = map[string][]part{
	"sqm": {
		{"jsonl", `{"doc_id":"d","segment_id":"1","domain":"news","source_lang":"zh","target_lang":"en","source":"守株待兔","reference":"r","references":{"alt":"s"},"context":"c","note":"n","term":"守株待兔","explication":"to wait idly","translations":{"A":"a 🙂","B":"b"}}
{"doc_id":"d","segment_id":"2","source_lang":"zh","target_lang":"en","source":"乙\n","translations":{"A":"a2","B":""}}
`},
		{"ratings", `{"segment_id":"1","system":"A","annotator":"x","scores":{"sqm":4},"comment":"fine","seconds":3.5,"submitted_at":"2026-11-19T10:00:00Z"}
{"segment_id":"1","system":"B","annotator":"x","scores":{"sqm":1},"submitted_at":"2026-11-19T10:00:00Z"}
{"segment_id":"1","system":"A","annotator":"y","scores":{"sqm":4},"submitted_at":"2026-11-19T11:00:00Z"}
{"segment_id":"1","system":"B","annotator":"y","scores":{"sqm":1},"submitted_at":"2026-11-19T11:00:00Z"}
{"segment_id":"2","system":"A","annotator":"jo","adjudicated":true,"scores":{"sqm":1},"seconds":2}
{"segment_id":"2","system":"B","annotator":"jo","adjudicated":true,"scores":{"sqm":2}}
`},
	},
	"esa": {
		{"jsonl", `{"doc_id":"d","segment_id":"1","source_lang":"zh","target_lang":"en","source":"甲乙","translations":{"A":"a 🙂b","B":null}}
{"doc_id":"d","segment_id":"2","source_lang":"zh","target_lang":"en","source":"乙","translations":{"A":"a🙂b","B":"ab"}}
`},
		{"suggestions", `{"doc_id":"d","segment_id":"1","system":"A","spans":[{"id":"x","side":"target","start":2,"end":3,"text":"🙂","severity":"minor"},{"id":"y","side":"source","start":0,"end":1,"text":"甲","severity":"major","comment":"?"}],"origin":"xcomet"}
{"doc_id":"d","segment_id":"2","system":"B","spans":[]}
`},
		{"ratings", `{"segment_id":"1","system":"A","annotator":"x","scores":{"score":40},"spans":[{"id":"s1","start":0,"end":3,"severity":"major","suggestion":"x"}],"suggestions":[{"id":"x","became":"changed"},{"id":"y","became":"rejected"}]}
{"segment_id":"2","system":"A","annotator":"x","scores":{"score":10}}
{"segment_id":"2","system":"B","annotator":"x","scores":{"score":90}}
{"segment_id":"2","system":"A","annotator":"y","scores":{"score":80},"comment":"\t"}
{"segment_id":"2","system":"B","annotator":"y","scores":{"score":20}}
{"segment_id":"2","system":"A","annotator":"x","round":2,"scores":{"score":70}}
{"segment_id":"2","system":"B","annotator":"x","round":2,"scores":{"score":60}}
`},
		{"scores", `{"metric":"M","system":"A","doc_id":"d","segment_id":"1","score":0.25,"group":"neural"}
{"metric":"M","system":"A","score":3,"lower_is_better":true}
`},
		{"judgements", `{"judge":"gemba","method":"gemba-mqm","model":"m","about":"gemba-mqm, version 1","doc_id":"d","segment_id":"1","system":"A","status":"ok","score":-6,"scores":{"a":0.25},"spans":[{"id":"1","side":"target","start":0,"end":1,"text":"a","severity":"odd","category":"its own"},{"id":"2","side":"source","start":0,"end":1,"text":"甲"},{"text":"nowhere","severity":"minor"}],"trace":[{"step":"1","role":"judge","prompt":"p\n","reply":"r","input_tokens":3,"output_tokens":4,"seconds":0.5}]}
{"judge":"xcomet","doc_id":"d","segment_id":"1","system":"A","status":"ok","spans":[]}
{"judge":"mute","doc_id":"d","segment_id":"2","system":"B","status":"unparsable"}
`},
	},
	"mqm": {
		{"mqm-tsv", "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n" +
			"B\td\t1\t1\tx\teins\t<v>o</v>ne\tOther\tmajor\n" +
			"A\td\t2\t2\tx\tzwei\ttwo\tNo-error\tNo-error\n" +
			"B\td\t2\t2\ty\tzwei\t<v>two</v>\tOwn category\tminor\n" +
			"C\td\t3\t3\ty\tdrei\tthree\tNo-error\tNo-error\n"},
	},
	"rate": {
		{"jsonl", `{"doc_id":"d","segment_id":"1","source_lang":"zh","target_lang":"en","source":"源文","translations":{"A":"some words"}}
{"doc_id":"e","segment_id":"2","source_lang":"zh","target_lang":"en","source":"源","translations":{"A":"more"}}
{"doc_id":"d","segment_id":"3","source_lang":"zh","target_lang":"en","source":"文","translations":{"A":"other words"}}
`},
		{"ratings", `{"segment_id":"3","system":"A","annotator":"x","scores":{"accuracy":30,"fluency":70},"spans":[{"id":"a","start":0,"end":5,"severity":"4","category":"Style","link":"b"},{"id":"c","start":6,"end":6,"severity":"2","category":"Grammar","subcategory":"missing punctuation"}]}
{"segment_id":"1","system":"A","annotator":"x","scores":{"accuracy":1,"fluency":2},"spans":[{"id":"b","side":"source","start":1,"end":2,"severity":"2","category":"Own","link":"c"}]}
{"segment_id":"2","system":"A","annotator":"x","scores":{"accuracy":1,"fluency":2},"spans":[{"id":"b","start":1,"end":2,"severity":"2","category":"Style"}]}
`},
	},
}

// TestCampaignsComeBack: the exports jsonl, suggestions, ratings, scores and judgements, imported in this
// order, make a campaign whose exports are all the same. What an adjudicator has decided on the page is
// part of them.
func TestCampaignsComeBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		for id, parts := range wholeCampaigns {
			bring := func(to *storetest.Sample, files ...part) {
				t.Helper()
				for _, f := range files {
					if _, err := Import(t.Context(), db.Store, to.Campaign, Request{Format: f.format, Files: []File{file(f.format, f.text)}}); err != nil {
						t.Fatalf("%s: %s: %v", id, f.format, err)
					}
					to.Reload(t)
				}
			}
			one := storetest.Campaign(t, db.Store, storetest.Protocol(id), storetest.Slug(id), storetest.Segments(0), storetest.Set("gate=on"))
			bring(one, parts...)
			for _, f := range parts {
				if got := exported(t, db, one.Campaign, f.format); got != f.text && slices.Contains([]string{"jsonl", "suggestions", "judgements"}, f.format) {
					t.Errorf("%s: %s is\n%s\nwant\n%s", id, f.format, got, f.text)
				}
			}
			if id == "esa" {
				span := protocol.ErrorSpan{ID: "s1", Side: protocol.Target, Start: 0, End: 1, Text: "a", Severity: "minor"}
				adjudicate(t, db, one, "2", map[string]protocol.Rating{
					"a🙂b": {Scores: map[string]float64{"score": 55}, Spans: []protocol.ErrorSpan{span}, Comment: "final"},
					"ab":  {Scores: map[string]float64{"score": 65}, NoErrors: true},
				})
			}
			two := storetest.Campaign(t, db.Store, storetest.Protocol(id), storetest.Slug(id+"-two"), storetest.Segments(0), storetest.Annotators(0), storetest.Set("gate=on"))
			for _, format := range []string{"jsonl", "suggestions", "ratings", "scores", "judgements"} {
				text := ""
				if slices.Contains(Formats(one.Campaign), format) {
					text = exported(t, db, one.Campaign, format)
				}
				if text != "" {
					bring(two, part{format, text})
				}
			}
			for _, format := range Formats(one.Campaign) {
				// Some formats name the campaign.
				if a, b := unzipped(t, exported(t, db, one.Campaign, format)), strings.ReplaceAll(unzipped(t, exported(t, db, two.Campaign, format)), id+"-two", id); a != b {
					t.Errorf("%s: %s of the copy differs:\n%s\nand\n%s", id, format, a, b)
				}
			}
			if adjudicated := slices.ContainsFunc(two.All(t), func(s campaign.Segment) bool { return s.Status == campaign.Adjudicated }); adjudicated != (id == "sqm" || id == "esa") {
				t.Errorf("%s: a segment is adjudicated: %t", id, adjudicated)
			}
			if lacks := strings.Contains(exported(t, db, two.Campaign, "jsonl"), `"translations":{"A":null,"B":"one","C":null}`); lacks != (id == "mqm") {
				t.Errorf("%s: the first segment lacks translations: %t", id, lacks)
			}
		}
	})
}

// unzipped returns the names and the contents of the files of a zip archive, and any other text as it is.
func unzipped(t *testing.T, text string) string {
	t.Helper()
	if !strings.HasPrefix(text, "PK") {
		return text
	}
	var all strings.Builder
	for _, f := range storetest.Must(zip.NewReader(strings.NewReader(text), int64(len(text))))(t).File {
		content := storetest.Must(f.Open())(t)
		all.WriteString(f.Name + "\n" + string(storetest.Must(io.ReadAll(content))(t)))
		storetest.Check(t, content.Close())
	}
	return all.String()
}

// adjudicate has an adjudicator decide a segment of document d, as on the page, with these ratings by the
// text of the translation.
func adjudicate(t *testing.T, db *storetest.DB, s *storetest.Sample, segment string, given map[string]protocol.Rating) {
	t.Helper()
	ctx := t.Context()
	judge := storetest.Must(db.Accounts.AddUser(ctx, "judge", "", accounts.Member))(t)
	row := s.RowID(t, "d", segment)
	storetest.Check(t, cmp.Or(db.Accounts.AddMember(ctx, s.Campaign.ID, "judge", campaign.Adjudicator, s.Lead.ID),
		db.Rounds.AskForAdjudication(ctx, s.Campaign.ID, []string{row}, "please decide", s.Lead.ID)))
	id := storetest.Must(db.Work.OpenAdjudication(ctx, s.Campaign.ID, row, judge.ID))(t)
	revisions := map[string]int{}
	for _, card := range storetest.Must(db.Work.LoadWork(ctx, s.Campaign, id, judge.ID))(t).Cards {
		saved := storetest.Must(db.Work.SaveCard(ctx, s.Campaign, judge.ID, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: given[card.Text], Seconds: 3}))(t)
		revisions[card.ID] = saved.Revision
	}
	storetest.Check(t, db.Work.Submit(ctx, s.Campaign, judge.ID, id, revisions))
}
