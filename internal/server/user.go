package server

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/web/templates"
	"annotate/web/templates/account"
)

func (s *Server) users(c echo.Context) error {
	return s.showUsers(c, http.StatusOK, account.UserForm{}, nil, nil)
}

func (s *Server) showUsers(c echo.Context, status int, form account.UserForm, wrong map[string]string, links []templates.SignInLink) error {
	ctx := c.Request().Context()
	users, err := s.store.Users(ctx)
	if err != nil {
		return err
	}
	seen, err := s.store.LastSeen(ctx)
	if err != nil {
		return err
	}
	signedIn, err := s.store.SignedIn(ctx)
	if err != nil {
		return err
	}
	v := account.UsersView{Page: s.pageAt(c, "Users", "users"), Clock: s.clock(nil), Form: form, Errors: wrong, Links: links}
	for _, u := range users {
		v.Users = append(v.Users, account.UserRow{Login: u.Login, Name: u.Name, Admin: u.Role == accounts.Admin, Disabled: u.Disabled, SignedIn: signedIn[u.ID], LastSeen: seen[u.ID]})
	}
	return s.render(c, status, account.Users(v))
}

// addUser makes an account and shows its sign-in link once.
func (s *Server) addUser(c echo.Context) error {
	ctx := c.Request().Context()
	form := account.UserForm{Login: trimmed(c, "login"), Name: trimmed(c, "name"), Role: c.FormValue("role")}
	u, err := s.store.AddUser(ctx, form.Login, form.Name, form.Role)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return s.showUsers(c, http.StatusUnprocessableEntity, form, map[string]string{invalid.Field: invalid.Msg}, nil)
	}
	if errors.Is(err, campaign.ErrConflict) {
		return s.showUsers(c, http.StatusUnprocessableEntity, form, map[string]string{"login": "this login is taken"}, nil)
	}
	if err != nil {
		return err
	}
	token, err := s.store.NewLink(ctx, u.ID)
	if err != nil {
		return err
	}
	return s.showUsers(c, http.StatusOK, account.UserForm{}, nil, []templates.SignInLink{s.link(c, u.Login, u.Name, token)})
}

// named is the user in the address.
func (s *Server) named(c echo.Context) (accounts.User, error) {
	return s.store.UserByLogin(c.Request().Context(), c.Param("login"))
}

func (s *Server) userLink(c echo.Context) error {
	u, err := s.named(c)
	if err != nil {
		return err
	}
	token, err := s.store.NewLink(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	return s.showUsers(c, http.StatusOK, account.UserForm{}, nil, []templates.SignInLink{s.link(c, u.Login, u.Name, token)})
}

func (s *Server) disableUser(c echo.Context) error { return s.setDisabled(c, true, "was disabled") }
func (s *Server) enableUser(c echo.Context) error {
	return s.setDisabled(c, false, "can sign in again")
}

func (s *Server) setDisabled(c echo.Context, disabled bool, said string) error {
	u, err := s.named(c)
	if err != nil {
		return err
	}
	if u.ID == me(c).ID {
		return errOwnAccount
	}
	if err := s.store.SetDisabled(c.Request().Context(), u.ID, disabled); err != nil {
		return err
	}
	return s.done(c, u.Login+" "+said+".", "/users")
}

// endUserSessions signs somebody out everywhere.
func (s *Server) endUserSessions(c echo.Context) error {
	u, err := s.named(c)
	if err != nil {
		return err
	}
	if err := s.store.EndSessions(c.Request().Context(), u.ID, ""); err != nil {
		return err
	}
	return s.done(c, u.Login+" was signed out everywhere. Sign-in links that were not used have ended.", "/users")
}

// errOwnAccount keeps admins from locking themselves out.
var errOwnAccount = campaign.Invalid("", "this is your own account; another admin can change it")

func (s *Server) userRole(c echo.Context) error {
	u, err := s.named(c)
	if err != nil {
		return err
	}
	if u.ID == me(c).ID {
		return errOwnAccount
	}
	if err := s.store.SetRole(c.Request().Context(), u.ID, c.FormValue("role")); err != nil {
		return err
	}
	return s.done(c, u.Login+" is now "+c.FormValue("role")+".", "/users")
}
