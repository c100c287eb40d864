package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/format"
	"annotate/internal/records"
	"annotate/internal/spreadsheet"
	"annotate/internal/store"
)

// A Selection says what of a campaign is written, and how its systems are named. The zero value is everything, by name.
type Selection struct {
	// Ratings is "all", "last" (those of the last complete round of each segment, or its adjudication) or "gold" (those
	// that gold is formed of). Empty is all. Formats that hold one round hold the last in any case.
	Ratings string
	// Discarded is "yes" or "no", which leaves out segments that are discarded or withdrawn. Empty is yes.
	Discarded string
	// Systems is "names" or "letters": A, B, … Z, AA in byte order of the names. Empty is names.
	Systems string
}

// A Choice is a field of a [Selection], by the name that options and addresses have.
type Choice struct {
	Name   string
	Values []string // the default first
}

// Choices lists the fields of a [Selection] in their order.
var Choices = []Choice{{"ratings", []string{"all", "last", "gold"}}, {"discarded", []string{"yes", "no"}},
	{"systems", []string{"names", "letters"}}}

// ReadSelection reads a selection from options or an address. The error is a *[campaign.InvalidError].
func ReadSelection(value func(name string) string) (s Selection, err error) {
	for i, to := range []*string{&s.Ratings, &s.Discarded, &s.Systems} {
		c := Choices[i]
		switch v := value(c.Name); {
		case v == "" || v == c.Values[0]:
		case slices.Contains(c.Values, v):
			*to = v
		default:
			return s, campaign.Invalid(c.Name, fmt.Sprintf("%q is none of %s; use one of them", v, strings.Join(c.Values, ", ")))
		}
	}
	return s, nil
}

// Key returns a text that differs for different selections, and is empty for everything.
func (s Selection) Key() string { return s.Ratings + s.Discarded + s.Systems }

// SystemLetters returns the JSON object that maps the letters of the systems of a campaign to their names.
func SystemLetters(ctx context.Context, st *store.Store, c campaign.Campaign) ([]byte, error) {
	from, err := stored(ctx, st, c)
	if err != nil {
		return nil, err
	}
	_, key, err := Selection{Systems: "letters"}.from(from)
	return key, err
}

// from returns what the selection leaves of a content, and the JSON object that maps letters to systems, which is nil if systems
// have their names.
func (s Selection) from(c content) (content, []byte, error) {
	all := c.segments
	name := func(system string) string { return system }
	var key []byte
	if s.Systems == "letters" {
		names, err := c.systems()
		if err != nil {
			return c, nil, err
		}
		letters := make([]string, len(names))
		byName, ofLetter := map[string]string{}, map[string]string{}
		for i, n := range names {
			letters[i] = spreadsheet.Letters(i)
			byName[n], ofLetter[letters[i]] = letters[i], n
		}
		name = func(system string) string { return byName[system] }
		c.systems = func() ([]string, error) { return slices.Sorted(slices.Values(letters)), nil }
		metrics := c.metrics
		c.metrics = func() ([]campaign.MetricScore, []campaign.Metric, error) {
			ofSystems, declared, err := metrics()
			ofSystems = slices.Clone(ofSystems)
			for i, score := range ofSystems {
				ofSystems[i].System = name(score.System)
			}
			return ofSystems, declared, err
		}
		if key, err = json.MarshalIndent(ofLetter, "", "  "); err != nil {
			return c, nil, err
		}
		key = append(key, '\n')
	}
	c.segments = func(parts records.Parts) export.Source {
		if s.Ratings != "" {
			parts |= records.Ratings
		}
		return s.segments(all(parts), name)
	}
	return c, key, nil
}

// segments yields what the selection leaves of segments, with systems named by name.
func (s Selection) segments(all export.Source, name func(string) string) iter.Seq2[campaign.Segment, error] {
	return func(yield func(campaign.Segment, error) bool) {
		for seg, err := range all {
			if err == nil && s.Discarded == "no" && (seg.Status == campaign.Discarded || seg.Status == campaign.Withdrawn) {
				continue
			}
			if !yield(s.segment(seg, name), err) {
				return
			}
		}
	}
}

func (s Selection) segment(seg campaign.Segment, name func(string) string) campaign.Segment {
	translations := slices.Clone(seg.Translations)
	for i, t := range translations {
		switch {
		case s.Ratings == "gold" && !seg.Status.InGold():
			t.Ratings, t.Adjudication = nil, nil
		case s.Ratings == "gold":
			t.Ratings = campaign.GoldRatings(seg, t)
		case s.Ratings == "last" && t.Adjudication != nil:
			t.Ratings = nil
		case s.Ratings == "last":
			t.Ratings = campaign.RoundRatings(t, campaign.CompleteRound(seg))
		}
		t.System = name(t.System)
		translations[i] = t
	}
	absent := slices.Clone(seg.Absent)
	for i, system := range absent {
		absent[i] = name(system)
	}
	if s.Systems == "letters" { // Z is before AA
		slices.SortFunc(translations, func(a, b campaign.Translation) int { return strings.Compare(a.System, b.System) })
		slices.Sort(absent)
	}
	seg.Translations, seg.Absent = translations, absent
	return seg
}

// written writes a content in a format, as far as it is selected.
func (s Selection) written(c content, id string, write func(content) (systems []byte, notes []string, err error)) (systems []byte, notes []string, err error) {
	if id == format.MENT {
		s.Systems = "" // MENT numbers systems anyway
	}
	if s == (Selection{}) {
		return write(c)
	}
	if storedWriters[id] != nil {
		return nil, nil, campaign.Invalid("format",
			"the format "+id+" has neither ratings nor letters for systems to choose; leave the choices out")
	}
	c, key, err := s.from(c)
	if err != nil {
		return nil, nil, err
	}
	systems, notes, err = write(c)
	if systems == nil {
		systems = key
	}
	return systems, notes, err
}
