package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"annotate/internal/campaign"
)

// A binding is what all lines of a file have in common, because the campaign
// says so or, where it says nothing, the first line that does.
type binding struct {
	source, target string
	pairLine       int // where the pair comes from; 0: the campaign
	selected       bool
	systems        []string // in byte order
	systemsLine    int      // where they come from; 0: the campaign
	left           int      // lines left out, of another pair than the selected one
	leftPair       string   // the first such pair
}

func newBinding(opt Options) *binding {
	return &binding{
		source: opt.SourceLang, target: opt.TargetLang, selected: opt.Select,
		systems: slices.Sorted(slices.Values(opt.Systems)),
	}
}

// pair holds the languages of a line against those of the file. It is false
// for a line of another pair: left out if a pair was selected, else refused.
func (b *binding) pair(r *record, f fields, sourceField, targetField string) bool {
	source, okS := r.lang(f, sourceField)
	target, okT := r.lang(f, targetField)
	return okS && okT && b.languages(r, source, target, func(isTarget bool) (string, int) {
		field := sourceField
		if isTarget {
			field = targetField
		}
		return field, f[field].start
	})
}

// languages does what pair does with the languages of a line, which are empty
// where it names none; place says which field names one, and where it stands.
func (b *binding) languages(r *record, source, target string, place func(isTarget bool) (field string, at int)) bool {
	wrongSource := source != "" && b.source != "" && !SameLang(source, b.source)
	wrongTarget := target != "" && b.target != "" && !SameLang(target, b.target)
	if wrongSource || wrongTarget {
		got, want := pairName(cmp.Or(source, b.source), cmp.Or(target, b.target)), pairName(b.source, b.target)
		field, at := place(!wrongSource)
		switch {
		case b.selected:
			if b.left++; b.leftPair == "" {
				b.leftPair = got
			}
		case b.pairLine > 0:
			r.refuse(at, field, "this line is %s, line %d is %s; import one language pair (--language-pair) at a time, %s or %s", got, b.pairLine, want, want, got)
		default:
			r.refuse(at, field, "this line is %s, the campaign is %s; choose the language pair %s (--language-pair) to leave the others out", got, want, want)
		}
		return false
	}
	if source != "" && b.source == "" {
		b.source, b.pairLine = source, r.n
	}
	if target != "" && b.target == "" {
		b.target, b.pairLine = target, r.n
	}
	return true
}

// nothing says that all lines were left out.
func (b *binding) nothing(what string) string {
	return fmt.Sprintf("no %s of %s in the file; it has %d of %s and maybe other pairs", what, pairName(b.source, b.target), b.left, b.leftPair)
}

// pairName is "zh-en", with "?" for a language that is not known.
func pairName(source, target string) string {
	if source == "" {
		source = "?"
	}
	if target == "" {
		target = "?"
	}
	return source + "-" + target
}

// lang is a language tag; empty if absent.
func (r *record) lang(f fields, field string) (string, bool) {
	v, ok := f[field]
	if !ok {
		return "", true
	}
	s, ok := r.str(field, v)
	if !ok || s == "" {
		return "", ok
	}
	if bad, is := errors.AsType[*campaign.InvalidError](campaign.CheckLang(field, s)); is {
		r.refuse(v.start, field, "%s is not a language; %s", quote(s), bad.Msg)
		return "", false
	}
	return s, true
}

// systemsOf holds the systems of a line, in byte order, against those of the
// file, and refuses those that do not belong to it; field is the key of a
// system. It returns the systems without a translation.
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
		r.refuseKind("system", m.at, field(m.name), "there is no system %s; %s %s", quote(m.name), whose, list(b.systems))
	}
	return append(missing, b.systems[i:]...)
}
