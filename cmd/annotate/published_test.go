package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/accounts"
	"annotate/internal/server"
	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

// Ten annotators rate 30 segments through what a browser sends; two of them judge
// the other way round. The lead sets these two aside, the others fill up, and the
// threshold goes up, down and back. Every figure on the pages, in the report and its
// archive and of annotate agreement is each time the one that follows from the table
// of ratings, recomputed here.
func TestPublishedFiguresFollowFromRatings(t *testing.T) {
	p := newPublished(t)
	p.rate(7)
	lead := p.signIn(p.Lead)
	for _, login := range []string{"ann3", "ann8"} {
		page := "/campaigns/sample/annotators/" + login
		if got := lead.send("POST", page+"/set-aside", "application/x-www-form-urlencoded", url.Values{"reason": {"judged the other way round"}}.Encode()); got.status != http.StatusSeeOther {
			t.Fatalf("setting %s aside: %d", login, got.status)
		}
	}
	p.check(lead, "with two set aside")
	p.rate(40)
	p.check(lead, "filled up")
	for _, threshold := range []float64{0.95, 0.2, 0.7} {
		p.Change(t, fmt.Sprint("threshold=", threshold))
		p.threshold = threshold
		p.check(lead, fmt.Sprint("at threshold ", threshold))
	}
}

type published struct {
	*storetest.Sample
	t         *testing.T
	db        *storetest.DB
	url       string
	people    []*browsing
	threshold float64
}

func newPublished(t *testing.T) *published {
	db := storetest.Open(t)
	srv, err := server.New(server.Config{Now: db.Clock.Now}, db.Store)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv.Handler())
	t.Cleanup(ts.Close)
	p := &published{t: t, db: db, url: ts.URL, threshold: 0.7, Sample: storetest.Campaign(t, db.Store,
		storetest.Segments(30), storetest.PerDocument(3), storetest.Systems(4), storetest.Annotators(10), storetest.Set("redundancy=2"))}
	for _, u := range p.Annotators {
		p.people = append(p.people, p.signIn(u))
	}
	return p
}

// A browsing is a signed-in browser without scripts.
type browsing struct {
	p      *published
	client *http.Client
}

func (p *published) signIn(u accounts.User) *browsing {
	p.t.Helper()
	token, err := p.db.Accounts.NewLink(p.t.Context(), u.ID)
	if err != nil {
		p.t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	b := &browsing{p, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	b.send("POST", site.LinkPath(token), "application/x-www-form-urlencoded", "")
	return b
}

type received struct {
	status         int
	body, location string
}

func (b *browsing) send(method, path, contentType, body string) received {
	b.p.t.Helper()
	req, err := http.NewRequestWithContext(b.p.t.Context(), method, b.p.url+path, strings.NewReader(body))
	if err != nil {
		b.p.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.p.t.Fatal(err)
	}
	return received{res.StatusCode, string(text), res.Header.Get("Location")}
}

// page is a page as a document.
func (b *browsing) page(path string) *goquery.Document {
	b.p.t.Helper()
	got := b.send("GET", path, "", "")
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(got.body))
	if err != nil || got.status != http.StatusOK {
		b.p.t.Fatalf("%s: %d, %v", path, got.status, err)
	}
	return doc
}

// rate has everybody in turn take what they are given next, so many times.
func (p *published) rate(times int) {
	p.t.Helper()
	for range times {
		idle := true
		for i, b := range p.people {
			if at := b.send("POST", "/campaigns/sample/next", "application/x-www-form-urlencoded", "").location; strings.Contains(at, "/assignments/") {
				b.rate(i, at)
				idle = false
			}
		}
		if idle {
			return
		}
	}
}

var (
	publishedCard = regexp.MustCompile(`Translation (\d+) of segment (\d+)\.`)
	publishedID   = regexp.MustCompile(`{"id":"([\w-]{16})","revision":(\d+)`)
)

// rate gives scores to the cards of a page and submits them.
func (b *browsing) rate(i int, path string) {
	t := b.p.t
	t.Helper()
	page := b.send("GET", path, "", "").body
	cards, ids := publishedCard.FindAllStringSubmatch(page, -1), publishedID.FindAllStringSubmatch(page, -1)
	if len(cards) != 4 || len(ids) != 4 {
		t.Fatalf("%s has %d texts and %d cards", path, len(cards), len(ids))
	}
	revisions := map[string]int{}
	for k, card := range cards {
		system, _ := strconv.Atoi(card[1])
		n, _ := strconv.Atoi(card[2])
		before, _ := strconv.Atoi(ids[k][2])
		saved := b.send("PUT", path+"/cards/"+ids[k][1], "application/json", fmt.Sprintf(`{"revision":%d,"save_id":"x%d","scores":{"sqm":%d},"seconds":1}`, before, before, opinion(i, n, system)))
		if saved.status != http.StatusOK {
			t.Fatalf("save: %d %s", saved.status, saved.body)
		}
		var answer struct{ Revision int }
		if err := json.Unmarshal([]byte(saved.body), &answer); err != nil {
			t.Fatal(err)
		}
		revisions[ids[k][1]] = answer.Revision
	}
	body, _ := json.Marshal(map[string]any{"cards": revisions})
	if done := b.send("POST", path+"/submit", "application/json", string(body)); done.status != http.StatusOK {
		t.Fatalf("submit: %d %s", done.status, done.body)
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
