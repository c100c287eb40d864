package server

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/web/templates"
	"annotate/web/templates/annotating"
)

// myWork lists the user's campaigns, those with second looks first.
func (s *Server) myWork(c echo.Context) error {
	if me(c).Role == accounts.Admin {
		campaigns, err := s.store.Campaigns(c.Request().Context())
		if err != nil {
			return err
		}
		if len(campaigns) == 0 { // a new site first needs a campaign
			return redirect(c, "/campaigns/new")
		}
	}
	ctx := c.Request().Context()
	mine, err := s.store.CampaignsOf(ctx, me(c).ID)
	if err != nil {
		return err
	}
	v := annotating.MyWorkView{Page: s.pageAt(c, "My work", "work")}
	for _, m := range mine {
		if m.Campaign.Archived {
			continue
		}
		item := annotating.WorkItem{Available: -1, Quota: m.Campaign.Settings.Quota, Campaign: campaignView(m.Campaign, m.Role, m.Adjudicates)}
		if m.Adjudicates {
			waiting, err := s.store.ToAdjudicate(ctx, m.Campaign, me(c).ID)
			if err != nil {
				return err
			}
			for _, w := range waiting {
				if w.Refused == "" {
					item.ToAdjudicate++
				}
			}
			done, err := s.store.MyAdjudications(ctx, m.Campaign.ID, me(c).ID)
			if err != nil {
				return err
			}
			item.Adjudicated, item.AdjudicatedSeconds = done.Segments, done.Seconds
		}
		if m.Role == campaign.Annotator {
			p, err := s.store.MyProgress(ctx, m.Campaign, me(c).ID)
			if err != nil {
				return err
			}
			item.Done, item.SecondLooks, item.Joining, item.RatingsToday, item.Begun = p.Done, p.Second, p.Joining, p.Today, p.Begun > 0
			if item.Announcements, err = s.store.CurrentAnnouncements(ctx, m.Campaign.ID, me(c).ID); err != nil {
				return err
			}
			if item.Unread, err = s.store.UnreadThreads(ctx, m.Campaign.ID, me(c).ID); err != nil {
				return err
			}
			if item.MustAccept, err = s.store.MustAccept(ctx, m.Campaign.ID, me(c).ID); err != nil {
				return err
			}
			if item.Training, _, err = s.store.TrainingStanding(ctx, m.Campaign, me(c).ID); err != nil {
				return err
			}
			if item.Practises, err = s.store.MayPractise(ctx, m.Campaign, me(c).ID); err != nil {
				return err
			}
			if item.Due, err = s.dueParts(ctx, m.Campaign, me(c).ID); err != nil {
				return err
			}
			item.Available = p.Available + p.Begun + p.Joining
			item.Blocked = blocked(m.Campaign, item)
			aside, err := s.store.IsSetAside(ctx, m.Campaign.ID, me(c).ID)
			if err != nil {
				return err
			}
			if aside && m.Campaign.State != campaign.Closed {
				item.Blocked = pausedByLead
			}
		}
		v.Campaigns = append(v.Campaigns, item)
	}
	slices.SortStableFunc(v.Campaigns, func(a, b annotating.WorkItem) int {
		return cmp.Or(cmp.Compare(min(b.SecondLooks+b.Joining, 1), min(a.SecondLooks+a.Joining, 1)), cmp.Compare(rank(a), rank(b)))
	})
	return s.render(c, http.StatusOK, annotating.MyWork(v))
}

// rank puts campaigns with work to do before the others.
func rank(item annotating.WorkItem) int {
	switch {
	case item.Campaign.State == string(campaign.Closed):
		return 2
	case item.Blocked != "":
		return 1
	}
	return 0
}

// pausedByLead is what annotators whose work is set aside are told.
const pausedByLead = "The lead has paused your work in this campaign. What you saved is kept; ask them before you go on."

// blocked says why nothing can be started now; empty if something can.
func blocked(c campaign.Campaign, item annotating.WorkItem) string {
	switch {
	case c.State == campaign.Paused:
		return "The lead has paused this campaign."
	case c.State == campaign.Closed:
		return "This campaign is closed."
	case !item.Training.MayWork(), item.SecondLooks+item.Joining > 0 || item.Begun:
		return ""
	case item.Available == 0:
		return "No segment is left for you at the moment."
	case item.Quota > 0 && item.RatingsToday >= item.Quota:
		return "Today's quota is reached. More tomorrow."
	}
	return ""
}

// assignmentPath is the address of an assignment's page.
func assignmentPath(m membership, id string) string {
	return "/campaigns/" + m.campaign.Slug + "/assignments/" + id
}

// next hands out the next segment and goes there, or back to the list with the
// reason why there is none.
func (s *Server) next(c echo.Context) error {
	path, why, err := s.nextPath(c)
	if err != nil {
		return err
	}
	if why != "" {
		return s.done(c, why, path)
	}
	return redirect(c, path)
}

// nextPath is where an annotator goes on; why says in words that the campaign
// has nothing for them now.
func (s *Server) nextPath(c echo.Context) (path, why string, err error) {
	m := here(c)
	id, err := s.store.Next(c.Request().Context(), m.campaign.ID, me(c).ID)
	if err == nil {
		return assignmentPath(m, id), "", nil
	}
	return s.refusedPath(c, err)
}

// refusedPath is where an annotator goes who is given nothing because of an error, with the reason
// in words. path is empty, and refused the same error, for an error of another kind.
func (s *Server) refusedPath(c echo.Context, err error) (path, why string, refused error) {
	m := here(c)
	switch {
	case errors.Is(err, campaign.ErrNotAccepted):
		return "/campaigns/" + m.campaign.Slug + "/instructions", "", nil
	case errors.Is(err, campaign.ErrNotQualified):
		return trainPath(m), "", nil
	case errors.Is(err, campaign.ErrQuota):
		return "/work", m.campaign.Title + ": today's quota of " + strconv.Itoa(m.campaign.Settings.Quota) + " ratings is reached. More tomorrow.", nil
	case errors.Is(err, campaign.ErrNoWork):
		return "/work", m.campaign.Title + ": no segment is left for you at the moment. Thank you!", nil
	case errors.Is(err, campaign.ErrSetAside):
		return "/work", m.campaign.Title + ": the lead has paused your work here. What you saved is kept.", nil
	case errors.Is(err, campaign.ErrNotOpen):
		return "/work", m.campaign.Title + ": the campaign is not open at the moment.", nil
	}
	return "", "", err
}

const ownPerPage = 50

// own lists segments of the annotator: what they have submitted, or with ?show= all that they were given,
// by document.
func (s *Server) own(c echo.Context) error {
	m, ctx := here(c), c.Request().Context()
	v := annotating.OwnView{
		Page: s.pageAt(c, "My segments", "finished"), Paging: templates.Paging{Number: max(1, atoi(c.QueryParam("page"))), Size: ownPerPage},
		Show: c.QueryParam("show"), Document: strings.TrimSpace(c.QueryParam("text")), Lang: lang(m.campaign.SourceLang), Open: m.campaign.State == campaign.Open,
	}
	from := (v.Number - 1) * ownPerPage
	if state := annotating.OwnState(v.Show); state == "" && (v.Show != "" || v.Document != "") {
		v.Show = annotating.OwnAll
	}
	if v.Show == "" {
		var err error
		if v.Items, v.Total, err = s.store.FinishedWork(ctx, m.campaign, me(c).ID, from, ownPerPage); err != nil {
			return err
		}
	} else {
		list, err := s.store.OwnSegments(ctx, m.campaign, me(c).ID, desk.OwnFilter{State: annotating.OwnState(v.Show), Document: v.Document, Offset: from, Limit: ownPerPage})
		if err != nil {
			return err
		}
		v.Items, v.Total, v.Counts = list.Segments, list.Total, list.Counts
	}
	for i, item := range v.Items {
		if !item.SubmittedAt.IsZero() {
			v.Items[i].SubmittedAt = item.SubmittedAt.In(m.campaign.Settings.Location())
		}
	}
	return s.render(c, http.StatusOK, annotating.Own(v))
}

// atoi reads a number from an address; anything else is 0.
func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
