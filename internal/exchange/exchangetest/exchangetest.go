// Package exchangetest makes campaigns of hostile texts and names for tests of formats, and reads what the formats write.
package exchangetest

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/exchange"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
)

// pieces are texts that are often damaged in copies.
var pieces = []string{
	"a", " ", "\t", "\n", "\r", "\r\n", "\u0085", "\u2028", "\u00a0", "\u3000", "\v", "\x01", "\x7f", "\ufeff", `"`, `\`, `\n`, "<v>", "&amp;", ",", ";",
	"=1+1", "null",
	"é", "e\u0301", "中", "שלום", "\u202e", "🙂", "👩‍👩‍👧", "🇩🇪", "𝔘", "\U0010FFFF", "\uffff", "word",
	" more words ",
}

// Names of systems and documents that formats may have trouble with.
var names = []string{
	"A", "online B", "123", "a+b", "x/y", `back\slash`, "doc#1", "a_#_b", "#bad", "tutorial", "duplicate", "<b>", `"q"`, "=x", "é", "e\u0301", "中文",
	"🙂", "a.b-c", "wmt23.A", "a | b", "'", "missing", "..", "A ",
}

// A Generator makes random values, which depend only on its seed.
type Generator struct{ *rand.Rand }

// New makes a generator.
func New(seed uint64) Generator { return Generator{rand.New(rand.NewPCG(seed, 2))} }

// Text makes a text of at most n pieces.
func (g Generator) Text(n int) string {
	var b strings.Builder
	for range g.IntN(n + 1) {
		b.WriteString(pieces[g.IntN(len(pieces))])
	}
	return b.String()
}

func (g Generator) maybe(s string) string {
	if g.IntN(2) == 0 {
		return ""
	}
	return s
}

// Content makes a campaign with the protocol p. Segments may lack systems. Ratings are of up to two rounds.
func (g Generator) Content(p *protocol.Protocol) exchange.Content {
	c := exchange.Content{ID: "my-campaign", Protocol: p, SourceLang: "en", TargetLang: "pt-BR", Annotators: []string{"ana", "bo.b@x", "中"}}
	for _, i := range g.Perm(len(names))[:1+g.IntN(5)] {
		c.Systems = append(c.Systems, names[i])
	}
	slices.Sort(c.Systems)
	var segments []campaign.Segment
	for d := range 1 + g.IntN(5) {
		doc := fmt.Sprint(names[g.IntN(len(names))], d)
		for i := range 1 + g.IntN(4) {
			segments = append(segments, g.segment(c, doc, fmt.Sprint(i, names[g.IntN(len(names))])))
		}
	}
	c.Segments = func(yield func(campaign.Segment, error) bool) {
		for _, s := range segments {
			if !yield(s, nil) {
				return
			}
		}
	}
	return c
}

func (g Generator) segment(c exchange.Content, doc, id string) campaign.Segment {
	s := campaign.Segment{
		DocID: doc, SegmentID: id, Domain: g.maybe("news"), DataSource: g.maybe(g.Text(3)), SourceLang: c.SourceLang, TargetLang: c.TargetLang,
		Source: g.Text(9) + "x" + g.Text(9), Context: g.maybe(g.Text(5)), Note: g.maybe(g.Text(5)),
	}
	for _, name := range []string{"other", campaign.MainReference, "refA"} {
		if g.IntN(3) == 0 {
			s.References = append(s.References, campaign.Reference{Name: name, Text: g.Text(9)})
		}
	}
	for k, system := range c.Systems {
		if k > 0 && g.IntN(4) == 0 {
			s.Absent = append(s.Absent, system)
			continue
		}
		t := campaign.Translation{System: system, Text: g.maybe(g.Text(12))}
		texts := protocol.Texts{Source: s.Source, Translation: t.Text}
		if c.Protocol.Spans != nil && g.IntN(4) == 0 {
			t.Suggested = &protocol.Suggestions{}
			for i := range g.IntN(3) {
				e := g.span(c.Protocol, texts)
				e.ID = fmt.Sprint("i", i)
				if len(c.Protocol.CheckSuggestions([]protocol.ErrorSpan{e}, texts)) == 0 {
					t.Suggested.Spans = append(t.Suggested.Spans, e)
				}
			}
		}
		for _, login := range c.Annotators {
			for round := 1; round <= g.IntN(3); round++ {
				t.Ratings = append(t.Ratings, g.rating(c.Protocol, texts, login, round, t.Suggested))
			}
		}
		slices.SortFunc(t.Ratings, func(a, b campaign.Rating) int {
			return cmp.Or(cmp.Compare(a.Round, b.Round), strings.Compare(a.Annotator, b.Annotator))
		})
		s.Translations = append(s.Translations, t)
	}
	return s
}

func (g Generator) rating(p *protocol.Protocol, texts protocol.Texts, login string, round int, suggested *protocol.Suggestions) campaign.Rating {
	r := campaign.Rating{Annotator: login, Round: round, Seconds: float64(g.IntN(100_000)) / 1000,
		SubmittedAt: time.UnixMicro(1_700_000_000_000_000 + g.Int64N(1e14)).UTC()}
	r.Comment = g.maybe(g.Text(5))
	for _, s := range p.Scores {
		if r.Scores == nil {
			r.Scores = map[string]float64{}
		}
		r.Scores[s.Name] = float64(s.Min + g.IntN(s.Max-s.Min+1))
	}
	if p.Spans == nil {
		return r
	}
	for range g.IntN(4) {
		r.Spans = append(r.Spans, g.span(p, texts))
	}
	if suggested != nil {
		for _, e := range suggested.Spans {
			if g.IntN(2) == 0 {
				e.ID, e.Suggestion = "", e.ID
				r.Spans = append(r.Spans, e)
			}
			r.Suggestions = append(r.Suggestions, protocol.Outcome{ID: cmp.Or(e.Suggestion, e.ID), Became: protocol.Rejected})
		}
		r.Rating, _ = protocol.Decide(suggested.Spans, r.Rating)
	}
	r.NoErrors = len(r.Spans) == 0
	return r
}

func (g Generator) span(p *protocol.Protocol, texts protocol.Texts) protocol.ErrorSpan {
	s := protocol.ErrorSpan{Side: protocol.Target, Comment: g.maybe(g.Text(3)),
		Severity: p.Spans.Severities[g.IntN(len(p.Spans.Severities))].ID}
	text := texts.Translation
	if g.IntN(5) == 0 {
		s.Side, text = protocol.Source, texts.Source
	}
	n := codepoint.Len(text)
	s.Start = g.IntN(n + 1)
	s.End = s.Start + g.IntN(n-s.Start+1)
	s.Text, _ = codepoint.Slice(text, s.Start, s.End)
	if g.IntN(9) == 0 {
		s.Severity = "Own severity"
	}
	if len(p.Spans.Categories) > 0 {
		c := p.Spans.Categories[g.IntN(len(p.Spans.Categories))]
		s.Category = c.Name
		if len(c.Sub) > 0 {
			s.Subcategory = c.Sub[g.IntN(len(c.Sub))].Name
		}
	}
	if t := p.Spans.MissingPunctuation; t != nil && g.IntN(9) == 0 {
		s.Category, s.Subcategory = t.Category, t.Subcategory
	}
	return s
}

// SourceErrors makes a campaign of three ratings: one without errors, one with an error in the source, and
// one with errors in source and translation. A format that can't hold errors in sources gives the note.
func SourceErrors(p *protocol.Protocol) (c exchange.Content, note string) {
	source := protocol.ErrorSpan{Side: protocol.Source, Start: 0, End: 1, Text: "s", Severity: p.Spans.Severities[0].ID}
	target := source
	target.Side, target.Text = protocol.Target, "t"
	s := campaign.Segment{DocID: "d", SegmentID: "1", Source: "s", Translations: []campaign.Translation{{System: "A", Text: "t"}}}
	for login, errors := range map[string][]protocol.ErrorSpan{"a": nil, "b": {source}, "c": {source, target}} {
		s.Translations[0].Ratings = append(s.Translations[0].Ratings,
			campaign.Rating{Annotator: login, Round: 1, Rating: protocol.Rating{Spans: errors, NoErrors: errors == nil}})
	}
	c = exchange.Content{ID: "c", Protocol: p, Systems: []string{"A"}, Annotators: []string{"a", "b", "c"}}
	c.Segments = func(yield func(campaign.Segment, error) bool) { yield(s, nil) }
	return c, "1 rating loses all its errors, and looks like a rating without errors"
}

// Protocol returns a built-in protocol.
func Protocol(t testing.TB, id string) *protocol.Protocol {
	t.Helper()
	p, ok := protocol.Lookup(id)
	if !ok {
		t.Fatalf("no protocol %s", id)
	}
	return p
}

// Protocols returns the built-in protocols that rate translations. Formats of other programs can't hold
// ratings of segments.
func Protocols() (out []*protocol.Protocol) {
	for _, id := range protocol.IDs() {
		if p, _ := protocol.Lookup(id); !p.OfSegments() && p.Given == "" {
			out = append(out, p)
		}
	}
	return out
}

// All collects segments.
func All(t testing.TB, segments iter.Seq2[campaign.Segment, error]) (out []campaign.Segment) {
	t.Helper()
	for s, err := range segments {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// Write writes a campaign to a zip archive, and returns its files.
func Write(t testing.TB, f exchange.Format, c exchange.Content) (files []exchange.File, notes []string) {
	t.Helper()
	var b bytes.Buffer
	notes, err := f.Write(&b, c)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range archive.File {
		files = append(files, exchange.File{Name: entry.Name, Open: entry.Open})
	}
	return files, notes
}

// Files makes files of alternating names and texts.
func Files(texts ...string) (out []exchange.File) {
	for i := 0; i < len(texts); i += 2 {
		out = append(out, exchange.File{Name: texts[i],
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(texts[i+1])), nil }})
	}
	return out
}

// Is reports whether files are of a format.
func Is(t testing.TB, f exchange.Format, files []exchange.File) bool {
	t.Helper()
	var heads []exchange.Head
	for _, file := range files {
		head, err := file.Head()
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, head)
	}
	return f.Is(heads)
}

// Read reads files. It returns the segments, the problems and the notes as lines.
func Read(f exchange.Format, files []exchange.File, p *protocol.Protocol) (segments []campaign.Segment, problems, said []string) {
	return ReadWith(ingest.Options{}, f, files, p)
}

// ReadWith is Read with options. It sets their Notes.
func ReadWith(opt ingest.Options, f exchange.Format, files []exchange.File, p *protocol.Protocol) (segments []campaign.Segment, problems, said []string) {
	var notes ingest.Notes
	opt.Notes = &notes
	for line, err := range f.Read(files, p, opt) {
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		segments = append(segments, line.Segment)
	}
	for _, n := range notes.List {
		said = append(said, n.String())
	}
	return segments, problems, said
}

// Readers of files that Fuzz changes must not panic or hang, and must yield whole values.
func Fuzz(t testing.TB, f exchange.Format, files []exchange.File) {
	t.Helper()
	Is(t, f, files)
	if f.Of != nil {
		f.Of(files, ingest.Options{}) //nolint:errcheck // any error will do
	}
	for _, p := range Protocols() {
		segments, _, _ := Read(f, files, p)
		for _, s := range segments {
			if s.SegmentID == "" || s.DocID == "" || strings.TrimSpace(s.Source) == "" {
				t.Fatalf("segment %+v", s)
			}
			for _, tr := range s.Translations {
				for _, r := range tr.Ratings {
					if campaign.CheckLogin(r.Annotator) != nil || r.Round < 1 || len(p.CheckScores(r.Scores)) > 0 {
						t.Fatalf("rating %+v", r)
					}
					for _, e := range r.Spans {
						if words, ok := codepoint.Slice(tr.Text, e.Start, e.End); !ok || words != e.Text || e.Severity == "" {
							t.Fatalf("error %+v in %q", e, tr.Text)
						}
					}
				}
			}
		}
	}
}
