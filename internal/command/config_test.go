package command

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// write puts a configuration into a file of its own.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "annotate.ini")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

var defaults = Config{
	Database: Database{Driver: sqlite, DSN: "annotate.db"},
	Server:   Server{Addr: "127.0.0.1:8080", SecondFactor: "no"},
	OIDC:     OIDC{Name: "single sign-on"},
	Mail:     Mail{Port: 587, TLS: "starttls"},
	Log:      Log{Level: slog.LevelInfo, Format: "text"},
}

func TestLoadDefaults(t *testing.T) {
	t.Chdir(t.TempDir())
	got, err := load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, defaults) {
		t.Errorf("got %+v, want %+v", got, defaults)
	}
}

// TestPackaging: the files of packaging set options that exist to values that they take, and agree on servers, port and folder.
func TestPackaging(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("..", "..", "packaging", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if _, err := load("../../packaging/annotate.ini", nil); err != nil {
		t.Error(err)
	}
	image, proxy := read("Containerfile"), read("Caddyfile")
	compose := strings.NewReplacer("${POSTGRES_PASSWORD:?write it into .env}", "secret", "${ANNOTATE_HOST:?write it into .env}", "annotate.example.org").Replace(read("compose.yaml"))
	var env []string
	for _, m := range regexp.MustCompile(`(?m)(?:^    | )(ANNOTATE_[A-Z]+_[A-Z_]+)(?:=|: )(\S+)`).FindAllStringSubmatch(image+compose, -1) {
		env = append(env, m[1]+"="+m[2])
	}
	t.Chdir(t.TempDir())
	c, err := load("", env)
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(c.Server.Addr)
	if err != nil || !strings.Contains(image, "EXPOSE "+port+"\n") {
		t.Errorf("the image exposes another port than that of %s: %v", c.Server.Addr, err)
	}
	servers := regexp.MustCompile(`(\S+):`+port).FindAllStringSubmatch(proxy, -1)
	for _, m := range servers {
		if !strings.Contains(compose, "\n  "+m[1]+":") {
			t.Errorf("the proxy sends requests to %s, which compose.yaml does not start", m[1])
		}
	}
	if len(servers) != 2 || c.Database.Driver != postgres || c.Server.Drain == 0 || !strings.HasPrefix(c.Server.WorkDir, "/data/") || !strings.Contains(image, "VOLUME /data\n") || !strings.Contains(compose, "[work:/data]") {
		t.Errorf("%d servers with %+v and %+v", len(servers), c.Database, c.Server)
	}
	if c.Server.BaseURL != "https://annotate.example.org" || !strings.HasPrefix(proxy[strings.Index(proxy, "\n")+1:], "{$ANNOTATE_HOST} {") {
		t.Error("the proxy and the servers have different hosts")
	}
}

func TestLoadDefaultFile(t *testing.T) {
	t.Chdir(filepath.Dir(write(t, "[server]\naddr = :9000\n")))
	got, err := load("", nil)
	if err != nil || got.Server.Addr != ":9000" || got.File != defaultFile {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestLoad(t *testing.T) {
	key := []byte(strings.Repeat("0123456789abcdef", 3))
	tests := []struct {
		name string
		ini  string
		env  []string
		want func(*Config)
	}{
		{"everything", `
# where everything is kept
[database]
driver = postgres
dsn = postgres://annotate@localhost/annotate

[server]
addr = 0.0.0.0:80
base_url = https://annotate.example.org/
trusted_proxies = 10.1.2.3/8, ::1,192.168.0.7
session_key = ` + base64.StdEncoding.EncodeToString(key) + `
metrics = 127.0.0.1:9464
drain = 10s
work_dir = /srv/annotate
second_factor = required
secrets_key = ` + base64.StdEncoding.EncodeToString(key) + `
[oidc]
issuer = https://id.example.org
client_id = annotate
client_secret = s3cret
name = the university
create = yes
[webhooks]
allow = 10.0.0.0/8
[mail]
host = smtp.example.org
port = 465
tls = tls
user = annotate
password_file = /etc/annotate/mail
from = Annotation <annotate@example.org>
[log]
; all of it
level = debug
format = json
[judge]
base_url = http://127.0.0.1:8000/v1/
api_key = sk-in-a-file
model = some/model:8b
`, []string{"ANNOTATE_JUDGE_API_KEY=sk-from-outside"}, func(c *Config) {
			c.Judge = Judge{BaseURL: "http://127.0.0.1:8000/v1", APIKey: "sk-from-outside", Model: "some/model:8b"}
			c.Database = Database{postgres, "postgres://annotate@localhost/annotate"}
			c.Server = Server{
				Addr: "0.0.0.0:80", BaseURL: "https://annotate.example.org", SessionKey: key, Metrics: "127.0.0.1:9464", WorkDir: "/srv/annotate", Drain: 10 * time.Second, SecondFactor: "required", SecretsKey: key,
				TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("192.168.0.7/32")},
			}
			c.OIDC = OIDC{Issuer: "https://id.example.org", ClientID: "annotate", ClientSecret: "s3cret", Name: "the university", Create: true}
			c.Mail = Mail{Host: "smtp.example.org", Port: 465, TLS: "tls", User: "annotate", PasswordFile: "/etc/annotate/mail", From: mail.Address{Name: "Annotation", Address: "annotate@example.org"}}
			c.Webhooks.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
			c.Log = Log{slog.LevelDebug, "json"}
		}},
		{"the environment wins", "[database]\ndsn = a.db\n[log]\nlevel = error\n", []string{"ANNOTATE_DATABASE_DSN=b.db", "ANNOTATE_SERVER_ADDR=:1", "HOME=/"},
			func(c *Config) {
				c.Database.DSN, c.Server.Addr, c.Log.Level = "b.db", ":1", slog.LevelError
			}},
		{"empty is not set", "[database]\ndsn =\n[log]\nlevel\n", []string{"ANNOTATE_SERVER_ADDR="}, func(*Config) {}},
		{"an empty variable leaves the file's", "[server]\naddr = :2\n", []string{"ANNOTATE_SERVER_ADDR="}, func(c *Config) { c.Server.Addr = ":2" }},
		{"other variables are not ours", "", []string{"ANNOTATE_TESTDATA=x", "ANNOTATE_TEST_POSTGRES=y", "ANNOTATED_DATABASE_X=1"}, func(*Config) {}},
		{"byte order mark and CRLF", "\ufeff[server]\r\naddr = :3\r\n", nil, func(c *Config) { c.Server.Addr = ":3" }},
		{"indentation means nothing", "  [server]\n  addr = :4\n  base_url = http://a.test\n", nil, func(c *Config) {
			c.Server.Addr, c.Server.BaseURL = ":4", "http://a.test"
		}},
		{"a value that begins with a colon", "[server]\naddr=:5\n", nil, func(c *Config) { c.Server.Addr = ":5" }},
		{"percent is no interpolation", "[database]\ndriver = postgres\ndsn = postgres://a:%40%(addr)s%%x@h/d?options=-c%20a%3Db\n", nil, func(c *Config) {
			c.Database = Database{postgres, "postgres://a:%40%(addr)s%%x@h/d?options=-c%20a%3Db"}
		}},
		{"# and ; are part of a value", "[database]\ndsn = postgres://a:p#w;d ; x@h/d # y\n", nil, func(c *Config) {
			c.Database = Database{postgres, "postgres://a:p#w;d ; x@h/d # y"}
		}},
		{"a dsn of keys and values", "[database]\ndriver = postgres\ndsn = host=/run/postgresql dbname=annotate\n", nil, func(c *Config) {
			c.Database = Database{postgres, "host=/run/postgresql dbname=annotate"}
		}},
		{"driver from the dsn", "", []string{"ANNOTATE_DATABASE_DSN=postgresql://h/d"}, func(c *Config) { c.Database = Database{postgres, "postgresql://h/d"} }},
		{"key in hex", "[server]\nsession_key = " + strings.Repeat("0f", 32) + "\n", nil, func(c *Config) {
			c.Server.SessionKey = []byte(strings.Repeat("\x0f", 32))
		}},
		{"key in base64 for URLs", "[server]\nsession_key = " + strings.Repeat("-_", 32) + "\n", nil, func(c *Config) {
			c.Server.SessionKey, _ = base64.RawURLEncoding.DecodeString(strings.Repeat("-_", 32))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := write(t, tt.ini)
			got, err := load(file, tt.env)
			if err != nil {
				t.Fatal(err)
			}
			want := defaults
			want.File = file
			tt.want(&want)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestLoadRefused(t *testing.T) {
	tests := []struct {
		name string
		ini  string
		env  []string
		want []string // one line each; "FILE" stands for the file's name
	}{
		{"a time without a unit", "[server]\ndrain = 10\n", nil, []string{`FILE:2: [server] drain: "10" is not a time from 0s to 5m0s; write it as 10s`}},
		{"a time that is too long", "[server]\ndrain = 6m\n", nil, []string{`FILE:2: [server] drain: "6m" is not a time from 0s to 5m0s; write it as 10s`}},
		{"unknown option, close to one", "[server]\n\nadr = :1\n", nil, []string{`FILE:3: [server] unknown option "adr"; did you mean addr?`}},
		{"unknown option, close to none", "[log]\ncolour = red\n", nil, []string{`FILE:2: [log] unknown option "colour"; there are: level, format`}},
		{"option of another section", "[database]\naddr = :1\n", nil, []string{`FILE:2: [database] unknown option "addr"; there are: driver, dsn`}},
		{"names are in small letters", "[database]\nDSN = a.db\n", nil, []string{`FILE:2: [database] unknown option "DSN"; did you mean dsn?`}},
		{"unknown section", "[log]\n[Databse]\ndsn = x\n", nil, []string{`FILE:2: unknown section [Databse]; did you mean database?`}},
		{"unknown section, empty", "[smtp]\n", nil, []string{`FILE:1: unknown section [smtp]; there are: database, server, oidc, webhooks, mail, log, judge`}},
		{"mail without a host", "[mail]\nfrom = a@example.org\n", nil, []string{`FILE: [mail] host: missing; give the name of the mail server, or leave the section out`}},
		{"mail without what it needs", "[mail]\nhost = smtp.example.org\n", nil, []string{`FILE:2: [mail] from: missing; give the address that mails come from, such as annotate@example.org`}},
		{"mail without base_url", "[mail]\nhost = smtp.example.org\nfrom = a@example.org\n", nil, []string{`FILE:2: [mail] host: mails have links, which begin with base_url of [server]; give it, too`}},
		{"mail with half a login", "[server]\nbase_url = https://example.org\n[mail]\nhost = smtp.example.org\nfrom = a@example.org\nuser = me\n", nil, []string{`FILE:6: [mail] user: give user and a password together, or neither`}},
		{"mail with a password in the open", "[server]\nbase_url = https://example.org\n[mail]\nhost = smtp.example.org\nfrom = a@example.org\nuser = me\npassword = s3cr3t\ntls = none\n", nil, []string{`FILE:8: [mail] tls: a password is not sent to another machine without encryption; use starttls or tls`}},
		{"mail with what is none", "[mail]\nhost = https://x\nport = 0\ntls = yes\nfrom = nobody\n", nil, []string{`FILE:2: [mail] host: "https://x" is not the name of a server; write it as smtp.example.org, and the port as port`, `FILE:3: [mail] port: "0" is not a port; use a number from 1 to 65535`, `FILE:4: [mail] tls: "yes" is not starttls, tls or none`, `FILE:5: [mail] from: "nobody" is not an address; write it as annotate@example.org`}},
		{"default section", "[DEFAULT]\ndsn = x\n", nil, []string{`FILE:1: unknown section [DEFAULT]; there are: database, server, oidc, webhooks, mail, log, judge`}},
		{"no section", "# hello\n\naddr = :1\n", nil, []string{`FILE:3: write a section such as [database] before the first option`}},
		{"colon for =", "[server]\naddr: 127.0.0.1\n", nil, []string{`FILE:2: [server] unknown option "addr: 127.0.0.1"; there are: addr, metrics, base_url, trusted_proxies, session_key, secrets_key, second_factor, work_dir, drain`}},
		{"behind a section", "[log]\n[server] addr = :1\n", nil, []string{`FILE:2: write nothing after the name of a section`}},
		{"a section twice", "[server]\naddr = :6\n[log]\n[server]\nbase_url = http://b.test\n", nil, []string{`FILE:4: section [server] is there already; keep its options together`}},
		{"given twice", "[log]\nlevel = info\nlevel = warn\n", nil, []string{`FILE:3: [log] level: is given 2 times; keep one`}},
		{"quotes", "[database]\ndsn = \"a.db\"\n", nil, []string{`FILE:2: [database] dsn: write the value without quotes`}},
		{"comment behind a value", "[log]\nlevel = info ; not debug\n", nil, []string{`FILE:2: [log] level: there is no level "info ; not debug"; use debug, info, warn or error`}},
		{"line too long", "[database]\ndsn = " + strings.Repeat("x", 5000) + "\n", nil, []string{`FILE:2: the line is longer than 4000 bytes`}},
		{"all mistakes at once", "[log]\nlevel = loud\nformat = xml\n", []string{"ANNOTATE_SERVER_ADDR=here"}, []string{
			`ANNOTATE_SERVER_ADDR: "here" is not an address; write host:port, such as 127.0.0.1:8080`,
			`FILE:2: [log] level: there is no level "loud"; use debug, info, warn or error`,
			`FILE:3: [log] format: there is no format "xml"; use text or json`,
		}},
		{"unknown variable", "", []string{"ANNOTATE_DATABASE_DNS=x"}, []string{`unknown environment variable ANNOTATE_DATABASE_DNS; did you mean ANNOTATE_DATABASE_DSN?`}},
		{"driver", "[database]\ndriver = mysql\n", nil, []string{`FILE:2: [database] driver: there is no driver "mysql"; use sqlite or postgres`}},
		{"postgres without dsn", "[database]\ndriver = postgres\n", nil, []string{`FILE:2: [database] dsn: missing; give a PostgreSQL connection string, such as postgres://annotate@localhost/annotate`}},
		{"sqlite with a PostgreSQL dsn", "[database]\ndriver = sqlite\ndsn = postgres://h/d\n", nil, []string{`FILE:3: [database] dsn: this is a PostgreSQL connection string; set driver = postgres, or give the path of a file`}},
		{"keys and values without driver", "", []string{"ANNOTATE_DATABASE_DSN=user=a dbname=b"}, []string{`ANNOTATE_DATABASE_DSN: this is a PostgreSQL connection string; set driver = postgres, or give the path of a file`}},
		{"in memory", "[database]\ndsn = :memory:\n", nil, []string{`FILE:2: [database] dsn: give only the path of the database file; the program adds the options of SQLite`}},
		{"port", "[server]\naddr = localhost:http\n", nil, []string{`FILE:2: [server] addr: "http" is not a port; use a number from 0 to 65535`}},
		{"port too high", "[server]\naddr = localhost:65536\n", nil, []string{`FILE:2: [server] addr: "65536" is not a port; use a number from 0 to 65535`}},
		{"base_url without scheme", "[server]\nbase_url = annotate.example.org\n", nil, []string{`FILE:2: [server] base_url: "annotate.example.org" is not the address of a server; write it as https://annotate.example.org`}},
		{"base_url with a path", "[server]\nbase_url = https://example.org/annotate\n", nil, []string{`FILE:2: [server] base_url: "https://example.org/annotate" has more than a server's name; write https://example.org (the application can't live under a path)`}},
		{"base_url with a query", "[server]\nbase_url = https://example.org?x\n", nil, []string{`FILE:2: [server] base_url: "https://example.org?x" has more than a server's name; write https://example.org (the application can't live under a path)`}},
		{"proxy", "[server]\ntrusted_proxies = 10.0.0.1, proxy.local\n", nil, []string{`FILE:2: [server] trusted_proxies: "proxy.local" is neither an address nor a network; write 10.0.0.5 or 10.0.0.0/8, separated by commas`}},
		{"judge without a server", "[judge]\nbase_url = localhost\n", nil, []string{`FILE:2: [judge] base_url: is not the address of a server; write it as https://api.openai.com/v1 or http://127.0.0.1:8000/v1`}},
		{"judge with a password", "[judge]\nbase_url = https://me:hush@host/v1\n", nil, []string{`FILE:2: [judge] base_url: has a user or a password; give the key as api_key`}},
		{"two keys", "[judge]\napi_key = sk-1 sk-2\n", nil, []string{`FILE:2: [judge] api_key: has characters that a key can't have; give the key alone, without spaces or quotes`}},
		{"short key", "[server]\nsession_key = c2VjcmV0\n", nil, []string{`FILE:2: [server] session_key: has 6 bytes and needs at least 32; make one with: openssl rand -base64 64`}},
		{"key is no key", "", []string{"ANNOTATE_SERVER_SESSION_KEY=my secret!"}, []string{`ANNOTATE_SERVER_SESSION_KEY: is neither base64 nor hex; make one with: openssl rand -base64 64`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := write(t, tt.ini)
			_, err := load(file, tt.env)
			if err == nil {
				t.Fatal("accepted")
			}
			want := strings.ReplaceAll(strings.Join(tt.want, "\n"), "FILE", file)
			if err.Error() != want {
				t.Errorf("got  %s\nwant %s", err, want)
			}
		})
	}
}

func TestLoadMissingFile(t *testing.T) {
	_, err := load("nosuch.ini", nil)
	if want := "nosuch.ini: no such file; --config names the configuration to read"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Every default must be one that could be written down.
func TestOptionDefaults(t *testing.T) {
	for _, o := range Options {
		if o.Help == "" || o.Env() != strings.ToUpper("annotate_"+o.Section+"_"+o.Name) {
			t.Errorf("%s: help %q, variable %s", o.Key(), o.Help, o.Env())
		}
		if o.Default == "" {
			continue
		}
		if err := o.set(&Config{}, o.Default); err != nil {
			t.Errorf("%s: default: %v", o.Key(), err)
		}
	}
}

// FuzzLoad: whatever is in the file, it is read or refused with a reason.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{"", "[server]\naddr = :1\n", "[log]\nlevel\n = x", "[DEFAULT]\n=", "x", "[", "[]", "[server] x", "\ufeff[log]\r\nformat = json"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := reader{given: map[string]given{}}
		r.file("annotate.ini", []byte(text))
		for _, err := range r.errs {
			if !strings.HasPrefix(err.Error(), "annotate.ini:") {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

// A key is printed by no verb, in no struct, and in no log.
func TestSecret(t *testing.T) {
	c := Config{Judge: Judge{APIKey: "sk-hush"}}
	var log strings.Builder
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("x", "key", c.Judge.APIKey, "judge", c.Judge, "config", &c)
	}
	printed, err := json.Marshal(c.Judge)
	if all := fmt.Sprintf("%v %+v %#v %s %q", c, c, c.Judge, c.Judge.APIKey, c.Judge.APIKey) + log.String() + string(printed); err != nil || strings.Contains(all, "hush") {
		t.Error(err, all)
	}
	if c.Judge.APIKey.Reveal() != "sk-hush" {
		t.Error("the key is lost")
	}
}
