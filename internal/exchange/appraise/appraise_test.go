package appraise

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/exchange"
	"annotate/internal/exchange/exchangetest"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/testenv"
)

const (
	aBatch = `[{"items": [
 {"mqm": {"tutorial": {"instruction": "Do."}, "payload": []}, "documentID": "tutorial1", "sourceID": "t", "targetID": "t", "itemType": "TGT", "sourceText": "s", "targetText": "t", "itemID": 1, "isCompleteDocument": false},
 {"mqm": [], "documentID": "d#A", "sourceID": "set", "targetID": "set.A", "itemType": "TGT", "sourceText": "A dog.", "targetText": " 🙂 Ein Hund. ", "itemID": 2, "_item": "A | 7 | d", "isCompleteDocument": false},
 {"mqm": [{"start_i": 0, "end_i": 2, "severity": "minor"}, {"start_i": 9, "end_i": 9, "severity": "major"}], "documentID": "d#B", "sourceID": "set", "targetID": "set.B", "itemType": "TGT", "sourceText": "A dog.", "targetText": "Der Hund.", "itemID": 3, "_item": "B | 7 | d", "isCompleteDocument": false},
 {"mqm": [], "documentID": "d#B#bad1", "sourceID": "set", "targetID": "set.B", "itemType": "BAD", "sourceText": "A dog.", "targetText": "Der x.", "itemID": 4, "_item": "B | 7 | d", "isCompleteDocument": false},
 {"mqm": [], "documentID": "d#B#duplicate1", "sourceID": "set", "targetID": "set.B", "itemType": "TGT", "sourceText": "A dog.", "targetText": "Der Hund.", "itemID": 5, "_item": "B | 7 | d", "isCompleteDocument": false},
 {"documentID": "e", "sourceID": "set", "targetID": "set.A+set.B", "itemType": "TGT", "sourceText": "Yes.", "targetText": "Ja.", "itemID": 6, "isCompleteDocument": false}
 ], "task": {"batchNo": 1, "randomSeed": 1, "requiredAnnotations": 1, "sourceLanguage": "eng", "targetLanguage": "deu"}}]`
	scores = `u1,set.A,2,TGT,eng,deu,70,d#A,False,"[{""start_i"":3,""end_i"":5,""severity"":""minor"",""error_type"":null},{""start_i"":""missing"",""end_i"":""missing"",""severity"":""major"",""error_type"":null}]",1711317200.5,1711317254.82
u1,set.A,2,TGT,eng,deu,10,d#A,False,[],1711317000.5,1711317054.82
u1,set.B,3,TGT,eng,deu,90,d#B,False,"[{""start_i"":0,""end_i"":2,""severity"":""major"",""error_type"":null}]",1711317300,1711317310
u1,set.B,4,BAD,eng,deu,5,d#B#bad1,False,[],1711317300,1711317310
u1,t,1,TGT,eng,deu,5,tutorial1,False,[],1711317300,1711317310
u1,set.A+set.B,6,TGT,eng,deu,100,e,False,[],1711317400,1711317400.001
`
)

// Read reads batches and scores.
func TestRead(t *testing.T) {
	in := exchangetest.Files("batches.json", aBatch, "x.scores.csv", scores)
	if !exchangetest.Is(t, Format, in) {
		t.Error("not recognised")
	}
	if id, err := Format.Of(in, ingest.Options{}); err != nil || id != "esa" {
		t.Errorf("the protocol is %q, %v", id, err)
	}
	segments, problems, notes := exchangetest.Read(Format, in, exchangetest.Protocol(t, "esa"))
	if len(problems) > 0 || len(segments) != 2 {
		t.Fatalf("got %+v, %q", segments, problems)
	}
	s := segments[0]
	if s.DocID != "d" || s.SegmentID != "7" || s.SourceLang != "en" || s.TargetLang != "de" || len(s.Translations) != 2 {
		t.Errorf("got %+v", s)
	}
	want := campaign.Rating{
		Annotator: "u1", Round: 1, Seconds: 54.32, SubmittedAt: time.UnixMicro(1711317254820000).UTC(),
		Rating: protocol.Rating{Scores: map[string]float64{"score": 70}, Spans: []protocol.ErrorSpan{
			{Side: "target", Start: 3, End: 6, Text: "Ein", Severity: "minor"}, {Side: "target", Start: 13, End: 13, Severity: "major"},
		}},
	}
	if got := s.Translations[0].Ratings; len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	b := s.Translations[1]
	if len(b.Suggested.Spans) != 1 || b.Suggested.Spans[0].Text != "Der" || !reflect.DeepEqual(b.Ratings[0].Suggestions, []protocol.Outcome{{ID: "s1", Became: protocol.Changed}}) {
		t.Errorf("got %+v", b)
	}
	if e := segments[1]; e.DocID != "e" || e.SegmentID != "1" || len(e.Translations) != 2 || !e.Translations[1].Ratings[0].NoErrors {
		t.Errorf("got %+v", e)
	}
	all := strings.Join(notes, "\n")
	for _, note := range []string{"1 item of tutorials left out", "2 items that check annotators", "2 rows of tutorials", "1 row left out, since the login"} {
		if !strings.Contains(all, note) {
			t.Errorf("no note %q in\n%s", note, all)
		}
	}
}

// A dump of all results does not quote the errors.
func TestDump(t *testing.T) {
	dump := "taskID,systemID,username,email,groups,segmentID,score,startTime,endTime,durationInSeconds,itemType,campaignName,documentID,isCompleteDocument,mqm\n" +
		`1,set.A,u1,,NoGroupInfo,2,70,1711317200.5,1711317254.82,54.3,TGT,c,d#A,False,[{"start_i": 3, "end_i": 5, "severity": "minor", "error_type": ["Accuracy", "Mistranslation"]}]` + "\n"
	segments, problems, _ := exchangetest.Read(Format, exchangetest.Files("dump.csv", dump, "batches.json", aBatch), exchangetest.Protocol(t, "mqm"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if e := segments[0].Translations[0].Ratings[0].Spans[0]; e.Text != "Ein" || e.Category != "Accuracy" || e.Subcategory != "Mistranslation" {
		t.Errorf("got %+v", e)
	}
}

// What cannot be read is refused at its place.
func TestRefused(t *testing.T) {
	row := func(item, score, marks, end string) string {
		return `u,set.A,` + item + `,TGT,eng,deu,` + score + `,d#A,False,"` + strings.ReplaceAll(marks, `"`, `""`) + `",1,` + end
	}
	for text, want := range map[string]string{
		row("2", "101", "[]", "2"): "f.csv:1: score: ",
		row("2", "NaN", "[]", "2"): `f.csv:1: score: "NaN" is not a number; correct it`,
		row("9", "1", "[]", "2"):   `f.csv:1: documentID: the batches have no item "9"`,
		row("2", "1", "[]", "x"):   `f.csv:1: end: `,
		row("2", "1", "[", "2"):    `f.csv:1: mqm: not JSON`,
		row("2", "1", `[{"start_i":0,"end_i":40,"severity":"minor"}]`, "2"): `f.csv:1: mqm: an error is from "0" to "40", and the translation has 12 characters`,
		row("2", "1", "[]", "2") + ",1":                                     "f.csv:1: a row has 12 columns",
		row("2", "1", "[]", "2") + "\n\"" + row("2", "1", "[]", "2"):        "f.csv:2: ",
		row("2", "1", "[]", "2") + "\n\xff":                                 "f.csv:2: the line is not UTF-8",
	} {
		_, problems, _ := exchangetest.Read(Format, exchangetest.Files("f.csv", text, "b.json", aBatch), exchangetest.Protocol(t, "esa"))
		if len(problems) != 1 || !strings.HasPrefix(problems[0], want) {
			t.Errorf("%s\n got %q\nwant %q", text, problems, want)
		}
	}
	_, problems, _ := exchangetest.Read(Format, exchangetest.Files("f.csv", scores), exchangetest.Protocol(t, "esa"))
	if len(problems) != 1 || !strings.HasPrefix(problems[0], "f.csv: there are no items; a score file has no texts") {
		t.Errorf("scores alone: %q", problems)
	}
	_, problems, _ = exchangetest.Read(Format, exchangetest.Files("b.json", aBatch[:len(aBatch)-9]), exchangetest.Protocol(t, "esa"))
	if len(problems) != 1 || !strings.Contains(problems[0], "the file ends in the middle") {
		t.Errorf("cut off: %q", problems)
	}
}

// Two batches may have an item with the same numbers. The other rows of the login tell which one it is.
func TestSeveralBatches(t *testing.T) {
	item := func(id, text string) string {
		return `{"mqm": [], "documentID": "d#A", "sourceID": "set", "targetID": "set.A", "itemType": "TGT", "sourceText": "` + text + `", "targetText": "` + text + `", "itemID": ` + id + `, "_item": "A | ` + text + ` | d"}`
	}
	batches := `[{"items": [` + item("1", "a") + `,` + item("2", "b") + `], "task": {"batchNo": 1}}, {"items": [` + item("1", "c") + `,` + item("3", "e") + `], "task": {"batchNo": 2}}]`
	row := func(login, id, more string) string {
		return login + ",set.A," + id + ",TGT,eng,deu,50,d#A,False,[],1,2" + more + "\n"
	}
	segments, problems, _ := exchangetest.Read(Format, exchangetest.Files("b.json", batches, "s.csv", row("u", "3", "")+row("u", "1", "")+row("v", "1", ",1,17")+row("w", "1", "")), exchangetest.Protocol(t, "esa"))
	if len(problems) != 1 || !strings.HasPrefix(problems[0], "s.csv:4: itemID: several batches have an item") {
		t.Errorf("problems %q", problems)
	}
	got := map[string]string{}
	for _, s := range segments {
		for _, r := range s.Translations[0].Ratings {
			got[s.SegmentID] += r.Annotator
		}
	}
	if fmt.Sprint(got) != "map[a:v c:u e:u]" {
		t.Errorf("got %v", got)
	}
}

// A note counts the ratings that lose all their errors.
func TestBare(t *testing.T) {
	c, want := exchangetest.SourceErrors(exchangetest.Protocol(t, "mqm"))
	if _, notes := exchangetest.Write(t, Format, c); !slices.Contains(notes, want) {
		t.Errorf("no note %q in %q", want, notes)
	}
}

// What is written and read again is the campaign, but for what the notes and the parts that are not carried say.
func TestRoundTrip(t *testing.T) {
	for _, id := range []string{"esa", "mqm"} {
		t.Run(id, func(t *testing.T) {
			p := exchangetest.Protocol(t, id)
			for seed := range uint64(40) {
				g := exchangetest.New(seed)
				c := g.Content(p)
				files, _ := exchangetest.Write(t, Format, c)
				if !exchangetest.Is(t, Format, files) {
					t.Fatal("not recognised")
				}
				got, problems, _ := exchangetest.Read(Format, files, p)
				if len(problems) > 0 {
					t.Fatalf("seed %d: %s", seed, problems[0])
				}
				want := exchangetest.All(t, c.Segments)
				for i := range want {
					lost(p, &want[i])
				}
				slices.SortStableFunc(got, func(a, b campaign.Segment) int {
					at := func(s campaign.Segment) int {
						return slices.IndexFunc(want, func(w campaign.Segment) bool { return w.DocID == s.DocID && w.SegmentID == s.SegmentID })
					}
					return at(a) - at(b)
				})
				if len(got) != len(want) {
					t.Fatalf("seed %d: %d segments, want %d", seed, len(got), len(want))
				}
				for i := range want {
					if !reflect.DeepEqual(got[i], want[i]) {
						t.Fatalf("seed %d:\n got %+v\nwant %+v", seed, got[i], want[i])
					}
				}
			}
		})
	}
}

// lost takes from a segment what the format has no place for.
func lost(p *protocol.Protocol, s *campaign.Segment) {
	s.Absent = nil
	if len(s.References) > 0 {
		r := s.References[0]
		for _, x := range s.References {
			if x.Name == campaign.MainReference {
				r = x
			}
		}
		s.References = []campaign.Reference{{Name: campaign.MainReference, Text: r.Text}}
	}
	for k := range s.Translations {
		t := &s.Translations[k]
		shown, before := trim(t.Text)
		n := codepoint.Len(shown)
		spans := func(in []protocol.ErrorSpan) (out []protocol.ErrorSpan) {
			for _, e := range in {
				e.ID, e.Comment = "", ""
				if e.Category == "" {
					e.Subcategory = ""
				}
				start, end := max(e.Start, before), min(e.End, before+n)
				switch {
				case e.Side == protocol.Source || e.Start < e.End && start >= end:
					continue
				case e.Start == e.End:
					start, end = codepoint.Len(t.Text), codepoint.Len(t.Text)
				}
				e.Start, e.End = start, end
				e.Text, _ = codepoint.Slice(t.Text, start, end)
				out = append(out, e)
			}
			return out
		}
		if t.Suggested != nil {
			made := protocol.Suggestions{Spans: spans(t.Suggested.Spans)}
			for i := range made.Spans {
				made.Spans[i].ID = fmt.Sprint("s", i+1)
			}
			made.Spans, _ = exchange.Suggestible(p, made.Spans, protocol.Texts{Source: s.Source, Translation: t.Text})
			t.Suggested = &made
			if len(made.Spans) == 0 {
				t.Suggested = nil
			}
		}
		last := map[string]int{}
		for _, r := range t.Ratings {
			last[r.Annotator] = max(last[r.Annotator], r.Round)
		}
		t.Ratings = slices.DeleteFunc(t.Ratings, func(r campaign.Rating) bool { return r.Round < last[r.Annotator] })
		slices.SortFunc(t.Ratings, func(a, b campaign.Rating) int { return strings.Compare(a.Annotator, b.Annotator) })
		if len(t.Ratings) == 0 {
			t.Ratings = nil
		}
		for i := range t.Ratings {
			r := &t.Ratings[i]
			r.Round, r.Comment, r.Suggestions = 1, "", nil
			r.Spans = spans(r.Spans)
			for j := range r.Spans {
				r.Spans[j].Suggestion = ""
			}
			r.NoErrors = len(r.Spans) == 0
			if t.Suggested != nil {
				r.Rating = exchange.Decided(*t.Suggested, r.Rating)
			}
		}
	}
}

// TestLongNames writes documents whose names are longer than Appraise takes, and marks behind a line break.
func TestLongNames(t *testing.T) {
	p := exchangetest.Protocol(t, "esa")
	long := strings.Repeat("ü", 240)
	var segments []campaign.Segment
	for _, doc := range []string{long + "1", long + "2"} {
		segments = append(segments, campaign.Segment{DocID: doc, SegmentID: "s", Source: "A.", Translations: []campaign.Translation{{
			System: strings.Repeat("s", 200), Text: "one\ntwo", Ratings: []campaign.Rating{{Annotator: "ann", Round: 1, Rating: protocol.Rating{
				Scores: map[string]float64{"score": 7}, Spans: []protocol.ErrorSpan{
					{Side: protocol.Target, Start: 0, End: 3, Text: "one", Severity: "minor"}, {Side: protocol.Target, Start: 4, End: 7, Text: "two", Severity: "major"},
				},
			}}},
		}}})
	}
	c := exchange.Content{ID: "c", Protocol: p, SourceLang: "en", TargetLang: "de", Systems: []string{strings.Repeat("s", 200)}, Annotators: []string{"ann"},
		Segments: func(yield func(campaign.Segment, error) bool) {
			for _, s := range segments {
				if !yield(s, nil) {
					return
				}
			}
		}}
	files, notes := exchangetest.Write(t, Format, c)
	for _, want := range []string{"2 items have shorter documentIDs", "2 marks stand behind line breaks"} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("no note %q in %q", want, notes)
		}
	}
	seen := map[string]bool{}
	for _, f := range files {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"documentID":"([^"]*)"`).FindAllSubmatch(b, -1) {
			if id := string(m[1]); codepoint.Len(id) > 100 {
				t.Errorf("documentID %s has %d characters", id, codepoint.Len(id))
			} else {
				seen[strings.TrimSuffix(id, duplicate)] = true
			}
		}
	}
	if len(seen) != 2 {
		t.Errorf("documentIDs %v, want 2", seen)
	}
	got, problems, _ := exchangetest.Read(Format, files, p)
	if len(problems) > 0 || len(got) != 2 {
		t.Fatalf("%d segments, problems %v", len(got), problems)
	}
	for i, s := range got {
		if s.DocID != segments[i].DocID || len(s.Translations[0].Ratings) != 1 || s.Translations[0].Ratings[0].Spans[1].Start != 4 {
			t.Errorf("segment %d: %+v", i, s)
		}
	}
}

// TestScoresWithoutBatches writes a document that is in several batches, and reads its scores as Appraise exports them by default, without the
// batches.
func TestScoresWithoutBatches(t *testing.T) {
	var segments []campaign.Segment
	for i := range 350 {
		segments = append(segments, campaign.Segment{DocID: "d", SegmentID: fmt.Sprint(i), Source: "A.", Translations: []campaign.Translation{{
			System: "S", Text: "one", Ratings: []campaign.Rating{{Annotator: "ann", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": float64(i % 101)}}}},
		}}})
	}
	p := exchangetest.Protocol(t, "esa")
	files, _ := exchangetest.Write(t, Format, exchange.Content{ID: "c", Protocol: p, Systems: []string{"S"}, Annotators: []string{"ann"},
		Segments: func(yield func(campaign.Segment, error) bool) {
			for _, s := range segments {
				if !yield(s, nil) {
					return
				}
			}
		}})
	for k, f := range files {
		if f.Name != "scores.csv" {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[k] = exchangetest.Files(f.Name, regexp.MustCompile(`(?m),\d+,\d+$`).ReplaceAllString(string(b), ""))[0]
	}
	got, problems, _ := exchangetest.Read(Format, files, p)
	if len(problems) > 0 || len(got) != len(segments) {
		t.Fatalf("%d segments, problems %v", len(got), problems)
	}
	for i, s := range got {
		if r := s.Translations[0].Ratings; s.SegmentID != fmt.Sprint(i) || len(r) != 1 || r[0].Scores["score"] != float64(i%101) {
			t.Fatalf("segment %d: %+v", i, s)
		}
	}
}

// The published campaigns give the published numbers of items, scores and errors.
func TestPublished(t *testing.T) {
	dir := testenv.Data(t, "esa")
	var expected struct {
		Campaigns map[string]struct {
			File      string
			Processed struct {
				Items    int                `json:"items_TGT"`
				Severity map[string]int     `json:"severity_TGT"`
				Mean     map[string]float64 `json:"system_mean_score"`
				N        map[string]int     `json:"system_n"`
			}
		}
	}
	text, err := os.ReadFile(dir + "/expected.json")
	if err == nil {
		err = json.Unmarshal(text, &expected)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range expected.Campaigns {
		t.Run(name, func(t *testing.T) {
			var in []exchange.File
			for _, file := range []string{c.File, "batches_wmt23_en-de_esa.json"} {
				in = append(in, exchange.File{Name: file, Open: func() (io.ReadCloser, error) { return os.Open(dir + "/" + file) }})
			}
			if !exchangetest.Is(t, Format, in) {
				t.Error("not recognised")
			}
			segments, problems, notes := exchangetest.Read(Format, in, exchangetest.Protocol(t, "esa"))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			t.Log(strings.Join(notes, "\n"))
			sum, n, severity := map[string]float64{}, map[string]int{}, map[string]int{}
			items := 0
			for _, s := range segments {
				for _, tr := range s.Translations {
					for _, r := range tr.Ratings {
						items++
						sum[tr.System] += r.Scores["score"]
						n[tr.System]++
						for _, e := range r.Spans {
							severity[e.Severity]++
						}
					}
				}
			}
			if items != c.Processed.Items || !reflect.DeepEqual(n, c.Processed.N) || !reflect.DeepEqual(severity, c.Processed.Severity) {
				t.Errorf("got %d, %v, %v\nwant %d, %v, %v", items, n, severity, c.Processed.Items, c.Processed.N, c.Processed.Severity)
			}
			for system, want := range c.Processed.Mean {
				if got := sum[system] / float64(n[system]); math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: mean %v, want %v", system, got, want)
				}
			}
		})
	}
}

func TestIs(t *testing.T) {
	for _, text := range []string{"", "[]", "[{}]", "a,b,c\n", `{"items":[]}`, "1,2,3,TGT,5,6,7,8,9,10,11,12\n", `[{"doc_id":"1","items":[]}]`} {
		if exchangetest.Is(t, Format, exchangetest.Files("f", text)) {
			t.Errorf("%q is recognised", text)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(aBatch), []byte(scores))
	f.Add([]byte(strings.ReplaceAll(aBatch, `"_item"`, `"segment_id": "1", "doc_id": "d", "system": "A", "x"`)), []byte(dumpHeader+"\n1,set.A,u1,,NoGroupInfo,2,70,1.5,4.82,54.3,TGT,c,d#A,False,[{\"start_i\": 3}]\n"))
	f.Fuzz(func(t *testing.T, batches, rows []byte) {
		exchangetest.Fuzz(t, Format, exchangetest.Files("b.json", string(batches), "s.csv", string(rows)))
	})
}
