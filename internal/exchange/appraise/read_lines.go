package appraise

import (
	"errors"
	"io"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/exchange/jsonfile"
)

// asItem names the keys of a batch that a line of ExportSystemScoresToJSONL has by another name.
var asItem = [][2]string{
	{"itemID", "item_id"}, {"itemType", "item_type"}, {"documentID", "document_id"}, {"isCompleteDocument", "is_complete_document"},
	{"sourceID", "source_id"}, {"sourceText", "source_text"}, {"targetID", "target_id"}, {"targetText", "target_text"},
}

// eachLine calls do for each line, with a row for each of its targets. A line that cannot be read comes as a
// problem alone.
func eachLine(in *jsonfile.Reader, file string, do func(line jsonfile.Value, rows []row, p *campaign.Problem) error) error {
	for {
		v, err := in.Next()
		if err == io.EOF {
			return nil
		}
		p, refused := errors.AsType[*campaign.Problem](err)
		if err != nil && !refused {
			return err
		}
		var rows []row
		for _, item := range itemsOf(v) {
			x := row{file: file, line: v.Line, login: v.Key("annotator").Text, batch: v.Key("batch_number").Text, kind: item.Key("itemType").Text}
			x.key = key{item.Key("itemID").Text, item.Key("documentID").Text, item.Key("targetID").Text}
			x.score, x.start, x.end = item.Key("score").Text, item.Key("start_time").Text, item.Key("end_time").Text
			if x.errors = item.Key("mqm_annotations").Text; x.start == "" || x.end == "" {
				x.start, x.end = "0", "0"
			}
			if !item.Has("score") {
				continue // the item has no such target
			}
			rows = append(rows, x)
		}
		if err := do(v, rows, p); err != nil {
			return err
		}
	}
}

// itemsOf turns a line into items of a batch.
func itemsOf(line jsonfile.Value) (out []jsonfile.Value) {
	targets := line.Key("targets").Elems
	if !line.Has("targets") {
		targets = []jsonfile.Value{{}}
	}
	for _, target := range targets {
		item := jsonfile.Value{Kind: '{', Line: line.Line}
		set := func(name string, v jsonfile.Value) {
			item.Keys, item.Elems = append(item.Keys, name), append(item.Elems, v)
		}
		find := func(name string) jsonfile.Value {
			if target.Has(name) {
				return target.Key(name)
			}
			return line.Key(name)
		}
		for _, names := range asItem {
			v := find(names[1])
			if names[0] == "itemID" && target.Has("segment_id") {
				v = target.Key("segment_id")
			}
			set(names[0], v)
		}
		for _, name := range []string{"score", "mqm_annotations", "start_time", "end_time"} {
			set(name, find(name))
		}
		out = append(out, item)
	}
	return out
}

// lines adds the items of a file of ExportSystemScoresToJSONL to the spool, each once for a batch.
func (r *reading) lines(f exchange.File) error {
	batches := map[[2]string]batch{}
	of := func(line jsonfile.Value) [2]string {
		return [2]string{line.Key("campaign_name").Text, line.Key("batch_number").Text}
	}
	each := func(do func(line jsonfile.Value, p *campaign.Problem) error) error {
		return open(f, r.opt.MaxLine, func(in *jsonfile.Reader) error {
			return eachLine(in, f.Name, func(line jsonfile.Value, _ []row, p *campaign.Problem) error { return do(line, p) })
		})
	}
	err := each(func(line jsonfile.Value, p *campaign.Problem) error {
		if p != nil {
			return r.problem(p)
		}
		in, known := batches[of(line)]
		if !known {
			in = batch{number: r.batchCount, name: of(line)[1], times: map[[3]string]int{}, parts: map[[2]string]bool{},
				langs: [2]string{shortTag(line.Key("source_language").Text), shortTag(line.Key("target_language").Text)}}
			batches[of(line)] = in
			r.batchCount++
		}
		in.see(itemsOf(line))
		return nil
	})
	if err != nil {
		return err
	}
	type itemOf struct {
		batch int
		key   key
	}
	seen := map[itemOf]bool{}
	return each(func(line jsonfile.Value, p *campaign.Problem) error {
		if p != nil {
			return nil // already reported
		}
		in := batches[of(line)]
		for _, item := range itemsOf(line) {
			k := itemOf{in.number, key{item.Key("itemID").Text, item.Key("documentID").Text, item.Key("targetID").Text}}
			if seen[k] || !item.Has("targetText") {
				continue
			}
			seen[k] = true
			if err := r.add(f.Name, item, in); err != nil {
				return err
			}
		}
		return nil
	})
}
