package exchange

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"annotate/internal/campaign"
)

// Login makes a login of the name of an annotator in a file. It returns valid logins unchanged. In other
// names it replaces invalid characters by "_" and appends a hash of the name, so that different names stay
// different.
func Login(name string) (login string, changed bool) {
	if campaign.CheckLogin(name) == nil {
		return name, false
	}
	var b strings.Builder
	for _, r := range name {
		if b.Len() > 60 {
			break
		}
		if campaign.CheckLogin("a"+string(r)) != nil {
			r = '_'
		}
		b.WriteRune(r)
	}
	login = fmt.Sprintf("%s-%x", b.String(), sha256.Sum256([]byte(name)))[:b.Len()+9]
	if campaign.CheckLogin(login) != nil {
		login = "a" + login
	}
	return login, true
}
