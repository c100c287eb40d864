package transfer

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/protocol"
	"annotate/internal/spreadsheet"
	"annotate/internal/store/storetest"
)

func TestExportFormats(t *testing.T) {
	always := []string{"jsonl", "ratings", "csv", "csv-exact", "mtme", "scores", "gold", "gold-jsonl", "judgements", "checks", "pearmut"}
	for id, also := range map[string][]string{"sqm": {"ment"}, "esa": {"mqm-tsv", "appraise", "suggestions"}, "mqm": {"mqm-tsv", "appraise", "suggestions"}, "rate": {"rate", "mqm-tsv", "suggestions"}} {
		p, _ := protocol.Lookup(id)
		got := Formats(campaign.Campaign{Rules: p})
		slices.Sort(got)
		want := slices.Sorted(slices.Values(append(also, always...)))
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", id, got, want)
		}
	}
}

// TestEveryFormatIsServed checks that each format that is offered has its function.
func TestEveryFormatIsServed(t *testing.T) {
	for _, f := range format.Inputs(nil) {
		if _, ok := readerOf(f.ID); !ok {
			t.Errorf("nothing imports %s", f.ID)
		}
	}
	for _, f := range format.Outputs(nil) {
		if writerOf(f.ID) == nil && storedWriters[f.ID] == nil {
			t.Errorf("nothing exports %s", f.ID)
		}
	}
	var known []string
	for _, f := range append(format.Inputs(nil), format.Outputs(nil)...) {
		known = append(known, f.ID)
	}
	for _, id := range slices.Concat(slices.Collect(maps.Keys(readers)), slices.Collect(maps.Keys(writers)), slices.Collect(maps.Keys(storedWriters))) {
		if !slices.Contains(known, id) {
			t.Errorf("%s is not offered", id)
		}
	}
}

// TestExportRefused: a format that does not fit the protocol says which would.
func TestExportRefused(t *testing.T) {
	db := storetest.Open(t)
	c := storetest.Campaign(t, db.Store).Campaign
	for _, format := range []string{"rate", "mqm-tsv", "suggestions"} {
		var b bytes.Buffer
		_, err := Export(t.Context(), db.Store, c, format, &b)
		if _, ok := errors.AsType[*campaign.InvalidError](err); !ok || b.Len() > 0 || !strings.Contains(err.Error(), "the protocol of this campaign is SQM; ") {
			t.Errorf("%s: got %v and %d bytes", format, err, b.Len())
		}
	}
	c.Rules, _ = protocol.Lookup("mqm")
	if _, err := Export(t.Context(), db.Store, c, "ment", io.Discard); err == nil || !strings.Contains(err.Error(), "MQM; ment lists scores") {
		t.Errorf("ment of mqm: got %v", err)
	}
	c.TargetLang = ""
	if _, err := Export(t.Context(), db.Store, c, format.MTME, io.Discard); err == nil || !strings.Contains(err.Error(), "language pair") {
		t.Errorf("mtme without a language pair: got %v", err)
	}
}

// TestExportDirectory: the archive has the tree of the format, and its gold is
// that of the store.
func TestExportDirectory(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.Systems(2), storetest.Set("redundancy=1"))
	s.RateNext(t, 0, 3, 1)
	var b bytes.Buffer
	storetest.Must(Export(t.Context(), db.Store, s.Campaign, format.MTME, &b))(t)
	archive := storetest.Must(zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
	var names []string
	for _, f := range archive.File {
		names = append(names, f.Name)
	}
	want := []string{"sources/zh-en.txt", "documents/zh-en.docs", "system-outputs/zh-en/sys-001.txt", "system-outputs/zh-en/sys-002.txt",
		"human-scores/zh-en.sqm.seg.score", "human-scores/zh-en.sqm.sys.score", "human-scores/zh-en.sqm.domain.score",
		"human-scores/zh-en.sqm-z.seg.score", "human-scores/zh-en.sqm-z.sys.score", "human-scores/zh-en.sqm-z.domain.score", "human-scores/zh-en.sqm.A.seg.score"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	f := storetest.Must(archive.Open("human-scores/zh-en.sqm.seg.score"))(t)
	text, err := io.ReadAll(f)
	if want := "sys-001\t3\nsys-001\tNone\nsys-002\t1\nsys-002\tNone\n"; err != nil || string(text) != want {
		t.Errorf("got %q %v, want %q", text, err, want)
	}
}

// TestExportFormulas: in csv and in the tables of an archive no text is a formula, and
// taking the apostrophe off gives it again; the exact formats have it as it is.
func TestExportFormulas(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(0), storetest.Set("redundancy=1"))
	var segments, marks strings.Builder
	texts := []string{"=1+1", "+1", "-1", "@x", "'=1", "'tis", "plain"}
	for _, text := range texts {
		fmt.Fprintf(&segments, `{"doc_id":%q,"segment_id":%q,"domain":%q,"source":"s","translations":{"-sys":"t"}}`+"\n", text, text, text)
		fmt.Fprintf(&marks, `{"doc_id":%q,"segment_id":%q,"system":"-sys","annotator":"x","spans":[],"comment":%q}`+"\n", text, text, text)
	}
	for _, f := range []struct{ format, text string }{{"jsonl", segments.String()}, {"ratings", marks.String()}} {
		storetest.Must(Import(t.Context(), db.Store, s.Campaign, Request{Format: f.format, Files: []File{file(f.format, f.text)}}))(t)
	}
	s.Reload(t)
	files := unpack(t, archive(t, db.Store, s.Campaign, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)))
	for name, text := range map[string]string{"csv": exported(t, db, s.Campaign, "csv"), "data/ratings.csv": files["data/ratings.csv"], "data/gold.csv": files["data/gold.csv"]} {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(rows) != len(texts)+1 {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		for i, row := range rows[1:] {
			for k, cell := range row {
				column := rows[0][k]
				if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) && column != "mqm" {
					t.Errorf("%s: %s has the formula %q", name, column, cell)
				}
				if slices.Contains([]string{"doc_id", "segment_id", "domain", "comment"}, column) && spreadsheet.Unescape(cell) != texts[i] {
					t.Errorf("%s: %s is %q, want %q", name, column, cell, texts[i])
				}
			}
		}
	}
	if text := exported(t, db, s.Campaign, format.ExactCSV); !strings.Contains(text, "\n=1+1,=1+1,=1+1,-sys,") || strings.Contains(text, "'-sys") {
		t.Errorf("the exact table is\n%s", text)
	}
	if text := files["data/mqm.tsv"]; !strings.Contains(text, "\n-sys\t=1+1\t") {
		t.Errorf("the WMT table is\n%s", text)
	}
	for _, said := range []string{"has an apostrophe before it", "`data/mqm.tsv` has unchanged texts"} {
		if !strings.Contains(files["README.md"], said) {
			t.Errorf("the readme does not say %q", said)
		}
	}
}
