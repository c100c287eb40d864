package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// minute is the format of times in tables. They are in the campaign's time zone.
const minute = "2006-01-02 15:04"

// interventions describes the acts of leads that affect the data.
func interventions(c campaign.Campaign, i campaign.Interventions) (words []string, tables []Table) {
	zone := c.Settings.Location()
	if len(i.SetAside) == 0 {
		words = append(words, "No annotator's work was set aside.")
	} else {
		words = append(words, asideWords(i))
		tables = append(tables, asideTable(i, zone))
	}
	if len(i.Settings) == 0 {
		words = append(words, "No setting was changed after the campaign was created.")
	} else {
		keys := map[string]bool{}
		for _, s := range i.Settings {
			keys[s.Key] = true
		}
		words = append(words, fmt.Sprintf("Settings were changed %s: %s.", times(len(i.Settings)), wording.List(sorted(keys))))
		tables = append(tables, changesTable(i, zone))
	}
	switch i.Entered {
	case 0:
		words = append(words, "No gold value was entered by a lead.")
	default:
		words = append(words, fmt.Sprintf("A lead entered %s in %s.", wording.Counted(i.Entered, "gold value"),
			wording.Counted(i.EnteredSegments, "segment")))
	}
	if i.Adjudicated > 0 {
		words = append(
			words,
			fmt.Sprintf("Adjudicators gave %s in %s.", wording.Counted(i.Adjudicated, "gold value"),
				wording.Counted(i.AdjudicatedSegments, "segment")),
		)
	}
	if i.MeansAccepted > 0 {
		words = append(words, fmt.Sprintf("A lead accepted the mean of %s.", wording.Counted(i.MeansAccepted, "segment")))
	}
	return words, tables
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return wording.Counted(n, "time")
}

func asideWords(i campaign.Interventions) string {
	now := i.AsideNow()
	ratings := 0
	var who []string
	for _, a := range now {
		ratings += a.Ratings
		who = append(who, a.Annotator)
	}
	out := "No annotator's work is set aside now"
	if len(now) > 0 {
		out = fmt.Sprintf(
			"The work of %s (%s) is set aside: %s are left out of all numbers of this report", wording.Counted(len(now), "annotator"),
			wording.List(who), wording.Counted(ratings, "rating"),
		)
	}
	if n := len(i.SetAside) - len(now); n > 0 {
		out += fmt.Sprintf("; work was set aside and restored %s", times(n))
	}
	return out + "."
}

func asideTable(i campaign.Interventions, zone *time.Location) Table {
	t := Table{ID: "set-aside", Title: "Work set aside", Caption: "Annotators whose work a lead set aside.",
		Note: "The ratings are kept and count nowhere while the work is set aside. Times are in " + zone.String() + ".",
		Columns: slices.Concat(
			texts("Annotator"), counts("Ratings"), texts("Set aside", "By", "Reason", "Restored"),
		)}
	for _, a := range i.SetAside {
		restored := "no"
		if !a.RestoredAt.IsZero() {
			restored = a.RestoredAt.In(zone).Format(minute)
		}
		t.add(
			text(a.Annotator), count(a.Ratings), text(a.At.In(zone).Format(minute)), text(byWhom(a.By)), text(a.Reason),
			text(restored),
		)
	}
	return t
}

func changesTable(i campaign.Interventions, zone *time.Location) Table {
	t := Table{
		ID:      "settings-changes",
		Title:   "Changes of settings",
		Caption: "Settings that were changed, the earliest change first.",
		Note:    "Times are in " + zone.String() + ".",
		Columns: texts("Setting", "From", "To", "At", "By"),
	}
	for _, s := range i.Settings {
		t.add(text(s.Key), text(s.From), text(s.To), text(s.At.In(zone).Format(minute)), text(byWhom(s.By)))
	}
	return t
}

// byWhom names the person who acted, or the command line.
func byWhom(login string) string { return cmp.Or(login, "command line") }

// A Flagged is an annotator with flags.
type Flagged struct {
	Annotator string // login
	Flags     []campaign.Flag
}

// flagTable lists the flags of annotators. words names the annotators.
func flagTable(flagged []Flagged) (words string, t Table) {
	t = Table{ID: "flags", Title: "Flags", Caption: "The flags of annotators, with the numbers that raised them.",
		Note:    "The thresholds are settings of the campaign.",
		Columns: texts("Annotator", "Flag", "Numbers")}
	var who []string
	for _, f := range flagged {
		for _, flag := range f.Flags {
			if flag.Kind == campaign.FlagIdle {
				continue // it does not concern the data
			}
			if !slices.Contains(who, f.Annotator) {
				who = append(who, f.Annotator)
			}
			t.add(text(f.Annotator), text(string(flag.Kind)), text(flag.Text))
		}
	}
	if len(who) == 0 {
		return "No annotator has a flag.", t
	}
	return fmt.Sprintf("%s flagged (%s).", wording.Counted(len(who), "annotator is", "annotators are"), wording.List(who)), t
}
