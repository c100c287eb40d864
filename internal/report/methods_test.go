package report_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/report"
)

// besideOne is a report of a campaign of two segments by three systems, where hours and words have a price.
func besideOne(t *testing.T) report.Report {
	t.Helper()
	in := report.Input{
		Campaign: newCampaign(t, "esa"),
		Segments: segmentsOf(
			besideSegment("1", "major", []mark{esa("ann", 90), esa("bob", 80)}, []mark{esa("ann", 60)}, []mark{esa("bob", 20)}),
			besideSegment("2", "major", []mark{esa("ann", 100)}, []mark{esa("ann", 50)}, []mark{esa("ann", 10)})),
		Options: report.Options{Program: "annotate 1", Prices: report.Prices{Hour: 36, Word: 0.5, Currency: "EUR"}},
	}
	return compute(t, in)
}

func TestPricesOfWork(t *testing.T) {
	work, _ := besideOne(t).Section(report.DataSection)
	table := tableOf(t, work, "work")
	// "The source of 1" has 4 words. Ann rated A, B at 10 s and 20 s, and A, B, C at 10 s, 20 s and 30 s; bob A and C at 10 s and 30 s.
	checkRow(t, table, "ann", 5, 20, 1, 90./3600, 20/(90./3600), .9+10)
	checkRow(t, table, "bob", 2, 8, 1, 40./3600, 8/(40./3600), .4+4)
	checkRow(t, table, "All", 7, 28, 1, 130./3600, 28/(130./3600), 1.3+14)
	if name := table.Columns[6].Name; name != "Price (EUR)" {
		t.Errorf("the last column is %q", name)
	}
}

// A part of a report has what is named, in the order of the report, and a section that is not named itself has no text.
func TestPartOfAReport(t *testing.T) {
	whole := besideOne(t)
	part, unknown := whole.Only([]string{"work", report.MethodsSection, "nothing"})
	if len(part.Sections) != 2 || part.Sections[0].ID != report.DataSection || part.Sections[1].ID != report.MethodsSection || !slices.Equal(unknown, []string{"nothing"}) {
		t.Fatalf("got %+v, unknown %v", part.Sections, unknown)
	}
	data := part.Sections[0]
	if len(data.Paragraphs) > 0 || len(data.Tables) != 1 || data.Tables[0].ID != "work" || data.Note == "" || len(data.Figures) > 0 || len(part.Sections[1].Paragraphs) == 0 {
		t.Errorf("got %+v", data)
	}
	if all, _ := whole.Only(nil); len(all.Sections) != len(whole.Sections) {
		t.Error("without names the report does not stay whole")
	}
	if all, unknown := whole.Only(whole.IDs()); len(all.Sections) != len(whole.Sections) || len(unknown) > 0 {
		t.Errorf("of all ids these are unknown: %v", unknown)
	}
}

// The section of methods cites what it lists, and docs/sources.md has each source in the same words.
func TestMethods(t *testing.T) {
	sources, err := os.ReadFile("../../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Join(strings.Fields(string(sources)), " ")
	st := demo(t)
	for _, slug := range demoCampaigns {
		s, _ := compute(t, demoInput(t, st, slug)).Section(report.MethodsSection)
		words := strings.Join(s.Paragraphs, " ")
		cited := regexp.MustCompile(`\((\p{Lu}[^()]* \d{4})\)`).FindAllStringSubmatch(words, -1)
		var names []string
		for _, m := range cited {
			names = append(names, m[1])
		}
		slices.Sort(names)
		names = slices.Compact(names)
		rows := tableOf(t, s, "references").Rows
		if len(rows) != len(names) || len(names) < 3 {
			t.Errorf("%s: %d references are listed, and the text cites %v", slug, len(rows), names)
		}
		for _, row := range rows {
			name, text := row.Cells[0].Text, row.Cells[1].Text
			if !slices.Contains(names, name) || text == "" || !strings.Contains(known, text) || !strings.Contains(known, "**"+name+"**") {
				t.Errorf("%s: the reference %q, %q is not cited, or is not in docs/sources.md", slug, name, text)
			}
		}
	}
	if s, _ := compute(t, report.Input{Campaign: newCampaign(t, "esa"), Segments: segmentsOf()}).Section(report.MethodsSection); len(s.Paragraphs) != 1 || len(s.Tables) > 0 {
		t.Errorf("the methods of an empty campaign are %+v", s)
	}
}

func TestReadSystems(t *testing.T) {
	all, err := report.ReadSystems([]byte("\ufeffsystem;size;class\n A ;7B;LLM\n\nB;;\"a, b\"\n"), "s.csv")
	want := []report.SystemAbout{{System: "A", Size: "7B", Class: "LLM"}, {System: "B", Class: "a, b"}}
	if err != nil || !slices.Equal(all, want) {
		t.Fatalf("got %+v, %v", all, err)
	}
	if again, err := report.ReadSystems([]byte(report.SystemsCSV(all)), "s.csv"); err != nil || !slices.Equal(again, want) {
		t.Errorf("what is written is read as %+v, %v", again, err)
	}
	for file, want := range map[string]string{
		"name,class\nA,LLM\n":                 "s.csv:1: name: is no column of this file",
		"system,class,class\n":                "is there twice",
		"class\nLLM\n":                        "s.csv:1: system: the first row lacks",
		"system,class\n,LLM\n":                "s.csv:2: system: is empty",
		"system,class\nA,x\nA,y\n":            `s.csv:3: system: "A" is there twice`,
		"system,class\nA,x,y\n":               "s.csv:2: the row has more cells",
		"system\n" + strings.Repeat("A", 201): "s.csv:2: system: must have at most 200 bytes",
	} {
		if _, err := report.ReadSystems([]byte(file), "s.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %q", file, err, want)
		}
	}
}

// The scores of a class are the mean over its systems, and systems that the campaign lacks are named.
func TestClassesOfSystems(t *testing.T) {
	in := report.Input{
		Campaign: newCampaign(t, "esa"),
		Segments: segmentsOf(
			besideSegment("1", "major", []mark{esa("ann", 90)}, []mark{esa("ann", 60)}, []mark{esa("ann", 20)}),
			besideSegment("2", "major", []mark{esa("ann", 100)}, []mark{esa("ann", 50)}, []mark{esa("ann", 10)})),
		Metrics: evaluations(report.Evaluation{Label: "en-de", Report: metaeval.Report{Human: "esa", Preset: metaeval.WMT23, Metrics: []metaeval.Result{metaeval.UndefinedResult("chrF")}},
			Classes: []report.ClassEvaluation{{Class: "LLM", Metrics: []metaeval.Result{metaeval.UndefinedResult("chrF")}}}}),
		Options: report.Options{Systems: []report.SystemAbout{{System: "B", Class: "LLM", Open: "yes"}, {System: "A", Class: "LLM"}, {System: "X", Class: "NMT"}}},
	}
	r := compute(t, in)
	data, _ := r.Section(report.DataSection)
	about := tableOf(t, data, "systems-about")
	if names := []string{about.Rows[0].Cells[0].Text, about.Rows[1].Cells[0].Text, about.Rows[2].Cells[0].Text}; !slices.Equal(names, []string{"B", "A", "C"}) || about.Rows[0].Cells[4].Text != "yes" || len(about.Rows) != 3 {
		t.Errorf("the systems are %v: %+v", names, about.Rows)
	}
	if words := strings.Join(data.Paragraphs, " "); !strings.Contains(words, "The file of systems describes X, which") {
		t.Errorf("nothing says that X is unknown: %s", words)
	}
	systems, _ := r.Section(report.SystemsSection)
	checkRow(t, tableOf(t, systems, "systems-classes"), "LLM", 2, (95+55)/2., 0)
	metrics, _ := r.Section(report.MetricsSection)
	if rows := tableOf(t, metrics, "metrics-class-llm").Rows; len(rows) != 1 {
		t.Errorf("the metrics of the class are %+v", rows)
	}
}

// The methods name the campaigns that are compared and their protocols, and the metrics of each campaign, with the judges among them.
func TestMethodsOfSeveralCampaigns(t *testing.T) {
	paragraphs := func(r report.Report) string {
		s, _ := r.Section(report.MethodsSection)
		return strings.Join(s.Paragraphs, "\n")
	}
	other := func(label, protocol string, segments ...campaign.Segment) report.Side {
		return report.Side{Label: label, Campaign: newCampaign(t, protocol), Segments: segmentsOf(segments...)}
	}
	same := besideSegment("s1", "3", []mark{rate("cy", 90, 80)}, []mark{rate("cy", 60, 50)}, []mark{rate("cy", 20, 10)})
	apart := besideSegment("s3", "minor", []mark{esa("dan", 90)})
	apart.Source = "Another text"
	words := paragraphs(besideReport(t, other("second", "rate", same), other("third", "mqm", apart)))
	for _, want := range []string{
		"The campaigns first (ESA) and second (RATE) share 3 translations with a human score, of 1 segment by 3 systems. The protocols are ESA (Kocmi et al. 2024) and RATE (Popov et al. 2025). ",
		"The test takes the scores of segments as independent",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("the methods lack %q:\n%s", want, words)
		}
	}
	if strings.Contains(words, "MQM") {
		t.Errorf("the methods name a campaign that shares nothing:\n%s", words)
	}
	if alone := paragraphs(besideOne(t)); strings.Contains(alone, "share") {
		t.Errorf("the methods of one campaign compare it:\n%s", alone)
	}

	judge := metaeval.UndefinedResult("gemba")
	judge.Group = metaeval.Judge
	of := func(label string, preset metaeval.Preset, metrics ...metaeval.Result) report.Evaluation {
		return report.Evaluation{Label: label, Report: metaeval.Report{Human: "esa", Preset: preset, Segments: 2, Systems: []string{"A", "B"}, Metrics: metrics}}
	}
	in := report.Input{Campaign: newCampaign(t, "esa"), Segments: segmentsOf(besideSegment("1", "major", []mark{esa("ann", 90)}, []mark{esa("ann", 60)}))}
	in.Metrics = evaluations(of("first", metaeval.WMT24, judge, metaeval.UndefinedResult("chrF")), of("second", metaeval.MENT, metaeval.UndefinedResult("chrF")))
	words = paragraphs(compute(t, in))
	for _, want := range []string{
		"In first, 2 metrics, of which 1 is a judge, were judged by the human score esa over 2 segments of 2 systems. In second, 1 metric was judged by",
		"The meta score of a metric in first is the mean of soft", "The meta score of a metric in second is the mean of accuracy",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("the methods lack %q:\n%s", want, words)
		}
	}
	if strings.Contains(words, "overall") {
		t.Errorf("two presets have no overall meta score:\n%s", words)
	}
}
