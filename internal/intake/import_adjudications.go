package intake

import (
	"errors"
	"fmt"
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
	ids := make([]string, 0, len(bySegment))
	for id := range bySegment {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for part := range slices.Chunk(ids, rounds.FollowBatch) {
		if err := im.checkWhole(part, bySegment); err != nil {
			return err
		}
		if len(im.problems.List) > 0 {
			continue // the acts would be undone
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
		given, problems := im.check(at.Place, r.Rating.Rating, protocol.Texts{Source: text.source, Translation: translation.text})
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
		all := bySegment[text.id]
		if all == nil {
			all = &importedAdjudication{login: r.Annotator, user: user, cards: map[string]importedCard{}}
			bySegment[text.id] = all
		}
		all.at = at
		if _, twice := all.cards[translation.id]; twice || all.login != r.Annotator {
			im.refuse(at, "adjudicated", fmt.Sprintf("the segment is adjudicated twice in the file, by %s and by %s; keep one of them", all.login, r.Annotator))
			continue
		}
		all.cards[translation.id] = importedCard{given, r.Seconds}
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
		if len(lacks[id]) > 0 && len(im.problems.List) == 0 {
			im.refuse(bySegment[id].at, "adjudicated", fmt.Sprintf("the adjudication of the segment lacks the translation by %s; an adjudication has a line for each translation", strings.Join(lacks[id], ", ")))
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
	assignments := database.NewRows("assignments", "id", "campaign_id", "segment_id", "user_id", "round", "state", "seed", "started_at", "touched_at", "submitted_at", "imported", "work", "seconds")
	err := im.s.ActIn(im.tx, c, ids, "import adjudication", "adjudication imported from "+im.opt.File, im.opt.ByID, func(a *rounds.Acting, g rounds.LeadSegment) (string, error) {
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
		assignments.Add(database.NewID(), c.ID, g.ID, all.user, max(last[g.ID], work.AdjudicationRounds)+1, string(campaign.HasAdjudicated), database.NewSeed(), a.Now, a.Now, a.Now, true, string(campaign.WorkAsked), seconds)
		a.Deed.ByID, a.Now = deed, now
		a.Settle(g)
		im.count += len(all.cards)
		report.Count(g.Status, campaign.Adjudicated)
		return all.login, nil
	})
	if err != nil {
		return err
	}
	return assignments.Insert(im.tx)
}

// adjudicator finds the account of an adjudicator, making it where there is none; empty
// where it refuses them.
func (im *ratingImport) adjudicator(at ratingPlace, login string) (string, error) {
	if id, ok := im.judges[login]; ok {
		return id, nil
	}
	u, err := accounts.FindUser(im.tx, "login = ?", login)
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
	who, err := rounds.AdjudicatingOf(im.tx, im.c.ID, u.ID)
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
			im.refuse(at, "annotator", fmt.Sprintf("%s has the role %s in this campaign and is no adjudicator; make them one first", login, role))
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
