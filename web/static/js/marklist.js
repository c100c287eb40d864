// The list of each card's marks, the second way to each of them.

import { inOrder, set } from './spans.js';
import { called, kindName } from './rules.js';
import { make } from './desk.js';

/** @typedef {import('./spans.js').Span} Span */

/**
 * @param {import('./desk.js').Desk} desk
 * @param {object} on
 * @param {(i: number, id: string) => void} on.pick
 * @param {(i: number, id: string) => void} on.drop
 * @param {(i: number, node: HTMLTextAreaElement, value: (text: string) => import('./save.js').Value) => void} on.typed saves while someone types
 */
export function markList(desk, { pick, drop, typed }) {
  /** The entries of each card's list, by the id of the mark. @type {Map<string, {look: any[], row: HTMLElement}>[]} */
  const rows = desk.cards.map(() => new Map());
  /** @type {string|null} the mark whose comment is open without one */
  let noting = null;

  /** Draws those entries anew that say something else now. @param {number} i @param {Span[]} [all] */
  function draw(i, all = desk.spans(i)) {
    const into = /** @type {HTMLElement} */ (desk.cards[i].querySelector('.card-marks'));
    const order = inOrder(all);
    const place = new Map(order.map((s, n) => [s.id, n + 1]));
    const before = rows[i];
    rows[i] = new Map();
    into.hidden = !all.length;
    order.forEach((s, n) => {
      const look = [s, place.get(s.link ?? ''), noting === s.id];
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
    return make('li', {}, main, away);
  }

  /** Says in an entry what is to be said of its mark. @param {number} i @param {HTMLElement} row @param {Span} s @param {number} [linked] number of the mark it goes with */
  function fill(i, row, s, linked) {
    const on = desk.surface(s.side, i);
    const aside = (/** @type {string} */ text) => [' ', make('span', { className: 'side' }, text)];
    row.firstElementChild?.replaceChildren(
      make('span', { className: 'mark-n' }), make('span', { className: `grade ${desk.style(s.severity)}` }, desk.name(s.severity)), ' ',
      s.text ? make('q', { className: 'quoted', lang: on?.lang ?? '', dir: on?.dir || 'auto' }, s.text) : '', ' ', kindName(s),
      desk.rules.categories?.length && !s.category ? make('span', { className: 'need' }, 'needs a category') : '',
      ...(s.side === 'source' ? aside('in the source') : []), ...(s.suggestion ? aside('suggested') : []), ...(linked ? aside(`goes with ${linked}`) : []));
    row.querySelector('.mark-away')?.setAttribute('aria-label', `Remove ${called(s)}`);
    const open = !!s.comment || noting === s.id;
    let note = row.querySelector('textarea');
    if (!open) note?.remove();
    else if (!note) {
      note = /** @type {HTMLTextAreaElement} */ (make('textarea', { className: 'control', rows: 1, dir: 'auto', placeholder: 'Comment on this mark', ariaLabel: `Comment on ${called(s)}` }));
      note.dataset.do = 'note';
      typed(i, note, (comment) => ({ ...desk.value(i), spans: set(desk.spans(i), s.id, { comment }) }));
      row.append(note);
    }
    if (open && note && note.value !== (s.comment ?? '')) note.value = s.comment ?? '';
  }

  /** Numbers an entry: many have another when one comes before them. @param {HTMLElement} row @param {number} n */
  function number(row, n) {
    const at = row.firstChild?.firstChild;
    if (at && at.textContent !== `${n}`) at.textContent = `${n}`;
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
      lit = id ? [desk.source, desk.targets[desk.card]].flatMap((on) => [...on?.querySelectorAll(`mark[data-m~="${CSS.escape(id)}"]`) ?? []]) : [];
      for (const n of lit) n.classList.add('lit');
      rows[desk.card].get(id ?? '')?.row.querySelector('.mark-entry')?.setAttribute('aria-pressed', 'true');
    },
    /** Opens the comment of a mark of the card in work, or closes those without one. @param {string|null} id */
    note(id) {
      noting = id;
      draw(desk.card);
      /** @type {HTMLElement|null|undefined} */ (rows[desk.card].get(id ?? '')?.row.querySelector('[data-do=note]'))?.focus();
    },
  };
}
