package chart_test

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"testing"

	"annotate/internal/chart"
)

// drawings are one of each kind, with what is undefined in them.
func drawings() map[string]*chart.Drawing {
	none := math.NaN()
	heat, lines, bars, histograms := chart.New("h", "Heat", "Words."), chart.New("l", "Lines", "Words."), chart.New("b", "Bars", "Words."), chart.New("p", "Panels", "Words.")
	heat.Heatmap(chart.Heatmap{Rows: []string{"ann", "漢字"}, Columns: []string{"ann", "漢字"}, Values: [][]float64{{none, .95}, {.95, none}}, Shared: [][]int{{0, 5}, {5, 0}}})
	lines.Lines([]chart.Line{{Name: "ρ", X: []float64{1, 2, 3, 4, 5}, Y: []float64{1, 2, none, 3, none}}, {Name: "b", X: []float64{1, 2}, Y: []float64{2, 1}}}, chart.Axis{Label: "x"}, chart.Axis{Label: "y"})
	bars.Bars(chart.Bars{Labels: []string{"a", "b"}, Series: []chart.BarSeries{{Name: "s", Values: []float64{1, none}, Low: []float64{.5, none}, High: []float64{1.5, none}}}}, chart.Axis{Label: "y"})
	histograms.Histograms([]chart.Panel{{Title: "p", N: 3, Mean: .7, Bins: []chart.Bin{{Low: -.5, High: .5, Label: "0", Count: 1}, {Low: .5, High: 1.5, Label: "1", Count: 2}}}})
	return map[string]*chart.Drawing{"heatmap": heat, "lines": lines, "bars": bars, "histograms": histograms}
}

// A file whose font lacks letters says so below the drawing, and no other file does.
func TestLettersOfFiles(t *testing.T) {
	height := func(name string) int {
		d := chart.New("l", "Lines", "Words.")
		d.Lines([]chart.Line{{Name: name, X: []float64{1, 2}, Y: []float64{2, 1}}}, chart.Axis{Label: "x"}, chart.Axis{Label: "y"})
		var picture bytes.Buffer
		if err := d.WritePNG(&picture); err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(&picture)
		if err != nil {
			t.Fatal(err)
		}
		return decoded.Bounds().Dy()
	}
	plain := height("ann")
	if got := height("Ольга É ρ"); got != plain {
		t.Errorf("names in letters of the font change the height from %d to %d", plain, got)
	}
	for _, name := range []string{"漢字", "سارة"} {
		if got := height(name); got != plain+72 {
			t.Errorf("%s: the height is %d, want %d and a line", name, got, plain)
		}
	}
}

// A drawing is a PDF of one page and a PNG three times its size, with the colours of the palette, and equal drawings give equal files.
func TestFilesOfDrawings(t *testing.T) {
	again := drawings()
	for name, d := range drawings() {
		var pdf, other, picture bytes.Buffer
		if err := d.WritePDF(&pdf); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := again[name].WritePDF(&other); err != nil || !bytes.Equal(pdf.Bytes(), other.Bytes()) {
			t.Errorf("%s: two equal drawings give different files, %v", name, err)
		}
		if !bytes.HasPrefix(pdf.Bytes(), []byte("%PDF-")) || bytes.Count(pdf.Bytes(), []byte("/Type /Page\n")) != 1 {
			t.Errorf("%s: no PDF of one page: %.20q", name, pdf.Bytes())
		}
		if err := d.WritePNG(&picture); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		decoded, err := png.Decode(&picture)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		colours := map[color.Color]int{}
		b := decoded.Bounds()
		for x := 0; x < b.Dx(); x += 3 {
			for y := 0; y < b.Dy(); y += 3 {
				colours[decoded.At(x, y)]++
			}
		}
		white, first := color.RGBA{0xff, 0xff, 0xff, 0xff}, color.RGBA{0x0a, 0x65, 0x70, 0xff}
		deep := map[string]color.RGBA{"heatmap": {0x09, 0x4a, 0x53, 0xff}, "lines": first, "bars": {0x5f, 0xa9, 0xb1, 0xff}, "histograms": first}[name]
		if b.Dx() < 600 || colours[white] < 200 || colours[deep] < 3 {
			t.Errorf("%s: %v has %d white pixels and %d of %v, of %d colours", name, b, colours[white], colours[deep], deep, len(colours))
		}
	}
}
