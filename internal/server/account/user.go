package account

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates"
	"annotate/web/templates/account"
)

func (h *Handlers) users(c *echo.Context) error {
	return h.showUsers(c, http.StatusOK, account.UserForm{}, nil, nil)
}

func (h *Handlers) showUsers(c *echo.Context, status int, form account.UserForm, wrong map[string]string, links []templates.SignInLink) error {
	ctx := c.Request().Context()
	users, err := h.accounts.Users(ctx)
	if err != nil {
		return err
	}
	seen, err := h.accounts.LastSeen(ctx)
	if err != nil {
		return err
	}
	signedIn, err := h.accounts.SignedIn(ctx)
	if err != nil {
		return err
	}
	factors, err := h.accounts.WithSecondFactor(ctx)
	if err != nil {
		return err
	}
	v := account.UsersView{Page: h.PageAt(c, "Users", "users"), Form: form, Errors: wrong, Links: links, SendsMail: h.SendsMail()}
	subjects, err := h.accounts.Subjects(ctx, "")
	if err != nil {
		return err
	}
	for _, x := range subjects {
		v.Subjects = append(v.Subjects, account.SubjectRow(x))
	}
	for _, u := range users {
		v.Users = append(
			v.Users,
			account.UserRow{
				Login:        u.Login,
				Name:         u.Name,
				Mail:         u.Mail,
				Admin:        u.Role == accounts.Admin,
				Disabled:     u.Disabled,
				SignedIn:     signedIn[u.ID],
				LastSeen:     seen[u.ID],
				SecondFactor: factors[u.ID],
			},
		)
	}
	return h.Render(c, status, account.Users(v))
}

// addUser makes an account and shows its sign-in link once.
func (h *Handlers) addUser(c *echo.Context) error {
	ctx := c.Request().Context()
	form := account.UserForm{Login: site.Trimmed(c, "login"), Name: site.Trimmed(c, "name"), Mail: site.Trimmed(c, "mail"), Role: c.FormValue("role")}
	var u accounts.User
	var err error
	if form.Mail != "" {
		err = accounts.CheckMail("mail", form.Mail)
	}
	if err == nil {
		u, err = h.accounts.AddUser(ctx, form.Login, form.Name, form.Role)
	}
	if err == nil && form.Mail != "" {
		err = h.accounts.SetMail(ctx, u.ID, form.Mail)
	}
	if wrong := site.Wrong(err); wrong != nil {
		return h.showUsers(c, http.StatusUnprocessableEntity, form, wrong, nil)
	}
	if errors.Is(err, campaign.ErrConflict) {
		return h.showUsers(c, http.StatusUnprocessableEntity, form, map[string]string{"login": "this login is taken"}, nil)
	}
	if err != nil {
		return err
	}
	token, err := h.accounts.NewLink(ctx, u.ID)
	if err != nil {
		return err
	}
	return h.showUsers(c, http.StatusOK, account.UserForm{}, nil,
		[]templates.SignInLink{h.Link(c, u.Login, u.Name, accounts.Invited{SignIn: token})})
}

// named is the user in the address.
func (h *Handlers) named(c *echo.Context) (accounts.User, error) {
	return h.accounts.UserByLogin(c.Request().Context(), c.Param("login"))
}

func (h *Handlers) userLink(c *echo.Context) error {
	u, err := h.named(c)
	if err != nil {
		return err
	}
	token, err := h.accounts.NewLink(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	return h.showUsers(c, http.StatusOK, account.UserForm{}, nil,
		[]templates.SignInLink{h.Link(c, u.Login, u.Name, accounts.Invited{SignIn: token})})
}

func (h *Handlers) disableUser(c *echo.Context) error { return h.setDisabled(c, true, "was disabled") }

func (h *Handlers) enableUser(c *echo.Context) error {
	return h.setDisabled(c, false, "can sign in again")
}

func (h *Handlers) setDisabled(c *echo.Context, disabled bool, said string) error {
	u, err := h.named(c)
	if err != nil {
		return err
	}
	if u.ID == site.Me(c).ID {
		return errOwnAccount
	}
	if err := h.accounts.SetDisabled(c.Request().Context(), u.ID, disabled); err != nil {
		return err
	}
	return h.Done(c, u.Login+" "+said+".", "/users")
}

// endUserSessions signs somebody out everywhere.
func (h *Handlers) endUserSessions(c *echo.Context) error {
	u, err := h.named(c)
	if err != nil {
		return err
	}
	if err := h.accounts.EndSessions(c.Request().Context(), u.ID, ""); err != nil {
		return err
	}
	return h.Done(c, u.Login+" was signed out everywhere. Sign-in links that were not used have ended.", "/users")
}

// errOwnAccount keeps admins from locking themselves out.
var errOwnAccount = campaign.Invalid("", "this is your own account; another admin can change it")

func (h *Handlers) userRole(c *echo.Context) error {
	u, err := h.named(c)
	if err != nil {
		return err
	}
	if u.ID == site.Me(c).ID {
		return errOwnAccount
	}
	if err := h.accounts.SetRole(c.Request().Context(), u.ID, c.FormValue("role")); err != nil {
		return err
	}
	return h.Done(c, u.Login+" is now "+c.FormValue("role")+".", "/users")
}

func (h *Handlers) userMail(c *echo.Context) error {
	u, err := h.named(c)
	if err != nil {
		return err
	}
	if u.ID == site.Me(c).ID {
		return errOwnAccount // its page asks for the password
	}
	if err := h.accounts.SetMail(c.Request().Context(), u.ID, site.Trimmed(c, "mail")); err != nil {
		return err
	}
	return h.Done(c, "The e-mail address of "+u.Login+" was saved.", "/users")
}

// unbindSubject takes back who somebody is at the provider of OpenID Connect.
func (h *Handlers) unbindSubject(c *echo.Context) error {
	u, err := h.named(c)
	if err != nil {
		return err
	}
	if err := h.accounts.UnbindSubject(c.Request().Context(), u.ID, c.FormValue("issuer"), c.FormValue("subject")); err != nil {
		return err
	}
	return h.Done(c, "The subject is no longer bound to "+u.Login+".", "/users")
}
