package server

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/protocol"
	"annotate/internal/server/site"
)

// ownProtocol is the file of a protocol that the program does not come with.
func ownProtocol(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "protocol", "testdata", "custom.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sendForm posts a form with a file. The file is left out if its name is empty.
func (v *visitor) sendForm(path string, fields map[string]string, field, name, text string) answer {
	v.s.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for k, value := range fields {
		if err := w.WriteField(k, value); err != nil {
			v.s.t.Fatal(err)
		}
	}
	if name != "" {
		part, err := w.CreateFormFile(field, name)
		if err != nil {
			v.s.t.Fatal(err)
		}
		if _, err := part.Write([]byte(text)); err != nil {
			v.s.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		v.s.t.Fatal(err)
	}
	return v.do("POST", path, w.FormDataContentType(), b.String())
}

// typed is a form of a new campaign.
func typed(more map[string]string) map[string]string {
	all := map[string]string{"title": "Subtitles", "slug": "subs", "protocol": "sqm", "redundancy": "3", "quota": "0", "threshold": "0.7", "gate": "", "source_lang": "en", "target_lang": "de"}
	for k, v := range more {
		all[k] = v
	}
	return all
}

// TestProtocolPreviewTexts: the texts are in the languages of the campaign where there are
// some, and otherwise written in the same direction.
func TestProtocolPreviewTexts(t *testing.T) {
	s := newSite(t)
	v := s.signedIn(s.admin())
	for _, tt := range []struct{ source, target, wantSource, wantTarget, dir string }{
		{"", "", "en", "de", "ltr"}, {"zh", "en", "zh", "en", "ltr"}, {"en", "ar-EG", "en", "ar", "rtl"}, {"en", "fa", "en", "ar", "rtl"}, {"ja", "fi", "en", "de", "ltr"}, {"he", "zh_CN", "ar", "zh", "ltr"},
	} {
		for _, id := range protocol.IDs() {
			doc := v.sendForm("/campaigns/new/preview", typed(map[string]string{"protocol": id, "source_lang": tt.source, "target_lang": tt.target}), "", "", "").page(t)
			if lang := doc.Find("#current").AttrOr("lang", ""); lang != tt.wantSource {
				t.Errorf("%s of %s to %s: the source is in %q", id, tt.source, tt.target, lang)
			}
			if id == "inspect" { // it has no text in the target language
				continue
			}
			if text := doc.Find(".card-text, .card .answer-name.text, .aside .text").First(); text.AttrOr("lang", "") != tt.wantTarget || text.AttrOr("dir", "") != tt.dir {
				t.Errorf("%s of %s to %s: texts in %q, %s", id, tt.source, tt.target, text.AttrOr("lang", ""), text.AttrOr("dir", ""))
			}
		}
	}
}

// TestProtocolRefused: a file that is no protocol is refused with file, line and field, and
// the rest of the form is kept.
func TestProtocolRefused(t *testing.T) {
	s := newSite(t)
	v := s.signedIn(s.admin())
	text := ownProtocol(t)
	for _, tt := range []struct{ name, text, want string }{
		{"an empty file", "", "own.json –  the file is empty; write a protocol as a JSON object"},
		{"a huge file", strings.Repeat(" ", protocol.MaxFile+1), "own.json –  the file has more than 256 KiB, which no protocol needs; check that it is the file you mean"},
		{"a picture", "\x89PNG\r\n\x1a\n", "own.json 1  not UTF-8"},
		{"broken JSON", strings.Replace(text, `"guide": {"intro"`, "", 1), "own.json 52  invalid character ':' looking for beginning of object key string"},
		{"a key twice", strings.Replace(text, `"gate": "burden"`, `"gate": "burden", "gate": "ease"`, 1), "own.json 49 gate is given twice; keep one"},
		{"a severity twice", strings.Replace(text, `"id": "break"`, `"id": "Hitch"`, 1), `own.json 20 spans.severities[1].id "Hitch" is given twice own.json 41 derived[0].weights[1].severity there is no severity "break"`},
		{"an id of the program", strings.Replace(text, `"subtitle"`, `"mqm"`, 1), `own.json 2 id "mqm" is the id of a protocol that comes with the program; give yours another one`},
	} {
		for _, path := range []string{"/campaigns/new", "/campaigns/new/preview"} {
			got := v.sendForm(path, typed(nil), "definition_file", "own.json", tt.text)
			doc := got.page(t)
			var rows []string
			doc.Find("section.result tbody tr").Each(func(_ int, row *goquery.Selection) {
				row.Find("td").Each(func(i int, cell *goquery.Selection) {
					if i != 2 { // the column, which these problems have not
						rows = append(rows, cell.Text())
					}
				})
			})
			if said := strings.Join(rows, " "); got.status != http.StatusUnprocessableEntity || said != tt.want {
				t.Errorf("%s at %s: %d\n got %s\nwant %s", tt.name, path, got.status, said, tt.want)
			}
			if doc.Find("input[name=title]").AttrOr("value", "") != "Subtitles" || doc.Find("input[name=definition]").AttrOr("value", "-") != "" {
				t.Errorf("%s at %s: the form is not as it was", tt.name, path)
			}
		}
	}
	for want, fields := range map[string]map[string]string{"choose the file of your protocol": {"protocol": "own"}, "choose one of the protocols": {"protocol": "nosuch"}} {
		if got := v.sendForm("/campaigns/new/preview", typed(fields), "", "", ""); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, want) {
			t.Errorf("%v: %d, want %q", fields, got.status, want)
		}
	}
	wantStatus(t, "a file of 1 MiB", v.sendForm("/campaigns/new/preview", typed(nil), "definition_file", "own.json", strings.Repeat("x", site.MaxBody)), http.StatusRequestEntityTooLarge)
	annotator := s.signedIn(s.Annotators[0])
	if got := annotator.sendForm("/campaigns/new/preview", typed(nil), "", "", ""); got.status == http.StatusOK {
		t.Error("an annotator sees a preview")
	}
}

// TestProtocolFiles: the form of a new campaign leads to the file of each protocol, which can be sent back.
func TestProtocolFiles(t *testing.T) {
	s := newSite(t)
	lead := s.signedIn(s.Lead)
	links := lead.get("/campaigns/new").page(t).Find("a[download]")
	if links.Length() != len(protocol.IDs()) {
		t.Errorf("%d files", links.Length())
	}
	links.Each(func(_ int, a *goquery.Selection) {
		file := lead.get(a.AttrOr("href", ""))
		if file.status != http.StatusOK || !strings.Contains(file.header.Get("Content-Disposition"), "my_") {
			t.Fatalf("%s: %d %s", a.Text(), file.status, file.header.Get("Content-Disposition"))
		}
		if got := lead.sendForm("/campaigns/new/preview", typed(nil), "definition_file", "my.json", file.body); got.status != http.StatusOK {
			t.Errorf("%s: the preview is answered %d", a.Text(), got.status)
		}
	})
	if got := lead.get("/campaigns/new/protocols/none").status; got != http.StatusNotFound {
		t.Errorf("no such protocol: %d", got)
	}
	if got := s.signedIn(s.Annotators[0]).get("/campaigns/new/protocols/sqm").status; got == http.StatusOK {
		t.Error("an annotator gets the file")
	}
}
