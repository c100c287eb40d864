package transfer

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store/storetest"
)

func TestExportFormats(t *testing.T) {
	always := []string{"jsonl", "ratings", "csv", "mtme", "scores"}
	for id, also := range map[string][]string{"sqm": {"ment"}, "esa": {"mqm-tsv", "suggestions"}, "mqm": {"mqm-tsv", "suggestions"}, "rate": {"rate", "mqm-tsv", "suggestions"}} {
		p, _ := protocol.Lookup(id)
		got := ExportFormats(campaign.Campaign{Rules: p})
		slices.Sort(got)
		want := slices.Sorted(slices.Values(append(also, always...)))
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", id, got, want)
		}
	}
	if all := AllExportFormats(); len(all) != 9 {
		t.Errorf("all formats: %v", all)
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
	if _, err := Export(t.Context(), db.Store, c, Directory, io.Discard); err == nil || !strings.Contains(err.Error(), "language pair") {
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
	if _, err := Export(t.Context(), db.Store, s.Campaign, Directory, &b); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range archive.File {
		names = append(names, f.Name)
	}
	want := []string{"sources/zh-en.txt", "documents/zh-en.docs", "system-outputs/zh-en/sys-001.txt", "system-outputs/zh-en/sys-002.txt",
		"human-scores/zh-en.sqm.seg.score", "human-scores/zh-en.sqm.sys.score", "human-scores/zh-en.sqm-z.seg.score", "human-scores/zh-en.sqm-z.sys.score"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	f, err := archive.Open("human-scores/zh-en.sqm.seg.score")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if want := "sys-001\t3\nsys-001\tNone\nsys-002\t1\nsys-002\tNone\n"; err != nil || string(text) != want {
		t.Errorf("got %q %v, want %q", text, err, want)
	}
}
