package monitoring

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/plan"
	"annotate/internal/server/site"
	"annotate/internal/work"
	"annotate/web/templates"
	"annotate/web/templates/monitoring"
)

// planPage shows who annotates what.
func (h *Handlers) planPage(c *echo.Context) error {
	return h.showPlan(c, http.StatusOK, monitoring.PlanView{})
}

// showPlan renders the plan; v has what was wrong with a form that was sent.
func (h *Handlers) showPlan(c *echo.Context, status int, v monitoring.PlanView) error {
	m := site.Here(c)
	var err error
	if v.Plan, err = h.plan.Plan(c.Request().Context(), m.Campaign); err != nil {
		return err
	}
	v.Page, v.Filter = h.PageAt(c, "Plan", "plan"), planFilter(c.QueryParams())
	batch, pool := c.QueryParam("edit-batch"), c.QueryParam("edit-pool")
	switch plan.EditKind(v.Form.Get("do")) {
	case plan.EditSaveBatch:
		batch = v.Form.Get("was")
	case plan.EditSavePool:
		pool = v.Form.Get("was")
	}
	v.EditBatch = v.Plan.BatchOf(batch)
	if i := slices.IndexFunc(v.Plan.Pools, func(p plan.Pool) bool { return p.Name == pool }); i >= 0 {
		v.EditPool = v.Plan.Pools[i]
	}
	v.Standings, v.Holdings = v.Plan.Standings(), v.Plan.Holdings()
	chosen := planDocuments(v.Plan, v.Filter)
	v.Paging = site.Paging(c, monitoring.PlanRowsPerPage, len(chosen))
	from := min((v.Paging.Number-1)*monitoring.PlanRowsPerPage, len(chosen))
	v.Documents = chosen[from:min(from+monitoring.PlanRowsPerPage, len(chosen))]
	for _, d := range v.Plan.Documents {
		if d.Domain != "" && !slices.Contains(v.Domains, d.Domain) {
			v.Domains = append(v.Domains, d.Domain)
		}
	}
	slices.Sort(v.Domains)
	return h.Render(c, status, monitoring.Plan(v))
}

func planFilter(q url.Values) monitoring.PlanFilter {
	f := monitoring.PlanFilter{
		Text:   strings.TrimSpace(q.Get("text")),
		Domain: q.Get("domain"),
		Pool:   q.Get("pool"),
		Batch:  q.Get("batch"),
		Login:  q.Get("login"),
		Show:   q.Get("show"),
	}
	if !slices.ContainsFunc(monitoring.PlanShows, func(o templates.Option) bool { return o.Value == f.Show }) {
		f.Show = ""
	}
	return f
}

// planDocuments lists the documents of a plan that a filter chooses.
func planDocuments(p plan.Plan, f monitoring.PlanFilter) (out []plan.Document) {
	if f == (monitoring.PlanFilter{}) {
		return p.Documents
	}
	for _, d := range p.Documents {
		if f.Takes(p, d) {
			out = append(out, d)
		}
	}
	return out
}

// planTitles say what a kind of edit does, as the title of its preview.
var planTitles = map[plan.EditKind]string{
	plan.EditAssign: "Assign documents", plan.EditUnassign: "Take documents away", plan.EditHandOver: "Hand documents over",
	plan.EditBalance: "Fill free places", plan.EditAnew: "Plan anew", plan.EditSetBatch: "Put documents into a batch",
	plan.EditSetPool: "Put documents into a pool", plan.EditSavePool: "Make or change a pool", plan.EditDropPool: "Remove a pool",
	plan.EditSaveBatch: "Make or change a batch", plan.EditDropBatch: "Remove a batch", plan.EditSetPeople: "Change shares and absences",
	plan.EditSetPull: "Places without a planned annotator", plan.EditRows: "Plan from a file", plan.EditEnd: "End the plan",
}

// changePlan shows what an edit does, or makes it if the form has the fingerprint of what was shown.
func (h *Handlers) changePlan(c *echo.Context) error {
	if err := c.Request().ParseForm(); err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "The form could not be read.")
	}
	form := maps.Clone(c.Request().PostForm) // without the filter, which stands in the address
	seen := form.Get("seen")
	form.Del("seen")
	return h.editPlan(c, form, seen)
}

// planFromFile shows what a file would change.
func (h *Handlers) planFromFile(c *echo.Context) error {
	header, err := c.FormFile("file")
	if err != nil || header.Size > site.MaxPlan {
		return h.showPlan(
			c, http.StatusUnprocessableEntity,
			monitoring.PlanView{Wrong: "choose a CSV file of at most " + site.Size(site.MaxPlan) + ". The command annotate plan import takes larger ones."},
		)
	}
	file, err := header.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	return h.editPlan(c, url.Values{"do": {string(plan.EditRows)}, "file": {header.Filename}, "rows": {string(text)}}, "")
}

// editPlan shows what the edit of a form does, or makes it if that was seen.
func (h *Handlers) editPlan(c *echo.Context, form url.Values, seen string) error {
	m, ctx := site.Here(c), c.Request().Context()
	p, err := h.plan.Plan(ctx, m.Campaign)
	if err != nil {
		return err
	}
	view := monitoring.PlanChangeView{Page: h.PageAt(c, "Plan", "plan"), Plan: p, Form: form,
		Back: planAddress(m.Campaign.Slug, c.QueryParams())}
	edit, err := planEdit(p, form, c.QueryParams())
	view.Title = planTitles[edit.Kind]
	if err == nil && seen == "" {
		view.Change, err = h.plan.PreviewPlan(ctx, m.Campaign, edit)
		if err == nil {
			return h.Render(c, http.StatusOK, monitoring.PlanPreview(view))
		}
	} else if err == nil {
		_, err = h.plan.ChangePlan(ctx, m.Campaign.ID, edit, seen, site.Me(c).ID)
		if err == nil {
			return h.Done(c, "The plan is changed.", planAddress(m.Campaign.Slug, renamed(edit, c.QueryParams())))
		}
	}
	if moved, ok := errors.AsType[*work.MovedError](err); ok {
		view.Change, view.Moved = moved.Change, true
		return h.Render(c, http.StatusConflict, monitoring.PlanPreview(view))
	}
	v := monitoring.PlanView{Chosen: form["document"], Logins: form["login"], Form: form}
	if rows, ok := errors.AsType[*plan.RowsError](err); ok {
		v.WrongRows, v.MoreRows = rows.Errors, rows.More
		return h.showPlan(c, http.StatusUnprocessableEntity, v)
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		v.Wrong = strings.TrimSuffix(invalid.Msg, ".") + "."
		if slices.Contains([]string{"name", "share", "words", "away", "priority", "due"}, invalid.Field) {
			v.Wrong = invalid.Field + ": " + v.Wrong
		}
		return h.showPlan(c, http.StatusUnprocessableEntity, v)
	}
	return err
}

// planAddress is the address of a plan with a filter.
func planAddress(slug string, filter url.Values) string {
	address := "/campaigns/" + slug + "/plan"
	if query := filter.Encode(); query != "" {
		address += "?" + query
	}
	return address
}

// renamed is a filter after an edit: a batch or pool that it chooses has its new name.
func renamed(e plan.Edit, filter url.Values) url.Values {
	field, name := "", ""
	switch e.Kind {
	case plan.EditSaveBatch:
		field, name = "batch", e.Batch.Name
	case plan.EditSavePool:
		field, name = "pool", e.Pool.Name
	}
	if e.Name == "" || filter.Get(field) != e.Name {
		return filter
	}
	filter = maps.Clone(filter)
	filter.Set(field, name)
	return filter
}

// planEdit reads the edit that a form asks for. filter is that of the list from which it was sent.
func planEdit(p plan.Plan, form, filter url.Values) (plan.Edit, error) {
	e := plan.Edit{Kind: plan.EditKind(form.Get("do")), Logins: form["login"], Pull: form.Get("pull") == "yes"}
	text := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	switch e.Kind {
	case plan.EditAssign, plan.EditUnassign, plan.EditHandOver, plan.EditBalance, plan.EditAnew, plan.EditSetBatch, plan.EditSetPool:
		e.Documents = append([]string{}, form["document"]...)
		if form.Get("scope") == "all" {
			e.Documents = e.Documents[:0]
			for _, d := range planDocuments(p, planFilter(filter)) {
				e.Documents = append(e.Documents, d.DocID)
			}
		}
	}
	switch e.Kind {
	case plan.EditHandOver:
		e.Logins = []string{form.Get("from"), form.Get("to")}
	case plan.EditSetBatch:
		e.Name = form.Get("to_batch")
	case plan.EditSetPool:
		e.Name = form.Get("to_pool")
	case plan.EditDropBatch, plan.EditDropPool:
		e.Name = form.Get("name")
	case plan.EditSaveBatch:
		e.Name = form.Get("was")
		e.Batch = plan.Batch{Name: text("name"), Due: text("due")}
		n, err := strconv.Atoi(text("priority"))
		if err != nil {
			return e, campaign.Invalid("priority", "must be a whole number from -1000 to 1000")
		}
		e.Batch.Priority = n
	case plan.EditSavePool:
		e.Name = form.Get("was")
		e.Pool = plan.Pool{Name: text("name"), Domain: form.Get("pool-domain"), Pattern: text("pattern"), Members: form["member"]}
	case plan.EditSetPeople:
		return e, planPeople(&e, form)
	case plan.EditRows:
		var err error
		e.Rows, err = plan.ReadRows(form.Get("file"), strings.NewReader(form.Get("rows")))
		return e, err
	}
	return e, nil
}

// planPeople reads the fields of each person, which stand in the order of the logins.
func planPeople(e *plan.Edit, form url.Values) error {
	logins, shares, words, away := form["person"], form["share"], form["words"], form["away"]
	if len(shares) != len(logins) || len(words) != len(logins) || len(away) != len(logins) {
		return campaign.Invalid("", "the form is incomplete; open the page again")
	}
	for i, login := range logins {
		p := plan.Person{Login: login, Share: 1}
		var err error
		if text := strings.TrimSpace(shares[i]); text != "" {
			if p.Share, err = strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err != nil {
				return campaign.Invalid("share", login+" has "+strconv.Quote(shares[i])+"; write a number such as 1 or 0.5")
			}
		}
		if text := strings.TrimSpace(words[i]); text != "" {
			if p.Words, err = strconv.Atoi(strings.NewReplacer(",", "", ".", "", " ", "").Replace(text)); err != nil {
				return campaign.Invalid("words", login+" has "+strconv.Quote(words[i])+"; write a whole number, or nothing")
			}
		}
		if p.Away, err = plan.ParseAway(away[i]); err != nil {
			return err
		}
		e.People = append(e.People, p)
	}
	return nil
}

// planCSV sends the plan as a file.
func (h *Handlers) planCSV(c *echo.Context) error {
	m := site.Here(c)
	p, err := h.plan.Plan(c.Request().Context(), m.Campaign)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := plan.WriteRows(&b, p); err != nil {
		return err
	}
	site.Attach(c, site.CSVType, m.Campaign.Slug+".plan.csv")
	return c.Blob(http.StatusOK, site.CSVType, b.Bytes())
}

// behind lists the annotators of a campaign who are behind its plan.
func (h *Handlers) behind(ctx context.Context, c campaign.Campaign, people *campaign.Pseudonyms) ([]monitoring.BehindRow, error) {
	due, err := h.plan.HasDueDates(ctx, c.ID)
	if err != nil || !due {
		return nil, err
	}
	p, err := h.plan.Plan(ctx, c)
	return campaign.Hidden(people, monitoring.BehindRows(p, p.Standings())), err
}
