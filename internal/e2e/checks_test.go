package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// checkedWorld is a world with the checks of two annotators: "reader" gives damaged texts 0 and whole texts
// 3 or 4, and "constant" gives 3 to everything. texts are two translations of the segment with a number.
func checkedWorld(t *testing.T, source, target string, texts func(n int) (source, aster, birch string)) *world {
	t.Helper()
	w := newWorldOf(t, "sqm", source, target, "check_rate=0.4", "check_kinds=degraded", "repeat_after=3", "gate=off", "quota=0")
	whole := map[[2]string]float64{} // by source and text: a damaged text may be the whole one of another source
	for n := range 20 {
		from, aster, birch := texts(n + 1)
		w.importSegments(segment(fmt.Sprintf("news-%02d", n+1), fmt.Sprintf("s%d", n+1), from, map[string]string{"Aster": aster, "Birch": birch}))
		whole[[2]string{from, aster}], whole[[2]string{from, birch}] = 4, 3
	}
	s := &storetest.Sample{Store: w.st, Campaign: w.c}
	for _, login := range []string{"reader", "constant"} {
		w.invite(login, campaign.Annotator)
		s.Annotators = append(s.Annotators, storetest.Must(w.st.Accounts.UserByLogin(t.Context(), login))(t))
	}
	s.RateAll(t, func(i int, source, text string) float64 {
		if i == 1 {
			return 3
		}
		return whole[[2]string{source, text}]
	})
	return w
}

// arabicTexts are a Chinese source with two Arabic translations.
func arabicTexts(n int) (source, aster, birch string) {
	return fmt.Sprintf("第%d艘渡船因为大雾停在港口，船长请乘客耐心等候。", n),
		fmt.Sprintf("بقيت العبارة رقم %d في الميناء بسبب الضباب الكثيف، وطلب القبطان من الركاب أن ينتظروا بصبر.", n),
		fmt.Sprintf("توقفت السفينة رقم %d في المرفأ لأن الضباب كثيف، ورجا الربان المسافرين أن يصبروا قليلا.", n)
}

// TestChecksInTheBrowser: a lead comes to the page of checks by keyboard and by mouse, looks at a degraded
// text beside its original, replaces it, removes it, gives a known answer, looks at the annotator who fails
// the checks and sets that annotator aside from there.
func TestChecksInTheBrowser(t *testing.T) {
	b := browser(t)
	j := pagesJudge(t)
	w := checkedWorld(t, "zh", "ar", arabicTexts)
	home := w.url + "/campaigns/" + w.slug
	lead := window(t, b)
	says := func(what, text string) {
		t.Helper()
		run(t, lead, what, Until(fmt.Sprintf(`document.body.innerText.replace(/\s+/g, ' ').includes(%q)`, text)))
	}
	run(t, lead, "sign in", Look(1280, 900, false), SignIn(w.invite("lead", campaign.Lead)), chromedp.Navigate(home), Visible(".page-head"))

	tabTo(t, lead, `a[href="/campaigns/small/annotators"]`)
	run(t, lead, "open the annotators by keyboard", leaves(Key("Enter")), Visible(`.page-head a[href$="/checks"]`))
	tabTo(t, lead, `.page-head a[href$="/checks"]`)
	run(t, lead, "open the checks by keyboard", leaves(Key("Enter")), Visible("#results-title"))
	run(t, lead, "open the checks by mouse", chromedp.Navigate(home), opens(`a[href="/campaigns/small/annotators"]`), opens(`.page-head a[href$="/checks"]`), Visible("#results-title"))
	if got := ask[string](t, lead, `[...document.querySelectorAll('section[aria-labelledby=results-title] tbody th')].map((e) => e.innerText.replace(/\s+/g, ' ').trim()).join('|')`); !strings.Contains(got, "constant fails checks") || !strings.Contains(got, "reader reads") {
		t.Errorf("the annotators are %q", got)
	}

	tabTo(t, lead, `a[aria-label="Look at the checks of constant"]`)
	run(t, lead, "look at who fails, by keyboard", leaves(Key("Enter")), Until(`location.search === '?annotator=constant'`))
	if got := ask[bool](t, lead, `[...document.querySelectorAll('.thread')].every((e) => e.innerText.includes('constant'))`); !got {
		t.Error("the checks of others are in the list of one annotator")
	}
	run(t, lead, "the degraded ones", chromedp.Navigate(home+"/checks?annotator=constant&kind=degraded#checks-title"), Visible(".thread"))
	// A document may have whole texts, too. The check that is changed has a damaged one.
	id := ask[string](t, lead, `[...document.querySelectorAll('.thread')].find((e) => e.querySelectorAll('dd').length === 2)?.id`)
	if got := ask[string](t, lead, `[...document.querySelectorAll('#`+id+` dd')].map((e) => e.dir).join(' ')`); got != "rtl rtl" {
		t.Errorf("the texts run %q", got)
	}
	pair := ask[[]string](t, lead, `[...document.querySelectorAll('#`+id+` dd')].map((e) => e.textContent)`)
	if pair[0] == pair[1] {
		t.Errorf("the degraded text is the original, %q", pair[0])
	}
	tabTo(t, lead, "#"+id+" summary")
	run(t, lead, "open it by keyboard", Key("Enter"), Visible("#"+id+" textarea"))
	accessible(t, lead, j, "replacing the text of a check")
	write := func(text string) chromedp.Action[chromedp.Void] {
		return do(fmt.Sprintf(`document.querySelector('#%s textarea').value = %q`, id, text))
	}
	run(t, lead, "the original is no degraded text", write(pair[0]), opens("#"+id+" button[value=replace]"))
	says("it is refused", "equals the original")
	run(t, lead, "another text", write("42 42"), opens("#"+id+" button[value=replace]"))
	says("it is replaced", "The text is replaced for everybody who gets the check from now on.")

	run(t, lead, "remove it", chromedp.Navigate(home+"/checks?annotator=constant&kind=degraded"), chromedp.Click("#"+id+" summary"), opens("#"+id+" button[value=remove]"))
	says("it is removed", "The text is used no more, and checks with it do not count.")
	run(t, lead, "the list", chromedp.Navigate(home+"/checks?annotator=constant&kind=degraded"), Visible("#"+id))
	if got := ask[string](t, lead, `document.querySelector('#`+id+` .badge').textContent`); got != "removed" {
		t.Errorf("the removed check is %q", got)
	}

	run(t, lead, "a known answer", chromedp.SendKeys("#document", "news-01"), chromedp.SendKeys("#segment", "s1"), chromedp.SendKeys("#system", "Aster"), chromedp.SendKeys("#score", "9"), opens("button[value=know]"), Visible("#score-error"))
	run(t, lead, "a score of the scale", do(`document.querySelector('#score').value = '4'`), opens("button[value=know]"))
	says("it is known", "The answer is known.")

	run(t, lead, "set aside", opens(`a[aria-label="Set aside the work of constant"]`), Visible("#reason"), chromedp.SendKeys("#reason", "one score for everything"), opens("main form button[type=submit]"))
	says("it is done", "The work is set aside")
	run(t, lead, "back", chromedp.Navigate(home+"/checks"), Visible("#results-title"))
	if got := ask[string](t, lead, `document.querySelector('section[aria-labelledby=results-title] tr.gone th').innerText.replace(/\s+/g, ' ')`); !strings.Contains(got, "constant set aside") {
		t.Errorf("the row of the annotator is %q", got)
	}
}
