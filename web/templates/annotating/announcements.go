package annotating

import (
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// An AnnouncementsView lists the announcements of a campaign. Its form posts text and until.
type AnnouncementsView struct {
	templates.Page
	Announcements []readmodel.Announcement // the latest first
	Text, Until   string                   // values of the form if it was refused
	Errors        map[string]string        // errors of the form by field
}

// readers says how many annotators have read an announcement, and which have not: "Read by 2 of 4
// annotators. Not yet: lin, mara."
func readers(a readmodel.Announcement) string {
	all := len(a.Read) + len(a.Unread)
	if all == 0 {
		return "The campaign has no annotators yet."
	}
	said := "Read by " + wording.Count(len(a.Read)) + " of " + wording.Counted(all, "annotator") + "."
	if len(a.Unread) > 0 && !a.Ended {
		said += " Not yet: " + wording.ListUpTo(a.Unread, 10) + "."
	}
	return said
}

// fresh lists the announcements that the annotator has not read.
func fresh(all []readmodel.Announcement) (out []readmodel.Announcement) {
	for _, a := range all {
		if a.New {
			out = append(out, a)
		}
	}
	return out
}
