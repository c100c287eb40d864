// Package rate reads the format "rate" of published annotations under the protocol RATE. Package export
// writes it.
//
// A file has one rating a line, as a JSON object:
//
//	annotator       login, required
//	adjudicated     true: the rating of an adjudicator, which belongs to no round
//	doc_id          id of the document; default: doc_num
//	doc_num         number of the document
//	line_id         id of the segment in its document, required
//	domain          e.g. "news"
//	system          name, required
//	source          text, required, more than white space
//	translation     text, required, "" for an empty translation
//	score_accuracy  whole number from 0 to 100, required
//	score_fluency   the same
//	spans           error spans as in the format "ratings", see package ingest
//	rate, rate_mqm, rate_esa
//	                the scores that derive from the spans and the scores
//
// The lines of a segment may be anywhere in the files. The derived scores are computed anew; a note counts those that
// differ. Other keys, such as the scores of other qualities in published data, are ignored and noted.
//
// In published data line_id is the number of the line in the whole test set. Package export writes the
// position in the document. An export has the line_id and doc_num of the import if they count from 1 without
// gaps.
package rate

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strconv"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/format"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
)

// Format is the format "rate".
var Format = exchange.Format{
	ID: format.RATE,
	Carries: []exchange.Part{
		exchange.Documents, exchange.Domains, exchange.Ratings, exchange.Scores, exchange.SeveralScores, exchange.Errors, exchange.SourceErrors,
		exchange.Categories, exchange.ErrorComments, exchange.Links, exchange.Adjudications,
	},
	Is:   exchange.Each(is),
	Of:   func([]exchange.File, ingest.Options) (string, error) { return "rate", nil },
	Read: read,
}

// is reports whether the first object of a file has the keys that place a rating. The object may be cut off.
func is(h exchange.Head) bool {
	in := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(h.Bytes, []byte("\ufeff"))))
	if first, err := in.Token(); err != nil || first != json.Delim('{') {
		return false
	}
	var keys []string
	for in.More() {
		key, err := in.Token()
		if err != nil {
			break
		}
		name, _ := key.(string)
		keys = append(keys, name)
		var value json.RawMessage
		if in.Decode(&value) != nil {
			break
		}
	}
	return !slices.ContainsFunc([]string{"annotator", "line_id", "system"}, func(key string) bool { return !slices.Contains(keys, key) })
}

func read(files []exchange.File, p *protocol.Protocol, opt ingest.Options) iter.Seq2[campaign.SegmentLine, error] {
	return inOrder(exchange.Unite(ratings(files, p, opt), opt.Notes), opt.Notes)
}

// ratings yields a segment with one rating for each line of the files.
func ratings(files []exchange.File, p *protocol.Protocol, opt ingest.Options) iter.Seq2[campaign.SegmentLine, error] {
	return exchange.Lines(func(yield func(campaign.SegmentLine, error) error) error {
		for _, f := range files {
			opt.File = f.Name
			err := f.Read(func(in io.Reader) error {
				for line, err := range ingest.Rate(in, p, opt) {
					if err := yield(line, err); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// inOrder notes segments that come after a later one of their document.
func inOrder(segments iter.Seq2[campaign.SegmentLine, error], notes *ingest.Notes) iter.Seq2[campaign.SegmentLine, error] {
	return func(yield func(campaign.SegmentLine, error) bool) {
		last := map[string]int{}
		for line, err := range segments {
			if n, bad := strconv.Atoi(line.Segment.SegmentID); err == nil && bad == nil {
				if n < last[line.Segment.DocID] {
					notes.Add("{segment that comes|segments that come} after one with a higher line_id in {its|their} document, "+
						"kept in the order of the file", line.File, line.Line)
				}
				last[line.Segment.DocID] = n
			}
			if !yield(line, err) {
				return
			}
		}
	}
}
