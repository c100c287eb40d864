package exchange

import (
	"fmt"
	"strings"

	"golang.org/x/text/language"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/wording"
)

// A Pairing compares the language pairs of items with that of the campaign or, if the campaign has none, with
// the first pair.
type Pairing struct {
	Options ingest.Options
	first   [2]string // the first pair that was read
}

// NamedPair is the language pair at the beginning of a name such as "eng_Latn---zho_Hans v3", or "" if there is none.
func NamedPair(name string) string {
	name, _, _ = strings.Cut(name, " ")
	if _, _, ok := pairOf(name, ingest.Options{}); !ok || !strings.Contains(name, pairMark) {
		return ""
	}
	return name
}

const pairMark = "---"

// pairOf divides a pair such as "en-de" or "eng_Latn---zho_Hant_TW".
func pairOf(pair string, opt ingest.Options) (source, target string, ok bool) {
	if a, b, found := strings.Cut(pair, pairMark); found {
		s, err1 := language.All.Parse(a)
		t, err2 := language.All.Parse(b)
		return s.String(), t.String(), err1 == nil && err2 == nil
	}
	source, target, err := ingest.ParseLanguagePair(pair, opt.SourceLang, opt.TargetLang)
	return source, target, err == nil
}

// Of returns the languages of an item that names a pair such as "en-de", or those of the campaign if it names
// none. Its regions may differ from those of the campaign, and its scripts if the campaign names none, but
// all items of a file must have the same pair. leave is true if another pair is selected. Without a selection
// another pair is a problem, with the file and place of at.
func (p *Pairing) Of(pair string, at campaign.Problem) (langs [2]string, leave bool, problem *campaign.Problem) {
	langs = [2]string{p.Options.SourceLang, p.Options.TargetLang}
	source, target, ok := pairOf(pair, p.Options)
	if !ok {
		return langs, false, nil
	}
	named := [2]string{source, target}
	of, theirs := "the campaign", langs
	if langs == [2]string{} || fits(source, langs[0]) && fits(target, langs[1]) {
		if p.first == [2]string{} {
			p.first = named
		}
		if langs == [2]string{} {
			langs = p.first
		}
		if named == p.first {
			return langs, false, nil
		}
		of, theirs = "earlier items", p.first
	}
	if p.Options.Select {
		return langs, true, nil
	}
	chosen := langs[0] + "-" + langs[1]
	at.Kind, at.Option = "language pair", "--language-pair "+chosen
	at.Msg = fmt.Sprintf("is %s, and the language pair of %s is %s; name the pair %s to leave out the others, and import each pair into a campaign "+
		"of its own", wording.Quote(pair), of, theirs[0]+"-"+theirs[1], chosen)
	return langs, false, &at
}

// fits reports whether a language is that of a campaign. Regions are ignored, and so is a script that only
// one of them names.
func fits(given, wanted string) bool {
	a, err1 := language.All.Parse(given)
	b, err2 := language.All.Parse(wanted)
	if err1 != nil || err2 != nil {
		return strings.EqualFold(given, wanted)
	}
	base, script, _ := a.Raw()
	wantedBase, wantedScript, _ := b.Raw()
	none := language.Script{}
	return base == wantedBase && (script == none || wantedScript == none || script == wantedScript)
}
