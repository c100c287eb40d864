package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/transfer"
	"annotate/internal/wording"
	"annotate/web/templates"
	"annotate/web/templates/setup"
)

// ledCampaigns lists the campaigns that the user leads, in order of their slugs, except the campaign
// with the id without. An admin leads all campaigns.
func (s *Server) ledCampaigns(c echo.Context, without string) ([]campaign.Campaign, error) {
	u := me(c)
	mine, err := s.store.CampaignsOf(c.Request().Context(), u.ID)
	if err == nil && u.Role == accounts.Admin {
		mine, err = s.withAll(c, mine)
	}
	var out []campaign.Campaign
	for _, m := range mine {
		if m.Role == campaign.Lead && m.Campaign.ID != without {
			out = append(out, m.Campaign)
		}
	}
	return out, err
}

// ledCampaign returns the campaign with a slug among those of ledCampaigns. The error is an ErrNotFound
// if there is none.
func (s *Server) ledCampaign(c echo.Context, slug, without string) (campaign.Campaign, error) {
	led, err := s.ledCampaigns(c, without)
	i := slices.IndexFunc(led, func(x campaign.Campaign) bool { return x.Slug == slug })
	if err != nil || i < 0 {
		return campaign.Campaign{}, errors.Join(err, campaign.ErrNotFound)
	}
	return led[i], nil
}

// campaignOptions returns campaigns as options of a field.
func campaignOptions(list []campaign.Campaign) []templates.Option {
	out := make([]templates.Option, len(list))
	for i, x := range list {
		out[i] = templates.Option{Value: x.Slug, Label: x.Title + " (" + x.Slug + ")"}
	}
	return out
}

// membersToCopy lists the members of a campaign who can be copied into another one. The logins in
// chosen are selected. If chosen is nil, all members who can sign in and are not set aside are.
func (s *Server) membersToCopy(c echo.Context, from campaign.Campaign, chosen []string) ([]setup.MemberChoice, error) {
	members, err := s.store.Members(c.Request().Context(), from.ID)
	var out []setup.MemberChoice
	for _, m := range members {
		if m.Removed {
			continue
		}
		is := slices.Contains(chosen, m.Login)
		if chosen == nil {
			is = m.CanSignIn && !m.SetAside
		}
		out = append(out, setup.MemberChoice{MemberRow: setup.MemberRow(m.Member), Chosen: is})
	}
	return out, err
}

// askCopy shows the form that copies this campaign.
func (s *Server) askCopy(c echo.Context) error {
	of := here(c).campaign
	form := setup.CampaignForm{Title: of.Title, SourceLang: of.SourceLang, TargetLang: of.TargetLang}
	return s.showCopy(c, http.StatusOK, form, nil, nil)
}

func (s *Server) showCopy(c echo.Context, status int, form setup.CampaignForm, chosen []string, wrong map[string]string) error {
	of := here(c).campaign
	members, err := s.membersToCopy(c, of, chosen)
	if err != nil {
		return err
	}
	in, err := s.store.Instructions(c.Request().Context(), of.ID)
	if err != nil {
		return err
	}
	trained, err := s.store.TrainingSet(c.Request().Context(), of)
	if err != nil {
		return err
	}
	v := setup.CopyView{Page: s.pageAt(c, "Copy the campaign", "overview"), Form: form, Members: members, Errors: wrong, OwnGuide: of.Guide != "", Instructions: in.Text != "", Trained: len(trained)}
	return s.render(c, status, setup.Copy(v))
}

// copyCampaign copies this campaign.
func (s *Server) copyCampaign(c echo.Context) error {
	form := setup.CampaignForm{Title: trimmed(c, "title"), Slug: trimmed(c, "slug"), SourceLang: trimmed(c, "source_lang"), TargetLang: trimmed(c, "target_lang")}
	chosen := append([]string{}, c.Request().Form["member"]...)
	to := accounts.CampaignCopy{Title: form.Title, Slug: form.Slug, SourceLang: form.SourceLang, TargetLang: form.TargetLang, Members: chosen}
	if to.Slug == "" {
		to.Slug = slugOf(form.Title)
	}
	refuse := func(status int, field, msg string) error {
		return s.showCopy(c, status, form, chosen, map[string]string{field: msg})
	}
	if _, err := s.store.Campaign(c.Request().Context(), to.Slug); err == nil {
		return refuse(http.StatusUnprocessableEntity, "slug", "there is a campaign with this slug already")
	}
	created, err := s.store.CopyCampaign(c.Request().Context(), here(c).campaign, to, me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return refuse(http.StatusUnprocessableEntity, formField(invalid.Field), invalid.Msg)
	}
	if status := statusOf(err); err != nil && status != http.StatusInternalServerError {
		return refuse(status, "", sentence(inWords(err)))
	}
	if err != nil {
		return err
	}
	trained, err := transfer.CopyTraining(c.Request().Context(), s.store, here(c).campaign, created, me(c).ID)
	if err != nil {
		return fmt.Errorf("campaign %s was created, but its training set was not copied: %w", created.Slug, err)
	}
	said := "The campaign was created from " + here(c).campaign.Title + "."
	if trained > 0 {
		said += " Its training set came with it; switch it on under Training."
	}
	return s.done(c, said+" Next: import its segments.", "/campaigns/"+created.Slug)
}

// askCopyMembers shows the form that chooses members of another campaign that the user leads.
func (s *Server) askCopyMembers(c echo.Context) error {
	return s.showCopyMembers(c, http.StatusOK, c.QueryParam("from"), nil, "")
}

func (s *Server) showCopyMembers(c echo.Context, status int, slug string, chosen []string, wrong string) error {
	of := here(c).campaign
	from, err := s.ledCampaign(c, slug, of.ID)
	if err != nil {
		return err
	}
	members, err := s.membersToCopy(c, from, chosen)
	if err != nil {
		return err
	}
	there, err := s.store.Members(c.Request().Context(), of.ID)
	if err != nil {
		return err
	}
	v := setup.CopyMembersView{Page: s.pageAt(c, "Copy members", "members"), From: campaignView(from, campaign.Lead, false)}
	if wrong != "" {
		v.Errors = map[string]string{"": wrong}
	}
	for _, m := range members {
		if slices.ContainsFunc(there, func(x accounts.Membership) bool { return x.Login == m.Login && !x.Removed }) {
			v.There++
		} else {
			v.Members = append(v.Members, m)
		}
	}
	return s.render(c, status, setup.CopyMembers(v))
}

// copyMembers adds members of another campaign to this one.
func (s *Server) copyMembers(c echo.Context) error {
	of := here(c).campaign
	from, err := s.ledCampaign(c, c.FormValue("from"), of.ID)
	if err != nil {
		return err
	}
	chosen := append([]string{}, c.Request().Form["member"]...)
	if len(chosen) == 0 {
		return s.showCopyMembers(c, http.StatusUnprocessableEntity, from.Slug, chosen, "Choose at least one person.")
	}
	added, err := s.store.CopyMembers(c.Request().Context(), of, from, chosen, me(c).ID)
	if status := statusOf(err); err != nil && status != http.StatusInternalServerError {
		return s.showCopyMembers(c, status, from.Slug, chosen, fmt.Sprintf("Nobody was added. %s", sentence(inWords(err))))
	}
	if err != nil {
		return err
	}
	return s.done(c, wording.Counted(len(added), "member")+" came from "+from.Title+".", "/campaigns/"+of.Slug+"/members")
}
