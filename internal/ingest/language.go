package ingest

import (
	"fmt"
	"strings"

	"annotate/internal/campaign"
)

// SameLang reports whether two language tags are equal, ignoring case and treating "_" as
// "-".
func SameLang(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "_", "-"), strings.ReplaceAll(b, "_", "-"))
}

// ParseLanguagePair splits a pair such as "zh-en" into its two tags. source and target are
// the campaign's languages, or empty if it has none yet.
//
// A pair with one hyphen is split there. A pair with several hyphens, such as "pt-BR-en",
// is split where the parts are the campaign's languages. Otherwise it is split where both
// parts are tags in their usual spelling, with regions in capitals. If there is no such
// place or more than one, the result is an error.
func ParseLanguagePair(pair, source, target string) (src, tgt string, err error) {
	var splits, usual [][2]string
	for i, c := range pair {
		if c != '-' {
			continue
		}
		s := [2]string{pair[:i], pair[i+1:]}
		if campaign.CheckLang("", s[0]) != nil || campaign.CheckLang("", s[1]) != nil {
			continue
		}
		if SameLang(s[0], source) && SameLang(s[1], target) {
			return s[0], s[1], nil
		}
		splits = append(splits, s)
		if usualTag(s[0]) && usualTag(s[1]) {
			usual = append(usual, s)
		}
	}
	switch {
	case len(splits) == 1:
		return splits[0][0], splits[0][1], nil
	case len(usual) == 1:
		return usual[0][0], usual[0][1], nil
	case len(splits) == 0:
		return "", "", fmt.Errorf("%q is not a language pair; use a pair such as zh-en", pair)
	}
	return "", "", fmt.Errorf(
		"%q can be divided in more than one place; write regions in capitals, as in pt-BR-en, or set the languages of the campaign first", pair,
	)
}

// usualTag reports whether a tag is in its usual spelling: no subtag after the first looks
// like a language, with two or three lower-case letters.
func usualTag(tag string) bool {
	_, rest, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	for sub := range strings.SplitSeq(rest, "-") {
		if (len(sub) == 2 || len(sub) == 3) && strings.Trim(sub, "abcdefghijklmnopqrstuvwxyz") == "" {
			return false
		}
	}
	return true
}
