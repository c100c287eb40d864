package export_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/protocol"
)

// A tree keeps the files of a test in memory.
type tree map[string]*strings.Builder

func (t tree) Create(path string) (io.Writer, error) {
	if t[path] != nil {
		return nil, fmt.Errorf("%s is written twice", path)
	}
	t[path] = &strings.Builder{}
	return t[path], nil
}

func mtme(t testing.TB, p *protocol.Protocol, segments export.Source) (tree, []string) {
	t.Helper()
	files := tree{}
	notes, err := export.MTME(files, p, export.MTMEOptions{LanguagePair: "en-de"}, segments)
	if err != nil {
		t.Fatal(err)
	}
	return files, notes
}

// esaRating has errors of the given severities, one character each.
func esaRating(login string, round int, score float64, severities ...string) campaign.Rating {
	r := campaign.Rating{Annotator: login, Round: round, Rating: protocol.Rating{Scores: map[string]float64{"score": score}}}
	for i, s := range severities {
		r.Spans = append(r.Spans, protocol.ErrorSpan{Side: protocol.Target, Start: i, End: i + 1, Severity: s})
	}
	return r
}

// esaCampaign has four segments of two systems. lin and mara rate the first
// three, in gold are the first two and, decided by the lead, the last.
func esaCampaign() []campaign.Segment {
	segment := func(doc, id, domain string, status campaign.Status, round int, aster, birch campaign.Translation) campaign.Segment {
		aster.System, birch.System = "Aster", "Birch 2"
		return campaign.Segment{DocID: doc, SegmentID: id, Domain: domain, Source: "source\r\n" + id, Status: status, Round: round,
			References: []campaign.Reference{{Name: "ref", Text: "reference " + id}}, Translations: []campaign.Translation{aster, birch}}
	}
	omission := esaRating("mara", 2, 81)
	omission.Spans = []protocol.ErrorSpan{{Side: protocol.Source, Start: 2, End: 4, Severity: "major"}}
	entered := &campaign.Gold{Score: 33.5, Adjudicated: true, Entered: true}
	out := []campaign.Segment{
		segment("a b", "1", "news", campaign.Agreed, 2,
			campaign.Translation{Text: "x\ty", Ratings: []campaign.Rating{esaRating("lin", 1, 0), esaRating("mara", 1, 0), esaRating("lin", 2, 90, "minor"), omission}},
			campaign.Translation{Text: "", Ratings: []campaign.Rating{esaRating("lin", 2, 70, "major", "minor"), esaRating("mara", 2, 80)}}),
		segment("a b", "2", "social media", campaign.Ungated, 1,
			campaign.Translation{Text: "x\u2028y\nz", Ratings: []campaign.Rating{esaRating("lin", 1, 50)}}, campaign.Translation{Text: "b"}),
		segment("c", "3", "", campaign.Discarded, 1,
			campaign.Translation{Text: "c", Ratings: []campaign.Rating{esaRating("lin", 1, 100), esaRating("mara", 1, 0)}}, campaign.Translation{Text: "d"}),
		segment("a b", "4", "news", campaign.Adjudicated, 1,
			campaign.Translation{Text: "e", Gold: entered, Ratings: []campaign.Rating{esaRating("mara", 1, 83, "minor")}}, campaign.Translation{Text: "f"}),
	}
	out[1].References[0].Name = "ref-B.2"
	return out
}

func TestMTME(t *testing.T) {
	files, notes := mtme(t, lookup(t, "esa"), source(nil, esaCampaign()...))
	// esa in gold: lin 90 and 70 and 50, mean 70, deviation sqrt(800/3);
	// mara 81, 80 and 83, mean 81 1/3, deviation sqrt(14/9).
	lin := func(x float64) float64 { return (x - 70) / math.Sqrt(800.0/3) }
	mara := func(x float64) float64 { return (x - 244.0/3) / math.Sqrt(14.0/9) }
	// mqm in gold: lin -1, -6, 0, mean -7/3, deviation sqrt(62/9); mara -5, 0, -1,
	// mean -2, deviation sqrt(14/3).
	linM := func(x float64) float64 { return (x + 7.0/3) / math.Sqrt(62.0/9) }
	maraM := func(x float64) float64 { return (x + 2) / math.Sqrt(14.0/3) }
	score := func(system string, xs ...float64) string {
		out := ""
		for _, x := range xs {
			if math.IsNaN(x) {
				out += system + "\tNone\n"
			} else {
				out += fmt.Sprintf("%s\t%v\n", system, x)
			}
		}
		return out
	}
	none := math.NaN()
	domain := func(name, first string, x float64, second string, y float64) string {
		return name + "\t" + score(first, x) + name + "\t" + score(second, y)
	}
	z1, z2 := (lin(90)+mara(81))/2, (lin(70)+mara(80))/2
	m1, m2 := (linM(-1)+maraM(-5))/2, (linM(-6)+maraM(0))/2
	for path, want := range map[string]string{
		"sources/en-de.txt":                     "source  1\nsource  2\nsource  3\nsource  4\n",
		"documents/en-de.docs":                  "news\ta_b\nsocial_media\ta_b\nnone\tc\nnews\ta_b~2\n",
		"references/en-de.ref.txt":              "reference 1\n\nreference 3\nreference 4\n",
		"references/en-de.ref_B_2.txt":          "\nreference 2\n\n\n",
		"system-outputs/en-de/Aster.txt":        "x\ty\nx\u2028y z\nc\ne\n",
		"system-outputs/en-de/Birch_2.txt":      "\nb\nd\nf\n",
		"human-scores/en-de.esa.seg.score":      score("Aster", 85.5, 50, none, 33.5) + score("Birch_2", 75, none, none, none),
		"human-scores/en-de.esa.sys.score":      score("Aster", 169.0/3) + score("Birch_2", 75),
		"human-scores/en-de.mqm.seg.score":      score("Aster", -3, 0, none, -1) + score("Birch_2", -3, none, none, none),
		"human-scores/en-de.mqm.sys.score":      score("Aster", -4.0/3) + score("Birch_2", -3),
		"human-scores/en-de.esa-z.seg.score":    score("Aster", z1, lin(50), none, none) + score("Birch_2", z2, none, none, none),
		"human-scores/en-de.esa-z.sys.score":    score("Aster", (z1+lin(50))/2) + score("Birch_2", z2),
		"human-scores/en-de.esa.domain.score":   domain("news", "Aster", (85.5+33.5)/2, "Birch_2", 75) + domain("none", "Aster", none, "Birch_2", none) + domain("social_media", "Aster", 50, "Birch_2", none),
		"human-scores/en-de.mqm.domain.score":   domain("news", "Aster", -2, "Birch_2", -3) + domain("none", "Aster", none, "Birch_2", none) + domain("social_media", "Aster", 0, "Birch_2", none),
		"human-scores/en-de.esa-z.domain.score": domain("news", "Aster", z1, "Birch_2", z2) + domain("none", "Aster", none, "Birch_2", none) + domain("social_media", "Aster", lin(50), "Birch_2", none),
		"human-scores/en-de.mqm-z.domain.score": domain("news", "Aster", (m1+maraM(-1))/2, "Birch_2", m2) + domain("none", "Aster", none, "Birch_2", none) + domain("social_media", "Aster", linM(0), "Birch_2", none),
		"human-scores/en-de.mqm-z.seg.score":    score("Aster", m1, linM(0), none, maraM(-1)) + score("Birch_2", m2, none, none, none),
		"human-scores/en-de.mqm-z.sys.score":    score("Aster", (m1+linM(0)+maraM(-1))/3) + score("Birch_2", m2),
		"human-scores/en-de.esa.A.seg.score":    score("Aster", 90, 50, none, none) + score("Birch_2", 70, none, none, none),
		"human-scores/en-de.esa.B.seg.score":    score("Aster", 81, none, none, 83) + score("Birch_2", 80, none, none, none),
		"human-scores/en-de.mqm.A.seg.rating": "Aster\t{\"errors\":[{\"start\":0,\"end\":1,\"severity\":\"minor\",\"score\":1,\"is_source_error\":false}]}\tA\nAster\t{\"errors\":[]}\tA\nAster\tNone\nAster\tNone\n" +
			"Birch_2\t{\"errors\":[{\"start\":0,\"end\":1,\"severity\":\"major\",\"score\":5,\"is_source_error\":false},{\"start\":1,\"end\":2,\"severity\":\"minor\",\"score\":1,\"is_source_error\":false}]}\tA\nBirch_2\tNone\nBirch_2\tNone\nBirch_2\tNone\n",
		"human-scores/en-de.mqm.B.seg.rating": "Aster\t{\"errors\":[{\"start\":2,\"end\":4,\"severity\":\"major\",\"score\":5,\"is_source_error\":true}]}\tB\nAster\tNone\nAster\tNone\nAster\t{\"errors\":[{\"start\":0,\"end\":1,\"severity\":\"minor\",\"score\":1,\"is_source_error\":false}]}\tB\n" +
			"Birch_2\t{\"errors\":[]}\tB\nBirch_2\tNone\nBirch_2\tNone\nBirch_2\tNone\n",
	} {
		got := files[path]
		switch {
		case got == nil:
			t.Errorf("there is no %s", path)
		case strings.HasSuffix(path, ".score"):
			sameScores(t, path, got.String(), want)
		case got.String() != want:
			t.Errorf("%s: got\n%swant\n%s", path, got, want)
		}
		delete(files, path)
	}
	for path := range files {
		t.Errorf("%s is written too", path)
	}
	if want := []string{`5 texts have line breaks, which are spaces in the files: segment "1" of document "a b", segment "2" of document "a b", segment "3" of document "c", and others`,
		`4 ratings are left out, since gold is not formed of them: segment "1" of document "a b" by "Aster", segment "3" of document "c" by "Aster"`,
		`3 segments have documents with other names in the files, which have no spaces in names, and documents of adjacent lines alone: segment "1" of document "a b", segment "2" of document "a b", segment "4" of document "a b"`,
		`1 segment has a domain with another name in the files, which have no spaces in names, and none for no domain: segment "2" of document "a b"`,
		`the system "Birch 2" is Birch_2 in the files, since file names cannot contain all characters`, `the reference "ref-B.2" is ref_B_2 in the files, since file names cannot contain all characters`,
		"annotators are letters in the files, in the order of their logins, and adjudicators the letters after them"}; !slices.Equal(notes, want) {
		t.Errorf("notes %q", notes)
	}
}

// sameScores compares files of scores; numbers may differ by a rounding.
func sameScores(t *testing.T, path, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(g) != len(w) {
		t.Fatalf("%s: %d lines, want %d", path, len(g), len(w))
	}
	for i := range g {
		if strings.Contains(g[i], "-0") && !strings.Contains(g[i], "-0.") || strings.ContainsAny(g[i][strings.LastIndex(g[i], "\t")+1:], "eE+") && !strings.HasSuffix(g[i], "None") {
			t.Errorf("%s:%d: %q is no plain number", path, i+1, g[i])
		}
		var gs, ws string
		var gx, wx float64
		if g[i] == w[i] {
			continue
		}
		if n, _ := fmt.Sscanf(g[i], "%s\t%g", &gs, &gx); n != 2 {
			t.Errorf("%s:%d: got %q, want %q", path, i+1, g[i], w[i])
			continue
		}
		if n, _ := fmt.Sscanf(w[i], "%s\t%g", &ws, &wx); n != 2 || gs != ws || math.Abs(gx-wx) > 1e-9 {
			t.Errorf("%s:%d: got %q, want %q", path, i+1, g[i], w[i])
		}
	}
}

// TestMTMEOneRater: the ratings of one annotator are in one file; categories are WMT's in small letters,
// and each derived score has a file with its own costs. Two annotators have two files, even if no translation has two
// ratings.
func TestMTMEOneRater(t *testing.T) {
	p := lookup(t, "mqm")
	first := marked("s", "🙂 t", protocol.ErrorSpan{Side: protocol.Target, Start: 2, End: 3, Severity: "minor", Category: "Fluency", Subcategory: "Punctuation"},
		protocol.ErrorSpan{Side: protocol.Target, End: 3, Severity: "major", Category: "Non-translation"})
	second := marked("s", "t")
	files, _ := mtme(t, p, source(nil, first, second))
	want := "A\t{\"errors\":[{\"start\":2,\"end\":3,\"category\":\"fluency/punctuation\",\"severity\":\"minor\",\"score\":0.1,\"is_source_error\":false}," +
		"{\"start\":0,\"end\":3,\"category\":\"non-translation!\",\"severity\":\"major\",\"score\":25,\"is_source_error\":false}]}\tA\nA\t{\"errors\":[]}\tA\n"
	if got := files["human-scores/en-de.mqm.seg.rating"]; got == nil || got.String() != want {
		t.Errorf("got %v of %v, want\n%s", got, slices.Sorted(maps.Keys(files)), want)
	}
	if got := files["human-scores/en-de.mqm.seg.score"].String(); got != "A\t-25.1\nA\t0\n" {
		t.Errorf("scores %q", got)
	}
	second.Translations[0].Ratings[0].Annotator = "rater2"
	files, _ = mtme(t, p, source(nil, first, second))
	for _, path := range []string{"mqm.A.seg.rating", "mqm.B.seg.rating"} {
		if files["human-scores/en-de."+path] == nil || files["human-scores/en-de.mqm.seg.rating"] != nil {
			t.Errorf("no %s among %v", path, slices.Sorted(maps.Keys(files)))
		}
	}
	// An annotator with one rating has no z-scores.
	if got := files["human-scores/en-de.mqm-z.seg.score"].String(); got != "A\tNone\nA\tNone\n" {
		t.Errorf("z-scores %q", got)
	}

	files, _ = mtme(t, lookup(t, "rate"), source(nil, spanned()))
	for path, want := range map[string]string{"rate.seg.score": "Aster\t-9\nBirch\tNone\n", "rate-mqm.seg.score": "Aster\t-7\nBirch\tNone\n", "rate-accuracy.seg.score": "Aster\t80\nBirch\tNone\n",
		"rate-fluency.sys.score": "Aster\t61\nBirch\tNone\n", "rate-esa.sys.score": "Aster\t70.5\nBirch\tNone\n"} {
		if got := files["human-scores/en-de."+path]; got == nil || got.String() != want {
			t.Errorf("%s: got %v, want %q", path, got, want)
		}
	}
	for _, name := range []string{"rate.seg.rating", "rate-mqm.seg.rating", "rate-z.seg.score", "rate-esa-z.sys.score"} {
		if files["human-scores/en-de."+name] == nil {
			t.Errorf("there is no %s among %v", name, slices.Sorted(maps.Keys(files)))
		}
	}
}

// TestMTMEImportedAverages: imported averages are exported under their name, unless ratings
// give scores with the same name.
func TestMTMEImportedAverages(t *testing.T) {
	s := campaign.Segment{DocID: "d", SegmentID: "1", Source: "x", Status: campaign.Pending, Round: 1,
		Translations: []campaign.Translation{{System: "A", HumanScores: []campaign.HumanScore{{Name: "ment", Score: 1e-7}, {Name: "sqm", Score: 3}}}, {System: "B"}}}
	files, notes := mtme(t, lookup(t, "sqm"), source(nil, s))
	for path, want := range map[string]string{"ment.seg.score": "A\t0.0000001\nB\tNone\n", "ment.sys.score": "A\t0.0000001\nB\tNone\n", "sqm.seg.score": "A\t3\nB\tNone\n"} {
		if got := files["human-scores/en-de."+path]; got == nil || got.String() != want {
			t.Errorf("%s: got %v, want %q", path, got, want)
		}
	}
	if len(notes) != 2 || !strings.Contains(notes[0], "no reference") || !strings.Contains(notes[1], "no segment with ratings is in gold") {
		t.Errorf("notes %q", notes)
	}
	s.Status, s.Translations[1].Ratings = campaign.Ungated, []campaign.Rating{rated("lin", 1, 2)}
	files, notes = mtme(t, lookup(t, "sqm"), source(nil, s))
	if got := files["human-scores/en-de.sqm.seg.score"]; got == nil || got.String() != "A\tNone\nB\t2\n" {
		t.Errorf("sqm: got %v", got)
	}
	if len(notes) != 3 || !strings.Contains(notes[1], "imported averages sqm") {
		t.Errorf("notes %q", notes)
	}
}

func TestMTMERefuses(t *testing.T) {
	p := lookup(t, "sqm")
	for name, tt := range map[string]struct {
		pair     string
		segments []campaign.Segment
		want     string
	}{
		"no language pair": {"", esaCampaign(), "language pair"},
		"no segments":      {"en-de", nil, "no segments"},
	} {
		files := tree{}
		_, err := export.MTME(files, p, export.MTMEOptions{LanguagePair: tt.pair}, source(nil, tt.segments...))
		if _, ok := errors.AsType[*campaign.InvalidError](err); !ok || !strings.Contains(err.Error(), tt.want) || len(files) > 0 {
			t.Errorf("%s: got %v and %d files", name, err, len(files))
		}
	}
	gone := errors.New("the database is gone")
	if _, err := export.MTME(tree{}, p, export.MTMEOptions{LanguagePair: "en-de"}, source(gone, esaCampaign()...)); !errors.Is(err, gone) {
		t.Errorf("broken source: got %v", err)
	}
}

// TestMTMENames: systems and references whose names would be the same in the files
// all have files of their own, and averages that can't name a file are left out.
func TestMTMENames(t *testing.T) {
	s := campaign.Segment{SegmentID: "1", DocID: "d", Source: "x\ny", References: []campaign.Reference{{Name: "r-1", Text: "R"}, {Name: "r.1", Text: "S"}}, Translations: []campaign.Translation{
		{System: "A B", Text: "one", HumanScores: []campaign.HumanScore{{Name: "a/b", Score: 1}}}, {System: "A/B", Text: "two"}, {System: "A_B", Text: "three"}}}
	files, notes := mtme(t, lookup(t, "sqm"), source(nil, s))
	for path, want := range map[string]string{"system-outputs/en-de/A_B~2.txt": "one\n", "system-outputs/en-de/A_B~3.txt": "two\n", "system-outputs/en-de/A_B.txt": "three\n",
		"references/en-de.r_1.txt": "R\n", "references/en-de.r_1~2.txt": "S\n"} {
		if got := files[path]; got == nil || got.String() != want {
			t.Errorf("%s: got %v of %v", path, got, slices.Sorted(maps.Keys(files)))
		}
	}
	for _, want := range []string{`the system "A B" is A_B~2 `, `the imported averages "a/b" are left out`, `1 text has line breaks, which are spaces in the files: segment "1" of document "d"`} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("no note %s in %q", want, notes)
		}
	}
}

// TestMTMELetters: letters are those of everybody who rated in the campaign, as in
// a ment file, even if nothing of theirs is in gold.
func TestMTMELetters(t *testing.T) {
	first := marked("s", "t")
	first.Status = campaign.Pending
	first.Translations[0].Ratings[0].Annotator = "adam"
	second := marked("s", "t")
	other := second.Translations[0].Ratings[0]
	other.Annotator = "mia"
	second.Translations[0].Ratings = append([]campaign.Rating{other}, second.Translations[0].Ratings...)
	files, _ := mtme(t, lookup(t, "mqm"), source(nil, second, first))
	for path, want := range map[string]string{"human-scores/en-de.mqm.B.seg.rating": "A\t{\"errors\":[]}\tB\nA\tNone\n", "human-scores/en-de.mqm.C.seg.rating": "A\t{\"errors\":[]}\tC\nA\tNone\n"} {
		if got := files[path]; got == nil || got.String() != want {
			t.Errorf("%s: got %v of %v", path, got, slices.Sorted(maps.Keys(files)))
		}
	}
	if files["human-scores/en-de.mqm.A.seg.rating"] != nil || files["human-scores/en-de.mqm.seg.rating"] != nil {
		t.Errorf("files %v", slices.Sorted(maps.Keys(files)))
	}
}

// TestMTMELacking: a segment without a translation by a system has a line that says so
// and no score, also where it is the first.
func TestMTMELacking(t *testing.T) {
	p, _ := protocol.Lookup("esa")
	segments := []campaign.Segment{
		{DocID: "d", SegmentID: "1", Source: "s", Status: campaign.Ungated, Round: 1, Translations: []campaign.Translation{
			{System: "B", Text: "b1", Ratings: []campaign.Rating{esaRating("lin", 1, 40)}}}},
		{DocID: "d", SegmentID: "2", Source: "s", Status: campaign.Ungated, Round: 1, Translations: []campaign.Translation{
			{System: "A", Text: "a2", Ratings: []campaign.Rating{esaRating("lin", 1, 60)}}, {System: "B", Text: "b2"}}},
	}
	files := tree{}
	if _, err := export.MTME(files, p, export.MTMEOptions{LanguagePair: "en-de", Systems: []string{"B", "A"}}, source(nil, segments...)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"system-outputs/en-de/A.txt":       "[No translation supplied]\na2\n",
		"system-outputs/en-de/B.txt":       "b1\nb2\n",
		"human-scores/en-de.esa.seg.score": "A\tNone\nA\t60\nB\t40\nB\tNone\n",
		"human-scores/en-de.esa.sys.score": "A\t60\nB\t40\n",
	} {
		if got := files[name]; got == nil || got.String() != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if _, err := export.MTME(tree{}, p, export.MTMEOptions{LanguagePair: "en-de", Systems: []string{"B"}}, source(nil, segments...)); err == nil {
		t.Error("a system that the campaign does not have is written")
	}
}

// TestMTMEMetrics writes metrics: those of segments with the means for systems, those of systems, names without a reference, and scores
// that are missing.
func TestMTMEMetrics(t *testing.T) {
	segment := func(id string, a, b []campaign.MetricValue) campaign.Segment {
		return campaign.Segment{DocID: id, SegmentID: id, Source: "s", References: []campaign.Reference{{Name: "ref-B", Text: "r"}, {Name: "refC", Text: "r"}},
			Translations: []campaign.Translation{{System: "A", Text: "a", Metrics: a}, {System: "B b", Text: "b", Metrics: b}}}
	}
	of := func(bleu, judge float64) []campaign.MetricValue {
		return []campaign.MetricValue{{Name: "BLEU-ref-B", Score: bleu}, {Name: "judge", Score: judge}, {Name: "x-refC.refC", Score: 1}}
	}
	files := tree{}
	notes, err := export.MTME(files, lookup(t, "sqm"), export.MTMEOptions{LanguagePair: "en-de", SystemScores: []campaign.MetricScore{
		{Metric: "BLEU-ref-B", System: "A", Score: 31}, {Metric: "TER-src", System: "A", Score: 0.25}, {Metric: "TER-src", System: "B b", Score: 0.5}, {Metric: "half-src", System: "A", Score: 1}}, Metrics: []campaign.Metric{{Name: "TER-src", LowerIsBetter: true}}},
		source(nil, segment("1", of(10, math.NaN()), of(1, 70)), segment("2", of(20, 50), of(2, 71))))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"BLEU-ref_B.seg.score": "A\t10\nA\t20\nB_b\t1\nB_b\t2\n", "BLEU-ref_B.sys.score": "A\t31\nB_b\t1.5\n", "TER-src.sys.score": "A\t0.25\nB_b\t0.5\n", "x-refC.refC.sys.score": "A\t1\nB_b\t1\n",
	} {
		if got := files["metric-scores/en-de/"+path]; got == nil || got.String() != want {
			t.Errorf("%s: got %v of %v, want %q", path, got, slices.Sorted(maps.Keys(files)), want)
		}
	}
	for _, path := range []string{"TER-src.seg.score", "judge-src.seg.score", "judge-src.sys.score", "half-src.sys.score"} {
		if got := files["metric-scores/en-de/"+path]; got != nil {
			t.Errorf("%s is written, though the metric has no scores of some system: %q", path, got)
		}
	}
	for _, want := range []string{
		`the metric "BLEU-ref-B" is BLEU-ref_B in the files, where the name of a metric ends in the reference that it uses, or in src`, `the metric "judge" is judge-src in the files`,
		`the scores of segments by the metric "judge" are left out, since it did not score all of "A", and the file needs all`,
		`the scores of systems by the metric "judge" are left out, since it did not score all of "A", and the file needs all`,
		`the scores of systems by the metric "half-src" are left out, since it did not score all of "B b", and the file needs all`,
		`the scores of systems by the metrics "BLEU-ref-B" and "x-refC.refC" are means of their scores of segments, since no others are known`,
		`a lower score is better for the metric "TER-src", which the files do not say`,
	} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
			t.Errorf("no note %s in %q", want, notes)
		}
	}
}

// TestMTMEMetricOfReference writes a metric that has no scores of the reference that it uses, which is a system, too.
func TestMTMEMetricOfReference(t *testing.T) {
	files := tree{}
	notes, err := export.MTME(files, lookup(t, "sqm"), export.MTMEOptions{LanguagePair: "en-de"}, source(nil, campaign.Segment{
		DocID: "1", SegmentID: "1", Source: "s", References: []campaign.Reference{{Name: "refA", Text: "r"}}, Translations: []campaign.Translation{
			{System: "S", Text: "a", Metrics: []campaign.MetricValue{{Name: "BLEU-refA", Score: 7}, {Name: "QE-src", Score: 8}, {Name: "many-all", Score: 9}}}, {System: "refA", Text: "r"}}}))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"BLEU-refA": "S\t7\n", "QE-src": "", "many-all": "S\t9\n"} {
		for _, level := range []string{".seg", ".sys"} {
			got := ""
			if b := files["metric-scores/en-de/"+path+level+".score"]; b != nil {
				got = b.String()
			}
			if got != want {
				t.Errorf("%s%s: got %q, want %q; notes %q", path, level, got, want, notes)
			}
		}
	}
}
