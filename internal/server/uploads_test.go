package server

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/store/storetest"
)

// again sends the form of a page of imports without a file, with a format.
func (v *visitor) again(slug string, page *goquery.Document, format string) answer {
	v.s.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for field, value := range map[string]string{"format": format, "upload": page.Find("input[name=upload]").AttrOr("value", "")} {
		if err := w.WriteField(field, value); err != nil {
			v.s.t.Fatal(err)
		}
	}
	if _, err := w.CreateFormFile("file", ""); err != nil { // as browsers send an empty field
		v.s.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		v.s.t.Fatal(err)
	}
	return v.do("POST", "/campaigns/"+slug+"/import", w.FormDataContentType(), b.String())
}

// offered lists the formats that a page of imports offers for kept files, the chosen one with a star.
func offered(page *goquery.Document) string {
	var out []string
	page.Find("fieldset > .formats input[name=format]").Each(func(_ int, in *goquery.Selection) {
		format := in.AttrOr("value", "")
		if _, chosen := in.Attr("checked"); chosen {
			format += "*"
		}
		out = append(out, format)
	})
	return strings.Join(out, " ")
}

// TestImportWrongFormat: a file in another format than the one that was chosen is kept, the page offers
// the formats that fit, and the file is imported without being sent again.
func TestImportWrongFormat(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Systems(0))
	lead, slug := s.signedIn(s.Lead), s.Campaign.Slug
	line := jsonLine([]string{"A", "B"})
	got := lead.upload(slug, "ratings", "texts.jsonl", line)
	page := got.page(t)
	if got.status != http.StatusUnprocessableEntity || offered(page) != "jsonl*" || !strings.Contains(page.Find("#file-help").Text(), "texts.jsonl is kept") {
		t.Fatalf("%d, offered %q: %s", got.status, offered(page), page.Find("main").Text())
	}
	if other := s.signedIn(s.admin()).again(slug, page, "jsonl"); other.status != http.StatusNotFound {
		t.Errorf("another user imports the file: %d", other.status)
	}
	done := lead.again(slug, page, "jsonl")
	if text, _ := result(done.page(t)); done.status != http.StatusOK || !strings.Contains(text, "Imported texts.jsonl.") || !strings.Contains(text, "Segments 1") {
		t.Errorf("%d: %s", done.status, text)
	}
	if again := lead.again(slug, page, "jsonl"); again.status != http.StatusNotFound || !strings.Contains(again.body, "imported already") {
		t.Errorf("a second time: %d", again.status)
	}
	got = lead.upload(slug, "table", "more.jsonl", line)
	if page := got.page(t); got.status != http.StatusUnprocessableEntity || offered(page) != "jsonl*" {
		t.Errorf("as a table: %d, offered %q", got.status, offered(page))
	}
	done = lead.upload(slug, "", "more.jsonl", strings.Replace(line, "new", "newer", 1))
	says(t, "without a format the page says", done.page(t).Find("main").Text(), "1 file recognised as jsonl")
}

// TestImportRecognisesTables: a spreadsheet is a table, whatever segments were said to be in.
func TestImportRecognisesTables(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Systems(0))
	lead, slug := s.signedIn(s.Lead), s.Campaign.Slug
	workbook, err := os.ReadFile("../ingest/testdata/table.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.csv": "source;A\nx;y\n", "a.tsv": "source\tA\nx\ty\n", "a.txt": "source,A\nx,y\n", "a.xlsx": string(workbook), "workbook": string(workbook), "utf16.txt": "\xff\xfes\x00,\x00t\x00\n\x00"} {
		for _, of := range []string{"jsonl", ""} {
			if of == "" && name == "a.txt" {
				continue // it may have references
			}
			if got := lead.upload(slug, of, name, text); got.status != http.StatusSeeOther || !strings.Contains(got.location(), "/import/tables/") {
				t.Errorf("%s as %q: %d %s", name, of, got.status, got.location())
			}
		}
	}
	// A table of ratings has no format, so the lead is asked.
	page := lead.upload(slug, "references", "a.csv", "source;A\nx;y\n").page(t)
	if offered(page) != "table*" {
		t.Errorf("offered %q", offered(page))
	}
	if got := lead.again(slug, page, "table"); got.status != http.StatusSeeOther || !strings.Contains(got.location(), "/import/tables/") {
		t.Errorf("as a table: %d %s", got.status, got.location())
	} else if other := lead.get(got.location()).page(t).Find("a:contains('Another format')").AttrOr("href", ""); offered(lead.get(other).page(t)) != "table*" {
		t.Errorf("%s offers %q", other, offered(lead.get(other).page(t)))
	}
}

// TestImportAfterCheck: files that were only checked can be imported without being sent again.
func TestImportAfterCheck(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Systems(0))
	lead, slug := s.signedIn(s.Lead), s.Campaign.Slug
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for field, value := range map[string]string{"format": "jsonl", "check": "1"} {
		if err := w.WriteField(field, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", "texts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte(jsonLine([]string{"A"}))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	page := lead.do("POST", "/campaigns/"+slug+"/import", w.FormDataContentType(), b.String()).page(t)
	if text, _ := result(page); !strings.Contains(text, "No problem found in texts.jsonl.") || page.Find("button[form=import-form]").Length() != 1 || page.Find("input[name=check][checked]").Length() != 0 {
		t.Errorf("the check says %q", text)
	}
	if text, _ := result(lead.again(slug, page, "jsonl").page(t)); !strings.Contains(text, "Imported texts.jsonl.") {
		t.Errorf("the import says %q", text)
	}
}

// TestImportArchived: the page of imports of an archived campaign has no form, and says why.
func TestImportArchived(t *testing.T) {
	s := newSite(t)
	lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug
	wantStatus(t, "archiving", lead.post(page+"/archive", url.Values{"archived": {"yes"}}), http.StatusSeeOther)
	main := lead.get(page + "/import").page(t).Find("main")
	if main.Find("form, a:contains('Undo')").Length() != 0 || !strings.Contains(main.Text(), "The campaign is archived, so nothing can be imported") {
		t.Errorf("the page says %s", main.Text())
	}
}
