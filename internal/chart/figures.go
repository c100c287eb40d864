package chart

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"annotate/internal/wording"
)

// drawnPanels is the greatest number of histograms that are drawn. The table has all.
const drawnPanels = 24

// Histograms draws a small histogram for each panel, with the share of its values in
// each bin.
func (d *Drawing) Histograms(all []Panel) {
	const across, gap, high, head, foot = 4, 20.0, 64.0, 34.0, 30.0
	panels := all[:min(len(all), drawnPanels)]
	w := (figureWidth - gap*(across-1)) / across
	counts := make([][]int, len(panels))
	for i, p := range panels {
		for _, b := range p.Bins {
			counts[i] = append(counts[i], b.Count)
		}
	}
	top := tallest(counts...)
	for i, p := range panels {
		x, y := float64(i%across)*(w+gap), float64(i/across)*(head+high+foot)
		d.text(x, y+12, w, "fig-bold", p.Title)
		note := "n " + strconv.Itoa(p.N)
		if !math.IsNaN(p.Mean) {
			note += ", mean " + wording.Decimal(p.Mean, 2)
		}
		d.text(x, y+26, w, "fig-soft", note)
		base := y + head + high
		step := w / float64(max(len(p.Bins), 1))
		for _, c := range columns(counts[i], top, w, high, min(1, step/2)) {
			d.rect(x+c.x, base-c.height, c.width, c.height, "fig-bar fig-c0",
				fmt.Sprintf("%s: %d, %s%%", p.Bins[c.bin].Label, counts[i][c.bin], wording.Decimal(100*float64(counts[i][c.bin])/float64(p.N), 1)))
		}
		d.line(x, base, x+w, base, "fig-axis")
		if len(p.Bins) <= 6 {
			for k, b := range p.Bins {
				d.text(x+step*(float64(k)+.5), base+13, step+6, "fig-mid fig-soft", b.Label)
			}
		} else {
			d.text(x, base+13, w/2, "fig-soft", p.Bins[0].Label)
			d.text(x+w, base+13, w/2, "fig-end fig-soft", p.Bins[len(p.Bins)-1].Label)
		}
	}
	rows := (len(panels) + across - 1) / across
	d.height = float64(rows) * (head + high + foot)
	say := fmt.Sprintf("Shares of the values of each panel; the tallest column is %s%%.", wording.Decimal(100*top, 1))
	if more := len(all) - len(panels); more > 0 {
		say += fmt.Sprintf(" %d more are in the table.", more)
	}
	d.height += 18
	d.text(0, d.height-6, figureWidth, "fig-soft", say)
}

// Lines draws series of points in one pair of axes, with their names below.
func (d *Drawing) Lines(lines []Line, across, up Axis) {
	const top, plot = 22.0, 260.0
	x0, x1, y0, y1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		x0, x1 = limits(x0, x1, l.X...)
		y0, y1 = limits(y0, y1, l.Y...)
	}
	ys := newScale(up, y0, y1, top+plot, top)
	left := 0.0
	for _, v := range ys.ticks() {
		left = max(left, textWidth(wording.Decimal(v, ys.decimals)))
	}
	left += 12
	xs := newScale(Axis{Min: across.Min, Max: across.Max}, x0, x1, left, figureWidth-16)
	if across.Min == 0 && across.Max == 0 && x1 > x0 {
		xs.low, xs.high = x0, x1
	}
	d.text(0, 12, figureWidth, "fig-soft", up.Label)
	for _, v := range ys.ticks() {
		d.line(left, ys.at(v), figureWidth-16, ys.at(v), "fig-grid")
		d.text(left-8, ys.at(v)+4, 0, "fig-end fig-soft", wording.Decimal(v, ys.decimals))
	}
	d.line(left, top+plot, figureWidth-16, top+plot, "fig-axis")
	for _, v := range xs.ticks() {
		d.line(xs.at(v), top+plot, xs.at(v), top+plot+4, "fig-axis")
		d.text(xs.at(v), top+plot+16, 0, "fig-mid fig-soft", wording.Decimal(v, xs.decimals))
	}
	d.text((left+figureWidth-16)/2, top+plot+32, 0, "fig-mid fig-soft", across.Label)
	groups := map[string]int{}
	y := top + plot + 56
	x := 0.0
	for i, l := range lines {
		key := l.Group
		key = cmp.Or(key, l.Name)
		if _, ok := groups[key]; !ok {
			groups[key] = len(groups)
		}
		class := "fig-line " + seriesClass(groups[key])
		switch {
		case l.Dash:
			class += " fig-dash"
		case groups[key] >= 8:
			class += " fig-dot"
		}
		d.polyline(l, xs, ys, class)
		wide := 36 + textWidth(l.Name)
		if i > 0 && x+wide > figureWidth {
			x, y = 0, y+18
		}
		d.line(x, y-4, x+22, y-4, class)
		d.text(x+28, y, figureWidth-x-28, "", l.Name)
		x += wide + 12
	}
	d.height = y + 10
}

// polyline draws a series with a gap wherever it is undefined, and a point that
// stands alone as a dot.
func (d *Drawing) polyline(l Line, xs, ys scale, class string) {
	defined := func(i int) bool {
		return i >= 0 && i < len(l.Y) && !math.IsNaN(l.Y[i]) && !math.IsInf(l.Y[i], 0)
	}
	line := shape{kind: runsShape, class: class, title: l.Name}
	for i := range l.Y {
		if !defined(i) {
			continue
		}
		at := [2]float64{xs.at(l.X[i]), ys.at(l.Y[i])}
		switch {
		case !defined(i-1) && !defined(i+1):
			d.shapes = append(d.shapes, shape{kind: dotShape, x: at[0], y: at[1], class: class, title: l.Name})
		case !defined(i - 1):
			line.runs = append(line.runs, [][2]float64{at})
		default:
			run := &line.runs[len(line.runs)-1]
			*run = append(*run, at)
		}
	}
	if len(line.runs) > 0 {
		d.shapes = append(d.shapes, line)
	}
}

// Bars draws a group of horizontal bars for each label. They leave room for names.
func (d *Drawing) Bars(b Bars, along Axis) {
	label := widest(b.Labels, 24, 220)
	left, right := label+12, float64(figureWidth-56)
	low, high := 0.0, 0.0
	for i := range b.Labels {
		sum := 0.0
		for _, s := range b.Series {
			low, high = limits(low, high, s.Values[i])
			if s.Low != nil {
				low, high = limits(low, high, s.Low[i], s.High[i])
			}
			if b.Stacked && !math.IsNaN(s.Values[i]) {
				sum += s.Values[i]
			}
		}
		low, high = limits(low, high, sum)
	}
	xs := newScale(along, low, high, left, right)
	y := 4.0
	if len(b.Series) > 1 {
		y = d.key(b) + 10
	}
	first := y
	thick, rows := 16.0, 1.0
	if !b.Stacked && len(b.Series) > 1 {
		rows = float64(len(b.Series))
		thick = max(7, min(12, 40/rows))
	}
	group := thick*rows + 8
	bottom := first + group*float64(len(b.Labels))
	for _, v := range xs.ticks() {
		d.line(xs.at(v), first, xs.at(v), bottom, "fig-grid")
		d.text(xs.at(v), bottom+14, 0, "fig-mid fig-soft", wording.Decimal(v, xs.decimals))
	}
	for i, name := range b.Labels {
		d.text(left-8, y+group/2+4, label, "fig-end", name)
		if b.Stacked {
			d.stack(b, i, xs, y+4, thick, along.Decimals)
		} else {
			for k, s := range b.Series {
				d.bar(s, i, k, len(b.Series), xs, y+4+thick*float64(k), thick, name, along.Decimals)
			}
		}
		y += group
	}
	d.line(xs.at(max(xs.low, 0)), first, xs.at(max(xs.low, 0)), bottom, "fig-axis")
	d.text((left+right)/2, bottom+32, 0, "fig-mid fig-soft", along.Label)
	d.height = bottom + 42
}

// key draws the legend and returns its lower end, in pixels.
func (d *Drawing) key(b Bars) float64 {
	x, y := 0.0, 12.0
	for k, s := range b.Series {
		wide := 20 + textWidth(s.Name)
		if x > 0 && x+wide > figureWidth {
			x, y = 0, y+18
		}
		class := "fig-bar " + seriesClass(k)
		if b.Stacked {
			class = "fig-part " + rampClass(len(b.Series)-1-k, len(b.Series))
		}
		d.rect(x, y-9, 12, 10, class, "")
		d.text(x+17, y, figureWidth-x-20, "", s.Name)
		x += wide + 16
	}
	return y
}

func (d *Drawing) bar(s BarSeries, i, k, n int, xs scale, y, thick float64, label string, decimals int) {
	v := s.Values[i]
	zero := xs.at(min(max(0, xs.low), xs.high))
	title := label + ": " + wording.Decimal(v, decimals)
	if n > 1 {
		title = label + ", " + s.Name + ": " + wording.Decimal(v, decimals)
	}
	if math.IsNaN(v) {
		d.text(zero+4, y+thick/2+4, 0, "fig-soft", wording.Undefined)
		return
	}
	interval := s.Low != nil && !math.IsNaN(s.Low[i]) && !math.IsNaN(s.High[i])
	if interval {
		title += fmt.Sprintf(", from %s to %s", wording.Decimal(s.Low[i], decimals), wording.Decimal(s.High[i], decimals))
	}
	class := "fig-bar " + seriesClass(k)
	if interval && n == 1 {
		class = "fig-r2" // the interval is visible on this colour
	}
	d.rect(min(zero, xs.at(v)), y+.5, math.Abs(xs.at(v)-zero), thick-1, class, title)
	end := max(zero, xs.at(v))
	if interval {
		a, z, mid := xs.at(s.Low[i]), xs.at(s.High[i]), y+thick/2
		d.line(a, mid, z, mid, "fig-whisker")
		d.line(a, mid-4, a, mid+4, "fig-whisker")
		d.line(z, mid-4, z, mid+4, "fig-whisker")
		end = max(end, z)
	}
	if thick >= 10 {
		d.text(end+6, y+thick/2+4, 0, "fig-soft", wording.Decimal(v, decimals))
	}
}

func (d *Drawing) stack(b Bars, i int, xs scale, y, thick float64, decimals int) {
	sum := 0.0
	for k, s := range b.Series {
		v := s.Values[i]
		if math.IsNaN(v) || v <= 0 {
			continue
		}
		d.rect(
			xs.at(sum), y, xs.at(sum+v)-xs.at(sum), thick, "fig-part "+rampClass(len(b.Series)-1-k, len(b.Series)),
			b.Labels[i]+", "+s.Name+": "+wording.Decimal(v, decimals),
		)
		sum += v
	}
	d.text(xs.at(sum)+6, y+thick/2+4, 0, "fig-soft", wording.Decimal(sum, decimals))
}
