package appraise

import (
	"encoding/json"
	"fmt"
	"regexp"
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

// A key identifies an item, but for the batch.
type key struct{ item, document, target string }

// An entry is an item of a batch as the spool has it.
type entry struct {
	File    string
	Line    int
	Batch   int // of all, from 0
	BatchNo string
	Left    bool // it is a tutorial or a check
	Systems []string
	Segment campaign.Segment // with one translation for each system
}

var checkMark = regexp.MustCompile(`#(bad|duplicate)[0-9]*$`)

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
		times := map[[2]string]int{}
		for _, item := range b.Key("items").Elems {
			e, p := r.item(file, item, langs, times)
			if p != nil {
				if err := r.problem(p); err != nil {
					return err
				}
				continue
			}
			e.Batch, e.BatchNo = r.batchCount, task.Key("batchNo").Text
			piece, err := json.Marshal(e)
			if err == nil {
				err = r.pieces.Add(piece)
			}
			if err != nil {
				return err
			}
			k := key{item.Key("itemID").Text, item.Key("documentID").Text, item.Key("targetID").Text}
			r.index[k] = append(r.index[k], place{int32(r.pieces.Len() - 1), int32(r.batchCount)})
		}
		r.batchCount++
		return nil
	})
	if err != nil {
		return err
	}
	return in.End()
}

// shortTag makes "en" of "eng".
func shortTag(tag string) string {
	if t, err := language.Parse(tag); err == nil {
		return t.String()
	}
	return tag
}

// item reads an item. times counts the sources of each document of a batch.
func (r *reading) item(file string, v jsonfile.Value, langs [2]string, times map[[2]string]int) (e entry, p *campaign.Problem) {
	text := func(name string) string { return v.Key(name).Text }
	e = entry{File: file, Line: v.Line}
	if v.Kind != '{' {
		return e, v.Problem(file, "items", "must have objects, not %s", v.KindName())
	}
	mqm, document, own := v.Key("mqm"), text("documentID"), v.Has("segment_id")
	_, item, _ := strings.Cut(text("_item"), " | ")
	switch {
	case mqm.Kind == '{' && mqm.Has("tutorial") || !own && item == "" && strings.Contains(document, "tutorial"):
		e.Left = true
		r.note("{item|items} of tutorials left out", file, v.Line)
	case !own && checkMark.MatchString(document) || text("itemType") != "TGT" && text("itemType") != "" || v.Key("duplicate").Kind == 't':
		e.Left = true
		r.note("{item|items} that check annotators (BAD, REF, CHK, #bad, #duplicate) left out", file, v.Line)
	}
	if e.Left {
		return e, nil
	}
	for _, name := range []string{"sourceText", "targetText", "documentID", "targetID"} {
		if v.Key(name).Kind != '"' {
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
		if lang.want == "" && campaign.CheckLang("", langs[i]) == nil {
			*lang.to = langs[i]
		} else if lang.want != "" && langs[i] != "" && !ingest.SameLang(shortTag(lang.want), shortTag(langs[i])) && base(lang.want) != base(langs[i]) {
			return e, v.Problem(file, "task", "the language is %s, and that of the campaign is %s; import it into a campaign of its own", quote(langs[i]),
				quote(lang.want))
		}
	}
	if v.Has("reference") {
		s.References = []campaign.Reference{{Name: campaign.MainReference, Text: text("reference")}}
	}
	if own {
		e.Systems, s.DocID, s.SegmentID = []string{text("system")}, text("doc_id"), text("segment_id")
	} else {
		r.named(&e, v, times)
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
func (r *reading) named(e *entry, v jsonfile.Value, times map[[2]string]int) {
	document, source := v.Key("documentID").Text, v.Key("sourceID").Text
	for _, target := range strings.Split(v.Key("targetID").Text, "+") {
		if source != "" {
			target = strings.TrimPrefix(target, source+".")
		}
		if !slices.Contains(e.Systems, target) {
			e.Systems = append(e.Systems, target)
		}
	}
	if parts := strings.SplitN(v.Key("_item").Text, " | ", 3); len(parts) == 3 && len(e.Systems) == 1 && parts[1] != "" && parts[2] != "" {
		e.Systems, e.Segment.SegmentID, e.Segment.DocID = parts[:1], parts[1], parts[2]
		return
	}
	for _, system := range append([]string{v.Key("targetID").Text, strings.Join(e.Systems, "+")}, e.Systems...) {
		document = strings.TrimSuffix(document, "#"+system)
	}
	block := [2]string{v.Key("documentID").Text, v.Key("sourceText").Text}
	times[block]++
	n := numbered{document, v.Key("sourceText").Text, times[block]}
	if r.numbers[n] == 0 {
		r.last[document]++
		r.numbers[n] = r.last[document]
	}
	e.Segment.DocID, e.Segment.SegmentID = document, fmt.Sprint(r.numbers[n])
}

// numbered is what segments without an id have in common.
type numbered struct {
	document, source string
	nth              int
}
