package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/protocol"
)

// source yields segments, then err if there is one.
func source(err error, segments ...campaign.Segment) export.Source {
	return func(yield func(campaign.Segment, error) bool) {
		for _, s := range segments {
			if !yield(s, nil) {
				return
			}
		}
		if err != nil {
			yield(campaign.Segment{}, err)
		}
	}
}

func sqm(t testing.TB) *protocol.Protocol {
	t.Helper()
	p, ok := protocol.Lookup("sqm")
	if !ok {
		t.Fatal("no protocol sqm")
	}
	return p
}

func rated(login string, round int, score float64) campaign.Rating {
	return campaign.Rating{Annotator: login, Round: round, Rating: protocol.Rating{Scores: map[string]float64{"sqm": score}}}
}

var at = time.Date(2026, 11, 20, 10, 30, 0, 120_000_999, time.FixedZone("", 2*60*60))

// two returns a segment with all fields, and one with as few as possible.
func two() []campaign.Segment {
	first := rated("mara", 2, 3)
	first.Comment, first.Seconds, first.SubmittedAt = "a \"b\",\n= 1+1 <é> 🙂", 12.25, at
	return []campaign.Segment{
		{
			DocID: "d<1>", SegmentID: "s&1", Domain: "news", DataSource: "web", SourceLang: "zh", TargetLang: "en",
			Source: "a\r\n\t\"\\\b\f\x01\x7f\u0085\u2028\u2029\u00a0é🙂 ", Context: "c", Note: "n",
			References: []campaign.Reference{{Name: "alt", Text: "A"}, {Name: "ref", Text: "R"}, {Name: "x", Text: ""}},
			Translations: []campaign.Translation{
				{System: "Aster", Text: "t", Ratings: []campaign.Rating{rated("lin", 1, 0), rated("mara", 1, 4), rated("lin", 2, 4), first}, Gold: &campaign.Gold{Score: 3.5}},
				{System: "Birch", Ratings: []campaign.Rating{rated("lin", 1, 0), rated("mara", 1, 0), rated("lin", 2, 1), rated("mara", 2, 1)}, Gold: &campaign.Gold{Score: 1}},
			},
			Status: campaign.Agreed, Round: 2,
		},
		{DocID: "2", SegmentID: "2", Source: "x", Translations: []campaign.Translation{{System: "Aster"}, {System: "Birch"}}, Status: campaign.Pending, Round: 1},
	}
}

func TestJSONL(t *testing.T) {
	want := `{"doc_id":"d<1>","segment_id":"s&1","domain":"news","data_source":"web","source_lang":"zh","target_lang":"en",` +
		`"source":"a\r\n\t\"\\\b\f\u0001` + "\x7f" + `\u0085\u2028\u2029` + "\u00a0é🙂 " + `","reference":"R","references":{"alt":"A","x":""},"context":"c","note":"n",` +
		`"translations":{"Aster":"t","Birch":""}}` + "\n" +
		`{"doc_id":"2","segment_id":"2","source":"x","translations":{"Aster":"","Birch":""}}` + "\n"
	var b strings.Builder
	if err := export.JSONL(&b, source(nil, two()...)); err != nil || b.String() != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, &b, want)
	}
}

func TestRatings(t *testing.T) {
	line := func(system, annotator, round, score, rest string) string {
		return `{"doc_id":"d<1>","segment_id":"s&1","system":"` + system + `","annotator":"` + annotator + `","round":` + round +
			`,"scores":{"sqm":` + score + `},"spans":[],` + rest + "}\n"
	}
	const plain = `"comment":"","seconds":0`
	want := line("Aster", "lin", "1", "0", plain) + line("Aster", "mara", "1", "4", plain) + line("Aster", "lin", "2", "4", plain) +
		line("Aster", "mara", "2", "3", `"comment":"a \"b\",\n= 1+1 <é> 🙂","seconds":12.25,"submitted_at":"2026-11-20T08:30:00.12Z"`) +
		line("Birch", "lin", "1", "0", plain) + line("Birch", "mara", "1", "0", plain) + line("Birch", "lin", "2", "1", plain) + line("Birch", "mara", "2", "1", plain)
	segments := two()
	var b strings.Builder
	if _, err := export.Ratings(&b, sqm(t), source(nil, segments...)); err != nil || b.String() != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, &b, want)
	}

	// The order does not depend on that of the source, which is not changed.
	ts := segments[0].Translations
	ts[0], ts[1] = ts[1], ts[0]
	rs := ts[1].Ratings
	rs[0], rs[3] = rs[3], rs[0]
	b.Reset()
	if _, err := export.Ratings(&b, sqm(t), source(nil, segments...)); err != nil || b.String() != want {
		t.Errorf("from another order: got %v\n%s", err, &b)
	}
	if ts[0].System != "Birch" || rs[0].Round != 2 {
		t.Error("the source was put in order in place")
	}
}

// Scores that the protocol lacks are kept, after those of the protocol.
func TestRatingsOtherScores(t *testing.T) {
	r := rated("lin", 1, 2)
	r.Scores["b"], r.Scores["a"] = 0.1, -1e21
	s := campaign.Segment{DocID: "d", SegmentID: "s", Translations: []campaign.Translation{{System: "A", Ratings: []campaign.Rating{r}}}}
	var b strings.Builder
	if _, err := export.Ratings(&b, sqm(t), source(nil, s)); err != nil {
		t.Fatal(err)
	}
	if want := `"scores":{"sqm":2,"a":-1000000000000000000000,"b":0.1}`; !strings.Contains(b.String(), want) {
		t.Errorf("got %s, want %s", &b, want)
	}
}

func TestMENT(t *testing.T) {
	gold := func(score float64) *campaign.Gold { return &campaign.Gold{Score: score} }
	segments := two()
	adjudicated := segments[0]
	adjudicated.SegmentID, adjudicated.Status, adjudicated.References = "s2", campaign.Adjudicated, []campaign.Reference{{Name: "b", Text: "B"}, {Name: "c", Text: "C"}}
	adjudicated.Domain, adjudicated.DataSource, adjudicated.SourceLang, adjudicated.TargetLang = "", "", "", ""
	adjudicated.Translations = []campaign.Translation{
		{System: "Aster", Text: "t", Gold: &campaign.Gold{Score: 1.0 / 3, Adjudicated: true}, Ratings: []campaign.Rating{rated("lin", 2, 4), rated("adam", 2, 0)}},
		{System: "Birch", Text: "u", Gold: &campaign.Gold{Score: 4, Adjudicated: true}},
	}
	ungated := campaign.Segment{DocID: "d", SegmentID: "3", Source: "x", Status: campaign.Ungated, Round: 1, Translations: []campaign.Translation{
		{System: "Aster", Gold: gold(0), Ratings: []campaign.Rating{rated("mara", 1, 0)}}, {System: "Birch", Gold: gold(2), Ratings: []campaign.Rating{rated("mara", 1, 2)}},
	}}
	incomplete := ungated
	incomplete.Translations = []campaign.Translation{{System: "Aster", Gold: gold(0)}, {System: "Birch"}}
	discarded := segments[0]
	discarded.Status = campaign.Discarded

	want := `{"qid":"s&1","category":"news","data_source":"web","src_lang":"zh","trans_lang":"en","src":"a\r\n\t\"\\\b\f\u0001` + "\x7f" + `\u0085\u2028\u2029` + "\u00a0é🙂 " +
		`","ref":"R","trans_0":"t","avg_trans_0_score":3.5,"trans_0_annotators":["B","C"],"trans_0_scores":[4,3],` +
		`"trans_1":"","avg_trans_1_score":1.0,"trans_1_annotators":["B","C"],"trans_1_scores":[1,1]}` + "\n" +
		strings.Replace(`{"qid":"s2","src":"a","ref":"B","adjudicated":true,"trans_0":"t","avg_trans_0_score":0.3333333333333333,"trans_0_annotators":["A","B"],"trans_0_scores":[0,4],"trans_1":"u","avg_trans_1_score":4.0}`,
			`"a"`, `"a\r\n\t\"\\\b\f\u0001`+"\x7f"+`\u0085\u2028\u2029`+"\u00a0é🙂 "+`"`, 1) + "\n" +
		`{"qid":"3","src":"x","trans_0":"","avg_trans_0_score":0.0,"trans_0_annotators":["C"],"trans_0_scores":[0],"trans_1":"","avg_trans_1_score":2.0,"trans_1_annotators":["C"],"trans_1_scores":[2]}` + "\n"
	var b strings.Builder
	systems, _, err := export.MENT(&b, export.MENTOptions{Annotators: []string{"adam", "lin", "mara"}},
		source(nil, segments[1], segments[0], discarded, adjudicated, incomplete, ungated))
	if err != nil || b.String() != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, &b, want)
	}
	b.Reset()
	if n, err := systems.WriteTo(&b); err != nil || b.String() != `{"trans_0":"Aster","trans_1":"Birch"}`+"\n" || n != int64(b.Len()) {
		t.Errorf("systems: got %s, %d, %v", &b, n, err)
	}
}

func TestMENTAverages(t *testing.T) {
	scored := func(id string, scores ...[]campaign.HumanScore) campaign.Segment {
		s := campaign.Segment{DocID: id, SegmentID: id, Source: "x", Status: campaign.Pending}
		for i, h := range scores {
			s.Translations = append(s.Translations, campaign.Translation{System: string(rune('A' + i)), HumanScores: h})
		}
		return s
	}
	other := campaign.HumanScore{Name: "da", Score: 80}
	ment := func(x float64) campaign.HumanScore { return campaign.HumanScore{Name: "ment", Score: x} }
	var b strings.Builder
	_, _, err := export.MENT(&b, export.MENTOptions{Averages: true}, source(nil,
		scored("1", []campaign.HumanScore{other, ment(11.0 / 3)}, []campaign.HumanScore{ment(4)}),
		scored("2", []campaign.HumanScore{other}, []campaign.HumanScore{ment(4)}),
		scored("3", []campaign.HumanScore{ment(0.30000000000000004)}, []campaign.HumanScore{ment(0)}),
	))
	want := `{"qid":"1","src":"x","trans_0":"","avg_trans_0_score":3.6666666666666665,"trans_1":"","avg_trans_1_score":4.0}
{"qid":"3","src":"x","trans_0":"","avg_trans_0_score":0.30000000000000004,"trans_1":"","avg_trans_1_score":0.0}
`
	if err != nil || b.String() != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, &b, want)
	}
}

// The 27th annotator is AA, the 10th translation comes after the 9th.
func TestMENTManyAnnotatorsAndSystems(t *testing.T) {
	s := campaign.Segment{DocID: "d", SegmentID: "s", Source: "x", Status: campaign.Agreed, Round: 1}
	for i := range 12 {
		s.Translations = append(s.Translations, campaign.Translation{System: "system_" + string(rune('a'+i)), Gold: &campaign.Gold{}})
	}
	var logins []string
	for i := range 28 {
		login := "user" + string(rune('A'+i/10)) + string(rune('0'+i%10))
		logins = append(logins, login)
		s.Translations[11].Ratings = append(s.Translations[11].Ratings, rated(login, 1, 0))
	}
	var b strings.Builder
	systems, _, err := export.MENT(&b, export.MENTOptions{Annotators: logins}, source(nil, s))
	if err != nil || len(systems) != 12 || systems[10] != "system_k" {
		t.Fatal(systems, err)
	}
	if !strings.Contains(b.String(), `"trans_9":"","avg_trans_9_score":0.0,"trans_10":"","avg_trans_10_score":0.0,"trans_11"`) || !strings.Contains(b.String(), `"Y","Z","AA","AB"]`) {
		t.Errorf("got %s", &b)
	}
}

// TestMENTLeavesOut: segments that lack a translation are left out, wherever they
// stand, and the notes count what the file can't carry.
func TestMENTLeavesOut(t *testing.T) {
	gold := &campaign.Gold{Score: 1}
	segment := func(doc, id string, systems ...string) campaign.Segment {
		s := campaign.Segment{DocID: doc, SegmentID: id, Source: "x", Status: campaign.Agreed, Round: 2}
		for _, name := range systems {
			s.Translations = append(s.Translations, campaign.Translation{System: name, Gold: gold, Ratings: []campaign.Rating{rated("lin", 1, 2), rated("lin", 2, 1)}})
		}
		return s
	}
	full := segment("d", "3", "A", "B")
	full.Context, full.References = "c", []campaign.Reference{{Name: "a", Text: "A"}, {Name: "b", Text: "B"}}
	full.Translations[0].Ratings[1].Comment = "lost"
	var b strings.Builder
	systems, notes, err := export.MENT(&b, export.MENTOptions{Annotators: []string{"lin"}, Systems: []string{"B", "A"}},
		source(nil, segment("1", "1", "A"), segment("2", "2", "A", "B"), full, segment("e", "3", "A", "B"), segment("4", "4", "B")))
	if err != nil || len(systems) != 2 || strings.Count(b.String(), "\n") != 3 || strings.Contains(b.String(), `"qid":"1"`) {
		t.Errorf("got %v %v\n%s", systems, err, &b)
	}
	want := []string{
		`2 segments in gold are left out, since a system has no translation of them and the file holds one by every system: segment "1" of document "1", segment "4" of document "4"`,
		`1 segment has the id of an earlier one of another document, and the file names segments by their ids alone: segment "3" of document "e"`,
		`6 ratings are left out, since the file holds one round of a segment, the last complete one: segment "2" of document "2" by "A", segment "2" of document "2" by "B", segment "3" of document "d" by "A", and others`,
		`1 comment has no place in the file: segment "3" of document "d" by "A"`,
		`1 reference is left out, since the file holds one for each segment: segment "3" of document "d"`,
		`1 context or note has no place in the file: segment "3" of document "d"`,
		`2 segments lose their documents, which have no place in the file: segment "3" of document "d", segment "3" of document "e"`,
	}
	if !slices.Equal(notes, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(notes, "\n"), strings.Join(want, "\n"))
	}
}

func TestMENTErrors(t *testing.T) {
	segment := func(status campaign.Status, ts ...campaign.Translation) campaign.Segment {
		return campaign.Segment{DocID: "d", SegmentID: "s", Source: "x", Status: status, Round: 1, Translations: ts}
	}
	gold := &campaign.Gold{}
	for _, tt := range []struct {
		name     string
		segments []campaign.Segment
		want     string
	}{
		{"an annotator without a letter", []campaign.Segment{segment(campaign.Agreed, campaign.Translation{System: "A", Gold: gold, Ratings: []campaign.Rating{rated("zoe", 1, 1)}})},
			`segment "s" of document "d": annotator zoe has no letter`},
		{"a rating without the score", []campaign.Segment{segment(campaign.Agreed, campaign.Translation{System: "A", Gold: gold, Ratings: []campaign.Rating{{Annotator: "lin", Round: 1}}})},
			`segment "s" of document "d": a rating by lin has no score sqm, which a ment file lists`},
		{"no number", []campaign.Segment{segment(campaign.Agreed, campaign.Translation{System: "A", Gold: &campaign.Gold{Score: math.NaN()}})},
			`segment "s" of document "d": NaN can't be written as a number`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := export.MENT(&strings.Builder{}, export.MENTOptions{Annotators: []string{"lin"}}, source(nil, tt.segments...))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestCSV(t *testing.T) {
	var b strings.Builder
	if _, err := export.CSV(&b, sqm(t), export.CSVOptions{}, source(nil, two()...)); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	if want := "doc_id,segment_id,domain,system,annotator,round,status,sqm,spans,comment,seconds,submitted_at,in_gold\n"; lines[0] != want {
		t.Errorf("header %q, want %q", lines[0], want)
	}
	if want := "d<1>,s&1,news,Aster,lin,1,agreed,0,[],,0,,no\n"; lines[1] != want {
		t.Errorf("row %q, want %q", lines[1], want)
	}
	if want := "d<1>,s&1,news,Aster,mara,2,agreed,3,[],\"a \"\"b\"\",\n= 1+1 <é> 🙂\",12.25,2026-11-20T08:30:00.12Z,yes\n"; lines[4]+lines[5] != want {
		t.Errorf("row %q, want %q", lines[4]+lines[5], want)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(rows) != 9 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// writers has the functions of four formats, with the same signature.
func writers(t *testing.T) map[string]func(w *limited, s export.Source) error {
	p := sqm(t)
	return map[string]func(w *limited, s export.Source) error{
		"jsonl":   func(w *limited, s export.Source) error { return export.JSONL(w, s) },
		"ratings": func(w *limited, s export.Source) error { return alone(export.Ratings(w, p, s)) },
		"ment": func(w *limited, s export.Source) error {
			_, _, err := export.MENT(w, export.MENTOptions{Annotators: []string{"lin", "mara"}}, s)
			return err
		},
		"csv": func(w *limited, s export.Source) error { return alone(export.CSV(w, p, export.CSVOptions{}, s)) },
	}
}

// limited fails when more than left bytes are written.
type limited struct {
	bytes.Buffer
	left int
}

var errFull = errors.New("disk full")

func (w *limited) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return w.Buffer.Write(p)
}

// An error of the source, of a segment or of the writer is returned, and what
// was written before ends with a line.
func TestErrors(t *testing.T) {
	broken := errors.New("database is gone")
	bad := two()[0]
	bad.Source, bad.Translations[0].Ratings[0].Comment = "\xff", "\xff"
	var many []campaign.Segment
	for range 2000 {
		many = append(many, two()[0])
	}
	for name, write := range writers(t) {
		w := &limited{left: 1 << 30}
		if err := write(w, source(broken, many...)); !errors.Is(err, broken) {
			t.Errorf("%s: broken source: got %v", name, err)
		}
		if w.Len() < 1<<16 || !strings.HasSuffix(w.String(), "\n") {
			t.Errorf("%s: broken source: %d bytes, ending in %q", name, w.Len(), w.Bytes()[max(0, w.Len()-20):])
		}
		if name != "csv" { // which has no rules about bytes
			w = &limited{left: 1 << 30}
			err := write(w, source(nil, append(many, bad)...))
			if want := `segment "s&1" of document "d<1>": text "\xff" is not UTF-8`; err == nil || err.Error() != want {
				t.Errorf("%s: bad segment: got %v, want %s", name, err, want)
			}
			if !strings.HasSuffix(w.String(), "\n") {
				t.Errorf("%s: bad segment: ends in %q", name, w.Bytes()[max(0, w.Len()-20):])
			}
		}
		for _, left := range []int{0, 100_000} {
			if err := write(&limited{left: left}, source(nil, many...)); !errors.Is(err, errFull) {
				t.Errorf("%s: full after %d bytes: got %v", name, left, err)
			}
		}
	}
}

// Every character but U+0000 is read back by encoding/json as it was written,
// in a file that no reader could break in the wrong place.
func TestEveryCharacter(t *testing.T) {
	var text strings.Builder
	for r := rune(1); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) {
			text.WriteRune(r)
		}
	}
	var b bytes.Buffer
	s := campaign.Segment{DocID: "d", SegmentID: "s", Source: text.String()}
	if err := export.JSONL(&b, source(nil, s)); err != nil {
		t.Fatal(err)
	}
	if i := bytes.IndexFunc(b.Bytes()[:b.Len()-1], func(r rune) bool {
		return r < ' ' || r == '\u0085' || r == '\u2028' || r == '\u2029'
	}); i >= 0 {
		t.Errorf("a line could break at byte %d", i)
	}
	var got struct{ Source string }
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || !reflect.DeepEqual(got.Source, text.String()) {
		t.Errorf("the text has changed (%v)", err)
	}
}

// alone is the error of an export without its notes.
func alone(_ []string, err error) error { return err }
