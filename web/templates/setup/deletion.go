package setup

import (
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A DeleteView asks whether to delete a campaign. It posts slug to the campaign's page
// delete.
type DeleteView struct {
	templates.Page
	Standing readmodel.Standing
	Typed    string // the slug as it was typed
	Wrong    string // what is wrong with it
}

// back returns the address of the page that leads here.
func (v DeleteView) back() string {
	if v.Campaign.Archived {
		return v.Campaign.Path("")
	}
	return v.Campaign.Path("settings")
}

// goes lists what is deleted with the campaign.
func (v DeleteView) goes() string {
	return wording.List([]string{
		wording.Counted(v.Standing.Segments.Total(), "segment"), wording.Counted(v.Standing.Ratings, "rating"),
		"all acts and adjudications", "the reports", "the campaign's audit log",
	})
}
