// Package appraise reads and writes the files of Appraise for ESA, MQM and direct assessment: batches with
// the texts, and score files with their annotations.
//
// # Batches
//
// A JSON array of batches, {"items": […], "task": {"batchNo", "sourceLanguage", "targetLanguage"}}. An item is a translation of
// a segment:
//
//	itemID      number of the item in its batch
//	documentID  DOCUMENT#SYSTEM, at most 100 characters; #bad and #duplicate with a number after it mark checks
//	sourceID    name of the test set
//	targetID    SOURCEID.SYSTEM; several systems with the same translation are joined with "+"
//	itemType    TGT; BAD, REF and CHK are checks, which are left out
//	sourceText  source
//	targetText  translation
//	_item       "SYSTEM | SEGMENT | DOCUMENT". In files without it segments are numbered by their sources
//	mqm         errors to show to annotators; an item with an object, which is a tutorial, is left out
//
// This package also writes and reads keys that Appraise ignores: system, doc_id, segment_id, domain,
// data_source, reference, context, note and duplicate of an item, and source_lang and target_lang of a task.
//
// An item of a pairwise or contrastive campaign has segmentID, segmentText and targets, each with targetID
// and targetText. In a campaign without documents, which has no documentID, each segment is a document. An
// item with isCompleteDocument that follows the parts of its document is left out. In batches of WMT25 all
// items have isCompleteDocument, documents have ids such as PAIR_#_DOMAIN_#_NAME, and sourceID adds "_#_" and
// the segment.
//
// # Scores
//
// CSV without a header: login, targetID, itemID, itemType, source and target language, score, documentID,
// isCompleteDocument, errors (JSON), start and end (seconds since 1970), and in newer files batchNo and the
// number of the item in the database. Campaigns without documents lack documentID and isCompleteDocument, and
// campaigns without errors lack errors. Pairwise campaigns add the index of the target. WMT25 has sourceID
// instead of itemID, or sourceID before targetID. A file with a header is the dump of all results, in which
// errors are not quoted.
//
// A row belongs to the item with its itemID, documentID and targetID. An item with several systems has one
// row, or one for each system. If several batches have such an item with different texts, the row belongs to
// the batch with its batchNo, or else to the batch with most rows of the login. If a login has several rows
// for an item, the row with the latest end counts. The rating was submitted at end, and its active time is
// the time from start to end.
//
// JSON lines of ExportSystemScoresToJSONL have the same data and the texts: annotator, source_id,
// source_text, target_id, target_text, score, mqm_annotations, item_id, item_type, source_language,
// target_language, document_id, is_complete_document, start_time, end_time and batch_number. If there are
// several targets, they are in an array targets.
//
// # Published
//
// JSON lines with the published ratings of WMT23 to WMT25, a line for each segment:
//
//	doc_id    PAIR_#_DOMAIN_#_NAME_#_SEGMENT. Other ids are divided at the last "_#_"
//	src_text  source
//	tgt_text  {"system": "text"}. refA and so on are references, and systems where they are rated
//	scores    {"system": [{"score", "annotator", "errors", "times"}]}, where times are start and end. In earlier files score is human, and the array is an
//	          object, which may have human1, errors1, annotator1, times1, human2 and so on. Its other numbers are scores of metrics. A score
//	          without annotator and errors is no rating but a human score
//
// # Errors
//
// An error has start_i, end_i, severity and error_type, which is null, a text, or ["Category",
// "Subcategory"]. Offsets count UTF-16 units of the translation without white space at its ends, and the unit
// end_i is part of the error. A line break is a unit, as in Appraise 17c319c; the page of 00c1d4a does not
// count line breaks. If an offset is "missing", or start_i is after the end of the translation, the error is
// an empty span at the end of the translation.
//
// # Written
//
// A zip archive with manifest.json, batches.json and scores.csv. Each batch has 100 items. Repeated items
// fill up the last one.
package appraise

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"

	"annotate/internal/exchange"
	"annotate/internal/format"
)

// Format is the format of Appraise.
var Format = exchange.Format{
	ID: format.Appraise,
	Carries: []exchange.Part{
		exchange.Documents, exchange.Domains, exchange.Reference, exchange.Contexts, exchange.Suggestions, exchange.Ratings, exchange.Scores,
		exchange.Errors, exchange.Categories, exchange.Outcomes, exchange.Times, exchange.Seconds,
	},
	Is:    is,
	Of:    protocolOf,
	Read:  read,
	Write: write,
}

// A kind is a kind of file.
type kind int

const (
	unknown kind = iota
	isBatches
	isScores
	isDump
	isManifest
	isLines
	isWMT
)

const dumpHeader = "taskID,systemID,username,"

var itemTypes = []string{"TGT", "BAD", "REF", "CHK"}

func kindOf(head []byte) kind {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	holds := func(key string) bool { return bytes.Contains(head, []byte(`"`+key+`"`)) }
	start := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(start) > 0 && start[0] == '[' && bytes.HasPrefix(bytes.TrimLeft(start[1:], " \t\r\n"), []byte("{")) &&
		(holds("items") || holds("task")) &&
		(holds("targetID") || holds("documentID") || holds("batchNo")):
		return isBatches
	case len(start) > 0 && start[0] == '{' && holds("CAMPAIGN_NAME") && holds("TASKS_TO_ANNOTATORS"):
		return isManifest
	case bytes.HasPrefix(start, []byte(dumpHeader)):
		return isDump
	}
	if len(start) > 0 && start[0] == '{' {
		switch {
		case holds("annotator") && holds("source_id") && holds("source_text"):
			return isLines
		case looksPublished(head):
			return isWMT
		}
		return unknown
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if at := typeAt(split(string(line), 5)); at >= 0 {
		// Errors, which may go on behind the head, follow these.
		f := split(string(line), at+6)
		if len(f) == at+6 && isNumber(f[at+3]) && isBool(f[at+5]) || withoutDocuments.Match(line) {
			return isScores
		}
	}
	return unknown
}

// withoutDocuments matches the beginning of a row of a campaign without documents, where errors or times
// follow the score.
var withoutDocuments = regexp.MustCompile(`^(?:[^,]*,){3,4}(?:TGT|BAD|REF|CHK),[A-Za-z-]+,[A-Za-z-]+,[0-9.]+,(?:"?[\[{]|[0-9.]+,[0-9.]+)`)

// typeAt is the index of the column with the type of the item, or -1. WMT25 has one more column before the
// target.
func typeAt(columns []string) int {
	at := slices.IndexFunc(columns, func(s string) bool { return slices.Contains(itemTypes, s) })
	if at != 3 && at != 4 {
		return -1
	}
	return at
}

func isBool(s string) bool { return s == "True" || s == "False" }

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

func is(files []exchange.Head) bool {
	found := false
	for _, f := range files {
		k := kindOf(f.Bytes)
		if k == unknown {
			return false
		}
		found = found || k != isManifest
	}
	return found
}

// split returns at most most fields of a line of CSV. It returns nil if a quoted field does not end.
func split(line string, most int) (out []string) {
	for len(out) < most {
		if len(line) == 0 || line[0] != '"' {
			end := bytes.IndexByte([]byte(line), ',')
			if end < 0 {
				return append(out, line)
			}
			out, line = append(out, line[:end]), line[end+1:]
			continue
		}
		var field []byte
		i := 1
		for ; i < len(line); i++ {
			if line[i] == '"' {
				if i+1 == len(line) || line[i+1] != '"' {
					break
				}
				i++
			}
			field = append(field, line[i])
		}
		if i >= len(line) {
			return nil
		}
		out = append(out, string(field))
		if line = line[i+1:]; line == "" {
			return out
		}
		if line[0] != ',' {
			return nil
		}
		line = line[1:]
	}
	return out
}
