package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/job"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates/setup"
)

// askUndoImport shows the page that asks whether to undo an import, or says why it can't be undone.
func (s *Server) askUndoImport(c echo.Context) error {
	of := here(c).campaign
	i, err := s.store.CheckUndo(c.Request().Context(), of, c.Param("import"))
	if err != nil && !errors.Is(err, campaign.ErrConflict) {
		return err
	}
	return s.showUndoImport(c, http.StatusOK, i, err)
}

// showUndoImport renders the page that asks whether to undo an import. If refused is not nil, it says
// why the import can't be undone.
func (s *Server) showUndoImport(c echo.Context, status int, i readmodel.Import, refused error) error {
	v := setup.UndoImportView{Page: s.pageAt(c, "Undo an import", "import"), Clock: s.clock(here(c).campaign.Settings.Location()), Import: i}
	if refused != nil {
		v.Refused = wording.Capital(inWords(refused)) + "."
	}
	return s.render(c, status, setup.UndoImport(v))
}

// undoImport undoes an import. If the undo takes long, it goes on in the background, and undoImport
// leads to the page of imports, which shows its progress.
func (s *Server) undoImport(c echo.Context) error {
	of, ctx := here(c).campaign, c.Request().Context()
	i, err := s.store.CheckUndo(ctx, of, c.Param("import"))
	if errors.Is(err, campaign.ErrConflict) {
		return s.showUndoImport(c, http.StatusConflict, i, err)
	}
	if err != nil {
		return err
	}
	j, err := s.imports.undo(ctx, of, i, me(c).ID)
	if err != nil {
		return s.showUndoImport(c, http.StatusConflict, i, err)
	}
	select {
	case <-j.Done():
		s.imports.runner.Forget(j)
		outcome, err := j.Result()
		if err != nil {
			return err
		}
		if outcome.refused != nil {
			return s.showUndoImport(c, http.StatusConflict, i, outcome.refused)
		}
		return s.done(c, "The import of "+i.Files+" was undone.", "/campaigns/"+of.Slug+"/import")
	case <-time.After(s.imports.patience):
		return redirect(c, "/campaigns/"+of.Slug+"/import")
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
func (i *imports) undo(ctx context.Context, of campaign.Campaign, what readmodel.Import, byID string) (*importJob, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if j := i.runner.Find(undoKey(of.ID)); j != nil && !j.Over() && i.undoing[of.ID] != what.ID {
		return nil, errUndoing
	}
	i.undoing[of.ID] = what.ID
	actor := context.WithoutCancel(ctx) // names the user for the logs
	return i.runner.Start(undoKey(of.ID), func(ctx context.Context, say job.Say) (importOutcome, error) {
		acting, stop := context.WithCancel(actor)
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		say("the import of "+what.Files+" is being undone", 0)
		err := i.st.UndoImport(acting, of.ID, what.ID, intake.UndoOptions{ByID: byID, Progress: func(done, all int) {
			say(fmt.Sprintf("ratings of %s of %s segments are taken back", wording.Count(done), wording.Count(all)), float64(done)/float64(max(1, all)))
		}})
		out := importOutcome{files: what.Files, at: i.now()}
		if errors.Is(err, campaign.ErrConflict) {
			out.refused, err = err, nil
		}
		out.undone = err == nil && out.refused == nil
		return out, err
	}, logFailure(i.logger, "undo an import", of)), nil
}
