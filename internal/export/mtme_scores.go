package export

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/stat"
)

// write writes all files.
func (m *mtme) write() error {
	m.names = m.rename("system", m.systems, token, inFiles)
	if err := m.lines("sources/"+m.pair+".txt", m.sources); err != nil {
		return err
	}
	if err := m.lines("documents/"+m.pair+".docs", m.documents); err != nil {
		return err
	}
	references, err := m.writeReferences()
	if err != nil {
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
	if err := m.writeRatings(); err != nil {
		return err
	}
	return m.writeMetrics(references)
}

// writeReferences writes the references, and returns their names in the files by their names.
func (m *mtme) writeReferences() (map[string]string, error) {
	names := slices.Sorted(maps.Keys(m.references))
	if len(names) == 0 {
		m.notes = append(m.notes, "the texts have no reference, and mt-metrics-eval reads no directory without one; annotate reads it")
	}
	written, byName := m.rename("reference", names, referenceToken, inFiles), map[string]string{}
	for i, name := range names {
		list := m.references[name]
		for len(list) < len(m.sources) {
			list = append(list, -1)
		}
		byName[name] = written[i]
		if err := m.lines("references/"+m.pair+"."+written[i]+".txt", list); err != nil {
			return nil, err
		}
	}
	return byName, nil
}

// writeScores writes two files for each human score with values, and two for its z-scores.
func (m *mtme) writeScores() error {
	own := map[string]bool{}
	for i := range m.scores {
		c := &m.scores[i]
		if len(c.gold.Systems()) == 0 {
			continue
		}
		own[c.Name] = true
		if err := m.score(c.Name, &c.gold, exactMean); err != nil {
			return err
		}
		if err := m.score(c.Name+"-z", m.normalized(i), stat.Mean); err != nil {
			return err
		}
	}
	if len(own) == 0 {
		m.notes = append(m.notes, "no segment with ratings is in gold, so there are no human scores of the protocol")
	}
	for _, name := range slices.Sorted(maps.Keys(m.imported)) {
		if own[name] {
			m.notes = append(m.notes, fmt.Sprintf("the imported averages %s are left out, since the ratings give human scores of that name", name))
			continue
		}
		if token(name) != name {
			m.notes = append(m.notes, fmt.Sprintf("the imported averages %q are left out, since their name can't be that of a file", name))
			continue
		}
		if err := m.score(name, m.imported[name], exactMean); err != nil {
			return err
		}
	}
	return nil
}

// exactMean is [campaign.Mean], or NaN if that is undefined.
func exactMean(scores []float64) float64 {
	if mean, ok := campaign.Mean(scores); ok {
		return mean
	}
	return math.NaN()
}

// score writes a human score of each segment, and for each system the mean over the
// segments that have the score, in all and in each domain.
func (m *mtme) score(name string, table *campaign.ScoreMatrix, mean func([]float64) float64) error {
	missing := slices.Repeat([]float64{math.NaN()}, len(m.sources))
	segments, means := make([][]float64, len(m.systems)), make([][]float64, len(m.systems))
	for i, system := range m.systems {
		if segments[i] = table.Row(system, len(m.sources)); segments[i] == nil {
			segments[i] = missing
		}
		means[i] = []float64{mean(slices.DeleteFunc(slices.Clone(segments[i]), math.IsNaN))}
	}
	path := "human-scores/" + m.pair + "." + name
	if err := m.scoreFile(path+".seg.score", segments); err != nil {
		return err
	}
	if err := m.scoreFile(path+".sys.score", means); err != nil {
		return err
	}
	return m.domainScores(path+".domain.score", segments, mean)
}

// domainScores writes the mean of each system in each domain, unless no segment has a domain.
func (m *mtme) domainScores(path string, segments [][]float64, mean func([]float64) float64) error {
	names := slices.Compact(slices.Sorted(slices.Values(m.domains)))
	if len(names) == 0 || len(names) == 1 && names[0] == noDomain {
		return nil
	}
	out, err := m.create(path)
	if err != nil {
		return err
	}
	for _, name := range names {
		for i, row := range segments {
			var scores []float64
			for j, score := range row {
				if m.domains[j] == name && !math.IsNaN(score) {
					scores = append(scores, score)
				}
			}
			out.buf = append(append(out.buf, name...), '\t')
			if err := out.scoreLine(m.names[i], mean(scores)); err != nil {
				return err
			}
		}
	}
	return out.flush()
}

// scoreFile writes a file of scores. scores has those of each system; a system may have none.
func (m *mtme) scoreFile(path string, scores [][]float64) error {
	out, err := m.create(path)
	if err != nil {
		return err
	}
	for i, row := range scores {
		for _, x := range row {
			if err := out.scoreLine(m.names[i], x); err != nil {
				return err
			}
		}
	}
	return out.flush()
}

// scoreLine appends a line of a score file. NaN is written as None.
func (l *lines) scoreLine(system string, x float64) error {
	l.buf = append(append(l.buf, system...), '\t')
	if math.IsNaN(x) {
		l.buf = append(l.buf, "None\n"...)
	} else {
		l.buf = append(append(l.buf, number(x+0)...), '\n') // + 0 turns -0 into 0
	}
	return l.end()
}

// inOrder lists all people who rated in the order of their letters, adjudicators last.
func (m *mtme) inOrder() []string {
	place := map[string]int{}
	for i, name := range m.order {
		place[name] = i + 1
	}
	return slices.SortedFunc(slices.Values(m.ratings.Annotators()), func(a, b string) int {
		last := cmp.Compare(strings.Count(a, adjudicator), strings.Count(b, adjudicator))
		return cmp.Or(last, cmp.Compare(place[a], place[b]), cmp.Compare(a, b))
	})
}

// normalized returns the z-scores of a human score. A score that a lead or an adjudicator
// entered has none.
func (m *mtme) normalized(score int) *campaign.ScoreMatrix {
	out := &campaign.ScoreMatrix{}
	z := m.ratings.Z(score)
	for i, system := range m.systems {
		for j := range m.sources {
			if !m.scores[score].entered[cell{i, j}] {
				out.Set(system, j, z(m.ratingsOf(i, j)))
			}
		}
	}
	return out
}

// ratingsOf returns the numbers of the ratings of a translation, [first, end). Ratings
// are numbered by segment, then by system.
func (m *mtme) ratingsOf(system, segment int) (first, end int) {
	end = m.ratings.Len()
	switch {
	case system+1 < len(m.systems):
		end = int(m.rated[system+1][segment])
	case segment+1 < len(m.sources):
		end = int(m.rated[0][segment+1])
	}
	return int(m.rated[system][segment]), end
}

// writeRatings writes the errors of each rating in gold, and the scores that annotators entered. If several annotators
// have ratings in gold, there is a file of errors for each, otherwise a single file.
func (m *mtme) writeRatings() error {
	if m.ratings.Len() == 0 {
		return nil
	}
	logins := m.inOrder()
	letters, inGold := make([]string, len(logins)), make([]bool, len(logins))
	for k := range m.ratings.Len() {
		inGold[m.ratings.Rater(k)] = true
	}
	others := false // a letter is another name
	for i, login := range logins {
		n := m.ratings.Number(login)
		letters[n] = campaign.CardName(i)
		others = others || inGold[n] && letters[n] != login
	}
	if others {
		m.notes = append(m.notes, "annotators are letters in the files, in the order of their logins, and adjudicators the letters after them")
	}
	raters := slices.DeleteFunc(logins, func(login string) bool { return !inGold[m.ratings.Number(login)] })
	for i := range m.sums {
		if len(raters) == 1 {
			if err := m.writeErrors(&m.sums[i], letters, -1); err != nil {
				return err
			}
			continue
		}
		for _, login := range raters {
			if err := m.writeErrors(&m.sums[i], letters, m.ratings.Number(login)); err != nil {
				return err
			}
		}
	}
	for i, c := range m.scores {
		if _, entered := m.p.Score(c.Score); !entered {
			continue
		}
		for _, login := range raters {
			if err := m.writeEntered(i, c.Name, letters, m.ratings.Number(login)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeEntered writes the scores of one kind that a rater entered.
func (m *mtme) writeEntered(score int, name string, letters []string, rater int32) error {
	scores := make([][]float64, len(m.systems))
	for i := range scores {
		scores[i] = slices.Repeat([]float64{math.NaN()}, len(m.sources))
		for j := range m.sources {
			for k, end := m.ratingsOf(i, j); k < end; k++ {
				if m.ratings.Rater(k) == rater {
					scores[i][j] = m.ratings.Score(score, k)
				}
			}
		}
	}
	return m.scoreFile("human-scores/"+m.pair+"."+name+"."+letters[rater]+".seg.score", scores)
}

// writeErrors writes the errors that one rater marked. -1 stands for all raters.
func (m *mtme) writeErrors(s *sum, letters []string, rater int32) error {
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
				if rater >= 0 && m.ratings.Rater(k) != rater {
					continue
				}
				line, err := noErrors, error(nil)
				if s.errors[k] >= 0 {
					line, err = m.text.At(int(s.errors[k]))
				}
				if err != nil {
					return err
				}
				out.buf = append(append(append(out.buf, line...), '\t'), letters[m.ratings.Rater(k)]...)
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

// lines writes a file of texts. A missing text becomes an empty line.
func (m *mtme) lines(path string, texts []int32) error {
	out, err := m.create(path)
	if err != nil {
		return err
	}
	for _, n := range texts {
		if n >= 0 {
			piece, err := m.text.At(int(n))
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
