package report

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// A Side is one of several campaigns in which the same translations are rated.
type Side struct {
	Label    string // unique
	Campaign campaign.Campaign
	Segments iter.Seq2[campaign.Segment, error] // read once
}

// besidePart compares campaigns over the translations that have a human score in all of them. Segments are
// joined by their source text, since formats number them differently. The n-th segment with a source is
// joined with the n-th in the other campaign. Translations are joined by system and text. White space is
// ignored, because some formats trim it.
//
// Memory grows with the translations of the first campaign and their ratings in all campaigns. Each campaign
// takes 24 bytes for a rating, 12 for an error, 24 for a translation and 8 for each of its scores.
type besidePart struct {
	sides     []*side
	segments  map[occurrence]int32 // the number of the segment
	domains   []string             // by number of the segment, as the first campaign names it
	numbers   map[place]int32      // the numbers of the translations that the first campaign scores
	places    []place              // by number of the translation
	names     names
	seed      maphash.Seed
	estimates *estimates
	documents []int    // by number of the segment, the number of its document
	shared    string   // a sentence about the translations that are compared; empty if there are none
	compared  []string // the labels of the campaigns that share them
	scope     string   // a sentence about these translations that names the campaigns; empty if there are none
	differs   bool     // the means of the first campaign are compared with those of others
}

// A side holds the data of one campaign that are compared.
type side struct {
	label  string
	rules  *protocol.Protocol
	scores []sideScore
	seen   map[uint64]int // by source text: the number of its segments
	work   workCount      // of all ratings of the campaign

	// The translations in gold that the first campaign has too. Each is a cell:
	cells   []int32     // by number of the translation: its cell, counted from 1; 0 or missing at the end if there is none
	texts   []uint64    // by cell
	gold    [][]float64 // by score and cell; NaN or missing at the end if there is none
	ends    []int32     // by cell: the end of its ratings, which begin where those of the cell before end
	ratings []sideRating
	// translations counts those of each domain, whether other campaigns have them or not.
	translations map[string]int
	spans        []sideSpan
	judged       map[string]map[int32][]sideSpan // by metric and cell
}

// An occurrence is the n-th segment of a campaign with a source text.
type occurrence struct {
	source uint64 // a hash of the text
	n      int
}

// A place is a translation, by the number of its segment and of its system's name.
type place struct{ segment, system int32 }

// A sideScore is a human score of a campaign.
type sideScore struct {
	score     string // of the protocol; empty for an imported average
	imported  string // the name of an imported average
	label     string
	low, high float64
	scale     bool // low and high are its bounds; otherwise it is a sum over errors, or its bounds are unknown
}

// A sideRating is a rating that gold is formed from.
type sideRating struct {
	annotator int32 // the number of the name
	to        int32 // the end of its spans, which begin where those of the rating before end
	gate      float64
	seconds   float64 // 0 if unknown
}

// A sideSpan is an [agreement.Span] with numbers of names.
type sideSpan struct {
	start, end     int32
	side, severity uint16
}

// names numbers texts in the order of their first occurrence.
type names struct {
	numbers map[string]int32
	texts   []string
}

func (n *names) number(text string) int32 {
	at, ok := n.numbers[text]
	if !ok {
		at = int32(len(n.texts))
		n.numbers[text] = at
		n.texts = append(n.texts, text)
	}
	return at
}

func newBesidePart(sides []Side, e *estimates) *besidePart {
	p := &besidePart{segments: map[occurrence]int32{}, numbers: map[place]int32{}, names: names{numbers: map[string]int32{}},
		seed: maphash.MakeSeed(), estimates: e}
	for _, s := range sides {
		own := &side{label: s.Label, rules: s.Campaign.Rules, seen: map[uint64]int{}, translations: map[string]int{},
			judged: map[string]map[int32][]sideSpan{}}
		for _, h := range own.rules.HumanScores() {
			label, _ := describe(own.rules, h.Score)
			low, high, scale := scaleOf(own.rules, h.Score)
			own.scores = append(own.scores, sideScore{score: h.Score, label: label, low: low, high: high, scale: scale})
		}
		p.sides = append(p.sides, own)
	}
	return p
}

// read reads all campaigns but the first, which is read with the rest of the report.
func (p *besidePart) read(ctx context.Context, sides []Side) error {
	for i, s := range sides {
		if i == 0 {
			continue
		}
		for seg, err := range s.Segments {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			p.add(i, seg)
		}
	}
	return nil
}

// add adds a segment of the side with the given number. Only translations of the first side count.
func (p *besidePart) add(number int, seg campaign.Segment) {
	if len(p.sides) == 0 {
		return
	}
	s := p.sides[number]
	words, work, document := codepoint.Words(seg.Source), p.estimates.group("work-campaigns", s), p.estimates.document(seg.DocID)
	for _, t := range seg.Translations {
		for _, r := range t.Ratings {
			s.work.add(words, r.Seconds)
			work.addTime(document, words, r.Seconds)
		}
	}
	s.translations[seg.Domain] += len(seg.Translations)
	key := occurrence{source: p.hash(seg.Source)}
	key.n = s.seen[key.source]
	s.seen[key.source]++
	segment, known := p.segments[key]
	switch {
	case number > 0 && !known:
		return
	case !known:
		segment = int32(len(p.domains))
		p.segments[key] = segment
		p.domains, p.documents = append(p.domains, seg.Domain), append(p.documents, document)
	}
	for _, t := range seg.Translations {
		at := place{segment, p.names.number(t.System)}
		translation, known := p.numbers[at]
		if number > 0 && !known || !p.addCell(s, seg, t) {
			continue
		}
		if !known {
			translation = int32(len(p.places))
			p.numbers[at] = translation
			p.places = append(p.places, at)
		}
		for len(s.cells) <= int(translation) {
			s.cells = append(s.cells, 0)
		}
		s.cells[translation] = int32(len(s.texts))
	}
}

// hash returns a hash of a text without its white space.
func (p *besidePart) hash(text string) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	for word := range strings.FieldsSeq(text) {
		h.WriteString(word)
		h.WriteByte(' ')
	}
	return h.Sum64()
}

// addCell adds a translation to a side if it has a human score, and reports whether it has one.
func (p *besidePart) addCell(s *side, seg campaign.Segment, t campaign.Translation) bool {
	cell, found := len(s.texts), false
	set := func(score int, v float64) {
		for len(s.gold) <= score {
			s.gold = append(s.gold, nil)
		}
		for len(s.gold[score]) < cell {
			s.gold[score] = append(s.gold[score], undefined)
		}
		s.gold[score], found = append(s.gold[score][:cell], v), true
	}
	for i, score := range s.scores {
		if score.score == "" {
			continue
		}
		if v, _, ok := campaign.HumanGold(s.rules, score.score, seg, t); ok {
			set(i, v)
		}
	}
	for _, h := range t.HumanScores {
		i := slices.IndexFunc(s.scores, func(x sideScore) bool { return x.imported == h.Name })
		if i < 0 {
			i = len(s.scores)
			s.scores = append(s.scores, sideScore{imported: h.Name, label: h.Name + " (imported)"})
		}
		set(i, h.Score)
	}
	if !found {
		return false
	}
	for _, r := range campaign.ContributingRatings(s.rules, seg, t) {
		gate, ok := s.rules.Human(s.rules.Gate, r.Rating)
		if !ok {
			gate = undefined
		}
		s.spans = p.appendSpans(s.spans, r.Spans)
		s.ratings = append(s.ratings, sideRating{annotator: p.names.number(r.Annotator), to: int32(len(s.spans)), gate: gate, seconds: r.Seconds})
	}
	for _, m := range (StoredSpans{}).Spans(seg, t) {
		if s.judged[m.Metric] == nil {
			s.judged[m.Metric] = map[int32][]sideSpan{}
		}
		s.judged[m.Metric][int32(cell)] = p.appendSpans(nil, m.Spans)
	}
	s.ends, s.texts = append(s.ends, int32(len(s.ratings))), append(s.texts, p.hash(t.Text))
	return true
}

func (p *besidePart) appendSpans(out []sideSpan, spans []protocol.ErrorSpan) []sideSpan {
	for _, e := range spans {
		out = append(
			out,
			sideSpan{start: int32(e.Start), end: int32(e.End), side: uint16(p.names.number(string(e.Side))),
				severity: uint16(p.names.number(e.Severity))},
		)
	}
	return out
}

// cell returns the cell of the translation with a number. ok is false if there is none.
func (s *side) cell(translation int32) (cell int32, ok bool) {
	if int(translation) >= len(s.cells) {
		return 0, false
	}
	cell = s.cells[translation] - 1
	return cell, cell >= 0
}

// given yields the ratings that the gold of a translation is formed from, each with its spans.
func (s *side) given(translation int32) iter.Seq2[sideRating, []sideSpan] {
	return func(yield func(sideRating, []sideSpan) bool) {
		cell, ok := s.cell(translation)
		if !ok {
			return
		}
		at := int32(0)
		if cell > 0 {
			at = s.ends[cell-1]
		}
		from := int32(0)
		if at > 0 {
			from = s.ratings[at-1].to
		}
		for _, r := range s.ratings[at:s.ends[cell]] {
			if !yield(r, s.spans[from:r.to]) {
				return
			}
			from = r.to
		}
	}
}

// marks appends the spans on some sides of the text to out.
func (n *names) marks(out []agreement.Span, spans []sideSpan, sides []uint16) []agreement.Span {
	for _, e := range spans {
		if !slices.Contains(sides, e.side) {
			continue
		}
		out = append(out, agreement.Span{Side: n.texts[e.side], Severity: n.texts[e.severity], Start: int(e.start), End: int(e.end)})
	}
	return out
}

// joint holds the translations that all sides have.
type joint struct {
	part         *besidePart
	drawn        *estimates
	sides        []*side
	translations []int32 // their numbers, segment by segment, then by system
	systems      []string
	segments     []int32 // numbers of segments
	differ       int     // the number of translations that are left out because their texts differ
}

// join finds the common translations of the sides that share any with the first. apart lists the
// labels of the others.
func (p *besidePart) join() (j joint, apart []string) {
	j.part = p
	for i, s := range p.sides {
		if i == 0 || len(s.texts) > 0 {
			j.sides = append(j.sides, s)
		} else {
			apart = append(apart, s.label)
		}
	}
	first := p.sides[0]
	for number := range int32(len(p.places)) {
		at, _ := first.cell(number)
		same, everywhere := true, true
		for _, s := range j.sides[1:] {
			cell, ok := s.cell(number)
			everywhere = everywhere && ok
			same = same && ok && s.texts[cell] == first.texts[at]
		}
		switch {
		case !everywhere:
		case same:
			j.translations = append(j.translations, number)
		default:
			j.differ++
		}
	}
	slices.SortFunc(j.translations, func(a, b int32) int {
		if x, y := p.places[a].segment, p.places[b].segment; x != y {
			return int(x - y)
		}
		return strings.Compare(j.system(a), j.system(b))
	})
	for _, t := range j.translations {
		j.systems, j.segments = append(j.systems, j.system(t)), append(j.segments, p.places[t].segment)
	}
	slices.Sort(j.systems)
	j.systems, j.segments = slices.Compact(j.systems), slices.Compact(j.segments)
	return j, apart
}

// labels returns the labels of the sides.
func (j joint) labels() (labels []string) {
	for _, s := range j.sides {
		labels = append(labels, s.label)
	}
	return labels
}

// system returns the system of a translation.
func (j joint) system(translation int32) string {
	return j.part.names.texts[j.part.places[translation].system]
}

// document returns the number of the document of a translation.
func (j joint) document(translation int32) int {
	return j.part.documents[j.part.places[translation].segment]
}

// domain returns the domain of a translation.
func (j joint) domain(translation int32) string {
	return j.part.domains[j.part.places[translation].segment]
}

// section compares the campaigns. It is empty if there is only one, or if no other campaign shares a translation with
// it.
func (p *besidePart) section(ctx context.Context, b stat.Bootstrap) (s Section, err error) {
	if len(p.sides) < 2 {
		return s, nil
	}
	j, apart := p.join()
	if len(j.sides) < 2 {
		return s, nil
	}
	s = Section{ID: BesideSection, Title: "Campaigns side by side",
		Note: "Segments are joined by their source text, and translations by system and text. " +
			"A score of a translation is its gold, or an imported average. Times, errors and agreement are those of the ratings that gold is formed from. Higher is better for every score; those that count errors are negative."}
	var labels []string
	for _, own := range j.sides {
		labels = append(labels, fmt.Sprintf("%s (%s)", own.label, own.rules.Name))
	}
	shared := fmt.Sprintf("The campaigns %s share %s with a human score, of %s by %s.", wording.List(labels),
		wording.Counted(len(j.translations), "translation"), wording.Counted(len(j.segments), "segment"),
		wording.Counted(len(j.systems), "system"))
	if len(j.translations) > 0 {
		p.shared = shared
		p.compared = j.labels()
		p.scope = fmt.Sprintf("Over the %s of %s by %s that %s share.", wording.Counted(len(j.translations), "translation"),
			wording.Counted(len(j.segments), "segment"),
			wording.Counted(len(j.systems), "system"), wording.List(p.compared))
	}
	about := shared + " All of this section is over these."
	if j.differ > 0 {
		about += fmt.Sprintf(
			" %s left out because the texts differ.",
			wording.Counted(j.differ, "translation of the same system and source is", "translations of the same systems and sources are"),
		)
	}
	s.Paragraphs = []string{about}
	if len(apart) > 0 {
		s.Paragraphs = append(
			s.Paragraphs,
			fmt.Sprintf(
				"%s no translation with %s and %s left out of this section.", wording.List(apart)+wording.Choose(len(apart), " shares", " share"),
				p.sides[0].label, wording.Choose(len(apart), "is", "are"),
			),
		)
	}
	if len(j.translations) == 0 {
		return s, nil
	}
	j.drawn = &estimates{}
	compared, err := j.compare(ctx)
	if err != nil {
		return s, err
	}
	judged, columns := j.compareJudges(), j.columns()
	j.estimateWork()
	j.estimateDifferences(columns)
	if err := j.drawn.draw(ctx, b); err != nil {
		return s, err
	}
	scores, err := j.scoreIntervals(ctx, b, columns)
	if err != nil {
		return s, err
	}
	times, err := j.times(ctx, b)
	if err != nil {
		return s, err
	}
	differences, err := j.differenceTable(ctx, b, columns)
	if err != nil {
		return s, err
	}
	p.differs = len(differences.Rows) > 0
	s.Tables = append(s.Tables, j.systemTable(columns, scores))
	s = appendNonEmpty(s, differences)
	s.Tables = append(s.Tables, j.workTable(times))
	s = appendNonEmpty(s, j.timeTable(times))
	s.Tables = append(s.Tables, correlationTable(columns, scores, true), correlationTable(columns, scores, false), j.agreementTable(compared))
	s.Tables = append(s.Tables, j.spanTables(compared, judged)...)
	s.Figures = figures(columns)
	return s, nil
}

// matrix returns a score of a side: rows are systems, columns are segments.
func (j joint) matrix(s *side, score int) [][]float64 {
	rows := make([][]float64, len(j.systems))
	for i := range rows {
		rows[i] = slices.Repeat([]float64{undefined}, len(j.segments))
	}
	k := 0
	for _, t := range j.translations {
		for j.segments[k] != j.part.places[t].segment {
			k++
		}
		i, _ := slices.BinarySearch(j.systems, j.system(t))
		if cell, _ := s.cell(t); score < len(s.gold) && int(cell) < len(s.gold[score]) {
			rows[i][k] = s.gold[score][cell]
		}
	}
	return rows
}
