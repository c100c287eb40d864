// Marking by mouse and pen. A drag marks the words that it began and ended on and those
// between; without whole words, from the place between two characters that is nearest to
// where it began to the one nearest to where it ends. Two clicks mark from the first word
// to the last, a click on a mark picks it, and its ends are dragged by their
// handles. Fingers are heard in touch.js.

import { repeated } from './repeated.js';
import { resize } from './spans.js';
import { standsAlone } from './rules.js';
import { caretAt, endAt, nearest, placeOf, under } from './surface.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./spans.js').Side} Side */
/** @typedef {import('./surface.js').Place} Place */

/** A shorter way is a click that was not quite still, in pixels. */
const TWITCH = 4;

/** What a click is for; elsewhere it lets go of the mark or the word in work. */
const MEANT = 'button, a, input, select, textarea, label, summary, dialog, [role=toolbar], [data-side], .handle, .conflict, ol';

/** How near to the end of what is in view a drag scrolls, and how far in a frame, in pixels. */
const EDGE = 4;
const CREEP = 8;

/**
 * @typedef {object} Press a button that is down on a text
 * @property {HTMLElement} on
 * @property {Side} side
 * @property {boolean} beside it went down beside the text, so that only a drag means something
 * @property {number} id of the pointer
 * @property {number} x where it went down
 * @property {number} y
 * @property {number} now where it is
 * @property {number} nowY
 * @property {Place|undefined} from the place of the text where it went down
 * @property {Place|undefined} to the place where it is
 * @property {string[]} ids of the marks where it went down, the innermost last
 * @property {boolean} drag
 * @property {number} count of the clicks in a row, where the first of them was on this text
 */

/**
 * @param {import('./desk.js').Desk} desk
 * @param {ReturnType<typeof import('./overlay.js').overlay>} over
 * @param {object} on
 * @param {(side: Side, start: number, end: number, finger?: boolean) => void} on.mark marks a stretch and asks for what it needs
 * @param {(id: string|null) => void} on.pick
 * @param {(to: number, side: Side) => void} on.arm makes a point the first of two clicks
 * @param {(change: (spans: Span[], id: string) => Span[]) => void} on.edit changes the mark in work
 * @param {(spans?: Span[]) => void} on.sketch draws the card in work as if it had these marks; as it is without
 * @param {() => void} on.rest is called when a press has marked nothing
 * @param {() => void} on.release lets go of the mark or the word in work
 */
export function pointer(desk, over, { mark, pick, arm, edit, sketch, rest, release }) {
  /** @type {Press|null} */
  let press = null;
  /** The text that the first of the clicks in a row was on. @type {HTMLElement|null} */
  let first = null;

  /** The text that a press is meant for: that under it, or the one it is beside. @param {PointerEvent} e @returns {HTMLElement|null} */
  function textOf(e) {
    const at = /** @type {Element} */ (e.target);
    const on = at.closest('[data-side]');
    if (on) return /** @type {HTMLElement} */ (on);
    if (at.closest(`${MEANT}, .controls`)) return null;
    const near = /** @type {HTMLElement|null} */ (at.closest('.card, .source')?.querySelector('[data-side]') ?? null);
    const r = (near?.closest('.card-scroll') ?? near)?.getBoundingClientRect();
    return r && r.top <= e.clientY && e.clientY <= r.bottom ? near : null;
  }

  document.addEventListener('pointerdown', (e) => {
    press = null;
    if (e.pointerType === 'touch' || !e.isPrimary || e.button || desk.closed() || !(e.target instanceof Element)) return;
    const on = textOf(e);
    if (!on) return;
    const beside = !e.target.closest('[data-side]');
    // Where the bar would be in the way, nothing is over the text from here on.
    over.hide();
    const mark = e.target.closest('mark');
    press = {
      on, side: /** @type {Side} */ (on.dataset.side), beside, id: e.pointerId, x: e.clientX, y: e.clientY, now: e.clientX, nowY: e.clientY,
      from: placeOf(on, e.clientX, e.clientY), to: undefined,
      ids: /** @type {HTMLElement|null} */ (mark)?.dataset.m?.split(' ') ?? [], drag: false, count: 1,
    };
    // The pointer is heard outside of the window as well.
    on.setPointerCapture(e.pointerId);
  });
  document.addEventListener('mousedown', (e) => {
    if (e.detail < 2) first = press?.on ?? null;
    if (!press) return;
    // A button that was clicked may have left the text under the pointer.
    press.count = first === press.on ? e.detail : Infinity;
    // The browser neither selects on its own nor moves the focus to what scrolls.
    e.preventDefault();
    getSelection()?.removeAllRanges();
    desk.cards[desk.card]?.focus({ preventScroll: true });
  });

  /** Takes the drag to where the pointer is. */
  function follow() {
    if (!press) return;
    const { top, bottom } = over.view(press.on);
    press.to = placeOf(press.on, press.now, Math.min(Math.max(press.nowY, top + 1), bottom - 1)) ?? press.to;
    if (press.from && press.to) over.preview(press.side, ...desk.dragged(press.side, press.from, press.to));
  }

  /** Scrolls by a step where a pointer is at the end of what is in view of a text that goes on. @param {HTMLElement} on @param {number} y of the pointer @param {number} edge how near to the end @returns {number} by how much */
  function scrolled(on, y, edge) {
    const { top, bottom, scroller } = over.view(on);
    const r = on.getBoundingClientRect();
    const by = y > bottom - edge && r.bottom > bottom ? CREEP : y < top + edge && r.top < top ? -CREEP : 0;
    const from = scroller.scrollTop;
    if (by) scroller.scrollBy({ top: by, behavior: 'instant' });
    return scroller.scrollTop - from;
  }

  /** Scrolls while a drag is at the end of what is in view. */
  function creep() {
    if (!press?.drag) return;
    if (scrolled(press.on, press.nowY, EDGE)) follow();
    requestAnimationFrame(creep);
  }

  document.addEventListener('pointermove', (e) => {
    if (press?.id === e.pointerId) {
      [press.now, press.nowY] = [e.clientX, e.clientY];
      if (!press.drag) {
        if (Math.hypot(e.clientX - press.x, e.clientY - press.y) < TWITCH) return;
        press.drag = true;
        requestAnimationFrame(creep);
      }
      return follow();
    }
    // What a second click would mark.
    if (!desk.armed || e.buttons) return;
    const { side, at } = desk.armed;
    const on = desk.surface(side);
    const to = on?.contains(/** @type {Node} */ (e.target)) ? under(on, e.clientX, e.clientY) : undefined;
    if (to !== undefined) over.preview(side, ...desk.words(side, at, to));
  });
  document.addEventListener('pointerup', (e) => {
    if (press?.id !== e.pointerId) return;
    [press.now, press.nowY] = [e.clientX, e.clientY];
    // A quick drag may end before its first move is told.
    press.drag ||= Math.hypot(e.clientX - press.x, e.clientY - press.y) >= TWITCH;
    if (press.drag) follow();
    const p = press;
    press = null;
    const [start, end] = p.drag && p.from && p.to ? desk.dragged(p.side, p.from, p.to) : [0, 0];
    if (start < end) mark(p.side, start, end);
    else if (p.beside && p.count < 2) release();
    else if (p.beside || !p.from || p.count > 2) rest();
    else if (e.shiftKey && desk.at.side === p.side && desk.at.anchor !== p.from.near) mark(p.side, ...desk.dragged(p.side, { near: desk.at.anchor }, p.from));
    else click(p.side, p.from.on?.[0] ?? p.from.near, p.ids);
  });
  document.addEventListener('pointercancel', (e) => {
    if (press?.id !== e.pointerId) return;
    press = null;
    rest();
  });

  document.addEventListener('click', (e) => {
    if (!repeated(e) || !(e.target instanceof Element) || !e.target.closest('.card button, .mark-bar') || e.target.closest('.picker-more')) return;
    e.preventDefault();
    e.stopPropagation();
  }, true);
  document.addEventListener('click', (e) => {
    // What was clicked may be gone from the page by now.
    if (e.detail === 1 && !e.composedPath().some((n) => n instanceof Element && n.matches(MEANT))) release();
  });

  /** A click on a text, or a tap. @param {Side} side @param {number} at the character under it @param {string[]} ids of the marks there, the innermost last @param {boolean} [finger] */
  function click(side, at, ids, finger) {
    if (desk.armed?.side === side) return mark(side, ...desk.words(side, desk.armed.at, at), finger);
    if (!ids.length || desk.gapNext) return arm(at, side);
    // The innermost first, then those around it.
    const n = ids.indexOf(desk.picked ?? '');
    pick(ids.at(n < 0 ? -1 : n - 1) ?? null);
  }

  /**
   * @typedef {object} Held a handle that is dragged
   * @property {number} i the end of the mark that it is at: 0 is its start
   * @property {HTMLElement} on the text
   * @property {PointerEvent} from where the press was
   * @property {PointerEvent} now where the pointer is
   * @property {number} x leads from the pointer to the text that it points at
   * @property {number} y
   * @property {number} by how far the text was scrolled since
   * @property {((spans: Span[], id: string) => Span[])|null} change what it has come to
   */
  /** @type {Held|null} */
  let held = null;

  /** Takes the end of a mark to where the pointer is. */
  function pull() {
    const s = held ? desk.one() : undefined;
    if (!held || !s) return;
    const { i, on, from, now, x, y, by } = held;
    over.handles[i].style.setProperty('translate', `${now.clientX - from.clientX}px ${now.clientY - from.clientY + by}px`);
    const { top, bottom } = over.view(on);
    const to = nearest(on, now.clientX + x, Math.min(Math.max(now.clientY + y, top + 1), bottom - 1));
    if (to === undefined) return;
    const gap = s.start === s.end;
    const [start, end] = gap ? [to, to] : desk.widened(s.side, i ? Math.min(to, s.start) : to, i ? to : Math.max(to, s.end));
    held.change = (spans, id) => resize(spans, desk.texts(), id, i ? 'end' : 'start', i ? end : start);
    // A mark without words takes room in its line: the text would move under the pointer.
    if (gap) over.aim(s.side, to);
    else sketch(held.change(desk.drawn(), s.id));
  }

  /** Scrolls while a handle is at the end of what is in view. */
  function creepAlong() {
    if (!held) return;
    const by = scrolled(held.on, held.now.clientY, held.now.pointerType === 'touch' ? 4 * EDGE : EDGE);
    held.by += by;
    if (by) pull();
    requestAnimationFrame(creepAlong);
  }

  /** The handle that a press is meant for: the nearer one where those of a short mark lie over each other. @param {PointerEvent} e @param {number} i the one that was hit */
  function nearer(e, i) {
    const far = over.handles.map((h) => {
      const r = h.getBoundingClientRect();
      return r.left <= e.clientX && e.clientX <= r.right && r.top <= e.clientY && e.clientY <= r.bottom ? Math.abs((r.left + r.right) / 2 - e.clientX) : Infinity;
    });
    return far[1 - i] < far[i] ? 1 - i : i;
  }

  over.handles.forEach((hit, n) => {
    hit.addEventListener('pointerdown', (e) => {
      e.preventDefault();
      const s = desk.one();
      const on = s && desk.surface(s.side);
      if (!on || desk.closed() || standsAlone(desk.rules, desk.spans())) return;
      const i = nearer(e, n);
      over.handles[i].setPointerCapture(e.pointerId);
      held = { i, on, from: e, now: e, x: 0, y: 0, by: 0, change: null };
      if (e.pointerType === 'touch') {
        // A finger is on the handle, below the words, and does not hide them.
        const c = i && s.start < s.end ? endAt(on, s.end) : caretAt(on, s.start);
        [held.x, held.y] = [c.x - e.clientX, (c.top + c.bottom) / 2 - e.clientY];
      }
      over.hide(over.handles[i]);
      document.body.classList.add('dragging');
    });
    hit.addEventListener('pointermove', (e) => {
      if (!held) return;
      if (held.now === held.from) requestAnimationFrame(creepAlong);
      held.now = e;
      pull();
    });
    const drop = (/** @type {boolean} */ keep) => {
      if (!held) return;
      const { i, change } = held;
      held = null;
      over.handles[i].style.removeProperty('translate');
      document.body.classList.remove('dragging');
      if (keep && change) {
        edit(change);
        desk.caretTo(i ? 'end' : 'start');
      } else sketch();
      rest();
    };
    hit.addEventListener('pointerup', () => drop(true));
    hit.addEventListener('pointercancel', () => drop(false));
  });

  return { click };
}
