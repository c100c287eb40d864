package server

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/web/templates"
	"annotate/web/templates/monitoring"
	"annotate/web/templates/setup"
)

// clock is the moment and the time zone of a campaign's pages.
func (s *Server) clock(loc *time.Location) templates.Clock {
	return templates.Clock{Now: s.cfg.Now(), Location: loc}
}

// campaigns lists the campaigns that the user leads or researches. For an admin it lists all campaigns
// except those that the admin annotates, because annotators must not see how far a campaign agrees.
// Archived campaigns have a list of their own.
func (s *Server) campaigns(c echo.Context) error {
	ctx, u := c.Request().Context(), me(c)
	mine, err := s.store.CampaignsOf(ctx, u.ID)
	if err != nil {
		return err
	}
	if u.Role == accounts.Admin {
		if mine, err = s.withAll(c, mine); err != nil {
			return err
		}
	}
	mayCreate, err := s.createsCampaigns(c)
	if err != nil {
		return err
	}
	v := monitoring.CampaignsView{Page: s.pageAt(c, "Campaigns", "campaigns"), Clock: s.clock(nil), MayCreate: mayCreate, Archived: c.QueryParam("archived") == "yes"}
	for _, m := range mine {
		if m.Role.Blind() {
			continue
		}
		if m.Campaign.Archived != v.Archived {
			v.Others++
			continue
		}
		item := monitoring.CampaignItem{Campaign: campaignView(m.Campaign, m.Role, m.Adjudicates)}
		p, err := s.store.Standing(ctx, m.Campaign)
		if err != nil {
			return err
		}
		item.Segments, item.Ratings, item.OpenProblems = p.Segments, p.Ratings, p.OpenProblems
		item.Annotators, item.Submitted = p.Members, p.Submitted
		if item.Waiting, err = s.store.Awaited(ctx, m.Campaign, p); err != nil {
			return err
		}
		trainees, err := s.store.WaitingTrainees(ctx, m.Campaign)
		if err != nil {
			return err
		}
		toAnswer, err := s.store.CountToAnswer(ctx, m.Campaign.ID)
		if err != nil {
			return err
		}
		item.Trainees, item.Questions = len(trainees), toAnswer-p.OpenProblems
		item.Redundancy = m.Campaign.Settings.Redundancy
		v.Campaigns = append(v.Campaigns, item)
	}
	return s.render(c, http.StatusOK, monitoring.Campaigns(v))
}

// withAll adds the campaigns an admin is no member of, as a lead.
func (s *Server) withAll(c echo.Context, mine []accounts.CampaignRole) ([]accounts.CampaignRole, error) {
	all, err := s.store.Campaigns(c.Request().Context())
	if err != nil {
		return nil, err
	}
	roles := make(map[string]campaign.Role, len(mine))
	for _, m := range mine {
		roles[m.Campaign.ID] = m.Role
	}
	out := make([]accounts.CampaignRole, len(all))
	for i, found := range all {
		role := roles[found.ID]
		role = cmp.Or(role, campaign.Lead)
		out[i] = accounts.CampaignRole{Campaign: found, Role: role}
	}
	return out, nil
}

// newCampaign shows the form of a new campaign. If the address names a campaign in from, it shows the
// form that copies this campaign.
func (s *Server) newCampaign(c echo.Context) error {
	if slug := c.QueryParam("from"); slug != "" {
		from, err := s.ledCampaign(c, slug, "")
		if err != nil {
			return err
		}
		return redirect(c, "/campaigns/"+from.Slug+"/copy")
	}
	p, _ := protocol.Lookup(protocol.IDs()[0])
	return s.showNewCampaign(c, http.StatusOK, setup.NewCampaignView{Form: setup.EmptyCampaignForm(p)})
}

// showNewCampaign shows the form of a new campaign. v has what was typed and what is wrong with it.
func (s *Server) showNewCampaign(c echo.Context, status int, v setup.NewCampaignView) error {
	v.Page = s.pageAt(c, "New campaign", "campaigns")
	for _, id := range protocol.IDs() {
		p, _ := protocol.Lookup(id)
		v.Protocols = append(v.Protocols, p)
	}
	led, err := s.ledCampaigns(c, "")
	if err != nil {
		return err
	}
	v.From = campaignOptions(led)
	if me(c).Role == accounts.Admin && len(led) == 0 {
		all, err := s.store.Campaigns(c.Request().Context())
		if err != nil {
			return err
		}
		v.First = len(all) == 0
	}
	return s.render(c, status, setup.NewCampaign(v))
}

func (s *Server) createCampaign(c echo.Context) error {
	v := setup.NewCampaignView{Form: typedCampaign(c)}
	form := &v.Form
	refuse := func(field, msg string) error {
		v.Errors = map[string]string{field: msg}
		return s.showNewCampaign(c, http.StatusUnprocessableEntity, v)
	}
	p, err := chooseProtocol(c, form)
	if err != nil {
		return s.refuseProtocol(c, v, err)
	}
	fresh := campaign.Campaign{Slug: form.Slug, Title: form.Title, Protocol: p.ID, SourceLang: form.SourceLang, TargetLang: form.TargetLang}
	if form.Protocol == setup.OwnProtocol {
		fresh.Definition = form.Definition
	}
	if fresh.Slug == "" {
		fresh.Slug = slugOf(form.Title)
	}
	fresh.Settings = campaign.DefaultSettings(p)
	for key, value := range map[string]string{"redundancy": form.Redundancy, "quota": form.Quota, "gate": form.Gate, "threshold": form.Threshold} {
		if value == "" {
			continue
		}
		var err error
		if fresh.Settings, err = fresh.Settings.With(key, value); err != nil {
			return refuse(key, invalidText(err))
		}
	}
	created, err := s.store.CreateCampaign(c.Request().Context(), fresh, me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return refuse(formField(invalid.Field), invalid.Msg)
	}
	if errors.Is(err, campaign.ErrForbidden) {
		v.Errors = map[string]string{"": inWords(err)}
		return s.showNewCampaign(c, http.StatusForbidden, v)
	}
	if errors.Is(err, campaign.ErrConflict) {
		return refuse("slug", "there is a campaign with this slug already")
	}
	if err != nil {
		return err
	}
	return s.done(c, "The campaign was created. Next: import its segments, then invite people.", "/campaigns/"+created.Slug)
}

// formField is the name of the form's field for a field of the campaign.
func formField(field string) string {
	switch field {
	case "source language":
		return "source_lang"
	case "target language":
		return "target_lang"
	}
	return field
}

// invalidText is the text of an InvalidError without its field.
func invalidText(err error) string {
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return invalid.Msg
	}
	return err.Error()
}

func trimmed(c echo.Context, name string) string { return strings.TrimSpace(c.FormValue(name)) }

// slugOf makes a slug of a title: its ASCII letters and digits, joined by
// hyphens; empty if it has none.
func slugOf(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	slug := strings.Join(words, "-")
	return strings.TrimRight(slug[:min(len(slug), 63)], "-")
}
