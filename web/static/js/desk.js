// What errors are marked on: the card in work, its texts and marks, where the
// caret stands and which mark is picked. Other modules show it and change it.

import { snap, snapWords, step } from './codepoints.js';
import { kindName } from './rules.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./spans.js').Side} Side */
/** @typedef {import('./save.js').Value} Value */

export class Desk {
  /**
   * @param {any} state the page's data block
   * @param {HTMLElement[]} cards
   * @param {(i: number) => Value} value
   * @param {() => boolean} closed whether nothing can be changed any more
   */
  constructor(state, cards, value, closed) {
    this.state = state;
    this.cards = cards;
    this.value = value;
    this.closed = closed;
    /** @type {import('./rules.js').Marking} */
    this.rules = state.marking;
    this.source = /** @type {HTMLElement} */ (document.querySelector('[data-side=source]'));
    this.targets = cards.map((c) => /** @type {HTMLElement|null} */ (c.querySelector('[data-side=target]')));
    this.whole = /** @type {HTMLInputElement} */ (document.getElementById('whole-words'));
    /** The card in work. */
    this.card = -1;
    /** @type {{side: Side, anchor: number, focus: number}} */
    this.at = { side: 'target', anchor: 0, focus: 0 };
    /** @type {string|null} the mark that keys and the bar act on */
    this.picked = null;
    /** @type {{side: Side, at: number}|null} where the first of two clicks was */
    this.armed = null;
    /** The severity last used. */
    this.grade = '';
  }

  spans(i = this.card) { return this.value(i).spans ?? []; }

  // suggestions.js gives another answer to this and the next two.
  /** What is drawn over the texts of a card that has these marks. @param {number} [i] @param {Span[]} [spans] */
  drawn(i = this.card, spans = this.spans(i)) { return spans; }

  /** The mark that is picked. */
  one() { return this.spans().find((s) => s.id === this.picked); }

  /** The mark that is picked, to be changed. */
  own() { return this.one(); }

  texts(i = this.card) { return { source: this.state.source, target: this.state.cards[i].text }; }

  /** The text that the caret is in. @returns {string} */
  text() { return this.texts()[this.at.side]; }

  /** Where a text stands on the page; null where there is no translation. @param {Side} side @param {number} [i] */
  surface(side, i = this.card) { return side === 'source' ? this.source : this.targets[i]; }

  /** @param {Side} side */
  lang(side) { return this.surface(side)?.lang; }

  /** Class of a severity. @param {string} id */
  style = (id) => this.rules.severities.find((s) => s.id === id)?.style ?? 'sv-own';

  /** Name of a severity. @param {string} id */
  name(id) { return this.rules.severities.find((s) => s.id === id)?.name ?? id; }

  /** What is said of a mark. @param {Span} s */
  about(s) { return [this.name(s.severity), kindName(s)].filter(Boolean).join(', '); }

  /** A stretch as it would be marked, whichever way it was selected. @param {Side} side @param {number} from @param {number} to */
  widened(side, from, to) {
    const [start, end] = from <= to ? [from, to] : [to, from];
    return (this.whole.checked ? snapWords : snap)(this.texts()[side], start, end, this.lang(side));
  }

  /** The words from one point to another. @param {Side} side @param {number} a @param {number} b @returns {[number, number]} */
  words(side, a, b) {
    const text = this.texts()[side];
    const [first, last] = [a, b].map((n) => {
      const w = snapWords(text, n, n, this.lang(side));
      return w[0] < w[1] ? w : [n, step(text, n, 1)];
    });
    return [Math.min(first[0], last[0]), Math.max(first[1], last[1])];
  }
}

/** @param {string} tag @param {Record<string, any>} props @param {...(string|Node)} children @returns {any} */
export function make(tag, props, ...children) {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
}
