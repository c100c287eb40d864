package chart

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// pngScale is the width of a drawing's pixel in a PNG file, which gives 288 pixels a printed inch.
const pngScale = 3

// WritePNG writes the drawing as a PNG file on white, [pngScale] times as large. Its font is that of [Drawing.WritePDF].
func (d *Drawing) WritePNG(w io.Writer) error {
	d, err := d.lettered()
	if err != nil {
		return err
	}
	to := image.NewRGBA(image.Rect(0, 0, int(math.Ceil(d.width*pngScale)), int(math.Ceil(d.height*pngScale))))
	draw.Draw(to, to.Bounds(), image.White, image.Point{}, draw.Src)
	c := canvas{to: to, faces: map[weight]font.Face{}}
	for _, s := range d.shapes {
		if err := c.shape(s); err != nil {
			return err
		}
	}
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, to) // in three fifths of the time; a twentieth larger
}

// A weight is a size and a boldness of the font.
type weight struct {
	size float64
	bold bool
}

// A canvas draws shapes.
type canvas struct {
	to    *image.RGBA
	faces map[weight]font.Face
}

func (c canvas) shape(s shape) error {
	look := styleOf(s.class)
	switch s.kind {
	case rectShape:
		c.fill(look.fill, [2]float64{s.x, s.y}, [2]float64{s.x2, s.y}, [2]float64{s.x2, s.y2}, [2]float64{s.x, s.y2})
		c.stroke(look, [2]float64{s.x, s.y}, [2]float64{s.x2, s.y}, [2]float64{s.x2, s.y2}, [2]float64{s.x, s.y2}, [2]float64{s.x, s.y})
	case lineShape:
		c.stroke(look, [2]float64{s.x, s.y}, [2]float64{s.x2, s.y2})
	case dotShape:
		var around [][2]float64
		for i := range 24 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 24)
			around = append(around, [2]float64{s.x + dotRadius*cos, s.y + dotRadius*sin})
		}
		c.fill(look.stroke, around...) // a line has no fill; its dots have the colour of its stroke
	case runsShape:
		for _, run := range s.runs {
			c.stroke(look, run...)
		}
	case textShape, turnedShape:
		return c.text(s, look)
	}
	return nil
}

// fill fills a polygon, unless the colour is none.
func (c canvas) fill(colour string, corners ...[2]float64) {
	if colour == "none" || colour == "" {
		return
	}
	low, high := corners[0], corners[0]
	for _, p := range corners {
		low, high = [2]float64{min(low[0], p[0]), min(low[1], p[1])}, [2]float64{max(high[0], p[0]), max(high[1], p[1])}
	}
	b := image.Rect(int(math.Floor(low[0]*pngScale)), int(math.Floor(low[1]*pngScale)), int(math.Ceil(high[0]*pngScale)),
		int(math.Ceil(high[1]*pngScale))).
		Intersect(c.to.Bounds())
	if b.Empty() {
		return
	}
	r := vector.NewRasterizer(b.Dx(), b.Dy())
	for i, p := range corners {
		x, y := float32(p[0]*pngScale-float64(b.Min.X)), float32(p[1]*pngScale-float64(b.Min.Y))
		if i == 0 {
			r.MoveTo(x, y)
		} else {
			r.LineTo(x, y)
		}
	}
	r.ClosePath()
	r.Draw(c.to, b, image.NewUniform(rgba(colour)), image.Point{})
}

// stroke draws lines between points, each as a thin rectangle.
func (c canvas) stroke(look style, points ...[2]float64) {
	if look.stroke == "none" || look.stroke == "" {
		return
	}
	walked := 0.0 // for dashes
	for i := 1; i < len(points); i++ {
		from, to := points[i-1], points[i]
		length := math.Hypot(to[0]-from[0], to[1]-from[1])
		if length == 0 {
			continue
		}
		ahead := [2]float64{(to[0] - from[0]) / length, (to[1] - from[1]) / length}
		for _, piece := range dashes(look.dash, walked, length) {
			aside := [2]float64{-ahead[1] * look.width / 2, ahead[0] * look.width / 2}
			at := func(along, side float64) [2]float64 {
				return [2]float64{from[0] + along*ahead[0] + side*aside[0], from[1] + along*ahead[1] + side*aside[1]}
			}
			c.fill(look.stroke, at(piece[0], 1), at(piece[1], 1), at(piece[1], -1), at(piece[0], -1))
		}
		walked += length
	}
}

// dashes returns the drawn pieces of a line. walked is the length of the pattern before it.
func dashes(pattern []float64, walked, length float64) (pieces [][2]float64) {
	if pattern == nil {
		return [][2]float64{{0, length}}
	}
	period := pattern[0] + pattern[1]
	for start := -math.Mod(walked, period); start < length; start += period {
		if end := min(start+pattern[0], length); end > 0 {
			pieces = append(pieces, [2]float64{max(start, 0), end})
		}
	}
	return pieces
}

// text draws a text. A text that is read from below is drawn horizontally and then
// turned.
func (c canvas) text(s shape, look style) error {
	face, err := c.face(look)
	if err != nil {
		return err
	}
	pen := font.Drawer{Src: image.NewUniform(rgba(look.fill)), Face: face}
	width := float64(pen.MeasureString(s.text)) / 64
	left := anchored(look.anchor) * width
	if s.kind == textShape {
		pen.Dst, pen.Dot = c.to, fixed.Point26_6{X: fixed.Int26_6((s.x*pngScale - left) * 64), Y: fixed.Int26_6(s.y * pngScale * 64)}
		pen.DrawString(s.text)
		return nil
	}
	high := face.Metrics().Ascent.Ceil() + face.Metrics().Descent.Ceil()
	lying := image.NewRGBA(image.Rect(0, 0, int(math.Ceil(width)), high))
	pen.Dst, pen.Dot = lying, fixed.P(0, face.Metrics().Ascent.Ceil())
	pen.DrawString(s.text)
	x0, y0 := int(s.x*pngScale)-face.Metrics().Ascent.Ceil(), int(s.y*pngScale+left)
	turned := image.NewRGBA(image.Rect(0, 0, high, lying.Bounds().Dx()))
	for x := range lying.Bounds().Dx() {
		for y := range high {
			turned.SetRGBA(y, lying.Bounds().Dx()-1-x, lying.RGBAAt(x, y))
		}
	}
	draw.Draw(c.to, turned.Bounds().Add(image.Pt(x0, y0-lying.Bounds().Dx())), turned, image.Point{}, draw.Over)
	return nil
}

// face returns the font in the size and weight of a style.
func (c canvas) face(look style) (font.Face, error) {
	key := weight{look.size, look.bold}
	if face := c.faces[key]; face != nil {
		return face, nil
	}
	data := goregular.TTF
	if look.bold {
		data = gobold.TTF
	}
	parsed, err := opentype.Parse(data)
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: look.size * pngScale, DPI: 72})
	if err == nil {
		c.faces[key] = face
	}
	return face, err
}

func rgba(colour string) color.RGBA {
	r, g, b := rgb(colour)
	return color.RGBA{uint8(r), uint8(g), uint8(b), 0xff}
}
