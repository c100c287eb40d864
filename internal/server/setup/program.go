package setup

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/judgeruns"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/server/site"
	"annotate/internal/transfer"
	"annotate/web/templates/setup"
)

// InCampaign names a campaign in an address. It is exported because huma reads no other embedded structs.
type InCampaign struct {
	Slug string `path:"slug"`
}

// Settings are the settings of a campaign, and what a change of them did.
type Settings struct {
	Slug       string            `json:"slug"`
	Title      string            `json:"title"`
	SourceLang string            `json:"source_lang"`
	TargetLang string            `json:"target_lang"`
	State      string            `json:"state"`
	Version    int               `json:"settings_version"`
	Settings   map[string]string `json:"settings"`
	Following  bool              `json:"following,omitempty" doc:"many segments follow the change, and some have not yet"`
}

func settingsOf(c campaign.Campaign) Settings {
	return Settings{
		Slug:       c.Slug,
		Title:      c.Title,
		SourceLang: c.SourceLang,
		TargetLang: c.TargetLang,
		State:      api.ShownState(c),
		Version:    c.SettingsVersion,
		Settings:   api.SettingsOf(c.Settings),
	}
}

type newCampaignCall struct {
	Body struct {
		Slug       string            `json:"slug"`
		Title      string            `json:"title,omitempty"`
		Protocol   string            `json:"protocol,omitempty" doc:"id of a protocol of the program; without it sqm"`
		Definition string            `json:"definition,omitempty" doc:"a protocol of your own, as a JSON text, in place of protocol"`
		SourceLang string            `json:"source_lang,omitempty"`
		TargetLang string            `json:"target_lang,omitempty"`
		Settings   map[string]string `json:"settings,omitempty"`
	}
}

type changeCall struct {
	InCampaign
	Body changeBody
}

type changeBody struct {
	Title       *string           `json:"title,omitempty"`
	SourceLang  *string           `json:"source_lang,omitempty"`
	TargetLang  *string           `json:"target_lang,omitempty"`
	State       *string           `json:"state,omitempty" enum:"open,paused,closed"`
	Settings    map[string]string `json:"settings,omitempty"`
	FromVersion int               `json:"from_version,omitempty" minimum:"0" doc:"change nothing if others have changed the same settings since this version"`
}

type memberCall struct {
	InCampaign
	Body struct {
		Login string `json:"login"`
		Role  string `json:"role" enum:"lead,annotator,researcher,adjudicator"`
	}
}

type roleCall struct {
	OfMember
	Body struct {
		Role string `json:"role" enum:"lead,annotator,researcher,adjudicator"`
	}
}

// OfMember names a member in an address.
type OfMember struct {
	Slug  string `path:"slug"`
	Login string `path:"login"`
}

// A MemberAdded says what became of a person who was to be added.
type MemberAdded struct {
	Login  string `json:"login"`
	Role   string `json:"role"`
	Joined bool   `json:"joined" doc:"false: the person is invited, and has to accept on the pages"`
}

type importCall struct {
	InCampaign
	Format        string   `query:"format" doc:"as for annotate import --format; without it the files show which"`
	Name          string   `query:"name" doc:"name of the file, if the body is one"`
	LanguagePair  string   `query:"language-pair"`
	LeaveOut      []string `query:"leave-out,explode" doc:"contradictions or systems; may be repeated"`
	LowerIsBetter bool     `query:"lower-is-better"`
	Group         string   `query:"group"`
	Check         bool     `query:"check" doc:"find all problems, and store nothing"`
	Sheet         string   `query:"sheet" doc:"of a workbook; for table"`
	HeaderRow     int      `query:"header-row" doc:"for table"`
	Columns       []string `query:"column,explode" doc:"what a column is, as ROLE=NAME; for table; may be repeated"`
}

type undoCall struct {
	Slug   string `path:"slug"`
	Number int    `path:"number" doc:"of the import, or 0 for the latest that was not undone"`
}

// JudgeOptions are the options of annotate judge run.
type JudgeOptions struct {
	Method      string   `json:"method"`
	Variant     string   `json:"variant,omitempty"`
	Model       string   `json:"model,omitempty" doc:"without it the server's default"`
	As          string   `json:"as,omitempty" doc:"name of the judge"`
	Concurrency int      `json:"concurrency,omitempty" minimum:"0"`
	Retries     *int     `json:"retries,omitempty" minimum:"0"`
	MaxTokens   int64    `json:"max_tokens,omitempty" minimum:"0"`
	Threshold   *float64 `json:"threshold,omitempty"`
	Seed        *uint64  `json:"seed,omitempty"`
	Fresh       bool     `json:"fresh,omitempty"`
}

type judgeCall struct {
	InCampaign
	Body JudgeOptions
}

type ofJudge struct {
	Slug  string `path:"slug"`
	Judge string `path:"judge"`
}

// None is an answer without anything to say.
type None struct{}

// ProgramRoutes lists the operations of this group for programs, with the people who may use each.
func (h *Handlers) ProgramRoutes() []site.Route {
	op := func(id, method, path, summary, about, tag string, who site.People) site.Op {
		return site.Op{
			Operation: huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Description: about, Tags: []string{tag}},
			Who:       who,
		}
	}
	of := func(o site.Op, status int) site.Op { o.DefaultStatus = status; return o }
	upload := of(
		op(
			"import",
			http.MethodPost,
			"/campaigns/{slug}/imports",
			"Import a file",
			"The body is a file, or a form with files named file. The result of the job says what the import brought, or would bring; if it is refused, the problem of the job lists what is wrong with file, line and column.",
			"imports",
			site.Managers,
		),
		http.StatusAccepted,
	)
	binary := &huma.Schema{Type: "string", Format: "binary"}
	upload.Upload = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/octet-stream": {Schema: binary},
		"multipart/form-data": {
			Schema: &huma.Schema{Type: "object", Properties: map[string]*huma.Schema{"file": {Type: "array", Items: binary}}, Required: []string{"file"}},
		},
	}}
	forecast := op(
		"forecast-judge",
		http.MethodPost,
		"/campaigns/{slug}/judges/forecast",
		"What a run of a judge would take",
		"As annotate judge run --dry-run.",
		"judges",
		site.Readers,
	)
	forecast.Reads = true
	check := op(
		"preview-settings",
		http.MethodPost,
		"/campaigns/{slug}/settings/preview",
		"What a change of settings would do to segments",
		"As annotate campaign set --check.",
		"campaigns",
		site.Managers,
	)
	check.Reads = true
	return append(
		h.webhookOperations(),
		site.Operation(
			h.Site,
			of(
				op(
					"create-campaign",
					http.MethodPost,
					"/campaigns",
					"Create a campaign",
					"You become its lead. Only a token for all campaigns is good for it.",
					"campaigns",
					site.Managers,
				),
				http.StatusCreated,
			),
			h.createForProgram,
		),
		site.Operation(
			h.Site,
			op("get-settings", http.MethodGet, "/campaigns/{slug}/settings", "Settings of a campaign", "", "campaigns", site.Managers),
			func(c *echo.Context, _ *InCampaign) (Settings, error) {
				return settingsOf(site.Here(c).Campaign), nil
			},
		),
		site.Operation(
			h.Site,
			op(
				"change-settings",
				http.MethodPatch,
				"/campaigns/{slug}/settings",
				"Change settings, title, languages or state",
				"As annotate campaign set.",
				"campaigns",
				site.Managers,
			),
			h.changeForProgram,
		),
		site.Operation(h.Site, check, h.previewForProgram),
		site.Operation(
			h.Site,
			op(
				"list-members",
				http.MethodGet,
				"/campaigns/{slug}/members",
				"Members of a campaign",
				"As annotate member list --json.",
				"members",
				site.Managers,
			),
			h.membersForProgram,
		),
		site.Operation(
			h.Site,
			op(
				"add-member",
				http.MethodPost,
				"/campaigns/{slug}/members",
				"Add a person who has an account",
				"The person joins at once, or is invited, by the rules of the page of members. Accounts and sign-in links are made there.",
				"members",
				site.Managers,
			),
			h.addForProgram,
		),
		site.Operation(
			h.Site,
			op("change-role", http.MethodPatch, "/campaigns/{slug}/members/{login}", "Change the role of a member", "", "members", site.Managers),
			h.roleForProgram,
		),
		site.Operation(
			h.Site,
			op(
				"remove-member",
				http.MethodDelete,
				"/campaigns/{slug}/members/{login}",
				"Remove a member",
				"Submitted ratings stay, and open work goes to others.",
				"members",
				site.Managers,
			),
			h.removeForProgram,
		),
		site.Operation(
			h.Site,
			op(
				"list-imports",
				http.MethodGet,
				"/campaigns/{slug}/imports",
				"Imports into a campaign",
				"As annotate import list --json.",
				"imports",
				site.Managers,
			),
			func(c *echo.Context, _ *InCampaign) (api.Imports, error) {
				imports, err := h.store.Intake.Imports(c.Request().Context(), site.Here(c).Campaign.ID)
				return api.ImportsOf(imports), err
			},
		),
		site.Operation(h.Site, upload, h.importForProgram),
		site.Operation(
			h.Site,
			of(
				op(
					"undo-import",
					http.MethodPost,
					"/campaigns/{slug}/imports/{number}/undo",
					"Undo an import",
					"As annotate import undo.",
					"imports",
					site.Managers,
				),
				http.StatusAccepted,
			),
			h.undoForProgram,
		),
		site.Operation(
			h.Site,
			op("list-judges", http.MethodGet, "/campaigns/{slug}/judges", "Judges of a campaign", "As annotate judge list --json.", "judges", site.Readers),
			func(c *echo.Context, _ *InCampaign) (api.Judges, error) {
				return api.ReadJudges(c.Request().Context(), h.store, site.Here(c).Campaign)
			},
		),
		site.Operation(h.Site, forecast, h.forecastForProgram),
		site.Operation(
			h.Site,
			of(
				op(
					"run-judge",
					http.MethodPost,
					"/campaigns/{slug}/judges",
					"Run a judge, or resume its run",
					"The result of the job is the judge.",
					"judges",
					site.Readers,
				),
				http.StatusAccepted,
			),
			h.judgeForProgram,
		),
		site.Operation(
			h.Site,
			op(
				"stop-judge",
				http.MethodPost,
				"/campaigns/{slug}/judges/{judge}/stop",
				"Stop a judge",
				"All replies are kept, and the same call of run-judge resumes the run.",
				"judges",
				site.Readers,
			),
			func(c *echo.Context, in *ofJudge) (None, error) {
				err := h.store.JudgeRuns.StopJudge(c.Request().Context(), site.Here(c).Campaign.ID, in.Judge, site.Me(c).ID)
				if errors.Is(err, campaign.ErrNotFound) {
					err = fmt.Errorf("the judge %s is not running: %w", in.Judge, campaign.ErrConflict)
				}
				return None{}, err
			},
		),
	)
}

// pairsOf lists settings as key=value, by key.
func pairsOf(settings map[string]string) (pairs []string) {
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		pairs = append(pairs, key+"="+settings[key])
	}
	return pairs
}

func (h *Handlers) createForProgram(c *echo.Context, in *newCampaignCall) (Settings, error) {
	if grant, _ := site.Granted(c); !grant.Everywhere {
		return Settings{}, echo.NewHTTPError(http.StatusForbidden, "this token is for chosen campaigns; make one for all of your campaigns to create another")
	}
	b := in.Body
	fresh := campaign.Campaign{Slug: b.Slug, Title: b.Title, SourceLang: b.SourceLang, TargetLang: b.TargetLang}
	id := b.Protocol
	if id == "" {
		id = protocol.IDs()[0]
	}
	p, ok := protocol.Lookup(id)
	switch {
	case b.Definition != "" && b.Protocol != "":
		return Settings{}, campaign.Invalid("definition", "give either protocol or definition")
	case b.Definition != "":
		var err error
		if p, err = protocol.ReadOwn(strings.NewReader(b.Definition)); err != nil {
			return Settings{}, campaign.Invalid("definition", err.Error())
		}
		fresh.Definition = b.Definition
	case !ok:
		return Settings{}, campaign.Invalid("protocol", fmt.Sprintf("there is no protocol %q; use %s", id, strings.Join(protocol.IDs(), ", ")))
	}
	fresh, err := api.NewCampaign(fresh, p, pairsOf(b.Settings))
	if err != nil {
		return Settings{}, err
	}
	created, err := h.store.Accounts.CreateCampaign(c.Request().Context(), fresh, site.Me(c).ID)
	return settingsOf(created), err
}

func (h *Handlers) changeForProgram(c *echo.Context, in *changeCall) (Settings, error) {
	b := in.Body
	change := records.CampaignChange{
		Title:       b.Title,
		SourceLang:  b.SourceLang,
		TargetLang:  b.TargetLang,
		Settings:    pairsOf(b.Settings),
		FromVersion: b.FromVersion,
	}
	if b.State != nil {
		state := campaign.State(*b.State)
		change.State = &state
	}
	if err := h.applyChange(c, change); err != nil {
		return Settings{}, err
	}
	if err := h.Reload(c); err != nil {
		return Settings{}, err
	}
	out := settingsOf(site.Here(c).Campaign)
	err := h.store.Intake.Completing(c.Request().Context(), site.Here(c).Campaign.ID)
	if _, ok := errors.AsType[*records.CompletingError](err); ok {
		out.Following, err = true, nil
	}
	return out, err
}

func (h *Handlers) previewForProgram(c *echo.Context, in *struct {
	InCampaign
	Body struct {
		Settings map[string]string `json:"settings"`
	}
}) (api.SettingsEffect, error) {
	effect, err := h.store.Rounds.PreviewChange(c.Request().Context(), site.Here(c).Campaign, pairsOf(in.Body.Settings))
	return api.SettingsEffectOf(effect), err
}

func (h *Handlers) membersForProgram(c *echo.Context, _ *InCampaign) (api.Members, error) {
	members, err := h.store.Accounts.Members(c.Request().Context(), site.Here(c).Campaign.ID)
	return api.MembersOf(members), err
}

// addForProgram adds a person who has an account. It makes no sign-in link, with which a program could do what its token is not
// good for.
func (h *Handlers) addForProgram(c *echo.Context, in *memberCall) (MemberAdded, error) {
	ctx, of := c.Request().Context(), site.Here(c).Campaign
	out := MemberAdded{Login: in.Body.Login, Role: in.Body.Role}
	if _, err := h.store.Accounts.UserByLogin(ctx, out.Login); errors.Is(err, campaign.ErrNotFound) {
		return out, campaign.Invalid("login", fmt.Sprintf("there is no account %q; make it on the page of members, which also makes a sign-in link", out.Login))
	} else if err != nil {
		return out, err
	}
	made, err := h.store.Accounts.Invite(ctx, of.ID, out.Login, "", campaign.Role(out.Role), site.Me(c).ID)
	out.Joined = made == accounts.Invited{}
	return out, err
}

func (h *Handlers) roleForProgram(c *echo.Context, in *roleCall) (api.Members, error) {
	if _, err := h.store.Accounts.ChangeRole(c.Request().Context(), site.Here(c).Campaign.ID, in.Login, campaign.Role(in.Body.Role), site.Me(c).ID); err != nil {
		return api.Members{}, err
	}
	return h.membersForProgram(c, nil)
}

func (h *Handlers) removeForProgram(c *echo.Context, in *OfMember) (None, error) {
	return None{}, h.store.Accounts.RemoveMember(c.Request().Context(), site.Here(c).Campaign.ID, in.Login, site.Me(c).ID)
}

// asForm makes a body that is a file a form with this file, so that both are read alike.
func asForm(r *http.Request, name string) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType)); kind == echo.MIMEMultipartForm {
		return
	}
	if name == "" {
		name = "upload"
	}
	boundary := uuid.NewString()
	disposition := mime.FormatMediaType("form-data", map[string]string{"name": "file", "filename": name})
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(strings.NewReader("--"+boundary+"\r\nContent-Disposition: "+disposition+"\r\n\r\n"), r.Body, strings.NewReader("\r\n--"+boundary+"--\r\n")), r.Body}
	r.ContentLength = -1
	r.Header.Set(echo.HeaderContentType, mime.FormatMediaType(echo.MIMEMultipartForm, map[string]string{"boundary": boundary}))
}

func (h *Handlers) importForProgram(c *echo.Context, in *importCall) (site.Job, error) {
	r := c.Request()
	asForm(r, in.Name)
	err := site.ReadUpload(c, h.Config.MaxUpload)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		err = echo.NewHTTPError(http.StatusRequestEntityTooLarge, invalid.Msg)
	}
	if err != nil {
		return site.Job{}, err
	}
	u := uploadedImport{campaign: site.Here(c).Campaign, byID: site.Me(c).ID, upload: r.MultipartForm, program: true, form: setup.ImportForm{
		Format: in.Format, LanguagePair: in.LanguagePair, LeaveOut: in.LeaveOut, LowerIsBetter: in.LowerIsBetter, Group: in.Group, Check: in.Check,
	}}
	r.MultipartForm = nil // or the files would be deleted with the end of the request
	roles, err := ingest.RolesOf(in.Columns)
	if err == nil {
		var fits bool
		u.table = ingest.TableOptions{Sheet: in.Sheet, Header: in.HeaderRow, Roles: roles}
		if u.form.Format, fits = transfer.ForTable(in.Format, u.table); !fits {
			err = errors.New("sheet, header-row and column are for the format table")
		}
	}
	if err != nil {
		_ = u.upload.RemoveAll()
		return site.Job{}, campaign.Invalid("column", err.Error())
	}
	j, err := h.Imports.start(r.Context(), &u)
	if err != nil {
		_ = u.upload.RemoveAll()
		return site.Job{}, err
	}
	return site.Track(h.Site, c, "import", j, func(o importOutcome) (site.Result, error) {
		return site.Result{JSON: api.ImportReportOf(o.report, o.form.Check)}, o.refused
	})
}

func (h *Handlers) undoForProgram(c *echo.Context, in *undoCall) (site.Job, error) {
	ctx, of := c.Request().Context(), site.Here(c).Campaign
	i, err := api.FindImport(ctx, h.store.Intake, of, in.Number)
	if err == nil {
		_, err = h.store.Intake.CheckUndo(ctx, of, i.ID)
	}
	if err != nil {
		return site.Job{}, err
	}
	j, err := h.Imports.undo(ctx, of, i, site.Me(c).ID)
	if err != nil {
		return site.Job{}, err
	}
	login := site.Me(c).Login
	return site.Track(h.Site, c, "undo import", j, func(o importOutcome) (site.Result, error) {
		i.Undone, i.UndoneBy = o.at, login
		return site.Result{JSON: api.ImportsOf([]readmodel.Import{i}).Imports[0]}, o.refused
	})
}

// form returns the options as the page of judges has them, so that one function reads both.
func (o JudgeOptions) form(cfg site.JudgeConfig) setup.JudgeForm {
	f := newJudgeForm(cfg)
	f.Method, f.Variant, f.As, f.Fresh = o.Method, o.Variant, o.As, o.Fresh
	if o.Model != "" {
		f.Model = o.Model
	}
	if o.Concurrency > 0 {
		f.Concurrency = strconv.Itoa(o.Concurrency)
	}
	if o.Retries != nil {
		f.Retries = strconv.Itoa(*o.Retries)
	}
	if o.MaxTokens > 0 {
		f.MaxTokens = strconv.FormatInt(o.MaxTokens, 10)
	}
	if o.Threshold != nil {
		f.Threshold = strconv.FormatFloat(*o.Threshold, 'g', -1, 64)
	}
	if o.Seed != nil {
		f.Seed = strconv.FormatUint(*o.Seed, 10)
	}
	return f
}

func (h *Handlers) forecastForProgram(c *echo.Context, in *judgeCall) (api.JudgeForecast, error) {
	o, err := firstWrong(judgeOptions(in.Body.form(h.Config.Judges), h.Config.Judges.BaseURL))
	if err != nil {
		return api.JudgeForecast{}, err
	}
	f, err := h.store.JudgeRuns.Predict(c.Request().Context(), site.Here(c).Campaign, o)
	return api.JudgeForecastOf(f, o.Method.Asks(o.Variant)), err
}

func (h *Handlers) judgeForProgram(c *echo.Context, in *judgeCall) (site.Job, error) {
	of := site.Here(c).Campaign
	o, err := firstWrong(judgeOptions(in.Body.form(h.Config.Judges), h.Config.Judges.BaseURL))
	if err != nil {
		return site.Job{}, err
	}
	o.ByID = site.Me(c).ID
	j, err := h.JudgeRuns.start(c.Request().Context(), of, o)
	if err != nil {
		return site.Job{}, err
	}
	name := o.JudgeName()
	return site.Track(h.Site, c, "judge", j, func(judgeruns.Progress) (site.Result, error) {
		return site.Result{Opens: name}, nil
	})
}

// openJudge answers how far the judge is whose run a job was.
func (h *Handlers) openJudge(c *echo.Context, name string) error {
	all, err := api.ReadJudges(c.Request().Context(), h.store, site.Here(c).Campaign)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all.Judges, func(j api.Judge) bool { return j.Name == name })
	if i < 0 {
		return campaign.ErrNotFound
	}
	return c.JSON(http.StatusOK, all.Judges[i])
}

// firstWrong returns the options of a form, or the error of its first field that is wrong.
func firstWrong(o judgeruns.Options, wrong map[string]string) (judgeruns.Options, error) {
	for _, field := range slices.Sorted(maps.Keys(wrong)) {
		return o, campaign.Invalid(field, wrong[field])
	}
	return o, nil
}
