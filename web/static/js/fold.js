// Cards that are done fold to one line: one by one, or all where the annotator wants it. A fold
// is no part of what a card holds. The card in work is never folded, and nothing in the window
// moves for a fold but what it is about: a card that the page can't make up for by scrolling
// stays open for now.

import { inPlace } from './painter.js';
import { make } from './desk.js';

/** @typedef {import('./save.js').Value} Value */

/** How much of a text its line holds, in UTF-16 units. It is cut to the width of the line. */
const WORDS = 160;

export class Folding {
  /** Whether all cards that are done fold. */
  all = false;
  /** Cards that were folded one by one. @type {Set<number>} */
  #wished = new Set();
  /** @type {Set<number>} */
  #folded = new Set();
  /** Cards that stay open because a question is about them, until they hold another value. @type {Map<number, Value>} */
  #kept = new Map();
  /** Whether a card may have to be folded or opened. */
  #due = false;
  /** Whether something waits for the page to be scrolled. */
  #waits = false;
  /** @type {(HTMLElement|undefined)[]} */
  #lines = [];

  /**
   * @param {object} page
   * @param {HTMLElement[]} page.cards
   * @param {string[]} page.names of the cards
   * @param {(i: number) => Value} page.value
   * @param {() => number} page.current the card in work
   * @param {(i: number) => string} page.lacks why a card is not done, in words; empty: it is
   * @param {(i: number) => void} page.goTo makes a card the one in work, and goes there
   * @param {() => boolean} page.idle whether nothing is open or selected in the card in work
   * @param {() => boolean} page.down whether a pointer is down
   * @param {(v: Value) => string} page.sum what a card holds, in few words
   * @param {() => void} page.ask asks for a paint
   * @param {(text: string) => void} page.refuse says why something was not done, for all to see
   */
  constructor(page) {
    this.page = page;
    page.cards.forEach((card, i) => card.querySelector('[data-fold]')?.addEventListener('click', () => this.fold(i)));
    addEventListener('scrollend', () => {
      if (!this.#waits || page.down() || !page.idle()) return;
      this.#waits = false;
      this.#settle('out of view');
    });
  }

  /** Whether nothing is folded and nothing will be. */
  #off() { return !this.all && !this.#wished.size && !this.#folded.size; }

  /** Something changed that cards fold for. */
  touch() {
    this.#due = !this.#off();
    if (this.#due) this.page.ask();
  }

  /** Folds and opens what is due, before the page is painted. */
  settle() {
    if (this.#due && this.page.idle()) this.#settle('');
  }

  /** The card in work was gone to: it is opened at once, so that the page can be scrolled to it. */
  arrive() {
    if (this.#off() || this.page.down()) return this.touch();
    this.#settle('gone to');
  }

  /** Keeps a card open that a question is about, until it holds another value. @param {number} i */
  keep(i) {
    if (this.#off()) return;
    this.#kept.set(i, this.page.value(i));
    this.#settle('gone to');
  }

  /** Folds a card that is done. Of the card in work, work goes on in the next one that is open. @param {number} i */
  fold(i) {
    const { cards, names, current, lacks, goTo, refuse } = this.page;
    if (cards.length < 2) return refuse('There is only one translation, so nothing folds');
    if (lacks(i)) return refuse(`${names[i]} needs ${lacks(i)}; a card folds once it is done`);
    this.#wished.add(i);
    this.#kept.delete(i);
    if (i !== current()) return this.#settle('gone to');
    const open = [...cards.keys()].filter((n) => n !== i && !this.#folded.has(n));
    goTo(open.find((n) => n > i) ?? open.at(-1) ?? (i + 1) % cards.length);
  }

  /** Folds all cards that are done, or opens all. @param {boolean} all */
  setAll(all) {
    this.all = all;
    this.#kept.clear();
    if (!all) this.#wished.clear();
    this.#settle('gone to');
  }

  /** Whether a card is to be folded now. @param {number} i */
  #wants(i) {
    const { cards, current, lacks, value } = this.page;
    if (this.#kept.get(i) !== value(i)) this.#kept.delete(i);
    return i !== current() && (this.all || this.#wished.has(i)) && !this.#kept.has(i) && !lacks(i) && !cards[i].contains(document.activeElement);
  }

  /** The cards that are in view, wholly or in part. */
  #visible() {
    const { cards } = this.page;
    return [...cards.keys()].filter((i) => {
      const r = cards[i].getBoundingClientRect();
      return r.bottom > 0 && r.top < innerHeight;
    });
  }

  /** The top of the card in work, or of the first of others where that one is out of view. @param {number[]} [others] */
  anchor(others = this.#visible()) {
    const { cards, current } = this.page;
    const still = cards[others.includes(current()) ? current() : others[0] ?? current()];
    return () => ({ y: still.getBoundingClientRect().top, scroller: document.documentElement });
  }

  /**
   * Folds and opens cards. Something that is in view keeps its place: the card in work, else the
   * first one that stays as it is.
   * @param {''|'gone to'|'out of view'} why gone to: somebody asked for it, so that it is done even
   * where the page can't be scrolled so far; out of view: only what nobody sees
   */
  #settle(why) {
    this.#due = false;
    const { cards, current } = this.page;
    this.#wished.delete(current());
    const all = [...cards.keys()];
    const opening = all.filter((i) => this.#folded.has(i) && !this.#wants(i));
    let closing = all.filter((i) => !this.#folded.has(i) && this.#wants(i));
    if (!opening.length && !closing.length) return;
    const visible = this.#visible();
    const anchor = this.anchor(visible.filter((i) => !closing.includes(i)));
    if (why === 'out of view') {
      this.#waits = closing.some((i) => visible.includes(i));
      closing = closing.filter((i) => !visible.includes(i));
    }
    inPlace(anchor, () => {
      for (const i of opening) this.#show(i, false);
      if (why === 'gone to') for (const i of closing) this.#show(i, true);
    });
    if (why === 'gone to') return;
    for (const i of closing) {
      const from = scrollY;
      if (Math.abs(inPlace(anchor, () => this.#show(i, true))) < 1) continue;
      this.#show(i, false);
      scrollTo({ top: from, behavior: 'instant' });
      this.#waits = true;
    }
  }

  /** @param {number} i @param {boolean} folded */
  #show(i, folded) {
    const card = this.page.cards[i];
    const had = document.activeElement === this.#lines[i];
    if (folded) {
      this.#folded.add(i);
      this.draw(i);
    } else this.#folded.delete(i);
    card.classList.toggle('folded', folded);
    // The element that had the focus is gone from the page.
    if (had && !folded) card.focus({ preventScroll: true });
  }

  /** Writes the line of a folded card. @param {number} i */
  draw(i) {
    if (!this.#folded.has(i)) return;
    const { cards, names, value, sum } = this.page;
    const text = /** @type {HTMLElement} */ (cards[i].querySelector('.card-text'));
    const words = make('bdi', { className: 'card-line-words', lang: text.lang, dir: text.dir }, (text.textContent ?? '').slice(0, WORDS));
    const line = this.#lines[i] ?? make('button', { type: 'button', className: 'card-line' });
    line.replaceChildren(make('span', { className: 'hush' }, `Open translation ${names[i]}: `), words, make('span', { className: 'card-line-sum' }, sum(value(i))));
    if (this.#lines[i]) return;
    line.setAttribute('aria-expanded', 'false');
    this.#lines[i] = line;
    cards[i].append(line);
  }
}
