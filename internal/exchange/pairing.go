package exchange

import (
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/wording"
)

// A Pairing compares the language pairs that items of a file name with that of the campaign, or else with the first of them.
type Pairing struct {
	Options ingest.Options
	first   [2]string
}

// Of returns the languages of an item that names a pair such as "en-de", or those of the campaign if it names none. Regions and scripts
// may differ. leave says that the item is left out, since another pair is selected. Without a selection another pair is a
// problem, whose file and place are those of at.
func (p *Pairing) Of(pair string, at campaign.Problem) (langs [2]string, leave bool, problem *campaign.Problem) {
	of, langs := "the campaign", [2]string{p.Options.SourceLang, p.Options.TargetLang}
	source, target, err := ingest.ParseLanguagePair(pair, langs[0], langs[1])
	if err != nil {
		return langs, false, nil
	}
	if langs == [2]string{} {
		if p.first == langs {
			p.first = [2]string{source, target}
		}
		of, langs = "earlier items", p.first
	}
	switch {
	case sameBase(source, langs[0]) && sameBase(target, langs[1]):
		return langs, false, nil
	case p.Options.Select:
		return langs, true, nil
	}
	name := langs[0] + "-" + langs[1]
	at.Kind, at.Option = "language pair", "--language-pair "+name
	at.Msg = fmt.Sprintf("is %s, and the language pair of %s is %s; name the pair %s to leave out the others, and import each pair into a campaign "+
		"of its own", wording.Quote(pair), of, name, name)
	return langs, false, &at
}

// sameBase reports whether two languages are the same but for scripts and regions.
func sameBase(a, b string) bool {
	base := func(tag string) string {
		base, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
		return base
	}
	return strings.EqualFold(base(a), base(b))
}
