package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
)

// A CampaignRow is a row of the table campaigns.
type CampaignRow struct {
	ID         string
	Slug       string
	Title      string
	Protocol   string
	SourceLang string
	TargetLang string
	State      string
	Settings   string
	CreatedAt  database.Instant
	Definition string
	OwnTerms   string
	Guide      string

	SettingsVersion int
	Archived        bool

	PartOf string // id of the campaign of a side campaign; empty for other campaigns
	Side   campaign.Side
}

func (CampaignRow) TableName() string { return "campaigns" }

// Campaign returns the campaign of the row, with its settings and rules. The row is not that of
// a side campaign, which is read with its campaign ([ReadCampaign]).
func (r CampaignRow) Campaign() (campaign.Campaign, error) {
	c := campaign.Campaign{
		ID: r.ID, Slug: r.Slug, Title: r.Title, Protocol: r.Protocol, SourceLang: r.SourceLang, TargetLang: r.TargetLang,
		State: campaign.State(
			r.State,
		), CreatedAt: r.CreatedAt.Time(), Definition: r.Definition, Guide: r.Guide, SettingsVersion: r.SettingsVersion, Archived: r.Archived,
	}
	d, err := decode(terms{r.Protocol, r.Definition, r.Settings, r.OwnTerms})
	if err != nil {
		return c, fmt.Errorf("campaign %q: %w", r.Slug, err)
	}
	c.Settings, c.Own, c.Rules = d.settings, d.own, d.rules
	return c, nil
}

// decodedTerms caches the decoded texts of campaigns, because every request needs those of
// its campaign. Equal texts always decode to equal values, so entries never become outdated.
var decodedTerms sync.Map // of terms to decoded

// terms holds the stored texts of a campaign's protocol, settings and own terms.
type terms struct{ protocol, definition, settings, own string }

// decoded holds the values of terms.
type decoded struct {
	settings campaign.Settings
	own      protocol.Own
	rules    *protocol.Protocol
}

func decode(t terms) (decoded, error) {
	if d, ok := decodedTerms.Load(t); ok {
		return d.(decoded), nil
	}
	p, err := BaseProtocol(t.protocol, t.definition)
	if err != nil {
		return decoded{}, err
	}
	var stored map[string]string
	if err := json.Unmarshal([]byte(t.settings), &stored); err != nil {
		return decoded{}, fmt.Errorf("settings: %w", err)
	}
	d := decoded{settings: campaign.DefaultSettings(p)}
	for key, value := range stored {
		if d.settings, err = d.settings.With(key, value); err != nil {
			return d, fmt.Errorf("settings: %w", err)
		}
	}
	if err := json.Unmarshal([]byte(t.own), &d.own); err != nil {
		return d, fmt.Errorf("own severities and categories: %w", err)
	}
	d.rules = p.With(d.settings.Options(d.own))
	decodedTerms.Store(t, d)
	return d, nil
}

// BaseProtocol returns a campaign's protocol without the changes that its settings make. The
// definition is empty for a protocol that comes with the program.
func BaseProtocol(id, definition string) (*protocol.Protocol, error) {
	if definition != "" {
		p, err := protocol.Read(strings.NewReader(definition))
		if err != nil {
			return nil, fmt.Errorf("protocol %q: %w", id, err)
		}
		return p, nil
	}
	p, ok := protocol.Lookup(id)
	if !ok {
		return nil, fmt.Errorf("unknown protocol %q", id)
	}
	return p, nil
}

// EncodeOwn encodes a campaign's own severities and categories as JSON.
func EncodeOwn(own protocol.Own) string {
	b, _ := json.Marshal(own) // lists of texts can't fail
	return string(b)
}

// EncodeSettings encodes settings as a JSON object of strings by key.
func EncodeSettings(s campaign.Settings) string {
	m := make(map[string]string, len(campaign.SettingList))
	for _, k := range campaign.SettingList {
		m[k.Key] = k.Get(s)
	}
	b, _ := json.Marshal(m) // a map of strings can't fail
	return string(b)
}

// CheckCampaign checks slug, title, state and protocol of a campaign.
func CheckCampaign(c campaign.Campaign) error {
	if err := campaign.CheckSlug(c.Slug); err != nil {
		return err
	}
	if err := campaign.CheckName("title", c.Title); err != nil {
		return err
	}
	switch c.State {
	case campaign.Open, campaign.Paused, campaign.Closed:
	default:
		return campaign.Invalid("state", "use open, paused or closed")
	}
	return checkProtocol(c)
}

func checkProtocol(c campaign.Campaign) error {
	if c.Definition == "" {
		if _, ok := protocol.Lookup(c.Protocol); !ok {
			return campaign.Invalid("protocol", fmt.Sprintf("unknown protocol %q; there are: %s", c.Protocol, strings.Join(protocol.IDs(), ", ")))
		}
		return nil
	}
	if err := database.CheckText("protocol", c.Definition); err != nil {
		return err
	}
	p, err := protocol.Read(strings.NewReader(c.Definition))
	if err != nil {
		return campaign.Invalid("protocol", err.Error())
	}
	if _, ok := protocol.Lookup(p.ID); ok {
		return campaign.Invalid("protocol", fmt.Sprintf("%q is the id of a protocol that comes with the program; give yours another one", p.ID))
	}
	if p.ID != c.Protocol {
		return campaign.Invalid("protocol", fmt.Sprintf("the definition is of protocol %q, not %q", p.ID, c.Protocol))
	}
	return nil
}

// CheckLanguages checks language tags. Empty tags, of languages that are not known yet, pass.
func CheckLanguages(source, target string) error {
	if source != "" {
		if err := campaign.CheckLang("source language", source); err != nil {
			return err
		}
	}
	if target != "" {
		return campaign.CheckLang("target language", target)
	}
	return nil
}

// Campaign finds a campaign, or a side campaign, by its slug. The error is ErrNotFound if there
// is none.
func (s *Store) Campaign(ctx context.Context, slug string) (campaign.Campaign, error) {
	var row CampaignRow
	err := s.db.Read(ctx).Where("slug = ? AND NOT deleted", slug).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return campaign.Campaign{}, fmt.Errorf("campaign %q: %w", slug, campaign.ErrNotFound)
	}
	if err != nil {
		return campaign.Campaign{}, err
	}
	c, err := read(s.db.Read(ctx), row)
	return c, err
}

// Campaigns lists all campaigns by slug, without the side campaigns.
func (s *Store) Campaigns(ctx context.Context) ([]campaign.Campaign, error) {
	var rows []CampaignRow
	if err := s.db.Read(ctx).Where("NOT deleted AND part_of = ''").Find(&rows).Error; err != nil {
		return nil, err
	}
	return campaignsOf(rows)
}

func campaignsOf(rows []CampaignRow) ([]campaign.Campaign, error) {
	out := make([]campaign.Campaign, len(rows))
	for i, r := range rows {
		var err error
		if out[i], err = r.Campaign(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b campaign.Campaign) int { return strings.Compare(a.Slug, b.Slug) })
	return out, nil
}

// A CampaignChange holds the new values of a campaign. Nil fields stay as they are.
type CampaignChange struct {
	Title                  *string
	SourceLang, TargetLang *string
	State                  *campaign.State
	Settings               []string // "key=value"
	// FromVersion is the version of the settings that the change was made from. If it is
	// 0, the change overwrites whatever others have changed.
	FromVersion int
}

// Changed returns after, or "" if it equals before.
func Changed(before, after string) string {
	if before == after {
		return ""
	}
	return after
}

// LanguageChanged reports whether a language that was known gets another value.
func LanguageChanged(before, after string) bool { return before != "" && before != after }

// ReadCampaign reads a campaign by its id. A campaign that was deleted is not found. Errors are
// those of GORM.
func ReadCampaign(db *gorm.DB, id string) (campaign.Campaign, error) {
	var row CampaignRow
	if err := db.Where("id = ? AND NOT deleted", id).Take(&row).Error; err != nil {
		return campaign.Campaign{}, err
	}
	return read(db, row)
}

// read returns the campaign, or the side campaign, of a row.
func read(db *gorm.DB, row CampaignRow) (campaign.Campaign, error) {
	if row.PartOf == "" {
		return row.Campaign()
	}
	of, err := ReadCampaign(db, row.PartOf)
	return of.SideOf(row.Side, row.ID), err
}

// RefuseArchived returns an ErrConflict if a campaign is archived.
func RefuseArchived(db *gorm.DB, campaignID string) error {
	c, err := ReadCampaign(db, campaignID)
	if err == nil && c.Archived {
		err = fmt.Errorf("the campaign is archived and can only be read: %w", campaign.ErrConflict)
	}
	return err
}
