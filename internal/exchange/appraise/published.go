package appraise

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/exchange/jsonfile"
)

// looksPublished reports whether a file begins like one of WMT's published ratings. The scores may be longer
// than the head.
func looksPublished(head []byte) (found bool) {
	in := jsonfile.NewReader(bytes.NewReader(head), "", 0)
	done := errors.New("recognised")
	_ = in.Members(func(key string) error {
		c, err := in.Peek()
		switch {
		case err != nil:
			return err
		case key == "scores" && c == '{':
			return in.Members(func(string) error {
				c, err := in.Peek()
				found = err == nil && (c == '[' || c == '{')
				return done
			})
		case key == "src_text" || key == "tgt_text":
			found = bytes.Contains(head, []byte(`"src_text"`)) && bytes.Contains(head, []byte(`"tgt_text"`))
			return done
		}
		return in.Skip()
	})
	return found
}

// reference matches the names of references among the systems.
var reference = regexp.MustCompile(`^ref[A-Z]?$`)

// published yields the segments of a file in which WMT publishes ratings.
func (r *reading) published(in *jsonfile.Reader, file string) error {
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		var s *campaign.Segment
		p, refused := errors.AsType[*campaign.Problem](err)
		switch {
		case err != nil && !refused:
			return err
		case err == nil:
			s, p = r.publishedSegment(file, line)
		}
		if p != nil {
			if err := r.problem(p); err != nil {
				return err
			}
		} else if s != nil {
			r.found = true
			if err := r.yield(campaign.SegmentLine{File: file, Line: line.Line, Segment: *s}, nil); err != nil {
				return err
			}
		}
	}
}

// publishedSegment reads a line. The segment is nil if it is left out.
func (r *reading) publishedSegment(file string, line jsonfile.Value) (*campaign.Segment, *campaign.Problem) {
	id, texts, scores := line.Key("doc_id"), line.Key("tgt_text"), line.Key("scores")
	s := campaign.Segment{Source: line.Key("src_text").Text}
	switch cut := strings.LastIndex(id.Text, "_#_"); {
	case id.Kind != '"' || cut <= 0 || cut+len("_#_") == len(id.Text) || len(id.Text) > maxID:
		return nil, id.Problem(file, "doc_id", `must be a text with the document and the segment, such as "en-de_#_news_#_17_#_0", of at most %d bytes`, maxID)
	case texts.Kind != '{':
		return nil, texts.Problem(file, "tgt_text", `must be an object such as {"system": "translation"}, not %s`, texts.KindName())
	case strings.TrimSpace(s.Source) == "":
		return nil, line.Problem(file, "src_text", "is missing or empty; fill in the source text")
	default:
		s.DocID, s.SegmentID = id.Text[:cut], id.Text[cut+len("_#_"):]
	}
	if parts := strings.Split(s.DocID, "_#_"); len(parts) > 2 {
		langs, leave, p := r.pairing.Of(parts[0], campaign.Problem{File: file, Line: line.Line, Field: "doc_id"})
		if leave {
			r.note("{segment|segments} of other language pairs left out", file, line.Line)
		}
		if leave || p != nil {
			return nil, p
		}
		s.SourceLang, s.TargetLang, s.Domain = langs[0], langs[1], parts[1]
	} else {
		s.SourceLang, s.TargetLang = r.opt.SourceLang, r.opt.TargetLang
	}
	for _, system := range scores.Keys {
		if !texts.Has(system) {
			return nil, scores.Problem(file, "scores", "there is no translation by %s in tgt_text; correct the name", quote(system))
		}
	}
	for i, system := range texts.Keys {
		text := texts.Elems[i]
		if text.IsNull() {
			continue
		}
		if text.Kind != '"' || system == "" || len(system) > maxSystem {
			return nil, text.Problem(file, "tgt_text", "must have the names of systems, with 1 to %d bytes, and texts in double quotes", maxSystem)
		}
		t := campaign.Translation{System: system, Text: text.Text}
		if p := r.publishedRatings(file, scores.Key(system), &t); p != nil {
			return nil, p
		}
		if reference.MatchString(system) {
			s.References = append(s.References, campaign.Reference{Name: system, Text: text.Text})
			if len(t.Ratings)+len(t.HumanScores) == 0 {
				continue
			}
		}
		s.Translations = append(s.Translations, t)
	}
	return &s, nil
}

// ofHumans matches the keys of scores by people, which may have a number at the end.
var ofHumans = regexp.MustCompile(`^human([0-9]*)$`)

// publishedRatings reads the ratings of a translation, and the scores of metrics.
func (r *reading) publishedRatings(file string, v jsonfile.Value, t *campaign.Translation) *campaign.Problem {
	type given struct {
		name                            string
		score, annotator, errors, times jsonfile.Value
	}
	var all []given
	field := "scores." + t.System
	switch v.Kind {
	case '[':
		for _, x := range v.Elems {
			score := x.Key("score")
			if score.IsNull() {
				score = x.Key("human")
			}
			all = append(all, given{"human", score, x.Key("annotator"), x.Key("errors"), x.Key("times")})
		}
	case '{':
		for i, name := range v.Keys {
			if m := ofHumans.FindStringSubmatch(name); m != nil {
				all = append(all, given{name, v.Elems[i], v.Key("annotator" + m[1]), v.Key("errors" + m[1]), v.Key("times" + m[1])})
			} else if v.Elems[i].Kind == '0' {
				x, err := strconv.ParseFloat(v.Elems[i].Text, 64)
				if err != nil {
					return v.Elems[i].Problem(file, field+"."+name, "%s is not a number; correct it", quote(v.Elems[i].Text))
				}
				t.Metrics = append(t.Metrics, campaign.MetricValue{Name: name, Score: x})
			}
		}
	case 'n', 0:
	default:
		return v.Problem(file, field, "must be an array of ratings, not %s", v.KindName())
	}
	for i, g := range all {
		switch score, err := strconv.ParseFloat(g.score.Text, 64); {
		case g.score.IsNull():
			r.note("{rating|ratings} without a score left out", file, v.Line)
			continue
		case g.annotator.Text == "" && g.errors.Kind != '[':
			if err != nil {
				return g.score.Problem(file, field, "%s is not a number; correct it", quote(g.score.Text))
			}
			t.HumanScores = append(t.HumanScores, campaign.HumanScore{Name: g.name, Score: score})
			continue
		}
		x := row{file: file, line: v.Line, login: cmp.Or(g.annotator.Text, fmt.Sprint("unknown", i+1)), score: g.score.Text, start: "0", end: "0"}
		if len(g.times.Elems) == 2 {
			x.start, x.end = g.times.Elems[0].Text, g.times.Elems[1].Text
		}
		rating, p := r.ratingOf(x, g.errors, t.Text)
		if p != nil {
			p.Field = field + "." + p.Field
			return p
		}
		if slices.ContainsFunc(t.Ratings, func(other campaign.Rating) bool { return other.Annotator == rating.Annotator }) {
			r.note("{rating|ratings} left out, since the annotator rates the translation again later", file, v.Line)
			t.Ratings = slices.DeleteFunc(t.Ratings, func(other campaign.Rating) bool { return other.Annotator == rating.Annotator })
		}
		t.Ratings = append(t.Ratings, rating)
	}
	return nil
}
