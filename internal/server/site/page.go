package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v5"
	"golang.org/x/text/language"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/web"
	"annotate/web/templates"
)

// Done says what happened on the next page and goes there.
func (s *Site) Done(c *echo.Context, text, path string) error {
	s.Flash(c, text)
	return Redirect(c, path)
}

// Clock is the moment and the time zone of a campaign's pages, and of those of the site if the campaign is empty.
func (s *Site) Clock(of campaign.Campaign) templates.Clock {
	return templates.Clock{Now: s.Config.Now(), Location: of.Settings.Location()}
}

// Link is what the lead passes on to an invited person: a sign-in link or a join link. Without either the
// person is a member already.
func (s *Site) Link(c *echo.Context, login, name string, made accounts.Invited) templates.SignInLink {
	l := templates.SignInLink{Login: login, Name: name, Join: made.Join != "", Mailed: s.SendsMail()}
	switch {
	case l.Join:
		l.URL, l.Name = s.Base(c.Request())+JoinPath(made.Join), ""
	case made.SignIn != "":
		l.URL = s.Base(c.Request()) + LinkPath(made.SignIn)
	}
	return l
}

// Page is what every page shows around its content.
func (s *Site) Page(c *echo.Context, title string) templates.Page {
	m := Here(c)
	p := templates.Page{Title: title, Static: web.Prefix(), Flash: s.takeFlash(c), Clock: s.Clock(m.Campaign)}
	if u, ok := User(c); ok {
		leads, _ := s.CreatesCampaigns(c) // without an answer the page lacks a link, no more
		p.User = &templates.User{Login: u.Login, Name: u.Name, Admin: u.Role == accounts.Admin, Leads: leads}
	}
	if m.Campaign.ID != "" {
		p.Campaign = s.CampaignOf(c.Request().Context(), m)
	}
	return p
}

// CampaignOf is a campaign as pages show it to one of its members.
func (s *Site) CampaignOf(ctx context.Context, m Membership) *templates.Campaign {
	of := CampaignView(m.Campaign, m.Role, m.Adjudicates)
	if m.ShownRole() == campaign.Lead {
		of.ToAnswer, _ = s.store.Desk.CountToAnswer(ctx, m.Campaign.ID) // after an error, the page lacks only a number
		of.Failed, _ = s.store.Desk.CountFailed(ctx, m.Campaign.ID)
	}
	return &of
}

// CampaignView is a campaign as pages show it to a user with a role in it.
func CampaignView(c campaign.Campaign, role campaign.Role, adjudicates bool) templates.Campaign {
	return templates.Campaign{
		Slug: c.Slug, Title: c.Title, Protocol: c.Rules.Name, SourceLang: c.SourceLang, TargetLang: c.TargetLang,
		State: shownState(c), Archived: c.Archived, Leads: role == campaign.Lead, Role: string(Membership{Campaign: c, Role: role}.ShownRole()),
		Adjudicates: adjudicates && !c.Archived, Timezone: c.Settings.Timezone,
	}
}

// shownState returns the name of a campaign's state on pages.
func shownState(c campaign.Campaign) string {
	if c.Archived {
		return templates.Archived
	}
	return string(c.State)
}

// PageAt is a page with its entry in the navigation marked.
func (s *Site) PageAt(c *echo.Context, title, entry string) templates.Page {
	p := s.Page(c, title)
	p.Here = entry
	return p
}

// Render writes a page once it is complete, so that a failure half way shows as
// an error and not as half a page.
func (s *Site) Render(c *echo.Context, status int, component templ.Component) error {
	var buf bytes.Buffer
	if err := component.Render(c.Request().Context(), &buf); err != nil {
		return err
	}
	c.Response().Header().Add(echo.HeaderVary, echo.HeaderAcceptEncoding)
	if buf.Len() < gzipFrom || !AcceptsGzip(c.Request()) {
		return c.HTMLBlob(status, buf.Bytes())
	}
	c.Response().Header().Set(echo.HeaderContentEncoding, "gzip")
	return c.HTMLBlob(status, gzipped(buf.Bytes()))
}

// gzipFrom is from how many bytes on a page is compressed. A shorter one fits into
// a packet as it is.
const gzipFrom = 1400

// gzips are compressors to be used again, since a new one takes 800 KB.
var gzips = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

func gzipped(page []byte) []byte {
	z := gzips.Get().(*gzip.Writer)
	defer gzips.Put(z)
	var buf bytes.Buffer
	z.Reset(&buf)
	_, _ = z.Write(page) // a buffer takes everything
	_ = z.Close()
	return buf.Bytes()
}

// Redirect answers a change: the browser fetches the next page anew.
func Redirect(c *echo.Context, path string) error { return c.Redirect(http.StatusSeeOther, path) }

// Lang is a language with its direction, as texts carry it.
func Lang(tag string) templates.Lang {
	l := templates.Lang{Lang: tag, Dir: "auto"}
	t, err := language.Parse(tag)
	if err != nil {
		return l
	}
	script, confidence := t.Script()
	if confidence == language.No {
		return l
	}
	l.Dir = "ltr"
	if strings.Contains("Adlm Arab Aran Hebr Mand Mend Nkoo Rohg Samr Syrc Thaa Yezi", script.String()) {
		l.Dir = "rtl"
	}
	return l
}

// AcceptsGzip reports whether the browser takes a compressed answer.
func AcceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name == "gzip" {
			_, number, given := strings.Cut(quality, "q=")
			q, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			return !given || err == nil && q > 0
		}
	}
	return false
}
