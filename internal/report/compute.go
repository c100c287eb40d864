package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/stat"
)

// confidence is the level of the intervals.
const confidence = 0.95

// Compute reads the segments and their decisions once and computes every section. The
// error is that of the segments or of ctx. A campaign without data gets a report that
// says so.
//
// Memory grows with the number of translations and ratings, not with the length of
// texts: 8 bytes for each translation and human score, 12 bytes for each rating with a
// time, which are in memory twice at the end of the reading, 4 bytes for each rating and entered score, 8 bytes for each rating
// and kind of its errors, and the memory of [stat.Totals] and [campaign.AgreementWithIntervals].
func Compute(ctx context.Context, in Input) (Report, error) {
	if in.Campaign.Rules == nil {
		return Report{}, errors.New("report: the campaign has no rules; read it from the store")
	}
	in.Options = in.Options.withDefaults()
	p := newParts(in)
	err := p.read(ctx)
	if err == nil {
		err = p.agreement.compute(ctx)
	}
	if err == nil {
		err = p.beside.read(ctx, in.Sides)
	}
	if err == nil {
		p.chain, err = readChain(ctx, in.Chain, p.estimates, in.Options.bootstrap())
	}
	if err == nil {
		err = p.estimates.draw(ctx, in.Options.bootstrap())
	}
	if err == nil {
		err = p.errors.correlations.draw(ctx, in.Options.bootstrap())
	}
	if err == nil { // last, when the other sums have left the memory that it takes
		err = p.data.drawTimes(ctx, in.Options.bootstrap())
	}
	if err == nil && in.Metrics != nil {
		p.metrics, err = in.Metrics(ctx)
	}
	if err != nil {
		return Report{}, err
	}
	if in.Options.Progress != nil {
		in.Options.Progress(-1)
	}
	return p.report(ctx)
}

// read reads the segments.
func (p *parts) read(ctx context.Context) error {
	read := 0
	for seg, err := range p.in.Segments {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if err := decided(seg); err != nil {
			return err
		}
		p.add(seg)
		if read++; p.in.Options.Progress != nil {
			p.in.Options.Progress(read)
		}
	}
	p.errors.closeDocument()
	return nil
}

// decided returns an error if a segment was read without its decisions.
func decided(seg campaign.Segment) error {
	if seg.Agreement == nil {
		return fmt.Errorf("report: segment %s comes without its decisions; read them from the store", seg.SegmentID)
	}
	return nil
}

// withDefaults replaces zero values by the defaults.
func (o Options) withDefaults() Options {
	o.Resamples = cmp.Or(o.Resamples, stat.Resamples)
	return o
}

// parts collects the data of each section while segments are read.
type parts struct {
	in        Input
	data      *dataPart
	agreement *agreementPart
	systems   *systemsPart
	errors    *errorsPart
	beside    *besidePart
	metrics   []Evaluation
	chain     []*stagePart
	terms     *termsPart
	estimates *estimates
}

func newParts(in Input) *parts {
	rules := in.Campaign.Rules
	e := &estimates{}
	return &parts{
		in:        in,
		data:      newDataPart(rules, e),
		agreement: newAgreementPart(in, e),
		systems:   newSystemsPart(rules),
		errors:    newErrorsPart(in, e),
		beside:    newBesidePart(in.Sides, e),
		terms:     newTermsPart(rules, e),
		estimates: e,
	}
}

func (p *parts) add(seg campaign.Segment) {
	p.data.add(seg)
	p.agreement.add(*seg.Agreement)
	p.systems.add(seg)
	p.errors.add(seg)
	p.beside.add(0, seg)
	p.terms.add(seg)
}

func (p *parts) report(ctx context.Context) (Report, error) {
	systems, err := p.systems.section(ctx, p.in.Options)
	if err != nil {
		return Report{}, err
	}
	terms, err := p.terms.section(ctx, p.metrics, p.in.Options)
	if err != nil {
		return Report{}, err
	}
	beside, err := p.beside.section(ctx, p.in.Options.bootstrap())
	if err != nil {
		return Report{}, err
	}
	metrics := appendNonEmpty(metricsSection(p.metrics, p.in.Options), judgesTable(p.in.Judges))
	for i, calls := range p.in.AgentCalls {
		metrics.Figures = append(metrics.Figures, roundsFigure(calls, fmt.Sprintf("judge-rounds-%d", i+1)))
	}
	sections := []Section{
		p.data.section(p.in.Campaign, p.in.Interventions, p.in.Options, p.beside.sides), chainSection(p.chain, p.in.Options.Prices),
		p.agreement.section(p.in.Flagged, p.in.Checked, len(p.data.documents)), systems, beside, metrics, terms, p.errors.section(),
	}
	sections = slices.DeleteFunc(sections, func(s Section) bool { return s.ID == "" })
	addIntervals(sections, len(p.data.documents))
	for _, s := range sections {
		if s.ID != BesideSection {
			continue
		}
		for i := range s.Tables {
			s.Tables[i].Scope = p.beside.scope
		}
		for i := range s.Figures {
			s.Figures[i].Table.Scope = p.beside.scope
			s.Figures[i].Words = strings.TrimSpace(s.Figures[i].Words + " " + p.beside.scope)
		}
	}
	sections = append(sections, p.methodsSection(sections))
	uniqueIDs(sections)
	return Report{Title: p.in.Campaign.Title, Stamp: p.stamp(), Sections: sections}, nil
}

// uniqueIDs numbers tables and figures whose ids are equal. Ids are made from names, so
// different names may have equal ids.
func uniqueIDs(sections []Section) {
	tables, figures := map[string]bool{}, map[string]bool{}
	for _, s := range sections {
		for i := range s.Tables {
			s.Tables[i].ID = unique(tables, s.Tables[i].ID)
		}
		for i := range s.Figures {
			f := &s.Figures[i]
			own := f.Table.ID == f.ID
			f.ID = unique(figures, f.ID)
			if own {
				f.Table.ID = f.ID
			}
		}
	}
}

func unique(taken map[string]bool, id string) string {
	free := id
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s-%d", id, n)
	}
	taken[free] = true
	return free
}

func (p *parts) stamp() Stamp {
	c, o := p.in.Campaign, p.in.Options
	s := Stamp{
		Program: o.Program, ComputedAt: o.Now.UTC().Truncate(time.Microsecond), State: o.State,
		Seed: o.Seed, Resamples: o.Resamples, Level: confidence,
		Campaign: CampaignStamp{
			Slug: c.Slug, Title: c.Title, Protocol: c.Protocol, LanguagePair: c.LanguagePair(),
			Licence: c.Settings.Licence, Counts: p.data.counts(),
		},
	}
	for _, e := range p.metrics[:min(len(p.metrics), 1)] {
		s.Permutations = e.Report.Permutations
	}
	for _, key := range campaign.SettingList {
		if !c.Rules.Heeds(key.Key) {
			continue
		}
		s.Campaign.Settings = append(s.Campaign.Settings, Setting{key.Key, key.Get(c.Settings)})
	}
	s.Campaign.Counts.Spans = p.errors.counts.all.total
	done := p.in.Interventions
	s.Campaign.Counts.Entered, s.Campaign.Counts.Adjudicated, s.Campaign.Counts.MeansAccepted = done.Entered, done.Adjudicated, done.MeansAccepted
	return s
}

// sorted returns the keys of a map in byte order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
