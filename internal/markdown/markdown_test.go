package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

func TestRender(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"paragraphs", "One *two* **three**\nfour\n\nسطر", "<p dir=\"auto\">One <em>two</em> <strong>three</strong>\nfour</p>\n<p dir=\"auto\">سطر</p>\n"},
		{"a heading below those of the page", "# Rules", "<h3 dir=\"auto\">Rules</h3>\n"},
		{"a list", "3. a\n4. b", "<ol start=\"3\" dir=\"auto\">\n<li dir=\"auto\">a</li>\n<li dir=\"auto\">b</li>\n</ol>\n"},
		{"code is shown as it is", "`<b>` and\n\n    <i>\n", "<p dir=\"auto\"><code>&lt;b&gt;</code> and</p>\n<pre><code>&lt;i&gt;\n</code></pre>\n"},
		{"HTML is shown as it is", "a <b>c</b>", "<p dir=\"auto\">a &lt;b&gt;c&lt;/b&gt;</p>\n"},
		{"a block of HTML too", "<div>\nx\n</div>", "<p dir=\"auto\">&lt;div&gt;\nx\n&lt;/div&gt;</p>\n"},
		{"an image is its description", "![a *cat*](https://example.org/x.png)", "<p dir=\"auto\">a <em>cat</em></p>\n"},
		{"a link elsewhere", "[x](https://example.org/a?b=1&c=2)", `<p dir="auto"><a href="https://example.org/a?b=1&amp;c=2" rel="noreferrer noopener" target="_blank">x</a></p>` + "\n"},
		{"an address is a link", "see www.example.org.", `<p dir="auto">see <a href="http://www.example.org" rel="noreferrer noopener" target="_blank">www.example.org</a>.</p>` + "\n"},
		{"a link nowhere is its text", "[x](page) [y](#z) [w](//example.org)", "<p dir=\"auto\">x y w</p>\n"},
		{"a link to a mailbox", "[x](mailto:lead@example.org)", `<p dir="auto"><a href="mailto:lead@example.org">x</a></p>` + "\n"},
		{"a link without a host", "[x](http:)", "<p dir=\"auto\">x</p>\n"},
		{"an image in a link", "[![a](b)](javascript:x) ![c [d](https://e.org) f](g)", `<p dir="auto">a c <a href="https://e.org" rel="noreferrer noopener" target="_blank">d</a> f</p>` + "\n"},
		{"nothing", " \n", ""},
	} {
		if got := Render(tt.in); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	doc := parse(t, Render("| a | b |\n|---|--:|\n| x | 1 |"))
	if doc.Find("thead th").Length() != 2 || doc.Find("tbody td[align=right][dir=auto]").Text() != "1" {
		t.Errorf("a table is %s", Render("| a | b |\n|---|--:|\n| x | 1 |"))
	}
}

// TestHeadings: no level of headings is skipped.
func TestHeadings(t *testing.T) {
	for in, want := range map[string]string{
		"#": "3", "####": "3", "# ## ###": "3 4 5", "# ### # ###": "3 4 3 4", "### # ###": "3 3 4", "# ## ### #### ##### ######": "3 4 5 6 6 6",
	} {
		var text strings.Builder
		for _, h := range strings.Fields(in) {
			text.WriteString(h + " x\n\n")
		}
		var got []string
		parse(t, Render(text.String())).Find("h1,h2,h3,h4,h5,h6").Each(func(_ int, s *goquery.Selection) { got = append(got, goquery.NodeName(s)[1:]) })
		if strings.Join(got, " ") != want {
			t.Errorf("%s: levels %v, want %s", in, got, want)
		}
	}
}

// hostile are texts that try to run or load something.
var hostile = []string{
	"<script>alert(1)</script>", "<SCRIPT SRC=//evil.example/x.js>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<svg><script>x</script></svg>",
	"<style>*{background:url(//evil.example)}</style>", "<iframe src=https://evil.example></iframe>", "<object data=x></object>", "<link rel=stylesheet href=//x>",
	"<base href=//evil.example>", "<meta http-equiv=refresh content=0>", "<form action=//x><input name=a><button>b</button></form>", "<math><mi xlink:href=javascript:x>",
	"[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](java\tscript:alert(1))", "[a](<java script:x>)", "[a](&#106;avascript:alert(1))", "[a](javascript&colon;alert(1))",
	"[a](vbscript:x)", "[a](data:text/html,<script>alert(1)</script>)", "[a](data:image/png;base64,AAAA)", "[a](file:///etc/passwd)", "<javascript:alert(1)>", "<data:text/html,x>",
	"[a]: javascript:x\n\n[a]", "![a](https://evil.example/x.png)", "![a](x \"onerror=alert(1)\")", "[a](https://e.org \"x\\\" onmouseover=alert(1)\")",
	"[a](https://e.org\"onclick=\"x)", "<a href=\"https://e.org\" onclick=x style=color:red id=submit class=btn name=main>x</a>",
	"`<script>`", "    <script>x</script>", "```<img src=x onerror=y>\n<script>\n```", "| <script> |\n|---|\n| <img src=x> |", "# <svg/onload=x>", "> <script>x", "a\x00<script>", "<!-- --><script>x</script><!-- -->",
	"<![CDATA[<script>x</script>]]>", "<?php x ?>", "<!DOCTYPE html><script>", "\u202e<script>", "<a\nhref=javascript:x>y</a>", "- [ ] task <script>", "~~<b onclick=x>~~", "&lt;script&gt;&#60;script&#62;",
	"<p dir=auto onclick=x>", "{#id onclick=x}\n# h {#guide onclick=x .btn}",
}

func TestHostile(t *testing.T) {
	for _, in := range hostile {
		if bad := unsafe(t, Render(in)); bad != "" {
			t.Errorf("%q has %s: %s", in, bad, Render(in))
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, in := range hostile {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if bad := unsafe(t, Render(in)); bad != "" {
			t.Errorf("%q has %s", in, bad)
		}
		for _, p := range Check(in) {
			if p.Line < 1 || p.Line > strings.Count(in, "\n")+1 {
				t.Errorf("%q: line %d", in, p.Line)
			}
		}
	})
}

// unsafe returns the first element or attribute of HTML that this package never writes.
func unsafe(t *testing.T, text string) string {
	t.Helper()
	elements := strings.Fields("p br hr h3 h4 h5 h6 ul ol li blockquote pre code em strong del table thead tbody tr th td a")
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.CommentToken, html.DoctypeToken:
			return "a comment"
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := z.Token()
			if !slices.Contains(elements, tag.Data) {
				return "<" + tag.Data + ">"
			}
			for _, a := range tag.Attr {
				good := map[string]bool{
					"dir": a.Val == "auto", "align": slices.Contains([]string{"left", "right", "center"}, a.Val), "start": strings.Trim(a.Val, "0123456789") == "",
					"href": allowed(a.Val), "rel": strings.Contains(a.Val, "noopener"), "target": a.Val == "_blank",
				}
				if !good[a.Key] {
					return fmt.Sprintf("%s=%q", a.Key, a.Val)
				}
			}
			if tag.Data == "a" && len(tag.Attr) != 3 && !strings.HasPrefix(tag.Attr[0].Val, "mailto:") {
				return fmt.Sprintf("a link with %v", tag.Attr)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	const image = "an image; pages load nothing from elsewhere, so describe it or link to it"
	const link = "; write the whole address, beginning with https:, http: or mailto:"
	for _, tt := range []struct{ name, in, want string }{
		{"all is well", "# a\n\n- b\n- [c](https://d.org) <e@f.org>\n\n<b>", ""},
		{"an image", "a\n\nb ![c](d)", "line 3: " + image},
		{"an image without a description", "a\n\n![](d)", "line 3: " + image},
		{"a link", "a\n[b](c)", "line 2: a link to \"c\"" + link},
		{"in a list", "- a\n- b\n  - [c](javascript:d)", "line 3: a link to \"javascript:d\"" + link},
		{"in angle brackets", "<javascript:x>", "line 1: a link to \"javascript:x\"" + link},
		{"too deep", strings.Repeat(">", MaxDepth+1) + " a", "line 1: more than 20 lists or quotations within each other"},
		{"too deep line by line", staircase(MaxDepth + 1), "line 21: more than 20 lists or quotations within each other"},
		{"a rule", strings.Repeat("*", 100) + "\n" + strings.Repeat("- ", 3), ""},
		{"too many signs", strings.Repeat("*a_\n", maxSigns), "line 2001: more than 4000 of the signs * _ ~ [ without an empty line; divide the paragraph"},
		{"many signs", strings.Repeat("*a*\n\n", maxSigns), ""},
		{"deep enough", strings.Repeat(">", MaxDepth) + " a", ""},
		{"beside each other", strings.Repeat("> a\n\nb\n\n", MaxDepth+1), ""},
		{"several", "![a](b)\n\n[c](d)", "line 1: " + image + "\nline 3: a link to \"d\"" + link},
	} {
		var got []string
		for _, p := range Check(tt.in) {
			got = append(got, p.Error())
		}
		if s := strings.Join(got, "\n"); s != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, s, tt.want)
		}
	}
}

// staircase is nested lists, with one line for each level.
func staircase(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

// TestHardTextsAreShown: texts that would take too long to parse are shown as typed.
func TestHardTextsAreShown(t *testing.T) {
	for _, in := range []string{strings.Repeat(">", 100_000) + "<b>", strings.Repeat("*a_", 30_000) + "<b>"} {
		if got := parse(t, Render(in)).Find("pre").Text(); got != in {
			t.Errorf("%.10s… is shown as %.40s…", in, got)
		}
	}
}

// BenchmarkRender takes texts that are as large as a guide may be, the ordinary and
// those that parsers of Markdown find hard.
func BenchmarkRender(b *testing.B) {
	const size = 100 << 10
	for name, unit := range map[string]string{
		"prose": "A *short* paragraph with [a link](https://example.org) and `code`.\n\n- a list\n- of **two**\n\n", "quotes": ">", "stars": "*a_", "paragraphs": strings.Repeat("*a_", 1300) + "\n\n", "brackets": "[", "images": "![", "ticks": "`a``", "entities": "&#x20;",
		"table": "|a|b|\n|-|-|\n|x|y|\n\n", "html": "<a ", "emphasis": "**a *b ",
	} {
		text := strings.Repeat(unit, size/len(unit))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Render(text)
			}
		})
	}
}

func parse(t *testing.T, text string) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
