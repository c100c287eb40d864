package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/sample"
)

// TestTalk checks that an annotator can ask about the open segment by key, that nothing moves, and that the
// text survives a failed request and a reload. After the message is sent, keys act on the segment again, and
// nothing is sent by itself. The lead answers on the page of messages, and My work has a link to the answer.
func TestTalk(t *testing.T) {
	b := browser(t)
	w, a := newAnnotatorAtWork(t, b)
	const typed = `document.querySelector('#ask-text').value`
	const place = `JSON.stringify([...document.querySelectorAll('.card-text, #current')].map((e) => e.getBoundingClientRect().toJSON()))`
	before := ask[string](t, a.ctx, place)
	run(t, a.ctx, "ask by key", Key("3"), Key("A"), Until(`document.querySelector('#ask').open && document.activeElement.id === 'ask-text'`))
	ask[bool](t, a.ctx, `(() => { window.real = window.fetch; window.fetch = (url, init) => init?.method === 'POST' ? Promise.reject(new TypeError('offline')) : window.real(url, init); return true; })()`)
	run(t, a.ctx, "send without a connection", chromedp.SendKeys("#ask-text", "is it <b>a name</b>?"), Key("Ctrl+Enter"), Until(`document.querySelector('#ask-error').textContent.includes('no connection')`))
	if got := ask[string](t, a.ctx, typed); got != "is it <b>a name</b>?" {
		t.Errorf("after a failed request %q is left", got)
	}
	// After the score is saved, the browser does not ask whether to leave the page.
	run(t, a.ctx, "reload", Until(`document.querySelector('#saved').dataset.state === 'saved'`), chromedp.Reload(), Until(`document.documentElement.dataset.ready === 'annotate'`),
		Key("A"), Until(`document.querySelector('#ask').open`))
	if got := ask[string](t, a.ctx, typed); got != "is it <b>a name</b>?" {
		t.Errorf("after a reload %q is left", got)
	}
	run(t, a.ctx, "send with the focus on the button, as after a click", Key("Tab"), Until(`document.activeElement.closest('#ask-form button') !== null`),
		do(`window.posts = 0, window.real = window.fetch, window.fetch = async (url, init) => {
			if (init?.method === 'POST') { window.posts++; await new Promise((go) => { window.answer = go; }); }
			return window.real(url, init);
		}, new MutationObserver(() => { window.focused = document.activeElement.tagName; }).observe(document.querySelector('#ask'), { attributeFilter: ['open'] })`), Key("Ctrl+Enter"), Until(`!!window.answer`), Key("Ctrl+Enter"), do(`document.querySelector('#ask-text').focus()`), chromedp.KeyEvent("j2"), do(`window.answer()`),
		Until(`!document.querySelector('#ask').open && document.querySelector('.ask-note')?.textContent === 'Your message is sent.'`))
	if got := ask[string](t, a.ctx, `window.focused`); got != "BODY" {
		t.Errorf("when the dialog closes, the focus is on %s, which the next key goes to", got)
	}
	run(t, a.ctx, "the keys act on the segment", Key("2"), Until(`document.querySelector('.card[data-index="1"] input:checked')?.value === '2'`))
	if got := ask[string](t, a.ctx, `document.querySelectorAll('#ask-said li').length + ' ' + window.posts + ' ' + `+typed); got != "1 1 " {
		t.Errorf("messages, requests and the text left are %q", got)
	}
	if got := ask[string](t, a.ctx, `document.querySelector('#ask-said .said-text').textContent + '|' + `+typed); got != "is it <b>a name</b>?|" {
		t.Errorf("the dialog shows %q", got)
	}
	if got := ask[string](t, a.ctx, `[...document.querySelectorAll('#source .said-text')].filter((e) => e.checkVisibility()).map((e) => e.textContent).join('|')`); got != "is it <b>a name</b>?" {
		t.Errorf("beside the segment stands %q", got)
	}
	if after := ask[string](t, a.ctx, place); after != before {
		t.Errorf("asking moved the texts from %s to %s", before, after)
	}

	lead := window(t, b)
	home := w.url + "/campaigns/" + w.slug
	run(t, lead, "sign in", Look(1280, 900, false), signInWith(t, w.invite("lead", campaign.Lead)), chromedp.Navigate(home), Visible("h1"))
	if got := ask[string](t, lead, `document.querySelector('.nav-count')?.firstChild.textContent`); got != "1" {
		t.Errorf("the navigation counts %q messages", got)
	}
	run(t, lead, "a phone", Look(390, 844, false))
	if wide := ask[float64](t, lead, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("with a count in the navigation the page is %v px wide on a phone", wide)
	}
	run(t, lead, "a wide window again", Look(1280, 900, false))
	run(t, lead, "open the messages", followed("Work"), followed("Messages"), Until(`document.querySelector('.thread .badge')?.textContent === 'to answer'`))
	if got := ask[string](t, lead, `document.querySelector('.thread .said-text').textContent`); got != "is it <b>a name</b>?" {
		t.Errorf("the lead reads %q", got)
	}
	run(t, lead, "answer", chromedp.SendKeys(".thread-form textarea", "yes,\na river"), opens(`.thread-form [value=reply]`), Until(`document.querySelector('.thread .badge')?.textContent === 'answered' && document.querySelector('.notice-success') !== null`))
	if n := ask[int](t, lead, `document.querySelectorAll('.nav-count').length`); n != 0 {
		t.Error("the navigation counts what is answered")
	}

	run(t, a.ctx, "see it on My work", chromedp.Navigate(w.url+"/work"), Until(`document.querySelector('.job-unread .badge')?.textContent === '1 message'`),
		Until(`document.querySelector('.job-unread a').innerText.startsWith('yes,…\non ')`), opens(".job-unread .job-answer"), Until(`document.documentElement.dataset.ready === 'annotate'`),
		// A look for messages, as when the window gets the focus, does not end what is new.
		do(`window.real = window.fetch, window.fetch = (...of) => window.real(...of).then((r) => { r.clone().json().then(() => requestAnimationFrame(() => { window.looked = true; })); return r; }), dispatchEvent(new Event('focus'))`), Until(`!!window.looked`))
	if got := ask[string](t, a.ctx, `[...document.querySelectorAll('#source .said-by-lead .said-text')].map((e) => e.innerText).join('|') + '|' + document.querySelector('#ask-new').textContent`); got != "yes,\na river|1 new" {
		t.Errorf("beside the segment stands %q", got)
	}
	run(t, a.ctx, "it is read", chromedp.Navigate(w.url+"/work"), Visible(".job"))
	if n := ask[int](t, a.ctx, `document.querySelectorAll('.job-unread').length`); n != 0 {
		t.Error("an answer that was read is still counted")
	}

	// The lead can also read and write in the thread on the segment's page.
	id, err := w.st.Records.SegmentRowID(t.Context(), w.c.ID, "d1", "s1")
	if err != nil {
		t.Fatal(err)
	}
	run(t, lead, "on the segment's page", chromedp.Navigate(home+"/segments/"+id), chromedp.Click(".thread-write > summary"), chromedp.SendKeys(".thread-form textarea", "one more thing"), opens(`.thread-form [value=reply]`),
		Until(`document.querySelectorAll('.thread-said li').length === 3 && location.hash === '#messages-title'`))
}

// TestAnswerToAskingIsLost checks that a question is stored once if it is sent again after the server's
// answer was lost, and that a question that was changed in between is stored completely.
func TestAnswerToAskingIsLost(t *testing.T) {
	_, a := newAnnotatorAtWork(t, browser(t))
	losing := func(yes bool) {
		ask[bool](t, a.ctx, fmt.Sprintf(`(() => {
			const real = window.real ??= window.fetch;
			window.fetch = %t ? async (url, init) => { const answer = await real(url, init); if (init?.method === 'POST') throw new TypeError('lost'); return answer; } : real;
			return true;
		})()`, yes))
	}
	for _, more := range []string{"", " or a place?"} {
		losing(true)
		run(t, a.ctx, "the answer is lost", Key("A"), Until(`document.querySelector('#ask').open && document.activeElement.id === 'ask-text'`), chromedp.SendKeys("#ask-text", "is it a name"), Key("Ctrl+Enter"), Until(`document.querySelector('#ask-error').textContent.includes('no connection')`))
		losing(false)
		run(t, a.ctx, "send again", chromedp.SendKeys("#ask-text", more), Key("Ctrl+Enter"), Until(`!document.querySelector('#ask').open`))
	}
	if got := ask[string](t, a.ctx, `[...document.querySelectorAll('#ask-said .said-text')].map((e) => e.textContent).join('|')`); got != "is it a name|is it a name|is it a name or a place?" {
		t.Errorf("the dialog shows %q", got)
	}
}

// TestAnnouncement checks that an announcement appears over the annotate page and moves nothing, that it does
// not come back once the annotator has confirmed it, and that the lead sees who has read it.
func TestAnnouncement(t *testing.T) {
	b := browser(t)
	w, a := newAnnotatorAtWork(t, b)
	const place = `JSON.stringify([...document.querySelectorAll('.card-text, #current')].map((e) => e.getBoundingClientRect().toJSON()))`
	before := ask[string](t, a.ctx, place)

	lead := window(t, b)
	home := w.url + "/campaigns/" + w.slug
	run(t, lead, "announce", Look(1280, 900, false), signInWith(t, w.invite("lead", campaign.Lead)), chromedp.Navigate(home+"/messages"), opens(`.page-head a[href$="/announcements"]`),
		Visible("#text"), Until(`document.querySelector('#text-help').textContent.startsWith('Plain text.')`), chromedp.SendKeys("#text", "No work <on> Friday."), opens(".announce .btn-main"), Until(`document.querySelector('.announced .said-text')?.textContent === 'No work <on> Friday.'`))
	if got := ask[string](t, lead, `document.querySelector('.announced').textContent`); !strings.Contains(got, "Read by 0 of 1 annotator. Not yet: first.") {
		t.Errorf("the lead reads %q", got)
	}

	run(t, a.ctx, "see it", chromedp.Reload(), Until(`document.documentElement.dataset.ready === 'annotate' && document.querySelector('.announcement .said-text')?.textContent === 'No work <on> Friday.'`))
	if after := ask[string](t, a.ctx, place); after != before {
		t.Errorf("the announcement moved the texts from %s to %s", before, after)
	}
	run(t, a.ctx, "on My work, too", chromedp.Navigate(w.url+"/work"), Until(`document.querySelector('.job-announced .badge')?.textContent === '1 new announcement'`),
		opens(".job-announced button"), Until(`document.querySelector('.announced') !== null && document.querySelector('.job-announced .badge') === null`),
		opens(".job .btn-main"), Until(`document.documentElement.dataset.ready === 'annotate'`))
	if n := ask[int](t, a.ctx, `document.querySelectorAll('.announcement').length`); n != 0 {
		t.Error("what was read is shown again")
	}
	run(t, lead, "end it", chromedp.Reload(), Until(`document.querySelector('.announced')?.textContent.includes('Read by 1 of 1 annotator.')`), opens(".announced button"), Until(`document.querySelector('.notice-success') !== null`))
	run(t, a.ctx, "it is over", chromedp.Navigate(w.url+"/work"), Visible(".job"))
	if n := ask[int](t, a.ctx, `document.querySelectorAll('.announced').length`); n != 0 {
		t.Error("an announcement that was ended is shown")
	}
}

// TestInstructions checks that an annotator accepts the instructions of a lead before the first segment, can
// finish an open segment when there is a new version, and then accepts that version.
func TestInstructions(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")), segment("d1", "s2", "第二句", texts("s2")))
	lead := window(t, b)
	home := w.url + "/campaigns/" + w.slug
	write := func(text string) {
		t.Helper()
		run(t, lead, "write: "+text, chromedp.Navigate(home+"/guide"), opens(`.page-head a[href$="/instructions"]`), Visible("#instructions-text"),
			chromedp.SetValue("#instructions-text", text), opens(`[value=save]`), Until(`document.querySelector('.notice-success') !== null`))
	}
	run(t, lead, "sign in", Look(1280, 900, false), signInWith(t, w.invite("lead", campaign.Lead)))
	write("Be *fair*.")
	ann := window(t, b)
	run(t, ann, "start", Look(1280, 900, false), SignIn(w.invite("first", campaign.Annotator)), Visible(".job"), opens(".job .btn-main"),
		Until(`document.querySelector('.guide-own em')?.textContent === 'fair'`), opens(".accept .btn-main"), Until(`document.documentElement.dataset.ready === 'annotate'`))
	write("Be fair and kind.")
	run(t, ann, "finish what is in work", Key("3"), Key("j"), Key("2"), Key("j"), Key("1"), leaves(Key("Ctrl+Enter")),
		Until(`document.querySelector('.accept') !== null && document.querySelector('.guide-own').textContent.includes('kind')`), opens(".accept .btn-main"), Until(`document.documentElement.dataset.ready === 'annotate' && document.querySelector('#current').textContent.includes('第二句')`))
	run(t, lead, "who has accepted", chromedp.Navigate(home+"/instructions"), Until(`document.querySelector('tbody')?.textContent.includes('version 2')`))
}

// talkPages are the pages with messages, announcements and instructions.
func talkPages(i *inspector) {
	i.h.talk()
	own := "/campaigns/" + sample.ChineseEnglish
	for _, kind := range []string{"", "open", "problems", "questions", "comments"} {
		i.visit(sample.Lead, own+"/messages?show="+kind, "messages, "+kind)
	}
	i.visit(sample.Lead, own+"/messages?annotator=nobody", "no message")
	i.visit(sample.Lead, own+"/messages?show=open", "an answer that is refused", leaves(do(`((b) => { b.form.noValidate = true; b.click(); })(document.querySelector('[value=reply]'))`)), Visible(".field-error"))
	i.visit(sample.Lead, "/campaigns/"+sample.MQM+"/messages?show=comments", "comments on errors")
	i.visit(sample.Lead, own+"/instructions", "no instructions")
	i.visit(sample.Lead, own+"/instructions", "instructions that are refused", send("text", "![a](b)"))
	if err := i.h.st.Training.SetInstructions(i.h.t.Context(), i.h.find(sample.ESA).ID, "# Before you begin\n\nBe *fair*.", 0, i.h.user(sample.Lead).ID); err != nil {
		i.h.t.Fatal(err)
	}
	i.visit(sample.Lead, "/campaigns/"+sample.ESA+"/instructions", "who has accepted")
	i.visit("jonas", "/campaigns/"+sample.ESA+"/instructions", "instructions to accept")
	i.visit(sample.Lead, own+"/announcements", "announcements")
	i.visit(sample.Lead, own+"/announcements", "an announcement that is refused", send("text", " ", "until", "2020-01-01"))
	i.visit(sample.Lead, "/campaigns/"+emptyHouse+"/announcements", "nothing announced")
	i.visit("jonas", "/work", "a message that is not read")
	work, _, err := i.h.st.Desk.FinishedWork(i.h.t.Context(), i.h.find(sample.ChineseEnglish), i.h.user("jonas").ID, 0, 1)
	if err != nil {
		i.h.t.Fatal(err)
	}
	i.visit("jonas", own+"/assignments/"+work[0].AssignmentID, "a thread beside the segment")
	i.visit("jonas", own+"/assignments/"+work[0].AssignmentID, "asking", chromedp.Click("#ask-open"), Until(`document.querySelector('#ask').open`))
	i.visit(sample.Annotator, own+"/assignments/"+i.h.next(sample.ChineseEnglish, sample.Annotator), "asking for the first time", keys("A"), Until(`document.querySelector('#ask').open`))
	segment, err := i.h.st.Desk.Messages(i.h.t.Context(), i.h.find(sample.ChineseEnglish), desk.MessageFilter{Limit: 1})
	if err != nil {
		i.h.t.Fatal(err)
	}
	i.visit(sample.Lead, own+"/segments/"+segment.Threads[0].SegmentRowID, "a segment with a thread", do(`document.querySelectorAll('details').forEach((d) => { d.open = true; })`))
}

// talk adds conversations between annotators and the lead.
func (h *house) talk() {
	h.t.Helper()
	if err := sample.LoadTalk(h.t.Context(), h.st, h.clock); err != nil {
		h.t.Fatal(err)
	}
}
