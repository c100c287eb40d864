package pearmut

import (
	"cmp"
	"fmt"
	"reflect"
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
)

// Elements are UTF-16 units without line breaks, and without some tags in later versions of Pearmut, and spans include their last.
func TestOffsets(t *testing.T) {
	both := []counting{withoutTags, withTags}
	for _, tt := range []struct {
		text        string
		first, last int
		want        string
		by          []counting
	}{
		{"A word", 2, 5, "word", both},
		{"🚀 rocket word", 10, 13, "word", both},
		{"One.\nTwo word", 8, 11, "word", both},
		{"a\n\nb", 0, 1, "a\n\nb", both},
		{"\na\n", 0, 0, "a", both},
		{"x🚀y", 1, 2, "🚀", both},
		{"x🚀y", 2, 2, "🚀", both}, // half of a pair
		{"x🚀y", 0, 1, "x🚀", both},
		{"e\u0301x", 1, 1, "\u0301", both},
		{"a\rb", 1, 1, "\r", []counting{withTags}},
		{"a\rb", 1, 1, "b", []counting{withoutTags}},
		{"a <b>bold</b> word", 2, 5, "bold", []counting{withoutTags}},
		{"a <b>bold</b> word", 5, 8, "bold", []counting{withTags}},
		{"a <b>bold</b> word", 0, 6, "a <b>bold</b> ", []counting{withoutTags}},
		{"<u>a</u> <B>b</B> <i x>c", 0, 2, "<u>", both}, // tags that are shown
	} {
		for _, c := range tt.by {
			places := c.places(tt.text)
			start, end, ok := toText(places, tt.first, tt.last)
			got, _ := codepoint.Slice(tt.text, start, end)
			if !ok || got != tt.want {
				t.Errorf("%q %d..%d is %q, %v, want %q", tt.text, tt.first, tt.last, got, ok, tt.want)
				continue
			}
			if first, last, shown, exact := fromText(places, start, end); !shown || !exact || tt.text != "x🚀y" && (first != tt.first || last != tt.last) {
				t.Errorf("%q is %d..%d, %v, %v, want %d..%d", tt.want, first, last, shown, exact, tt.first, tt.last)
			}
		}
	}
	for _, bad := range [][2]int{{-1, 0}, {0, 2}, {2, 2}, {1, 0}, {0, 1 << 40}} {
		if _, _, ok := toText(withoutTags.places("a\nb"), bad[0], bad[1]); ok {
			t.Errorf("%v is in the text", bad)
		}
	}
}

const (
	aCampaign = `{
 "info": {"assignment": "task-based", "protocol": "ESA"},
 "campaign_id": "small",
 "data_welcome": [[{"text": "Hello?", "form": "string"}], [{"src": "s", "tgt": {"A": "t"}, "validation": {"A": {"score": [1, 2]}}}]],
 "data": [
  [[
    {"item_id": "d_#_x_#_1", "src": "A dog.\nIt ran.", "ref": "Ein Hund.", "tgt": {"A": "Ein Hund.\nEs lief.", "B": "Hund"}, "instructions": "Judge.",
     "error_spans": {"A": [{"start_i": 9, "end_i": 10, "severity": "minor", "category": null}]}},
    {"item_id": "d_#_x_#_2", "src": "It barked.", "tgt": {"A": "🙂 Es bellte.", "B": ""}}
   ],
   [{"item_id": "alone", "src": "One.", "tgt": {"A": "Eins."}}, {"item_id": "check", "src": "Check.", "tgt": {"A": "X"}, "validation": {"A": {"score": [0, 1]}}}]
  ],
  [[{"src": "No id.", "tgt": {"A": "Keine Id."}}]]
 ]}`
	items   = `"item": [{"item_id": "d_#_x_#_1", "src": "A dog.\nIt ran.", "ref": "Ein Hund.", "tgt": {"B": "Hund", "A": "Ein Hund.\nEs lief."}, "error_spans": {"A": [{"start_i": 9, "end_i": 10, "severity": "minor", "category": null}]}}, {"item_id": "d_#_x_#_2", "src": "It barked.", "tgt": {"A": "🙂 Es bellte."}}]`
	actions = `"actions": [{"time": 1000, "action": "load"}, {"time": 1010, "action": "create_span", "index": 0, "model": "A", "start_i": 1, "end_i": 2}, {"time": 1500, "action": "score", "index": 0, "model": "B", "value": 1}, {"time": 1505.5, "action": "score", "index": 1, "model": "A", "value": 2}, {"time": 1507, "action": "submit"}]`
	older   = `{"annotation": [{"A": {"score": 1, "error_spans": []}, "B": {"score": 1, "error_spans": []}}, null], ` + items + `, "user_id": "lin", "item_i": 0}`
	newer   = `{"annotation": [{"A": {"score": 70, "error_spans": [{"start_i": 9, "end_i": 10, "category": null, "severity": "minor"}, {"start_i": 17, "end_i": 17, "category": null, "severity": "major"}], "textfield": null},` +
		` "B": {"score": null, "error_spans": [], "textfield": null}}, {"A": {"score": 95, "error_spans": [{"start_i": 3, "end_i": 4, "category": null, "severity": "minor"}], "textfield": "mine"}}], ` + actions + `, ` + items + `, "user_id": "lin", "item_i": 0, "validations": [true], "comment": "hm"}`
)

// Read reads a campaign and its log, each alone or both together.
func TestRead(t *testing.T) {
	campaignFile := []string{"data/tasks/small.json", aCampaign}
	logFile := []string{"data/annotations/small.jsonl", strings.Join([]string{
		older,
		newer,
		`{"annotation": [{"A": {"score": 5}}], "item": [{"item_id": "alone", "src": "One.", "tgt": {"A": "Eins."}}], "user_id": "a b", "item_i": 1}`,
		`{"annotation": "__RESET__", "user_id": "a b", "item_i": 1}`,
		`{"annotation": ["German"], "item": [{"text": "Hello?", "form": "string"}], "user_id": "lin", "item_i": "welcome_0"}`,
		`{"annotation": [{"A": {"score": 5}}], "item": [{"src": "r", "tgt": {"A": "r"}}], "user_id": "lin", "item_i": "random_3"}`,
		`{"annotation": [{"A": {"score": 50, "error_spans": []}}], "item": [{"src": "No id.", "tgt": {"A": "Keine Id."}}], "user_id": "a b", "item_i": 2}`,
	}, "\n")}
	for _, files := range [][]string{campaignFile, logFile, append(slices.Clone(logFile), campaignFile...), {"download.json", `{"small": [` + strings.ReplaceAll(logFile[1], "\n", ",\n") + `], "none": []}`}} {
		t.Run(files[0], func(t *testing.T) {
			in := exchangetest.Files(files...)
			if !exchangetest.Is(t, Format, in) {
				t.Error("not recognised")
			}
			segments, problems, notes := exchangetest.Read(Format, in, exchangetest.Protocol(t, "esa"))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if id, err := Format.Of(in, ingest.Options{}); err != nil || id != "esa" {
				t.Errorf("the protocol is %q, %v", id, err)
			}
			var ids []string
			for _, s := range segments {
				ids = append(ids, s.DocID+" "+s.SegmentID)
			}
			s := segments[0]
			if s.Source != "A dog.\nIt ran." || s.References[0] != (campaign.Reference{Name: "ref", Text: "Ein Hund."}) || s.Translations[1].Text != "Hund" {
				t.Errorf("got %+v", s)
			}
			if got := s.Translations[0].Suggested.Spans[0]; got.Text != "Es" || got.Start != 10 || got.ID != "s1" {
				t.Errorf("the suggestion is %+v", got)
			}
			all := strings.Join(notes, "\n")
			want := "d_#_x 1, d_#_x 2, alone alone, 1 1"
			if !strings.Contains(files[0]+files[len(files)-2], "tasks") {
				want = "d_#_x 1, d_#_x 2, 1 1"
			} else if !strings.Contains(all, "2 documents of data_welcome, tutorials, forms or checks of attention, left out") || !strings.Contains(all, "1 item with validation") {
				t.Errorf("notes: %s", all)
			}
			if strings.Join(ids, ", ") != want {
				t.Errorf("segments %q, want %q", ids, want)
			}
			if files[0] == campaignFile[0] {
				return
			}
			for _, note := range []string{"2 submissions left out, since a later one", "1 reset, which voids", "2 submissions of tutorials", "1 comment on a whole document, which is now", "1 translation that the user", `a b is a_b-c8687a08`} {
				if !strings.Contains(all, note) {
					t.Errorf("no note %q in:\n%s", note, all)
				}
			}
			rated := s.Translations[0].Ratings[0]
			wanted := campaign.Rating{
				Annotator: "lin", Round: 1, Seconds: 10, SubmittedAt: time.Unix(1507, 0).UTC(),
				Rating: protocol.Rating{
					Scores: map[string]float64{"score": 70}, Comment: "hm", Suggestions: []protocol.Outcome{{ID: "s1", Became: protocol.Accepted}},
					Spans: []protocol.ErrorSpan{
						{Side: "target", Start: 10, End: 12, Text: "Es", Severity: "minor", Suggestion: "s1"},
						{Side: "target", Start: 18, End: 18, Severity: "major"},
					},
				},
			}
			if !reflect.DeepEqual(rated, wanted) {
				t.Errorf("got  %+v\nwant %+v", rated, wanted)
			}
			if len(s.Translations[1].Ratings) > 0 {
				t.Error("B is not rated")
			}
			rated = segments[1].Translations[0].Ratings[0]
			if rated.Seconds != 7 || rated.Comment != "mine" || rated.Spans[0].Text != "Es" {
				t.Errorf("got %+v", rated)
			}
			if last := segments[len(segments)-1].Translations[0]; last.Ratings[0].Annotator != "a_b-c8687a08" || !last.Ratings[0].NoErrors {
				t.Errorf("got %+v", last)
			}
		})
	}
}

// Files of earlier versions have arrays where there are objects by system now.
func TestEarlier(t *testing.T) {
	text := `{"annotation": [[{"score": 40, "error_spans": [{"start_i": 0, "end_i": 1, "severity": "major", "category": "Fluency/Grammar"}]}, {"score": 50, "error_spans": []}]], "item": [{"doc_id": "d_#_7", "models": ["A", "B"], "src": "s", "tgt": ["ab", "cd"], "error_spans": [[], []]}], "user_id": "u", "item_i": 0}
{"annotation": [{"score": 60, "error_spans": []}], "item": [{"doc_id": "d_#_8", "model": "A", "src": "s", "tgt": "ab"}], "user_id": "u", "item_i": 1}`
	in := exchangetest.Files("outputs/old.jsonl", text)
	if id, _ := Format.Of(in, ingest.Options{}); id != "mqm" {
		t.Errorf("the protocol is %q", id)
	}
	segments, problems, notes := exchangetest.Read(Format, in, exchangetest.Protocol(t, "mqm"))
	if len(problems) > 0 || len(segments) != 2 || segments[0].DocID != "d" || len(segments[1].Translations[0].Ratings) != 1 {
		t.Fatalf("got %+v, %q", segments, problems)
	}
	if e := segments[0].Translations[0].Ratings[0].Spans[0]; e.Category != "Fluency" || e.Subcategory != "Grammar" || e.Text != "ab" {
		t.Errorf("got %+v", e)
	}
	if !strings.Contains(strings.Join(notes, "\n"), "3 scores left out, since MQM has none") {
		t.Errorf("notes %q", notes)
	}
	segments, problems, _ = exchangetest.Read(Format, exchangetest.Files("da.jsonl", `{"annotation": [{"A": {"score": null, "sliders": {"Accuracy": 70, "fluency": 60, "more": 1}}}], "item": [{"src": "s", "tgt": {"A": "ab"}}], "user_id": "u", "item_i": 0}`), exchangetest.Protocol(t, "rate"))
	if len(problems) > 0 || segments[0].Translations[0].Ratings[0].Scores["accuracy"] != 70 {
		t.Errorf("got %+v, %q", segments, problems)
	}
}

// Versions before 0.3 have annotations for annotation, the place of a translation in the item for its system, or no name at all,
// and the items inside of what the server sent.
func TestFirstVersions(t *testing.T) {
	listwise := `{"annotations":[[{"score":90,"error_spans":[]},{"score":100,"error_spans":[{"start_i":0,"end_i":4,"category":"Style/Awkward style","severity":"minor"}]}]],` +
		`"actions":[{"time":100,"action":"load"},{"time":107,"action":"score","index":0,"candidate":1,"value":100},{"time":110,"action":"score","index":0,"candidate":0,"value":90},{"time":111,"action":"submit"}],` +
		`"item":[{"langs":"en-%s","models":["B","A"],"src":"<audio src=\"1.wav\"></audio>","tgt":["%s","guten Tag"]}],"user_id":"%s","item_i":0}`
	german, italian := fmt.Sprintf(listwise, "de", "hallo", "u"), fmt.Sprintf(listwise, "it", "ciao", "v")
	unnamed := `{"annotations":[{"score":70,"error_spans":[]}],"actions":[{"time":100,"action":"load"},{"time":104,"action":"score","index":0,"value":70}],` +
		`"item":{"status":"ok","payload":[{"doc_id":"d_#_1","src":"s","tgt":"ab"}],"info":{"item_i":0}},"user_id":"u","item_i":0}`
	voided := `{"annotations":[{"score":1,"error_spans":[]}],"item":[{"doc_id":"x","sys_id":"A","src":"s","tgt":"ab"}],"user_id":"u","item_i":0}
{"user_id":"u","item_i":0,"annotations":"__RESET__"}`
	only := ingest.Options{SourceLang: "en", TargetLang: "de", Select: true}
	for _, tt := range []struct {
		text string
		opt  ingest.Options
		want string
		note string
	}{
		{`{"campaign":[` + german + "," + italian + `]}`, only, "1 1 A 100 7 Style, 1 1 B 90 4", "1 item of other language pairs left out"},
		{german, ingest.Options{}, "1 1 A 100 7 Style, 1 1 B 90 4", ""},
		{unnamed, ingest.Options{}, "d 1 candidate_0 70 4", "1 translation whose system the file does not name"},
		{voided, ingest.Options{}, "", "1 reset"},
	} {
		in := exchangetest.Files("annotations.json", tt.text)
		if !exchangetest.Is(t, Format, in) {
			t.Errorf("%s is not recognised", tt.text)
		}
		segments, problems, notes := exchangetest.ReadWith(tt.opt, Format, in, exchangetest.Protocol(t, "esa"))
		var got []string
		for _, s := range segments {
			for _, tr := range s.Translations {
				for _, r := range tr.Ratings {
					line := fmt.Sprint(s.DocID, " ", s.SegmentID, " ", tr.System, " ", r.Scores["score"], " ", r.Seconds)
					for _, e := range r.Spans {
						line += " " + e.Category
					}
					got = append(got, line)
				}
			}
		}
		if len(problems) > 0 && tt.want != "" || strings.Join(got, ", ") != tt.want || !strings.Contains(strings.Join(notes, "\n"), tt.note) {
			t.Errorf("%s\n got %q, %q, %q\nwant %q", tt.text, got, problems, notes, tt.want)
		}
	}
}

// A download of WMT26 has the logs of several language pairs, whose campaigns name them.
func TestDownloadOfPairs(t *testing.T) {
	line := func(text, spans string) string {
		return `{"user_id": "u", "item_i": 3, "annotation": [{"A": {"score": 70, "error_spans": [` + spans + `]}, "B": {"score": 60, "error_spans": []}}], "actions": [],
 "item": [{"src": "<video src='1.mp4' controls></video>", "src_text": "Hello.", "tgt": {"A": "` + text + `", "B": "x", "C": "y"}, "item_id": "speech_###_id_1_###_0", "instructions": "<div>"}]}`
	}
	check := `{"user_id": "u", "item_i": "random_0", "annotation": [{"1st translation": {"score": 1, "error_spans": []}}], "actions": [], "item": [{"src": "s", "tgt": {"1st translation": "x"}, "validation": {}, "item_id": "attention_check_0"}]}`
	text := `{"eng_Latn---ces_Latn v3": [], "eng_Latn---zho_Hans v3": [` + line("你好", `{"start_i": 3, "end_i": 3, "severity": "major"}`) + "," + check +
		`], "eng_Latn---zho_Hant v3": [` + line("您好", "") + `]}`
	in := exchangetest.Files("annotations.json", text)
	if !exchangetest.Is(t, Format, in) {
		t.Error("not recognised")
	}
	segments, problems, notes := exchangetest.ReadWith(ingest.Options{SourceLang: "en", TargetLang: "zh", Select: true}, Format, in, exchangetest.Protocol(t, "esa"))
	if len(problems) > 0 || len(segments) != 1 || !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "1 item of other language pairs") }) {
		t.Fatalf("%d segments, problems %q, notes %q", len(segments), problems, notes)
	}
	s := segments[0]
	if s.DocID != "speech_###_id_1" || s.SegmentID != "0" || s.Domain != "speech" || s.Source != "Hello." || len(s.Translations) != 3 || len(s.Translations[2].Ratings) > 0 {
		t.Errorf("got %+v", s)
	}
	if e := s.Translations[0].Ratings[0].Spans[0]; e.Start != 2 || e.End != 2 || e.Comment != "special token 2" {
		t.Errorf("got %+v", e)
	}
	_, problems, _ = exchangetest.Read(Format, in, exchangetest.Protocol(t, "esa"))
	want := `annotations.json:3: campaign_id: is "eng_Latn---zho_Hant", and the language pair of earlier items is en-zh-Hans; name the pair en-zh-Hans`
	if len(problems) != 1 || !strings.HasPrefix(problems[0], want) {
		t.Errorf("got  %q\nwant %q", problems, want)
	}
}

// A file does not say whether tags have elements: its spans do.
func TestTags(t *testing.T) {
	for spans, want := range map[string]string{
		`{"start_i": 2, "end_i": 5}`:                               "bold",
		`{"start_i": 5, "end_i": 8}`:                               "bold",
		`{"start_i": 5, "end_i": 8}, {"start_i": 14, "end_i": 17}`: "bold word",
		`{"start_i": 7, "end_i": 10}`:                              "word",
		`{"start_i": 18, "end_i": 18}`:                             "", // [missing], which tags that have no elements leave no room for
	} {
		spans := strings.ReplaceAll(spans, "}", `, "severity": "minor"}`)
		text := `{"annotation": [{"A": {"score": 1, "error_spans": [` + spans + `]}}], "item": [{"item_id": "1", "src": "s", "tgt": {"A": "a <b>bold</b> word"}}], "user_id": "u", "item_i": 0}`
		segments, problems, notes := exchangetest.Read(Format, exchangetest.Files("f.jsonl", text), exchangetest.Protocol(t, "esa"))
		if len(problems) > 0 {
			t.Errorf("%s: %q", spans, problems)
			continue
		}
		var got []string
		for _, e := range segments[0].Translations[0].Ratings[0].Spans {
			got = append(got, e.Text)
		}
		if strings.Join(got, " ") != want || !strings.Contains(strings.Join(notes, "\n"), "1 translation with errors and with HTML tags") {
			t.Errorf("%s is %q, %q, want %q", spans, got, notes, want)
		}
	}
}

// What cannot be read is refused at its place.
func TestRefused(t *testing.T) {
	line := func(annotation, item string) string {
		return `{"annotation": [` + annotation + `], "item": [` + item + `], "user_id": "u", "item_i": 0}`
	}
	one := `{"item_id": "1", "src": "s", "tgt": {"A": "ab"}}`
	for text, want := range map[string]string{
		line(`{"A": {"score": 101}}`, one):     `f.jsonl:1: annotation[0].A.score: `,
		line(`{"A": {"score": "1"}}`, one):     `f.jsonl:1: annotation[0].A.score: must be a number, not a text`,
		line(`{"C": {"score": 1}}`, one):       `f.jsonl:1: annotation[0].C: the item has no translation by this system; correct the name`,
		line(`{"A": {"score": 1}}, null`, one): `f.jsonl:1: annotation: must be an array with as many elements as item, 1`,
		line(`{"A": {"score": 1, "error_spans": [{"start_i": 0, "end_i": 3, "severity": "x"}]}}`, one):                                     `f.jsonl:1: annotation[0].A.error_spans[0]: the elements 0 to 3 are not in the translation`,
		line(`{"A": {"score": 1, "error_spans": [{"start_i": 0}]}}`, one):                                                                  `f.jsonl:1: annotation[0].A.error_spans[0]: start_i and end_i must be whole numbers`,
		line(``, `{"item_id": "1", "tgt": {"A": "ab"}}`):                                                                                   `f.jsonl:1: item[0].src: missing`,
		line(``, `{"item_id": "1", "src": "s"}`):                                                                                           `f.jsonl:1: item[0].tgt: must be an object such as`,
		line(``, `{"item_id": "1", "src": "s", "tgt": ["a"], "models": []}`):                                                               `f.jsonl:1: item[0].tgt: must be an object such as`,
		line(``, `{"item_id": "1", "src": "s", "tgt": "a", "langs": "en-de"}, {"item_id": "2", "src": "s", "tgt": "a", "langs": "en-it"}`): `f.jsonl:1: item[1].langs: is "en-it", and the language pair of earlier items is en-de; name the pair`,
		`{"annotation": [], "user_id": "u", "item_i": 0}`:                                                                                  `f.jsonl:1: item: must be an array with the items`,
		`{"annotation": [], "user_id": "u", "user_id": "v"}`:                                                                               `f.jsonl:1:36: user_id: given twice; keep one`,
		`{"annotation": [`: `f.jsonl:1:16: not JSON`,
		`{"info": {"assignment": "task-based"}, "data": [[[{"src": "s", "tgt": {}}`: `f.jsonl:1: not JSON: the file ends in the middle`,
		`{"info": {"assignment": "task-based"}, "data": 7}`:                         `f.jsonl:1: data: must have documents`,
		`{"info": {"assignment": "task-based"}, "data": []}`:                        `f.jsonl: there are no items to annotate in it`,
		"[]": `f.jsonl: format: the file is neither a campaign nor a log of Pearmut`,
	} {
		_, problems, _ := exchangetest.Read(Format, exchangetest.Files("f.jsonl", text), exchangetest.Protocol(t, "esa"))
		if len(problems) != 1 || !strings.HasPrefix(problems[0], want) {
			t.Errorf("%s\n got %q\nwant %q", text, problems, want)
		}
	}
}

// Files of other formats are not recognised.
func TestIs(t *testing.T) {
	for _, text := range []string{
		"", "{", "[]", `[{"items":[]}]`, `{"doc_id":"1","segment_id":"1","source":"s","translations":{"A":"t"}}`, `{"segment_id":"1","system":"A","annotator":"x","scores":{}}`,
		`{"annotator":"x","doc_id":"1","score_accuracy":1}`, "a\tb\n", `{"data":[1,2]}`, `{"info":{}}`, `{"a":[{"b":1}]}`, `{"annotations":[{"id":1}]}`,
	} {
		if exchangetest.Is(t, Format, exchangetest.Files("f.json", text)) {
			t.Errorf("%q is recognised", text)
		}
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
	for _, p := range exchangetest.Protocols() {
		t.Run(p.ID, func(t *testing.T) {
			for seed := range uint64(40) {
				g := exchangetest.New(seed)
				c := g.Content(p)
				files, _ := exchangetest.Write(t, Format, c)
				if !exchangetest.Is(t, Format, files) {
					t.Fatal("not recognised")
				}
				if id, err := Format.Of(files, ingest.Options{}); err != nil || id != p.ID {
					t.Fatalf("the protocol is %q, %v", id, err)
				}
				got, problems, _ := exchangetest.Read(Format, files, p)
				if len(problems) > 0 {
					t.Fatalf("seed %d: %s", seed, problems[0])
				}
				want := exchangetest.All(t, c.Segments)
				for i := range want {
					want[i].Absent = nil
					for k := range want[i].Translations {
						lost(p, &want[i].Translations[k])
					}
				}
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

// lost takes from a translation what the format has no place for.
func lost(p *protocol.Protocol, t *campaign.Translation) {
	spans := func(in []protocol.ErrorSpan) (out []protocol.ErrorSpan) {
		for _, s := range in {
			places := withoutTags.places(t.Text)
			first, last, shown, _ := fromText(places, s.Start, s.End)
			switch {
			case s.Side == protocol.Source || s.Start < s.End && !shown:
				continue
			case s.Start == s.End:
				s.Start = codepoint.Len(t.Text)
				s.End = s.Start
			default:
				s.Start, s.End, _ = toText(places, first, last)
				s.Text, _ = codepoint.Slice(t.Text, s.Start, s.End)
			}
			out = append(out, s)
		}
		return out
	}
	if t.Suggested != nil {
		t.Suggested = &protocol.Suggestions{Spans: spans(t.Suggested.Spans)}
		t.Suggested.Spans, _ = exchange.Suggestible(p, t.Suggested.Spans, protocol.Texts{Translation: t.Text})
	}
	for i := range t.Ratings {
		r := &t.Ratings[i]
		r.Spans = spans(r.Spans)
		r.NoErrors = p.Spans != nil && len(r.Spans) == 0
		if t.Suggested != nil {
			r.Rating = exchange.Decided(*t.Suggested, r.Rating)
		} else {
			r.Suggestions = nil
			for k := range r.Spans {
				r.Spans[k].Suggestion = ""
			}
		}
	}
}

// Names that Pearmut refuses are renamed, and the notes say so.
func TestNames(t *testing.T) {
	p := exchangetest.Protocol(t, "esa")
	c := exchange.Content{ID: "c", Protocol: p, Systems: []string{"12", "system_12"}, Segments: func(yield func(campaign.Segment, error) bool) {
		yield(campaign.Segment{DocID: "d", SegmentID: "s", Source: "x\ny", Translations: []campaign.Translation{{System: "12", Text: "a\nb", Ratings: []campaign.Rating{
			{Annotator: "u", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": 1}, Spans: []protocol.ErrorSpan{
				{Side: "target", Start: 1, End: 2, Text: "\n", Severity: "minor"}, {Side: "target", Start: 1, End: 3, Text: "\nb", Severity: "minor"}, {Side: "target", Start: 1, End: 1, Severity: "minor"},
			}}},
			{Annotator: "v", Round: 1},
		}}}}, nil)
	}}
	files, notes := exchangetest.Write(t, Format, c)
	for _, want := range []string{`the system "12" is "system_12_" in the files`, "1 mark of line breaks or tags alone is left out", "1 mark is without the line breaks or tags at its ends", "1 mark without words is [missing]", "1 rating lacks a score of the protocol"} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("no note %q in %q", want, notes)
		}
	}
	segments, problems, _ := exchangetest.Read(Format, files, p)
	if len(problems) > 0 || segments[0].Translations[0].System != "12" {
		t.Errorf("got %+v, %q", segments, problems)
	}
	if fmt.Sprint(cmp.Compare(len(segments[0].Translations[0].Ratings), 1)) != "0" {
		t.Errorf("got %+v", segments[0].Translations[0].Ratings)
	}
}

// A dynamic campaign shows a document to a user again with other systems. A later line replaces the ratings of its systems
// alone, and a reset voids those of all systems.
func TestDynamic(t *testing.T) {
	line := func(score int, systems ...string) string {
		var annotated, texts []string
		for _, s := range systems {
			annotated = append(annotated, fmt.Sprintf(`"%s": {"score": %d}`, s, score))
			texts = append(texts, fmt.Sprintf(`"%s": "text"`, s))
		}
		return fmt.Sprintf(`{"annotation": [{%s}], "item": [{"item_id": "d_#_1", "src": "s", "tgt": {%s}}], "user_id": "u", "item_i": 0}`,
			strings.Join(annotated, ", "), strings.Join(texts, ", "))
	}
	resets := `{"annotation": "__RESET__", "user_id": "u", "item_i": 0}`
	const whole, part = "submission left out, since a later one", "rating of a submission left out, since a later submission"
	for _, tt := range []struct {
		lines []string
		want  string
		notes []string
	}{
		{[]string{line(1, "A"), line(2, "B"), line(3, "C")}, "A 1, B 2, C 3", nil},
		{[]string{line(1, "A", "B"), line(2, "B", "C")}, "A 1, B 2, C 2", []string{"1 " + part}},
		{[]string{line(1, "A"), line(2, "B"), line(3, "A")}, "A 3, B 2", []string{"1 " + whole}},
		{[]string{line(1, "A"), line(2, "B"), resets, line(3, "C")}, "C 3", []string{"2 submissions left out", "1 reset"}},
		{[]string{line(1, "A", "B"), line(2, "B"), resets}, "", []string{"2 submissions left out", "1 reset"}},
	} {
		segments, problems, notes := exchangetest.Read(Format, exchangetest.Files("d.jsonl", strings.Join(tt.lines, "\n")), exchangetest.Protocol(t, "esa"))
		var got []string
		for _, s := range segments {
			for _, tr := range s.Translations {
				for _, r := range tr.Ratings {
					got = append(got, fmt.Sprint(tr.System, " ", r.Scores["score"]))
				}
			}
		}
		slices.Sort(got)
		if len(problems) > 0 && tt.want != "" || strings.Join(got, ", ") != tt.want {
			t.Errorf("%q\n got %q, %q\nwant %q", tt.lines, got, problems, tt.want)
		}
		all := strings.Join(notes, "\n")
		for _, want := range append(tt.notes, "") {
			if !strings.Contains(all, want) || strings.Count(all, "left out") != strings.Count(strings.Join(tt.notes, "\n"), "left out") {
				t.Errorf("%q has the notes %q, want %q", tt.lines, notes, tt.notes)
			}
		}
	}
}

// A document without ids is numbered once, so that a long one is read in linear time.
func TestLongDocument(t *testing.T) {
	const n = 20_000
	item := `{"src": "A source.", "tgt": {"A": "text"}}`
	text := `{"campaign_id": "long", "info": {"assignment": "single-stream"}, "data": [[` + strings.Repeat(item+",\n", n-1) + item + `]]}`
	segments, problems, _ := exchangetest.Read(Format, exchangetest.Files("long.json", text), exchangetest.Protocol(t, "esa"))
	if len(problems) > 0 || len(segments) != n {
		t.Fatalf("%d segments, %q", len(segments), problems)
	}
	if s := segments[n-1]; s.DocID != "1" || s.SegmentID != fmt.Sprint(n) {
		t.Errorf("the last is %s %s", s.DocID, s.SegmentID)
	}
}

// A subcategory without a category comes back, and a note counts the ratings whose outcomes have no suggestions to be about.
func TestSubcategoriesAndOutcomes(t *testing.T) {
	p := exchangetest.Protocol(t, "esa")
	missing := protocol.ErrorSpan{Side: "target", Start: 4, End: 4, Severity: "minor", Subcategory: "missing punctuation"}
	c := exchange.Content{ID: "c", Protocol: p, Systems: []string{"A"}, Segments: func(yield func(campaign.Segment, error) bool) {
		yield(campaign.Segment{DocID: "d", SegmentID: "s", Source: "x", Translations: []campaign.Translation{{System: "A", Text: "text", Ratings: []campaign.Rating{
			{Annotator: "u", Round: 1, Rating: protocol.Rating{
				Scores: map[string]float64{"score": 1}, Spans: []protocol.ErrorSpan{missing}, Suggestions: []protocol.Outcome{{ID: "s1", Became: protocol.Rejected}},
			}},
		}}}}, nil)
	}}
	files, notes := exchangetest.Write(t, Format, c)
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "1 rating loses what became of its suggestions") {
		t.Errorf("notes %q", notes)
	}
	segments, problems, _ := exchangetest.Read(Format, files, p)
	if len(problems) > 0 || !reflect.DeepEqual(segments[0].Translations[0].Ratings[0].Spans, []protocol.ErrorSpan{missing}) {
		t.Errorf("got %+v, %q", segments, problems)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{aCampaign, older + "\n" + newer, `{"small": [` + newer + `]}`, `{"annotation": "__RESET__", "user_id": "u", "item_i": 1}`,
		`{"info": {"assignment": "dynamic", "protocol": "MQM", "special_tokens": ["[missing]", "[x]"]}, "data": [[{"src": "s", "tgt": {"A": "a"}, "error_spans": {"A": [{"start_i": 2, "end_i": 2, "severity": "major", "category": "A/A"}]}}]]}`,
		`{"info": {"assignment": "task-based", "sliders": [{"name": "sqm"}]}, "data": {"u": [[{"item_id": 1, "src": "s", "tgt": "t", "models": ["A"]}]]}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		exchangetest.Fuzz(t, Format, exchangetest.Files("f.jsonl", string(text)))
	})
}
