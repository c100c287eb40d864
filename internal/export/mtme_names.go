package export

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// rename gives names the form that files need, and notes the changes. Where a name
// would be that of an earlier one, a number follows it: A_B~2. Names that differ in
// case alone would be one file on Windows and macOS.
func (m *mtme) rename(what string, names []string, form func(string) string) []string {
	out, used := make([]string, len(names)), map[string]bool{}
	kept := make([]bool, len(names)) // the name needs no change
	for i, name := range names {
		folded := strings.ToLower(name)
		kept[i] = form(name) == name && !used[folded]
		used[folded] = used[folded] || kept[i]
	}
	for i, name := range names {
		if out[i] = form(name); kept[i] {
			continue
		}
		for n := 2; used[strings.ToLower(out[i])]; n++ {
			out[i] = fmt.Sprintf("%s~%d", form(name), n)
		}
		used[strings.ToLower(out[i])] = true
		m.notes = append(m.notes, fmt.Sprintf("the %s %q is %s in the files, where not every character can stand in a name", what, name, out[i]))
	}
	return out
}

// word is a name as it can stand in a line that is divided at white space: white
// space, slashes, control characters and a dot at the beginning become "_".
func word(name string) string {
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

// token is a word that can be the name of a file on every system, too: characters
// that Windows refuses and a dot at the end become "_", and a name that Windows keeps
// for a device has a "_" behind it.
func token(name string) string {
	out := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:*?"<>|`, r) {
			return '_'
		}
		return r
	}, word(name))
	if strings.HasSuffix(out, ".") {
		out = out[:len(out)-1] + "_"
	}
	if stem, rest, dotted := strings.Cut(out, "."); device.MatchString(stem) {
		if out = stem + "_"; dotted {
			out += "." + rest
		}
	}
	return out
}

// device matches the names that Windows keeps for devices, whatever follows a dot.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$`)

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
	base := word(docID)
	name := base
	for d.used[name] {
		d.number[base] = max(d.number[base], 1) + 1
		name = fmt.Sprintf("%s~%d", base, d.number[base])
	}
	d.used[name] = true
	d.last, d.name = docID, name
	return name
}
