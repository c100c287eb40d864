package server

import (
	"database/sql"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// TestLowerRedundancyAsksOnce: settling half-rated segments for good is not done
// by the way.
func TestLowerRedundancyAsksOnce(t *testing.T) {
	s := newSite(t)
	s.RateNext(t, 0, 0, 2, 4)
	lead := s.signedIn(s.Lead)
	path := "/campaigns/" + s.Campaign.Slug + "/settings"
	form := url.Values{"redundancy": {"1"}}
	asked := lead.post(path, form)
	if asked.status != http.StatusUnprocessableEntity || !strings.Contains(textOfPreview(t, asked), "1 segment would get into gold") {
		t.Fatalf("lowering the redundancy answered %d", asked.status)
	}
	if got := s.All(t)[0].Status; got != campaign.Pending {
		t.Fatalf("before the lead agreed the segment is %s", got)
	}
	form.Set("confirm", confirmOf(t, asked))
	wantStatus(t, "once more", lead.post(path, form), http.StatusSeeOther)
	if got := s.All(t)[0].Status; got != campaign.Ungated {
		t.Errorf("the segment is %s, want ungated", got)
	}
}

func textOfPreview(t *testing.T, a answer) string {
	t.Helper()
	return strings.Join(strings.Fields(a.page(t).Find(".preview").Text()), " ")
}

func confirmOf(t *testing.T, a answer) string {
	t.Helper()
	confirm, ok := a.page(t).Find(`.preview input[name="confirm"]`).Attr("value")
	if !ok || confirm == "" {
		t.Fatalf("the change can't be confirmed:\n%s", a.page(t).Find("main").Text())
	}
	return confirm
}

// TestThresholdIsPreviewed: a change that decides segments anew is shown and saved only
// once just that is confirmed. One that changes no segment is saved at once.
func TestThresholdIsPreviewed(t *testing.T) {
	s := newSite(t, storetest.Segments(2))
	lead := s.signedIn(s.Lead)
	path := "/campaigns/" + s.Campaign.Slug + "/settings"
	threshold := func() float64 { s.Reload(t); return s.Campaign.Settings.Threshold }
	if got := lead.post(path, url.Values{"threshold": {"0.6"}}); got.status != http.StatusSeeOther || threshold() != 0.6 {
		t.Fatalf("a change that changes no segment: %d, threshold %v", got.status, threshold())
	}
	// r of 0 2 4 and 0 4 2 is 0.5.
	for range 2 {
		s.RateNext(t, 0, 0, 2, 4)
	}
	s.RateNext(t, 1, 0, 2, 4)
	s.RateNext(t, 1, 0, 4, 2)
	form := url.Values{"threshold": {"0.4"}}
	asked := lead.post(path, form)
	if asked.status != http.StatusUnprocessableEntity || threshold() != 0.6 {
		t.Fatalf("asked: %d, threshold %v", asked.status, threshold())
	}
	if value, _ := asked.page(t).Find("#threshold").Attr("value"); value != "0.4" {
		t.Errorf("the form shows %q, want what was typed", value)
	}
	form.Set("confirm", confirmOf(t, asked))
	if got := lead.post(path, url.Values{"threshold": {"0.3"}, "confirm": form["confirm"]}); got.status != http.StatusUnprocessableEntity || threshold() != 0.6 {
		t.Fatalf("another threshold under the same confirmation: %d", got.status)
	}
	if got := lead.post(path, form); got.status != http.StatusSeeOther || threshold() != 0.4 {
		t.Fatalf("confirmed: %d, threshold %v", got.status, threshold())
	}
	looked := lead.post(path, url.Values{"threshold": {"1"}, "do": {"preview"}})
	if text := textOfPreview(t, looked); looked.status != http.StatusOK || !strings.Contains(text, "Nothing is saved yet") || threshold() != 0.4 {
		t.Errorf("a preview answered %d and set %v: %s", looked.status, threshold(), text)
	}
}

// TestFilterIsCounted: before and after a filter is saved, a lead reads how many segments it leaves out.
func TestFilterIsCounted(t *testing.T) {
	s := newSite(t, storetest.Protocol("inspect"), storetest.Segments(3))
	lead := s.signedIn(s.Lead)
	typed := url.Values{"filter": {"dificulty>=60"}, "title": {"Another title"}, "do": {"preview"}}
	text := textOfPreview(t, lead.post(path(s, "settings"), typed))
	says(t, "the preview", text, "The filter dificulty>=60 leaves 3 segments out.")
	says(t, "the preview", text, "Another title")
	lead.post(path(s, "settings"), url.Values{"filter": {"dificulty>=60"}})
	says(t, "the page afterwards", lead.get(path(s, "settings")).page(t).Find(".notice").Text(), "leaves 3 segments out")
}

func TestSettingsAreRefusedTogether(t *testing.T) {
	s := newSite(t)
	path := "/campaigns/" + s.Campaign.Slug + "/settings"
	got := s.signedIn(s.Lead).post(path, url.Values{"title": {"New title"}, "quota": {"-1"}, "threshold": {"two"}})
	if got.status != http.StatusUnprocessableEntity {
		t.Fatalf("bad settings answered %d", got.status)
	}
	doc := got.page(t)
	for field, typed := range map[string]string{"title": "New title", "quota": "-1", "threshold": "two"} {
		if value, _ := doc.Find("#" + field).Attr("value"); value != typed {
			t.Errorf("%s is shown as %q, want what was typed", field, value)
		}
	}
	before := s.Campaign
	if s.Reload(t); !reflect.DeepEqual(s.Campaign, before) {
		t.Errorf("the campaign changed to %+v", s.Campaign)
	}
}

// TestNameLanguagesLater: a campaign with segments and without a language says what
// needs it before anybody asks for that, takes it on the settings page, and keeps it.
func TestNameLanguagesLater(t *testing.T) {
	s := newSite(t)
	c, err := s.Store.Accounts.CreateCampaign(t.Context(), campaign.Campaign{Slug: "nameless", Title: "Nameless", Protocol: "sqm", SourceLang: "zh", Settings: s.Campaign.Settings}, s.Lead.ID)
	if err != nil {
		t.Fatal(err)
	}
	lead, path := s.signedIn(s.Lead), "/campaigns/"+c.Slug
	got := lead.upload(c.Slug, "jsonl", "s.jsonl", jsonLine([]string{"A"}))
	if text, _ := result(got.page(t)); got.status != http.StatusOK || !strings.Contains(text, "the campaign does not know its languages") {
		t.Errorf("%d, %q", got.status, text)
	}
	page := lead.get(path + "/export").page(t)
	if page.Find(`a[href="`+path+`/export/mtme"]`).Length() != 0 || page.Find(`a[href="`+path+`/settings#source_lang"]`).Length() != 1 {
		t.Error("the export page offers a directory without the languages, or does not lead to them")
	}
	page = lead.get(path + "/settings").page(t)
	if page.Find("input[name=source_lang]").Length() != 0 || page.Find("input[name=target_lang]").Length() != 1 {
		t.Error("the settings lock the wrong languages")
	}
	wantStatus(t, "English", lead.post(path+"/settings", url.Values{"target_lang": {"English"}}), http.StatusUnprocessableEntity, "use the language tag en")
	wantStatus(t, "en", lead.post(path+"/settings", url.Values{"target_lang": {"en"}}), http.StatusSeeOther)
	wantStatus(t, "the directory", lead.get(path+"/export/mtme"), http.StatusOK)
	if lead.get(path+"/settings").page(t).Find("input[name=target_lang]").Length() != 0 {
		t.Error("the language can be changed")
	}
}

// formOf is what the settings form sends when nothing is typed.
func formOf(t *testing.T, a answer) url.Values {
	t.Helper()
	form := url.Values{}
	a.page(t).Find("form.settings input[name]").Each(func(_ int, in *goquery.Selection) {
		form.Add(in.AttrOr("name", ""), in.AttrOr("value", ""))
	})
	a.page(t).Find("form.settings select[name]").Each(func(_ int, in *goquery.Selection) {
		form.Add(in.AttrOr("name", ""), in.Find("option[selected]").AttrOr("value", ""))
	})
	return form
}

// TestTwoLeadsChangeSettings: a form that was opened before another lead saved changes
// only what was typed in it. Where both changed the same value it shows both.
func TestTwoLeadsChangeSettings(t *testing.T) {
	s := newSite(t)
	one, two := s.signedIn(s.Lead), s.signedIn(s.admin())
	path := "/campaigns/" + s.Campaign.Slug + "/settings"
	opened := formOf(t, one.get(path))
	typed := func(from url.Values, pairs ...string) url.Values {
		form := maps.Clone(from)
		for i := 0; i < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		return form
	}
	saved := func(a answer, threshold float64, quota, rounds int, title string) {
		t.Helper()
		c, err := s.Store.Records.Campaign(t.Context(), s.Campaign.Slug)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Settings; got.Threshold != threshold || got.Quota != quota || got.Rounds != rounds || c.Title != title {
			t.Errorf("after an answer of %d: threshold %v, quota %d, rounds %d, title %q; want %v, %d, %d, %q", a.status, got.Threshold, got.Quota, got.Rounds, c.Title, threshold, quota, rounds, title)
		}
	}
	was := s.Campaign.Title

	a := two.post(path, typed(opened, "threshold", "0.5", "quota", "44", "title", "Theirs"))
	saved(a, 0.5, 44, 2, "Theirs")
	a = one.post(path, typed(opened, "rounds", "3", "threshold", "0.70"))
	saved(a, 0.5, 44, 3, "Theirs")
	says(t, "the page does not say what others have changed", one.get(path).page(t).Text(), "What others changed meanwhile stays: Title, Ratings a day, Threshold.")

	asked := one.post(path, typed(opened, "threshold", "0.6", "quota", "44", "idle_seconds", "70", "title", "Mine"))
	if asked.status != http.StatusConflict {
		t.Fatalf("a value that both changed answered %d", asked.status)
	}
	saved(asked, 0.5, 44, 3, "Theirs")
	rows := asked.page(t).Find("#collisions tbody tr").Map(func(_ int, row *goquery.Selection) string {
		return strings.Join(row.Find("th, td:not(:last-child)").Map(func(_ int, cell *goquery.Selection) string { return cell.Text() }), "|")
	})
	if want := []string{"Title|Theirs|Mine|" + was, "Threshold|0.5|0.6|0.7"}; !slices.Equal(rows, want) {
		t.Errorf("the collisions are %q, want %q", rows, want)
	}
	again := formOf(t, asked)
	for key, want := range map[string]string{"threshold": "0.6", "title": "Mine", "quota": "44", "rounds": "3", "idle_seconds": "70"} {
		if got := again.Get(key); got != want {
			t.Errorf("the form shows %s %q, want %q", key, got, want)
		}
	}

	a = one.post(path, typed(again, "do", "theirs"))
	saved(a, 0.5, 44, 3, "Theirs")
	if s.Reload(t); s.Campaign.Settings.IdleSeconds != 70 {
		t.Errorf("what did not collide was not saved")
	}
	a = one.post(path, again)
	saved(a, 0.6, 44, 3, "Mine")

	wantStatus(t, "a version that is not known", one.post(path, typed(opened, "version", "99", "quota", "1")), http.StatusUnprocessableEntity)
	saved(a, 0.6, 44, 3, "Mine")
}

// TestSettingsBeingFollowed: while the segments of a large campaign follow changed settings,
// leads and researchers are told how far that is, and annotators go on.
func TestSettingsBeingFollowed(t *testing.T) {
	s := newSite(t, storetest.Segments(8))
	lead, researcher, annotator, page := s.signedIn(s.Lead), s.signedIn(s.Researcher), s.signedIn(s.Annotators[0]), "/campaigns/"+s.Campaign.Slug
	s.srv.Settling.Stop() // else it would be over at once
	pool, err := sql.Open("sqlite", "file:"+s.db.Config.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	_, err = pool.ExecContext(t.Context(), `INSERT INTO jobs (id, kind, campaign_id, done, total) VALUES (?, 'settings', ?, 2, 8)`, s.Campaign.ID, s.Campaign.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"", "/segments", "/settings", "/report", "/export/ratings"} {
		for _, v := range []*visitor{lead, researcher} {
			if at == "/settings" && v == researcher {
				continue
			}
			if got := v.get(page + at); got.status != http.StatusServiceUnavailable || got.header.Get("Refresh") == "" || !strings.Contains(got.body, "25 % of its segments are decided by them so far") {
				t.Errorf("%s: %d, %q", at, got.status, got.header.Get("Refresh"))
			}
		}
	}
	if got := annotator.post(page+"/next", nil); got.status != http.StatusSeeOther {
		t.Errorf("an annotator asks for work: %d", got.status)
	} else if got := annotator.get(got.location()); got.status != http.StatusOK {
		t.Errorf("an annotator works: %d", got.status)
	}
	if err := s.db.Intake.Settle(t.Context(), s.Campaign.ID); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "afterwards", lead.get(page+"/settings"), http.StatusOK)
}
