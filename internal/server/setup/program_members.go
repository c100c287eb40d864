package setup

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
)

type memberCall struct {
	InCampaign
	Body struct {
		Login string `json:"login"`
		Role  string `json:"role" enum:"lead,annotator,researcher,adjudicator"`
	}
}

type roleCall struct {
	OfMember
	Body struct {
		Role string `json:"role" enum:"lead,annotator,researcher,adjudicator"`
	}
}

// OfMember names a member in an address.
type OfMember struct {
	Slug  string `path:"slug"`
	Login string `path:"login"`
}

// A MemberAdded says what became of a person who was to be added.
type MemberAdded struct {
	Login  string `json:"login"`
	Role   string `json:"role"`
	Joined bool   `json:"joined" doc:"false: the person is invited, and has to accept on the pages"`
}

// memberOperations lists the operations of members.
func (h *Handlers) memberOperations() []site.Route {
	return []site.Route{
		site.Operation(h.Site, site.Op{
			ID: "list-members", Method: http.MethodGet, Path: "/campaigns/{slug}/members", Tag: "members", Who: site.Managers,
			Summary: "Members of a campaign", About: "As annotate member list --json.",
		}, h.membersForProgram),
		site.Operation(h.Site, site.Op{
			ID: "add-member", Method: http.MethodPost, Path: "/campaigns/{slug}/members", Tag: "members", Who: site.Managers,
			Summary: "Add a person who has an account",
			About:   "The person joins at once, or is invited, by the rules of the page of members. Accounts and sign-in links are made there.",
		}, h.addForProgram),
		site.Operation(h.Site, site.Op{
			ID: "change-role", Method: http.MethodPatch, Path: "/campaigns/{slug}/members/{login}", Tag: "members", Who: site.Managers,
			Summary: "Change the role of a member",
		}, h.roleForProgram),
		site.Operation(h.Site, site.Op{
			ID: "remove-member", Method: http.MethodDelete, Path: "/campaigns/{slug}/members/{login}", Tag: "members", Who: site.Managers,
			Summary: "Remove a member", About: "Submitted ratings stay, and open work goes to others.",
		}, h.removeForProgram),
	}
}

func (h *Handlers) membersForProgram(c *echo.Context, _ *InCampaign) (api.Members, error) {
	members, err := h.store.Accounts.Members(c.Request().Context(), site.Here(c).Campaign.ID)
	return api.MembersOf(members), err
}

// addForProgram adds a person who has an account. It makes no sign-in link, with which a program could do what its token is not
// good for.
func (h *Handlers) addForProgram(c *echo.Context, in *memberCall) (MemberAdded, error) {
	ctx, of := c.Request().Context(), site.Here(c).Campaign
	out := MemberAdded{Login: in.Body.Login, Role: in.Body.Role}
	if _, err := h.store.Accounts.UserByLogin(ctx, out.Login); errors.Is(err, campaign.ErrNotFound) {
		return out, campaign.Invalid("login",
			fmt.Sprintf("there is no account %q; make it on the page of members, which also makes a sign-in link", out.Login))
	} else if err != nil {
		return out, err
	}
	made, err := h.store.Accounts.Invite(ctx, of.ID, out.Login, "", campaign.Role(out.Role), site.Me(c).ID)
	out.Joined = made == accounts.Invited{}
	return out, err
}

func (h *Handlers) roleForProgram(c *echo.Context, in *roleCall) (api.Members, error) {
	if _, err := h.store.Accounts.ChangeRole(c.Request().Context(), site.Here(c).Campaign.ID, in.Login,
		campaign.Role(in.Body.Role), site.Me(c).ID); err != nil {
		return api.Members{}, err
	}
	return h.membersForProgram(c, nil)
}

func (h *Handlers) removeForProgram(c *echo.Context, in *OfMember) (None, error) {
	return None{}, h.store.Accounts.RemoveMember(c.Request().Context(), site.Here(c).Campaign.ID, in.Login, site.Me(c).ID)
}
