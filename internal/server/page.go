package server

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"mime"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"golang.org/x/text/language"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/web"
	"annotate/web/templates"
)

// page is what every page shows around its content.
func (s *Server) page(c echo.Context, title string) templates.Page {
	p := templates.Page{Title: title, Static: web.Prefix(), Flash: s.takeFlash(c)}
	if u, ok := user(c); ok {
		leads, _ := s.createsCampaigns(c) // without an answer the page lacks a link, no more
		p.User = &templates.User{Login: u.Login, Name: u.Name, Admin: u.Role == accounts.Admin, Leads: leads}
	}
	if m := here(c); m.campaign.ID != "" {
		of := campaignView(m.campaign, m.role, m.adjudicates)
		if m.shownRole() == campaign.Lead {
			of.ToAnswer, _ = s.store.CountToAnswer(c.Request().Context(), m.campaign.ID) // after an error, the page lacks only a number
		}
		p.Campaign = &of
	}
	return p
}

// campaignView is a campaign as pages show it to a user with a role in it.
func campaignView(c campaign.Campaign, role campaign.Role, adjudicates bool) templates.Campaign {
	return templates.Campaign{
		Slug: c.Slug, Title: c.Title, Protocol: c.Rules.Name, SourceLang: c.SourceLang, TargetLang: c.TargetLang,
		State: shownState(c), Archived: c.Archived, Leads: role == campaign.Lead, Role: string(membership{campaign: c, role: role}.shownRole()),
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

// pageAt is a page with its entry in the navigation marked.
func (s *Server) pageAt(c echo.Context, title, entry string) templates.Page {
	p := s.page(c, title)
	p.Here = entry
	return p
}

// render writes a page once it is complete, so that a failure half way shows as
// an error and not as half a page.
func (s *Server) render(c echo.Context, status int, component templ.Component) error {
	var buf bytes.Buffer
	if err := component.Render(c.Request().Context(), &buf); err != nil {
		return err
	}
	c.Response().Header().Add(echo.HeaderVary, echo.HeaderAcceptEncoding)
	if buf.Len() < gzipFrom || !acceptsGzip(c.Request()) {
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

// redirect answers a change: the browser fetches the next page anew.
func redirect(c echo.Context, path string) error { return c.Redirect(http.StatusSeeOther, path) }

// lang is a language with its direction, as texts carry it.
func lang(tag string) templates.Lang {
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

// static serves the embedded files below the hash of them all; they never
// change under one address.
func (s *Server) static() echo.HandlerFunc {
	files := http.StripPrefix(web.Prefix()+"/", http.FileServerFS(web.Files()))
	return func(c echo.Context) error {
		path := c.Param("*")
		if info, err := fs.Stat(web.Files(), path); err != nil || info.IsDir() {
			return echo.ErrNotFound
		}
		c.Response().Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		c.Response().Header().Set("Vary", "Accept-Encoding")
		if text, ok := web.Gzipped(path); ok && acceptsGzip(c.Request()) {
			c.Response().Header().Set("Content-Encoding", "gzip")
			return c.Blob(http.StatusOK, mime.TypeByExtension(filepath.Ext(path)), text)
		}
		files.ServeHTTP(c.Response(), c.Request())
		return nil
	}
}

func acceptsGzip(r *http.Request) bool {
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
