// The list of each card's marks, the second way to each of them.

import { inOrder } from './spans.js';
import { called, kindName } from './rules.js';
import { length, slice, step } from './codepoints.js';
import { make } from './desk.js';

/** @typedef {import('./spans.js').Span} Span */

/** Of how many characters an entry shows all, and about how many it shows of the beginning and of the end of longer words. */
const ALL = 200;
const HEAD = 100;
const TAIL = 60;

/** The words of a mark, without the middle of long ones. @param {string} text */
export function shortened(text) {
  const size = length(text);
  return size <= ALL ? text : `${slice(text, 0, step(text, HEAD, 1))} … ${slice(text, step(text, size - TAIL, -1), size)}`;
}

/**
 * @param {import('./desk.js').Desk} desk
 * @param {ReturnType<typeof import('./termquestions.js').termQuestions>} asks shows the questions that are asked of a term
 * @param {object} on
 * @param {(i: number, id: string) => void} on.pick
 * @param {(i: number, id: string) => void} on.drop
 * @param {(i: number, id: string) => void} on.comment opens the comment of a mark
 */
export function markList(desk, asks, { pick, drop, comment }) {
  /** The entries of each card's list, by the id of the mark. @type {Map<string, {look: any[], row: HTMLElement}>[]} */
  const rows = desk.cards.map(() => new Map());

  // The browser skips entries that are out of view, which saves most of the work where
  // there are hundreds. It keeps the height that an entry had when it was last laid out,
  // and takes that down at the end of a frame. So an entry is skipped only once a frame
  // has shown it as it is now: nothing moves when it comes into view.
  /** Entries that were written since the last frame. @type {Set<Element>} */
  let written = new Set();
  /** Entries that the frame before has shown. @type {Set<Element>} */
  let seen = new Set();
  function frame() {
    for (const row of seen) if (!written.has(row)) row.classList.add('settled');
    seen = written;
    written = new Set();
    if (seen.size) requestAnimationFrame(frame);
  }
  /** Has an entry laid out wherever it is, since it may have another height. @param {Element} row */
  function unsettle(row) {
    row.classList.remove('settled');
    if (!written.size && !seen.size) requestAnimationFrame(frame);
    written.add(row);
  }
  const unsettleAll = () => document.querySelectorAll('.card-marks > li').forEach(unsettle);
  addEventListener('resize', unsettleAll);
  document.fonts?.addEventListener('loadingdone', unsettleAll);

  /** What an entry says that its mark still needs. @param {Span} s */
  const needs = (s) => {
    const lacks = [!s.severity && !desk.rules.terms && 'severity', desk.rules.categories?.length && !desk.rules.given && !s.category && 'category'].filter(Boolean);
    return lacks.length ? `needs a ${lacks.join(' and a ')}` : '';
  };

  /** Draws those entries anew that say something else now. @param {number} i @param {Span[]} [all] */
  function draw(i, all = desk.spans(i)) {
    const into = /** @type {HTMLElement} */ (desk.cards[i].querySelector('.card-marks'));
    const order = inOrder(all);
    const place = new Map(order.map((s, n) => [s.id, n + 1]));
    const before = rows[i];
    rows[i] = new Map();
    into.hidden = !all.length;
    order.forEach((s, n) => {
      const look = [s, place.get(s.link ?? '')];
      const old = before.get(s.id);
      const row = old?.row ?? entry(i, s.id);
      before.delete(s.id);
      rows[i].set(s.id, { look, row });
      if (!old?.look.every((x, k) => x === look[k])) fill(i, row, s, place.get(s.link ?? ''));
      number(row, n + 1);
      if (into.children[n] !== row) into.insertBefore(row, into.children[n] ?? null);
    });
    for (const { row } of before.values()) row.remove();
  }

  /** An entry, which stays while its mark does. @param {number} i @param {string} id */
  function entry(i, id) {
    const main = make('button', { type: 'button', className: 'mark-entry', onclick: () => pick(i, id) });
    const away = make('button', { type: 'button', className: 'mark-away', title: 'Remove', onclick: () => drop(i, id) }, '×');
    Object.assign(main.dataset, { m: id, do: 'pick' });
    away.dataset.do = 'drop';
    main.setAttribute('aria-pressed', 'false');
    return make('li', { className: desk.rules.given ? 'given-term' : '' }, main, ...(desk.rules.given ? [] : [away]));
  }

  /** Says in an entry what is to be said of its mark. @param {number} i @param {HTMLElement} row @param {Span} s @param {number} [linked] number of the mark it goes with */
  function fill(i, row, s, linked) {
    unsettle(row);
    const on = desk.surface(s.side, i);
    const aside = (/** @type {string} */ text) => [' ', make('span', { className: 'side' }, text)];
    const quoted = (/** @type {string} */ text) => make('q', { className: 'quoted', lang: on?.lang ?? '', dir: on?.dir || 'auto' }, text);
    const after = s.text ? '' : desk.before(s.side, s.start, i);
    row.firstElementChild?.replaceChildren(
      make('span', { className: 'mark-n' }, '0'), make('span', { className: `grade ${desk.style(s.severity)}` }, desk.name(s.severity) || (desk.rules.terms && s.category) || '?'), ' ',
      s.text ? quoted(shortened(s.text)) : '', ' ', desk.rules.terms ? '' : kindName(s), ...(s.text ? [] : after ? [' after ', quoted(after)] : [' at the beginning']),
      ...(needs(s) ? [' ', make('span', { className: 'need' }, needs(s))] : []),
      ...(s.side === 'source' && !desk.rules.terms ? aside('in the source') : s.side === 'reference' ? aside('in the reference') : []), ...(s.suggestion ? aside('suggested') : []), ...(linked ? aside(`goes with ${linked}`) : s.link ? aside('goes with one in another segment') : []));
    row.querySelector('.mark-away')?.setAttribute('aria-label', `Remove ${called(s)}`);
    means(row, s);
    asks.fill(i, row, s);
    let note = /** @type {HTMLElement|null} */ (row.querySelector('.mark-note'));
    if (!s.comment) return note?.remove();
    if (!note) {
      note = /** @type {HTMLElement} */ (make('button', { type: 'button', className: 'mark-note', dir: 'auto', title: 'Change the comment', onclick: () => comment(i, s.id) }));
      note.dataset.do = 'note';
      row.append(note);
    }
    note.textContent = s.comment;
  }

  /** Says what a given term means. @param {HTMLElement} row @param {Span} s */
  function means(row, s) {
    const given = desk.state.terms?.find((t) => t.id === s.id);
    if (!given || row.querySelector('.term-about')) return;
    const other = desk.state.terms?.find((t) => t.id === given.link || t.link === given.id);
    const lines = [given.answers?.explication, given.answers?.equivalent && `Equivalent: ${given.answers.equivalent}`, other && `In the reference: ${other.text}`].filter(Boolean);
    if (lines.length) row.append(make('div', { className: 'term-about' }, ...lines.map((text) => make('p', { dir: 'auto' }, text ?? ''))));
  }

  /** Writes the number of an entry in place of the one there: many entries have another when one comes before them. @param {HTMLElement} row @param {number} n */
  function number(row, n) {
    const at = /** @type {Text|null|undefined} */ (row.firstChild?.firstChild?.firstChild);
    if (at && at.data !== `${n}`) at.data = `${n}`;
  }

  /** @type {HTMLElement[]} */
  let lit = [];
  return {
    draw,
    /** Lights up the mark in work, in the texts and in the list. */
    light() {
      for (const n of lit) n.classList.remove('lit');
      for (const n of document.querySelectorAll('.mark-entry[aria-pressed=true]')) n.setAttribute('aria-pressed', 'false');
      const id = desk.picked;
      lit = id ? [desk.source, desk.targets[desk.card]].flatMap((on) => (on ? [.../** @type {NodeListOf<HTMLElement>} */ (on.querySelectorAll(`mark[data-m~="${CSS.escape(id)}"]`))] : [])) : [];
      for (const n of lit) n.classList.add('lit');
      rows[desk.card].get(id ?? '')?.row.querySelector('.mark-entry')?.setAttribute('aria-pressed', 'true');
    },
  };
}
