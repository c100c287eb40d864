package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/qualification"
	"annotate/internal/work"
)

// accessible judges the page in one of the looks.
func accessible(t *testing.T, ctx context.Context, j *judge, what string) {
	t.Helper()
	j.check(t, ctx, what)
	run(t, ctx, "look", Look(1280, 900, false))
}

// TestTrainingInTheBrowser: a lead makes a training set by mouse and switches it on. An annotator
// trains by keyboard, sees the feedback and what the attempts came to, waits for the lead, and gets
// work when the lead has decided. Practice is offered and counts nowhere.
func TestTrainingInTheBrowser(t *testing.T) {
	b := browser(t)
	w := newWorld(t, "redundancy=1", "training_attempts=2")
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")), segment("d1", "s2", "第二句", texts("s2")), segment("d2", "s3", "第三句", texts("s3")))
	home := w.url + "/campaigns/" + w.slug
	lead := &annotator{w: w, ctx: window(t, b)}
	says := func(ctx context.Context, what, text string) {
		t.Helper()
		run(t, ctx, what, Until(fmt.Sprintf(`document.body.innerText.replace(/\s+/g, ' ').includes(%q)`, text)))
	}
	run(t, lead.ctx, "sign in", Look(1280, 900, false), SignIn(w.invite("lead", campaign.Lead)), chromedp.Navigate(home+"/training"), Visible("#set-title"))
	run(t, lead.ctx, "switch on too early", chromedp.Click("#ask-1"), opens("section[aria-labelledby=ask-title] .btn-main"))
	says(lead.ctx, "it is refused", "enter the answer of at least one training segment first")
	run(t, lead.ctx, "choose segments", opens(".page-head .btn-main"), Visible("input[name=segment]"), chromedp.Click("tbody tr:nth-child(1) input"), chromedp.Click("tbody tr:nth-child(2) input"))
	run(t, lead.ctx, "add them", opens(".queue-form .btn-main"))
	says(lead.ctx, "they are there", "2 segments came into the training set")

	right := func(text string, _ bool) int {
		return map[string]int{"best": 4, "fair": 2, "poor": 0}[strings.Fields(text)[0]]
	}
	lead.scores = right
	for n := 1; n <= 2; n++ {
		run(t, lead.ctx, "open the segment", chromedp.Navigate(home+"/training"), opens(fmt.Sprintf("section[aria-labelledby=set-title] tbody tr:nth-child(%d) th a", n)), Visible("#about-title"),
			opens(`form[action$="/answer"] button`))
		lead.score(0)
		says(lead.ctx, "the page says what it is", "Answer of a training segment.")
		if n := ask[int](t, lead.ctx, `document.querySelectorAll('#report, #ask-open, #problem').length`); n != 0 {
			t.Errorf("the page of an answer offers %d things of work", n)
		}
		if lead.submit() {
			t.Fatal("after the answer comes another annotate page")
		}
		says(lead.ctx, "back at the segment", "The answer is stored.")
	}
	run(t, lead.ctx, "explain", chromedp.SendKeys("#explanation", "The emoji carries the tone."), opens("section[aria-labelledby=about-title] .btn-main"))
	says(lead.ctx, "saved", "The training segment was saved.")
	run(t, lead.ctx, "try it", opens(`form[action$="/try"] button`))
	lead.score(0)
	lead.submit()
	says(lead.ctx, "the feedback of a try", "100 % right. This was practice")
	run(t, lead.ctx, "switch it on", chromedp.Navigate(home+"/training"), chromedp.Click("#ask-1"), opens("section[aria-labelledby=ask-title] .btn-main"))
	says(lead.ctx, "it is on", "New annotators train before they get work.")

	ann := newAnnotator(t, b, w, func(text string, _ bool) int { return 4 - right(text, false) })
	run(t, ann.ctx, "sign in", SignIn(w.newcomer("first", campaign.Annotator)))
	says(ann.ctx, "what is expected", "Train first: 0 of 2 training segments done, attempt 1 of 2.")
	run(t, ann.ctx, "train", opens(".job .btn-main"))
	says(ann.ctx, "the page of the training", "You need 80 % in one of 2 attempts.")
	run(t, ann.ctx, "begin", opens(".actions .btn-main"), Until(`document.documentElement.dataset.ready === 'annotate' && document.querySelector('#guide').open`), Key("Escape"), Until(`!document.querySelector('#guide').open`))
	ann.score(0)
	if ann.submit() {
		t.Fatal("after a training segment comes another one without feedback")
	}
	says(ann.ctx, "the feedback", "33 % right. Attempt 1")
	says(ann.ctx, "what is wrong", "not within 1")
	if got := ask[string](t, ann.ctx, `document.documentElement.outerHTML`); strings.Contains(got, "Aster") || strings.Contains(got, "Birch") {
		t.Error("the feedback names a system")
	}
	tabTo(t, ann.ctx, `form[action$="/train/next"]`)
	run(t, ann.ctx, "next by keyboard", leaves(Key("Enter")))
	ann.score(0)
	ann.submit()
	says(ann.ctx, "the attempt is over", "The attempt is over: 33 % right, and 80 % are needed. You have another attempt: attempt 2 of 2.")
	says(ann.ctx, "the explanation", "The emoji carries the tone.")
	run(t, ann.ctx, "my training", opens(".stack .btn-main"))
	says(ann.ctx, "the first attempt", "33 %, not reached")
	for range 2 {
		run(t, ann.ctx, "go on", opens(`form[action$="/train/next"] button`))
		ann.score(0)
		ann.submit()
	}
	says(ann.ctx, "the last attempt is over", "Your lead decides how you go on.")
	run(t, ann.ctx, "my work", chromedp.Navigate(w.url+"/work"))
	says(ann.ctx, "My work says so", "Your lead decides how you go on.")

	run(t, lead.ctx, "who waits", chromedp.Navigate(home+"/training"))
	says(lead.ctx, "the list", "waits for your decision")
	run(t, lead.ctx, "open the annotator", opens("section[aria-labelledby=people-title] tbody a"), Visible("#decide-title"))
	run(t, lead.ctx, "read a result", opens("tbody th a"))
	says(lead.ctx, "of the annotator", "first 0, lead 4")
	run(t, lead.ctx, "another attempt", chromedp.Navigate(home+"/training/people/first"), chromedp.Click(`input[name=act][value=attempt]`), chromedp.SendKeys("#reason", "nearly"), opens("section[aria-labelledby=decide-title] .btn-main"))
	says(lead.ctx, "it is given", "attempt 3 of 3, 0 of 2 segments")

	ann.scores = right
	run(t, ann.ctx, "the third attempt", chromedp.Navigate(w.url+"/campaigns/"+w.slug+"/train"))
	for range 2 {
		run(t, ann.ctx, "go on", opens(`form[action$="/train/next"] button`))
		ann.score(0)
		ann.submit()
	}
	says(ann.ctx, "qualified", "The attempt is over: 100 % right. You are qualified and get work now.")
	run(t, ann.ctx, "work", opens(`.stack form[action$="/next"] button`))
	ann.score(0)
	says(ann.ctx, "work is work", "0 of 3 segments done")
	run(t, ann.ctx, "My work", chromedp.Navigate(w.url+"/work"))
	says(ann.ctx, "says qualified", "qualified")
	run(t, ann.ctx, "practise", opens(`form[action$="/practise"] button`))
	ann.score(0)
	says(ann.ctx, "it is practice", "Practice. What you submit here counts nowhere.")
	ann.submit()
	says(ann.ctx, "feedback on practice", "This was practice, and counts nowhere.")
	if got := w.exported("ratings"); strings.TrimSpace(got) != "" {
		t.Errorf("ratings are exported though no work was submitted:\n%s", got)
	}
}

// tabTo presses Tab until the focus is in an element of a selector.
func tabTo(t *testing.T, ctx context.Context, selector string) {
	t.Helper()
	for range 60 {
		run(t, ctx, "tab", Key("Tab"))
		if ask[bool](t, ctx, fmt.Sprintf(`document.activeElement.closest(%q) !== null`, selector)) {
			return
		}
	}
	t.Fatalf("sixty tabs did not reach %s", selector)
}

// TestTrainingMarks: feedback on marks is drawn on the text, with those of the annotator and those
// of the lead, in Chinese and in Arabic.
func TestTrainingMarks(t *testing.T) {
	b := browser(t)
	j := pagesJudge(t)
	w := newWorldOf(t, "esa", "zh", "ar")
	w.importSegments(two("s1", "这波操作真绝了，全群都看呆了。", "العبارة القديمة لا تبحر اليوم، يقول الربان.", "كانت حركة رائعة حقا."))
	lead := window(t, b)
	run(t, lead, "sign in", SignIn(w.invite("lead", campaign.Lead)))
	w.newcomer("first", campaign.Annotator)
	ctx := t.Context()
	user := func(login string) string {
		u, err := w.st.Accounts.UserByLogin(ctx, login)
		if err != nil {
			t.Fatal(err)
		}
		return u.ID
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	home := w.url + "/campaigns/" + w.slug
	run(t, lead, "add it", chromedp.Navigate(home+"/training/add"), chromedp.Click("tbody input"), opens(".queue-form .btn-main"), Visible("#set-title"))
	set, err := w.st.Training.TrainingSet(ctx, w.c)
	check(err)
	side, err := w.st.Training.MakeTraining(ctx, w.c.ID)
	check(err)
	fill := func(id, userID string, rating func(text string) protocol.Rating) {
		t.Helper()
		page, err := w.st.Work.LoadWork(ctx, side, id, userID)
		check(err)
		revisions := map[string]int{}
		for _, card := range page.Cards {
			saved, err := w.st.Work.SaveCard(ctx, side, userID, work.CardSave{AssignmentID: id, CardID: card.ID, Revision: card.Revision, Rating: rating(card.Text)})
			check(err)
			revisions[card.ID] = saved.Revision
		}
		check(w.st.Work.Submit(ctx, side, userID, id, revisions))
	}
	mark := func(id string, start, end int, severity string) protocol.ErrorSpan {
		return protocol.ErrorSpan{ID: id, Side: protocol.Target, Start: start, End: end, Severity: severity}
	}
	answer, err := w.st.Training.OpenAnswer(ctx, w.c.ID, set[0].ID, user("lead"))
	check(err)
	fill(answer, user("lead"), func(text string) protocol.Rating {
		if strings.HasPrefix(text, "ال") {
			return protocol.Rating{Scores: map[string]float64{"score": 30}, Spans: []protocol.ErrorSpan{mark("a", 0, 7, "major"), mark("b", 16, 20, "minor"), mark("c", 30, 42, "major")}}
		}
		return protocol.Rating{Scores: map[string]float64{"score": 95}, NoErrors: true}
	})
	check(w.st.Training.ChangeTrainingSegment(ctx, w.c.ID, set[0].ID, qualification.TrainingChange{Tolerance: -1, Explanation: "العبارة ليست سفينة هنا.\n“操作” is a move in a game."}, user("lead")))
	check(w.st.Training.ChangeTraining(ctx, w.c.ID, true, true, user("lead")))
	turn, err := w.st.Training.NextTraining(ctx, w.c.ID, user("first"))
	check(err)
	fill(turn, user("first"), func(text string) protocol.Rating {
		if strings.HasPrefix(text, "ال") {
			return protocol.Rating{Scores: map[string]float64{"score": 36}, Spans: []protocol.ErrorSpan{mark("x", 0, 7, "minor"), mark("y", 16, 20, "minor"), mark("z", 8, 15, "major")}}
		}
		return protocol.Rating{Scores: map[string]float64{"score": 60}, NoErrors: true}
	})
	ann := window(t, b)
	token, err := w.st.Accounts.NewLink(ctx, user("first"))
	check(err)
	run(t, ann, "read the feedback", Look(1280, 900, false), SignIn(w.url+"/sign-in/link/"+token), chromedp.Navigate(home+"/assignments/"+turn), Visible(".judged .marks"))
	badges := ask[map[string]int](t, ann, `[...document.querySelectorAll('.marks .badge')].reduce((n, b) => ({ ...n, [b.textContent]: (n[b.textContent] ?? 0) + 1 }), {})`)
	want := map[string]int{"found": 2, "found, with another severity": 2, "superfluous": 1, "missed": 1}
	if fmt.Sprint(badges) != fmt.Sprint(want) {
		t.Errorf("the marks are judged %v, want %v", badges, want)
	}
	if got := ask[string](t, ann, `[...document.querySelectorAll('.judged')].map((a) => a.querySelectorAll('.marked .ref').length + ' ' + a.querySelector('.marked').dir + ' ' + a.querySelector('.train-scores .badge').textContent).sort().join('|')`); got != "0 rtl not within 10|6 rtl right" {
		t.Errorf("the texts show %q", got)
	}
	if got := ask[string](t, ann, `[...document.querySelectorAll('.judged .train-sum')].map((e) => e.textContent.replace(/\s+/g, ' ').trim()).sort().join('|')`); got != "Score 0 %: 35 points from the lead's, and 10 are allowed. Marks 100 %: neither side has any. The mean of these parts is 50 %.|"+
		"Score 100 %: at most 10 from the lead's. Marks 50 %: 1 found, 1 with another severity, which counts half, of 3 given and 3 of the lead: 2 × 1.5 / (3 + 3). The mean of these parts is 75 %." {
		t.Errorf("the shares come from %q", got)
	}
	accessible(t, ann, j, "feedback on marks")
	run(t, lead, "the lead reads the segment", Look(1280, 900, false), chromedp.Navigate(home+"/training/segments/"+set[0].ID), Visible("#results-title"))
	accessible(t, lead, j, "a training segment with marks")
}
