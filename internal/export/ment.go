package export

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"annotate/internal/campaign"
)

// MENTOptions are the options of [MENT].
type MENTOptions struct {
	// Annotators are the logins of all people who rated in the campaign, in byte order.
	// The first is A in the file, the 27th AA.
	Annotators []string
	// Averages writes the human scores [campaign.HumanMENT] instead of the gold, for
	// a campaign without ratings.
	Averages bool
	// Systems are the systems of the campaign. Nil stands for those of the first segment.
	Systems []string
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

// MENT writes the segments in gold in the format "ment" and returns the names of the
// systems by number. A segment that lacks a translation by a system is left out. The
// notes list the losses, with a line for each kind.
func MENT(w io.Writer, opt MENTOptions, segments Source) (systems MENTSystems, notes []string, err error) {
	m := ment{letters: make(map[string]string, len(opt.Annotators)), averages: opt.Averages, ids: map[string]bool{}}
	for i, login := range opt.Annotators {
		m.letters[login] = campaign.CardName(i)
	}
	systems = slices.Sorted(slices.Values(opt.Systems))
	out := lines{w: w}
	err = out.each(segments, func(s campaign.Segment) {
		ts := bySystem(s.Translations)
		if systems == nil {
			for _, t := range ts {
				systems = append(systems, t.System)
			}
		}
		if averages := m.scores(s, ts, systems); averages != nil {
			m.line(out.object(), s, ts, averages)
		}
	})
	return systems, m.lost.notes(), err
}

// A ment is the state of writing a file.
type ment struct {
	letters  map[string]string // by login: the letter of the annotator
	averages bool              // write imported averages instead of gold
	ids      map[string]bool   // the ids of the segments written so far
	lost     losses
}

// line writes a segment and counts its losses.
func (m *ment) line(o *object, s campaign.Segment, ts []campaign.Translation, averages []float64) {
	if m.ids[s.SegmentID] {
		m.lost.add(lossSameID, 1, s, "")
	}
	m.ids[s.SegmentID] = true
	if s.DocID != s.SegmentID {
		m.lost.add(lossDocuments, 1, s, "")
	}
	if s.Context != "" || s.Note != "" {
		m.lost.add(lossContext, 1, s, "")
	}
	o.text("qid", s.SegmentID)
	o.optional("category", s.Domain)
	o.optional("data_source", s.DataSource)
	o.optional("src_lang", s.SourceLang)
	o.optional("trans_lang", s.TargetLang)
	o.text("src", s.Source)
	if ref, ok := mainReference(s.References); ok {
		o.text("ref", ref)
		m.lost.add(lossReferences, len(s.References)-1, s, "")
	}
	if !m.averages && slices.ContainsFunc(ts, func(t campaign.Translation) bool { return t.Gold.Adjudicated }) {
		o.bool("adjudicated", true)
	}
	for i, t := range ts {
		o.text(transKey(i), t.Text)
		o.key("avg_" + transKey(i) + "_score")
		o.decimal(averages[i])
		if m.averages {
			continue
		}
		ratings := byRound(campaign.RoundRatings(t, s.Round))
		o.judgements(transKey(i), ratings, m.letters)
		m.lost.add(lossRounds, len(t.Ratings)-len(ratings), s, t.System)
		m.lost.add(lossComments, withComment(ratings), s, t.System)
	}
	o.line()
}

// scores returns a score for each translation, or nil if the segment is left out. It
// counts the loss if the segment should be in the file.
func (m *ment) scores(s campaign.Segment, ts []campaign.Translation, systems MENTSystems) []float64 {
	if !m.averages && !s.Status.InGold() {
		return nil
	}
	if len(ts) == 0 || !slices.EqualFunc(systems, ts, func(system string, t campaign.Translation) bool { return system == t.System }) {
		m.lost.add(lossNoTranslation, 1, s, "")
		return nil
	}
	out := make([]float64, len(ts))
	for i, t := range ts {
		if !m.averages {
			if t.Gold == nil {
				m.lost.add(lossNoScore, 1, s, "")
				return nil
			}
			out[i] = t.Gold.Score
			continue
		}
		j := slices.IndexFunc(t.HumanScores, func(h campaign.HumanScore) bool { return h.Name == campaign.HumanMENT })
		if j < 0 {
			m.lost.add(lossNoAverage, 1, s, "")
			return nil
		}
		out[i] = t.HumanScores[j].Score
	}
	return out
}

// mentScore is the score whose values a ment file lists.
const mentScore = "sqm"

// judgements writes the annotators and their scores.
func (o *object) judgements(key string, ratings []campaign.Rating, letters map[string]string) {
	var names, scores []byte
	for _, r := range ratings {
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

// mainReference returns the reference named "ref", or else the first in byte order. It
// returns false if there is none or its text is empty.
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
