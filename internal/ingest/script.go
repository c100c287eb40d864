package ingest

import (
	"fmt"
	"slices"
	"unicode"

	"golang.org/x/text/language"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// scriptsOf maps the script code that x/text gives for a language to Unicode scripts.
var scriptsOf = map[string][]string{
	"Latn": {"Latin"}, "Cyrl": {"Cyrillic"}, "Grek": {"Greek"}, "Arab": {"Arabic"}, "Hebr": {"Hebrew"}, "Armn": {"Armenian"}, "Geor": {"Georgian"},
	"Hans": {"Han", "Bopomofo"}, "Hant": {"Han", "Bopomofo"}, "Hani": {"Han"}, "Jpan": {"Han", "Hiragana",
		"Katakana"}, "Kore": {"Hangul", "Han"},
	"Deva": {
		"Devanagari",
	}, "Beng": {"Bengali"}, "Guru": {"Gurmukhi"}, "Gujr": {"Gujarati"}, "Orya": {"Oriya"}, "Taml": {"Tamil"}, "Telu": {"Telugu"}, "Knda": {"Kannada"}, "Mlym": {"Malayalam"}, "Sinh": {"Sinhala"},
	"Thai": {
		"Thai",
	}, "Laoo": {"Lao"}, "Khmr": {"Khmer"}, "Mymr": {"Myanmar"}, "Tibt": {"Tibetan"}, "Ethi": {"Ethiopic"}, "Mong": {"Mongolian"}, "Thaa": {"Thaana"},
}

// alsoLatin lists languages that are also written in Latin letters.
var alsoLatin = []string{"sr", "uz", "az", "kk", "bs", "tg", "mn"}

// scriptNames lists all Unicode scripts of scriptsOf, sorted.
var scriptNames = func() (names []string) {
	for _, scripts := range scriptsOf {
		names = append(names, scripts...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}()

// expectedScripts returns the scripts of a language, or nil if they are unknown.
func expectedScripts(lang string) []string {
	tag, err := language.Parse(lang)
	if err != nil {
		return nil
	}
	script, _ := tag.Script()
	scripts := scriptsOf[script.String()]
	if base, _ := tag.Base(); slices.Contains(alsoLatin, base.String()) {
		scripts = append(slices.Clone(scripts), "Latin")
	}
	return scripts
}

// A Sample collects the first segments of files. It shows the first segment and finds texts
// in a script that their language does not use.
type Sample struct {
	first            campaign.SegmentLine
	segments         int
	sources, targets map[string]int // number of letters by script
}

// sampled is the number of segments in a sample.
const sampled = 200

// Add adds a segment.
func (s *Sample) Add(line campaign.SegmentLine) {
	if s.segments++; s.segments > sampled {
		return
	}
	if s.segments == 1 {
		s.first = line
		s.sources, s.targets = map[string]int{}, map[string]int{}
	}
	countScripts(line.Segment.Source, s.sources)
	for _, t := range line.Segment.Translations {
		countScripts(t.Text, s.targets)
	}
}

// countScripts counts the letters of a text by script.
func countScripts(text string, to map[string]int) {
	last := "" // most letters follow one of the same script
	for _, c := range text {
		if !unicode.IsLetter(c) {
			continue
		}
		if last == "" || !unicode.Is(unicode.Scripts[last], c) {
			i := slices.IndexFunc(scriptNames, func(name string) bool { return unicode.Is(unicode.Scripts[name], c) })
			if i < 0 {
				last = ""
				continue
			}
			last = scriptNames[i]
		}
		to[last]++
	}
}

// Read returns a line that shows the first segment. It is empty if there was none.
func (s *Sample) Read() string {
	if s.segments == 0 || len(s.first.Segment.Translations) == 0 {
		return ""
	}
	seg, t := s.first.Segment, s.first.Segment.Translations[0]
	as := ""
	if seg.SourceLang != "" || seg.TargetLang != "" {
		as = " as " + pairName(seg.SourceLang, seg.TargetLang)
	}
	return fmt.Sprintf("the first segment was read%s: %s, by %s: %s",
		as, wording.Quote(seg.Source), wording.Quote(t.System), wording.Quote(t.Text))
}

// Warnings returns a warning if most letters of the sources, or of the translations, are in
// scripts that their language does not use.
func (s *Sample) Warnings() (out []string) {
	if s.segments == 0 {
		return nil
	}
	for _, side := range []struct {
		what, lang string
		letters    map[string]int
	}{{"sources", s.first.Segment.SourceLang, s.sources}, {"translations", s.first.Segment.TargetLang, s.targets}} {
		expected := expectedScripts(side.lang)
		all, right, most := 0, 0, ""
		for _, name := range scriptNames {
			n := side.letters[name]
			all += n
			if slices.Contains(expected, name) {
				right += n
			} else if n > side.letters[most] {
				most = name
			}
		}
		if len(expected) == 0 || all < 20 || 2*right >= all {
			continue
		}
		out = append(
			out,
			fmt.Sprintf(
				"check the language pair: the %s are in %s letters (%d of the first %d), in which %s is not written", side.what, most,
				side.letters[most], all, side.lang,
			),
		)
	}
	return out
}
