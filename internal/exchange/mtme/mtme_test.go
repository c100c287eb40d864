package mtme

import (
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/testenv"
)

// inMemory makes files of texts, in byte order of their names.
func inMemory(texts map[string]string) (files []exchange.File) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		files = append(files, exchange.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(texts[name])), nil }})
	}
	return files
}

// onDisk lists the files of a folder.
func onDisk(t testing.TB, dir string) (files []exchange.File) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		files = append(files, exchange.File{Name: filepath.ToSlash(rel), Open: func() (io.ReadCloser, error) { return os.Open(file) }})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func headsOf(files []exchange.File) []exchange.Head {
	heads := make([]exchange.Head, len(files))
	for i, f := range files {
		heads[i] = exchange.Head{Name: f.Name}
	}
	return heads
}

func lookup(t testing.TB, id string) *protocol.Protocol {
	t.Helper()
	p, ok := protocol.Lookup(id)
	if !ok {
		t.Fatalf("no protocol %s", id)
	}
	return p.With(protocol.Options{Settings: map[string]string{"source_error": "zero"}})
}

// readAll reads files, with the notes and the errors as texts.
func readAll(files []exchange.File, p *protocol.Protocol, opt ingest.Options) (out []campaign.Segment, notes, problems []string) {
	var told ingest.Notes
	opt.Notes = &told
	if opt.File == "" {
		opt.File = "set.zip"
	}
	for line, err := range Format.Read(files, p, opt) {
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		out = append(out, line.Segment)
	}
	for _, n := range told.List {
		notes = append(notes, n.String())
	}
	return out, notes, problems
}

// small is a test set with what the format has. The outputs of B end without a line break, and the lines of a score file are mixed.
func small() map[string]string {
	return map[string]string{
		"wmt/README.md":                                "about it",
		"wmt/sources/en-de.txt":                        "one\ntwo \U0001F680\nthree\n",
		"wmt/documents/en-de.docs":                     "news\td1\nnone d2\nnews\td1\n",
		"wmt/system-outputs/en-de/A.txt":               "eins \U0001F680 x\r\n\r\ndrei\r\n",
		"wmt/system-outputs/en-de/B.b.txt":             "eins\n[No translation supplied]\ndrei",
		"wmt/system-outputs/en-de/refA.txt":            "Eins\nZwei\nDrei\n",
		"wmt/references/en-de.refA.txt":                "Eins\nZwei\nDrei\n",
		"wmt/references/en-de.refB.txt":                "\nzwo\n\n",
		"wmt/human-scores/en-de.mqm.seg.score":         "A\t-1\nA\tNone\nA\t0\n",
		"wmt/human-scores/en-de.mqm.sys.score":         "A\t-0.5\n",
		"wmt/human-scores/en-de.wmt.z.seg.score":       "A 0.5\nB.b 1\nA None\nB.b None\nA 1e-3\nB.b None\n",
		"wmt/human-scores/en-de.mqm.merged.seg.rating": "A\t" + `{"errors": [{"start": 5, "end": 6, "category": "accuracy/mistranslation", "severity": "Minor", "score": 1, "is_source_error": false}, {"start": 0, "end": 3, "category": null, "severity": "major"}]}` + "\nA\tNone\nA\t{\"errors\": []}\n",
		"wmt/human-scores/en-de.mqm.r2.seg.rating":     "refA\tNone\nrefA\t" + `{"errors": [{"start": 4, "end": 5, "category": "Source issue", "severity": "minor", "is_source_error": true}]}` + "\trater7\nrefA\tNone\n",
		"wmt/metric-scores/en-de/BLEU-refA.seg.score":  "A\t1\nB.b\t4\nA\t2\nB.b\t5\nA\t3\nB.b\t6\n",
		"wmt/metric-scores/en-de/BLEU-refA.sys.score":  "A\t2.5\nB.b\t5.5\n",
	}
}

func TestRead(t *testing.T) {
	files := inMemory(small())
	if !Format.Is(headsOf(files)) {
		t.Error("the files are not recognised")
	}
	got, notes, problems := readAll(files, lookup(t, "mqm"), ingest.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	rating := func(who string, spans ...protocol.ErrorSpan) campaign.Rating {
		return campaign.Rating{Annotator: who, Round: 1, Rating: protocol.Rating{Spans: spans, NoErrors: len(spans) == 0}}
	}
	values := func(name string, x float64) []campaign.MetricValue {
		return []campaign.MetricValue{{Name: name, Score: x}}
	}
	want := []campaign.Segment{
		{DocID: "d1", SegmentID: "1", Domain: "news", SourceLang: "en", TargetLang: "de", Source: "one", References: []campaign.Reference{{Name: "refA", Text: "Eins"}}, Translations: []campaign.Translation{
			{System: "A", Text: "eins \U0001F680 x", HumanScores: []campaign.HumanScore{{Name: "mqm", Score: -1}, {Name: "wmt.z", Score: 0.5}}, Metrics: values("BLEU-refA", 1), Ratings: []campaign.Rating{rating("mqm",
				protocol.ErrorSpan{Side: protocol.Target, Start: 5, End: 6, Text: "\U0001F680", Severity: "minor", Category: "Accuracy", Subcategory: "Mistranslation"},
				protocol.ErrorSpan{Side: protocol.Target, Start: 0, End: 3, Text: "ein", Severity: "major"})}},
			{System: "B.b", Text: "eins", HumanScores: []campaign.HumanScore{{Name: "wmt.z", Score: 1}}, Metrics: values("BLEU-refA", 4)},
			{System: "refA", Text: "Eins"},
		}},
		{DocID: "d2", SegmentID: "2", SourceLang: "en", TargetLang: "de", Source: "two \U0001F680", References: []campaign.Reference{{Name: "refA", Text: "Zwei"}, {Name: "refB", Text: "zwo"}}, Absent: []string{"B.b"}, Translations: []campaign.Translation{
			{System: "A", Metrics: values("BLEU-refA", 2)},
			{System: "refA", Text: "Zwei", Ratings: []campaign.Rating{rating("rater7", protocol.ErrorSpan{Side: protocol.Source, Start: 4, End: 5, Text: "\U0001F680", Severity: "minor", Category: "Source error"})}},
		}},
		{DocID: "d1", SegmentID: "3", Domain: "news", SourceLang: "en", TargetLang: "de", Source: "three", References: []campaign.Reference{{Name: "refA", Text: "Drei"}}, Translations: []campaign.Translation{
			{System: "A", Text: "drei", HumanScores: []campaign.HumanScore{{Name: "mqm", Score: 0}, {Name: "wmt.z", Score: 0.001}}, Metrics: values("BLEU-refA", 3), Ratings: []campaign.Rating{rating("mqm")}},
			{System: "B.b", Text: "drei", Metrics: values("BLEU-refA", 6)},
			{System: "refA", Text: "Drei"},
		}},
	}
	for i := range want {
		if i < len(got) && !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("segment %d is\n%+v, want\n%+v", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d segments", len(got))
	}
	wantNotes := []string{
		"1 file with scores of systems, domains or documents left out, since a campaign has the scores of segments, first at wmt/human-scores/en-de.mqm.sys.score: wmt/human-scores/en-de.mqm.sys.score",
		`1 error of the category "Source issue", which the protocol calls "Source error", first at wmt/human-scores/en-de.mqm.r2.seg.rating:2`,
	}
	if !slices.Equal(notes, wantNotes) {
		t.Errorf("notes %q", notes)
	}
	var systems []campaign.MetricScore
	for line, err := range Format.SystemScores(files, ingest.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		line.Place = campaign.Place{}
		systems = append(systems, line)
	}
	if want := []campaign.MetricScore{{Metric: "BLEU-refA", System: "A", Score: 2.5}, {Metric: "BLEU-refA", System: "B.b", Score: 5.5}}; !reflect.DeepEqual(systems, want) {
		t.Errorf("systems %+v", systems)
	}
	if id, err := Format.Of(files, ingest.Options{}); id != "mqm" || err != nil {
		t.Errorf("protocol %q, %v", id, err)
	}
}

// TestPublished reads WMT23 en-de and compares its counts with the published ones.
func TestPublished(t *testing.T) {
	dir := testenv.Data(t, "wmt23-ende", "wmt23")
	segments, notes, problems := readAll(onDisk(t, dir), lookup(t, "mqm"), ingest.Options{})
	if len(problems) > 0 {
		t.Fatal(problems[:min(len(problems), 5)])
	}
	var want struct {
		Segments int                `json:"n_segments"`
		Docs     int                `json:"n_docs"`
		Systems  []string           `json:"systems"`
		None     int                `json:"gold_none"`
		Gold     map[string]float64 `json:"gold_sys"`
	}
	text, err := os.ReadFile(testenv.Data(t, "wmt23-ende", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	p := lookup(t, "mqm")
	documents, none, metrics, ratings := map[string]bool{}, 0, 0, 0
	sums, n := map[string]float64{}, map[string]float64{}
	for _, s := range segments {
		documents[s.DocID] = true
		if len(s.Translations) != 14 || len(s.References) != 2 {
			t.Fatalf("segment %s has %d translations and %d references", s.SegmentID, len(s.Translations), len(s.References))
		}
		for _, tr := range s.Translations {
			metrics += len(tr.Metrics)
			ratings += len(tr.Ratings)
			if !slices.Contains(want.Systems, tr.System) {
				continue
			}
			if len(tr.HumanScores) == 0 {
				none++
			}
			for _, r := range tr.Ratings {
				x, _ := p.Human("mqm", r.Rating)
				if math.Abs(x-tr.HumanScores[0].Score) > 1e-9 {
					t.Errorf("segment %s by %s: the rating gives %v, and the score is %v", s.SegmentID, tr.System, x, tr.HumanScores[0].Score)
				}
				sums[tr.System] += x
				n[tr.System]++
			}
		}
	}
	if len(segments) != want.Segments || len(documents) != want.Docs || none != want.None {
		t.Errorf("%d segments, %d documents, %d without a score; want %+v", len(segments), len(documents), none, want)
	}
	for system, gold := range want.Gold {
		if got := sums[system] / n[system]; math.Abs(got-gold) > 1e-9 {
			t.Errorf("%s has %v, want %v", system, got, gold)
		}
	}
	lines, err := os.ReadFile(filepath.Join(dir, "human-scores", "en-de.mqm.merged.seg.rating"))
	if err != nil {
		t.Fatal(err)
	}
	// Offsets count the byte order mark that this file of texts begins with.
	if t0 := segments[0].Translations[0]; t0.System != "AIRC" || !strings.HasPrefix(t0.Text, "\ufeff") || t0.Ratings[0].Spans[0].Text != "15" {
		t.Errorf("the first translation is %+v", t0)
	}
	if metrics != 4*7241+2*7798 || ratings != strings.Count(string(lines), "errors") || len(notes) != 4 {
		t.Errorf("%d metric scores, %d ratings, notes %q", metrics, ratings, notes)
	}
}
