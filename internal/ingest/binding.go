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
	source, target string
	pairLine       int // the line that the languages come from; 0: the campaign
	selected       bool
	systems        []string // in byte order
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
		source: opt.SourceLang, target: opt.TargetLang, selected: opt.Select,
		systems: slices.Sorted(slices.Values(opt.Systems)),
	}
}

// pair compares the languages of a line with those of the file. It returns false if they
// differ. Such a line is left out if a pair was selected. Otherwise it is counted for the
// problem that mixed returns.
func (b *binding) pair(r *record, f fields, sourceField, targetField string) bool {
	source, okS := r.lang(f, sourceField, b.source)
	target, okT := r.lang(f, targetField, b.target)
	return okS && okT && b.languages(r, source, target, func(isTarget bool) (string, int) {
		field := sourceField
		if isTarget {
			field = targetField
		}
		return field, f[field].start
	})
}

// languages is pair for given languages, which are empty if the line names none. place
// returns the field that names a language, and its offset.
func (b *binding) languages(r *record, source, target string, place func(isTarget bool) (field string, at int)) bool {
	wrongSource := source != "" && b.source != "" && !SameLang(source, b.source)
	wrongTarget := target != "" && b.target != "" && !SameLang(target, b.target)
	if wrongSource || wrongTarget {
		got := pairName(cmp.Or(source, b.source), cmp.Or(target, b.target))
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
			b.others = append(b.others, otherPair{pair: got, first: campaign.Problem{File: r.file, Line: r.n, Column: r.column(at), Field: field}})
		}
		if i >= 0 {
			b.others[i].lines++
		}
		return false
	}
	b.ours++
	if source != "" && b.source == "" {
		b.source, b.pairLine = source, r.n
	}
	if target != "" && b.target == "" {
		b.target, b.pairLine = target, r.n
	}
	return true
}

// maxPairs is how many different wrong language pairs are counted.
const maxPairs = 20

// mixed returns a single problem for all lines with a wrong language pair, or nil if there
// are none.
func (b *binding) mixed() *campaign.Problem {
	if len(b.others) == 0 {
		return nil
	}
	p := b.others[0].first
	pair := pairName(b.source, b.target)
	var others []string
	n := 0
	for _, o := range b.others {
		others = append(others, fmt.Sprintf("%s of %s", wording.Counted(o.lines, "line"), o.pair))
		n += o.lines
	}
	named := strings.Join(others, " and ")
	switch {
	case b.pairLine > 0:
		p.Msg = fmt.Sprintf("the file has several language pairs: beside %s of %s it has %s, the first here; import one pair at a time by naming it, %s or %s (--language-pair %s on the command line)",
			wording.Counted(b.ours, "line"), pair, named, pair, b.others[0].pair, pair)
	case b.ours == 0:
		p.Msg = fmt.Sprintf("the campaign is %s, and the file has %s; choose a file of its language pair, or a campaign of %s", pair, named, b.others[0].pair)
	default:
		p.Msg = fmt.Sprintf("the campaign is %s, and beside %s of it the file has %s, the first here; name the language pair %s to leave these out (--language-pair %s on the command line)",
			pair, wording.Counted(b.ours, "line"), named, pair, pair)
	}
	return &p
}

// nothing returns the message that all lines were left out.
func (b *binding) nothing(what string) string {
	return fmt.Sprintf("no %s of %s in the file; it has %d of %s and maybe other pairs", what, pairName(b.source, b.target), b.left, b.leftPair)
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
	s, ok := r.str(field, v)
	if !ok || s == "" {
		return "", ok
	}
	if SameLang(s, known) {
		return s, true
	}
	if bad, is := errors.AsType[*campaign.InvalidError](campaign.CheckLang(field, s)); is {
		r.refuseKind("language", v.start, field, "%s is not a language tag; %s", wording.Quote(s), bad.Msg)
		return "", false
	}
	return s, true
}

// systemsOf compares the systems of a line, in byte order, with those of the file. It
// refuses systems that the file does not have and returns systems that the line lacks.
// field returns the key of a system.
func (b *binding) systemsOf(r *record, line []member, field func(system string) string) (missing []string) {
	if len(b.systems) == 0 {
		b.systemsLine = r.n
		for _, m := range line {
			b.systems = append(b.systems, m.name)
		}
		return nil
	}
	whose := "the campaign's systems are"
	if b.systemsLine > 0 {
		whose = fmt.Sprintf("those of line %d are", b.systemsLine)
	}
	i := 0
	for _, m := range line {
		for ; i < len(b.systems) && b.systems[i] < m.name; i++ {
			missing = append(missing, b.systems[i])
		}
		if i < len(b.systems) && b.systems[i] == m.name {
			i++
			continue
		}
		r.refuseKind("system", m.at, field(m.name), "there is no system %s; %s %s", wording.Quote(m.name), whose, list(b.systems))
	}
	return append(missing, b.systems[i:]...)
}
