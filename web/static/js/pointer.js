// Marking by mouse. A text keeps the browser's own selection: what is selected
// when the button goes up is marked. Two clicks mark from the first word to the
// last, a click on a mark picks it, and its ends are dragged by their handles.

import { length } from './codepoints.js';
import { resize } from './spans.js';
import { standsAlone } from './rules.js';
import { draw, hit, point } from './surface.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./spans.js').Side} Side */

/**
 * @param {import('./desk.js').Desk} desk
 * @param {ReturnType<typeof import('./overlay.js').overlay>} over
 * @param {object} on
 * @param {(side: Side, start: number, end: number) => void} on.mark marks a stretch and asks for what it needs
 * @param {(id: string|null) => void} on.pick
 * @param {(to: number, select: boolean, side: Side) => void} on.move the caret
 * @param {(next: Span[]) => void} on.change
 * @param {() => void} on.light
 */
export function pointer(desk, over, { mark, pick, move, change, light }) {
  /** @type {HTMLElement|null} the text in which the button went down */
  let down = null;

  /** What the browser has selected in a text. @param {HTMLElement} on @returns {[number, number]|null} */
  function selected(on) {
    const s = getSelection();
    if (!s?.rangeCount || s.isCollapsed) return null;
    const r = s.getRangeAt(0);
    if (!r.intersectsNode(on)) return null;
    const all = new Range();
    all.selectNodeContents(on);
    const start = r.compareBoundaryPoints(Range.START_TO_START, all) < 0 ? 0 : point(on, r.startContainer, r.startOffset);
    const end = r.compareBoundaryPoints(Range.END_TO_END, all) > 0 ? length(on.textContent ?? '') : point(on, r.endContainer, r.endOffset);
    return start < end ? [start, end] : null;
  }

  /** A click on a point of a text. @param {MouseEvent} e @param {HTMLElement} on @param {Side} side */
  function click(e, on, side) {
    const to = hit(on, e.clientX, e.clientY);
    if (to === undefined) return over.place();
    const ids = /** @type {HTMLElement|null} */ (e.target instanceof Element ? e.target.closest('mark') : null)?.dataset.m?.split(' ') ?? [];
    if (e.shiftKey && desk.at.side === side && desk.at.anchor !== to) mark(side, ...desk.widened(side, desk.at.anchor, to));
    else if (desk.armed?.side === side) mark(side, ...desk.words(side, desk.armed.at, to));
    else if (ids.length) {
      // The innermost first, then those around it.
      const n = ids.indexOf(desk.picked ?? '');
      pick(ids.at(n < 0 ? -1 : n - 1) ?? null);
    } else {
      move(to, false, side);
      desk.armed = { side, at: to };
      over.preview(side, ...desk.words(side, to, to));
    }
  }

  document.addEventListener('mousedown', (e) => {
    const on = e.target instanceof Element ? /** @type {HTMLElement|null} */ (e.target.closest('[data-side]')) : null;
    if (!on || e.button || desk.closed()) return;
    if (e.shiftKey) e.preventDefault();
    else getSelection()?.removeAllRanges();
    down = on;
    over.hide();
  });
  document.addEventListener('selectionchange', () => {
    const part = down && selected(down);
    if (!down || !part) return;
    const side = /** @type {Side} */ (down.dataset.side);
    over.preview(side, ...desk.widened(side, ...part));
  });
  document.addEventListener('mouseup', (e) => {
    const on = down;
    down = null;
    if (!on) return;
    const side = /** @type {Side} */ (on.dataset.side);
    const part = selected(on);
    if (part) mark(side, ...desk.widened(side, ...part));
    else click(e, on, side);
  });
  document.addEventListener('mousemove', (e) => {
    if (!desk.armed || down) return;
    const { side, at } = desk.armed;
    const on = desk.surface(side);
    const to = on && hit(on, e.clientX, e.clientY);
    if (typeof to === 'number') over.preview(side, ...desk.words(side, at, to));
  });

  over.handles.forEach((h, i) => {
    /** @type {Span[]|null} */
    let moved = null;
    h.addEventListener('pointerdown', (e) => {
      e.preventDefault();
      desk.own();
      if (standsAlone(desk.rules, desk.spans())) return;
      h.setPointerCapture(e.pointerId);
      moved = desk.spans();
      document.body.classList.add('dragging');
    });
    h.addEventListener('pointermove', (e) => {
      const s = desk.one();
      const on = s && desk.surface(s.side);
      const to = on && moved ? hit(on, e.clientX, e.clientY) : undefined;
      if (!s || !on || to === undefined) return;
      const [start, end] = desk.whole.checked ? desk.words(s.side, Math.min(to, i ? s.start : to), Math.max(to, i ? to : s.end - 1)) : [to, to];
      moved = resize(desk.spans(), desk.texts(), s.id, i ? 'end' : 'start', i ? end : start);
      draw(on, desk.texts()[s.side], desk.drawn(desk.card, moved), s.side, desk.style);
      light();
    });
    h.addEventListener('pointerup', () => {
      document.body.classList.remove('dragging');
      if (moved && moved !== desk.spans()) change(moved);
      moved = null;
      over.place();
    });
  });
}
