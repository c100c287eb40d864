// Marking by touch. A long press on a word begins a mark there; without lifting,
// the finger takes it further, word by word. Taps do what clicks do, see pointer.js, and
// a text that is swiped over scrolls as always.

import { under } from './surface.js';

/** How long a finger rests before it marks, in ms, and how far it may shake, in pixels. */
const REST = 400;
const SHAKE = 10;

/**
 * @param {import('./desk.js').Desk} desk
 * @param {ReturnType<typeof import('./overlay.js').overlay>} over
 * @param {(side: import('./spans.js').Side, start: number, end: number) => void} mark marks a stretch and asks for what it needs
 * @param {(side: import('./spans.js').Side, at: number, ids: string[]) => void} tap a finger was on a character, and on these marks
 */
export function touch(desk, over, mark, tap) {
  /** @type {{on: HTMLElement, side: import('./spans.js').Side, x: number, y: number, timer: number, at: number|undefined, ids: string[], marks: boolean, to?: number}|null} the finger on a text; at: the character under it at first, marks: it has rested and marks now */
  let finger = null;

  /** Nothing, or no longer, is marked. */
  function lift() {
    if (!finger) return;
    clearTimeout(finger.timer);
    if (finger.marks) over.preview(finger.side);
    finger = null;
    document.body.classList.remove('touching');
  }

  /** Makes the card of a text the one in work. No keyboard led there, so its focus needs no ring. @param {HTMLElement} on */
  const enter = (on) => /** @type {HTMLElement|null} */ (on.closest('.card'))?.focus(/** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: false }));

  function begin() {
    if (finger?.at === undefined) return lift();
    finger.marks = true;
    finger.to = finger.at;
    over.hide();
    enter(finger.on);
    over.preview(finger.side, ...desk.words(finger.side, finger.at, finger.at));
    navigator.vibrate?.(10);
  }

  for (const on of [desk.source, ...desk.targets]) {
    on?.addEventListener('touchstart', (e) => {
      lift();
      const [t] = e.touches;
      if (e.touches.length > 1 || desk.closed()) return;
      const mark = /** @type {HTMLElement|null} */ (e.target instanceof Element ? e.target.closest('mark') : null);
      finger = {
        on, side: /** @type {import('./spans.js').Side} */ (on.dataset.side), x: t.clientX, y: t.clientY, timer: setTimeout(begin, REST),
        at: under(on, t.clientX, t.clientY), ids: mark?.dataset.m?.split(' ') ?? [], marks: false,
      };
      // Else the browser selects on its own, and asks what to do with it.
      document.body.classList.add('touching');
    }, { passive: true });
    on?.addEventListener('touchmove', (e) => {
      if (!finger) return;
      const [t] = e.touches;
      if (!finger.marks) {
        if (Math.hypot(t.clientX - finger.x, t.clientY - finger.y) > SHAKE) lift();
        return;
      }
      if (e.cancelable) e.preventDefault();
      finger.to = under(on, t.clientX, t.clientY) ?? finger.to;
      over.preview(finger.side, ...desk.words(finger.side, finger.at ?? 0, finger.to ?? 0));
    }, { passive: false });
    on?.addEventListener('touchend', (e) => {
      const f = finger;
      lift();
      if (f?.at === undefined) return;
      // The browser makes no click of it.
      if (e.cancelable) e.preventDefault();
      enter(f.on);
      if (f.marks) mark(f.side, ...desk.words(f.side, f.at, f.to ?? f.at));
      else tap(f.side, f.at, f.ids);
    });
    on?.addEventListener('touchcancel', lift);
    on?.addEventListener('contextmenu', (e) => { if (finger) e.preventDefault(); });
  }
}
