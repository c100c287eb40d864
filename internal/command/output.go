package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Table writes rows of columns to standard output.
func (a *App) Table(rows func(row func(cells ...any))) error {
	w := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	rows(func(cells ...any) {
		for i, cell := range cells {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, cell)
		}
		fmt.Fprintln(w)
	})
	return w.Flush()
}

// Day and Minute format a time for a table. The zero time is "-".
func Day(t time.Time) string    { return moment(t, time.DateOnly) }
func Minute(t time.Time) string { return moment(t, "2006-01-02 15:04 MST") }

func moment(t time.Time, layout string) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(layout)
}

func Dash(s string) string { return cmp.Or(s, "-") }

// CheckFormat returns an error if format is not one of known.
func CheckFormat(format string, known []string) error {
	switch {
	case format == "":
		return Usage("name the format: --format %s", strings.Join(known, "|"))
	case !slices.Contains(known, format):
		return Usage("unknown format %q; use --format %s", format, strings.Join(known, "|"))
	}
	return nil
}
