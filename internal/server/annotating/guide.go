package annotating

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/markdown"
	"annotate/internal/server/site"
	"annotate/web/templates/annotating"
)

// guide shows what annotators are told, and to a lead the form to write it.
func (h *Handlers) guide(c *echo.Context) error {
	m := site.Here(c)
	text := m.Campaign.Guide
	text = cmp.Or(text, m.Campaign.Rules.Markdown())
	return h.showGuide(c, http.StatusOK, annotating.GuideView{Own: renderedGuide(m.Campaign), Text: text})
}

// showGuide renders the page; v has what is shown and what is in the form.
func (h *Handlers) showGuide(c *echo.Context, status int, v annotating.GuideView) error {
	m := site.Here(c)
	v.Page, v.Protocol, v.HasOwn = h.PageAt(c, "Guide", "guide"), m.Campaign.Rules, m.Campaign.Guide != ""
	v.MayEdit, v.MaxBytes = m.ShownRole() == campaign.Lead, campaign.MaxGuide
	if v.Was == "" {
		v.Was = campaign.GuideVersion(m.Campaign.Guide)
	}
	return h.Render(c, status, annotating.Guide(v))
}

// changeGuide saves what a lead wrote, shows it without saving, or goes back to the
// protocol's own guide. A text that is refused is shown again as it was typed.
func (h *Handlers) changeGuide(c *echo.Context) error {
	m, text, was := site.Here(c), c.FormValue("text"), c.FormValue("was")
	act := c.FormValue("act")
	if act == "clear" {
		text = ""
	}
	again := func(v annotating.GuideView) error {
		v.Text, v.Was = text, was
		if v.Error == "" {
			v.Own, v.Previews = markdown.Render(text), true
			return h.showGuide(c, http.StatusOK, v)
		}
		v.Own = renderedGuide(m.Campaign)
		return h.showGuide(c, http.StatusUnprocessableEntity, v)
	}
	clean, err := campaign.CleanGuide(text)
	if err != nil {
		return again(annotating.GuideView{Error: site.InvalidText(err)})
	}
	text = clean
	if problems := markdown.Check(text); len(problems) > 0 {
		return again(annotating.GuideView{Error: "The text has something that can't be shown.", Problems: problemTexts(problems)})
	}
	switch act {
	case "preview":
		return again(annotating.GuideView{})
	case "save", "clear":
	default:
		return campaign.Invalid("act", "use save, preview or clear")
	}
	err = h.records.SetGuide(c.Request().Context(), m.Campaign.ID, site.Me(c).ID, text, was)
	if _, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return again(annotating.GuideView{Error: site.InvalidText(err)})
	}
	if errors.Is(err, campaign.ErrConflict) && act == "save" {
		// The typed text stays in the form; sending it once more replaces the other.
		was = campaign.GuideVersion(m.Campaign.Guide)
		return again(
			annotating.GuideView{
				Error: "Somebody else changed the guide meanwhile. Their guide is shown above and yours below. If you save again, yours replaces theirs.",
			},
		)
	}
	if err != nil {
		return err
	}
	said := "The guide was saved."
	if text == "" {
		said = "The protocol's own guide is shown again."
	}
	return h.Done(c, said, "/campaigns/"+m.Campaign.Slug+"/guide")
}

// closeGuide stores that the annotator has closed the guide that opened by itself.
func (h *Handlers) closeGuide(c *echo.Context) error {
	if err := h.work.CloseGuide(c.Request().Context(), site.Here(c).Campaign.ID, site.Me(c).ID); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// problemTexts are the first problems of a text, in words.
func problemTexts(problems []markdown.Problem) []string {
	const most = 20
	var out []string
	for i, p := range problems {
		if i == most {
			out = append(out, "… and more")
			break
		}
		text := p.Error()
		out = append(out, strings.ToUpper(text[:1])+text[1:]+".")
	}
	return out
}

// rendered is the guide of a campaign with its HTML.
type rendered struct{ text, html string }

// renderedGuides keeps the guide of each campaign, since every page of work has it.
var renderedGuides sync.Map // of campaign ids to rendered

// renderedGuide is the HTML of what the lead of a campaign wrote; empty where the
// protocol's own guide is shown.
func renderedGuide(c campaign.Campaign) string {
	if c.Guide == "" {
		return ""
	}
	if r, ok := renderedGuides.Load(c.ID); ok && r.(rendered).text == c.Guide {
		return r.(rendered).html
	}
	r := rendered{c.Guide, markdown.Render(c.Guide)}
	renderedGuides.Store(c.ID, r)
	return r.html
}
