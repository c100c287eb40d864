package server

import (
	"context"
	"encoding/csv"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/parallel"
	"annotate/internal/server/monitoring"
	"annotate/internal/store/storetest"
)

// ratedSite has two segments of three systems that two annotators rated: the
// first alike (r = 1), the second so that it fails (r of 4 2 0 and 3 4 2 = 0.5);
// a third annotator has done nothing.
func ratedSite(t *testing.T) *sampleSite {
	t.Helper()
	s := newSite(t, storetest.Segments(2), storetest.Annotators(3))
	s.RateNext(t, 0, 4, 2, 0)
	s.RateNext(t, 0, 4, 2, 0)
	for range 2 {
		id := s.Next(t, 1)
		if s.Work(t, 1, id).Source == "源文本 1。" {
			s.Rate(t, 1, id, 4, 2, 0)
		} else {
			s.Rate(t, 1, id, 3, 4, 2)
		}
	}
	return s
}

func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestAgreementPages(t *testing.T) {
	s := ratedSite(t)
	v, path := s.signedIn(s.Researcher), "/campaigns/"+s.Campaign.Slug
	page := v.get(path + "/agreement").page(t)
	segment := page.Find(`[aria-labelledby="segment-level-title"]`)
	if got := squeezed(segment.Find("tbody tr").Eq(0).Find("td").Eq(1).Text()); got != "0.75 2" {
		t.Errorf("at segment level ann1 and ann2 have %q, want the mean of 1 and 0.5 over 2", got)
	}
	if got := segment.Find("tbody tr").Eq(0).Find("td").Eq(2).Text(); got != "" {
		t.Errorf("ann1 and ann3 share %q, want a blank", got)
	}
	// Sums 8 4 0 and 7 6 2: r = 10 / sqrt(32 * 14) * 2 = 0.9449.
	if got := squeezed(page.Find(`[aria-labelledby="system-level-title"] tbody tr`).Eq(0).Find("td").Eq(1).Text()); got != "0.94 2" {
		t.Errorf("at system level ann1 and ann2 have %q", got)
	}
	if got := squeezed(page.Find("#reasons-title").Parent().Find("tbody tr").Text()); !strings.HasPrefix(got, "r below 0.7") {
		t.Errorf("reasons: %q", got)
	}

	link := segment.Find("tbody td a").First().AttrOr("href", "")
	pair := v.get(link).page(t)
	var rs []string
	for i := range pair.Find("tbody tr").Length() {
		rs = append(rs, squeezed(pair.Find("tbody tr").Eq(i).Find("td").Eq(1).Text()))
	}
	if strings.Join(rs, " ") != "0.50 1.00" {
		t.Errorf("behind the cell stand the segments with r %v, want the lowest first", rs)
	}
	if first, second := pair.Find("tbody tr").Eq(0).Text(), pair.Find("tbody tr").Eq(1).Text(); !strings.Contains(first, "r below 0.7") || !strings.Contains(second, "agree") {
		t.Errorf("the gate says %q and %q", squeezed(first), squeezed(second))
	}
	gold := v.get(link + "?gold=yes").page(t)
	if n := gold.Find("tbody tr").Length(); n != 1 {
		t.Errorf("%d segments in gold, want 1", n)
	}
	wantStatus(t, "a pair that shares nothing", v.get(path+"/agreement/pairs/ann1/ann3"), http.StatusOK, "They share no segment")
	for _, missing := range []string{"/agreement/pairs/ann1/ann1", "/agreement/pairs/ann1/nobody"} {
		wantStatus(t, missing, v.get(path+missing), http.StatusNotFound)
	}
}

// TestManyAnnotators: if there are many annotators, each pair is linked in one table of the page of agreement, and all
// figures stay there and on the overview.
func TestManyAnnotators(t *testing.T) {
	s := newSite(t, storetest.Segments(1), storetest.Annotators(13), storetest.Set("redundancy=13"))
	for i := range s.Annotators {
		s.RateNext(t, i, 4, 2, 0)
	}
	v, path := s.signedIn(s.Researcher), "/campaigns/"+s.Campaign.Slug
	for page, linked := range map[string]int{path: 0, path + "/agreement": 13 * 12} {
		page := v.get(page).page(t)
		for level, want := range map[string]int{"segment": linked, "system": 0} {
			cells := page.Find(`[aria-labelledby="` + level + `-level-title"] td.heat-5`)
			if cells.Length() != 13*12 || squeezed(cells.First().Text()) != "1.00 1" || cells.Find("a").Length() != want {
				t.Errorf("%s level: %d cells with %d links, want %d", level, cells.Length(), cells.Find("a").Length(), want)
			}
		}
		if said := strings.Contains(page.Find("main").Text(), "The cells of the table above lead to the segments of a pair."); said != (linked > 0) {
			t.Errorf("it is %t that the page says where the links are", said)
		}
		if pairs := page.Find(`a[href$="/agreement"]:contains("Pairs")`).Length(); (pairs == 1) != (linked == 0) {
			t.Errorf("%d links lead to the pairs", pairs)
		}
	}
}

// judgedSite returns ratedSite with two judges. One orders the translations of both segments as the
// scores 4 2 0 do, on a scale of its own. The other reverses the order in the first segment.
func judgedSite(t *testing.T) *sampleSite {
	t.Helper()
	s := ratedSite(t)
	s.judge(t, "fine", map[string][]float64{"s1": {-1, -5, -9}, "s2": {-1, -5, -9}})
	s.judge(t, "odd", map[string][]float64{"s1": {0, 50, 100}})
	return s
}

// judge imports the scores of a judge.
func (s *sampleSite) judge(t *testing.T, name string, segments map[string][]float64) {
	t.Helper()
	lines := func(yield func(campaign.JudgementLine, error) bool) {
		for segment, scores := range segments {
			for i, x := range scores {
				line := campaign.JudgementLine{SegmentID: segment, System: s.Systems[i], Judgement: campaign.Judgement{Judge: name, Status: campaign.JudgementOK, Score: &x}}
				if !yield(line, nil) {
					return
				}
			}
		}
	}
	if _, err := s.Store.Intake.ImportJudgements(t.Context(), s.Campaign.ID, lines, intake.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
}

// Judges have their own rows and columns behind a gap and under a heading.
func TestAgreementWithJudges(t *testing.T) {
	s := ratedSite(t)
	v, path := s.signedIn(s.Researcher), "/campaigns/"+s.Campaign.Slug+"/agreement"
	if v.get(path).page(t).Find(".heat-judges, .heat-gap").Length() > 0 {
		t.Error("without judges the page has room for them")
	}
	s.judge(t, "fine", map[string][]float64{"s1": {-1, -5, -9}, "s2": {-1, -5, -9}})
	s.judge(t, "odd", map[string][]float64{"s1": {0, 50, 100}})
	page := v.get(path).page(t)
	for level, want := range map[string]string{
		// ann2 orders the first segment as fine does. In the second, r of 3 4 2 and -1 -5 -9 is 0.5.
		"segment": "Judges fine 1.00 2 0.75 2 −1.00 1 odd −1.00 1 −1.00 1 −1.00 1",
		"system":  "Judges fine 1.00 2 0.94 2 −1.00 1 odd −1.00 1 −1.00 1 −1.00 1",
	} {
		if got := wordsOf(page.Find(`[aria-labelledby="` + level + `-level-title"] .heat-judges`)); got != want {
			t.Errorf("%s level: got %q, want %q", level, got, want)
		}
	}
	// A change of the data replaces the kept result.
	s.judge(t, "fine", map[string][]float64{"s1": {-9, -5, -1}, "s2": {-9, -5, -1}})
	if got := squeezed(v.get(path).page(t).Find(".heat-judges tr").Eq(1).Find("td").First().Text()); got != "−1.00 2" {
		t.Errorf("after another import fine and ann1 have %q", got)
	}
	if got := v.get("/campaigns/" + s.Campaign.Slug).page(t).Find(".heat-judges").Length(); got > 0 {
		t.Error("the overview shows judges among annotators")
	}
}

// While the rows of judges are computed again, the page shows earlier rows and says so, and an open page
// asks again. The CSV waits.
func TestAgreementOfAnEarlierMoment(t *testing.T) {
	s := ratedSite(t)
	v, path := s.signedIn(s.Researcher), "/campaigns/"+s.Campaign.Slug+"/agreement"
	s.judge(t, "fine", map[string][]float64{"s1": {-1, -5, -9}, "s2": {-1, -5, -9}})
	shown := func() (cell, said, version string) {
		page := v.get(path).page(t)
		return squeezed(page.Find(".heat-judges tr").Eq(1).Find("td").First().Text()), squeezed(page.Find("#matrices-title").Parent().Parent().Children().Last().Text()), page.Find("[data-live]").AttrOr("data-version", "")
	}
	if cell, said, _ := shown(); cell != "1.00 2" || strings.Contains(said, "The rows of judges") {
		t.Fatalf("at first fine and ann1 have %q, and the page says %q", cell, said)
	}
	release := make(chan struct{})
	for _, key := range []string{"one", "two"} { // a job for each place of the runner
		s.srv.monitoring.Judged.Runner.Start(key, func(context.Context, parallel.Say) (a monitoring.DatedAgreement, err error) { <-release; return a, nil })
	}
	s.srv.monitoring.Judged.Patience = 0
	s.judge(t, "fine", map[string][]float64{"s1": {-9, -5, -1}, "s2": {-9, -5, -1}})
	if cell, said, version := shown(); cell != "1.00 2" || !strings.HasPrefix(said, "The rows of judges are of today ") || version != "0" {
		t.Errorf("meanwhile fine and ann1 have %q, the page says %q and has version %s", cell, said, version)
	}
	close(release)
	if rows := v.get(path + ".csv").body; !strings.Contains(rows, "judge-segment,fine,ann1,-1,2") {
		t.Errorf("the CSV has\n%s", rows)
	}
	if cell, said, version := shown(); cell != "−1.00 2" || strings.Contains(said, "The rows of judges") || version == "0" {
		t.Errorf("afterwards fine and ann1 have %q, the page says %q and has version %s", cell, said, version)
	}
}

// The CSV has the pairs of annotators, also those that share nothing, and then those with judges.
func TestAgreementCSV(t *testing.T) {
	s := judgedSite(t)
	got := s.signedIn(s.Lead).get("/campaigns/" + s.Campaign.Slug + "/agreement.csv")
	rows, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var pairs []string
	for _, row := range rows[1:] {
		if r, err := strconv.ParseFloat(row[3], 64); (err != nil || math.Abs(r) > 1) && row[4] != "0" {
			t.Errorf("%v", row)
		}
		pairs = append(pairs, strings.Join([]string{row[0], row[1], row[2], row[4]}, " "))
	}
	if want := "system ann1 ann2 2|system ann1 ann3 0|system ann2 ann3 0|segment ann1 ann2 2|segment ann1 ann3 0|segment ann2 ann3 0|judge-system fine ann1 2|judge-segment fine ann1 2|judge-system fine ann2 2|judge-segment fine ann2 2|judges-system fine odd 1|judges-segment fine odd 1|judge-system odd ann1 1|judge-segment odd ann1 1|judge-system odd ann2 1|judge-segment odd ann2 1"; strings.Join(pairs, "|") != want {
		t.Errorf("got %q", pairs)
	}
}

// TestAnnotatorsSortAndFilter asks for the table in several orders.
func TestAnnotatorsSortAndFilter(t *testing.T) {
	s := ratedSite(t)
	v, path := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/annotators"
	for query, want := range map[string]string{
		"":                              "ann1 ann2 ann3",
		"?sort=login&order=down":        "ann3 ann2 ann1",
		"?sort=mean&order=down":         "ann2 ann1 ann3", // 2 and 2.5; without a rating: last
		"?sort=mean&order=up":           "ann1 ann2 ann3",
		"?sort=difference&order=up":     "ann1 ann2 ann3",
		"?sort=nonsense&order=sideways": "ann1 ann2 ann3",
		"?text=NN2":                     "ann2",
		"?show=waiting":                 "ann3",
		"?show=nonsense":                "ann1 ann2 ann3",
		"?page=9":                       "",
	} {
		page := v.get(path + query)
		if page.status != http.StatusOK {
			t.Fatalf("%s answered %d", query, page.status)
		}
		var got []string
		doc := page.page(t)
		for i := range doc.Find("tbody tr").Length() {
			got = append(got, doc.Find("tbody tr").Eq(i).AttrOr("data-key", ""))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
}
