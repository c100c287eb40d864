package templates

import (
	"github.com/a-h/templ"

	"annotate/internal/wording"
)

// either is the first error of several names that a field may go by.
func either(errors map[string]string, names ...string) string {
	for _, name := range names {
		if errors[name] != "" {
			return errors[name]
		}
	}
	return ""
}

// describedAttributes join a control with its help and its error.
func describedAttributes(id, help, err string) templ.Attributes {
	attrs := templ.Attributes{}
	if d := describedBy(id, help, err); d != "" {
		attrs["aria-describedby"] = d
	}
	if err != "" {
		attrs["aria-invalid"] = "true"
	}
	return attrs
}

// place is a line or column number; 0 is not known.
func place(n int) string {
	if n == 0 {
		return "–"
	}
	return wording.Count(n)
}
