package intake

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
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
// Lines that are adjudicated become acts of adjudication after the ratings of their
// segments, in one batch, which is undone as a whole. An
// adjudication has a line for each translation of its segment, by one adjudicator, and is
// refused for a segment that a lead or an adjudicator has decided. An annotator
// of the segment may have adjudicated it. Unknown adjudicators get an account that can't sign
// in.
//
// A link may lead to a span on another line of the file, or to a stored one, by the same
// annotator on the same system, document and round. One that leads nowhere is refused. If
// several segments have a span with the id, the link leads to the one of its own rating or,
// if there is none, to any of them.
//
// The import keeps finished ratings as they are, except for ids of spans that contain the
// name of a system ([neutralIDs]). It does not enforce the limits on entered ratings.
// Severities and categories that the protocol lacks become the campaign's own
// ([campaign.Campaign.Own]), and the report names them. Names are spelt as the protocol
// spells them, and spans get the words they cover.
//
// The ratings are staged in steps. A small import then makes them ratings in one
// transaction. A large one does so in steps, during which nobody reads the campaign's
// states and sums; see [Store.Completing].
func (s *Store) ImportRatings(
	ctx context.Context, campaignID string, lines iter.Seq2[campaign.RatingLine, error], opt ImportOptions,
) (readmodel.ImportReport, error) {
	return s.importOnSegments(ctx, campaignID, func(on *importOnSegments) error {
		im, err := newRatingImport(ctx, s, on.st, on.c, &on.problems)
		if err != nil {
			return err
		}
		im.opt = opt
		if err := eachLine(ctx, lines, on.problems.Add, im.addLine); err != nil {
			return err
		}
		if err := im.end(); err != nil {
			return err
		}
		err = on.st.Publish(ctx, func(tx *database.Tx, c campaign.Campaign) error {
			if err := im.publish(tx, c, &on.report); err != nil {
				return err
			}
			return on.st.Close(tx, opt, &on.problems, "ratings", fmt.Sprintf("%d ratings", on.report.Ratings), on.report)
		})
		if err != nil {
			return err
		}
		return s.complete(ctx, on.st, opt, &on.report)
	})
}

// ratingImport stages ratings, a batch at a time, so that the order of a file matters
// little: those of mt-metrics-eval have all segments of one system, then of the next.
// Of a segment it keeps in memory no more than that the file touched it, and in which
// rounds, and of a rating the place if it has a link to another segment.
type ratingImport struct {
	ctx      context.Context
	s        *Store
	st       *stagedImport
	db       *gorm.DB // for queries between the steps
	c        campaign.Campaign
	problems *campaign.Problems
	opt      ImportOptions // of a file with adjudications
	terms    *records.OwnTerms
	systems  map[string]string // id by name
	ids      neutralIDs
	freshIDs map[string]string // of accounts that the import makes, by login
	count    int               // ratings and adjudications that are staged
	growth   database.Growth

	lines      ratingLines
	members    int                         // of the campaign, before the import
	annotators map[string]*importedAccount // by login
	touched    map[string]*touchedSegment  // by segment id
	linking    map[ratingKey]linkingRating

	judged       ratingLines                     // adjudications
	adjudicators map[string]*importedAdjudicator // by login
	segments     map[string]*judgedSegment       // by segment id
}

// ratingLines are lines that were read and are not staged yet.
type ratingLines struct {
	lines []campaign.RatingLine
	spans int // of lines
}

// add adds a line, and reports whether the lines have atOnce ratings or spanBatch spans.
func (l *ratingLines) add(line campaign.RatingLine, atOnce int) (full bool) {
	l.lines = append(l.lines, line)
	l.spans += len(line.Spans)
	return len(l.lines) >= atOnce || l.spans >= spanBatch
}

func (l *ratingLines) clear() {
	clear(l.lines)
	l.lines, l.spans = l.lines[:0], 0
}

// ratingsAtOnce is the number of ratings that an import looks up and writes at once. It takes
// fewer ratings when they have spanBatch error spans.
func (s *Store) ratingsAtOnce() int { return 2 * s.db.ImportStep }

const spanBatch = 20_000

type touchedSegment struct {
	last   ratingPlace // that touched it
	rounds []int       // that the file has ratings of
}

func newRatingImport(ctx context.Context, s *Store, st *stagedImport, c campaign.Campaign, problems *campaign.Problems) (*ratingImport, error) {
	db := s.db.Read(ctx)
	terms, err := records.NewOwnTerms(c)
	if err != nil {
		return nil, err
	}
	systems, err := systemIDs(db, c.ID)
	if err != nil {
		return nil, err
	}
	var members int
	if err := database.Scan(db.Raw("SELECT count(*) FROM memberships WHERE campaign_id = ?", c.ID), &members); err != nil {
		return nil, err
	}
	return &ratingImport{
		members: members,
		ctx:     ctx, s: s, st: st, db: db, c: c, problems: problems, terms: terms, systems: systems, ids: newNeutralIDs(systems),
		freshIDs: map[string]string{}, growth: database.Growth{Tables: "staged_ratings"},
		annotators: map[string]*importedAccount{}, touched: map[string]*touchedSegment{}, linking: map[ratingKey]linkingRating{},
		adjudicators: map[string]*importedAdjudicator{}, segments: map[string]*judgedSegment{},
	}, nil
}

// A ratingPlace is the place of one rating.
type ratingPlace struct {
	campaign.Place
	of string // which one, as "A by mara"; empty where the line has one alone
}

func (im *ratingImport) refuse(at ratingPlace, field, msg string) {
	im.refuseKind("", at, field, msg)
}

// refuseKind notes a problem of a kind; see [campaign.Problem].
func (im *ratingImport) refuseKind(kind string, at ratingPlace, field, msg string) {
	if at.of != "" {
		msg = "rating of " + at.of + ": " + msg
	}
	im.problems.Add(&campaign.Problem{File: at.File, Line: at.Line, Field: field, Msg: msg, Kind: kind})
}

// addLine takes a line of a ratings file.
func (im *ratingImport) addLine(line campaign.RatingLine) error {
	switch {
	case line.Adjudicated && im.judged.add(line, im.s.ratingsAtOnce()):
		return im.stageAdjudications()
	case !line.Adjudicated && im.lines.add(line, im.s.ratingsAtOnce()):
		return im.addLines()
	}
	return nil
}

// addLines adds the lines that were taken, to the translations they name.
func (im *ratingImport) addLines() error {
	found, err := im.find(im.lines.lines)
	if err != nil {
		return err
	}
	batch := make([]ratedTarget, 0, len(im.lines.lines))
	for _, line := range im.lines.lines {
		r, at := line, ratingPlace{Place: line.Place}
		of, bad := found.Target(nameOf(r.DocID, r.SegmentID, r.System), at.Place)
		if bad != nil {
			im.problems.Add(bad)
			continue
		}
		batch = append(batch, ratedTarget{at, of, r.Rating})
	}
	im.lines.clear()
	return im.add(batch)
}

// find looks up the translations that lines name.
func (im *ratingImport) find(lines []campaign.RatingLine) (foundTranslations, error) {
	names := make([]translationName, len(lines))
	for i, line := range lines {
		names[i] = nameOf(line.DocID, line.SegmentID, line.System)
	}
	return newFinder(im.db, im.c, im.systems, im.c.Rules.Spans != nil).Find(names)
}

// add stages ratings whose translations are known.
func (im *ratingImport) add(ratings []ratedTarget) error {
	for batch := range slices.Chunk(ratings, im.s.ratingsAtOnce()) {
		sound, err := im.sound(batch)
		if err != nil {
			return err
		}
		im.touch(sound)
		if err := im.stageRatings(sound); err != nil {
			return err
		}
	}
	return nil
}

// touch notes that the file has ratings of rounds of segments.
func (im *ratingImport) touch(batch []soundRating) {
	for _, r := range batch {
		seg := im.touched[r.of.Segment]
		if seg == nil {
			seg = &touchedSegment{}
			im.touched[r.of.Segment] = seg
		}
		seg.last = r.at
		if !slices.Contains(seg.rounds, r.rating.Round) {
			seg.rounds = append(seg.rounds, r.rating.Round)
		}
	}
}

// end stages the last lines, and checks that no round is missing below another, no line of
// an adjudication, and no span that another one is linked to.
func (im *ratingImport) end() error {
	if err := im.addLines(); err != nil {
		return err
	}
	if err := im.stageAdjudications(); err != nil {
		return err
	}
	if err := im.checkRounds(); err != nil {
		return err
	}
	if err := im.checkRaters(); err != nil {
		return err
	}
	if im.problems.Count() > 0 {
		return nil // an adjudication may lack the very lines that were refused, and so may a link
	}
	if err := im.checkWhole(); err != nil {
		return err
	}
	return im.checkLinks()
}

// checkRounds refuses ratings of a round that lack a round below.
func (im *ratingImport) checkRounds() error {
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
			return err
		}
		if round, below := missing(append(rounds, seg.rounds...)); round > 0 {
			im.refuse(
				seg.last,
				"round",
				fmt.Sprintf(
					"the segment has ratings of round %d but none of round %d; import the ratings of round %d with them, or correct the round", round,
					below, below,
				),
			)
		}
	}
	return nil
}

// checkRaters refuses ratings of a round of a segment by more than [campaign.MaxRaters] annotators.
func (im *ratingImport) checkRaters() error {
	if im.members+len(im.annotators) <= campaign.MaxRaters {
		return nil
	}
	var rows []struct {
		SegmentID string
		Round, N  int
	}
	err := im.db.Raw(`SELECT segment_id, round, count(*) AS n FROM (
			SELECT segment_id, round, user_id FROM staged_ratings WHERE campaign_id = ?
			UNION SELECT a.segment_id, a.round, a.user_id FROM assignments a WHERE a.campaign_id = ? AND a.state = 'submitted'
				AND a.segment_id IN (SELECT segment_id FROM staged_ratings WHERE campaign_id = ?)) AS turns
		GROUP BY segment_id, round HAVING count(*) > ?`, im.c.ID, im.c.ID, im.c.ID, campaign.MaxRaters).Scan(&rows).Error
	for _, r := range rows {
		if seg := im.touched[r.SegmentID]; seg != nil {
			im.refuse(
				seg.last,
				"annotator",
				fmt.Sprintf(
					"the segment would have ratings of round %d by %d annotators, and %d at most are compared with each other; leave the others out, or import them into another campaign",
					r.Round, r.N, campaign.MaxRaters,
				),
			)
		}
	}
	return err
}

// knownRounds are the rounds of a segment that anybody has submitted, set aside or not,
// and those that another look has reserved.
func knownRounds(db *gorm.DB, segmentID string) (rounds []int, err error) {
	err = db.Raw(`SELECT round FROM assignments WHERE segment_id = ? AND (state = 'submitted' OR set_aside = 'submitted')
		UNION SELECT round FROM acts WHERE segment_id = ? AND kind = ?`, segmentID, segmentID, string(campaign.AnotherLook)).Scan(&rounds).Error
	return rounds, err
}
