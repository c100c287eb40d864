package campaign

import "time"

// Interventions are what leads did to a campaign that a reader of its data has to know.
type Interventions struct {
	SetAside []SetAside      // the earliest first, also what was restored
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
	Annotator  string // login
	At         time.Time
	By         string // login; empty: the command line
	Reason     string
	Ratings    int       // submitted ones that left
	RestoredAt time.Time // zero: still set aside
}

// A SettingChange is one change of one setting.
type SettingChange struct {
	Key, From, To string
	At            time.Time
	By            string // login; empty: the command line
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
