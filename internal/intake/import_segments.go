package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/desk"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// A step of an import writes at most [database.DB.ImportStep] segments, and no more after it
// has stepTranslations translations or stepBytes of text: others wait for it.
const stepTranslations, stepBytes = 1000, 1 << 20

// ImportSegments reads segments into a campaign, all or nothing. It writes them in
// steps that nobody sees, between which others save; the last transaction makes all
// of them visible at once. A line that is a *[campaign.Problem] is collected and
// reading goes on; with any problem, also a (doc_id, segment_id) that is in the file
// or the campaign already, nothing is kept and the error is a *[campaign.Problems].
// The first import fixes the campaign's systems and, where they are not set,
// its languages; a segment has a translation by every system, or says which have
// none ([campaign.Segment.Absent]). Memory does not grow with the number of lines.
// It waits while another import of segments or of scores into the campaign is under
// way.
//
// Ratings that come with the segments are stored as submitted, their annotators
// get accounts that can't sign in, and the gate runs over them at the end; see
// [Store.ImportRatings].
//
// With [ImportOptions].Merge the lines hold ratings of texts that may be known. A
// line may lack some of the campaign's systems, and name new ones as long as the
// campaign had no segments before this import. Of a segment that is in the campaign
// already the texts must be those of the line, but that a space stands for any one
// line break or tab; the spans then lie in the stored text. Where the campaign had
// segments, a note counts those that it did not have.
// Translations it lacks are added unless somebody has submitted it or is at work
// on it, whose cards would change. These are kept in memory until the end. What else
// such a line has is not looked at.
func (s *Store) ImportSegments(
	ctx context.Context, campaignID string, lines iter.Seq2[campaign.SegmentLine, error], opt ImportOptions,
) (readmodel.ImportReport, error) {
	st, c, err := s.stage(ctx, campaignID, stageSegments)
	if err != nil {
		return readmodel.ImportReport{}, err
	}
	im := &segmentImport{
		s:        s,
		st:       st,
		db:       s.db.Read(ctx),
		c:        c,
		known:    map[string]bool{},
		keys:     map[segmentKey]bool{},
		late:     map[string]*lateTranslations{},
		refused:  map[string]bool{},
		merging:  opt.Merge,
		start:    st.After,
		position: st.After,
	}
	err = st.Run(ctx, func() error {
		if err := im.read(ctx, lines); err != nil {
			return err
		}
		if err := im.publish(ctx, opt); err != nil {
			return err
		}
		return s.complete(ctx, st, opt, &im.report)
	})
	return im.report, err
}

// A segmentImport writes segments in the steps of a staging.
type segmentImport struct {
	s        *Store
	st       *stagedImport
	db       *gorm.DB          // for queries between the steps
	c        campaign.Campaign // with the languages of the file
	merging  bool
	systems  map[string]string // id by name
	start    int               // position of the last segment before the import
	position int               // of the segment last written
	files    []string          // that were read
	places   [][2]int32        // where the segments of this import were read, in their order: file and line
	pending  []campaign.SegmentLine
	size     int                 // translations of pending
	bytes    int                 // of their texts
	keys     map[segmentKey]bool // of pending
	known    map[string]bool     // ids of segments that were there before and were added to
	grown    []string            // ids of staged segments that were added to
	late     map[string]*lateTranslations
	lateIDs  []string        // of late, as they were first met
	refused  map[string]bool // of lateIDs, those that nothing can be added to

	followed *campaign.Campaign // nil if the campaign follows none, or it was deleted
	behind   int                // new segments that the followed campaign has, and that were not taken over

	otherSources int            // lines with a source that a segment that was taken over never had
	otherSource  campaign.Place // of the first of them

	next     *segmentRows
	ratings  *ratingImport  // nil: none yet
	counting *desk.Counting // of what is staged
	problems campaign.Problems
	report   readmodel.ImportReport
	growth   database.Growth
}

// segmentRows are the rows that the next step writes.
type segmentRows struct {
	systems, documents, segments, lineage, untranslated, references, candidates, terms, translations, scores, tallies *database.Rows
}

func newSegmentRows() *segmentRows {
	return &segmentRows{
		systems:   database.NewRows("all_systems", "id", "campaign_id", "name"),
		documents: database.NewRows("documents", "id", "campaign_id", "doc_id"),
		segments: database.NewRows(
			"all_segments", "id", "campaign_id", "document_id", "segment_id", "position", "domain", "data_source", "source", "context", "note",
			"term", "explication",
		),
		lineage:      database.NewRows("lineage", "segment_id", "campaign_id", "depth", "from_segment", "from_campaign", "stage", "brought"),
		untranslated: database.NewRows("untranslated", "segment_id"),
		references:   database.NewRows("all_reference_texts", "segment_id", "name", "text"),
		candidates:   database.NewRows("candidates", "segment_id", "name", "text"),
		terms:        database.NewRows("all_terms", "segment_id", "import_id", "terms"),
		translations: newTranslations(),
		scores:       database.NewRows("human_scores", "translation_id", "name", "score"),
		tallies:      desk.NewSegmentTallies(),
	}
}

// all lists the rows in the order in which they refer to each other.
func (r *segmentRows) all() []*database.Rows {
	return []*database.Rows{r.systems, r.documents, r.segments, r.lineage, r.untranslated, r.references, r.candidates, r.terms, r.translations, r.scores, r.tallies}
}

// insert writes the rows. It keeps them, for a transaction that is tried again.
func (r *segmentRows) insert(tx *database.Tx) error {
	for _, rows := range r.all() {
		copied := *rows
		if err := copied.Insert(tx); err != nil {
			return err
		}
	}
	return nil
}

// read stages the lines of an input.
func (im *segmentImport) read(ctx context.Context, lines iter.Seq2[campaign.SegmentLine, error]) (err error) {
	if im.systems, err = systemIDs(im.db, im.c.ID); err != nil {
		return err
	}
	if im.counting, err = desk.CountingOf(im.db, im.c); err != nil {
		return err
	}
	following, err := records.FollowingOf(im.db, im.c.ID)
	if err != nil && !errors.Is(err, campaign.ErrNotFound) {
		return err
	}
	im.followed = following.From
	im.next, im.growth = newSegmentRows(), database.Growth{Tables: "documents, all_segments, translations"}
	add := func(line campaign.SegmentLine) error { return im.add(ctx, line) }
	if err := eachLine(ctx, lines, im.problems.Add, add); err != nil {
		return err
	}
	if err := im.flush(ctx); err != nil || im.ratings == nil {
		return err
	}
	return im.ratings.end()
}

// publish makes the segments visible, and adds what could not be staged.
func (im *segmentImport) publish(ctx context.Context, opt ImportOptions) error {
	return im.st.Publish(ctx, func(tx *database.Tx, c campaign.Campaign) error {
		if err := im.saveLanguages(tx, c); err != nil {
			return err
		}
		if err := im.addLate(tx); err != nil {
			return err
		}
		im.st.Record.After, im.st.Record.Last = im.start, im.position
		tx.TouchSegments(im.grown...)
		if im.ratings != nil {
			if err := im.ratings.publish(tx, im.c, &im.report); err != nil {
				return err
			}
		}
		if im.problems.Count() > 0 {
			im.problems.Sort()
			im.report = readmodel.ImportReport{}
			return &im.problems
		}
		if err := desk.AddSums(tx, c.ID, im.counting.Change); err != nil {
			return err
		}
		im.tell()
		return im.st.Close(tx, opt, &im.problems, cmp.Or(opt.kind, "segments"), fmt.Sprintf("%d segments", im.report.Segments), im.report)
	})
}

func (im *segmentImport) add(ctx context.Context, line campaign.SegmentLine) error {
	if len(im.systems) == 0 || im.merging && im.start == 0 {
		im.nameSystems(line.Segment)
	}
	im.c.SourceLang, im.c.TargetLang = cmp.Or(im.c.SourceLang, line.Segment.SourceLang), cmp.Or(im.c.TargetLang, line.Segment.TargetLang)
	if !im.rightSystems(line) {
		return nil
	}
	key := segmentKey{DocID: line.Segment.DocID, SegmentID: line.Segment.SegmentID}
	if im.merging && im.keys[key] { // the line before must be in the campaign to be added to
		if err := im.flush(ctx); err != nil {
			return err
		}
	}
	im.keys[key] = true
	im.pending = append(im.pending, line)
	im.size += len(line.Segment.Translations)
	im.bytes += len(line.Segment.Source)
	for _, t := range line.Segment.Translations {
		im.bytes += len(t.Text)
	}
	for _, c := range line.Segment.Candidates {
		im.bytes += len(c.Text)
	}
	if len(im.pending) < im.s.db.ImportStep && im.size < stepTranslations && im.bytes < stepBytes {
		return nil
	}
	return im.flush(ctx)
}

// nameSystems takes the systems of a segment into the campaign: of its first one,
// or when merging of any, until the import that brings the first segments is over.
// One row of a later file would otherwise be a system that all segments lack.
func (im *segmentImport) nameSystems(seg campaign.Segment) {
	for name := range namedSystems(seg) {
		if im.systems[name] == "" {
			id := database.NewID()
			im.systems[name] = id
			im.next.systems.Add(id, im.c.ID, name)
		}
	}
}

// namedSystems yields the systems of a segment's translations, and then those that
// have none.
func namedSystems(seg campaign.Segment) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range seg.Translations {
			if !yield(t.System) {
				return
			}
		}
		for _, name := range seg.Absent {
			if !yield(name) {
				return
			}
		}
	}
}

// rightSystems notes a problem where a segment names a system twice or one that is
// not the campaign's or, unless merging, lacks a translation and does not say so;
// it reports whether there was none.
func (im *segmentImport) rightSystems(line campaign.SegmentLine) bool {
	before := im.problems.Count()
	refuse := func(system, format string, args ...any) {
		at := line.PlaceOf(campaign.Row{System: system})
		im.problems.Add(at.Problem("translations", fmt.Sprintf(format, append([]any{system}, args...)...)))
	}
	has := make(map[string]bool, len(im.systems))
	for name := range namedSystems(line.Segment) {
		switch {
		case im.systems[name] == "":
			refuse(name, "the campaign has no system %q; its systems are %s; correct the name, or import into a new campaign", im.systemList())
		case has[name]:
			refuse(name, "the system %q is there twice; keep one of its translations")
		}
		has[name] = true
	}
	if len(has) < len(im.systems) && !im.merging {
		for _, name := range slices.Sorted(maps.Keys(im.systems)) {
			if !has[name] {
				refuse(name, "there is no translation by the system %q; add it, or leave the segment out")
			}
		}
	}
	return im.problems.Count() == before
}

// systemList names the systems of the campaign.
func (im *segmentImport) systemList() string {
	names := slices.Sorted(maps.Keys(im.systems))
	for i, name := range names {
		names[i] = strconv.Quote(name)
	}
	return strings.Join(names, ", ")
}

// saveLanguages gives a campaign the languages of the file that it does not know. It
// is an ErrConflict where somebody has named others since the import began.
func (im *segmentImport) saveLanguages(tx *database.Tx, now campaign.Campaign) error {
	source, target := cmp.Or(now.SourceLang, im.c.SourceLang), cmp.Or(now.TargetLang, im.c.TargetLang)
	if source != cmp.Or(im.c.SourceLang, source) || target != cmp.Or(im.c.TargetLang, target) {
		return fmt.Errorf("the languages of the campaign were changed while the import was under way; import again: %w", campaign.ErrConflict)
	}
	im.c = now
	if source == now.SourceLang && target == now.TargetLang {
		return nil
	}
	im.st.Record.Restores.SourceLang, im.st.Record.Restores.TargetLang = source != now.SourceLang, target != now.TargetLang
	im.c.SourceLang, im.c.TargetLang = source, target
	return tx.Exec("UPDATE campaigns SET source_lang = ?, target_lang = ? WHERE id = ?", source, target, im.c.ID).Error
}

// flush stages the pending segments, less those that are there already, and their
// ratings.
func (im *segmentImport) flush(ctx context.Context) error {
	batch := im.pending
	im.pending, im.size, im.bytes = im.pending[:0], 0, 0
	clear(im.keys)
	if len(batch) == 0 {
		return nil
	}
	documents, err := im.documents(batch)
	if err != nil {
		return err
	}
	stored, err := im.stored(batch, documents)
	if err != nil {
		return err
	}
	fresh, known := im.apart(batch, documents, stored)
	if err := im.countBehind(fresh); err != nil {
		return err
	}
	ratings, err := im.write(fresh, documents)
	if err != nil {
		return err
	}
	for _, k := range known {
		ratings = append(ratings, im.merge(k.line, k.seg)...)
	}
	err = im.st.Step(ctx, func(tx *database.Tx) error {
		if err := im.next.insert(tx); err != nil {
			return err
		}
		return im.growth.Note(tx, im.report.Translations+im.report.Segments)
	})
	if err != nil {
		return err
	}
	for _, rows := range im.next.all() {
		rows.Clear()
	}
	if len(ratings) == 0 {
		return nil
	}
	if im.ratings == nil {
		if im.ratings, err = newRatingImport(ctx, im.s, im.st, im.c, &im.problems); err != nil {
			return err
		}
	}
	return im.ratings.add(ratings)
}

// A ratedTarget is a rating that came with a segment.
type ratedTarget struct {
	at     ratingPlace
	of     foundTarget
	rating campaign.Rating
}

// write adds segments that are new to the rows of the next step, counts them, and
// returns the ratings they came with.
func (im *segmentImport) write(batch []campaign.SegmentLine, documents map[string]string) ([]ratedTarget, error) {
	var ratings []ratedTarget
	for _, line := range batch {
		seg := line.Segment
		id := database.NewID()
		im.position++
		if n := len(im.files); n == 0 || im.files[n-1] != line.File {
			im.files = append(im.files, line.File)
		}
		im.places = append(im.places, [2]int32{int32(len(im.files) - 1), int32(line.Line)})
		im.next.segments.Add(
			id, im.c.ID, documents[seg.DocID], seg.SegmentID, im.position, seg.Domain, seg.DataSource, seg.Source, seg.Context, seg.Note, seg.Term,
			seg.Explication,
		)
		if line.From != nil {
			if err := addLineage(im.next.lineage, id, im.c.ID, *line.From); err != nil {
				return nil, err
			}
			if waitsForTexts(im.c, seg) {
				im.next.untranslated.Add(id)
			}
		}
		for _, r := range seg.References {
			im.next.references.Add(id, r.Name, r.Text)
		}
		for _, c := range seg.Candidates {
			im.next.candidates.Add(id, c.Name, c.Text)
			im.report.Translations++
		}
		if len(seg.Terms) > 0 {
			im.addTerms(id, line)
		}
		for _, t := range seg.Translations {
			translation := database.NewID()
			if t.System != "" { // otherwise it stands for the segment itself
				im.report.Translations++
			}
			im.next.translations.Add(translation, id, im.systems[t.System], t.Text)
			for _, h := range t.HumanScores {
				im.next.scores.Add(translation, h.Name, h.Score)
			}
			of := foundTarget{Segment: id, Translation: translation, Texts: protocol.Texts{Source: seg.Source, Translation: t.Text}}
			for _, r := range t.Ratings {
				ratings = append(ratings, ratedTarget{im.placeOf(line, t, r), of, r})
			}
		}
		im.count(id, seg)
	}
	im.report.Segments += len(batch)
	im.report.References += im.next.references.Len()
	im.report.HumanScores += im.next.scores.Len()
	return ratings, nil
}

// count adds a new segment, as it is before anybody works on it, to the sums that
// publish adds to the campaign's.
func (im *segmentImport) count(id string, seg campaign.Segment) {
	counted := &desk.SegmentCount{ID: id, Position: im.position, Round: 1,
		Counted: desk.Counted{Status: string(campaign.Pending), Domain: seg.Domain, Size: len(seg.Translations)}}
	im.counting.Change.Change(nil, &counted.Counted, im.counting.Scale)
	desk.AddSegmentTally(im.next.tallies, im.c.ID, im.counting.RowOf(counted))
}

func newTranslations() *database.Rows {
	return database.NewRows("translations", "id", "segment_id", "system_id", "text")
}

// placeOf is where a rating was read. When merging a line has many.
func (im *segmentImport) placeOf(line campaign.SegmentLine, t campaign.Translation, r campaign.Rating) ratingPlace {
	at := ratingPlace{Place: line.PlaceOf(campaign.Row{System: t.System, Annotator: r.Annotator})}
	if im.merging {
		at.of = t.System + " by " + r.Annotator
	}
	return at
}

// documents finds the ids of the documents of a batch. Those that are new become
// rows of the next step.
func (im *segmentImport) documents(batch []campaign.SegmentLine) (map[string]string, error) {
	names := make([]string, 0, len(batch))
	for _, line := range batch {
		names = append(names, line.Segment.DocID)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var known []struct{ ID, DocID string }
	if err := im.db.Raw("SELECT id, doc_id FROM documents WHERE campaign_id = ? AND doc_id IN ?",
		im.c.ID, names).Scan(&known).Error; err != nil {
		return nil, err
	}
	ids := make(map[string]string, len(names))
	for _, d := range known {
		ids[d.DocID] = d.ID
	}
	for _, name := range names {
		if ids[name] == "" {
			ids[name] = database.NewID()
			im.next.documents.Add(ids[name], im.c.ID, name)
		}
	}
	return ids, nil
}

// A knownLine is a line about a segment that is in the campaign.
type knownLine struct {
	line campaign.SegmentLine
	seg  storedSegment
}

// apart parts the lines of new segments from those of known ones. Unless merging,
// the latter are a problem, and so is a segment that is there twice.
func (im *segmentImport) apart(
	batch []campaign.SegmentLine, documents map[string]string, stored map[storedKey]storedSegment,
) (fresh []campaign.SegmentLine, known []knownLine) {
	fresh = make([]campaign.SegmentLine, 0, len(batch))
	met := make(map[storedKey]campaign.Place, len(batch))
	for _, line := range batch {
		k := storedKey{documents[line.Segment.DocID], line.Segment.SegmentID}
		seg, there := stored[k]
		switch {
		case there && (im.merging || seg.position <= im.start && seg.waits && seg.lacks(line.Segment)):
			known = append(known, knownLine{line, seg})
		case there && (seg.position <= im.start || seg.position > im.start+len(im.places)):
			where := "the campaign"
			if im.c.Side == campaign.Training {
				where = "the training set"
			}
			im.twice(line, where+" has it already; leave the line out, or give it another id")
		case there:
			at := im.places[seg.position-im.start-1]
			im.twice(line, campaign.Place{File: im.files[at[0]], Line: int(at[1])}.First(line.File))
		case met[k].Line > 0:
			im.twice(line, met[k].First(line.File))
		default:
			met[k] = line.Place()
			fresh = append(fresh, line)
		}
	}
	return fresh, known
}

// waitsForTexts reports whether a taken-over segment waits for an import of the texts that annotators judge:
// translations, or candidates if a question asks for one.
func waitsForTexts(c campaign.Campaign, seg campaign.Segment) bool {
	if c.Rules.OfSegments() {
		return c.Rules.AsksCandidate() && len(seg.Candidates) == 0
	}
	return len(seg.Translations) == 0
}

// twice notes a segment whose ids another one has, and where that one is.
func (im *segmentImport) twice(line campaign.SegmentLine, where string) {
	im.problems.Add(&campaign.Problem{File: line.File, Line: line.Line, Field: "segment_id", Kind: "twice",
		Msg: fmt.Sprintf("segment %q of document %q is there twice: %s", line.Segment.SegmentID, line.Segment.DocID, where)})
}
