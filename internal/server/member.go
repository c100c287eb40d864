package server

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/web/templates"
	"annotate/web/templates/setup"
)

func (s *Server) members(c echo.Context) error {
	return s.showMembers(c, http.StatusOK, setup.InviteForm{}, nil, nil)
}

// showMembers renders the members page, with links made just now; they are
// shown this once.
func (s *Server) showMembers(c echo.Context, status int, form setup.InviteForm, wrong map[string]string, links []templates.SignInLink) error {
	m := here(c)
	members, err := s.store.Members(c.Request().Context(), m.campaign.ID)
	if err != nil {
		return err
	}
	v := setup.MembersView{
		Page: s.pageAt(c, "Members", "members"), Clock: s.clock(m.campaign.Settings.Location()),
		Links: links, Invite: form, Errors: wrong,
	}
	led, err := s.ledCampaigns(c, m.campaign.ID)
	if err != nil {
		return err
	}
	v.From = campaignOptions(led)
	for _, x := range members {
		v.Members = append(v.Members, setup.MemberRow(x.Member))
	}
	return s.render(c, status, setup.Members(v))
}

// invite adds one person, or several from a list of "login, name" lines, all or
// none.
func (s *Server) invite(c echo.Context) error {
	form := setup.InviteForm{
		Login: trimmed(c, "login"), Name: trimmed(c, "name"), Role: c.FormValue("role"),
		People: c.FormValue("people"), PeopleRole: c.FormValue("people_role"),
	}
	people, field := []accounts.Invitation{{Login: form.Login, Name: form.Name, Role: campaign.Role(form.Role)}}, "login"
	if strings.TrimSpace(form.People) != "" {
		people, field = invitations(form.People, campaign.Role(form.PeopleRole)), "people"
	}
	tokens, err := s.store.InviteAll(c.Request().Context(), here(c).campaign.ID, people, me(c).ID)
	if status := statusOf(err); err != nil {
		if status == http.StatusInternalServerError {
			return err
		}
		if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok && field == "login" {
			return s.showMembers(c, http.StatusUnprocessableEntity, form, map[string]string{invalid.Field: invalid.Msg}, nil)
		}
		return s.showMembers(c, http.StatusUnprocessableEntity, form, map[string]string{field: inWords(err)}, nil)
	}
	members, err := s.store.Members(c.Request().Context(), here(c).campaign.ID)
	if err != nil {
		return err
	}
	links := make([]templates.SignInLink, len(people))
	for i, p := range people {
		links[i] = s.link(c, p.Login, p.Name, tokens[i])
		links[i].Locked = slices.ContainsFunc(members, func(m accounts.Membership) bool { return m.User.Login == p.Login && !m.CanSignIn })
	}
	return s.showMembers(c, http.StatusOK, setup.InviteForm{}, nil, links)
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

// link is a sign-in link as the lead passes it on; without a token the account
// existed and needs none.
func (s *Server) link(c echo.Context, login, name, token string) templates.SignInLink {
	l := templates.SignInLink{Login: login, Name: name}
	if token != "" {
		l.URL = s.baseURL(c.Request()) + LinkPath(token)
	}
	return l
}

func (s *Server) memberLink(c echo.Context) error {
	token, err := s.store.RenewLink(c.Request().Context(), here(c).campaign.ID, c.Param("login"), me(c))
	if errors.Is(err, campaign.ErrForbidden) {
		return s.showMembers(c, http.StatusForbidden, setup.InviteForm{}, map[string]string{"": inWords(err)}, nil)
	}
	if err != nil {
		return err
	}
	return s.showMembers(c, http.StatusOK, setup.InviteForm{}, nil, []templates.SignInLink{s.link(c, c.Param("login"), "", token)})
}

func (s *Server) memberRole(c echo.Context) error {
	m, login := here(c), c.Param("login")
	err := s.store.AddMember(c.Request().Context(), m.campaign.ID, login, campaign.Role(c.FormValue("role")), me(c).ID)
	if status := statusOf(err); err != nil && (status == http.StatusConflict || status == http.StatusUnprocessableEntity) {
		return s.showMembers(c, status, setup.InviteForm{}, map[string]string{"": login + ": " + inWords(err)}, nil)
	}
	if err != nil {
		return err
	}
	return s.done(c, login+" is now "+c.FormValue("role")+".", "/campaigns/"+m.campaign.Slug+"/members")
}

func (s *Server) removeMember(c echo.Context) error {
	m, login := here(c), c.Param("login")
	err := s.store.RemoveMember(c.Request().Context(), m.campaign.ID, login, me(c).ID)
	if errors.Is(err, campaign.ErrConflict) {
		return s.showMembers(c, http.StatusConflict, setup.InviteForm{}, map[string]string{"": login + ": " + inWords(err)}, nil)
	}
	if err != nil {
		return err
	}
	path := "/campaigns/" + m.campaign.Slug + "/members"
	if login == me(c).Login && me(c).Role != accounts.Admin {
		path = "/work"
	}
	return s.done(c, login+" was removed. What was submitted stays.", path)
}
