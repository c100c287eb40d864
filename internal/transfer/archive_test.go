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
	"annotate/internal/report/gather"
	"annotate/internal/sample"
	"annotate/internal/store"
)

// TestArchive holds the archives of the sample campaigns to what they say they hold.
func TestArchive(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	clock := sample.NewClock(now)
	st, err := store.OpenUnmigrated(store.Config{Driver: store.SQLite, DSN: filepath.Join(t.TempDir(), "demo.db"), Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.MigrateUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := sample.Load(t.Context(), st, clock); err != nil {
		t.Fatal(err)
	}
	own := map[string][]string{sample.ChineseEnglish: {"data/ment.jsonl", "data/ment.jsonl.systems.json"}, sample.RATE: {"data/rate.jsonl", "data/mqm.tsv"}, sample.MQM: {"data/mqm.tsv"}}
	for _, slug := range []string{sample.ChineseEnglish, sample.RATE, sample.MQM} {
		t.Run(slug, func(t *testing.T) {
			c, err := st.Campaign(t.Context(), slug)
			if err != nil {
				t.Fatal(err)
			}
			state := func(ctx context.Context) (string, error) { return gather.State(ctx, st, c, nil) }
			r, err := gather.Compute(t.Context(), st, &gather.Task{Campaign: c, Now: func() time.Time { return now }})
			if err != nil {
				t.Fatal(err)
			}
			pack := func() []byte {
				var b bytes.Buffer
				z := NewZipTree(&b, now)
				a := &Archive{Campaign: c, Report: r, Page: []byte("<!doctype html>"), State: state}
				if err := a.Write(t.Context(), st, z); err != nil {
					t.Fatal(err)
				}
				if err := z.Close(); err != nil {
					t.Fatal(err)
				}
				return b.Bytes()
			}
			text := pack()
			if !bytes.Equal(text, pack()) {
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
			if strings.Contains(readme, "earlier state") {
				t.Error("the readme takes a fresh report for an old one")
			}
			checkGold(t, st, c, files["data/gold.csv"])
		})
	}
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
	for seg, err := range st.AllSegments(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
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
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		if _, twice := out[f.Name]; twice {
			t.Errorf("%s is there twice", f.Name)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(b)
	}
	return out
}
