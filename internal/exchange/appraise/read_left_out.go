package appraise

import (
	"regexp"
	"strings"

	"annotate/internal/exchange/jsonfile"
)

// checkMark ends the documentID of an item that checks annotators.
var checkMark = regexp.MustCompile(`#(bad|duplicate)[0-9]*$`)

// leavesOut returns the note on an item that the import leaves out, with its rows: an item of a tutorial, an item that
// checks annotators, or a whole document whose parts are items too. For any other item the note is empty.
//
// Package esa has a rule of its own for the batches that it takes texts from.
func (b batch) leavesOut(v jsonfile.Value) (note string) {
	document, kind, own := v.Key("documentID").Text, v.Key("itemType").Text, v.Has("segment_id")
	_, item, _ := strings.Cut(v.Key("_item").Text, " | ")
	tutorial := v.Key("mqm").Kind == '{' && v.Key("mqm").Has("tutorial") || !own && item == "" && strings.Contains(document, "tutorial")
	check := kind != "TGT" && kind != "" || !own && checkMark.MatchString(document) || v.Key("duplicate").Kind == 't'
	whole := v.Key("isCompleteDocument").Kind == 't' && b.parts[[2]string{document, v.Key("targetID").Text}]
	switch {
	case tutorial:
		return "{item|items} of tutorials left out"
	case check:
		return "{item|items} that check annotators (BAD, REF, CHK, #bad, #duplicate) left out"
	case whole:
		return "{item|items} that {is a whole document|are whole documents} left out"
	}
	return ""
}
