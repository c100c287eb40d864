package monitoring

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/desk"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/server/site"
	"annotate/internal/wire"
	"annotate/web/templates"
	"annotate/web/templates/monitoring"
)

// idleDays is after how many days without work the desk names an annotator.
const idleDays = campaign.IdleDays

// overview is the lead's desk.
func (h *Handlers) overview(c *echo.Context) error {
	m, ctx := site.Here(c), c.Request().Context()
	v, err := h.standing(ctx, h.PageAt(c, m.Campaign.Title, "overview"), m.Campaign, m.People)
	if err != nil {
		return err
	}
	if v.Ratings == 0 {
		return h.Render(c, http.StatusOK, monitoring.Overview(v))
	}
	matrices, err := h.desk.Matrices(ctx, m.Campaign, false)
	if err != nil {
		return err
	}
	scores, err := h.desk.ScoreDistributions(ctx, m.Campaign)
	if err != nil {
		return err
	}
	v.Matrices = matricesView(*v.Campaign, comparable(campaign.Hidden(m.People, matrices)), m.Campaign.Settings.Nominal, false)
	if v.Matrices.Wide() { // the page of agreement, to which a link above the heatmaps leads, has theirs
		v.Matrices.Segment, v.Matrices.System = v.Matrices.Segment.WithoutLinks(), v.Matrices.System.WithoutLinks()
	}
	v.Scores = scoreHistograms(*v.Campaign, campaign.Hidden(m.People, scores))
	return h.Render(c, http.StatusOK, monitoring.Overview(v))
}

// standing reads how far a campaign has come and what needs a decision in it. people are the pseudonyms under
// which the user sees its people.
func (h *Handlers) standing(ctx context.Context, page templates.Page, c campaign.Campaign, people *campaign.Pseudonyms) (v monitoring.OverviewView, err error) {
	p, err := h.desk.Progress(ctx, c)
	if err != nil {
		return v, err
	}
	p = campaign.Hidden(people, p)
	v = monitoring.OverviewView{
		Page:       page,
		OfSegments: c.Rules.OfSegments(), GivenTerms: c.Rules.Given != "", Standing: p.Standing, Waiting: p.Waiting, Settings: c.Settings,
		Annotators: annotatorRows(p.Annotators), IdleDays: idleDays,
		Gate: gateSummary(c, p.Standing),
	}
	if v.Behind, err = h.behind(ctx, c, people); err != nil {
		return v, err
	}
	trainees, err := h.training.WaitingTrainees(ctx, c)
	for _, t := range campaign.Hidden(people, trainees) {
		v.Trainees = append(v.Trainees, cmp.Or(t.Name, t.Login))
	}
	return v, err
}

// version tells a page that is open whether there is anything new.
func (h *Handlers) version(c *echo.Context) error {
	version, err := h.desk.Version(c.Request().Context(), site.Here(c).Campaign.ID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wire.Version{Version: version})
}

// scoreHistograms are the scores of each annotator who has given any, beside
// everyone's. There are none without buckets.
func scoreHistograms(at templates.Campaign, d desk.Distributions) chart.Histograms {
	h := chart.Histograms{ID: "scores", Label: "Scores by annotator", Whose: "Annotator", Beside: d.All.Counts, Said: "all annotators"}
	for _, b := range d.Buckets {
		h.Bins = append(h.Bins, b.Label)
	}
	for _, a := range d.Annotators {
		if a.Ratings > 0 && len(d.Buckets) > 0 {
			h.Panels = append(h.Panels, scorePanel(at, a))
		}
	}
	return h
}

func scorePanel(at templates.Campaign, a desk.AnnotatorScores) chart.Histogram {
	p := chart.Histogram{Name: called(a.User), Href: at.AnnotatorPath(a.User.Login), Counts: a.Counts}
	if !math.IsNaN(a.Mean) { // answers have no mean
		p.Note = chart.MeanNote(a.Mean, a.Deviation)
	}
	return p
}

// called is how pages name a person.
func called(u accounts.User) string { return cmp.Or(u.Name, u.Login) }

func annotatorRows(annotators []desk.AnnotatorProgress) []monitoring.AnnotatorRow {
	rows := make([]monitoring.AnnotatorRow, len(annotators))
	for i, a := range annotators {
		rows[i] = monitoring.AnnotatorRow(a.Annotator)
	}
	return rows
}

// gateSummary is what the gate has made of a campaign so far.
func gateSummary(c campaign.Campaign, p readmodel.Standing) monitoring.GateSummary {
	_, ordinal := c.Rules.OrdinalGate()
	_, nominal := c.Rules.NominalGate()
	if p.Ratings == 0 {
		p.Alpha = math.NaN()
	}
	return monitoring.GateSummary{Standing: p, Settings: c.Settings, Ordinal: ordinal, Nominal: nominal}
}

// archive archives the campaign or brings it back.
func (h *Handlers) archive(c *echo.Context) error {
	m, ctx := site.Here(c), c.Request().Context()
	switch c.FormValue("archived") {
	case "yes":
		if err := h.rounds.Archive(ctx, m.Campaign.ID, site.Me(c).ID); err != nil {
			return err
		}
		return h.Done(c, "The campaign is archived.", "/campaigns/"+m.Campaign.Slug)
	case "no":
		if err := h.rounds.BringBack(ctx, m.Campaign.ID, site.Me(c).ID); err != nil {
			return err
		}
		return h.Done(c, "The campaign is no longer archived. It is closed; open it to go on.", "/campaigns/"+m.Campaign.Slug)
	}
	return campaign.Invalid("archived", "use yes or no")
}

func (h *Handlers) changeState(c *echo.Context) error {
	m, state := site.Here(c), campaign.State(c.FormValue("state"))
	said := map[campaign.State]string{
		campaign.Open: "The campaign is open.", campaign.Paused: "The campaign is paused.", campaign.Closed: "The campaign is closed.",
	}[state]
	if said == "" {
		return campaign.Invalid("state", fmt.Sprintf("%q is no state of a campaign; use open, paused or closed", state))
	}
	err := h.rounds.ChangeCampaign(c.Request().Context(), m.Campaign.ID, site.Me(c).ID, records.CampaignChange{State: &state})
	if err != nil {
		return err
	}
	return h.Done(c, said, "/campaigns/"+m.Campaign.Slug)
}
