package accounts_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

func TestCreateCampaign(t *testing.T) {
	db := storetest.Open(t)
	lead := storetest.AddUser(t, db, "lead")
	// The time is finer than the database stores, and in another zone than UTC.
	db.Clock.Set(storetest.Start.Add(123_456_789).In(time.FixedZone("", 7200)))
	c := storetest.NewCampaign(t, "news")
	c.SourceLang, c.TargetLang = "zh", "en"
	made := storetest.Must(db.Accounts.CreateCampaign(t.Context(), c, lead.ID))(t)
	if made.ID == "" || made.State != campaign.Open {
		t.Errorf("made %+v", made)
	}
	if got := storetest.Must(db.Records.Campaign(t.Context(), "news"))(t); !reflect.DeepEqual(got, made) {
		t.Errorf("read %+v, want %+v", got, made)
	}
	if role := storetest.RoleIn(t, db, made.Slug, lead.ID); role != campaign.Lead {
		t.Errorf("who made it is a %q", role)
	}
	_, err := db.Accounts.CreateCampaign(t.Context(), c, lead.ID)
	storetest.WantErr(t, err, campaign.ErrConflict)
	storetest.Must(db.Accounts.CreateCampaign(t.Context(), storetest.NewCampaign(t, "news.2"), ""))(t)
	storetest.Must(db.Accounts.CreateCampaign(t.Context(), storetest.NewCampaign(t, "news-1"), ""))(t)
	var slugs []string
	for _, c := range storetest.Must(db.Records.Campaigns(t.Context()))(t) {
		slugs = append(slugs, c.Slug)
	}
	if want := []string{"news", "news-1", "news.2"}; !slices.Equal(slugs, want) { // '-' is 2D, '.' 2E
		t.Errorf("campaigns %q, want %q", slugs, want)
	}
	_, err = db.Records.Campaign(t.Context(), "nothing")
	storetest.WantErr(t, err, campaign.ErrNotFound)
	if err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("%v does not name the campaign", err)
	}
}

func TestCreateCampaignRefuses(t *testing.T) {
	db := storetest.Open(t)
	for _, tt := range []struct {
		field string
		set   func(*campaign.Campaign)
	}{
		{"slug", func(c *campaign.Campaign) { c.Slug = "News" }},
		{"slug", func(c *campaign.Campaign) { c.Slug = "a/b" }},
		{"title", func(c *campaign.Campaign) { c.Title = "" }},
		{"title", func(c *campaign.Campaign) { c.Title = "a\x00b" }},
		{"protocol", func(c *campaign.Campaign) { c.Protocol = "stars" }},
		{"source language", func(c *campaign.Campaign) { c.SourceLang = "Chinese!" }},
		{"target language", func(c *campaign.Campaign) { c.TargetLang = "x" }},
	} {
		c := storetest.NewCampaign(t, "news")
		tt.set(&c)
		_, err := db.Accounts.CreateCampaign(t.Context(), c, "")
		storetest.WantInvalid(t, err, tt.field)
	}
	storetest.WantCount(t, db, 0, "campaigns")
}

// Every setting is read back as it was set, and its change is in the audit log.
func TestSettingsRoundTrip(t *testing.T) {
	values := map[string]string{
		"redundancy": "3", "quota": "0", "gate": "report", "threshold": "0.65", "tolerance": "0.3333333333333333", "rounds": "4",
		"reannotate": "blank", "release_hours": "0.25", "max_errors": "0", "critical": "yes", "source_error": "severity",
		"show_reference": "yes", "idle_seconds": "90", "undo_seconds": "5", "timezone": "Asia/Kathmandu", "licence": `CC BY-SA 4.0 "é"`,
		"pseudonyms": "yes", "context": "document", "assign": "document", "adjudicate_own": "yes", "training_share": "0.9", "training_attempts": "3", "flag_low_agreement": "0.25", "flag_constant": "0.8", "flag_fast": "0.5", "flag_bias": "0.75", "flag_drift": "0.6",
		"check_rate": "0.1", "check_kinds": "repeat,known", "check_margin": "0.3", "repeat_after": "5", "check_flag": "0.01", "follow": "auto", "apart": "other", "filter": "difficulty>=7",
	}
	db, s := storetest.New(t, storetest.Set("quota=100"), storetest.Annotators(0), storetest.Segments(0))
	storetest.Campaign(t, db.Store, storetest.Slug("other"), storetest.Annotators(0), storetest.Segments(0))
	before := s.Campaign
	for _, k := range campaign.SettingList {
		value, ok := values[k.Key]
		if !ok {
			t.Fatalf("no value to try for the setting %q", k.Key)
		}
		s.Change(t, k.Key+"="+value)
		if got := k.Get(s.Campaign.Settings); got != value {
			t.Errorf("%s is %q, want %q", k.Key, got, value)
		}
		log := storetest.AuditLines(t, db, s)
		if want := "lead set " + k.Key + " " + k.Get(before.Settings) + " -> " + value; log[len(log)-1] != want {
			t.Errorf("logged %q, want %q", log[len(log)-1], want)
		}
	}
	n := len(storetest.AuditLines(t, db, s))
	s.Change(t, "redundancy=3", "timezone=Asia/Kathmandu")
	if got := len(storetest.AuditLines(t, db, s)); got != n {
		t.Errorf("%d lines were logged for changing nothing", got-n)
	}
}

func TestChangeCampaign(t *testing.T) {
	db, s := storetest.New(t, storetest.Annotators(0), storetest.Segments(0))
	title, closed, bad, from := "New title", campaign.Closed, campaign.State("done"), "de"
	err := db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{
		Title: &title, State: &closed, SourceLang: &from, Settings: []string{"quota=7", "redundancy=1"},
	})
	storetest.Check(t, err)
	s.Reload(t)
	if c := s.Campaign; c.Title != title || c.State != closed || c.LanguagePair() != "de-en" || c.Settings.Quota != 7 || c.Settings.Redundancy != 1 {
		t.Errorf("got %+v", c)
	}
	want := []string{
		"lead set title Sample campaign -> New title", "lead set source language zh -> de", "lead set state open -> closed",
		"lead set redundancy 2 -> 1", "lead set quota 0 -> 7",
	}
	log := storetest.AuditLines(t, db, s)
	if got := log[len(log)-5:]; !slices.Equal(got, want) {
		t.Errorf("logged\n%q, want\n%q", got, want)
	}

	// If one of the settings is refused, none is stored.
	before := s.Campaign
	empty := ""
	for field, change := range map[string]records.CampaignChange{
		"sped":      {Title: &title, Settings: []string{"quota=8", "sped=1"}},
		"quota":     {State: &closed, Settings: []string{"rounds=3", "quota=-1"}},
		"title":     {Title: &empty, Settings: []string{"quota=8"}},
		"state":     {State: &bad},
		"redundant": {Settings: []string{"redundant"}},
	} {
		storetest.WantInvalid(t, db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, change), field)
	}
	storetest.WantErr(t, db.Rounds.ChangeCampaign(t.Context(), "nothing", s.Lead.ID, records.CampaignChange{}), campaign.ErrNotFound)
	if s.Reload(t); !reflect.DeepEqual(s.Campaign, before) {
		t.Errorf("a refused change left %+v, want %+v", s.Campaign, before)
	}
	if got := storetest.AuditLines(t, db, s); len(got) != len(log) {
		t.Errorf("refused changes were logged: %q", got[len(log):])
	}
}

func TestLanguagesAreLocked(t *testing.T) {
	db := storetest.Open(t)
	set := func(s *storetest.Sample, source, target string) error {
		err := db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{SourceLang: &source, TargetLang: &target})
		s.Reload(t)
		return err
	}
	s := storetest.Campaign(t, db.Store)
	storetest.WantErr(t, set(s, "de", "en"), campaign.ErrConflict)
	storetest.WantErr(t, set(s, "zh", ""), campaign.ErrConflict)
	storetest.Check(t, set(s, "zh", "en"))

	// If the file names no languages, each can be set later, once.
	bare := storetest.Campaign(t, db.Store, storetest.Slug("bare"), storetest.Segments(0))
	storetest.Check(t, set(bare, "", ""))
	seg := storetest.Segment(1, 1, []string{"a", "b"})
	seg.SourceLang, seg.TargetLang = "", ""
	storetest.ImportSegments(t, bare, seg)
	storetest.Check(t, set(bare, "", "fr"))
	storetest.WantErr(t, set(bare, "de", "en"), campaign.ErrConflict)
	if err := set(bare, "de", "fr"); err != nil || bare.Campaign.LanguagePair() != "de-fr" {
		t.Errorf("then the other: %v, %s", err, bare.Campaign.LanguagePair())
	}
	storetest.WantErr(t, set(bare, "zh", "fr"), campaign.ErrConflict)
}
