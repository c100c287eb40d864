package annotating

import (
	"annotate/internal/readmodel"
	"annotate/internal/wire"
	"annotate/web/templates"
)

// OwnMessage returns a message in the form for the annotator of its thread. It names no lead.
func OwnMessage(clock templates.Clock, m readmodel.Message) wire.Message {
	out := wire.Message{By: "You", Text: m.Text, At: m.At.UTC(), When: clock.Text(m.At), New: m.New}
	if m.ByLead {
		out.By = "Lead"
	}
	switch m.Kind {
	case readmodel.Reported:
		out.What = "problem reported"
	case readmodel.Resolved:
		out.What = "answer to the problem"
	}
	return out
}

// asks reports whether the annotator can write to the leads. Nobody can write in an archived campaign.
func (v AnnotateView) asks() bool {
	return !v.Adjudicates && v.Training == nil && v.Campaign != nil && !v.Campaign.Archived
}

// askKeeps says what becomes of the segment when the annotator asks about it.
func (v AnnotateView) askKeeps() string {
	switch {
	case v.ReadOnly != "" && v.Submitted:
		return "What you submitted stands, unless the lead asks you for another look."
	case v.ReadOnly != "":
		return "You can't change the segment now."
	case v.Submitted:
		return "What you submitted stays, and you can revise it while its round is open."
	case v.Skipped != "":
		return "You have skipped the segment, and others can get it."
	}
	return "You keep the segment and can go on."
}

// unseen returns the number of messages that the annotator has not read.
func (v AnnotateView) unseen() (n int) {
	for _, m := range v.Thread {
		if m.New {
			n++
		}
	}
	return n
}
