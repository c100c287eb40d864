package report_test

import (
	"cmp"
	"fmt"
	"iter"
	"path/filepath"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/evaluation"
	"annotate/internal/metaeval"
	"annotate/internal/records"
	"annotate/internal/report"
	"annotate/internal/sample"
	"annotate/internal/store"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// demo is a store with the sample campaigns.
func demo(t *testing.T) *store.Store {
	t.Helper()
	clock := sample.NewClock(now)
	st, err := store.OpenUnmigrated(database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "demo.db"), Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	if err := st.DB.MigrateUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := sample.Load(t.Context(), st, clock); err != nil {
		t.Fatal(err)
	}
	return st
}

var demoCampaigns = []string{sample.ChineseEnglish, sample.EnglishArabic, sample.ESA, sample.MQM, sample.RATE}

// judge evaluates the metrics of a campaign, as the report of a campaign has it.
func judge(t *testing.T, st *store.Store, c campaign.Campaign) report.Evaluation {
	t.Helper()
	source, err := evaluation.Open(t.Context(), st, c)
	if err != nil {
		t.Fatal(err)
	}
	data, notes, err := source.Read(t.Context(), metaeval.Plan{Humans: []string{source.Default}, Metrics: source.Metrics}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := metaeval.Evaluate(t.Context(), data, metaeval.Task{Human: source.Default, Preset: source.Preset(), ByDomain: true, Significance: true, Permutations: 50, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	return report.Evaluation{Label: cmp.Or(c.LanguagePair(), c.Slug), Report: r, Notes: notes}
}

// The prices of work in the reports of sample data.
const (
	hourPrice = 30
	wordPrice = 0.05
)

// demoInput is the input of a sample campaign's report.
func demoInput(t *testing.T, st *store.Store, slug string) report.Input {
	t.Helper()
	c, err := st.Records.Campaign(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	return report.Input{Campaign: c, Segments: st.Records.Segments(t.Context(), c, records.Everything|records.Agreement), Metrics: evaluations(judge(t, st, c)),
		Options: report.Options{Program: "test", Now: now, Seed: 4, Resamples: 50, Prices: report.Prices{Hour: hourPrice, Word: wordPrice}}}
}

// compute makes a report and checks its form.
func compute(t *testing.T, in report.Input) report.Report {
	t.Helper()
	in.Segments = judged(in.Campaign, in.Segments)
	r, err := report.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	checkForm(t, r)
	return r
}

// checkDecisions checks that agreement is the same with stored decisions and with decisions that are made again,
// since the settings did not change here, and that stored ones do not follow the settings.
func checkDecisions(t *testing.T, st *store.Store, in report.Input, r report.Report) {
	t.Helper()
	got, _ := r.Section(report.AgreementSection)
	stored := in.Segments
	in.Segments = st.Records.AllSegments(t.Context(), in.Campaign)
	want, _ := compute(t, in).Section(report.AgreementSection)
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	in.Segments = stored
	in.Campaign.Settings.Threshold = 1
	got, _ = compute(t, in).Section(report.AgreementSection)
	if fmt.Sprintf("%+v", got.Tables) != fmt.Sprintf("%+v", want.Tables) {
		t.Error("decisions change with the threshold, though they were read")
	}
}

// all yields segments without a store.
func all(segments []campaign.Segment) iter.Seq2[campaign.Segment, error] {
	return func(yield func(campaign.Segment, error) bool) {
		for _, s := range segments {
			if !yield(s, nil) {
				return
			}
		}
	}
}
