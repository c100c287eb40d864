package esa

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"annotate/internal/campaign"
)

// A batchItem is an item of a batch.
type batchItem struct {
	Source string `json:"sourceText"`
	Target string `json:"targetText"`
	Type   string `json:"itemType"`
	Name   any    `json:"_item"` // not a text for items of a tutorial
}

// maxItem is the largest size of an item in bytes.
const maxItem = 16 << 20

var errTooLarge = errors.New("an item is larger than 16 MB, the most that is read")

// A limit is a reader that fails after some bytes.
type limit struct {
	io.Reader
	left int
}

func (l *limit) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.Reader.Read(b[:min(len(b), l.left)])
	l.left -= n
	return n, err
}

// batches keeps the texts of a file of batches.
func (r *reader) batches(name string, in io.Reader) bool {
	limited := &limit{in, maxItem}
	d := json.NewDecoder(limited)
	n := 0
	err := eachOf(d, '[', func() error {
		return eachOf(d, '{', func() error {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if key != "items" {
				var other json.RawMessage
				return d.Decode(&other)
			}
			return eachOf(d, '[', func() error {
				limited.left = maxItem
				var raw json.RawMessage
				if err := d.Decode(&raw); err != nil {
					return err
				}
				n++
				return r.keep(name, n, raw)
			})
		})
	})
	var bad *campaign.Problem
	switch {
	case err == nil && n == 0:
		return r.refuse(name, 0, "", `has no items; it must be the batches that were rated: [{"items": [{"sourceText": "…", "targetText": "…", "_item": "SYSTEM | SEGMENT | DOCUMENT"}]}]`)
	case err == nil:
		return true
	case errors.As(err, &bad):
		return r.yield(campaign.SegmentLine{}, bad)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return r.refuse(name, 0, "", "the file ends in the middle, after %d items; fetch it again", n)
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok || errors.Is(err, errTooLarge) || errors.Is(err, errOther) {
		return r.refuse(name, 0, fmt.Sprintf("items[%d]", n), "is no file of batches: %v; choose the batches that were rated", err)
	}
	r.yield(campaign.SegmentLine{}, fmt.Errorf("read %s: %w", name, err))
	return false
}

var errOther = errors.New("it must be an array of objects with items")

// eachOf calls do for each element of an array or each key of an object.
func eachOf(d *json.Decoder, of json.Delim, do func() error) error {
	first, err := d.Token()
	if err != nil {
		return err
	}
	if first != of {
		return errOther
	}
	for d.More() {
		if err := do(); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// keep keeps the texts of an item that names its translation.
func (r *reader) keep(file string, n int, raw json.RawMessage) error {
	bad := func(msg string) error {
		return &campaign.Problem{File: file, Field: fmt.Sprintf("items[%d]", n-1), Msg: msg}
	}
	if !utf8.Valid(raw) {
		return bad("is not UTF-8; save the file as UTF-8")
	}
	var i batchItem
	if err := json.Unmarshal(raw, &i); err != nil {
		return bad("must be an object with the texts sourceText and targetText")
	}
	name, _ := i.Name.(string)
	parts := strings.Split(name, " | ")
	if i.Type == "BAD" || len(parts) != 3 {
		return nil
	}
	if strings.TrimSpace(i.Source) == "" || strings.Contains(i.Source+i.Target, "\x00") {
		return bad("has an empty source, or the character U+0000, which cannot be stored")
	}
	of := item{parts[1], parts[2], parts[0]}
	if !of.named() {
		return bad("_item must have names of 1 to 200 printable characters, as in SYSTEM | SEGMENT | DOCUMENT")
	}
	if _, known := r.index[of]; known {
		return nil // several people rate the same item, in several batches
	}
	r.index[of] = r.texts.Len()
	piece, err := json.Marshal([2]string{i.Source, i.Target})
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
