package post

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"annotate/internal/outbox"
)

var (
	secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret of thirty-two bytes ..."))
	local  = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
)

func message(url string) outbox.Message {
	return outbox.Message{ID: "d1", URL: url, Secret: secret, Body: []byte(`{"event":"ping"}`)}
}

// TestSign: the signature is that of the example of the Standard Webhooks specification.
func TestSign(t *testing.T) {
	got, err := sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("the signature is %s, %v; want %s", got, err, want)
	}
}

// TestSend sends to a real receiver: one that checks the signature, one that fails, one that is slow, one that dies, and one that
// leads elsewhere.
func TestSend(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	w := NewWebhooks(local, func() time.Time { return now })
	slow := make(chan struct{})
	followed := false
	mux := http.NewServeMux()
	mux.HandleFunc("POST /good", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		want, _ := sign(secret, r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), body)
		if r.Header.Get("Webhook-Signature") != want || r.Header.Get("Webhook-Timestamp") != strconv.FormatInt(now.Unix(), 10) || string(body) != `{"event":"ping"}` {
			t.Errorf("the receiver gets %s with %v", body, r.Header)
		}
	})
	mux.HandleFunc("POST /fails", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "an inner secret", http.StatusBadGateway) })
	mux.HandleFunc("POST /slow", func(http.ResponseWriter, *http.Request) { <-slow })
	mux.HandleFunc("POST /dies", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, _ := w.(http.Hijacker).Hijack()
		_ = conn.Close()
	})
	mux.HandleFunc("POST /leads", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/there", func(http.ResponseWriter, *http.Request) { followed = true })
	ts := httptest.NewServer(mux)
	t.Cleanup(ts.Close)
	for _, c := range []struct {
		path   string
		status int
		says   string
	}{
		{"/good", 200, ""}, {"/fails", 502, "status 502"}, {"/slow", 0, "did not answer"}, {"/dies", 0, "ended it without an answer"}, {"/leads", 307, "status 307"},
	} {
		w.client.Timeout = patience
		if c.path == "/slow" {
			w.client.Timeout = 50 * time.Millisecond
		}
		status, err := w.Send(t.Context(), message(ts.URL+c.path))
		if status != c.status || (err == nil) != (c.says == "") || err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %d, %v; want %d and %q", c.path, status, err, c.status, c.says)
		}
	}
	if followed {
		t.Error("a redirect was followed")
	}
	close(slow)
	ts.Close()
	if _, err := w.Send(t.Context(), message(ts.URL+"/good")); err == nil {
		t.Error("a receiver that is gone takes a message")
	}
}

// TestPrivateAddresses: nothing is sent to an address that is not public, also where a name leads to it.
func TestPrivateAddresses(t *testing.T) {
	reached := false
	ts := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(ts.Close)
	_, port, _ := net.SplitHostPort(ts.Listener.Addr().String())
	w := NewWebhooks(nil, time.Now)
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		if _, err := w.Send(t.Context(), message("http://"+host+":"+port)); !errors.Is(err, ErrPrivate) {
			t.Errorf("to %s: %v, want %v", host, err, ErrPrivate)
		}
	}
	if reached {
		t.Error("a private address was reached")
	}
	allow := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32")}
	for _, ip := range []string{
		"10.0.0.1", "172.16.0.1", "192.168.1.1", "127.9.9.9", "169.254.169.254", "100.64.0.1", "0.1.2.3", "255.255.255.255", "224.0.0.1", "198.18.0.1", "192.0.0.192",
		"::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "2001::1", "2001:db8::1",
	} {
		if err := check(net.JoinHostPort(ip, "443"), allow); !errors.Is(err, ErrPrivate) {
			t.Errorf("%s: %v, want %v", ip, err, ErrPrivate)
		}
	}
	for _, ip := range []string{"8.8.8.8", "2a00:1450:4001::1", "10.1.2.3", "::ffff:10.1.2.3", "fd00:1::5"} {
		if err := check(net.JoinHostPort(ip, "443"), allow); err != nil {
			t.Errorf("%s: %v", ip, err)
		}
	}
	if err := check(fmt.Sprintf("%s:%s", "nowhere", port), allow); err == nil {
		t.Error("a name is taken for an address")
	}
}
