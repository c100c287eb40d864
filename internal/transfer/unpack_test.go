package transfer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// gzipped is a file that is compressed.
func gzipped(t *testing.T, name, text string) File {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	storetest.Must(io.WriteString(z, text))(t)
	storetest.Check(t, z.Close())
	return File{Name: name, Reader: &b}
}

// TestFormatIsRecognised: without a format, files that are compressed or not are imported in the one that they
// have. Files of several formats, or of none, are refused, and nothing is stored.
func TestFormatIsRecognised(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	const one, two = `{"segment_id":"1","source":"s","translations":{"A":"t","B":"u"}}` + "\n", `{"segment_id":"2","source":"s","translations":{"A":"t","B":"u"}}` + "\n"
	scores := file("BLEU.seg.score", "A\t1\nA\t2\nB\t3\nB\t4\n")
	refused := func(want string, files ...File) {
		t.Helper()
		_, err := Import(t.Context(), db.Store, s.Campaign, Request{Files: files})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	refused("a is in the format jsonl, and BLEU.seg.score in the format scores", file("a", one), scores)
	refused("plain text", file("a", one), file("b", "A text.\nAnother.\n"))
	refused("several formats: ment, jsonl", file("a", `{"source":"s","src":"s"}`+"\n"))
	whole := storetest.Must(io.ReadAll(gzipped(t, "", strings.Repeat(one, 1000)).Reader))(t)
	for what, text := range map[string]string{"cut": string(whole[:len(whole)/2]), "head": string(whole[:3]), "sum": string(whole[:len(whole)-8]) + "12345678"} {
		refused(what+".gz is compressed with gzip and damaged", file(what+".gz", text))
	}
	if n := storetest.Count(t, db, "segments"); n != 0 {
		t.Fatalf("%d segments are stored", n)
	}
	for _, tt := range []struct {
		files []File
		note  string
	}{
		{[]File{gzipped(t, "a.gz", one), file("b", two)}, "2 files recognised as jsonl"},
		{[]File{gzipped(t, "chrF.sys.score.gz", "A\t1\nB\t2\n")}, "1 file recognised as scores"},
	} {
		report := storetest.Must(Import(t.Context(), db.Store, s.Campaign, Request{Files: tt.files}))(t)
		if len(report.Notes) == 0 || report.Notes[0] != tt.note {
			t.Errorf("the notes are %q, want %q", report.Notes, tt.note)
		}
	}
	if n := storetest.Count(t, db, "segments"); n != 2 {
		t.Errorf("%d segments are stored", n)
	}
}

// TestCompressedTooWell: a file that only an attack compresses so far is refused while it is read.
func TestCompressedTooWell(t *testing.T) {
	f := storetest.Must(Unpack(gzipped(t, "a.gz", strings.Repeat(" ", 1000))))(t)
	f.Reader.(*unpacked).volume.size.Store(smallBomb)
	_, err := io.ReadAll(f.Reader)
	if _, ok := errors.AsType[*campaign.InvalidError](err); !ok || !strings.Contains(err.Error(), "200 times") {
		t.Errorf("the error is %v", err)
	}
}
