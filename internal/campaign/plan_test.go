package campaign_test

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
)

// smallPlan has three documents, of which a has begun the first, a pool of a and b, and a batch.
func smallPlan() campaign.Plan {
	return campaign.Plan{
		Version: 1, Redundancy: 1, Pull: true, Today: "2026-11-20",
		Pools:   []campaign.Pool{{Name: "p", Members: []string{"a", "b"}}},
		Batches: []campaign.Batch{{Name: "x", Due: "2026-11-30"}},
		People:  []campaign.PlanPerson{{Login: "a", Active: true, Share: 1}, {Login: "b", Active: true, Share: 1}, {Login: "c", Active: true, Share: 1}, {Login: "gone", Share: 1}},
		Documents: []campaign.PlanDocument{
			{DocID: "d1", Words: 100, Segments: 4, Turns: []campaign.PlanTurn{{Login: "a", Begun: true, Done: 1, Left: 3, Planned: "2026-11-10"}}, Batch: "x"},
			{DocID: "d2", Words: 50, Segments: 2, Pool: "p", Turns: []campaign.PlanTurn{{Login: "a", Left: 2, Planned: "2026-11-10"}}},
			{DocID: "d/3", Domain: "law", Words: 30, Segments: 1},
		},
	}
}

// inWords lists what an edit does, and its notes.
func inWords(c campaign.PlanChange) string {
	var parts []string
	for _, d := range c.Documents {
		part := d.DocID
		for _, login := range d.Gained {
			part += " +" + login
		}
		for _, login := range d.Lost {
			part += " -" + login
		}
		if d.Pool[0] != d.Pool[1] {
			part += " pool " + d.Pool[1]
		}
		if d.Batch[0] != d.Batch[1] {
			part += " batch " + d.Batch[1]
		}
		parts = append(parts, part)
	}
	return strings.Join(slices.Concat(parts, c.Other, c.Notes), "; ")
}

// TestPlanEdits: what each edit does, and that it leaves the plan it was applied to as it was.
func TestPlanEdits(t *testing.T) {
	for _, test := range []struct {
		edit campaign.PlanEdit
		want string // what changes, or the error
	}{
		{campaign.PlanEdit{Kind: campaign.PlanAssign, Logins: []string{"c"}},
			"d1 +c; d/3 +c; 1 turn was not planned, because the pool of the document does not have the annotator.; 1 document has more annotators than the redundancy of 1; the first of them who ask are handed it."},
		{campaign.PlanEdit{Kind: campaign.PlanAssign, Logins: []string{"gone"}}, `login: "gone" cannot be given work: the account cannot sign in, was removed, or is set aside`},
		{campaign.PlanEdit{Kind: campaign.PlanAssign, Documents: []string{}, Logins: []string{"a"}}, "document: choose at least one document"},
		{campaign.PlanEdit{Kind: campaign.PlanUnassign}, "d2 -a; 1 turn stays with the annotator who has begun the document."},
		{campaign.PlanEdit{Kind: campaign.PlanUnassign, Logins: []string{"b"}}, ""},
		{campaign.PlanEdit{Kind: campaign.PlanHandOver, Logins: []string{"a", "b"}}, "d2 +b -a; 1 turn stays with a, who has begun the document."},
		{campaign.PlanEdit{Kind: campaign.PlanHandOver, Logins: []string{"a", "c"}}, "1 turn stays with a, who has begun the document.; 1 turn stays with a, because the pool of the document does not have c."},
		{campaign.PlanEdit{Kind: campaign.PlanHandOver, Logins: []string{"a", "a"}}, "to: choose two different annotators"},
		{campaign.PlanEdit{Kind: campaign.PlanSetBatch, Documents: []string{"d2"}, Name: "x"}, "d2 batch x"},
		{campaign.PlanEdit{Kind: campaign.PlanSetBatch, Name: "none"}, "batch: there is no such batch; make it first"},
		{campaign.PlanEdit{Kind: campaign.PlanSavePool, Pool: campaign.Pool{Name: "q", Pattern: "d*3", Members: []string{"c"}}}, "d/3 pool q; New pool q with the members c, for documents whose id is like d*3."},
		{campaign.PlanEdit{Kind: campaign.PlanSavePool, Pool: campaign.Pool{Name: "p", Members: []string{"c"}}}, "d2 -a; Pool p has the members c.; 1 turn was taken away from people who are not in the pool of the document."},
		{campaign.PlanEdit{Kind: campaign.PlanDropPool, Name: "p"}, "d2 pool ; The pool p is removed."},
		{campaign.PlanEdit{Kind: campaign.PlanDropBatch, Name: "x"}, "d1 batch ; The batch x is removed."},
		{campaign.PlanEdit{Kind: campaign.PlanSaveBatch, Batch: campaign.Batch{Name: "x", Due: "2026-11-30"}}, ""},
		{campaign.PlanEdit{Kind: campaign.PlanSaveBatch, Batch: campaign.Batch{Name: "x", Due: "30.11.2026"}}, "due: write a day such as 2026-12-24"},
		{campaign.PlanEdit{Kind: campaign.PlanSetPeople, People: []campaign.PlanPerson{{Login: "a", Share: 1}, {Login: "b", Share: 0.5}}}, "b: share 0.5.; Turns stay as they are until the plan is balanced again."},
		{campaign.PlanEdit{Kind: campaign.PlanSetPeople, People: []campaign.PlanPerson{{Login: "a", Share: -1}}}, "share: must be a number from 0 to 1000"},
		{campaign.PlanEdit{Kind: campaign.PlanSetPull, Pull: true}, ""},
		{campaign.PlanEdit{Kind: campaign.PlanRows, Rows: []campaign.PlanRow{{Document: "d1", Annotator: "b"}, {Document: "d/3", HasBatch: true, Batch: "x"}}},
			"d1 +b; d/3 batch x; 1 turn stays with the annotator who has begun the document, although the file does not name them."},
		{campaign.PlanEdit{Kind: campaign.PlanRows, Rows: []campaign.PlanRow{{File: "f", Line: 2, Document: "d2", Annotator: "c"}}}, `f:2: annotator: "c" is not in the pool "p" of the document`},
		{campaign.PlanEdit{Kind: campaign.PlanRows, Rows: []campaign.PlanRow{{File: "f", Line: 2, Document: "d2", Batch: "x", HasBatch: true}, {File: "f", Line: 3, Document: "d2", HasBatch: true}}},
			`f:3: batch: line 2 puts the document into the batch "x", not ""; a document has one batch`},
		{campaign.PlanEdit{Kind: "sing"}, "do: choose what to change"},
	} {
		p := smallPlan()
		_, change, err := test.edit.Apply(p)
		got := inWords(change)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.edit.Kind, got, test.want)
		}
		if again, _, _ := (campaign.PlanEdit{Kind: campaign.PlanSetPull, Pull: true}).Apply(p); inWordsOf(again) != inWordsOf(smallPlan()) {
			t.Errorf("%s changed the plan that it was applied to", test.edit.Kind)
		}
	}
}

func inWordsOf(p campaign.Plan) string {
	var parts []string
	for _, d := range p.Documents {
		for _, turn := range d.Turns {
			parts = append(parts, d.DocID+" "+turn.Login+" "+d.Pool+" "+d.Batch)
		}
	}
	for _, x := range p.Pools {
		parts = append(parts, x.Name+strings.Join(x.Members, " "))
	}
	return strings.Join(parts, ";")
}

// TestPlanStandings: work is due in equal parts on the days on which somebody is not away.
func TestPlanStandings(t *testing.T) {
	p := smallPlan()
	a := func() campaign.PlanStanding { return p.Standings()[0] }
	// On November 20 nine of the 20 days from the 11th to the 30th are over, so that 45 of 100 words are due. 25 are done.
	if s := a(); s.Behind != 20 || s.Overdue != 0 || s.NextDue != "2026-11-30" || s.DueDocs != 1 || s.Left != 75+50 || !s.IsBehind() {
		t.Errorf("a is %+v", s)
	}
	p.People[0].Away = []campaign.Away{{From: "2026-11-11", To: "2026-11-19"}}
	if s := a(); s.IsBehind() {
		t.Errorf("a was away and is %+v", s)
	}
	p.Today = "2026-12-01"
	if s := a(); s.Behind != 75 || s.Overdue != 1 {
		t.Errorf("after the due date a is %+v", s)
	}
	p.Documents[0].Turns[0].Left = 0
	if s := a(); s.IsBehind() || s.NextDue != "" || s.Left != 50 {
		t.Errorf("a is done and is %+v", s)
	}
}

func TestParseAway(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " , ": "", "2026-12-24": "2026-12-24", "2026-12-24 .. 2027-01-02;2027-02-01": "2026-12-24..2027-01-02, 2027-02-01",
	} {
		away, err := campaign.ParseAway(text)
		if err != nil || campaign.AwayText(away) != want {
			t.Errorf("%q: %v %v", text, away, err)
		}
	}
	for _, text := range []string{"tomorrow", "2026-12-24..", "2027-01-02..2026-12-24", "2026-02-30"} {
		if _, err := campaign.ParseAway(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
