// Marking by touch. A long press on a word begins a mark there; without lifting,
// the finger takes it further, word by word. Taps are clicks, see pointer.js, and
// a text that is swiped over scrolls as always.

import { hit } from './surface.js';

/** How long a finger rests before it marks, in ms, and how far it may shake, in pixels. */
const REST = 400;
const SHAKE = 10;

/**
 * @param {import('./desk.js').Desk} desk
 * @param {ReturnType<typeof import('./overlay.js').overlay>} over
 * @param {(side: import('./spans.js').Side, start: number, end: number) => void} mark marks a stretch and asks for what it needs
 */
export function touch(desk, over, mark) {
  /** @type {{on: HTMLElement, side: import('./spans.js').Side, x: number, y: number, timer: number, from?: number, to?: number}|null} the finger on a text; from: where its mark begins */
  let finger = null;

  /** Nothing, or no longer, is marked. */
  function lift() {
    if (!finger) return;
    clearTimeout(finger.timer);
    if (finger.from !== undefined) over.preview(finger.side);
    finger = null;
    document.body.classList.remove('touching');
  }

  function begin() {
    if (!finger) return;
    const at = hit(finger.on, finger.x, finger.y);
    if (at === undefined) return lift();
    finger.from = finger.to = at;
    over.hide();
    over.preview(finger.side, ...desk.words(finger.side, at, at));
    navigator.vibrate?.(10);
  }

  for (const on of [desk.source, ...desk.targets]) {
    on?.addEventListener('touchstart', (e) => {
      lift();
      const [t] = e.touches;
      if (e.touches.length > 1 || desk.closed()) return;
      finger = { on, side: /** @type {import('./spans.js').Side} */ (on.dataset.side), x: t.clientX, y: t.clientY, timer: setTimeout(begin, REST) };
      // Else the browser selects on its own, and asks what to do with it.
      document.body.classList.add('touching');
    }, { passive: true });
    on?.addEventListener('touchmove', (e) => {
      if (!finger) return;
      const [t] = e.touches;
      if (finger.from === undefined) {
        if (Math.hypot(t.clientX - finger.x, t.clientY - finger.y) > SHAKE) lift();
        return;
      }
      if (e.cancelable) e.preventDefault();
      finger.to = hit(on, t.clientX, t.clientY) ?? finger.to;
      over.preview(finger.side, ...desk.words(finger.side, finger.from, finger.to ?? finger.from));
    }, { passive: false });
    on?.addEventListener('touchend', (e) => {
      const { side, from, to } = finger ?? {};
      lift();
      if (side === undefined || from === undefined || to === undefined) return;
      e.preventDefault(); // no click
      mark(side, ...desk.words(side, from, to));
    });
    on?.addEventListener('touchcancel', lift);
    on?.addEventListener('contextmenu', (e) => { if (finger) e.preventDefault(); });
  }
}
