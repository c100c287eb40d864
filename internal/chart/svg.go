package chart

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// figureWidth is the width of figures in pixels. A page may show them smaller.
const figureWidth = 680

// A Drawing is a figure of the report as SVG, with a title and a description in words.
// It has no scripts and loads nothing.
type Drawing struct {
	id, title, words string
	shapes           []shape
	width, height    float64
}

// A shapeKind says what a shape is.
type shapeKind int

const (
	rectShape   shapeKind = iota // from (x, y) to (x2, y2)
	lineShape                    // from (x, y) to (x2, y2)
	dotShape                     // around (x, y)
	runsShape                    // through the points of runs
	textShape                    // with its baseline at (x, y)
	turnedShape                  // a text that is read from below
)

// dotRadius is the radius of a dot in pixels.
const dotRadius = 2.5

// A shape is a part of a drawing, in pixels from the top left.
type shape struct {
	kind         shapeKind
	x, y, x2, y2 float64
	runs         [][][2]float64
	class        string // one or more classes of the style sheet, separated by spaces
	text         string
	title        string // the tooltip; may be empty
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
	fmt.Fprintf(
		b,
		`<svg xmlns="http://www.w3.org/2000/svg" class="fig" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-labelledby="%s-title" aria-describedby="%s-words"><title id="%s-title">%s</title><desc id="%s-words">%s</desc>`,
		Coordinate(d.width), Coordinate(d.height), Coordinate(d.width), Coordinate(d.height), d.id, d.id, d.id, escapeXML(d.title), d.id,
		escapeXML(d.words),
	)
	if style != "" {
		b.WriteString("<style>" + style + "</style>")
	}
	for _, s := range d.shapes {
		s.writeSVG(b)
	}
	b.WriteString("</svg>")
}

// writeSVG writes the shape as an element.
func (s shape) writeSVG(b *bufio.Writer) {
	element := "text"
	switch s.kind {
	case rectShape:
		element = "rect"
		fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s"`, Coordinate(s.x), Coordinate(s.y), Coordinate(s.x2-s.x), Coordinate(s.y2-s.y))
	case lineShape:
		element = "line"
		fmt.Fprintf(b, `<line x1="%s" y1="%s" x2="%s" y2="%s"`, Coordinate(s.x), Coordinate(s.y), Coordinate(s.x2), Coordinate(s.y2))
	case dotShape:
		element = "circle"
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s"`, Coordinate(s.x), Coordinate(s.y), Coordinate(dotRadius))
	case runsShape:
		element = "path"
		b.WriteString(`<path d="`)
		for _, run := range s.runs {
			for i, p := range run {
				b.WriteString([]string{"M", "L"}[min(i, 1)] + Coordinate(p[0]) + " " + Coordinate(p[1]))
			}
		}
		b.WriteString(`"`)
	case textShape:
		fmt.Fprintf(b, `<text x="%s" y="%s"`, Coordinate(s.x), Coordinate(s.y))
	case turnedShape:
		fmt.Fprintf(b, `<text transform="translate(%s %s) rotate(-90)"`, Coordinate(s.x), Coordinate(s.y))
	}
	if s.class != "" {
		fmt.Fprintf(b, ` class="%s"`, s.class)
	}
	if s.text == "" && s.title == "" {
		b.WriteString("/>")
		return
	}
	b.WriteString(">" + escapeXML(s.text))
	if s.title != "" {
		b.WriteString("<title>" + escapeXML(s.title) + "</title>")
	}
	b.WriteString("</" + element + ">")
}

func (d *Drawing) rect(x, y, w, h float64, class, title string) {
	d.shapes = append(d.shapes, shape{kind: rectShape, x: x, y: y, x2: x + max(w, 0), y2: y + max(h, 0), class: class, title: title})
}

func (d *Drawing) line(x1, y1, x2, y2 float64, class string) {
	d.shapes = append(d.shapes, shape{kind: lineShape, x: x1, y: y1, x2: x2, y2: y2, class: class})
}

// text writes a text whose baseline is at y, cut to room pixels. If room is 0, it is
// not cut.
func (d *Drawing) text(x, y, room float64, class, s string) {
	d.label(shape{kind: textShape, x: x, y: y, class: class}, room, s)
}

// turned writes a text that is read from below and ends at (x, y).
func (d *Drawing) turned(x, y, room float64, class, s string) {
	d.label(shape{kind: turnedShape, x: x, y: y, class: class}, room, s)
}

// label adds a text that is cut to room pixels, unless they are 0. Its title is the whole text.
func (d *Drawing) label(at shape, room float64, s string) {
	at.text = s
	if room > 0 {
		at.text = fit(s, room)
	}
	if at.text != s {
		at.title = s
	}
	d.shapes = append(d.shapes, at)
}

// textWidth estimates the width of a text at 12 px. It is a little too large for most
// fonts.
func textWidth(s string) (w float64) {
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
			r >= 0xfe30 && r <= 0xfe4f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300):
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

// fit cuts a text to a width and marks the cut with an ellipsis.
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
