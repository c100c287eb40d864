package server

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/plan"
	"annotate/internal/store/storetest"
)

// confirmed sends the form of a preview, as its button does.
func confirmed(t *testing.T, v *visitor, preview answer) answer {
	t.Helper()
	form := preview.page(t).Find(".plan-confirm")
	fields := url.Values{}
	form.Find("input[type=hidden]").Each(func(_ int, f *goquery.Selection) {
		fields.Add(f.AttrOr("name", ""), f.AttrOr("value", ""))
	})
	return v.post(form.AttrOr("action", ""), fields)
}

// TestPlan: a change is made of the documents of a filter, and is shown again if it is no longer what was seen. Files go out and
// come in, with the place of what is wrong.
func TestPlan(t *testing.T) {
	s := newSite(t, storetest.Segments(8), storetest.Annotators(3))
	lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/plan"
	preview := lead.post(page+"?text=d2", url.Values{"do": {"assign"}, "scope": {"all"}, "login": {"ann1", "ann2"}})
	if got := confirmed(t, lead, preview); got.status != http.StatusSeeOther || got.location() != page+"?text=d2" || storetest.PlanOf(t, s.Sample) != "d1:, d2: ann1 ann2, d3:, d4:" {
		t.Fatalf("confirming: %d %s %s", got.status, got.location(), storetest.PlanOf(t, s.Sample))
	}
	preview = lead.post(page, url.Values{"do": {"anew"}, "scope": {"all"}})
	s.Next(t, 2) // begins a document meanwhile
	again := confirmed(t, lead, preview)
	if again.status != http.StatusConflict || !strings.Contains(again.page(t).Find("main").Text(), "Somebody changed the plan or began a document meanwhile.") {
		t.Fatalf("a change that is not what was seen: %d", again.status)
	}
	if got := confirmed(t, lead, again); got.status != http.StatusSeeOther || storetest.Count(t, s.db, "plan_turns") != 8 {
		t.Fatalf("confirming what is seen now: %d", got.status)
	}

	csv := lead.get(page + ".csv").body
	if !strings.HasPrefix(csv, "document,annotator,batch\nd1,") || strings.Count(csv, "\n") != 9 {
		t.Errorf("the file is %q", csv)
	}
	if text := lead.planFile(page+"/file", csv).page(t).Find("main").Text(); !strings.Contains(text, "so nothing changes.") {
		t.Errorf("the same file changes %s", text)
	}
	wrong := lead.planFile(page+"/file", "document,annotator\nd1,ann1\nd9,ann1\n")
	if text := wrong.page(t).Find(".notice-error").Text(); wrong.status != http.StatusUnprocessableEntity || !strings.Contains(text, "plan.csv, line 3, document: the campaign has no document \"d9\"") {
		t.Errorf("a wrong file: %d %s", wrong.status, text)
	}
	for _, wrong := range []url.Values{
		{"do": {"assign"}, "login": {"ann1"}}, {"do": {"assign"}, "document": {"d1"}}, {"do": {"assign"}, "document": {"nothing"}, "login": {"ann1"}},
		{"do": {"save-batch"}, "name": {"x"}, "priority": {"high"}}, {"do": {"save-batch"}, "name": {"x"}, "priority": {"1"}, "due": {"soon"}}, {"do": {"save-pool"}, "name": {" "}},
		{"do": {"people"}, "person": {"ann1"}, "share": {"much"}, "words": {""}, "away": {""}}, {"do": {"people"}, "person": {"ann1"}, "share": {"1"}, "words": {""}, "away": {"2026-12-31..2026-12-01"}},
		{"do": {"nothing"}}, {},
	} {
		if got := lead.post(page, wrong); got.status != http.StatusUnprocessableEntity || got.page(t).Find(".notice-error").Length() != 1 {
			t.Errorf("%v: %d", wrong, got.status)
		}
	}
}

// TestPlanKeepsWhatWasTyped: a batch, a pool or shares that are refused come back as they were typed, and the filter of
// the list stays while something is edited.
func TestPlanKeepsWhatWasTyped(t *testing.T) {
	s := newSite(t, storetest.Segments(4), storetest.Annotators(3))
	lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/plan"
	for _, e := range []plan.Edit{
		{Kind: plan.EditSaveBatch, Batch: plan.Batch{Name: "first", Priority: 7}},
		{Kind: plan.EditSavePool, Documents: []string{"d1"}, Pool: plan.Pool{Name: "law", Pattern: "x*", Members: []string{"ann1", "ann2"}}},
	} {
		storetest.Must(s.db.Plan.ChangePlan(t.Context(), s.Campaign.ID, e, "", s.Lead.ID))(t)
	}
	refused := func(fields url.Values) *goquery.Document {
		t.Helper()
		got := lead.post(page+"?pool=law&text=d", fields)
		if got.status != http.StatusUnprocessableEntity {
			t.Fatalf("%v: %d", fields, got.status)
		}
		return got.page(t)
	}
	value := func(doc *goquery.Document, sel string) string { return doc.Find(sel).AttrOr("value", "") }

	doc := refused(url.Values{"do": {"save-batch"}, "was": {"first"}, "name": {"الدفعة"}, "priority": {"5000"}, "due": {"2030-01-02"}})
	if got := []string{value(doc, "#batch-name"), value(doc, "#batch-priority"), value(doc, "#batch-due"), value(doc, "form:has(#batch-name) input[name=was]")}; strings.Join(got, "|") != "الدفعة|5000|2030-01-02|first" {
		t.Errorf("the batch has %q", got)
	}
	if got := doc.Find("form:has(#batch-name) a").AttrOr("href", ""); got != page+"?pool=law&text=d" {
		t.Errorf("Cancel leads to %s", got)
	}
	doc = refused(url.Values{"do": {"save-pool"}, "was": {"law"}, "name": {" "}, "pattern": {"y*"}, "member": {"ann3"}})
	checked := doc.Find("input[name=member][checked]")
	if value(doc, "#pool-name") != " " || value(doc, "#pool-pattern") != "y*" || checked.Length() != 1 || checked.AttrOr("value", "") != "ann3" || value(doc, "form:has(#pool-name) input[name=was]") != "law" {
		t.Errorf("the pool has %q", doc.Find(".plan-pool").Text())
	}
	doc = refused(url.Values{"do": {"people"}, "person": {"ann1", "ann2", "ann3"}, "share": {"1", "much", "2"}, "words": {"", "", "9"}, "away": {"", "2030-01-02", ""}})
	if got := doc.Find("input[name=share], input[name=words], input[name=away]").Map(func(_ int, f *goquery.Selection) string { return f.AttrOr("value", "") }); strings.Join(got, "|") != "1|||much||2030-01-02|2|9|" {
		t.Errorf("the shares are %q", got)
	}

	doc = lead.get(page + "?pool=law&text=d").page(t)
	forms := doc.Find("main form[method=post]").Map(func(_ int, f *goquery.Selection) string { return f.AttrOr("action", "") })
	for _, address := range forms {
		if !strings.HasSuffix(address, "?pool=law&text=d") {
			t.Errorf("a form is sent to %s", address)
		}
	}
	if len(forms) < 8 {
		t.Errorf("the page has the forms %q", forms)
	}
	link, part, _ := strings.Cut(doc.Find("a[aria-label='Edit law']").AttrOr("href", ""), "#")
	if link != page+"?edit-pool=law&pool=law&text=d" || part != "pool-name" {
		t.Errorf("Edit leads to %s#%s", link, part)
	}
	form := lead.get(link).page(t).Find("form:has(#pool-name)")
	if form.AttrOr("action", "") != page+"?pool=law&text=d" || form.Find("a").AttrOr("href", "") != page+"?pool=law&text=d" {
		t.Errorf("the form is sent to %s", form.AttrOr("action", ""))
	}
	preview := lead.post(form.AttrOr("action", ""), url.Values{"do": {"save-pool"}, "was": {"law"}, "name": {"法律"}, "member": {"ann1"}})
	want := page + "?" + url.Values{"pool": {"法律"}, "text": {"d"}}.Encode()
	if got := confirmed(t, lead, preview); got.location() != want {
		t.Errorf("after another name the list is %s", got.location())
	}
	const small = "fewer than the 2 that a document needs"
	if strings.Contains(doc.Text(), small) {
		t.Error("a pool of two is said to be small")
	}
	says(t, "of a pool of one the page says", lead.get(page).page(t).Find(".plan-part").Text(), small)
}

// planFile uploads a file with a plan.
func (v *visitor) planFile(path, text string) answer {
	v.s.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", "plan.csv")
	if err != nil {
		v.s.t.Fatal(err)
	}
	fmt.Fprint(part, text)
	if err := w.Close(); err != nil {
		v.s.t.Fatal(err)
	}
	return v.do("POST", path, w.FormDataContentType(), b.String())
}

// TestBehindThePlan: annotators see when their documents are due, and the lead sees who is behind, until the
// work is done.
func TestBehindThePlan(t *testing.T) {
	s := newSite(t, storetest.Segments(4), storetest.Set("redundancy=1"))
	lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug
	today := s.db.Clock.Now()
	for _, e := range []plan.Edit{
		{Kind: plan.EditAssign, Documents: []string{"d2"}, Logins: []string{"ann1"}},
		{Kind: plan.EditSaveBatch, Documents: []string{"d2"}, Batch: plan.Batch{Name: "b", Due: today.AddDate(0, 0, 2).Format("2006-01-02")}},
	} {
		if _, err := s.db.Plan.ChangePlan(t.Context(), s.Campaign.ID, e, "", s.Lead.ID); err != nil {
			t.Fatal(err)
		}
	}
	look := func(when, due, behind string) {
		t.Helper()
		text := func(v *visitor, path, part string) string {
			return strings.Join(strings.Fields(v.get(path).page(t).Find(part).Text()), " ")
		}
		if got := text(s.signedIn(s.Annotators[0]), "/work", ".job-due"); got != due {
			t.Errorf("%s, My work says %q, want %q", when, got, due)
		}
		if got := text(s.signedIn(s.Annotators[1]), "/work", ".job-due"); got != "" {
			t.Errorf("%s, somebody else reads %q", when, got)
		}
		if got := text(lead, page+"/annotators", "section[aria-labelledby=behind-title] .step-text"); got != behind {
			t.Errorf("%s, the annotators page says %q, want %q", when, got, behind)
		}
		if got := text(lead, page, "main"); strings.Contains(got, "behind the plan: ann1.") != (behind != "") {
			t.Errorf("%s, the overview says %q", when, got)
		}
	}
	day := func(n int) string { return today.AddDate(0, 0, n).Format("2006-01-02") }
	s.RateNext(t, 1, 0, 2, 4) // the overview of a campaign without ratings says what to do first
	look("when it was planned", "due "+day(2)+"1 document", "")
	s.db.Clock.Advance(48 * time.Hour)
	look("on the last day", "due "+day(2)+"1 document", "4 words behind. 8 words left.")
	s.db.Clock.Advance(24 * time.Hour)
	look("after it", "was due "+day(2)+"1 document", "1 document overdue, 8 words behind. 8 words left.")
	for range 2 {
		s.RateNext(t, 0, 0, 2, 4)
	}
	look("when it is done", "", "")
}
