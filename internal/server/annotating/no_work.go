package annotating

import (
	"errors"
	"strconv"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates/annotating"
)

// pausedByLead is what annotators whose work is set aside are told.
const pausedByLead = "The lead has paused your work in this campaign. What you saved is kept; ask them before you go on."

// blocked says in the list of campaigns why nothing can be started now; empty if something can.
func blocked(c campaign.Campaign, item annotating.WorkItem) string {
	switch {
	case c.State == campaign.Paused:
		return "The lead has paused this campaign."
	case c.State == campaign.Closed:
		return "This campaign is closed."
	case !item.Training.MayWork(), item.SecondLooks+item.Joining > 0 || item.Begun:
		return ""
	case item.Empty:
		return "This campaign has no segments yet."
	case item.Available == 0:
		return site.Sentence(campaign.ErrNoWork.Error())
	case item.Quota > 0 && item.RatingsToday >= item.Quota:
		return "Today's quota is reached. More tomorrow."
	}
	return ""
}

// refusedPath returns the page to which an annotator goes after an error of package campaign that refuses a segment, and the reason
// in words. For an error of another kind, path is empty and refused is this error.
func (h *Handlers) refusedPath(c *echo.Context, err error) (path, why string, refused error) {
	m := site.Here(c)
	switch {
	case errors.Is(err, campaign.ErrNotAccepted):
		return "/campaigns/" + m.Campaign.Slug + "/instructions", "", nil
	case errors.Is(err, campaign.ErrNotQualified):
		return site.TrainPath(m), "", nil
	case errors.Is(err, campaign.ErrQuota):
		return "/work", m.Campaign.Title + ": today's quota of " + strconv.Itoa(m.Campaign.Settings.Quota) + " ratings is reached. More tomorrow.", nil
	case errors.Is(err, campaign.ErrNoWork):
		return "/work", m.Campaign.Title + ": " + campaign.ErrNoWork.Error() + ". Thank you!", nil
	case errors.Is(err, campaign.ErrSetAside):
		return "/work", m.Campaign.Title + ": the lead has paused your work here. What you saved is kept.", nil
	case errors.Is(err, campaign.ErrNotOpen):
		return "/work", m.Campaign.Title + ": the campaign is not open at the moment.", nil
	}
	return "", "", err
}
