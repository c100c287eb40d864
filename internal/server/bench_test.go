package server

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// BenchmarkSaveCard has 200 annotators save cards at the same time, over HTTP,
// with sessions and all checks, into a SQLite file. The clients run in the same
// process and take their share of the cores.
func BenchmarkSaveCard(b *testing.B) {
	const people = 200
	db := storetest.Open(b)
	srv, err := New(Config{}, db.Store)
	if err != nil {
		b.Fatal(err)
	}
	s := storetest.Campaign(b, db.Store, storetest.Segments(people), storetest.PerDocument(1), storetest.Systems(10), storetest.Annotators(people))
	ts := httptest.NewServer(srv.Handler())
	defer ts.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: people}}
	type page struct {
		url, cookie string
		cards       []work.Card
		revisions   [10]int
	}
	pages := make([]*page, people)
	for i := range pages {
		id := s.Next(b, i)
		pages[i] = &page{url: ts.URL + "/campaigns/" + s.Campaign.Slug + "/assignments/" + id + "/cards/", cards: s.Work(b, i, id).Cards, cookie: srv.visitor(b, db.Store, s.Annotators[i])}
	}
	var mu sync.Mutex
	var took []time.Duration
	b.ResetTimer()
	start := time.Now()
	var wg sync.WaitGroup
	for i, p := range pages {
		wg.Go(func() {
			var mine []time.Duration
			for n := i; n < b.N; n += people {
				card := n / people % 10
				body := fmt.Sprintf(`{"revision":%d,"save_id":"x%d","scores":{"sqm":%d},"seconds":1}`, p.revisions[card], n, n%5)
				req, _ := http.NewRequestWithContext(b.Context(), "PUT", p.url+p.cards[card].ID, strings.NewReader(body))
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Cookie", p.cookie)
				began := time.Now()
				res, err := client.Do(req)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
				if res.StatusCode != http.StatusOK {
					b.Errorf("save answered %d", res.StatusCode)
					return
				}
				mine = append(mine, time.Since(began))
				p.revisions[card]++
			}
			mu.Lock()
			took = append(took, mine...)
			mu.Unlock()
		})
	}
	wg.Wait()
	elapsed := time.Since(start)
	slices.Sort(took)
	if len(took) > 0 {
		b.ReportMetric(float64(len(took))/elapsed.Seconds(), "saves/s")
		for _, p := range []int{50, 99} {
			b.ReportMetric(float64(took[len(took)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
		}
	}
}

// BenchmarkPages renders the pages of a campaign of 2,000 segments and 20,000
// ratings, as its annotator and its lead get them.
func BenchmarkPages(b *testing.B) {
	db := storetest.Open(b)
	srv, err := New(Config{}, db.Store)
	if err != nil {
		b.Fatal(err)
	}
	s := storetest.Campaign(b, db.Store, storetest.Segments(2000), storetest.Systems(10), storetest.Annotators(4))
	for range 1000 {
		for i := range 2 {
			s.RateNext(b, i, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4)
		}
	}
	annotator, lead := srv.visitor(b, db.Store, s.Annotators[0]), srv.visitor(b, db.Store, s.Lead)
	prefix := "/campaigns/" + s.Campaign.Slug
	for _, page := range []struct{ name, path, cookie string }{
		{"annotate", prefix + "/assignments/" + s.Next(b, 0), annotator},
		{"work", "/work", annotator},
		{"finished", prefix + "/finished", annotator},
		{"overview", prefix, lead},
		{"segments", prefix + "/segments", lead},
		{"segment", prefix + "/segments/" + s.RowID(b, "d1", "s1"), lead},
		{"export", prefix + "/export", lead},
	} {
		b.Run(page.name, func(b *testing.B) {
			for b.Loop() {
				req := httptest.NewRequest("GET", page.path, nil)
				req.Header.Set("Cookie", page.cookie)
				w := httptest.NewRecorder()
				srv.Handler().ServeHTTP(w, req)
				if w.Code != http.StatusOK {
					b.Fatalf("%s answered %d", page.path, w.Code)
				}
			}
		})
	}
}

// visitor is the cookie of a user who is signed in.
func (s *Server) visitor(b *testing.B, st *store.Store, u accounts.User) string {
	b.Helper()
	token, err := st.Accounts.StartSession(b.Context(), u, "bench")
	if err != nil {
		b.Fatal(err)
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	cookie := s.Cookie(r)
	cookie.Values["token"] = token
	if err := cookie.Save(r, w); err != nil {
		b.Fatal(err)
	}
	return strings.Split(w.Header().Get("Set-Cookie"), ";")[0]
}
