package post

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"annotate/internal/outbox"
)

// A mailbox is a mail server that keeps what it takes.
type mailbox struct {
	got    []*mail.Message
	refuse *smtp.SMTPError // for each recipient; nil: it takes all
	signed bool
}

func (b *mailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return b, nil }
func (b *mailbox) Reset()                                      {}
func (b *mailbox) Logout() error                               { return nil }
func (b *mailbox) AuthMechanisms() []string                    { return []string{sasl.Plain} }
func (b *mailbox) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "annotate" || password != "a secret" {
			return smtp.ErrAuthFailed
		}
		b.signed = true
		return nil
	}), nil
}
func (b *mailbox) Mail(string, *smtp.MailOptions) error { return nil }
func (b *mailbox) Rcpt(string, *smtp.RcptOptions) error {
	if b.refuse != nil {
		return b.refuse
	}
	return nil
}

func (b *mailbox) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err == nil {
		b.got = append(b.got, m)
		_, err = io.Copy(io.Discard, m.Body)
	}
	return err
}

// serve starts a mail server on this machine, and returns how it is reached.
func serve(t *testing.T, b smtp.Backend, how string) *MailServer {
	t.Helper()
	web := httptest.NewUnstartedServer(nil) // for its certificate, which is that of example.com
	web.StartTLS()
	t.Cleanup(web.Close)
	s := smtp.NewServer(b)
	s.Domain, s.AllowInsecureAuth, s.ErrorLog = "localhost", how == NoTLS, quiet{}
	if how != NoTLS {
		s.TLSConfig = &tls.Config{Certificates: web.TLS.Certificates}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if how == TLS {
		l = tls.NewListener(l, s.TLSConfig)
	}
	go func() { _ = s.Serve(l) }() // it ends with the test
	t.Cleanup(func() { _ = s.Close() })
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	return &MailServer{Host: "127.0.0.1", Port: port, TLS: how, Roots: roots, Now: time.Now, User: "annotate", Password: "a secret", From: mail.Address{Name: "Prüfstand", Address: "annotate@example.org"}}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

var letter = outbox.Mail{ID: "d1", To: "mara@example.org", Subject: "Einladung zu „Prüfung“\r\nBcc: eve@example.org", Text: "Grüße\n\n.\nhttps://example.org/" + strings.Repeat("x", 200)}

// TestMail: a mail arrives as it was written, over each kind of connection.
func TestMail(t *testing.T) {
	for _, how := range []string{StartTLS, TLS, NoTLS} {
		t.Run(how, func(t *testing.T) {
			var text string
			b := &mailbox{}
			s := serve(t, reader{b, &text}, how)
			if status, err := s.Send(t.Context(), letter); err != nil || status != 250 {
				t.Fatalf("%d, %v", status, err)
			}
			h := b.got[0].Header
			subject, err := (&mime.WordDecoder{}).DecodeHeader(h.Get("Subject"))
			if err != nil || subject != "Einladung zu „Prüfung“  Bcc: eve@example.org" || h.Get("Bcc") != "" || h.Get("Message-Id") != "<d1@example.org>" || h.Get("To") != "<mara@example.org>" || !b.signed {
				t.Errorf("the subject is %q, %v; the header is %v", subject, err, h)
			}
			if strings.ReplaceAll(text, "\r\n", "\n") != letter.Text+"\n" {
				t.Errorf("the text is %q", text)
			}
		})
	}
}

// A reader decodes the text of the mails of a mailbox.
type reader struct {
	*mailbox
	text *string
}

func (r reader) NewSession(*smtp.Conn) (smtp.Session, error) { return r, nil }

func (r reader) Data(in io.Reader) error {
	m, err := mail.ReadMessage(in)
	if err != nil {
		return err
	}
	r.got = append(r.got, m)
	all, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	*r.text = string(all)
	return err
}

// TestMailRefused: an error says who refuses what, and never has the password; a mail that the server refused has its code.
func TestMailRefused(t *testing.T) {
	b := &mailbox{}
	for name, c := range map[string]struct {
		change func(*MailServer)
		status int
		says   string
	}{
		"wrong password":     {func(s *MailServer) { s.Password = "another secret" }, 0, "user and password"},
		"unknown recipient":  {func(*MailServer) { b.refuse = &smtp.SMTPError{Code: 550, Message: "no such person"} }, 550, "no such person"},
		"later":              {func(*MailServer) { b.refuse = &smtp.SMTPError{Code: 451, Message: "later"} }, 451, "later"},
		"strange server":     {func(s *MailServer) { s.Roots = x509.NewCertPool() }, 0, "certificate"},
		"no such server":     {func(s *MailServer) { s.Host = "nowhere.invalid" }, 0, "is unknown"},
		"nobody there":       {func(s *MailServer) { s.Port = 1 }, 0, "cannot be used"},
		"a name for another": {func(s *MailServer) { s.Host = "localhost" }, 0, "certificate"},
	} {
		b.refuse = nil
		s := serve(t, b, StartTLS)
		c.change(s)
		status, err := s.Send(t.Context(), letter)
		if status != c.status || err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %d, %v; want %d and %q", name, status, err, c.status, c.says)
		}
	}
	plain := serve(t, b, NoTLS)
	plain.TLS = StartTLS
	if _, err := plain.Send(t.Context(), letter); err == nil || !strings.Contains(err.Error(), "STARTTLS") {
		t.Errorf("a server without STARTTLS: %v", err)
	}
}
