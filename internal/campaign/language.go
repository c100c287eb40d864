package campaign

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

var langForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]{2,8}([_-][A-Za-z0-9]{1,8})*$`) })

// CheckLang refuses a tag that is not a language tag (BCP 47; "_" is allowed in place of
// "-"). If tag is the name of a language, the error gives the tag of that language.
func CheckLang(field, tag string) error {
	var unknown language.ValueError
	_, err := language.Parse(tag)
	switch {
	case langForm().MatchString(tag) && err == nil:
		return nil
	case tagOfName(tag) != "":
		return Invalid(field, fmt.Sprintf("use the language tag %s", tagOfName(tag)))
	case errors.As(err, &unknown):
		return Invalid(field, fmt.Sprintf("%q in it is not known; use a language tag such as en, zh or pt-BR", unknown.Subtag()))
	}
	return Invalid(field, "use a language tag such as en, zh or pt-BR")
}

// tagOfName is the tag of a language by its name, in English or in the language itself. It
// ignores case, and is empty if no language has the name.
func tagOfName(name string) string {
	return tagsByName()[strings.ToLower(strings.TrimSpace(name))]
}

var tagsByName = sync.OnceValue(func() map[string]string {
	tags := map[string]string{}
	english := display.English.Languages()
	for _, tag := range display.Supported.Tags() {
		for _, name := range []string{english.Name(tag), display.Self.Name(tag)} {
			if _, there := tags[strings.ToLower(name)]; !there && name != "" {
				tags[strings.ToLower(name)] = tag.String()
			}
		}
	}
	return tags
})
