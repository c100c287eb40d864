package annotating

import (
	"strconv"

	"annotate/internal/readmodel"
	"annotate/web/templates"
)

// An InstructionsView shows the instructions that annotators must accept before they get work. Leads
// get a form that posts text, was and act (save or preview) to …/instructions.
type InstructionsView struct {
	templates.Page
	HTML       string // the text as HTML, from internal/markdown
	Previews   bool   // HTML is the text of the form and not the stored text
	HasText    bool   // the instructions have a text to accept
	Version    int    // latest version; 0 if there is none
	MustAccept bool   // the user has not accepted the version
	Accepted   []readmodel.Acceptance
	Text       string // text of the form
	Was        int    // the version that the lead edits
	MaxBytes   int
	Error      string   // why the text was refused
	Problems   []string // the places of what is wrong in the text
}

func (v InstructionsView) lead() string {
	if v.Campaign.Leads {
		return "Annotators must accept the instructions before they get their first segment. They must accept each new version before they get their next segment."
	}
	return "Please read the instructions before you go on."
}

func (v InstructionsView) help() string {
	return "Write Markdown, as in the guide, of at most " + strconv.Itoa(v.MaxBytes>>10) + " KB. If the text is empty, annotators have nothing to accept."
}

// acceptance returns the kind and the text of the badge for the version that an annotator has accepted.
func (v InstructionsView) acceptance(a readmodel.Acceptance) (kind, text string) {
	switch a.Version {
	case 0:
		return "plain", "not accepted"
	case v.Version:
		return "good", "version " + strconv.Itoa(a.Version)
	}
	return "warn", "version " + strconv.Itoa(a.Version)
}
