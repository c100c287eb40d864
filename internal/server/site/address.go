package site

import (
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// isHTTPS reports whether the visitor's connection is encrypted, as far as the
// server or a trusted proxy knows.
func (s *Site) isHTTPS(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	if s.PublicHTTPS() {
		return true
	}
	if r.Header.Get("X-Forwarded-Proto") != "https" {
		return false
	}
	return s.IsProxy(r.RemoteAddr)
}

// IsProxy reports whether the address of a connection is that of a trusted proxy.
func (s *Site) IsProxy(remote string) bool {
	addr, err := netip.ParseAddrPort(remote)
	return err == nil && slices.ContainsFunc(s.Config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr.Addr().Unmap()) })
}

// PublicHTTPS reports whether people reach the server by HTTPS alone.
func (s *Site) PublicHTTPS() bool { return strings.HasPrefix(s.Config.BaseURL, "https://") }

// hostForm is the form of the Host of a request with which links may begin: a name, an IPv4 address or an
// IPv6 address in brackets, with or without a port.
var hostForm = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)

// Base is how links to this server begin. Without a base_url it is the address in the visitor's own
// browser, because a link is only shown in the answer to the request of the person who made it, and no
// answer is cached. It is empty if that is no address.
func (s *Site) Base(r *http.Request) string {
	if s.Config.BaseURL != "" {
		return s.Config.BaseURL
	}
	if !hostForm.MatchString(r.Host) {
		return ""
	}
	if s.isHTTPS(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// LinkPath is the path of a sign-in link.
func LinkPath(token string) string { return "/sign-in/link/" + token }

// JoinPath is the path of a join link.
func JoinPath(token string) string { return "/join/" + token }

// InvitationPath is where an invitation to a campaign is answered without a join link: act is accept or decline.
func InvitationPath(campaignID, act string) string { return "/invitations/" + campaignID + "/" + act }
