package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// ImportRatings reads finished ratings into a campaign in one transaction, all
// or nothing, as [Store.ImportSegments] does with segments. Unknown annotators
// get an account that can't sign in, and membership. Redundancy and quota do not
// bind. After the last line the gate runs once over each segment the file
// touched. Refused, with file and line: an unknown segment or system, a segment
// id that several documents have, a rating that exists already for that
// annotator, translation and round, a round whose lower rounds are missing, a
// score that is missing or not on its scale, and an error span that lies outside
// its text or whose words are not those of the stored text there. Refused is also a
// rating whose annotator has the segment in work; but a later round that they have
// not begun, since it opened when an import brought the round before, is filled in,
// and decided once nobody else has it to do.
//
// Lines that are adjudicated become acts of adjudication once all ratings are in. An
// adjudication has a line for each translation of its segment, by one adjudicator, and is
// refused for a segment that a lead or an adjudicator has decided. Who annotates the
// segment may have adjudicated it. Unknown adjudicators get an account that can't sign
// in.
//
// Finished ratings are kept as they are: limits on what is entered do not bind,
// and severities and categories that the protocol lacks become the campaign's own
// ([campaign.Campaign.Own]) and are named in the report. Names are spelt as the
// protocol spells them, and spans get the words they cover.
func (s *Store) ImportRatings(ctx context.Context, campaignID string, lines iter.Seq2[campaign.NumberedRating, error], opt ImportOptions) (ImportReport, error) {
	var report ImportReport
	err := s.importLines(ctx, campaignID, "import ratings", opt, func(tx *gorm.DB, c campaign.Campaign, problems *campaign.Problems) (string, error) {
		im, err := s.newRatingImport(tx, c, problems)
		if err != nil {
			return "", err
		}
		im.opt = opt
		if err := eachLine(ctx, lines, problems.Add, im.addLine); err != nil {
			return "", err
		}
		report = ImportReport{}
		err = im.finish(&report)
		return fmt.Sprintf("%d ratings", report.Ratings), err
	})
	return report, err
}

// ratingImport writes ratings as submitted work of their annotators, a batch at a
// time, so that the order of a file matters little: those of mt-metrics-eval have
// all segments of one system, then of the next. Of a segment it keeps in memory no
// more than that the file touched it, and in whose turns.
type ratingImport struct {
	s        *Store
	tx       *gorm.DB
	c        campaign.Campaign
	problems *campaign.Problems
	terms    *ownTerms
	systems  map[string]string // id by name
	users    map[string]string // id by login
	created  []string          // logins of new accounts
	lines    []campaign.NumberedRating
	spans    int   // of lines
	made     *rows // assignments
	pending  *rows // ratings
	count    int
	touched  map[string]*touchedSegment // by segment id
	order    []string                   // of touched, as first met
	met      map[[2]string]int          // segments that two users share for the first time, by their ids
	judged   []campaign.NumberedRating  // adjudications, which come after the ratings
	judges   map[string]string          // ids of adjudicators by login
	opt      ImportOptions
	growth   growth
}

// ratingBatch is how many ratings are looked up and written at once; fewer where
// they have spanBatch error spans.
const ratingBatch, spanBatch = 200, 20_000

type segmentKey struct{ doc, segment string }

type foundText struct {
	id           string
	source       string                      // empty under a protocol without error spans
	translations map[string]foundTranslation // by system
	problem      string
}

type foundTranslation struct {
	id   string
	text string // empty under a protocol without error spans
}

// A target is what a rating is of. Its texts may be left out where the rating has
// no spans.
type target struct {
	segment, translation string // row ids
	texts                protocol.Texts
}

type touchedSegment struct {
	last   ratingPlace // that touched it
	rounds []int       // that the file has ratings of
	turns  []string    // ids of the assignments that it has ratings of
}

func (s *Store) newRatingImport(tx *gorm.DB, c campaign.Campaign, problems *campaign.Problems) (*ratingImport, error) {
	terms, err := newOwnTerms(c)
	if err != nil {
		return nil, err
	}
	systems, err := systemIDs(tx, c.ID)
	if err != nil {
		return nil, err
	}
	return &ratingImport{
		s: s, tx: tx, c: c, problems: problems, terms: terms, systems: systems,
		users: map[string]string{}, judges: map[string]string{}, touched: map[string]*touchedSegment{}, met: map[[2]string]int{},
		growth:  growth{tables: "assignments, ratings"},
		made:    newRows("assignments", "id", "campaign_id", "segment_id", "user_id", "round", "state", "seed", "started_at", "touched_at", "submitted_at", "imported", "work"),
		pending: newRows("ratings", "id", "assignment_id", "translation_id", "scores", "spans", "gate_score", "comment", "suggestions", "seconds", "submitted_at"),
	}, nil
}

// place is where a rating was read.
type place struct {
	file string
	line int
}

// A ratingPlace is the place of one rating.
type ratingPlace struct {
	place
	of string // which one, as "A by mara"; empty where the line has one alone
}

func (im *ratingImport) refuse(at ratingPlace, field, msg string) {
	if at.of != "" {
		msg = "rating of " + at.of + ": " + msg
	}
	im.problems.Add(&campaign.Problem{File: at.file, Line: at.line, Field: field, Msg: msg})
}

// addLine takes a line of a ratings file.
func (im *ratingImport) addLine(line campaign.NumberedRating) error {
	if line.Rating.Adjudicated {
		im.judged = append(im.judged, line)
		return nil
	}
	im.lines = append(im.lines, line)
	im.spans += len(line.Rating.Spans)
	if len(im.lines) < ratingBatch && im.spans < spanBatch {
		return nil
	}
	return im.addLines()
}

// addLines adds the lines that were taken, to the translations they name.
func (im *ratingImport) addLines() error {
	found, err := im.find(im.lines)
	if err != nil {
		return err
	}
	batch := make([]ratedTarget, 0, len(im.lines))
	for _, line := range im.lines {
		r, at := line.Rating, ratingPlace{place: place{line.File, line.Line}}
		text := found[segmentKey{r.DocID, r.SegmentID}]
		if text.problem != "" {
			im.refuse(at, "segment_id", text.problem)
			continue
		}
		translation, ok := text.translations[r.System]
		if !ok {
			im.refuse(at, "system", im.missing(r.System))
			continue
		}
		batch = append(batch, ratedTarget{at, target{text.id, translation.id, protocol.Texts{Source: text.source, Translation: translation.text}}, r.Rating})
	}
	clear(im.lines)
	im.lines, im.spans = im.lines[:0], 0
	return im.add(batch)
}

// missing says why there is no translation by a system: the campaign does not know
// it, or the segment was imported without it.
func (im *ratingImport) missing(system string) string {
	if im.systems[system] != "" {
		return fmt.Sprintf("the segment has no translation by the system %q", system)
	}
	return fmt.Sprintf("the campaign has no system %q", system)
}

// find looks up the segments of lines, with the translations that they name.
func (im *ratingImport) find(lines []campaign.NumberedRating) (map[segmentKey]foundText, error) {
	found, err := im.findSegments(lines)
	if err != nil {
		return nil, err
	}
	var ids []string
	byID := map[string][]segmentKey{} // a segment may be named with and without its document
	for key, text := range found {
		if text.problem == "" {
			ids, byID[text.id] = append(ids, text.id), append(byID[text.id], key)
		}
	}
	systems, names := []string{}, map[string]string{}
	for _, line := range lines {
		if id := im.systems[line.Rating.System]; id != "" && names[id] == "" {
			systems, names[id] = append(systems, id), line.Rating.System
		}
	}
	var sources []struct{ ID, Source string }
	if im.c.Rules.Spans != nil {
		if err := im.tx.Raw("SELECT id, source FROM segments WHERE id IN ?", ids).Scan(&sources).Error; err != nil {
			return nil, err
		}
	}
	for _, r := range sources {
		for _, key := range byID[r.ID] {
			text := found[key]
			text.source = r.Source
			found[key] = text
		}
	}
	var translations []struct{ ID, SegmentID, SystemID, Text string }
	err = im.tx.Raw("SELECT id, segment_id, system_id, "+im.text("text")+" AS text FROM translations WHERE segment_id IN ? AND system_id IN ?", ids, systems).Scan(&translations).Error
	for _, r := range translations {
		for _, key := range byID[r.SegmentID] {
			found[key].translations[names[r.SystemID]] = foundTranslation{r.ID, r.Text}
		}
	}
	return found, err
}

// findSegments looks up the ids of the segments of lines, or what is wrong with
// their names.
func (im *ratingImport) findSegments(lines []campaign.NumberedRating) (map[segmentKey]foundText, error) {
	found := make(map[segmentKey]foundText, len(lines))
	var named []any
	var alone []string // without a document
	for _, line := range lines {
		key := segmentKey{line.Rating.DocID, line.Rating.SegmentID}
		if _, ok := found[key]; ok {
			continue
		}
		text := foundText{problem: fmt.Sprintf("the campaign has no segment %q", key.segment)}
		if key.doc == "" {
			alone = append(alone, key.segment)
		} else {
			text.problem += fmt.Sprintf(" in document %q", key.doc)
			named = append(named, key.doc, key.segment)
		}
		found[key] = text
	}
	if len(named) > 0 {
		var rows []struct{ ID, DocID, SegmentID string }
		err := im.tx.Raw(`SELECT s.id, d.doc_id, s.segment_id FROM (VALUES `+strings.TrimSuffix(strings.Repeat("(?,?),", len(named)/2), ",")+`) AS v
			JOIN documents d ON d.campaign_id = ? AND d.doc_id = v.column1
			JOIN segments s ON s.document_id = d.id AND s.segment_id = v.column2`, append(named, im.c.ID)...).Scan(&rows).Error
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			found[segmentKey{r.DocID, r.SegmentID}] = foundText{id: r.ID, translations: map[string]foundTranslation{}}
		}
	}
	if len(alone) > 0 {
		var rows []struct {
			ID, SegmentID string
			Documents     int
		}
		err := im.tx.Raw("SELECT min(id) AS id, segment_id, count(*) AS documents FROM segments WHERE campaign_id = ? AND segment_id IN ? GROUP BY segment_id", im.c.ID, alone).Scan(&rows).Error
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			text := foundText{id: r.ID, translations: map[string]foundTranslation{}}
			if r.Documents > 1 {
				text.problem = fmt.Sprintf("several documents have a segment %q; name the document with doc_id", r.SegmentID)
			}
			found[segmentKey{segment: r.SegmentID}] = text
		}
	}
	return found, nil
}

// text is a column of what spans lie in; nothing where there are none.
func (im *ratingImport) text(column string) string {
	if im.c.Rules.Spans == nil {
		return "''"
	}
	return column
}

// add writes ratings whose translations are known.
func (im *ratingImport) add(ratings []ratedTarget) error {
	for batch := range slices.Chunk(ratings, ratingBatch) {
		sound, err := im.sound(batch)
		if err != nil {
			return err
		}
		if err := im.touch(sound); err != nil {
			return err
		}
		if err := im.addToTurns(sound); err != nil {
			return err
		}
		if err := im.made.insert(im.tx); err != nil {
			return err
		}
		if err := im.pending.insert(im.tx); err != nil {
			return err
		}
		if err := im.growth.note(im.tx, im.count); err != nil {
			return err
		}
	}
	return nil
}

// A soundRating is a rating in which nothing is wrong by itself.
type soundRating struct {
	ratedTarget
	user string // id
}

// sound returns the ratings of a batch as they are stored, less those it refuses.
func (im *ratingImport) sound(batch []ratedTarget) ([]soundRating, error) {
	out := make([]soundRating, 0, len(batch))
	for _, r := range batch {
		r.rating.Round = max(r.rating.Round, 1)
		given, problems := im.check(r.at.place, r.rating.Rating, r.of.texts)
		for _, p := range problems {
			im.refuse(r.at, p.Field, p.Msg)
		}
		if len(problems) > 0 {
			continue
		}
		r.rating.Rating = given
		user, err := im.user(r.at, r.rating.Annotator)
		if err != nil {
			return nil, err
		}
		if user != "" {
			out = append(out, soundRating{r, user})
		}
	}
	return out, nil
}

// check returns a finished rating, read at a place, as it is stored, with its terms learnt, or what
// is wrong with it.
func (im *ratingImport) check(at place, r protocol.Rating, t protocol.Texts) (protocol.Rating, []protocol.Violation) {
	rules := im.terms.rules
	out := rules.CheckScores(r.Scores)
	// Without spans a finished rating says that there are no errors.
	if m := rules.Missing(protocol.Rating{Scores: r.Scores, NoErrors: true}); m != "" && len(out) == 0 {
		out = append(out, protocol.Violation{Field: "scores", Msg: "needs " + m})
	}
	if r.Comment != storable(r.Comment) {
		out = append(out, notStorable("comment"))
	}
	if len(r.Suggestions) > 0 && rules.Spans == nil {
		return r, append(out, protocol.Violation{Field: "suggestions", Msg: rules.Name + " has no error spans, so that none are suggested; leave it out"})
	}
	out = append(out, protocol.CheckOutcomes(r)...)
	for i, o := range r.Suggestions {
		if o.ID != storable(o.ID) {
			out = append(out, notStorable(fmt.Sprintf("suggestions[%d].id", i)))
		}
	}
	if len(r.Spans) == 0 {
		return r, out
	}
	if rules.Spans == nil {
		return r, append(out, protocol.Violation{Field: "spans", Msg: rules.Name + " has no error spans; import into a campaign whose protocol marks errors"})
	}
	spans := make([]protocol.ErrorSpan, len(r.Spans))
	for i, s := range r.Spans {
		var bad *protocol.Violation
		if spans[i], bad = placed(t, s); bad == nil {
			spans[i], bad = im.terms.learn(at, spans[i])
		}
		if bad != nil {
			out = append(out, protocol.Violation{Field: fmt.Sprintf("spans[%d].%s", i, bad.Field), Msg: bad.Msg})
		}
	}
	r.Spans = spans
	return r, out
}

// touch notes that the file has ratings of rounds of segments, and locks these.
func (im *ratingImport) touch(batch []soundRating) error {
	var fresh []string
	for _, r := range batch {
		seg := im.touched[r.of.segment]
		if seg == nil {
			seg = &touchedSegment{}
			im.touched[r.of.segment] = seg
			im.order = append(im.order, r.of.segment)
			fresh = append(fresh, r.of.segment)
		}
		seg.last = r.at
		if !slices.Contains(seg.rounds, r.rating.Round) {
			seg.rounds = append(seg.rounds, r.rating.Round)
		}
	}
	return lockSegments(im.tx, fresh)
}

// lockSegments is lockSegment for several, in an order that all imports keep.
func lockSegments(tx *gorm.DB, segmentIDs []string) error {
	touchSegments(tx, segmentIDs...)
	return holdSegments(tx, segmentIDs)
}

// holdSegments locks segments without noting them: who calls it notes those it
// changes.
func holdSegments(tx *gorm.DB, segmentIDs []string) error {
	if tx.Name() != Postgres || len(segmentIDs) == 0 {
		return nil
	}
	var ids []string
	return tx.Table("all_segments").Clauses(forUpdate).Select("id").Where("id IN ?", segmentIDs).Order("id").Scan(&ids).Error
}

// user finds the annotator's account, making it where there is none.
func (im *ratingImport) user(at ratingPlace, login string) (string, error) {
	if id, ok := im.users[login]; ok {
		return id, nil
	}
	u, err := findUser(im.tx, "login = ?", login)
	if errors.Is(err, campaign.ErrNotFound) {
		if u, err = im.s.addUser(im.tx, login, login, Member); err == nil {
			im.created = append(im.created, login)
			err = im.tx.Exec("UPDATE users SET imported = ? WHERE id = ?", true, u.ID).Error
		}
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		im.refuse(at, "annotator", invalid.Msg)
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var role string
	var aside bool
	err = scan(im.tx.Raw("SELECT role, set_aside FROM memberships WHERE campaign_id = ? AND user_id = ?", im.c.ID, u.ID), &role, &aside)
	switch {
	case errors.Is(err, errNoRows):
		if err = im.s.setMembership(im.tx, im.c.ID, u.ID, campaign.Annotator, ""); errors.Is(err, campaign.ErrConflict) {
			im.refuse(at, "annotator", login+" is a site admin, not an annotator")
			return "", nil
		}
	case err == nil && role != string(campaign.Annotator):
		im.refuse(at, "annotator", fmt.Sprintf("%s is a %s of this campaign, not an annotator", login, role))
		return "", nil
	case err == nil && aside:
		im.refuse(at, "annotator", fmt.Sprintf("the work of %s is set aside in this campaign; restore it before the import, or leave these ratings out of the file", login))
		return "", nil
	}
	if err != nil {
		return "", err
	}
	im.users[login] = u.ID
	return u.ID, nil
}

// newSeed makes the seed of an order of cards; never 0.
func newSeed() int64 { return 1 + rand.Int64N(1<<62) }

// finish brings sums, places and meetings up to date and decides the touched
// segments, round by round.
func (im *ratingImport) finish(report *ImportReport) error {
	if err := im.addLines(); err != nil {
		return err
	}
	if err := im.saveMeetings(); err != nil {
		return err
	}
	for _, id := range im.order {
		if err := im.sum(id, im.touched[id]); err != nil {
			return err
		}
	}
	if err := im.follow(report); err != nil {
		return err
	}
	if err := im.adjudicate(report); err != nil {
		return err
	}
	report.Ratings = im.count
	report.NewAnnotators = im.created
	slices.Sort(report.NewAnnotators)
	return im.terms.save(im.tx, im.c.ID, report)
}

// sum brings the sums of a segment's turns up to date, and checks that no round is
// missing below another.
func (im *ratingImport) sum(segmentID string, seg *touchedSegment) error {
	if err := sumTurns(im.tx, seg.turns); err != nil {
		return err
	}
	rounds, err := knownRounds(im.tx, segmentID)
	for _, round := range slices.Sorted(slices.Values(seg.rounds)) {
		for below := 1; below < round; below++ {
			if !slices.Contains(rounds, below) {
				im.refuse(seg.last, "round", fmt.Sprintf("the segment has ratings of round %d but none of round %d", round, below))
				return err
			}
		}
	}
	return err
}

// follow stores what follows for the touched segments, and counts the statuses that
// they get by it.
func (im *ratingImport) follow(report *ImportReport) error {
	err := eachPart(im.tx, im.order, `UPDATE all_segments SET rated = rated + 1,
		imported = (SELECT count(*) FROM assignments a WHERE a.segment_id = all_segments.id AND a.round = 1 AND a.imported) WHERE id IN ?`)
	if err != nil {
		return err
	}
	f, err := im.s.newFollowing(im.tx, im.c)
	if err != nil {
		return err
	}
	if err := f.segments(slices.Sorted(slices.Values(im.order))); err != nil {
		return err
	}
	for _, m := range f.effect.Moves {
		if m.To == campaign.Pending {
			continue
		}
		if report.Decided == nil {
			report.Decided = map[campaign.Status]int{}
		}
		report.Decided[m.To] += m.N
	}
	return nil
}

// knownRounds are the rounds of a segment that anybody has submitted, set aside or not,
// and those that another look has reserved.
func knownRounds(tx *gorm.DB, segmentID string) (rounds []int, err error) {
	err = tx.Raw(`SELECT round FROM assignments WHERE segment_id = ? AND (state = 'submitted' OR set_aside = 'submitted')
		UNION SELECT round FROM acts WHERE segment_id = ? AND kind = ?`, segmentID, segmentID, string(campaign.AnotherLook)).Scan(&rounds).Error
	return rounds, err
}
