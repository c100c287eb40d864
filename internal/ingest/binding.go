package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// A binding holds the languages and systems that all lines of a file must have. They come
// from the campaign or, if it has none, from the first line that names them.
type binding struct {
	Source, Target string
	pairLine       int // the line that the languages come from; 0: the campaign
	selected       bool
	ofSegments     bool     // translations are candidates
	names          []string // in byte order
	systemsLine    int      // the line that the systems come from; 0: the campaign
	left           int      // number of lines left out because of their language pair
	leftPair       string   // the first such pair
	ours           int      // number of lines with the right pair or without one
	others         []otherPair
}

// An otherPair counts the lines with a wrong language pair.
type otherPair struct {
	pair  string
	lines int
	first campaign.Problem // the place of the first line
}

func newBinding(opt Options) *binding {
	return &binding{
		Source: opt.SourceLang, Target: opt.TargetLang, selected: opt.Select, ofSegments: opt.OfSegments,
		names: slices.Sorted(slices.Values(opt.Systems)),
	}
}

// Pair compares the languages of a line with those of the file. It returns false if they
// differ. Such a line is left out if a pair was selected. Otherwise it is counted for the
// problem that Mixed returns.
func (b *binding) Pair(r *record, f fields, sourceField, targetField string) bool {
	source, okS := r.lang(f, sourceField, b.Source)
	target, okT := r.lang(f, targetField, b.Target)
	return okS && okT && b.Languages(r, source, target, func(isTarget bool) (string, int) {
		field := sourceField
		if isTarget {
			field = targetField
		}
		return field, f[field].Start
	})
}

// Languages is Pair for given languages, which are empty if the line names none. place
// returns the field that names a language, and its offset.
func (b *binding) Languages(r *record, source, target string, place func(isTarget bool) (field string, at int)) bool {
	wrongSource := source != "" && b.Source != "" && !SameLang(source, b.Source)
	wrongTarget := target != "" && b.Target != "" && !SameLang(target, b.Target)
	if wrongSource || wrongTarget {
		got := pairName(cmp.Or(source, b.Source), cmp.Or(target, b.Target))
		if b.selected {
			if b.left++; b.leftPair == "" {
				b.leftPair = got
			}
			return false
		}
		i := slices.IndexFunc(b.others, func(o otherPair) bool { return o.pair == got })
		if i < 0 && len(b.others) < maxPairs {
			field, at := place(!wrongSource)
			i = len(b.others)
			b.others = append(b.others, otherPair{pair: got, first: campaign.Problem{File: r.File, Line: r.Line, Column: r.column(at), Field: field}})
		}
		if i >= 0 {
			b.others[i].lines++
		}
		return false
	}
	b.ours++
	if source != "" && b.Source == "" {
		b.Source, b.pairLine = source, r.Line
	}
	if target != "" && b.Target == "" {
		b.Target, b.pairLine = target, r.Line
	}
	return true
}

// maxPairs is how many different wrong language pairs are counted.
const maxPairs = 20

// Mixed returns a single problem for all lines with a wrong language pair, or nil if there
// are none.
func (b *binding) Mixed() *campaign.Problem {
	if len(b.others) == 0 {
		return nil
	}
	p := b.others[0].first
	pair := pairName(b.Source, b.Target)
	var others []string
	n := 0
	for _, o := range b.others {
		others = append(others, fmt.Sprintf("%s of %s", wording.Counted(o.lines, "line"), o.pair))
		n += o.lines
	}
	named := strings.Join(others, " and ")
	switch {
	case b.pairLine > 0:
		p.Msg = fmt.Sprintf(
			"the file has several language pairs: beside %s of %s it has %s, the first here; import one pair at a time by naming it, %s or %s (--language-pair %s on the command line)",
			wording.Counted(b.ours, "line"), pair, named, pair, b.others[0].pair, pair,
		)
	case b.ours == 0:
		p.Msg = fmt.Sprintf(
			"the language pair of the campaign is %s, and the file has %s; choose a file of its language pair, or a campaign of %s", pair, named,
			b.others[0].pair,
		)
	default:
		p.Msg = fmt.Sprintf(
			"the language pair of the campaign is %s, and beside %s of it the file has %s, the first here; name the language pair %s to leave these out (--language-pair %s on the command line)",
			pair, wording.Counted(b.ours, "line"), named, pair, pair,
		)
	}
	return &p
}

// None returns the message that a file has none of the expected data, such as "segments".
// Lines of another language pair may have been left out.
func (b *binding) None(what string) string {
	if b.left == 0 {
		return noneIn(what)
	}
	return fmt.Sprintf("the file has no %s of %s; it has %d of %s and perhaps of other pairs",
		what, pairName(b.Source, b.Target), b.left, b.leftPair)
}

// pairName returns a pair such as "zh-en", with "?" for an unknown language.
func pairName(source, target string) string {
	source = cmp.Or(source, "?")
	if target == "" {
		target = "?"
	}
	return source + "-" + target
}

// lang returns a language tag, or an empty text if it is absent. A tag that equals the
// campaign's is not checked.
func (r *record) lang(f fields, field, known string) (string, bool) {
	v, ok := f[field]
	if !ok {
		return "", true
	}
	s, ok := r.Str(field, v)
	if !ok || s == "" {
		return "", ok
	}
	if SameLang(s, known) {
		return s, true
	}
	if bad, is := errors.AsType[*campaign.InvalidError](campaign.CheckLang(field, s)); is {
		r.RefuseKind("language", v.Start, field, "%s is not a language tag; %s", wording.Quote(s), bad.Msg)
		return "", false
	}
	return s, true
}

// Systems compares the systems of a line, in byte order, with those of the file. It
// refuses systems that the file does not have and returns systems that the line lacks.
// field returns the key of a system.
func (b *binding) Systems(r *record, line []member, field func(system string) string) (missing []string) {
	if len(b.names) == 0 {
		b.systemsLine = r.Line
		for _, m := range line {
			b.names = append(b.names, m.Name)
		}
		return nil
	}
	whose := "the campaign's systems are"
	if b.systemsLine > 0 {
		whose = fmt.Sprintf("those of line %d are", b.systemsLine)
	}
	i := 0
	for _, m := range line {
		for ; i < len(b.names) && b.names[i] < m.Name; i++ {
			missing = append(missing, b.names[i])
		}
		if i < len(b.names) && b.names[i] == m.Name {
			i++
			continue
		}
		r.RefuseKind("system", m.At, field(m.Name), "there is no system %s; %s %s", wording.Quote(m.Name), whose, list(b.names))
	}
	return append(missing, b.names[i:]...)
}
