package accounts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// leastDistinct is the least number of different characters that a password must have after everything
// that is easy to guess is removed from it.
const leastDistinct = 5

// commonWords are words that many people use in passwords. They are removed before characters are counted.
var commonWords = []string{
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

// keyRows are rows of adjacent keys, and the alphabet and the digits in order.
var keyRows = []string{
	"abcdefghijklmnopqrstuvwxyz",
	"01234567890",
	"qwertyuiop",
	"qwertzuiop",
	"azertyuiop",
	"asdfghjkl",
	"qsdfghjklm",
	"zxcvbnm",
	"yxcvbnm",
	"wxcvbn",
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm",
	"!@#$%^&*()",
}

// leet replaces digits and signs that people use in place of letters.
var leet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// checkSimple returns an error if a password is easy to guess. about is known about its owner, such as
// the login.
func checkSimple(password string, about []string) error {
	low := strings.ToLower(password)
	for _, known := range about {
		for _, part := range append(strings.FieldsFunc(strings.ToLower(known), isSeparator), strings.ToLower(known)) {
			if len([]rune(part)) >= 4 && strings.Contains(low, part) {
				return fmt.Errorf("the password contains %q, which is your login or name; choose one without it", part)
			}
		}
	}
	if len([]rune(password)) < 16 && !strings.ContainsFunc(password, isOutsideDates) {
		return errors.New("digits alone are easy to guess; use a few words instead")
	}
	if distinct(low) < leastDistinct || distinct(leet.Replace(low)) < leastDistinct-1 {
		return errors.New(
			"this password is easy to guess: common words, repetitions and rows of keys or digits count as nothing; use a few words that don't belong together",
		)
	}
	return nil
}

// isOutsideDates reports whether a character never occurs in numbers, dates and times.
func isOutsideDates(r rune) bool {
	return !unicode.IsDigit(r) && !unicode.IsSpace(r) && !strings.ContainsRune("-./:+()", r)
}

// isSeparator reports whether a character separates words.
func isSeparator(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// distinct counts the different characters of a text after common words, parts of rows and repetitions are
// removed. Spaces do not count.
func distinct(text string) int {
	words := slices.Clone(commonWords)
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	for _, w := range words {
		text = strings.ReplaceAll(text, w, " ")
	}
	seen := map[rune]bool{}
	for _, r := range unrepeated([]rune(withoutRows(text))) {
		if !unicode.IsSpace(r) {
			seen[r] = true
		}
	}
	return len(seen)
}

// withoutRows replaces every sequence of three or more adjacent characters of a row, forwards or backwards,
// by a space.
func withoutRows(text string) string {
	runes := []rune(text)
	var out []rune
	for i := 0; i < len(runes); {
		n := 1
		for _, row := range keyRows {
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

// unrepeated returns the part that a text repeats, or the text itself if it is not a repetition.
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
