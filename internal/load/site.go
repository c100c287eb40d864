package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A site is the program as a process of its own.
type site struct {
	binary, dir string
	addr        string   // host and port
	env         []string // beside the environment of this process
	quiet       bool     // the log is not shown
	process     *exec.Cmd
	pid         int
}

// start starts the server on the database of dir, which it makes if there is none.
func start(ctx context.Context, binary, dir string) (*site, error) {
	s := &site{binary: binary, dir: dir}
	return s, s.start(ctx)
}

// start starts the server of s, which is not running.
func (s *site) start(ctx context.Context) error {
	if err := s.configure(); err != nil {
		return err
	}
	s.process = s.command(ctx, "serve", "--addr", cmp.Or(s.addr, "127.0.0.1:0"))
	said, err := s.process.StderrPipe()
	if err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	s.pid = s.process.Process.Pid
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if _, at, ok := strings.Cut(lines.Text(), "listening on http://"); ok {
			if s.addr == "" { // a server that is started again keeps its address
				s.addr = strings.TrimSuffix(at, "/")
			}
			go func() { _, _ = io.Copy(s.log(), said) }()
			return nil
		}
		fmt.Fprintln(s.log(), lines.Text())
	}
	s.kill()
	return fmt.Errorf("%s serve ended without listening", s.binary)
}

// configure writes the configuration.
func (s *site) configure() error {
	settings := "[database]\ndriver = sqlite\ndsn = " + filepath.Join(s.dir, "load.db") + "\n[log]\nlevel = error\n"
	return os.WriteFile(s.config(), []byte(settings), 0o600)
}

// log is where the server's log goes.
func (s *site) log() io.Writer {
	if s.quiet {
		return io.Discard
	}
	return os.Stderr
}

func (s *site) config() string { return filepath.Join(s.dir, "annotate.ini") }

func (s *site) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.binary, append(args, "--config", s.config())...)
	cmd.Env = append(os.Environ(), s.env...)
	return cmd
}

// run runs a command of the program and returns what it prints.
func (s *site) run(ctx context.Context, args ...string) (string, error) {
	out, err := s.command(ctx, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("annotate %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// kill ends the server at once, as a power cut would end it.
func (s *site) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// busy returns the processor time that the server has used so far; 0 if the system does not tell.
func (s *site) busy() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		return 0
	}
	// The name of the program, in parentheses, may contain blanks. The 12th and 13th fields behind it are the times
	// in user mode and in the kernel, in hundredths of a second.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	kernel, _ := strconv.Atoi(fields[12])
	return time.Duration(user+kernel) * 10 * time.Millisecond
}

const slug = "load"

// signInLink is a sign-in link on a page, or in what a command prints.
var signInLink = regexp.MustCompile(`/sign-in/link/[0-9A-Za-z_-]+`)

// prepare makes a campaign in which nobody has begun, and signs its annotators in.
func prepare(ctx context.Context, s *site, o options) ([]*annotator, error) {
	file, err := os.Create(filepath.Join(s.dir, "segments.jsonl"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	const perDocument = 10
	for n := range o.segments {
		fmt.Fprintf(out, `{"doc_id":"d%d","segment_id":"s%d","source":"Der %d. Satz eines längeren Textes, den alle lesen.","translations":{`, n/perDocument, n, n)
		for k := range o.cards {
			if k > 0 {
				fmt.Fprint(out, ",")
			}
			fmt.Fprintf(out, `"system%02d":"Sentence %d of a longer text that everybody reads, in the words of system %d."`, k, n, k)
		}
		fmt.Fprintln(out, "}}")
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"campaign", "create", slug, "--title", "Load", "--protocol", "sqm", "--source-lang", "de", "--target-lang", "en", "--set", "quota=0"},
		{"import", slug, "--format", "jsonl", file.Name()},
	} {
		if _, err := s.run(ctx, args...); err != nil {
			return nil, err
		}
	}
	said, err := s.run(ctx, "user", "add", "loadlead", "--role", "admin")
	if err != nil {
		return nil, err
	}
	lead := &annotator{site: s}
	if err := lead.signIn(signInLink.FindString(said)); err != nil {
		return nil, err
	}
	var people strings.Builder
	for i := range o.annotators {
		fmt.Fprintf(&people, "load%d\n", i)
	}
	page, err := lead.send(http.MethodPost, "/campaigns/"+slug+"/members", formBody, form("people", people.String(), "people_role", "annotator"))
	if err != nil {
		return nil, err
	}
	var crew []*annotator
	for _, link := range signInLink.FindAllString(string(page), -1) {
		a := &annotator{site: s, given: map[string]*work{}}
		if err := a.signIn(link); err != nil {
			return nil, err
		}
		crew = append(crew, a)
	}
	if len(crew) != o.annotators {
		return nil, fmt.Errorf("the page of members has %d sign-in links for %d annotators: %.300s", len(crew), o.annotators, page)
	}
	return crew, nil
}
