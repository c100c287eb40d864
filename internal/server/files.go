package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/job"
	"annotate/internal/parallel"
	"annotate/internal/report"
	"annotate/internal/report/gather"
	"annotate/internal/report/page"
	"annotate/internal/transfer"
	"annotate/internal/wire"
	"annotate/web/templates/setup"
)

const (
	// filesAtOnce is how many files are prepared at a time. Each keeps a connection
	// of the database for long.
	filesAtOnce = 2
	// largeFile is from how many ratings and translations of a campaign on its files
	// are prepared in the background.
	largeFile = 50_000
	// fileKept is how long a file is kept that nobody prepares anew.
	fileKept = 24 * time.Hour
	// filesKept is how many files are kept at most. Each choice of a report has an
	// archive of its own, so that there can be any number of them.
	filesKept = 50
	// archiveFile is the name of the archive among the formats of exports.
	archiveFile = "archive"
)

// files prepares exports and archives of large campaigns in the background, and keeps
// them on the disk to be fetched.
type files struct {
	dir    string // empty: that of the system for temporary files
	large  int
	now    func() time.Time
	runner *job.Runner[preparedFile]

	mu   sync.Mutex
	kept map[string]preparedFile // by key
	// deleted are the ids of campaigns that were deleted. No file of theirs is kept.
	deleted map[string]bool
}

// A preparedFile is a file that is ready.
type preparedFile struct {
	path        string
	name        string // for the visitor
	contentType string
	size        int64
	state       string // of the campaign's data that it was computed from
	at          time.Time
	notes       []string // what of the campaign it can't carry, as [transfer.ExportWithNotes] says
}

// filePattern is how the files in the work folder are named.
const filePattern = "annotate-file-*"

// newFiles deletes the files that a program that was killed has left in the folder.
func newFiles(dir string, now func() time.Time, requests *parallel.Requests) (*files, error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make the work folder: %w", err)
		}
		left, err := fs.Glob(os.DirFS(dir), filePattern)
		if err != nil {
			return nil, fmt.Errorf("read the work folder: %w", err)
		}
		for _, name := range left {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return nil, fmt.Errorf("clean the work folder: %w", err)
			}
		}
	}
	return &files{dir: dir, large: largeFile, now: now, runner: job.NewRunner[preparedFile](filesAtOnce, now, requests), kept: map[string]preparedFile{}, deleted: map[string]bool{}}, nil
}

// isLarge reports whether the files of a campaign take long.
func (f *files) isLarge(ratings, translations int) bool { return ratings+translations >= f.large }

// find is the file that is kept under a key.
func (f *files) find(key string) (preparedFile, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, ok := f.kept[key]
	return p, ok
}

// keep keeps a file in place of the one with the same key, and deletes old ones. Where
// there are too many, the oldest goes.
func (f *files) keep(key string, p preparedFile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.deleted[campaignOf(key)] {
		_ = os.Remove(p.path)
		return
	}
	oldest := ""
	for k, old := range f.kept {
		if k == key || f.now().Sub(old.at) >= fileKept {
			f.remove(k)
		} else if oldest == "" || old.at.Before(f.kept[oldest].at) {
			oldest = k
		}
	}
	if len(f.kept) >= filesKept {
		f.remove(oldest)
	}
	f.kept[key] = p
}

// remove deletes a kept file. Whoever is fetching it has it open, and gets all of it.
func (f *files) remove(key string) {
	_ = os.Remove(f.kept[key].path)
	delete(f.kept, key)
}

// forget deletes the kept files of a campaign that was deleted, and keeps no file that is
// still being prepared.
func (f *files) forget(campaignID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deleted[campaignID] = true
	for k := range f.kept {
		if campaignOf(k) == campaignID {
			f.remove(k)
		}
	}
}

// campaignOf is the id of the campaign in the key of a file.
func campaignOf(key string) string {
	id, _, _ := strings.Cut(key, "/")
	return id
}

// stop ends the jobs and deletes the files.
func (f *files) stop() {
	f.runner.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for k := range f.kept {
		f.remove(k)
	}
}

// write writes a file into the work folder. It leaves none after an error.
func (f *files) write(content func(io.Writer) error) (path string, size int64, err error) {
	file, err := os.CreateTemp(f.dir, filePattern)
	if err != nil {
		return "", 0, err
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	w := bufio.NewWriterSize(file, 1<<16)
	if err := content(w); err != nil {
		return "", 0, err
	}
	if err := w.Flush(); err != nil {
		return "", 0, err
	}
	size, err = file.Seek(0, io.SeekEnd)
	return file.Name(), size, err
}

// A progressWriter says how much of a file is written.
type progressWriter struct {
	ctx  context.Context
	to   io.Writer
	say  job.Say
	done int64
	all  int64 // bytes of the file as it was last; 0: not known
}

func (w *progressWriter) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.to.Write(b)
	w.done += int64(n)
	share := 0.0
	if w.all > 0 {
		share = min(float64(w.done)/float64(w.all), .99)
	}
	w.say(fmt.Sprintf("%.1f MB are written", float64(w.done)/1e6), share)
	return n, err
}

// A wantedFile is the file that an address names.
type wantedFile struct {
	key, format, query string
	campaign           campaign.Campaign
	report             wantedReport // of an archive
	title, name        string
	contentType        string
}

// wantedFile reads which file an address is about.
func (s *Server) wantedFile(c echo.Context) (w wantedFile, err error) {
	return s.wantedFormat(c, c.Param("file"))
}

// wantedFormat reads which file of a format an address is about.
func (s *Server) wantedFormat(c echo.Context, id string) (w wantedFile, err error) {
	m, err := leaving(c)
	if err != nil {
		return w, err
	}
	w = wantedFile{format: id, campaign: m.campaign, query: c.QueryString()}
	if w.format == archiveFile {
		if w.report, err = s.wanted(c); err != nil {
			return w, err
		}
		w.campaign = w.report.campaign
		w.title, w.name, w.contentType = "Archive", w.campaign.Slug+".zip", "application/zip"
	} else {
		output := format.Lookup(w.format).Output
		if output == nil || !output.Fit.OK(w.campaign.Rules) {
			return w, campaign.ErrNotFound
		}
		w.title, w.name, w.contentType = output.Name, w.campaign.Slug+output.Ending, output.Type
	}
	w.key = fmt.Sprint(w.campaign.ID, "/", w.format, "?", w.report.choices.Key(), "&", w.campaign.Settings.Pseudonyms)
	return w, nil
}

func (s *Server) prepare(w wantedFile) *job.Job[preparedFile] {
	last, _ := s.files.find(w.key)
	return s.files.runner.Start(w.key, func(ctx context.Context, say job.Say) (preparedFile, error) {
		state, err := gather.State(ctx, s.store, w.campaign, w.report.beside)
		if err != nil {
			return preparedFile{}, err
		}
		now, err := s.store.Campaign(ctx, w.campaign.Slug) // its settings may have changed while the job waited
		if err != nil {
			return preparedFile{}, err
		}
		now.Settings.Pseudonyms = w.campaign.Settings.Pseudonyms // which the key of the file names
		w.campaign, w.report.campaign = now, now
		p := preparedFile{name: w.name, contentType: w.contentType, state: state, at: s.cfg.Now()}
		p.path, p.size, err = s.files.write(func(to io.Writer) error {
			to = &progressWriter{ctx: ctx, to: to, say: say, all: last.size}
			if w.format == archiveFile {
				r, err := gather.Kept(ctx, s.store, w.campaign, w.report.choices)
				if errors.Is(err, campaign.ErrNotFound) {
					return campaign.Invalid("", "there is no report yet, and the archive holds it; open the report first")
				}
				if err != nil {
					return err
				}
				return s.writeArchive(ctx, to, w.report, r)
			}
			_, p.notes, err = transfer.ExportWithNotes(ctx, s.store, w.campaign, w.format, to)
			return err
		})
		if err != nil {
			return preparedFile{}, err
		}
		s.files.keep(w.key, p)
		return p, nil
	}, logFailure(s.cfg.Logger, "prepare "+w.format, w.campaign))
}

// writeArchive writes the archive of a campaign with a report.
func (s *Server) writeArchive(ctx context.Context, to io.Writer, w wantedReport, r report.Report) error {
	var html bytes.Buffer
	if err := page.Write(ctx, &html, r); err != nil {
		return err
	}
	z := transfer.NewZipTree(to, r.Stamp.ComputedAt)
	a := transfer.Archive{Campaign: w.campaign, Report: r, Page: html.Bytes(), State: func(ctx context.Context) (string, error) {
		return gather.State(ctx, s.store, w.campaign, w.beside)
	}}
	if err := a.Write(ctx, s.store, z); err != nil {
		return err
	}
	return z.Close()
}

// file shows how far a file is, and leads to it when it is ready. The first visit
// begins to prepare it.
func (s *Server) file(c echo.Context) error {
	w, err := s.wantedFile(c)
	if err != nil {
		return err
	}
	v := setup.FileView{Page: s.pageAt(c, w.title, "export"), Title: w.title, Name: w.name, Format: w.format, Query: w.query, Clock: s.clock(w.campaign.Settings.Location())}
	if w.format == archiveFile {
		v.Here = "report"
	}
	j := s.files.runner.Find(w.key)
	kept, ready := s.files.find(w.key)
	if j == nil && !ready {
		j = s.prepare(w)
	}
	switch {
	case j != nil && !j.Over():
		v.Busy = progressOf(j)
	case j != nil:
		_, err := j.Result()
		v.Failed = failure("The file", err)
		s.files.runner.Forget(j) // a failure is shown once
	}
	if kept, ready = s.files.find(w.key); ready {
		v.Ready, v.Size, v.At, v.Notes = true, kept.size, kept.at, kept.notes
		state, err := gather.State(c.Request().Context(), s.store, w.campaign, w.report.beside)
		if err != nil {
			return err
		}
		v.Stale = state != kept.state
	}
	return s.render(c, http.StatusOK, setup.File(v))
}

func (s *Server) prepareFile(c echo.Context) error {
	w, err := s.wantedFile(c)
	if err != nil {
		return err
	}
	s.prepare(w)
	return redirect(c, w.path())
}

// path is the page of a file.
func (w wantedFile) path() string {
	at := "/campaigns/" + w.campaign.Slug + "/files/" + w.format
	if w.query != "" {
		at += "?" + w.query
	}
	return at
}

// sendOrPrepare answers a request for a file of a large campaign, whose preparation a
// request does not wait for: with the file that was prepared from the campaign as it is
// now, else with the way to the page that prepares it.
func (s *Server) sendOrPrepare(c echo.Context, id string) error {
	w, err := s.wantedFormat(c, id)
	if err != nil {
		return err
	}
	if p, ok := s.files.find(w.key); ok {
		state, err := gather.State(c.Request().Context(), s.store, w.campaign, w.report.beside)
		if err != nil {
			return err
		}
		if state == p.state {
			return s.sendPrepared(c, p)
		}
	}
	return redirect(c, w.path())
}

// isLarge reports whether the files of a campaign are prepared in the background.
func (s *Server) isLarge(c echo.Context, of campaign.Campaign) (bool, error) {
	p, err := s.store.Standing(c.Request().Context(), of)
	return s.files.isLarge(p.Ratings, p.Segments.Total()*len(p.Systems)), err
}

func (s *Server) fileStatus(c echo.Context) error {
	w, err := s.wantedFile(c)
	if err != nil {
		return err
	}
	return answerStatus(c, s.files.runner.Find(w.key))
}

// progressOf is how far a job is.
func progressOf[T any](j *job.Job[T]) *wire.Job {
	words, share := j.Progress()
	return &wire.Job{Busy: true, Words: words, Share: share}
}

// answerStatus tells a page how far a job is, which is nil if there is none.
func answerStatus[T any](c echo.Context, j *job.Job[T]) error {
	if j == nil || j.Over() {
		return c.JSON(http.StatusOK, wire.Job{})
	}
	return c.JSON(http.StatusOK, progressOf(j))
}

func (s *Server) downloadFile(c echo.Context) error {
	w, err := s.wantedFile(c)
	if err != nil {
		return err
	}
	p, ok := s.files.find(w.key)
	if !ok {
		return campaign.ErrNotFound
	}
	return s.sendPrepared(c, p)
}

func (s *Server) sendPrepared(c echo.Context, p preparedFile) error {
	f, err := os.Open(filepath.Clean(p.path))
	if errors.Is(err, fs.ErrNotExist) { // a newer one took its place just now
		return campaign.ErrNotFound
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return s.sendFile(c, f, p.contentType, p.name)
}
