package chart

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// figureWidth is how wide figures are in pixels, of which a page may show fewer.
const figureWidth = 680

// A Drawing is a figure of the report as SVG. It has a title and a description in words.
// Nothing in it runs or is fetched.
type Drawing struct {
	id, title, words string
	b                strings.Builder // the inside of the element
	width, height    float64
}

// New begins a drawing. The ids of its elements begin with id.
func New(id, title, words string) *Drawing {
	return &Drawing{id: id, title: title, words: words, width: figureWidth}
}

// WriteFile writes the drawing as a file that carries its styles, in the light colours
// of the palette, so that it is legible alone and on paper.
func (d *Drawing) WriteFile(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	d.write(b, fileStyle())
	b.WriteString("\n")
	return b.Flush()
}

// Inline returns the drawing as an element of a page. The page has the style sheets
// css/palette.css and css/figure.css.
func (d *Drawing) Inline() string {
	var s strings.Builder
	b := bufio.NewWriter(&s)
	d.write(b, "")
	_ = b.Flush() // a strings.Builder takes everything
	return s.String()
}

func (d *Drawing) write(b *bufio.Writer, style string) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" class="fig" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-labelledby="%s-title" aria-describedby="%s-words"><title id="%s-title">%s</title><desc id="%s-words">%s</desc>`,
		Coordinate(d.width), Coordinate(d.height), Coordinate(d.width), Coordinate(d.height), d.id, d.id, d.id, escapeXML(d.title), d.id, escapeXML(d.words))
	if style != "" {
		b.WriteString("<style>" + style + "</style>")
	}
	b.WriteString(d.b.String())
	b.WriteString("</svg>")
}

func (d *Drawing) rect(x, y, w, h float64, class, title string) {
	fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%s" class="%s"`, Coordinate(x), Coordinate(y), Coordinate(max(w, 0)), Coordinate(max(h, 0)), class)
	if title == "" {
		d.b.WriteString("/>")
		return
	}
	fmt.Fprintf(&d.b, "><title>%s</title></rect>", escapeXML(title))
}

func (d *Drawing) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&d.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, Coordinate(x1), Coordinate(y1), Coordinate(x2), Coordinate(y2), class)
}

// text writes a text whose baseline is at y, cut to room pixels; 0: it has all the
// room it wants.
func (d *Drawing) text(x, y, room float64, class, s string) {
	short := s
	if room > 0 {
		short = fit(s, room)
	}
	fmt.Fprintf(&d.b, `<text x="%s" y="%s"`, Coordinate(x), Coordinate(y))
	if class != "" {
		fmt.Fprintf(&d.b, ` class="%s"`, class)
	}
	d.b.WriteString(">" + escapeXML(short))
	if short != s {
		d.b.WriteString("<title>" + escapeXML(s) + "</title>")
	}
	d.b.WriteString("</text>")
}

// turned is a text that is read from below, ending at (x, y).
func (d *Drawing) turned(x, y, room float64, class, s string) {
	short := fit(s, room)
	fmt.Fprintf(&d.b, `<text transform="translate(%s %s) rotate(-90)" class="%s">%s`, Coordinate(x), Coordinate(y), class, escapeXML(short))
	if short != s {
		d.b.WriteString("<title>" + escapeXML(s) + "</title>")
	}
	d.b.WriteString("</text>")
}

// textWidth guesses how wide a text is at 12 px. Faces differ, so that it is a little
// more than most need.
func textWidth(s string) (w float64) {
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe4f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300):
			w += 12.5
		case unicode.IsUpper(r) || r == 'm' || r == 'w' || r == '%':
			w += 8.6
		case strings.ContainsRune("iljft.,:;|' ", r):
			w += 4
		default:
			w += 7
		}
	}
	return w
}

// fit cuts a text to a width, with an ellipsis where something is missing.
func fit(s string, room float64) string {
	if textWidth(s) <= room {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 && textWidth(string(runes))+12 > room {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimSpace(string(runes)) + "…"
}

// widest is the width of the widest of some texts, within limits.
func widest(texts []string, least, most float64) float64 {
	w := least
	for _, s := range texts {
		w = max(w, textWidth(s))
	}
	return min(w, most)
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// escapeXML escapes a text for XML. It replaces characters that XML does not allow.
func escapeXML(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff || r == 0x7f {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
	return xmlEscapes.Replace(s)
}
