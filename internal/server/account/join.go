package account

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates/account"
)

// showJoin asks whether to accept the invitation of a join link. It changes nothing.
func (h *Handlers) showJoin(c *echo.Context) error {
	w, err := h.accounts.JoinLink(c.Request().Context(), c.Param("token"))
	if errors.Is(err, campaign.ErrNotFound) {
		return h.Done(c, site.Sentence(site.InWords(err)), "/work")
	}
	if err != nil {
		return err
	}
	return h.askJoin(c, http.StatusOK, w, "")
}

// askJoin renders the page of a join link. Somebody who is signed in as another login does not learn what
// the link is for.
func (h *Handlers) askJoin(c *echo.Context, status int, w accounts.Waiting, wrong string) error {
	v := account.JoinView{Page: h.Page(c, "Join a campaign"), Other: w.UserID != site.Me(c).ID}
	if !v.Other {
		out, err := h.accounts.OutOfReach(c.Request().Context(), w.UserID, w.CampaignID)
		if err != nil {
			return err
		}
		for _, u := range out {
			v.OutOfReach = append(v.OutOfReach, u.Name)
		}
		v.Campaign, v.By, v.Role, v.Archived = w.Title, w.By, w.RoleName(), w.Archived
		v.Action, v.Decline, v.PasswordError = site.JoinPath(c.Param("token")), site.InvitationPath(w.CampaignID, "decline"), wrong
	}
	return h.Render(c, status, account.Join(v))
}

// join accepts the invitation of a join link.
func (h *Handlers) join(c *echo.Context) error {
	ctx, token := c.Request().Context(), c.Param("token")
	w, err := h.accounts.JoinLink(ctx, token)
	if errors.Is(err, campaign.ErrNotFound) {
		return h.Done(c, site.Sentence(site.InWords(err)), "/work")
	}
	if err != nil {
		return err
	}
	if w.UserID != site.Me(c).ID {
		return h.askJoin(c, http.StatusForbidden, w, "")
	}
	hash := ""
	if fresh := c.FormValue("password"); fresh != "" {
		if err := accounts.CheckPassword(fresh, site.Me(c).Login, site.Me(c).Name); err != nil {
			return h.askJoin(c, http.StatusUnprocessableEntity, w, err.Error())
		}
		if hash, err = accounts.HashPassword(fresh); err != nil {
			return err
		}
	}
	session, err := h.accounts.Join(ctx, w.CampaignID, h.Token(c.Request()), token, hash, c.Request().UserAgent())
	if errors.Is(err, accounts.ErrNeedsPassword) {
		return h.askJoin(c, http.StatusUnprocessableEntity, w, site.InWords(err))
	}
	if err != nil {
		return h.refuseJoin(c, err)
	}
	said := "You have joined " + w.Title + " as " + w.RoleName() + "."
	if session != "" {
		if err := h.Remember(c, session); err != nil {
			return err
		}
		said += " Your new password is saved, and your other browsers are signed out."
	}
	return h.Done(c, said, "/work")
}

// acceptInvitation joins a campaign from My work, without a join link.
func (h *Handlers) acceptInvitation(c *echo.Context) error {
	_, err := h.accounts.Join(c.Request().Context(), c.Param("campaign"), h.Token(c.Request()), "", "", c.Request().UserAgent())
	if err != nil {
		return h.refuseJoin(c, err)
	}
	return h.Done(c, "You have joined the campaign.", "/work")
}

// refuseJoin says on My work why somebody has not joined.
func (h *Handlers) refuseJoin(c *echo.Context, err error) error {
	if site.StatusOf(err) == http.StatusInternalServerError {
		return err
	}
	return h.Done(c, "You have not joined. "+site.Sentence(site.InWords(err)), "/work")
}

func (h *Handlers) declineInvitation(c *echo.Context) error {
	if err := h.accounts.DeclineInvitation(c.Request().Context(), c.Param("campaign"), site.Me(c)); err != nil {
		return err
	}
	return h.Done(c, "The invitation is declined.", "/work")
}
