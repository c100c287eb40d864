package store

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
)

// merge holds a line against the segment that is in the campaign, adds the
// translations it lacks, and returns the ratings of the line.
func (im *segmentImport) merge(line campaign.SegmentLine, seg storedSegment) ([]ratedTarget, error) {
	before := im.problems.Count()
	im.sameText(place{line.File, line.Line}, "source", line.Segment.Source, seg.source)
	var fresh []campaign.Translation
	for _, t := range line.Segment.Translations {
		if known, ok := seg.translations[t.System]; ok {
			im.sameText(place{line.File, line.LineOf(campaign.Row{System: t.System})}, "translations."+t.System, t.Text, known.text)
		} else {
			fresh = append(fresh, t)
		}
	}
	if len(fresh) > 0 {
		if err := im.addTranslations(line, &seg, fresh); err != nil {
			return nil, err
		}
	}
	if im.problems.Count() > before {
		return nil, nil
	}
	if seg.position <= im.start {
		im.known[seg.id] = true
	}
	var ratings []ratedTarget
	for _, t := range line.Segment.Translations {
		known := seg.translations[t.System]
		file := protocol.Texts{Source: line.Segment.Source, Translation: t.Text}
		of := target{seg.id, known.id, protocol.Texts{Source: seg.source, Translation: known.text}}
		for _, r := range t.Ratings {
			r.Spans = carried(r.Spans, file, of.texts)
			ratings = append(ratings, ratedTarget{im.placeOf(line, t, r), of, r})
		}
	}
	return ratings, nil
}

// addTranslations gives a segment the translations it lacks. They would be new
// cards for who is at work on it, and make their finished work unfinished; so it
// is done only where there is no such work but what this import has brought.
func (im *segmentImport) addTranslations(line campaign.SegmentLine, seg *storedSegment, fresh []campaign.Translation) error {
	if seg.position <= im.start {
		if err := lockSegment(im.tx, seg.id); err != nil {
			return err
		}
		var n int
		err := scan(im.tx.Raw("SELECT count(*) FROM assignments WHERE segment_id = ? AND (state IN ('open', 'submitted', 'problem') OR set_aside IN ('open', 'submitted', 'problem'))", seg.id), &n)
		if err != nil {
			return err
		}
		if n > 0 {
			for _, t := range fresh {
				im.problems.Add(&campaign.Problem{File: line.File, Line: line.LineOf(campaign.Row{System: t.System}), Field: "translations",
					Msg: fmt.Sprintf("segment %q has no translation by the system %q, and none can be added to it: it has ratings or somebody is at work on it; import it into another campaign, or leave the system out", line.Segment.SegmentID, t.System)})
			}
			return nil
		}
	}
	translations := newTranslations()
	if seg.translations == nil {
		seg.translations = map[string]foundTranslation{}
	}
	for _, t := range fresh {
		id := newID()
		translations.add(id, seg.id, im.systems[t.System], t.Text)
		seg.translations[t.System] = foundTranslation{id, t.Text}
	}
	im.report.Translations += len(fresh)
	return translations.insert(im.tx)
}

// sameText notes a problem where the text of a file is not that of the campaign.
// White space at the ends is not compared: many tables lack it.
func (im *segmentImport) sameText(where place, field, file, stored string) {
	at := difference(file, stored)
	if at < 0 || difference(strings.TrimSpace(file), strings.TrimSpace(stored)) < 0 {
		return
	}
	im.problems.Add(&campaign.Problem{File: where.file, Line: where.line, Field: field,
		Msg: fmt.Sprintf("differs from the text in the campaign at character %d: %s here, %s there; import the ratings of the very same texts", at, excerpt(file, at), excerpt(stored, at))})
}

// lineBreaks are what a table can't hold, nor what splits it into lines for some
// readers; writers put a space there.
const lineBreaks = "\n\r\t\v\f\u0085\u2028\u2029"

// difference is the first code point, from 0, at which the text of a file differs
// from the stored one; -1 if there is none. A space of the file is the same as one
// line break or tab of the stored text.
func difference(file, stored string) int {
	for n := 0; ; n++ {
		if file == stored {
			return -1
		}
		a, i := utf8.DecodeRuneInString(file)
		b, k := utf8.DecodeRuneInString(stored)
		if i == 0 || k == 0 || a != b && (a != ' ' || !strings.ContainsRune(lineBreaks, b)) {
			return n
		}
		file, stored = file[i:], stored[k:]
	}
}

// excerpt quotes the text around a code point, in a few characters.
func excerpt(text string, at int) string {
	n := codepoint.Len(text)
	if at >= n {
		return "the end of the text"
	}
	from, to := max(0, at-10), min(n, at+20)
	part, _ := codepoint.Slice(text, from, to)
	return fmt.Sprintf("%q", part)
}

// carried takes spans from the text of a file to the stored one, which has line
// breaks and tabs where the file has spaces, and maybe other white space at its
// ends: the words they cover are those of the stored text.
func carried(spans []protocol.ErrorSpan, file, stored protocol.Texts) []protocol.ErrorSpan {
	if file == stored || len(spans) == 0 {
		return spans
	}
	spans = slices.Clone(spans)
	for i, s := range spans {
		if _, bad := file.Place(s); bad != nil {
			continue
		}
		from, to := file.Translation, stored.Translation
		if s.Side == protocol.Source {
			from, to = file.Source, stored.Source
		}
		by, n := leadingSpace(to)-leadingSpace(from), codepoint.Len(to)
		spans[i].Start, spans[i].End = min(max(s.Start+by, 0), n), min(max(s.End+by, 0), n)
		spans[i].Text = "" // to be filled in
	}
	return spans
}

// leadingSpace counts the code points of white space at the start of a text.
func leadingSpace(text string) int {
	return codepoint.Len(text[:len(text)-len(strings.TrimLeftFunc(text, unicode.IsSpace))])
}
