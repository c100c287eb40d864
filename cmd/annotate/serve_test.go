package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"annotate/internal/command"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// A running program is one that serves in this process.
type running struct {
	t      *testing.T
	lines  *bufio.Scanner
	output *testenv.Buffer // the stream whose lines are not read
	cancel context.CancelFunc
	done   chan error
}

// start runs a command line; the lines of its standard output, or of standard
// error, can be read with line.
func start(t *testing.T, readStderr bool, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	p := &running{t: t, lines: bufio.NewScanner(r), output: &testenv.Buffer{}, cancel: cancel, done: make(chan error, 1)}
	var stdout, stderr io.Writer = w, p.output
	if readStderr {
		stdout, stderr = p.output, w
	}
	go func() {
		err := run(ctx, args, nil, strings.NewReader(""), stdout, stderr)
		p.done <- err
		w.Close()
	}()
	t.Cleanup(func() { cancel(); io.Copy(io.Discard, r) })
	return p
}

func (p *running) line() string {
	p.t.Helper()
	if !p.lines.Scan() {
		p.t.Fatalf("the program ended: %v\n%s", <-p.done, p.output)
	}
	return p.lines.Text()
}

// stop interrupts the program, which must end well and soon.
func (p *running) stop() {
	p.t.Helper()
	p.cancel()
	go func() {
		for p.lines.Scan() { // what is left must not block the program
		}
	}()
	select {
	case err := <-p.done:
		if err != nil {
			p.t.Errorf("ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		p.t.Fatal("did not end")
	}
}

// browser keeps cookies and does not follow redirects.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func get(t *testing.T, c *http.Client, url string) *http.Response {
	t.Helper()
	res, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res
}

func TestServe(t *testing.T) {
	t.Chdir(t.TempDir())
	p := start(t, true, "serve", "--addr", "127.0.0.1:0")
	m := regexp.MustCompile(`^listening on (http://127\.0\.0\.1:[1-9]\d*)/$`).FindStringSubmatch(p.line())
	if m == nil {
		t.Fatalf("got %q", p.lines.Text())
	}
	if got := p.line(); !strings.Contains(got, "annotate user add LOGIN --role admin") {
		t.Errorf("without accounts got %q", got)
	}
	if res := get(t, browser(t), m[1]+"/"); res.StatusCode != http.StatusSeeOther {
		t.Errorf("/ answers %s", res.Status)
	}
	p.stop()
	if left, err := filepath.Glob("*work*"); err != nil || len(left) != 0 {
		t.Errorf("the server left %q: %v", left, err)
	}
}

// TestServeMetrics: metrics are at an address of their own.
func TestServeMetrics(t *testing.T) {
	t.Chdir(t.TempDir())
	p := start(t, true, "serve", "--addr", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
	at := strings.TrimPrefix(p.line(), "metrics on ")
	if page, err := read(browser(t), at); err != nil || !strings.Contains(page, "annotate_can_save 1") {
		t.Errorf("%s answers %q: %v", at, page, err)
	}
	if res := get(t, browser(t), strings.TrimSuffix(at, "/metrics")+"/healthz"); res.StatusCode != http.StatusNotFound {
		t.Errorf("the pages are there, too: %s", res.Status)
	}
	p.stop()
}

// TestServeJSON: with format = json, each line is an object, also those that say what to do.
func TestServeJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("annotate.ini", []byte("[log]\nformat = json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, true, "serve", "--addr", "0.0.0.0:0", "--metrics", "127.0.0.1:0")
	for range 4 { // metrics, listening, no accounts, no base_url
		if line := p.line(); !json.Valid([]byte(line)) {
			t.Errorf("got %q", line)
		}
	}
	p.stop()
}

func TestAboutLinks(t *testing.T) {
	for addr, says := range map[string]bool{"127.0.0.1:8080": false, "localhost:1": false, "[::1]:1": false, ":80": true, "0.0.0.0:80": true, "annotate.example.org:80": true} {
		if got := aboutLinks("", addr); strings.Contains(got, "base_url") != says {
			t.Errorf("listening on %s: %q", addr, got)
		}
		if got := aboutLinks("https://annotate.example.org", addr); got != "" {
			t.Errorf("with a base_url: %q", got)
		}
	}
}

func TestServeTaken(t *testing.T) {
	t.Chdir(t.TempDir())
	p := start(t, true, "serve", "--addr", "127.0.0.1:0")
	addr := strings.TrimSuffix(strings.TrimPrefix(p.line(), "listening on http://"), "/")
	err := run(t.Context(), []string{"serve", "--addr", addr}, nil, nil, io.Discard, io.Discard)
	if command.ExitCode(err) != 1 || !strings.Contains(command.Message(err), "choose another address with --addr") {
		t.Errorf("got %v (status %d)", err, command.ExitCode(err))
	}
	p.stop()
}

// TestServeOtherFolder: on one PostgreSQL database, the program refuses to serve with another work folder than a running server.
func TestServeOtherFolder(t *testing.T) {
	dsn := storetest.Postgres(t).Config.DSN
	t.Chdir(t.TempDir())
	serve := func(folder string) []string {
		config := "[database]\ndriver = postgres\ndsn = " + dsn + "\n[server]\naddr = 127.0.0.1:0\nwork_dir = " + folder + "\n"
		if err := os.WriteFile(folder+".ini", []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"serve", "--config", folder + ".ini"}
	}
	p := start(t, true, serve("one")...)
	p.line()
	cmd := exec.CommandContext(t.Context(), "annotate", serve("two")...)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(stderr).ReadString('\n')
	if strings.HasPrefix(said, "listening") {
		err = cmd.Process.Kill()
	}
	_ = cmd.Wait() // the exit code is checked
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(said, "a server with another work folder than two works on this database") {
		t.Errorf("got %q and status %d: %v", said, cmd.ProcessState.ExitCode(), err)
	}
	p.stop()
}

func TestDemo(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("annotate.ini", []byte("[judge]\nbase_url = http://127.0.0.1:1/v1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, false, "demo", "--addr", "127.0.0.1:0")
	links := demoLinks(t, p)
	origin := regexp.MustCompile(`^http://[^/]+`).FindString(links["lead"])

	// A stranger is led to the sign-in page.
	res := get(t, browser(t), origin+"/")
	if res.StatusCode != http.StatusSeeOther {
		t.Errorf("/ answers %s, want 303", res.Status)
	}
	to, err := res.Location()
	if err != nil {
		t.Fatal(err)
	}
	if res := get(t, browser(t), to.String()); res.StatusCode != http.StatusOK {
		t.Errorf("%s answers %s, want 200", to, res.Status)
	}
	// Each link signs in.
	for role, link := range links {
		c := browser(t)
		c.CheckRedirect = nil
		res, err := c.Post(link, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK || strings.HasPrefix(res.Request.URL.Path, "/sign-in") {
			t.Errorf("the link of the %s leads to %s: %s", role, res.Request.URL, res.Status)
		}
		if role == "researcher" {
			if page, err := read(c, origin+"/campaigns/demo-mqm-zh-en/judges"); err != nil || !strings.Contains(page, "http://127.0.0.1:1/v1") {
				t.Errorf("the page of judges does not name the server of the configuration: %v", err)
			}
		}
	}
	p.stop()
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 1 {
		t.Errorf("written to the working directory: %v %v", left, err)
	}
}

// demoLinks reads the links that demo prints, a line for each role.
func demoLinks(t *testing.T, p *running) map[string]string {
	t.Helper()
	links := map[string]string{}
	for _, role := range []string{"annotator", "lead", "researcher"} {
		line := p.line()
		if !regexp.MustCompile(`^` + role + `: http://127\.0\.0\.1:[1-9]\d*/sign-in/link/\w+$`).MatchString(line) {
			t.Fatalf("got %q, want the link of the %s", line, role)
		}
		links[role] = strings.TrimPrefix(line, role+": ")
	}
	return links
}

func TestDemoKept(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := filepath.Join(t.TempDir(), "new", "folder")
	var tokens []string
	for range 2 {
		p := start(t, false, "demo", "--addr", "localhost:0", "--dir", dir)
		line := p.line()
		if !strings.HasPrefix(line, "annotator: http://localhost:") {
			t.Errorf("the link does not begin with the address that was given: %s", line)
		}
		tokens = append(tokens, filepath.Base(line))
		p.line()
		p.line()
		p.stop()
	}
	if tokens[0] == tokens[1] {
		t.Error("the second start printed the same link")
	}
	var out strings.Builder
	err := run(t.Context(), []string{"campaign", "list"}, []string{"ANNOTATE_DATABASE_DSN=" + filepath.Join(dir, "demo.db")}, nil, &out, io.Discard)
	if n := strings.Count(out.String(), "\n"); err != nil || n != 13 {
		t.Errorf("got %v and\n%s, want twelve campaigns", err, &out)
	}
}
