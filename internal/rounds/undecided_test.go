package rounds_test

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
)

// TestUndecided: a segment whose annotators answered differently waits for an adjudicator without anybody asking, until one
// decides it or the answers have gold, and again after an undo.
func TestUndecided(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("inspect"), storetest.Segments(0), storetest.Set("gate=report"))
		a := adjudicators{storetest.Leading{T: t, Sample: s}, db}
		judge := a.person("judge")
		storetest.ImportSegments(t, s,
			campaign.Segment{DocID: "d1", SegmentID: "s1", Source: "He spilled the beans #fun", Translations: campaign.ItselfOnly()},
			campaign.Segment{DocID: "d1", SegmentID: "s2", Source: "It rains.", Translations: campaign.ItselfOnly()})
		keep := func(cleaned string) protocol.Rating {
			return protocol.Rating{Scores: map[string]float64{"difficulty": 3}, Answers: map[string]protocol.Answer{"keep": {Text: "yes"}, "cleaned": {Text: cleaned}}}
		}
		drop := protocol.Rating{Answers: map[string]protocol.Answer{"keep": {Text: "no"}, "reason": {Text: "not_difficult"}}}
		rate := func(i int, r protocol.Rating) {
			t.Helper()
			id := s.Next(t, i)
			a.Done(a.submit(id, s.Annotators[i], a.rate(id, s.Annotators[i], func(string) protocol.Rating { return r })))
		}
		wants := func(what string, want ...string) {
			t.Helper()
			var got []string
			for _, item := range storetest.Must(db.Work.ToAdjudicate(t.Context(), s.Campaign, judge.ID))(t) {
				got = append(got, item.SegmentID+" "+item.Reason)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s, the adjudicator finds %q, want %q", what, got, want)
			}
			q := storetest.Must(db.Desk.Queue(t.Context(), s.Campaign, desk.QueueFilter{Only: desk.QueueAsked, Limit: 10}))(t)
			if n := s.Progress(t).ToAdjudicate; n != len(want) || q.Counts[desk.QueueAsked] != n || len(q.Entries) != n ||
				slices.ContainsFunc(q.Entries, func(e readmodel.QueueEntry) bool { return len(e.Undecided) == 0 }) {
				t.Errorf("%s, %d wait for an adjudicator and the queue has %+v, want %d", what, n, q.Entries, len(want))
			}
		}
		rate(0, keep("He spilled the beans"))
		rate(0, drop)
		wants("with one annotator")
		rate(1, keep("He spilled the beans."))
		rate(1, keep("It rains."))
		const text = "s1 The annotators’ answers to “The cleaned sentence” differ, and no answer has a majority."
		const tie = "s2 The annotators’ answers to “Keep the sentence?” differ, and no answer has a majority."
		wants("with two", text, tie)
		a.healthy()

		id := storetest.Must(a.open("s1", judge))(t)
		a.Done(a.submit(id, judge, a.rate(id, judge, func(string) protocol.Rating { return keep("He spilled the beans") })))
		wants("after an adjudication", tie)
		a.Done(a.Undo("s1"))
		wants("after its undo", text, tie)
		a.Done(db.Rounds.Discard(t.Context(), s.Campaign.ID, []string{a.Row("s2")}, "too short", s.Lead.ID))
		wants("after one is discarded", text)
		storetest.SetAside(t, s, 1)
		wants("with one annotator set aside")
		storetest.Restore(t, s, 1)
		wants("with the annotator back", text)
		if _, err := a.open("s2", judge); err == nil || !strings.Contains(err.Error(), "does not wait") {
			t.Errorf("a discarded segment is opened: %v", err)
		}
		a.healthy()
	})
}
