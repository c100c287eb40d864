package monitoring

import (
	"cmp"
	"math"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// An AnnotatorView is all that is known of one annotator's work.
type AnnotatorView struct {
	templates.Page
	Version   int64
	Annotator AnnotatorRow
	Aside     *campaign.SetAside // nil: the work is not set aside
	Kept      bool               // the figures at the top are those of the moment when it was set aside
	Quota     int
	Border    float64                  // beyond which a difference to the others is flagged; NaN: none
	Days      []readmodel.AnnotatorDay // oldest first
	With      []AgreementWithRow
	Nominal   bool                      // the gate compares answers, which have no r
	Scores    chart.Histograms          // one panel beside everyone's
	Fates     []readmodel.Fates         // of suggested errors, by origin
	Last      []readmodel.AnnotatorTurn // the latest first
}

// withHeads are the heads of the table of agreement with each other annotator.
func (v AnnotatorView) withHeads() []templates.Head {
	heads := []templates.Head{templates.ColumnHead("With").Up(), templates.NumHead("Shared segments")}
	if !v.Nominal {
		heads = append(heads, templates.NumHead("Segment level"), templates.NumHead("System level"))
	}
	return heads
}

// asideText says that the work is set aside, by whom, when and why.
func (v AnnotatorView) asideText() string {
	s := "This annotator’s work is set aside: it counts nowhere, and nothing is handed out to them."
	f := v.Aside
	if f == nil {
		return s
	}
	by := f.By
	by = cmp.Or(by, "the command line")
	s += " Set aside " + v.Clock.Text(f.At) + " by " + by + ", " + wording.Counted(f.Ratings, "rating") + "."
	if f.Reason != "" {
		s += " Reason: " + f.Reason
	}
	if v.Kept {
		s = strings.TrimSuffix(s, ".") + ". The numbers and flags at the top are those of that moment; the comparisons below leave the work out."
	}
	return s
}

// dayDifference is the mean difference of a day, NaN where nothing was compared.
func dayDifference(d readmodel.AnnotatorDay) float64 {
	if d.Compared == 0 {
		return math.NaN()
	}
	return d.Difference
}

// An AgreementWithRow is how far the annotator agrees with another one.
type AgreementWithRow struct {
	Login, Name     string
	Shared          int     // segments
	System, Segment float64 // r; NaN: undefined
}

func (r AgreementWithRow) called() string { return cmp.Or(r.Name, r.Login) }

// cell is the row as a cell of a heatmap, for its colour.
func (r AgreementWithRow) cell(x float64) templates.HeatCell {
	return templates.HeatCell{R: x, Shared: r.Shared}
}

// turnDifference writes the mean difference of a segment.
func turnDifference(r readmodel.AnnotatorTurn) string {
	if r.Compared == 0 {
		return "–"
	}
	return wording.Signed(r.Difference, 2)
}

func (v AnnotatorView) tiles() []templates.Tile {
	a := v.Annotator
	r := templates.Tile{Label: "r with their mean", Value: a.text("r"), Note: wording.Counted(a.Compared, "rating") + " compared"}
	others := templates.Tile{Label: "To the others", Value: a.text("difference"), Note: "moved by " + a.text("drift") + " lately"}
	if math.IsNaN(a.Figure("drift")) {
		others.Note = "too few ratings to tell of drift"
	}
	if a.flagged(campaign.FlagBias) || a.flagged(campaign.FlagDrift) {
		others.Kind = "warn"
	}
	inWork := wording.Counted(a.Open, "segment") + " in work"
	if a.Second > 0 {
		inWork += ", " + wording.Counted(a.Second, "second look")
	}
	today := templates.Tile{Label: "Today", Value: wording.Count(a.Today)}
	if v.Quota > 0 {
		today.Note = strings.TrimPrefix(a.ofQuota(v.Quota), " ")
		if a.reached(v.Quota) {
			today.Note += ", quota reached"
		}
	}
	tiles := []templates.Tile{
		{Label: "Ratings", Value: wording.Count(a.Ratings), Note: "in " + wording.Counted(a.Segments, "submission")},
		{Label: "Per rating", Value: a.text("pace"), Note: a.text("hourly") + " an hour"},
		{Label: "Active time", Value: a.text("seconds"), Note: inWork},
	}
	if !a.SetAside { // nothing is handed out to them, so that no quota is near
		tiles = append(tiles, today)
	}
	return append(tiles, templates.Tile{Label: "Mean", Value: a.text("mean"), Note: "spread " + a.text("spread")}, others, r)
}

// noScores says why there is no distribution of scores.
func (v AnnotatorView) noScores() string {
	if v.Annotator.SetAside {
		return "No score counts while the work is set aside."
	}
	return "No score yet."
}

// lead says who it is and when they were last seen.
func (v AnnotatorView) lead() string {
	a := v.Annotator
	s := ""
	if a.Name != "" {
		s = a.Login + " · "
	}
	if a.LastSeen.IsZero() {
		return s + "never at work so far"
	}
	return s + "last at work " + v.Clock.Text(a.LastSeen)
}

func (v AnnotatorView) words() string { return wording.Counted(v.Annotator.Ratings, "rating") }

// dated are the days that have a date.
func (v AnnotatorView) dated() []readmodel.AnnotatorDay {
	for i, d := range v.Days {
		if d.Day != "" {
			return v.Days[i:]
		}
	}
	return nil
}

// work is how many ratings were given each day.
func (v AnnotatorView) work() chart.Days {
	c := chart.Days{ID: "work", Label: "Ratings a day", Bars: true}
	for _, d := range v.dated() {
		c.Values = append(c.Values, chart.Day{Day: d.Day, Value: float64(d.Ratings), N: d.Ratings})
	}
	return c
}

// differences is how far the scores of each day lay from the others'.
func (v AnnotatorView) differences() chart.Days {
	c := chart.Days{ID: "differences", Label: "Difference to the others", Digits: 2}
	if !math.IsNaN(v.Border) {
		c.Band = v.Border
	}
	for _, d := range v.dated() {
		c.Values = append(c.Values, chart.Day{Day: d.Day, Value: dayDifference(d), N: d.Compared})
	}
	return c
}

// differenceText tells the chart of differences in words.
func (v AnnotatorView) differenceText() string {
	a := v.Annotator
	if a.Compared == 0 {
		return "No rating can be compared yet: nobody else has rated the same translations."
	}
	s := "Over all, "
	switch {
	case math.Abs(a.Difference) < 0.005:
		s += "no difference"
	case a.Difference > 0:
		s += wording.Decimal(a.Difference, 2) + " milder than the others"
	default:
		s += wording.Decimal(-a.Difference, 2) + " stricter than the others"
	}
	s += " on the same translations."
	if v.Border > 0 {
		s += " A steady difference is flagged beyond ±" + wording.Decimal(v.Border, 2) + "."
	}
	return s
}

// An AsideView asks whether to set an annotator's work aside, or to restore it.
// The form posts reason to its own address.
type AsideView struct {
	templates.Page
	Annotator  AnnotatorRow
	Redundancy int
	Restore    bool
	Reason     string // as typed
	Errors     map[string]string
}

func (v AsideView) title() string {
	if v.Restore {
		return "Restore the work of " + v.Annotator.called() + "?"
	}
	return "Set the work of " + v.Annotator.called() + " aside?"
}

// follows says what will happen, a line each.
func (v AsideView) follows() []string {
	a := v.Annotator
	work := wording.Counted(a.Ratings, "rating") + " in " + wording.Counted(a.Segments, "submission")
	if v.Restore {
		return []string{
			"All that " + a.called() + " had submitted counts again: in the gate, the tables of agreement, alpha, gold, exports and counts.",
			"Segments that were decided without it are decided anew, and come to what they were, unless others have rated them meanwhile: what they did stays.",
			"Places that others were given because of the shortage, and have not begun, are freed.",
			a.called() + " is handed segments again.",
		}
	}
	out := []string{
		work + " leave the gate, the tables of agreement, alpha, gold, exports and counts. None is deleted: restoring brings back exactly what was.",
		"Segments decided with them are decided anew. Those left with fewer than " + wording.Counted(v.Redundancy,
			"annotator") + " are open again, and others get them.",
		a.called() + " is handed nothing until restored, and can still sign in.",
	}
	if a.Ratings == 0 {
		out = out[2:]
	}
	if a.Open > 0 {
		out = append(out, wording.Counted(a.Open, "segment")+" in work "+wording.Choose(a.Open, "ends", "end")+"; what was entered there is kept.")
	}
	return out
}
