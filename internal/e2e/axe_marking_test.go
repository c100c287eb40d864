package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"annotate/internal/protocol"
)

// markingLooks are those in which tools that lie over the page are judged. Enlarged to
// 200 %, a window of 1440 pixels has room for 720. axe-core does not see forced colours.
var markingLooks = []markingLook{
	{look{"light", 1440, 900, false}, false, 1},
	{look{"390 pixels", 390, 844, true}, false, 1},
	{look{"dark", 1440, 900, true}, false, 1},
	{look{"200 %", 720, 450, false}, false, 2},
	{look{"forced colours", 1440, 900, true}, true, 1},
}

// A markingLook is a look, with colours that the system forces on pages or enlarged.
type markingLook struct {
	look
	forced bool
	scale  float64
}

// spreadOut makes what stays in place while the page scrolls, and the tools of a mark, lie over nothing:
// a target that they cover is not too small for that. It also takes that back.
const spreadOut = `((on) => {
	const lies = (e) => on ? getComputedStyle(e).position === 'sticky' || e.matches('.mark-bar, .mark-box') : e.style.position === 'static';
	for (const e of [...document.querySelectorAll('*')].filter(lies)) {
		if (on) e.style.setProperty('position', 'static');
		else e.style.removeProperty('position');
	}
})(%t)`

// unseenText finds words on the page that have the colour of what is behind them.
const unseenText = `(() => {
	const behind = (e) => e ? (({ backgroundColor: b }) => /, 0\)$|transparent/.test(b) ? behind(e.parentElement) : b)(getComputedStyle(e)) : 'rgb(0, 0, 0)';
	return [...document.querySelectorAll('.marked mark *, .marked, .mark-bar *, .card-marks *')].filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.nodeValue.trim()) && getComputedStyle(e).color === behind(e)).map((e) => e.textContent);
})()`

// TestAxeMarking: the tools of a mark have no violation of the rules of axe-core
// where they lie: the hint for beginners, the bar of a mark, its list of categories,
// a comment, and a suggestion.
func TestAxeMarking(t *testing.T) {
	b := browser(t)
	for _, id := range []string{"esa", "mqm", "rate"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			w := newWorldOf(t, id, "de", "en")
			w.importSegments(two("s1", suggestedSource, suggestedText, suggestedOther))
			severity := w.c.Rules.Spans.Severities[0].ID
			w.suggest("x", at(suggestedText, "fairy", protocol.Target, severity, ""), at(suggestedText, "don't", protocol.Target, severity, ""))
			m := newMarker(t, b, w, "ann")
			run(t, m.ctx, "a wide window", Look(1440, 900, false))
			m.judge = pagesJudge(t)
			m.judge.enter(t, m.ctx)
			// Enter marks the word at the caret, and c opens its list of categories.
			for turn, state := range []struct{ name, keys string }{
				{"the hint", ""},
				{"a suggestion", "y"},
				{"the bar of a mark", "Escape j Ctrl+ArrowRight Enter"},
				{"the list of categories", "c"},
				{"a comment", "Escape n"},
			} {
				if state.keys == "c" && id == "esa" {
					continue // has no categories
				}
				m.press(state.keys)
				m.inLooks(state.name, append(turnOf(turn), markingLooks[4]), func(name string, forced bool) {
					// axe-core asks for -webkit-text-fill-color, which stays as it was.
					if unseen := ask[[]string](t, m.ctx, unseenText); forced && len(unseen) > 0 {
						t.Errorf("%s, %s: these words have the colour of what is behind them: %q", state.name, name, unseen)
					}
					if slider := `document.querySelector('.slider input.unset')`; forced && id != "mqm" && !ask[bool](t, m.ctx, `getComputedStyle(`+slider+`).borderTopStyle === 'solid'`) {
						t.Errorf("%s: a slider without a value can't be seen", name)
					}
				})
			}
		})
	}
}

// turnOf are two of the looks, in light and in dark. States of a page are judged in them by turns.
func turnOf(turn int) []markingLook { return slices.Clone(markingLooks[turn%2*2:][:2]) }

// inLooks reports what axe-core says of the structure of the page, if the test has not judged it before, and,
// in each of the looks, of what is new. It calls also in each of them.
func (m *marker) inLooks(state string, looks []markingLook, also func(look string, forced bool)) {
	t := m.w.t
	t.Helper()
	if whole, _ := m.judge.isNew(t, m.ctx, t.Name()+ask[string](t, m.ctx, "location.pathname")); whole {
		for _, v := range m.judge.structure(t, m.ctx) {
			t.Errorf("%s: %s", state, v)
		}
	}
	for _, l := range looks {
		m.look(l.width, l.height, l.scale, l.scheme(), l.forced)
		also(l.name, l.forced)
		if l.forced {
			continue
		}
		run(t, m.ctx, "spread out", do(fmt.Sprintf(spreadOut, true)))
		found := m.judge.parts(t, m.ctx, l.look)
		run(t, m.ctx, "as it was", do(fmt.Sprintf(spreadOut, false)))
		for _, v := range found {
			t.Errorf("%s, %s: %s", state, l.name, v)
		}
	}
	m.look(1440, 900, 1, "light", false)
}

// look sets the window, how much it is enlarged, and what colours the system asks for.
func (m *marker) look(width, height int64, scale float64, scheme string, forced bool) {
	m.w.t.Helper()
	colours := map[bool]string{true: "active", false: "none"}[forced]
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "forced-colors", Value: colours}, {Name: "prefers-reduced-motion", Value: "reduce"}}}
	// Colours change over a moment, which begins with the next frame.
	const settled = `new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))
		.then(() => Promise.all(document.getAnimations().filter((a) => a.effect.target.checkVisibility()).map((a) => a.finished.catch(() => 0)))).then(() => true)`
	run(m.w.t, m.ctx, "look", chromedp.EmulateViewport(width, height, chromedp.EmulateScale(scale)), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, media); err != nil {
			return err
		}
		_, err := chromedp.Evaluate[bool](settled, chromedp.EvalAwaitPromise)(ctx, t)
		return err
	}))
}
