// The suggestions of each card, between its text and its marks. Each can be picked,
// accepted, rejected and taken back. A row keeps its place and its height whatever is
// decided, so that the next row stays where it is pointed at.

import { inOrder } from './spans.js';
import { called, kindName, missing, standsAlone } from './rules.js';
import { make } from './desk.js';
import { accepted, rejected, waitingId } from './suggestions.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./save.js').Value} Value */

/**
 * @param {import('./desk.js').Desk} desk
 * @param {object} on
 * @param {(i: number, value: Value) => void} on.enter gives a card another value, to be undone
 * @param {(i: number, id: string|null) => void} on.pick
 * @param {(text: string) => void} on.announce
 * @param {(text: string) => void} on.refuse says why something was not done, for all to see
 */
export function suggestionList(desk, { enter, pick, announce, refuse }) {
  /** The suggestion after one in the order of reading, among those that wait. @param {Span} s */
  const following = (s) => {
    const rest = desk.open();
    const n = rest.findIndex((o) => o.id === s.id);
    return rest[n + 1] ?? rest.find((o) => o.id !== s.id);
  };

  /** Whether marks may be made of suggestions. @param {Span[]} chosen */
  function fits(chosen) {
    const spans = desk.spans();
    if (standsAlone(desk.rules, spans) || (standsAlone(desk.rules, chosen) && spans.length + chosen.length > 1)) {
      refuse('A non-translation stands alone; reject it, or remove and reject the others');
      return false;
    }
    return true;
  }

  /** Goes on to the next suggestion of the card, if one waits. @param {Span|undefined} next @param {string} done */
  function goOn(next, done) {
    if (next) pick(desk.card, waitingId(next.id));
    announce(next ? `${done}; next, suggested: ${called(next)}, ${desk.about(next)}` : `${done}; all suggestions of the card are decided`);
  }

  /** Goes to the first suggestion of the card that waits, else to that of the next card that has one. */
  const nothing = () => {
    const all = desk.cards.map((_, i) => i);
    const card = [...all.slice(desk.card), ...all.slice(0, desk.card)].find((i) => desk.open(i).length);
    if (card === undefined) return refuse('No suggestion waits on any card');
    if (card !== desk.card) desk.cards[card].focus({ preventScroll: true });
    pick(card, waitingId(desk.open(card)[0].id));
  };

  /** Accepts the suggestion in work, and goes on to the next one. @param {boolean} [stay] goes on to none, but stays with the mark that it became */
  function accept(stay = false) {
    const s = desk.suggestion();
    if (desk.closed()) return;
    if (!s) return nothing();
    if (!fits([s])) return;
    const next = stay ? undefined : following(s);
    const value = accepted(desk.value(desk.card), [s]);
    const fresh = /** @type {Span} */ (value.spans?.at(-1));
    if (stay) desk.picked = fresh.id;
    else desk.pick(null);
    enter(desk.card, value);
    if (!next && !stay) pick(desk.card, fresh.id);
    // What the mark still needs is asked for before the segment is submitted: the next
    // key is for the next suggestion.
    const needs = missing({ scores: [], marking: desk.rules }, { ...value, spans: [fresh], no_errors: false });
    const done = `accepted ${called(s)}${needs ? `, which needs ${needs.what}` : ''}`;
    if (stay) announce(done);
    else goOn(next, done);
  }

  function reject() {
    const s = desk.suggestion();
    if (desk.closed()) return;
    if (!s) return nothing();
    const next = following(s);
    desk.pick(null);
    desk.at = { side: s.side, anchor: s.start, focus: s.start };
    enter(desk.card, rejected(desk.value(desk.card), s.id));
    goOn(next, `rejected ${called(s)}`);
  }

  // ---- the list of a card ----

  /** What is asked once more before it is done. @param {HTMLButtonElement} b @param {string} label @param {() => string} sure @param {() => void} act */
  function twice(b, label, sure, act) {
    let asked = false;
    const ask = (/** @type {boolean} */ now) => {
      asked = now;
      b.textContent = now ? sure() : label;
    };
    b.addEventListener('click', () => {
      if (asked) act();
      ask(!asked);
    });
    b.addEventListener('blur', () => ask(false));
    ask(false);
  }

  /** @type {string[][]} what each list shows */
  const shown = [];
  const boxes = desk.cards.map((card, i) => {
    const all = make('button', { type: 'button', className: 'btn btn-quiet btn-small' });
    twice(all, 'Accept all', () => `Accept all ${desk.open(i).length}?`, () => {
      pick(i, null);
      const rest = desk.open(i);
      if (desk.closed() || !fits(rest)) return;
      enter(i, accepted(desk.value(i), rest));
      announce(`${rest.length} suggestions accepted`);
    });
    const head = make('p', { className: 'suggested-head' }, make('span', {}), all);
    const list = make('ol', { ariaLabel: 'Suggestions' });
    const box = make('div', { className: 'suggested-box', hidden: true }, head, list);
    // Marks are added below.
    if (desk.suggested(i).length) card.querySelector('.card-marks')?.before(box);
    return { box, all, head, list };
  });

  /** The mark that came of a suggestion. @param {number} i @param {Span} s */
  const became = (i, s) => desk.spans(i).find((m) => m.suggestion === s.id);

  /** What was decided on a suggestion. @param {number} i @param {Span} s @returns {'waits'|'rejected'|'accepted'} */
  const state = (i, s) => (desk.value(i).rejected?.includes(s.id) ? 'rejected' : became(i, s) ? 'accepted' : 'waits');

  /** Says what a row shows: what was decided, and what there is now to be read of it. @param {number} i @param {Span} s */
  const look = (i, s) => JSON.stringify([state(i, s), became(i, s) ?? s]);

  /** Decides on a suggestion in its row. The bar, which would lie over the rows, stays away. @param {number} i @param {Span} s @param {Value} value @param {string} done */
  function decide(i, s, value, done) {
    if (desk.closed()) return;
    pick(i, null);
    if (state(i, s) === 'waits' && !value.rejected?.includes(s.id) && !fits([s])) return;
    enter(i, value);
    announce(`${done} ${called(s)}`);
  }

  /** @param {number} i @param {Span} s */
  function entry(i, s) {
    const now = state(i, s);
    const mark = () => became(i, s)?.id ?? waitingId(s.id);
    // A suggestion that was changed is the mark that it became.
    const is = became(i, s) ?? s;
    const on = desk.surface(is.side, i);
    const main = make(now === 'rejected' ? 'span' : 'button', { className: 'mark-entry' },
      make('span', { className: `grade suggested ${desk.style(is.severity)}` }, desk.name(is.severity)), ' ',
      is.text ? make('q', { className: 'quoted', lang: on?.lang ?? '', dir: on?.dir || 'auto' }, is.text) : called(is), ' ', kindName(is),
      ...(is.side === 'source' ? [' ', make('span', { className: 'side' }, 'in the source')] : []),
      ...(is.comment ? [make('span', { className: 'suggested-note', dir: 'auto' }, is.comment)] : []));
    const act = (/** @type {string} */ label, /** @type {string} */ what, /** @type {() => void} */ go) => {
      const b = make('button', { type: 'button', className: 'btn btn-small', onclick: go }, label);
      b.setAttribute('aria-label', `${label} ${called(s)}`);
      b.dataset.suggest = what;
      return b;
    };
    /** Keeps the room of a button. @param {string} label */
    const room = (label) => make('span', { className: 'btn btn-small unused', ariaHidden: 'true' }, label);
    if (now !== 'rejected') {
      Object.assign(main, { type: 'button', onclick: () => pick(i, mark()) });
      Object.assign(main.dataset, { m: mark() });
    }
    const row = make('li', { className: `suggested-${now}` }, main);
    if (now === 'waits') row.append(act('Accept', 'accept', () => decide(i, s, accepted(desk.value(i), [s]), 'accepted')), act('Reject', 'reject', () => decide(i, s, rejected(desk.value(i), s.id), 'rejected')));
    else if (now === 'rejected') row.append(room('Accept'), act('Take back', 'back', () => decide(i, s, rejected(desk.value(i), s.id, true), 'taken back:')));
    else row.append(room('Accept'), make('span', { className: 'suggested-done' }, '✓ marked'));
    return row;
  }

  return {
    accept, reject, fits,
    /** @param {number} i */
    draw(i) {
      const all = desk.suggested(i);
      if (!all.length) return;
      const waits = desk.open(i).length;
      const { box, all: button, head, list } = boxes[i];
      box.hidden = false;
      button.classList.toggle('unused', waits < 2);
      head.children[0].textContent = waits ? `${waits} ${waits > 1 ? 'suggestions' : 'suggestion'} to decide` : 'Suggestions, all decided';
      const rows = inOrder(all);
      const before = shown[i] ?? [];
      shown[i] = rows.map((s) => look(i, s));
      const held = list.contains(document.activeElement);
      rows.forEach((s, n) => {
        if (before[n] === shown[i][n]) return;
        const row = entry(i, s);
        if (list.children[n]) list.children[n].replaceWith(row);
        else list.append(row);
      });
      if (held && !list.contains(document.activeElement)) desk.cards[i].focus({ preventScroll: true });
    },
  };
}
