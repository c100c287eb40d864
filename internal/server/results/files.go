package results

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
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
	// fileKind is the kind of the jobs that prepare files.
	fileKind = "file"
	// archiveFile is the name of the archive among the formats of exports.
	archiveFile = "archive"
)

// filesKept says how files are kept that nobody prepares anew. Each choice of a report has an
// archive of its own, so that there can be any number of them.
var filesKept = site.Keeping{Kind: fileKind, Lasts: 24 * time.Hour, Most: 50}

// Files prepares exports and archives of large campaigns in the background, and keeps
// them in the work folder to be fetched.
type Files struct {
	Large  int
	folder *site.Folder
	Runner *parallel.Runner[PreparedFile]
}

// A PreparedFile is a file that is ready.
type PreparedFile struct {
	Name        string // for the visitor
	ContentType string
	State       string // of the campaign's data that it was computed from
	At          time.Time
	Notes       []string // what of the campaign it can't carry, as [transfer.ExportWithNotes] says
	kept        site.KeptFile
}

func newFiles(s *site.Site) *Files {
	return &Files{Large: largeFile, folder: s.Folder, Runner: parallel.NewRunner[PreparedFile](filesAtOnce, s.Now, &s.Requests)}
}

// isLarge reports whether the files of a campaign take long.
func (f *Files) isLarge(ratings, translations int) bool { return ratings+translations >= f.Large }

// find is the file that is kept under a key.
func (f *Files) find(key string) (p PreparedFile, ok bool) {
	k, ok := f.folder.Find(filesKept, key)
	if !ok || len(k.Files) != 1 || json.Unmarshal(k.About, &p) != nil {
		return p, false
	}
	p.kept = k.Files[0]
	return p, true
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
		p.kept, err = h.Folder.Write(w.name, func(to io.Writer) error {
			to = &progressWriter{ctx: ctx, to: to, say: say, all: last.kept.Size}
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
		if err := h.Folder.Keep(filesKept, w.key, p, []site.KeptFile{p.kept}); err != nil {
			h.Folder.Delete(p.kept)
			return PreparedFile{}, err
		}
		if _, err := h.store.Records.Campaign(ctx, w.campaign.Slug); errors.Is(err, campaign.ErrNotFound) {
			h.Folder.Forget(w.campaign.ID) // it was deleted meanwhile
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
		v.Ready, v.Size, v.At, v.Notes = true, kept.kept.Size, kept.At, kept.Notes
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
	if j := h.Files.Runner.Find(w.key); j != nil || !h.Folder.Shared {
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
	f, err := h.Folder.Open(p.kept)
	if errors.Is(err, fs.ErrNotExist) { // a newer one took its place just now
		return campaign.ErrNotFound
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return h.SendFile(c, f, p.ContentType, p.Name)
}
