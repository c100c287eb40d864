package storetest

import (
	"errors"
	"fmt"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store"
	"annotate/internal/work"
)

// RatePage rates and submits the page that annotator i is handed next, which may be a check, and
// returns its assignment and the campaign that it belongs to. score gives the score of a card by the source
// and the text. ok is false if there is no work.
func (s *Sample) RatePage(t testing.TB, i int, score func(source, text string) float64) (assignment string, of campaign.Campaign, ok bool) {
	t.Helper()
	return s.RatePageBy(t, i, func(source, text string) protocol.Rating { return Rating(score(source, text)) })
}

// RatePageBy is RatePage for any protocol: rate gives the rating of a card.
func (s *Sample) RatePageBy(t testing.TB, i int, rate func(source, text string) protocol.Rating) (assignment string, of campaign.Campaign, ok bool) {
	t.Helper()
	id, err := s.Store.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[i].ID)
	if errors.Is(err, campaign.ErrNoWork) {
		return "", of, false
	}
	check(t, err)
	of = CampaignOf(t, s.Store, s.Campaign.Slug, id)
	w := Must(s.Store.Work.LoadWork(t.Context(), of, id, s.Annotators[i].ID))(t)
	revisions := Revisions(w)
	for _, card := range w.Cards {
		saved := Must(
			s.Store.Work.SaveCard(
				t.Context(), of, s.Annotators[i].ID,
				work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: rate(w.Source, card.Text)},
			),
		)(t)
		revisions[card.ID] = saved.Revision
	}
	check(t, s.Store.Work.Submit(t.Context(), of, s.Annotators[i].ID, id, revisions))
	return id, of, true
}

// RateAll has the annotators rate one page after the other, in turns, until nobody has work. score gives the
// score of a card by the annotator, the source and the text.
func (s *Sample) RateAll(t testing.TB, score func(i int, source, text string) float64) {
	t.Helper()
	for done := false; !done; {
		done = true
		for i := range s.Annotators {
			_, _, ok := s.RatePage(t, i, func(source, text string) float64 { return score(i, source, text) })
			done = done && !ok
		}
	}
}

// Reading is the score of an annotator who reads the texts of a sample: 3 or 4 for a whole text, and 0 for
// any other text.
func Reading(source, text string) float64 {
	var system, segment, of int
	_, _ = fmt.Sscanf(source, "源文本 %d。", &of)
	if n, _ := fmt.Sscanf(text, textForm, &system, &segment); n != 2 || segment != of || text != Text(segment, system-1) {
		return 0
	}
	return 3 + float64((system+segment)%2)
}

// CampaignOf returns the campaign that an assignment belongs to: that of the slug, or one of its side campaigns.
func CampaignOf(t testing.TB, st *store.Store, slug, assignment string) campaign.Campaign {
	t.Helper()
	_, of, _, err := st.Accounts.CampaignFor(t.Context(), slug, "", assignment)
	check(t, err)
	return of
}
