package results

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/format"
	"annotate/internal/jobs"
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
	// fileKind is the kind of the jobs that prepare files.
	fileKind = "file"
	// archiveFile is the name of the archive among the formats of exports.
	archiveFile = "archive"
)

// Files prepares exports and archives of large campaigns in the background, and keeps
// them on the disk to be fetched. Beside each file stands one in JSON that describes it, so that several servers can share
// a folder.
type Files struct {
	Dir    string // empty: a new temporary folder, made for the first file
	Large  int
	shared bool // other servers use the folder
	now    func() time.Time
	Runner *parallel.Runner[PreparedFile]

	mu sync.Mutex // of changes in the folder
}

// A PreparedFile is a file that is ready.
type PreparedFile struct {
	Key         string
	File        string // its name in the folder
	Name        string // for the visitor
	ContentType string
	Size        int64
	State       string // of the campaign's data that it was computed from
	At          time.Time
	Notes       []string // what of the campaign it can't carry, as [transfer.ExportWithNotes] says
}

// The files in the folder are named by filePattern, and those that describe them by describedBy.
const (
	filePattern = "annotate-file-*"
	describedBy = "annotate-described-*"
)

// newFiles makes the folder. If no other server uses it, newFiles deletes the files that a program that was killed has left
// there.
func newFiles(dir string, shared bool, now func() time.Time, requests *parallel.Requests) (*Files, error) {
	f := &Files{Dir: dir, Large: largeFile, shared: shared, now: now, Runner: parallel.NewRunner[PreparedFile](filesAtOnce, now, requests)}
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make the work folder: %w", err)
		}
		if !shared {
			if err := f.empty(); err != nil {
				return nil, fmt.Errorf("clean the work folder: %w", err)
			}
		}
	}
	return f, nil
}

// isLarge reports whether the files of a campaign take long.
func (f *Files) isLarge(ratings, translations int) bool { return ratings+translations >= f.Large }

// description is the path of the file that describes the one with a key.
func (f *Files) description(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(f.Dir, strings.TrimSuffix(describedBy, "*")+hex.EncodeToString(sum[:16]))
}

// path is where a file stands.
func (f *Files) path(p PreparedFile) string { return filepath.Join(f.Dir, filepath.Base(p.File)) }

// find is the file that is kept under a key.
func (f *Files) find(key string) (PreparedFile, bool) {
	p, err := describe(f.description(key))
	if err == nil {
		_, err = os.Stat(f.path(p))
	}
	return p, err == nil && p.Key == key
}

// describe reads the description of a file.
func describe(path string) (p PreparedFile, err error) {
	text, err := os.ReadFile(filepath.Clean(path))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	return p, err
}

// Keep keeps a file in place of the one with the same key, and deletes old ones. Where
// there are too many, the oldest goes.
func (f *Files) Keep(key string, p PreparedFile) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p.Key = key
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	old, replaced := f.find(key)
	made, err := os.CreateTemp(f.Dir, filePattern)
	if err != nil {
		return err
	}
	_, err = made.Write(text)
	if err = errors.Join(err, made.Close()); err == nil {
		err = os.Rename(made.Name(), f.description(key))
	}
	if err != nil {
		return errors.Join(err, os.Remove(made.Name()))
	}
	if replaced {
		_ = os.Remove(f.path(old))
	}
	all := f.all()
	for i, kept := range all {
		if i < len(all)-filesKept || f.now().Sub(kept.At) >= fileKept {
			f.remove(kept)
		}
	}
	f.removeOrphans(all)
	return nil
}

// all lists the files that are kept, the oldest first.
func (f *Files) all() (all []PreparedFile) {
	paths, _ := filepath.Glob(filepath.Join(f.Dir, describedBy)) // the pattern is good
	for _, path := range paths {
		if p, err := describe(path); err == nil {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b PreparedFile) int { return a.At.Compare(b.At) })
	return all
}

// remove deletes a kept file. A reader who is fetching it has it open, and gets all of it.
func (f *Files) remove(p PreparedFile) {
	_ = os.Remove(f.description(p.Key))
	_ = os.Remove(f.path(p))
}

// removeOrphans deletes files that a killed server has left half written.
func (f *Files) removeOrphans(described []PreparedFile) {
	paths, _ := filepath.Glob(filepath.Join(f.Dir, filePattern)) // the pattern is good
	for _, path := range paths {
		known := slices.ContainsFunc(described, func(p PreparedFile) bool { return f.path(p) == path })
		if info, err := os.Stat(path); err == nil && !known && time.Since(info.ModTime()) >= fileKept {
			_ = os.Remove(path)
		}
	}
}

// Forget deletes the kept files of a campaign that was deleted.
func (f *Files) Forget(campaignID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.all() {
		if id, _, _ := strings.Cut(p.Key, "/"); id == campaignID {
			f.remove(p)
		}
	}
}

// empty deletes all files that a server has made in the folder.
func (f *Files) empty() error {
	for _, pattern := range []string{filePattern, describedBy} {
		names, err := fs.Glob(os.DirFS(f.Dir), pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := os.Remove(filepath.Join(f.Dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// stop ends the jobs. It deletes the files unless other servers use them.
func (f *Files) stop() {
	f.Runner.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Dir != "" && !f.shared {
		_ = f.empty()
		_ = os.Remove(f.Dir) // fails if it holds a file of somebody else
	}
}

// makeDir makes a temporary folder if no folder is named.
func (f *Files) makeDir() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Dir == "" {
		f.Dir, err = os.MkdirTemp("", "annotate-work-")
	}
	return err
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
	elsewhere          bool // another server held the job, which may be over before this one waits for it
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
		if kept, ok := h.Files.find(w.key); (w.elsewhere || jobs.Waited(ctx)) && ok && kept.State == state {
			return kept, nil // another server has prepared it
		}
		now, err := h.store.Records.Campaign(ctx, w.campaign.Slug) // its settings may have changed while the job waited
		if err != nil {
			return PreparedFile{}, err
		}
		now.Settings.Pseudonyms = w.campaign.Settings.Pseudonyms // which the key of the file names
		w.campaign, w.report.campaign = now, now
		p := PreparedFile{Name: w.name, ContentType: w.contentType, State: state, At: h.Config.Now()}
		if err := h.Files.makeDir(); err != nil {
			return PreparedFile{}, err
		}
		var path string
		path, p.Size, err = h.Files.write(func(to io.Writer) error {
			to = &progressWriter{ctx: ctx, to: to, say: say, all: last.Size}
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
			_, p.Notes, err = transfer.ExportWithNotes(ctx, h.store, w.campaign, w.format, w.selection, to)
			return err
		})
		if err != nil {
			return PreparedFile{}, err
		}
		p.File = filepath.Base(path)
		if err := h.Files.Keep(w.key, p); err != nil {
			return PreparedFile{}, errors.Join(err, os.Remove(path))
		}
		if _, err := h.store.Records.Campaign(ctx, w.campaign.Slug); errors.Is(err, campaign.ErrNotFound) {
			h.Files.Forget(w.campaign.ID) // it was deleted meanwhile
		}
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
	v := setup.FileView{
		Page:   h.PageAt(c, w.title, "export"),
		Title:  w.title,
		Name:   w.name,
		Format: w.format,
		Query:  w.query,
		Clock:  h.Clock(w.campaign.Settings.Location()),
	}
	if w.format == archiveFile {
		v.Here = "report"
	}
	j, err := h.fileJob(c, w)
	if err != nil {
		return err
	}
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
		v.Ready, v.Size, v.At, v.Notes = true, kept.Size, kept.At, kept.Notes
		state, err := evaluation.ReportState(c.Request().Context(), h.store, w.campaign, w.report.beside)
		if err != nil {
			return err
		}
		v.Stale = state != kept.State
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
		if state == p.State {
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
	j, err := h.fileJob(c, w)
	if err != nil {
		return err
	}
	return site.AnswerStatus(c, j)
}

// fileJob is the latest job that prepares a file, here or on another server; nil if none is known.
func (h *Handlers) fileJob(c *echo.Context, w wantedFile) (*parallel.Job[PreparedFile], error) {
	if j := h.Files.Runner.Find(w.key); j != nil || !h.Files.shared {
		return j, nil
	}
	lease, err := h.store.Jobs.Elsewhere(c.Request().Context(), fileKind, w.key)
	if err != nil || lease == nil {
		return nil, err
	}
	w.elsewhere = true
	return h.prepare(w), nil
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
	f, err := os.Open(h.Files.path(p))
	if errors.Is(err, fs.ErrNotExist) { // a newer one took its place just now
		return campaign.ErrNotFound
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return h.SendFile(c, f, p.ContentType, p.Name)
}
