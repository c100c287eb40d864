package esa

import (
	"encoding/json"
	"io"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/exchange/jsonfile"
	"annotate/internal/ingest"
	"annotate/internal/wording"
)

// batches stores the texts of a file of batches. An error in the file ends the reading, since texts are
// missing then.
func (r *reader) batches(name string, file io.Reader) error {
	in := jsonfile.NewReader(file, name, r.opt.MaxLine)
	n := 0
	err := in.Elements(func() error {
		return in.Members(func(key string) error {
			if key != "items" {
				return in.Skip()
			}
			return in.Elements(func() error {
				v, err := in.Value()
				if err != nil {
					return err
				}
				n++
				return r.keep(name, v)
			})
		})
	})
	if err == nil {
		err = in.End()
	}
	if err == nil && n == 0 {
		return r.refuse(&campaign.Problem{File: name, Msg: `has no items; it must be the batches that were rated: ` +
			`[{"items": [{"sourceText": "…", "targetText": "…", "_item": "SYSTEM | SEGMENT | DOCUMENT"}]}]`})
	}
	return err
}

// keep stores the texts of an item that names its translation. It leaves out items of tutorials, which have no _item, and
// BAD items, whose texts are degraded and whose _item is that of the translation. The rows of BAD items are left out in
// [reader.row].
func (r *reader) keep(file string, v jsonfile.Value) error {
	name := v.Key("_item")
	parts := strings.Split(name.Text, " | ")
	if name.Kind != '"' || len(parts) != 3 || v.Key("itemType").Text == "BAD" {
		return nil
	}
	of := item{parts[1], parts[2], parts[0]}
	if !of.named() {
		return name.Problem(file, "_item", "must have names of 1 to 200 printable characters, as in SYSTEM | SEGMENT | DOCUMENT; correct it")
	}
	source, target := v.Key("sourceText"), v.Key("targetText")
	for _, text := range []struct {
		jsonfile.Value
		field string
	}{{source, "sourceText"}, {target, "targetText"}} {
		if text.Kind != '"' {
			return v.Problem(file, text.field, "must be a text in double quotes; correct it")
		}
	}
	if strings.TrimSpace(source.Text) == "" {
		return source.Problem(file, "sourceText", "empty; give the source text")
	}
	if n, known := r.index[of]; known { // several people rate the same item, in several batches
		earlierSource, earlierTarget, err := r.textsAt(n)
		if err != nil {
			return err
		}
		for _, text := range []struct{ field, now, earlier string }{{"sourceText", source.Text, earlierSource}, {"targetText", target.Text, earlierTarget}} {
			if text.now != text.earlier {
				p := v.Problem(file, text.field, "is %s, and an earlier item %s has %s; correct one of them, or leave out the wrong file",
					wording.Quote(text.now), wording.Quote(name.Text), wording.Quote(text.earlier))
				p.Kind = ingest.Contradiction
				return p
			}
		}
		return nil
	}
	r.index[of] = r.texts.Len()
	piece, err := json.Marshal([2]string{source.Text, target.Text})
	if err != nil {
		return err
	}
	return r.texts.Add(piece)
}

// textsAt returns the texts of an item.
func (r *reader) textsAt(n int) (source, target string, err error) {
	piece, err := r.texts.At(n)
	if err != nil {
		return "", "", err
	}
	var texts [2]string
	err = json.Unmarshal(piece, &texts)
	return texts[0], texts[1], err
}
