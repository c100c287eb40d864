package site

import (
	"net/http"
	"net/netip"
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

// baseURL is how links to this server begin.
func (s *Site) baseURL(r *http.Request) string {
	if s.Config.BaseURL != "" {
		return s.Config.BaseURL
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
