// What stands over the texts: the caret, the handles of the mark in work and the
// bar below it, and what would be marked.

import { make } from './desk.js';
import { caretAt, range } from './surface.js';

/** @param {import('./desk.js').Desk} desk */
export function overlay(desk) {
  const caret = make('span', { className: 'caret', ariaHidden: 'true' });
  /** @type {HTMLElement[]} */
  const handles = ['start', 'end'].map((edge) => make('span', { className: 'handle', ariaHidden: 'true', title: `drag the ${edge} of the mark` }));
  const bar = make('div', { className: 'mark-bar', id: 'mark-bar', role: 'toolbar', hidden: true });

  /** Puts something at a place of the window, into what scrolls along with a text. @param {HTMLElement} node @param {HTMLElement} on @param {number} x @param {number} y */
  function put(node, on, x, y) {
    const host = /** @type {HTMLElement} */ (on.closest('.card, .source'));
    if (node.parentNode !== host) host.append(node);
    const r = host.getBoundingClientRect();
    const most = host.clientWidth - node.offsetWidth - 8;
    node.style.setProperty('left', `${Math.max(0, Math.min(x - r.left - host.clientLeft, most))}px`);
    node.style.setProperty('top', `${y - r.top - host.clientTop + host.scrollTop}px`);
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
    const on = desk.surface(desk.at.side);
    const s = desk.one();
    caret.hidden = !on || desk.closed();
    if (on && !desk.closed()) {
      const c = caretAt(on, desk.at.focus);
      put(caret, on, c.x - 1, c.top);
      caret.style.setProperty('height', `${c.bottom - c.top}px`);
      select(on);
    }
    const over = s && desk.surface(s.side);
    bar.hidden = !over || desk.closed();
    for (const h of handles) h.hidden = bar.hidden || !s || s.start === s.end;
    if (!s || !over || desk.closed()) return;
    if (s.start < s.end) {
      handles.forEach((h, i) => {
        const c = caretAt(over, i ? s.end : s.start);
        put(h, over, c.x - 6, c.top);
        h.style.setProperty('height', `${c.bottom - c.top}px`);
      });
    }
    const c = s.start < s.end ? [...range(over, s.start, s.end).getClientRects()].at(-1) : undefined;
    const { x, bottom } = c ? { x: c.left, bottom: c.bottom } : (({ x: left, bottom: low }) => ({ x: left, bottom: low }))(caretAt(over, s.start));
    put(bar, over, x, bottom + 12);
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
    bar.hidden = true;
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
