package site

import (
	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
)

// UserKey is the key of the echo context under which the server keeps who is signed in.
const UserKey = "user"

// FailedKey is the key of the echo context by which a handler names the login of the account for which a
// wrong password was given. The login is empty if no account has it.
const FailedKey = "failed"

// User returns who is signed in, and false for a visitor who is not.
func User(c *echo.Context) (accounts.User, bool) {
	u, ok := c.Get(UserKey).(accounts.User)
	return u, ok
}

// Me returns who is signed in. A guard has kept everybody else out.
func Me(c *echo.Context) accounts.User {
	u, _ := User(c)
	return u
}
