package report_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"annotate/internal/report"
	"annotate/internal/testenv"
	"annotate/web"
)

// checkOutput checks that LaTeX accepts every table of a report, that every figure can be drawn, and
// that the saved page has no mistakes that browsers silently correct.
func checkOutput(t *testing.T, r report.Report) {
	t.Helper()
	tables := r.Tables()
	for _, f := range r.Figures() {
		tables = append(tables, f.Table)
		if err := report.SVG(io.Discard, f); err != nil {
			t.Error(err)
		}
	}
	var saved bytes.Buffer
	if err := web.WriteReport(t.Context(), &saved, r); err != nil {
		t.Fatal(err)
	}
	checkHTML(t, saved.Bytes())
	var latex strings.Builder
	for _, table := range tables {
		if err := report.LaTeX(&latex, table); err != nil {
			t.Fatal(err)
		}
		latex.WriteString("\\clearpage\n")
	}
	testenv.Typeset(t, latex.String())
}

// void elements have no end.
var void = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

// checkHTML finds elements that are not closed in order, duplicate ids, references to
// missing ids, and nesting that browsers change.
func checkHTML(t *testing.T, text []byte) {
	t.Helper()
	z := html.NewTokenizer(bytes.NewReader(text))
	var open, wanted []string
	ids := map[string]bool{}
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if !errors.Is(z.Err(), io.EOF) {
				t.Fatal(z.Err())
			}
			break
		}
		token := z.Token()
		if kind == html.EndTagToken {
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("</%s> ends %q", token.Data, open)
			}
			open = open[:len(open)-1]
			continue
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		for _, a := range token.Attr {
			switch {
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("the id %q comes twice", a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
				wanted = append(wanted, a.Val[1:])
			case a.Key == "aria-labelledby" || a.Key == "aria-describedby" || a.Key == "headers":
				wanted = append(wanted, strings.Fields(a.Val)...)
			case strings.HasPrefix(a.Key, "on"):
				t.Errorf("<%s> has %s", token.Data, a.Key)
			}
		}
		if slices.Contains(open, "p") && slices.Contains([]string{"p", "div", "table", "ul", "ol", "section", "figure", "h1", "h2", "h3", "details"}, token.Data) {
			t.Errorf("<%s> in a paragraph: %q", token.Data, open)
		}
		if kind == html.StartTagToken && !slices.Contains(void, token.Data) {
			open = append(open, token.Data)
		}
	}
	if len(open) > 0 {
		t.Errorf("never closed: %q", open)
	}
	for _, id := range wanted {
		if !ids[id] {
			t.Errorf("nothing has the id %q", id)
		}
	}
}
