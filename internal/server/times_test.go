package server

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/store/storetest"
)

// written is a time of day as pages write it.
var written = regexp.MustCompile(`\b([01]\d|2[0-3]):([0-5]\d)(:[0-5]\d)?\b`)

// TestTimesOfCampaign follows all links within a campaign, as a lead, an annotator and a researcher. Every
// time is in the campaign's zone, which each page names, and which no other zone is 15 minutes off.
func TestTimesOfCampaign(t *testing.T) {
	s := newSite(t, storetest.Set("timezone=Asia/Kathmandu", "threshold=0.9"), storetest.Annotators(3))
	at := "/campaigns/" + s.Campaign.Slug
	lead := s.signedIn(s.Lead)
	step := func() { s.db.Clock.Advance(2 * time.Hour) }
	s.RateNext(t, 0, 0, 2, 4)
	step()
	s.RateNext(t, 1, 0, 2, 4)
	step()
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 4, 2, 0)
	storetest.ReportProblem(t, s.Sample, 2, s.Next(t, 2), "the source is cut")
	step()
	opened := formOf(t, lead.get(at+"/settings"))
	s.Change(t, "quota=50")
	storetest.SetAside(t, s.Sample, 1)
	step()
	storetest.Restore(t, s.Sample, 1)
	storetest.Check(t, s.db.Rounds.Discard(t.Context(), s.Campaign.ID, []string{s.RowID(t, "d1", "s1")}, "unclear", s.Lead.ID))
	lead.post(at+"/announcements", url.Values{"text": {"Thank you."}})
	s.MakeTraining(t, 1)
	lead.post(at+"/instructions", url.Values{"text": {"Read twice."}})
	line := fmt.Sprintf(`{"doc_id":"x","segment_id":"x","source":"s","translations":{%q:"a",%q:"b",%q:"c"}}`+"\n", s.Systems[0], s.Systems[1], s.Systems[2])
	wantStatus(t, "the import", lead.upload(s.Campaign.Slug, "jsonl", "more.jsonl", line), http.StatusOK)
	step()

	check := func(what string, got answer) *goquery.Document {
		doc := got.page(t)
		doc.Find("pre, code, textarea, script").Remove()
		for _, m := range written.FindAllStringSubmatch(doc.Find("body").Text(), -1) {
			if m[2] != "45" {
				t.Errorf("%s has the time %s", what, m[0])
			}
		}
		doc.Find("time").Each(func(_ int, n *goquery.Selection) {
			if when := n.AttrOr("datetime", ""); strings.Contains(when, "T") && !strings.HasSuffix(when, "+05:45") {
				t.Errorf("%s has the time %s", what, when)
			}
		})
		return doc
	}
	opened.Set("quota", "70")
	collided := lead.post(at+"/settings", opened)
	if doc := check("a collision of settings", collided); doc.Find("#collisions time").Length() != 1 {
		t.Errorf("a collision of settings is answered %d", collided.status)
	}
	for who, v := range map[string]*visitor{"lead": lead, "annotator": s.signedIn(s.Annotators[0]), "researcher": s.signedIn(s.Researcher)} {
		seen, pages := map[string]bool{}, 0
		for queue := []string{at, "/work", at + "/finished"}; len(queue) > 0; queue = queue[1:] {
			path := queue[0]
			got := v.get(path)
			if got.status != http.StatusOK || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
				continue
			}
			pages++
			doc := check(who+": "+path, got)
			if foot := doc.Find("footer.foot"); foot.Length() > 0 && doc.Find("time").Length() > 0 && !strings.Contains(foot.Text(), "times are in Asia/Kathmandu") {
				t.Errorf("%s: %s says %q", who, path, foot.Text())
			}
			doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
				to, _ := url.Parse(a.AttrOr("href", ""))
				if to != nil && strings.HasPrefix(to.Path, at) && !seen[to.Path] {
					seen[to.Path] = true
					queue = append(queue, to.String())
				}
			})
		}
		if want := map[string]int{"lead": 40, "annotator": 6, "researcher": 20}[who]; pages < want {
			t.Errorf("%s: only %d pages were read, want %d or more", who, pages, want)
		}
	}
}
