package pearmut

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/exchange/jsonfile"
	"annotate/internal/protocol"
)

// Limits on names, as in the format jsonl.
const (
	maxID     = 500
	maxSystem = 200
)

// A segment is an item of a document and the segment that it becomes.
type segment struct {
	line    campaign.SegmentLine
	outputs []output
	skip    bool // whether the item is left out
}

// An output is a translation in an item.
type output struct {
	key, system, text string
	single            bool // the item has one translation, and neither it nor its annotation names a system
	unnamed           bool // the item does not name its system
	ours              bool // this program wrote the item
}

// document yields the segments of a document of a campaign.
func (r *reading) document(d document) error {
	segments, err := r.segments(d)
	if err != nil {
		return err
	}
	for _, s := range segments {
		if !s.skip {
			if err := r.yield(s.line, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// segments reads the items of a document. If there are problems, it yields them and returns no segments.
func (r *reading) segments(d document) ([]segment, error) {
	isForm := func(v jsonfile.Value) bool { return v.Has("text") && slices.Contains(v.Keys, "form") && !v.Has("tgt") }
	if slices.ContainsFunc(d.items.Elems, isForm) {
		r.note("{form|forms} left out", d.file, d.items.Line)
		return nil, nil
	}
	out := make([]segment, 0, len(d.items.Elems))
	ids, bad := r.naming.names(d)
	for i, item := range d.items.Elems {
		s, problem := r.segment(d, item, fmt.Sprintf("item[%d]", i))
		if bad != nil {
			problem = bad
		}
		if problem != nil {
			r.found = true
			return nil, r.yield(campaign.SegmentLine{File: d.file, Line: problem.Line}, problem)
		}
		to := &s.line.Segment
		to.DocID, to.SegmentID = ids[i].doc, ids[i].segment
		if parts := strings.Split(to.DocID, wmt26); len(parts) == 2 && to.Domain == "" {
			to.Domain = parts[0]
		}
		out = append(out, s)
	}
	return out, nil
}

// texts are the keys that this package adds to items.
var texts = []string{"doc_id", "segment_id", "domain", "data_source", "references", "context", "note", "term", "explication"}

// segment reads an item. prefix precedes its keys in messages.
func (r *reading) segment(d document, item jsonfile.Value, prefix string) (segment, *campaign.Problem) {
	s := segment{line: campaign.SegmentLine{File: d.file, Line: item.Line}, skip: item.Has("validation")}
	if item.Kind != '{' {
		return s, item.Problem(d.file, prefix, "must be an object, not %s", item.KindName())
	}
	if s.skip {
		r.note("{item|items} with validation, tutorials or checks of attention, left out", d.file, item.Line)
		return s, nil
	}
	for _, key := range item.Keys {
		switch {
		case key == "instructions":
			r.note("{instruction|instructions} above items left out", d.file, item.Line)
		case !slices.Contains(append([]string{"item_id", "src", "ref", "tgt", "models", "model", "sys_id", "error_spans", "validation",
			"skippable",
			"checks", "langs", "src_text"}, texts...), key):
			r.note("{key|keys} "+quote(key)+" that the format does not have, ignored", d.file, item.Line)
		}
	}
	text := func(key string) string { return item.Key(key).Text }
	to := &s.line.Segment
	*to = campaign.Segment{
		Domain: text("domain"), DataSource: text("data_source"), SourceLang: r.opt.SourceLang, TargetLang: r.opt.TargetLang, Source: text("src"),
		Context: text("context"), Note: text("note"), Term: text("term"), Explication: text("explication"),
	}
	for _, key := range append([]string{"src", "src_text", "ref", "langs"}, texts...) {
		if v := item.Key(key); !v.IsNull() && v.Kind != '"' && key != "references" &&
			!(v.Kind == '0' && (key == "doc_id" || key == "segment_id")) {
			return s, v.Problem(d.file, prefix+"."+key, "must be a text in double quotes, not %s", v.KindName())
		}
	}
	for _, lang := range [2]struct{ field, of, want string }{
		{"source_lang", d.info.SourceLang, r.opt.SourceLang}, {"target_lang", d.info.TargetLang, r.opt.TargetLang},
	} {
		if lang.of != "" && lang.want != "" && !sameLang(lang.of, lang.want) {
			return s, item.Problem(d.file, "info."+lang.field, "is %s, and that of the campaign is %s; import it into a campaign of its own",
				quote(lang.of), quote(lang.want))
		}
	}
	if r.opt.SourceLang == "" && d.info.SourceLang != "" && d.info.TargetLang != "" {
		to.SourceLang, to.TargetLang = d.info.SourceLang, d.info.TargetLang
	}
	pair, field := d.info.Pair, "campaign_id"
	if text("langs") != "" {
		pair, field = text("langs"), prefix+".langs"
	}
	langs, leave, problem := r.pairing.Of(pair, campaign.Problem{File: d.file, Line: item.Line, Field: field})
	if leave {
		s.skip = true
		r.note("{item|items} of other language pairs left out", d.file, item.Line)
	}
	if leave || problem != nil {
		return s, problem
	}
	if pair != "" {
		to.SourceLang, to.TargetLang = langs[0], langs[1]
	}
	if strings.TrimSpace(to.Source) == "" {
		return s, item.Problem(d.file, prefix+".src", "missing; give the source text")
	}
	if isMedia(to.Source) && strings.TrimSpace(text("src_text")) != "" {
		to.Source = text("src_text")
		r.note("{source|sources} in audio, video or pictures, of which src_text is the text", d.file, item.Line)
	}
	if isMedia(to.Source) {
		r.note("{source|sources} in audio, video or pictures, of which the markup is the text", d.file, item.Line)
	}
	if ref := text("ref"); ref != "" && !item.Has("references") {
		to.References = append(to.References, campaign.Reference{Name: campaign.MainReference, Text: ref})
	}
	refs := item.Key("references")
	for i, name := range refs.Keys {
		if refs.Elems[i].Kind != '"' || checkName(name, maxSystem) != "" {
			return s, refs.Elems[i].Problem(d.file, prefix+".references", "must have names and texts")
		}
		to.References = append(to.References, campaign.Reference{Name: name, Text: refs.Elems[i].Text})
	}
	if s.outputs, problem = outputs(d, item, prefix); problem != nil {
		return s, problem
	}
	for i, o := range s.outputs {
		if o.unnamed {
			r.note(
				"{translation|translations} whose system the file does not name, so that {it is|they are} called by {its place|their places} in the item, as in candidate_0",
				d.file, item.Line,
			)
		}
		t := campaign.Translation{System: o.system, Text: o.text}
		if bad := checkName(o.system, maxSystem); bad != "" {
			return s, item.Problem(d.file, prefix+".tgt", "the name of a system %s", bad)
		}
		if spans := of(item.Key("error_spans"), o, i); !spans.IsNull() && r.p.Spans != nil {
			if t.Suggested, problem = r.suggested(d, spans, to.Source, o, prefix+".error_spans."+o.key); problem != nil {
				return s, problem
			}
		} else if !spans.IsNull() {
			r.note("{translation|translations} whose error_spans are left out, since "+r.p.Name+" marks no errors", d.file, item.Line)
		}
		to.Translations = append(to.Translations, t)
	}
	return s, nil
}

// outputs lists the translations of an item.
func outputs(d document, item jsonfile.Value, prefix string) (out []output, p *campaign.Problem) {
	tgt := item.Key("tgt")
	var models jsonfile.Value
	for _, key := range []string{"models", "model", "sys_id"} {
		if models.IsNull() {
			models = item.Key(key)
		}
	}
	if models.Kind == '"' {
		models = jsonfile.Value{Kind: '[', Elems: []jsonfile.Value{models}}
	}
	unnamed := models.IsNull() && tgt.Kind != '{'
	if unnamed {
		models.Kind = '['
		for i := range max(len(tgt.Elems), 1) {
			models.Elems = append(models.Elems, jsonfile.Value{Kind: '"', Text: fmt.Sprint("candidate_", i)})
		}
	}
	switch tgt.Kind {
	case '{':
		for i, v := range tgt.Elems {
			out = append(out, output{key: tgt.Keys[i], system: tgt.Keys[i], text: v.Text})
			if v.Kind != '"' {
				return nil, v.Problem(d.file, prefix+".tgt", "the translation by %s must be a text in double quotes, not %s",
					quote(tgt.Keys[i]), v.KindName())
			}
		}
	case '"':
		if len(models.Elems) != 1 || models.Elems[0].Kind != '"' {
			return nil, tgt.Problem(d.file, prefix+".tgt",
				`must be an object such as {"system": "translation"}, since the item does not say which system the translation is by`)
		}
		out = []output{{key: models.Elems[0].Text, system: models.Elems[0].Text, text: tgt.Text, single: true, unnamed: unnamed}}
	case '[':
		if len(models.Elems) != len(tgt.Elems) {
			return nil, tgt.Problem(d.file, prefix+".tgt",
				`must be an object such as {"system": "translation"}, or an array beside an array models of as many systems`)
		}
		for i, v := range tgt.Elems {
			if v.Kind != '"' || models.Elems[i].Kind != '"' {
				return nil, v.Problem(d.file, prefix+".tgt", "must have texts in double quotes")
			}
			out = append(out, output{key: models.Elems[i].Text, system: models.Elems[i].Text, text: v.Text, unnamed: unnamed})
		}
	default:
		return nil, item.Problem(d.file, prefix+".tgt", `must be an object such as {"system": "translation"}, not %s`, tgt.KindName())
	}
	for i, o := range out {
		out[i].ours = item.Has("segment_id")
		if name, ok := d.info.Systems[o.key]; ok {
			out[i].system = name
		}
	}
	return out, nil
}

// of is the value for the output with an index, in an object by system, an array by index, or alone.
func of(v jsonfile.Value, o output, i int) jsonfile.Value {
	switch {
	case v.Kind == '{' && !(o.single && (v.Has("score") || v.Has("error_spans"))):
		return v.Key(o.key)
	case v.Kind == '[' && !(o.single && (len(v.Elems) == 0 || v.Elems[0].Kind == '{' && v.Elems[0].Has("start_i"))):
		if i >= len(v.Elems) {
			return jsonfile.Value{Kind: 'n', Line: v.Line}
		}
		return v.Elems[i]
	}
	return v
}

// suggested reads the errors to show to annotators. It leaves out errors that annotators could not enter.
func (r *reading) suggested(d document, v jsonfile.Value, source string, o output, field string) (*protocol.Suggestions, *campaign.Problem) {
	spans, problem := r.spans(d, v, o, field)
	if problem != nil {
		return nil, problem
	}
	ids := map[string]bool{}
	for i := range spans {
		if spans[i].ID == "" || ids[spans[i].ID] {
			spans[i].ID = fmt.Sprint("s", i+1)
		}
		ids[spans[i].ID] = true
	}
	can, why := exchange.Suggestible(r.p, spans, protocol.Texts{Source: source, Translation: o.text})
	if why != "" {
		r.note("{translation|translations} with error_spans left out that annotators could not enter under "+r.p.Name+": "+why, d.file, v.Line)
	}
	return &protocol.Suggestions{Spans: can}, nil
}

// wmt26 divides an id of WMT26, DOMAIN_###_DOCUMENT_###_SEGMENT.
const wmt26 = "_###_"

// An itemID has the ids of a segment.
type itemID struct{ doc, segment string }

// naming gives segments their ids.
type naming struct {
	docs    map[string]string // by the id of an item: its document
	numbers map[[sha256.Size]byte]int
}

func newNaming() *naming {
	return &naming{docs: map[string]string{}, numbers: map[[sha256.Size]byte]int{}}
}

// names returns the ids of the items of a document.
func (n *naming) names(d document) ([]itemID, *campaign.Problem) {
	out := make([]itemID, len(d.items.Elems))
	plain := make([]string, len(out))
	times := map[string]int{}
	for i, item := range d.items.Elems {
		id := item.Key("item_id")
		if id.IsNull() && !item.Has("segment_id") {
			id = item.Key("doc_id")
		}
		plain[i] = id.Text
		if !id.IsNull() && id.Kind != '"' && id.Kind != '0' {
			return nil, id.Problem(d.file, fmt.Sprintf("item[%d].item_id", i), "must be a text in double quotes or a number, not %s", id.KindName())
		}
		times[plain[i]]++
	}
	seen := map[string]int{}
	number := 0 // the number of the document; 0 until an item needs it
	for i, item := range d.items.Elems {
		id := plain[i]
		seen[id]++
		mark := "_#_"
		if !strings.Contains(id, mark) {
			mark = wmt26
		}
		cut := strings.LastIndex(id, mark)
		switch {
		case item.Has("segment_id"):
			out[i] = itemID{item.Key("doc_id").Text, item.Key("segment_id").Text}
			if !item.Has("doc_id") {
				out[i].doc = out[i].segment
			}
		case id == "":
			if number == 0 {
				number = n.number(d)
			}
			out[i] = itemID{fmt.Sprint(number), fmt.Sprint(i + 1)}
		case times[id] > 1:
			out[i] = itemID{id, fmt.Sprint(seen[id])}
		case cut > 0 && cut+len(mark) < len(id):
			out[i] = itemID{id[:cut], id[cut+len(mark):]}
		default:
			if n.docs[id] == "" {
				n.docs[id] = plain[0]
			}
			out[i] = itemID{n.docs[id], id}
			if out[i].doc == "" {
				out[i].doc = id
			}
		}
		for _, name := range []string{out[i].doc, out[i].segment} {
			if bad := checkName(name, maxID); bad != "" {
				return nil, item.Problem(d.file, fmt.Sprintf("item[%d].item_id", i), "the id %s", bad)
			}
		}
	}
	return out, nil
}

// number returns the number of a document without ids. Documents with the same sources have the
// same number.
func (n *naming) number(d document) int {
	h := sha256.New()
	for _, item := range d.items.Elems {
		fmt.Fprintf(h, "%q\n", item.Key("src").Text)
	}
	key := [sha256.Size]byte(h.Sum(nil))
	if n.numbers[key] == 0 {
		n.numbers[key] = len(n.numbers) + 1
	}
	return n.numbers[key]
}

// checkName says what is wrong with a name, or "".
func checkName(name string, most int) string {
	switch {
	case name == "":
		return "is empty; fill it in"
	case len(name) > most:
		return fmt.Sprintf("has %d bytes; at most %d are allowed", len(name), most)
	case strings.ContainsFunc(name, unicode.IsControl):
		return quote(name) + " has a control character; remove it"
	}
	return ""
}

// isMedia reports whether Pearmut shows a text as audio, video or a picture, which can have no marks.
func isMedia(text string) bool {
	return slices.ContainsFunc([]string{"<audio ", "<video ", "<img ", "<iframe "},
		func(tag string) bool { return strings.HasPrefix(text, tag) })
}
