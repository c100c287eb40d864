package results

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

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/format"
	"annotate/internal/parallel"
	"annotate/internal/report"
	"annotate/internal/server/site"
	"annotate/internal/transfer"
	"annotate/web"
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

// Files prepares exports and archives of large campaigns in the background, and keeps
// them on the disk to be fetched.
type Files struct {
	Dir    string // empty: that of the system for temporary files
	Large  int
	now    func() time.Time
	Runner *parallel.Runner[PreparedFile]

	mu   sync.Mutex
	kept map[string]PreparedFile // by key
	// deleted are the ids of campaigns that were deleted. No file of theirs is kept.
	deleted map[string]bool
}

// A PreparedFile is a file that is ready.
type PreparedFile struct {
	Path        string
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
func newFiles(dir string, now func() time.Time, requests *parallel.Requests) (*Files, error) {
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
	return &Files{Dir: dir, Large: largeFile, now: now, Runner: parallel.NewRunner[PreparedFile](filesAtOnce, now, requests), kept: map[string]PreparedFile{}, deleted: map[string]bool{}}, nil
}

// isLarge reports whether the files of a campaign take long.
func (f *Files) isLarge(ratings, translations int) bool { return ratings+translations >= f.Large }

// find is the file that is kept under a key.
func (f *Files) find(key string) (PreparedFile, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, ok := f.kept[key]
	return p, ok
}

// Keep keeps a file in place of the one with the same key, and deletes old ones. Where
// there are too many, the oldest goes.
func (f *Files) Keep(key string, p PreparedFile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.deleted[campaignOf(key)] {
		_ = os.Remove(p.Path)
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
func (f *Files) remove(key string) {
	_ = os.Remove(f.kept[key].Path)
	delete(f.kept, key)
}

// Forget deletes the kept files of a campaign that was deleted, and keeps no file that is
// still being prepared.
func (f *Files) Forget(campaignID string) {
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
func (f *Files) stop() {
	f.Runner.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for k := range f.kept {
		f.remove(k)
	}
	if f.Dir != "" {
		_ = os.Remove(f.Dir) // fails if it holds a file of somebody else
	}
}

// write writes a file into the work folder. It leaves none after an error.
func (f *Files) write(content func(io.Writer) error) (path string, size int64, err error) {
	file, err := os.CreateTemp(f.Dir, filePattern)
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
	say  parallel.Say
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
	selection          transfer.Selection
	title, name        string
	contentType        string
}

// wantedFile reads which file an address is about.
func (h *Handlers) wantedFile(c *echo.Context) (w wantedFile, err error) {
	return h.wantedFormat(c, c.Param("file"))
}

// wantedFormat reads which file of a format an address is about.
func (h *Handlers) wantedFormat(c *echo.Context, id string) (w wantedFile, err error) {
	m, err := site.Leaving(c)
	if err != nil {
		return w, err
	}
	w = wantedFile{format: id, campaign: m.Campaign, query: c.QueryString()}
	if w.format == archiveFile {
		if w.report, err = h.wanted(c); err != nil {
			return w, err
		}
		w.campaign = w.report.campaign
		w.title, w.name, w.contentType = "Archive", w.campaign.Slug+".zip", "application/zip"
	} else {
		if w.selection, err = transfer.ReadSelection(c.QueryParam); err != nil {
			return w, err
		}
		output := format.Lookup(w.format).Output
		if output == nil || !output.Fit.OK(w.campaign.Rules) {
			return w, campaign.ErrNotFound
		}
		w.title, w.name, w.contentType = output.Name, w.campaign.Slug+output.Ending, output.Type
	}
	w.key = fmt.Sprint(w.campaign.ID, "/", w.format, "?", w.report.choices.Key(), "&", w.campaign.Settings.Pseudonyms, w.selection.Key())
	return w, nil
}

func (h *Handlers) prepare(w wantedFile) *parallel.Job[PreparedFile] {
	last, _ := h.Files.find(w.key)
	return h.Files.Runner.Start(w.key, func(ctx context.Context, say parallel.Say) (PreparedFile, error) {
		state, err := evaluation.ReportState(ctx, h.store, w.campaign, w.report.beside)
		if err != nil {
			return PreparedFile{}, err
		}
		now, err := h.store.Records.Campaign(ctx, w.campaign.Slug) // its settings may have changed while the job waited
		if err != nil {
			return PreparedFile{}, err
		}
		now.Settings.Pseudonyms = w.campaign.Settings.Pseudonyms // which the key of the file names
		w.campaign, w.report.campaign = now, now
		p := PreparedFile{name: w.name, contentType: w.contentType, state: state, at: h.Config.Now()}
		p.Path, p.size, err = h.Files.write(func(to io.Writer) error {
			to = &progressWriter{ctx: ctx, to: to, say: say, all: last.size}
			if w.format == archiveFile {
				r, err := evaluation.KeptReport(ctx, h.store, w.campaign, w.report.choices)
				if errors.Is(err, campaign.ErrNotFound) {
					return campaign.Invalid("", "there is no report yet, and the archive holds it; open the report first")
				}
				if err != nil {
					return err
				}
				return h.writeArchive(ctx, to, w.report, r)
			}
			_, p.notes, err = transfer.ExportWithNotes(ctx, h.store, w.campaign, w.format, w.selection, to)
			return err
		})
		if err != nil {
			return PreparedFile{}, err
		}
		h.Files.Keep(w.key, p)
		return p, nil
	}, site.LogFailure(h.Config.Logger, "prepare "+w.format, w.campaign))
}

// writeArchive writes the archive of a campaign with a report.
func (h *Handlers) writeArchive(ctx context.Context, to io.Writer, w wantedReport, r report.Report) error {
	var html bytes.Buffer
	if err := web.WriteReport(ctx, &html, r); err != nil {
		return err
	}
	z := transfer.NewZipTree(to, r.Stamp.ComputedAt)
	a := transfer.Archive{Campaign: w.campaign, Report: r, Page: html.Bytes(), State: func(ctx context.Context) (string, error) {
		return evaluation.ReportState(ctx, h.store, w.campaign, w.beside)
	}}
	if err := a.Write(ctx, h.store, z); err != nil {
		return err
	}
	return z.Close()
}

// file shows how far a file is, and leads to it when it is ready. The first visit
// begins to prepare it.
func (h *Handlers) file(c *echo.Context) error {
	w, err := h.wantedFile(c)
	if err != nil {
		return err
	}
	v := setup.FileView{Page: h.PageAt(c, w.title, "export"), Title: w.title, Name: w.name, Format: w.format, Query: w.query, Clock: h.Clock(w.campaign.Settings.Location())}
	if w.format == archiveFile {
		v.Here = "report"
	}
	j := h.Files.Runner.Find(w.key)
	kept, ready := h.Files.find(w.key)
	if j == nil && !ready {
		j = h.prepare(w)
	}
	switch {
	case j != nil && !j.Over():
		v.Busy = site.ProgressOf(j)
	case j != nil:
		_, err := j.Result()
		v.Failed = site.Failure("The file", err)
		h.Files.Runner.Forget(j) // a failure is shown once
	}
	if kept, ready = h.Files.find(w.key); ready {
		v.Ready, v.Size, v.At, v.Notes = true, kept.size, kept.at, kept.notes
		state, err := evaluation.ReportState(c.Request().Context(), h.store, w.campaign, w.report.beside)
		if err != nil {
			return err
		}
		v.Stale = state != kept.state
	}
	return h.Render(c, http.StatusOK, setup.File(v))
}

func (h *Handlers) prepareFile(c *echo.Context) error {
	w, err := h.wantedFile(c)
	if err != nil {
		return err
	}
	h.prepare(w)
	return site.Redirect(c, w.path())
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
func (h *Handlers) sendOrPrepare(c *echo.Context, id string) error {
	w, err := h.wantedFormat(c, id)
	if err != nil {
		return err
	}
	if p, ok := h.Files.find(w.key); ok {
		state, err := evaluation.ReportState(c.Request().Context(), h.store, w.campaign, w.report.beside)
		if err != nil {
			return err
		}
		if state == p.state {
			return h.sendPrepared(c, p)
		}
	}
	return site.Redirect(c, w.path())
}

// isLarge reports whether the files of a campaign are prepared in the background.
func (h *Handlers) isLarge(c *echo.Context, of campaign.Campaign) (bool, error) {
	p, err := h.store.Desk.Standing(c.Request().Context(), of)
	return h.Files.isLarge(p.Ratings, p.Segments.Total()*len(p.Systems)), err
}

func (h *Handlers) fileStatus(c *echo.Context) error {
	w, err := h.wantedFile(c)
	if err != nil {
		return err
	}
	return site.AnswerStatus(c, h.Files.Runner.Find(w.key))
}

func (h *Handlers) downloadFile(c *echo.Context) error {
	w, err := h.wantedFile(c)
	if err != nil {
		return err
	}
	p, ok := h.Files.find(w.key)
	if !ok {
		return campaign.ErrNotFound
	}
	return h.sendPrepared(c, p)
}

func (h *Handlers) sendPrepared(c *echo.Context, p PreparedFile) error {
	f, err := os.Open(filepath.Clean(p.Path))
	if errors.Is(err, fs.ErrNotExist) { // a newer one took its place just now
		return campaign.ErrNotFound
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return h.SendFile(c, f, p.contentType, p.name)
}
