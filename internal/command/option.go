package command

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Option is an option of the configuration.
type Option struct {
	Section string
	Name    string
	Default string // empty if there is no default
	Help    string // one line for people
	set     func(c *Config, value string) error
}

// Key is "section.name".
func (o Option) Key() string { return o.Section + "." + o.Name }

// Env is the name of the environment variable that overrides the file: ANNOTATE_SECTION_NAME.
func (o Option) Env() string { return variable(o.Section, o.Name) }

func variable(section, name string) string {
	return "ANNOTATE_" + strings.ToUpper(section) + "_" + strings.ToUpper(name)
}

// Options lists all options, section by section. docs/operating.md repeats this list.
var Options = []Option{
	{"database", "driver", sqlite, "sqlite or postgres; taken from the dsn if that begins with postgres://", setDriver},
	{"database", "dsn", "annotate.db", "path of the SQLite file, relative to the working directory, or a PostgreSQL connection string",
		setDSN},
	{"server", "addr", "127.0.0.1:8080", "host:port to listen on; port 0 takes a free one", setAddr},
	{"server", "metrics", "", "host:port at which Prometheus reads metrics from /metrics; keep it from strangers, since it asks for no password", setMetrics},
	{"server", "base_url", "", "address at which people reach the server, such as https://annotate.example.org; sign-in links begin with it", setBaseURL},
	{
		"server",
		"trusted_proxies",
		"",
		"addresses or networks of proxies, separated by commas; the server trusts their X-Forwarded-… headers",
		setTrustedProxies,
	},
	{"server", "session_key", "", "at least 32 random bytes in base64 or hex to sign cookies with; by default the database keeps a key", setSessionKey},
	{
		"server",
		"secrets_key",
		"",
		"at least 32 random bytes in base64 or hex that encrypt the secrets of webhooks and one-time passwords, and mails that wait; by default the key is in the database, and anyone who has the database can read them",
		setSecretsKey,
	},
	{
		"server",
		"second_factor",
		"no",
		"no, offered (people may set up one-time passwords) or required (leads and admins must); with offered and required, people who have set them up give a code at each sign-in",
		setSecondFactor,
	},
	{
		"server",
		"work_dir",
		"",
		"folder for prepared exports and for uploads that wait for a choice; all servers on one database share it, and a second one needs it. By default it is beside the SQLite file or in the system's temporary folder",
		setWorkDir,
	},
	{"server", "drain", "0s", "time, such as 10s, for which a stopping server still answers while /readyz says that it is not ready",
		setDrain},
	{
		"oidc",
		"issuer",
		"",
		"address of the OpenID Connect provider with which people may sign in, such as https://login.example.org; by default none",
		setOIDCIssuer,
	},
	{"oidc", "client_id", "", "name of this server at the provider", setOIDCClient},
	{"oidc", "client_secret", "", "secret of this server at the provider; prefer the environment variable, so that it is in no file",
		setOIDCSecret},
	{"oidc", "name", "single sign-on", "name of the provider on the button", setOIDCName},
	{"oidc", "create", "no", "yes or no: whether people whom the provider knows get an account if they have none", setOIDCCreate},
	{
		"webhooks",
		"allow",
		"",
		"private addresses or networks, separated by commas, to which webhooks may send, such as 10.0.0.0/8; by default none",
		setWebhooksAllow,
	},
	{
		"mail",
		"host",
		"",
		"name of the mail server (SMTP) that sends links, reminders and answers; by default no mail is sent. Mail also needs base_url",
		setMailHost,
	},
	{"mail", "port", "587", "port of the mail server", setMailPort},
	{"mail", "tls", "starttls", "starttls, tls (from the first byte, often on port 465) or none", setMailTLS},
	{"mail", "user", "", "user name at the mail server, if it asks for one", setMailUser},
	{"mail", "password", "", "password at the mail server; prefer the environment variable or password_file, so that it is not in this file", setMailPassword},
	{"mail", "password_file", "", "file that contains only the password", setMailPasswordFile},
	{"mail", "from", "", "address that mails come from, such as annotate@example.org or Annotation <annotate@example.org>", setMailFrom},
	{"log", "level", "info", "debug, info, warn or error", setLevel},
	{"log", "format", "text", "text or json", setFormat},
	{
		"judge",
		"base_url",
		"",
		"address of a server that speaks the OpenAI chat-completions protocol, such as https://api.openai.com/v1 or http://127.0.0.1:8000/v1",
		setJudgeURL,
	},
	{"judge", "api_key", "", "key for this server; prefer the environment variable, so that the key is in no file", setJudgeKey},
	{"judge", "model", "", "model of a judge whose run names none", setJudgeModel},
}

// sectionNames lists the sections in the order of [Options].
func sectionNames() []string {
	var out []string
	for _, o := range Options {
		if !slices.Contains(out, o.Section) {
			out = append(out, o.Section)
		}
	}
	return out
}

func names(section string) []string {
	var out []string
	for _, o := range Options {
		if o.Section == section {
			out = append(out, o.Name)
		}
	}
	return out
}

func setDriver(c *Config, v string) error {
	if v != sqlite && v != postgres {
		return fmt.Errorf("there is no driver %q; use sqlite or postgres", v)
	}
	c.Database.Driver = v
	return nil
}

func setDSN(c *Config, v string) error {
	c.Database.DSN = v
	return nil
}

func setAddr(c *Config, v string) error {
	if err := CheckAddr(v); err != nil {
		return err
	}
	c.Server.Addr = v
	return nil
}

func setMetrics(c *Config, v string) error {
	if err := CheckAddr(v); err != nil {
		return err
	}
	c.Server.Metrics = v
	return nil
}

// CheckAddr returns an error if addr is not of the form host:port.
func CheckAddr(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q is not an address; write host:port, such as 127.0.0.1:8080", addr)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("%q is not a port; use a number from 0 to 65535", port)
	}
	return nil
}

func setBaseURL(c *Config, v string) error {
	u, err := url.Parse(v)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%q is not the address of a server; write it as https://annotate.example.org", v)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return fmt.Errorf("%q has more than a server's name; write %s://%s (the application can't live under a path)", v, u.Scheme, u.Host)
	}
	c.Server.BaseURL = u.Scheme + "://" + u.Host
	return nil
}

func setJudgeURL(c *Config, v string) error {
	u, err := url.Parse(v)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("is not the address of a server; write it as https://api.openai.com/v1 or http://127.0.0.1:8000/v1")
	case u.User != nil:
		return errors.New("has a user or a password; give the key as api_key")
	}
	c.Judge.BaseURL = strings.TrimRight(v, "/")
	return nil
}

// setJudgeKey sets the key of the model's server. Its errors never contain the value.
func setJudgeKey(c *Config, v string) error {
	if strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("has characters that a key can't have; give the key alone, without spaces or quotes")
	}
	c.Judge.APIKey = Secret(v)
	return nil
}

func setJudgeModel(c *Config, v string) error {
	c.Judge.Model = v
	return nil
}

func setTrustedProxies(c *Config, v string) (err error) {
	c.Server.TrustedProxies, err = networks(v)
	return err
}

func setWebhooksAllow(c *Config, v string) (err error) {
	c.Webhooks.Allow, err = networks(v)
	return err
}

// networks reads addresses and networks that are separated by commas.
func networks(v string) (out []netip.Prefix, err error) {
	for part := range strings.SplitSeq(v, ",") {
		part = strings.TrimSpace(part)
		if addr, err := netip.ParseAddr(part); err == nil && addr.Zone() == "" {
			out = append(out, netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(part)
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a network; write 10.0.0.5 or 10.0.0.0/8, separated by commas", part)
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

func setOIDCIssuer(c *Config, v string) error {
	u, err := url.Parse(v)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("%q is not the address of a provider; write it as https://login.example.org", v)
	}
	c.OIDC.Issuer = v
	return nil
}

func setOIDCClient(c *Config, v string) error {
	c.OIDC.ClientID = v
	return nil
}

func setOIDCSecret(c *Config, v string) error {
	c.OIDC.ClientSecret = Secret(v)
	return nil
}

func setOIDCName(c *Config, v string) error {
	c.OIDC.Name = v
	return nil
}

func setOIDCCreate(c *Config, v string) error {
	if v != "yes" && v != "no" {
		return fmt.Errorf("%q is not yes or no", v)
	}
	c.OIDC.Create = v == "yes"
	return nil
}

func setMailHost(c *Config, v string) error {
	if strings.ContainsAny(v, "/:@ ") && !strings.Contains(v, "::") {
		return fmt.Errorf("%q is not the name of a server; write it as smtp.example.org, and the port as port", v)
	}
	c.Mail.Host = v
	return nil
}

func setMailPort(c *Config, v string) error {
	n, err := strconv.ParseUint(v, 10, 16)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not a port; use a number from 1 to 65535", v)
	}
	c.Mail.Port = int(n)
	return nil
}

func setMailTLS(c *Config, v string) error {
	if v != "starttls" && v != "tls" && v != "none" {
		return fmt.Errorf("%q is not starttls, tls or none", v)
	}
	c.Mail.TLS = v
	return nil
}

func setMailUser(c *Config, v string) error {
	c.Mail.User = v
	return nil
}

func setMailPassword(c *Config, v string) error {
	c.Mail.Password = Secret(v)
	return nil
}

func setMailPasswordFile(c *Config, v string) error {
	c.Mail.PasswordFile = v
	return nil
}

func setMailFrom(c *Config, v string) error {
	from, err := mail.ParseAddress(v)
	if err != nil || strings.ContainsFunc(from.Address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%q is not an address; write it as annotate@example.org", v)
	}
	c.Mail.From = *from
	return nil
}

func setSecondFactor(c *Config, v string) error {
	if v != "no" && v != "offered" && v != "required" {
		return fmt.Errorf("%q is not no, offered or required", v)
	}
	c.Server.SecondFactor = v
	return nil
}

func setWorkDir(c *Config, v string) error {
	c.Server.WorkDir = v
	return nil
}

// maxDrain is the longest time of [Server.Drain].
const maxDrain = 5 * time.Minute

func setDrain(c *Config, v string) error {
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 || d > maxDrain {
		return fmt.Errorf("%q is not a time from 0s to %s; write it as 10s", v, maxDrain)
	}
	c.Server.Drain = d
	return nil
}

func setSessionKey(c *Config, v string) (err error) {
	c.Server.SessionKey, err = decodeKey(v)
	return err
}

func setSecretsKey(c *Config, v string) (err error) {
	c.Server.SecretsKey, err = decodeKey(v)
	return err
}

// minKey is the least number of bytes of a key.
const minKey = 32

// decodeKey reads a key. Its errors never contain the key.
func decodeKey(v string) ([]byte, error) {
	long := func(key []byte) ([]byte, error) {
		if len(key) < minKey {
			return nil, fmt.Errorf("has %d bytes and needs at least %d; make one with: openssl rand -base64 64", len(key), minKey)
		}
		return key, nil
	}
	if key, err := hex.DecodeString(v); err == nil {
		return long(key)
	}
	v = strings.TrimRight(v, "=")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if key, err := enc.DecodeString(v); err == nil {
			return long(key)
		}
	}
	return nil, errors.New("is neither base64 nor hex; make one with: openssl rand -base64 64")
}

func setLevel(c *Config, v string) error {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	level, ok := levels[v]
	if !ok {
		return fmt.Errorf("there is no level %q; use debug, info, warn or error", v)
	}
	c.Log.Level = level
	return nil
}

func setFormat(c *Config, v string) error {
	if v != "text" && v != "json" {
		return fmt.Errorf("there is no format %q; use text or json", v)
	}
	c.Log.Format = v
	return nil
}

// suggest names the known name that is most similar to an unknown one, or all known names if none is
// similar.
func suggest(name string, known []string) string {
	best, least := "", len(name)/3+2
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "there are: " + strings.Join(known, ", ")
}

// distance is the Levenshtein distance: the number of bytes to add, remove or change to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
