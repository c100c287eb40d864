package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// testSet is a test set of mt-metrics-eval with ratings of two people, A and B, under a protocol.
func testSet(protocol string) [][2]string {
	files := map[string]string{
		"sources/zh-en.txt": "一个\n\U0001F680二\n三\n", "documents/zh-en.docs": "news\td1\nnews\td1\nnone\td2\n",
		"references/zh-en.refA.txt": "one\ntwo\nthree\n", "references/zh-en.refB.txt": "\ndeux\n\n",
		"system-outputs/zh-en/refA.txt": "one\ntwo\nthree\n", "system-outputs/zh-en/sys#1.txt": "One\n\nthree \U0001F680 !\n", "system-outputs/zh-en/X.txt": "1\n[No translation supplied]\n3\n",
		"human-scores/zh-en.wmt.seg.score":         "X\t1\nX\tNone\nX\t0.1\n",
		"metric-scores/zh-en/BLEU-refA.seg.score":  "X\t1\nX\t2\nX\t3\nsys#1\t0.1\nsys#1\t0.2\nsys#1\t1e-7\n",
		"metric-scores/zh-en/BLEU-refA.sys.score":  "X\t2.5\nsys#1\t0.3\n",
		"metric-scores/zh-en/Other-src.sys.score":  "X\t7\n",
		"metric-scores/zh-en/chrF-refA.sys.score":  "refA\t8\n",
		"human-scores/zh-en.rate-esa.sys.score":    "X\t7\n",
		"human-scores/zh-en.something.seg.scores":  "no score",
		"human-scores/zh-en.something.seg.ratings": "no rating",
	}
	const none = "sys#1\tNone\n"
	errors := func(severity string) string {
		return fmt.Sprintf(`sys#1	{"errors":[{"start":6,"end":7,"severity":%q},{"start":0,"end":1,"severity":%q,"is_source_error":true}]}`, severity, severity) + "\n"
	}
	put := func(name, text string) { files["human-scores/zh-en."+name] = text }
	switch protocol {
	case "mqm":
		put("mqm.A.seg.rating", "sys#1\t{\"errors\":[]}\n"+none+errors("minor"))
		put("mqm.B.seg.rating", none+none+errors("major"))
	case "esa":
		put("esa.A.seg.rating", none+none+errors("minor"))
		put("esa.A.seg.score", none+none+"sys#1\t80\n")
		put("esa.B.seg.rating", none+none+"sys#1\t{\"errors\":[]}\n")
		put("esa.B.seg.score", none+none+"sys#1\t90\n")
	case "rate":
		put("rate.A.seg.rating", none+none+errors("3"))
		put("rate-accuracy.A.seg.score", none+none+"sys#1\t80\n")
		put("rate-fluency.A.seg.score", none+none+"sys#1\t70\n")
	case "sqm":
		put("sqm.A.seg.score", "sys#1\t4\n"+none+"sys#1\t0\n")
		put("sqm.B.seg.score", none+none+"sys#1\t2\n")
	}
	var out [][2]string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out = append(out, [2]string{name, files[name]})
	}
	return out
}

// TestMTMEComesBack imports a test set, exports it and imports that, for each protocol. The campaigns are equal but for the scores
// that follow from ratings, which come as human scores.
func TestMTMEComesBack(t *testing.T) {
	db := storetest.Open(t)
	for protocol, ratings := range map[string]int{"mqm": 3, "esa": 2, "rate": 1, "sqm": 3} {
		set, _ := archived(t, testSet(protocol)...)
		var campaigns [][]campaign.Segment
		var exports []map[string]string
		var systems [][]campaign.MetricScore
		for round := range 3 {
			s := storetest.Campaign(t, db.Store, storetest.Protocol(protocol), storetest.Slug(fmt.Sprint(protocol, round)), storetest.Segments(0), storetest.Set("redundancy=1", "gate=off"), storetest.Annotators(0))
			report := storetest.Must(Import(t.Context(), db.Store, s.Campaign, Request{Files: []File{{Name: "set.zip", Reader: bytes.NewReader(set)}}}))(t)
			if report.Segments != 3 || report.Translations != 8 || report.Ratings != ratings || report.MetricScores == 0 || !slices.Contains(report.Notes, fmt.Sprintf("%d files recognised as mtme", len(exportsOf(exports, testSet(protocol))))) {
				t.Errorf("%s, import %d: %+v", protocol, round+1, report)
			}
			s.Reload(t)
			all := s.All(t)
			for i := range all {
				for k := range all[i].Translations {
					if round == 0 {
						all[i].Translations[k].HumanScores = nil
					}
					for n := range all[i].Translations[k].Ratings {
						for m := range all[i].Translations[k].Ratings[n].Spans {
							all[i].Translations[k].Ratings[n].Spans[m].ID = ""
						}
					}
				}
			}
			campaigns = append(campaigns, all)
			systems = append(systems, storetest.Must(db.Records.MetricSystemScores(t.Context(), s.Campaign.ID))(t))
			var b bytes.Buffer
			_, notes, err := ExportWithNotes(t.Context(), db.Store, s.Campaign, format.MTME, Selection{}, &b)
			storetest.Check(t, err)
			for _, note := range notes {
				if !strings.HasPrefix(note, "the scores of systems by the metric") && !strings.HasPrefix(note, "the imported averages") && !strings.HasPrefix(note, "1 metric score of a translation that does not exist is 0") && !strings.Contains(note, "when") {
					t.Errorf("%s: note %q", protocol, note)
				}
			}
			set = b.Bytes()
			exports = append(exports, unpack(t, set))
		}
		for i, got := range campaigns[1:] {
			want := slices.Clone(campaigns[i])
			if i == 0 {
				for k := range got {
					got = slices.Clone(got)
					got[k].Translations = slices.Clone(got[k].Translations)
					for n := range got[k].Translations {
						got[k].Translations[n].HumanScores = nil
					}
				}
			}
			if a, b := inJSON(t, want), inJSON(t, got); a != b {
				t.Errorf("%s, after export %d:\n%s\nwant\n%s", protocol, i+1, b, a)
			}
		}
		if !reflect.DeepEqual(exports[1], exports[2]) {
			t.Errorf("%s: exports differ:\n%v\n%v", protocol, exports[1], exports[2])
		}
		if got := systems[2]; len(got) != len(systems[1]) || !reflect.DeepEqual(got, systems[1]) || len(systems[0]) != 4 {
			t.Errorf("%s: scores of systems %v, then %v, then %v", protocol, systems[0], systems[1], systems[2])
		}
	}
}

// exportsOf returns the latest export, or the files of the first import.
func exportsOf(exports []map[string]string, first [][2]string) map[string]string {
	if len(exports) > 0 {
		return exports[len(exports)-1]
	}
	files := map[string]string{}
	for _, f := range first {
		files[f[0]] = f[1]
	}
	return files
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	return string(storetest.Must(json.MarshalIndent(v, "", " "))(t))
}

// TestMTMEConverted converts a test set to another one, and tells another format's losses.
func TestMTMEConverted(t *testing.T) {
	dir := t.TempDir()
	for _, f := range testSet("mqm") {
		storetest.Check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f[0])), 0o700))
		storetest.Check(t, os.WriteFile(filepath.Join(dir, f[0]), []byte(f[1]), 0o600))
	}
	c := storetest.Must(ReadToConvert(Conversion{Files: []File{{Folder: dir}}}))(t)
	defer c.Close()
	var b bytes.Buffer
	_, _, err := c.Write(&b, format.MTME, Selection{})
	storetest.Check(t, err)
	if got := unpack(t, b.Bytes())["metric-scores/zh-en/BLEU-refA.sys.score"]; got != "X\t2.5\nsys#1\t0.3\n" {
		t.Errorf("scores of systems %q", got)
	}
	b.Reset()
	// As B, refA is a system like any other, which BLEU-refA has no score of.
	_, notes, err := c.Write(&b, format.MTME, Selection{Systems: "letters"})
	storetest.Check(t, err)
	files := unpack(t, b.Bytes())
	_, scored := files["metric-scores/zh-en/BLEU-refA.sys.score"]
	want := `the scores of systems by the metric "BLEU-refA" are left out, since it did not score all of "B", and the file needs all`
	if scored || files["system-outputs/zh-en/B.txt"] != "one\ntwo\nthree\n" || !slices.Contains(notes, want) {
		t.Errorf("%v, notes %q", slices.Sorted(maps.Keys(files)), notes)
	}
	b.Reset()
	_, notes, err = c.Write(&b, format.Ratings, Selection{})
	if want := "4 metric scores of systems are left out: the format has no place for them"; err != nil || !slices.Contains(notes, want) || strings.Count(b.String(), "\n") != 3 {
		t.Errorf("ratings %s, notes %q, %v", b.String(), notes, err)
	}
}

// TestMTMEPublished imports WMT23 en-de, exports it, and converts the export to another one.
func TestMTMEPublished(t *testing.T) {
	dir := testenv.Data(t, "wmt23-ende", "wmt23")
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(0), storetest.Annotators(0))
	source, target := "en", "de"
	storetest.Check(t, db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{SourceLang: &source, TargetLang: &target}))
	s.Reload(t)
	report := storetest.Must(Import(t.Context(), db.Store, s.Campaign, Request{Files: []File{{Folder: dir}}}))(t)
	if report.Segments != 557 || report.Translations != 7798 || report.Ratings != 5980 || report.HumanScores != 5980 || report.MetricScores != 44_560+80 || report.References != 1114 {
		t.Errorf("the import says %+v", report)
	}
	s.Reload(t)
	var b bytes.Buffer
	_, notes, err := ExportWithNotes(t.Context(), db.Store, s.Campaign, format.MTME, Selection{}, &b)
	storetest.Check(t, err)
	if want := []string{"the imported averages mqm are left out, since the ratings give human scores of that name", "annotators are letters in the files, in the order of their logins, and adjudicators the letters after them"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q", notes)
	}
	first := unpack(t, b.Bytes())
	for path, text := range first {
		if published, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path))); err == nil && text != string(published) && !strings.HasPrefix(path, "human-scores/") && !strings.HasPrefix(path, "metric-scores/") {
			t.Errorf("%s is not as published", path)
		}
	}
	c := storetest.Must(ReadToConvert(Conversion{Files: []File{{Name: "set.zip", Reader: bytes.NewReader(b.Bytes())}}}))(t)
	defer c.Close()
	b.Reset()
	_, _, err = c.Write(&b, format.MTME, Selection{})
	storetest.Check(t, err)
	for path, text := range unpack(t, b.Bytes()) {
		if text != first[path] && !strings.Contains(path, ".mqm") {
			t.Errorf("%s differs after a conversion", path)
		}
	}
}
