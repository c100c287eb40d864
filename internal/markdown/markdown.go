// Package markdown turns Markdown that one person wrote into HTML that is safe in
// another person's page: CommonMark with tables, strikethrough and addresses as
// links.
//
// Nothing in the result loads or runs anything. HTML in the text is shown as it is
// written, images are shown as their description, links lead to http, https and
// mailto addresses alone and open a window of their own. What is rendered goes
// through a second, independent sanitiser, so that a slip in one of the two does no
// harm. [Check] says of a text, before it is kept, what of it would not be shown.
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

// TopHeading is the level of the highest heading in what [Render] returns: below
// the title of a page and the one of a part of it.
const TopHeading = 3

var reader = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough, extension.Linkify),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(transformer{}, 900))),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(asText{}, 100))),
)

// Render returns the HTML of a text in Markdown. It can be put into a page as it
// is. Headings begin at [TopHeading] and skip no level, whatever those of the text
// are; each paragraph, list, quotation and cell has the direction of its own words.
// No element has an id. The result of a text that [Check] finds fault with is safe
// too, it only lacks what is named there; one that would take too long is shown as
// it is typed.
func Render(source string) string {
	if _, hard := tooHard(source); hard {
		return "<pre>" + html.EscapeString(source) + "</pre>\n"
	}
	var b bytes.Buffer
	if err := reader.Convert([]byte(source), &b); err != nil {
		panic(err) // a buffer takes everything
	}
	return policy.Sanitize(b.String())
}

// policy is all that a rendered text may hold.
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

// schemes are those of the addresses that links may lead to.
var schemes = []string{"http", "https", "mailto"}

// leads reports whether a link may lead to an address.
func leads(address string) bool {
	u, err := url.Parse(address)
	if err != nil || !slices.Contains(schemes, u.Scheme) {
		return false
	}
	return u.Host != "" || u.Scheme == "mailto" && u.Opaque != ""
}

// A transformer changes a parsed text into what may be shown of it.
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
			if !leads(string(n.Destination)) {
				replaced = append(replaced, n)
			}
		case *ast.AutoLink: // <scheme:…>
			if n.AutoLinkType == ast.AutoLinkURL && !leads(string(n.URL(r.Source()))) {
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

// headingLevels gives the headings of a text the levels of a page: those that are
// used follow each other from [TopHeading] on, and none is skipped on the way down.
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

// replaceByChildren puts what is within a node in its place.
func replaceByChildren(n ast.Node) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		parent.InsertBefore(parent, n, child) // takes it out of n
	}
	parent.RemoveChild(parent, n)
}

// asText renders HTML in a text as the characters that were typed.
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
