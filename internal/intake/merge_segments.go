package intake

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// merge holds a line against the segment that is in the campaign, adds the
// translations it lacks, and returns the ratings of the line.
func (im *segmentImport) merge(line campaign.SegmentLine, seg storedSegment) []ratedTarget {
	before := im.problems.Count()
	at := line.Place()
	if im.merging {
		im.sameText(at, "source", line.Segment.Source, seg.source)
	} else if !seg.knows(line.Segment.Source) {
		if im.otherSources++; im.otherSources == 1 {
			im.otherSource = at
		}
	}
	var fresh []campaign.Translation
	for _, t := range line.Segment.Translations {
		if known, ok := im.translation(seg, t.System); ok {
			im.sameText(line.PlaceOf(campaign.Row{System: t.System}), "translations."+t.System, t.Text, known.Text)
		} else {
			fresh = append(fresh, t)
		}
	}
	if !im.merging && line.Segment.RatedItself() {
		im.addCandidates(line, seg)
		return nil
	}
	if len(fresh) > 0 {
		im.addTranslations(line, &seg, fresh)
	}
	if im.problems.Count() > before {
		return nil
	}
	if seg.position <= im.start {
		im.known[seg.id] = true
	}
	var ratings []ratedTarget
	for _, t := range line.Segment.Translations {
		known, _ := im.translation(seg, t.System)
		file := protocol.Texts{Source: line.Segment.Source, Translation: t.Text}
		of := foundTarget{Segment: seg.id, Translation: known.ID, Texts: protocol.Texts{Source: seg.source, Translation: known.Text}}
		for _, r := range t.Ratings {
			r.Spans = carried(r.Spans, file, of.Texts)
			ratings = append(ratings, ratedTarget{im.placeOf(line, t, r), of, r})
		}
	}
	return ratings
}

// translation finds the translation of a segment by a system, be it stored or late.
func (im *segmentImport) translation(seg storedSegment, system string) (foundTranslation, bool) {
	if t, ok := seg.translations[system]; ok {
		return t, true
	}
	if late := im.late[seg.id]; late != nil {
		t, ok := late.texts[system]
		return t, ok
	}
	return foundTranslation{}, false
}

// lateTranslations are translations that an import adds to a segment that everybody
// sees. They can't be staged, and are written as the import is published.
type lateTranslations struct {
	texts map[string]foundTranslation // by system
	lines []lateLine

	candidates []campaign.CandidateText
}

// A lateLine is a line of the input with systems that it adds.
type lateLine struct {
	line    campaign.SegmentLine
	systems []string
}

// addCandidates gives a segment that was taken over its candidates.
func (im *segmentImport) addCandidates(line campaign.SegmentLine, seg storedSegment) {
	late := im.lateOf(seg.id)
	if len(late.lines) > 0 {
		im.twice(line, campaign.Place{File: late.lines[0].line.File, Line: late.lines[0].line.Line}.First(line.File))
		return
	}
	late.candidates = append(late.candidates, line.Segment.Candidates...)
	im.report.Translations += len(line.Segment.Candidates)
	late.lines = append(
		late.lines,
		lateLine{line: campaign.SegmentLine{File: line.File, Line: line.Line, Segment: campaign.Segment{SegmentID: line.Segment.SegmentID}}},
	)
	im.known[seg.id] = true
}

// lateOf has the rows that an import adds to a visible segment.
func (im *segmentImport) lateOf(id string) *lateTranslations {
	late := im.late[id]
	if late == nil {
		late = &lateTranslations{texts: map[string]foundTranslation{}}
		im.late[id] = late
		im.lateIDs = append(im.lateIDs, id)
	}
	return late
}

// addTranslations gives a segment the translations it lacks.
func (im *segmentImport) addTranslations(line campaign.SegmentLine, seg *storedSegment, fresh []campaign.Translation) {
	im.report.Translations += len(fresh)
	if seg.position > im.start {
		if seg.translations == nil {
			seg.translations = map[string]foundTranslation{}
		}
		for _, t := range fresh {
			id := database.NewID()
			im.next.translations.Add(id, seg.id, im.systems[t.System], t.Text)
			seg.translations[t.System] = foundTranslation{ID: id, Text: t.Text}
		}
		im.grown = append(im.grown, seg.id)
		return
	}
	late := im.lateOf(seg.id)
	added := lateLine{
		line: campaign.SegmentLine{File: line.File, Line: line.Line, Rows: line.Rows, Segment: campaign.Segment{SegmentID: line.Segment.SegmentID}},
	}
	for _, t := range fresh {
		late.texts[t.System] = foundTranslation{ID: database.NewID(), Text: t.Text}
		added.systems = append(added.systems, t.System)
	}
	late.lines = append(late.lines, added)
}

// addLate writes the late translations. They would be new cards for whoever is at
// work on the segment, and make their finished work unfinished; so a segment with
// such work is a problem.
func (im *segmentImport) addLate(tx *database.Tx) error {
	translations := newTranslations()
	noted := database.NewRows("import_translations", "translation_id", "import_id")
	candidates, notedCandidates := database.NewRows(
		"candidates", "segment_id", "name", "text",
	), database.NewRows("import_candidates", "segment_id", "name", "import_id")
	for _, id := range im.lateIDs {
		late := im.late[id]
		if err := records.LockSegments(tx, id); err != nil {
			return err
		}
		var n int
		err := database.Scan(
			tx.Raw(
				"SELECT count(*) FROM assignments WHERE segment_id = ? AND (state IN ('open', 'submitted', 'problem') OR set_aside IN ('open', 'submitted', 'problem'))",
				id,
			),
			&n,
		)
		if err != nil {
			return err
		}
		im.refused[id] = n > 0
		if n > 0 && len(late.candidates) > 0 {
			l := late.lines[0].line
			im.problems.Add(&campaign.Problem{File: l.File, Line: l.Line, Field: "translations",
				Msg: fmt.Sprintf(
					"segment %q has ratings or an annotator is at work on it, so no candidates can be added; leave the line out", l.Segment.SegmentID,
				)})
			continue
		}
		for _, c := range late.candidates {
			candidates.Add(id, c.Name, c.Text)
			notedCandidates.Add(id, c.Name, im.st.ID)
		}
		if err := tx.Exec("DELETE FROM untranslated WHERE segment_id = ?", id).Error; err != nil {
			return err
		}
		for _, l := range late.lines {
			for _, system := range l.systems {
				if n > 0 {
					im.problems.Add(l.line.PlaceOf(campaign.Row{System: system}).Problem("translations",
						fmt.Sprintf(
							"segment %q has no translation by the system %q, and none can be added to it: it has ratings or an annotator is at work on it; import it into another campaign, or leave the system out",
							l.line.Segment.SegmentID, system,
						)))
					continue
				}
				t := late.texts[system]
				translations.Add(t.ID, id, im.systems[system], t.Text)
				noted.Add(t.ID, im.st.ID)
			}
		}
	}
	for _, rows := range []*database.Rows{translations, noted, candidates, notedCandidates} {
		if err := rows.Insert(tx); err != nil {
			return err
		}
	}
	return nil
}

// sameWords reports whether the text of a file is that of the campaign but for white space at the ends.
func sameWords(file, stored string) bool {
	return difference(strings.TrimSpace(file), strings.TrimSpace(stored)) < 0
}

// sameText notes a problem where the text of a file is not that of the campaign.
// White space at the ends is not compared: many tables lack it.
func (im *segmentImport) sameText(where campaign.Place, field, file, stored string) {
	at := difference(file, stored)
	if at < 0 || sameWords(file, stored) || quoted(file, stored) {
		return
	}
	im.problems.Add(&campaign.Problem{File: where.File, Line: where.Line, Field: field, Kind: campaign.OtherText,
		Msg: fmt.Sprintf(
			"differs from the text in the campaign at character %d: %s here, %s there; import the ratings of the very same texts", at,
			excerpt(file, at), excerpt(stored, at),
		)})
}

// quoted reports whether the stored text is the text of a file in quotation marks, with those within it
// doubled. Readers of tables take such quotation marks for those of CSV software and remove them.
func quoted(file, stored string) bool {
	return strings.HasPrefix(stored, `"`) && difference(inQuotes(file), stored) < 0
}

// inQuotes puts a text in quotation marks, and doubles those within it.
func inQuotes(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// placeInQuotes is the place in inQuotes(text) of a place in text, in code points.
func placeInQuotes(text string, place int) int {
	before, _ := codepoint.Slice(text, 0, min(place, codepoint.Len(text)))
	return 1 + place + strings.Count(before, `"`)
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
// ends, or quotation marks that a reader removed ([quoted]): the words they cover are those of the
// stored text.
func carried(spans []protocol.ErrorSpan, file, stored protocol.Texts) []protocol.ErrorSpan {
	if file.Source == stored.Source && file.Translation == stored.Translation || len(spans) == 0 {
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
		if quoted(from, to) {
			s.Start, s.End, from = placeInQuotes(from, s.Start), placeInQuotes(from, s.End), inQuotes(from)
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
