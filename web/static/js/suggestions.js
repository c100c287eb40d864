// Suggested errors, which something else than a person found: on each card they
// wait to be accepted, changed or rejected. Until then they are no marks, and cost
// nothing. This module is loaded only where there are some.

import { freshId, inOrder } from './spans.js';
import { called, kindName, missing, standsAlone } from './rules.js';
import { make } from './desk.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./save.js').Value} Value */

/** @param {string[]} ids places of suggestions */
const inPlace = (ids) => ids.toSorted((a, b) => Number(a) - Number(b));

/** The id of a suggestion among marks; no mark's begins so. @param {string} id */
const waitingId = (id) => `?${id}`;

/** The suggestions that no mark came of, and that were not rejected. @param {Span[]} suggested @param {Value} v */
export const undecided = (suggested, v) => suggested.filter(({ id }) => !v.rejected?.includes(id) && !v.spans?.some((s) => s.suggestion === id));

/** What a card needs while suggestions wait on it; undefined once all are decided. @param {Span[]} suggested @param {Value} v */
export function needed(suggested, v) {
  const open = undecided(suggested, v);
  return open.length ? { what: `a decision on ${open.length} suggestion${open.length > 1 ? 's' : ''}`, span: waitingId(open[0].id) } : undefined;
}

/** Makes marks of suggestions. @param {Value} v @param {Span[]} chosen @returns {Value} */
export function accepted(v, chosen) {
  const spans = [...v.spans ?? []];
  for (const s of chosen) spans.push({ ...s, id: freshId(spans), suggestion: s.id });
  const ids = chosen.map((s) => s.id);
  return { ...v, spans, no_errors: false, rejected: (v.rejected ?? []).filter((id) => !ids.includes(id)) };
}

/** Rejects a suggestion, or takes that back. @param {Value} v @param {string} id @param {boolean} [back] @returns {Value} */
export function rejected(v, id, back = false) {
  const rest = (v.rejected ?? []).filter((o) => o !== id);
  return { ...v, rejected: back ? rest : inPlace([...rest, id]) };
}

/**
 * @param {import('./desk.js').Desk} desk
 * @param {object} on
 * @param {(i: number, value: Value) => void} on.enter gives a card another value, to be undone
 * @param {(i: number, id: string|null) => void} on.pick
 * @param {(act: string, of?: string) => string} on.hint the key of an act, as it is written
 * @param {(text: string) => void} on.announce
 * @param {(text: string) => void} on.refuse says why something was not done, for all to see
 */
export function suggestions(desk, { enter, pick, hint, announce, refuse }) {
  /** @param {number} i @returns {Span[]} */
  const suggested = (i) => desk.state.cards[i].suggestions ?? [];
  /** @param {number} i @returns {Span[]} in the order of reading */
  const open = (i) => inOrder(undecided(suggested(i), desk.value(i)));

  /** What waits on each card, for the value it was made from. @type {{of: Value, spans: Span[]}[]} */
  const made = [];
  const waiting = (/** @type {number} */ i) => {
    const of = i < 0 ? undefined : desk.value(i);
    if (!of) return [];
    if (made[i]?.of !== of) made[i] = { of, spans: open(i).map((s) => ({ ...s, id: waitingId(s.id) })) };
    return made[i].spans;
  };

  // To the rest of the page suggestions are marks that can be picked and are drawn,
  // and become marks when they are to be changed.
  const { style } = desk;
  const about = desk.about.bind(desk);
  const mark = desk.one.bind(desk);
  desk.style = (id) => (id[0] === '?' ? `suggested ${style(id.slice(1))}` : style(id));
  desk.drawn = (i = desk.card, spans = desk.spans(i)) => [...spans, ...waiting(i).map((s) => ({ ...s, severity: `?${s.severity}` }))];
  desk.one = () => mark() ?? waiting(desk.card).find((s) => s.id === desk.picked);
  desk.own = () => {
    take();
    return mark();
  };
  desk.about = (s) => `${s.id[0] === '?' ? 'suggested, ' : ''}${about(s)}`;

  /** The suggestion that is picked. */
  const picked = () => open(desk.card).find((s) => waitingId(s.id) === desk.picked);

  /** The suggestion after one in the order of reading, among those that wait. @param {Span} s */
  const following = (s) => {
    const rest = open(desk.card);
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

  /** Makes a mark of the one picked, which is picked then. @returns {Span|undefined} the mark */
  function take() {
    const s = picked();
    if (!s || desk.closed() || !fits([s])) return undefined;
    const next = accepted(desk.value(desk.card), [s]);
    const fresh = next.spans?.at(-1);
    desk.picked = fresh?.id ?? null;
    enter(desk.card, next);
    return fresh;
  }

  /** Goes on to the next suggestion of the card, if one waits. @param {Span|undefined} next @param {string} done */
  function goOn(next, done) {
    if (next) pick(desk.card, waitingId(next.id));
    announce(next ? `${done}; next, suggested: ${called(next)}, ${about(next)}` : `${done}; all suggestions of the card are decided`);
  }

  const nothing = () => {
    const first = open(desk.card)[0];
    if (first) pick(desk.card, waitingId(first.id));
    else refuse('No suggestion waits on this card');
  };

  function accept() {
    const s = picked();
    if (desk.closed()) return;
    if (!s) return nothing();
    const next = following(s);
    const fresh = take();
    if (!fresh) return;
    // What the mark still has to be told is asked for before the segment is submitted:
    // the next key is for the next suggestion.
    const needs = missing({ scores: [], marking: desk.rules }, { ...desk.value(desk.card), spans: [fresh], no_errors: false });
    goOn(next, `accepted ${called(s)}${needs ? `, which needs ${needs.what}` : ''}`);
  }

  function reject() {
    const s = picked();
    if (desk.closed()) return;
    if (!s) return nothing();
    const next = following(s);
    desk.picked = next ? waitingId(next.id) : null;
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
    twice(all, 'Accept all', () => `Accept all ${open(i).length} as they are?`, () => {
      pick(i, null);
      const rest = open(i);
      if (desk.closed() || !fits(rest)) return;
      enter(i, accepted(desk.value(i), rest));
      announce(`${rest.length} suggestions accepted`);
    });
    const head = make('p', { className: 'suggested-head' }, make('span', {}), all);
    const list = make('ol', { ariaLabel: 'Suggestions' });
    const box = make('div', { className: 'suggested-box', hidden: true }, head, list);
    if (suggested(i).length) card.querySelector('.card-marks')?.after(box);
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
    acts: { accept, reject },
    reject,
    /** What a card needs while suggestions wait on it. @param {number} i */
    undecided: (i) => needed(suggested(i), desk.value(i)),
    /** What a card says of suggestions where the mark that came of one is removed. @param {string} id */
    without: (id) => ({ rejected: rejected(desk.value(desk.card), id).rejected }),
    /** The first buttons of the bar where a suggestion is picked. */
    tools: () => (!picked() ? [] : [['Accept', 'accept', accept], ['Reject', 'reject', reject]]).map(([label, act, go]) =>
      make('button', { type: 'button', className: 'btn btn-small', onclick: go }, label, make('kbd', {}, hint(/** @type {string} */ (act))))),
    /** @param {number} i */
    draw(i) {
      if (!suggested(i).length) return;
      const v = desk.value(i);
      const waits = open(i);
      const off = inOrder(suggested(i).filter((s) => v.rejected?.includes(s.id)));
      const look = [...waits.map((s) => s.id), '', ...off.map((s) => s.id)].join(' ');
      const { box, all, head, list } = boxes[i];
      box.hidden = !waits.length && !off.length;
      all.hidden = waits.length < 2;
      head.firstChild.textContent = waits.length ? `${waits.length} ${waits.length > 1 ? 'suggestions' : 'suggestion'} to decide` : 'Suggestions rejected';
      if (look === shown[i]) return;
      shown[i] = look;
      const held = list.contains(document.activeElement);
      list.replaceChildren(...waits.map((s) => entry(i, s, true)), ...off.map((s) => entry(i, s, false)));
      if (held) desk.cards[i].focus({ preventScroll: true });
    },
  };
}
