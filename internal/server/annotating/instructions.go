package annotating

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/markdown"
	"annotate/internal/server/site"
	"annotate/web/templates/annotating"
)

// instructions shows the instructions that annotators must accept. Annotators get a button that accepts
// them. Leads get a form that changes them, and see who has accepted which version.
func (h *Handlers) instructions(c *echo.Context) error {
	return h.showInstructions(c, http.StatusOK, annotating.InstructionsView{Was: -1})
}

// showInstructions renders the page. v has the values of the form, unless v.Was is negative. Then the
// form has the latest version.
func (h *Handlers) showInstructions(c *echo.Context, status int, v annotating.InstructionsView) error {
	m, ctx := site.Here(c), c.Request().Context()
	in, err := h.training.Instructions(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	entry := "instructions"
	if m.Role == campaign.Annotator {
		entry = "guide" // from which annotators come to the instructions
	}
	v.Page = h.PageAt(c, "Instructions", entry)
	if v.Was < 0 {
		v.Text, v.Was = in.Text, in.Version
	}
	if !v.Previews {
		v.HTML = markdown.Render(in.Text)
	}
	v.Version, v.HasText, v.MaxBytes = in.Version, in.Text != "", campaign.MaxGuide
	switch m.Role {
	case campaign.Annotator:
		if v.MustAccept, err = h.training.MustAccept(ctx, m.Campaign.ID, site.Me(c).ID); err != nil {
			return err
		}
		v.MustAccept = v.MustAccept && !m.Campaign.Archived
	case campaign.Lead:
		v.Accepted = in.Accepted
	}
	return h.Render(c, status, annotating.Instructions(v))
}

// changeInstructions stores the text of a lead, or shows a preview without storing it. It shows a
// refused text again in the form.
func (h *Handlers) changeInstructions(c *echo.Context) error {
	m, text, was := site.Here(c), c.FormValue("text"), site.Atoi(c.FormValue("was"))
	again := func(v annotating.InstructionsView) error {
		v.Text, v.Was = text, was
		status := http.StatusUnprocessableEntity
		if v.Error == "" {
			v.HTML, v.Previews, status = markdown.Render(text), true, http.StatusOK
		}
		return h.showInstructions(c, status, v)
	}
	clean, err := campaign.CleanGuide(text)
	if err != nil {
		return again(annotating.InstructionsView{Error: site.InvalidText(err)})
	}
	if problems := markdown.Check(clean); len(problems) > 0 {
		return again(annotating.InstructionsView{Error: "The text has something that can't be shown.", Problems: problemTexts(problems)})
	}
	if c.FormValue("act") == "preview" {
		return again(annotating.InstructionsView{})
	}
	err = h.training.SetInstructions(c.Request().Context(), m.Campaign.ID, text, was, site.Me(c).ID)
	if _, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return again(annotating.InstructionsView{Error: site.InvalidText(err)})
	}
	if errors.Is(err, campaign.ErrConflict) && !m.Campaign.Archived {
		now, readErr := h.training.Instructions(c.Request().Context(), m.Campaign.ID)
		if readErr != nil {
			return readErr
		}
		was = now.Version
		return again(
			annotating.InstructionsView{
				Error: "Somebody else changed the instructions meanwhile. Their text is shown above and yours below. If you save again, yours replaces theirs.",
			},
		)
	}
	if err != nil {
		return err
	}
	said := "The instructions were saved. Annotators must accept them before they get their next segment."
	if clean == "" {
		said = "Annotators now have nothing to accept."
	}
	return h.Done(c, said, "/campaigns/"+m.Campaign.Slug+"/instructions")
}

// accept stores that the annotator accepts the instructions, and leads to the next segment.
func (h *Handlers) accept(c *echo.Context) error {
	m := site.Here(c)
	err := h.training.Accept(c.Request().Context(), m.Campaign.ID, site.Atoi(c.FormValue("version")), site.Me(c).ID)
	if errors.Is(err, campaign.ErrConflict) && !m.Campaign.Archived {
		return h.Done(c, "The lead has changed the instructions meanwhile. Please read the new version.",
			"/campaigns/"+m.Campaign.Slug+"/instructions")
	}
	if err != nil {
		return err
	}
	return h.next(c)
}
