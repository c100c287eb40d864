// Blanks that can't be told from a plain space are shown by a background: two or more
// spaces, no-break and other spaces, tabs. Characters without width are listed in the line below
// the text alone.

const BLANKS = / {2,}|[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]+/g;

/** Whether the texts of the page have such blanks at all; most have none. @type {boolean|undefined} */
let any;

/** @param {Iterable<Element>} texts */
export function showBlanks(texts) {
  any ??= [...texts].some((on) => (on.textContent ?? '').search(BLANKS) >= 0);
  if (!any || !CSS.highlights) return;
  const found = new Highlight();
  for (const on of texts) {
    const all = document.createTreeWalker(on, NodeFilter.SHOW_TEXT);
    for (let n = all.nextNode(); n; n = all.nextNode()) {
      for (const m of (n.nodeValue ?? '').matchAll(BLANKS)) {
        const r = new Range();
        r.setStart(n, m.index);
        r.setEnd(n, m.index + m[0].length);
        found.add(r);
      }
    }
  }
  CSS.highlights.set('blanks', found);
}
