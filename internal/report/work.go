package report

import (
	"context"
	"fmt"
	"slices"

	"annotate/internal/stat"
	"annotate/internal/wording"
)

// Prices are the prices of work. The zero value stands for no prices.
type Prices struct {
	Hour, Word float64 // at least 0
	Currency   string  // such as EUR; may be empty
}

// given reports whether work has a price.
func (p Prices) given() bool { return p.Hour > 0 || p.Word > 0 }

// of returns the price of some work.
func (p Prices) of(w workCount) float64 { return p.Hour*w.seconds/3600 + p.Word*float64(w.words) }

// words names the prices.
func (p Prices) words() string {
	amount := func(x float64, of string) string { return wording.Plain(x) + " " + p.Currency + " " + of }
	switch {
	case p.Hour > 0 && p.Word > 0:
		return amount(p.Hour, "an hour") + " and " + amount(p.Word, "a word")
	case p.Hour > 0:
		return amount(p.Hour, "an hour")
	}
	return amount(p.Word, "a word")
}

// A workCount counts ratings with their words and times.
type workCount struct {
	ratings, words int
	timed          int // the ratings whose time is known
	seconds        float64
}

// add counts a rating of a segment. words is the number of words of the source. If seconds is 0, the
// time is unknown.
func (w *workCount) add(words int, seconds float64) {
	w.ratings++
	w.words += words
	if seconds > 0 {
		w.timed++
		w.seconds += seconds
	}
}

// sum adds other work.
func (w *workCount) sum(o workCount) {
	w.ratings += o.ratings
	w.words += o.words
	w.timed += o.timed
	w.seconds += o.seconds
}

// workTable makes a table of work with a row for each name. of names the first column.
func workTable(id, title, caption, of string, prices Prices) Table {
	t := Table{ID: id, Title: title, Caption: caption,
		Note: "Values are over all submitted ratings of every round. Words are those of the source, once for each rating. Hours are active time of the ratings whose time is known.",
		Columns: slices.Concat(
			texts(of), counts("Ratings", "Words"), shares("Time known"), numbers(1, "Hours"), numbers(0, "Words an hour"),
		)}
	if prices.given() {
		name := "Price"
		if prices.Currency != "" {
			name += " (" + prices.Currency + ")"
		}
		t.addColumns(numbers(2, name))
		t.Note += fmt.Sprintf(" The price is %s. Hours whose time is not known cost nothing here.", prices.words())
	}
	return t
}

// activeTimes describe the active seconds of ratings.
type activeTimes struct {
	stat.QuantileTotals // until the median is drawn
	ratings             int
	mean                float64
	median              Cell
}

// draw describes the times, and lets go of them.
func (t *activeTimes) draw(ctx context.Context, b stat.Bootstrap) (err error) {
	t.ratings, t.mean = len(t.Values()), stat.Mean(t.Values())
	t.median, err = quantile(ctx, b, &t.QuantileTotals, 0.5)
	t.QuantileTotals = stat.QuantileTotals{}
	return err
}

// quantile is a cell of a quantile with its interval.
func quantile(ctx context.Context, b stat.Bootstrap, of *stat.QuantileTotals, q float64) (Cell, error) {
	at, in, err := of.Interval(ctx, b, q)
	return estimated(at, in), err
}

// The statistics of times.
const (
	meanTime = "mean" // seconds of a rating
	pace     = "pace" // words an hour
)

// addTime adds the words and the time of a rating, if it is known, to [meanTime] and [pace].
func (g *estimateGroup) addTime(document, words int, seconds float64) {
	if seconds > 0 {
		g.add(document, meanTime, ratioOf, seconds, 1)
		g.add(document, pace, ratioOf, float64(words), seconds/3600)
	}
}

// workRow is a row of a [workTable] whose times are those of a group.
func workRow(name string, w workCount, of *estimateGroup, prices Prices) []Cell {
	hours, wordsAnHour := undefined, value(undefined)
	if w.timed > 0 {
		hours = w.seconds / 3600
	}
	if w.timed > 0 && w.timed == w.ratings {
		wordsAnHour = estimated(float64(w.words)/hours, of.interval(pace))
	}
	share := undefined
	if w.ratings > 0 {
		share = float64(w.timed) / float64(w.ratings)
	}
	row := []Cell{text(name), count(w.ratings), count(w.words), value(share), value(hours), wordsAnHour}
	if prices.given() {
		row = append(row, value(prices.of(w)))
	}
	return row
}

// workTable has the work of each annotator.
func (p *dataPart) workTable(prices Prices) Table {
	t := workTable("work", "Work", "The work of each annotator.", "Annotator", prices)
	var all workCount
	for _, login := range sorted(p.annotators) {
		w := p.annotators[login].work
		all.sum(w)
		t.add(workRow(login, w, p.estimates.group("work", login), prices)...)
	}
	t.addTotal(workRow("All", all, p.estimates.group("work", everything{}), prices)...)
	return t
}

// campaignsTable has the work in each campaign.
func (p *dataPart) campaignsTable(sides []*side, prices Prices) Table {
	t := workTable("work-campaigns", "Work by campaign", "The work in each campaign.", "Campaign", prices)
	for _, s := range sides {
		t.add(workRow(s.label, s.work, p.estimates.group("work-campaigns", s), prices)...)
	}
	return t
}
