package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
)

// TestImportTraining: a file is imported into the training set as a whole or not at all. A wrong one is refused
// with the line and the field. A further file adds its segments, unless the set has one of them.
func TestImportTraining(t *testing.T) {
	s := newSite(t)
	lead, path := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/training"
	line := func(segments ...int) string {
		var b strings.Builder
		for _, n := range segments {
			fmt.Fprintf(&b, `{"doc_id": "t", "segment_id": "t%d", "source": "源%d", "translations": {"A": "one", "B": "two"}, "ratings": []}`+"\n", n, n)
		}
		return b.String()
	}
	set := func(page *goquery.Document) string {
		var ids []string
		page.Find("section[aria-labelledby=set-title] tbody th a").Each(func(_ int, a *goquery.Selection) { ids = append(ids, squeezed(a.Text())) })
		return strings.Join(ids, " ")
	}
	for _, tt := range []struct {
		name, format, text string
		want               string // what the page says; empty if the file is imported
		set                string
	}{
		{"", "jsonl", "", "choose a file to import", ""},
		{"wrong.jsonl", "jsonl", line(1) + `{"doc_id": "t", "segment_id": "t2", "source": "x"}` + "\nnot\n", "wrong.jsonl2–translationsmissing", ""},
		{"good.jsonl", "jsonl", line(1, 2), "", "t1 t2"},
		{"again.jsonl", "jsonl", line(3, 1), `again.jsonl2–segment_idsegment "t1" of document "t" is there twice`, "t1 t2"},
		{"systems.jsonl", "jsonl", strings.ReplaceAll(line(3), `"B"`, `"C"`), `there is no system "C"`, "t1 t2"},
		{"more.jsonl", "jsonl", line(3), "", "t1 t2 t3"},
		{"more.tmx", "tmx", line(4), "a training set is imported from jsonl, ment or table", "t1 t2 t3"},
	} {
		a := lead.sendForm(path+"/import", map[string]string{"format": tt.format}, "file", tt.name, tt.text)
		wanted := http.StatusUnprocessableEntity
		if tt.want == "" {
			wanted = http.StatusSeeOther
		}
		if a.status != wanted {
			t.Errorf("%s: %d, want %d", tt.name, a.status, wanted)
		}
		if said := squeezed(a.page(t).Find("section[aria-labelledby=import-title]").Text()); !strings.Contains(said, tt.want) {
			t.Errorf("%s: the page says %q", tt.name, said)
		}
		if got := set(lead.get(path).page(t)); got != tt.set {
			t.Errorf("after %s the set is %q, want %q", tt.name, got, tt.set)
		}
	}

	// A training set may be longer than a form, up to a limit of its own, which the page names.
	if got := lead.sendForm(path+"/import", map[string]string{"format": "jsonl"}, "file", "long.jsonl", line(4)+strings.Repeat("\n", 2<<20)); got.status != http.StatusSeeOther {
		t.Errorf("a file of 2 MB: %d", got.status)
	}
	a := lead.sendForm(path+"/import", map[string]string{"format": "jsonl"}, "file", "vast.jsonl", strings.Repeat("\n", site.MaxTraining))
	const want = "the upload has more than 16 MB, the most that can be sent at once; divide it, or leave out what is not needed"
	if said := squeezed(a.page(t).Find("section[aria-labelledby=import-title] .field-bad").Text()); a.status != http.StatusRequestEntityTooLarge || !strings.Contains(said, want) {
		t.Errorf("a file of 16 MB: %d %q", a.status, said)
	}

	// A body that ends before the file does.
	before := storetest.RowCounts(t, s.db)
	body := "--x\r\nContent-Disposition: form-data; name=\"format\"\r\n\r\njsonl\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"cut.jsonl\"\r\n\r\n" + line(5, 6)
	if got := lead.do("POST", path+"/import", "multipart/form-data; boundary=x", body).status; got != http.StatusBadRequest {
		t.Errorf("an upload that was cut off: %d", got)
	}
	if after := storetest.RowCounts(t, s.db); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("an upload that was cut off left rows: %v, before %v", after, before)
	}
	if got := s.signedIn(s.Annotators[0]).sendForm(path+"/import", map[string]string{"format": "jsonl"}, "file", "x.jsonl", line(9)).status; got != http.StatusForbidden {
		t.Errorf("an annotator's import: %d", got)
	}
}

// TestFeedbackSaysWhy: feedback says in words and numbers where its share comes from, shows the lead's explanation
// as safe HTML, and the segment in its document. The annotate page of the training shows the document, too.
func TestFeedbackSaysWhy(t *testing.T) {
	s := newSite(t, storetest.Segments(3), storetest.PerDocument(3))
	lead, me, base := s.signedIn(s.Lead), s.signedIn(s.Annotators[0]), "/campaigns/"+s.Campaign.Slug
	row := storetest.Must(s.db.Records.SegmentRowID(t.Context(), s.Campaign.ID, "d1", "s2"))(t)
	storetest.Must(transfer.AddTraining(t.Context(), s.db.Store, s.Campaign, []string{row}, s.Lead.ID))(t)
	segment := storetest.Must(s.db.Training.TrainingSet(t.Context(), s.Campaign))(t)[0]
	s.AnswerTraining(t, segment.ID, 4, 2, 0)
	page := base + "/training/segments/" + segment.ID
	explain := func(text string) answer {
		return lead.post(page, url.Values{"act": {"save"}, "use": {"training"}, "tolerance": {"1"}, "explanation": {text}})
	}
	if a := explain("![a](b)"); a.status != http.StatusUnprocessableEntity || a.page(t).Find("#explanation-error").Length() != 1 {
		t.Errorf("an explanation with a picture: %d", a.status)
	}
	explain("The *tone*.\n<script>x()</script>")
	if n := lead.get(page).page(t).Find(".train-why em").Length(); n != 1 {
		t.Error("the lead does not see the explanation as annotators do")
	}
	storetest.Check(t, s.db.Training.ChangeTraining(t.Context(), s.Campaign.ID, true, true, s.Lead.ID))
	turn := storetest.Must(s.db.Training.NextTraining(t.Context(), s.Campaign.ID, s.Annotators[0].ID))(t)
	if got := me.get(base + "/assignments/" + turn).page(t).Find("#source .context").Text(); got != "源文本 1。源文本 3。" {
		t.Errorf("around the segment stands %q", got)
	}
	s.Train(t, 0, 1, 2, 1)
	result := storetest.Must(s.db.Training.TrainingResults(t.Context(), s.Campaign, s.Annotators[0].ID))(t)[0]
	doc := me.get(base + "/train/results/" + result.ID).page(t)
	said := squeezed(doc.Find(".train-sum").Text())
	for _, want := range []string{
		"is the mean of its 3 translations: ", "The share of attempt 1 is 66 %, the mean over all translations of 1 submitted segment. An attempt needs 80 % at its end.",
		"Score 0 %: 3 points from the lead's, and 1 are allowed.", "Score 100 %: at most 1 from the lead's.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the feedback says %q, and lacks %q", said, want)
		}
	}
	if why := doc.Find(".train-why"); why.Find("em").Text() != "tone" || why.Find("script").Length() != 0 {
		t.Error("the explanation is not shown as Markdown, or not safely")
	}
	if got := doc.Find(".train-document p").Text(); got != "源文本 1。源文本 2。源文本 3。" {
		t.Errorf("the document is %q", got)
	}
}
