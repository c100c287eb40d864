// Package markdown converts Markdown that one person wrote to HTML that is safe on
// another person's page. It supports CommonMark, tables and strikethrough, and makes
// addresses links.
//
// The HTML neither loads nor runs anything. HTML in the text is shown as text, and
// images are shown as their description. Links lead only to http, https and mailto
// addresses and open a new window. A second, independent sanitiser checks the rendered
// HTML, so that a mistake in one of the two does no harm. [Check] lists the parts of a
// text that would not be shown.
package markdown

import (
	"bytes"
	"html"
	"net/url"
	"regexp"
	"slices"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// TopHeading is the highest level of headings that [Render] returns. The two levels
// above it are the titles of a page and of a section.
const TopHeading = 3

var reader = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough, extension.Linkify),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(transformer{}, 900))),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(asText{}, 100))),
)

// Render returns a text in Markdown as HTML that is safe to insert into a page.
// Headings begin at [TopHeading] and skip no level, whatever levels the text uses. Each
// paragraph, list, quotation and cell has the direction (dir) of its own text. No
// element has an id. If [Check] lists problems, the HTML lacks these parts. A text that
// would take too long to parse is shown as typed.
func Render(source string) string {
	if _, hard := tooHard(source); hard {
		return "<pre>" + html.EscapeString(source) + "</pre>\n"
	}
	var b bytes.Buffer
	if err := reader.Convert([]byte(source), &b); err != nil {
		panic(err) // writing to a buffer never fails
	}
	return policy.Sanitize(b.String())
}

// policy lists all elements and attributes that a rendered text may contain.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "del",
		"table", "thead", "tbody", "tr", "th", "td", "a")
	p.AllowAttrs("dir").Matching(regexp.MustCompile("^auto$")).OnElements("p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "th", "td")
	p.AllowAttrs("align").Matching(bluemonday.CellAlign).OnElements("th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes(schemes...)
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	p.AddTargetBlankToFullyQualifiedLinks(true) // with rel=noopener
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	return p
}()

// schemes are the URL schemes that links may have.
var schemes = []string{"http", "https", "mailto"}

// allowed reports whether a link may lead to an address.
func allowed(address string) bool {
	u, err := url.Parse(address)
	if err != nil || !slices.Contains(schemes, u.Scheme) {
		return false
	}
	return u.Host != "" || u.Scheme == "mailto" && u.Opaque != ""
}

// A transformer removes images and forbidden links from a parsed text, and sets the
// levels of headings and the direction of blocks.
type transformer struct{}

func (transformer) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	var replaced []ast.Node
	headings := headingLevels(doc)
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			replaced = append(replaced, n)
		case *ast.Link:
			if !allowed(string(n.Destination)) {
				replaced = append(replaced, n)
			}
		case *ast.AutoLink: // <scheme:…>
			if n.AutoLinkType == ast.AutoLinkURL && !allowed(string(n.URL(r.Source()))) {
				n.AppendChild(n, ast.NewString(n.Label(r.Source())))
				replaced = append(replaced, n)
			}
		case *ast.Heading:
			n.Level = headings[n]
		}
		if n.Type() == ast.TypeBlock {
			n.SetAttributeString("dir", []byte("auto"))
		}
		return ast.WalkContinue, nil
	})
	for _, n := range replaced {
		replaceByChildren(n)
	}
}

// headingLevels maps the headings of a text to levels from [TopHeading] on, so that no
// level is skipped.
func headingLevels(doc ast.Node) map[*ast.Heading]int {
	var all []*ast.Heading
	used := [7]bool{}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			all = append(all, h)
			used[h.Level] = true
		}
		return ast.WalkContinue, nil
	})
	to, next := [7]int{}, TopHeading
	for level, is := range used {
		if is {
			to[level] = min(next, 6)
			next++
		}
	}
	levels, last := make(map[*ast.Heading]int, len(all)), TopHeading-1
	for _, h := range all {
		last = min(to[h.Level], last+1)
		levels[h] = last
	}
	return levels
}

// replaceByChildren replaces a node by its children.
func replaceByChildren(n ast.Node) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		parent.InsertBefore(parent, n, child) // also removes it from n
	}
	parent.RemoveChild(parent, n)
}

// asText renders HTML in a text as the typed characters.
type asText struct{}

func (asText) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			segments := n.(*ast.RawHTML).Segments
			for i := range segments.Len() {
				segment := segments.At(i)
				_, _ = w.Write(util.EscapeHTML(segment.Value(source)))
			}
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		_, _ = w.WriteString(`<p dir="auto">`)
		write := func(lines *text.Segments) {
			for i := range lines.Len() {
				line := lines.At(i)
				_, _ = w.Write(util.EscapeHTML(line.Value(source)))
			}
		}
		write(n.Lines())
		if block := n.(*ast.HTMLBlock); block.HasClosure() {
			_, _ = w.Write(util.EscapeHTML(block.ClosureLine.Value(source)))
		}
		_, _ = w.WriteString("</p>\n")
		return ast.WalkContinue, nil
	})
}
