package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/mail"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bigkevmcd/go-configparser"
)

// defaultFile is read if it exists and no other file is named.
const defaultFile = "annotate.ini"

// The drivers of a database.
const (
	sqlite   = "sqlite"
	postgres = "postgres"
)

// Config is the configuration of the program.
type Config struct {
	File     string // the file that was read; empty if there was none
	Database Database
	Server   Server
	OIDC     OIDC
	Webhooks Webhooks
	Mail     Mail
	Log      Log
	Judge    Judge
}

// Database says which database to open.
type Database struct {
	Driver string // [sqlite] or [postgres]
	DSN    string // the path of a file, relative to the working directory, or a PostgreSQL connection string
}

// Server says how people reach the application.
type Server struct {
	Addr           string         // host:port to listen on
	Metrics        string         // host:port at which a monitor reads metrics; empty: nowhere
	BaseURL        string         // the beginning of links, without a slash at the end; empty if not known
	TrustedProxies []netip.Prefix // networks of proxies whose X-Forwarded headers the server trusts
	SessionKey     []byte         // signs cookies; if empty, the database stores a key
	SecretsKey     []byte         // seals secrets that the program must read again; if empty, the database stores a key
	SecondFactor   string         // no, offered or required
	// a folder for prepared files and uploads that all servers on the database share; empty: that of the only server
	WorkDir string
	Drain   time.Duration // the time from the moment when /readyz refuses to the last accepted connection
}

// OIDC says by which provider of OpenID Connect people may sign in.
type OIDC struct {
	Issuer       string // its address; empty: none
	ClientID     string
	ClientSecret Secret
	Name         string // its name on the button
	Create       bool   // people without an account get one
}

// Webhooks says to which addresses webhooks may send.
type Webhooks struct {
	Allow []netip.Prefix // private networks to which they may send
}

// Mail says by which server mail is sent.
type Mail struct {
	Host         string // empty: no mail is sent
	Port         int
	TLS          string // starttls, tls or none
	User         string // empty: the server asks for none
	Password     Secret
	PasswordFile string // the file of the password, if Password is empty
	From         mail.Address
}

// ReadPassword returns the password, from its file if the configuration names one. The error names the file.
func (m Mail) ReadPassword() (string, error) {
	if m.Password != "" || m.PasswordFile == "" {
		return m.Password.Reveal(), nil
	}
	text, err := os.ReadFile(m.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("read the password of the mail server: %w", err)
	}
	if password := strings.TrimRight(string(text), "\r\n"); password != "" {
		return password, nil
	}
	return "", fmt.Errorf("read the password of the mail server: %s is empty", m.PasswordFile)
}

// Log says what the program logs.
type Log struct {
	Level  slog.Level
	Format string // "text" or "json"
}

// Judge says which language model judges ask.
type Judge struct {
	BaseURL string // of a server that speaks the OpenAI chat-completions protocol; empty: none
	APIKey  Secret // empty: none
	Model   string // the default model; empty: none
}

// A ConfigError says which option is wrong and what to do.
type ConfigError struct {
	File    string // empty if the value comes from the environment
	Line    int    // in the file, from 1; 0 if not known
	Section string
	Option  string
	Msg     string
}

// Error is "FILE:LINE: [SECTION] OPTION: MSG", or "ANNOTATE_SECTION_OPTION: MSG".
func (e *ConfigError) Error() string {
	head := ""
	switch {
	case e.File != "" && e.Line > 0:
		head = fmt.Sprintf("%s:%d: ", e.File, e.Line)
	case e.File != "":
		head = e.File + ": "
	case e.Option != "":
		return variable(e.Section, e.Option) + ": " + e.Msg
	}
	if e.Section != "" {
		head += "[" + e.Section + "] "
	}
	if e.Option != "" {
		head += e.Option + ": "
	}
	return head + e.Msg
}

// load reads the file and then the environment, which is given in the form of os.Environ. If file is empty,
// it reads [defaultFile] if that exists. The error joins an *[ConfigError] for each mistake.
func load(file string, environ []string) (Config, error) {
	r := reader{given: map[string]given{}}
	name, text, err := readFile(file)
	if err != nil {
		return Config{}, err
	}
	if name != "" {
		r.file(name, text)
	}
	r.environment(environ)
	c := Config{File: name}
	for _, o := range Options {
		r.set(&c, o)
	}
	r.database(&c)
	if (c.OIDC.Issuer == "") != (c.OIDC.ClientID == "") {
		r.fail(ConfigError{File: name, Section: "oidc"}, "give issuer and client_id together")
	}
	if len(r.errs) == 0 {
		r.mail(c)
	}
	if len(r.errs) > 0 {
		return Config{}, errors.Join(r.errs...)
	}
	return c, nil
}

func readFile(file string) (name string, text []byte, err error) {
	name = cmp.Or(file, defaultFile)
	text, err = os.ReadFile(name)
	switch {
	case err == nil:
		return name, bytes.TrimPrefix(text, []byte("\ufeff")), nil
	case !errors.Is(err, fs.ErrNotExist):
		var why *fs.PathError
		if errors.As(err, &why) {
			err = why.Err
		}
		return "", nil, &ConfigError{File: name, Msg: "can't be read: " + err.Error()}
	case file == "":
		return "", nil, nil
	}
	return "", nil, &ConfigError{File: name, Msg: "no such file; --config names the configuration to read"}
}

// given is a value from the file or the environment.
type given struct {
	value string
	at    ConfigError // says where the value is; has no message
}

// A reader collects the given values, by key such as "database.dsn", and their errors.
type reader struct {
	given map[string]given
	errs  []error
}

func (r *reader) fail(at ConfigError, format string, args ...any) {
	at.Msg = fmt.Sprintf(format, args...)
	r.errs = append(r.errs, &at)
}

// maxLine is the largest number of bytes in a line of the file. The parser would split a longer line
// without an error.
const maxLine = 4000

// file reads the options of a file. go-configparser accepts many mistakes without an error: unknown names,
// lines without a delimiter, text after the name of a section, values that continue in the next line, and
// a section that occurs twice, whose options it adds to the section before. So file sets its options and
// checks the rest itself. The only delimiter is =, because ":8080" may be a value. A line without = counts
// as an option without a value, which is then unknown. Indentation has no meaning.
func (r *reader) file(name string, text []byte) {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if len(line) > maxLine {
			r.fail(ConfigError{File: name, Line: i + 1}, "the line is longer than %d bytes", maxLine)
			return
		}
		if _, rest, ok := strings.Cut(line, "]"); ok && strings.HasPrefix(strings.TrimSpace(line), "[") && !isBlank(rest) {
			r.fail(ConfigError{File: name, Line: i + 1}, "write nothing after the name of a section")
			return
		}
	}
	p, err := configparser.ParseReaderWithOptions(bytes.NewReader(text),
		configparser.Delimiters("="), configparser.AllowNoValue, configparser.MultilinePrefixes(nil))
	if err != nil {
		i := slices.IndexFunc(lines, func(line string) bool { return !isBlank(line) })
		r.fail(ConfigError{File: name, Line: i + 1}, "write a section such as [%s] before the first option", sectionNames()[0])
		return
	}
	for _, section := range sectionNames() {
		if count(lines, section, "") > 1 {
			r.fail(ConfigError{File: name, Line: lineOf(lines, section, "")}, "section [%s] is there already; keep its options together", section)
			return
		}
	}
	sections := p.Sections()
	if len(p.Defaults()) > 0 {
		sections = append(sections, "DEFAULT")
	}
	for _, section := range sections {
		if !slices.Contains(sectionNames(), section) {
			r.fail(ConfigError{File: name, Line: lineOf(lines, section, "")}, "unknown section [%s]; %s", section, suggest(section, sectionNames()))
			continue
		}
		options, err := p.Items(section)
		if err != nil {
			r.fail(ConfigError{File: name}, "%v", err)
			continue
		}
		for _, option := range options.Keys() {
			at := ConfigError{File: name, Line: lineOf(lines, section, option), Section: section}
			if !slices.Contains(names(section), option) {
				r.fail(at, "unknown option %q; %s", option, suggest(option, names(section)))
				continue
			}
			at.Option = option
			if n := count(lines, section, option); n > 1 {
				r.fail(at, "is given %d times; keep one", n)
				continue
			}
			r.take(section+"."+option, options[option], at)
		}
	}
}

// take keeps a value, unless it is empty or in quotes.
func (r *reader) take(key, value string, at ConfigError) {
	value = strings.TrimSpace(value)
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		r.fail(at, "write the value without quotes")
		return
	}
	if value != "" {
		r.given[key] = given{value, at}
	}
}

// isBlank reports whether a line is empty or a comment.
func isBlank(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#' || line[0] == ';'
}

// eachOption calls f for each line of a section that has an option, with the number of the line and the name
// of the option. For the lines that begin the section, the name is empty.
func eachOption(lines []string, section string, f func(n int, option string)) {
	current := ""
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			current, _, _ = strings.Cut(rest, "]")
			if current == section {
				f(i+1, "")
			}
			continue
		}
		if current == section && !isBlank(line) {
			name, _, _ := strings.Cut(line, "=")
			f(i+1, strings.TrimSpace(name))
		}
	}
}

// lineOf returns the number of the last line that gives an option or, if option is empty, begins the
// section. It returns 0 if there is none.
func lineOf(lines []string, section, option string) (line int) {
	eachOption(lines, section, func(n int, name string) {
		if name == option {
			line = n
		}
	})
	return line
}

// count returns the number of lines that give an option or, if option is empty, begin the
// section.
func count(lines []string, section, option string) (n int) {
	eachOption(lines, section, func(_ int, name string) {
		if name == option {
			n++
		}
	})
	return n
}

// environment reads the variables of options. A variable that begins like those of a section but stands for
// no option is an error. It ignores other variables that begin with ANNOTATE_.
func (r *reader) environment(environ []string) {
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		i := slices.IndexFunc(Options, func(o Option) bool { return o.Env() == name })
		if i >= 0 {
			r.take(Options[i].Key(), value, ConfigError{Section: Options[i].Section, Option: Options[i].Name})
			continue
		}
		for _, section := range sectionNames() {
			if strings.HasPrefix(name, variable(section, "")) {
				var known []string
				for _, option := range names(section) {
					known = append(known, variable(section, option))
				}
				r.fail(ConfigError{}, "unknown environment variable %s; %s", name, suggest(name, known))
			}
		}
	}
}

// set stores the value of an option, or its default, in the configuration.
func (r *reader) set(c *Config, o Option) {
	g, ok := r.given[o.Key()]
	value := o.Default
	if ok {
		value = g.value
	}
	if value == "" {
		return
	}
	if err := o.set(c, value); err != nil {
		r.fail(g.at, "%v", err)
	}
}

// database chooses the driver if only a dsn is given, and refuses a dsn that does not fit its driver.
// SQLite would take a connection string for a file name and create an empty database.
func (r *reader) database(c *Config) {
	driver, driverGiven := r.given["database.driver"]
	dsn, dsnGiven := r.given["database.dsn"]
	url := strings.HasPrefix(dsn.value, "postgres://") || strings.HasPrefix(dsn.value, "postgresql://")
	switch {
	case driver.value == postgres && !dsnGiven:
		at := driver.at
		at.Option = "dsn"
		r.fail(at, "missing; give a PostgreSQL connection string, such as postgres://annotate@localhost/annotate")
	case driver.value == postgres || !dsnGiven:
	case url && !driverGiven:
		c.Database.Driver = postgres
	case url, strings.HasPrefix(dsn.value, "host="), strings.Contains(dsn.value, "dbname="):
		r.fail(dsn.at, "this is a PostgreSQL connection string; set driver = postgres, or give the path of a file")
	case strings.HasPrefix(dsn.value, ":memory:"), strings.HasPrefix(dsn.value, "file:"), strings.HasPrefix(dsn.value, "sqlite:"):
		r.fail(dsn.at, "give only the path of the database file; the program adds the options of SQLite")
	}
}

// mail refuses options of mail that contradict each other.
func (r *reader) mail(c Config) {
	m := c.Mail
	wrong := func(option, msg string) { // at the option or, if it is missing, at the host
		at := cmp.Or(r.given["mail."+option].at, r.given["mail.host"].at, ConfigError{File: c.File})
		at.Section, at.Option = "mail", option
		r.fail(at, "%s", msg)
	}
	switch {
	case m.Host == "":
		for _, option := range names("mail") {
			if r.given["mail."+option].value != "" {
				wrong("host", "missing; give the name of the mail server, or leave the section out")
				return
			}
		}
		return
	case m.From.Address == "":
		wrong("from", "missing; give the address that mails come from, such as annotate@example.org")
	case c.Server.BaseURL == "":
		wrong("host", "mails have links, which begin with base_url of [server]; give it, too")
	}
	switch {
	case m.Password != "" && m.PasswordFile != "":
		wrong("password_file", "give either password or password_file")
	case (m.User == "") != (m.Password == "" && m.PasswordFile == ""):
		wrong("user", "give user and a password together, or neither")
	case m.User != "" && m.TLS == "none" && !isLocal(m.Host):
		wrong("tls", "a password is not sent to another machine without encryption; use starttls or tls")
	}
}

// isLocal reports whether a host is this machine.
func isLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
