package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"annotate/internal/parallel"
	"annotate/internal/server/results"
)

// sampleLine is a line of the text format of Prometheus: name, labels, value.
var sampleLine = regexp.MustCompile(`^[a-z_][a-z0-9_]*(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? -?[0-9.e+-]+$`)

// TestMetrics: a monitor reads requests by pattern and status, saves, jobs, sign-ins that were refused, the size of the
// database and figures of the process, and learns nothing of a campaign or a person.
func TestMetrics(t *testing.T) {
	s := newSite(t)
	read := func() string {
		w := httptest.NewRecorder()
		s.srv.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return w.Body.String()
	}
	ann := s.signedIn(s.Annotators[0])
	page := ann.post("/campaigns/"+s.Campaign.Slug+"/next", nil).location()
	card := s.CardID(t, 0, page[strings.LastIndex(page, "/")+1:], 0)
	wantStatus(t, "a save", ann.json("PUT", page+"/cards/"+card, map[string]any{"revision": 0, "save_id": "x", "scores": map[string]float64{"sqm": 3}}), http.StatusOK)
	for range 12 {
		s.stranger().post("/sign-in", url.Values{"login": {"lead"}, "password": {"wrong"}})
	}
	s.stranger().do("BREW", "/nowhere/secret", "", "")
	j := s.srv.results.Files.Runner.Start("x", func(_ context.Context, _ parallel.Say) (results.PreparedFile, error) {
		for _, want := range []string{
			`annotate_requests_total{method="PUT",route="/campaigns/:slug/assignments/:assignment/cards/:card",status="200"} 1`,
			`annotate_request_duration_seconds_count{method="POST",route="/sign-in"} 12`,
			`annotate_requests_total{method="other",route="other",status="404"} 1`,
			"annotate_saves_total 1", `annotate_sign_ins_refused_total{reason="wrong"} 10`, `annotate_sign_ins_refused_total{reason="too many"} 2`,
			`annotate_jobs{kind="file"} 1`, `annotate_jobs{kind="report"} 0`, "annotate_writes_waiting 0", "annotate_can_save 1",
			"annotate_database_bytes ", "go_goroutines ", "process_resident_memory_bytes ",
		} {
			if !strings.Contains(read(), want) {
				t.Errorf("the metrics lack %q", want)
			}
		}
		return results.PreparedFile{}, nil
	})
	<-j.Done()
	text := read()
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "go_") && !sampleLine.MatchString(strings.TrimSpace(line)) {
			t.Errorf("no sample: %q", line)
		}
	}
	for _, private := range []string{"ann1", s.Campaign.Slug + "/", "secret", "BREW", card} {
		if strings.Contains(text, private) {
			t.Errorf("the metrics have %q", private)
		}
	}
	wantStatus(t, "the metrics at the address of the pages", s.stranger().get("/metrics"), http.StatusNotFound)
}
