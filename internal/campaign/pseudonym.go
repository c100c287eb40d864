package campaign

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Named person may appear in the data of a campaign by login or name.
type Named struct {
	Login, Name string // the name may be empty
	Pseudonym   string // "A01"
}

// Pseudonyms replace logins and names in everything that leaves a campaign. A nil
// *Pseudonyms leaves everything as it is.
type Pseudonyms struct {
	byLogin map[string]string
	logins  map[string]string     // by pseudonym
	words   map[rune][]maskedWord // by the first letter in lower case, the longest first
}

// A maskedWord is a login or name in lower case, with the pseudonym that replaces it.
type maskedWord struct{ word, pseudonym string }

// NewPseudonyms returns the pseudonyms of people. They should be everyone who appears in the
// data, because [Pseudonyms.Login] replaces any other login by "X".
func NewPseudonyms(people []Named) *Pseudonyms {
	p := &Pseudonyms{byLogin: map[string]string{}, logins: map[string]string{}, words: map[rune][]maskedWord{}}
	for _, n := range people {
		p.byLogin[n.Login], p.logins[n.Pseudonym] = n.Pseudonym, n.Login
		for _, word := range []string{n.Login, n.Name} {
			if word = strings.ToLower(word); utf8.RuneCountInString(word) > 1 {
				first, _ := utf8.DecodeRuneInString(word)
				p.words[first] = append(p.words[first], maskedWord{word, n.Pseudonym})
			}
		}
	}
	for _, list := range p.words {
		slices.SortStableFunc(list, func(a, b maskedWord) int { return cmp.Compare(len(b.word), len(a.word)) })
	}
	return p
}

// Login returns the pseudonym of a login, or "X" for a login that is not known.
func (p *Pseudonyms) Login(login string) string {
	if p == nil || login == "" {
		return login
	}
	if name, ok := p.byLogin[login]; ok {
		return name
	}
	return "X"
}

// Person returns the login of the person with a pseudonym, or an empty string if there is none. A nil
// *Pseudonyms returns the login that it is given.
func (p *Pseudonyms) Person(pseudonym string) string {
	if p == nil {
		return pseudonym
	}
	return p.logins[pseudonym]
}

// Text replaces the logins and names in a text by pseudonyms. It replaces whole words and
// ignores case. Logins and names of one letter stay.
func (p *Pseudonyms) Text(text string) string {
	if p == nil {
		return text
	}
	var out strings.Builder
	before := ' '
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if !joins(before, r) {
			if n, pseudonym := p.maskedPrefix(rest); n > 0 {
				out.WriteString(pseudonym)
				before, _ = utf8.DecodeLastRuneInString(rest[:n])
				rest = rest[n:]
				continue
			}
		}
		out.WriteString(rest[:size])
		before, rest = r, rest[size:]
	}
	return out.String()
}

// maskedPrefix finds the login or name that a text begins with. n is its length in bytes;
// 0 if the text begins with none.
func (p *Pseudonyms) maskedPrefix(text string) (n int, pseudonym string) {
	first, _ := utf8.DecodeRuneInString(text)
	for _, w := range p.words[unicode.ToLower(first)] {
		at := 0
		for _, want := range w.word {
			r, size := utf8.DecodeRuneInString(text[at:])
			if at == len(text) || unicode.ToLower(r) != want {
				at = -1
				break
			}
			at += size
		}
		if at < 0 {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(text[:at])
		if next, _ := utf8.DecodeRuneInString(text[at:]); at == len(text) || !joins(last, next) {
			return at, w.pseudonym
		}
	}
	return 0, ""
}

// joins reports whether two characters that follow one another belong to one word. In
// scripts without spaces between words it is always false.
func joins(a, b rune) bool {
	part := func(r rune) bool {
		return (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '_') &&
			!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	}
	return part(a) && part(b)
}

// Segments replaces logins and names in segments: of the annotators and adjudicators, in
// comments and in notes. It changes copies and leaves the segments that it reads as they are.
func (p *Pseudonyms) Segments(segments iter.Seq2[Segment, error]) iter.Seq2[Segment, error] {
	if p == nil {
		return segments
	}
	return func(yield func(Segment, error) bool) {
		for s, err := range segments {
			if err == nil {
				s = p.segment(s)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

func (p *Pseudonyms) segment(s Segment) Segment {
	s.Note = p.Text(s.Note)
	s.MeanOf = slices.Clone(s.MeanOf)
	for i := range s.MeanOf {
		s.MeanOf[i] = p.Login(s.MeanOf[i])
	}
	s.Translations = slices.Clone(s.Translations)
	for i := range s.Translations {
		t := &s.Translations[i]
		t.Ratings = slices.Clone(t.Ratings)
		for k := range t.Ratings {
			t.Ratings[k] = p.rating(t.Ratings[k])
		}
		if t.Adjudication != nil {
			by := p.rating(*t.Adjudication)
			t.Adjudication = &by
		}
		slices.SortStableFunc(t.Ratings, func(a, b Rating) int {
			return cmp.Or(cmp.Compare(a.Round, b.Round), strings.Compare(a.Annotator, b.Annotator))
		})
	}
	if s.Agreement != nil {
		rated := p.rated(*s.Agreement)
		s.Agreement = &rated
	}
	return s
}

func (p *Pseudonyms) rating(r Rating) Rating {
	r.Annotator, r.Comment = p.Login(r.Annotator), p.Text(r.Comment)
	r.Spans = slices.Clone(r.Spans)
	for n := range r.Spans {
		r.Spans[n].Comment = p.Text(r.Spans[n].Comment)
	}
	return r
}

// Rated is Segments for the data that agreement is computed from.
func (p *Pseudonyms) Rated(segments iter.Seq2[Rated, error]) iter.Seq2[Rated, error] {
	if p == nil {
		return segments
	}
	return func(yield func(Rated, error) bool) {
		for s, err := range segments {
			if !yield(p.rated(s), err) {
				return
			}
		}
	}
}

func (p *Pseudonyms) rated(s Rated) Rated {
	s.Given = slices.Clone(s.Given)
	for i := range s.Given {
		s.Given[i].Annotator = p.Login(s.Given[i].Annotator)
	}
	s.Decisions = slices.Clone(s.Decisions)
	for i := range s.Decisions {
		s.Decisions[i] = p.decision(s.Decisions[i])
	}
	return s
}

func (p *Pseudonyms) decision(d Decision) Decision {
	d.Pairs = slices.Clone(d.Pairs)
	for i := range d.Pairs {
		a, b := p.Login(d.Pairs[i].A), p.Login(d.Pairs[i].B)
		d.Pairs[i].A, d.Pairs[i].B = min(a, b), max(a, b)
	}
	return d
}

// Interventions replaces the logins and names in i, including those in reasons.
func (p *Pseudonyms) Interventions(i Interventions) Interventions {
	if p == nil {
		return i
	}
	i.SetAside, i.Settings = slices.Clone(i.SetAside), slices.Clone(i.Settings)
	for k := range i.SetAside {
		a := &i.SetAside[k]
		a.Annotator, a.By, a.Reason = p.Login(a.Annotator), p.Login(a.By), p.Text(a.Reason)
	}
	for k := range i.Settings {
		i.Settings[k].By = p.Login(i.Settings[k].By)
	}
	return i
}
