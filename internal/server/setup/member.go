package setup

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates"
	"annotate/web/templates/setup"
)

func (h *Handlers) members(c *echo.Context) error {
	return h.showMembers(c, http.StatusOK, setup.InviteForm{}, nil, nil)
}

// showMembers renders the members page, with links made just now; they are
// shown this once.
func (h *Handlers) showMembers(c *echo.Context, status int, form setup.InviteForm, wrong map[string]string, links []templates.SignInLink) error {
	m := site.Here(c)
	members, err := h.store.Accounts.Members(c.Request().Context(), m.Campaign.ID)
	if err != nil {
		return err
	}
	v := setup.MembersView{
		Page:  h.PageAt(c, "Members", "members"),
		Links: links, Invite: form, Errors: wrong,
	}
	led, err := h.LedCampaigns(c, m.Campaign.ID)
	if err != nil {
		return err
	}
	v.From = campaignOptions(led)
	for _, x := range members {
		v.Members = append(v.Members, setup.MemberRow(x.Member))
	}
	invited, err := h.store.Accounts.Waiting(c.Request().Context(), m.Campaign.ID)
	if err != nil {
		return err
	}
	for _, w := range invited {
		v.Invited = append(v.Invited, setup.InvitedRow{Login: w.Login, Role: w.RoleName(), By: w.By, At: w.At, LinkUntil: w.LinkUntil})
	}
	return h.Render(c, status, setup.Members(v))
}

// invite adds one person, or several from a list of "login, name" lines, all or
// none.
func (h *Handlers) invite(c *echo.Context) error {
	form := setup.InviteForm{
		Login: site.Trimmed(c, "login"), Name: site.Trimmed(c, "name"), Role: c.FormValue("role"),
		People: c.FormValue("people"), PeopleRole: c.FormValue("people_role"),
	}
	people, field := []accounts.Invitation{{Login: form.Login, Name: form.Name, Role: campaign.Role(form.Role)}}, "login"
	if strings.TrimSpace(form.People) != "" {
		people, field = invitations(form.People, campaign.Role(form.PeopleRole)), "people"
	}
	made, err := h.store.Accounts.InviteAll(c.Request().Context(), site.Here(c).Campaign.ID, people, site.Me(c).ID)
	if status := site.StatusOf(err); err != nil {
		if status == http.StatusInternalServerError {
			return err
		}
		if wrong := site.Wrong(err); wrong != nil && field == "login" {
			return h.showMembers(c, http.StatusUnprocessableEntity, form, wrong, nil)
		}
		return h.showMembers(c, http.StatusUnprocessableEntity, form, map[string]string{field: site.InWords(err)}, nil)
	}
	members, err := h.store.Accounts.Members(c.Request().Context(), site.Here(c).Campaign.ID)
	if err != nil {
		return err
	}
	links := make([]templates.SignInLink, len(people))
	for i, p := range people {
		links[i] = h.Link(c, p.Login, p.Name, made[i])
		links[i].Locked = slices.ContainsFunc(members, func(m accounts.Membership) bool { return m.User.Login == p.Login && !m.CanSignIn })
	}
	return h.showMembers(c, http.StatusOK, setup.InviteForm{}, nil, links)
}

// invitations reads "login, name" lines; the name may be left out.
func invitations(text string, role campaign.Role) []accounts.Invitation {
	var people []accounts.Invitation
	for line := range strings.Lines(text) {
		login, name, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(line), "\t", ","), ",")
		if login = strings.TrimSpace(login); login != "" {
			people = append(people, accounts.Invitation{Login: login, Name: strings.TrimSpace(name), Role: role})
		}
	}
	return people
}

func (h *Handlers) memberLink(c *echo.Context) error {
	token, err := h.store.Accounts.RenewLink(c.Request().Context(), site.Here(c).Campaign.ID, c.Param("login"), site.Me(c))
	if errors.Is(err, campaign.ErrForbidden) {
		return h.showMembers(c, http.StatusForbidden, setup.InviteForm{}, map[string]string{"": site.Sentence(site.InWords(err))}, nil)
	}
	if err != nil {
		return err
	}
	return h.showMembers(c, http.StatusOK, setup.InviteForm{}, nil,
		[]templates.SignInLink{h.Link(c, c.Param("login"), "", accounts.Invited{SignIn: token})})
}

// joinLink makes a new join link for somebody who has not accepted an invitation.
func (h *Handlers) joinLink(c *echo.Context) error {
	m, login := site.Here(c), c.Param("login")
	token, err := h.store.Accounts.RenewJoinLink(c.Request().Context(), m.Campaign.ID, login, site.Me(c).ID)
	if errors.Is(err, campaign.ErrNotFound) {
		return h.invitationGone(c)
	}
	if err != nil {
		return err
	}
	return h.showMembers(c, http.StatusOK, setup.InviteForm{}, nil,
		[]templates.SignInLink{h.Link(c, login, "", accounts.Invited{Join: token})})
}

func (h *Handlers) withdraw(c *echo.Context) error {
	m, login := site.Here(c), c.Param("login")
	err := h.store.Accounts.WithdrawInvitation(c.Request().Context(), m.Campaign.ID, login, site.Me(c).ID)
	if errors.Is(err, campaign.ErrNotFound) {
		return h.invitationGone(c)
	}
	if err != nil {
		return err
	}
	return h.Done(c, "The invitation of "+login+" is withdrawn.", "/campaigns/"+m.Campaign.Slug+"/members")
}

// invitationGone leads to the members, where it shows whether an invitation was accepted.
func (h *Handlers) invitationGone(c *echo.Context) error {
	return h.Done(c, c.Param("login")+" has no open invitation: it was accepted, declined or withdrawn.",
		"/campaigns/"+site.Here(c).Campaign.Slug+"/members")
}

func (h *Handlers) memberRole(c *echo.Context) error {
	m, login := site.Here(c), c.Param("login")
	ended, err := h.store.Accounts.ChangeRole(c.Request().Context(), m.Campaign.ID, login, campaign.Role(c.FormValue("role")), site.Me(c).ID)
	if status := site.StatusOf(err); err != nil && (status == http.StatusConflict || status == http.StatusUnprocessableEntity) {
		return h.showMembers(c, status, setup.InviteForm{}, map[string]string{"": login + ": " + site.InWords(err)}, nil)
	}
	if err != nil {
		return err
	}
	said := login + " is now " + c.FormValue("role") + "."
	if len(ended) > 0 {
		said += " Signed out, because " + login + " made their links: " + strings.Join(loginsOf(ended), ", ") + "."
	}
	return h.Done(c, said, "/campaigns/"+m.Campaign.Slug+"/members")
}

// loginsOf lists whose credentials ended.
func loginsOf(ended []accounts.Ended) (logins []string) {
	for _, e := range ended {
		logins = append(logins, e.Login)
	}
	return logins
}

func (h *Handlers) removeMember(c *echo.Context) error {
	m, login := site.Here(c), c.Param("login")
	err := h.store.Accounts.RemoveMember(c.Request().Context(), m.Campaign.ID, login, site.Me(c).ID)
	if errors.Is(err, campaign.ErrConflict) {
		return h.showMembers(c, http.StatusConflict, setup.InviteForm{}, map[string]string{"": login + ": " + site.InWords(err)}, nil)
	}
	if err != nil {
		return err
	}
	path := "/campaigns/" + m.Campaign.Slug + "/members"
	if login == site.Me(c).Login && site.Me(c).Role != accounts.Admin {
		path = "/work"
	}
	return h.Done(c, login+" was removed. The submitted ratings stay.", path)
}
