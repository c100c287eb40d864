package campaign

import (
	"strings"
	"testing"
)

// TestCheckLang: tags are taken in any usual spelling, and the
// error for the name of a language says its tag.
func TestCheckLang(t *testing.T) {
	for _, tag := range []string{"en", "zh", "EN", "pt-BR", "pt_br", "zh-Hans-CN", "ces", "hsb", "bho", "mas", "sr-Latn", "es-419", "de-1996", "tlh", "yue", "mul", "und", "zxx"} {
		if err := CheckLang("language", tag); err != nil {
			t.Errorf("%s: %v", tag, err)
		}
	}
	for tag, hint := range map[string]string{"English": "use the language tag en", "german": "use the language tag de", "Deutsch": "use the language tag de", "Français": "use the language tag fr", "中文": "use the language tag zh",
		"Chinese": "use the language tag zh", "": "use a language tag such as", "xx": `"xx" in it is not known`, "en-AB": `"AB" in it is not known`,
		"Elvish": `use a language tag such as`, "e": "use a language tag such as", "en de": "use a language tag such as", "-en": "use a language tag such as", "a very long name of no language at all": "use a language tag such as"} {
		err := CheckLang("language", tag)
		if err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: got %v, want %s", tag, err, hint)
		}
	}
}
