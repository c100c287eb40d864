package pearmut

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/exchange/jsonfile"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// Limits on a document of Pearmut, which is one page and one line of the log.
const (
	maxItems    = 100
	maxItemText = 2 << 20 // bytes
)

// write implements [exchange.Format].Write.
func write(w io.Writer, c exchange.Content) ([]string, error) {
	out := &writing{c: c, names: systemNames(c.Systems), several: len(c.Protocol.Scores) > 1}
	for _, s := range c.Protocol.Scores {
		out.several = out.several || s.Min != 0 || s.Max != 100
	}
	out.id = fileName(cmp.Or(c.ID, "campaign"))
	err := exchange.WriteArchive(w, []exchange.ArchiveFile{{Name: out.id + ".json", Write: out.campaign},
		{Name: "annotations/" + out.id + ".jsonl", Write: out.log}})
	return out.notes(), err
}

// writing is the state of writing a campaign.
type writing struct {
	c       exchange.Content
	id      string
	names   map[string]string // by system: its name in the file, if that differs
	several bool              // the scores are sliders
	// The numbers in the notes.
	comments, empty, edges, uncounted, bare, divided, origins, absent, outcomes int
}

// fileName replaces characters of the id of a campaign that a file name can't have,
// since Pearmut names a file after it.
func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || unicode.IsControl(r) {
			return '_'
		}
		return r
	}, id)
}

// systemNames renames systems whose names are digits alone, which Pearmut refuses.
func systemNames(systems []string) map[string]string {
	out := map[string]string{}
	for _, name := range systems {
		if name == "" || strings.TrimFunc(name, unicode.IsNumber) != "" {
			continue
		}
		to := "system_" + name
		for slices.Contains(systems, to) {
			to += "_"
		}
		out[name] = to
	}
	return out
}

func (out *writing) system(name string) string { return cmp.Or(out.names[name], name) }

func (out *writing) notes() (notes []string) {
	for _, name := range out.c.Systems {
		if to, ok := out.names[name]; ok {
			notes = append(notes, fmt.Sprintf(
				"the system %q is %q in the files, since Pearmut refuses names of digits alone; the campaign says so in info.system_names", name, to))
		}
	}
	for _, n := range []struct {
		count     int
		one, many string
	}{
		{out.empty, "mark without words is [missing], which has no place in the text",
			"marks without words are [missing], which has no place in the text"},
		{out.uncounted, "mark of line breaks or tags alone is left out, since Pearmut does not count these",
			"marks of line breaks or tags alone are left out, since Pearmut does not count these"},
		{out.edges, "mark is without the line breaks or tags at its ends, since Pearmut does not count these",
			"marks are without the line breaks or tags at their ends, since Pearmut does not count these"},
		{out.bare, "rating loses all its errors, and looks like a rating without errors",
			"ratings lose all their errors, and look like ratings without errors"},
		{out.divided, "document is divided, since its segments have different systems, or it is long for a page",
			"documents are divided, since their segments have different systems, or they are long for a page"},
		{out.origins, "suggestion loses its origin: the format has no place for it",
			"suggestions lose their origins: the format has no place for them"},
		{out.outcomes, "rating loses what became of its suggestions, since its translation has none now",
			"ratings lose what became of their suggestions, since their translations have none now"},
		{out.absent, "rating lacks a score of the protocol, and is left out", "ratings lack a score of the protocol, and are left out"},
	} {
		if n.count > 0 {
			notes = append(notes, wording.Counted(n.count, n.one, n.many))
		}
	}
	return notes
}

// span is an error span.
type span struct {
	First       int     `json:"start_i"`
	Last        int     `json:"end_i"`
	Severity    string  `json:"severity"`
	Category    *string `json:"category"`
	Subcategory string  `json:"subcategory,omitempty"` // if it has no category
	Comment     string  `json:"comment,omitempty"`
	ID          string  `json:"id,omitempty"`
}

// item is a segment.
type item struct {
	ItemID      string            `json:"item_id"`
	DocID       string            `json:"doc_id"`
	SegmentID   string            `json:"segment_id"`
	Domain      string            `json:"domain,omitempty"`
	DataSource  string            `json:"data_source,omitempty"`
	Context     string            `json:"context,omitempty"`
	Note        string            `json:"note,omitempty"`
	Term        string            `json:"term,omitempty"`
	Explication string            `json:"explication,omitempty"`
	Source      string            `json:"src"`
	Reference   string            `json:"ref,omitempty"`
	References  map[string]string `json:"references,omitempty"`
	Target      map[string]string `json:"tgt"`
	Errors      map[string][]span `json:"error_spans,omitempty"`
}

// response is the annotation of a translation.
type response struct {
	Score       *float64           `json:"score"`
	Sliders     map[string]float64 `json:"sliders,omitzero"`
	Errors      []span             `json:"error_spans"`
	TextField   *string            `json:"textfield"`
	Seconds     *float64           `json:"seconds,omitempty"`
	SubmittedAt string             `json:"submitted_at,omitempty"`
}

// action is an entry of the log of a submission.
type action struct {
	Time   float64  `json:"time"`
	Action string   `json:"action"`
	Index  *int     `json:"index,omitempty"`
	Model  string   `json:"model,omitempty"`
	Value  *float64 `json:"value,omitempty"`
}

// line is a line of the log.
type line struct {
	Annotation []map[string]response `json:"annotation"`
	Actions    []action              `json:"actions"`
	Item       []item                `json:"item"`
	User       string                `json:"user_id"`
	ItemI      int                   `json:"item_i"`
	Round      int                   `json:"round,omitempty"` // if it is not the first
}

// documents yields the campaign as documents of Pearmut.
func (out *writing) documents() iter.Seq2[[]campaign.Segment, error] {
	return func(yield func([]campaign.Segment, error) bool) {
		var doc []campaign.Segment
		size := 0
		for s, err := range out.c.Segments {
			if err != nil {
				yield(nil, err)
				return
			}
			if len(doc) > 0 {
				last := doc[len(doc)-1]
				same := len(doc) < maxItems && size < maxItemText &&
					slices.EqualFunc(last.Translations, s.Translations, func(a, b campaign.Translation) bool { return a.System == b.System })
				if last.DocID != s.DocID || !same {
					if !yield(doc, nil) {
						return
					}
					doc, size = nil, 0
				}
				if last.DocID == s.DocID && !same {
					out.divided++
				}
			}
			doc = append(doc, s)
			size += len(s.Source)
			for _, t := range s.Translations {
				size += len(t.Text)
			}
		}
		if len(doc) > 0 {
			yield(doc, nil)
		}
	}
}

// item turns a segment into an item.
func (out *writing) item(s campaign.Segment) item {
	i := item{
		ItemID: s.DocID + "_#_" + s.SegmentID, DocID: s.DocID, SegmentID: s.SegmentID, Domain: s.Domain, DataSource: s.DataSource,
		Context: s.Context, Note: s.Note, Term: s.Term, Explication: s.Explication, Source: s.Source, Target: map[string]string{},
	}
	for k, r := range s.References {
		if k == 0 || r.Name == campaign.MainReference {
			i.Reference = r.Text
		}
		if len(s.References) > 1 || r.Name != campaign.MainReference || r.Text == "" {
			if i.References == nil {
				i.References = map[string]string{}
			}
			i.References[r.Name] = r.Text
		}
	}
	for _, t := range s.Translations {
		i.Target[out.system(t.System)] = t.Text
		if t.Suggested == nil {
			continue
		}
		if i.Errors == nil {
			i.Errors = map[string][]span{}
		}
		if t.Suggested.Origin != "" {
			out.origins++
		}
		i.Errors[out.system(t.System)] = out.spans(t.Text, t.Suggested.Spans, func(s protocol.ErrorSpan) string { return s.ID })
	}
	return i
}

// spans converts the error spans of a translation.
func (out *writing) spans(text string, spans []protocol.ErrorSpan, id func(protocol.ErrorSpan) string) []span {
	made := []span{}
	places := withoutTags.places(text)
	for _, s := range spans {
		if s.Side == protocol.Source {
			continue // [exchange.Format].Carries lacks it
		}
		to := span{Severity: s.Severity, Comment: s.Comment, ID: id(s)}
		first, last, shown, exact := fromText(places, s.Start, s.End)
		switch {
		case s.Start == s.End:
			first = len(places)
			last = first
			if s.End < len([]rune(text)) {
				out.empty++
			}
		case !shown:
			out.uncounted++
			continue
		case !exact:
			out.edges++
		}
		to.First, to.Last = first, last
		if s.Category != "" {
			category := s.Category + "/" + cmp.Or(s.Subcategory, s.Category)
			to.Category = &category
		} else {
			to.Subcategory = s.Subcategory
		}
		made = append(made, to)
	}
	return made
}

// campaign writes the campaign.
func (out *writing) campaign(w io.Writer) error {
	id, err := jsonfile.Encode(cmp.Or(out.c.ID, "campaign"))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "{\"campaign_id\": %s,\n\"data\": [", id); err != nil {
		return err
	}
	before := "\n"
	for doc, err := range out.documents() {
		if err != nil {
			return err
		}
		items := make([]item, len(doc))
		for i, s := range doc {
			items[i] = out.item(s)
			for _, t := range s.Translations {
				out.comments += len(slices.DeleteFunc(slices.Clone(t.Ratings), func(r campaign.Rating) bool { return r.Comment == "" }))
			}
		}
		b, err := jsonfile.Encode(items)
		if err != nil {
			return err
		}
		if _, err := w.Write(append([]byte(before), b...)); err != nil {
			return err
		}
		before = ",\n"
	}
	if before == "\n" {
		return errors.New("the campaign has no segments; import some first")
	}
	info, err := jsonfile.Encode(out.info())
	if err == nil {
		_, err = fmt.Fprintf(w, "],\n\"info\": %s}\n", info)
	}
	return err
}

// info says how the campaign is annotated.
func (out *writing) info() map[string]any {
	p := out.c.Protocol
	info := map[string]any{"assignment": "single-stream", "protocol": "DA", "users": 1}
	if len(out.c.Annotators) > 0 {
		info["users"] = out.c.Annotators
	}
	if p.Spans != nil {
		info["protocol"] = "ESA"
		var severities []string
		for _, s := range p.Spans.Severities {
			severities = append(severities, s.ID)
		}
		info["mqm_severities"] = severities
		if len(p.Spans.Categories) > 0 {
			categories := map[string][]string{}
			for _, c := range p.Spans.Categories {
				categories[c.Name] = []string{}
				for _, sub := range c.Sub {
					categories[c.Name] = append(categories[c.Name], sub.Name)
				}
			}
			info["protocol"], info["mqm_categories"] = "MQM", categories
		}
	}
	if out.several || len(p.Scores) == 0 {
		sliders := []map[string]any{}
		for _, s := range p.Scores {
			sliders = append(sliders, map[string]any{"name": s.Name, "min": s.Min, "max": s.Max, "step": 1})
		}
		info["sliders"] = sliders
	}
	if out.comments > 0 {
		info["textfield"] = "hidden"
	}
	if out.c.SourceLang != "" && out.c.TargetLang != "" {
		info["source_lang"], info["target_lang"] = out.c.SourceLang, out.c.TargetLang
	}
	if len(out.names) > 0 {
		names := map[string]string{}
		for name, to := range out.names {
			names[to] = name
		}
		info["system_names"] = names
	}
	return info
}

// log writes the annotations.
func (out *writing) log(w io.Writer) error {
	divided, number := out.divided, 0
	for doc, err := range out.documents() {
		if err != nil {
			return err
		}
		items := make([]item, len(doc))
		var by []by
		before := *out // the campaign has counted the losses of the items
		for i, s := range doc {
			items[i] = out.item(s)
		}
		*out = before
		for _, s := range doc {
			for _, t := range s.Translations {
				for _, r := range t.Ratings {
					by = append(by, rater(r))
				}
			}
		}
		slices.SortFunc(by, compareRaters)
		for _, who := range slices.Compact(by) {
			b, err := jsonfile.Encode(out.line(doc, items, who, number))
			if err != nil {
				return err
			}
			if _, err := w.Write(append(b, '\n')); err != nil {
				return err
			}
		}
		number++
	}
	out.divided = divided
	return nil
}

// by names the author of a line: an annotator in a round.
type by struct {
	round int
	login string
}

func rater(r campaign.Rating) by { return by{r.Round, r.Annotator} }

func compareRaters(a, b by) int {
	return cmp.Or(cmp.Compare(a.round, b.round), strings.Compare(a.login, b.login))
}

// line is what an annotator submitted for a document in a round.
func (out *writing) line(doc []campaign.Segment, items []item, who by, number int) line {
	l := line{Annotation: make([]map[string]response, len(doc)), Actions: []action{}, Item: items, User: who.login, ItemI: number}
	if who.round > 1 {
		l.Round = who.round
	}
	for i, s := range doc {
		l.Annotation[i] = map[string]response{}
		for _, t := range s.Translations {
			given := response{Errors: []span{}}
			for _, r := range t.Ratings {
				if rater(r) != who {
					continue
				}
				given = out.response(t, r)
				if !r.SubmittedAt.IsZero() {
					at := float64(r.SubmittedAt.UnixMicro()) / 1e6
					l.Actions = append(l.Actions, action{at - r.Seconds, "load", nil, "", nil}, action{at, "score", &i, out.system(t.System), given.Score})
				}
			}
			l.Annotation[i][out.system(t.System)] = given
		}
	}
	slices.SortStableFunc(l.Actions, func(a, b action) int { return cmp.Compare(a.Time, b.Time) })
	if n := len(l.Actions); n > 0 {
		first, last := l.Actions[0], l.Actions[n-1]
		l.Actions = slices.DeleteFunc(l.Actions, func(a action) bool { return a.Action == "load" })
		l.Actions = append([]action{{Time: first.Time, Action: "load"}}, append(l.Actions, action{Time: last.Time, Action: "submit"})...)
	}
	return l
}

// response is the annotation of a translation with a rating.
func (out *writing) response(t campaign.Translation, r campaign.Rating) response {
	given := response{Errors: out.spans(t.Text, r.Spans, func(s protocol.ErrorSpan) string { return s.Suggestion })}
	if out.several || len(out.c.Protocol.Scores) == 0 {
		given.Sliders = map[string]float64{}
	}
	for _, s := range out.c.Protocol.Scores {
		x, ok := r.Scores[s.Name]
		switch {
		case !ok || math.IsNaN(x) || math.IsInf(x, 0):
			out.absent++
			return response{Errors: []span{}}
		case out.several:
			given.Sliders[s.Name] = x
		default:
			given.Score = &x
		}
	}
	if len(r.Spans) > 0 && len(given.Errors) == 0 {
		out.bare++
	}
	if t.Suggested == nil && len(r.Suggestions) > 0 {
		out.outcomes++
	}
	if r.Comment != "" {
		given.TextField = &r.Comment
	}
	given.Seconds = &r.Seconds
	if !r.SubmittedAt.IsZero() {
		given.SubmittedAt = r.SubmittedAt.UTC().Format(time.RFC3339Nano)
	}
	return given
}
