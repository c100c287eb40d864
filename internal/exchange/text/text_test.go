package text

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/exchange/exchangetest"
	"annotate/internal/ingest"
)

func collect(opt ingest.Options, from []exchange.File) (out []campaign.Segment, problems []string) {
	out, problems, _ = exchangetest.ReadWith(opt, Format, from, nil)
	return out, problems
}

func TestRead(t *testing.T) {
	got, problems := collect(ingest.Options{SourceLang: "en", TargetLang: "de", Systems: []string{"B", "A b"}}, exchangetest.Files(
		"set/B.txt", "Eins\n\n", "set/refA.txt", "\nDeux", "set/sources.en.txt", "\ufeffOne\r\n Two \n", "set/docs.txt", "news\td1\nd2\n", "set/A b", "\t1\nII\u2028\n", "set/References.TXT.txt", "x\ny"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := []campaign.Segment{
		{
			DocID: "d1", SegmentID: "1", Domain: "news", SourceLang: "en", TargetLang: "de", Source: "One", References: []campaign.Reference{{Name: "References.TXT", Text: "x"}},
			Translations: []campaign.Translation{{System: "A b", Text: "\t1"}, {System: "B", Text: "Eins"}},
		},
		{
			DocID: "d2", SegmentID: "2", SourceLang: "en", TargetLang: "de", Source: " Two ", References: []campaign.Reference{{Name: "References.TXT", Text: "y"}, {Name: "refA", Text: "Deux"}},
			Translations: []campaign.Translation{{System: "A b", Text: "II\u2028"}, {System: "B", Text: ""}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	got, problems = collect(ingest.Options{}, exchangetest.Files("sources.en", "a\n", "A.TXT", "b\n", "B.pt-BR", "c\n", "m-1.5", "d\n"))
	if len(problems) > 0 || len(got) != 1 || len(got[0].Translations) != 3 || got[0].Translations[0].System != "A" || got[0].Translations[1].System != "B.pt-BR" {
		t.Errorf("got %+v, %q", got, problems)
	}
	got, _ = collect(ingest.Options{}, exchangetest.Files("src", "a\n", "reference", "b\n", "Refined", "c\n"))
	if len(got) != 1 || got[0].DocID != "1" || !reflect.DeepEqual(got[0].References, []campaign.Reference{{Name: "ref", Text: "b"}}) || got[0].Translations[0].System != "Refined" {
		t.Errorf("got %+v", got)
	}
}

func TestProblems(t *testing.T) {
	for name, tt := range map[string]struct {
		files []string
		want  []string
	}{
		"unequal":       {[]string{"source", "a\nb\n", "A", "x\n", "ref", "x\ny\nz\n"}, []string{"ref: has 3 lines, and source has 2; every", "A: has 1 line, and source has 2; every"}},
		"no sources":    {[]string{"A", "x"}, []string{"no file has the sources; name it sources.txt"}},
		"no systems":    {[]string{"src.txt", "x"}, []string{"no file has translations"}},
		"two of a kind": {[]string{"a/src.txt", "x", "b/sources", "x", "a/A", "x", "b/A.txt", "y"}, []string{"b/sources: is of the same kind as a/src.txt", "b/A.txt: is of the same kind as a/A"}},
		"empty source":  {[]string{"src", "a\n \nc", "A", "x\ny\nz"}, []string{"src:2: empty; give"}},
		"nothing":       {[]string{"src", "", "A", ""}, []string{"src: the file is empty"}},
		"no text":       {[]string{"src", "a\nb", "A", "\x89PNG\r\n"}, []string{"A: format: the file is a picture (PNG)"}},
		"encoding":      {[]string{"src", "a\nb", "A", "x\n\xe4\xf6\n"}, []string{"A:2:1: byte 0xE4 is not UTF-8"}},
		"U+0000":        {[]string{"src", "a\nb", "A", "x\ny\x00\n"}, []string{"A:2:2: a text has the character U+0000"}},
		"too long":      {[]string{"src", "a\nb", "A", "x\n" + strings.Repeat("y", 300)}, []string{"A:2: the line is longer than"}},
		"name":          {[]string{"src", "a", "A\tb", "x"}, []string{"the name without its ending"}},
		"no document":   {[]string{"src", "a", "A", "x", "documents", "\n"}, []string{"documents:1: must be the name of the document"}},
		"other endings": {[]string{"src", "a", "A", "x", "sysC.log", "x", "B.docx", "x", "a/README", "x", "ref.pdf", "x"}, []string{
			"sysC.log: has no texts by its name", "B.docx: has no", "a/README: has no", "ref.pdf: has no",
		}},
		"unknown system": {[]string{"src", "a", "C", "x"}, []string{`C: there is no system "C"; the campaign's systems are A`}},
	} {
		t.Run(name, func(t *testing.T) {
			opt := ingest.Options{MaxLine: 100}
			if name == "unknown system" {
				opt.Systems = []string{"A"}
			}
			_, problems := collect(opt, exchangetest.Files(tt.files...))
			for i, want := range tt.want {
				if i >= len(problems) || !strings.Contains(problems[i], want) {
					t.Errorf("got %q, want %q", problems, want)
				}
			}
			if len(problems) != len(tt.want) {
				t.Errorf("got %q", problems)
			}
		})
	}
	many := exchangetest.Files("src", "a")
	for range maxFiles {
		many = append(many, exchangetest.Files("A", "x")...)
	}
	if _, problems := collect(ingest.Options{}, many); len(problems) != 1 || !strings.Contains(problems[0], "there are 251 files") {
		t.Errorf("got %q", problems)
	}
}

func TestIs(t *testing.T) {
	for _, tt := range []struct {
		names string
		want  bool
	}{
		{"sources.txt A.txt", true},
		{"x/src.de x/ref.en x/docs.txt x/system_0 x/system_1", true},
		{"sources.en A.de B.pt-BR C.zh_CN reference.B model-1.5 GPT-4.1.TXT v2.0-beta", true},
		{"sources.txt sysC.log", false},
		{"sources.txt A.docx", false},
		{"sources.txt A.pdf", false},
		{"sources.txt A.md", false},
		{"sources.txt A README", false},
		{"sources.txt A LICENSE.txt", false},
		{"A.txt B.txt", false},
		{"sources.txt ref.txt", false},
		{"sources.txt src A", false},
		{"sources/en-de.txt system-outputs/en-de/A.txt references/en-de.refA.txt documents/en-de.docs", false},
		{"sources.txt A.txt BLEU.seg.score", false},
		{"source.jsonl A.jsonl", false},
	} {
		var heads []exchange.Head
		for name := range strings.FieldsSeq(tt.names) {
			heads = append(heads, exchange.Head{Name: name, Bytes: []byte("text\n")})
		}
		if got := Format.Is(heads); got != tt.want {
			t.Errorf("%s: got %v", tt.names, got)
		}
	}
	if Format.Is([]exchange.Head{{Name: "src", Bytes: []byte(" {\"src\":1}")}, {Name: "A"}}) {
		t.Error("lines of JSON are recognised as text")
	}
}

// TestHostileTexts checks that texts without line breaks come as they are.
func TestHostileTexts(t *testing.T) {
	pieces := []string{"a", " ", "\t", "\u0085", "\u2028", "\v", `"`, "{", "é", "e\u0301", "שלום", "\u202e", "🙂", "𝔘", "<v>", "\r", "\ufeff"}
	for seed := range uint64(200) {
		g := rand.New(rand.NewPCG(seed, 1))
		column := func() (lines []string) {
			for range 5 {
				s := "x"
				for range g.IntN(8) {
					s += pieces[g.IntN(len(pieces))]
				}
				lines = append(lines, s+"y")
			}
			return lines
		}
		source, a := column(), column()
		got, problems := collect(ingest.Options{}, exchangetest.Files("src", strings.Join(source, "\n"), "A", strings.Join(a, "\n")))
		if len(problems) > 0 || len(got) != 5 {
			t.Fatalf("seed %d: %q", seed, problems)
		}
		for i, s := range got {
			if s.Source != source[i] || s.Translations[0].Text != a[i] {
				t.Fatalf("seed %d: got %q, %q, want %q, %q", seed, s.Source, s.Translations[0].Text, source[i], a[i])
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("A", "one\ntwo", "eins\nzwei", "d\td1\nd2")
	f.Add("ref.x", "\n", "\x00", "\xff")
	f.Add("docs", strings.Repeat("a", 3000), "\r\r\n", "")
	f.Fuzz(func(t *testing.T, name, source, a, b string) {
		from := exchangetest.Files("src", source, name, a, "docs", b, "A", a)
		is([]exchange.Head{{Name: name, Bytes: []byte(a)}, {Name: "src", Bytes: []byte(source)}})
		segments, problems := collect(ingest.Options{MaxLine: 1000}, from)
		if len(segments)+len(problems) == 0 {
			t.Fatal("nothing came out, and nothing was said")
		}
		for _, s := range segments {
			if s.DocID == "" || strings.TrimSpace(s.Source) == "" || len(s.Translations) == 0 {
				t.Fatalf("got %+v", s)
			}
		}
	})
}
