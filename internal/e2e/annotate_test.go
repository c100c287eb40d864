package e2e

import (
	"testing"
)

// TestUnsavedWithProblem reports a problem while nothing can be saved, and
// looks at the page on a phone.
func TestUnsavedWithProblem(t *testing.T) {
	_, a := newAnnotatorAtWork(t, browser(t))
	run(t, a.ctx, "on a phone", Look(360, 740, false))
	if !ask[bool](t, a.ctx, `(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)(document.querySelector('#saved'))`) {
		t.Error("the line on saving is cut")
	}
	ask[bool](t, a.ctx, `(() => {
		window.posts = 0;
		const real = window.fetch;
		window.fetch = (url, init) => init.method === 'PUT' ? Promise.reject(new TypeError('offline')) : (window.posts++, real(url, init));
		return true;
	})()`)
	run(t, a.ctx, "score", Key("3"))
	ask[bool](t, a.ctx, `(() => {
		document.querySelector('#problem-text').value = 'cut off';
		document.querySelector('#report').click();
		document.querySelector('#problem-form').requestSubmit();
		return true;
	})()`)
	run(t, a.ctx, "wait for the reason", Until(`!document.querySelector('#problem-error').hidden || window.posts > 0`))
	if n := ask[int](t, a.ctx, `window.posts`); n != 0 {
		t.Error("the problem was sent before everything was saved")
	}
	if n := ask[int](t, a.ctx, `Object.keys(localStorage).filter((k) => k.startsWith('annotate/first/')).length`); n != 1 {
		t.Errorf("the browser keeps %d changes, want 1", n)
	}
}
