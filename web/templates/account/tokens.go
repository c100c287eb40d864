package account

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A TokensView lists the user's own tokens. Its forms post token_name, days, access (read or write), where (all or some) and
// campaign, which may be repeated, to /account/tokens; and nothing to /account/tokens/{id}/revoke.
type TokensView struct {
	templates.Clock
	Tokens    []Token
	Made      string // the token that was made just now; it is shown this once
	Campaigns []TokenCampaign
	Form      TokenForm
	Errors    map[string]string // of name, days and campaigns
}

// An AllTokensView lists the tokens of all accounts. Its forms post nothing to /tokens/{id}/revoke.
type AllTokensView struct {
	templates.Page
	Tokens []Token
}

// A Token is a row of the tables of tokens.
type Token struct{ readmodel.Token }

// A TokenCampaign is a campaign that a token can be good for.
type TokenCampaign struct{ Slug, Title string }

// A TokenForm holds what is typed into the form of a token.
type TokenForm struct {
	Name, Days, Access, Where string
	Campaigns                 []string // slugs
}

func (f TokenForm) days() string   { return cmp.Or(f.Days, "90") }
func (f TokenForm) access() string { return cmp.Or(f.Access, "read") }
func (f TokenForm) where() string  { return cmp.Or(f.Where, "all") }

func (f TokenForm) chose(slug string) bool { return slices.Contains(f.Campaigns, slug) }

func accesses() []templates.Option {
	return []templates.Option{
		{Value: "read", Label: "reads", Help: "what you can see"},
		{Value: "write", Label: "reads and changes", Help: "what you can change, such as settings, members and imports"},
	}
}

func (v TokensView) places() []templates.Option {
	all := templates.Option{Value: "all", Label: "all of your campaigns", Help: "also those that you join later"}
	if len(v.Campaigns) == 0 {
		return []templates.Option{all}
	}
	return []templates.Option{all, {Value: "some", Label: "the chosen campaigns"}}
}

func lifetimes() (out []templates.Option) {
	for _, days := range []int{7, 30, 90, 366} {
		out = append(out, templates.Option{Value: strconv.Itoa(days), Label: wording.Counted(days, "day")})
	}
	return out
}

func tokenHeads(owners bool) []templates.Head {
	heads := []templates.Head{templates.ColumnHead("Name")}
	if owners {
		heads = append(heads, templates.ColumnHead("Owner"))
	}
	for _, name := range []string{"May", "Campaigns", "Made", "Expires", "Last used"} {
		heads = append(heads, templates.ColumnHead(name))
	}
	return append(heads, templates.HiddenHead("Actions"))
}

func (t Token) access() string {
	if t.Writes {
		return "read and change"
	}
	return "read"
}

func (t Token) where() string {
	switch {
	case t.Everywhere:
		return "all"
	case len(t.Campaigns) == 0:
		return "none that is left"
	}
	return strings.Join(t.Campaigns, ", ")
}
