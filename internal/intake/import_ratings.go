package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// ImportRatings reads finished ratings into a campaign, all or nothing, as
// [Store.ImportSegments] does with segments. Unknown annotators
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
//
// The ratings are staged in steps. A small import then makes them ratings in one
// transaction. A large one does so in steps, during which nobody reads the campaign's
// states and sums; see [Store.Completing].
func (s *Store) ImportRatings(ctx context.Context, campaignID string, lines iter.Seq2[campaign.NumberedRating, error], opt ImportOptions) (records.ImportReport, error) {
	st, c, err := s.stage(ctx, campaignID, stagedOnSegments)
	if err != nil {
		return records.ImportReport{}, err
	}
	var problems campaign.Problems
	var report records.ImportReport
	err = st.run(ctx, func() error {
		im, err := st.newRatingImport(ctx, c, &problems)
		if err != nil {
			return err
		}
		im.opt = opt
		if err := eachLine(ctx, lines, problems.Add, im.addLine); err != nil {
			return err
		}
		if err := im.end(); err != nil {
			return err
		}
		err = st.publish(ctx, func(tx *gorm.DB, c campaign.Campaign) error {
			if err := im.publish(tx, c, &report); err != nil {
				return err
			}
			return st.close(tx, opt, &problems, "import ratings", fmt.Sprintf("%d ratings", report.Ratings))
		})
		if err != nil {
			return err
		}
		return st.complete(ctx, &report)
	})
	if err != nil {
		return records.ImportReport{}, err
	}
	return report, nil
}

// ratingImport stages ratings, a batch at a time, so that the order of a file matters
// little: those of mt-metrics-eval have all segments of one system, then of the next.
// Of a segment it keeps in memory no more than that the file touched it, and in which
// rounds.
type ratingImport struct {
	ctx        context.Context
	s          *Store
	st         *staging
	db         *gorm.DB // for queries between the steps
	c          campaign.Campaign
	problems   *campaign.Problems
	began      database.Instant // not later than any query of the import
	terms      *records.OwnTerms
	systems    map[string]string             // id by name
	annotators map[string]*importedAnnotator // by login
	lines      []campaign.NumberedRating
	spans      int // of lines
	count      int
	touched    map[string]*touchedSegment // by segment id
	judged     []campaign.NumberedRating  // adjudications, which come after the ratings
	growth     database.Growth

	// What adjudicate needs, which runs in the last transaction.
	tx      *gorm.DB
	opt     ImportOptions
	judges  map[string]string // ids of adjudicators by login
	created []string          // logins of accounts made for adjudicators
}

// An importedAnnotator is somebody whose ratings are imported.
type importedAnnotator struct {
	id    string
	fresh bool // the import makes the account
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
}

func (st *staging) newRatingImport(ctx context.Context, c campaign.Campaign, problems *campaign.Problems) (*ratingImport, error) {
	db := st.s.Read(ctx)
	terms, err := records.NewOwnTerms(c)
	if err != nil {
		return nil, err
	}
	systems, err := systemIDs(db, c.ID)
	if err != nil {
		return nil, database.Translate(err)
	}
	return &ratingImport{
		ctx: ctx, s: st.s, st: st, db: db, c: c, problems: problems, began: st.began, terms: terms, systems: systems,
		annotators: map[string]*importedAnnotator{}, judges: map[string]string{}, touched: map[string]*touchedSegment{}, growth: database.Growth{Tables: "staged_ratings"},
	}, nil
}

// A ratingPlace is the place of one rating.
type ratingPlace struct {
	records.Place
	of string // which one, as "A by mara"; empty where the line has one alone
}

func (im *ratingImport) refuse(at ratingPlace, field, msg string) {
	if at.of != "" {
		msg = "rating of " + at.of + ": " + msg
	}
	im.problems.Add(&campaign.Problem{File: at.File, Line: at.Line, Field: field, Msg: msg})
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
		r, at := line.Rating, ratingPlace{Place: records.Place{File: line.File, Line: line.Line}}
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
		if err := im.db.Raw("SELECT id, source FROM segments WHERE id IN ?", ids).Scan(&sources).Error; err != nil {
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
	err = im.db.Raw("SELECT id, segment_id, system_id, "+im.text("text")+" AS text FROM translations WHERE segment_id IN ? AND system_id IN ?", ids, systems).Scan(&translations).Error
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
		err := im.db.Raw(`SELECT s.id, d.doc_id, s.segment_id FROM (VALUES `+strings.TrimSuffix(strings.Repeat("(?,?),", len(named)/2), ",")+`) AS v
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
		err := im.db.Raw("SELECT min(id) AS id, segment_id, count(*) AS documents FROM segments WHERE campaign_id = ? AND segment_id IN ? GROUP BY segment_id", im.c.ID, alone).Scan(&rows).Error
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

// add stages ratings whose translations are known.
func (im *ratingImport) add(ratings []ratedTarget) error {
	for batch := range slices.Chunk(ratings, ratingBatch) {
		sound, err := im.sound(batch)
		if err != nil {
			return database.Translate(err)
		}
		im.touch(sound)
		if err := im.stageRatings(sound); err != nil {
			return database.Translate(err)
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
		given, problems := im.check(r.at.Place, r.rating.Rating, r.of.texts)
		for _, p := range problems {
			im.refuse(r.at, p.Field, p.Msg)
		}
		if len(problems) > 0 {
			continue
		}
		r.rating.Rating = given
		user, err := im.annotator(r.at, r.rating.Annotator)
		if err != nil {
			return nil, err
		}
		if user != nil {
			out = append(out, soundRating{r, user.id})
		}
	}
	return out, nil
}

// check returns a finished rating, read at a place, as it is stored, with its terms learnt, or what
// is wrong with it.
func (im *ratingImport) check(at records.Place, r protocol.Rating, t protocol.Texts) (protocol.Rating, []protocol.Violation) {
	rules := im.terms.Rules
	out := rules.CheckScores(r.Scores)
	// Without spans a finished rating says that there are no errors.
	if m := rules.Missing(protocol.Rating{Scores: r.Scores, NoErrors: true}); m != "" && len(out) == 0 {
		out = append(out, protocol.Violation{Field: "scores", Msg: "needs " + m})
	}
	if r.Comment != database.Storable(r.Comment) {
		out = append(out, records.NotStorable("comment"))
	}
	if len(r.Suggestions) > 0 && rules.Spans == nil {
		return r, append(out, protocol.Violation{Field: "suggestions", Msg: rules.Name + " has no error spans, so that none are suggested; leave it out"})
	}
	out = append(out, protocol.CheckOutcomes(r)...)
	for i, o := range r.Suggestions {
		if o.ID != database.Storable(o.ID) {
			out = append(out, records.NotStorable(fmt.Sprintf("suggestions[%d].id", i)))
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
		if spans[i], bad = records.Placed(t, s); bad == nil {
			spans[i], bad = im.terms.Learn(at, spans[i])
		}
		if bad != nil {
			out = append(out, protocol.Violation{Field: fmt.Sprintf("spans[%d].%s", i, bad.Field), Msg: bad.Msg})
		}
	}
	r.Spans = spans
	return r, out
}

// touch notes that the file has ratings of rounds of segments.
func (im *ratingImport) touch(batch []soundRating) {
	for _, r := range batch {
		seg := im.touched[r.of.segment]
		if seg == nil {
			seg = &touchedSegment{}
			im.touched[r.of.segment] = seg
		}
		seg.last = r.at
		if !slices.Contains(seg.rounds, r.rating.Round) {
			seg.rounds = append(seg.rounds, r.rating.Round)
		}
	}
}

// annotator finds who a login is, or will be once the import has made the account; nil
// after a problem.
func (im *ratingImport) annotator(at ratingPlace, login string) (*importedAnnotator, error) {
	if a := im.annotators[login]; a != nil {
		return a, nil
	}
	a, refusal, err := im.s.importedAnnotator(im.db, im.c.ID, login)
	if err != nil {
		return nil, err
	}
	if refusal != "" {
		im.refuse(at, "annotator", refusal)
		return nil, nil
	}
	im.annotators[login] = a
	return a, nil
}

// importedAnnotator finds who a login is, or says why no ratings of theirs can be
// imported.
func (s *Store) importedAnnotator(db *gorm.DB, campaignID, login string) (a *importedAnnotator, refusal string, err error) {
	u, err := accounts.FindUser(db, "login = ?", login)
	if errors.Is(database.Translate(err), campaign.ErrNotFound) {
		err = cmp.Or(campaign.CheckLogin(login), campaign.CheckName("name", login))
		if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
			return nil, invalid.Msg, nil
		}
		return &importedAnnotator{id: database.NewID(), fresh: true}, "", err
	}
	if err != nil {
		return nil, "", err
	}
	var role string
	var aside bool
	err = database.Scan(db.Raw("SELECT role, set_aside FROM memberships WHERE campaign_id = ? AND user_id = ?", campaignID, u.ID), &role, &aside)
	switch {
	case errors.Is(err, database.ErrNoRows) && u.Role == accounts.Admin:
		return nil, login + " is a site admin, not an annotator", nil
	case errors.Is(err, database.ErrNoRows):
	case err != nil:
		return nil, "", err
	case role != string(campaign.Annotator):
		return nil, fmt.Sprintf("%s is a %s of this campaign, not an annotator", login, role), nil
	case aside:
		return nil, fmt.Sprintf("the work of %s is set aside in this campaign; restore it before the import, or leave these ratings out of the file", login), nil
	}
	return &importedAnnotator{id: u.ID}, "", nil
}

// end stages the last lines, and checks that no round is missing below another.
func (im *ratingImport) end() error {
	if err := im.addLines(); err != nil {
		return err
	}
	for id, seg := range im.touched {
		missing := func(rounds []int) (round, below int) {
			for _, round := range slices.Sorted(slices.Values(seg.rounds)) {
				for below := 1; below < round; below++ {
					if !slices.Contains(rounds, below) {
						return round, below
					}
				}
			}
			return 0, 0
		}
		if round, _ := missing(seg.rounds); round == 0 {
			continue
		}
		rounds, err := knownRounds(im.db, id)
		if err != nil {
			return database.Translate(err)
		}
		if round, below := missing(append(rounds, seg.rounds...)); round > 0 {
			im.refuse(seg.last, "round", fmt.Sprintf("the segment has ratings of round %d but none of round %d", round, below))
		}
	}
	return nil
}

// publish makes the annotators of the import, and what it says of terms, part of the
// campaign. Then it makes the staged ratings its ratings or, where they are many, says
// that this is about to be done. Adjudications need the states that follow from the
// ratings, so that a file with adjudications becomes visible in this one transaction.
func (im *ratingImport) publish(tx *gorm.DB, c campaign.Campaign, report *records.ImportReport) error {
	if im.problems.Count() > 0 {
		return im.adjudicateIn(tx, report) // which tells what is wrong with adjudications
	}
	if rounds.WeighDifferently(im.c.Rules, c.Rules) || !reflect.DeepEqual(im.c.Own, c.Own) {
		return fmt.Errorf("what scores are made of was changed while the import was under way; import again: %w", campaign.ErrConflict)
	}
	if err := im.makeAnnotators(tx, report); err != nil {
		return err
	}
	if err := im.refuseBegun(tx); err != nil {
		return err
	}
	large := im.count > im.s.PlaceAtOnce && len(im.judged) == 0
	for placed := 1; placed > 0 && !large; {
		p, err := im.s.placeRatings(tx, c, placedSegments)
		if err != nil {
			return err
		}
		placed = p.ratings
		report.Decide(p.moves)
	}
	if err := im.adjudicateIn(tx, report); err != nil {
		return err
	}
	report.Ratings = im.count
	report.NewAnnotators = append(report.NewAnnotators, im.created...)
	slices.Sort(report.NewAnnotators)
	if err := im.terms.Save(tx, c.ID, report); err != nil {
		return err
	}
	if large {
		return im.beginCompleting(tx)
	}
	return nil
}

// adjudicateIn is adjudicate in the last transaction.
func (im *ratingImport) adjudicateIn(tx *gorm.DB, report *records.ImportReport) error {
	im.tx, im.created = tx, nil
	clear(im.judges)
	between := im.db
	im.db = tx // which has what the transaction has changed
	defer func() { im.db = between }()
	return im.adjudicate(report)
}

// makeAnnotators makes the accounts and memberships of the annotators. It is an
// ErrConflict where one of them can't be an annotator any more.
func (im *ratingImport) makeAnnotators(tx *gorm.DB, report *records.ImportReport) error {
	report.NewAnnotators = nil
	for _, login := range slices.Sorted(maps.Keys(im.annotators)) {
		was := im.annotators[login]
		is, refusal, err := im.s.importedAnnotator(tx, im.c.ID, login)
		switch {
		case err != nil:
			return err
		case refusal != "":
			return fmt.Errorf("%s: %w", refusal, campaign.ErrConflict)
		case is.fresh != was.fresh || !is.fresh && is.id != was.id:
			return fmt.Errorf("the account %q was made or changed while the import was under way; import again: %w", login, campaign.ErrConflict)
		}
		if was.fresh {
			if err := im.s.AddImportedUser(tx, was.id, login); err != nil {
				return err
			}
			report.NewAnnotators = append(report.NewAnnotators, login)
		}
		var n int
		if err := database.Scan(tx.Raw("SELECT count(*) FROM memberships WHERE campaign_id = ? AND user_id = ?", im.c.ID, was.id), &n); err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		if err := im.s.SetMembership(tx, im.c.ID, was.id, campaign.Annotator, ""); err != nil {
			return err
		}
	}
	return nil
}

// refuseBegun is an ErrConflict where an annotator of the import has begun or changed
// work since the import began that it has ratings of. Nobody begins any before the
// transaction ends, since it holds the campaign.
func (im *ratingImport) refuseBegun(tx *gorm.DB) error {
	var login, segment string
	// CROSS JOIN and the list of all states have SQLite begin with the few assignments.
	err := database.Scan(tx.Raw(`SELECT u.login, g.segment_id FROM assignments a CROSS JOIN staged_ratings r CROSS JOIN users u CROSS JOIN segments g
		WHERE a.campaign_id = ? AND a.state IN ('open', 'submitted', 'released', 'problem', 'adjudicating', 'adjudicated') AND a.touched_at > ?
		AND r.campaign_id = a.campaign_id AND r.segment_id = a.segment_id AND r.user_id = a.user_id AND r.round = a.round
		AND u.id = a.user_id AND g.id = a.segment_id LIMIT 1`, im.c.ID, im.began), &login, &segment)
	switch {
	case errors.Is(err, database.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s worked on segment %q while the import was under way; import again: %w", login, segment, campaign.ErrConflict)
}

// knownRounds are the rounds of a segment that anybody has submitted, set aside or not,
// and those that another look has reserved.
func knownRounds(tx *gorm.DB, segmentID string) (rounds []int, err error) {
	err = tx.Raw(`SELECT round FROM assignments WHERE segment_id = ? AND (state = 'submitted' OR set_aside = 'submitted')
		UNION SELECT round FROM acts WHERE segment_id = ? AND kind = ?`, segmentID, segmentID, string(campaign.AnotherLook)).Scan(&rounds).Error
	return rounds, err
}
