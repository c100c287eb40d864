// Package post sends events to webhooks, and mails through a mail server. It knows no database. A
// lead chooses a webhook's address, and the server may reach machines that the lead may not. So the
// package sends nothing to an address that is not public, unless the operator allows its network.
// It checks the IP address that it connects to, after the name is resolved, and follows no
// redirect.
package post

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"annotate/internal/outbox"
)

const (
	// patience is how long a receiver may take to answer.
	patience = 10 * time.Second
	// maxAnswer is the number of bytes of an answer that are read, so that the connection can be used again. The text is
	// not kept, because a lead must not read the answers of machines that only this server reaches.
	maxAnswer = 64 << 10
)

// Webhooks sends messages to webhooks.
type Webhooks struct {
	client *http.Client
	now    func() time.Time
}

// NewWebhooks returns a sender that sends to public addresses and to the networks that are allowed.
func NewWebhooks(allow []netip.Prefix, now func() time.Time) *Webhooks {
	dialer := &net.Dialer{Timeout: patience, Control: func(_, address string, _ syscall.RawConn) error { return check(address, allow) }}
	return &Webhooks{now: now, client: &http.Client{
		Timeout: patience,
		// A proxy would resolve the name and choose the address, and this code could not check it.
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    patience,
			MaxIdleConnsPerHost:    1,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: maxAnswer,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ErrPrivate: the address of a webhook is not a public one.
var ErrPrivate = errors.New("the address is private, and the operator has not allowed its network (option allow of [webhooks])")

// notPublic are further networks to which nothing is sent, besides those that package netip knows (IANA's registries of
// special-purpose addresses). Addresses that contain an IPv4 address could lead to a private one.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix(
		"198.18.0.0/15",
	), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

// check returns [ErrPrivate] if nothing may be sent to an address with port.
func check(address string, allow []netip.Prefix) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap().WithZone("")
	in := func(p netip.Prefix) bool { return p.Contains(ip) }
	switch {
	case slices.ContainsFunc(allow, in):
		return nil
	case !ip.IsGlobalUnicast(), ip.IsPrivate(), slices.ContainsFunc(notPublic, in): // loopback, link-local and multicast are not global
		return ErrPrivate
	}
	return nil
}

// Send implements [outbox.Sender]. The headers are those of the Standard Webhooks specification (version 1.0):
// webhook-id, webhook-timestamp in seconds since 1970, and webhook-signature, which is "v1," and the HMAC-SHA256 of id,
// timestamp and body joined by dots, in base64.
func (w *Webhooks) Send(ctx context.Context, m outbox.Message) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return 0, errors.New("nothing can be sent to this address")
	}
	at := strconv.FormatInt(w.now().Unix(), 10)
	signature, err := sign(m.Secret, m.ID, at, m.Body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "annotate-webhooks/1")
	req.Header.Set("Webhook-Id", m.ID)
	req.Header.Set("Webhook-Timestamp", at)
	req.Header.Set("Webhook-Signature", signature)
	res, err := w.client.Do(req)
	if err != nil {
		return 0, inWords(err)
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, maxAnswer) // only the status counts
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return res.StatusCode, fmt.Errorf("the receiver answered with status %d; it must answer with 200 to 299", res.StatusCode)
	}
	return res.StatusCode, nil
}

// sign returns the signature of a message that is sent at a time.
func sign(secret, id, at string, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return "", errors.New("the secret is damaged")
	}
	sum := hmac.New(sha256.New, key)
	fmt.Fprintf(sum, "%s.%s.%s", id, at, body)
	return "v1," + base64.StdEncoding.EncodeToString(sum.Sum(nil)), nil
}

// inWords says why nothing was sent. It names no IP address, because the lead must not learn to which address a name
// leads.
func inWords(err error) error {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, ErrPrivate):
		return ErrPrivate
	case errors.As(err, &dns):
		return errors.New("the host name is unknown")
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("the receiver did not answer within %s", patience)
	case strings.Contains(err.Error(), "x509") || strings.Contains(err.Error(), "tls:"):
		return errors.New("the receiver's certificate is not accepted")
	}
	return errors.New("the receiver refused the connection, or ended it without an answer")
}
