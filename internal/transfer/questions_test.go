package transfer

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// curation makes a campaign whose segments are rated themselves, with the protocol of testdata/curate.json.
func curation(t *testing.T, st *store.Store, slug string) campaign.Campaign {
	t.Helper()
	text := string(storetest.Must(os.ReadFile("../protocol/testdata/curate.json"))(t))
	p := storetest.Must(protocol.ReadOwn(strings.NewReader(text)))(t)
	storetest.Must(st.Accounts.CreateCampaign(t.Context(), campaign.Campaign{Slug: slug, Title: slug, Protocol: p.ID, Definition: text, SourceLang: "de", TargetLang: "en", Settings: campaign.DefaultSettings(p)}, ""))(t)
	return storetest.Must(st.Records.Campaign(t.Context(), slug))(t)
}

const curated = `{"doc_id":"d","segment_id":"1","source":"Ein Satz.","translations":{"x":"One.","y":"Two."}}
{"doc_id":"d","segment_id":"2","source":"Noch einer."}
{"doc_id":"d","segment_id":"3","source":"Und einer.","translations":{"z":""}}
`

const curatedRatings = `{"doc_id":"d","segment_id":"1","annotator":"ann","round":1,"scores":{"difficulty":4},"answers":{"keep":"yes","phenomena":["slang","pun"],"cleaned":"Ein Satz.","best":"y","edited":"Two!"},"spans":[],"comment":"","seconds":3,"submitted_at":"2026-11-20T09:30:00Z"}
{"doc_id":"d","segment_id":"1","annotator":"ben","round":1,"scores":{"difficulty":2},"answers":{"keep":"yes","cleaned":"Ein Satz.","best":"y","edited":"Two."},"spans":[],"comment":"","seconds":3,"submitted_at":"2026-11-20T09:31:00Z"}
{"doc_id":"d","segment_id":"2","annotator":"ann","round":1,"scores":{},"answers":{"keep":"no","best":""},"spans":[],"comment":"=noise","seconds":1,"submitted_at":"2026-11-20T09:32:00Z"}
{"doc_id":"d","segment_id":"2","annotator":"ben","round":1,"scores":{"difficulty":1},"answers":{"keep":"yes","cleaned":"Noch einer.","best":"","edited":"=Another"},"spans":[],"comment":"","seconds":1,"submitted_at":"2026-11-20T09:33:00Z"}
`

func read(t *testing.T, st *store.Store, c campaign.Campaign, format, text string) error {
	t.Helper()
	_, err := Import(t.Context(), st, c, Request{Format: format, Files: []File{{Name: "f.jsonl", Reader: strings.NewReader(text)}}})
	return err
}

// TestSegmentsThatAreRated: segments with and without candidates, ratings with answers and scores of the sources go in, the
// gate compares the answers, and the exports are what was imported, in a second campaign too.
func TestSegmentsThatAreRated(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		st := db.Store
		for _, slug := range []string{"first", "second"} {
			c := curation(t, st, slug)
			storetest.Check(t, read(t, st, c, "jsonl", curated))
			storetest.Check(t, read(t, st, c, "ratings", curatedRatings))
			scores := `{"metric":"difficulty-llm","doc_id":"d","segment_id":"1","score":7}
{"metric":"difficulty-llm","doc_id":"d","segment_id":"2","score":2}
{"metric":"difficulty-llm","doc_id":"d","segment_id":"3","score":9}
`
			storetest.Check(t, read(t, st, c, "scores", scores))
			for format, want := range map[string]string{"jsonl": curated, "ratings": curatedRatings, "scores": scores} {
				var b bytes.Buffer
				storetest.Must(Export(t.Context(), st, c, format, &b))(t)
				got := b.String()
				if format == "jsonl" {
					got = strings.NewReplacer(`,"source_lang":"de","target_lang":"en"`, "").Replace(got)
				}
				if got != want {
					t.Errorf("%s:\n%s\nwant\n%s", format, got, want)
				}
			}
			var b bytes.Buffer
			storetest.Must(Export(t.Context(), st, c, "answers", &b))(t)
			for _, row := range []string{
				"d,1,,,keep,ann,1,yes,2026-11-20T09:30:00Z", "d,1,,,keep,,gold,yes,", "d,1,,,phenomena,ann,1,slang;pun,2026-11-20T09:30:00Z", "d,1,,,best,,gold,y,",
				"d,2,,,edited,ben,1,'=Another,2026-11-20T09:33:00Z",
			} {
				if !strings.Contains(b.String(), "\n"+row+"\n") {
					t.Errorf("answers lack %s:\n%s", row, b.String())
				}
			}
			if strings.Contains(b.String(), "d,1,,,edited,,gold") || strings.Contains(b.String(), "d,2,,,keep,,gold") {
				t.Errorf("different answers have gold:\n%s", b.String())
			}
			gold := "doc_id,segment_id,domain,system,status,ratings,difficulty,difficulty-z,keep,keep-by,phenomena,phenomena-by,cleaned,cleaned-by,best,best-by,edited,edited-by,entered_by_lead,adjudicated,spans\nd,1,,,agreed,2,3,,yes,all,,,Ein Satz.,all,y,all,,,no,no,\n"
			if got := exported(t, db, c, "gold"); got != gold {
				t.Errorf("gold is\n%s\nwant\n%s", got, gold)
			}
			if got := exported(t, db, c, "gold-jsonl"); !strings.Contains(got, `"answers":{"keep":"yes","cleaned":"Ein Satz.","best":"y"},"by":{"keep":"all","cleaned":"all","best":"all"}`) {
				t.Errorf("gold as JSON is %s", got)
			}
			status := map[string]campaign.Status{}
			for s, err := range st.Records.AllSegments(t.Context(), c) {
				storetest.Check(t, err)
				status[s.SegmentID] = s.Status
				if s.SegmentID == "1" && (len(s.Candidates) != 2 || len(s.Translations) != 1 || s.Translations[0].Gold == nil || len(s.Translations[0].Metrics) != 1 || s.Translations[0].Metrics[0].Score != 7) {
					t.Errorf("segment 1 is %+v", s)
				}
			}
			if status["1"] != campaign.Agreed || status["2"] != campaign.Reannotate || status["3"] != campaign.Pending {
				t.Errorf("the states are %v", status)
			}
			figures := storetest.Must(st.Desk.Standing(t.Context(), c))(t)
			// keep: yes yes, no yes. Of 4 answers 3 are yes: 1 − 3·2/(2·3·1).
			if figures.Alpha != 0 || !math.IsNaN(figures.Mean) || !math.IsNaN(figures.Deviation) {
				t.Errorf("alpha is %v, the mean of answers %v, their deviation %v", figures.Alpha, figures.Mean, figures.Deviation)
			}
			d := storetest.Must(st.Desk.ScoreDistributions(t.Context(), c))(t)
			if len(d.Buckets) != 2 || d.Buckets[0].Label != "Keep" || d.Buckets[1].Label != "Drop" || d.All.Counts[0] != 3 || d.All.Counts[1] != 1 {
				t.Errorf("the answers are distributed as %+v", d)
			}
			r := storetest.Must(campaign.Agreement(c, st.Desk.RatedSegments(t.Context(), c), false))(t)
			// 3 of 4 answers by ann and ben are "yes": ann yes, no; ben yes, yes. (1·2 − 2)/(4 − 2) = 0.
			if r.Metric != agreement.Nominal || r.Alpha.Alpha != 0 || len(r.Pairs) != 1 || r.Pairs[0].Kappa != 0 || !math.IsNaN(r.Pairs[0].TauB) || !math.IsNaN(r.Each[0].Mean) {
				t.Errorf("the agreement is %+v", r)
			}
			files := unpack(t, archive(t, st, c, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)))
			if files["mtme/sources/de-en.txt"] != "" || !strings.Contains(files["README.md"], "segments are rated here") {
				t.Errorf("the archive says\n%s", files["README.md"])
			}
			id := storetest.Must(st.Records.SegmentRowID(t.Context(), c.ID, "d", "2"))(t)
			for what, err := range map[string]error{
				"a mean of answers":  st.Rounds.AcceptMeans(t.Context(), c.ID, []string{id}, "x", ""),
				"a score of answers": st.Rounds.Adjudicate(t.Context(), c.ID, id, map[string]float64{"": 1}, "x", ""),
			} {
				if err == nil || !strings.Contains(err.Error(), "answers that are not numbers") {
					t.Errorf("%s: %v", what, err)
				}
			}
		}
	})
}

// TestAnswersRefused: what an answer can't be is told with line and field, and nothing is stored.
func TestAnswersRefused(t *testing.T) {
	db, _ := storetest.New(t)
	st := db.Store
	c := curation(t, st, "c")
	storetest.Check(t, read(t, st, c, "jsonl", curated))
	for _, tt := range []struct{ old, new, want string }{
		{`"keep":"yes"`, `"keep":"maybe"`, `answers.keep`},
		{`"keep":"yes"`, `"keep":3`, "must be a text in double quotes, or a list of texts if the question may have several answers, not a number"},
		{`"keep":"yes",`, ``, "an answer to “Keep the sentence?”"},
		{`"phenomena":["slang","pun"]`, `"phenomena":["slang",1]`, "must be a text in double quotes, or a list"},
		{`"best":"y"`, `"best":"q"`, `answers.best: The best translation: the segment has no candidate "q"`},
		{`"scores":{"difficulty":4}`, `"scores":{}`, "a score for Difficulty"},
		{`"segment_id":"1","annotator"`, `"segment_id":"1","system":"x","annotator"`, "is about a segment, not about a translation; leave the system out"},
		{`"edited":"Two!"`, `"edited":"Two\u0000"`, "answers.edited"},
	} {
		text := strings.Replace(strings.SplitAfter(curatedRatings, "\n")[0], tt.old, tt.new, 1)
		err := read(t, st, c, "ratings", text)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Count(err.Error(), "f.jsonl:1") != 1 {
			t.Errorf("%s: got %v, want %s alone", tt.new, err, tt.want)
		}
	}
	if err := read(t, st, c, "scores", `{"metric":"m","system":"x","segment_id":"1","score":7}`); err == nil || !strings.Contains(err.Error(), "leave the system out") {
		t.Errorf("a score of a candidate: %v", err)
	}
	if err := read(t, st, c, "judgements", `{"judge":"j","system":"x","segment_id":"1","score":7}`); err == nil || !strings.Contains(err.Error(), "leave the system out") {
		t.Errorf("a judgement of a candidate: %v", err)
	}
	const judged = `{"judge":"j","doc_id":"d","segment_id":"1","status":"ok","score":7}` + "\n"
	storetest.Check(t, read(t, st, c, "judgements", judged))
	var out strings.Builder
	if _, err := Export(t.Context(), st, c, "judgements", &out); err != nil || out.String() != judged {
		t.Errorf("judgements of sources are written as %q, %v", out.String(), err)
	}
}

// TestGoldBasis: gold names from whom each answer comes: one annotator, all, a majority or an adjudicator. Without a majority an answer has none.
func TestGoldBasis(t *testing.T) {
	db := storetest.Open(t)
	st := db.Store
	c := newCampaign(t, st, "review", "review", "redundancy=3")
	storetest.Check(t, read(t, st, c, "jsonl", `{"segment_id":"1","source":"a","reference":"A"}
{"segment_id":"2","source":"b","reference":"B"}
{"segment_id":"3","source":"c","reference":"C"}
{"segment_id":"4","source":"d","reference":"D"}
{"segment_id":"5","source":"e","reference":"E"}
`))
	var ratings strings.Builder
	for _, r := range []string{"1 ann accept", "2 ann accept", "2 ben accept", "3 ann accept", "3 ben accept", "3 cleo reject", "4 ann accept", "4 ben reject", "5 ann accept"} {
		f := strings.Fields(r)
		fmt.Fprintf(&ratings, `{"segment_id":%q,"annotator":%q,"answers":{"verdict":%q},"comment":"x"}`+"\n", f[0], f[1], f[2])
	}
	storetest.Check(t, read(t, st, c, "ratings", ratings.String()))
	storetest.Check(t, read(t, st, c, "ratings", `{"segment_id":"5","annotator":"lea","adjudicated":true,"answers":{"verdict":"reject"},"comment":"x"}`))
	var got []string
	for line := range strings.Lines(exported(t, db, c, "gold")) {
		f := strings.Split(strings.TrimSpace(line), ",")
		got = append(got, f[1]+" "+f[6]+" "+f[7])
	}
	if all := strings.Join(got[1:], "; "); all != "1 accept one; 2 accept all; 3 accept majority; 5 reject adjudicator" {
		t.Errorf("gold is %s", all)
	}
}
