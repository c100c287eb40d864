// Shows on demand what differs between the texts of the cards. It is drawn as highlights of the
// browser: the texts keep their nodes, their layout and their marks.

import { step, toUnits } from './codepoints.js';
import { compare } from './differences.js';

/** @typedef {{start: number, end: number}} Stretch */

/**
 * The texts that are compared, in the page's tree; null where there is no translation. They are the texts of the cards, or
 * the candidates of a segment that has one card.
 * @param {HTMLElement[]} cards @returns {(HTMLElement|null)[]}
 */
function surfacesOf(cards) {
  const candidates = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-candidate]'))];
  if (candidates.length) return candidates.map((on) => (on.dataset.candidate === 'none' ? null : on));
  return cards.map((card) => card.querySelector('.card-text:not(.card-none)'));
}

/** Stretches without those that overlap: these become one. @param {Stretch[]} all in the order of where they start */
function joined(all) {
  /** @type {Stretch[]} */
  const out = [];
  for (const { start, end } of all) {
    const last = out.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else out.push({ start, end });
  }
  return out;
}

/** Stretches of a text in the page's tree. @param {HTMLElement} on @param {string} text @param {Stretch[]} all in order, without overlaps */
function ranges(on, text, all) {
  const nodes = document.createTreeWalker(on, NodeFilter.SHOW_TEXT);
  let node = /** @type {Text|null} */ (nodes.nextNode());
  let begins = 0;
  const next = (/** @type {Text} */ now) => {
    begins += now.length;
    return /** @type {Text|null} */ (nodes.nextNode());
  };
  /** @type {StaticRange[]} */
  const out = [];
  for (const { start, end } of all) {
    const [from, to] = [toUnits(text, start), toUnits(text, end)];
    while (node && begins + node.length <= from) node = next(node);
    const [first, offset] = [node, from - begins];
    while (node && begins + node.length < to) node = next(node);
    if (!first || !node) break;
    out.push(new StaticRange({ startContainer: first, startOffset: offset, endContainer: node, endOffset: to - begins }));
  }
  return out;
}

/**
 * @param {object} page
 * @param {HTMLElement[]} page.cards
 * @param {(text: string) => void} page.announce
 */
export function comparing({ cards, announce }) {
  const button = document.getElementById('compare');
  const bar = document.getElementById('compare-bar');
  const choice = /** @type {HTMLSelectElement|null} */ (document.getElementById('compare-with'));
  const surfaces = surfacesOf(cards);
  const texts = surfaces.map((on) => on?.textContent ?? '');
  let shown = false;
  /** What was compared, by the places of the two cards. @type {Map<string, import('./differences.js').Comparison>} */
  const known = new Map();

  /** The card that another one is compared with: one that has a text. @param {number} i @returns {number|undefined} */
  function partner(i) {
    const j = choice?.value === 'before' ? surfaces.findLastIndex((on, k) => on && k < i) : Number(choice?.value);
    return surfaces[j] && j !== i ? j : undefined;
  }

  /** @param {number} i @param {number} j */
  function compared(i, j) {
    const found = known.get(`${i} ${j}`) ?? compare(texts[i], texts[j], surfaces[i]?.lang);
    known.set(`${i} ${j}`, found);
    return found;
  }

  /** Draws the differences, after the texts have been drawn. */
  function draw() {
    if (!shown) return;
    const [changed, missing] = [new Highlight(), new Highlight()];
    surfaces.forEach((on, i) => {
      const j = partner(i);
      if (!on || j === undefined) return;
      const found = compared(i, j);
      for (const r of ranges(on, texts[i], found.changed)) changed.add(r);
      // Missing words have no place of their own: the characters around the place are shown.
      const around = found.missing.map((at) => ({ start: step(texts[i], at, -1), end: step(texts[i], at, 1) }));
      for (const r of ranges(on, texts[i], joined(around))) missing.add(r);
    });
    CSS.highlights.set('changed', changed);
    CSS.highlights.set('missing', missing);
  }

  /** With what each text is compared, in words. */
  const about = () => choice?.selectedOptions[0]?.label ?? '';

  function toggle() {
    if (!button || !bar || !CSS.highlights) return announce('There is nothing to compare');
    shown = !shown;
    bar.hidden = !shown;
    document.body.classList.toggle('comparing', shown);
    button.setAttribute('aria-pressed', String(shown));
    if (shown) draw();
    else for (const name of ['changed', 'missing']) CSS.highlights.delete(name);
    announce(shown ? `Differences from ${about()} are shown` : 'Differences are hidden');
  }

  button?.addEventListener('click', toggle);
  bar?.querySelector('button')?.addEventListener('click', () => {
    toggle();
    button?.focus({ preventScroll: true });
  });
  choice?.addEventListener('change', () => {
    draw();
    announce(`Differences from ${about()} are shown`);
  });
  return { toggle, draw };
}
