package campaign

import (
	"time"

	"annotate/internal/protocol"
)

// A State says whether a campaign takes ratings.
type State string

// The states of a campaign.
const (
	Open   State = "open"
	Paused State = "paused" // nothing is handed out or saved until the campaign is opened again
	Closed State = "closed" // finished; it can be opened again
)

// A Role is what a member may do in a campaign.
type Role string

// The roles of a campaign's members. One person has one role in a campaign, so that
// annotators never see each other's ratings. An annotator may also be an adjudicator.
const (
	Lead        Role = "lead"
	Annotator   Role = "annotator"
	Researcher  Role = "researcher"
	Adjudicator Role = "adjudicator" // rates segments again to decide them; sees the annotators' ratings, but no names and systems
)

// Blind reports whether members with this role judge without knowing the systems. Nobody
// gets such a role after seeing the campaign's ratings as a lead or researcher.
func (r Role) Blind() bool { return r == Annotator || r == Adjudicator }

// A Campaign is one collection effort.
type Campaign struct {
	ID       string
	Slug     string // in URLs and on the command line
	Title    string
	Protocol string // id of its protocol
	// Definition is the text of the campaign's own protocol, as [protocol.Read] reads
	// it. It is empty if the protocol comes with the program.
	Definition string
	// Own are severities and categories that the protocol lacks and that came with
	// imported ratings.
	Own protocol.Own
	// Rules is the protocol with the changes that Settings and Own make. It is set in
	// every campaign read from the store.
	Rules *protocol.Protocol
	// Guide is the text that the lead wrote for the annotators, in Markdown. It is empty
	// if annotators read the guide of the protocol. See [CleanGuide].
	Guide      string
	SourceLang string // BCP 47; empty until known
	TargetLang string
	State      State
	Archived   bool // closed and read-only, and left out of lists
	Settings   Settings
	// SettingsVersion starts at 1. Each change of any of the [ChangeKeys] raises it by 1.
	SettingsVersion int
	CreatedAt       time.Time
	// Side and PartOf, the id of another campaign, are empty unless this is a side campaign of
	// that one. See [Campaign.SideOf].
	Side   Side
	PartOf string
}

// LanguagePair is "zh-en" for Chinese into English; empty while unknown.
func (c Campaign) LanguagePair() string {
	if c.SourceLang == "" || c.TargetLang == "" {
		return ""
	}
	return c.SourceLang + "-" + c.TargetLang
}
