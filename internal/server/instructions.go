package server

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/markdown"
	"annotate/web/templates/annotating"
)

// instructions shows the instructions that annotators must accept. Annotators get a button that accepts
// them. Leads get a form that changes them, and see who has accepted which version.
func (s *Server) instructions(c echo.Context) error {
	return s.showInstructions(c, http.StatusOK, annotating.InstructionsView{Was: -1})
}

// showInstructions renders the page. v has the values of the form, unless v.Was is negative. Then the
// form has the latest version.
func (s *Server) showInstructions(c echo.Context, status int, v annotating.InstructionsView) error {
	m, ctx := here(c), c.Request().Context()
	in, err := s.store.Instructions(ctx, m.campaign.ID)
	if err != nil {
		return err
	}
	v.Page, v.Clock = s.pageAt(c, "Instructions", "guide"), s.clock(m.campaign.Settings.Location())
	if v.Was < 0 {
		v.Text, v.Was = in.Text, in.Version
	}
	if !v.Previews {
		v.HTML = markdown.Render(in.Text)
	}
	v.Version, v.HasText, v.MaxBytes = in.Version, in.Text != "", campaign.MaxGuide
	switch m.role {
	case campaign.Annotator:
		if v.MustAccept, err = s.store.MustAccept(ctx, m.campaign.ID, me(c).ID); err != nil {
			return err
		}
		v.MustAccept = v.MustAccept && !m.campaign.Archived
	case campaign.Lead:
		v.Accepted = in.Accepted
	}
	return s.render(c, status, annotating.Instructions(v))
}

// changeInstructions stores the text of a lead, or shows a preview without storing it. It shows a
// refused text again in the form.
func (s *Server) changeInstructions(c echo.Context) error {
	m, text, was := here(c), c.FormValue("text"), atoi(c.FormValue("was"))
	again := func(v annotating.InstructionsView) error {
		v.Text, v.Was = text, was
		status := http.StatusUnprocessableEntity
		if v.Error == "" {
			v.HTML, v.Previews, status = markdown.Render(text), true, http.StatusOK
		}
		return s.showInstructions(c, status, v)
	}
	clean, err := campaign.CleanGuide(text)
	if err != nil {
		return again(annotating.InstructionsView{Error: invalidText(err)})
	}
	if problems := markdown.Check(clean); len(problems) > 0 {
		return again(annotating.InstructionsView{Error: "The text has something that can't be shown.", Problems: problemTexts(problems)})
	}
	if c.FormValue("act") == "preview" {
		return again(annotating.InstructionsView{})
	}
	err = s.store.SetInstructions(c.Request().Context(), m.campaign.ID, text, was, me(c).ID)
	if _, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return again(annotating.InstructionsView{Error: invalidText(err)})
	}
	if errors.Is(err, campaign.ErrConflict) && !m.campaign.Archived {
		now, readErr := s.store.Instructions(c.Request().Context(), m.campaign.ID)
		if readErr != nil {
			return readErr
		}
		was = now.Version
		return again(annotating.InstructionsView{Error: "Somebody else changed the instructions meanwhile. Their text is shown above and yours below. If you save again, yours replaces theirs."})
	}
	if err != nil {
		return err
	}
	said := "The instructions were saved. Annotators must accept them before they get their next segment."
	if clean == "" {
		said = "Annotators now have nothing to accept."
	}
	return s.done(c, said, "/campaigns/"+m.campaign.Slug+"/instructions")
}

// accept stores that the annotator accepts the instructions, and leads to the next segment.
func (s *Server) accept(c echo.Context) error {
	m := here(c)
	err := s.store.Accept(c.Request().Context(), m.campaign.ID, atoi(c.FormValue("version")), me(c).ID)
	if errors.Is(err, campaign.ErrConflict) && !m.campaign.Archived {
		return s.done(c, "The lead has changed the instructions meanwhile. Please read the new version.", "/campaigns/"+m.campaign.Slug+"/instructions")
	}
	if err != nil {
		return err
	}
	return s.next(c)
}
