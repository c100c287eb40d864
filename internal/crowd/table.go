package main

import (
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// A count is how many of all.
type count struct{ N, All int }

func (c *count) add(one bool) {
	c.All++
	if one {
		c.N++
	}
}

func (c count) percent() string { return wording.Percent(c.N, c.All) }

// ofAll is the share, and how many there are.
func (c count) ofAll() string { return fmt.Sprintf("%s of %d", c.percent(), c.All) }

// A row is what the checks say of the crowds of one protocol and standard of systems.
type row struct {
	Protocol, Standard string
	Flagged            map[string]*count // annotators, by kind; those of crowds of careful ones alone are "alone"
	// Passed are the documents that careful annotators pass.
	Passed map[campaign.CheckKind]*count
}

// simulate adds a crowd to a row.
func (r *row) simulate(k crowd) {
	if r.Flagged == nil {
		r.Flagged, r.Passed = map[string]*count{"alone": {}}, map[campaign.CheckKind]*count{}
		for _, kind := range kinds {
			r.Flagged[kind] = &count{}
		}
		for _, kind := range campaign.CheckKinds {
			r.Passed[kind] = &count{}
		}
	}
	s := newSimulation(k)
	for i, p := range s.people {
		results, as := s.judge(i), p.kind
		if k.Alone {
			as = "alone"
		}
		r.Flagged[as].add(campaign.ChecksFlag(results))
		for _, x := range results[1:] {
			if p.kind == "careful" {
				r.Passed[x.Kind].N += x.DocumentsPassed
				r.Passed[x.Kind].All += x.Documents
			}
		}
	}
}

// table writes rows as Markdown.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString(
		"| protocol | systems | careful, alone | careful | careless | random | constant | copying | degraded passed | repeats passed |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
	)
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s", r.Protocol, r.Standard, r.Flagged["alone"].ofAll(), r.Flagged["careful"].ofAll())
		for _, kind := range kinds[1:] {
			fmt.Fprintf(&b, " | %s", r.Flagged[kind].percent())
		}
		fmt.Fprintf(&b, " | %s | %s |\n", r.Passed[campaign.DegradedCheck].percent(), r.Passed[campaign.RepeatCheck].percent())
	}
	return b.String()
}
