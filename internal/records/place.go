package records

import "fmt"

// A Place is the file and line that something was read from.
type Place struct {
	File string
	Line int
}

// First says in words where the first of two equal segments is. file is the file of the
// second one.
func (p Place) First(file string) string {
	in := ""
	if p.File != file {
		in = " of " + p.File
	}
	return fmt.Sprintf("the first is in line %d%s; give each its own id, or leave one out", p.Line, in)
}
