package transfer

import (
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// A review is a campaign in which Rolf reviews the two texts that Tina wrote in another one.
type review struct {
	*store.Store
	t          *testing.T
	prev, next campaign.Campaign
	tina, rolf accounts.User
}

func newReview(t *testing.T, db *storetest.DB, set ...string) review {
	t.Helper()
	st, ctx := db.Store, t.Context()
	r := review{st, t, newCampaign(t, st, "prev", "reference"), newCampaign(t, st, "next", "review", set...), storetest.AddUser(t, db, "tina"), storetest.AddUser(t, db, "rolf")}
	storetest.Check(t, read(t, st, r.prev, "jsonl", `{"doc_id":"d","segment_id":"1","source":"Eins.","translations":{"a":"One one.","b":"Two."},"source_lang":"de","target_lang":"en"}
{"doc_id":"d","segment_id":"2","source":"Zwei.","translations":{"a":"Tow.","b":"Two."}}
`))
	follow(t, st, r.next, r.prev, "", "reference")
	r.next = storetest.Must(st.Records.Campaign(ctx, "next"))(t)
	storetest.Check(t, st.Accounts.AddMember(ctx, r.prev.ID, "tina", campaign.Annotator, ""))
	storetest.Check(t, st.Accounts.AddMember(ctx, r.next.ID, "rolf", campaign.Annotator, ""))
	answer(t, st, r.prev, r.tina.ID, "", written("One, wrongly."))
	answer(t, st, r.prev, r.tina.ID, "", written("Two."))
	storetest.Must(st.Intake.TakeOver(ctx, r.next.ID, ""))(t)
	return r
}

func written(text string) map[string]protocol.Answer {
	return map[string]protocol.Answer{"best": {}, "edited": {Text: text}}
}

func verdict(of string) map[string]protocol.Answer {
	return map[string]protocol.Answer{"verdict": {Text: of}}
}

func (r review) of(c campaign.Campaign, segment string) string {
	return storetest.Must(r.Records.SegmentRowID(r.t.Context(), c.ID, "d", segment))(r.t)
}

// rewrite lets Tina write a text anew.
func (r review) rewrite(segment, text string) {
	r.t.Helper()
	storetest.Check(r.t, r.Rounds.AnotherLook(r.t.Context(), r.prev.ID, []string{r.of(r.prev, segment)}, nil, "rejected", ""))
	answer(r.t, r.Store, r.prev, r.tina.ID, "", written(text))
}

// TestNewTexts: a rejected text is rewritten. Its review takes it over by an act of the lead, begins anew, and keeps the earlier text and
// rating; undoing brings the earlier text back until somebody has rated the new one.
func TestNewTexts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		r := newReview(t, db)
		st, ctx, next, rolf := r.Store, t.Context(), r.next, r.rolf
		takes := func(segments ...string) error {
			_, err := st.Intake.TakeNewTexts(ctx, next.ID, segments, "it was rewritten", "")
			return err
		}
		texts := func() string {
			segments := allOf(t, st, next)
			return segments[0].References[0].Text + " " + segments[1].References[0].Text
		}
		storetest.WantErr(t, takes(), campaign.ErrConflict)
		answer(t, st, next, rolf.ID, "wrong", verdict("reject"))
		r.rewrite("1", "One, rightly.")
		r.rewrite("2", "Two!")
		storetest.WantErr(t, takes("none"), campaign.ErrConflict)

		// Nobody has begun the second segment, so that its text is replaced alone.
		if n, err := st.Intake.TakeNewTexts(ctx, next.ID, nil, "it was rewritten", ""); n != 2 || err != nil {
			t.Fatalf("%d texts were taken over: %v", n, err)
		}
		if got := texts(); got != "One, rightly. Two!" {
			t.Errorf("the texts are %q", got)
		}
		storetest.WantErr(t, takes(), campaign.ErrConflict)
		first := r.of(next, "1")
		detail := storetest.Must(st.Desk.Segment(ctx, next, first))(t)
		if got := detail.Acts[0]; got.Kind != campaign.NewText || got.Replaced != "One, wrongly." || detail.Segment.Status != campaign.Reannotate {
			t.Errorf("the segment is %s after %+v", detail.Segment.Status, got)
		}
		lineage := storetest.Must(st.Desk.Lineage(ctx, next, first, func(string) bool { return true }))(t)
		if len(lineage.Stages[0].Changed) != 0 || lineage.Stages[0].NewText {
			t.Errorf("the text still counts as changed: %+v", lineage.Stages[0])
		}
		storetest.WantErr(t, st.Rounds.RestoreSegments(ctx, next.ID, []string{first}, "x", ""), campaign.ErrConflict)
		undo := func() error {
			acts := storetest.Must(st.Desk.Segment(ctx, next, first))(t).Acts
			return st.Rounds.Undo(ctx, next.ID, first, acts[len(acts)-1].ID, 1, "")
		}
		storetest.Check(t, undo())
		if got := texts(); got != "One, wrongly. Two!" || storetest.Must(st.Desk.Segment(ctx, next, first))(t).Segment.Status != campaign.Ungated {
			t.Errorf("undone, the texts are %q", got)
		}
		if n, err := st.Intake.TakeNewTexts(ctx, next.ID, nil, "it was rewritten", ""); n != 1 || err != nil {
			t.Errorf("again, %d texts were taken over: %v", n, err)
		}

		// The reviewer begins anew, beside what they said of the earlier text, and somebody who works on a text keeps it.
		for i := range 2 {
			w := answer(t, st, next, rolf.ID, "", verdict("accept"))
			if len(w.Cards[0].Rating.Answers) != 0 || w.Cards[0].Rating.Comment != "" {
				t.Errorf("the review of %q begins with %+v", *w.Reference, w.Cards[0].Rating)
			}
			if r := w.Replaced; i == 1 && r != nil || i == 0 && (r == nil || r.Text != "One, wrongly." || r.Rating.Comment != "wrong" || r.Rating.Answers["verdict"].Text != "reject") {
				t.Errorf("beside %q, which was replaced, the reviewer sees %+v", *w.Reference, r)
			}
		}
		storetest.WantErr(t, undo(), campaign.ErrConflict)
		r.rewrite("1", "One!")
		storetest.Check(t, st.Rounds.AnotherLook(ctx, next.ID, []string{first}, nil, "again", ""))
		id := storetest.Must(st.Work.Next(ctx, next.ID, rolf.ID))(t)
		w := storetest.Must(st.Work.LoadWork(ctx, next, id, rolf.ID))(t)
		storetest.Must(st.Work.SaveCard(ctx, next, rolf.ID, work.CardSave{AssignmentID: id, CardID: w.Cards[0].ID, Rating: protocol.Rating{Answers: verdict("accept"), Scores: map[string]float64{}}}))(t)
		storetest.WantErr(t, takes(first), campaign.ErrConflict)
		if got := texts(); got != "One, rightly. Two!" {
			t.Errorf("the texts are %q", got)
		}
		if turns := storetest.Must(st.Desk.Segment(ctx, next, first))(t).Turns; len(turns) != 4 || turns[0].State != campaign.Submitted || turns[2].State != campaign.Submitted {
			t.Errorf("the turns are %+v", turns)
		}
	})
}

// TestNewTextsOnOpenPages: nobody's work on a text is stored as work on another one. A text in work stays; a page that was opened before its
// text was replaced, or before that was undone, is out of date, and a draft of it is not shown with the new text.
func TestNewTextsOnOpenPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		r := newReview(t, db)
		ctx, first := t.Context(), r.of(r.next, "1")
		take := func() error {
			db.Clock.Advance(time.Second)
			_, err := r.Intake.TakeNewTexts(ctx, r.next.ID, []string{first}, "it was rewritten", "")
			return err
		}
		undo := func() {
			acts := storetest.Must(r.Desk.Segment(ctx, r.next, first))(t).Acts
			storetest.Check(t, r.Rounds.Undo(ctx, r.next.ID, first, acts[len(acts)-1].ID, 1, ""))
		}
		opened := func(user string) (string, work.Work) {
			id := storetest.Must(r.Work.Next(ctx, r.next.ID, user))(t)
			return id, storetest.Must(r.Work.LoadWork(ctx, r.next, id, user))(t)
		}
		save := func(user, id string, w work.Work) error {
			rating := protocol.Rating{Answers: verdict("accept"), Scores: map[string]float64{}}
			_, err := r.Work.SaveCard(ctx, r.next, user, work.CardSave{AssignmentID: id, CardID: w.Cards[0].ID, Revision: w.Cards[0].Revision, Rating: rating})
			return err
		}
		id, w := opened(r.rolf.ID)
		storetest.Check(t, save(r.rolf.ID, id, w))
		r.rewrite("1", "One, rightly.")
		storetest.WantErr(t, take(), campaign.ErrConflict)
		if got := allOf(t, r.Store, r.next)[0].References[0].Text; got != "One, wrongly." {
			t.Errorf("the text in work is %q", got)
		}

		w = storetest.Must(r.Work.LoadWork(ctx, r.next, id, r.rolf.ID))(t)
		storetest.Exec(t, db, "UPDATE assignments SET state = 'released' WHERE id = ?", id)
		storetest.Check(t, take())
		storetest.WantErr(t, save(r.rolf.ID, id, w), campaign.ErrOutdated)
		storetest.WantErr(t, r.Work.Submit(ctx, r.next, r.rolf.ID, id, storetest.Revisions(w)), campaign.ErrOutdated)
		id, w = opened(r.rolf.ID)
		if len(w.Cards[0].Rating.Answers) != 0 || *w.Reference != "One, rightly." {
			t.Errorf("the review of %q begins with %+v", *w.Reference, w.Cards[0].Rating)
		}
		undo()
		storetest.WantErr(t, save(r.rolf.ID, id, w), campaign.ErrOutdated)

		// The same of an adjudicator.
		_, w = opened(r.rolf.ID)
		storetest.Check(t, save(r.rolf.ID, id, w))
		storetest.Check(t, r.Work.Submit(ctx, r.next, r.rolf.ID, id, storetest.Revisions(storetest.Must(r.Work.LoadWork(ctx, r.next, id, r.rolf.ID))(t))))
		// A further annotator works on a settled segment.
		rita := storetest.AddUser(t, db, "rita")
		storetest.Check(t, r.Accounts.AddMember(ctx, r.next.ID, "rita", campaign.Annotator, ""))
		storetest.Check(t, r.Rounds.FurtherAnnotator(ctx, r.next.ID, []string{first}, "rita", "a second opinion", ""))
		id, w = opened(rita.ID)
		storetest.WantErr(t, take(), campaign.ErrConflict)
		storetest.Check(t, save(rita.ID, id, w))
		storetest.Check(t, r.Rounds.ReplaceAnnotator(ctx, r.next.ID, first, "rita", "", "not needed", ""))

		lena := storetest.AddUser(t, db, "lena")
		storetest.Check(t, r.Accounts.AddMember(ctx, r.next.ID, "lena", campaign.Lead, ""))
		adjudicate := func() (string, map[string]int) {
			id := storetest.Must(r.Work.OpenAdjudication(ctx, r.next.ID, first, lena.ID))(t)
			storetest.Check(t, save(lena.ID, id, storetest.Must(r.Work.LoadWork(ctx, r.next, id, lena.ID))(t)))
			return id, storetest.Revisions(storetest.Must(r.Work.LoadWork(ctx, r.next, id, lena.ID))(t))
		}
		earlier, cards := adjudicate()
		storetest.Check(t, r.Work.Submit(ctx, r.next, lena.ID, earlier, cards))
		id, cards = adjudicate()
		storetest.Check(t, take())
		storetest.WantErr(t, r.Work.Submit(ctx, r.next, lena.ID, id, cards), campaign.ErrOutdated)
		if w := storetest.Must(r.Work.LoadWork(ctx, r.next, earlier, lena.ID))(t); len(w.Cards[0].Rating.Answers) != 1 {
			t.Errorf("the earlier adjudication is %+v", w.Cards[0].Rating)
		}
	})
}

// TestNewTextsOfDecided: a segment that a lead has taken out of gold or of the campaign stays out when all new texts are taken over; it gets
// its new text if it is chosen.
func TestNewTextsOfDecided(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		r := newReview(t, db)
		ctx, first := t.Context(), r.of(r.next, "1")
		answer(t, r.Store, r.next, r.rolf.ID, "wrong", verdict("reject"))
		storetest.Check(t, r.Rounds.Discard(ctx, r.next.ID, []string{first}, "out", ""))
		r.rewrite("1", "One, rightly.")
		_, err := r.Intake.TakeNewTexts(ctx, r.next.ID, nil, "it was rewritten", "")
		storetest.WantErr(t, err, campaign.ErrConflict)
		if got := storetest.Must(r.Desk.Segment(ctx, r.next, first))(t).Segment.Status; got != campaign.Discarded {
			t.Errorf("the segment is %s", got)
		}
		_, err = r.Intake.TakeNewTexts(ctx, r.next.ID, []string{first}, "it was rewritten", "")
		storetest.Check(t, err)
	})
}

// TestNewTextsOffered: the page of a segment names who decided on the new text, and offers it while the earlier campaign hands
// anything on to this one.
func TestNewTextsOffered(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		r := newReview(t, db)
		ctx, first := t.Context(), r.of(r.next, "1")
		offered := func() readmodel.Stage {
			return storetest.Must(r.Desk.Lineage(ctx, r.next, first, func(string) bool { return true }))(t).Stages[0]
		}
		take := func() error {
			_, err := r.Intake.TakeNewTexts(ctx, r.next.ID, []string{first}, "it was rewritten", "")
			return err
		}
		lena := storetest.AddUser(t, db, "lena")
		storetest.Check(t, r.Accounts.AddMember(ctx, r.prev.ID, "lena", campaign.Lead, ""))
		id := storetest.Must(r.Work.OpenAdjudication(ctx, r.prev.ID, r.of(r.prev, "1"), lena.ID))(t)
		w := storetest.Must(r.Work.LoadWork(ctx, r.prev, id, lena.ID))(t)
		rating := protocol.Rating{Answers: written("One, decided."), Scores: map[string]float64{}}
		storetest.Must(r.Work.SaveCard(ctx, r.prev, lena.ID, work.CardSave{AssignmentID: id, CardID: w.Cards[0].ID, Rating: rating}))(t)
		if got := offered(); got.Decider != "" || got.NewText {
			t.Errorf("before the adjudication is submitted, the stage is %+v", got)
		}
		storetest.Check(t, r.Work.Submit(ctx, r.prev, lena.ID, id, storetest.Revisions(storetest.Must(r.Work.LoadWork(ctx, r.prev, id, lena.ID))(t))))
		if got := offered(); got.Decider != "lena" || !got.NewText {
			t.Errorf("after the adjudication, the stage is %+v", got)
		}
		other := newCampaign(t, r.Store, "other", "reference")
		follow(t, r.Store, r.next, other, "", "reference")
		if offered().NewText {
			t.Error("a text of a campaign that is no longer followed is offered")
		}
		storetest.WantErr(t, take(), campaign.ErrConflict)
		follow(t, r.Store, r.next, r.prev, "", "reference")
		storetest.Check(t, r.Rounds.Archive(ctx, r.prev.ID, ""))
		if offered().NewText {
			t.Error("a text of an archived campaign is offered")
		}
		storetest.WantErr(t, take(), campaign.ErrConflict)
	})
}

// TestNewTextsWithoutReviewer: a new text goes to whoever may have it, if the reviewer of the text before has left, whether or not a lead had
// asked for another look at that text. Undoing brings the text and its review back.
func TestNewTextsWithoutReviewer(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		r, ctx := newReview(t, db), t.Context()
		first, second := r.of(r.next, "1"), r.of(r.next, "2")
		answer(t, r.Store, r.next, r.rolf.ID, "wrong", verdict("reject"))
		answer(t, r.Store, r.next, r.rolf.ID, "wrong", verdict("reject"))
		storetest.Check(t, r.Rounds.AnotherLook(ctx, r.next.ID, []string{second}, nil, "sure?", ""))
		answer(t, r.Store, r.next, r.rolf.ID, "sure", verdict("reject"))
		rita := storetest.AddUser(t, db, "rita")
		storetest.Check(t, r.Accounts.AddMember(ctx, r.next.ID, "rita", campaign.Annotator, ""))
		storetest.Check(t, r.Accounts.RemoveMember(ctx, r.next.ID, "rolf", ""))
		r.rewrite("1", "One, rightly.")
		r.rewrite("2", "Two!")
		take := func() {
			t.Helper()
			if n, err := r.Intake.TakeNewTexts(ctx, r.next.ID, nil, "it was rewritten", ""); n != 2 || err != nil {
				t.Fatalf("%d texts were taken over: %v", n, err)
			}
		}
		status := func(segment string) campaign.Status {
			return storetest.Must(r.Desk.Segment(ctx, r.next, segment))(t).Segment.Status
		}
		take()
		if status(first) != campaign.Pending || status(second) != campaign.Pending {
			t.Errorf("with their new texts the segments are %s and %s", status(first), status(second))
		}
		for _, segment := range []string{first, second} {
			acts := storetest.Must(r.Desk.Segment(ctx, r.next, segment))(t).Acts
			storetest.Check(t, r.Rounds.Undo(ctx, r.next.ID, segment, acts[len(acts)-1].ID, 1, ""))
		}
		if status(first) != campaign.Ungated || status(second) != campaign.Ungated {
			t.Errorf("undone, the segments are %s and %s", status(first), status(second))
		}
		take()
		for range 2 {
			if w := answer(t, r.Store, r.next, rita.ID, "", verdict("accept")); w.Replaced != nil || w.RatedBefore {
				t.Errorf("who reviews %q anew sees of the review before %+v", *w.Reference, w.Replaced)
			}
		}
		for i, segment := range allOf(t, r.Store, r.next) {
			if got, _ := campaign.SettledRating(r.next.Rules, segment); segment.Status != campaign.Ungated || got.Answers["verdict"].Text != "accept" {
				t.Errorf("segment %d is %s with %+v", i+1, segment.Status, got.Answers)
			}
		}
	})
}

// TestNewTextsOfLooks: a look that nobody has begun does not hold a new text up, and is then about that text. A look that some have submitted
// does, also if the others have left theirs, and keeps no other segment from its new text.
func TestNewTextsOfLooks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		r, ctx := newReview(t, db, "redundancy=2"), t.Context()
		rita := storetest.AddUser(t, db, "rita")
		storetest.Check(t, r.Accounts.AddMember(ctx, r.next.ID, "rita", campaign.Annotator, ""))
		first := r.of(r.next, "1")
		for _, user := range []string{r.rolf.ID, rita.ID} {
			answer(t, r.Store, r.next, user, "wrong", verdict("reject"))
		}
		take := func(want int) {
			t.Helper()
			n, err := r.Intake.TakeNewTexts(ctx, r.next.ID, nil, "it was rewritten", "")
			if n != want || want > 0 && err != nil {
				t.Fatalf("%d texts were taken over, want %d: %v", n, want, err)
			}
		}
		r.rewrite("1", "One, rightly.")
		take(1)
		r.rewrite("1", "One, better.")
		take(1)
		acts := storetest.Must(r.Desk.Segment(ctx, r.next, first))(t).Acts
		if n := len(acts); n != 3 || acts[2].Kind != campaign.NewText {
			t.Errorf("the acts are %+v", acts)
		}
		w := answer(t, r.Store, r.next, r.rolf.ID, "", verdict("accept"))
		if *w.Reference != "One, better." || w.Replaced == nil || w.Replaced.Text != "One, wrongly." || w.LookReason == "" {
			t.Errorf("the look is at %q, beside %+v", *w.Reference, w.Replaced)
		}
		r.rewrite("1", "One, at last.")
		take(0)
		storetest.Exec(t, db, "UPDATE assignments SET state = 'released' WHERE segment_id = ? AND state = 'open'", first)
		_, err := r.Intake.TakeNewTexts(ctx, r.next.ID, []string{first}, "it was rewritten", "")
		storetest.WantErr(t, err, campaign.ErrConflict)
		r.rewrite("2", "Two!")
		take(1)
	})
}

// TestNewTextsOfPartOfReviewers: if one of two reviewers has left, a new text goes to two others, or to the one who is left and another one if
// there is only one.
func TestNewTextsOfPartOfReviewers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		r, ctx := newReview(t, db, "redundancy=2"), t.Context()
		join := func(login string) string {
			id := storetest.AddUser(t, db, login).ID
			storetest.Check(t, r.Accounts.AddMember(ctx, r.next.ID, login, campaign.Annotator, ""))
			return id
		}
		rita := join("rita")
		for range 2 {
			answer(t, r.Store, r.next, r.rolf.ID, "wrong", verdict("reject"))
			answer(t, r.Store, r.next, rita, "wrong", verdict("reject"))
		}
		storetest.Check(t, r.Accounts.RemoveMember(ctx, r.next.ID, "rolf", ""))
		take := func(segment, text string) {
			t.Helper()
			r.rewrite(segment, text)
			_, err := r.Intake.TakeNewTexts(ctx, r.next.ID, []string{r.of(r.next, segment)}, "it was rewritten", "")
			storetest.Check(t, err)
		}
		review := func(user, want string) {
			t.Helper()
			if w := answer(t, r.Store, r.next, user, "", verdict("accept")); *w.Reference != want {
				t.Errorf("%q is reviewed, want %q", *w.Reference, want)
			}
		}
		cleo := join("cleo")
		take("1", "One, rightly.")
		if p := storetest.Must(r.Desk.Progress(ctx, r.next))(t); p.Stuck != 0 {
			t.Errorf("%d segments wait for nobody", p.Stuck)
		}
		review(rita, "One, rightly.")
		review(cleo, "One, rightly.")
		dora := join("dora")
		take("2", "Two!")
		review(cleo, "Two!")
		review(dora, "Two!")
		for i, segment := range allOf(t, r.Store, r.next) {
			if got, _ := campaign.SettledRating(r.next.Rules, segment); segment.Status != campaign.Ungated || got.Answers["verdict"].Text != "accept" {
				t.Errorf("segment %d is %s with %+v", i+1, segment.Status, got.Answers)
			}
		}
	})
}
