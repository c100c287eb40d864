package api

import (
	"context"
	"slices"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store"
)

// Campaigns is a list of campaigns by slug.
type Campaigns struct {
	Campaigns []Campaign `json:"campaigns"`
}

// A Campaign is a line of the list of campaigns.
type Campaign struct {
	Slug       string    `json:"slug"`
	Title      string    `json:"title"`
	Protocol   string    `json:"protocol"`
	SourceLang string    `json:"source_lang"` // empty: not known
	TargetLang string    `json:"target_lang"`
	State      string    `json:"state" doc:"open, paused, closed or archived"`
	CreatedAt  time.Time `json:"created_at"`
	Segments   int       `json:"segments"`
	Settled    int       `json:"settled" doc:"segments that nobody has to rate any more"`
	InGold     int       `json:"in_gold"`
	Ratings    int       `json:"ratings"`
}

// CampaignDetails is a campaign with what is to be known of it as a whole.
type CampaignDetails struct {
	Campaign
	Systems         []string          `json:"systems"`
	SettingsVersion int               `json:"settings_version"`
	Settings        map[string]string `json:"settings"`
	Statuses        map[string]int    `json:"statuses" doc:"number of segments with each status"`
	OpenProblems    int               `json:"open_problems"`
	Members         []Member          `json:"members,omitempty" doc:"only for leads and admins"`
}

// Members is a list of the members of a campaign, by login.
type Members struct {
	Members []Member `json:"members"`
}

// A Member is a member of a campaign.
type Member struct {
	Login       string    `json:"login"`
	Name        string    `json:"name"`
	Role        string    `json:"role" doc:"lead, annotator, researcher or adjudicator"`
	Adjudicates bool      `json:"adjudicates,omitempty" doc:"an annotator who is an adjudicator too"`
	Since       time.Time `json:"since"`
	Removed     bool      `json:"removed,omitempty"`
	Disabled    bool      `json:"disabled,omitempty" doc:"the account is disabled"`
	CanSignIn   bool      `json:"can_sign_in"`
}

// ShownState returns the name of a campaign's state: open, paused, closed or archived.
func ShownState(c campaign.Campaign) string {
	if c.Archived {
		return "archived"
	}
	return string(c.State)
}

// NewCampaign returns a campaign under one of the program's protocols, with the protocol's defaults but for settings, each
// written key=value. Without a title it has the slug as title.
func NewCampaign(c campaign.Campaign, p *protocol.Protocol, settings []string) (campaign.Campaign, error) {
	var err error
	c.Protocol = p.ID
	if c.Title == "" {
		c.Title = c.Slug
	}
	c.Settings, err = campaign.DefaultSettings(p).WithPairs(settings)
	return c, err
}

// CampaignOf returns the line of a campaign.
func CampaignOf(c campaign.Campaign, p readmodel.Standing) Campaign {
	return Campaign{
		Slug: c.Slug, Title: c.Title, Protocol: c.Protocol, SourceLang: c.SourceLang, TargetLang: c.TargetLang,
		State: ShownState(c), CreatedAt: c.CreatedAt,
		Segments: p.Segments.Total(), Settled: p.Segments.Settled(), InGold: p.Segments.InGold(), Ratings: p.Ratings,
	}
}

// ReadCampaigns reads how far each of some campaigns is. Archived ones are left out unless archived is true.
func ReadCampaigns(ctx context.Context, st *store.Store, campaigns []campaign.Campaign, archived bool) (Campaigns, error) {
	out := Campaigns{Campaigns: []Campaign{}}
	for _, c := range campaigns {
		if c.Archived && !archived {
			continue
		}
		p, err := st.Desk.Standing(ctx, c)
		if err != nil {
			return out, err
		}
		out.Campaigns = append(out.Campaigns, CampaignOf(c, p))
	}
	return out, nil
}

// DetailsOf returns a campaign with what is to be known of it. members is nil for somebody who does not see them.
func DetailsOf(c campaign.Campaign, p readmodel.Standing, members []accounts.Membership) CampaignDetails {
	out := CampaignDetails{
		Campaign: CampaignOf(c, p), Systems: append([]string{}, p.Systems...), SettingsVersion: c.SettingsVersion,
		Settings: SettingsOf(c.Settings),
		Statuses: statusesOf(p.Segments), OpenProblems: p.OpenProblems,
	}
	if members != nil {
		out.Members = MembersOf(members).Members
	}
	return out
}

// SettingsOf returns all settings by their keys.
func SettingsOf(s campaign.Settings) map[string]string {
	out := map[string]string{}
	for _, k := range campaign.SettingList {
		out[k.Key] = k.Get(s)
	}
	return out
}

func statusesOf(counts readmodel.Counts) map[string]int {
	out := map[string]int{}
	for _, s := range campaign.Statuses {
		out[string(s)] = counts[s]
	}
	return out
}

// MembersOf returns members as they are written.
func MembersOf(members []accounts.Membership) Members {
	out := Members{Members: []Member{}}
	for _, m := range members {
		out.Members = append(out.Members, Member{
			Login: m.User.Login, Name: m.User.Name, Role: string(m.Role), Adjudicates: m.Adjudicates, Since: m.Since, Removed: m.Removed,
			Disabled: m.User.Disabled, CanSignIn: m.CanSignIn,
		})
	}
	return out
}

// A Progress says how far the segments of a campaign and its annotators are.
type Progress struct {
	Segments     int                 `json:"segments"`
	Settled      int                 `json:"settled" doc:"segments that nobody has to rate any more"`
	InGold       int                 `json:"in_gold"`
	Statuses     map[string]int      `json:"statuses" doc:"number of segments with each status"`
	Ratings      int                 `json:"ratings"`
	Open         int                 `json:"open" doc:"ratings that are still to be given"`
	Pace         Number              `json:"pace" doc:"ratings a day; null: not known"`
	Alpha        Number              `json:"alpha"`
	OpenProblems int                 `json:"open_problems"`
	Stranded     int                 `json:"stranded" doc:"segments whose second look nobody can complete"`
	Stuck        int                 `json:"stuck" doc:"segments that nobody can rate"`
	ToAdjudicate int                 `json:"to_adjudicate"`
	Submitted    *time.Time          `json:"submitted_at" doc:"the last submission; null: none"`
	Annotators   []AnnotatorProgress `json:"annotators"`
}

// An AnnotatorProgress says what one annotator has done.
type AnnotatorProgress struct {
	Login     string              `json:"login" doc:"or the pseudonym"`
	Segments  int                 `json:"segments"`
	Ratings   int                 `json:"ratings"`
	Today     int                 `json:"today"`
	Open      int                 `json:"open" doc:"segments in work"`
	Seconds   float64             `json:"seconds" doc:"active time"`
	Submitted *time.Time          `json:"submitted_at"`
	SetAside  bool                `json:"set_aside,omitempty"`
	Removed   bool                `json:"removed,omitempty"`
	Flags     []campaign.FlagKind `json:"flags"`
}

// ProgressOf returns the progress of a campaign as it is written.
func ProgressOf(p desk.Progress) Progress {
	out := Progress{
		Segments: p.Segments.Total(), Settled: p.Segments.Settled(), InGold: p.Segments.InGold(),
		Statuses: statusesOf(p.Segments), Ratings: p.Ratings,
		Open: p.Open, Pace: Number(p.RatingsPerDay), Alpha: Number(p.Alpha), OpenProblems: p.OpenProblems, Stranded: p.Stranded,
		Stuck: p.Stuck, ToAdjudicate: p.ToAdjudicate,
		Submitted: moment(p.Submitted), Annotators: []AnnotatorProgress{},
	}
	for _, a := range p.Annotators {
		line := AnnotatorProgress{
			Login: a.User.Login, Segments: a.Segments, Ratings: a.Ratings, Today: a.Today, Open: a.Open, Seconds: a.Seconds,
			Submitted: moment(a.Submitted),
			SetAside:  a.SetAside, Removed: a.Removed, Flags: []campaign.FlagKind{},
		}
		for _, f := range a.Flags {
			line.Flags = append(line.Flags, f.Kind)
		}
		out.Annotators = append(out.Annotators, line)
	}
	return out
}

// moment is a time that is null if it has not come.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// An ImportReport says what an import brought, or would bring.
type ImportReport struct {
	Checked       bool           `json:"checked,omitempty" doc:"nothing was stored"`
	Segments      int            `json:"segments"`
	Known         int            `json:"known" doc:"segments that the campaign had already"`
	Translations  int            `json:"translations"`
	Systems       []string       `json:"systems"`
	References    int            `json:"references"`
	HumanScores   int            `json:"human_scores"`
	Ratings       int            `json:"ratings"`
	MetricScores  int            `json:"metric_scores"`
	Metrics       []string       `json:"metrics"`
	Judgements    int            `json:"judgements"`
	Judges        []string       `json:"judges"`
	Suggestions   int            `json:"suggestions"`
	SuggestedTo   int            `json:"suggested_to" doc:"translations with suggestions"`
	Terms         int            `json:"terms" doc:"given terms of segments"`
	Replaced      int            `json:"replaced"`
	Decided       map[string]int `json:"decided" doc:"number of segments that got each status"`
	NewAnnotators []string       `json:"new_annotators"`
	NewSeverities []string       `json:"new_severities"`
	NewCategories []string       `json:"new_categories"`
	Notes         []string       `json:"notes"`
}

// ImportReportOf returns the report of an import as it is written.
func ImportReportOf(r readmodel.ImportReport, checked bool) ImportReport {
	list := func(names []string) []string { return append([]string{}, names...) }
	out := ImportReport{
		Checked: checked, Segments: r.Segments, Known: r.Known, Translations: r.Translations, Systems: list(r.Systems), References: r.References,
		HumanScores: r.HumanScores, Ratings: r.Ratings, MetricScores: r.MetricScores, Metrics: list(r.Metrics),
		Judgements: r.Judgements, Judges: list(r.Judges),
		Suggestions: r.Suggestions, SuggestedTo: r.SuggestedTo, Terms: r.Terms, Replaced: r.Replaced, Decided: map[string]int{},
		NewAnnotators: list(r.NewAnnotators),
		NewSeverities: list(r.OwnSeverities), NewCategories: list(r.OwnCategories), Notes: list(r.Notes),
	}
	for s, n := range r.Decided {
		out.Decided[string(s)] = n
	}
	return out
}

// Imports is a list of the imports into a campaign, the latest first.
type Imports struct {
	Imports []Import `json:"imports"`
}

// An Import is one that was made.
type Import struct {
	Number   int        `json:"number"`
	Kind     string     `json:"kind"`
	Files    string     `json:"files"`
	By       string     `json:"by" doc:"empty: the command line"`
	At       time.Time  `json:"at"`
	Brought  string     `json:"brought"`
	UndoneAt *time.Time `json:"undone_at"`
	UndoneBy string     `json:"undone_by,omitempty"`
}

// ImportsOf returns imports as they are written.
func ImportsOf(imports []readmodel.Import) Imports {
	out := Imports{Imports: []Import{}}
	for _, i := range imports {
		out.Imports = append(
			out.Imports,
			Import{Number: i.Number, Kind: i.Kind, Files: i.Files, By: i.By, At: i.At, Brought: i.Brought, UndoneAt: moment(i.Undone), UndoneBy: i.UndoneBy},
		)
	}
	return out
}

// FindImport returns the import with a number, or with 0 the latest that was not undone. The error is ErrNotFound if there is none.
func FindImport(ctx context.Context, st *intake.Store, c campaign.Campaign, number int) (readmodel.Import, error) {
	imports, err := st.Imports(ctx, c.ID)
	if err != nil {
		return readmodel.Import{}, err
	}
	i := slices.IndexFunc(imports, func(i readmodel.Import) bool { return i.Number == number || number == 0 && i.Undone.IsZero() })
	if i < 0 {
		return readmodel.Import{}, campaign.ErrNotFound
	}
	return imports[i], nil
}

// A SettingsEffect says what a change of settings does, or would do, to segments.
type SettingsEffect struct {
	Segments  int          `json:"segments" doc:"segments whose state is computed again"`
	Moves     []StatusMove `json:"moves"`
	SentBack  int          `json:"sent_back" doc:"segments that get another round"`
	Withdrawn int          `json:"withdrawn" doc:"segments whose second looks are no longer needed"`
	Discarded int          `json:"discarded"`
	ToGold    int          `json:"to_gold"`
	OutOfGold int          `json:"out_of_gold"`
}

// A StatusMove is a number of segments that get another status.
type StatusMove struct {
	From string `json:"from"`
	To   string `json:"to"`
	N    int    `json:"n"`
}

// SettingsEffectOf returns the effect of a change of settings as it is written.
func SettingsEffectOf(p readmodel.SettingsPreview) SettingsEffect {
	out := SettingsEffect{
		Segments:  p.Segments,
		Moves:     []StatusMove{},
		SentBack:  p.SentBack,
		Withdrawn: p.Withdrawn,
		Discarded: p.Discarded,
		ToGold:    p.ToGold,
		OutOfGold: p.OutOfGold,
	}
	for _, m := range p.Moves {
		out.Moves = append(out.Moves, StatusMove{string(m.From), string(m.To), m.N})
	}
	return out
}
