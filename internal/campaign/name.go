package campaign

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

var slugForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`) })

// CheckSlug refuses a slug that does not read well in a URL. It also refuses the names of pages and
// of commands.
func CheckSlug(slug string) error {
	if !slugForm().MatchString(slug) {
		return Invalid("slug", "use 1 to 63 lower-case letters, digits, '-', '_' or '.', starting with a letter or digit")
	}
	switch slug {
	case "new":
		return Invalid("slug", `"new" is the address of the page that makes a campaign; choose another one`)
	case "list", "undo":
		return Invalid("slug", fmt.Sprintf(`"annotate import %s" is a command; choose another one`, slug))
	}
	return nil
}

// loginForm leaves the length to CheckLogin. A class of all letters that is repeated up to 99
// times takes 4 MB.
var loginForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]*$`) })

// CheckLogin refuses a login that people could confuse or mistype.
func CheckLogin(login string) error {
	if utf8.RuneCountInString(login) > 100 || !loginForm().MatchString(login) {
		return Invalid("login", "use 1 to 100 letters, digits or any of . _ @ + -, starting with a letter or digit")
	}
	return nil
}

// CheckName refuses a title or a person's name that is empty, too long or not
// printable.
func CheckName(field, name string) error {
	if strings.TrimSpace(name) == "" {
		return Invalid(field, "must not be empty; fill it in")
	}
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > 200 || strings.ContainsFunc(name, unicode.IsControl) {
		return Invalid(field, "use at most 200 printable characters")
	}
	return nil
}
