package ingest

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// averageSlack is the greatest difference of an average from the mean of its scores. The
// MENT paper writes two decimals (Fig. 11, 0.33 for 0, 1, 0).
const averageSlack = 0.005 + 1e-9

var mentFields = []string{"qid", "src", "ref", "src_lang", "trans_lang", "category", "data_source", "adjudicated"}

var ment = segmentFormat{
	name: "ment",
	known: func(key string) bool {
		if slices.Contains(mentFields, key) {
			return true
		}
		_, _, ok := mentKey(key)
		return ok
	},
	source: "src_lang", target: "trans_lang",
	read: readMENT,
}

// mentKey splits a key with the number of a translation: "trans_0" gives "", "0", and
// "avg_trans_0_score" gives "average", "0".
func mentKey(key string) (what, number string, ok bool) {
	rest, average := strings.CutPrefix(key, "avg_")
	if rest, ok = strings.CutPrefix(rest, "trans_"); !ok {
		return "", "", false
	}
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	switch number, suffix := rest[:n], rest[n:]; {
	case n == 0:
	case average && suffix == "_score":
		return "average", number, true
	case !average && (suffix == "" || suffix == "_annotators" || suffix == "_scores"):
		return strings.TrimPrefix(suffix, "_"), number, true
	}
	return "", "", false
}

func readMENT(r *record, f fields, b *binding) campaign.Segment {
	s := campaign.Segment{
		SegmentID:  r.ID(f, "qid", false),
		Domain:     r.Label(f, "category"),
		DataSource: r.Optional(f, "data_source"),
		Source:     r.Source(f, "src"),
	}
	if _, ok := f["qid"]; !ok {
		s.SegmentID = strconv.Itoa(r.Line)
	}
	s.DocID = s.SegmentID
	if ref := r.Optional(f, "ref"); ref != "" {
		s.References = []campaign.Reference{{Name: campaign.MainReference, Text: ref}}
	}
	adjudicated := false
	if v, ok := f["adjudicated"]; ok {
		adjudicated, _ = r.Bool("adjudicated", v)
	}
	n := numbered(r, f)
	if n == 0 {
		return s
	}
	var systems []member
	for i := range n {
		key := "trans_" + strconv.Itoa(i)
		v := f[key]
		t := campaign.Translation{System: "system_" + strconv.Itoa(i)}
		t.Text, _ = r.Str(key, v)
		mentScores(r, f, key, adjudicated, &t)
		s.Translations = append(s.Translations, t)
		systems = append(systems, member{Name: t.System, At: v.Start})
	}
	slices.SortFunc(s.Translations, func(a, b campaign.Translation) int { return strings.Compare(a.System, b.System) })
	slices.SortFunc(systems, func(a, b member) int { return strings.Compare(a.Name, b.Name) })
	field := func(system string) string {
		if number, ok := strings.CutPrefix(system, "system_"); ok {
			return "trans_" + number
		}
		return system
	}
	if missing := b.Systems(r, systems, field); len(missing) > 0 {
		r.Refuse(nowhere, field(missing[0]), `no translation by %s; give one by every system, "" if it is empty`, list(missing))
	}
	return s
}

// numbered returns the number of translations of a line. If their numbers are wrong, it
// refuses them and returns 0.
func numbered(r *record, f fields) int {
	n := 0
	for ; ; n++ {
		if _, ok := f["trans_"+strconv.Itoa(n)]; !ok {
			break
		}
	}
	missing := "trans_" + strconv.Itoa(n)
	var stray []string
	for key := range f {
		if what, number, ok := mentKey(key); ok {
			i, err := strconv.Atoi(number)
			if err != nil || i >= n || strconv.Itoa(i) != number {
				if what == "" || n > 0 {
					stray = append(stray, key)
				}
			}
		}
	}
	slices.SortFunc(stray, func(a, b string) int { return f[a].Start - f[b].Start })
	for _, key := range stray {
		if what, number, _ := mentKey(key); what != "" {
			r.Refuse(f[key].Start, key, "the line has no trans_%s for this field; add the translation, or leave the field out", number)
		} else {
			r.Refuse(f[key].Start, key, "the line has no %s; number the translations from trans_0 without gaps", missing)
		}
	}
	if len(stray) > 0 {
		return 0
	}
	if n == 0 {
		r.Refuse(nowhere, "trans_0", "missing; give one translation by every system, trans_0, trans_1 and so on")
	}
	return n
}

// mentScores reads the scores of a translation by annotator or, if there are none, its
// average.
func mentScores(r *record, f fields, key string, adjudicated bool, t *campaign.Translation) {
	annotators, okA := array(r, f, key+"_annotators")
	scores, okS := array(r, f, key+"_scores")
	averageKey := "avg_" + key + "_score"
	averageAt, averaged := f[averageKey]
	average := 0.0
	if averaged {
		if average, averaged = r.Number(averageKey, averageAt); averaged && (average < 0 || average > 4) {
			r.Refuse(averageAt.Start, averageKey, "must be a number from 0 to 4, not %s", r.Text[averageAt.Start:averageAt.End])
			averaged = false
		}
	}
	if !okA || !okS {
		return
	}
	if len(annotators) != len(scores) {
		field := key + "_scores"
		at := nowhere
		if v, ok := f[field]; ok {
			at = v.Start
		}
		r.Refuse(at, field, "%d scores for %d annotators in %s_annotators; give one score by each", len(scores), len(annotators), key)
		return
	}
	if len(scores) == 0 {
		if averaged {
			t.HumanScores = []campaign.HumanScore{{Name: campaign.HumanMENT, Score: average}}
		}
		return
	}
	sqm := mentScore()
	values := make([]float64, len(scores))
	for i, v := range scores {
		// The names of annotators may be letters or numbers.
		login, ok := annotator(r, key+"_annotators", annotators[i])
		n, whole := r.Whole(key+"_scores", v, sqm.Min, sqm.Max)
		if !ok || !whole {
			return
		}
		if slices.ContainsFunc(t.Ratings, func(x campaign.Rating) bool { return x.Annotator == login }) {
			r.Refuse(annotators[i].Start, key+"_annotators", "%s is given twice; an annotator has one score for a translation", wording.Quote(login))
			return
		}
		values[i] = float64(n)
		t.Ratings = append(t.Ratings, campaign.Rating{Annotator: login, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{sqm.Name: float64(n)}}})
	}
	slices.SortFunc(t.Ratings, func(a, b campaign.Rating) int { return strings.Compare(a.Annotator, b.Annotator) })
	mean, _ := campaign.Mean(values)
	if averaged && !adjudicated && math.Abs(mean-average) > averageSlack {
		r.Refuse(averageAt.Start, averageKey, "is %s, but the mean of %s_scores is %.4g; correct one of them",
			r.Text[averageAt.Start:averageAt.End], key, mean)
	}
}

// mentScore is the score of ment files.
func mentScore() protocol.Score {
	p, _ := protocol.Lookup("sqm")
	s, _ := p.Score(p.Gate)
	return s
}

// array returns the elements of an optional array. ok is false if it is refused.
func array(r *record, f fields, field string) (out []jsonValue, ok bool) {
	v, given := f[field]
	if !given {
		return nil, true
	}
	if jsonKind(r.Text, v) != '[' {
		r.Refuse(v.Start, field, "must be an array with one value for each annotator, not %s", r.KindName(v))
		return nil, false
	}
	for e := range jsonElements(r.Text, v) {
		if out = append(out, e); len(out) > maxMembers {
			r.Refuse(e.Start, field, "there are more than %d values; check that the line is one segment", maxMembers)
			return nil, false
		}
	}
	return out, true
}

// annotator returns the login of an annotator, which may be written as a number.
func annotator(r *record, field string, v jsonValue) (string, bool) {
	if jsonKind(r.Text, v) == '0' {
		s := string(r.Text[v.Start:v.End])
		return s, r.Login(field, v, s)
	}
	s, ok := r.Str(field, v)
	return s, ok && r.Login(field, v, s)
}
