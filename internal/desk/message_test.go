package desk_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"annotate/internal/desk"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// entries writes each thread as "segment login", followed by its messages and comments.
func entries(threads []readmodel.Thread) (out []string) {
	for _, t := range threads {
		text := t.SegmentID + " " + t.Login
		for _, m := range t.Messages {
			text += ", " + m.Text
		}
		for _, c := range t.Comments {
			text += fmt.Sprintf(", %s [%s|%s] %s", c.System, c.Words, c.Error, c.Text)
		}
		if t.Waits {
			text += " (waits)"
		}
		out = append(out, text)
	}
	return out
}

// TestMessages checks that Messages lists threads, problems and the comments on ratings and spans,
// the latest first, and that it filters them by kind, annotator and segment.
func TestMessages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.PerDocument(4), storetest.Systems(2))
		ctx := t.Context()
		rate := func(i int, comment, onSpan string) string {
			t.Helper()
			db.Clock.Advance(time.Minute)
			id := s.Next(t, i)
			for n, card := range s.Work(t, i, id).Cards {
				rating := protocol.Rating{Spans: []protocol.ErrorSpan{{ID: fmt.Sprint(id, n), Side: protocol.Target, Start: 0, End: 11, Severity: "minor", Category: "Other", Comment: onSpan}}}
				if n == 0 {
					rating.Comment = comment
				}
				storetest.Must(db.Work.SaveCard(ctx, s.Campaign, s.Annotators[i].ID, work.CardSave{AssignmentID: id, CardID: card.ID, Rating: rating}))(t)
			}
			s.Submit(t, i, id)
			return id
		}
		list := func(f desk.MessageFilter) ([]string, desk.MessageList) {
			t.Helper()
			f.Limit = max(f.Limit, 1)
			l := storetest.Must(db.Desk.Messages(ctx, s.Campaign, f))(t)
			return entries(l.Threads), l
		}
		want := func(f desk.MessageFilter, lines ...string) {
			t.Helper()
			if f.Limit == 0 {
				f.Limit = 50
			}
			if got, _ := list(f); !slices.Equal(got, lines) {
				t.Errorf("%+v lists\n%q, want\n%q", f, got, lines)
			}
		}
		want(desk.MessageFilter{})
		rate(0, "", "") // without a comment
		rate(0, "", `a "comment": "x"`)
		back := rate(0, "taken back", "")
		storetest.Check(t, db.Work.TakeBack(ctx, s.Campaign, s.Annotators[0].ID, back))
		db.Clock.Advance(time.Minute)
		storetest.Check(t, db.Work.Ask(ctx, s.Campaign, s.Annotators[0].ID, back, "1", "a question"))
		db.Clock.Advance(time.Minute)
		storetest.ReportProblem(t, s, 1, s.Next(t, 1), "a problem")

		system := func(n int) string { return s.Systems[n] }
		spans := fmt.Sprintf(`s2 ann1, %s [Translation|minor, Other] a "comment": "x", %s [Translation|minor, Other] a "comment": "x"`, system(0), system(1))
		want(desk.MessageFilter{}, "s1 ann2, a problem (waits)", "s3 ann1, a question (waits)", spans)
		want(desk.MessageFilter{Kind: desk.ToAnswer}, "s1 ann2, a problem (waits)", "s3 ann1, a question (waits)")
		want(desk.MessageFilter{Kind: desk.WithProblems}, "s1 ann2, a problem (waits)")
		want(desk.MessageFilter{Kind: desk.Questions}, "s3 ann1, a question (waits)")
		want(desk.MessageFilter{Kind: desk.Comments}, spans)
		want(desk.MessageFilter{Login: "ann2"}, "s1 ann2, a problem (waits)")
		want(desk.MessageFilter{Login: "nobody"})
		want(desk.MessageFilter{SegmentID: s.RowID(t, "d1", "s2")}, spans)
		want(desk.MessageFilter{Limit: 1, Offset: 1}, "s3 ann1, a question (waits)")
		want(desk.MessageFilter{Limit: 1, Offset: 3})
		if _, l := list(desk.MessageFilter{Kind: desk.Comments}); l.Total != 1 || fmt.Sprint(l.Counts) != "map[all:3 comments:1 open:2 problems:1 questions:1]" {
			t.Errorf("counts %v, %d in all", l.Counts, l.Total)
		}
		if n := storetest.Must(db.Desk.CountToAnswer(ctx, s.Campaign.ID))(t); n != 2 {
			t.Errorf("the navigation counts %d, want 2", n)
		}

		// A lead can answer a comment too. Messages also lists imported comments.
		storetest.Check(t, db.Work.Reply(ctx, s.Campaign.ID, work.Reply{SegmentID: s.RowID(t, "d1", "s2"), Login: "ann1", Text: "well seen"}, s.Lead.ID))
		want(desk.MessageFilter{Kind: desk.Questions, SegmentID: s.RowID(t, "d1", "s2")}, "s2 ann1, well seen")
		line := storetest.MarkedRating("s4", system(1), storetest.Span(0, 11, "Translation", "minor", "Other"))
		line.Rating.Comment = "imported"
		other := storetest.MarkedRating("s4", system(0), storetest.Span(0, 11, "Translation", "minor", "Other"))
		storetest.ImportRatings(t, s, line, other)
		want(desk.MessageFilter{Kind: desk.Comments, SegmentID: s.RowID(t, "d1", "s4")}, "s4 "+line.Rating.Annotator+", "+system(1)+" [|] imported")
	})
}
