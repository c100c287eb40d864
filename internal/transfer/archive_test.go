package transfer

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/evaluation"
	"annotate/internal/markdown"
	"annotate/internal/protocol"
	"annotate/internal/report"
	"annotate/internal/sample"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// TestArchive checks that the archives of the sample campaigns contain what they name.
func TestArchive(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	clock := sample.NewClock(now)
	st := storetest.Must(store.OpenUnmigrated(database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "demo.db"), Now: clock.Now}))(t)
	defer st.Close()
	storetest.Check(t, st.DB.MigrateUp(t.Context()))
	storetest.Check(t, sample.Load(t.Context(), st, clock))
	own := map[string][]string{sample.ChineseEnglish: {"data/ment.jsonl", "data/ment.jsonl.systems.json"}, sample.RATE: {"data/rate.jsonl", "data/mqm.tsv"}, sample.MQM: {"data/mqm.tsv"}}
	for _, slug := range []string{sample.ChineseEnglish, sample.RATE, sample.MQM} {
		t.Run(slug, func(t *testing.T) {
			c := storetest.Must(st.Records.Campaign(t.Context(), slug))(t)
			r := storetest.Must(evaluation.ComputeReport(t.Context(), st, &evaluation.ReportTask{Campaign: c, Now: func() time.Time { return now }}))(t)
			text := packed(t, st, c, r, now)
			if !bytes.Equal(text, packed(t, st, c, r, now)) {
				t.Error("the same state makes another archive")
			}
			files := unpack(t, text)
			want := append([]string{"README.md", "report.html", "data/gold.csv", "data/segments.jsonl", "data/ratings.jsonl", "data/ratings.csv", "data/metric-scores.jsonl",
				"mtme/sources/" + c.LanguagePair() + ".txt", "tables/metrics.tex", "tables/metrics.md", "tables/metrics.csv", "figures/iaa-system.svg", "figures/iaa-system.csv"}, own[slug]...)
			for _, path := range want {
				if _, ok := files[path]; !ok {
					t.Errorf("there is no %s", path)
				}
			}
			for _, f := range r.Figures() {
				if !strings.Contains(files["figures/"+f.ID+".svg"], "</svg>") {
					t.Errorf("figure %s is %.40q", f.ID, files["figures/"+f.ID+".svg"])
				}
			}
			readme := files["README.md"]
			for path := range files {
				dir, _, deep := strings.Cut(path, "/")
				if !strings.Contains(readme, "`"+path+"`") && !(deep && strings.Contains(readme, "`"+dir+"/`")) {
					t.Errorf("the readme says nothing of %s", path)
				}
			}
			counts := r.Stamp.Campaign.Counts
			for _, said := range []string{c.Title, "segments in gold: " + strconv.Itoa(counts.GoldSegments), r.Stamp.State, "## Licence", "`threshold` "} {
				if !strings.Contains(readme, said) {
					t.Errorf("the readme does not say %q", said)
				}
			}
			if said := "- gemba-mqm-demo-large: gemba-mqm, version 1, after GEMBA-MQM, our wording 2; model demo-large"; strings.Contains(readme, said) != (slug == sample.MQM) {
				t.Errorf("the readme of %s says what the judge is: %t", slug, slug != sample.MQM)
			}
			if strings.Contains(readme, "earlier state") || strings.Contains(readme, "later state") {
				t.Error("the readme takes a fresh report for an old one")
			}
			checkGold(t, st, c, files["data/gold.csv"])
			for _, d := range archiveData {
				var alone bytes.Buffer
				if slices.Contains(Formats(c), d.format) {
					storetest.Must(Export(t.Context(), st, c, d.format, &alone))(t)
				}
				if alone.String() != files[d.path] {
					t.Errorf("%s has %d bytes, and the export has %d", d.path, len(files[d.path]), alone.Len())
				}
			}
		})
	}
}

// The readme of an archive with an older report says so above the counts that it takes from
// the report, since the data files may have others. It says, too, if people worked while it was written.
func TestArchiveOfAnOlderReport(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(1), storetest.Set("redundancy=1"))
	r := storetest.Must(evaluation.ComputeReport(t.Context(), db.Store, &evaluation.ReportTask{Campaign: s.Campaign, Now: db.Clock.Now}))(t)
	computed := r.Stamp.ComputedAt.UTC().Format("2006-01-02 15:04:05 UTC")
	s.RateNext(t, 0, 0, 2, 4)
	readme := unpack(t, packed(t, db.Store, s.Campaign, r, db.Clock.Now()))["README.md"]
	_, counts, _ := strings.Cut(readme, "## What was annotated\n")
	said, _, there := strings.Cut(counts, "- Language pair: ")
	if want := "The counts and settings below, and what leads did, are those of the report, computed at " + computed + ". The data files hold a later state, so their counts may differ.\n\n"; !there || said != "\n"+want {
		t.Errorf("nothing above the counts says %q:\n%s", want, readme)
	}
	if !strings.Contains(readme, "- segments in gold: 0\n- ratings that gold is formed from: 0\n- error spans in those and in adjudications that are gold: 0\n") {
		t.Errorf("the counts are\n%s", counts)
	}
	states := 0
	a := &Archive{Campaign: s.Campaign, Report: r, State: func(context.Context) (string, error) {
		states++
		return strconv.Itoa(states), nil
	}}
	var b bytes.Buffer
	z := NewZipTree(&b, db.Clock.Now())
	storetest.Check(t, a.Write(t.Context(), db.Store, z))
	storetest.Check(t, z.Close())
	if meanwhile := "People worked while this archive was written."; strings.Contains(readme, meanwhile) || !strings.Contains(unpack(t, b.Bytes())["README.md"], meanwhile) {
		t.Errorf("the readme says %q: %t, and only the second one should", meanwhile, strings.Contains(readme, meanwhile))
	}
}

// TestArchiveOfWhatAFormatCannotCarry: the readme counts texts that a format cannot
// contain, and all other files are complete.
func TestArchiveOfWhatAFormatCannotCarry(t *testing.T) {
	for protocol, tt := range map[string]struct{ segments, ratings, lost string }{
		"sqm": {
			`{"doc_id":"d","segment_id":"1","source":"甲","translations":{"A":"a","B":null}}` + "\n" + `{"doc_id":"d","segment_id":"2","source":"乙","translations":{"A":"a","B":"b"}}` + "\n",
			`{"segment_id":"1","system":"A","annotator":"x","scores":{"sqm":4}}` + "\n" + `{"segment_id":"2","system":"A","annotator":"x","scores":{"sqm":4}}` + "\n" + `{"segment_id":"2","system":"B","annotator":"x","scores":{"sqm":1}}` + "\n",
			"`data/ment.jsonl`: 1 segment in gold is left out, since a system has no translation",
		},
		"mqm": {
			`{"doc_id":"d","segment_id":"1","source":"甲","translations":{"A":"a <v>","B":"b"}}` + "\n",
			`{"segment_id":"1","system":"A","annotator":"x","spans":[]}` + "\n" + `{"segment_id":"1","system":"B","annotator":"x","spans":[]}` + "\n",
			"`data/mqm.tsv`: 1 rating is left out, since its source or translation holds &lt;v&gt; or &lt;/v&gt;",
		},
	} {
		t.Run(protocol, func(t *testing.T) {
			db := storetest.Open(t)
			s := storetest.Campaign(t, db.Store, storetest.Protocol(protocol), storetest.Segments(0), storetest.Set("redundancy=1"))
			for _, f := range []struct{ format, text string }{{"jsonl", tt.segments}, {"ratings", tt.ratings}} {
				storetest.Must(Import(t.Context(), db.Store, s.Campaign, Request{Format: f.format, Files: []File{file(f.format, f.text)}}))(t)
			}
			s.Reload(t)
			files := unpack(t, archive(t, db.Store, s.Campaign, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)))
			if !strings.Contains(files["README.md"], tt.lost) {
				t.Errorf("the readme does not say %q:\n%s", tt.lost, files["README.md"])
			}
			for _, path := range []string{"data/segments.jsonl", "data/ratings.jsonl", "data/ratings.csv", "mtme/sources/zh-en.txt", "report.html"} {
				if files[path] == "" {
					t.Errorf("there is no %s", path)
				}
			}
			if protocol == "mqm" && strings.Count(files["data/mqm.tsv"], "\n") != 2 {
				t.Errorf("the table is\n%s", files["data/mqm.tsv"])
			}
			if protocol == "sqm" && strings.Count(files["data/ment.jsonl"], "\n") != 1 {
				t.Errorf("the gold is\n%s", files["data/ment.jsonl"])
			}
		})
	}
}

// archive makes the archive of a campaign.
func archive(t *testing.T, st *store.Store, c campaign.Campaign, now time.Time) []byte {
	t.Helper()
	r := storetest.Must(evaluation.ComputeReport(t.Context(), st, &evaluation.ReportTask{Campaign: c, Now: func() time.Time { return now }}))(t)
	return packed(t, st, c, r, now)
}

// packed makes the archive of a campaign with a report.
func packed(t *testing.T, st *store.Store, c campaign.Campaign, r report.Report, now time.Time) []byte {
	t.Helper()
	var b bytes.Buffer
	z := NewZipTree(&b, now)
	a := &Archive{Campaign: c, Report: r, Page: []byte("<!doctype html>"), State: func(ctx context.Context) (string, error) { return evaluation.ReportState(ctx, st, c, nil) }}
	storetest.Check(t, a.Write(t.Context(), st, z))
	storetest.Check(t, z.Close())
	return b.Bytes()
}

// checkGold compares the table of gold with what the store holds.
func checkGold(t *testing.T, st *store.Store, c campaign.Campaign, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := slices.Index(rows[0], c.Rules.HumanScores()[0].Name)
	got := map[[3]string]string{}
	for _, row := range rows[1:] {
		got[[3]string{row[0], row[1], row[3]}] = row[column]
	}
	n := 0
	for seg, err := range st.Records.AllSegments(t.Context(), c) {
		storetest.Check(t, err)
		for _, tr := range seg.Translations {
			want, _, ok := campaign.HumanGold(c.Rules, c.Rules.HumanScores()[0].Score, seg, tr)
			if !ok {
				continue
			}
			n++
			if v, err := strconv.ParseFloat(got[[3]string{seg.DocID, seg.SegmentID, tr.System}], 64); err != nil || v != want {
				t.Errorf("gold of %s %s is %v, want %v", seg.SegmentID, tr.System, v, want)
			}
		}
	}
	if n != len(got) {
		t.Errorf("%d rows, want %d", len(got), n)
	}
}

func unpack(t *testing.T, text []byte) map[string]string {
	t.Helper()
	z := storetest.Must(zip.NewReader(bytes.NewReader(text), int64(len(text))))(t)
	out := map[string]string{}
	for _, f := range z.File {
		if _, twice := out[f.Name]; twice {
			t.Errorf("%s is there twice", f.Name)
		}
		r := storetest.Must(f.Open())(t)
		b := storetest.Must(io.ReadAll(r))(t)
		out[f.Name] = string(b)
	}
	return out
}

// TestReportConfesses: report and readme say whose work was set aside, which settings
// changed, how many gold values a lead entered, and how many segments have each status.
func TestReportConfesses(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(3), storetest.PerDocument(3))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 0, 2, 4)
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 0, 2, 4)
	s.Change(t, "threshold=0.5", "timezone=Asia/Tokyo")
	storetest.Check(t, db.Rounds.Adjudicate(t.Context(), s.Campaign.ID, s.RowID(t, "d1", "s1"), map[string]float64{"sys-001": 1}, "seen", s.Lead.ID))
	storetest.Check(t, db.Rounds.AcceptMeans(t.Context(), s.Campaign.ID, []string{s.RowID(t, "d1", "s2")}, "fine", s.Lead.ID))
	storetest.Check(t, db.Desk.SetAside(t.Context(), s.Campaign.ID, "ann2", "scores at random", s.Lead.ID))
	r := storetest.Must(evaluation.ComputeReport(t.Context(), db.Store, &evaluation.ReportTask{Campaign: s.Campaign, Now: db.Clock.Now}))(t)
	files := unpack(t, packed(t, db.Store, s.Campaign, r, db.Clock.Now()))
	for _, said := range []string{
		"- The work of ann2 was set aside on 2026-11-20 18:00 by lead: 6 ratings. Reason: scores at random. Restored: no.\n",
		"- The setting `threshold` was changed on 2026-11-20 18:00 by lead from \"0.7\" to \"0.5\".\n", "- Gold values that a lead entered: 1.\n",
		"- Gold values that adjudicators gave: 0.\n", "- Segments whose mean a lead accepted: 1.\n",
		"- `adjudicated` (in gold): 2\n", "- `pending` (not in gold): 1\n", "Times are in Asia/Tokyo.",
	} {
		if !strings.Contains(files["README.md"], said) {
			t.Errorf("the readme does not say %q:\n%s", said, files["README.md"])
		}
	}
	if !strings.Contains(files["tables/set-aside.csv"], "ann2,6,2026-11-20 18:00,lead,scores at random,no") || !strings.Contains(files["tables/settings-changes.csv"], "threshold,0.7,0.5,2026-11-20 18:00,lead") {
		t.Errorf("tables are\n%s\n%s", files["tables/set-aside.csv"], files["tables/settings-changes.csv"])
	}
	words := strings.Join(r.Sections[0].Paragraphs, "\n")
	for _, said := range []string{
		"By status: 1 pending and 2 adjudicated.", "The work of 1 annotator (ann2) is set aside: 6 ratings are left out of all numbers of this report.",
		"Settings were changed 2 times: threshold and timezone.", "A lead entered 1 gold value in 1 segment.", "A lead accepted the mean of 1 segment.",
	} {
		if !strings.Contains(words, said) {
			t.Errorf("the report does not say %q:\n%s", said, words)
		}
	}
	for _, status := range campaign.Statuses {
		if !strings.Contains(files["tables/statuses.csv"], string(status)+",") || !strings.Contains(files["README.md"], "- `"+string(status)+"` (") {
			t.Errorf("%s is not counted", status)
		}
	}
}

// TestReadmeHasNoHTML: no name, title, licence or reason becomes HTML or another mark of Markdown.
func TestReadmeHasNoHTML(t *testing.T) {
	const name = "<img src=x onerror=y> [z](w)"
	rules := *storetest.Must(protocol.ReadOwn(strings.NewReader(`{"id": "own", "name": "` + name + `", "about": "Score.", "gate": "s", "gate_by_default": "on", "tolerance": 1, "guide": {"intro": []},
		"scores": [{"name": "s", "label": "S", "min": 0, "max": 4, "human": "s"}]}`)))(t)
	cells := func(n int) (r report.Row) {
		for range n {
			r.Cells = append(r.Cells, report.Cell{Text: name + "`"})
		}
		return r
	}
	a := &Archive{
		Campaign: campaign.Campaign{Rules: &rules}, notes: []string{name}, lost: []fileNote{{"data/`" + name, name}}, files: []archiveFile{{"mtme/`" + name, "a file"}},
		judges: []campaign.JudgeAbout{{Judge: name, About: "imported; method " + name}},
		Report: report.Report{
			Stamp:    report.Stamp{Campaign: report.CampaignStamp{Title: name, LanguagePair: name, Licence: name, Settings: []report.Setting{{Key: "licence", Value: name}}}},
			Sections: []report.Section{{Tables: []report.Table{{ID: "statuses", Rows: []report.Row{cells(3)}}, {ID: "set-aside", Rows: []report.Row{cells(6)}}, {ID: "settings-changes", Rows: []report.Row{cells(5)}}}}},
		},
	}
	shown := markdown.Render(a.readme())
	if strings.Contains(a.readme(), "<img") || strings.Contains(shown, `href="w"`) {
		t.Errorf("a name is HTML or a link in\n%s", a.readme())
	}
	if n := strings.Count(shown, "&lt;img src=x onerror=y&gt; [z](w)"); n < 17 {
		t.Errorf("the name is shown %d times in\n%s", n, shown)
	}
}
