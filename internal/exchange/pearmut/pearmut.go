// Package pearmut reads and writes the files of Pearmut: campaigns, which are JSON files, and logs of
// annotations, which have one JSON object a line. Either kind can be read alone, since a log contains the
// texts.
//
// # Campaign
//
// One JSON object. Before Pearmut has loaded it, "data" lists tasks of documents of items (assignment task-based) or documents of
// items (single-stream, dynamic); afterwards a task-based campaign has an object of tasks by user. All of these are read:
//
//	campaign_id   name. One that begins with a language pair such as eng_Latn---zho_Hans, as at WMT26, is compared with that of the import
//	info          protocol (DA, ESA, cESA or MQM), sliders, textfield and special_tokens are used. This package adds source_lang, target_lang,
//	              and system_names, the names of systems that are renamed in the file.
//	data          documents of items
//	data_welcome  tutorials and forms, which are left out
//	data_random   attention checks, which are left out
//
// An item is a segment:
//
//	item_id      DOCUMENT_#_SEGMENT, divided at the last "_#_", or DOMAIN_###_DOCUMENT_###_SEGMENT of WMT26. Any other id is that of the segment, and the first
//	             id of the document is that of the document. Without ids documents and their segments are numbered. Before
//	             version 0.3.3 the key is doc_id.
//	src, ref     source and reference. If the source is audio, video or a picture, src_text is its text
//	tgt          {"system": "text"}; in versions before 0.3, a text or an array of texts, whose systems are in models, model or sys_id.
//	             Without these the systems are candidate_0 and so on, by their place in the item
//	langs        a language pair such as en-de, which some campaigns have on their items
//	error_spans  {"system": [span]}, shown to annotators, who keep, change or remove them; an array in versions before 0.3
//	validation   an item with it is a tutorial or a check of attention, and is left out
//
// Pearmut keeps other keys of items. This package also writes and reads the keys doc_id, segment_id, domain,
// data_source, references, context, note, term and explication of the format jsonl.
//
// A span has start_i, end_i, severity and category. Both offsets are numbers of elements, and the element
// end_i is part of the span. A text has one element for each UTF-16 unit, and one for each special token,
// which is [missing] unless info says otherwise. Line breaks have no element. From commit f993fb7 on, the
// tags br, strong, b, i, p, em, h1, h2 and h3 without attributes have no element either. A file does not say
// which counting it uses. For translations with such tags, the reader uses the counting by which more spans
// begin and end between words, or the later one if there are equally many. If the spans of a translation fit
// only the other counting, the reader uses that one. A span of a special token is an empty span at the end of
// the translation. A token other than [missing] becomes the comment of the error; if the campaign is not
// there, the comment is the number of the token. A category is "Main/Sub", or "Main/Main" without a
// subcategory.
//
// # Log
//
// Pearmut writes data/annotations/CAMPAIGN.jsonl, and before version 1.1 data/outputs/CAMPAIGN.jsonl. A download is
// one object with the lines of each campaign in an array, {"CAMPAIGN": [line]}. A line is what a user submitted for a
// document:
//
//	user_id     name of the annotator. If it is no valid login, a login is made of it.
//	item_i      number of the document, or welcome_0, random_0 and so on, which are left out
//	item        the items of the document; in version 0.1, an object that has them as payload
//	annotation  for each item {"system": {"score", "sliders", "error_spans", "textfield"}}, or null. In versions before 0.3 the key is annotations, and
//	            an item has an array, or the annotation of its only translation.
//	            "__RESET__" voids the earlier lines of the user with the same item_i. Otherwise the last of these counts
//	            for each system, since a dynamic campaign shows a document again with other systems.
//	actions     [{"time", "action", "index", "model"}] in seconds since 1970; before version 0.3, candidate instead of model, or neither
//	comment     on the document
//
// A translation is rated if it has its score, all sliders, or an error. If the protocol has exactly one
// score, the score becomes that one. Sliders become the scores of the same names. The ratings were submitted
// at the time of the last action. The time between two actions, at most 60 seconds, is active time on the
// translation of the second action or, if that has none, of the first. The text of a text field is the
// comment of a rating, unless it is the translation, which Pearmut puts there for post-editing. The comment
// on a document becomes a comment of its first rating.
//
// This package adds the exact seconds and submitted_at to the annotation of a translation, round to a line,
// and comment, id and, if there is no category, subcategory to spans. The id of a span is that of its
// suggestion.
//
// # Written
//
// A zip archive with CAMPAIGN.json, a single-stream campaign that Pearmut loads, and
// annotations/CAMPAIGN.jsonl, a line for each document, annotator and round. A document is divided where its
// segments do not follow each other or their systems differ, since Pearmut shuffles the systems of a
// document.
package pearmut

import (
	"bytes"
	"errors"

	"annotate/internal/exchange"
	"annotate/internal/exchange/jsonfile"
	"annotate/internal/format"
)

// Format is the format of Pearmut.
var Format = exchange.Format{
	ID: format.Pearmut,
	Carries: []exchange.Part{
		exchange.Documents, exchange.Domains, exchange.Reference, exchange.References, exchange.Contexts, exchange.Suggestions,
		exchange.Ratings, exchange.Scores, exchange.SeveralScores, exchange.Errors, exchange.Categories, exchange.Comments,
		exchange.ErrorComments,
		exchange.Outcomes, exchange.Rounds, exchange.Times, exchange.Seconds,
	},
	Is:    exchange.Each(func(h exchange.Head) bool { return kindOf(h.Bytes) != unknown }),
	Of:    protocolOf,
	Read:  read,
	Write: write,
}

// A kind is a kind of file.
type kind int

const (
	unknown kind = iota
	isCampaign
	isLog
	isDownload // a log in one object
)

// isLine reports whether a key begins a line of a log, in a file that has other keys too.
func isLine(key string, holds func(string) bool) bool {
	switch key {
	case "annotation", "user_id", "item_i":
		return holds("annotation") || holds("annotations")
	}
	return key == "annotations" && holds("error_spans")
}

// kindOf recognises a file by its beginning.
func kindOf(head []byte) (k kind) {
	r := jsonfile.NewReader(bytes.NewReader(head), "", 0)
	holds := func(key string) bool { return bytes.Contains(head, []byte(`"`+key+`"`)) }
	done := errors.New("recognised")
	is := func(x kind) error {
		k = x
		return done
	}
	first := true
	_ = r.Members(func(key string) error {
		c, err := r.Peek()
		if err != nil {
			return err
		}
		switch {
		case first && isLine(key, holds):
			return is(isLog)
		case key == "info" && c == '{' && holds("assignment"), key == "data" && (c == '[' || c == '{') && holds("tgt"),
			key == "data_welcome" && c == '[' && (holds("tgt") || holds("form")):
			return is(isCampaign)
		case c == '[':
			return r.Elements(func() error {
				if c, err := r.Peek(); err != nil || c != '{' {
					return done
				}
				return r.Members(func(key string) error {
					if isLine(key, holds) {
						return is(isDownload)
					}
					return done
				})
			})
		}
		first = false
		return r.Skip()
	})
	return k
}
