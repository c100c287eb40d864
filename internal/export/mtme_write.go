package export

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
)

// write writes every file.
func (m *mtme) write() error {
	m.names = m.rename("system", m.systems, token)
	if err := m.lines("sources/"+m.pair+".txt", m.sources); err != nil {
		return err
	}
	if err := m.lines("documents/"+m.pair+".docs", m.documents); err != nil {
		return err
	}
	if err := m.writeReferences(); err != nil {
		return err
	}
	for i, name := range m.names {
		if err := m.lines("system-outputs/"+m.pair+"/"+name+".txt", m.outputs[i]); err != nil {
			return err
		}
	}
	if err := m.writeScores(); err != nil {
		return err
	}
	return m.writeRatings()
}

func (m *mtme) writeReferences() error {
	names := slices.Sorted(maps.Keys(m.references))
	written := m.rename("reference", names, referenceToken)
	for i, name := range names {
		list := m.references[name]
		for len(list) < len(m.sources) {
			list = append(list, -1)
		}
		if err := m.lines("references/"+m.pair+"."+written[i]+".txt", list); err != nil {
			return err
		}
	}
	return nil
}

// writeScores writes two files for each human score that is there, and two for
// its z-scores.
func (m *mtme) writeScores() error {
	own := map[string]bool{}
	for i := range m.scores {
		c := &m.scores[i]
		if !known(c.gold) {
			continue
		}
		own[c.Name] = true
		if err := m.score(c.Name, c.gold, campaign.Mean); err != nil {
			return err
		}
		z, err := m.normalized(c)
		if err != nil {
			return err
		}
		if err := m.score(c.Name+"-z", z, campaign.MeanZ); err != nil {
			return err
		}
	}
	if len(own) == 0 {
		m.notes = append(m.notes, "no segment is in gold with a rating: there are no human scores of the protocol")
	}
	for _, name := range slices.Sorted(maps.Keys(m.imported)) {
		if own[name] {
			m.notes = append(m.notes, fmt.Sprintf("the imported averages %s are left out, for the ratings give human scores of that name", name))
			continue
		}
		if token(name) != name {
			m.notes = append(m.notes, fmt.Sprintf("the imported averages %q are left out, since their name can't be that of a file", name))
			continue
		}
		if err := m.score(name, m.imported[name], campaign.Mean); err != nil {
			return err
		}
	}
	return nil
}

func known(table [][]float64) bool {
	return slices.ContainsFunc(table, func(row []float64) bool {
		return slices.ContainsFunc(row, func(x float64) bool { return !math.IsNaN(x) })
	})
}

// score writes a human score of each segment, and of each system the mean over
// the segments that have one.
func (m *mtme) score(name string, table [][]float64, mean func([]float64) (float64, bool)) error {
	segments, err := m.create("human-scores/" + m.pair + "." + name + ".seg.score")
	if err != nil {
		return err
	}
	means := make([]float64, len(m.systems))
	rated := make([]float64, 0, len(m.sources))
	for i, system := range m.names {
		rated = rated[:0]
		for j := range m.sources {
			x := math.NaN()
			if j < len(table[i]) {
				x = table[i][j]
			}
			if !math.IsNaN(x) {
				rated = append(rated, x)
			}
			if err := segments.scoreLine(system, x); err != nil {
				return err
			}
		}
		var ok bool
		if means[i], ok = mean(rated); !ok {
			means[i] = math.NaN()
		}
	}
	if err := segments.flush(); err != nil {
		return err
	}
	systems, err := m.create("human-scores/" + m.pair + "." + name + ".sys.score")
	if err != nil {
		return err
	}
	for i, system := range m.names {
		if err := systems.scoreLine(system, means[i]); err != nil {
			return err
		}
	}
	return systems.flush()
}

// scoreLine appends a line of a file of scores; NaN is None.
func (l *lines) scoreLine(system string, x float64) error {
	l.buf = append(append(l.buf, system...), '\t')
	if math.IsNaN(x) {
		l.buf = append(l.buf, "None\n"...)
	} else {
		l.buf = append(append(l.buf, number(x+0)...), '\n') // -0 + 0 is 0
	}
	return l.end()
}

// inOrder lists everybody who rated in the order of their letters, adjudicators last.
func (m *mtme) inOrder() []string {
	place := map[string]int{}
	for i, name := range m.order {
		place[name] = i + 1
	}
	return slices.SortedFunc(maps.Keys(m.annotators), func(a, b string) int {
		last := cmp.Compare(strings.Count(a, adjudicator), strings.Count(b, adjudicator))
		return cmp.Or(last, cmp.Compare(place[a], place[b]), cmp.Compare(a, b))
	})
}

// normalized is the z-score of each translation: the mean over its annotators
// of what each gave, on the scale of their own ratings in gold. Annotators
// without such a scale are left out of the mean, rather than making the
// translation undefined: they gave the same score to everything, which says
// nothing about this one.
func (m *mtme) normalized(c *column) ([][]float64, error) {
	scales, err := m.scales(c)
	if err != nil {
		return nil, err
	}
	next, err := c.ratings.read()
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(m.systems))
	for i := range out {
		out[i] = make([]float64, len(m.sources))
	}
	var zs []float64
	for j := range m.sources {
		for i := range m.systems {
			zs = zs[:0]
			for k, end := m.ratingsOf(i, j); k < end; k++ {
				x, err := next()
				if err != nil {
					return nil, err
				}
				if z, ok := scales[m.raters[k]].Z(x); ok && !math.IsNaN(z) {
					zs = append(zs, z)
				}
			}
			z, ok := campaign.MeanZ(zs)
			if !ok || c.entered[cell{i, j}] {
				z = math.NaN()
			}
			out[i][j] = z
		}
	}
	return out, nil
}

// scales are those of the annotators, as they were met, for one score.
func (m *mtme) scales(c *column) ([]campaign.Scale, error) {
	given := make([][]float64, len(m.annotators))
	counts := make([]int, len(m.annotators))
	for _, rater := range m.raters {
		counts[rater]++
	}
	for rater, n := range counts {
		given[rater] = make([]float64, 0, n)
	}
	next, err := c.ratings.read()
	if err != nil {
		return nil, err
	}
	for _, rater := range m.raters {
		x, err := next()
		if err != nil {
			return nil, err
		}
		if !math.IsNaN(x) {
			given[rater] = append(given[rater], x)
		}
	}
	scales := make([]campaign.Scale, len(given))
	for i, scores := range given {
		scales[i] = campaign.NewScale(scores)
	}
	return scales, nil
}

// ratingsOf are the numbers of the ratings of a translation, [first, end).
// Ratings are numbered by segment, then by system.
func (m *mtme) ratingsOf(system, segment int) (first, end int) {
	end = len(m.raters)
	switch {
	case system+1 < len(m.systems):
		end = int(m.rated[system+1][segment])
	case segment+1 < len(m.sources):
		end = int(m.rated[0][segment+1])
	}
	return int(m.rated[system][segment]), end
}

// writeRatings writes the errors of each rating in gold: one file where no
// translation has two, else one for each annotator.
func (m *mtme) writeRatings() error {
	if len(m.raters) == 0 {
		return nil
	}
	several, inGold := false, make([]bool, len(m.annotators))
	for _, rater := range m.raters {
		inGold[rater] = true
	}
	for i := range m.systems {
		for j := range m.sources {
			first, end := m.ratingsOf(i, j)
			several = several || end-first > 1
		}
	}
	logins := m.inOrder()
	letters := make([]string, len(logins))
	for i, login := range logins {
		letters[m.annotators[login]] = campaign.CardName(i)
	}
	for i := range m.sums {
		if !several {
			if err := m.ratings(&m.sums[i], letters, -1); err != nil {
				return err
			}
			continue
		}
		for _, login := range logins {
			rater := m.annotators[login]
			if !inGold[rater] {
				continue
			}
			if err := m.ratings(&m.sums[i], letters, rater); err != nil {
				return err
			}
		}
	}
	return nil
}

// ratings writes the errors that one annotator marked, or with rater -1 all.
func (m *mtme) ratings(s *sum, letters []string, rater int32) error {
	name := s.Human
	if rater >= 0 {
		name += "." + letters[rater]
	}
	out, err := m.create("human-scores/" + m.pair + "." + name + ".seg.rating")
	if err != nil {
		return err
	}
	for i, system := range m.names {
		for j := range m.sources {
			out.buf = append(append(out.buf, system...), '\t')
			found := false
			for k, end := m.ratingsOf(i, j); k < end; k++ {
				if rater >= 0 && m.raters[k] != rater {
					continue
				}
				line, err := noErrors, error(nil)
				if s.errors[k] >= 0 {
					line, err = m.text.piece(s.errors[k])
				}
				if err != nil {
					return err
				}
				out.buf = append(append(append(out.buf, line...), '\t'), letters[m.raters[k]]...)
				found = true
			}
			if !found {
				out.buf = append(out.buf, "None"...)
			}
			out.buf = append(out.buf, '\n')
			if err := out.end(); err != nil {
				return err
			}
		}
	}
	return out.flush()
}

func (m *mtme) create(path string) (*lines, error) {
	w, err := m.tree.Create(path)
	if err != nil {
		return nil, err
	}
	return &lines{w: w}, nil
}

// lines writes a file of texts, an empty line for each that is missing.
func (m *mtme) lines(path string, texts []int32) error {
	out, err := m.create(path)
	if err != nil {
		return err
	}
	for _, n := range texts {
		if n >= 0 {
			piece, err := m.text.piece(n)
			if err != nil {
				return err
			}
			out.buf = append(out.buf, piece...)
		}
		out.buf = append(out.buf, '\n')
		if err := out.end(); err != nil {
			return err
		}
	}
	return out.flush()
}
