package annotating

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/server/site"
	"annotate/web/templates/annotating"
)

// dueParts lists what an annotator should do by which day. It has no numbers of documents while checks are
// placed, because a check is in no plan, and a number that does not fall after a document would tell.
func (h *Handlers) dueParts(ctx context.Context, c campaign.Campaign, userID string) (out []annotating.DuePart, err error) {
	today := c.Settings.StartOfDay(h.Config.Now()).Format(time.DateOnly)
	due, err := h.plan.DueWork(ctx, c, userID)
	for _, d := range due {
		if c.Settings.CheckRate > 0 {
			d.Documents = 0
		}
		out = append(out, annotating.DuePart{Due: d.Due, Documents: d.Documents, Overdue: d.Due < today})
	}
	return out, err
}

// myWork lists the user's campaigns, those with second looks first.
func (h *Handlers) myWork(c *echo.Context) error {
	if site.Me(c).Role == accounts.Admin {
		campaigns, err := h.records.Campaigns(c.Request().Context())
		if err != nil {
			return err
		}
		if len(campaigns) == 0 { // a new site first needs a campaign
			return site.Redirect(c, "/campaigns/new")
		}
	}
	ctx := c.Request().Context()
	mine, err := h.accounts.CampaignsOf(ctx, site.Me(c).ID)
	if err != nil {
		return err
	}
	v := annotating.MyWorkView{Page: h.PageAt(c, "My work", "work")}
	if v.Invitations, err = h.invitations(ctx, site.Me(c).ID); err != nil {
		return err
	}
	for _, m := range mine {
		if m.Campaign.Archived {
			continue
		}
		item := annotating.WorkItem{Available: -1, Quota: m.Campaign.Settings.Quota,
			Campaign: site.CampaignView(m.Campaign, m.Role, m.Adjudicates)}
		if m.Adjudicates {
			waiting, err := h.work.ToAdjudicate(ctx, m.Campaign, site.Me(c).ID)
			if err != nil {
				return err
			}
			for _, w := range waiting {
				if w.Refused == "" {
					item.ToAdjudicate++
				}
			}
			done, err := h.work.MyAdjudications(ctx, m.Campaign.ID, site.Me(c).ID)
			if err != nil {
				return err
			}
			item.Adjudicated, item.AdjudicatedSeconds = done.Segments, done.Seconds
		}
		if m.Role == campaign.Annotator {
			p, err := h.desk.MyProgress(ctx, m.Campaign, site.Me(c).ID)
			if err != nil {
				return err
			}
			item.Done, item.SecondLooks, item.Joining, item.RatingsToday, item.Begun = p.Done, p.Second, p.Joining, p.Today, p.Begun > 0
			item.Empty = p.Empty
			if item.Announcements, err = h.work.CurrentAnnouncements(ctx, m.Campaign.ID, site.Me(c).ID); err != nil {
				return err
			}
			if item.Unread, err = h.work.UnreadThreads(ctx, m.Campaign.ID, site.Me(c).ID); err != nil {
				return err
			}
			if item.MustAccept, err = h.training.MustAccept(ctx, m.Campaign.ID, site.Me(c).ID); err != nil {
				return err
			}
			if item.Training, _, err = h.training.TrainingStanding(ctx, m.Campaign, site.Me(c).ID); err != nil {
				return err
			}
			if item.Practises, err = h.training.MayPractise(ctx, m.Campaign, site.Me(c).ID); err != nil {
				return err
			}
			if item.Due, err = h.dueParts(ctx, m.Campaign, site.Me(c).ID); err != nil {
				return err
			}
			item.Available = p.Available + p.Begun + p.Joining
			item.Blocked = blocked(m.Campaign, item)
			aside, err := h.rounds.IsSetAside(ctx, m.Campaign.ID, site.Me(c).ID)
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
	return h.Render(c, http.StatusOK, annotating.MyWork(v))
}

// invitations lists the invitations that a user has not answered, except those to archived campaigns,
// which nobody can join.
func (h *Handlers) invitations(ctx context.Context, userID string) (out []annotating.InvitationItem, err error) {
	waiting, err := h.accounts.WaitingFor(ctx, userID)
	for _, w := range waiting {
		if w.Archived {
			continue
		}
		holders, err := h.accounts.OutOfReach(ctx, userID, w.CampaignID)
		if err != nil {
			return nil, err
		}
		item := annotating.InvitationItem{
			Campaign: w.Title,
			By:       w.By,
			Role:     w.RoleName(),
			Accept:   site.InvitationPath(w.CampaignID, "accept"),
			Decline:  site.InvitationPath(w.CampaignID, "decline"),
		}
		for _, u := range holders {
			item.OutOfReach = append(item.OutOfReach, u.Name)
		}
		out = append(out, item)
	}
	return out, err
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

// next hands out the next segment and goes there, or back to the list with the
// reason why there is none.
func (h *Handlers) next(c *echo.Context) error {
	path, why, err := h.nextPath(c)
	if err != nil {
		return err
	}
	if why != "" {
		return h.Done(c, why, path)
	}
	return site.Redirect(c, path)
}

// nextPath is where an annotator goes on; why says in words that the campaign
// has nothing for them now.
func (h *Handlers) nextPath(c *echo.Context) (path, why string, err error) {
	m := site.Here(c)
	id, err := h.work.Next(c.Request().Context(), m.Campaign.ID, site.Me(c).ID)
	if err == nil {
		return site.AssignmentPath(m, id), "", nil
	}
	return h.refusedPath(c, err)
}

const ownPerPage = 50

// own lists segments of the annotator: what they have submitted, or with ?show= all that they were given,
// by document.
func (h *Handlers) own(c *echo.Context) error {
	m, ctx := site.Here(c), c.Request().Context()
	v := annotating.OwnView{
		Page: h.PageAt(c, "My segments", "finished"), Paging: site.Paging(c, ownPerPage, 0),
		Show: c.QueryParam(
			"show",
		), Document: strings.TrimSpace(c.QueryParam("text")), Lang: site.Lang(m.Campaign.SourceLang), Open: m.Campaign.State == campaign.Open,
		Answers: m.Campaign.Rules.OfSegments(),
	}
	from := (v.Number - 1) * ownPerPage
	if state := annotating.OwnState(v.Show); state == "" && (v.Show != "" || v.Document != "") {
		v.Show = annotating.OwnAll
	}
	if v.Show == "" {
		var err error
		if v.Items, v.Total, err = h.desk.FinishedWork(ctx, m.Campaign, site.Me(c).ID, from, ownPerPage); err != nil {
			return err
		}
	} else {
		list, err := h.desk.OwnSegments(ctx, m.Campaign, site.Me(c).ID,
			desk.OwnFilter{State: annotating.OwnState(v.Show), Document: v.Document, Offset: from, Limit: ownPerPage})
		if err != nil {
			return err
		}
		v.Items, v.Total, v.Counts = list.Segments, list.Total, list.Counts
	}
	for i, item := range v.Items {
		if !item.SubmittedAt.IsZero() {
			v.Items[i].SubmittedAt = item.SubmittedAt.In(m.Campaign.Settings.Location())
		}
	}
	return h.Render(c, http.StatusOK, annotating.Own(v))
}
