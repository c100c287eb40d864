package setup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/parallel"
	"annotate/internal/readmodel"
	"annotate/internal/server/site"
	"annotate/internal/store"
	"annotate/internal/transfer"
	"annotate/internal/wording"
	"annotate/web/templates/setup"
)

const (
	// importsAtOnce is how many imports go on at a time, each into a campaign of its own.
	importsAtOnce = 2
	// interruptedKept is how long the page tells of an import that was interrupted.
	interruptedKept = 24 * time.Hour
	// outcomeKept is how long the page shows the outcome of an import that has ended.
	outcomeKept = time.Hour
)

// importKind is the kind of the jobs that import and undo.
const importKind = "import"

// Imports takes uploaded files into campaigns in the background. Whoever sent them may
// leave the page and come back for the result.
type Imports struct {
	st     *store.Store
	kept   keptUploads // has the files of imports that stored nothing
	logger *slog.Logger
	now    func() time.Time
	Runner *parallel.Runner[importOutcome]
	// Patience is how long the answer to an upload waits for its end. Most imports are
	// over by then, and need no page about their progress.
	Patience time.Duration
	// Read is called before a job reads a part of its files. Tests set it.
	Read func(ctx context.Context)

	mu      sync.Mutex        // of start and undo
	undoing map[string]string // id of the import that the latest job undoes, by campaign id
}

// An importJob takes files in.
type importJob = parallel.Job[importOutcome]

// An importOutcome is the end of an import, or of undoing one: what it brought, or why it was refused. The database keeps it in JSON,
// so that each server can show it.
type importOutcome struct {
	Form    setup.ImportForm
	Files   string // their names
	At      time.Time
	Report  readmodel.ImportReport
	Undoing bool // the job was to undo an import
	Refusal *refusal
	Failed  string // why the job failed, in words; empty: it did not

	refused error // what Refusal is of
}

// A refusal is why an import was refused. One of its fields is filled.
type refusal struct {
	Problems *campaign.Problems
	Invalid  *campaign.InvalidError
	Conflict string
}

// refuse notes the error of an import or of undoing one. It returns the error if it is no refusal.
func (o *importOutcome) refuse(err error) error {
	problems, isProblems := errors.AsType[*campaign.Problems](err)
	invalid, isInvalid := errors.AsType[*campaign.InvalidError](err)
	switch {
	case isProblems:
		o.Refusal = &refusal{Problems: problems}
	case isInvalid:
		o.Refusal = &refusal{Invalid: invalid}
	case errors.Is(err, campaign.ErrConflict):
		o.Refusal = &refusal{Conflict: site.InWords(err)}
	default:
		return err
	}
	o.refused = err
	return nil
}

func newImports(s *site.Site, st *store.Store, kept keptUploads) *Imports {
	i := &Imports{
		st: st, kept: kept, logger: s.Logger, now: s.Now, Runner: parallel.NewRunner[importOutcome](importsAtOnce, s.Now, &s.Requests),
		Patience: 1200 * time.Millisecond, Read: func(context.Context) {}, undoing: map[string]string{},
	}
	i.Runner.Claim = st.Jobs.Claims(importKind)
	return i
}

// errImporting: a campaign takes one import at a time from the web.
var errImporting = fmt.Errorf("another import into this campaign is under way; wait until it is over, and import these files then: %w", campaign.ErrConflict)

// start begins an import. The files are kept if they were only checked, or refused, or if another
// import into the campaign is under way, for which the error is errImporting; the form then names
// them. Otherwise they are deleted when the import is over.
func (i *Imports) start(ctx context.Context, u *uploadedImport) (*importJob, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	var gone sync.Once // the files are deleted, or kept
	forget := func() { gone.Do(u.forget) }
	elsewhere, err := i.st.Jobs.Elsewhere(ctx, importKind, u.campaign.ID)
	if err != nil {
		forget()
		return nil, err
	}
	if j := i.Runner.Find(u.campaign.ID); elsewhere != nil || j != nil && !j.Over() {
		if !u.program {
			if u.form.Upload, err = i.kept.keep(*u); err != nil {
				return nil, err
			}
		}
		return nil, errImporting
	}
	if err := i.st.Intake.MarkImport(ctx, u.campaign.ID, u.names(), ""); err != nil {
		forget()
		return nil, err
	}
	actor := context.WithoutCancel(ctx) // who imports, for the logs
	j := i.Runner.Start(u.campaign.ID, func(ctx context.Context, say parallel.Say) (importOutcome, error) {
		acting, stop := context.WithCancel(actor)
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		outcome, err := i.run(acting, *u, say)
		if ctx.Err() != nil {
			return outcome, context.Canceled // the mark stays, and the next server tells of it
		}
		if err == nil && (outcome.Refusal != nil || u.form.Check) && !u.program && len(u.files) > 0 {
			kept := *u
			kept.form.Check = u.form.Check && outcome.Refusal != nil
			gone.Do(func() { outcome.Form.Upload, err = i.kept.keep(kept) })
		}
		forget()
		return outcome, cmp.Or(err, i.ended(actor, u.campaign.ID, outcome))
	}, site.LogFailure(i.logger, "import", u.campaign), func(err error) {
		forget()
		i.failed(actor, u.campaign.ID, importOutcome{Form: u.form, Files: u.names()}, err)
	})
	if j.Over() {
		forget() // the server is stopping
	}
	return j, nil
}

// ended keeps what came of a job for the page.
func (i *Imports) ended(ctx context.Context, campaignID string, o importOutcome) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return i.st.Intake.MarkImport(ctx, campaignID, o.Files, string(text))
}

// failed keeps for the page that a job failed. A job that ended with its server has no outcome.
func (i *Imports) failed(ctx context.Context, campaignID string, o importOutcome, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	if o.Failed = importFailure(err); o.Undoing {
		o.Failed = "The import could not be undone: " + o.Failed
	}
	if err := i.ended(ctx, campaignID, o); err != nil {
		i.logger.ErrorContext(ctx, "keep the outcome of an import", "error", err)
	}
}

// run does the import.
func (i *Imports) run(ctx context.Context, u uploadedImport, say parallel.Say) (importOutcome, error) {
	out := importOutcome{Form: u.form, Files: u.names()}
	files, done, err := site.OpenUploads(u.files)
	if err != nil {
		return out, err
	}
	defer done()
	p := &importProgress{say: say, ctx: ctx, before: i.Read, all: u.bytes(), reading: .98}
	if in := format.Lookup(u.form.Format).Input; in != nil && in.Ratings {
		p.reading = .5
	}
	for k := range files {
		files[k].Reader = p.of(files[k].Reader)
	}
	out.Report, err = transfer.Import(ctx, i.st, u.campaign, transfer.Request{
		Format: u.form.Format, Recognised: u.recognised, LanguagePair: u.form.LanguagePair, LeaveOut: u.form.LeaveOut,
		LowerIsBetter: u.form.LowerIsBetter, Group: u.form.Group, Table: u.table, Files: files, ByID: u.byID, Check: u.form.Check,
		Placed: p.placed,
	})
	out.At = i.now()
	return out, out.refuse(err)
}

// fits returns the formats that all files can have, and the one that they certainly have; empty if they leave
// that open, and then the import says so.
func (u uploadedImport) fits() (formats []string, recognised string, err error) {
	files, done, err := site.OpenUploads(u.files)
	if err != nil {
		return nil, "", err
	}
	defer done()
	return transfer.Recognise(u.campaign, files)
}

// An importProgress says how much of the files of an import is read, and then how many of
// their ratings count.
type importProgress struct {
	say     parallel.Say
	ctx     context.Context
	before  func(context.Context)
	done    int64
	all     int64   // bytes of all files
	reading float64 // the share of the import that reading is
}

// of counts what is read of a file.
func (p *importProgress) of(r io.Reader) io.Reader { return &countedReader{p, r} }

type countedReader struct {
	p    *importProgress
	from io.Reader
}

func (r *countedReader) Read(b []byte) (int, error) {
	r.p.before(r.p.ctx)
	n, err := r.from.Read(b)
	r.p.done += int64(n)
	r.p.tell()
	return n, err
}

func (p *importProgress) tell() {
	if p.done >= p.all {
		p.say("everything is read, and is being stored", p.reading)
		return
	}
	p.say(fmt.Sprintf("%.1f of %.1f MB are read", float64(p.done)/1e6, float64(p.all)/1e6), p.reading*float64(p.done)/float64(p.all))
}

// placed says how many of the ratings count.
func (p *importProgress) placed(done, all int) {
	p.say(
		fmt.Sprintf("everything is read, and %s of %s ratings count", wording.Count(done), wording.Count(all)),
		p.reading+(1-p.reading)*float64(done)/float64(max(1, all)),
	)
}
