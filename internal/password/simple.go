package password

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// What is left of a password, once everything is taken out that is easy to guess,
// must have this many different characters.
const leastOwn = 5

// common are words that people choose again and again. Within a password they count
// as nothing.
var common = []string{
	"password", "passwort", "passwd", "passphrase", "secret", "geheim", "parole", "contrasena", "motdepasse", "senha", "hunter",
	"welcome", "willkommen", "bienvenue", "hello", "hallo", "login", "logon", "signin", "letmein", "open", "sesame", "access", "enter",
	"admin", "administrator", "root", "superuser", "user", "guest", "test", "demo", "temp", "default", "change", "changeme", "please",
	"master", "monkey", "dragon", "shadow", "sunshine", "princess", "football", "baseball", "soccer", "hockey", "superman", "batman",
	"pokemon", "starwars", "flower", "cookie", "cheese", "summer", "winter", "spring", "autumn", "sommer", "love", "iloveyou", "forever",
	"freedom", "whatever", "trustno", "nothing", "computer", "internet", "google", "samsung", "iphone", "michael", "jessica", "daniel",
	"charlie", "jordan", "thomas", "andrea", "ashley", "nicole", "monday", "friday", "january", "september", "october", "november",
	"annotate", "annotation", "annotator", "campaign", "translate", "translation", "translator", "linguist", "language", "segment",
	"my", "the", "is", "your", "our",
}

// rows are keys that lie side by side, and what is learnt in order.
var rows = []string{"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "qsdfghjklm", "zxcvbnm", "yxcvbnm", "wxcvbn",
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm", "!@#$%^&*()"}

// leet are characters that stand for letters.
var leet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// checkSimple refuses a password that is easy to guess; about are what is known of its
// owner, such as the login.
func checkSimple(password string, about []string) error {
	low := strings.ToLower(password)
	for _, known := range about {
		for _, part := range append(strings.FieldsFunc(strings.ToLower(known), isNoWord), strings.ToLower(known)) {
			if len([]rune(part)) >= 4 && strings.Contains(low, part) {
				return fmt.Errorf("the password contains %q, which is your login or name; choose one without it", part)
			}
		}
	}
	if len([]rune(password)) < 16 && !strings.ContainsFunc(password, isNoDate) {
		return errors.New("digits alone are easy to guess; use a few words instead")
	}
	if own(low) < leastOwn || own(leet.Replace(low)) < leastOwn-1 {
		return errors.New("this password is easy to guess: common words, repetitions and rows of keys or digits count as nothing; use a few words that don't belong together")
	}
	return nil
}

// isNoDate reports whether a character stands in no number, date or time.
func isNoDate(r rune) bool {
	return !unicode.IsDigit(r) && !unicode.IsSpace(r) && !strings.ContainsRune("-./:+()", r)
}

func isNoWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// own counts the different letters, digits and signs of a text without its common
// words, rows, years and repetitions.
func own(text string) int {
	words := slices.Clone(common)
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	for _, w := range words {
		text = strings.ReplaceAll(text, w, " ")
	}
	runes := []rune(withoutRows(text))
	runes = unrepeated(runes)
	seen := map[rune]bool{}
	for _, r := range runes {
		if !unicode.IsSpace(r) {
			seen[r] = true
		}
	}
	return len(seen)
}

// withoutRows takes out every run of three or more characters that stand side by side
// in a row, forwards or backwards.
func withoutRows(text string) string {
	runes := []rune(text)
	var out []rune
	for i := 0; i < len(runes); {
		n := 1
		for _, row := range rows {
			for m := min(len(row), len(runes)-i); m >= 3 && m > n; m-- {
				run := runes[i : i+m]
				back := slices.Clone(run)
				slices.Reverse(back)
				if strings.Contains(row, string(run)) || strings.Contains(row, string(back)) {
					n = m
				}
			}
		}
		if n >= 3 {
			out = append(out, ' ')
		} else {
			out = append(out, runes[i])
		}
		i += n
	}
	return string(out)
}

// unrepeated is a text once, where it is that text several times.
func unrepeated(text []rune) []rune {
	for n := 1; n <= len(text)/2; n++ {
		same := len(text)%n == 0
		for i := n; same && i < len(text); i++ {
			same = text[i] == text[i-n]
		}
		if same {
			return text[:n]
		}
	}
	return text
}
