package chart

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// lackingNote stands below a drawing in a file whose font lacks letters of it.
const lackingNote = "Each box is a letter that the font of this file lacks. The SVG file of the figure has all letters."

// lettered returns the drawing, with lackingNote below it if it has letters that the font of PDF and PNG files lacks.
func (d *Drawing) lettered() (*Drawing, error) {
	font, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	var buffer sfnt.Buffer
	lacks := func(letter rune) bool {
		glyph, err := font.GlyphIndex(&buffer, letter)
		return err != nil || glyph == 0
	}
	if !slices.ContainsFunc(d.shapes, func(s shape) bool { return strings.ContainsFunc(s.text, lacks) }) {
		return d, nil
	}
	out := *d
	out.height += 24
	out.shapes = append(slices.Clip(out.shapes), shape{kind: textShape, x: 8, y: out.height - 8, class: "fig-soft", text: lackingNote})
	return &out, nil
}

// WritePDF writes the drawing as a PDF file of one page that is as large as the drawing, with a point for
// each pixel. Equal drawings give equal files. The font has the Latin, Greek and Cyrillic scripts. Other
// letters become empty boxes, and a line below the drawing says so.
func (d *Drawing) WritePDF(w io.Writer) error {
	d, err := d.lettered()
	if err != nil {
		return err
	}
	p := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: d.width, Ht: d.height}})
	p.SetCatalogSort(true)
	p.SetCreationDate(time.Unix(0, 0).UTC())
	p.SetModificationDate(time.Unix(0, 0).UTC())
	p.SetTitle(d.title, true)
	p.SetSubject(d.words, true)
	p.SetAutoPageBreak(false, 0)
	p.SetMargins(0, 0, 0)
	p.AddUTF8FontFromBytes("go", "", goregular.TTF)
	p.AddUTF8FontFromBytes("go", "B", gobold.TTF)
	p.AddPage()
	for _, s := range d.shapes {
		s.writePDF(p)
	}
	return p.Output(w)
}

func (s shape) writePDF(p *fpdf.Fpdf) {
	look := styleOf(s.class)
	how := ""
	if look.fill != "none" {
		how = "F"
		r, g, b := rgb(look.fill)
		p.SetFillColor(r, g, b)
		p.SetTextColor(r, g, b)
	}
	if look.stroke != "" && look.stroke != "none" {
		how += "D"
		r, g, b := rgb(look.stroke)
		p.SetDrawColor(r, g, b)
		p.SetLineWidth(look.width)
		p.SetDashPattern(look.dash, 0)
	}
	if how == "" && s.text == "" {
		return
	}
	switch s.kind {
	case rectShape:
		p.Rect(s.x, s.y, s.x2-s.x, s.y2-s.y, how)
	case lineShape:
		p.Line(s.x, s.y, s.x2, s.y2)
	case dotShape:
		p.Circle(s.x, s.y, dotRadius, how)
	case runsShape:
		for _, run := range s.runs {
			p.MoveTo(run[0][0], run[0][1])
			for _, at := range run[1:] {
				p.LineTo(at[0], at[1])
			}
			p.DrawPath("D")
		}
	case textShape, turnedShape:
		weight := ""
		if look.bold {
			weight = "B"
		}
		p.SetFont("go", weight, look.size)
		x := s.x - anchored(look.anchor)*p.GetStringWidth(s.text)
		if s.kind == textShape {
			p.Text(x, s.y, s.text)
			return
		}
		p.TransformBegin()
		p.TransformRotate(90, s.x, s.y)
		p.Text(x, s.y, s.text)
		p.TransformEnd()
	}
}

// anchored is the share of a text that is left of its place.
func anchored(anchor string) float64 {
	switch anchor {
	case "middle":
		return .5
	case "end":
		return 1
	}
	return 0
}

// rgb reads a colour such as #09abff.
func rgb(colour string) (r, g, b int) {
	_, _ = fmt.Sscanf(colour, "#%02x%02x%02x", &r, &g, &b) // all colours of the palette have this form
	return r, g, b
}
