package account

import (
	"fmt"

	"annotate/internal/wording"
	"annotate/web/templates"
)

// A CodeView asks for the code of a second factor. It posts code and next to /sign-in/code.
type CodeView struct {
	templates.Page
	Next  string
	Wrong string // about the code
}

// A FactorView is one's own second factor. Its forms post current to /account/second-factor, and code to
// /account/second-factor/confirm, /account/second-factor/codes and /account/second-factor/off.
type FactorView struct {
	templates.Page
	Has           bool
	Required      bool // for leads and admins
	CanSetUp      bool // with a password, or since a link was used just now
	AsksPassword  bool
	PasswordError string
	Key           string // that was offered and is to be confirmed; empty: none
	QR            string // the path of its QR code
	Size          int    // of the QR code
	CodeError     string
	CodesLeft     int      // recovery codes that were not used
	Codes         []string // recovery codes that were made just now; they are shown this once
}

// codesLeft says how many recovery codes were not used.
func (v FactorView) codesLeft() string {
	return "You have " + wording.Counted(v.CodesLeft, "recovery code") + " left."
}

func (v FactorView) viewBox() string { return fmt.Sprintf("0 0 %d %d", v.Size, v.Size) }

// spaced is the key in groups of four.
func (v FactorView) spaced() (out string) {
	for i, r := range v.Key {
		if i > 0 && i%4 == 0 {
			out += " "
		}
		out += string(r)
	}
	return out
}

func (v FactorView) setUpTitle() string {
	if v.Key != "" {
		return "Make another key"
	}
	return "Set it up"
}
