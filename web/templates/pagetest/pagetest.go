// Package pagetest has what tests of pages share: a page as a document, and samples to show on it. Only tests import it.
package pagetest

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"

	"annotate/internal/protocol"
	"annotate/web/templates"
)

// Written returns a component as a document to look things up in, and as text.
func Written(t *testing.T, c templ.Component) (*goquery.Document, string) {
	t.Helper()
	var buf bytes.Buffer
	if err := c.Render(context.Background(), &buf); err != nil {
		t.Fatal(err)
	}
	html := buf.String()
	doc, err := goquery.NewDocumentFromReader(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return doc, html
}

var Noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// LeadPage is the frame of a page for a lead or another role.
func LeadPage(role string) templates.Page {
	return templates.Page{Title: "T", Static: "/static/x", Clock: templates.Clock{Now: Noon}, User: &templates.User{Login: "lin", Admin: true},
		Campaign: &templates.Campaign{Slug: "ment", Title: "MENT", Protocol: "SQM", SourceLang: "zh", TargetLang: "en", State: "open", Role: role}}
}

func Sqm(t *testing.T) *protocol.Protocol {
	t.Helper()
	p, ok := protocol.Lookup("sqm")
	if !ok {
		t.Fatal("no protocol sqm")
	}
	return p
}

// Words are the words of what is selected, elements set apart.
func Words(s *goquery.Selection) string {
	var parts []string
	s.Contents().Each(func(_ int, c *goquery.Selection) {
		if goquery.NodeName(c) == "#text" {
			parts = append(parts, strings.Fields(c.Text())...)
		} else if w := Words(c); w != "" {
			parts = append(parts, w)
		}
	})
	return strings.Join(parts, " ")
}

func Lookup(t *testing.T, id string) *protocol.Protocol {
	t.Helper()
	p, ok := protocol.Lookup(id)
	if !ok {
		t.Fatalf("no protocol %s", id)
	}
	return p.With(protocol.Options{MaxErrors: 5})
}

// SmallHeatmap is of three annotators: one pair agrees, one is undefined, one
// shares nothing.
func SmallHeatmap() templates.Heatmap {
	none := templates.HeatCell{R: math.NaN()}
	ab := templates.HeatCell{R: 0.698, Shared: 24, Href: "/pairs/a/b"}
	ac := templates.HeatCell{R: math.NaN(), Shared: 2, Href: "/pairs/a/c"}
	return templates.Heatmap{
		ID: "heat", Title: "Segment level", Names: []templates.HeatName{{Name: "Mara", Href: "/mara"}, {Name: "لينا", Href: ""}, {Name: "jonas", Href: "/jonas"}},
		Cells: [][]templates.HeatCell{{none, ab, ac}, {ab, none, none}, {ac, none, none}},
	}
}

// CellsOf is the text of a row of a table, cell by cell.
func CellsOf(row *goquery.Selection) string {
	return strings.Join(row.Find("th, td").Map(func(_ int, s *goquery.Selection) string {
		return strings.Join(strings.Fields(s.Text()), " ")
	}), " ")
}

func EveryProtocol() []*protocol.Protocol {
	var out []*protocol.Protocol
	for _, id := range protocol.IDs() {
		p, _ := protocol.Lookup(id)
		out = append(out, p)
	}
	return out
}
