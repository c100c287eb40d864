package post

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"annotate/internal/outbox"
)

// The ways in which the connection to a mail server is encrypted.
const (
	StartTLS = "starttls" // encrypt the connection before anything else (RFC 3207), or send nothing
	TLS      = "tls"      // from the first byte
	NoTLS    = "none"
)

// mailPatience is how long the mail server may take for a whole mail. It is shorter than the time after which another
// server of ours sends the mail.
const mailPatience = 30 * time.Second

// A MailServer is an SMTP server that takes mail for others.
type MailServer struct {
	Host     string
	Port     int
	TLS      string // [StartTLS], [TLS] or [NoTLS]
	User     string // empty: the server asks for none
	Password string
	From     mail.Address
	Roots    *x509.CertPool // certificates that check the server's certificate; nil: those of the machine
	Now      func() time.Time
}

// Send implements [outbox.Mailer] with a connection for each mail.
func (s *MailServer) Send(ctx context.Context, m outbox.Mail) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, mailPatience)
	defer cancel()
	c, end, err := s.connect(ctx)
	if err != nil {
		return 0, s.inWords(ctx, err)
	}
	defer end()
	body, err := s.message(m)
	if err != nil {
		return 0, err
	}
	if err = c.SendMail(s.From.Address, []string{m.To}, bytes.NewReader(body)); err != nil {
		if refused, ok := errors.AsType[*smtp.SMTPError](err); ok {
			return refused.Code, fmt.Errorf("the mail server refused the mail with %d: %s", refused.Code, refused.Message)
		}
		return 0, s.inWords(ctx, err)
	}
	_ = c.Quit() // the mail is taken
	return 250, nil
}

// connect opens a connection on which mail can be sent. end closes it.
func (s *MailServer) connect(ctx context.Context) (c *smtp.Client, end func(), err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	end = func() {
		stop()
		_ = conn.Close()
	}
	secure := &tls.Config{ServerName: s.Host, RootCAs: s.Roots}
	switch s.TLS {
	case TLS:
		c = smtp.NewClient(tls.Client(conn, secure))
	case NoTLS:
		c = smtp.NewClient(conn)
	default:
		if c, err = smtp.NewClientStartTLS(conn, secure); err != nil {
			end()
			return nil, nil, err
		}
	}
	if s.User != "" {
		err = c.Auth(s.login(c))
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return c, end, nil
}

// login returns the client side of signing in at the mail server: PLAIN, or LOGIN if the server
// knows nothing else.
func (s *MailServer) login(c *smtp.Client) sasl.Client {
	if !c.SupportsAuth(sasl.Plain) && c.SupportsAuth(sasl.Login) {
		return sasl.NewLoginClient(s.User, s.Password)
	}
	return sasl.NewPlainClient("", s.User, s.Password)
}

// message is a mail in the form of RFC 5322, as text in UTF-8.
func (s *MailServer) message(m outbox.Mail) ([]byte, error) {
	var b bytes.Buffer
	_, host, _ := strings.Cut(s.From.Address, "@")
	oneLine := strings.NewReplacer("\r", " ", "\n", " ")
	for _, h := range [][2]string{
		{"Date", s.Now().Format(time.RFC1123Z)}, {"Message-ID", "<" + m.ID + "@" + host + ">"}, {"From", s.From.String()}, {"To", "<" + m.To + ">"},
		{"Subject", mime.QEncoding.Encode("utf-8", oneLine.Replace(m.Subject))}, {"MIME-Version", "1.0"}, {"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"}, {"Auto-Submitted", "auto-generated"},
	} {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	if _, err := w.Write([]byte(m.Text + "\n")); err != nil {
		return nil, err
	}
	return b.Bytes(), w.Close()
}

// inWords says why the mail server neither took nor refused a mail. The text never contains the
// password.
func (s *MailServer) inWords(ctx context.Context, err error) error {
	at := net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	var dns *net.DNSError
	refused, answered := errors.AsType[*smtp.SMTPError](err)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the mail server %s did not answer within %s", at, mailPatience)
	case errors.As(err, &dns):
		return fmt.Errorf("the name of the mail server %s is unknown", s.Host)
	case answered && refused.Code == 535:
		return fmt.Errorf("the mail server %s does not accept user and password: %s", at, refused.Message)
	case answered:
		return fmt.Errorf("the mail server %s answered with %d: %s", at, refused.Code, refused.Message)
	}
	return fmt.Errorf("the mail server %s cannot be used: %w", at, err)
}
