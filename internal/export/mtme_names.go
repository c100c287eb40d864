package export

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// inFiles is why names are changed.
const inFiles = "since file names cannot contain all characters"

// rename converts names with form and notes the changes, with their reason. If a name is in use already, a
// number is appended: A_B~2. Case is ignored, since names that differ only in case are
// the same file on Windows and macOS.
func (m *mtme) rename(what string, names []string, form func(string) string, why string) []string {
	out, used := make([]string, len(names)), map[string]bool{}
	kept := make([]bool, len(names)) // whether the name needs no change
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
		m.notes = append(m.notes, fmt.Sprintf("the %s %q is %s in the files, %s", what, name, out[i], why))
	}
	return out
}

// word converts a name for lines that are split at white space: white space, slashes,
// control characters and a leading dot become "_".
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

// token converts a name to a word that is also a valid file name on every operating
// system: characters that Windows refuses and a final dot become "_", and "_" is appended
// to names that Windows reserves for devices.
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

// device matches the names that Windows reserves for devices, without an extension.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$`)

// referenceToken converts a name to a token without dots and dashes, at which names of
// metrics are split. It also changes "all" and "src", which have a meaning in names of
// metrics.
func referenceToken(name string) string {
	out := strings.NewReplacer(".", "_", "-", "_").Replace(token(name))
	if out == "all" || out == "src" {
		out += "_"
	}
	return out
}

// documentNames makes names of documents. In an mtme directory a document is one block of
// lines. If the segments of a document are not adjacent, each further block gets a number:
// doc~2.
type documentNames struct {
	last, name string
	used       map[string]bool
	number     map[string]int // by name: the last number appended to it
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
