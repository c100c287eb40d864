package segments

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/web/templates"
	"annotate/web/templates/pagetest"
)

// TestActsOfAnswers: answers that are not numbers have no mean that a lead could accept.
func TestActsOfAnswers(t *testing.T) {
	for id, want := range map[string]bool{"sqm": true, "culture": true, "inspect": false} {
		p, _ := protocol.Lookup(id)
		accept := func(o templates.Option) bool { return o.Value == ActAccept }
		if got := slices.ContainsFunc(SegmentsView{Protocol: p}.acts(), accept); got != want {
			t.Errorf("the segments of %s offer to accept means: %t", id, got)
		}
		if got := slices.ContainsFunc(QueueView{Protocol: p}.acts(), accept); got != want {
			t.Errorf("the queue of %s offers to accept means: %t", id, got)
		}
	}
}

// TestActsAfterANewText: the look that came with a new text is undone with it, and not taken back alone.
func TestActsAfterANewText(t *testing.T) {
	look := readmodel.LeadAct{Act: campaign.Act{Kind: campaign.AnotherLook}, Batch: "b"}
	for batch, want := range map[string]bool{"a": true, "b": false} {
		v := SegmentView{Page: pagetest.LeadPage("lead"), Protocol: pagetest.Lookup(t, "review"), DecidingAct: &look,
			Acts: []readmodel.LeadAct{{Act: campaign.Act{Kind: campaign.NewText}, Batch: batch}, look}}
		if got := v.offers(ActRestore); got != want {
			t.Errorf("with a new text of batch %s, taking the look back is offered: %t", batch, got)
		}
	}
}

// TestHeadsOfAnswers: lists have a column of r only where two annotators can have one.
func TestHeadsOfAnswers(t *testing.T) {
	for id, want := range map[string]bool{"sqm": true, "culture": true, "inspect": false, "terms": false} {
		p := pagetest.Lookup(t, id)
		r := func(h templates.Head) bool { return h.Label == "Lowest r" }
		if got := slices.ContainsFunc(SegmentsView{Page: pagetest.LeadPage("lead"), Protocol: p}.heads(), r); got != want {
			t.Errorf("the segments of %s have a column of r: %t", id, got)
		}
		if got := slices.ContainsFunc(QueueView{Page: pagetest.LeadPage("lead"), Protocol: p}.heads(), r); got != want {
			t.Errorf("the queue of %s has a column of r: %t", id, got)
		}
	}
}

func TestRText(t *testing.T) {
	for _, tt := range []struct {
		r, threshold float64
		passed       bool
		want         string
	}{
		{0.912, 0.7, true, "r = 0.91"},
		{0.6987, 0.7, false, "r = 0.699"}, // 0.70 would read as passed
		{0.7, 0.7, true, "r = 0.70"},
		{-0.121, 0.7, false, "r = −0.12"},
		{0.65, 0.6, false, "r = 0.65"},       // the threshold was another one then
		{0.7 - 1e-13, 0.7, true, "r = 0.70"}, // within the gate's slack
	} {
		if got := rText(campaign.Pair{R: &tt.r, Passed: tt.passed}, tt.threshold); got != tt.want {
			t.Errorf("r %v at %v: got %q, want %q", tt.r, tt.threshold, got, tt.want)
		}
	}
}

// Whoever was replaced, set aside or gave up a place is not waited for, and not counted.
func TestHistoryCountsWhoIsWaitedFor(t *testing.T) {
	r := roundHistory{Round: 2, Wanted: true, Turns: []readmodel.Turn{
		{Login: "a", Round: 2, State: campaign.Submitted}, {Login: "b", Round: 2, State: campaign.Released, Replaced: true}, {Login: "c", Round: 2, State: campaign.InWork},
		{Login: "d", Round: 2, State: campaign.Released, SetAside: campaign.Submitted}, {Login: "e", Round: 2, State: campaign.Released},
	}}
	if got := r.title(); got != "Round 2: not complete, 1 of 3 submitted" {
		t.Errorf("got %q", got)
	}
	r = roundHistory{Round: 1, Wanted: true, Turns: []readmodel.Turn{{Login: "a", Round: 1, State: campaign.InWork}, {Login: "b", Round: 1, State: campaign.Released}}}
	if got := r.title(); got != "Round 1: not complete, 0 of 1 submitted" {
		t.Errorf("got %q", got)
	}
	// A place of round 1 that nobody has been given is still to be filled.
	v := SegmentView{Settings: campaign.Settings{Redundancy: 2}, Turns: []readmodel.Turn{{Login: "a", Round: 1, State: campaign.Submitted}}}
	v.Segment.Status, v.Segment.Round = campaign.Pending, 1
	if got := v.history()[0].title(); got != "Round 1: not complete, 1 of 2 submitted" {
		t.Errorf("got %q", got)
	}
}

// A round whose ratings count is never said to count nowhere: a mean of it may be gold.
func TestHistoryOfRoundThatCounts(t *testing.T) {
	v := SegmentView{Settings: campaign.Settings{Redundancy: 2}, Turns: []readmodel.Turn{
		{Login: "a", Round: 2, State: campaign.Submitted, Counts: true}, {Login: "b", Round: 2, State: campaign.Released, SetAside: campaign.Submitted},
	}}
	v.Segment.Status, v.Segment.Round = campaign.Adjudicated, 2
	if got := v.history()[1].title(); got != "Round 2: not complete, 1 of 1 submitted" {
		t.Errorf("got %q", got)
	}
	v.Turns[0].Counts = false
	if got := v.history()[1].title(); got != "Round 2: counts nowhere now" {
		t.Errorf("got %q", got)
	}
}

// A turn that is not submitted waits for nothing once a lead has decided the segment or its
// round is not wanted, and of a round without ratings none are said to be kept.
func TestHistoryOfRoundThatIsNotNeeded(t *testing.T) {
	v := SegmentView{Settings: campaign.Settings{Redundancy: 2}, Turns: []readmodel.Turn{
		{Login: "a", Round: 1, State: campaign.Submitted, Counts: true}, {Login: "b", Round: 1, State: campaign.Submitted, Counts: true},
		{Login: "a", Round: 2, State: campaign.InWork, Work: campaign.WorkKept, Begun: true}, {Login: "b", Round: 2, State: campaign.InWork, Work: campaign.WorkOver},
		{Login: "c", Round: 2, State: campaign.InWork, Work: campaign.WorkLate, Begun: true}, {Login: "d", Round: 2, State: campaign.InWork, Work: campaign.WorkAsked},
	}}
	v.Segment.Status, v.Segment.Round = campaign.Adjudicated, 1
	look := v.history()[1]
	if got, why := look.title(), v.unjudged(look); got != "Round 2: not needed now" || why != "The segment is decided without this round. Drafts are kept, and the annotators get it back if the round is wanted again." {
		t.Errorf("got %q, %q", got, why)
	}
	for i, want := range []string{"not needed now, drafts kept", "not needed now", "in work, not waited for", "waiting"} {
		if got := stateOf(look.Turns[i]); got != want {
			t.Errorf("the turn of %s is %q, want %q", look.Turns[i].Login, got, want)
		}
	}
	// Round 1 was complete once, and is asked for again.
	v.Segment.Status = campaign.Pending
	v.Turns[2].State = campaign.Submitted
	look = v.history()[1]
	if got, why := look.title(), v.unjudged(look); got != "Round 2: counts nowhere now" || why != "The segment does not need this round now. Its ratings are kept, and count again if the round is wanted again." {
		t.Errorf("got %q, %q", got, why)
	}
	v.Segment.Status, v.Segment.Round = campaign.Reannotate, 2
	if why := v.unjudged(v.history()[1]); why != "It is judged as soon as it is complete." {
		t.Errorf("under way: %q", why)
	}
	// Another look decides in its place.
	v.Segment.Round = 3
	v.Turns = append(v.Turns, readmodel.Turn{Login: "a", Round: 3, State: campaign.InWork, Work: campaign.WorkAsked})
	v.Turns[2].Counts = true
	if why := v.unjudged(v.history()[1]); why != "Another look decides without it." {
		t.Errorf("beside another look: %q", why)
	}
}

// TestAnotherLookByOne: where one annotator is enough, a segment of the only annotator can get another look.
func TestAnotherLookByOne(t *testing.T) {
	p, _ := protocol.Lookup("sqm")
	v := SegmentView{Protocol: p, Active: []Candidate{{Login: "a"}}, Turns: []readmodel.Turn{{Login: "a", Round: 1, State: campaign.Submitted}}}
	for redundancy, want := range map[int]bool{1: true, 2: false} {
		if v.Settings.Redundancy = redundancy; v.offers(ActLook) != want {
			t.Errorf("with %d annotators a segment, another look is offered: %t", redundancy, !want)
		}
	}
}

// An annotator is offered for the place of somebody else, and not for their own.
func TestNobodyIsOfferedTheirOwnPlace(t *testing.T) {
	v := SegmentView{Candidates: []Candidate{{Login: "a"}, {Login: "b"}},
		Turns: []readmodel.Turn{{Login: "a", Round: 2, State: campaign.Released}, {Login: "c", Round: 1, State: campaign.InWork}}}
	v.Segment.Status, v.Segment.Round = campaign.Reannotate, 2
	if got := v.successors(); len(got) != 1 || got[0].Login != "b" {
		t.Errorf("%v can take the place of a, want b", got)
	}
	v.Turns = append(v.Turns, readmodel.Turn{Login: "c", Round: 2, State: campaign.InWork})
	if got := v.successors(); len(got) != 2 {
		t.Errorf("%v can take the place of a or c, want a and b", got)
	}
}

// TestNumbersBesideChoices: where the gate compares choices, a number stands with its label, and has its gold.
func TestNumbersBesideChoices(t *testing.T) {
	rating := func(login string, difficulty float64) campaign.Rating {
		r := judged(login, 1, map[string]float64{"difficulty": difficulty})
		r.Answers = map[string]protocol.Answer{"keep": {Text: "yes"}}
		return r
	}
	v := markedView(t, pagetest.Lookup(t, "inspect"), "源文", campaign.Translation{Ratings: []campaign.Rating{rating("ann", 2), rating("ben", 3)}})
	v.Segment.Round = 1
	v.Decisions = []campaign.Decision{{Round: 1, Status: campaign.Agreed, Passed: true, Annotators: 2, Gate: "on", Threshold: 0.7, Pairs: []campaign.Pair{{A: "ann", B: "ben", Passed: true, Reason: agreement.Agreed, Shared: 1}}}}
	doc, _ := pagetest.Written(t, Segment(v))
	if text := pagetest.Words(doc.Selection); strings.Contains(text, "threshold") || strings.Contains(text, "Mean difference") || strings.Contains(text, "(no candidates)") || !strings.Contains(text, "ann and ben") {
		t.Errorf("the page speaks of what answers do not have: %s", text)
	}
	var got []string
	for _, s := range doc.Find(".ratings .given-score:has(.muted)").EachIter() {
		got = append(got, strings.Join(strings.Fields(s.Text()), " "))
	}
	if want := []string{"Difficulty 2", "Difficulty 3", "Difficulty 2.50"}; !slices.Equal(got, want) {
		t.Errorf("the table has %q, want %q", got, want)
	}
}
