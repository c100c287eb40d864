package report

import "time"

// Metrics returns a report with the metrics section alone, for test sets without
// annotators. It has the p-values of every test. Its stamp names no campaign.
func Metrics(title string, all []Evaluation, o Options) Report {
	o = o.withDefaults()
	o.EveryTest = true
	sections := []Section{metricsSection(all, o)}
	uniqueIDs(sections)
	s := Stamp{Program: o.Program, ComputedAt: o.Now.UTC().Truncate(time.Microsecond), State: o.State, Seed: o.Seed}
	if len(all) > 0 {
		s.Seed, s.Permutations = all[0].Report.Seed, all[0].Report.Permutations
	}
	return Report{Title: title, Stamp: s, Sections: sections}
}
