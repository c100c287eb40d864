package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/transfer"
)

// TestReport: a researcher reads the report, copies a table by keyboard, saves files,
// is told when ratings come, and has it computed anew, chosen otherwise and printed.
func TestReport(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")), segment("d1", "s2", "第二句", texts("s2")))
	w.importRatings("s1", 0)
	p := window(t, b)
	at := w.url + "/campaigns/" + w.slug + "/report"
	run(t, p, "open the report", Look(1200, 800, false), signInWith(t, w.invite("reader", campaign.Researcher)), chromedp.Navigate(w.url+"/campaigns/"+w.slug),
		followed("Results"), followed("Report"), Until(`document.querySelector('article.report') !== null`))
	if got := ask[string](t, p, `[...document.querySelectorAll('.report-section h2')].map((h) => h.textContent).join('|')`); !strings.HasPrefix(got, "1 Data|2 Agreement|3 Systems|4 Metrics|5 ") {
		t.Errorf("the sections are %s", got)
	}
	if ask[bool](t, p, `document.querySelector('.notice') !== null`) {
		t.Error("a fresh report has a notice")
	}

	// What is copied is what is saved.
	run(t, p, "wait for the buttons", Until(`document.querySelector('#table-annotators [data-copies]')?.hidden === false`))
	const told = `[...document.querySelectorAll('#table-annotators [data-copy-from]')].map((b) => b.textContent).join('|') + ': ' + document.querySelector('[data-report-said]').textContent`
	run(t, p, "watch what is said", do(`(() => {
		navigator.clipboard.writeText = async (text) => { window.copied = text; };
		window.told = [];
		new MutationObserver(() => { window.told.push(`+told+`); }).observe(document.body, { subtree: true, childList: true, characterData: true });
	})()`))
	for i, ext := range []string{"tex", "md", "csv"} {
		button := fmt.Sprintf(`document.querySelectorAll('#table-annotators [data-copy-from]')[%d]`, i)
		run(t, p, "copy as "+ext, do(`(window.copied = '', window.told = [], `+button+`.focus())`), Key("Enter"), Until(fmt.Sprintf(`window.copied !== '' && window.told.some((said) => {
			const [labels, words] = said.split(': ');
			return labels.split('|')[%d] === 'Copied' && words.startsWith('Table ') && words.includes(' copied as ');
		})`, i)))
		saved := fmt.Sprintf(`fetch(document.querySelectorAll('#table-annotators a[download]')[%d].href).then((r) => r.text()).then((text) => text === window.copied && text.includes('second'))`, i)
		if awaited(t, p, saved) != "true" {
			t.Errorf("what is copied as %s is not what is saved: %s", ext, ask[string](t, p, `window.copied`))
		}
	}
	// What is said of one copy does not end with what the button of the copy before it says.
	run(t, p, "all buttons have their names again", Until(`!(`+told+`).includes('Copied')`))
	if got := ask[[]string](t, p, `window.told.filter((said) => said.includes('Copied') && said.endsWith(': '))`); len(got) > 0 {
		t.Errorf("of a copy nothing is said any more: %q", got)
	}
	for _, name := range []string{"/figures/iaa-system.svg", ".html", "/archive.zip"} {
		if got := awaited(t, p, fmt.Sprintf(`fetch(%q).then((r) => r.status + ' ' + r.headers.get('Content-Disposition'))`, at+name)); !strings.HasPrefix(got, "200 attachment; filename=") {
			t.Errorf("%s answers %s", name, got)
		}
	}
	// A figure is drawn with the page's styles, which its policy allows.
	if got := ask[string](t, p, `getComputedStyle(document.querySelector('#of-systems-sqm rect')).fill`); got != "rgb(10, 101, 112)" {
		t.Errorf("bars are %s", got)
	}

	// Ratings come: the report stays, and says so.
	w.importRatings("s2", 1)
	run(t, p, "load again", chromedp.Navigate(at), Until(`document.querySelector('.notice-warning') !== null`))
	if got := ask[string](t, p, `document.querySelector('.notice-warning p').textContent`); !strings.HasPrefix(got, "Computed from the state of ") || !strings.HasSuffix(got, "; 6 more ratings count now.") {
		t.Errorf("an old report says %q", got)
	}
	// Computed anew, the page loads itself when it is done.
	run(t, p, "compute anew", leaves(do(`document.querySelector('.notice-warning button').click()`)),
		Until(`document.querySelector('article.report') !== null && document.querySelector('.notice') === null`))
	run(t, p, "choose", leaves(do(`((f) => { f.elements.gold.checked = true; f.requestSubmit(); })(document.querySelector('.report-form'))`)),
		Until(`location.search.includes('gold=yes') && document.querySelector('article.report') !== null`))
	if !ask[bool](t, p, `document.querySelector('#agreement').textContent.includes('only over segments in gold')`) {
		t.Error("what was chosen is not in the report")
	}
}

// awaited is what a promise comes to, as text.
func awaited(t *testing.T, ctx context.Context, promise string) string {
	t.Helper()
	return ask[string](t, ctx, promise+`.then(String, String)`, chromedp.EvalAwaitPromise)
}

// TestReportFollowsTheComputing: a page keeps up how far the computing is, and loads
// the report when it is done.
func TestReportFollowsTheComputing(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	p := window(t, b)
	at := w.url + "/campaigns/" + w.slug + "/report"
	run(t, p, "open the report", signInWith(t, w.invite("reader", campaign.Researcher)), chromedp.Navigate(at), Until(`document.querySelector('article.report') !== null`))
	// The page as it is while a report is computed, with the answers of a server that
	// takes its time.
	run(t, p, "compute", leaves(do(`((here) => {
		const answers = [{busy: true, words: 'reading', share: 0.25}, {busy: true, words: 'counting', share: 0.9}];
		window.shown = [];
		window.fetch = async () => {
			window.shown.push(document.querySelector('[data-report-words]').textContent + ' ' + document.querySelector('[data-report-share]').value);
			return new Response(JSON.stringify(answers.shift() ?? {busy: false}));
		};
		window.addEventListener('pagehide', () => sessionStorage.setItem('shown', window.shown.join('|')));
		const busy = document.createElement('div');
		busy.dataset.reportStatus = here + '/status';
		busy.innerHTML = '<progress max="100" value="0" data-report-share></progress><span data-report-words>beginning</span>';
		document.querySelector('main').prepend(busy);
		const again = document.createElement('script');
		again.type = 'module';
		again.src = document.querySelector('script[src*="report.js"]').src + '?again';
		document.head.append(again);
	})(location.pathname)`)), Until(`document.querySelector('article.report') !== null`))
	if got := ask[string](t, p, `sessionStorage.getItem('shown')`); got != "beginning 0|reading 25|counting 90" {
		t.Errorf("the page showed %s", got)
	}
}

// importRatings rates a segment by two annotators, who agree.
func (w *world) importRatings(id string, move int) {
	w.t.Helper()
	var lines strings.Builder
	for _, who := range []string{"first", "second"} {
		for i, system := range []string{"Aster", "Birch", "Cedar"} {
			fmt.Fprintf(&lines, `{"doc_id":"d1","segment_id":%q,"system":%q,"annotator":%q,"scores":{"sqm":%d}}`+"\n", id, system, who, min(4, 2*i+move))
		}
	}
	req := transfer.Request{Format: "ratings", Files: []transfer.File{{Name: "r.jsonl", Reader: strings.NewReader(lines.String())}}}
	if _, err := transfer.Import(w.t.Context(), w.st, w.c, req); err != nil {
		w.t.Fatal(err)
	}
}

// TestReportHeadsOnPhone: on a phone the heading over several columns of a table is in view wherever one of these columns is, also after the table is
// moved sideways.
func TestReportHeadsOnPhone(t *testing.T) {
	b := browser(t)
	w := newWorld(t)
	w.importSegments(segment("d1", "s1", "第一句", texts("s1")), segment("d2", "s2", "第二句", texts("s2")))
	w.importRatings("s1", 0)
	p := window(t, b)
	run(t, p, "open the report", Look(390, 844, false), signInWith(t, w.invite("reader", campaign.Researcher)), chromedp.Navigate(w.url+"/campaigns/"+w.slug+"/report"),
		Until(`document.querySelector('article.report') !== null`))
	const hidden = `(() => {
		let seen = 0;
		const out = [];
		for (const moved of [0, 60, 150]) {
			for (const th of document.querySelectorAll('.report-grid th.group')) {
				const wrap = th.closest('.table-wrap');
				wrap.scrollLeft = moved;
				const frame = wrap.getBoundingClientRect(), head = th.getBoundingClientRect(), text = th.querySelector('span').getBoundingClientRect();
				const from = Math.max(frame.left, head.left), to = Math.min(frame.right, head.right);
				if (to - from < 40 || text.width > to - from && head.right <= frame.right) continue;
				seen++;
				if (text.left < from - 1 || text.left > from + 60) out.push(moved + ' ' + th.textContent);
			}
		}
		return seen > 3 ? out : ['only ' + seen];
	})()`
	if got := ask[[]string](t, p, hidden); len(got) > 0 {
		t.Errorf("the headings begin out of view: %q", got)
	}
}
