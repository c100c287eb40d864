package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

type campaignRow struct {
	ID         string
	Slug       string
	Title      string
	Protocol   string
	SourceLang string
	TargetLang string
	State      string
	Settings   string
	CreatedAt  instant
	Definition string
	OwnTerms   string
	Guide      string

	SettingsVersion int
}

func (campaignRow) TableName() string { return "campaigns" }

func (r campaignRow) campaign() (campaign.Campaign, error) {
	c := campaign.Campaign{
		ID: r.ID, Slug: r.Slug, Title: r.Title, Protocol: r.Protocol, SourceLang: r.SourceLang, TargetLang: r.TargetLang,
		State: campaign.State(r.State), CreatedAt: r.CreatedAt.time(), Definition: r.Definition, Guide: r.Guide, SettingsVersion: r.SettingsVersion,
	}
	d, err := decode(terms{r.Protocol, r.Definition, r.Settings, r.OwnTerms})
	if err != nil {
		return c, fmt.Errorf("campaign %q: %w", r.Slug, err)
	}
	c.Settings, c.Own, c.Rules = d.settings, d.own, d.rules
	return c, nil
}

// decodedTerms keeps what the texts of campaigns mean, since every request reads
// those of its campaign. A text always means the same, so nothing goes stale.
var decodedTerms sync.Map // of terms to decoded

// terms are the texts from which a campaign's settings and rules are read.
type terms struct{ protocol, definition, settings, own string }

type decoded struct {
	settings campaign.Settings
	own      protocol.Own
	rules    *protocol.Protocol
}

func decode(t terms) (decoded, error) {
	if d, ok := decodedTerms.Load(t); ok {
		return d.(decoded), nil
	}
	p, err := baseProtocol(t.protocol, t.definition)
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

// baseProtocol is a campaign's protocol before its settings change anything.
func baseProtocol(id, definition string) (*protocol.Protocol, error) {
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

func encodeOwn(own protocol.Own) string {
	b, _ := json.Marshal(own) // lists of texts can't fail
	return string(b)
}

func encodeSettings(s campaign.Settings) string {
	m := make(map[string]string, len(campaign.SettingList))
	for _, k := range campaign.SettingList {
		m[k.Key] = k.Get(s)
	}
	b, _ := json.Marshal(m) // a map of strings can't fail
	return string(b)
}

// CreateCampaign stores a new campaign; ErrConflict if the slug is taken. With
// a lead's user id the campaign gets that lead. The languages may be empty; the
// first import then names them.
func (s *Store) CreateCampaign(ctx context.Context, c campaign.Campaign, leadID string) (campaign.Campaign, error) {
	c.ID, c.State, c.CreatedAt = newID(), campaign.Open, instantOf(s.now()).time()
	if err := cmp.Or(checkCampaign(c), checkLanguages(c.SourceLang, c.TargetLang)); err != nil {
		return c, err
	}
	row := campaignRow{c.ID, c.Slug, c.Title, c.Protocol, c.SourceLang, c.TargetLang, string(c.State), encodeSettings(c.Settings), instantOf(c.CreatedAt), c.Definition, encodeOwn(c.Own), c.Guide, 1}
	c, err := row.campaign()
	if err != nil {
		return c, err
	}
	err = s.write(ctx, func(tx *gorm.DB) error {
		if err := mayOpenCampaign(tx); err != nil {
			return err
		}
		if err := tx.Create(&row).Error; err != nil {
			if errors.Is(translate(err), campaign.ErrConflict) {
				return fmt.Errorf("a campaign %q exists already: %w", c.Slug, campaign.ErrConflict)
			}
			return err
		}
		if err := s.siteLogBy(tx, leadID, "create campaign", c.Slug, ""); err != nil {
			return err
		}
		if leadID != "" {
			if err := s.setMembership(tx, c.ID, leadID, campaign.Lead, leadID); err != nil {
				return err
			}
		}
		return s.audit(tx, c.ID, leadID, "create campaign", c.Slug, "")
	})
	return c, err
}

func checkCampaign(c campaign.Campaign) error {
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
	if err := checkText("protocol", c.Definition); err != nil {
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

func checkLanguages(source, target string) error {
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

// Campaign finds a campaign by its slug; ErrNotFound names it.
func (s *Store) Campaign(ctx context.Context, slug string) (campaign.Campaign, error) {
	row, err := gorm.G[campaignRow](s.reader).Where("slug = ?", slug).First(ctx)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return campaign.Campaign{}, fmt.Errorf("campaign %q: %w", slug, campaign.ErrNotFound)
	}
	if err != nil {
		return campaign.Campaign{}, translate(err)
	}
	return row.campaign()
}

// Campaigns lists all campaigns by slug.
func (s *Store) Campaigns(ctx context.Context) ([]campaign.Campaign, error) {
	rows, err := gorm.G[campaignRow](s.reader).Find(ctx)
	if err != nil {
		return nil, translate(err)
	}
	return campaignsOf(rows)
}

func campaignsOf(rows []campaignRow) ([]campaign.Campaign, error) {
	out := make([]campaign.Campaign, len(rows))
	for i, r := range rows {
		var err error
		if out[i], err = r.campaign(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b campaign.Campaign) int { return strings.Compare(a.Slug, b.Slug) })
	return out, nil
}

// A CampaignChange holds what is to be changed; nil leaves a thing as it is.
type CampaignChange struct {
	Title                  *string
	SourceLang, TargetLang *string
	State                  *campaign.State
	Settings               []string // "key=value"
	// FromVersion is the version of the settings that the change was made from. 0
	// replaces whatever holds.
	FromVersion int
}

// ChangeCampaign applies a change and writes it to the audit log under the name
// of the user, who may be empty for the command line. A language can't be
// changed once segments are in (ErrConflict), but one can be given that neither
// the campaign nor the import named.
//
// A setting that changes what errors cost (source_error, critical) changes the
// scores of the ratings that are in. A severity that is no longer offered but
// used stays the campaign's own, and costs nothing until it is offered again.
//
// A change made from an older version of the settings is refused with a
// [campaign.CollisionError] where it would undo what others have changed since. The
// other values that others have changed since stay as they are.
//
// Where scores change, and with another redundancy, threshold, tolerance, gate or
// number of rounds, the state of every segment follows anew from its facts
// ([campaign.Settings.Follow]).
func (s *Store) ChangeCampaign(ctx context.Context, campaignID, userID string, change CampaignChange) error {
	_, err := s.ApplyChange(ctx, campaignID, userID, change)
	return err
}

// ApplyChange is [Store.ChangeCampaign], and tells what became of the segments.
func (s *Store) ApplyChange(ctx context.Context, campaignID, userID string, change CampaignChange) (SettingsPreview, error) {
	var effect SettingsPreview
	err := s.write(ctx, func(tx *gorm.DB) error {
		c, err := lockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		touchCampaign(tx, c.ID)
		before := c
		if change.Title != nil {
			c.Title = *change.Title
		}
		if change.SourceLang != nil {
			c.SourceLang = *change.SourceLang
		}
		if change.TargetLang != nil {
			c.TargetLang = *change.TargetLang
		}
		if change.State != nil {
			c.State = *change.State
		}
		if c.Settings, err = c.Settings.WithPairs(change.Settings); err != nil {
			return err
		}
		if err := checkCampaign(c); err != nil {
			return err
		}
		// A language that is there may be older than the rule for tags.
		if err := checkLanguages(changed(before.SourceLang, c.SourceLang), changed(before.TargetLang, c.TargetLang)); err != nil {
			return err
		}
		changes := before.ChangesTo(c)
		if err := checkCollisions(tx, before, change.FromVersion, changes); err != nil {
			return err
		}
		if len(changes) > 0 {
			c.SettingsVersion++
		}
		if otherThan(before.SourceLang, c.SourceLang) || otherThan(before.TargetLang, c.TargetLang) {
			var n int64
			if err := scan(tx.Raw("SELECT count(*) FROM systems WHERE campaign_id = ?", c.ID), &n); err != nil {
				return err
			}
			if n > 0 {
				return fmt.Errorf("the languages can't be changed once segments are imported: %w", campaign.ErrConflict)
			}
		}
		rescored, err := s.rescore(tx, before, &c)
		if err != nil {
			return err
		}
		err = tx.Exec("UPDATE campaigns SET title = ?, source_lang = ?, target_lang = ?, state = ?, settings = ?, own_terms = ?, settings_version = ? WHERE id = ?",
			c.Title, c.SourceLang, c.TargetLang, string(c.State), encodeSettings(c.Settings), encodeOwn(c.Own), c.SettingsVersion, c.ID).Error
		if err != nil {
			return err
		}
		if effect, err = s.followChange(tx, before, c); err != nil {
			return err
		}
		if err := s.noteChanges(tx, userID, c, changes); err != nil {
			return err
		}
		effect.Rescored = rescored
		if rescored != "" {
			if err := s.audit(tx, c.ID, userID, "recompute scores", rescored, ""); err != nil {
				return err
			}
		}
		if len(effect.Moves) == 0 {
			return nil
		}
		return s.audit(tx, c.ID, userID, "decide anew", effect.String(), "")
	})
	return effect, err
}

// changed is what became of a value; empty if it is as before.
func changed(before, after string) string {
	if before == after {
		return ""
	}
	return after
}

// otherThan reports whether a language that was known is changed.
func otherThan(before, after string) bool { return before != "" && before != after }
