package plan_test

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/plan"
)

// smallPlan has three documents, of which a has begun the first, a pool of a and b, and a batch.
func smallPlan() plan.Plan {
	return plan.Plan{
		Version: 1, Redundancy: 1, Pull: true, Today: "2026-11-20",
		Pools:   []plan.Pool{{Name: "p", Members: []string{"a", "b"}}},
		Batches: []plan.Batch{{Name: "x", Due: "2026-11-30"}},
		People:  []plan.Person{{Login: "a", Active: true, Share: 1}, {Login: "b", Active: true, Share: 1}, {Login: "c", Active: true, Share: 1}, {Login: "gone", Share: 1}},
		Documents: []plan.Document{
			{DocID: "d1", Words: 100, Segments: 4, Turns: []plan.Turn{{Login: "a", Begun: true, Done: 1, Left: 3, Planned: "2026-11-10"}}, Batch: "x"},
			{DocID: "d2", Words: 50, Segments: 2, Pool: "p", Turns: []plan.Turn{{Login: "a", Left: 2, Planned: "2026-11-10"}}},
			{DocID: "d/3", Domain: "law", Words: 30, Segments: 1},
		},
	}
}

// inWords lists what an edit does, and its notes.
func inWords(c plan.Change) string {
	var parts []string
	for _, d := range c.Documents {
		part := d.DocID
		for _, login := range d.Gained {
			part += " +" + login
		}
		for _, login := range slices.Concat(d.Lost, d.Dropped) {
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
		edit plan.Edit
		want string // what changes, or the error
	}{
		{plan.Edit{Kind: plan.EditAssign, Logins: []string{"c"}},
			"d1 +c; d/3 +c; 1 place was not filled, because the annotator is not in the pool of the document, or is kept apart from it.; 1 document has more annotators than the redundancy of 1; the first of them who ask are handed it."},
		{plan.Edit{Kind: plan.EditAssign, Logins: []string{"gone"}}, `login: "gone" cannot be given work: the account cannot sign in, was removed, or is set aside`},
		{plan.Edit{Kind: plan.EditAssign, Documents: []string{}, Logins: []string{"a"}}, "document: choose at least one document"},
		{plan.Edit{Kind: plan.EditUnassign}, "d2 -a; 1 place stays with the annotator who has begun the document."},
		{plan.Edit{Kind: plan.EditUnassign, Logins: []string{"b"}}, ""},
		{plan.Edit{Kind: plan.EditHandOver, Logins: []string{"a", "b"}}, "d2 +b -a; 1 place stays with a, because a has begun the document, or b has it, is not in its pool, or is kept apart from it."},
		{plan.Edit{Kind: plan.EditHandOver, Logins: []string{"a", "c"}}, "2 places stay with a, because a has begun the document, or c has it, is not in its pool, or is kept apart from it."},
		{plan.Edit{Kind: plan.EditHandOver, Logins: []string{"a", "a"}}, "to: choose two different annotators"},
		{plan.Edit{Kind: plan.EditSetBatch, Documents: []string{"d2"}, Name: "x"}, "d2 batch x"},
		{plan.Edit{Kind: plan.EditSetBatch, Name: "none"}, "batch: there is no such batch; make it first"},
		{plan.Edit{Kind: plan.EditSavePool, Pool: plan.Pool{Name: "q", Pattern: "d*3", Members: []string{"c"}}}, "d/3 pool q; New pool q: the members c, ids like d*3."},
		{plan.Edit{Kind: plan.EditSavePool, Pool: plan.Pool{Name: "p", Members: []string{"c"}}}, "d2 -a; The pool p: the members c. Before: the members a and b.; 1 place was taken away from people who are not in the pool of the document, or are kept apart from it."},
		{plan.Edit{Kind: plan.EditSavePool, Name: "p", Pool: plan.Pool{Name: "قانون", Domain: "law", Members: []string{"a", "b"}}},
			"d/3 pool قانون; The pool p is called قانون.; The pool قانون: the members a and b, documents of the domain law. Before: the members a and b."},
		{plan.Edit{Kind: plan.EditSavePool, Name: "law", Pool: plan.Pool{Name: "d"}}, "name: there is no such pool"},
		{plan.Edit{Kind: plan.EditSavePool, Pool: plan.Pool{Name: "p", Members: []string{"nobody"}}}, `member: "nobody" is not an annotator of this campaign`},
		{plan.Edit{Kind: plan.EditDropPool, Name: "p"}, "d2 pool ; The pool p is removed."},
		{plan.Edit{Kind: plan.EditDropBatch, Name: "x"}, "d1 batch ; The batch x is removed."},
		{plan.Edit{Kind: plan.EditSaveBatch, Batch: plan.Batch{Name: "x", Due: "2026-11-30"}}, ""},
		{plan.Edit{Kind: plan.EditSaveBatch, Batch: plan.Batch{Name: "x", Due: "30.11.2026"}}, "due: write a day such as 2026-12-24"},
		{plan.Edit{Kind: plan.EditSaveBatch, Name: "x", Batch: plan.Batch{Name: "第一批", Priority: 4}}, "The batch x is called 第一批.; The batch 第一批: priority 4, no due date. Before: priority 0, due 2026-11-30."},
		{plan.Edit{Kind: plan.EditSaveBatch, Name: "y", Batch: plan.Batch{Name: "x"}}, "name: there is no such batch"},
		{plan.Edit{Kind: plan.EditSetPeople, People: []plan.Person{{Login: "a", Share: 1}, {Login: "b", Share: 0.5, Words: 20}}},
			"The annotator b: share 0.5, 20 fixed words, away never. Before: share 1, away never.; Documents stay with their annotators until the plan is balanced again."},
		{plan.Edit{Kind: plan.EditSetPeople, People: []plan.Person{{Login: "a", Share: -1}}}, "share: must be a number from 0 to 1000"},
		{plan.Edit{Kind: plan.EditSetPull, Pull: true}, ""},
		{plan.Edit{Kind: plan.EditRows, Rows: []plan.Row{{Document: "d1", Annotator: "b"}, {Document: "d/3", HasBatch: true, Batch: "x"}}},
			"d1 +b; d/3 batch x; 1 place stays with the annotator who has begun the document, although the file does not name them."},
		{plan.Edit{Kind: plan.EditRows, Rows: []plan.Row{{File: "f", Line: 2, Document: "d2", Annotator: "c"}}}, `f:2: annotator: "c" is not in the pool "p" of the document`},
		{plan.Edit{Kind: plan.EditRows, Rows: []plan.Row{{File: "f", Line: 2, Document: "d2", Batch: "x", HasBatch: true}, {File: "f", Line: 3, Document: "d2", HasBatch: true}}},
			`f:3: batch: line 2 puts the document into the batch "x", not ""; a document has one batch`},
		{plan.Edit{Kind: plan.EditRows, Rows: []plan.Row{{File: "f", Line: 2, Document: "d9"}, {File: "f", Line: 3, Document: "d1", Batch: "y", HasBatch: true}, {File: "f", Line: 4, Document: "d2", Annotator: "a"}, {File: "f", Line: 5, Document: "d2", Annotator: "a"}}},
			"f:2: document: the campaign has no document \"d9\"\nf:3: batch: there is no batch \"y\"; make it first\nf:5: annotator: line 4 says the same"},
		{plan.Edit{Kind: "sing"}, "do: choose what to change"},
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
		if again, _, _ := (plan.Edit{Kind: plan.EditSetPull, Pull: true}).Apply(p); inWordsOf(again) != inWordsOf(smallPlan()) {
			t.Errorf("%s changed the plan that it was applied to", test.edit.Kind)
		}
	}
}

// TestPlanWithoutSomebody: places of people who are not active are free, except those of documents that they have
// done. They keep a place for their return until somebody else has it.
func TestPlanWithoutSomebody(t *testing.T) {
	without := func() plan.Plan {
		p := smallPlan()
		p.Redundancy = 2
		turn := func(login string, done, left int) plan.Turn {
			return plan.Turn{Login: login, Planned: "2026-11-10", Begun: done > 0, Done: done, Left: left}
		}
		p.Documents = []plan.Document{
			{DocID: "done", Words: 10, Segments: 1, Batch: "x", Turns: []plan.Turn{turn("a", 1, 0), turn("gone", 1, 0)}},
			{DocID: "half", Words: 20, Segments: 2, Batch: "x", Turns: []plan.Turn{turn("a", 0, 2), turn("gone", 1, 1)}},
			{DocID: "not", Words: 40, Segments: 2, Batch: "x", Turns: []plan.Turn{turn("a", 0, 2), turn("gone", 0, 2)}},
			{DocID: "empty", Words: 80, Segments: 2, Turns: []plan.Turn{turn("gone", 0, 2)}},
		}
		return p
	}
	p := without()
	var free []string
	for _, d := range p.Documents {
		free = append(free, strings.Repeat("o", p.Free(d)))
	}
	if got := strings.Join(free, "|"); got != "|o|o|oo" || p.Short() != 3 || p.FreePlaces() != 4 || p.Load("gone") != 10 {
		t.Errorf("free are %s, %d documents, %d words are with gone", got, p.Short(), p.Load("gone"))
	}
	if s := p.Standings()[3]; s != (plan.Standing{Login: "gone"}) {
		t.Errorf("who is gone is %+v", s)
	}
	for _, test := range []struct {
		edit plan.Edit
		want string
	}{
		{plan.Edit{Kind: plan.EditAssign, Documents: []string{"not", "empty"}, Logins: []string{"b"}}, "not +b -gone; empty +b"},
		{plan.Edit{Kind: plan.EditAssign, Documents: []string{"half"}, Logins: []string{"b"}}, "half +b"},
		{plan.Edit{Kind: plan.EditHandOver, Logins: []string{"gone", "c"}}, "half +c; not +c -gone; empty +c -gone; 1 place stays with gone, because gone has begun the document, or c has it, is not in its pool, or is kept apart from it."},
		{plan.Edit{Kind: plan.EditUnassign}, "half -a; not -a -gone; empty -gone; 3 places stay with the annotator who has begun the document."},
		{plan.Edit{Kind: plan.EditRows, Rows: []plan.Row{{Document: "not", Annotator: "a"}, {Document: "empty"}}}, ""},
		{plan.Edit{Kind: plan.EditRows, Rows: []plan.Row{{Document: "not", Annotator: "b"}, {Document: "not", Annotator: "c"}}}, "not +b +c -a -gone"},
	} {
		_, change, err := test.edit.Apply(without())
		if got := inWords(change); err != nil || got != test.want {
			t.Errorf("%s: %v %q, want %q", test.edit.Kind, err, got, test.want)
		}
	}
	for _, kind := range []plan.EditKind{plan.EditBalance, plan.EditAnew} {
		after, change, err := plan.Edit{Kind: kind}.Apply(without())
		if err != nil || after.Short() != 0 || after.FreePlaces() != 0 || after.Load("gone") != 10 {
			t.Errorf("%s: %v, %d documents are short, %q", kind, err, after.Short(), inWords(change))
		}
	}
	returned := without()
	returned.People[3].Active = true
	if returned.Short() != 1 || returned.Load("gone") != 150 {
		t.Errorf("after the return %d documents are short", returned.Short())
	}
}

func inWordsOf(p plan.Plan) string {
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

// TestPlanApart: people are kept apart from single documents, and those who are not kept apart from a document take it.
func TestPlanApart(t *testing.T) {
	apart := func() plan.Plan {
		p := smallPlan()
		p.Documents = []plan.Document{
			{DocID: "d1", Words: 10, Segments: 1, Apart: []string{"a", "b"}},
			{DocID: "d2", Words: 10, Segments: 1, Apart: []string{"b", "c"}},
			{DocID: "d3", Words: 10, Segments: 1, Apart: []string{"a", "c"}},
			{DocID: "d4", Words: 10, Segments: 1, Apart: []string{"a", "b", "c"}},
		}
		return p
	}
	for _, test := range []struct {
		edit plan.Edit
		want string
	}{
		{plan.Edit{Kind: plan.EditBalance}, "d1 +c; d2 +a; d3 +b"},
		{plan.Edit{Kind: plan.EditAssign, Logins: []string{"a"}}, "d2 +a; 3 places were not filled, because"},
		{plan.Edit{Kind: plan.EditRows, Rows: []plan.Row{{Document: "d1", Annotator: "b"}}}, `"b" had segments of the document in an earlier campaign`},
	} {
		_, change, err := test.edit.Apply(apart())
		got := inWords(change)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.edit.Kind, got, test.want)
		}
	}
}

// TestPlanStandings: work is due in equal parts on the days on which somebody is not away, both ends included. A document that was
// begun before it was planned is due on its due date. Somebody who is a little behind the days is on time.
func TestPlanStandings(t *testing.T) {
	begun := plan.Turn{Login: "a", Begun: true, Done: 1, Left: 3, Planned: "2026-11-10"} // 25 of 100 words
	for name, test := range map[string]struct {
		turn  plan.Turn
		away  plan.Away
		today string
		want  plan.Standing
	}{
		// On November 20 nine of the 20 days from the 11th to the 30th are over, so that 45 of 100 words are due.
		"behind":       {begun, plan.Away{}, "2026-11-20", plan.Standing{Behind: 20, NextDue: "2026-11-30", DueDocs: 1, Left: 75}},
		"away":         {begun, plan.Away{From: "2026-11-11", To: "2026-11-19"}, "2026-11-20", plan.Standing{NextDue: "2026-11-30", DueDocs: 1, Left: 75}},
		"late":         {begun, plan.Away{}, "2026-12-01", plan.Standing{Behind: 75, Overdue: 1, NextDue: "2026-11-30", DueDocs: 1, Left: 75}},
		"done":         {plan.Turn{Login: "a", Begun: true, Done: 4, Planned: "2026-11-10"}, plan.Away{}, "2026-12-01", plan.Standing{}},
		"not planned":  {plan.Turn{Login: "a", Begun: true, Done: 1, Left: 3}, plan.Away{}, "2026-11-30", plan.Standing{NextDue: "2026-11-30", DueDocs: 1, Left: 75}},
		"and late":     {plan.Turn{Login: "a", Begun: true, Done: 1, Left: 3}, plan.Away{}, "2026-12-01", plan.Standing{Behind: 75, Overdue: 1, NextDue: "2026-11-30", DueDocs: 1, Left: 75}},
		"40 of 45":     {plan.Turn{Login: "a", Begun: true, Done: 2, Left: 3, Planned: "2026-11-10"}, plan.Away{}, "2026-11-20", plan.Standing{NextDue: "2026-11-30", DueDocs: 1, Left: 60}},
		"a tenth":      {plan.Turn{Login: "a", Begun: true, Left: 5, Planned: "2026-11-10"}, plan.Away{From: "2026-11-12", To: "2026-11-21"}, "2026-11-20", plan.Standing{NextDue: "2026-11-30", DueDocs: 1, Left: 100}},
		"three tenths": {plan.Turn{Login: "a", Begun: true, Left: 5, Planned: "2026-11-10"}, plan.Away{From: "2026-11-12", To: "2026-11-21"}, "2026-11-24", plan.Standing{Behind: 30, NextDue: "2026-11-30", DueDocs: 1, Left: 100}},
	} {
		p := smallPlan()
		p.Today, p.Documents[0].Turns[0], p.Documents[1].Turns = test.today, test.turn, nil
		if test.away.From != "" {
			p.People[0].Away = []plan.Away{test.away}
		}
		test.want.Login = "a"
		if s := p.Standings()[0]; s != test.want || s.IsBehind() != (s.Behind > 0) {
			t.Errorf("%s: a is %+v, want %+v", name, s, test.want)
		}
	}
}

func TestPoolTakes(t *testing.T) {
	for _, test := range []struct {
		pool          plan.Pool
		domain, docID string
		want          bool
	}{
		{plan.Pool{}, "law", "d1", false},
		{plan.Pool{Domain: "law"}, "law", "d1", true},
		{plan.Pool{Domain: "law"}, "news", "d1", false},
		{plan.Pool{Pattern: "d*"}, "news", "d/1", true},
		{plan.Pool{Pattern: "d?"}, "news", "d12", false},
		{plan.Pool{Pattern: "[d]*"}, "news", "d1", false},
		{plan.Pool{Domain: "law", Pattern: "d*"}, "law", "d1", true},
		{plan.Pool{Domain: "law", Pattern: "d*"}, "law", "e1", false},
		{plan.Pool{Domain: "law", Pattern: "d*"}, "news", "d1", false},
	} {
		if got := test.pool.Takes(test.domain, test.docID); got != test.want {
			t.Errorf("%+v takes %s of %s: %v, want %v", test.pool, test.docID, test.domain, got, test.want)
		}
	}
}

func TestParseAway(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " , ": "", "2026-12-24": "2026-12-24", "2026-12-24 .. 2027-01-02;2027-02-01": "2026-12-24..2027-01-02, 2027-02-01",
	} {
		away, err := plan.ParseAway(text)
		if err != nil || plan.AwayText(away) != want {
			t.Errorf("%q: %v %v", text, away, err)
		}
	}
	for _, text := range []string{"tomorrow", "2026-12-24..", "2027-01-02..2026-12-24", "2026-02-30"} {
		if _, err := plan.ParseAway(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
