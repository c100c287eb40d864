package pearmut

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/exchange"
	"annotate/internal/exchange/jsonfile"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

const (
	maxSpans = 10_000
	idle     = 60 // the most seconds between two actions that count
	reset    = "__RESET__"
)

func quote(s string) string { return wording.Quote(s) }

func sameLang(a, b string) bool { return ingest.SameLang(a, b) }

func (r *reading) note(text, file string, line int) { r.opt.Notes.Add(text, file, line) }

// submitted yields the segments of a line of a log, with their ratings. replaced reports
// whether a later line replaces the ratings of a system.
func (r *reading) submitted(file string, line jsonfile.Value, i *info, replaced map[string]bool) error {
	refuse := func(p *campaign.Problem) error {
		r.found = true
		return r.yield(campaign.SegmentLine{File: file, Line: p.Line}, p)
	}
	annotation, item := annotationOf(line), line.Key("item_i")
	kindOfItem, _, _ := strings.Cut(item.Text, "_")
	switch {
	case line.Kind != '{':
		return refuse(line.Problem(file, "", "must be an object, not %s", line.KindName()))
	case isReset(line):
		r.note("{reset|resets}, which {voids|void} the earlier submissions of the same document", file, line.Line)
		return nil
	case !slices.Contains(slices.Collect(maps.Values(replaced)), false):
		r.note("{submission|submissions} left out, since a later one or a reset of the same document replaces {it|them}", file, line.Line)
		return nil
	case item.Kind == '"' && slices.Contains([]string{"welcome", "random", "goodbye"}, kindOfItem):
		r.note("{submission|submissions} of tutorials, forms or checks of attention (welcome, random) left out", file, line.Line)
		return nil
	}
	for _, key := range line.Keys {
		if !slices.Contains([]string{"annotation", "annotations", "actions", "item", "user_id", "item_i", "validations", "comment", "round", "time"}, key) {
			r.note("{key|keys} "+quote(key)+" that the format does not have, ignored", file, line.Line)
		}
	}
	user := line.Key("user_id")
	items := itemsOf(line)
	if user.Kind != '"' {
		return refuse(user.Problem(file, "user_id", "must be a text in double quotes, not %s", user.KindName()))
	}
	if items.Kind != '[' {
		return refuse(items.Problem(file, "item", "must be an array with the items of the document, whose texts the annotations are about; "+
			"copy the items of the document from the file of the campaign"))
	}
	login, changed := exchange.Login(user.Text)
	if changed {
		r.opt.Notes.AddNamed("{submission|submissions} by {a user whose name is no valid login and is|users whose names are no valid logins and are} replaced", user.Text+" is "+login,
			file, line.Line)
	}
	round, p := roundOf(file, line)
	if p != nil {
		return refuse(p)
	}
	d := document{file: file, items: items, info: i}
	segments, err := r.segments(d)
	if err != nil || len(segments) == 0 {
		return err
	}
	if annotation.Kind != '[' || len(annotation.Elems) != len(segments) {
		return refuse(annotation.Problem(file, "annotation", "must be an array with as many elements as item, %d", len(segments)))
	}
	times := timesOf(line.Key("actions"), segments)
	comment := line.Key("comment").Text
	for k, s := range segments {
		if s.skip {
			continue
		}
		for j, o := range s.outputs {
			if replaced[o.key] {
				r.note("{rating|ratings} of a submission left out, since a later submission of the same document replaces {it|them}", file, line.Line)
				continue
			}
			v := of(annotation.Elems[k], o, j)
			field := fmt.Sprintf("annotation[%d].%s", k, o.key)
			rating, rated, p := r.rating(d, v, o, field)
			if p != nil {
				return refuse(p)
			}
			if !rated {
				r.note("{translation|translations} that the user of a submission did not rate", file, line.Line)
				continue
			}
			rating.Annotator, rating.Round = login, round
			if rating.SubmittedAt.IsZero() && !v.Has("seconds") {
				rating.SubmittedAt, rating.Seconds = times.submitted, times.active[about{k, o.key}]
			}
			if comment != "" {
				if len(segments) > 1 || len(s.outputs) > 1 {
					r.note("{comment|comments} on a whole document, which {is|are} now on the first rating of it", file, line.Line)
				}
				rating.Comment = strings.TrimPrefix(rating.Comment+"\n"+comment, "\n")
				comment = ""
			}
			t := &s.line.Segment.Translations[j]
			if t.Suggested != nil {
				rating.Rating = exchange.Decided(*t.Suggested, rating.Rating)
			} else {
				for n := range rating.Spans {
					rating.Spans[n].Suggestion = ""
				}
			}
			t.Ratings = []campaign.Rating{rating}
		}
		for _, name := range annotation.Elems[k].Keys {
			if annotation.Elems[k].Kind == '{' && !slices.ContainsFunc(s.outputs, func(o output) bool { return o.key == name || o.single }) {
				return refuse(annotation.Elems[k].Problem(file, fmt.Sprintf("annotation[%d].%s", k, name),
					"the item has no translation by this system; correct the name"))
			}
		}
		if err := r.yield(s.line, nil); err != nil {
			return err
		}
	}
	return nil
}

// rating reads the annotation of a translation. rated is false if the annotator has not finished it.
func (r *reading) rating(d document, v jsonfile.Value, o output, field string) (out campaign.Rating, rated bool, p *campaign.Problem) {
	if v.IsNull() {
		return out, false, nil
	}
	if v.Kind != '{' {
		return out, false, v.Problem(d.file, field, "must be an object, not %s", v.KindName())
	}
	score, sliders, spans := v.Key("score"), v.Key("sliders"), v.Key("error_spans")
	given := sliders.Kind == '{' && !slices.ContainsFunc(sliders.Elems, jsonfile.Value.IsNull)
	if score.IsNull() && !given && len(spans.Elems) == 0 {
		return out, false, nil
	}
	if out.Scores, p = r.scores(d, score, sliders, field, v.Line); p != nil {
		return out, false, p
	}
	switch {
	case r.p.Spans == nil && len(spans.Elems) > 0:
		r.note("{rating|ratings} whose errors are left out, since "+r.p.Name+" marks no errors", d.file, v.Line)
	case r.p.Spans != nil:
		if out.Spans, p = r.spans(d, spans, o, field+".error_spans"); p != nil {
			return out, false, p
		}
		for i := range out.Spans {
			out.Spans[i].ID, out.Spans[i].Suggestion = "", out.Spans[i].ID
		}
		out.NoErrors = len(out.Spans) == 0
	}
	if text := v.Key("textfield").Text; text != "" && (text != o.text || !d.info.PostEditing) {
		if d.info.PostEditing {
			r.note("{text|texts} of a text field, such as a corrected translation, {is a comment|are comments} now", d.file, v.Line)
		}
		out.Comment = text
	}
	if s := v.Key("seconds"); s.Kind == '0' {
		if out.Seconds, _ = strconv.ParseFloat(s.Text, 64); !(out.Seconds >= 0) || math.IsInf(out.Seconds, 0) {
			return out, false, s.Problem(d.file, field+".seconds", "must be a number that is not negative")
		}
	}
	if s := v.Key("submitted_at"); !s.IsNull() {
		at, err := time.Parse(time.RFC3339Nano, s.Text)
		if err != nil {
			return out, false, s.Problem(d.file, field+".submitted_at", "%s is no time such as 2026-11-20T10:30:00Z", quote(s.Text))
		}
		out.SubmittedAt = at.UTC().Truncate(time.Microsecond)
	}
	return out, true, nil
}

// scores makes the scores of the protocol from a score and sliders.
func (r *reading) scores(d document, score, sliders jsonfile.Value, field string, line int) (map[string]float64, *campaign.Problem) {
	var out map[string]float64
	used := map[int]bool{}
	for _, s := range r.p.Scores {
		v, name := score, "score"
		if i := sliderOf(s, sliders.Keys); i >= 0 {
			v, name, used[i] = sliders.Elems[i], "sliders."+sliders.Keys[i], true
		} else if len(r.p.Scores) > 1 || score.IsNull() {
			return nil, &campaign.Problem{File: d.file, Line: line, Field: field,
				Msg: fmt.Sprintf("there is no slider %s, which %s asks for; import it into a campaign whose protocol has the scores of the file",
					quote(s.Name), r.p.Name)}
		} else {
			used[-1] = true
		}
		x, err := strconv.ParseFloat(v.Text, 64)
		if v.Kind != '0' || err != nil {
			return nil, v.Problem(d.file, field+"."+name, "must be a number, not %s", v.KindName())
		}
		if out == nil {
			out = map[string]float64{}
		}
		out[s.Name] = x
	}
	if wrong := r.p.CheckScores(out); len(wrong) > 0 {
		return nil, &campaign.Problem{File: d.file, Line: line, Field: field + ".score", Msg: wrong[0].Msg +
			"; a score of Pearmut is from 0 to 100 unless it has sliders, so import it into a campaign whose protocol has the scale of the file"}
	}
	for i, name := range sliders.Keys {
		if !used[i] && !sliders.Elems[i].IsNull() {
			r.note("{value|values} of the slider "+quote(name)+", which "+r.p.Name+" does not ask for, left out", d.file, line)
		}
	}
	if !used[-1] && !score.IsNull() {
		r.note("{score|scores} left out, since "+r.p.Name+" has none, or asks for sliders; ESA has one", d.file, line)
	}
	return out, nil
}

// spans reads the errors of a translation. Their ids are those of the file.
func (r *reading) spans(d document, v jsonfile.Value, o output, field string) ([]protocol.ErrorSpan, *campaign.Problem) {
	if v.IsNull() {
		return nil, nil
	}
	if v.Kind != '[' || len(v.Elems) > maxSpans {
		return nil, v.Problem(d.file, field, "must be an array of at most %d errors", maxSpans)
	}
	var out []protocol.ErrorSpan
	text := o.text
	places := r.counting(d, v, o).places(text)
	n := len(places)
	for i, e := range v.Elems {
		field := fmt.Sprintf("%s[%d]", field, i)
		if e.Kind != '{' {
			return nil, e.Problem(d.file, field, "must be an object, not %s", e.KindName())
		}
		first, last, ok := offsets(e)
		if !ok {
			return nil, e.Problem(d.file, field, "start_i and end_i must be whole numbers")
		}
		s := protocol.ErrorSpan{ID: e.Key("id").Text, Side: protocol.Target, Severity: e.Key("severity").Text, Category: e.Key("category").Text,
			Comment: e.Key("comment").Text}
		if s.Severity == "" {
			s.Severity = "undecided"
			r.note(`{error|errors} without severity, which {is|are} "undecided" now`, d.file, e.Line)
		}
		if main, sub, _ := strings.Cut(s.Category, "/"); main == sub {
			s.Category = main
		}
		if s.Category == "" {
			s.Subcategory = e.Key("subcategory").Text
		}
		if len(s.Severity) > ingest.MaxLabel || len(s.Category) > 2*ingest.MaxLabel || len(s.Subcategory) > ingest.MaxLabel {
			return nil, e.Problem(d.file, field, "the severity or the category is too long; at most %d bytes are allowed", ingest.MaxLabel)
		}
		switch start, end, ok := toText(places, first, min(last, n-1)); {
		case ok && first < n && last < n+max(len(d.info.Tokens), 1):
			s.Start, s.End = start, end
			s.Text, _ = codepoint.Slice(text, start, end)
		case first >= n && first <= last && last < n+d.info.tokens():
			s.Start, s.End = codepoint.Len(text), codepoint.Len(text)
			if token := first - n; token >= len(d.info.Tokens) {
				s.Comment = cmp.Or(s.Comment, fmt.Sprint("special token ", token+1))
				r.note("{error|errors} of special tokens that only the file of the campaign names, which would have to be there too", d.file, e.Line)
			} else if d.info.Tokens[token] != missing {
				s.Comment = cmp.Or(s.Comment, d.info.Tokens[token])
			}
		default:
			return nil, e.Problem(d.file, field, "the elements %d to %d are not in the translation, which has %d and %d for special tokens; "+
				"check that it is the right text, and that the file of the campaign is there too",
				first, last, n, len(d.info.Tokens))
		}
		out = append(out, r.p.Canonical(s))
	}
	return out, nil
}

// mostTokens is the greatest number of special tokens of a translation if the campaign is
// unknown.
const mostTokens = 10

// tokens returns the greatest number of special tokens of a translation.
func (i *info) tokens() int {
	if i.Unknown {
		return mostTokens
	}
	return max(len(i.Tokens), 1)
}

// offsets returns the numbers of the first and the last element of a span. ok is false if the span
// has none.
func offsets(span jsonfile.Value) (first, last int, ok bool) {
	from, to := span.Key("start_i"), span.Key("end_i")
	first, err1 := strconv.Atoi(from.Text)
	last, err2 := strconv.Atoi(to.Text)
	return first, last, err1 == nil && err2 == nil && from.Kind == '0' && to.Kind == '0'
}

// counting returns the counting by which spans of a translation are read. It is that of most of the import,
// unless the spans fit only the other one. Files of this program, whose items have a segment_id, count
// without tags.
func (r *reading) counting(d document, spans jsonfile.Value, o output) counting {
	if o.ours || !strings.Contains(o.text, "<") {
		return withoutTags
	}
	most, other := withoutTags, withTags
	if r.older > 0 {
		most, other = other, most
	}
	fit := func(c counting) bool {
		n := len(c.places(o.text)) + max(len(d.info.Tokens), 1)
		return !slices.ContainsFunc(spans.Elems, func(e jsonfile.Value) bool {
			_, last, ok := offsets(e)
			return ok && last >= n
		})
	}
	if !fit(most) && fit(other) {
		most = other
	}
	if len(spans.Elems) > 0 && len(withTags.places(o.text)) != len(withoutTags.places(o.text)) {
		r.note("{translation|translations} with errors and with HTML tags such as <b>, whose offsets are read as Pearmut counts "+
			map[counting]string{withoutTags: "now, without the tags", withTags: "in older versions, with the tags"}[most], d.file, spans.Line)
	}
	return most
}

// wholeBy compares the two countings by the number of spans of a line that begin and end between words. It
// returns the number with tags less the number without tags.
func wholeBy(line jsonfile.Value) (more int) {
	annotation := annotationOf(line)
	for k, item := range itemsOf(line).Elems {
		outputs, _ := outputs(document{info: noInfo}, item, "")
		for j, o := range outputs {
			if o.ours || k >= len(annotation.Elems) || !strings.Contains(o.text, "<") {
				continue
			}
			text, with, without := []rune(o.text), withTags.places(o.text), withoutTags.places(o.text)
			if len(with) == len(without) {
				continue
			}
			for _, e := range of(annotation.Elems[k], o, j).Key("error_spans").Elems {
				first, last, _ := offsets(e)
				if start, end, ok := toText(with, first, last); ok && wholeWords(text, start, end) {
					more++
				}
				if start, end, ok := toText(without, first, last); ok && wholeWords(text, start, end) {
					more--
				}
			}
		}
	}
	return more
}

// about names a translation of a document.
type about struct {
	item int
	key  string
}

// workTimes are the times of a submission.
type workTimes struct {
	submitted time.Time
	active    map[about]float64
}

// timesOf reads the actions of a submission of the segments.
func timesOf(actions jsonfile.Value, segments []segment) workTimes {
	out := workTimes{active: map[about]float64{}}
	var last float64
	at := about{item: -1}
	begun := 0.0 // before the first action on a translation
	for i, a := range actions.Elems {
		t, err := strconv.ParseFloat(a.Key("time").Text, 64)
		if err != nil || t <= 0 || t > 1e11 {
			return workTimes{}
		}
		if n, err := strconv.Atoi(a.Key("index").Text); err == nil && n >= 0 && n < len(segments) {
			outputs := segments[n].outputs
			j, err := strconv.Atoi(a.Key("candidate").Text)
			switch {
			case a.Has("model"):
				at = about{n, a.Key("model").Text}
			case err == nil && j >= 0 && j < len(outputs):
				at = about{n, outputs[j].key}
			case !a.Has("candidate") && len(outputs) == 1:
				at = about{n, outputs[0].key}
			}
		}
		if i > 0 {
			begun += min(max(t-last, 0), idle)
		}
		if at.item >= 0 {
			out.active[at] += begun
			begun = 0
		}
		last = t
	}
	if len(actions.Elems) > 0 {
		out.submitted = time.UnixMicro(int64(math.Round(last * 1e6))).UTC()
	}
	for at, s := range out.active {
		out.active[at] = math.Round(s*1000) / 1000
	}
	return out
}
