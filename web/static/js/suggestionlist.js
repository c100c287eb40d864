// The suggestions of each card, below its marks: each can be picked, accepted, rejected
// and taken back.

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

  const nothing = () => {
    const first = desk.open()[0];
    if (first) pick(desk.card, waitingId(first.id));
    else refuse('No suggestion waits on this card');
  };

  function accept() {
    const s = desk.suggestion();
    if (desk.closed()) return;
    if (!s) return nothing();
    if (!fits([s])) return;
    const next = following(s);
    const value = accepted(desk.value(desk.card), [s]);
    const fresh = /** @type {Span} */ (value.spans?.at(-1));
    desk.pick(null);
    enter(desk.card, value);
    if (!next) pick(desk.card, fresh.id);
    // What the mark still needs is asked for before the segment is submitted: the next
    // key is for the next suggestion.
    const needs = missing({ scores: [], marking: desk.rules }, { ...value, spans: [fresh], no_errors: false });
    goOn(next, `accepted ${called(s)}${needs ? `, which needs ${needs.what}` : ''}`);
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

  /** @type {string[]} what each list shows */
  const shown = [];
  const boxes = desk.cards.map((card, i) => {
    const all = make('button', { type: 'button', className: 'btn btn-quiet btn-small' });
    twice(all, 'Accept all', () => `Accept all ${desk.open(i).length} as they are?`, () => {
      pick(i, null);
      const rest = desk.open(i);
      if (desk.closed() || !fits(rest)) return;
      enter(i, accepted(desk.value(i), rest));
      announce(`${rest.length} suggestions accepted`);
    });
    const head = make('p', { className: 'suggested-head' }, make('span', {}), all);
    const list = make('ol', { ariaLabel: 'Suggestions' });
    const box = make('div', { className: 'suggested-box', hidden: true }, head, list);
    if (desk.suggested(i).length) card.querySelector('.card-marks')?.after(box);
    return { box, all, head, list };
  });

  /** @param {number} i @param {Span} s @param {boolean} waits */
  function entry(i, s, waits) {
    const on = desk.surface(s.side, i);
    const main = make(waits ? 'button' : 'span', { className: 'mark-entry' },
      make('span', { className: `grade suggested ${desk.style(s.severity)}` }, desk.name(s.severity)), ' ',
      s.text ? make('q', { className: 'quoted', lang: on?.lang ?? '', dir: on?.dir || 'auto' }, s.text) : called(s), ' ', kindName(s),
      ...(s.side === 'source' ? [' ', make('span', { className: 'side' }, 'in the source')] : []),
      ...(s.comment ? [make('span', { className: 'suggested-note', dir: 'auto' }, s.comment)] : []));
    const act = (/** @type {string} */ label, /** @type {string} */ what, /** @type {() => void} */ go) => {
      const b = make('button', { type: 'button', className: 'btn btn-small', onclick: go }, label);
      b.setAttribute('aria-label', `${label} ${called(s)}`);
      b.dataset.suggest = what;
      return b;
    };
    const id = waitingId(s.id);
    if (waits) {
      Object.assign(main, { type: 'button', onclick: () => pick(i, id) });
      Object.assign(main.dataset, { m: id });
      return make('li', {}, main, act('Accept', 'accept', () => { pick(i, id); accept(); }), act('Reject', 'reject', () => { pick(i, id); reject(); }));
    }
    return make('li', { className: 'suggested-off' }, main, act('Take back', 'back', () => {
      if (desk.closed()) return;
      pick(i, null);
      enter(i, rejected(desk.value(i), s.id, true));
      pick(i, id);
    }));
  }

  return {
    accept, reject, fits,
    /** @param {number} i */
    draw(i) {
      if (!desk.suggested(i).length) return;
      const v = desk.value(i);
      const waits = desk.open(i);
      const off = inOrder(desk.suggested(i).filter((s) => v.rejected?.includes(s.id)));
      const look = [...waits.map((s) => s.id), '', ...off.map((s) => s.id)].join(' ');
      const { box, all, head, list } = boxes[i];
      box.hidden = !waits.length && !off.length;
      all.hidden = waits.length < 2;
      head.children[0].textContent = waits.length ? `${waits.length} ${waits.length > 1 ? 'suggestions' : 'suggestion'} to decide` : 'Suggestions rejected';
      if (look === shown[i]) return;
      shown[i] = look;
      const held = list.contains(document.activeElement);
      list.replaceChildren(...waits.map((s) => entry(i, s, true)), ...off.map((s) => entry(i, s, false)));
      if (held) desk.cards[i].focus({ preventScroll: true });
    },
  };
}
