package appraise

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/exchange/exchangetest"
	"annotate/internal/ingest"
)

// tell writes a line for each translation: its document, segment and system, and of each rating the annotator, the score and the words that are marked.
func tell(segments []campaign.Segment) (out []string) {
	for _, s := range segments {
		for _, t := range s.Translations {
			line := s.DocID + " " + s.SegmentID + " " + t.System
			for _, r := range t.Ratings {
				line += fmt.Sprint(" ", r.Annotator, r.Scores["score"])
				for _, e := range r.Spans {
					line += " " + e.Text
				}
			}
			out = append(out, line)
		}
	}
	return out
}

const (
	// Two systems of a document in a batch, the second of which has the text of a third in its second segment, as in WMT24.
	wmt24 = `[{"items": [
 {"documentID": "news_#_1", "sourceID": "set", "targetID": "set.A", "itemType": "TGT", "sourceText": "One.", "targetText": "Eins.", "itemID": 1, "isCompleteDocument": false},
 {"documentID": "news_#_1", "sourceID": "set", "targetID": "set.A", "itemType": "TGT", "sourceText": "Two.", "targetText": "Zwei.", "itemID": 2, "isCompleteDocument": false},
 {"documentID": "news_#_1", "sourceID": "set", "targetID": "set.A", "itemType": "TGT", "sourceText": "One. Two.", "targetText": "Eins. Zwei.", "itemID": 3, "isCompleteDocument": true},
 {"documentID": "news_#_1", "sourceID": "set", "targetID": "set.B", "itemType": "TGT", "sourceText": "One.", "targetText": "Ein.", "itemID": 1, "isCompleteDocument": false},
 {"documentID": "news_#_1", "sourceID": "set", "targetID": "set.B+set.C", "itemType": "TGT", "sourceText": "Two.", "targetText": "2.", "itemID": 2, "isCompleteDocument": false}
 ], "task": {"batchNo": 1, "sourceLanguage": "eng", "targetLanguage": "deu"}}]`
	// All items of WMT25 are whole documents, and the id of the document has the pair and the domain.
	wmt25 = `[{"items": [
 {"documentID": "en-de_#_news_#_7", "sourceID": "en-de_#_news_#_7_#_0", "targetID": "A", "itemType": "TGT", "sourceText": "One.", "targetText": "Eins.", "itemID": 1, "isCompleteDocument": true},
 {"documentID": "en-de_#_news_#_7", "sourceID": "en-de_#_news_#_7_#_1", "targetID": "A", "itemType": "TGT", "sourceText": "Two.", "targetText": "Zwei.", "itemID": 2, "isCompleteDocument": true}
 ], "task": {"batchNo": 1, "sourceLanguage": "eng", "targetLanguage": "deu"}}]`
	// A campaign without documents, one of whose items is in two batches.
	direct = `[{"items": [{"sourceID": "1", "targetID": "A", "itemType": "TGT", "sourceText": "One.", "targetText": "Eins.", "itemID": 1, "mqm": []}],
  "task": {"batchNo": 1, "sourceLanguage": "eng", "targetLanguage": "deu"}},
 {"items": [{"sourceID": "1", "targetID": "A", "itemType": "TGT", "sourceText": "One.", "targetText": "Eins.", "itemID": 1, "mqm": []}],
  "task": {"batchNo": 2, "sourceLanguage": "eng", "targetLanguage": "deu"}}]`
	// Two translations beside each other.
	pairwise = `[{"items": [
 {"documentID": "d", "itemID": 1, "itemType": "TGT", "isCompleteDocument": false, "segmentID": "set", "segmentText": "One.", "targets": [
  {"itemID": 1, "targetID": "A", "targetText": "Eins."}, {"itemID": 1, "targetID": "B", "targetText": "Ein."}]}
 ], "task": {"batchNo": 1, "sourceLanguage": "eng", "targetLanguage": "deu"}}]`
	lines = `{"annotator": "u", "score": 40, "mqm_annotations": "[{\"start_i\": 0, \"end_i\": 3, \"severity\": \"minor\"}]", "source_id": "s", "source_text": "One.", "target_id": "A", "target_text": "Eins.", "item_id": 1, "item_type": "TGT", "document_id": "d", "is_complete_document": false, "source_language": "eng", "target_language": "deu", "start_time": 5.5, "end_time": 7.5, "campaign_name": "c", "batch_number": 1}
{"annotator": "v", "score": 60, "mqm_annotations": "[]", "source_id": "s", "source_text": "One.", "target_id": "A", "target_text": "Eins.", "item_id": 1, "item_type": "TGT", "document_id": "d", "is_complete_document": false, "source_language": "eng", "target_language": "deu", "start_time": 5.5, "end_time": 7.5, "campaign_name": "c", "batch_number": 1}
{"annotator": "u", "source_id": "s", "source_text": "Two.", "targets": [{"target_id": "A", "target_text": "Zwei.", "score": 10, "mqm_annotations": "[]", "start_time": 1, "end_time": 2}, {"target_id": "B", "target_text": "2.", "score": 20, "mqm_annotations": "[]", "start_time": 1, "end_time": 2}], "item_id": 2, "item_type": "TGT", "document_id": "e", "is_complete_document": false, "source_language": "eng", "target_language": "deu", "campaign_name": "c", "batch_number": 2}
`
	published = `{"doc_id": "en-de_#_news_#_7_#_0", "src_text": "One.", "tgt_text": {"A": "Eins.", "refA": "Eines.", "B": "Ein."}, "scores": {"A": [{"score": "40", "annotator": "u", "errors": [{"start_i": "0", "end_i": 3, "severity": "minor", "error_type": null}], "times": [1, 3]}, {"human": 50, "annotator": "v", "errors": []}]}}
{"doc_id": "en-cs_#_news_#_7_#_0", "src_text": "One.", "tgt_text": {"A": "Jeden."}, "scores": {}}
`
	published24 = `{"line_id": 1, "doc_id": "news_#_7_#_1", "src_text": "Two.", "tgt_text": {"A": "Zwei.", "refA": "2."}, "scores": {"A": {"human1": 10, "errors1": [], "annotator1": "u", "human2": 20, "errors2": [], "Metric": -0.5}, "refA": {"human": 99.5}}}
`
)

// What Appraise and WMT wrote in other versions and other kinds of campaigns is read.
func TestVariants(t *testing.T) {
	errors := `"[{""start_i"":0,""end_i"":3,""severity"":""minor"",""error_type"":null}]"`
	for name, c := range map[string]struct {
		files, want []string
		note        string
	}{
		"several systems": {
			[]string{wmt24, "u,set.A,1,TGT,eng,deu,50,news_#_1,False," + errors + ",1,2\nu,set.A,3,TGT,eng,deu,51,news_#_1,True,[],1,2\n" +
				"u,set.B,2,TGT,eng,deu,52,news_#_1,False,[],1,2\nu,set.C,2,TGT,eng,deu,52,news_#_1,False,[],1,2\nv,set.C,2,TGT,eng,deu,53,news_#_1,False,[],1,2\n"},
			[]string{"news_#_1 1 A u50 Eins", "news_#_1 1 B", "news_#_1 2 A", "news_#_1 2 B u52", "news_#_1 2 C u52 v53"},
			"1 item that is a whole document left out",
		},
		"the column of items has sources": {
			[]string{wmt25, "u,A,en-de_#_news_#_7_#_1,TGT,eng,deu,50,en-de_#_news_#_7,True," + errors + ",1,2\n"},
			[]string{"en-de_#_news_#_7 0 A", "en-de_#_news_#_7 1 A u50 Zwei"}, "",
		},
		"a column of sources": {
			[]string{wmt25, "u,en-de_#_news_#_7_#_1,A,2,TGT,eng,deu,50,en-de_#_news_#_7,True," + errors + ",1,2,1,17\n"},
			[]string{"en-de_#_news_#_7 0 A", "en-de_#_news_#_7 1 A u50 Zwei"}, "",
		},
		"no documents":           {[]string{direct, "u,A,1,TGT,eng,deu,50," + errors + ",1,2\n"}, []string{"1 1 A u50 Eins"}, ""},
		"no documents or errors": {[]string{direct, "u,A,1,TGT,eng,deu,50,1.5,2.5,1,17\n"}, []string{"1 1 A u50"}, ""},
		"no errors":              {[]string{aBatch, "u,set.B,3,TGT,eng,deu,50,d#B,False,1,2\n"}, []string{"d 7 A", "d 7 B u50", "e 1 A", "e 1 B"}, ""},
		"pairwise": {
			[]string{pairwise, "u,A,1,TGT,eng,deu,50,d,False,1,2,1,17,0\nu,B,1,TGT,eng,deu,60,d,False,1,2,1,17,1\n"},
			[]string{"d 1 A u50", "d 1 B u60"}, "",
		},
		"pairwise with errors": {
			[]string{pairwise, "u,A,1,TGT,eng,deu,50,d,False," + errors + ",1,2,1,17,0\n"}, []string{"d 1 A u50 Eins", "d 1 B"}, "",
		},
		"lines":             {[]string{lines}, []string{"d 1 A u40 Eins v60", "e 1 A u10", "e 1 B u20"}, ""},
		"published":         {[]string{published}, []string{"en-de_#_news_#_7 0 A u40 Eins v50", "en-de_#_news_#_7 0 B"}, "1 segment of other language pairs left out"},
		"published earlier": {[]string{published24}, []string{"news_#_7 1 A u10 unknown220", "news_#_7 1 refA"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var named []string
			for i, text := range c.files {
				named = append(named, fmt.Sprint("f", i), text)
			}
			in := exchangetest.Files(named...)
			if !exchangetest.Is(t, Format, in) {
				t.Error("not recognised")
			}
			if id, err := Format.Of(in, ingest.Options{}); err != nil || id != "esa" {
				t.Errorf("the protocol is %q, %v", id, err)
			}
			opt := ingest.Options{SourceLang: "en", TargetLang: "de", Select: true, Notes: &ingest.Notes{}}
			segments, problems, notes := exchangetest.ReadWith(opt, Format, in, exchangetest.Protocol(t, "esa"))
			if got := tell(segments); len(problems) > 0 || !slices.Equal(got, c.want) {
				t.Errorf("got %q, problems %q, notes %q", got, problems, notes)
			}
			if c.note != "" && !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, c.note) }) {
				t.Errorf("no note %q in %q", c.note, notes)
			}
		})
	}
}

// References, scores of metrics, domains and times come with published ratings.
func TestPublishedParts(t *testing.T) {
	segments, problems, _ := exchangetest.ReadWith(ingest.Options{SourceLang: "en", TargetLang: "de", Select: true}, Format,
		exchangetest.Files("a.jsonl", published, "b.jsonl", published24), exchangetest.Protocol(t, "esa"))
	if len(problems) > 0 || len(segments) != 2 {
		t.Fatalf("%d segments, problems %q", len(segments), problems)
	}
	a, b := segments[0], segments[1]
	if a.Domain != "news" || len(a.References) != 1 || a.References[0] != (campaign.Reference{Name: "refA", Text: "Eines."}) || a.Translations[0].Ratings[0].Seconds != 2 {
		t.Errorf("got %+v", a)
	}
	if m := b.Translations[0].Metrics; len(m) != 1 || m[0] != (campaign.MetricValue{Name: "Metric", Score: -0.5}) || len(b.References) != 1 ||
		!slices.Equal(b.Translations[1].HumanScores, []campaign.HumanScore{{Name: "human", Score: 99.5}}) {
		t.Errorf("got %+v", b)
	}
}

// What is wrong in JSON lines is named with its place.
func TestLinesRefused(t *testing.T) {
	for text, want := range map[string]string{
		lines + "{\n": "f:4:2: not JSON",
		strings.Replace(lines, `"score": 60`, `"score": 600`, 1):                           "f:2: score: ",
		strings.Replace(published, `"scores": {"A"`, `"scores": {"C"`, 1):                  `f:1: scores: there is no translation by "C"`,
		strings.Replace(published, `"human": 50`, `"human": 500`, 1):                       "f:1: scores.A.score: ",
		strings.Replace(published, `"end_i": 3`, `"end_i": 300`, 1):                        "f:1: scores.A.mqm: an error is from",
		strings.Replace(published, `"en-de_#_news_#_7_#_0"`, `"7"`, 1):                     "f:1: doc_id: must be a text with the document and the segment",
		strings.Replace(published, `"tgt_text": {"A": "Jeden."}`, `"tgt_text": "x"`, 1):    "f:2: tgt_text: must be an object",
		strings.Replace(published, `"src_text": "One.", "tgt`, `"src_text": " ", "tgt`, 1): "f:1: src_text: is missing or empty",
		published: `f:2: doc_id: is "en-cs", and the language pair of earlier items is en-de; name the pair en-de`,
	} {
		_, problems, _ := exchangetest.Read(Format, exchangetest.Files("f", text), exchangetest.Protocol(t, "esa"))
		problems = slices.DeleteFunc(problems, func(p string) bool { return text != published && strings.Contains(p, `is "en-cs"`) })
		if len(problems) != 1 || !strings.HasPrefix(problems[0], want) {
			t.Errorf("%s\n got %q\nwant %q", text, problems, want)
		}
	}
}

func FuzzVariants(f *testing.F) {
	for _, text := range []string{lines, published, published24} {
		f.Add([]byte(text), []byte(aBatch))
	}
	for _, text := range []string{wmt24, wmt25, direct, pairwise} {
		f.Add([]byte(text), []byte("u,A,1,TGT,eng,deu,50,d,False,1,2,1,17,0\n"))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		exchangetest.Fuzz(t, Format, exchangetest.Files("a", string(a), "b", string(b)))
	})
}
