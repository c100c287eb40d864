package campaign

import "time"

// Interventions lists what leads did that changed the data of a campaign. Reports and
// exports show it.
type Interventions struct {
	SetAside []SetAside      // the earliest first, including work that was restored later
	Settings []SettingChange // the earliest first
	// Entered counts the gold values that a lead entered, and EnteredSegments the
	// segments that have such a value.
	Entered, EnteredSegments int
	// Adjudicated counts the gold values that adjudicators gave, and
	// AdjudicatedSegments the segments that have them.
	Adjudicated, AdjudicatedSegments int
	// MeansAccepted counts the segments whose gold is a mean that a lead accepted.
	MeansAccepted int
}

// A SetAside is one time that an annotator's work was set aside.
type SetAside struct {
	Annotator  string `person:"login"` // login
	At         time.Time
	By         string    `person:"login"` // login; empty: the command line
	Reason     string    `person:"text"`
	Ratings    int       // number of submitted ratings that stopped counting
	RestoredAt time.Time // zero: still set aside
}

// A SettingChange is one change of one setting.
type SettingChange struct {
	Key, From, To string
	At            time.Time
	By            string `person:"login"` // login; empty: the command line
}

// AsideNow lists the work that is set aside now.
func (i Interventions) AsideNow() []SetAside {
	var out []SetAside
	for _, a := range i.SetAside {
		if a.RestoredAt.IsZero() {
			out = append(out, a)
		}
	}
	return out
}
