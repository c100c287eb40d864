package templates

import (
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
)

// progressOrder is the order of statuses in a bar that fills from the left:
// what is in gold, what comes again, what is out, and what is still to come.
var progressOrder = []campaign.Status{
	campaign.Agreed, campaign.Adjudicated, campaign.BelowThreshold, campaign.Ungated, campaign.Reannotate,
	campaign.Discarded, campaign.Withdrawn, campaign.Pending,
}

// CountWords is "12 agreed, 3 second look, 40 pending".
func CountWords(c readmodel.Counts) string {
	var parts []string
	for _, s := range progressOrder {
		if c[s] > 0 {
			parts = append(parts, wording.Count(c[s])+" "+s.Words())
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// A slice is one part of a stacked bar, in percent of its length.
type slice struct {
	Status   campaign.Status
	X, Width string
}

// leastSlice keeps a few among many visible, in percent.
const leastSlice = 0.8

// slicesOf divides a bar among the statuses that occur.
func slicesOf(c readmodel.Counts) []slice {
	total, sum := float64(c.Total()), 0.0
	widths := map[campaign.Status]float64{}
	for _, s := range progressOrder {
		if c[s] > 0 {
			widths[s] = max(100*float64(c[s])/total, leastSlice)
			sum += widths[s]
		}
	}
	var out []slice
	x := 0.0
	for _, s := range progressOrder {
		if w := widths[s]; w > 0 {
			w *= 100 / sum
			out = append(out, slice{s, percentage(x), percentage(w)})
			x += w
		}
	}
	return out
}

func percentage(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }

// StatusMeaning explains a status in a few words.
func StatusMeaning(s campaign.Status) string {
	switch s {
	case campaign.Pending:
		return "waiting for ratings"
	case campaign.Ungated:
		return "complete, in gold, not judged by the gate"
	case campaign.Agreed:
		return "passed the gate, in gold"
	case campaign.BelowThreshold:
		return "below the threshold, in gold, since the gate only reports"
	case campaign.Reannotate:
		return "a second look is under way"
	case campaign.Adjudicated:
		return "decided by an adjudicator or a lead, in gold"
	case campaign.Discarded:
		return "failed the last round or discarded by a lead, not in gold"
	case campaign.Withdrawn:
		return "taken out by a lead"
	}
	return ""
}

// StateMeaning says what a campaign's state means for the people in it.
func StateMeaning(state string) string {
	switch campaign.State(state) {
	case Archived:
		return "The campaign is archived: it can be looked at and exported, but not changed."
	case campaign.Open:
		return "The campaign is open: annotators are handed segments and can save and submit."
	case campaign.Paused:
		return "The campaign is paused: nothing is handed out or saved until it is opened again."
	case campaign.Closed:
		return "The campaign is closed: nobody can annotate. Everything can be looked at and exported."
	}
	return ""
}
