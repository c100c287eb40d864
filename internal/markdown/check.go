package markdown

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// MaxDepth is how deeply lists and quotations may be nested. Browsers lay out only
// some hundreds of nested elements.
const MaxDepth = 20

// maxSigns is how many signs of emphasis and of links a run of non-empty lines may
// have. Parsing time grows with the square of their number: 100 KB of signs took
// 5.8 s, and with this limit some hundredths of that.
const maxSigns = 4000

// A Problem is a part of a text that cannot be shown.
type Problem struct {
	Line int    // counted from 1
	Text string // describes the part and says what to do
}

func (p Problem) Error() string { return fmt.Sprintf("line %d: %s", p.Line, p.Text) }

// plain parses a text without the changes that [Render] makes.
var plain = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(parser.DefaultInlineParsers()...),
	parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	parser.WithASTTransformers(util.Prioritized(noTransform{}, 1000)),
)

type noTransform struct{}

func (noTransform) Transform(*ast.Document, text.Reader, parser.Context) {}

// Check lists the parts of a text that [Render] would not show: images, links to
// addresses other than http, https and mailto, and lists and quotations that are
// nested more than [MaxDepth] deep. HTML is not listed, since it is shown as text.
func Check(source string) []Problem {
	if p, hard := tooHard(source); hard {
		return []Problem{p}
	}
	src := []byte(source)
	var out []Problem
	depth, deep := 0, false
	_ = ast.Walk(plain.Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindBlockquote, ast.KindList:
			if !entering {
				depth--
				return ast.WalkContinue, nil
			}
			if depth++; depth > MaxDepth && !deep {
				deep = true
				out = append(out, tooDeep(lineOf(n, src)))
			}
		}
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			out = append(out, Problem{lineOf(n, src), "an image; pages load nothing from elsewhere, so describe it or link to it"})
		case *ast.Link:
			out = append(out, checkLink(n, src, n.Destination)...)
		case *ast.AutoLink:
			if n.AutoLinkType == ast.AutoLinkURL {
				out = append(out, checkLink(n, src, n.URL(src))...)
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

// nested matches the beginning of a line that opens more quotations and lists than
// are allowed. The time to parse them grows with the square of the depth.
var nested = regexp.MustCompile(fmt.Sprintf(`^(?:[ \t]*(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t])){%d}`, MaxDepth+1))

// tooHard finds the first part of a text that would take too long to parse.
func tooHard(source string) (Problem, bool) {
	number, signs := 0, 0
	for line := range strings.Lines(source) {
		number++
		if nested.MatchString(line) {
			return tooDeep(number), true
		}
		if strings.TrimSpace(line) == "" {
			signs = 0
		}
		for _, sign := range []string{"*", "_", "~", "["} {
			signs += strings.Count(line, sign)
		}
		if signs > maxSigns {
			return Problem{number, fmt.Sprintf("more than %d of the signs * _ ~ [ without an empty line; divide the paragraph", maxSigns)}, true
		}
	}
	return Problem{}, false
}

func tooDeep(line int) Problem {
	return Problem{line, fmt.Sprintf("more than %d lists or quotations within each other", MaxDepth)}
}

func checkLink(n ast.Node, source, address []byte) []Problem {
	if allowed(string(address)) {
		return nil
	}
	return []Problem{{lineOf(n, source), fmt.Sprintf("a link to %q; write the whole address, beginning with https:, http: or mailto:", address)}}
}

// lineOf returns the line of a node, or of the nearest text inside or around it.
func lineOf(n ast.Node, source []byte) int {
	at := -1
	for m := n; m != nil && at < 0; m = m.Parent() {
		_ = ast.Walk(m, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if t, ok := n.(*ast.Text); ok && entering {
				at = t.Segment.Start
				return ast.WalkStop, nil
			}
			if n.Type() == ast.TypeBlock && entering && n.Lines().Len() > 0 {
				at = n.Lines().At(0).Start
			}
			return ast.WalkContinue, nil
		})
	}
	return bytes.Count(source[:max(at, 0)], []byte("\n")) + 1
}
