package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/plan"
)

// TestPlanByHand: a lead plans documents by keyboard alone, then by mouse, and each change is shown before it
// is done.
func TestPlanByHand(t *testing.T) {
	b := browser(t)
	w, _ := newAnnotatorAtWork(t, b)
	w.importSegments(segment("d2", "s2", "第二句", texts("s2")), segment("d3", "s3", "第三句", texts("s3")), segment("d4", "s4", "第四句", texts("s4")))
	lead := window(t, b)
	page := w.url + "/campaigns/" + w.slug + "/plan"
	const chosen = `document.querySelectorAll('input[name=document]:checked').length`
	const documents = `document.querySelectorAll('[data-plan] tbody tr').length`
	const planned = `document.querySelectorAll('[data-plan] tbody tr:has(.turn:not(.turn-free))').length`
	run(t, lead, "open the plan", Look(1280, 900, false), SignIn(w.invite("lead", campaign.Lead)), chromedp.Navigate(page), Visible("[data-plan]"))
	before := ask[int](t, lead, planned)
	if n := ask[int](t, lead, documents); n != 4 {
		t.Fatalf("the campaign has %d documents", n)
	}

	run(t, lead, "choose by key", chromedp.Focus("input[name=document]"), Key("Shift+ArrowDown"), Until(chosen+` === 2 && document.querySelector('[data-chosen]').textContent.startsWith('2 documents, ')`))
	run(t, lead, "Enter sends nothing", Key("Enter"), Until(chosen+` === 2`),
		chromedp.Focus(".plan-people input[name=login]"), Key(" "), chromedp.Focus("button[value=assign]"), leaves(Key("Enter")),
		Until(`document.activeElement.closest('.plan-confirm') !== null`))
	run(t, lead, "confirm by key", leaves(Key("Enter")), Until(`document.querySelector('.notice-success') !== null`))
	if n := ask[int](t, lead, planned); n < 2 || n < before {
		t.Errorf("%d documents are planned", n)
	}

	run(t, lead, "take away by mouse", chromedp.Click(`[data-all]`), Until(chosen+` === `+documents), opens("button[value=unassign]"), Visible(".plan-confirm"),
		opens(".plan-confirm .btn-main"), Until(`document.querySelector('.notice-success') !== null`))
	if n := ask[int](t, lead, planned); n != before {
		t.Errorf("%d documents have annotators, %d were begun", n, before)
	}
	run(t, lead, "choose a range by mouse", chromedp.Click("tbody tr:nth-child(1) input[name=document]"),
		do(`document.querySelector("[data-plan] tbody tr:last-child input[name=document]").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: true }))`), Until(chosen+` === `+documents))
	run(t, lead, "balance", opens("button[value=balance]"), Visible(".plan-confirm"), opens(".plan-confirm .btn-main"), Until(`document.querySelector('.notice-success') !== null`))
	if n := ask[int](t, lead, planned); n != ask[int](t, lead, documents) {
		t.Errorf("%d documents are planned", n)
	}
}

// TestPlanInMidCampaign: a lead with 12 annotators sees who is behind, hands over what they have not begun, finds
// the places of an annotator who is set aside free, plans anew, and edits a batch and a pool.
func TestPlanInMidCampaign(t *testing.T) {
	b := browser(t)
	w, _ := newAnnotatorAtWork(t, b) // first has begun d1
	for i := 2; i <= 12; i++ {
		w.importSegments(segment(fmt.Sprint("d", i), fmt.Sprint("s", i), "第二句", texts(fmt.Sprint("s", i))))
		w.invite(fmt.Sprintf("ann%02d", i), campaign.Annotator)
	}
	link := w.invite("lead", campaign.Lead)
	for _, e := range []plan.Edit{
		{Kind: plan.EditSaveBatch, Batch: plan.Batch{Name: "urgent", Priority: 7, Due: "2020-01-02"}},
		{Kind: plan.EditSetBatch, Documents: []string{"d1", "d2", "d3"}, Name: "urgent"},
		{Kind: plan.EditSavePool, Pool: plan.Pool{Name: "law", Pattern: "x*", Members: []string{"ann02", "ann03"}}},
		{Kind: plan.EditAssign, Documents: []string{"d2", "d3"}, Logins: []string{"first"}},
		{Kind: plan.EditAssign, Documents: []string{"d4", "d5"}, Logins: []string{"ann05"}},
	} {
		if _, err := w.st.Plan.ChangePlan(t.Context(), w.c.ID, e, "", ""); err != nil {
			t.Fatal(err)
		}
	}
	lead := window(t, b)
	page := w.url + "/campaigns/" + w.slug + "/plan"
	confirm := []chromedp.Action[chromedp.Void]{Visible(".plan-confirm"), opens(".plan-confirm .btn-main"), Until(`document.querySelector('.notice-success') !== null`)}
	// The annotators of a document, those whose place is free with a stroke.
	turns := func(doc string) string {
		t.Helper()
		return ask[string](t, lead, `[...document.querySelector('input[name=document][value=`+doc+`]').closest('tr').querySelectorAll('.turn')].map((e) =>
			(e.matches('.turn-absent') ? '-' : '') + e.innerText.replace(/\s+/g, ' ').trim()).join(', ')`)
	}
	behind := func(login string) string {
		t.Helper()
		return ask[string](t, lead, `document.querySelector('input[name=person][value=`+login+`]').closest('tr').lastElementChild.textContent.trim()`)
	}
	run(t, lead, "open the plan", Look(1440, 900, false), SignIn(link), chromedp.Navigate(page), Visible("[data-plan]"))
	run(t, lead, "a wide window", Look(1440, 900, false))
	if got := behind("first"); got != "3 documents overdue, 9 words behind" {
		t.Errorf("first is behind by %q", got)
	}

	run(t, lead, "hand over", chromedp.Click("input[name=scope]"), chromedp.Focus("select[name=from]"),
		do(`(document.querySelector('select[name=from]').value = 'first', document.querySelector('select[name=to]').value = 'ann05')`),
		chromedp.Focus("button[value=hand-over]"), leaves(Key("Enter")))
	run(t, lead, "confirm", confirm...)
	if got := behind("first"); got != "1 document overdue, 3 words behind" {
		t.Errorf("after handing over, first is behind by %q", got)
	}
	if got := behind("ann05"); got != "2 documents overdue, 6 words behind" {
		t.Errorf("after handing over, ann05 is behind by %q", got)
	}
	if got := turns("d2"); !strings.HasPrefix(got, "ann05") || strings.Contains(got, "first") {
		t.Errorf("d2 went to %q", got)
	}

	if err := w.st.Desk.SetAside(t.Context(), w.c.ID, "ann05", "away", ""); err != nil {
		t.Fatal(err)
	}
	run(t, lead, "look again", chromedp.Navigate(page), Visible("[data-plan]"))
	if got := turns("d4"); !strings.HasPrefix(got, "-ann05") || !strings.HasSuffix(got, "free") {
		t.Errorf("d4 of an annotator who is set aside has %q", got)
	}
	if got := behind("ann05"); got != "" {
		t.Errorf("an annotator who is set aside is behind by %q", got)
	}
	run(t, lead, "plan anew", chromedp.Click("input[name=scope]"), opens("button[value=anew]"), Visible(".plan-confirm"))
	run(t, lead, "confirm", confirm...)
	if got := turns("d4"); strings.Contains(got, "ann05") || strings.Contains(got, "free") {
		t.Errorf("planned anew, d4 has %q", got)
	}
	if got := turns("d1"); !strings.Contains(got, "first") {
		t.Errorf("planned anew, d1, which first has begun, has %q", got)
	}

	run(t, lead, "edit the batch", chromedp.Click(".plan-part:has(#plan-batches) > summary"), opens(`a[aria-label="Edit urgent"]`), Until(`document.activeElement.id === 'batch-name'`))
	if got := ask[[]string](t, lead, `['name', 'priority', 'due'].map((f) => document.getElementById('batch-' + f).value)`); !slices.Equal(got, []string{"urgent", "7", "2020-01-02"}) {
		t.Errorf("the form of the batch has %q", got)
	}
	run(t, lead, "change the due date", do(`document.getElementById('batch-due').value = '2999-01-02'`), chromedp.Focus("#batch-due"), opens("button[value=save-batch]"))
	run(t, lead, "confirm", confirm...)
	if n := ask[int](t, lead, `document.querySelectorAll('td .badge-warn').length`); n != 0 {
		t.Errorf("with a later due date, %d rows have a warning", n)
	}
	run(t, lead, "edit the pool by key", chromedp.Focus(".plan-part:has(#plan-pools) > summary"), Key("Enter"), chromedp.Focus(`a[aria-label="Edit law"]`), leaves(Key("Enter")), Until(`document.activeElement.id === 'pool-name'`))
	run(t, lead, "change the members", chromedp.Focus("input[name=member][value=ann03]"), Key(" "), chromedp.Focus("input[name=member][value=ann04]"), Key(" "), chromedp.Focus("button[value=save-pool]"), leaves(Key("Enter")))
	run(t, lead, "confirm", confirm...)
	p, err := w.st.Plan.Plan(t.Context(), w.c)
	if err != nil || !slices.Equal(p.Pools[0].Members, []string{"ann02", "ann04"}) || p.Pools[0].Pattern != "x*" || p.Batches[0].Priority != 7 || p.Batches[0].Due != "2999-01-02" {
		t.Errorf("%v, pools %+v, batches %+v", err, p.Pools, p.Batches)
	}
}
