package mtme

import (
	"cmp"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// A sheet is a file of ratings. The lines of the ratings are in a spool.
type sheet struct {
	ingest.RatingFile
	cells map[string][]cell // by system: its ratings, in the order of the segments
}

// A cell is a rating of a segment: the number of the segment from 0, the line of the file, and the piece of the spool.
type cell struct{ segment, line, piece int32 }

// readRatings stores the lines of the protocol's ratings, and finds the scores of raters.
func (r *reader) readRatings() error {
	files, err := r.d.RatingFiles()
	if err != nil {
		return err
	}
	ours := ratingNames(r.p, files)
	for _, f := range files {
		if !slices.Contains(ours, f.Name) {
			r.leaveOut(f)
			continue
		}
		s := &sheet{f, map[string][]cell{}}
		err := r.d.EachRating(f, func(line int, system string, segment int, text string) error {
			s.cells[system] = append(s.cells[system], cell{int32(segment), int32(line), int32(r.lines.Len())})
			return r.lines.Add([]byte(text))
		})
		if err != nil {
			return err
		}
		r.sheets = append(r.sheets, s)
	}
	for _, name := range r.d.Humans {
		base, rater := cutRater(name)
		switch {
		case rater == "" || !r.d.HasSegments(true, name):
		case !r.p.MarksErrors() && len(r.p.Scores) > 0 && base == r.p.Scores[0].Human:
			r.raters = append(r.raters, rater)
			r.entered[name] = true
		default:
			r.entered[name] = slices.ContainsFunc(r.p.Scores, func(s protocol.Score) bool { return s.Human == base }) ||
				len(r.p.Scores) > 0 && slices.Contains(ours, base)
		}
	}
	if len(r.sheets)+len(r.raters) > 0 {
		for _, h := range r.p.HumanScores() {
			r.entered[h.Name+"-z"] = slices.Contains(r.d.Humans, h.Name)
		}
	}
	return nil
}

// leaveOut notes ratings that are not read. Each score that a protocol derives from the same errors has a
// file of ratings, and only one is read.
func (r *reader) leaveOut(f ingest.RatingFile) {
	if !r.p.MarksErrors() || !isHuman(r.p, f.Name) {
		file := r.d.File(f)
		r.opt.Notes.AddNamed("{file|files} with ratings of another kind than those of "+r.p.Name+" left out", wording.Quote(file), file, 0)
	}
}

// cutRater divides the name of a rater's score.
func cutRater(name string) (base, rater string) {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return name, ""
	}
	return name[:i], name[i+1:]
}

func isHuman(p *protocol.Protocol, name string) bool {
	return slices.ContainsFunc(p.HumanScores(), func(h protocol.HumanScore) bool { return h.Name == name })
}

// ratingNames lists the names of the ratings of a protocol: the first of its human scores, and all of the
// form SCORE-OTHER. If no file has such a name and all have the same, it returns that name.
func ratingNames(p *protocol.Protocol, files []ingest.RatingFile) (ours []string) {
	if !p.MarksErrors() {
		return nil
	}
	var names []string
	for _, f := range files {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	scores := p.HumanScores()
	if i := slices.IndexFunc(scores, func(h protocol.HumanScore) bool { return slices.Contains(names, h.Name) }); i >= 0 {
		ours = append(ours, scores[i].Name)
	}
	for _, name := range names {
		if !isHuman(p, name) && slices.ContainsFunc(scores, func(h protocol.HumanScore) bool { return strings.HasPrefix(name, h.Name+"-") }) {
			ours = append(ours, name)
		}
	}
	if ours == nil && len(names) == 1 {
		return names
	}
	return ours
}

// rate adds the ratings of a translation of a segment, which has a number from 0.
func (r *reader) rate(n int, source string, t *campaign.Translation) (problems []error, err error) {
	if !r.p.MarksErrors() {
		return nil, r.rateByScores(n, t)
	}
	var by []*sheet
	for _, s := range r.sheets {
		cells := s.cells[t.System]
		i, ok := slices.BinarySearchFunc(cells, int32(n), func(c cell, n int32) int { return cmp.Compare(c.segment, n) })
		if !ok {
			continue
		}
		text, err := r.lines.At(int(cells[i].piece))
		if err != nil {
			return nil, err
		}
		line := int(cells[i].line)
		rating, bad := r.d.Rating(s.RatingFile, line, string(text), r.p, protocol.Texts{Source: source, Translation: t.Text}, r.opt.Notes)
		for _, p := range bad {
			problems = append(problems, p)
		}
		if k := slices.IndexFunc(t.Ratings, func(x campaign.Rating) bool { return x.Annotator == rating.Annotator }); k >= 0 {
			if !reflect.DeepEqual(t.Ratings[k], rating) {
				r.opt.Notes.Add("{rating|ratings} by an annotator whose rating of the same translation is in another file, of which the first counts",
					r.d.File(s.RatingFile), line)
			}
			continue
		}
		t.Ratings, by = append(t.Ratings, rating), append(by, s)
	}
	if len(r.p.Scores) > 0 {
		if err := r.score(n, t, by); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(t.Ratings, func(a, b campaign.Rating) int { return strings.Compare(a.Annotator, b.Annotator) })
	return problems, nil
}

// score adds the entered scores to ratings that come from sheets. It leaves out ratings without scores.
func (r *reader) score(n int, t *campaign.Translation, by []*sheet) error {
	var scored []campaign.Rating
	for i, rating := range t.Ratings {
		rating.Scores = map[string]float64{}
		alone := !slices.ContainsFunc(by, func(s *sheet) bool { return s != by[i] && s.Name == by[i].Name })
		for _, s := range r.p.Scores {
			for _, name := range scoreNames(r.p, s, by[i].RatingFile, rating.Annotator, alone) {
				x, err := r.human(n, t.System, name)
				if err != nil {
					return err
				}
				if !math.IsNaN(x) {
					rating.Scores[s.Name] = x + 0 // -0 becomes 0
					break
				}
			}
		}
		switch {
		case r.p.Missing(rating.Rating) != "" && len(rating.Scores) < len(r.p.Scores):
			r.opt.Notes.Add("{rating|ratings} without the scores that "+r.p.Name+" asks for, left out with {its|their} errors; human scores remain",
				r.d.SourceFile(), n+1)
		case len(r.p.CheckScores(rating.Scores)) > 0:
			r.opt.Notes.Add("{rating|ratings} with scores that "+r.p.Name+" does not allow, left out with {its|their} errors; human scores remain",
				r.d.SourceFile(), n+1)
		default:
			scored = append(scored, rating)
		}
	}
	t.Ratings = scored
	return nil
}

// scoreNames lists the human scores that may be a score of a rating. The first that exists counts. alone says
// that only one rater rated the translation in files of the same name.
func scoreNames(p *protocol.Protocol, s protocol.Score, f ingest.RatingFile, annotator string, alone bool) (names []string) {
	base := s.Human
	if len(p.Scores) == 1 && !isHuman(p, f.Name) {
		base = f.Name
	}
	for _, rater := range []string{f.Rater, annotator} {
		if rater != "" {
			names = append(names, base+"."+rater)
		}
	}
	if alone {
		names = append(names, base)
	}
	return names
}

// human returns a human score of a translation, or NaN.
func (r *reader) human(n int, system, name string) (float64, error) {
	columns := r.columns[system].humans
	if i := slices.IndexFunc(columns, func(c *column) bool { return c.name == name }); i >= 0 {
		return columns[i].at(n, r.numbers)
	}
	return math.NaN(), nil
}

// rateByScores adds the ratings of a protocol without error spans, which are the scores of
// raters.
func (r *reader) rateByScores(n int, t *campaign.Translation) error {
	for _, rater := range r.raters {
		rating := campaign.Rating{Annotator: rater, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{}}}
		for _, s := range r.p.Scores {
			x, err := r.human(n, t.System, s.Human+"."+rater)
			if err != nil {
				return err
			}
			if !math.IsNaN(x) {
				rating.Scores[s.Name] = x + 0 // -0 becomes 0
			}
		}
		switch {
		case len(rating.Scores) == 0:
		case len(rating.Scores) < len(r.p.Scores) || len(r.p.CheckScores(rating.Scores)) > 0 || campaign.CheckLogin(rater) != nil:
			r.opt.Notes.Add("{score|scores} of raters that {is|are} no {rating|ratings} of "+r.p.Name+", left out", r.d.SourceFile(), n+1)
		default:
			t.Ratings = append(t.Ratings, rating)
		}
	}
	return nil
}

// of returns the id of the built-in protocol of the ratings in some files: one whose scores raters entered,
// or else MQM.
func of(files []exchange.File, opt ingest.Options) (id string, err error) {
	for _, f := range files {
		folder, file := path.Split(f.Name)
		if path.Base(folder) != "human-scores" {
			continue
		}
		pair, name, _ := strings.Cut(file, ".")
		if opt.SourceLang != "" {
			s, t, bad := ingest.ParseLanguagePair(pair, opt.SourceLang, opt.TargetLang)
			if bad != nil || !ingest.SameLang(s, opt.SourceLang) || !ingest.SameLang(t, opt.TargetLang) {
				continue
			}
		}
		rated := strings.HasSuffix(name, ".seg.rating")
		base, rater := cutRater(strings.TrimSuffix(strings.TrimSuffix(name, ".seg.rating"), ".seg.score"))
		if !rated && (rater == "" || !strings.HasSuffix(name, ".seg.score")) {
			continue
		}
		for _, is := range protocol.IDs() {
			p, _ := protocol.Lookup(is)
			if !p.OfSegments() && slices.ContainsFunc(p.Scores, func(s protocol.Score) bool { return s.Human == base || strings.HasPrefix(base, s.Human+"-") }) {
				return is, nil
			}
		}
		if rated {
			id = "mqm"
		}
	}
	return id, nil
}
