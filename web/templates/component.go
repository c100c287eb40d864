package templates

import (
	"cmp"

	"github.com/a-h/templ"
)

// A Field is one labelled control of a form. The zero Type is "text".
type Field struct {
	Name         string // of the form value; also the id of the control
	Label        string
	Type         string // text, password, number, email, url, date, file, or "textarea"
	Value        string
	Help         string // stands below the label, always
	Error        string // what is wrong with the value, in words
	Autocomplete string // e.g. "username", "current-password"
	Accept       string // of a file
	Min, Max     string // of a number
	Step         string // of a number; "any" for fractions
	Rows         int    // of a textarea
	Required     bool
	Autofocus    bool
	Multiple     bool // of a file
}

// describedBy lists the ids of help and error of a control.
func describedBy(name, help, err string) string {
	s := ""
	if help != "" {
		s = name + "-help"
	}
	if err != "" {
		if s != "" {
			s += " "
		}
		s += name + "-error"
	}
	return s
}

func (f Field) kind() string { return cmp.Or(f.Type, "text") }

// A Choice is a labelled choice of a form: a select box, or radio buttons
// where each option deserves an explanation.
type Choice struct {
	Name     string
	Label    string
	Value    string // the chosen one
	Help     string
	Error    string
	Options  []Option
	Required bool
}

// An Option is one possibility of a [Choice].
type Option struct {
	Value string
	Label string
	Help  string // shown with radio buttons only
}

// OptionsOf are values under their own names, after the choice of none of them.
func OptionsOf(none string, values []string) []Option {
	options := []Option{{Label: none}}
	for _, v := range values {
		options = append(options, Option{Value: v, Label: v})
	}
	return options
}

// A Tile is one number that matters, with what it counts and a link to the
// rows behind it.
type Tile struct {
	Label string
	Value string // formatted; "–" where undefined
	Note  string // small print, may be empty
	Href  string // may be empty
	Kind  string // "", "warn" or "bad" when it asks for attention
}

// A Pair is a term and its description in a definition list.
type Pair struct{ Term, Text string }

// StateKind is the kind of [Badge] that a campaign's state gets.
func StateKind(state string) string {
	switch state {
	case "open":
		return "good"
	case "paused":
		return "warn"
	}
	return "plain"
}

// StatusKind is the kind of [Badge] that a segment's status gets.
func StatusKind(status string) string {
	switch status {
	case "agreed", "adjudicated":
		return "good"
	case "reannotate", "below_threshold":
		return "warn"
	case "discarded":
		return "bad"
	case "ungated":
		return "info"
	}
	return "plain" // pending, withdrawn
}

// fieldAttributes are the attributes of a control that only some fields have.
func fieldAttributes(f Field) templ.Attributes {
	attrs := templ.Attributes{}
	for name, value := range map[string]string{
		"autocomplete":     f.Autocomplete,
		"accept":           f.Accept,
		"min":              f.Min,
		"max":              f.Max,
		"step":             f.Step,
		"aria-describedby": describedBy(f.Name, f.Help, f.Error),
	} {
		if value != "" {
			attrs[name] = value
		}
	}
	if f.Error != "" {
		attrs["aria-invalid"] = "true"
	}
	return attrs
}
