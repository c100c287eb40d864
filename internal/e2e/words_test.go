package e2e

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"annotate/internal/protocol"
)

// TestWholeWords drags with the mouse from and to every part of words, of blanks and of the
// end of a line. A mark has whole words and no blanks at its ends. Without whole words, which
// the browser remembers, it has characters, and Chinese is always marked by characters.
func TestWholeWords(t *testing.T) {
	const text = "So a mouth then speaks, of many things that nobody near the bridge has ever heard of before, or after."
	const chinese = "今天天气很好，渡船在新桥旁边睡觉。"
	m := newMarkerOn(t, "esa", "", two("s1", "Die alte Fähre.", text, chinese))
	run(t, m.ctx, "a window in which the text wraps", Look(1024, 800, false))
	id := m.assignment()
	// letters is where each character of the words stands, found where the words after them begin.
	letters := func(words string) [][4]float64 {
		t.Helper()
		return ask[[][4]float64](t, m.ctx, fmt.Sprintf(`(() => {
			const on = document.querySelector('.card[aria-current] [data-side=target]');
			const node = document.createTreeWalker(on, NodeFilter.SHOW_TEXT).nextNode(), from = node.nodeValue.indexOf(%s);
			return Array.from(%[1]s, (_, i) => {
				const r = new Range();
				r.setStart(node, from + i);
				r.setEnd(node, from + i + 1);
				const b = r.getBoundingClientRect();
				return [b.left, b.width, b.top + b.height / 2, b.right];
			});
		})()`, quoted(words)))
	}
	// marks drags, says which words were marked, and takes the mark back.
	marks := func(what string, x1, y1, x2, y2 float64, want string) {
		t.Helper()
		run(t, m.ctx, what, drag(x1, y1, x2, y2))
		if got := slices.Collect(maps.Values(m.shown(protocol.Target))); !slices.Equal(got, []string{want}) {
			t.Errorf("%s from %.1f to %.1f: marked %q, want %q", what, x1, x2, got, want)
		}
		m.press("Escape Ctrl+z")
	}
	// parts are four places within each of the characters.
	parts := func(at [4]float64) (out []float64) {
		for k := range 4 {
			out = append(out, at[0]+at[1]*(float64(k)+0.5)/4)
		}
		return out
	}
	m.toCard(text)
	all := letters(" a mouth then ")
	mid := func(i int) float64 { return all[i][0] + all[i][1]/2 }
	y := all[0][2]
	for _, x := range parts(all[1]) {
		marks("from within a word of one letter", x, y, mid(5), y, "a mouth")
		marks("back to a word of one letter", mid(5), y, x, y, "a mouth")
	}
	for i := 9; i < 13; i++ {
		for _, x := range parts(all[i])[1:3] {
			marks("to within a word", mid(3), y, x, y, "mouth then")
		}
	}
	for _, x := range parts(all[2]) {
		marks("from a blank to a blank", x, y, mid(8), y, "mouth")
	}
	marks("over punctuation", letters("speaks,")[1][0]+2, y, letters("speaks,")[6][3]-0.5, y, "speaks,")
	// The last word of the first line, and a place right of that line.
	last := ask[struct {
		Word    string
		X, Y, R float64
	}](t, m.ctx, `(() => {
		const on = document.querySelector('.card[aria-current] [data-side=target]');
		const node = document.createTreeWalker(on, NodeFilter.SHOW_TEXT).nextNode();
		const box = (i) => { const r = new Range(); r.setStart(node, i); r.setEnd(node, i + 1); return r.getBoundingClientRect(); };
		let i = 0;
		while (box(i + 1).top <= box(0).top + 4 || node.nodeValue[i + 1] === ' ') i++;
		const word = node.nodeValue.slice(0, i + 1).trim().split(' ').at(-1), b = box(node.nodeValue.lastIndexOf(word, i) + 1);
		return { Word: word, X: b.left + b.width / 2, Y: b.top + b.height / 2, R: on.getBoundingClientRect().right };
	})()`)
	for _, right := range []float64{-2, 12} {
		marks("to the right of a line", last.X, last.Y, last.R+right, last.Y, last.Word)
	}
	m.press("Home Shift+ArrowRight Enter")
	if got := slices.Collect(maps.Values(m.shown(protocol.Target))); !slices.Equal(got, []string{"S"}) {
		t.Errorf("by keys, character by character: marked %q", got)
	}
	m.press("Escape Ctrl+z Home ArrowRight Ctrl+Shift+ArrowRight Enter")
	if got := slices.Collect(maps.Values(m.shown(protocol.Target))); !slices.Equal(got, []string{"So"}) {
		t.Errorf("by keys, word by word: marked %q", got)
	}
	m.press("Escape Ctrl+z")

	m.toCard(chinese)
	two := letters("天气很好")
	marks("Chinese", two[1][0]+2, two[1][2], two[2][3]-2, two[2][2], "气很")

	m.choose("#whole-words")
	m.saved()
	m.reload()
	m.toCard(text)
	all = letters(" a mouth then ")
	y = all[0][2]
	marks("characters", all[0][0]+0.5, y, all[5][0]+1, y, "a mo")
	run(t, m.ctx, "a mark to keep", drag(all[2][0]+0.5, y, all[8][3]-0.5, y))
	m.press("m")
	m.saved()
	wantSpans(t, "stored", m.stored(id, text).Spans, protocol.Texts{Source: "Die alte Fähre.", Translation: text}, at(text, "mouth", protocol.Target, "minor", ""))
}
