package evaluation_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/report"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// averages makes a campaign of three systems and four segments, with a reference and
// imported human scores.
func averages(t *testing.T, st *store.Store, humans ...string) campaign.Campaign {
	t.Helper()
	p, _ := protocol.Lookup("sqm")
	c := storetest.Must(st.Accounts.CreateCampaign(t.Context(), campaign.Campaign{Slug: "averages", Title: "Averages", Protocol: "sqm", SourceLang: "zh", TargetLang: "en", Settings: campaign.DefaultSettings(p)}, ""))(t)
	var lines []campaign.Segment
	for i := range 4 {
		seg := campaign.Segment{DocID: "d", SegmentID: fmt.Sprint(i), Source: "一", References: []campaign.Reference{{Name: "ref", Text: "one two three four"}}}
		for k, system := range []string{"A", "B", "C"} {
			tr := campaign.Translation{System: system, Text: strings.Repeat("one two three four ", k+1)}
			for h, name := range humans {
				tr.HumanScores = append(tr.HumanScores, campaign.HumanScore{Name: name, Score: float64((i*k + h) % 3)})
			}
			seg.Translations = append(seg.Translations, tr)
		}
		lines = append(lines, seg)
	}
	storetest.Must(st.Intake.ImportSegments(t.Context(), c.ID, storetest.SegmentLines(lines...), intake.ImportOptions{}))(t)
	return c
}

// metricsOf is the section on metrics of a report for a query.
func metricsOf(t *testing.T, st *store.Store, c campaign.Campaign, query string) (report.Section, error) {
	t.Helper()
	q := storetest.Must(url.ParseQuery(query))(t)
	choices := storetest.Must(evaluation.ParseChoices(q))(t)
	if choices.Key() != query {
		t.Errorf("the key of %s is %s", query, choices.Key())
	}
	r, err := evaluation.ComputeReport(t.Context(), st, &evaluation.ReportTask{Campaign: c, Choices: choices})
	if err != nil {
		return report.Section{}, err
	}
	s, _ := r.Section(report.MetricsSection)
	return s, nil
}

// With several imported human scores, one has to be chosen, as on the command line.
func TestSeveralHumanScores(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		c := averages(t, db.Store, "da", "esa")
		s := storetest.Must(metricsOf(t, db.Store, c, ""))(t)
		if want := "The metrics of campaign averages are not judged: it has several human scores, da, esa, and one has to be chosen to judge by."; len(s.Tables) > 0 || !slices.Contains(s.Paragraphs, want) {
			t.Errorf("%d tables, says %q", len(s.Tables), s.Paragraphs)
		}
		if s, err := metricsOf(t, db.Store, c, "human=esa"); err != nil || len(s.Tables) == 0 || !strings.Contains(s.Paragraphs[0], "against the human score esa") {
			t.Errorf("%v, %q", err, s.Paragraphs)
		}
	})
}

// The report says how the built-in BLEU splits texts, which depends on their language.
func TestTokenizerOfBLEU(t *testing.T) {
	db := storetest.Open(t)
	c := averages(t, db.Store, "da")
	for lang, tokenizer := range map[string]string{"en": "13a", "zh": "zh", "ja": "char"} {
		storetest.Exec(t, db, "UPDATE campaigns SET target_lang = ?", lang)
		s := storetest.Must(metricsOf(t, db.Store, c, ""))(t)
		if !slices.Contains(s.Paragraphs, "BLEU-ref is computed as by sacreBLEU with the tokenizer "+tokenizer+".") {
			t.Errorf("%s: the report says %q", lang, s.Paragraphs)
		}
	}
}

func TestExcludedSystems(t *testing.T) {
	db := storetest.Open(t)
	c := averages(t, db.Store, "da")
	s, err := metricsOf(t, db.Store, c, "exclude-system=B")
	if err != nil || !strings.Contains(s.Paragraphs[0], " of 2 systems, ") {
		t.Errorf("%v, %q", err, s.Paragraphs)
	}
	for query, want := range map[string]string{
		"exclude-system=D": `exclude-system: there is no system "D"; use one of A, B, C`,
		"reference=refX":   `reference: there is no reference "refX"; use one of ref`,
		"human=mqm":        `human: there is no human score "mqm"; use one of da`,
	} {
		_, err := metricsOf(t, db.Store, c, query)
		if _, ok := errors.AsType[*campaign.InvalidError](err); !ok || err.Error() != want {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// The report says of each judge how it came to its judgements and in which rounds it called its sub-agents, also if no metric can be
// judged yet.
func TestJudgesInReport(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(1))
		line := campaign.JudgementLine{SegmentID: "s1", System: s.Systems[0], Method: "rate", Model: "m", About: "after RATE agent, our wording 2", Judgement: campaign.Judgement{Judge: "Portia", Status: campaign.JudgementOK, Score: new(float64)}}
		for _, step := range []string{
			"translation 1/round 1/core", "translation 1/round 1/search/queries", "translation 1/round 1/search/query 1", "translation 1/round 1/search/answer",
			"translation 1/round 2/core", "translation 1/round 2/evaluation", "translation 1/round 2/evaluation (attempt 2)", "translation 1/round 3/core",
			"translation 2/round 1/core", "translation 2/round 1/evaluation", "translation 2/round 2/core", "translation 2/round 2/comparison/candidate as A",
		} {
			line.Trace = append(line.Trace, campaign.TraceCall{Step: step})
		}
		storetest.Must(db.Intake.ImportJudgements(t.Context(), s.Campaign.ID, storetest.JudgementLines(line), intake.ImportOptions{File: "j"}))(t)
		r := storetest.Must(evaluation.ComputeReport(t.Context(), db.Store, &evaluation.ReportTask{Campaign: s.Campaign, Now: db.Clock.Now}))(t)
		said := func(table report.Table) (rows []string) {
			for _, row := range table.Rows {
				var cells []string
				for _, c := range row.Cells {
					cells = append(cells, cmp.Or(c.Text, fmt.Sprint(c.Value)))
				}
				rows = append(rows, strings.Join(cells, " "))
			}
			return rows
		}
		got := map[string][]string{}
		for _, table := range r.Tables() {
			got[table.ID] = said(table)
		}
		for _, f := range r.Figures() {
			got[f.ID] = said(f.Table)
		}
		if want := []string{"Portia after RATE agent, our wording 2"}; !slices.Equal(got["judges"], want) {
			t.Errorf("the judges are %q", got["judges"])
		}
		// Comparison, evaluation and search, in each round and in all.
		if want := []string{"1 0 1 1", "2 1 1 0", "All 1 2 1"}; !slices.Equal(got["judge-rounds-1"], want) {
			t.Errorf("the calls of sub-agents are %q, want %q", got["judge-rounds-1"], want)
		}
	})
}

// A report has the checks that annotators took, under pseudonyms if they have them elsewhere.
func TestChecksInReport(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(30), storetest.PerDocument(1), storetest.Set("check_rate=0.5", "repeat_after=3", "gate=report"))
	s.RateAll(t, func(i int, source, text string) float64 {
		if i == 1 {
			return 3
		}
		return storetest.Reading(source, text)
	})
	for choice, names := range map[string][]string{"": {"ann1", "ann2"}, "yes": {"A01", "A02"}} {
		r := storetest.Must(evaluation.ComputeReport(t.Context(), db.Store, &evaluation.ReportTask{Campaign: s.Campaign, Choices: evaluation.Choices{Pseudonyms: choice}, Now: db.Clock.Now}))(t)
		var rows []string
		for _, table := range r.Tables() {
			for _, row := range table.Rows {
				if table.ID == "checks" && row.Cells[2].Value > 0 {
					rows = append(rows, row.Cells[0].Text+" "+row.Cells[9].Text)
				}
			}
		}
		slices.Sort(rows)
		all := strings.Join(rows, ", ")
		if len(rows) != 6 || strings.Count(all, names[0]) != 3 || strings.Count(all, names[1]) != 3 || choice == "" && !strings.Contains(all, "ann2 fails checks") {
			t.Errorf("pseudonyms %q: the table has %s", choice, all)
		}
	}
}

// The ranks under other choices and within a class are those of reports with these choices.
func TestRanksUnderOtherChoices(t *testing.T) {
	db := storetest.Open(t)
	c := averages(t, db.Store, "da", "esa")
	query := url.Values{"human": {"da"}, "preset": {"ment"}, "sensitivity": {"yes"}, "intervals": {"yes"}, "about-systems": {"system,class,size,release,open\nA,LLM,,,\nC,LLM,,,\n"}}
	s := storetest.Must(metricsOf(t, db.Store, c, query.Encode()))(t)
	table := func(s report.Section, id string) report.Table {
		i := slices.IndexFunc(s.Tables, func(t report.Table) bool { return t.ID == id })
		if i < 0 {
			t.Fatalf("there is no table %s", id)
		}
		return s.Tables[i]
	}
	of := table(s, "metrics-sensitivity")
	for column, other := range map[string]string{"wmt23": "human=da&preset=wmt23", "esa": "human=esa&preset=ment"} {
		at := slices.IndexFunc(of.Columns, func(c report.Column) bool { return c.Name == column })
		if at < 0 {
			t.Fatalf("there is no column %s in %+v", column, of.Columns)
		}
		want := table(storetest.Must(metricsOf(t, db.Store, c, other))(t), "metrics")
		for _, row := range want.Rows {
			i := slices.IndexFunc(of.Rows, func(r report.Row) bool { return r.Cells[0].Text == row.Cells[1].Text })
			if got := of.Rows[i].Cells[at].Value; got != row.Cells[0].Value && !math.IsNaN(got) {
				t.Errorf("%s: the rank of %s is %v, want %v", column, row.Cells[1].Text, got, row.Cells[0].Value)
			}
		}
	}
	within, without := table(s, "metrics-class-llm"), table(storetest.Must(metricsOf(t, db.Store, c, "exclude-system=B&human=da&preset=ment"))(t), "metrics")
	if fmt.Sprint(within.Rows) != fmt.Sprint(without.Rows) {
		t.Errorf("within the class: %v, want %v", within.Rows, without.Rows)
	}
	if got := table(s, "metrics-class-llm-intervals"); len(got.Rows) != len(within.Rows) {
		t.Errorf("the intervals within the class are %v", got.Rows)
	}
}

// In a report of several campaigns the scores of metrics are those of each campaign's own report, although the translations that they
// share are compared once: the references of some segments and the target language may differ.
func TestMetricsBeside(t *testing.T) {
	db := storetest.Open(t)
	var all []campaign.Campaign
	for i, pair := range []string{"en-de", "en-de", "en-zh"} {
		p, _ := protocol.Lookup("sqm")
		source, target, _ := strings.Cut(pair, "-")
		c := storetest.Must(db.Accounts.CreateCampaign(t.Context(), campaign.Campaign{Slug: fmt.Sprint("c", i), Title: "C", Protocol: "sqm", SourceLang: source, TargetLang: target, Settings: campaign.DefaultSettings(p)}, ""))(t)
		var lines []campaign.Segment
		for n := range 6 {
			reference := "one 二三, two three four five"
			if i == 1 && n%2 > 0 {
				reference = "six 七八, seven"
			}
			seg := campaign.Segment{DocID: "d", SegmentID: fmt.Sprint(n), Source: fmt.Sprint("s", n), References: []campaign.Reference{{Name: "ref", Text: reference}}}
			for k, text := range []string{"one two three", "二三 four five six 七", "seven, two one"} {
				seg.Translations = append(seg.Translations, campaign.Translation{System: string(rune('A' + k)), Text: text, HumanScores: []campaign.HumanScore{{Name: "da", Score: float64((n*k + n) % 4)}}})
			}
			lines = append(lines, seg)
		}
		storetest.Must(db.Intake.ImportSegments(t.Context(), c.ID, storetest.SegmentLines(lines...), intake.ImportOptions{}))(t)
		all = append(all, c)
	}
	r := storetest.Must(evaluation.ComputeReport(t.Context(), db.Store, &evaluation.ReportTask{Campaign: all[0], Beside: all[1:]}))(t)
	beside, _ := r.Section(report.MetricsSection)
	for i, c := range all {
		alone := storetest.Must(metricsOf(t, db.Store, c, ""))(t)
		for _, own := range alone.Tables[0].Rows {
			k := slices.IndexFunc(beside.Tables[0].Rows, func(r report.Row) bool { return r.Cells[1].Text == own.Cells[1].Text })
			// Rank, metric and meta score over all stand before the seven columns of each campaign.
			got, want := beside.Tables[0].Rows[k].Cells[3+7*i:][:7], own.Cells[2:]
			if !reflect.DeepEqual(got, want) || len(want) != 7 {
				t.Errorf("%s of %s: %v beside the others, %v alone", own.Cells[1].Text, c.Slug, got, want)
			}
		}
	}
}
