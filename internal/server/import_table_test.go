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

// TestImportTable: a lead uploads a table with names of their own, says what its columns hold, and
// imports it; what is wrong with the choice is said, and the file is kept meanwhile.
func TestImportTable(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Systems(0))
	v := s.signedIn(s.Lead)
	page := "/campaigns/" + s.Campaign.Slug + "/import"
	up := v.upload(s.Campaign.Slug, "table", "texts.csv", "Unsere Texte;;;\nNr;Deutsch;DeepL;Notiz;\n1;Die Fähre;The ferry;kurz;x\n2;Ufer;Shore;;\n")
	if up.status != http.StatusSeeOther || !strings.HasPrefix(up.location(), page+"/tables/") {
		t.Fatalf("the upload answered %d, %s", up.status, up.location())
	}
	doc := v.get(up.location()).page(t)
	roles := func(doc *goquery.Document) string {
		var out []string
		doc.Find("select[name^='role.']").Each(func(_ int, sel *goquery.Selection) {
			out = append(out, sel.AttrOr("name", "")+"="+sel.Find("option[selected]").AttrOr("value", ""))
		})
		return strings.Join(out, " ")
	}
	if got := roles(doc); got != "role.0= role.1= role.2= role.3= role.4=" {
		t.Errorf("guessed %s", got)
	}
	if got := doc.Find(".notice-info").Text(); !strings.Contains(got, "Column E: the column has texts but no name") || !strings.Contains(got, "No column is the source") || !strings.Contains(got, `Say what "Nr", "Deutsch", "DeepL", "Notiz" hold.`) || strings.Contains(doc.Find("main").Text(), "--") {
		t.Errorf("still to choose: %q", got)
	}
	says(t, "a row that is not in the file", v.get(up.location()+"?header=9").page(t).Find(".notice-error, section.result tbody").Text(), "row 9")
	// A name that stands for nothing is no system, to a check either, before somebody says so.
	half := url.Values{"header": {"2"}, "role.0": {""}, "role.1": {"source"}, "role.2": {"system"}, "role.3": {""}, "role.4": {"ignore"}, "check": {"1"}}
	open := v.post(up.location(), half)
	if text := open.page(t).Find("main").Text(); open.status != http.StatusUnprocessableEntity || !strings.Contains(text, `say what "Nr", "Notiz" hold`) || !strings.Contains(text, "Nr and Notiz: translations by the system of that name") {
		t.Errorf("with two columns left open: %d, %s", open.status, text)
	}
	half.Set("rest", "1")
	checked := v.post(up.location(), half)
	if text, _ := result(checked.page(t)); checked.status != http.StatusOK || !strings.Contains(text, "No problem found in texts.csv.") || !strings.Contains(text, "Systems (3)") {
		t.Errorf("with the rest as systems: %d, %s", checked.status, text)
	}
	// After a check, the address of the columns is still good, and has what was chosen.
	if again := v.get(up.location()).page(t); roles(again) != "role.0=system role.1=source role.2=system role.3=system role.4=ignore" || again.Find("input[name=check][checked]").Length() != 0 {
		t.Errorf("after the check: %s", roles(again))
	}
	choice := url.Values{"header": {"2"}, "role.0": {"segment_id"}, "role.1": {"system"}, "role.2": {"system"}, "role.3": {"note"}, "role.4": {"ignore"}}
	refused := v.post(up.location(), choice)
	if refused.status != http.StatusUnprocessableEntity || !strings.Contains(refused.body, "no column is the source") || roles(refused.page(t)) != "role.0=segment_id role.1=system role.2=system role.3=note role.4=ignore" {
		t.Errorf("without a source: %d, %s", refused.status, roles(refused.page(t)))
	}
	choice.Set("role.1", "source")
	for _, login := range []string{"another lead", "stranger"} {
		who := s.signedIn(s.Annotators[0])
		if login == "another lead" {
			who = s.signedIn(s.admin())
		}
		if got := who.post(up.location(), choice); got.status == http.StatusOK {
			t.Errorf("%s imports the upload of someone else", login)
		}
	}
	choice.Set("check", "1")
	form := v.post(up.location(), choice).page(t).Find("#import-form")
	done := v.importNow(s.Campaign.Slug, form.Find("[name=upload]").AttrOr("value", ""))
	if text, _ := result(done.page(t)); done.status != http.StatusOK || !strings.Contains(text, "Imported texts.csv.") || !strings.Contains(text, "DeepL") {
		t.Fatalf("the import answered %d: %s", done.status, text)
	}
	wantStatus(t, "a second time", v.post(up.location(), choice), http.StatusNotFound, "imported already")
}

// importNow imports files that were checked, as they were checked.
func (v *visitor) importNow(slug, upload string) answer {
	v.s.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range map[string]string{"upload": upload, "format": "table", "checked": "1"} {
		if err := w.WriteField(name, value); err != nil {
			v.s.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		v.s.t.Fatal(err)
	}
	return v.do("POST", "/campaigns/"+slug+"/import", w.FormDataContentType(), b.String())
}

// TestImportTableSheets: of a workbook with several sheets one is chosen, and a cell that can't be
// read is named.
func TestImportTableSheets(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Systems(0))
	v := s.signedIn(s.Lead)
	read := func(name string) string {
		b, err := os.ReadFile("../ingest/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	at := v.upload(s.Campaign.Slug, "table", "texts.xlsx", read("table.xlsx")).location()
	if doc := v.get(at).page(t); doc.Find("#sheet option[selected]").Text() != "Texts" || doc.Find("select[name^='role.']").Length() != 5 || doc.Find(".notice").Length() != 1 || !strings.Contains(doc.Find(".notice").Text(), `Say what "Model A", "Model B" hold.`) || !strings.Contains(doc.Find("main").Text(), "2 sheets of the workbook have rows. This is Texts.") {
		t.Errorf("before a sheet is chosen: %s", doc.Find("main").Text())
	}
	if got := v.get(at + "?sheet=Missing").page(t).Find(".notice-error").Length(); got != 1 {
		t.Error("a sheet that is not in the file is no error")
	}
	if doc := v.get(at + "?sheet=Texts").page(t); doc.Find("select[name^='role.']").Length() != 5 || doc.Find("#header").AttrOr("value", "") != "3" || doc.Find("section.result").Length() != 0 {
		t.Errorf("the sheet has %d columns", doc.Find("select[name^='role.']").Length())
	}
	wantStatus(t, "the import", v.post(at, url.Values{"sheet": {"Texts"}, "header": {"3"}, "rest": {"1"}}), http.StatusOK, "Imported texts.xlsx.")
	at = v.upload(s.Campaign.Slug, "table", "refused.xlsx", read("table_refused.xlsx")).location()
	wantStatus(t, "another system is taken", v.post(at, url.Values{"header": {"1"}, "role.2": {"system"}}), http.StatusUnprocessableEntity)
}

// TestImportTableHidden: the page names the columns, rows and sheets that a workbook hides. A hidden
// column is left out unless the lead says what it holds.
func TestImportTableHidden(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Systems(0))
	v := s.signedIn(s.Lead)
	b, err := os.ReadFile("../ingest/testdata/table_hidden.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	at := v.upload(s.Campaign.Slug, "table", "hidden.xlsx", string(b)).location()
	doc := v.get(at).page(t)
	text := strings.Join(strings.Fields(doc.Find("main").Text()), " ")
	for _, want := range []string{
		"Column E is hidden. It is left out unless you choose otherwise.",
		"2 rows are hidden, for example by a filter. They are imported like the others.",
		"Old model hidden",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	hidden := doc.Find("select[name='role.4']")
	if hidden.Find("option[selected]").AttrOr("value", "") != "ignore" || hidden.Find("option[value=system]").Length() != 1 || hidden.AttrOr("aria-label", "") != "Column E, Old model, hidden: it holds" {
		t.Errorf("the hidden column is %s", hidden.Text())
	}
	if got := doc.Find("#sheet option").Text(); got != "TextsNotes 笔记 (hidden)" || doc.Find("#sheet option[selected]").Text() != "Texts" {
		t.Errorf("the sheets are %s", got)
	}
	says(t, "a hidden sheet", v.get(at+"?sheet="+url.QueryEscape("Notes 笔记")).page(t).Find("main").Text(), "The sheet Notes 笔记 is hidden.")
	choice := url.Values{"sheet": {"Texts"}, "header": {"1"}, "role.4": {"ignore"}, "role.5": {"system"}, "role.3": {"system"}}
	got, _ := result(v.post(at, choice).page(t))
	for _, want := range []string{"Imported hidden.xlsx.", "Systems (2)Model AالنموذجNotes", "1 hidden column left out", "2 hidden rows read"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
}
