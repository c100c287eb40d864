package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// A Progress shows the progress of a command on a terminal, a few times a second.
type Progress struct {
	w     io.Writer // nil if standard error is not a terminal
	bytes int64
	lines int
	shown time.Time
}

// NewProgress makes a progress that is shown if standard error is a terminal.
func (a *App) NewProgress() *Progress {
	if f, ok := a.Stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return ProgressOn(f)
	}
	return ProgressOn(nil)
}

// ProgressOn makes a progress that is shown on w, or nowhere if w is nil.
func ProgressOn(w io.Writer) *Progress { return &Progress{w: w} }

// Clear removes the line that is shown.
func (p *Progress) Clear() {
	if p.w != nil && !p.shown.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = time.Time{}
	}
}

// Watch counts what is read from r.
func (p *Progress) Watch(name string, r io.Reader) io.Reader {
	if p.w == nil {
		return r
	}
	return &watched{p, name, r}
}

type watched struct {
	p    *Progress
	name string
	r    io.Reader
}

func (r *watched) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	p := r.p
	p.bytes += int64(n)
	for _, c := range b[:n] {
		if c == '\n' {
			p.lines++
		}
	}
	p.Say("%s: %d lines, %.1f MB", r.name, p.lines, float64(p.bytes)/1e6)
	return n, err
}

// Say replaces the line that is shown, a few times a second.
func (p *Progress) Say(format string, args ...any) {
	if now := time.Now(); p.w != nil && now.Sub(p.shown) > 200*time.Millisecond {
		p.shown = now
		fmt.Fprintf(p.w, "\r\x1b[K"+format, args...)
	}
}

// Visible reports whether progress is shown.
func (p *Progress) Visible() bool { return p.w != nil }

// InputName names an input in messages. "-" is standard input.
func InputName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return path
}
