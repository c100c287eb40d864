// Package post sends to others: events to webhooks, and mails by a mail server. It knows no database.
//
// A webhook's address is chosen by a lead, and the server may reach what the lead may not. So nothing is sent to an address that
// is not public, unless the operator allows its network. This is checked for the very address that is connected to, when the
// name is resolved already; and no redirect is followed.
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
	// maxAnswer is how much of an answer is read, so that the connection can be used again. Its text is not kept: a lead
	// must not read the answers of servers that only this one reaches.
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
		// Through a proxy the name would be resolved, and the address chosen, where it is not checked.
		Transport:     &http.Transport{Proxy: nil, DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: patience, MaxIdleConnsPerHost: 1, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: maxAnswer},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ErrPrivate: the address of a webhook is not a public one.
var ErrPrivate = errors.New("the address is private, and the operator has not allowed its network (option allow of [webhooks])")

// notPublic are the networks beside those that package netip knows to which nothing is sent (IANA's registries of special-purpose
// addresses). Those that have an IPv4 address in them could lead to a private one.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

// check returns [ErrPrivate] if nothing may be sent to an address, which has a port.
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

// Send implements [outbox.Sender]. The headers are those of the Standard Webhooks specification (version 1.0): webhook-id,
// webhook-timestamp in seconds since 1970, and webhook-signature, which is "v1," and the HMAC-SHA256 of id, timestamp and body
// with points between them, in base64.
func (w *Webhooks) Send(ctx context.Context, m outbox.Message) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return 0, errors.New("the address is not one that can be sent to")
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
		return res.StatusCode, fmt.Errorf("the receiver answered with status %d; it has to answer with 200 to 299", res.StatusCode)
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

// inWords says why nothing was sent. It names no address: a name may lead to one that the lead must not know.
func inWords(err error) error {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, ErrPrivate):
		return ErrPrivate
	case errors.As(err, &dns):
		return errors.New("the name of the host is not known")
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("the receiver did not answer within %s", patience)
	case strings.Contains(err.Error(), "x509") || strings.Contains(err.Error(), "tls:"):
		return errors.New("the receiver's certificate is not accepted")
	}
	return errors.New("the receiver does not accept a connection, or ended it without an answer")
}
