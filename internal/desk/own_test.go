package desk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// TestOwnAnswers: the list says what was answered in words, and neither a text that was left as it began nor an answer that is no
// longer asked for is a change that waits to be submitted again; the latter comes back with the question. Submitting the same again is no error, even when the round has been decided meanwhile.
func TestOwnAnswers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("inspect"), storetest.Segments(0), storetest.Annotators(2), storetest.Set("redundancy=2"))
		var segments []campaign.Segment
		for i := range 3 {
			segments = append(segments, campaign.Segment{DocID: "d", SegmentID: fmt.Sprint("s", i), Source: "Left as it is", Translations: campaign.ItselfOnly()})
		}
		storetest.ImportSegments(t, s, segments...)
		kept := protocol.Rating{Scores: map[string]float64{"difficulty": 4}, Answers: map[string]protocol.Answer{"keep": {Text: "yes"}, "phenomena": {Several: []string{"idiom"}}}}
		dropped := protocol.Rating{Scores: map[string]float64{"difficulty": 4}, Answers: map[string]protocol.Answer{"keep": {Text: "no"}, "reason": {Text: "noise"}, "cleaned": {Text: "Cleaned with care"}}}
		rate := func(i int, r protocol.Rating) string {
			a := s.Next(t, i)
			card := s.CardID(t, i, a, 0)
			storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[i].ID, work.CardSave{AssignmentID: a, CardID: card, Rating: r}))(t)
			db.Clock.Advance(time.Second)
			s.Submit(t, i, a)
			return a
		}
		first := rate(0, kept)
		second := rate(0, dropped)
		third := rate(0, kept)
		shown := s.Work(t, 0, third).Cards[0]
		storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID,
			work.CardSave{AssignmentID: third, CardID: shown.ID, Revision: shown.Revision, Rating: shown.Rating, Seconds: 30}))(t) // the time of another look
		own := storetest.Must(db.Desk.OwnSegments(t.Context(), s.Campaign, s.Annotators[0].ID, desk.OwnFilter{Limit: 9}))(t).Segments
		if len(own) != 3 || !slices.Equal(own[0].Scores, []string{"Keep, 4"}) || !slices.Equal(own[1].Scores, []string{"Drop, Noise"}) || own[0].Changed || own[1].Changed || own[2].Changed {
			t.Errorf("the list has %+v", own)
		}
		parts := storetest.Must(db.Work.Document(t.Context(), s.Campaign, first, s.Annotators[0].ID, s.CardID(t, 0, first, 0)))(t)
		w := s.Work(t, 0, first)
		if w.Changed || parts[0].Changed || parts[1].Changed || parts[2].Changed {
			t.Errorf("the page says changed %v, the document %+v", w.Changed, parts)
		}
		if got := s.Work(t, 0, second).Cards[0].Rating; got.Answers["cleaned"].Text != "Cleaned with care" || got.Scores["difficulty"] != 4 {
			t.Errorf("what is not asked of a dropped sentence is lost: %+v", got)
		}
		rate(1, kept)
		storetest.Check(t, db.Work.Submit(t.Context(), s.Campaign, s.Annotators[0].ID, first, storetest.Revisions(w)))
	})
}

// TestOwnTexts: the list has the beginning of a text where a protocol asks for nothing that fits into few words.
func TestOwnTexts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("reference"), storetest.Segments(0), storetest.Annotators(1), storetest.Set("redundancy=1"))
		storetest.ImportSegments(t, s, campaign.Segment{DocID: "d", SegmentID: "s", Source: "Ein Satz.", Translations: campaign.ItselfOnly()})
		a := s.Next(t, 0)
		r := protocol.Rating{Scores: map[string]float64{}, Answers: map[string]protocol.Answer{"best": {}, "edited": {Text: strings.Repeat("文", 41)}}}
		storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: a, CardID: s.CardID(t, 0, a, 0), Rating: r}))(t)
		s.Submit(t, 0, a)
		own := storetest.Must(db.Desk.OwnSegments(t.Context(), s.Campaign, s.Annotators[0].ID, desk.OwnFilter{Limit: 9}))(t).Segments
		if want := strings.Repeat("文", 40) + "…"; len(own) != 1 || !slices.Equal(own[0].Scores, []string{want}) {
			t.Errorf("the list has %+v", own)
		}
	})
}

// TestOwnTerms: the list counts terms, and says where there are none.
func TestOwnTerms(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("terms"), storetest.Segments(0), storetest.Annotators(1), storetest.Set("redundancy=1"))
		var segments []campaign.Segment
		for i := range 2 {
			segments = append(segments, campaign.Segment{DocID: "d", SegmentID: fmt.Sprint("s", i), Source: "A school cone.", Translations: campaign.ItselfOnly()})
		}
		storetest.ImportSegments(t, s, segments...)
		term := protocol.ErrorSpan{ID: "a", Side: protocol.Source, Start: 2, End: 13, Text: "school cone", Category: "Material", Answers: map[string]string{"explication": "It is full of sweets."}}
		for _, r := range []protocol.Rating{{Scores: map[string]float64{}, Spans: []protocol.ErrorSpan{term}}, {Scores: map[string]float64{}, NoErrors: true}} {
			a := s.Next(t, 0)
			storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: a, CardID: s.CardID(t, 0, a, 0), Rating: r}))(t)
			s.Submit(t, 0, a)
		}
		own := storetest.Must(db.Desk.OwnSegments(t.Context(), s.Campaign, s.Annotators[0].ID, desk.OwnFilter{Limit: 9}))(t).Segments
		if len(own) != 2 || !slices.Equal(own[0].Scores, []string{"1 term"}) || !slices.Equal(own[1].Scores, []string{"no terms"}) {
			t.Errorf("the list has %+v", own)
		}
	})
}

// Annotators find every segment that they were given, by document and by state, and no colleague's.
func TestOwnSegments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(6), storetest.PerDocument(3), storetest.Set("assign=document", "context=document", "redundancy=2", "release_hours=24"))
		list := func(i int, f desk.OwnFilter) ([]string, desk.OwnList) {
			t.Helper()
			if f.Limit == 0 {
				f.Limit = 50
			}
			own := storetest.Must(db.Desk.OwnSegments(t.Context(), s.Campaign, s.Annotators[i].ID, f))(t)
			var got []string
			for _, o := range own.Segments {
				got = append(got, fmt.Sprintf("%s %d %s %d %s", o.DocID, o.Place, o.SegmentID, o.Round, o.State))
			}
			return got, own
		}
		want := func(what string, got []string, want ...string) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		none, _ := list(0, desk.OwnFilter{})
		want("nothing given", none)
		s.RateNext(t, 0, 0, 2, 4)
		s.Skip(t, 0, s.Next(t, 0), "not my field")
		storetest.ReportProblem(t, s, 0, s.Next(t, 0), "no sentence")
		s.RateNext(t, 0, 0, 2, 4)
		s.Save(t, 0, s.Next(t, 0), 0, 3)
		s.RateNext(t, 1, 4, 2, 0) // s1 comes back
		all, own := list(0, desk.OwnFilter{})
		want("all", all, "d1 1 s1 2 back", "d1 2 s2 1 skipped", "d1 3 s3 1 reported", "d2 1 s4 1 done", "d2 2 s5 1 begun", "d2 3 s6 1 open")
		if o := own.Segments[3]; len(o.Scores) != 3 || o.SubmittedAt.IsZero() || !own.Segments[4].SubmittedAt.IsZero() || own.Segments[4].Scores != nil {
			t.Errorf("s4 is %+v and s5 is %+v", o, own.Segments[4])
		}
		part, own := list(0, desk.OwnFilter{Document: "D2", Offset: 1, Limit: 1})
		want("a page of a document", part, "d2 2 s5 1 begun")
		if own.Total != 3 || own.Counts[readmodel.OwnDone] != 1 || own.Counts[readmodel.OwnSkipped] != 0 {
			t.Errorf("of a document there are %d: %v", own.Total, own.Counts)
		}
		part, own = list(0, desk.OwnFilter{State: readmodel.OwnBegun})
		want("begun", part, "d2 2 s5 1 begun")
		if own.Total != 1 || own.Counts[readmodel.OwnSkipped] != 1 {
			t.Errorf("%d are begun: %v", own.Total, own.Counts)
		}
		part, _ = list(0, desk.OwnFilter{Offset: 100})
		want("beyond the end", part)
		part, _ = list(1, desk.OwnFilter{State: readmodel.OwnDone})
		want("of the other", part)
		db.Clock.Advance(25 * time.Hour)
		s.SetState(t, campaign.Paused)
		s.SetState(t, campaign.Open)
		storetest.Check(t, db.Rounds.Discard(t.Context(), s.Campaign.ID, []string{s.RowID(t, "d2", "s6")}, "garbled", s.Lead.ID))
		storetest.Must(db.Work.Next(t.Context(), s.Campaign.ID, s.Annotators[1].ID))(t) // releases what is idle
		part, _ = list(0, desk.OwnFilter{Document: "d2"})
		want("after a day", part, "d2 1 s4 1 done", "d2 2 s5 1 left", "d2 3 s6 1 over")
		storetest.SetAside(t, s, 0)
		part, _ = list(0, desk.OwnFilter{})
		want("set aside", part, "d1 1 s1 1 done", "d1 2 s2 1 skipped", "d1 3 s3 1 reported", "d2 1 s4 1 done", "d2 2 s5 1 over", "d2 3 s6 1 over")
	})
}

// TestOwnSegmentsAddedLater: a segment that a later import adds to a document stands with it.
func TestOwnSegmentsAddedLater(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("inspect"), storetest.Segments(0))
		for _, id := range []string{"d1 s1", "d1 s2", "d2 s3", "d2 s4", "d1 late"} {
			doc, segment, _ := strings.Cut(id, " ")
			storetest.ImportSegments(t, s, campaign.Segment{DocID: doc, SegmentID: segment, Source: id, Translations: campaign.ItselfOnly()})
		}
		for range 5 {
			s.Skip(t, 0, s.Next(t, 0), "not my field")
		}
		var got []string
		for _, o := range storetest.Must(db.Desk.OwnSegments(t.Context(), s.Campaign, s.Annotators[0].ID, desk.OwnFilter{Limit: 9}))(t).Segments {
			got = append(got, o.DocID+" "+o.SegmentID)
		}
		if want := []string{"d1 s1", "d1 s2", "d1 late", "d2 s3", "d2 s4"}; !slices.Equal(got, want) {
			t.Errorf("the list is %q, want %q", got, want)
		}
	})
}

// A segment whose further look is not asked for any more stands with what its annotator submitted before.
func TestOwnSegmentsAfterUndo(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 0, 2, 4)
	own := func() readmodel.OwnSegment {
		t.Helper()
		return storetest.Must(db.Desk.OwnSegments(t.Context(), s.Campaign, s.Annotators[0].ID, desk.OwnFilter{Limit: 5}))(t).Segments[0]
	}
	row := s.RowID(t, "d1", "s1")
	storetest.Check(t, db.Rounds.AnotherLook(t.Context(), s.Campaign.ID, []string{row}, []string{"ann1", "ann2"}, "look again", s.Lead.ID))
	if o := own(); o.State != readmodel.OwnBack || o.Round != 2 {
		t.Errorf("with another look it is %+v", o)
	}
	storetest.Check(t, storetest.Undo(t.Context(), s, row, true))
	if o := own(); o.State != readmodel.OwnDone || o.Round != 1 || len(o.Scores) != 3 {
		t.Errorf("after the undo it is %+v", o)
	}
}
