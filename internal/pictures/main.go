// Command pictures takes the pictures of the documentation from the running
// application, filled with the sample campaigns. With --review DIR it takes
// every page at two widths, in light and dark, for people to look through.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/e2e"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/sample"
	"annotate/internal/server"
	"annotate/internal/server/site"
	"annotate/internal/store"
)

func main() {
	review := flag.String("review", "", "take every page at every width and theme into this `folder`")
	only := flag.String("only", "", "with --review, only the pages whose name begins with this")
	flag.Parse()
	if err := run(context.Background(), *review, *only); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// A failure ends the program, which is for developers and has nothing to save.
type failure struct{ error }

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// A picture is one page as one person sees it.
type picture struct {
	name  string
	login string // empty: a stranger
	path  string
	// before runs in the page before the picture is taken.
	before []chromedp.Action[chromedp.Void]
}

// now is when the pictures are taken, so that they change only when pages do.
var now = time.Date(2026, 11, 20, 10, 12, 0, 0, time.UTC)

func run(ctx context.Context, review, only string) (err error) {
	defer func() {
		if f, ok := recover().(failure); ok {
			err = f
		}
	}()
	browserPath := e2e.Find()
	if browserPath == "" {
		return errors.New("no Chromium found; make setup installs one")
	}
	dir := must(os.MkdirTemp("", "annotate-pictures-"))
	defer os.RemoveAll(dir)
	clock := sample.NewClock(now)
	st := must(store.Open(ctx, database.Config{Driver: database.SQLite, DSN: filepath.Join(dir, "pictures.db"), Now: clock.Now}))
	defer st.Close()
	check(sample.Load(ctx, st, clock))
	check(sample.LoadChains(ctx, st, clock))
	check(sample.LoadFlags(ctx, st, clock))
	check(sample.LoadTalk(ctx, st, clock))
	more(ctx, st)
	foreign(ctx, st)
	operation(ctx, st)
	srv := must(
		server.New(
			server.Config{
				Now:          clock.Now,
				Send:         senders,
				SecondFactor: site.FactorOffered,
				Judges:       server.JudgeConfig{BaseURL: "https://llm.example.org/v1", HasKey: true, Model: "gpt-4o"},
			},
			st,
		),
	)
	ts := httptest.NewServer(srv.Handler())
	defer ts.Close()
	browser, end, err := e2e.Start(ctx, browserPath)
	check(err)
	defer end()
	s := studio{st: st, url: ts.URL, browser: browser, windows: map[string]context.Context{}}
	if review == "" {
		return s.documentation(ctx, filepath.Join("docs", "pictures"))
	}
	return s.everything(ctx, review, only)
}

// The adjudicator adjudicates a segment of each protocol; the invitee is invited by a lead whom the sample does not have.
const (
	adjudicator  = "judge"
	inviting     = "inviting"
	invitingLead = "ben"
	invitee      = "lin"
)

// more adds what the sample campaigns lack: an admin, a campaign without anything in it, one that is archived, one of a large plan,
// segments that wait for an adjudicator, and an invitation.
func more(ctx context.Context, st *store.Store) {
	lead := must(st.Accounts.UserByLogin(ctx, sample.Lead))
	must(st.Accounts.AddUser(ctx, "admin", "", accounts.Admin))
	nothing := campaignOf(ctx, st, "empty", "Nothing here yet", lead)
	check(st.Rounds.ChangeCampaign(ctx, nothing.ID, lead.ID, records.CampaignChange{Settings: []string{"threshold=0.8"}}))
	check(st.Rounds.Archive(ctx, campaignOf(ctx, st, "archived", "Last year's news", lead).ID, lead.ID))
	plannedCampaign(ctx, st)
	campaignOf(ctx, st, inviting, "Spring news", must(st.Accounts.AddUser(ctx, invitingLead, "Ben Novak", accounts.Member)))
	joinPath(ctx, st)
	must(st.Accounts.AddUser(ctx, adjudicator, "", accounts.Member))
	for slug, segment := range map[string][2]string{
		sample.ChineseEnglish: {"poem-millet", "s11"}, sample.ESA: {"news-harbour", "s02"}, sample.MQM: {"social-subway", "s02"}, sample.RATE: {"guide-market", "s02"},
	} {
		c := must(st.Records.Campaign(ctx, slug))
		check(st.Accounts.AddMember(ctx, c.ID, adjudicator, campaign.Adjudicator, lead.ID))
		row := must(st.Records.SegmentRowID(ctx, c.ID, segment[0], segment[1]))
		check(st.Rounds.AskForAdjudication(ctx, c.ID, []string{row}, "The annotators read the second half differently; please decide.", lead.ID))
	}
}

// campaignOf makes a campaign without segments.
func campaignOf(ctx context.Context, st *store.Store, slug, title string, lead accounts.User) campaign.Campaign {
	p, _ := protocol.Lookup("sqm")
	return must(st.Accounts.CreateCampaign(ctx, campaign.Campaign{Slug: slug, Title: title, Protocol: p.ID, Settings: campaign.DefaultSettings(p)}, lead.ID))
}

// joinPath is the path of a new join link for the invitee.
func joinPath(ctx context.Context, st *store.Store) string {
	c, ben := must(st.Records.Campaign(ctx, inviting)), must(st.Accounts.UserByLogin(ctx, invitingLead))
	return site.JoinPath(must(st.Accounts.Invite(ctx, c.ID, invitee, "", campaign.Annotator, ben.ID)).Join)
}

// A studio has a window for each person.
type studio struct {
	st      *store.Store
	url     string
	browser context.Context
	windows map[string]context.Context
}

// window is the person's, signed in.
func (s *studio) window(ctx context.Context, login string) context.Context {
	if w := s.windows[login]; w != nil {
		return w
	}
	w, _, err := e2e.Person(s.browser) // ends with the browser
	check(err)
	s.windows[login] = w
	if login == "" {
		return w
	}
	u := must(s.st.Accounts.UserByLogin(ctx, login))
	token := must(s.st.Accounts.NewLink(ctx, u.ID))
	check(chromedp.Do(w, e2e.SignIn(s.url+site.LinkPath(token))))
	for _, m := range must(s.st.Accounts.CampaignsOf(ctx, u.ID)) {
		check(s.st.Work.CloseGuide(ctx, m.Campaign.ID, u.ID)) // so that the guide does not cover the pages
	}
	return w
}

// take writes one picture; whole takes the page to its end.
func (s *studio) take(ctx context.Context, p picture, file string, width, height int64, dark, whole bool) error {
	w, path := s.window(ctx, p.login), s.resolve(ctx, p)
	steps := append([]chromedp.Action[chromedp.Void]{e2e.Look(width, height, dark), chromedp.Navigate(s.url + path), loaded}, p.before...)
	// A dialog opens when its styles are there. What changes its colour or its place has to come to rest.
	steps = append(steps, e2e.Until(`document.styleSheets.length >= document.querySelectorAll('link[rel=stylesheet]').length &&
		document.getAnimations().every(a => a.playState !== 'running' || a.effect.getComputedTiming().endTime === Infinity)`))
	within, cancel := context.WithTimeout(w, 2*time.Minute) // of which a page needs some seconds
	defer cancel()
	if err := chromedp.Do(within, steps...); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	shot := chromedp.CaptureScreenshot()
	if whole {
		shot = chromedp.FullScreenshot(100)
	}
	png, err := chromedp.Run(w, shot)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	fmt.Println(file)
	return os.WriteFile(file, png, 0o666)
}

// loaded waits for the fonts, and on the annotate page for its scripts.
var loaded = e2e.Until(`document.fonts.status === 'loaded' &&
	(!document.querySelector('#submit') || document.documentElement.dataset.ready === 'annotate')`)

// follow opens the page to which a link leads.
func follow(link string) []chromedp.Action[chromedp.Void] {
	return []chromedp.Action[chromedp.Void]{chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		href, err := chromedp.Evaluate[string](fmt.Sprintf("document.querySelector(%q).href", link))(ctx, t)
		if err != nil {
			return err
		}
		_, err = chromedp.Navigate(href)(ctx, t)
		return err
	}), loaded}
}

// resolve fills in what a path can't know: the annotator's assignment in work or
// the last one finished, the ids of segments, and a sign-in link.
func (s *studio) resolve(ctx context.Context, p picture) string {
	if p.path == site.LinkPath("NEW") {
		u := must(s.st.Accounts.UserByLogin(ctx, sample.Annotator))
		return site.LinkPath(must(s.st.Accounts.NewLink(ctx, u.ID)))
	}
	if p.path == factorPath {
		confirmFactor(ctx, s.st)
	}
	if p.path == site.JoinPath("NEW") {
		return joinPath(ctx, s.st)
	}
	slugs := []string{sample.ChineseEnglish, sample.EnglishArabic, sample.ESA, sample.MQM, sample.RATE}
	for _, x := range scripts {
		for _, id := range []string{"inspect", "reference", "review", "terms", "culture"} {
			slugs = append(slugs, x.slug+"-"+id)
		}
	}
	for _, slug := range slugs {
		c := must(s.st.Records.Campaign(ctx, slug))
		if strings.Contains(p.path, slug+"/assignments/NEXT") {
			u := must(s.st.Accounts.UserByLogin(ctx, p.login))
			return strings.Replace(p.path, "NEXT", must(s.st.Work.Next(ctx, c.ID, u.ID)), 1)
		}
		if strings.Contains(p.path, slug+"/assignments/DONE") {
			u := must(s.st.Accounts.UserByLogin(ctx, p.login))
			work, _, err := s.st.Desk.FinishedWork(ctx, c, u.ID, 0, 1)
			check(err)
			return strings.Replace(p.path, "DONE", work[0].AssignmentID, 1)
		}
		if before, ids, ok := strings.Cut(p.path, slug+"/segments/"); ok {
			ids, query, asks := strings.Cut(ids, "?")
			doc, seg, _ := strings.Cut(ids, "/")
			id := must(s.st.Records.SegmentRowID(ctx, c.ID, doc, seg))
			if asks {
				id += "?" + query
			}
			return before + slug + "/segments/" + id
		}
	}
	return p.path
}

// documentation takes the pictures that README and docs show.
func (s *studio) documentation(ctx context.Context, dir string) error {
	check(os.MkdirAll(dir, 0o777))
	for _, p := range []struct {
		picture
		dark bool
	}{
		{picture{name: "annotate", login: sample.Annotator, path: "/campaigns/" + sample.ChineseEnglish + "/assignments/NEXT"}, false},
		{picture{name: "annotate-dark", login: sample.Annotator, path: "/campaigns/" + sample.EnglishArabic + "/assignments/NEXT"}, true},
		{picture{name: "overview", login: sample.Lead, path: "/campaigns/" + sample.ChineseEnglish}, false},
	} {
		check(s.take(ctx, p.picture, filepath.Join(dir, p.name+".png"), 1440, 900, p.dark, false))
	}
	return nil
}

// everything takes every page at two widths, in light and dark; the annotate
// page as a window shows it, since its parts stay in place.
func (s *studio) everything(ctx context.Context, dir, only string) error {
	check(os.MkdirAll(dir, 0o777))
	for _, p := range slices.Concat(pages, foreignPages()) {
		if !strings.HasPrefix(p.name, only) {
			continue
		}
		for _, look := range []struct {
			name          string
			width, height int64
			dark          bool
		}{{"1440-light", 1440, 900, false}, {"1440-dark", 1440, 900, true}, {"390-light", 390, 844, false}, {"390-dark", 390, 844, true}} {
			check(s.take(ctx, p, filepath.Join(dir, p.name+"-"+look.name+".png"), look.width, look.height, look.dark, !strings.HasPrefix(p.name, "annotate")))
		}
	}
	return nil
}
