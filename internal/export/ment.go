package export

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"annotate/internal/campaign"
)

// MENTOptions say what a campaign's segments do not say themselves.
type MENTOptions struct {
	// Annotators are the logins of everybody who rated in the campaign, in
	// byte order. The first is A in the file, the 27th AA.
	Annotators []string
	// Averages writes the human scores [campaign.HumanMENT] instead of the gold, for
	// a campaign without ratings.
	Averages bool
}

// MENTSystems are the systems of a ment file: trans_i is by MENTSystems[i].
type MENTSystems []string

// WriteTo writes the mapping as the JSON object of FILE.systems.json.
func (m MENTSystems) WriteTo(w io.Writer) (int64, error) {
	o := newObject(nil)
	for i, system := range m {
		o.text(transKey(i), system)
	}
	o.end()
	if o.err != nil {
		return 0, o.err
	}
	n, err := w.Write(append(o.buf, '\n'))
	return int64(n), err
}

func transKey(i int) string { return "trans_" + strconv.Itoa(i) }

// MENT writes the gold segments in the format "ment" and returns which system
// each number stands for.
func MENT(w io.Writer, opt MENTOptions, segments Source) (MENTSystems, error) {
	letters := make(map[string]string, len(opt.Annotators))
	for i, login := range opt.Annotators {
		letters[login] = campaign.CardName(i)
	}
	var systems MENTSystems
	out := lines{w: w}
	err := out.each(segments, func(buf []byte, s campaign.Segment) ([]byte, error) {
		ts := bySystem(s.Translations)
		if systems == nil {
			for _, t := range ts {
				systems = append(systems, t.System)
			}
		}
		if !slices.EqualFunc(systems, ts, func(system string, t campaign.Translation) bool { return system == t.System }) {
			return buf, fmt.Errorf("its systems are not those of the first segment")
		}
		averages, ok := mentAverages(s.Status, ts, opt.Averages)
		if !ok {
			return buf, nil
		}
		o := newObject(buf)
		o.text("qid", s.SegmentID)
		o.optional("category", s.Domain)
		o.optional("data_source", s.DataSource)
		o.optional("src_lang", s.SourceLang)
		o.optional("trans_lang", s.TargetLang)
		o.text("src", s.Source)
		if ref, ok := mainReference(s.References); ok {
			o.text("ref", ref)
		}
		if !opt.Averages && slices.ContainsFunc(ts, func(t campaign.Translation) bool { return t.Gold.Adjudicated }) {
			o.key("adjudicated")
			o.buf = append(o.buf, "true"...)
		}
		for i, t := range ts {
			o.text(transKey(i), t.Text)
			o.key("avg_" + transKey(i) + "_score")
			o.decimal(averages[i])
			if !opt.Averages {
				o.judgements(transKey(i), t.Ratings, s.Round, letters)
			}
		}
		o.end()
		return append(o.buf, '\n'), o.err
	})
	return systems, err
}

// mentAverages is one number for each translation; false if the segment is not
// to be written.
func mentAverages(status campaign.Status, ts []campaign.Translation, imported bool) ([]float64, bool) {
	if !imported && !status.InGold() {
		return nil, false
	}
	out := make([]float64, len(ts))
	for i, t := range ts {
		if !imported {
			if t.Gold == nil {
				return nil, false
			}
			out[i] = t.Gold.Score
			continue
		}
		j := slices.IndexFunc(t.HumanScores, func(h campaign.HumanScore) bool { return h.Name == campaign.HumanMENT })
		if j < 0 {
			return nil, false
		}
		out[i] = t.HumanScores[j].Score
	}
	return out, len(ts) > 0
}

// mentScore is the score whose values a ment file lists.
const mentScore = "sqm"

// judgements writes who gave which score in a round.
func (o *object) judgements(key string, ratings []campaign.Rating, round int, letters map[string]string) {
	var names, scores []byte
	for _, r := range byRound(ratings) {
		if r.Round != round {
			continue
		}
		letter, ok := letters[r.Annotator]
		if !ok {
			o.fail(fmt.Errorf("annotator %s has no letter", r.Annotator))
			return
		}
		x, ok := r.Scores[mentScore]
		if !ok {
			o.fail(fmt.Errorf("a rating by %s has no score %s, which a ment file lists", r.Annotator, mentScore))
			return
		}
		names = fmt.Appendf(names, `,"%s"`, letter)
		scores = strconv.AppendFloat(append(scores, ','), x, 'f', -1, 64)
	}
	if len(names) == 0 {
		return
	}
	o.key(key + "_annotators")
	o.buf = append(append(append(o.buf, '['), names[1:]...), ']')
	o.key(key + "_scores")
	o.buf = append(append(append(o.buf, '['), scores[1:]...), ']')
}

// mainReference is the reference named "ref", else the first in byte order; an
// empty one is none.
func mainReference(refs []campaign.Reference) (string, bool) {
	if len(refs) == 0 {
		return "", false
	}
	best := refs[0]
	for _, r := range refs {
		if r.Name == campaign.MainReference {
			best = r
			break
		}
		if r.Name < best.Name {
			best = r
		}
	}
	return best.Text, best.Text != ""
}
