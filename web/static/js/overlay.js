// What stands over the texts: the caret, the handles of the mark in work, and what
// would be marked; and below the text the bar of that mark, so that it hides nothing.

import { make } from './desk.js';
import { caretAt, range } from './surface.js';

/** @param {import('./desk.js').Desk} desk */
export function overlay(desk) {
  const caret = make('span', { className: 'caret', ariaHidden: 'true' });
  /** @type {HTMLElement[]} */
  const handles = ['start', 'end'].map((edge) => make('span', { className: 'handle', ariaHidden: 'true', title: `drag the ${edge} of the mark` }));
  const bar = make('div', { className: 'mark-bar', id: 'mark-bar', role: 'toolbar', lang: 'en', dir: 'ltr', hidden: true });

  /** What scrolls along with a text. @param {HTMLElement} on */
  const host = (on) => /** @type {HTMLElement} */ (on.closest('.card, .source'));

  /**
   * What puts something at a place of the window, which is found out now and done
   * when the answer is called.
   * @param {HTMLElement} node @param {HTMLElement} on @param {number} x @param {number} y @param {number} height
   */
  function put(node, on, x, y, height) {
    const into = host(on);
    const r = into.getBoundingClientRect();
    const left = Math.max(0, x - r.left - into.clientLeft);
    const top = y - r.top - into.clientTop + into.scrollTop;
    return () => {
      node.style.setProperty('left', `${left}px`);
      node.style.setProperty('top', `${top}px`);
      node.style.setProperty('height', `${height}px`);
    };
  }

  /** Selects in the browser what is selected here. @param {HTMLElement} on */
  function select(on) {
    const { anchor, focus } = desk.at;
    if (anchor === focus) return;
    const r = range(on, Math.min(anchor, focus), Math.max(anchor, focus));
    const [a, b] = anchor < focus ? ['start', 'end'] : ['end', 'start'];
    const ends = /** @type {any} */ ({ start: [r.startContainer, r.startOffset], end: [r.endContainer, r.endOffset] });
    getSelection()?.setBaseAndExtent(ends[a][0], ends[a][1], ends[b][0], ends[b][1]);
  }

  /** Shows caret, selection, handles and bar where they belong now. */
  function place() {
    const on = desk.closed() ? null : desk.surface(desk.at.side);
    const s = desk.closed() ? undefined : desk.one();
    const over = s && desk.surface(s.side);
    const empty = s?.start === s?.end;
    const show = (/** @type {HTMLElement} */ node, /** @type {HTMLElement|null|undefined} */ text) => {
      node.hidden = !text;
      if (text && node.parentNode !== host(text)) host(text).append(node);
    };
    show(caret, on);
    bar.hidden = !over;
    const text = over?.closest('.text');
    if (text && text.nextSibling !== bar) text.after(bar);
    for (const h of handles) show(h, empty ? null : over);
    // All is read before anything moves: from one to the other the browser lays out
    // the page again.
    const moves = [];
    if (on) {
      const c = caretAt(on, desk.at.focus);
      moves.push(put(caret, on, c.x - 1, c.top, c.bottom - c.top));
    }
    if (s && over && !empty) {
      [s.start, s.end].forEach((n, i) => {
        const c = caretAt(over, n);
        moves.push(put(handles[i], over, c.x - 6, c.top, c.bottom - c.top));
      });
    }
    for (const move of moves) move();
    if (on) select(on);
  }

  let previewed = '';
  /** Shows what would be marked, as it will look. @param {import('./spans.js').Side} side @param {number} [start] @param {number} [end] */
  function preview(side, start = 0, end = start) {
    const on = desk.surface(side);
    CSS.highlights?.delete(previewed);
    // Named after the class: a class on the page or the text would have all that is
    // in it styled anew, which takes longer than anything else here.
    previewed = desk.style(desk.grade);
    if (on && start < end) CSS.highlights?.set(previewed, new Highlight(range(on, start, end)));
  }

  /** Makes room to select. */
  function hide() {
    for (const h of handles) h.hidden = true;
  }

  return {
    caret, handles, bar, place, preview, hide,
    /** Brings the mark in work into view, with its bar. */
    reveal() {
      reveal(bar);
      reveal(handles[0].hidden ? caret : handles[0]);
    },
  };
}

/** @param {HTMLElement} node */
export const reveal = (node) => node.scrollIntoView({ block: 'nearest', inline: 'nearest' });
