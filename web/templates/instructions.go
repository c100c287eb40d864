package templates

import (
	"strconv"

	"annotate/internal/readmodel"
)

// An InstructionsView is what annotators must accept before they get work. For a lead it has a form
// that posts text, was and act (save or preview) to …/instructions.
type InstructionsView struct {
	Page
	Clock
	HTML       string // of internal/markdown
	Previews   bool   // HTML is what was typed, not what is stored
	HasText    bool   // there is something to accept
	Version    int    // 0: none was written yet
	MustAccept bool   // the user has not accepted it
	Accepted   []readmodel.Acceptance
	Text       string // in the form
	Was        int    // the version that the text was made from
	MaxBytes   int
	Error      string   // what is wrong with the text
	Problems   []string // and where
}

func (v InstructionsView) lead() string {
	if v.Campaign.Leads {
		return "Annotators read and accept this before they get their first segment, and each new version before their next one."
	}
	return "Please read this before you go on."
}

func (v InstructionsView) help() string {
	return "In Markdown, as the guide. Leave it empty to ask for nothing. At most " + strconv.Itoa(v.MaxBytes>>10) + " KB."
}

// acceptance says which version somebody has accepted.
func (v InstructionsView) acceptance(a readmodel.Acceptance) (kind, text string) {
	switch a.Version {
	case 0:
		return "plain", "not accepted"
	case v.Version:
		return "good", "version " + strconv.Itoa(a.Version)
	}
	return "warn", "version " + strconv.Itoa(a.Version)
}
