package sample

import (
	"path/filepath"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/store"
)

// The flags campaign has one annotator of each flag, who is called by it, and no flag
// of anybody else.
func TestFlagsCampaign(t *testing.T) {
	clock := NewClock(now)
	st, err := store.OpenUnmigrated(database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "flags.db"), Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.DB.MigrateUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := Load(t.Context(), st, clock); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := LoadFlags(t.Context(), st, clock); err != nil {
		t.Fatal(err)
	}
	t.Logf("loaded in %v", time.Since(began))
	c, err := st.Records.Campaign(t.Context(), Flags)
	if err != nil {
		t.Fatal(err)
	}
	p, err := st.Desk.Progress(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]campaign.FlagKind{
		"low-agreement": campaign.FlagLowAgreement, "constant": campaign.FlagConstant, "fast": campaign.FlagFast,
		"bias": campaign.FlagBias, "drift": campaign.FlagDrift, "idle": campaign.FlagIdle,
	}
	for _, a := range p.Annotators {
		var kinds []campaign.FlagKind
		for _, f := range a.Flags {
			kinds = append(kinds, f.Kind)
		}
		if kind := want[a.User.Login]; kind == "" && len(kinds) > 0 || kind != "" && (len(kinds) != 1 || kinds[0] != kind) {
			t.Errorf("%s has the flags %v: %+v", a.User.Login, kinds, a.Conduct)
		}
	}
	if len(p.Annotators) != len(flagged) {
		t.Errorf("%d annotators, want %d", len(p.Annotators), len(flagged))
	}
}
