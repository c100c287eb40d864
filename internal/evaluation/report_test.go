package evaluation_test

import (
	"errors"
	"fmt"
	"iter"
	"net/url"
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
	c, err := st.Accounts.CreateCampaign(t.Context(), campaign.Campaign{Slug: "averages", Title: "Averages", Protocol: "sqm", SourceLang: "zh", TargetLang: "en", Settings: campaign.DefaultSettings(p)}, "")
	if err != nil {
		t.Fatal(err)
	}
	var lines iter.Seq2[campaign.SegmentLine, error] = func(yield func(campaign.SegmentLine, error) bool) {
		for i := range 4 {
			seg := campaign.Segment{DocID: "d", SegmentID: fmt.Sprint(i), Source: "一", References: []campaign.Reference{{Name: "ref", Text: "one two three four"}}}
			for k, system := range []string{"A", "B", "C"} {
				tr := campaign.Translation{System: system, Text: strings.Repeat("one two three four ", k+1)}
				for h, name := range humans {
					tr.HumanScores = append(tr.HumanScores, campaign.HumanScore{Name: name, Score: float64((i*k + h) % 3)})
				}
				seg.Translations = append(seg.Translations, tr)
			}
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: seg}, nil) {
				return
			}
		}
	}
	if _, err := st.Intake.ImportSegments(t.Context(), c.ID, lines, intake.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// metricsOf is the section on metrics of a report for a query.
func metricsOf(t *testing.T, st *store.Store, c campaign.Campaign, query string) (report.Section, error) {
	t.Helper()
	q, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	choices, err := evaluation.ParseChoices(q)
	if err != nil {
		t.Fatal(err)
	}
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
		s, err := metricsOf(t, db.Store, c, "")
		if err != nil {
			t.Fatal(err)
		}
		if want := "The metrics of campaign averages are not judged: it has several human scores, da, esa, and one has to be chosen to judge by."; len(s.Tables) > 0 || !slices.Contains(s.Paragraphs, want) {
			t.Errorf("%d tables, says %q", len(s.Tables), s.Paragraphs)
		}
		if s, err = metricsOf(t, db.Store, c, "human=esa"); err != nil || len(s.Tables) == 0 || !strings.Contains(s.Paragraphs[0], "against the human score esa") {
			t.Errorf("%v, %q", err, s.Paragraphs)
		}
	})
}

func TestExcludedSystems(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
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
	})
}

// The report says of each judge how it came to its judgements, also if no metric can be judged yet.
func TestJudgesInReport(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(1))
	line := campaign.NumberedJudgement{Line: 1, Judgement: campaign.JudgementLine{SegmentID: "s1", System: s.Systems[0], Method: "gemba-mqm", Model: "m", About: "after GEMBA-MQM, our wording 2", Judgement: campaign.Judgement{Judge: "Portia", Status: campaign.JudgementOK, Score: new(float64)}}}
	storetest.Must(db.Intake.ImportJudgements(t.Context(), s.Campaign.ID, func(yield func(campaign.NumberedJudgement, error) bool) { yield(line, nil) }, intake.ImportOptions{File: "j"}))(t)
	r := storetest.Must(evaluation.ComputeReport(t.Context(), db.Store, &evaluation.ReportTask{Campaign: s.Campaign, Now: db.Clock.Now}))(t)
	for _, table := range r.Tables() {
		if table.ID == "judges" && len(table.Rows) == 1 && table.Rows[0].Cells[0].Text == "Portia" && table.Rows[0].Cells[1].Text == "after GEMBA-MQM, our wording 2" {
			return
		}
	}
	t.Error("no table says what the judge is")
}

// Checks add a table of their own and flags to a report, and change nothing else. People have pseudonyms in
// the table if they have them elsewhere.
func TestChecksInReport(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(30), storetest.PerDocument(1), storetest.Set("check_rate=0.5", "repeat_after=3", "gate=report"))
		s.RateAll(t, func(i int, source, text string) float64 {
			if i == 1 {
				return 3
			}
			return storetest.Reading(source, text)
		})
		compute := func(choices evaluation.Choices) report.Report {
			return storetest.Must(evaluation.ComputeReport(t.Context(), db.Store, &evaluation.ReportTask{Campaign: s.Campaign, Choices: choices, Now: db.Clock.Now}))(t)
		}
		rows := func(r report.Report) (out []string) {
			for _, table := range r.Tables() {
				if table.ID == "checks" {
					for _, row := range table.Rows {
						out = append(out, fmt.Sprint(row.Cells[0].Text, " ", row.Cells[1].Text, " ", row.Cells[2].Value, " ", row.Cells[3].Value, " ", row.Cells[4].Value, " ", row.Cells[5].Value, " ", row.Cells[6].Value, " ", row.Cells[7].Value, " ", row.Cells[8].Value, " ", row.Cells[9].Text))
					}
				}
			}
			return out
		}
		with := compute(evaluation.Choices{})
		var want []string
		for _, a := range storetest.Must(db.Desk.JudgedChecks(t.Context(), s.Campaign))(t) {
			for i, r := range a.Results {
				kind, flag := string(r.Kind), ""
				if i == 0 {
					kind = "all"
				}
				if r.Kind == campaign.DecidingChecks(a.Results).Kind {
					flag = map[string]string{"ann1": "no", "ann2": "fails checks"}[a.Login]
				}
				want = append(want, fmt.Sprint(a.Login, " ", kind, " ", r.Taken, " ", r.Passed, " ", float64(r.Taken)*r.Chance, " ", r.Documents, " ", r.DocumentsPassed, " ", r.P, " ", r.Careful, " ", flag))
			}
		}
		if got := rows(with); len(got) != 6 || !slices.Equal(got, want) {
			t.Errorf("the table is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, row := range rows(compute(evaluation.Choices{Pseudonyms: "yes"})) {
			if !strings.HasPrefix(row, "A01 ") && !strings.HasPrefix(row, "A02 ") {
				t.Errorf("a row is %s", row)
			}
		}

		storetest.Exec(t, db, "UPDATE campaigns SET deleted = TRUE WHERE side = 'checks'")
		without := compute(evaluation.Choices{})
		rest := func(r report.Report) string {
			for i := range r.Sections {
				sec := &r.Sections[i]
				sec.Tables = slices.DeleteFunc(sec.Tables, func(t report.Table) bool { return t.ID == "checks" })
				sec.Paragraphs = slices.DeleteFunc(sec.Paragraphs, func(p string) bool {
					return strings.Contains(p, " took ") && strings.Contains(p, " checks ") || strings.Contains(p, " flagged (") || p == "No annotator has a flag."
				})
				for k := range sec.Tables {
					if table := &sec.Tables[k]; table.ID == "flags" {
						table.Rows = slices.DeleteFunc(table.Rows, func(row report.Row) bool { return row.Cells[1].Text == string(campaign.FlagChecks) })
					}
				}
			}
			r.Stamp.State = ""
			return fmt.Sprintf("%+v", r)
		}
		if len(rows(without)) > 0 {
			t.Error("a campaign without checks has a table of them")
		}
		if a, b := rest(with), rest(without); a != b {
			t.Errorf("with checks:\n%s\nwithout:\n%s", a, b)
		}
	})
}
