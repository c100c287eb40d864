package intake

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/rounds"
	"annotate/internal/work"
)

// An importedAdjudication is what a file has of the adjudication of a segment.
type importedAdjudication struct {
	at    ratingPlace // of its last line
	login string
	user  string                  // id
	cards map[string]importedCard // by row id of the translation
	when  time.Time               // when it was submitted; zero: not known
}

type importedCard struct {
	at      records.Place
	rating  protocol.Rating
	seconds float64
}

// adjudicate makes acts of the adjudications of the file, once all of its ratings are in
// and the states that follow from them are stored.
func (im *ratingImport) adjudicate(report *records.ImportReport) error {
	if len(im.judged) == 0 {
		return nil
	}
	bySegment := map[string]*importedAdjudication{}
	for part := range slices.Chunk(im.judged, ratingBatch) {
		if err := im.gather(part, bySegment); err != nil {
			return err
		}
	}
	if im.problems.Count() > 0 {
		return nil // an adjudication may lack the very lines that were refused
	}
	ids := slices.Sorted(maps.Keys(bySegment))
	for part := range slices.Chunk(ids, rounds.FollowBatch) {
		if err := im.checkWhole(part, bySegment); err != nil {
			return err
		}
	}
	for part := range slices.Chunk(ids, rounds.FollowBatch) {
		if im.problems.Count() > 0 {
			break // the acts would be undone
		}
		if err := im.adjudicateSegments(part, bySegment, report); err != nil {
			return err
		}
	}
	return nil
}

// gather adds lines to the adjudications of their segments, less those it refuses.
func (im *ratingImport) gather(lines []campaign.NumberedRating, bySegment map[string]*importedAdjudication) error {
	found, err := im.find(lines)
	if err != nil {
		return err
	}
	for _, line := range lines {
		r, at := line.Rating, ratingPlace{Place: records.Place{File: line.File, Line: line.Line}}
		of, bad := found.target(nameOf(r.DocID, r.SegmentID, r.System), at.Place)
		if bad != nil {
			im.problems.Add(bad)
			continue
		}
		given, problems := im.check(at.Place, r.Rating.Rating, of.texts)
		for _, p := range problems {
			im.refuse(at, p.Field, p.Msg)
		}
		if len(problems) > 0 {
			continue
		}
		user, err := im.adjudicator(at, r.Annotator)
		if err != nil {
			return err
		}
		if user == "" {
			continue
		}
		all := bySegment[of.segment]
		if all == nil {
			all = &importedAdjudication{login: r.Annotator, user: user, cards: map[string]importedCard{}}
			bySegment[of.segment] = all
		}
		if all.login != r.Annotator {
			im.refuse(at, "adjudicated", fmt.Sprintf("the segment is adjudicated twice, by %s at %s:%d and by %s here; keep the lines of one of them", all.login, all.at.File, all.at.Line, r.Annotator))
			continue
		}
		if first, twice := all.cards[of.translation]; twice {
			im.refuse(at, "adjudicated", fmt.Sprintf("the translation is adjudicated twice, at %s:%d and here; keep one of the lines", first.at.File, first.at.Line))
			continue
		}
		all.at = at
		all.cards[of.translation] = importedCard{at.Place, given, r.Seconds}
		if r.SubmittedAt.After(all.when) {
			all.when = r.SubmittedAt
		}
	}
	return nil
}

// checkWhole refuses adjudications that lack a translation of their segment.
func (im *ratingImport) checkWhole(ids []string, bySegment map[string]*importedAdjudication) error {
	var rows []struct{ ID, SegmentID, Name string }
	err := im.tx.Raw("SELECT t.id, t.segment_id, y.name FROM translations t JOIN systems y ON y.id = t.system_id WHERE t.segment_id IN ? ORDER BY t.segment_id, y.name", ids).Scan(&rows).Error
	lacks := map[string][]string{}
	for _, r := range rows {
		if _, ok := bySegment[r.SegmentID].cards[r.ID]; !ok {
			lacks[r.SegmentID] = append(lacks[r.SegmentID], r.Name)
		}
	}
	for _, id := range ids {
		if len(lacks[id]) > 0 {
			im.refuse(bySegment[id].at, "adjudicated", fmt.Sprintf("the adjudication of the segment lacks a line for the translation by %s; add it, since an adjudication has a line for each translation of its segment", strings.Join(lacks[id], ", ")))
		}
	}
	return err
}

// adjudicateSegments stores the acts of adjudication on segments, with the work that they
// came of.
func (im *ratingImport) adjudicateSegments(ids []string, bySegment map[string]*importedAdjudication, report *records.ImportReport) error {
	c := im.c
	c.Rules = im.terms.Rules // with the severities and categories that came with the file
	var rows []struct {
		SegmentID string
		Round     int
	}
	if err := im.tx.Raw("SELECT segment_id, max(round) AS round FROM assignments WHERE segment_id IN ? GROUP BY segment_id", ids).Scan(&rows).Error; err != nil {
		return err
	}
	last := map[string]int{}
	for _, r := range rows {
		last[r.SegmentID] = r.Round
	}
	return im.s.ActIn(im.tx, c, ids, "import adjudication", "adjudication imported from "+im.opt.File, im.opt.ByID, func(a *rounds.Acting, g rounds.LeadSegment) (string, error) {
		all := bySegment[g.ID]
		if held, ok := g.Holding(); ok {
			im.refuse(all.at, "adjudicated", fmt.Sprintf("the segment is decided here already: %s; take that back before the import, or leave its adjudication out of the file", held.Kind))
			return "", nil
		}
		deed, now := a.Deed.ByID, a.Now
		a.Deed.ByID = all.user
		if !all.when.IsZero() {
			a.Now = database.InstantOf(all.when)
		}
		id := a.Add(g, campaign.Act{Kind: campaign.Adjudicate})
		seconds := 0.0
		for translation, card := range all.cards {
			gate, _ := c.Rules.GateScore(card.rating)
			a.Enter(id, translation, records.ColumnsOf(card.rating), gate, card.seconds)
			seconds += card.seconds
		}
		a.ImportAdjudication(g, all.user, max(last[g.ID], work.AdjudicationRounds)+1, seconds)
		a.Deed.ByID, a.Now = deed, now
		a.Settle(g)
		im.count += len(all.cards)
		report.Count(g.Status, campaign.Adjudicated)
		return all.login, nil
	})
}

// adjudicator finds the account of an adjudicator, making it where there is none; empty
// where it refuses them.
func (im *ratingImport) adjudicator(at ratingPlace, login string) (string, error) {
	if id, ok := im.judges[login]; ok {
		return id, nil
	}
	u, err := accounts.FindUser(im.tx.DB, "login = ?", login)
	if errors.Is(err, campaign.ErrNotFound) {
		if u, err = im.s.InsertUser(im.tx, login, login, accounts.Member); err == nil {
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
	who, err := rounds.AdjudicatingOf(im.tx.DB, im.c.ID, u.ID)
	if err != nil {
		return "", err
	}
	if !who.May {
		var role string
		var imported bool
		err := database.Scan(im.tx.Raw("SELECT coalesce(m.role, ''), u.imported FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.campaign_id = ? AND NOT m.removed WHERE u.id = ?", im.c.ID, u.ID), &role, &imported)
		if err != nil {
			return "", err
		}
		if role == string(campaign.Researcher) || role != "" && !imported {
			im.refuse(at, "annotator", fmt.Sprintf("%s has the role %s in this campaign and is no adjudicator; correct the login, or make them an adjudicator on the page Members", login, role))
			return "", nil
		}
		err = im.s.SetMembership(im.tx, im.c.ID, u.ID, campaign.Adjudicator, "")
		if errors.Is(err, campaign.ErrConflict) {
			im.refuse(at, "annotator", fmt.Sprintf("%s can't be an adjudicator here: %s", login, strings.TrimSuffix(err.Error(), ": "+campaign.ErrConflict.Error())))
			return "", nil
		}
		if err != nil {
			return "", err
		}
	}
	im.judges[login] = u.ID
	return u.ID, nil
}
