package server

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/store"
	"annotate/web/templates"
)

// idleDays is after how many days without work the desk names an annotator.
const idleDays = 3

// overview is the lead's desk.
func (s *Server) overview(c echo.Context) error {
	m := here(c)
	p, err := s.store.Progress(c.Request().Context(), m.campaign)
	if err != nil {
		return err
	}
	v := templates.OverviewView{
		Page: s.pageAt(c, m.campaign.Title, "overview"), Clock: s.clock(m.campaign.Settings.Location()),
		Settings: m.campaign.Settings, Segments: templates.Counts(p.Segments), Annotators: annotatorRows(p.Annotators),
		Systems: p.Systems, Ratings: p.Ratings, OpenProblems: p.OpenProblems, Stranded: p.Stranded, IdleDays: idleDays,
	}
	for _, d := range p.Domains {
		v.Domains = append(v.Domains, templates.DomainRow{Domain: d.Domain, Segments: templates.Counts(d.Segments)})
	}
	return s.render(c, http.StatusOK, templates.Overview(v))
}

func annotatorRows(annotators []store.AnnotatorProgress) []templates.AnnotatorRow {
	rows := make([]templates.AnnotatorRow, len(annotators))
	for i, a := range annotators {
		rows[i] = templates.AnnotatorRow{
			Login: a.User.Login, Name: a.User.Name, Removed: a.Removed, Segments: a.Segments, Ratings: a.Ratings, Seconds: a.Seconds,
			Open: a.Open, Second: a.Second, Today: a.Today, LastSeen: a.LastSeen, Submitted: a.Submitted,
		}
	}
	return rows
}

// annotators shows what each annotator has done.
func (s *Server) annotators(c echo.Context) error {
	m := here(c)
	p, err := s.store.Progress(c.Request().Context(), m.campaign)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, templates.Annotators(templates.AnnotatorsView{
		Page: s.pageAt(c, "Annotators", "annotators"), Clock: s.clock(m.campaign.Settings.Location()),
		Annotators: annotatorRows(p.Annotators), Quota: m.campaign.Settings.Quota, IdleSeconds: m.campaign.Settings.IdleSeconds,
	}))
}

// changeState opens, pauses or closes the campaign.
func (s *Server) changeState(c echo.Context) error {
	m, state := here(c), campaign.State(c.FormValue("state"))
	said := map[campaign.State]string{
		campaign.Open: "The campaign is open.", campaign.Paused: "The campaign is paused.", campaign.Closed: "The campaign is closed.",
	}[state]
	if said == "" {
		return campaign.Invalid("state", fmt.Sprintf("%q is none of open, paused, closed", state))
	}
	err := s.store.ChangeCampaign(c.Request().Context(), m.campaign.ID, me(c).ID, store.CampaignChange{State: &state})
	if err != nil {
		return err
	}
	return s.done(c, said, "/campaigns/"+m.campaign.Slug)
}

const auditPerPage = 100

// audit shows who did what, the latest first.
func (s *Server) audit(c echo.Context) error {
	m, number := here(c), max(1, atoi(c.QueryParam("page")))
	entries, total, err := s.store.AuditLog(c.Request().Context(), m.campaign.ID, (number-1)*auditPerPage, auditPerPage)
	if err != nil {
		return err
	}
	v := templates.AuditView{
		Page: s.pageAt(c, "Audit log", "audit"), Clock: s.clock(m.campaign.Settings.Location()),
		Paging: templates.Paging{Number: number, Size: auditPerPage, Total: total},
	}
	for _, e := range entries {
		v.Entries = append(v.Entries, templates.AuditRow(e))
	}
	return s.render(c, http.StatusOK, templates.Audit(v))
}
