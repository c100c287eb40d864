// Source and translation side by side, in step: where the translation of the card in work scrolls
// in a box of its own, the source shows the same share of its segment, and the other way round.
// Only the one that the reader does not scroll follows.

import { cards, names } from './page.js';

/** Room above and below the segment in the source, in pixels. */
const PAD = 16;

/** How far between its first and its last place a scrolled box is, from 0 to 1; undefined for one that does not scroll. @param {number} at @param {number} first @param {number} last */
export const share = (at, first, last) => (last - first > 1 ? Math.min(1, Math.max(0, (at - first) / (last - first))) : undefined);

/** The place of a box at a share of its way. @param {number} of @param {number} first @param {number} last */
export const placeAt = (of, first, last) => first + of * (last - first);

/** @param {() => number} current the card in work */
export function beside(current) {
  const source = /** @type {HTMLElement} */ (document.getElementById('source'));
  const head = /** @type {HTMLElement} */ (source.firstElementChild);
  const segment = /** @type {HTMLElement} */ (document.getElementById('current'));
  const boxes = cards.map((card) => /** @type {HTMLElement} */ (card.querySelector('.card-scroll')));
  const wide = matchMedia('(min-width: 1000px)');
  let on = false;
  /** Where a box was scrolled to by following, which its own scrolling later says. @type {WeakMap<Element, number>} */
  const followed = new WeakMap();

  /** From where to where the source goes while the segment is read. @returns {[number, number]} */
  function way() {
    const top = segment.getBoundingClientRect().top - source.getBoundingClientRect().top + source.scrollTop;
    const end = source.scrollHeight - source.clientHeight;
    const first = Math.min(Math.max(0, top - PAD - head.offsetHeight), end);
    return [first, Math.min(Math.max(first, top + segment.offsetHeight + PAD - source.clientHeight), end)];
  }

  /** @param {Element} box @param {number} to */
  function scroll(box, to) {
    if (Math.abs(box.scrollTop - to) < 1) return;
    box.scrollTop = to;
    followed.set(box, box.scrollTop);
  }

  /** The source follows the card in work. */
  function lead() {
    const box = boxes[current()];
    const at = on && wide.matches && box ? share(box.scrollTop, 0, box.scrollHeight - box.clientHeight) : undefined;
    if (at === undefined) return;
    const [first, last] = way();
    // A segment that is seen as a whole stays where it is.
    if (last - first > 1) scroll(source, placeAt(at, first, last));
  }

  /** The card in work follows the source. */
  function follow() {
    const box = boxes[current()];
    const at = on && wide.matches && box ? share(source.scrollTop, ...way()) : undefined;
    if (at !== undefined) scroll(box, placeAt(at, 0, box.scrollHeight - box.clientHeight));
  }

  document.addEventListener('scroll', (e) => {
    const box = e.target;
    if (!on || !(box instanceof Element)) return;
    const own = followed.get(box);
    followed.delete(box);
    if (own !== undefined && Math.abs(own - box.scrollTop) < 1) return;
    if (box === source) follow();
    else if (box === boxes[current()]) lead();
  }, { capture: true, passive: true });

  /** A box that scrolls is reached by keys. */
  function reach() {
    boxes.forEach((box, i) => {
      const scrolls = on && wide.matches && box.scrollHeight > box.clientHeight + 1;
      if (!scrolls) for (const name of ['tabindex', 'role', 'aria-label']) box.removeAttribute(name);
      else {
        box.tabIndex = 0;
        box.role = 'region';
        box.ariaLabel = `Text of translation ${names[i]}`;
      }
    });
  }
  const sizes = new ResizeObserver(reach);

  return {
    lead,
    /** @param {boolean} yes */
    show(yes) {
      on = yes;
      sizes.disconnect();
      reach();
      if (!on) return;
      for (const box of boxes) sizes.observe(box);
      lead();
    },
  };
}
