package transfer

import (
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// A chain has three campaigns over one sentence. Ida inspected it, Tina wrote its reference, and nobody has reviewed that.
type chain struct {
	*store.Store
	t                          *testing.T
	inspect, reference, review campaign.Campaign
	ida, tina, rolf            accounts.User
}

func newChain(t *testing.T, db *storetest.DB) chain {
	t.Helper()
	st := db.Store
	c := chain{
		st, t, newCampaign(t, st, "raw", "inspect", "redundancy=1"), newCampaign(t, st, "write", "reference"), newCampaign(t, st, "check", "review"),
		storetest.AddUser(t, db, "ida"), storetest.AddUser(t, db, "tina"), storetest.AddUser(t, db, "rolf"),
	}
	storetest.Check(t, read(t, st, c.inspect, "jsonl", `{"doc_id":"d","segment_id":"1","source":"<b>Eins.","source_lang":"de","target_lang":"en"}
`))
	follow(t, st, c.reference, c.inspect, "keep=yes", "source")
	follow(t, st, c.review, c.reference, "", "reference")
	for slug, of := range map[string]*campaign.Campaign{"raw": &c.inspect, "write": &c.reference, "check": &c.review} {
		*of = storetest.Must(st.Records.Campaign(t.Context(), slug))(t)
	}
	storetest.Check(t, st.Accounts.AddMember(t.Context(), c.inspect.ID, "ida", campaign.Annotator, ""))
	storetest.Check(t, st.Accounts.AddMember(t.Context(), c.reference.ID, "tina", campaign.Annotator, ""))
	storetest.Check(t, st.Accounts.AddMember(t.Context(), c.review.ID, "rolf", campaign.Annotator, ""))
	c.clean("Eins")
	storetest.Must(st.Intake.TakeOver(t.Context(), c.reference.ID, ""))(t)
	storetest.Check(t, read(t, st, c.reference, "jsonl", `{"doc_id":"d","segment_id":"1","source":"Eins","translations":{"a":"One.","b":"Once."}}
`))
	answer(t, st, c.reference, c.tina.ID, "", written("One, well."))
	storetest.Must(st.Intake.TakeOver(t.Context(), c.review.ID, ""))(t)
	return c
}

// clean lets Ida keep the sentence with another text.
func (c chain) clean(text string) {
	c.t.Helper()
	submitRating(c.t, c.Store, c.inspect, c.ida.ID, protocol.Rating{Answers: map[string]protocol.Answer{"keep": {Text: "yes"}, "cleaned": {Text: text}}, Scores: map[string]float64{"difficulty": 3}})
}

// look asks for another look at the sentence.
func (c chain) look(of campaign.Campaign) {
	c.t.Helper()
	storetest.Check(c.t, c.Rounds.AnotherLook(c.t.Context(), of.ID, []string{c.of(of)}, nil, "look again", ""))
}

func (c chain) of(of campaign.Campaign) string {
	return storetest.Must(c.Records.SegmentRowID(c.t.Context(), of.ID, "d", "1"))(c.t)
}

// TestNewSources: a source that is cleaned again reaches the translator by an act of the lead. The translator keeps the text, sees what
// has changed in the source, and the review then takes over both. Undoing brings the source back.
func TestNewSources(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		c, ctx := newChain(t, db), t.Context()
		take := func(of campaign.Campaign) {
			t.Helper()
			if n, err := c.Intake.TakeNewTexts(ctx, of.ID, nil, "cleaned again", ""); n != 1 || err != nil {
				t.Fatalf("%s took over %d new texts: %v", of.Slug, n, err)
			}
		}
		want := func(of campaign.Campaign, source, reference string) {
			t.Helper()
			g := allOf(t, c.Store, of)[0]
			if n := storetest.Must(c.Plan.Plan(ctx, of))(t).Documents[0].Words; n != codepoint.Words(source) {
				t.Errorf("the plan of %s counts %d words of %q", of.Slug, n, source)
			}
			if r, _ := campaign.FirstReference(g.References); g.Source != source || r.Text != reference {
				t.Errorf("%s has the source %q and the reference %q", of.Slug, g.Source, r.Text)
			}
		}
		none := func(of campaign.Campaign) {
			t.Helper()
			if list, known, err := c.Intake.NewTexts(ctx, of); len(list) > 0 || !known || err != nil {
				t.Errorf("%s is offered %+v, %v", of.Slug, list, err)
			}
			_, err := c.Intake.TakeNewTexts(ctx, of.ID, nil, "cleaned again", "")
			storetest.WantErr(t, err, campaign.ErrConflict)
		}
		undo := func(of campaign.Campaign) {
			t.Helper()
			acts := storetest.Must(c.Desk.Segment(ctx, of, c.of(of)))(t).Acts
			storetest.Check(t, c.Rounds.Undo(ctx, of.ID, c.of(of), acts[len(acts)-1].ID, 1, ""))
		}
		none(c.reference)
		c.look(c.inspect)
		none(c.reference) // the forebear is in work
		c.clean("Eins, zwei.")
		if list, _, _ := c.Intake.NewTexts(ctx, c.reference); len(list) != 1 || list[0].Source.Was != "Eins" || list[0].Source.Now != "Eins, zwei." || list[0].Reference.Now != "" {
			t.Errorf("the translator's campaign is offered %+v", list)
		}
		stage := storetest.Must(c.Desk.Lineage(ctx, c.reference, c.of(c.reference), func(string) bool { return true }))(t).Stages[0]
		if !stage.NewText || len(stage.Changed) != 1 {
			t.Errorf("the page of the segment offers %v, because %q", stage.NewText, stage.Changed)
		}
		take(c.reference)
		want(c.reference, "Eins, zwei.", "")
		none(c.reference)
		undo(c.reference)
		want(c.reference, "Eins", "")
		take(c.reference)
		none(c.review) // the text is being looked at

		w := answer(t, c.Store, c.reference, c.tina.ID, "", written("One, at last."))
		if w.LookReason != "cleaned again" || w.SourceWas == nil || *w.SourceWas != "Eins" || w.Source != "Eins, zwei." || w.Cards[0].Rating.Answers["edited"].Text != "One, well." {
			t.Errorf("with the new source the translator meets %+v", w)
		}
		if list, _, _ := c.Intake.NewTexts(ctx, c.review); len(list) != 1 || list[0].Source.Now != "Eins, zwei." || list[0].Reference.Now != "One, at last." {
			t.Errorf("the review is offered %+v", list)
		}
		want(c.review, "Eins", "One, well.")
		take(c.review)
		want(c.review, "Eins, zwei.", "One, at last.")
		undo(c.review)
		want(c.review, "Eins", "One, well.")
		take(c.review)
		if w := answer(t, c.Store, c.review, c.rolf.ID, "", verdict("accept")); w.SourceWas != nil || w.LookReason != "" {
			t.Errorf("who has not begun meets %+v", w)
		}
	})
}
