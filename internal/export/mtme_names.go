package export

import (
	"fmt"
	"strings"
	"unicode"
)

// rename gives names the form that files need, and notes the changes. Where a name
// would be that of an earlier one, a number follows it: A_B~2.
func (m *mtme) rename(what string, names []string, form func(string) string) []string {
	out, used := make([]string, len(names)), map[string]bool{}
	for _, name := range names {
		if form(name) == name {
			used[name] = true // who needs no other name keeps it
		}
	}
	for i, name := range names {
		if out[i] = form(name); out[i] == name {
			continue
		}
		for n := 2; used[out[i]]; n++ {
			out[i] = fmt.Sprintf("%s~%d", form(name), n)
		}
		used[out[i]] = true
		m.notes = append(m.notes, fmt.Sprintf("the %s %q is %s in the files, where not every character can stand in a name", what, name, out[i]))
	}
	return out
}

// token is a name as it can stand in a line that is divided at white space, and
// be the name of a file: white space, slashes, control characters and a dot at
// the beginning become "_".
func token(name string) string {
	out := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, name)
	if strings.HasPrefix(out, ".") {
		out = "_" + out[1:]
	}
	return out
}

// referenceToken is a token without dots and dashes, at which the names of
// metrics are divided, and none of the two words that stand for references.
func referenceToken(name string) string {
	out := strings.NewReplacer(".", "_", "-", "_").Replace(token(name))
	if out == "all" || out == "src" {
		out += "_"
	}
	return out
}

// documentNames keep the segments of a document together: one that is taken up
// again after another has a number behind its name, doc~2, since a document of
// an mtme directory is one block of lines.
type documentNames struct {
	last, name string
	used       map[string]bool
	number     map[string]int // the last one behind a name
}

func (d *documentNames) next(docID string) string {
	if d.used == nil {
		d.used, d.number = map[string]bool{}, map[string]int{}
	} else if docID == d.last {
		return d.name
	}
	base := token(docID)
	name := base
	for d.used[name] {
		d.number[base] = max(d.number[base], 1) + 1
		name = fmt.Sprintf("%s~%d", base, d.number[base])
	}
	d.used[name] = true
	d.last, d.name = docID, name
	return name
}
