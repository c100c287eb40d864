package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/server"
	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

// Ten annotators rate 30 segments; two of them judge the other way round. The lead sets these two aside, the others fill
// up, and the threshold goes up, down and back. Every figure on the pages, in the report and its archive and of annotate
// agreement is each time the one that follows from the table of ratings, recomputed here.
func TestPublishedFiguresFollowFromRatings(t *testing.T) {
	p := newPublished(t)
	p.rate(7)
	for _, login := range []string{"ann3", "ann8"} {
		storetest.Check(t, p.db.Desk.SetAside(t.Context(), p.Campaign.ID, login, "judged the other way round", p.Lead.ID))
	}
	p.aside = true
	p.check("with two set aside")
	p.rate(40)
	p.check("filled up")
	for _, threshold := range []float64{0.95, 0.2, 0.7} {
		p.Change(t, fmt.Sprint("threshold=", threshold))
		p.threshold = threshold
		p.check(fmt.Sprint("at threshold ", threshold))
	}
}

type published struct {
	*storetest.Sample
	t         *testing.T
	db        *storetest.DB
	url       string
	lead      *http.Client
	threshold float64
	aside     bool // the third and the eighth are set aside
}

func newPublished(t *testing.T) *published {
	db := storetest.Open(t)
	srv := must(server.New(server.Config{Now: db.Clock.Now}, db.Store))(t)
	ts := httptest.NewServer(srv.Handler())
	t.Cleanup(ts.Close)
	p := &published{t: t, db: db, url: ts.URL, lead: browser(t), threshold: 0.7, Sample: storetest.Campaign(t, db.Store,
		storetest.Segments(30), storetest.PerDocument(3), storetest.Systems(4), storetest.Annotators(10), storetest.Set("redundancy=2"))}
	token := must(db.Accounts.NewLink(t.Context(), p.Lead.ID))(t)
	must(p.lead.PostForm(ts.URL+site.LinkPath(token), url.Values{}))(t).Body.Close()
	return p
}

// page is a page as the lead sees it.
func (p *published) page(path string) *goquery.Document {
	p.t.Helper()
	text := must(read(p.lead, p.url+path))(p.t)
	return must(goquery.NewDocumentFromReader(strings.NewReader(text)))(p.t)
}

// rate has everybody who is not set aside in turn rate what they are given next, so many times.
func (p *published) rate(times int) {
	p.t.Helper()
	for range times {
		idle := true
		for i := range p.Annotators {
			if p.aside && (i == 2 || i == 7) {
				continue
			}
			_, _, ok := p.RatePage(p.t, i, func(_, text string) float64 {
				var system, n int
				fmt.Sscanf(text, "Translation %d of segment %d.", &system, &n)
				return float64(opinion(i, n, system))
			})
			idle = idle && !ok
		}
		if idle {
			return
		}
	}
}

// opinion is what annotator i thinks of a system's translation of segment n. The
// third and the eighth judge the other way round; of some segments half of the others
// think otherwise than the rest, of all systems or of two.
func opinion(i, n, system int) int {
	x := (3*n + 2*system) % 5
	if (i+n+system)%4 == 0 {
		x = min(4, x+1)
	}
	switch {
	case i == 2 || i == 7 || n%6 == 0 && i%2 == 0:
		x = 4 - x
	case n%3 == 1 && i%3 == 0 && system <= 2:
		x = min(4, x+2)
	}
	return x
}
