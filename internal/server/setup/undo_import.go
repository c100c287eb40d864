package setup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/parallel"
	"annotate/internal/readmodel"
	"annotate/internal/server/site"
	"annotate/internal/wording"
	"annotate/web/templates/setup"
)

// askUndoImport shows the page that asks whether to undo an import, or says why it can't be undone.
func (h *Handlers) askUndoImport(c *echo.Context) error {
	of := site.Here(c).Campaign
	i, err := h.store.Intake.CheckUndo(c.Request().Context(), of, c.Param("import"))
	if err != nil && !errors.Is(err, campaign.ErrConflict) {
		return err
	}
	return h.showUndoImport(c, http.StatusOK, i, err)
}

// showUndoImport renders the page that asks whether to undo an import. If refused is not nil, it says
// why the import can't be undone.
func (h *Handlers) showUndoImport(c *echo.Context, status int, i readmodel.Import, refused error) error {
	v := setup.UndoImportView{Page: h.PageAt(c, "Undo an import", "import"), Import: i}
	if refused != nil {
		v.Refused = wording.Capital(site.InWords(refused)) + "."
	}
	return h.Render(c, status, setup.UndoImport(v))
}

// undoImport undoes an import. If the undo takes long, it goes on in the background, and undoImport
// leads to the page of imports, which shows its progress.
func (h *Handlers) undoImport(c *echo.Context) error {
	of, ctx := site.Here(c).Campaign, c.Request().Context()
	i, err := h.store.Intake.CheckUndo(ctx, of, c.Param("import"))
	if errors.Is(err, campaign.ErrConflict) {
		return h.showUndoImport(c, http.StatusConflict, i, err)
	}
	if err != nil {
		return err
	}
	j, err := h.Imports.undo(ctx, of, i, site.Me(c).ID)
	if err != nil {
		return h.showUndoImport(c, http.StatusConflict, i, err)
	}
	select {
	case <-j.Done():
		h.Imports.Runner.Forget(j)
		outcome, err := j.Result()
		if err := errors.Join(err, h.store.Intake.UnmarkImport(ctx, of.ID)); err != nil {
			return err
		}
		if outcome.Refusal != nil {
			return h.showUndoImport(c, http.StatusConflict, i, outcome.refused)
		}
		return h.Done(c, "The import of "+wording.Files(i.Files)+" was undone.", "/campaigns/"+of.Slug+"/import")
	case <-time.After(h.Imports.Patience):
		return site.Redirect(c, "/campaigns/"+of.Slug+"/import")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// undoKey names the job that undoes an import into a campaign.
func undoKey(campaignID string) string { return "undo " + campaignID }

// errUndoing is the error of an undo while another import into the campaign is being undone on the web.
var errUndoing = fmt.Errorf("another import into this campaign is being undone; wait until it has ended, and then undo this one: %w", campaign.ErrConflict)

// undo starts to undo an import in the background, unless the import is being undone already. The error
// is errUndoing if another import into the campaign is being undone.
func (i *Imports) undo(ctx context.Context, of campaign.Campaign, what readmodel.Import, byID string) (*importJob, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if j := i.Runner.Find(undoKey(of.ID)); j != nil && !j.Over() && i.undoing[of.ID] != what.ID {
		return nil, errUndoing
	}
	i.undoing[of.ID] = what.ID
	actor := context.WithoutCancel(ctx) // names the user for the logs
	return i.Runner.Start(undoKey(of.ID), func(ctx context.Context, say parallel.Say) (importOutcome, error) {
		acting, stop := context.WithCancel(actor)
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		say("the import of "+wording.Files(what.Files)+" is being undone", 0)
		err := i.st.Intake.UndoImport(acting, of.ID, what.ID, intake.UndoOptions{ByID: byID, Progress: func(done, all int) {
			say(fmt.Sprintf("ratings of %s of %s segments are taken back", wording.Count(done), wording.Count(all)),
				float64(done)/float64(max(1, all)))
		}})
		out := importOutcome{Files: what.Files, At: i.now(), Undoing: true}
		if err := out.refuse(err); err != nil {
			return out, err
		}
		return out, i.ended(actor, of.ID, out)
	}, site.LogFailure(i.logger, "undo an import", of), func(err error) {
		i.failed(actor, of.ID, importOutcome{Files: what.Files, Undoing: true}, err)
	}), nil
}
