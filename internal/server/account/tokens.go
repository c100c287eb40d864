package account

import (
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/server/site"
	"annotate/web/templates/account"
)

// tokensView is the part of the account page about tokens.
func (h *Handlers) tokensView(c *echo.Context) (account.TokensView, error) {
	v := account.TokensView{Clock: h.Clock(campaign.Campaign{})}
	ctx := c.Request().Context()
	mine, err := h.accounts.Tokens(ctx, site.Me(c).ID)
	if err != nil {
		return v, err
	}
	v.Tokens = tokenRows(mine)
	campaigns, err := h.accounts.CampaignsOf(ctx, site.Me(c).ID)
	if err == nil && site.Me(c).Role == accounts.Admin {
		campaigns, err = h.WithAll(c, campaigns)
	}
	for _, m := range campaigns {
		v.Campaigns = append(v.Campaigns, account.TokenCampaign{Slug: m.Campaign.Slug, Title: m.Campaign.Title})
	}
	return v, err
}

func tokenRows(tokens []readmodel.Token) []account.Token {
	rows := make([]account.Token, len(tokens))
	for i, t := range tokens {
		rows[i].Token = t
	}
	return rows
}

// addToken makes a token and shows it once.
func (h *Handlers) addToken(c *echo.Context) error {
	form := account.TokenForm{
		Name:      site.Trimmed(c, "token_name"),
		Days:      c.FormValue("days"),
		Access:    c.FormValue("access"),
		Where:     c.FormValue("where"),
		Campaigns: c.Request().PostForm["campaign"],
	}
	n := accounts.NewToken{Name: form.Name, Writes: form.Access == "write", Everywhere: form.Where == "all", Days: site.Atoi(form.Days)}
	if !n.Everywhere {
		n.Campaigns = form.Campaigns
	}
	token, err := h.accounts.AddToken(c.Request().Context(), site.Me(c).ID, n)
	if wrong := site.Wrong(err); wrong != nil {
		return h.showAccount(c, http.StatusUnprocessableEntity, func(v *account.AccountView) {
			v.Tokens.Form, v.Tokens.Errors = form, wrong
		})
	}
	if err != nil {
		return err
	}
	return h.showAccount(c, http.StatusOK, func(v *account.AccountView) { v.Tokens.Made = token })
}

func (h *Handlers) revokeToken(c *echo.Context) error {
	err := h.accounts.RevokeToken(c.Request().Context(), site.Me(c).ID, c.Param("token"))
	if err != nil && !errors.Is(err, campaign.ErrNotFound) {
		return err
	}
	return h.Done(c, "The token is revoked.", "/account")
}

// allTokens lists the tokens of all accounts, for admins.
func (h *Handlers) allTokens(c *echo.Context) error {
	all, err := h.accounts.Tokens(c.Request().Context(), "")
	if err != nil {
		return err
	}
	return h.Render(
		c, http.StatusOK,
		account.AllTokens(account.AllTokensView{Page: h.PageAt(c, "Access tokens", "users"), Tokens: tokenRows(all)}),
	)
}

func (h *Handlers) revokeAnyToken(c *echo.Context) error {
	all, err := h.accounts.Tokens(c.Request().Context(), "")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(t readmodel.Token) bool { return t.ID == c.Param("token") })
	if i < 0 {
		return campaign.ErrNotFound
	}
	u, err := h.accounts.UserByLogin(c.Request().Context(), all[i].Login)
	if err != nil {
		return err
	}
	if err := h.accounts.RevokeToken(c.Request().Context(), u.ID, all[i].ID); err != nil {
		return err
	}
	return h.Done(c, "The token "+all[i].Name+" of "+u.Login+" is revoked.", "/tokens")
}
