package intake

import (
	"annotate/internal/campaign"
	"fmt"

	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// A soundRating is a rating in which nothing is wrong by itself.
type soundRating struct {
	ratedTarget
	user string // id
}

// sound returns the ratings of a batch as they are stored, less those it refuses.
func (im *ratingImport) sound(batch []ratedTarget) ([]soundRating, error) {
	out := make([]soundRating, 0, len(batch))
	for _, r := range batch {
		r.rating.Round = max(r.rating.Round, 1)
		given, problems := im.check(r.at.Place, r.rating.Rating, r.of.Texts)
		for _, p := range problems {
			im.refuse(r.at, p.Field, p.Msg)
		}
		if len(problems) > 0 {
			continue
		}
		r.rating.Rating = given
		user, err := im.annotator(r.at, r.rating.Annotator)
		if err != nil {
			return nil, err
		}
		if user != nil {
			out = append(out, soundRating{r, user.id})
		}
	}
	return out, nil
}

// check returns a finished rating, read at a place, as it is stored, with its terms learnt, or what
// is wrong with it.
func (im *ratingImport) check(at campaign.Place, r protocol.Rating, t protocol.Texts) (protocol.Rating, []protocol.Violation) {
	rules := im.terms.Rules
	out := rules.CheckScores(r.Scores)
	for _, v := range rules.CheckAnswers(r.Answers, t.Candidates) {
		v.Field = "answers." + v.Field
		out = append(out, v)
	}
	// Without spans a finished rating says that there are no errors. The comment that an answer needs is not asked for.
	if m := rules.Missing(protocol.Rating{Scores: r.Scores, Answers: r.Answers, NoErrors: true, Comment: "not asked for"}); m != "" && len(out) == 0 {
		out = append(out, protocol.Violation{Field: "scores", Msg: "the rating needs " + m + "; add it"})
	}
	for name, a := range r.Answers {
		if a.Text != database.Storable(a.Text) {
			out = append(out, records.NotStorable("answers."+name))
		}
	}
	if r.Comment != database.Storable(r.Comment) {
		out = append(out, records.NotStorable("comment"))
	}
	if len(r.Suggestions) > 0 && rules.Spans == nil {
		return r, append(
			out, protocol.Violation{Field: "suggestions", Msg: rules.Name + " has no error spans, so that none are suggested; leave suggestions out"},
		)
	}
	out = append(out, protocol.CheckOutcomes(r)...)
	for i, o := range r.Suggestions {
		if o.ID != database.Storable(o.ID) {
			out = append(out, records.NotStorable(fmt.Sprintf("suggestions[%d].id", i)))
		}
	}
	if len(r.Spans) == 0 && rules.Given == "" {
		return r, out
	}
	if rules.Spans == nil {
		return r, append(out, protocol.Violation{Field: "spans", Msg: rules.Name + " has no error spans; import into a campaign whose protocol marks errors"})
	}
	spans := make([]protocol.ErrorSpan, len(r.Spans))
	for i, s := range r.Spans {
		var bad *protocol.Violation
		if spans[i], bad = records.Placed(t, s); bad == nil {
			spans[i], bad = im.terms.Learn(at, spans[i])
		}
		for _, v := range rules.CheckTermRating(spans[i], t) {
			out = append(out, protocol.Violation{Field: fmt.Sprintf("spans[%d].%s", i, v.Field), Msg: v.Msg})
		}
		spans[i].ID, spans[i].Link = im.ids.of(spans[i].ID), im.ids.of(spans[i].Link)
		if bad != nil {
			out = append(out, protocol.Violation{Field: fmt.Sprintf("spans[%d].%s", i, bad.Field), Msg: bad.Msg})
		}
	}
	r.Spans = spans
	if rules.Given != "" {
		r = rules.TakeGiven(r, t.Given)
		switch missing := rules.Missing(r); {
		case len(r.Spans) == 0:
			out = append(
				out,
				protocol.Violation{
					Field: "spans",
					Msg:   "the segment has no terms, so there is nothing to judge; import its terms first, or leave the line out",
				},
			)
		case missing != "" && len(out) == 0:
			out = append(out, protocol.Violation{Field: "spans", Msg: "the rating needs " + missing + "; add it"})
		}
	}
	return r, out
}
