package account

import (
	"net/url"
	"strings"
)

// localPath keeps a redirect on this site: anything but a path of ours becomes
// the start page.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsAny(next, "\\\r\n") {
		return "/"
	}
	return next
}
