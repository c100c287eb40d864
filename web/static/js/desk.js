// The state of marking: the card in work, where the caret stands, which mark is picked,
// and what the bar asks for. Desk alone holds it. Other modules change it through Desk
// and show it when the page is painted.

import { inWord, slice, snap, snapWords, step, trim, wordAt } from './codepoints.js';
import { kindName, wanting } from './rules.js';
import { inOrder, textsOf } from './spans.js';
import { isWaiting, undecided, waitingId } from './suggestions.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./spans.js').Side} Side */
/** @typedef {import('./save.js').Value} Value */
/** @typedef {import('./surface.js').Place} Place */
/** @typedef {{what: 'category'|'link'|'comment', focus: boolean}} Asking what is open in the bar; focus: it takes the focus when it opens */

export class Desk {
  /**
   * @param {import('../../wire').State} state the page's data block, of a page on which errors are marked
   * @param {HTMLElement[]} cards
   * @param {(i: number) => Value} value
   * @param {() => boolean} closed whether nothing can be changed now
   */
  constructor(state, cards, value, closed) {
    this.state = state;
    this.cards = cards;
    this.value = value;
    this.closed = closed;
    this.rules = /** @type {import('./rules.js').Marking} */ (state.marking);
    this.source = /** @type {HTMLElement} */ (document.querySelector('[data-side=source]'));
    this.targets = cards.map((c) => /** @type {HTMLElement|null} */ (c.querySelector('[data-side=target], [data-side=reference]')));
    /** The side of a card's text: a segment has its reference in place of a translation. @type {Side} */
    this.own = this.rules.reference ? 'reference' : 'target';
    this.whole = /** @type {HTMLInputElement} */ (document.getElementById('whole-words'));
    /** The card in work. */
    this.card = -1;
    /** @type {{side: Side, anchor: number, focus: number, exact?: boolean}} exact: keys selected it by character, so that it grows to no words */
    this.at = { side: this.own, anchor: 0, focus: 0 };
    /** Whether somebody has put the caret where it is. */
    this.placed = false;
    /** @type {string|null} the mark that keys and the bar act on */
    this.picked = null;
    /** Counts how often a mark was picked: the bar stands where it is until the next one is. */
    this.opened = 0;
    /** @type {{side: Side, at: number}|null} where the first of two clicks was: the character under the pointer */
    this.armed = null;
    /** Whether the next click on the text says where punctuation is missing. */
    this.gapNext = false;
    /** @type {Asking|null} */
    this.asking = null;
    /** @type {'caret'|'mark'|null} what is brought into view at the next paint */
    this.show = null;
    /** The severity of new marks; empty: each is asked for. */
    this.usual = '';
    /** @type {{of: Value, spans: Span[]}[]} the suggestions that wait on each card, for the value they were made from */
    this.made = [];
  }

  spans(i = this.card) { return this.value(i).spans ?? []; }

  /** All suggestions of a card. @param {number} i @returns {Span[]} */
  suggested(i) { return this.state.cards[i]?.suggestions ?? []; }

  /** The suggestions that wait on a card, in the order of reading. @param {number} [i] */
  open(i = this.card) { return inOrder(undecided(this.suggested(i), this.value(i))); }

  /** The suggestions that wait on a card, as spans with ids that no mark has. @param {number} i @returns {Span[]} */
  waiting(i) {
    if (i < 0 || !this.suggested(i).length) return [];
    const of = this.value(i);
    if (this.made[i]?.of !== of) this.made[i] = { of, spans: this.open(i).map((s) => ({ ...s, id: waitingId(s.id) })) };
    return this.made[i].spans;
  }

  /** What is drawn over the texts of a card that has these marks. @param {number} [i] @param {Span[]} [spans] */
  drawn(i = this.card, spans = this.spans(i)) { return [...spans, ...this.waiting(i)]; }

  /** The mark or suggestion that is picked. */
  one() { return this.drawn().find((s) => s.id === this.picked); }

  /** The suggestion that is picked. */
  suggestion() { return this.open().find((s) => waitingId(s.id) === this.picked); }

  /** Makes a mark or suggestion of the card in work the one that is picked. @param {string|null} id */
  pick(id) {
    this.picked = id;
    this.opened++;
    this.armed = this.asking = null;
    this.gapNext = false;
    const s = this.one();
    if (!s) return;
    this.at = { side: s.side, anchor: s.end, focus: s.end };
    this.placed = true;
  }

  /** Whether a mark or suggestion still lacks something. @param {Span} s */
  lacks(s) { return isWaiting(s) || wanting(this.rules, s) !== ''; }

  /** Puts the caret to an end of the mark in work. @param {'start'|'end'} edge */
  caretTo(edge) {
    const s = this.one();
    if (s) this.at = { side: s.side, anchor: s[edge], focus: s[edge] };
  }

  /** The words, from the last beginning of one, that a place in a text of a card stands after; empty at its start. @param {Side} side @param {number} at @param {number} i */
  before(side, at, i) {
    const text = this.texts(i)[side];
    return slice(text, step(text, at, -1, 'start', this.lang(side)), at).trim();
  }

  texts(i = this.card) { return textsOf(this.state, i); }

  /** The text that the caret is in. */
  text() { return this.texts()[this.at.side]; }

  /** Where a text stands on the page; null where there is no translation. @param {Side} side @param {number} [i] */
  surface(side, i = this.card) { return side === 'source' ? this.source : this.targets[i]; }

  /** @param {Side} side */
  lang(side) { return this.surface(side)?.lang; }

  /** The class of a severity; of none where it is still asked for. @param {string} id */
  style = (id) => (this.rules.terms ? 'sv-term' : id ? this.rules.severities.find((s) => s.id === id)?.style ?? 'sv-own' : 'sv-none');

  /** The classes of a mark or suggestion. @param {Span} s */
  look = (s) => `${isWaiting(s) ? 'suggested ' : ''}${this.style(s.severity)}`;

  /** Name of a severity. @param {string} id */
  name(id) { return this.rules.severities.find((s) => s.id === id)?.name ?? id; }

  /** What is said of a mark. @param {Span} s */
  about(s) { return [isWaiting(s) && 'suggested', this.name(s.severity) || (this.rules.terms ? !s.category && 'no category yet' : 'no severity yet'), kindName(s)].filter(Boolean).join(', '); }

  /** A stretch as it would be marked, whichever way it was selected. @param {Side} side @param {number} from @param {number} to @param {boolean} [exact] it grows to no words */
  widened(side, from, to, exact = false) {
    const text = this.texts()[side];
    const [start, end] = from <= to ? [from, to] : [to, from];
    return this.whole.checked && !exact ? snapWords(text, start, end, this.lang(side)) : snap(text, ...trim(text, start, end));
  }

  /**
   * A stretch between two places of a pointer as it would be marked. With whole words, the
   * words that it began and ended on belong to it, wherever in them that was.
   * @param {Side} side @param {...Place} places @returns {[number, number]}
   */
  dragged(side, ...places) {
    const text = this.texts()[side];
    const ends = places.flatMap(({ near, on }) => (on && this.whole.checked && inWord(text, on[0], this.lang(side)) ? on : [near]));
    return this.widened(side, Math.min(...ends), Math.max(...ends));
  }

  /** The words from the character at one point to that at another; of a blank, the word beside it. @param {Side} side @param {number} a @param {number} b @returns {[number, number]} */
  words(side, a, b) {
    const text = this.texts()[side];
    const [first, last] = [a, b].map((n) => {
      const end = step(text, n, 1);
      const w = wordAt(text, n, this.lang(side), !slice(text, n, end).trim());
      return w[0] < w[1] ? w : [n, end];
    });
    return [Math.min(first[0], last[0]), Math.max(first[1], last[1])];
  }
}

/**
 * An element with properties and children.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Record<string, any>} props @param {...(string|Node)} children @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, props, ...children) {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
}
