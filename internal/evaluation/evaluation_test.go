package evaluation_test

import (
	"encoding/json"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/ingest"
	"annotate/internal/intake"
	"annotate/internal/metaeval"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/testenv"
)

// newCampaign makes an empty campaign of a protocol.
func newCampaign(t *testing.T, st *store.Store, protocolID, pair string) campaign.Campaign {
	t.Helper()
	p, _ := protocol.Lookup(protocolID)
	source, target, _ := strings.Cut(pair, "-")
	c, err := st.Accounts.CreateCampaign(t.Context(), campaign.Campaign{
		Slug: "c-" + pair, Title: pair, Protocol: protocolID, SourceLang: source, TargetLang: target, Settings: campaign.DefaultSettings(p),
	}, "")
	storetest.Check(t, err)
	return c
}

// read returns the data of a campaign with the named human scores and all metrics.
func read(t *testing.T, st *store.Store, c campaign.Campaign, humans ...string) (*evaluation.Source, metaeval.Data, []string) {
	t.Helper()
	s := storetest.Must(evaluation.Open(t.Context(), st, c))(t)
	data, notes, err := s.Read(t.Context(), metaeval.Plan{Humans: humans, Metrics: s.Metrics}, nil)
	storetest.Check(t, err)
	return s, data, notes
}

func scoresOf(t *testing.T, all []metaeval.Scores, name string) metaeval.Scores {
	t.Helper()
	i := slices.IndexFunc(all, func(s metaeval.Scores) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no scores named %s", name)
	}
	return all[i]
}

func equal(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 || math.IsNaN(x) && math.IsNaN(y) })
}

// TestGold: two annotators, three segments of which one is not in gold, two systems.
//
// ana gives A 4 2 (1), B 2 0 (1): mean 2, population deviation √2.
// ben gives A 4 3 (4), B 3 2 (0): mean 3, population deviation √(1/2).
func TestGold(t *testing.T) {
	db := storetest.Open(t)
	c := newCampaign(t, db.Store, "sqm", "en-de")
	storetest.Check(t, db.Rounds.ChangeCampaign(t.Context(), c.ID, "", records.CampaignChange{Settings: []string{"rounds=1", "threshold=-1", "tolerance=1.5"}}))
	rating := func(login string, score float64) campaign.Rating {
		return campaign.Rating{Annotator: login, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": score}}}
	}
	given := [][2][2]float64{{{4, 4}, {2, 3}}, {{2, 3}, {0, 2}}, {{1, 4}, {1, 0}}} // segment, system, annotator
	var lines []campaign.Segment
	for i, systems := range given {
		seg := campaign.Segment{DocID: "d", SegmentID: string(rune('1' + i)), Domain: []string{"news", "chat", "news"}[i], Source: []string{"s", "s, t", "s"}[i]}
		for k, annotators := range systems {
			seg.Translations = append(seg.Translations, campaign.Translation{System: string(rune('A' + k)), Text: "t",
				Ratings: []campaign.Rating{rating("ana", annotators[0]), rating("ben", annotators[1])}})
		}
		lines = append(lines, seg)
	}
	storetest.Must(db.Intake.ImportSegments(t.Context(), c.ID, storetest.SegmentLines(lines...), intake.ImportOptions{}))(t)
	c, _ = db.Records.Campaign(t.Context(), c.Slug)
	s, d, notes := read(t, db.Store, c, "sqm", "sqm-z", "sqm-A", "sqm-B")
	if want := []string{"sqm", "sqm-z", "sqm-A", "sqm-B"}; !slices.Equal(s.Humans, want) || s.Default != "sqm" || s.Preset() != metaeval.MENT {
		t.Errorf("humans %v, default %q, preset %s", s.Humans, s.Default, s.Preset())
	}
	if !slices.Equal(d.Lengths, []int{1, 3}) {
		t.Errorf("the sources have %v tokens", d.Lengths)
	}
	if d.Segments != 2 || !slices.Equal(d.Domains, []string{"news", "chat"}) {
		t.Fatalf("%d segments of %v: the third fails the gate and is not in gold", d.Segments, d.Domains)
	}
	z := func(ana, ben float64) float64 { return ((ana-2)/math.Sqrt(2) + (ben-3)/math.Sqrt(0.5)) / 2 }
	for name, want := range map[string][2][]float64{
		"sqm":   {{4, 2.5}, {2.5, 1}},
		"sqm-A": {{4, 2}, {2, 0}},
		"sqm-B": {{4, 3}, {3, 2}},
		"sqm-z": {{z(4, 4), z(2, 3)}, {z(2, 3), z(0, 2)}},
	} {
		got := scoresOf(t, d.Humans, name).Segment
		if !equal(got["A"], want[0]) || !equal(got["B"], want[1]) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if len(notes) != 3 || len(d.Metrics) != 0 {
		t.Errorf("without a reference there are metrics %v, notes %q", d.Metrics, notes)
	}
}

// TestReferences: the built-in metrics compare with "ref", else with the first
// reference that every segment has.
func TestReferences(t *testing.T) {
	ref := func(name, text string) campaign.Reference { return campaign.Reference{Name: name, Text: text} }
	for name, tt := range map[string]struct {
		first, second []campaign.Reference
		notes         int
		score         float64 // chrF of the first translation, which is "abcdef"; -1: none
	}{
		"ref before others":        {[]campaign.Reference{ref("a", "xyzuvw"), ref("ref", "abcdef")}, []campaign.Reference{ref("a", "x"), ref("ref", "y")}, 0, 100},
		"ref not everywhere":       {[]campaign.Reference{ref("a", "xyzuvw"), ref("ref", "abcdef")}, []campaign.Reference{ref("a", "x"), ref("ref", "")}, 1, 0},
		"ref of white space":       {[]campaign.Reference{ref("a", "xyzuvw"), ref("ref", "abcdef")}, []campaign.Reference{ref("a", "x"), ref("ref", " \t\u3000")}, 1, 0},
		"the first in byte order":  {[]campaign.Reference{ref("b", "xyzuvw"), ref("a", "abcdef")}, []campaign.Reference{ref("a", "x"), ref("b", "y")}, 1, 100},
		"none that is everywhere":  {[]campaign.Reference{ref("a", "abcdef")}, []campaign.Reference{ref("b", "y")}, 3, -1},
		"new in the second":        {nil, []campaign.Reference{ref("ref", "y")}, 3, -1},
		"no references whatsoever": {nil, nil, 3, -1},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.Open(t)
			c := newCampaign(t, db.Store, "sqm", "en-de")
			var lines []campaign.Segment
			for i, refs := range [][]campaign.Reference{tt.first, tt.second} {
				seg := campaign.Segment{DocID: "d", SegmentID: string(rune('1' + i)), Domain: []string{"news", "chat"}[i], Source: "s", References: refs, Translations: []campaign.Translation{
					{System: "A", Text: "abcdef", HumanScores: []campaign.HumanScore{{Name: "ment", Score: 3}}}}}
				lines = append(lines, seg)
			}
			storetest.Must(db.Intake.ImportSegments(t.Context(), c.ID, storetest.SegmentLines(lines...), intake.ImportOptions{}))(t)
			_, d, notes := read(t, db.Store, c, "ment")
			if len(notes) != tt.notes {
				t.Errorf("notes %q, want %d", notes, tt.notes)
			}
			if tt.score < 0 {
				if len(d.Metrics) > 0 {
					t.Errorf("there are metrics %v", d.Metrics)
				}
				return
			}
			chrf := scoresOf(t, d.Metrics, "chrF-ref")
			if got := chrf.Segment["A"][0]; math.Abs(got-tt.score) > 1e-9 {
				t.Errorf("chrF is %v, want %v", got, tt.score)
			}
			// Each segment is a domain of its own, in which the second one has nothing in common with its reference.
			if news, chat := chrf.Domain["news"]["A"], chrf.Domain["chat"]["A"]; math.Abs(news-tt.score) > 1e-9 || chat != 0 {
				t.Errorf("chrF in domains is %v and %v, want %v and 0", news, chat, tt.score)
			}
		})
	}
}

// A metric's imported score of a system is the mean of all its segments, those without a human score included, or another
// score. Resamples take a mean in the first case only.
func TestSystemScores(t *testing.T) {
	db := storetest.Open(t)
	c := newCampaign(t, db.Store, "sqm", "en-de")
	var lines []campaign.Segment
	var scores []campaign.MetricScore
	for i := range 3 {
		id := string(rune('1' + i))
		tr := campaign.Translation{System: "A", Text: "t"}
		if i < 2 {
			tr.HumanScores = []campaign.HumanScore{{Name: "ment", Score: 3}}
		}
		lines = append(lines, campaign.Segment{DocID: "d", SegmentID: id, Source: "s", Translations: []campaign.Translation{tr}})
		for _, metric := range []string{"mean-src", "own-src"} {
			scores = append(scores, campaign.MetricScore{Metric: metric, System: "A", SegmentID: id, Score: float64(i * i)})
		}
	}
	scores = append(scores, campaign.MetricScore{Metric: "mean-src", System: "A", Score: 5. / 3}, campaign.MetricScore{Metric: "own-src", System: "A", Score: 0.5})
	storetest.Must(db.Intake.ImportSegments(t.Context(), c.ID, storetest.SegmentLines(lines...), intake.ImportOptions{}))(t)
	storetest.Must(db.Intake.ImportScores(t.Context(), c.ID, storetest.ScoreLines(scores), intake.ImportOptions{}))(t)
	_, d, _ := read(t, db.Store, c, "ment")
	for name, want := range map[string]bool{"mean-src": true, "own-src": false} {
		if s := scoresOf(t, d.Metrics, name); s.Wider["A"] != want || len(s.Segment["A"]) != 2 {
			t.Errorf("%s: a mean of all segments %v, want %v; %d segments", name, s.Wider["A"], want, len(s.Segment["A"]))
		}
	}
}

func files[T any](t *testing.T, names []string, read func(name string, f *os.File) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, name := range names {
			f := storetest.Must(os.Open(name))(t)
			defer f.Close()
			for v, err := range read(name, f) {
				if !yield(v, err) {
					return
				}
			}
		}
	}
}

// TestMENT: a campaign with the averages and scores of the MENT data is judged as
// the directory is, and its built-in metrics are those of sacreBLEU.
func TestMENT(t *testing.T) {
	dir := testenv.Data(t, "ment")
	var want struct {
		Directions map[string]struct {
			Metrics map[string]struct {
				SixPaperAvg float64 `json:"six_paper_avg"`
			}
		}
		Meta struct{ Paper map[string]float64 } `json:"meta_avg"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	storetest.Check(t, err)
	var reports []metaeval.Report
	for _, pair := range []string{"en-zh", "zh-en"} {
		db := storetest.Open(t)
		c := newCampaign(t, db.Store, "sqm", pair)
		segments := files(t, []string{filepath.Join(dir, "MENT.jsonl")}, func(name string, f *os.File) iter.Seq2[campaign.SegmentLine, error] {
			return ingest.Segments("ment", f, ingest.Options{File: name, SourceLang: c.SourceLang, TargetLang: c.TargetLang, Select: true})
		})
		storetest.Must(db.Intake.ImportSegments(t.Context(), c.ID, segments, intake.ImportOptions{}))(t)
		names, _ := filepath.Glob(filepath.Join(dir, "metric-scores", pair, "*.score"))
		scores := files(t, names, func(name string, f *os.File) iter.Seq2[campaign.MetricScore, error] {
			return ingest.Scores(f, ingest.Options{File: name})
		})
		storetest.Must(db.Intake.ImportScores(t.Context(), c.ID, scores, intake.ImportOptions{}))(t)
		s, d, notes := read(t, db.Store, c, "ment")
		if s.Default != "ment" || !slices.Equal(s.Humans, []string{"ment"}) || len(notes) > 0 {
			t.Errorf("humans %v, default %q, notes %q", s.Humans, s.Default, notes)
		}
		report := storetest.Must(metaeval.Evaluate(t.Context(), d, metaeval.Task{Human: "ment", Preset: s.Preset(), Seed: 4, Permutations: 10}))(t)
		reports = append(reports, report)
		byName := map[string]metaeval.Result{}
		for _, m := range report.Metrics {
			byName[m.Name] = m
		}
		for name, w := range want.Directions[pair].Metrics {
			if got := byName[name].Meta; math.Abs(got-w.SixPaperAvg) > 1e-9 {
				t.Errorf("%s %s: meta %v, want %v", pair, name, got, w.SixPaperAvg)
			}
		}
		// Scores agree to 1e-9 and more, but where two of them are equal but for the
		// last digit, a few of 2.8 million pairs are tied here and not there.
		if got, want := byName["BLEU-ref"].Meta, want.Directions[pair].Metrics["sentBLEU-ref"].SixPaperAvg; math.Abs(got-want) > 1e-6 {
			t.Errorf("%s built-in BLEU: meta %v, want that of sacreBLEU, %v", pair, got, want)
		}
	}
	joint, _ := metaeval.Overall(reports)
	for _, o := range joint {
		if w, ok := want.Meta.Paper[o.Name]; ok && math.Abs(o.Meta-w) > 1e-9 {
			t.Errorf("overall %s: %v, want %v", o.Name, o.Meta, w)
		}
	}
}

// The preset comes from the protocol's definition, not from its name.
func TestPreset(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		for preset, want := range map[string]metaeval.Preset{"ment": metaeval.MENT, "wmt23": metaeval.WMT23, "": metaeval.WMT23} {
			definition := `{"id": "own", "name": "Own", "about": "Score.", "gate": "s", "gate_by_default": "on", "tolerance": 1, "preset": "` + preset + `",
				"scores": [{"name": "s", "label": "S", "min": 0, "max": 6, "human": "s"}], "guide": {"intro": ["-"]}}`
			s := storetest.Campaign(t, db.Store, storetest.Slug("own-x"+preset), storetest.Definition(definition))
			source := storetest.Must(evaluation.Open(t.Context(), db.Store, s.Campaign))(t)
			if got := source.Preset(); got != want {
				t.Errorf("preset %q gives %s; want %s", preset, got, want)
			}
		}
	})
}

// Documents of two campaigns are known to be the same by the source of their first segment, in whatever way formats name them and
// whatever white space they trim.
func TestIdentitiesOfDocuments(t *testing.T) {
	db := storetest.Open(t)
	identities := func(pair string, documents []string, sources ...string) []string {
		t.Helper()
		c := newCampaign(t, db.Store, "sqm", pair)
		var lines []campaign.Segment
		for i, source := range sources {
			lines = append(lines, campaign.Segment{DocID: documents[i], SegmentID: string(rune('1' + i)), Source: source,
				Translations: []campaign.Translation{{System: "A", Text: "t", HumanScores: []campaign.HumanScore{{Name: "da", Score: float64(i)}}}}})
		}
		lines[0].Translations[0].HumanScores = nil // so it is not evaluated, but it begins its document
		storetest.Must(db.Intake.ImportSegments(t.Context(), c.ID, storetest.SegmentLines(lines...), intake.ImportOptions{}))(t)
		_, d, _ := read(t, db.Store, c, "da")
		if len(d.Identities) != len(d.Documents) || len(d.Documents) != len(sources)-1 {
			t.Fatalf("%d identities of %d documents", len(d.Identities), len(d.Documents))
		}
		return d.Identities
	}
	one := identities("en-de", []string{"x", "x", "y"}, "The  first.", "Second.", "Third.")
	two := identities("en-fr", []string{"1", "1", "2"}, "The first. ", "Another.", "Third.")
	three := identities("en-ja", []string{"x", "x", "y"}, "Other texts.", "Second.", "Fourth.")
	if !slices.Equal(one, two) || one[0] == one[1] {
		t.Errorf("%q and %q are not the same two documents", one, two)
	}
	if slices.Contains(three, one[0]) || slices.Contains(three, one[1]) {
		t.Errorf("%q has documents of %q", three, one)
	}
}
