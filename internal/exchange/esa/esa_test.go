package esa

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/exchange/exchangetest"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/testenv"
)

const (
	batch = `[{"task":{"batchNo":1},"items":[
{"sourceText":"Good 🙂 day.","targetText":"Guten Tag.","itemType":"TGT","_item":"A | 7 | d#1","mqm":[]},
{"sourceText":"Good 🙂 day.","targetText":"Tag.","itemType":"BAD","_item":"A | 7 | d#1","mqm":[]},
{"sourceText":"Good 🙂 day.","targetText":"","itemType":"TGT","_item":"B | 7 | d#1","mqm":{"tutorial":{}}},
{"sourceText":"tutorial","targetText":"","itemType":"TGT","_item":null}]}]`
	header = "item\tis_bad\tlogin\tannotator\tscore\tn_minor\tn_missing\tend_time\tduration_seconds\n"
	row    = "7#d#1#A\tTGT\tacc1\tA01\t47.0\t1\t0\t1711197671.5\t60.25\n"
)

func TestRead(t *testing.T) {
	got, problems, notes := exchangetest.ReadWith(ingest.Options{SourceLang: "en", TargetLang: "de"}, Format, exchangetest.Files("items.tsv", header+row+"7#d#1#A#bad1\tBAD\tacc1\tA01\t2\t0\t0\t0\t0\n7#d#1#B\tTGT\tacc2\t\t0\t0\t2\t\t-1\n", "batches.json", batch, "again.json", batch), exchangetest.Protocol(t, "esa"))
	want := []campaign.Segment{{DocID: "d#1", SegmentID: "7", SourceLang: "en", TargetLang: "de", Source: "Good 🙂 day.", Translations: []campaign.Translation{
		{System: "A", Text: "Guten Tag.", Ratings: []campaign.Rating{{Annotator: "A01", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": 47}}, Seconds: 60.25, SubmittedAt: time.UnixMilli(1711197671500).UTC()}}},
		{System: "B", Text: "", Ratings: []campaign.Rating{{Annotator: "acc2", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"score": 0}}}}},
	}}}
	if len(problems) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %q, want %+v", got, problems, want)
	}
	if len(notes) != 2 || !strings.HasPrefix(notes[0], "2 ratings with errors") || !strings.HasPrefix(notes[1], "1 rating of degraded texts") {
		t.Errorf("the notes are %q", notes)
	}
}

func TestProblems(t *testing.T) {
	for name, tt := range map[string]struct{ table, batch, want string }{
		"no batches":      {header + row, "", "t: the table has no texts"},
		"no item":         {header + strings.Replace(row, "7#d#1#A", "7#A", 1), batch, "t:2: item: \"7#A\" is no item"},
		"score":           {header + strings.Replace(row, "47.0", "147", 1), batch, "t:2: score: "},
		"no number":       {header + strings.Replace(row, "47.0", "NaN", 1), batch, "t:2: score: "},
		"login":           {header + strings.Replace(row, "A01", "A 01", 1), batch, "t:2: annotator: "},
		"columns":         {header + "7#d#1#A\tTGT\n", batch, "t:2: the row has 2 columns, and the header has 9"},
		"no header":       {row, batch, "t:1: is no table of ESA"},
		"a column twice":  {"item\titem\tlogin\tscore\n", batch, "t:1: is no table of ESA"},
		"batch cut off":   {"", batch[:len(batch)-30], "b:5: not JSON: the file ends in the middle"},
		"batch encoding":  {"", strings.Replace(batch, "Guten", "G\xfcten", 1), "b:2:"},
		"and a table":     {header + row, "[", "b:1: not JSON: the file ends in the middle"},
		"half a pair":     {"", strings.Replace(batch, "Guten", "\\ud800", 1), "half of a surrogate pair"},
		"a key twice":     {"", strings.Replace(batch, "itemType", "targetText", 1), "given twice"},
		"no batch":        {"", `[{"x":1}]`, "b: has no items"},
		"batch of others": {"", `[1]`, "b:1: not JSON: expected {"},
		"no JSON":         {"", `[{"items":[{]`, "b:1:"},
		"more JSON":       {"", batch + "[]", "more text after the end"},
		"too large":       {"", `[{"items":[{"sourceText":"` + strings.Repeat("x", 2000) + `"}]}]`, "a value is longer than 1000 bytes"},
		"no target":       {"", strings.Replace(batch, `"Guten Tag."`, "3", 1), "b:2: targetText: must be a text"},
		"an item twice":   {"", strings.Replace(batch, `"Tag.","itemType":"BAD"`, `"Tag.","itemType":"TGT"`, 1), `b:3: targetText: is "Tag.", and an earlier item "A | 7 | d#1" has "Guten Tag."`},
		"no rows":         {header, batch, "t: the table has a header and no ratings"},
		"encoding":        {header + "\xff\n", batch, "t:2:1: byte 0xFF is not UTF-8"},
		"empty source":    {"", strings.Replace(batch, "Good 🙂 day.", " ", 1), "b:2: sourceText: empty"},
	} {
		t.Run(name, func(t *testing.T) {
			from := exchangetest.Files("t", tt.table, "b", tt.batch)
			if tt.table == "" {
				from = from[1:]
			}
			if tt.batch == "" {
				from = from[:1]
			}
			if _, problems, _ := exchangetest.ReadWith(ingest.Options{MaxLine: 1000}, Format, from, exchangetest.Protocol(t, "esa")); len(problems) != 1 || !strings.Contains(problems[0], tt.want) {
				t.Errorf("got %q, want %q", problems, tt.want)
			}
		})
	}
}

func TestIs(t *testing.T) {
	for _, tt := range []struct {
		heads []string
		want  bool
	}{
		{[]string{header + row, batch}, true},
		{[]string{batch, "\ufeff" + strings.ReplaceAll(header, "\n", "\r\n")}, true},
		{[]string{header}, true},
		{[]string{batch}, false},
		{[]string{header, "text"}, false},
		{[]string{"system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"}, false},
	} {
		var heads []exchange.Head
		for _, h := range tt.heads {
			heads = append(heads, exchange.Head{Name: "f", Bytes: []byte(h)})
		}
		if got := Format.Is(heads); got != tt.want {
			t.Errorf("%q: got %v", tt.heads, got)
		}
	}
}

// TestPublished reads the published tables: the number of ratings and the mean score of each system are the published ones.
func TestPublished(t *testing.T) {
	var expected struct {
		Campaigns map[string]struct {
			Processed struct {
				ItemsTGT        int                `json:"items_TGT"`
				SystemN         map[string]int     `json:"system_n"`
				SystemMeanScore map[string]float64 `json:"system_mean_score"`
			}
		}
	}
	data, err := os.ReadFile(testenv.Data(t, "esa", "expected.json"))
	if err == nil {
		err = json.Unmarshal(data, &expected)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ESA-1", "ESA-IAA"} {
		var from []exchange.File
		for _, f := range []string{"items." + name + ".tsv", "batches_wmt23_en-de_esa.json"} {
			path := testenv.Data(t, "esa", f)
			from = append(from, exchange.File{Name: f, Open: func() (io.ReadCloser, error) { return os.Open(path) }})
		}
		segments, problems, _ := exchangetest.Read(Format, from, exchangetest.Protocol(t, "esa"))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		n, sum, all := map[string]int{}, map[string]float64{}, 0
		for _, s := range segments {
			for _, tr := range s.Translations {
				for _, r := range tr.Ratings {
					n[tr.System]++
					sum[tr.System] += r.Scores["score"]
					all++
				}
			}
		}
		want := expected.Campaigns[name].Processed
		if all != want.ItemsTGT || !reflect.DeepEqual(n, want.SystemN) {
			t.Errorf("%s: got %d ratings, %v, want %d, %v", name, all, n, want.ItemsTGT, want.SystemN)
		}
		for system, mean := range want.SystemMeanScore {
			if got := sum[system] / float64(n[system]); math.Abs(got-mean) > testenv.Tolerance {
				t.Errorf("%s: the mean of %s is %v, want %v", name, system, got, mean)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(header+row, batch)
	f.Add("item\tlogin\tscore\n7#d#1#B\tx\t1e2\n#\t\t\n", batch)
	f.Add(header, `[{"items":[{"sourceText":1},{"_item":"A | 1 | d","sourceText":"\ud800","targetText":"\u0000"}]},{"items":{}}`)
	f.Fuzz(func(t *testing.T, table, batches string) {
		from := exchangetest.Files("t", table, "b", batches)
		is([]exchange.Head{{Bytes: []byte(table)}, {Bytes: []byte(batches)}})
		segments, _, _ := exchangetest.ReadWith(ingest.Options{MaxLine: 4096}, Format, from, exchangetest.Protocol(t, "esa"))
		for _, s := range segments {
			if s.DocID == "" || s.SegmentID == "" || strings.TrimSpace(s.Source) == "" || len(s.Translations) == 0 {
				t.Fatalf("got %+v", s)
			}
		}
	})
}
