package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/labstack/echo/v5"
	"golang.org/x/oauth2"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
)

// oidcPatience is how long the provider may take to answer.
const oidcPatience = 10 * time.Second

// A provider is the provider of OpenID Connect, which is asked for its addresses the first time that somebody signs in by it.
type provider struct {
	mu    sync.Mutex
	found *oidc.Provider
}

func (p *provider) find(ctx context.Context, issuer string) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil {
		found, err := oidc.NewProvider(ctx, issuer)
		if err != nil {
			return nil, err
		}
		p.found = found
	}
	return p.found, nil
}

// errProvider is what people read if the provider does not answer as it should; the log has the reason.
var errProvider = echo.NewHTTPError(
	http.StatusBadGateway, "the provider of the sign-in does not answer as it should; try again, or sign in with a link or a password",
)

// withProvider returns how codes are asked for and exchanged. The context is one for requests to the provider.
func (h *Handlers) withProvider(c *echo.Context) (context.Context, *oidc.Provider, *oauth2.Config, error) {
	cfg := h.Config.OIDC
	if cfg.Issuer == "" {
		return nil, nil, nil, campaign.ErrNotFound
	}
	// The provider is kept, with the context that it was found with, so that context must not end with the request.
	ctx := oidc.ClientContext(context.WithoutCancel(c.Request().Context()), &http.Client{Timeout: oidcPatience})
	p, err := h.provider.find(ctx, cfg.Issuer)
	if err != nil {
		h.Logger.ErrorContext(c.Request().Context(), "ask the provider of OpenID Connect", "issuer", cfg.Issuer, "error", err)
		return nil, nil, nil, errProvider
	}
	return ctx, p, &oauth2.Config{
		ClientID: cfg.ClientID, ClientSecret: cfg.ClientSecret, Endpoint: p.Endpoint(),
		RedirectURL: h.Base(c.Request()) + "/sign-in/oidc/callback",
		Scopes:      []string{oidc.ScopeOpenID, "email", "profile"},
	}, nil
}

// beginOIDC leads to the provider. A cookie keeps for some minutes what the provider has to bring back.
func (h *Handlers) beginOIDC(c *echo.Context) error {
	_, _, asks, err := h.withProvider(c)
	if err != nil {
		return err
	}
	kept := site.Began{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: localPath(c.QueryParam("next"))}
	if err := h.KeepBegan(c, kept); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, asks.AuthCodeURL(kept.State, oidc.Nonce(kept.Nonce), oauth2.S256ChallengeOption(kept.Verifier)))
}

// endOIDC is where the provider leads back to, with a code that is exchanged for the claim of who somebody is.
func (h *Handlers) endOIDC(c *echo.Context) error {
	ctx, p, asks, err := h.withProvider(c)
	if err != nil {
		return err
	}
	kept, ok := h.TakeBegan(c)
	if !ok || subtle.ConstantTimeCompare([]byte(kept.State), []byte(c.QueryParam("state"))) != 1 {
		return echo.NewHTTPError(http.StatusBadRequest, "this sign-in was not begun in this browser, or too long ago; sign in again")
	}
	if c.QueryParam("code") == "" {
		return echo.NewHTTPError(http.StatusForbidden, "the provider did not sign you in; sign in again, or with a link or a password")
	}
	claim, err := claimOf(ctx, p, asks, kept, c.QueryParam("code"))
	if err != nil {
		h.Logger.ErrorContext(c.Request().Context(), "sign in by OpenID Connect", "error", err)
		c.Set(site.FailedKey, "")
		return errProvider
	}
	claim.Issuer = h.Config.OIDC.Issuer
	token, err := h.accounts.SignInBySubject(c.Request().Context(), claim, h.Config.OIDC.Create, c.Request().UserAgent())
	if err != nil {
		return err
	}
	if before := h.Token(c.Request()); before != "" {
		if err := h.accounts.EndSession(c.Request().Context(), before); err != nil {
			return err
		}
	}
	if err := h.Remember(c, token); err != nil {
		return err
	}
	return h.afterSignIn(c, token, kept.Next)
}

// claimOf exchanges a code for an ID token, and checks its signature, issuer, audience, time and nonce.
func claimOf(ctx context.Context, p *oidc.Provider, asks *oauth2.Config, kept site.Began, code string) (claim accounts.Claim, err error) {
	got, err := asks.Exchange(ctx, code, oauth2.VerifierOption(kept.Verifier))
	if err != nil {
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok { // its text may have what the provider was sent
			err = fmt.Errorf("the provider answers the code with status %d, %s", refused.Response.StatusCode, refused.ErrorCode)
		}
		return claim, err
	}
	raw, ok := got.Extra("id_token").(string)
	if !ok {
		return claim, errors.New("the provider sent no ID token")
	}
	id, err := p.Verifier(&oidc.Config{ClientID: asks.ClientID}).Verify(ctx, raw)
	if err != nil {
		return claim, err
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(kept.Nonce)) != 1 {
		return claim, errors.New("the ID token is not for this sign-in: it has another nonce")
	}
	var said struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
		Name     string `json:"name"`
	}
	if err := id.Claims(&said); err != nil {
		return claim, err
	}
	claim = accounts.Claim{Subject: id.Subject, Name: said.Name}
	if said.Verified {
		claim.Email = said.Email
	}
	return claim, nil
}
