package appraise

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/exchange/jsonfile"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
)

// A key identifies an item within its batch.
type key struct{ item, document, target string }

// An entry is an item of a batch in the spool.
type entry struct {
	File    string
	Line    int
	Batch   int // of all, from 0
	BatchNo string
	LeftOut bool   // whether the import leaves it out, see [batch.leavesOut]
	Target  string // the targetID
	Systems []string
	Targets []string         // by system: its part of the targetID
	Segment campaign.Segment // with one translation for each system
}

// batches reads a file of batches.
func (r *reading) batches(in *jsonfile.Reader, file string) error {
	err := in.Elements(func() error {
		b, err := in.Value()
		if err != nil {
			return err
		}
		task := b.Key("task")
		langs := [2]string{}
		for i, names := range [2][2]string{{"source_lang", "sourceLanguage"}, {"target_lang", "targetLanguage"}} {
			langs[i] = task.Key(names[0]).Text
			if langs[i] == "" {
				langs[i] = shortTag(task.Key(names[1]).Text)
			}
		}
		in := batch{number: r.batchCount, name: task.Key("batchNo").Text, langs: langs, times: map[[3]string]int{}}
		items := flat(b.Key("items").Elems)
		in.see(items)
		for _, item := range items {
			if err := r.add(file, item, in); err != nil {
				return err
			}
		}
		r.batchCount++
		return nil
	})
	if err != nil {
		return err
	}
	return in.End()
}

// A batch holds the data that the items of a batch share.
type batch struct {
	number int // of all, from 0
	name   string
	langs  [2]string
	times  map[[3]string]int  // the sources of each document and target so far
	parts  map[[2]string]bool // the documents and targets with items that are parts of a document
}

// see stores which documents have items that are parts of a document.
func (b *batch) see(items []jsonfile.Value) {
	if b.parts == nil {
		b.parts = map[[2]string]bool{}
	}
	for _, item := range items {
		if item.Key("isCompleteDocument").Kind != 't' {
			b.parts[[2]string{item.Key("documentID").Text, item.Key("targetID").Text}] = true
		}
	}
}

// add adds an item to the spool.
func (r *reading) add(file string, item jsonfile.Value, in batch) error {
	e, p := r.item(file, item, in)
	if p != nil {
		return r.problem(p)
	}
	e.Batch, e.BatchNo, e.Target = in.number, in.name, item.Key("targetID").Text
	piece, err := json.Marshal(e)
	if err == nil {
		err = r.pieces.Add(piece)
	}
	if err != nil {
		return err
	}
	at := place{int32(r.pieces.Len() - 1), int32(in.number)}
	document, source := item.Key("documentID").Text, item.Key("sourceID").Text
	ids := []string{item.Key("itemID").Text}
	if strings.HasPrefix(source, document+"_#_") && source != ids[0] {
		ids = append(ids, source) // as WMT25 exported the scores
	}
	targets := []string{e.Target}
	if len(e.Targets) > 1 {
		targets = append(targets, e.Targets...) // the export has a row for each
	}
	for _, id := range ids {
		for _, target := range targets {
			k := key{id, document, target}
			r.index[k] = append(r.index[k], at)
		}
	}
	return nil
}

// flat divides an item of a pairwise or contrastive campaign into items with one target each and the usual
// keys.
func flat(items []jsonfile.Value) (out []jsonfile.Value) {
	for _, item := range items {
		targets := item.Key("targets")
		if targets.Kind != '[' {
			out = append(out, item)
			continue
		}
		for _, target := range targets.Elems {
			one := jsonfile.Value{Kind: '{', Line: item.Line}
			for _, part := range []struct {
				of    jsonfile.Value
				names []string
			}{
				{item, []string{"documentID", "itemID", "itemType", "isCompleteDocument", "segmentID", "segmentText"}},
				{target, []string{"targetID", "targetText", "mqm"}},
			} {
				for _, name := range part.names {
					v := part.of.Key(name)
					switch name {
					case "segmentID":
						name = "sourceID"
					case "segmentText":
						name = "sourceText"
					}
					one.Keys, one.Elems = append(one.Keys, name), append(one.Elems, v)
				}
			}
			out = append(out, one)
		}
	}
	return out
}

// shortTag turns "eng" into "en".
func shortTag(tag string) string {
	if t, err := language.Parse(tag); err == nil {
		return t.String()
	}
	return tag
}

// item reads an item.
func (r *reading) item(file string, v jsonfile.Value, in batch) (e entry, p *campaign.Problem) {
	text := func(name string) string { return v.Key(name).Text }
	e = entry{File: file, Line: v.Line}
	if v.Kind != '{' {
		return e, v.Problem(file, "items", "must have objects, not %s", v.KindName())
	}
	if why := in.leavesOut(v); why != "" {
		r.note(why, file, v.Line)
		e.LeftOut = true
		return e, nil
	}
	mqm, own := v.Key("mqm"), v.Has("segment_id")
	for _, name := range []string{"sourceText", "targetText", "documentID", "targetID"} {
		if v.Key(name).Kind != '"' && !(name == "documentID" && v.Key(name).IsNull()) {
			return e, v.Key(name).Problem(file, name, "must be a text in double quotes, not %s", v.Key(name).KindName())
		}
	}
	s := &e.Segment
	s.Source, s.Domain, s.DataSource, s.Context, s.Note = text("sourceText"), text("domain"), text("data_source"), text("context"), text("note")
	if strings.TrimSpace(s.Source) == "" {
		return e, v.Problem(file, "sourceText", "is empty; fill in the source text")
	}
	for i, lang := range []struct {
		to   *string
		want string
	}{{&s.SourceLang, r.opt.SourceLang}, {&s.TargetLang, r.opt.TargetLang}} {
		*lang.to = lang.want
		if given := in.langs[i]; lang.want == "" && campaign.CheckLang("", given) == nil {
			*lang.to = given
		} else if lang.want != "" && given != "" && !ingest.SameLang(shortTag(lang.want), shortTag(given)) && base(lang.want) != base(given) {
			return e, v.Problem(file, "task", "the language is %s, and that of the campaign is %s; import it into a campaign of its own",
				quote(given),
				quote(lang.want))
		}
	}
	if v.Has("reference") {
		s.References = []campaign.Reference{{Name: campaign.MainReference, Text: text("reference")}}
	}
	if own {
		e.Systems, s.DocID, s.SegmentID = []string{text("system")}, text("doc_id"), text("segment_id")
	} else {
		r.named(&e, v, in.times)
	}
	for i, name := range append([]string{s.DocID, s.SegmentID}, e.Systems...) {
		most := maxSystem
		if i < 2 {
			most = maxID
		}
		if name == "" || len(name) > most || strings.ContainsFunc(name, unicode.IsControl) {
			return e, v.Problem(file, "documentID",
				"the document, the segment or the system has the name %s, which must have 1 to %d bytes and no control characters", quote(name), most)
		}
	}
	var suggested *protocol.Suggestions
	if mqm.Kind == '{' {
		mqm = mqm.Key("payload")
	}
	if len(mqm.Elems) > 0 && r.p.Spans != nil {
		spans, p := r.spans(file, mqm, text("targetText"), "mqm")
		if p != nil {
			return e, p
		}
		for i := range spans {
			spans[i].ID = fmt.Sprint("s", i+1)
		}
		can, why := exchange.Suggestible(r.p, spans, protocol.Texts{Source: s.Source, Translation: text("targetText")})
		if why != "" {
			r.note("{translation|translations} with given errors left out that annotators could not enter under "+r.p.Name+": "+why, file, v.Line)
		}
		if len(can) > 0 {
			suggested = &protocol.Suggestions{Spans: can}
		}
	}
	for _, system := range e.Systems {
		s.Translations = append(s.Translations, campaign.Translation{System: system, Text: text("targetText"), Suggested: suggested})
	}
	return e, nil
}

func base(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	b, _ := t.Base()
	return b.String()
}

// named finds the ids of a segment and the systems of an item that Appraise's tools wrote.
func (r *reading) named(e *entry, v jsonfile.Value, times map[[3]string]int) {
	document, source := v.Key("documentID").Text, v.Key("sourceID").Text
	for _, part := range strings.Split(v.Key("targetID").Text, "+") {
		target := part
		if source != "" {
			target = strings.TrimPrefix(target, source+".")
		}
		if !slices.Contains(e.Systems, target) {
			e.Systems, e.Targets = append(e.Systems, target), append(e.Targets, part)
		}
	}
	if parts := strings.SplitN(v.Key("_item").Text, " | ", 3); len(parts) == 3 && len(e.Systems) == 1 && parts[1] != "" && parts[2] != "" {
		e.Systems, e.Segment.SegmentID, e.Segment.DocID = parts[:1], parts[1], parts[2]
		return
	}
	for _, system := range append([]string{v.Key("targetID").Text, strings.Join(e.Systems, "+")}, e.Systems...) {
		document = strings.TrimSuffix(document, "#"+system)
	}
	if parts := strings.Split(document, "_#_"); len(parts) == 3 {
		e.Segment.Domain = parts[1] // of WMT: PAIR_#_DOMAIN_#_NAME
	}
	if segment, ok := strings.CutPrefix(source, document+"_#_"); ok && document != "" && segment != "" {
		e.Segment.DocID, e.Segment.SegmentID = document, segment
		return
	}
	block := [3]string{v.Key("documentID").Text, v.Key("targetID").Text, v.Key("sourceText").Text}
	times[block]++
	n := numbered{document, v.Key("sourceText").Text, times[block]}
	if r.numbers[n] == 0 {
		r.last[document]++
		r.numbers[n] = r.last[document]
	}
	e.Segment.SegmentID = fmt.Sprint(r.numbers[n])
	e.Segment.DocID = cmp.Or(document, e.Segment.SegmentID)
}

// numbered identifies the segments without an id that are numbered together.
type numbered struct {
	document, source string
	nth              int
}
